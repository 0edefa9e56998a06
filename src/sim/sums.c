/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/sums.h"

#include <stdlib.h>

#include "sim/load.h"

static struct sim_sums sums_of(const struct sim_cpu *cpu)
{
	return (struct sim_sums){
		.load = sim_cpu_load(cpu),
		.util = sim_cpu_util(cpu),
		.runnable = sim_cpu_runnable(cpu),
		.nr_running = cpu->nr_running,
		.queued = cpu->root.h_nr_queued,
		.h_runnable = cpu->root.h_nr_runnable,
		.idle = sim_cpu_is_idle(cpu),
		.crowded = cpu->nr_running > 1,
		.reduced = sim_cpu_capacity_of(cpu) != sim_cpu_capacity_orig(cpu),
	};
}

struct sim_sums *sim_cpu_sums(const struct sim_cpu *cpu)
{
	const struct machine_cpu_domains *of = cpu->domains;

	return of->nr ? &cpu->sim->balance.shared[of->at[0]->index].groups[of->group[0]].sums
		      : NULL;
}

/* A part of @sums that was @old is @now. */
static void replace(struct sim_sums *sums, const struct sim_sums *old, const struct sim_sums *now)
{
	sums->load += now->load - old->load;
	sums->util += now->util - old->util;
	sums->runnable += now->runnable - old->runnable;
	sums->nr_running += now->nr_running - old->nr_running;
	sums->queued += now->queued - old->queued;
	sums->h_runnable += now->h_runnable - old->h_runnable;
	sums->idle += now->idle - old->idle;
	sums->crowded += now->crowded - old->crowded;
	sums->reduced += now->reduced - old->reduced;
}

/* Its own group in the lowest domain is the CPU alone. */
static void refresh(struct sim *sim, const struct sim_cpu *cpu)
{
	const struct machine_cpu_domains *of = cpu->domains;
	struct sim_sums *own = sim_cpu_sums(cpu), now;

	if (!own)
		return;
	now = sums_of(cpu);
	for (u32 i = 0; i < of->nr; i++) {
		struct sim_group_state *group =
			&sim->balance.shared[of->at[i]->index].groups[of->group[i]];

		if (i)
			replace(&group->sums, own, &now);
		group->known = false;
	}
	*own = now;
}

void sim_sums_update(struct sim *sim)
{
	for (struct sim_cpu *cpu = sim->sums.changed; cpu; cpu = cpu->changed_next) {
		refresh(sim, cpu);
		cpu->changed = false;
	}
	sim->sums.changed = NULL;
}

/* Do the groups hold more CPUs than the domain? */
static bool overlaps(const struct machine_domain *domain)
{
	u32 nr = 0;

	for (u32 i = 0; i < domain->nr_groups; i++)
		nr += domain->groups[i].nr_cpus;
	return nr > domain->nr_cpus;
}

void sim_sums_init(struct sim *sim)
{
	struct sim_all_sums *all = &sim->sums;

	for (u32 i = 0; i < sim->domains.nr; i++)
		all->overlap |= overlaps(&sim->domains.at[i]);
	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim_changed(&sim->cpus[i]);
}

void sim_sums_fini(struct sim *sim)
{
	struct sim_all_sums *all = &sim->sums;

	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim->cpus[i].changed = false;
	*all = (struct sim_all_sums){ 0 };
}
