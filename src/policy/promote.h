/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * promote - LB_PROMOTE: fair tasks that wait are brought to CPUs that idle, at once.
 *
 * After "[PATCH 04/10] sched/fair: Add LB_PROMOTE feature to enhance real-time performance of
 * fair tasks" (Xin Zhao), which is the switch of a series.  The other patches were not read;
 * these are the rules that their summaries tell of.
 */
#ifndef POLICY_PROMOTE_H
#define POLICY_PROMOTE_H

#include "policy/int.h"

/* How many fair tasks of a CPU wait for it: all that are runnable, less one that runs. */
static inline u32 policy_promote_waiting(u32 h_nr_runnable, bool runs_fair)
{
	return h_nr_runnable - (runs_fair && h_nr_runnable ? 1 : 0);
}

/*
 * A task was switched out and stays runnable.  Is a stopper to bring it to an idle CPU?
 * @busy: what runs in its place is a task; @pushing: the CPU's stopper has one to push already.
 */
static inline bool policy_promote_push(bool busy, bool pushing, u32 nr_allowed)
{
	return busy && !pushing && nr_allowed > 1;
}

/*
 * Does a CPU that gets idle look for work although it will not idle for long?  The kernel's
 * own cut-off compares how long it idles with what looking costs.
 */
static inline bool policy_promote_looks(bool promote, u64 avg_idle_ns, u64 cost_ns)
{
	return promote || avg_idle_ns >= cost_ns;
}

#endif
