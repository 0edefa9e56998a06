/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fit - is a CPU big enough for what runs there?
 *
 * Units: 1024 is the biggest CPU at its highest frequency.
 */
#ifndef POLICY_FIT_H
#define POLICY_FIT_H

#include "policy/int.h"

/* Four fifths of @capacity hold @util.  Both < 2^32.  Kernel: fits_capacity(), fair.c, v6.12. */
static inline bool policy_fits_capacity(u64 util, u64 capacity)
{
	return util * 1280 < capacity * 1024;
}

/* More than 5 % more.  Kernel: capacity_greater(), kernel/sched/fair.c, v6.12. */
static inline bool policy_capacity_greater(u64 a, u64 b)
{
	return a * 1024 > b * 1078;
}

/*
 * What a CPU of @capacity lacks whose clock, of @max_khz, may not go beyond @limit_khz.
 * Kernel: cpufreq_update_pressure(), v6.12; topology_update_thermal_pressure(), v6.1.
 */
static inline u64 policy_freq_pressure(u64 capacity, u64 limit_khz, u64 max_khz)
{
	return limit_khz >= max_khz ? 0 : capacity - capacity * limit_khz / max_khz;
}

/*
 * What the fair class is left of @capacity by others' @util and by interrupts' @irq: at least 1.
 * Kernel: scale_rt_capacity(), update_cpu_capacity(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_free_capacity(u64 capacity, u64 util, u64 irq)
{
	u64 left;

	if (irq >= capacity || util >= capacity)
		return 1;
	left = (capacity - util) * (capacity - irq) / capacity;
	return left ? left : 1;
}

#endif
