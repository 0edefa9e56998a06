/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * energy - where a waking task costs least.
 *
 * Kernel: kernel/sched/fair.c, v6.12.
 */
#ifndef SIM_ENERGY_H
#define SIM_ENERGY_H

#include "sim/internal.h"

/*
 * The CPU for @task, which wakes and was last on @prev, by the energy model.  NULL: there is
 * none, or a CPU is overutilised; it is placed by load then.
 * Kernel: find_energy_efficient_cpu().
 */
struct sim_cpu *sim_find_energy_efficient_cpu(struct sim_task *task, struct sim_cpu *prev);

#endif
