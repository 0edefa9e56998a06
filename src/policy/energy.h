/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * energy - what running at a frequency costs.
 *
 * Kernel: em_compute_costs(), kernel/power/energy_model.c; em_cpu_energy(),
 * include/linux/energy_model.h, v6.12.
 */
#ifndef POLICY_ENERGY_H
#define POLICY_ENERGY_H

#include "policy/int.h"

/* Of one unit of utilisation, where a busy CPU takes @power_mw and has @capacity. */
static inline u64 policy_em_cost(u64 power_mw, u64 capacity)
{
	return power_mw * 1000 * 10 / capacity;
}

/* @busy: the sum of the utilisation of all CPUs that share the frequency. */
static inline u64 policy_em_energy(u64 cost, u64 busy)
{
	return cost * busy;
}

#endif
