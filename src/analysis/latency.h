/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * latency - how long threads waited for a CPU, by name or by thread.
 *
 * A wait goes to the name the thread had when the wait ended.  Sums, counts and
 * maxima are exact; percentiles are those of base/hist.h.  Only exact waits enter
 * them; the others are counted beside.
 *
 * Runtime is the sum of sched_stat_runtime for threads that were seen to have it,
 * else the time between switches.
 */
#ifndef ANALYSIS_LATENCY_H
#define ANALYSIS_LATENCY_H

#include "analysis/filter.h"
#include "base/hist.h"

struct latency_row {
	char *name;
	struct event_task task; /* per thread: who; merged: the first of them */
	u32 threads;            /* that contributed */
	u8 class;               /* bits of enum track_class */
	u64 switches;           /* times it left a CPU */
	u64 throttled_ns;       /* of waits, which do not count it */
	u64 migrations;
	u64 charged_ns, ran_ns; /* runtime: charged by the kernel; of other threads, by switches */
	struct hist waits[TRACK_NR_KINDS];    /* exact ones */
	struct hist delay;                    /* all of them; made by latency_sort() */
	u64 max_ns, max_start_ns, max_end_ns; /* the longest one */
	s32 max_cpu;
	bool waited;                                     /* there was one */
	u64 unknown, unreliable, after_loss, unfinished; /* switch-ins; waits not counted above */
};

struct latency {
	const struct track *threads;
	bool per_thread;
	struct map rows_by; /* name index, or thread key, to row index */
	VEC(struct latency_row) rows;
	bool charged, by_switches; /* where runtimes came from */
	struct latency_row total;  /* made by latency_sort() */
};

void latency_fini(struct latency *latency);
/* What the filter keeps. */
void latency_wait(struct latency *latency, const struct track_wait *wait);
void latency_run(struct latency *latency, const struct track_run *run);
void latency_unknown(struct latency *latency, struct track_thread *thread);
void latency_migrated(struct latency *latency, struct track_thread *thread);
void latency_charged(struct latency *latency, struct track_thread *thread, u64 runtime_ns);
static inline u64 latency_runtime_ns(const struct latency_row *row)
{
	return row->charged_ns + row->ran_ns;
}
/* ns, rounded down; 0 if there was none: look at count first. */
static inline u64 latency_mean_ns(u64 sum_ns, u64 count)
{
	return count ? sum_ns / count : 0;
}
/* The largest sum of delay first, ties by runtime, then by name and thread; makes total. */
void latency_sort(struct latency *latency);

#endif
