/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * misfit - tasks that want more than their CPU has, and CPUs that are too full.
 *
 * Kernel: kernel/sched/fair.c, v6.12.
 */
#ifndef SIM_MISFIT_H
#define SIM_MISFIT_H

#include "sim/internal.h"

/*
 * Is @cpu big enough for @task?  1: it is, 0: no, -1: but for what uclamp asks at least.
 * Kernel: util_fits_cpu().
 */
s32 sim_task_fit(const struct sim_task *task, const struct sim_cpu *cpu);
static inline bool sim_task_fits(const struct sim_task *task, const struct sim_cpu *cpu)
{
	return sim_task_fit(task, cpu) > 0;
}
/* The load of the running task if it does not fit, else 0.  Kernel: rq.misfit_task_load. */
static inline u64 sim_misfit_load(const struct sim_cpu *cpu)
{
	return cpu->misfit_load;
}
/* @task runs on @cpu now, or is about to; NULL: nothing will. Kernel: update_misfit_status(). */
void sim_misfit_update(struct sim_cpu *cpu, struct sim_task *task);

/* Kernel: cpu_overutilized(). */
bool sim_cpu_overutilized(const struct sim_cpu *cpu);
/*
 * Has some CPU been too full since that was last cleared?  Always, without an energy model:
 * then all balancing is on.  Kernel: is_rd_overutilized(), set_rd_overutilized().
 */
bool sim_overutilized(const struct sim *sim);
void sim_set_overutilized(struct sim *sim, bool overutilized);
/* Kernel: check_update_overutilized_status(). */
void sim_overutilized_check(struct sim_cpu *cpu);

#endif
