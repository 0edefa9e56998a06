/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "events/fields.h"

const struct analysis_info analysis_infos[ANALYSIS_NR] = {
#define ANALYSIS(id, name, what, needs, any) { name, what, needs, any },
#include "analysis/analyses.def"
};

/* ---- who is told what ---- */

static void on_switch(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	(void)thread;
	cpus_switch(&analysis->cpus, event);
	if (analysis->energy.rows)
		energy_event(&analysis->energy, event);
	if (analysis->options.perf_compat)
		perf_compat_switch(&analysis->perf_compat, event);
}

static void on_wakeup(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	(void)thread;
	if (analysis->options.perf_compat)
		perf_compat_wakeup(&analysis->perf_compat, event);
}

static void on_system(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	(void)thread;
	cpus_system(&analysis->cpus, event);
}

static void on_idle_state(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	(void)thread;
	idle_states_event(&analysis->idle_states, event);
	if (analysis->energy.rows)
		energy_event(&analysis->energy, event);
}

static void on_freq(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	(void)thread;
	if (analysis->energy.rows)
		energy_event(&analysis->energy, event);
}

static void on_lost(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	(void)thread;
	idle_states_forget(&analysis->idle_states, event->cpu);
}

static void on_online(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	(void)thread;
	if (!event->cpu_.online)
		idle_states_forget(&analysis->idle_states, event->cpu);
	work_conservation_online(&analysis->work, event);
}

static void on_cgroup(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	work_conservation_cgroup(&analysis->work, event, thread);
}

static void on_attr(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	work_conservation_attr(&analysis->work, event, thread);
}

static void on_mark(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	marks_event(&analysis->marks, event, thread);
}

static bool keeps(const struct analysis *analysis, const struct track_thread *thread, u64 end_ns,
		  s32 cpu)
{
	return filter_keeps(&analysis->options.filter, analysis->threads, thread, end_ns, cpu);
}

static void on_migrate(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	if (thread && keeps(analysis, thread, event->time_ns, event->cpu))
		latency_migrated(&analysis->latency, thread);
}

static void on_runtime(void *self, const struct event *event, struct track_thread *thread)
{
	struct analysis *analysis = self;

	if (analysis->options.perf_compat)
		perf_compat_runtime(&analysis->perf_compat, event);
	if (thread && keeps(analysis, thread, event->time_ns, event->cpu))
		latency_charged(&analysis->latency, thread, event->runtime.runtime_ns);
}

static void on_wait(void *self, const struct track_wait *wait)
{
	struct analysis *analysis = self;

	idle_events_wait(&analysis->idle_events, wait);
	work_conservation_wait(&analysis->work, wait);
	if (!keeps(analysis, wait->thread, wait->end_ns, wait->cpu))
		return;
	latency_wait(&analysis->latency, wait);
	worst_wait(&analysis->worst, wait);
}

static void on_run(void *self, const struct track_run *run)
{
	struct analysis *analysis = self;

	cpus_run(&analysis->cpus, run);
	worst_run(&analysis->worst, run);
	if (analysis->on_run)
		analysis->on_run(analysis->on_self, run);
	if (keeps(analysis, run->thread, run->end_ns, run->cpu))
		latency_run(&analysis->latency, run);
}

static void on_sleep(void *self, const struct track_sleep *sleep)
{
	struct analysis *analysis = self;

	if (analysis->on_sleep)
		analysis->on_sleep(analysis->on_self, sleep);
}

static void on_idle(void *self, const struct track_idle *idle)
{
	struct analysis *analysis = self;

	cpus_idle(&analysis->cpus, idle);
	idle_events_idle(&analysis->idle_events, idle);
	worst_idle(&analysis->worst, idle);
}

static void on_ready(void *self, struct track_thread *thread)
{
	struct analysis *analysis = self;

	work_conservation_ready(&analysis->work, thread);
}

static void on_moved(void *self, struct track_thread *thread, s32 from)
{
	struct analysis *analysis = self;

	work_conservation_moved(&analysis->work, thread, from);
}

static void on_cpu(void *self, s32 cpu)
{
	struct analysis *analysis = self;

	work_conservation_cpu(&analysis->work, cpu);
}

static void on_unknown(void *self, struct track_thread *thread, u64 time_ns, s32 cpu)
{
	struct analysis *analysis = self;

	if (keeps(analysis, thread, time_ns, cpu))
		latency_unknown(&analysis->latency, thread);
}

static void on_gone(void *self, struct track_thread *thread)
{
	struct analysis *analysis = self;

	work_conservation_gone(&analysis->work, thread);
	if (analysis->options.perf_compat)
		perf_compat_gone(&analysis->perf_compat, thread);
}

static const struct track_ops ops = {
	.on_event = { [EVENT_SWITCH] = on_switch,
		      [EVENT_WAKEUP] = on_wakeup,
		      [EVENT_WAKEUP_NEW] = on_wakeup,
		      [EVENT_MIGRATE] = on_migrate,
		      [EVENT_RUNTIME] = on_runtime,
		      [EVENT_IDLE] = on_idle_state,
		      [EVENT_FREQ] = on_freq,
		      [EVENT_LOST] = on_lost,
		      [EVENT_ATTR] = on_attr,
		      [EVENT_CGROUP] = on_cgroup,
		      [EVENT_CPU] = on_online,
		      [EVENT_IRQ] = on_system,
		      [EVENT_COST] = on_system,
		      [EVENT_MARK] = on_mark },
	.on_wait = on_wait,
	.on_run = on_run,
	.on_sleep = on_sleep,
	.on_idle = on_idle,
	.on_ready = on_ready,
	.on_moved = on_moved,
	.on_cpu = on_cpu,
	.on_unknown = on_unknown,
	.on_gone = on_gone,
};

struct analysis *analysis_new(const struct analysis_options *options)
{
	struct analysis *analysis = NEW(struct analysis);
	const struct filter *filter = &analysis->options.filter;

	analysis->options = *options;
	analysis->threads = track_new(&ops, analysis);
	analysis->threads->throttling_unseen = options->throttling_unseen;
	analysis->counts.filter = filter;
	analysis->idle_states.filter = filter;
	analysis->hash_sink = events_hash_sink(&analysis->hash);
	analysis->cpus.filter = filter;
	analysis->latency.threads = analysis->threads;
	analysis->latency.per_thread = options->per_thread;
	analysis->work.threads = analysis->threads;
	analysis->work.may = &analysis->may_run;
	analysis->work.filter = filter;
	analysis->marks.threads = analysis->threads;
	analysis->marks.filter = filter;
	may_run_init(&analysis->may_run, analysis->threads);
	energy_init(&analysis->energy, filter, options->machine);
	idle_events_init(&analysis->idle_events, analysis->threads, &analysis->may_run, filter);
	worst_init(&analysis->worst, analysis->threads, options->worst);
	analysis->perf_compat.threads = analysis->threads;
	analysis->perf_compat.per_thread = options->per_thread;
	return analysis;
}

void analysis_free(struct analysis *analysis)
{
	if (!analysis)
		return;
	latency_fini(&analysis->latency);
	cpus_fini(&analysis->cpus);
	energy_fini(&analysis->energy);
	idle_events_fini(&analysis->idle_events);
	idle_states_fini(&analysis->idle_states);
	work_conservation_fini(&analysis->work);
	may_run_fini(&analysis->may_run);
	worst_fini(&analysis->worst);
	marks_fini(&analysis->marks);
	perf_compat_fini(&analysis->perf_compat);
	track_free(analysis->threads);
	free(analysis);
}

static enum err_code on_begin(void *self, const struct event_header *header)
{
	struct analysis *analysis = self;

	analysis->header = *header;
	analysis->sees = header->sees;
	filter_begin(&analysis->options.filter, header->origin_ns);
	track_announce_cpus(analysis->threads, header->nr_cpus);
	return OK;
}

/* One after the other over all of them, so that each finds its own in the cache. */
static enum err_code on_events(void *self, const struct event *events, u32 nr)
{
	struct analysis *analysis = self;

	if (!analysis->hash.events)
		analysis->first_ns = events[0].time_ns;
	analysis->last_ns = events[nr - 1].time_ns;
	events_push(&analysis->hash_sink, events, nr);
	for (u32 i = 0; i < nr; i++)
		counts_event(&analysis->counts, &events[i]);
	track_events(analysis->threads, events, nr);
	return OK;
}

static enum err_code on_event(void *self, const struct event *event)
{
	return on_events(self, event, 1);
}

static u64 recorded(const struct analysis *analysis)
{
	const struct track_stats *stats = &analysis->threads->stats;
	const u64 *all = analysis->counts.all;
	u64 sees = analysis->header.sees;

	if (!all[EVENT_MIGRATE] && stats->implicit_migrations)
		sees &= ~EVENT_BIT(MIGRATE);
	/* whoever got a CPU after a sleep was woken */
	if (!all[EVENT_WAKING] && (all[EVENT_WAKEUP] || stats->unknown))
		sees &= ~EVENT_BIT(WAKING);
	if (!all[EVENT_WAKEUP] && (all[EVENT_WAKING] || stats->unknown))
		sees &= ~EVENT_BIT(WAKEUP);
	return sees;
}

static enum err_code on_end(void *self, const struct event_quality *quality)
{
	struct analysis *analysis = self;

	analysis->quality = *quality;
	if (analysis->options.perf_compat)
		perf_compat_end(&analysis->perf_compat);
	track_end(analysis->threads);
	idle_states_end(&analysis->idle_states, analysis->last_ns);
	energy_end(&analysis->energy, analysis->last_ns);
	analysis->sees = recorded(analysis);
	latency_sort(&analysis->latency);
	marks_end(&analysis->marks);
	return OK;
}

struct event_sink analysis_sink(struct analysis *analysis)
{
	return (struct event_sink){ analysis, on_begin, on_event, on_end, on_events };
}

const char *analysis_missing(const struct analysis *analysis, enum analysis_id id)
{
	const struct analysis_info *info = &analysis_infos[id];
	u64 missing = info->needs & ~analysis->sees;

	if (!missing && info->any && !(info->any & analysis->sees))
		missing = info->any & -info->any; /* the first stands for all */
	return missing ? event_kind_name((u32)__builtin_ctzll(missing)) : NULL;
}

bool analysis_available(const struct analysis *analysis, enum analysis_id id)
{
	return !analysis_missing(analysis, id);
}

u64 analysis_window_ns(const struct analysis *analysis)
{
	return filter_clip(&analysis->options.filter, analysis->first_ns, analysis->last_ns);
}
