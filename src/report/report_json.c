/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/report.h"

#include <cjson/cJSON.h>

#include "report/escape.h"
#include "report/document.h"

static void add_ms(cJSON *object, const char *name, bool known, u64 ns)
{
	if (known)
		cJSON_AddNumberToObject(object, name, (double)ns / 1e6);
	else
		cJSON_AddNullToObject(object, name);
}

static void add_s(cJSON *object, const char *name, bool known, u64 ns)
{
	if (known)
		cJSON_AddNumberToObject(object, name, (double)ns / 1e9);
	else
		cJSON_AddNullToObject(object, name);
}

static void add_count(cJSON *object, const char *name, u64 count)
{
	cJSON_AddNumberToObject(object, name, (double)count);
}

static void add_pct(cJSON *object, const char *name, bool known, u64 part, u64 whole)
{
	if (known && whole)
		cJSON_AddNumberToObject(object, name, 100.0 * (double)part / (double)whole);
	else
		cJSON_AddNullToObject(object, name);
}

static void add_text(cJSON *object, const char *name, const char *text)
{
	char *safe;

	if (!text) {
		cJSON_AddNullToObject(object, name);
		return;
	}
	safe = escape_utf8(text);
	cJSON_AddStringToObject(object, name, safe);
	free(safe);
}

/* ---- tasks ---- */

static void task_delays(cJSON *task, const struct latency_row *row)
{
	const struct hist *delay = &row->delay;
	bool known = delay->count;

	add_count(task, "waits", delay->count);
	add_ms(task, "delay_mean_ms", known, latency_mean_ns(delay->sum, delay->count));
	add_ms(task, "delay_p50_ms", known, hist_percentile(delay, 500));
	add_ms(task, "delay_p90_ms", known, hist_percentile(delay, 900));
	add_ms(task, "delay_p99_ms", known, hist_percentile(delay, 990));
	add_ms(task, "delay_max_ms", known, delay->max);
	add_ms(task, "delay_sum_ms", known, delay->sum);
	add_s(task, "delay_max_start_s", known, row->max_start_ns);
	add_s(task, "delay_max_end_s", known, row->max_end_ns);
}

static void task_kinds(cJSON *task, const struct analysis *a, const struct latency_row *row)
{
	const struct hist *preempt = &row->waits[TRACK_PREEMPT];
	const struct hist *fork = &row->waits[TRACK_FORK];
	bool woken = row->waits[TRACK_WAKEUP].count;

	if (analysis_available(a, ANALYSIS_WAKEUPS))
		add_count(task, "wakeup_waits", row->waits[TRACK_WAKEUP].count);
	else
		cJSON_AddNullToObject(task, "wakeup_waits");
	add_ms(task, "wakeup_mean_ms", woken,
	       latency_mean_ns(row->waits[TRACK_WAKEUP].sum, row->waits[TRACK_WAKEUP].count));
	add_ms(task, "wakeup_p99_ms", woken, hist_percentile(&row->waits[TRACK_WAKEUP], 990));
	add_ms(task, "wakeup_max_ms", woken, row->waits[TRACK_WAKEUP].max);
	add_count(task, "preempt_waits", preempt->count);
	add_ms(task, "preempt_mean_ms", preempt->count,
	       latency_mean_ns(preempt->sum, preempt->count));
	add_ms(task, "preempt_max_ms", preempt->count, preempt->max);
	add_count(task, "fork_waits", fork->count);
	add_ms(task, "fork_mean_ms", fork->count, latency_mean_ns(fork->sum, fork->count));
	add_ms(task, "fork_max_ms", fork->count, fork->max);
}

static cJSON *task_json(const struct analysis *a, const struct latency_row *row)
{
	cJSON *task = cJSON_CreateObject();

	add_text(task, "name", row->name);
	if (a->options.per_thread && row != &a->latency.total)
		cJSON_AddNumberToObject(task, "tid", row->task.tid);
	add_count(task, "threads", row->threads);
	add_text(task, "class", report_class(row->class));
	add_ms(task, "runtime_ms", true, latency_runtime_ns(row));
	add_count(task, "switches", row->switches);
	task_delays(task, row);
	task_kinds(task, a, row);
	if (analysis_available(a, ANALYSIS_MIGRATIONS))
		add_count(task, "migrations", row->migrations);
	else
		cJSON_AddNullToObject(task, "migrations");
	if (a->sees & EVENT_BIT(CGROUP))
		add_ms(task, "throttled_ms", true, row->throttled_ns);
	else
		cJSON_AddNullToObject(task, "throttled_ms");
	add_count(task, "unknown", row->unknown);
	add_count(task, "unreliable", row->unreliable);
	add_count(task, "after_loss", row->after_loss);
	add_count(task, "unfinished", row->unfinished);
	return task;
}

static void add_tasks(cJSON *root, const struct analysis *a)
{
	cJSON *tasks;

	if (!analysis_available(a, ANALYSIS_LATENCY)) {
		cJSON_AddNullToObject(root, "tasks");
		cJSON_AddNullToObject(root, "total");
		return;
	}
	tasks = cJSON_AddArrayToObject(root, "tasks");
	vec_for_each(row, &a->latency.rows)
		cJSON_AddItemToArray(tasks, task_json(a, row));
	cJSON_AddItemToObject(root, "total", task_json(a, &a->latency.total));
}

/* ---- CPUs ---- */

static void add_cpus(cJSON *root, const struct analysis *a)
{
	cJSON *cpus = cJSON_AddArrayToObject(root, "cpus");
	u64 window_ns = analysis_window_ns(a);

	for (u32 i = 0; i < a->threads->nr_cpus; i++) {
		static const struct cpus_row none;
		const struct cpus_row *row = i < a->cpus.rows.nr ? &a->cpus.rows.at[i] : &none;
		u64 known_ns = row->busy_ns + row->idle_ns;
		cJSON *cpu;

		if (!filter_keeps_cpu(&a->options.filter, (s32)i))
			continue;
		cpu = cJSON_CreateObject();
		cJSON_AddItemToArray(cpus, cpu);
		add_count(cpu, "cpu", i);
		add_pct(cpu, "busy_pct", true, row->busy_ns, window_ns);
		add_pct(cpu, "system_pct", analysis_available(a, ANALYSIS_SYSTEM), row->system_ns,
			window_ns);
		add_pct(cpu, "idle_pct", true, row->idle_ns, window_ns);
		add_pct(cpu, "unknown_pct", true, window_ns > known_ns ? window_ns - known_ns : 0,
			window_ns);
		add_count(cpu, "switches", row->switches);
	}
}

static void add_idle_states(cJSON *root, const struct analysis *a)
{
	cJSON *states;

	if (!analysis_available(a, ANALYSIS_IDLE_STATES)) {
		cJSON_AddNullToObject(root, "idle_states");
		return;
	}
	states = cJSON_AddArrayToObject(root, "idle_states");
	for (u32 i = 0; i < IDLE_STATES_MAX; i++) {
		const struct idle_states_row *row = &a->idle_states.rows[i];
		cJSON *state;

		if (!row->ns && !row->entries)
			continue;
		state = cJSON_CreateObject();
		cJSON_AddItemToArray(states, state);
		add_count(state, "state", i);
		add_count(state, "entries", row->entries);
		add_ms(state, "time_ms", true, row->ns);
	}
}

/* null where no part of it is known. */
static void add_energy_part(cJSON *row, const char *joules, const char *unknown,
			    const struct energy_part *part)
{
	if (part->known_ns || !part->unknown_ns)
		cJSON_AddNumberToObject(row, joules, (double)part->pj / 1e12);
	else
		cJSON_AddNullToObject(row, joules);
	add_ms(row, unknown, true, part->unknown_ns);
}

/* Only where the machine names powers. */
static void add_energy(cJSON *root, const struct analysis *a)
{
	const struct energy *energy = &a->energy;
	cJSON *rows;

	if (!energy_known(energy))
		return;
	if (!analysis_available(a, ANALYSIS_ENERGY)) {
		cJSON_AddNullToObject(root, "energy");
		return;
	}
	rows = cJSON_AddArrayToObject(root, "energy");
	for (u32 cpu = 0; cpu < energy->machine->nr_cpus; cpu++) {
		cJSON *row = cJSON_CreateObject();

		add_count(row, "cpu", cpu);
		add_energy_part(row, "busy_j", "busy_unknown_ms", &energy->rows[cpu].busy);
		add_energy_part(row, "idle_j", "idle_unknown_ms", &energy->rows[cpu].idle);
		cJSON_AddItemToArray(rows, row);
	}
}

static void add_idle_events(cJSON *root, const struct analysis *a)
{
	const struct idle_events *found = &a->idle_events;
	cJSON *events;

	if (!analysis_available(a, ANALYSIS_IDLE_EVENTS)) {
		cJSON_AddNullToObject(root, "idle_events");
		return;
	}
	events = cJSON_AddObjectToObject(root, "idle_events");
	for (u32 i = 0; i < IDLE_EVENTS_NR_BINS; i++)
		add_count(events, idle_events_bins[i], found->bins[i]);
	add_ms(events, "longest_ms", found->longest_ns, found->longest_ns);
	add_count(events, "guessed", found->guessed);
	add_count(events, "sched_idle", found->sched_idle);
}

static void add_work_conservation(cJSON *root, const struct analysis *a)
{
	const struct work_conservation *found = &a->work;
	cJSON *work;

	if (!analysis_available(a, ANALYSIS_WORK_CONSERVATION)) {
		cJSON_AddNullToObject(root, "work_conservation");
		return;
	}
	work = cJSON_AddObjectToObject(root, "work_conservation");
	add_ms(work, "wall_ms", true, found->wall_ns);
	add_pct(work, "wall_pct", true, found->wall_ns, analysis_window_ns(a));
	add_ms(work, "per_cpu_ms", true, found->per_cpu_ns);
	add_ms(work, "per_thread_ms", true, found->per_thread_ns);
	add_ms(work, "longest_stretch_ms", found->longest_ns, found->longest_ns);
	add_s(work, "longest_stretch_end_s", found->longest_ns, found->longest_end_ns);
	add_ms(work, "doubtful_ms", true, found->doubtful_ns);
	add_count(work, "left_out", found->left_out);
}

/* ---- waits ---- */

static cJSON *who_json(const char *name, struct event_task task)
{
	cJSON *who;

	if (task.tid == EVENT_NOBODY)
		return cJSON_CreateNull();
	who = cJSON_CreateObject();
	add_text(who, "name", event_is_idle(task) ? "idle" : name);
	cJSON_AddNumberToObject(who, "tid", task.tid);
	return who;
}

static cJSON *wait_json(const struct worst_wait *wait)
{
	static const char *const kinds[TRACK_NR_KINDS] = { "wakeup", "preempt", "fork" };
	static const char *const trusts[] = { "exact", "after_loss", "unreliable", "unfinished" };
	cJSON *object = cJSON_CreateObject(), *antagonists;

	add_text(object, "name", wait->name);
	cJSON_AddNumberToObject(object, "tid", wait->task.tid);
	add_ms(object, "delay_ms", true, wait->end_ns - wait->start_ns);
	add_s(object, "start_s", true, wait->start_ns);
	add_s(object, "end_s", true, wait->end_ns);
	cJSON_AddNumberToObject(object, "cpu", wait->cpu);
	cJSON_AddStringToObject(object, "kind", kinds[wait->kind]);
	cJSON_AddStringToObject(object, "trust", trusts[wait->trust]);
	if (wait->trust == TRACK_UNRELIABLE) {
		cJSON_AddStringToObject(object, "why", track_doubt_text(wait->doubt));
		return object;
	}
	cJSON_AddItemToObject(object, "waker", who_json(wait->waker_name, wait->waker));
	add_count(object, "migrations", wait->migrations);
	antagonists = cJSON_AddArrayToObject(object, "antagonists");
	for (u32 i = 0; i < wait->nr_antagonists; i++) {
		const struct worst_antagonist *one = &wait->antagonists[i];
		cJSON *who = who_json(one->name, (struct event_task){ one->tid, 0 });

		add_ms(who, "ran_ms", true, one->ns);
		cJSON_AddItemToArray(antagonists, who);
	}
	add_ms(object, "others_ms", true, wait->others_ns);
	add_ms(object, "idle_ms", true, wait->idle_ns);
	add_ms(object, "unknown_ms", true, wait->unseen_ns);
	return object;
}

static void add_waits(cJSON *root, const char *name, const struct worst_list *list)
{
	cJSON *waits = cJSON_AddArrayToObject(root, name);

	for (u32 i = 0; i < list->nr; i++)
		cJSON_AddItemToArray(waits, wait_json(&list->at[i]));
}

static void add_compat(cJSON *root, const struct analysis *a)
{
	cJSON *rows = cJSON_AddArrayToObject(root, "perf_compat");

	vec_for_each(row, &a->perf_compat.rows) {
		cJSON *object = cJSON_CreateObject();

		add_text(object, "name", row->name);
		if (row->merged == 1)
			cJSON_AddNumberToObject(object, "tid", row->task.tid);
		add_count(object, "threads", row->merged);
		add_ms(object, "runtime_ms", true, row->runtime_ns);
		add_count(object, "count", row->nr);
		add_ms(object, "avg_ms", true, perf_compat_mean_ns(row));
		add_ms(object, "max_ms", true, row->max_ns);
		cJSON_AddItemToArray(rows, object);
	}
}

/* ---- what the workload marked ---- */

static void add_marks(cJSON *root, const struct analysis *a)
{
	cJSON *marks = cJSON_AddArrayToObject(root, "marks");

	vec_for_each(row, &a->marks.rows) {
		const struct hist *took = &row->took;
		cJSON *object = cJSON_CreateObject();
		bool known = took->count;

		add_text(object, "name", row->name);
		cJSON_AddStringToObject(object, "kind", marks_what(row->what));
		add_count(object, "done", took->count);
		add_count(object, "unmatched", row->unmatched);
		add_ms(object, "latency_mean_ms", known, latency_mean_ns(took->sum, took->count));
		add_ms(object, "latency_p50_ms", known, hist_percentile(took, 500));
		add_ms(object, "latency_p99_ms", known, hist_percentile(took, 990));
		add_ms(object, "latency_max_ms", known, took->max);
		cJSON_AddItemToArray(marks, object);
	}
}

/* ---- the stream ---- */

static void add_stream(cJSON *root, const struct analysis *a)
{
	cJSON *stream = cJSON_AddObjectToObject(root, "stream");
	char hash[17];

	snprintf(hash, sizeof(hash), "%016llx", a->hash.hash);
	add_count(stream, "events", a->hash.events);
	cJSON_AddStringToObject(stream, "hash", hash);
	add_text(stream, "clock", a->header.clock[0] ? a->header.clock : NULL);
	add_text(stream, "kernel", a->header.release[0] ? a->header.release : NULL);
	add_s(stream, "origin_s", true, a->header.origin_ns);
}

static void add_losses(cJSON *root, const struct analysis *a)
{
	const struct event_quality *q = &a->quality;
	cJSON *losses = cJSON_AddObjectToObject(root, "losses");

	add_count(losses, "events", q->lost_events);
	add_count(losses, "inversions", q->inversions);
	add_count(losses, "mismatches", report_mismatches(a));
	add_count(losses, "gaps", q->lost_unknown);
	add_ms(losses, "inversion_max_ms", q->inversions, q->inversion_max_ns);
	add_count(losses, "late", q->late);
	add_count(losses, "unparsed", q->unparsed);
	cJSON_AddBoolToObject(losses, "truncated", q->truncated);
	add_text(losses, "note", q->note[0] ? q->note : NULL);
}

static void add_wakeups(cJSON *root, const struct analysis *a)
{
	const struct track_stats *stats = &a->threads->stats;
	cJSON *wakeups;

	if (!analysis_available(a, ANALYSIS_WAKEUPS)) {
		cJSON_AddNullToObject(root, "wakeups");
		return;
	}
	wakeups = cJSON_AddObjectToObject(root, "wakeups");
	add_count(wakeups, "from_waking", stats->by_waking);
	add_count(wakeups, "from_wakeup", stats->by_wakeup);
	add_count(wakeups, "early_wakings", stats->early_wakings);
	add_count(wakeups, "unknown", stats->unknown);
	add_count(wakeups, "unreliable", report_unreliable(a));
	add_count(wakeups, "after_loss", stats->after_loss);
	add_count(wakeups, "unfinished", stats->unfinished);
}

static void add_settings(cJSON *root, const struct report *report)
{
	cJSON *settings = cJSON_AddObjectToObject(root, "settings");

	for (u32 i = 0; i < report->nr_settings; i++)
		add_text(settings, report->settings[i].name, report->settings[i].value);
}

void report_json(const struct report *report, FILE *to)
{
	const struct analysis *a = report->analysis;
	cJSON *root = cJSON_CreateObject();

	add_text(root, "source", a->header.source);
	add_text(root, "input", report->input);
	add_settings(root, report);
	add_s(root, "window_s", true, analysis_window_ns(a));
	add_tasks(root, a);
	add_cpus(root, a);
	add_idle_states(root, a);
	add_energy(root, a);
	add_idle_events(root, a);
	add_work_conservation(root, a);
	if (analysis_available(a, ANALYSIS_MARKS))
		add_marks(root, a);
	else
		cJSON_AddNullToObject(root, "marks");
	if (a->options.worst)
		add_waits(root, "worst", &a->worst.longest);
	add_waits(root, "unreliable", &a->worst.doubtful);
	add_text(root, "runtime_from",
		 a->latency.charged && a->latency.by_switches ? "both"
		 : a->latency.charged                         ? "sched_stat_runtime"
							      : "switches");
	if (a->options.perf_compat)
		add_compat(root, a);
	add_stream(root, a);
	add_losses(root, a);
	add_wakeups(root, a);
	document_print(root, to);
}
