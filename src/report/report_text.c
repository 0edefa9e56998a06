/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/report.h"

#include "report/escape.h"
#include "report/table.h"

struct text {
	const struct report *report;
	const struct analysis *a;
	FILE *to;
	const char *bold, *warn, *plain;
};

static double ms(u64 ns)
{
	return (double)ns / 1e6;
}

static double pct(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* On the source's clock, as its other tools print it. */
static double at_s(const struct text *t, u64 ns)
{
	return (double)(t->a->header.origin_ns + ns) / 1e9;
}

static void section(const struct text *t, const char *title)
{
	fprintf(t->to, "\n%s%s%s\n", t->bold, title, t->plain);
}

static void not_available(const struct text *t, enum analysis_id id)
{
	fprintf(t->to, "not available: this trace has no %s\n", analysis_missing(t->a, id));
}

/* ---- the head ---- */

static void head_source(const struct text *t)
{
	const struct event_header *header = &t->a->header;
	char name[ESCAPE_ROOM];

	escape_text(t->report->input, name, sizeof(name));
	fprintf(t->to, "Source      %s, %s", name, header->source);
	if (header->release[0]) {
		escape_text(header->release, name, sizeof(name));
		fprintf(t->to, ", kernel %s", name);
	}
	fprintf(t->to, ", clock %s\n", header->clock[0] ? header->clock : "not known");
	for (u32 i = 0; i < t->report->nr_settings; i++) {
		escape_text(t->report->settings[i].value, name, sizeof(name));
		fprintf(t->to, "%s%s=%s", i ? " " : "Settings    ", t->report->settings[i].name,
			name);
	}
	if (t->report->nr_settings)
		fputc('\n', t->to);
}

static void head_window(const struct text *t)
{
	const struct filter *filter = &t->a->options.filter;
	u64 from = filter->from_ns > t->a->first_ns ? filter->from_ns : t->a->first_ns;
	u64 to = filter->to_ns < t->a->last_ns ? filter->to_ns : t->a->last_ns;
	u32 seen = 0;

	for (u32 i = 0; i < t->a->threads->nr_cpus; i++)
		seen += t->a->threads->cpus[i].seen;
	fprintf(t->to, "Window      %.6f s, from %.6f to %.6f\n",
		(double)analysis_window_ns(t->a) / 1e9, at_s(t, from), at_s(t, to));
	fprintf(t->to, "CPUs        %u, events from %u\n", t->a->threads->nr_cpus, seen);
	fprintf(t->to, "Events      %llu, hash %016llx\n", t->a->hash.events, t->a->hash.hash);
}

static void head_quality(const struct text *t)
{
	const struct event_quality *q = &t->a->quality;
	u64 mismatches = report_mismatches(t->a);
	char note[ESCAPE_ROOM];
	bool bad = q->lost_events || q->lost_unknown || q->inversions || mismatches ||
		   q->unparsed || q->truncated;

	fprintf(t->to,
		"Losses      %s%llu events lost, %llu gaps of unknown size, %llu not understood%s%s\n",
		bad ? t->warn : "", q->lost_events, q->lost_unknown, q->unparsed,
		q->truncated ? ", the file ends early" : "", bad ? t->plain : "");
	fprintf(t->to, "Order       %llu inversions", q->inversions);
	if (q->inversions)
		fprintf(t->to, " (up to %.3f ms, %llu beyond the window)", ms(q->inversion_max_ns),
			q->late);
	fprintf(t->to, ", %llu mismatched switches\n", mismatches);
	if (q->note[0]) {
		escape_text(q->note, note, sizeof(note));
		fprintf(t->to, "Note        %s\n", note);
	}
}

static void head_wakeups(const struct text *t)
{
	const struct track_stats *stats = &t->a->threads->stats;
	const struct latency *latency = &t->a->latency;

	fputs("Wakeups     ", t->to);
	if (analysis_available(t->a, ANALYSIS_WAKEUPS))
		fprintf(t->to, "%llu from sched_waking, %llu from sched_wakeup", stats->by_waking,
			stats->by_wakeup);
	else
		fprintf(t->to, "not available: this trace has no %s",
			analysis_missing(t->a, ANALYSIS_WAKEUPS));
	if (stats->early_wakings)
		fprintf(t->to, "; %llu wakings of running threads not used", stats->early_wakings);
	fprintf(t->to, "\nRuntime     from %s\n",
		latency->charged && latency->by_switches
			? "sched_stat_runtime, and from switches for threads without it"
		: latency->charged ? "sched_stat_runtime"
				   : "switches");
}

static void head_doubts(const struct text *t)
{
	const struct track_stats *stats = &t->a->threads->stats;

	fprintf(t->to,
		"Not counted %llu waits unreliable, %llu across a loss, %llu unfinished; "
		"%llu switch-ins without a known wakeup\n",
		report_unreliable(t->a), stats->after_loss, stats->unfinished, stats->unknown);
	for (u32 i = 1; i < TRACK_NR_DOUBTS; i++)
		if (stats->unreliable[i])
			fprintf(t->to, "            %llu: %s\n", stats->unreliable[i],
				track_doubt_text(i));
	if (stats->no_cpu)
		fprintf(t->to, "            %llu events name no CPU, or one no kernel has\n",
			stats->no_cpu);
}

/* ---- tasks ---- */

static const char *const task_heads[] = {
	"Task",        "Class",      "Runtime ms", "Switches",     "Waits",      "Mean ms",
	"p50 ms",      "p90 ms",     "p99 ms",     "Max ms",       "Max at s",   "Sum ms",
	"Wakeup mean", "Wakeup p99", "Preempts",   "Preempt mean", "Migrations",
};

static void cell_ms(struct table *table, bool known, u64 ns)
{
	if (known)
		table_cell(table, "%.3f", ms(ns));
	else
		table_cell(table, "-");
}

static void task_name(struct table *table, const struct text *t, const struct latency_row *row)
{
	char name[ESCAPE_ROOM];

	escape_text(row->name, name, sizeof(name));
	if (t->a->options.per_thread && row != &t->a->latency.total)
		table_cell(table, "%s:%d", name, row->task.tid);
	else
		table_cell(table, "%s (%u)", name, row->threads);
}

static void task_row(struct table *table, const struct text *t, const struct latency_row *row)
{
	static const u32 per_mille[] = { 500, 900, 990 };
	const struct hist *preempt = &row->waits[TRACK_PREEMPT];
	const struct hist *delay = &row->delay;
	const char *class = report_class(row->class);

	task_name(table, t, row);
	table_cell(table, "%s", class ? class : "-");
	table_cell(table, "%.3f", ms(latency_runtime_ns(row)));
	table_cell(table, "%llu", row->switches);
	table_cell(table, "%llu", delay->count);
	cell_ms(table, delay->count, latency_mean_ns(delay->sum, delay->count));
	for (u32 i = 0; i < 3; i++)
		cell_ms(table, delay->count, hist_percentile(delay, per_mille[i]));
	cell_ms(table, delay->count, delay->max);
	if (delay->count)
		table_cell(table, "%.6f", at_s(t, row->max_end_ns));
	else
		table_cell(table, "-");
	cell_ms(table, delay->count, delay->sum);
	cell_ms(table, row->waits[TRACK_WAKEUP].count,
		latency_mean_ns(row->waits[TRACK_WAKEUP].sum, row->waits[TRACK_WAKEUP].count));
	cell_ms(table, row->waits[TRACK_WAKEUP].count,
		hist_percentile(&row->waits[TRACK_WAKEUP], 990));
	table_cell(table, "%llu", preempt->count);
	cell_ms(table, preempt->count, latency_mean_ns(preempt->sum, preempt->count));
	if (analysis_available(t->a, ANALYSIS_MIGRATIONS))
		table_cell(table, "%llu", row->migrations);
	else
		table_cell(table, "n/a");
}

/* Only where it happened: most workloads have no cpu.max. */
static void throttled(const struct text *t, size_t shown)
{
	const struct latency *latency = &t->a->latency;
	char name[ESCAPE_ROOM];

	if (!latency->total.throttled_ns)
		return;
	fprintf(t->to, "Throttled by cpu.max, which is no waiting: %.3f ms",
		ms(latency->total.throttled_ns));
	for (size_t i = 0; i < shown; i++) {
		if (!latency->rows.at[i].throttled_ns)
			continue;
		escape_text(latency->rows.at[i].name, name, sizeof(name));
		fprintf(t->to, ", %s %.3f", name, ms(latency->rows.at[i].throttled_ns));
	}
	fputs("\n", t->to);
}

static void tasks(const struct text *t)
{
	struct table table = { .columns = ARRAY_SIZE(task_heads) };
	size_t nr = t->a->latency.rows.nr, shown = nr;

	section(t, "Waiting for a CPU, per task");
	if (!analysis_available(t->a, ANALYSIS_LATENCY)) {
		not_available(t, ANALYSIS_LATENCY);
		return;
	}
	if (t->report->top && shown > t->report->top)
		shown = t->report->top;
	for (u32 i = 0; i < table.columns; i++)
		table_cell(&table, "%s", task_heads[i]);
	for (size_t i = 0; i < shown; i++)
		task_row(&table, t, &t->a->latency.rows.at[i]);
	task_row(&table, t, &t->a->latency.total);
	table_print(&table, t->to, t->bold, t->plain);
	table_fini(&table);
	throttled(t, shown);
	if (shown < nr)
		fprintf(t->to, "%zu more tasks wait less: --top 0 shows all.\n", nr - shown);
	if (!analysis_available(t->a, ANALYSIS_MIGRATIONS)) {
		fputs("Migrations ", t->to);
		not_available(t, ANALYSIS_MIGRATIONS);
	}
}

/* ---- CPUs ---- */

static void cpu_row(struct table *table, const struct text *t, const char *name,
		    const struct cpus_row *row, u64 whole_ns)
{
	u64 known_ns = row->busy_ns + row->idle_ns;

	table_cell(table, "%s", name);
	table_cell(table, "%.2f", pct(row->busy_ns, whole_ns));
	if (analysis_available(t->a, ANALYSIS_SYSTEM))
		table_cell(table, "%.3f", pct(row->system_ns, whole_ns));
	else
		table_cell(table, "n/a");
	table_cell(table, "%.2f", pct(row->idle_ns, whole_ns));
	table_cell(table, "%.2f", pct(whole_ns > known_ns ? whole_ns - known_ns : 0, whole_ns));
	table_cell(table, "%llu", row->switches);
}

static void cpus(const struct text *t)
{
	static const char *const heads[] = { "CPU",    "Busy %",      "System %",
					     "Idle %", "Not known %", "Switches" };
	struct table table = { .columns = ARRAY_SIZE(heads) };
	u64 window_ns = analysis_window_ns(t->a);
	struct cpus_row all = { 0 };
	u32 nr = 0;
	char name[16];

	section(t, "CPUs");
	for (u32 i = 0; i < table.columns; i++)
		table_cell(&table, "%s", heads[i]);
	for (u32 cpu = 0; cpu < t->a->threads->nr_cpus; cpu++) {
		static const struct cpus_row none;
		const struct cpus_row *row =
			cpu < t->a->cpus.rows.nr ? &t->a->cpus.rows.at[cpu] : &none;

		if (!filter_keeps_cpu(&t->a->options.filter, (s32)cpu))
			continue;
		snprintf(name, sizeof(name), "%u", cpu);
		cpu_row(&table, t, name, row, window_ns);
		all.busy_ns += row->busy_ns;
		all.idle_ns += row->idle_ns;
		all.system_ns += row->system_ns;
		all.switches += row->switches;
		nr++;
	}
	cpu_row(&table, t, "all", &all, window_ns * nr);
	table_print(&table, t->to, t->bold, t->plain);
	table_fini(&table);
	if (!analysis_available(t->a, ANALYSIS_SYSTEM)) {
		fputs("System time ", t->to);
		not_available(t, ANALYSIS_SYSTEM);
	}
}

static void idle_state_row(struct table *table, u32 state, const struct idle_states_row *row,
			   u64 all_ns)
{
	table_cell(table, "%u", state);
	table_cell(table, "%llu", row->entries);
	table_cell(table, "%.3f", ms(row->ns));
	table_cell(table, "%.2f", pct(row->ns, all_ns));
}

/* One state that all idle CPUs are in says nothing: then it is left out. */
static void idle_states(const struct text *t)
{
	static const char *const heads[] = { "State", "Entries", "Time ms", "% of idle time" };
	struct table table = { .columns = ARRAY_SIZE(heads) };
	const struct idle_states_row *rows = t->a->idle_states.rows;
	u64 all_ns = 0;
	u32 used = 0;

	for (u32 i = 0; i < IDLE_STATES_MAX; i++) {
		all_ns += rows[i].ns;
		used += !!rows[i].ns;
	}
	if (used < 2)
		return;
	section(t, "Idle states");
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(&table, "%s", heads[i]);
	for (u32 i = 0; i < IDLE_STATES_MAX; i++)
		if (rows[i].ns)
			idle_state_row(&table, i, &rows[i], all_ns);
	table_print(&table, t->to, t->bold, t->plain);
	table_fini(&table);
}

static void counts(const struct text *t)
{
	static const struct {
		u32 kind;
		const char *name;
	} shown[] = {
		{ EVENT_SWITCH, "switches" },    { EVENT_WAKING, "wakings" },
		{ EVENT_WAKEUP, "wakeups" },     { EVENT_WAKEUP_NEW, "new threads" },
		{ EVENT_MIGRATE, "migrations" }, { EVENT_EXIT, "exits" },
	};

	section(t, "Counts");
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		fprintf(t->to, "%s%s ", i ? ", " : "", shown[i].name);
		if (t->a->sees >> shown[i].kind & 1)
			fprintf(t->to, "%llu", t->a->counts.in_window[shown[i].kind]);
		else
			fputs("not available", t->to);
	}
	fprintf(t->to, "; %llu threads ran elsewhere than they were queued\n",
		t->a->threads->stats.implicit_migrations);
}

static void work_conservation(const struct text *t)
{
	const struct work_conservation *work = &t->a->work;

	fprintf(t->to,
		"CPUs idled while threads waited for others: %.3f ms, %.3f %% of the time; "
		"%.3f ms per CPU, %.3f ms per thread\n",
		ms(work->wall_ns), pct(work->wall_ns, analysis_window_ns(t->a)),
		ms(work->per_cpu_ns), ms(work->per_thread_ns));
	if (work->longest_ns)
		fprintf(t->to, "the longest stretch %.3f ms, until %.6f s\n", ms(work->longest_ns),
			at_s(t, work->longest_end_ns));
	if (work->doubtful_ns)
		fprintf(t->to, "up to %.3f ms of it rests on waits that proved unreliable\n",
			ms(work->doubtful_ns));
	if (work->left_out)
		fprintf(t->to, "%llu waits left out: too many different sets of CPUs\n",
			work->left_out);
	fputs("As the published tables count them, by length: ", t->to);
}

static void energy_part(const struct text *t, const char *whose, const struct energy_part *part)
{
	fputs(whose, t->to);
	if (part->known_ns || !part->unknown_ns)
		fprintf(t->to, "%.6f J%s", (double)part->pj / 1e12,
			part->unknown_ns ? " and " : "");
	if (part->unknown_ns)
		fprintf(t->to, "unknown for %.3f ms", ms(part->unknown_ns));
}

static void energy(const struct text *t)
{
	const struct energy *energy = &t->a->energy;
	struct energy_part busy = { 0 }, idle = { 0 };

	if (!energy_known(energy))
		return;
	section(t, "Energy");
	if (!analysis_available(t->a, ANALYSIS_ENERGY)) {
		not_available(t, ANALYSIS_ENERGY);
		return;
	}
	for (u32 cpu = 0; cpu < energy->machine->nr_cpus; cpu++) {
		energy_add(&busy, &energy->rows[cpu].busy);
		energy_add(&idle, &energy->rows[cpu].idle);
	}
	if (!busy.unknown_ns && !idle.unknown_ns)
		fprintf(t->to, "%.6f J: ", (double)(busy.pj + idle.pj) / 1e12);
	energy_part(t, "busy CPUs ", &busy);
	energy_part(t, ", idle ones ", &idle);
	fputc('\n', t->to);
}

static void idle_events(const struct text *t)
{
	const struct idle_events *events = &t->a->idle_events;
	char name[ESCAPE_ROOM];

	section(t, "Idle while work waits");
	if (!analysis_available(t->a, ANALYSIS_IDLE_EVENTS)) {
		not_available(t, ANALYSIS_IDLE_EVENTS);
		return;
	}
	work_conservation(t);
	for (u32 i = 0; i < IDLE_EVENTS_NR_BINS; i++)
		fprintf(t->to, "%s%s: %llu", i ? ", " : "", idle_events_bins[i], events->bins[i]);
	fputc('\n', t->to);
	if (events->longest_ns) {
		escape_text(events->longest_name == TRACK_NO_NAME
				    ? ""
				    : names_text(&t->a->threads->names, events->longest_name),
			    name, sizeof(name));
		fprintf(t->to, "the longest %.3f ms, CPU %d until %.6f s, while %s:%d waited\n",
			ms(events->longest_ns), events->longest_cpu,
			at_s(t, events->longest_end_ns), name, events->longest_tid);
	}
	if (events->guessed)
		fprintf(t->to,
			"%llu of them by guess: this trace does not tell where threads may "
			"run\n",
			events->guessed);
	if (events->sched_idle)
		fprintf(t->to, "%llu more while only SCHED_IDLE threads waited\n",
			events->sched_idle);
	if (!(t->a->sees & EVENT_BIT(CGROUP)))
		fputs("limits of cgroups not known: this trace has no cgroup events\n", t->to);
}

/* ---- what the workload marked ---- */

static void mark_row(struct table *table, const struct marks_row *row)
{
	char name[ESCAPE_ROOM];

	escape_text(row->name, name, sizeof(name));
	table_cell(table, "%s %s", marks_what(row->what), name);
	table_cell(table, "%llu", row->took.count);
	cell_ms(table, row->took.count, latency_mean_ns(row->took.sum, row->took.count));
	cell_ms(table, row->took.count, hist_percentile(&row->took, 500));
	cell_ms(table, row->took.count, hist_percentile(&row->took, 990));
	cell_ms(table, row->took.count, row->took.max);
}

static void marks(const struct text *t)
{
	static const char *const heads[] = { "Marked", "Ended",  "Mean ms",
					     "p50 ms", "p99 ms", "Max ms" };
	struct table table = { .columns = ARRAY_SIZE(heads) };

	if (!t->a->marks.rows.nr)
		return;
	section(t, "From begin to end");
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(&table, "%s", heads[i]);
	vec_for_each(row, &t->a->marks.rows)
		mark_row(&table, row);
	table_print(&table, t->to, t->bold, t->plain);
	table_fini(&table);
}

/* ---- the longest waits ---- */

static const char *const kind_texts[TRACK_NR_KINDS] = { "woken", "preempted", "new" };

static void print_task(const struct text *t, const char *name, struct event_task task)
{
	char escaped[ESCAPE_ROOM];

	if (task.tid == EVENT_NOBODY) {
		fputs("not known", t->to);
	} else if (event_is_idle(task)) {
		fprintf(t->to, "idle CPU %u", task.gen);
	} else {
		escape_text(name, escaped, sizeof(escaped));
		fprintf(t->to, "%s:%d", escaped, task.tid);
	}
}

static void worst_one(const struct text *t, const struct worst_wait *wait)
{
	fprintf(t->to, "%10.3f ms  ", ms(wait->end_ns - wait->start_ns));
	print_task(t, wait->name, wait->task);
	fprintf(t->to, "  from %.6f to %.6f s on CPU %d, %s by ", at_s(t, wait->start_ns),
		at_s(t, wait->end_ns), wait->cpu, kind_texts[wait->kind]);
	print_task(t, wait->waker_name, wait->waker);
	if (wait->migrations)
		fprintf(t->to, ", %u migrations", wait->migrations);
	if (wait->trust == TRACK_UNFINISHED)
		fputs(", unfinished", t->to);
	if (wait->trust == TRACK_AFTER_LOSS)
		fputs(", across a loss", t->to);
	fputc('\n', t->to);
}

static void worst_antagonists(const struct text *t, const struct worst_wait *wait)
{
	for (u32 i = 0; i < wait->nr_antagonists; i++) {
		const struct worst_antagonist *who = &wait->antagonists[i];

		fprintf(t->to, "%s%.3f ms ", i ? ", " : "               ran: ", ms(who->ns));
		print_task(t, who->name, (struct event_task){ who->tid, 0 });
	}
	if (wait->others_ns)
		fprintf(t->to, ", %.3f ms others", ms(wait->others_ns));
	if (wait->nr_antagonists)
		fputc('\n', t->to);
	if (wait->idle_ns)
		fprintf(t->to, "               its CPU idle: %.3f ms\n", ms(wait->idle_ns));
	if (wait->unseen_ns)
		fprintf(t->to, "               not known who ran: %.3f ms\n", ms(wait->unseen_ns));
}

static void worst(const struct text *t)
{
	const struct worst *found = &t->a->worst;

	if (t->a->options.worst) {
		section(t, "The longest waits");
		for (u32 i = 0; i < found->longest.nr; i++) {
			worst_one(t, &found->longest.at[i]);
			worst_antagonists(t, &found->longest.at[i]);
		}
		if (!found->longest.nr)
			fputs("none\n", t->to);
	}
	if (!found->doubtful.nr)
		return;
	section(t, "Unreliable waits, counted nowhere");
	for (u32 i = 0; i < found->doubtful.nr; i++) {
		worst_one(t, &found->doubtful.at[i]);
		fprintf(t->to, "               %s\n",
			track_doubt_text(found->doubtful.at[i].doubt));
	}
}

/* ---- perf's own table, column by column as perf 6.1 prints it ---- */

static void compat_row(const struct text *t, const struct perf_compat_row *row)
{
	u64 start_us = (row->max_known ? t->a->header.origin_ns + row->max_start_ns : 0) / 1000;
	u64 end_us = (row->max_known ? t->a->header.origin_ns + row->max_end_ns : 0) / 1000;
	char name[ESCAPE_ROOM], label[ESCAPE_ROOM + 32], start[32], end[32];

	escape_text(row->name, name, sizeof(name));
	if (row->merged > 1)
		snprintf(label, sizeof(label), "  %s:(%u) ", name, row->merged);
	else
		snprintf(label, sizeof(label), "  %s:%d ", name, row->task.tid);
	snprintf(start, sizeof(start), "%llu.%06llu", start_us / 1000000, start_us % 1000000);
	snprintf(end, sizeof(end), "%llu.%06llu", end_us / 1000000, end_us % 1000000);
	fprintf(t->to,
		"%-24s|%11.3f ms |%9llu | avg:%8.3f ms | max:%8.3f ms | max start: %12s s | "
		"max end: %12s s\n",
		label, ms(row->runtime_ns), row->nr, ms(perf_compat_mean_ns(row)), ms(row->max_ns),
		start, end);
}

static void compat(const struct text *t)
{
	static const char rule[] =
		" ---------------------------------------------------------------"
		"----------------------------------------------------------------"
		"--------------------\n";
	const struct perf_compat *found = &t->a->perf_compat;

	section(t,
		"As perf sched latency 6.1 counts (fairground(1) says where and why it differs)");
	fputs(rule, t->to);
	fputs("  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    "
	      "| Max delay start           | Max delay end          |\n",
	      t->to);
	fputs(rule, t->to);
	vec_for_each(row, &found->rows)
		compat_row(t, row);
	fputs(rule, t->to);
	fprintf(t->to, "  TOTAL:                |%11.3f ms |%9llu |\n", ms(found->total_runtime_ns),
		found->total_nr);
}

void report_text(const struct report *report, FILE *to)
{
	const struct text t = {
		.report = report,
		.a = report->analysis,
		.to = to,
		.bold = report->colour ? "\033[1m" : "",
		.warn = report->colour ? "\033[33m" : "",
		.plain = report->colour ? "\033[0m" : "",
	};

	head_source(&t);
	head_window(&t);
	head_quality(&t);
	head_wakeups(&t);
	head_doubts(&t);
	if (t.a->options.perf_compat)
		compat(&t);
	tasks(&t);
	cpus(&t);
	idle_states(&t);
	counts(&t);
	energy(&t);
	idle_events(&t);
	marks(&t);
	worst(&t);
}
