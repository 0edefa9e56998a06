/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select_slow - the slow path, of a new task: the idlest group of the highest domain, the
 * idlest CPU in it, and the same again from there down.
 */
#include "sim/load.h"
#include "sim/misfit.h"
#include "sim/select.h"

static u32 allowed_of(const struct sim_task *task, const struct machine_group *group)
{
	u32 nr = 0;

	if (!task->allowed)
		return group->nr_cpus;
	for (u32 i = 0; i < group->nr_cpus; i++)
		nr += sim_allowed(task, group->cpus[i]);
	return nr;
}

static void add_cpu(struct policy_group_stats *stats, struct sim_cpu *cpu, struct sim_task *task,
		    bool asym)
{
	bool here = task->on_rq && task->cpu == cpu;
	u32 running = cpu->nr_running - here;

	stats->load += sim_cpu_load_without(cpu, task);
	stats->util += sim_cpu_util_without(cpu, task);
	stats->runnable += sim_cpu_runnable_without(cpu, task);
	stats->h_nr += (cpu->sim->select.rules->runnable_only ? cpu->root.h_nr_runnable
							      : cpu->root.h_nr_queued) -
		       here;
	stats->nr_running += running;
	stats->idle_cpus +=
		!running && (cpu->curr == cpu->idle || cpu->curr == task) && !cpu->wakelist.nr;
	if (asym && stats->misfit_load && sim_task_fits(task, cpu))
		stats->misfit_load = 0;
}

/* A new task is in no sum yet, so that nothing has to be taken out. */
static bool is_known(const struct sim_task *task, const struct machine_domain *domain)
{
	return !task->allowed && !task->on_rq && !task->se.pelt.update_ns &&
	       task->cpu->curr != task && sim_group_stats_do(task->sim, domain);
}

/* Kernel: update_sg_wakeup_stats(). */
static void sum_up(const struct machine_domain *domain, u32 index, struct sim_task *task,
		   struct policy_group_stats *stats)
{
	struct sim *sim = task->sim;
	const struct machine_group *group = &domain->groups[index];
	const struct sim_group_state *state = &sim->balance.shared[domain->index].groups[index];
	const struct policy_balance pass = { .rules = sim->balance.rules,
					     .energy_aware = sim->energy,
					     .imbalance_pct = domain->imbalance_pct };
	bool asym = domain->flags & MACHINE_SD_ASYM_CPUCAPACITY;

	*stats = (struct policy_group_stats){
		.capacity = state->stats.capacity,
		.max_capacity = state->stats.max_capacity,
		.imbalanced = state->stats.imbalanced,
		.weight = group->nr_cpus,
		.misfit_load = asym, /* until a CPU is found that it fits on */
	};
	for (u32 i = 0; i < group->nr_cpus; i++)
		if (sim_allowed(task, group->cpus[i]))
			add_cpu(stats, &sim->cpus[group->cpus[i]], task, asym);
	stats->type = policy_group_classify(&pass, stats);
	if (stats->type == POLICY_GROUP_FULLY_BUSY || stats->type == POLICY_GROUP_OVERLOADED)
		stats->avg_load = policy_avg_load(stats->load, stats->capacity);
}

/* The same, from what is @known already; else into @own. */
static const struct policy_group_stats *stats_of(const struct machine_domain *domain, u32 index,
						 struct sim_task *task,
						 struct sim_group_state *known,
						 struct policy_group_stats *own)
{
	const struct policy_group_stats *stats;

	if (!known) {
		sum_up(domain, index, task, own);
		return own;
	}
	stats = sim_group_stats(task->sim, domain, &known[index]);
	if (stats->type != POLICY_GROUP_FULLY_BUSY)
		return stats;
	*own = *stats; /* balancing has no use for its mean load */
	own->avg_load = policy_avg_load(own->load, own->capacity);
	return own;
}

/* The idlest of the groups that @cpu is not in, from its own on round.  -1: it stays there. */
static s64 find_group(const struct machine_domain *domain, u32 own, struct sim_task *task)
{
	struct sim_group_state *known =
		is_known(task, domain) ? task->sim->balance.shared[domain->index].groups : NULL;
	const struct policy_group_stats *stats;
	struct policy_group_stats local = { 0 }, sums,
				  idlest = { .type = POLICY_GROUP_OVERLOADED,
					     .avg_load = 0xffffffffu };
	u32 usable = allowed_of(task, &domain->groups[own]);
	struct policy_slow with = { .imbalance_pct = domain->imbalance_pct,
				    .numa = domain->flags & MACHINE_SD_NUMA,
				    .imb_numa_nr = domain->imb_numa_nr };
	s64 found = -1;

	sim_sums_update(task->sim);
	for (u32 i = 0; i < domain->nr_groups; i++) {
		u32 at = own + i < domain->nr_groups ? own + i : own + i - domain->nr_groups;

		if (!allowed_of(task, &domain->groups[at]))
			continue;
		stats = stats_of(domain, at, task, known, &sums);
		if (at == own)
			local = *stats;
		if (at == own || !policy_group_idler(stats, &idlest))
			continue;
		idlest = *stats;
		found = at;
	}
	if (found < 0 || !usable)
		return found;
	if (usable < with.imb_numa_nr)
		with.imb_numa_nr = usable;
	return policy_leave_group(&with, &local, &idlest) ? found : -1;
}

/* The idlest CPU so far. */
struct idlest {
	struct sim_cpu *idle, *least;
	u64 least_load, latency_ns, latest_ns;
};

/*
 * Rather one that wakes up sooner; of those that take as long, or whose state is not known, the
 * one that got idle last.
 */
static void weigh_idle(struct idlest *so_far, struct sim_cpu *cpu)
{
	bool known = cpu->governed && cpu->in_idle;

	if (known && cpu->exit_latency_ns < so_far->latency_ns) {
		so_far->latency_ns = cpu->exit_latency_ns;
	} else if ((known && cpu->exit_latency_ns != so_far->latency_ns) ||
		   cpu->lb.idle_stamp_ns <= so_far->latest_ns) {
		return;
	}
	so_far->latest_ns = cpu->lb.idle_stamp_ns;
	so_far->idle = cpu;
}

/*
 * An idle one, or the one with the least load if none is.
 * Kernel: sched_balance_find_dst_group_cpu().
 */
static struct sim_cpu *find_cpu(const struct machine_group *group, struct sim_task *task,
				struct sim_cpu *here)
{
	struct idlest so_far = { .least = here, .least_load = U64_MAX, .latency_ns = U64_MAX };
	struct sim *sim = task->sim;

	if (group->nr_cpus == 1)
		return &sim->cpus[group->cpus[0]];
	for (u32 i = 0; i < group->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[group->cpus[i]];

		if (!sim_allowed(task, cpu->id))
			continue;
		if (sim_cpu_is_idle(cpu)) {
			weigh_idle(&so_far, cpu);
		} else if (sim_cpu_free(cpu, task)) {
			return cpu;
		} else if (!so_far.idle && sim_cpu_load(cpu) < so_far.least_load) {
			so_far.least_load = sim_cpu_load(cpu);
			so_far.least = cpu;
		}
	}
	return so_far.idle ? so_far.idle : so_far.least;
}

/* The highest level of @cpu that asks for this and is narrower than @nr_cpus; -1: none. */
static s32 level_below(const struct sim_cpu *cpu, u32 nr_cpus, u32 flag)
{
	s32 level = -1;

	for (u32 i = 0; i < cpu->domains->nr && cpu->domains->at[i]->nr_cpus < nr_cpus; i++)
		if (cpu->domains->at[i]->flags & flag)
			level = (s32)i;
	return level;
}

static bool may_use(const struct sim_task *task, const struct machine_domain *domain)
{
	for (u32 i = 0; i < domain->nr_cpus; i++)
		if (sim_allowed(task, domain->cpus[i]))
			return true;
	return false;
}

/* Kernel: sched_balance_find_dst_cpu(). */
struct sim_cpu *sim_find_idlest_cpu(struct sim_task *task, struct sim_cpu *here, u32 top, u32 flag,
				    enum sim_reason *reason)
{
	struct sim_cpu *cpu = here, *found;
	s32 level = (s32)top;

	*reason = SIM_REASON_OWN_GROUP;
	if (!may_use(task, here->domains->at[top]))
		return task->cpu;
	if (flag != MACHINE_SD_BALANCE_FORK)
		sim_task_load_sync(task);
	while (level >= 0) {
		const struct machine_domain *domain = cpu->domains->at[level];
		s64 group = domain->flags & flag
				    ? find_group(domain, cpu->domains->group[level], task)
				    : -1;

		found = group >= 0 ? find_cpu(&domain->groups[group], task, cpu) : cpu;
		if (found == cpu) {
			level--;
			continue;
		}
		*reason = SIM_REASON_IDLEST;
		cpu = found;
		level = level_below(cpu, domain->nr_cpus, flag);
	}
	return cpu;
}
