/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rt - how much of a CPU realtime tasks may have, in releases without a fair server.
 *
 * Each CPU counts the time of its realtime tasks.  Past the runtime they are throttled; at
 * each period a runtime is taken off again.
 */
#ifndef POLICY_RT_H
#define POLICY_RT_H

#include "policy/int.h"

#define POLICY_RT_PERIOD_NS 1000000000u /* Kernel: sysctl_sched_rt_period, rt.c, v6.1 */

/*
 * Must the realtime tasks of a CPU stop?
 * Kernel: sched_rt_runtime_exceeded(), kernel/sched/rt.c, v6.1.
 */
static inline bool policy_rt_exceeded(u64 time_ns, u64 runtime_ns)
{
	return time_ns > runtime_ns;
}

/*
 * What is left of the time they had at the end of a period.
 * Kernel: do_sched_rt_period_timer(), kernel/sched/rt.c, v6.1.
 */
static inline u64 policy_rt_refill(u64 time_ns, u64 runtime_ns)
{
	return time_ns > runtime_ns ? time_ns - runtime_ns : 0;
}

/*
 * RT_RUNTIME_SHARE: what a CPU with a runtime of @runtime_ns borrows of another's, that had
 * @other_time_ns of @other_runtime_ns, on a machine of @nr_cpus.
 * Kernel: do_balance_runtime(), kernel/sched/rt.c, v6.1.
 */
static inline u64 policy_rt_borrow(u64 runtime_ns, u64 other_runtime_ns, u64 other_time_ns,
				   u32 nr_cpus)
{
	u64 spare_ns;

	if (other_runtime_ns <= other_time_ns)
		return 0;
	spare_ns = (other_runtime_ns - other_time_ns) / nr_cpus;
	return runtime_ns + spare_ns > POLICY_RT_PERIOD_NS ? POLICY_RT_PERIOD_NS - runtime_ns
							   : spare_ns;
}

/*
 * May they go on after that?  Less than the runtime must be counted.
 * Kernel: do_sched_rt_period_timer(), kernel/sched/rt.c, v6.1.
 */
static inline bool policy_rt_may_resume(u64 time_ns, u64 runtime_ns)
{
	return time_ns < runtime_ns;
}

#endif
