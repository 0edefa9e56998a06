/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deadline - SCHED_DEADLINE: who is first, and how much each may have (a constant bandwidth
 * server per task).
 *
 * A task has a runtime for each period, to be had by a deadline after the period's begin.
 * Who has used its runtime up waits for the next period (throttled); who wakes goes on with
 * what is left only if that is no more than its share of the time to its deadline.
 *
 * Units: ns.  Absolute times compare by signed differences.  Bandwidths are 2^20 for a whole
 * CPU.
 *
 * Kernel: struct sched_dl_entity without servers, kernel/sched/deadline.c, v6.1 to v7.3.
 */
#ifndef POLICY_DEADLINE_H
#define POLICY_DEADLINE_H

#include "policy/int.h"

#define POLICY_BW_SHIFT         20
#define POLICY_DL_LEAST_NS      1024   /* of the runtime.  Kernel: 1 << DL_SCALE */
#define POLICY_DL_PERIOD_MIN_NS 100000 /* Kernel: sysctl_sched_dl_period_min */
#define POLICY_DL_PERIOD_MAX_NS 4194304000ULL

struct policy_dl {
	u64 dl_runtime_ns, dl_deadline_ns, dl_period_ns; /* of each instance; relative */
	s64 runtime_ns;                                  /* what is left of it */
	u64 deadline_ns;                                 /* absolute */
	bool throttled;                                  /* waits for its next period */
	bool yielded;                                    /* wants no more of this one */
};

/* Kernel: to_ratio(), kernel/sched/core.c, v6.12. */
static inline u64 policy_to_ratio(u64 period_ns, u64 runtime_ns)
{
	return period_ns ? (runtime_ns << POLICY_BW_SHIFT) / period_ns : 0;
}

/* Kernel: __checkparam_dl(), kernel/sched/deadline.c, v6.12. */
static inline bool policy_dl_valid(const struct policy_dl *dl)
{
	return dl->dl_runtime_ns >= POLICY_DL_LEAST_NS && dl->dl_runtime_ns <= dl->dl_deadline_ns &&
	       dl->dl_deadline_ns <= dl->dl_period_ns &&
	       dl->dl_period_ns >= POLICY_DL_PERIOD_MIN_NS &&
	       dl->dl_period_ns <= POLICY_DL_PERIOD_MAX_NS;
}

/*
 * Do deadline tasks and servers of bandwidth @total, with @more, ask for more than CPUs of
 * @capacity in all may give, @most being that of one of 1024?
 * Kernel: __dl_overflow(), kernel/sched/deadline.c, v6.12.
 */
static inline bool policy_dl_overflow(u64 most, u64 capacity, u64 total, u64 more)
{
	return most * capacity >> 10 < total + more;
}

/* Is the task small enough for a CPU?  Kernel: dl_task_fits_capacity(), v6.12. */
static inline bool policy_dl_fits(const struct policy_dl *dl, u64 capacity)
{
	return dl->dl_deadline_ns * capacity >> 10 >= dl->dl_runtime_ns;
}

/* Is the deadline @a_ns earlier?  Kernel: dl_time_before(). */
static inline bool policy_dl_before(u64 a_ns, u64 b_ns)
{
	return (s64)(a_ns - b_ns) < 0;
}

/* When its next period begins.  Kernel: dl_next_period(). */
static inline u64 policy_dl_next_period(const struct policy_dl *dl)
{
	return dl->deadline_ns - dl->dl_deadline_ns + dl->dl_period_ns;
}

/* Kernel: replenish_dl_new_period(), kernel/sched/deadline.c, v6.12. */
static inline void policy_dl_new_period(struct policy_dl *dl, u64 now_ns)
{
	dl->deadline_ns = now_ns + dl->dl_deadline_ns;
	dl->runtime_ns = (s64)dl->dl_runtime_ns;
}

/*
 * Is more of the runtime left than its share, so near to the deadline?  In steps of 1024 ns.
 * Kernel: dl_entity_overflow(), kernel/sched/deadline.c, v6.12.
 */
static inline bool policy_dl_entity_overflow(const struct policy_dl *dl, u64 now_ns)
{
	u64 left = (dl->dl_deadline_ns >> 10) * (u64)(dl->runtime_ns >> 10);
	u64 right = ((dl->deadline_ns - now_ns) >> 10) * (dl->dl_runtime_ns >> 10);

	return policy_dl_before(right, left);
}

/*
 * It wakes: what of the period and its runtime may it keep?  If its deadline is shorter than
 * its period, only as much runtime as its density gives until then.
 * Kernel: update_dl_entity(), update_dl_revised_wakeup(), kernel/sched/deadline.c, v6.12.
 */
static inline void policy_dl_wake(struct policy_dl *dl, u64 now_ns)
{
	bool late = policy_dl_before(dl->deadline_ns, now_ns);
	u64 density = policy_to_ratio(dl->dl_deadline_ns, dl->dl_runtime_ns);

	if (!late && !policy_dl_entity_overflow(dl, now_ns))
		return;
	if (!late && dl->dl_deadline_ns != dl->dl_period_ns)
		dl->runtime_ns = (s64)(density * (dl->deadline_ns - now_ns) >> POLICY_BW_SHIFT);
	else
		policy_dl_new_period(dl, now_ns);
}

/*
 * Does it come after its deadline and before its next period?  Then it must wait for that.
 * Kernel: dl_check_constrained_dl(), kernel/sched/deadline.c, v6.12.
 */
static inline bool policy_dl_too_early(const struct policy_dl *dl, u64 now_ns)
{
	return dl->dl_deadline_ns != dl->dl_period_ns &&
	       policy_dl_before(dl->deadline_ns, now_ns) &&
	       policy_dl_before(now_ns, policy_dl_next_period(dl));
}

/*
 * Runtime again, from as many periods as it takes.
 * Kernel: replenish_dl_entity(), kernel/sched/deadline.c, v6.12.
 */
static inline void policy_dl_replenish(struct policy_dl *dl, u64 now_ns)
{
	if (dl->yielded && dl->runtime_ns > 0)
		dl->runtime_ns = 0;
	if (dl->runtime_ns <= 0) {
		u64 periods = (u64)-dl->runtime_ns / dl->dl_runtime_ns + 1;

		dl->deadline_ns += periods * dl->dl_period_ns;
		dl->runtime_ns += (s64)(periods * dl->dl_runtime_ns);
	}
	if (policy_dl_before(dl->deadline_ns, now_ns))
		policy_dl_new_period(dl, now_ns);
	dl->yielded = dl->throttled = false;
}

/*
 * What @ran_ns count for on a CPU of @capacity (1024: all of it).
 * Kernel: dl_scaled_delta_exec(), cap_scale(), v6.12, without SCHED_FLAG_RECLAIM.
 */
static inline u64 policy_dl_scaled(u64 ran_ns, u64 capacity)
{
	return ran_ns * capacity >> 10;
}

/*
 * It has run for @ran_ns, scaled.  True if it is throttled by that, or because it yields.
 * Kernel: update_curr_dl_se(), kernel/sched/deadline.c, v6.12.
 */
static inline bool policy_dl_update(struct policy_dl *dl, u64 ran_ns)
{
	dl->runtime_ns -= (s64)ran_ns;
	if (dl->runtime_ns > 0 && !dl->yielded)
		return false;
	dl->throttled = true;
	return true;
}

#endif
