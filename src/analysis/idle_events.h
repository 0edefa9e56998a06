/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle_events - a CPU idles while a thread that may run on it waits.
 *
 * One event per idle interval of a CPU: its length is the longest overlap with the
 * wait of one qualifying thread, which goes on across migrations ("overlap" mode).
 * It counts from IDLE_EVENTS_MIN_NS, in the bins of the published tables.
 *
 * A thread qualifies if it is of the fair class and may run on the CPU, as may_run.h
 * tells; what rests on a guess there is counted.
 */
#ifndef ANALYSIS_IDLE_EVENTS_H
#define ANALYSIS_IDLE_EVENTS_H

#include "analysis/filter.h"
#include "analysis/may_run.h"

#define IDLE_EVENTS_MIN_NS  2500000ULL
#define IDLE_EVENTS_NR_BINS 3

extern const char *const idle_events_bins[IDLE_EVENTS_NR_BINS]; /* "2.5-3ms", ... */

struct idle_events_candidate {
	u64 idle_since_ns; /* the idle interval this belongs to */
	u64 ns;
	bool guessed, sched_idle;
	s32 tid;
	u32 name;
};

struct idle_events {
	struct track *threads;
	struct may_run *may;
	const struct filter *filter;
	VEC(struct idle_events_candidate) best; /* by CPU */
	u64 bins[IDLE_EVENTS_NR_BINS];
	u64 guessed;    /* of these, the thread's allowed CPUs were not known */
	u64 sched_idle; /* events whose thread was SCHED_IDLE: not in the bins */
	u64 longest_ns, longest_end_ns;
	s32 longest_cpu, longest_tid;
	u32 longest_name;
};

void idle_events_init(struct idle_events *events, struct track *threads, struct may_run *may,
		      const struct filter *filter);
void idle_events_fini(struct idle_events *events);
/* Those that are long enough to be one. */
void idle_events_long_wait(struct idle_events *events, const struct track_wait *wait);
void idle_events_long_idle(struct idle_events *events, const struct track_idle *idle);

static inline void idle_events_wait(struct idle_events *events, const struct track_wait *wait)
{
	if (wait->end_ns - track_wait_start_ns(wait) > IDLE_EVENTS_MIN_NS)
		idle_events_long_wait(events, wait);
}

static inline void idle_events_idle(struct idle_events *events, const struct track_idle *idle)
{
	if (idle->end_ns - idle->start_ns > IDLE_EVENTS_MIN_NS)
		idle_events_long_idle(events, idle);
}

#endif
