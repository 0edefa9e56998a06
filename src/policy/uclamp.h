/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uclamp - bounds that tasks and groups set for the utilisation that is seen of them.
 *
 * A CPU's bounds are the largest of its runnable tasks', kept by buckets: the bound of a
 * bucket is the largest that joined it since it was last empty.
 *
 * Units: 1024 is the biggest CPU, fully used.
 * Kernel: kernel/sched/core.c and fair.c, v7.3, CONFIG_UCLAMP_TASK; nearly the same in v6.12.
 */
#ifndef POLICY_UCLAMP_H
#define POLICY_UCLAMP_H

#include "policy/fit.h"

#define POLICY_UCLAMP_BUCKETS 5 /* Kernel: CONFIG_UCLAMP_BUCKETS_COUNT */
#define POLICY_UCLAMP_FULL    1024u

enum policy_uclamp_id {
	POLICY_UCLAMP_MIN,
	POLICY_UCLAMP_MAX,
	POLICY_NR_UCLAMPS
};

struct policy_uclamp_bucket {
	u32 tasks, value;
};

/* Of one CPU.  Kernel: struct rq.uclamp. */
struct policy_uclamp {
	u32 value[POLICY_NR_UCLAMPS];
	struct policy_uclamp_bucket buckets[POLICY_NR_UCLAMPS][POLICY_UCLAMP_BUCKETS];
	bool idle; /* the last runnable task has left: the upper bound stays until one comes */
};

/* What bounds nothing.  Kernel: uclamp_none(). */
static inline u32 policy_uclamp_none(u32 id)
{
	return id == POLICY_UCLAMP_MIN ? 0 : POLICY_UCLAMP_FULL;
}

/* Kernel: uclamp_bucket_id(). */
static inline u32 policy_uclamp_bucket(u32 value)
{
	u32 delta = (POLICY_UCLAMP_FULL + POLICY_UCLAMP_BUCKETS / 2) / POLICY_UCLAMP_BUCKETS;
	u32 bucket = value / delta;

	return bucket < POLICY_UCLAMP_BUCKETS ? bucket : POLICY_UCLAMP_BUCKETS - 1;
}

/* What a group leaves of a task's request.  Kernel: uclamp_tg_restrict(). */
static inline u32 policy_uclamp_restrict(u32 value, u32 group_min, u32 group_max)
{
	value = value > group_min ? value : group_min;
	return value < group_max ? value : group_max;
}

/* Hundredths of a percent, as cpu.uclamp.min takes them.  Kernel: capacity_from_percent(). */
static inline u32 policy_uclamp_of_percent(u32 hundredths)
{
	return (hundredths * POLICY_UCLAMP_FULL + 5000) / 10000;
}

/* One more runnable task with @value.  Kernel: uclamp_rq_inc_id(), uclamp_idle_reset(). */
static inline void policy_uclamp_inc(struct policy_uclamp *clamp, u32 id, u32 value)
{
	struct policy_uclamp_bucket *bucket = &clamp->buckets[id][policy_uclamp_bucket(value)];

	if (++bucket->tasks == 1 || value > bucket->value)
		bucket->value = value;
	if (clamp->idle || value > clamp->value[id])
		clamp->value[id] = value;
}

/* After both bounds of a task.  Kernel: the end of uclamp_rq_inc(). */
static inline void policy_uclamp_busy(struct policy_uclamp *clamp)
{
	clamp->idle = false;
}

/* One less.  Kernel: uclamp_rq_dec_id(), uclamp_rq_max_value(), uclamp_idle_value(). */
static inline void policy_uclamp_dec(struct policy_uclamp *clamp, u32 id, u32 value)
{
	struct policy_uclamp_bucket *bucket = &clamp->buckets[id][policy_uclamp_bucket(value)];

	if (--bucket->tasks || bucket->value < clamp->value[id])
		return;
	for (u32 i = POLICY_UCLAMP_BUCKETS; i--;) {
		if (!clamp->buckets[id][i].tasks)
			continue;
		clamp->value[id] = clamp->buckets[id][i].value;
		return;
	}
	clamp->idle |= id == POLICY_UCLAMP_MAX;
	clamp->value[id] = id == POLICY_UCLAMP_MAX ? value : 0;
}

/* @util within bounds; a lower one that is higher than the upper one wins.
 * Kernel: uclamp_rq_util_with(), kernel/sched/sched.h, v6.1. */
static inline u64 policy_uclamp_util(u64 util, u64 min, u64 max)
{
	if (min >= max)
		return min;
	return util < min ? min : util > max ? max : util;
}

/*
 * Does @util fit a CPU of @capacity, of which @left is the fair class's, and @actual what it
 * can reach now?  1 it does, 0 it does not, -1 all but for the lower bound.
 * Kernel: util_fits_cpu(), kernel/sched/fair.c, v7.3.
 */
static inline s32 policy_util_fits(u64 util, const u32 bounds[POLICY_NR_UCLAMPS], u64 left,
				   u64 capacity, u64 actual)
{
	u64 min = bounds[POLICY_UCLAMP_MIN], max = bounds[POLICY_UCLAMP_MAX];
	bool capped =
		max <= capacity && !(capacity == POLICY_UCLAMP_FULL && max == POLICY_UCLAMP_FULL);
	bool fits = policy_fits_capacity(util, left) || capped;

	min = min < max ? min : max;
	if (fits && util < min && min > actual)
		return -1;
	return fits;
}

#endif
