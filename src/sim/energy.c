/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/energy.h"

#include "sim/misfit.h"

struct sim_cpu *sim_find_energy_efficient_cpu(struct sim_task *task, struct sim_cpu *prev)
{
	if (sim_overutilized(task->sim))
		return NULL;
	return sim_allowed(task, prev->id) ? prev : NULL;
}
