/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "events/fields.h"

const struct analysis_info analysis_infos[ANALYSIS_NR] = {
#define ANALYSIS(id, name, what, needs, any) { name, what, needs, any },
#include "analysis/analyses.def"
};

struct analysis *analysis_new(const struct analysis_options *options)
{
	struct analysis *analysis = NEW(struct analysis);
	const struct filter *filter = &analysis->options.filter;

	analysis->options = *options;
	analysis->threads = track_new();
	analysis->threads->throttling_unseen = options->throttling_unseen;
	analysis->counts.filter = filter;
	analysis->idle_states.filter = filter;
	analysis->hash_sink = events_hash_sink(&analysis->hash);
	may_run_init(&analysis->may_run, analysis->threads);
	latency_init(&analysis->latency, analysis->threads, filter, options->per_thread);
	cpus_init(&analysis->cpus, analysis->threads, filter);
	energy_init(&analysis->energy, analysis->threads, filter, options->machine);
	idle_events_init(&analysis->idle_events, analysis->threads, &analysis->may_run, filter);
	work_conservation_init(&analysis->work, analysis->threads, &analysis->may_run, filter);
	worst_init(&analysis->worst, analysis->threads, filter, options->worst);
	marks_init(&analysis->marks, analysis->threads, filter);
	if (options->perf_compat)
		perf_compat_init(&analysis->perf_compat, analysis->threads, options->per_thread);
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
	for (u32 i = 0; i < nr; i++)
		if (IDLE_STATES_KINDS >> events[i].kind & 1)
			idle_states_event(&analysis->idle_states, &events[i]);
	for (u32 i = 0; i < nr; i++)
		track_event(analysis->threads, &events[i]);
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
