/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_compat - the numbers `perf sched latency` of perf 6.1 gives, faults included.
 *
 * Where they differ from latency.h, and why:
 *   wakeups     only sched_wakeup and sched_wakeup_new; sched_waking is not heard, so a
 *		 file that has only that (perf 6.1's own recordings) loses every wakeup
 *   R+	     preempted inside the kernel: taken for asleep, the wait is lost
 *   first seen  a thread's first switch-in counts as a delay of 0
 *   runtime     the sum of sched_stat_runtime; without that event it is 0
 *   names       the last name a thread had, for all its life; rows are merged by it
 * "Switches" is the number of delays, not of switches.
 */
#ifndef ANALYSIS_PERF_COMPAT_H
#define ANALYSIS_PERF_COMPAT_H

#include "analysis/track.h"
#include "base/apart.h"

struct perf_compat_row {
	struct event_task task;
	char *name;
	u32 merged; /* threads in the row */
	u64 runtime_ns, nr, delay_ns, max_ns;
	u64 max_start_ns, max_end_ns; /* since the stream began */
	bool max_known;               /* some delay was longer than 0 */
	s32 max_tid;
};

struct perf_compat_thread;
struct perf_compat {
	struct track *threads;
	bool per_thread;
	struct map by_key; /* task key to struct perf_compat_thread * */
	struct map by_name;
	VEC(struct perf_compat_row) rows; /* perf_compat_end(): as perf prints them */
	u64 total_runtime_ns, total_nr;
};

APART void perf_compat_switch(struct perf_compat *compat, const struct event *event);
/* @event is an EVENT_WAKEUP or EVENT_WAKEUP_NEW. */
APART void perf_compat_wakeup(struct perf_compat *compat, const struct event *event);
APART void perf_compat_runtime(struct perf_compat *compat, const struct event *event);
void perf_compat_gone(struct perf_compat *compat, const struct track_thread *gone);
/* Before track_end(): names are taken from there. */
void perf_compat_end(struct perf_compat *compat);
void perf_compat_fini(struct perf_compat *compat);
static inline u64 perf_compat_mean_ns(const struct perf_compat_row *row)
{
	return row->nr ? row->delay_ns / row->nr : 0;
}

#endif
