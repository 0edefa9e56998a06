/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/misfit.h"

#include "policy/fit.h"
#include "sim/load.h"

bool sim_task_fits(const struct sim_task *task, const struct sim_cpu *cpu)
{
	return policy_fits_capacity(sim_task_util_est(task), sim_cpu_capacity_of(cpu));
}

u64 sim_misfit_load(const struct sim_cpu *cpu)
{
	return cpu->misfit_load;
}

bool sim_cpu_overutilized(const struct sim_cpu *cpu)
{
	return !policy_fits_capacity(sim_cpu_util(cpu), sim_cpu_capacity_of(cpu));
}

bool sim_overutilized(const struct sim *sim)
{
	return !sim->energy || sim->overutilized;
}

void sim_set_overutilized(struct sim *sim, bool overutilized)
{
	sim->overutilized = overutilized;
}
