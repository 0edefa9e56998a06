/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * misfit - tasks that want more than their CPU has, and CPUs that are too full.
 *
 * Kernel: kernel/sched/fair.c, v6.12.
 */
#ifndef SIM_MISFIT_H
#define SIM_MISFIT_H

#include "sim/internal.h"

/* Kernel: task_fits_cpu() > 0. */
bool sim_task_fits(const struct sim_task *task, const struct sim_cpu *cpu);
/* The load of the running task if it does not fit, else 0.  Kernel: rq.misfit_task_load. */
u64 sim_misfit_load(const struct sim_cpu *cpu);
/* Kernel: cpu_overutilized(). */
bool sim_cpu_overutilized(const struct sim_cpu *cpu);
/*
 * Has some CPU been too full since that was last cleared?  Always, without an energy model:
 * then all balancing is on.  Kernel: is_rd_overutilized(), set_rd_overutilized().
 */
bool sim_overutilized(const struct sim *sim);
void sim_set_overutilized(struct sim *sim, bool overutilized);

#endif
