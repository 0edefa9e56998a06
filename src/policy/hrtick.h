/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hrtick - a timer that ends a slice where it ends, not at the tick after.
 */
#ifndef POLICY_HRTICK_H
#define POLICY_HRTICK_H

#include "policy/release.h"

/* No timer is shorter.  Kernel: hrtick_start(), kernel/sched/core.c, v6.12. */
#define POLICY_HRTICK_LEAST_NS 10000

/*
 * Does an armed timer stay, @apart_ns before or after which another is asked for?
 * Kernel: hrtick_needs_rearm(), kernel/sched/core.c, v7.3.
 */
static inline bool policy_hrtick_close(s64 apart_ns)
{
	return apart_ns <= 5000 && apart_ns >= -5000;
}

/*
 * How long, in wall time, until the slice of a task is over that has run for @ran_ns since
 * it was picked; negative: it is over already.
 * Kernel: hrtick_start_fair(), kernel/sched/fair.c, v6.12; hrtick_start(), core.c.
 */
static inline s64 policy_hrtick_delay(u64 slice_ns, u64 ran_ns)
{
	s64 left_ns = (s64)(slice_ns - ran_ns);

	if (left_ns >= 0 && left_ns < POLICY_HRTICK_LEAST_NS)
		return POLICY_HRTICK_LEAST_NS;
	return left_ns;
}

/*
 * May the periodic tick preempt, @armed telling whether a slice's own timer runs?  Only CFS
 * asks: EEVDF's tick preempts by its accounting.
 * Kernel: entity_tick(), kernel/sched/fair.c, v6.1.
 */
static inline bool policy_tick_may_preempt(bool armed, const struct policy_features *features)
{
	return !armed || policy_feature(features, POLICY_DOUBLE_TICK);
}

#endif
