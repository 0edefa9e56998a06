/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bandwidth - how much CPU time a group may have in a period.
 *
 * The group has a pool, filled at each period.  Its queue on a CPU takes slices of it and
 * uses them up; one that gets nothing is throttled, in debt by what it ran too long.
 */
#ifndef POLICY_BANDWIDTH_H
#define POLICY_BANDWIDTH_H

#include "policy/int.h"

/* Kernel: sysctl_sched_cfs_bandwidth_slice and the constants of fair.c and core.c, v6.12. */
#define POLICY_BANDWIDTH_SLICE_NS          5000000u
#define POLICY_MIN_CFS_RQ_RUNTIME_NS       1000000u /* what an empty queue keeps */
#define POLICY_BANDWIDTH_SLACK_NS          5000000u /* from the return of time to its distribution */
#define POLICY_MIN_BANDWIDTH_EXPIRATION_NS 2000000u /* this close to a refill it is left alone */
#define POLICY_MIN_CFS_QUOTA_PERIOD_NS     1000000u /* of the quota, and of the period */
#define POLICY_MAX_CFS_QUOTA_PERIOD_NS     1000000000u
#define POLICY_MAX_CFS_RUNTIME_NS          (((1ULL << 44) - 1) * 1000)

/*
 * The pool, in ns, after one more period; all in ns.
 * Kernel: __refill_cfs_bandwidth_runtime(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_refill_cfs_bandwidth_runtime(u64 pool_ns, u64 quota_ns, u64 burst_ns)
{
	u64 filled_ns = pool_ns + quota_ns;

	return filled_ns < quota_ns + burst_ns ? filled_ns : quota_ns + burst_ns;
}

/*
 * What a queue with @remaining_ns, zero or a debt, gets to have @target_ns: that, or all
 * that is in the pool.
 * Kernel: __assign_cfs_rq_runtime(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_assign_cfs_rq_runtime(s64 remaining_ns, u64 pool_ns, u64 target_ns)
{
	u64 wanted_ns = target_ns - (u64)remaining_ns;

	return wanted_ns < pool_ns ? wanted_ns : pool_ns;
}

/*
 * What a throttled queue, with zero or a debt, gets to go on: its debt and 1 ns, or all that
 * is in the pool.
 * Kernel: distribute_cfs_runtime(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_distribute_cfs_runtime(s64 remaining_ns, u64 pool_ns)
{
	return policy_assign_cfs_rq_runtime(remaining_ns, pool_ns, 1);
}

/*
 * What a queue gives back when its last entity leaves.
 * Kernel: __return_cfs_rq_runtime(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_return_cfs_rq_runtime(s64 remaining_ns)
{
	s64 slack_ns = remaining_ns - (s64)POLICY_MIN_CFS_RQ_RUNTIME_NS;

	return slack_ns > 0 ? (u64)slack_ns : 0;
}

/*
 * Is what came back into the pool worth a distribution?
 * Kernel: __return_cfs_rq_runtime(), do_sched_cfs_slack_timer(), fair.c, v6.12.
 */
static inline bool policy_worth_distribution(u64 pool_ns)
{
	return pool_ns > POLICY_BANDWIDTH_SLICE_NS;
}

/*
 * Is the refill of @refill_ns less than @min_ns away, or past?
 * Kernel: runtime_refresh_within(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_runtime_refresh_within(u64 refill_ns, u64 now_ns, u64 min_ns)
{
	return (s64)(refill_ns - now_ns) < (s64)min_ns;
}

/*
 * The first point of the grid through @point_ns that is later than @now_ns; @point_ns itself
 * if it is.
 * Kernel: hrtimer_forward_now() of the period's timer.
 */
static inline u64 policy_period_after(u64 point_ns, u64 period_ns, u64 now_ns)
{
	if (point_ns > now_ns)
		return point_ns;
	return point_ns + ((now_ns - point_ns) / period_ns + 1) * period_ns;
}

#endif
