/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/misfit.h"

#include "sim/load.h"
#include "sim/uclamp.h"

/* Kernel: util_fits_cpu(). */
static s32 fits(const struct sim_cpu *cpu, u64 util, u32 min, u32 max)
{
	const u32 bounds[POLICY_NR_UCLAMPS] = { min, max };
	u64 capacity = sim_cpu_capacity_orig(cpu);

	if (!cpu->sim->clamps)
		return policy_fits_capacity(util, sim_cpu_capacity_of(cpu));
	return policy_util_fits(util, bounds, sim_cpu_capacity_of(cpu), capacity,
				sim_cpu_capacity_actual(cpu));
}

s32 sim_task_fit(const struct sim_task *task, const struct sim_cpu *cpu)
{
	return fits(cpu, sim_task_util_est(task), sim_uclamp_of(task, POLICY_UCLAMP_MIN),
		    sim_uclamp_of(task, POLICY_UCLAMP_MAX));
}

/* The biggest CPU it may use.  Kernel: set_task_max_allowed_capacity(). */
static u32 biggest(const struct sim_task *task)
{
	const struct sim *sim = task->sim;
	u32 most = 0;

	for (u32 i = 0; i < sim->nr_cpus && most < MACHINE_FULL_CAPACITY; i++)
		if (sim_allowed(task, i) && sim->cpus[i].capacity > most)
			most = sim->cpus[i].capacity;
	return most;
}

void sim_misfit_update(struct sim_cpu *cpu, struct sim_task *task)
{
	const struct sim *sim = cpu->sim;
	u64 load;

	if (!sim->domains.asym)
		return;
	cpu->misfit_load = 0;
	if (!task || task->nr_allowed == 1 || sim_task_fits(task, cpu))
		return;
	if ((sim->setup->release->load & POLICY_LOAD_BIGGEST) && cpu->capacity == biggest(task))
		return;
	load = sim_task_h_load(task);
	cpu->misfit_load = load ? load : 1;
}

bool sim_cpu_overutilized(const struct sim_cpu *cpu)
{
	return cpu->sim->energy &&
	       !fits(cpu, sim_cpu_util(cpu), 0, sim_uclamp_cpu(cpu, POLICY_UCLAMP_MAX));
}

bool sim_overutilized(const struct sim *sim)
{
	return !sim->energy || sim->overutilized;
}

void sim_set_overutilized(struct sim *sim, bool overutilized)
{
	sim->overutilized = overutilized;
}

void sim_overutilized_check(struct sim_cpu *cpu)
{
	if (!sim_overutilized(cpu->sim) && sim_cpu_overutilized(cpu))
		sim_set_overutilized(cpu->sim, true);
}
