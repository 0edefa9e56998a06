/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select - which CPU a task that wakes or is born goes to: the rules that are arithmetic.
 *
 * The walks over CPUs belong to the caller.  Units are those of balance.h.
 */
#ifndef POLICY_SELECT_H
#define POLICY_SELECT_H

#include "policy/balance.h"

/* What differs between kernels, as data; the rows are in select.c. */
struct policy_select_rules {
	bool clusters;      /* CPUs of one cluster are preferred: 6.6 on */
	bool delayed_sleep; /* sleepers that are delayed do not keep a waker from being alone: 6.12 on */
	bool idle_for_others; /* CPUs that run SCHED_IDLE tasks only are free, but not for more such: 7.3 */
	bool big_cores_first; /* on unequal CPUs SIS_UTIL limits the search, idle cores go first: 7.3 */
	bool runnable_only; /* delayed sleepers are no tasks of a group: 7.3 */
};

/* Whom a task woke.  Kernel: wakee_flips and its neighbours, struct task_struct. */
struct policy_wakee {
	u64 decayed_at; /* jiffies */
	u32 flips;
	s32 last; /* tid; 0: nobody yet */
};

/*
 * The waker wakes @wakee now: one flip more if that is another one than the last time.  Once a
 * second what it had is halved, but only once however many seconds passed.
 * Kernel: record_wakee(), kernel/sched/fair.c, v6.12.
 */
static inline void policy_record_wakee(struct policy_wakee *waker, s32 wakee, u64 jiffies, u32 hz)
{
	if (jiffies > waker->decayed_at + hz) {
		waker->flips /= 2;
		waker->decayed_at = jiffies;
	}
	if (waker->last != wakee) {
		waker->last = wakee;
		waker->flips++;
	}
}

/*
 * Do the two talk to more tasks than a cache has CPUs?  Then they are not drawn together.
 * Kernel: wake_wide(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_wake_wide(u32 waker_flips, u32 wakee_flips, u32 llc_size)
{
	u32 more = waker_flips > wakee_flips ? waker_flips : wakee_flips;
	u32 less = waker_flips > wakee_flips ? wakee_flips : waker_flips;

	return less >= llc_size && more >= less * llc_size;
}

enum policy_affine { /* which of the waker's CPU and the wakee's last one */
	POLICY_AFFINE_UNDECIDED,
	POLICY_AFFINE_THIS,
	POLICY_AFFINE_PREV,
};

/*
 * @alone: nothing but the waker runs or waits on its CPU.  @sync: the waker is about to sleep.
 * Kernel: wake_affine_idle(), kernel/sched/fair.c, v6.12.
 */
static inline enum policy_affine policy_affine_idle(bool this_idle, bool prev_idle,
						    bool share_cache, bool sync, bool alone)
{
	if (this_idle && share_cache)
		return prev_idle ? POLICY_AFFINE_PREV : POLICY_AFFINE_THIS;
	if (sync && alone)
		return POLICY_AFFINE_THIS;
	return prev_idle ? POLICY_AFFINE_PREV : POLICY_AFFINE_UNDECIDED;
}

/* Loads, and capacities left to the fair class. */
struct policy_affine_load {
	u64 this_load, prev_load, task_load;
	u64 current_load; /* of the waker: goes away if @sync */
	u64 this_capacity, prev_capacity;
	u32 imbalance_pct;
	bool sync, bias;
};

/*
 * Would the waker's CPU be the less loaded one, by its capacity, with the wakee on it?
 * Loads < 2^32, capacities <= 1024.  Kernel: wake_affine_weight(), kernel/sched/fair.c, v6.12.
 */
static inline enum policy_affine policy_affine_weight(const struct policy_affine_load *with)
{
	s64 here = (s64)with->this_load, there = (s64)with->prev_load - (s64)with->task_load;

	if (with->sync) {
		if (with->current_load > with->this_load)
			return POLICY_AFFINE_THIS;
		here -= (s64)with->current_load;
	}
	here = (here + (s64)with->task_load) * (with->bias ? 100 : 1) * (s64)with->prev_capacity;
	there = there * (with->bias ? 100 + (with->imbalance_pct - 100) / 2 : 1) *
		(s64)with->this_capacity;
	return here < there + with->sync ? POLICY_AFFINE_THIS : POLICY_AFFINE_UNDECIDED;
}

/*
 * SIS_PROP: how many CPUs a search may look at, that it costs less than the CPU idles.
 * @wake_avg_idle_ns < 2^40.  Kernel: select_idle_cpu(), kernel/sched/fair.c, v6.1.
 */
static inline u64 policy_scan_by_cost(u64 wake_avg_idle_ns, u64 scan_cost_ns, u32 nr_cpus)
{
	u64 span = nr_cpus * wake_avg_idle_ns, cost = scan_cost_ns + 1;

	return span > 4 * cost ? span / cost : 4;
}

/* A prediction that is jiffies old counts half for each.  Kernel: the same. */
static inline u64 policy_age_idle(u64 wake_avg_idle_ns, u64 jiffies)
{
	return jiffies < 64 ? wake_avg_idle_ns >> jiffies : 0;
}

/* How well an idle CPU suits a task where they are unequal: the less the better. */
enum policy_fits {
	POLICY_FITS_ALL = -5, /* big enough, and nobody else runs on its core */
	POLICY_FITS_CORE_CLAMPED = -4,
	POLICY_FITS_CORE_NOT = -3,
	POLICY_FITS_THREAD = -2,  /* big enough, but another thread of its core runs */
	POLICY_FITS_CLAMPED = -1, /* big enough, but not for what uclamp asks at least */
	POLICY_FITS_NOT = 0,
};

/*
 * @fits: 1: the CPU is big enough, -1: but for uclamp's minimum, 0: no.  @core: its core is idle, or
 * nobody asks.  Kernel: select_idle_capacity(), enum asym_fits_state, kernel/sched/fair.c, v7.3.
 */
static inline s32 policy_fit_rank(s32 fits, bool core)
{
	if (fits > 0)
		return core ? POLICY_FITS_ALL : POLICY_FITS_THREAD;
	return core ? fits + POLICY_FITS_CORE_NOT : fits;
}

/*
 * Is @group idler than @idlest, for a new task?  Kernel: update_pick_idlest(), fair.c, v6.12.
 */
static inline bool policy_group_idler(const struct policy_group_stats *group,
				      const struct policy_group_stats *idlest)
{
	if (group->type != idlest->type)
		return group->type < idlest->type;
	switch (group->type) {
	case POLICY_GROUP_OVERLOADED:
	case POLICY_GROUP_FULLY_BUSY:
		return group->avg_load < idlest->avg_load;
	case POLICY_GROUP_MISFIT_TASK:
		return group->max_capacity > idlest->max_capacity;
	case POLICY_GROUP_HAS_SPARE:
		if (group->idle_cpus != idlest->idle_cpus)
			return group->idle_cpus > idlest->idle_cpus;
		return group->util < idlest->util;
	default: /* never chosen */
		return false;
	}
}

/* A domain, as the choice between two of its groups needs it. */
struct policy_slow {
	u32 imbalance_pct;
	bool numa;
	u32 imb_numa_nr; /* at most as many as the task may use CPUs of the local group */
};

/* Loads of two groups that have no room: the other one must be clearly less loaded. */
static inline bool policy_leave_by_load(const struct policy_slow *with, u64 local, u64 idlest)
{
	u64 margin = 1024 * (with->imbalance_pct - 100) / 100;

	if (with->numa && idlest + margin >= local)
		return false;
	return idlest < local + margin && 100 * local > with->imbalance_pct * idlest;
}

/*
 * Does a task leave the local group for the idlest of the others?
 * Kernel: sched_balance_find_dst_group(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_leave_group(const struct policy_slow *with,
				      const struct policy_group_stats *local,
				      const struct policy_group_stats *idlest)
{
	u32 more = local->idle_cpus > idlest->idle_cpus ? local->idle_cpus - idlest->idle_cpus
							: idlest->idle_cpus - local->idle_cpus;

	if (local->type != idlest->type)
		return local->type > idlest->type;
	switch (local->type) {
	case POLICY_GROUP_OVERLOADED:
	case POLICY_GROUP_FULLY_BUSY:
		return policy_leave_by_load(with, local->avg_load, idlest->avg_load);
	case POLICY_GROUP_MISFIT_TASK:
		return local->max_capacity < idlest->max_capacity;
	case POLICY_GROUP_HAS_SPARE:
		if (with->numa &&
		    !policy_numa_imbalance(more, local->nr_running + 1, with->imb_numa_nr))
			return false;
		return local->idle_cpus < idlest->idle_cpus;
	default:
		return false;
	}
}

#endif
