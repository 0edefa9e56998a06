/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cfs - the completely fair scheduler: the arithmetic of one queue, of release 6.1.
 *
 * The entity with the smallest vruntime runs, until it has had its share of a period in
 * which each runs once, or until one that wakes is far enough behind it.  Trees, walks
 * and buddies belong to the caller.
 *
 * Units: *_vns are ns of virtual time: wall time * 1024 / weight.  Virtual times wrap;
 * compare by signed difference.
 */
#ifndef POLICY_CFS_H
#define POLICY_CFS_H

#include "policy/eevdf.h"

#define POLICY_CFS_LATENCY_NS              6000000u /* normalised */
#define POLICY_CFS_WAKEUP_GRANULARITY_NS   1000000u /* normalised */
#define POLICY_CFS_IDLE_MIN_GRANULARITY_NS 750000u  /* the same on any number of CPUs */
#define POLICY_CFS_NR_LATENCY              8        /* latency / min_granularity */

/* Where min_vruntime begins, so that it soon wraps.  Kernel: init_cfs_rq(), fair.c, v6.1. */
#define POLICY_CFS_FIRST_VNS (0 - (1ULL << 20))

struct policy_cfs {
	u64 latency_ns;              /* the period of eight and less */
	u64 min_granularity_ns;      /* what each of more gets, and the least slice */
	u64 wakeup_granularity_ns;   /* how far behind a waking one must be */
	u64 idle_min_granularity_ns; /* the least slice of SCHED_IDLE beside others */
};

/*
 * The constants of a machine; @min_granularity_ns is normalised.
 * Kernel: update_sysctl(), kernel/sched/fair.c, v6.1.
 */
static inline void policy_cfs_constants(u32 online_cpus, u32 min_granularity_ns,
					struct policy_cfs *of)
{
	u64 factor = policy_cpu_factor(online_cpus);

	of->latency_ns = factor * POLICY_CFS_LATENCY_NS;
	of->min_granularity_ns = factor * min_granularity_ns;
	of->wakeup_granularity_ns = factor * POLICY_CFS_WAKEUP_GRANULARITY_NS;
	of->idle_min_granularity_ns = POLICY_CFS_IDLE_MIN_GRANULARITY_NS;
}

/* Is @a_vns earlier?  Kernel: entity_before(), kernel/sched/fair.c, v6.1. */
static inline bool policy_vruntime_before(u64 a_vns, u64 b_vns)
{
	return (s64)(a_vns - b_vns) < 0;
}

/*
 * The time in which each of @nr runs once.
 * Kernel: __sched_period(), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_sched_period(const struct policy_cfs *cfs, u32 nr)
{
	return nr > POLICY_CFS_NR_LATENCY ? nr * cfs->min_granularity_ns : cfs->latency_ns;
}

/*
 * One level's part of a slice: slice * weight / load, a few ns low.  @load: the sum of
 * the weights on the queue, the entity's own included.
 * Kernel: the loop of sched_slice(), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_slice_share(u64 slice_ns, const struct policy_weight *weight, u64 load)
{
	struct policy_weight of;

	policy_weight_of(load < 0xffffffffu ? (u32)load : 0xffffffffu, &of);
	return policy_calc_delta(slice_ns, weight->weight, &of);
}

/*
 * A slice is not shorter than this; @idle: a SCHED_IDLE entity beside one that is not.
 * Kernel: the end of sched_slice(), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_slice_floor(const struct policy_cfs *cfs, u64 slice_ns, bool idle,
				     const struct policy_features *features)
{
	u64 least_ns = idle ? cfs->idle_min_granularity_ns : cfs->min_granularity_ns;

	if (!policy_feature(features, POLICY_BASE_SLICE) || slice_ns > least_ns)
		return slice_ns;
	return least_ns;
}

/* Only SCHED_IDLE entities?  Kernel: sched_idle_cfs_rq(), kernel/sched/fair.c, v6.1. */
static inline bool policy_queue_idle_only(u32 nr, u32 nr_idle)
{
	return nr && nr == nr_idle;
}

/*
 * The new min_vruntime: where the earliest entity is, but never back.  @curr_vns: the
 * running one's, NULL if it leaves; @left_vns: the earliest of the tree's, NULL if empty.
 * Kernel: update_min_vruntime(), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_min_vruntime(u64 min_vns, const u64 *curr_vns, const u64 *left_vns)
{
	const u64 *least = curr_vns ? curr_vns : left_vns;

	if (curr_vns && left_vns && policy_vruntime_before(*left_vns, *curr_vns))
		least = left_vns;
	return least && policy_vruntime_before(min_vns, *least) ? *least : min_vns;
}

/*
 * The earliest that one who wakes is placed: sleep counts for so much and not more.
 * Kernel: place_entity(initial = 0), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_wakeup_place(u64 min_vns, const struct policy_cfs *cfs, bool idle,
				      const struct policy_features *features)
{
	u64 credit_vns = idle ? cfs->min_granularity_ns : cfs->latency_ns;

	if (policy_feature(features, POLICY_GENTLE_FAIR_SLEEPERS))
		credit_vns /= 2;
	return min_vns - credit_vns;
}

/*
 * The earliest that a newborn one is placed: the period under way was promised to others.
 * @vslice_vns: the slice it would get, as virtual time.
 * Kernel: place_entity(initial = 1), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_fork_place(u64 min_vns, u64 vslice_vns,
				    const struct policy_features *features)
{
	return policy_feature(features, POLICY_START_DEBIT) ? min_vns + vslice_vns : min_vns;
}

/*
 * Has it slept so long (104 days) that vruntimes can no longer be compared?
 * @exec_start_ns: when it was last accounted; 0: unknown.
 * Kernel: entity_is_long_sleeper(), kernel/sched/fair.c, v6.1.
 */
static inline bool policy_long_sleeper(u64 exec_start_ns, u64 now_ns)
{
	if (!exec_start_ns || now_ns <= exec_start_ns)
		return false;
	return now_ns - exec_start_ns > (1ULL << 63) / POLICY_WEIGHT_NICE0;
}

/*
 * Its own vruntime, if that is later than @place_vns.
 * Kernel: the end of place_entity(), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_cfs_place_entity(u64 vruntime_vns, u64 place_vns, bool long_sleeper)
{
	return long_sleeper || policy_vruntime_before(vruntime_vns, place_vns) ? place_vns
									       : vruntime_vns;
}

/*
 * The wakeup granularity in the virtual time of the one that wakes, so that a light one
 * must be further behind.
 * Kernel: wakeup_gran(), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_wakeup_gran(const struct policy_cfs *cfs,
				     const struct policy_weight *weight)
{
	return policy_calc_delta_fair(cfs->wakeup_granularity_ns, weight);
}

/*
 * How far is @se behind @curr: 1 if by more than its wakeup granularity, 0 if by less,
 * -1 if not at all.
 * Kernel: wakeup_preempt_entity(), kernel/sched/fair.c, v6.1.
 */
static inline s32 policy_wakeup_preempt_entity(const struct policy_cfs *cfs,
					       const struct policy_entity *curr,
					       const struct policy_entity *se)
{
	s64 behind_vns = (s64)(curr->vruntime_vns - se->vruntime_vns);

	if (behind_vns <= 0)
		return -1;
	return behind_vns > (s64)policy_wakeup_gran(cfs, &se->weight);
}

/* Buddies of wakeups count on queues this long.  Kernel: check_preempt_wakeup(), fair.c, v6.1. */
static inline bool policy_buddies_scale(u32 nr)
{
	return nr >= POLICY_CFS_NR_LATENCY;
}

enum policy_tick_verdict {
	POLICY_TICK_GO_ON,
	POLICY_TICK_AHEAD,      /* give way: too far ahead of the earliest */
	POLICY_TICK_SLICE_OVER, /* give way, and not be picked as a buddy */
};

/*
 * What a tick finds of the running entity, an enum policy_tick_verdict: @ran_ns since it
 * was set running, and @ahead_vns of the earliest other.  A virtual distance is compared
 * with wall time, as the kernel does.
 * Kernel: check_preempt_tick(), kernel/sched/fair.c, v6.1.
 */
static inline u32 policy_check_preempt_tick(const struct policy_cfs *cfs, u64 slice_ns, u64 ran_ns,
					    s64 ahead_vns)
{
	if (ran_ns > slice_ns)
		return POLICY_TICK_SLICE_OVER;
	if (ran_ns < cfs->min_granularity_ns || ahead_vns < 0)
		return POLICY_TICK_GO_ON;
	return (u64)ahead_vns > slice_ns ? POLICY_TICK_AHEAD : POLICY_TICK_GO_ON;
}

#endif
