/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schedutil - the frequency that a CPU's utilisation asks for.
 *
 * Units: utilisation and capacity, 1024 is the biggest CPU at its highest frequency.
 * Kernel: kernel/sched/cpufreq_schedutil.c, v6.12.
 */
#ifndef POLICY_SCHEDUTIL_H
#define POLICY_SCHEDUTIL_H

#include "policy/int.h"

/*
 * What all classes and interrupts use of a CPU.  @util: of the tasks of all classes, by a clock
 * that interrupts stop; @irq: what these take.
 * Kernel: effective_cpu_util(), kernel/sched/syscalls.c, v6.12.
 */
static inline u64 policy_effective_util(u64 util, u64 irq, u64 capacity)
{
	u64 all;

	if (irq >= capacity || util >= capacity)
		return capacity;
	all = util * (capacity - irq) / capacity + irq;
	return all < capacity ? all : capacity;
}

/*
 * With a quarter more, so that there is always some left; @least: what realtime tasks and
 * interrupts need.  At most @capacity.
 * Kernel: sugov_effective_cpu_perf(), map_util_perf(), v6.12.
 */
static inline u64 policy_sugov_perf(u64 util, u64 least, u64 capacity)
{
	u64 perf = util + (util >> 2);

	if (perf > capacity)
		perf = capacity;
	return perf > least ? perf : least;
}

/*
 * The clock that gives @perf, where @max_khz gives @capacity; the driver takes the lowest it has
 * that is not below.  Kernel: get_next_freq(), map_util_freq(), v6.12.
 */
static inline u64 policy_sugov_khz(u64 perf, u64 capacity, u64 max_khz)
{
	return max_khz * perf / capacity;
}

#endif
