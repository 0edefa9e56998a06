/* SPDX-License-Identifier: GPL-2.0-only */
/* uclamp - bounds of utilisation, of tasks and of CPUs; 1024 is the biggest CPU. */
#ifndef SIM_UCLAMP_H
#define SIM_UCLAMP_H

#include "sim/internal.h"

/* By enum policy_uclamp_id.  Kernel: uclamp_eff_value(), uclamp_rq_get(). */
u32 sim_uclamp_of(const struct sim_task *task, u32 id);
u32 sim_uclamp_cpu(const struct sim_cpu *cpu, u32 id);

void sim_uclamp_count(struct sim_cpu *cpu, struct sim_task *task);
void sim_uclamp_uncount(struct sim_cpu *cpu, struct sim_task *task);
/* It is runnable on @cpu, or is so no more.  Kernel: uclamp_rq_inc(), uclamp_rq_dec(). */
static inline void sim_uclamp_inc(struct sim_cpu *cpu, struct sim_task *task)
{
	if (cpu->sim->clamps)
		sim_uclamp_count(cpu, task);
}
static inline void sim_uclamp_dec(struct sim_cpu *cpu, struct sim_task *task)
{
	if (cpu->sim->clamps)
		sim_uclamp_uncount(cpu, task);
}

#endif
