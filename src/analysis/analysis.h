/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * analysis - all that is said of one stream.
 *
 * A sink: feed it a stream, then read the results.  It stores no events.  What each
 * analysis needs is in analyses.def; where the source does not report it the result
 * is not available, which is not zero.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/counts.h"
#include "analysis/cpus.h"
#include "analysis/energy.h"
#include "analysis/idle_events.h"
#include "analysis/idle_states.h"
#include "analysis/latency.h"
#include "analysis/marks.h"
#include "analysis/perf_compat.h"
#include "analysis/work_conservation.h"
#include "analysis/worst.h"
#include "events/sinks.h"

enum analysis_id {
#define ANALYSIS(id, name, what, needs, any) ANALYSIS_##id,
#include "analysis/analyses.def"
	ANALYSIS_NR
};

struct analysis_info {
	const char *name, *what;
	u64 needs, any; /* EVENT_BITs: all of the one, one of the other */
};
extern const struct analysis_info analysis_infos[ANALYSIS_NR];

struct analysis_options {
	struct filter filter; /* what it points to stays the caller's */
	bool per_thread;
	bool perf_compat;
	u32 worst;              /* how many; 0: none */
	bool throttling_unseen; /* to compare with traces that do not tell it: it counts as waiting */
	const struct machine
		*machine; /* what the stream is of; NULL: not known; stays the caller's */
};

struct analysis {
	struct analysis_options options;
	struct event_header header;
	struct event_quality quality;
	struct track *threads;
	struct latency latency;
	struct cpus cpus;
	struct energy energy;
	struct counts counts;
	struct may_run may_run;
	struct idle_events idle_events;
	struct idle_states idle_states;
	struct work_conservation work;
	struct worst worst;
	struct marks marks;
	struct perf_compat perf_compat;
	struct events_hash hash;
	struct event_sink hash_sink;
	void (*on_run)(void *self, const struct track_run *run);       /* of a caller; or NULL */
	void (*on_sleep)(void *self, const struct track_sleep *sleep); /* the same */
	void *on_self;
	u64 first_ns, last_ns; /* of the stream */
	u64 sees;              /* header.sees, less what turned out not to be recorded */
};

struct analysis *analysis_new(const struct analysis_options *options);
void analysis_free(struct analysis *analysis);
struct event_sink analysis_sink(struct analysis *analysis);

/*
 * Does the source see what this analysis needs?  A text cannot tell what was recorded: a
 * kind that never occurs while others prove it should have is taken for not recorded.
 */
bool analysis_available(const struct analysis *analysis, enum analysis_id id);
/* The name of a kind it needs and does not have; NULL if it has all. */
const char *analysis_missing(const struct analysis *analysis, enum analysis_id id);
/* Length of the window the results cover, ns: the stream's, cut by the filter. */
u64 analysis_window_ns(const struct analysis *analysis);

#endif
