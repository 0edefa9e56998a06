/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_pass - one balancing pass of a CPU over one of its domains.
 *
 * Kernel: sched_balance_rq(), kernel/sched/fair.c, v6.12.
 */
#include "sim/internal.h"

#define LOOP_BREAK 32 /* Kernel: SCHED_NR_MIGRATE_BREAK, without PREEMPT_RT */

enum outcome {
	BALANCED,
	ALL_PINNED, /* and no other source is left */
	ONE_PINNED, /* the task to be pushed may not run here */
	UNBALANCED, /* moved, or tried */
};

static void exclude(struct sim_pass *pass, u32 cpu)
{
	bits_add(pass->dst->sim->balance.excluded, cpu);
	pass->nr_excluded++;
}

static void include_all(struct sim_pass *pass)
{
	const struct machine_domain *shape = pass->domain->shape;

	if (pass->nr_excluded)
		for (u32 i = 0; i < shape->nr_cpus; i++)
			pass->dst->sim->balance.excluded[shape->cpus[i] / 64] = 0;
}

/*
 * The first idle CPU of the local group balances, one of an idle core before others; the
 * group's first CPU if none is idle.  Kernel: should_we_balance().
 */
static bool first_of_group(const struct sim_pass *pass)
{
	const struct sim *sim = pass->dst->sim;
	bool cores = pass->p.rules->smt_aware && sim->setup->machine->smt &&
		     !(pass->domain->shape->flags & MACHINE_SD_SHARE_CPUCAPACITY);
	const struct sim_cpu *thread = NULL;

	for (u32 i = 0; i < pass->local->nr_cpus; i++) {
		const struct sim_cpu *cpu = &sim->cpus[pass->local->cpus[i]];

		if (!sim_cpu_is_idle(cpu) || sim_excluded(pass, cpu->id))
			continue;
		if (!cores || sim_core_idle(cpu))
			return cpu == pass->dst;
		if (!thread)
			thread = cpu;
	}
	if (thread)
		return thread == pass->dst;
	return pass->local->cpus[0] == pass->dst->id;
}

static bool should_balance(const struct sim_pass *pass)
{
	if (pass->p.idle == POLICY_CPU_NEWLY_IDLE)
		return !pass->dst->nr_running && !pass->dst->wakelist.nr;
	return first_of_group(pass);
}

/* Tells the group that stands for this domain's CPUs one level up, if there is one. */
static void tell_above(const struct sim_pass *pass, struct sim_cpu *cpu, bool imbalanced)
{
	struct sim_group_state *above;
	u32 level = (u32)(pass->domain - cpu->lb.domains);

	if (!pass->domain->shape->parent)
		return;
	above = &cpu->sim->balance.shared[cpu->domains->at[level + 1]->index]
			 .groups[cpu->domains->group[level + 1]];
	above->stats.imbalanced = imbalanced;
	above->known = false;
}

/* Is a source left outside the destination's group? */
static bool others_left(const struct sim_pass *pass)
{
	const struct machine_domain *shape = pass->domain->shape;

	for (u32 g = 0; g < shape->nr_groups; g++)
		for (u32 i = 0; g != pass->local_index && i < shape->groups[g].nr_cpus; i++)
			if (!sim_excluded(pass, shape->groups[g].cpus[i]))
				return true;
	return false;
}

/* Also to other CPUs of the group, for tasks that may not run on the first choice. */
static u32 move(struct sim_pass *pass)
{
	u32 moved = 0;

	for (;;) {
		moved += sim_move_tasks(pass);
		if (!(pass->flags & SIM_PASS_DST_PINNED) || pass->imbalance.amount <= 0)
			return moved;
		exclude(pass, pass->dst->id);
		pass->dst = pass->new_dst;
		pass->flags &= ~(u32)SIM_PASS_DST_PINNED;
		pass->loop = 0;
		pass->loop_break = LOOP_BREAK;
	}
}

/* Has a stopper push what runs on the source to @cpu, if it may. */
static enum outcome push(struct sim_pass *pass, struct sim_cpu *cpu)
{
	struct sim_cpu *src = pass->src;

	if (src->curr == src->idle || !sim_allowed(src->curr, cpu->id))
		return ONE_PINNED;
	pass->flags &= ~(u32)SIM_PASS_ALL_PINNED;
	if (!src->lb.push.to && src->curr->on_rq) {
		src->lb.push =
			(struct sim_push){ .to = cpu,
					   .cache = pass->imbalance.what == POLICY_MIGRATE_CACHE };
		sim_cpu_ipi(src);
	}
	return UNBALANCED;
}

static enum outcome failed(struct sim_pass *pass, struct sim_cpu *cpu)
{
	struct sim_domain *domain = pass->domain;
	struct policy_source source;

	if (pass->p.idle != POLICY_CPU_NEWLY_IDLE && !(pass->flags & SIM_PASS_CACHE_PINNED) &&
	    !(pass->p.rules->misfit_quiet && pass->imbalance.what == POLICY_MIGRATE_MISFIT))
		domain->failed++;
	sim_source_of(pass, pass->src, &source);
	source.settled = cpu->sim->caches.on && sim_cache_settled(pass);
	if (policy_need_active_balance(&pass->p, &pass->imbalance, domain->failed,
				       domain->shape->cache_nice_tries, &source))
		return push(pass, cpu);
	return UNBALANCED;
}

/* One source; true: it had only pinned tasks, and there are others to try. */
static bool try_source(struct sim_pass *pass, struct sim_cpu *cpu, u32 *moved,
		       enum outcome *outcome)
{
	const struct machine_group *group;
	u32 most = cpu->sim->setup->tunables.nr_migrate;

	*outcome = BALANCED;
	sim_cpu_cost(cpu->sim->here, EVENT_COST_BALANCE,
		     (u64)cpu->sim->setup->machine->costs.balance_cpu_ns *
			     pass->domain->shape->nr_cpus);
	group = sim_find_busiest_group(pass);
	if (!group)
		return false;
	pass->src = sim_find_busiest_cpu(pass, group);
	if (!pass->src) {
		sim_decide(cpu->sim, cpu->curr, SIM_RULE_BALANCE, SIM_REASON_NO_SOURCE, NULL);
		return false;
	}
	pass->flags |= SIM_PASS_ALL_PINNED;
	*moved = 0;
	*outcome = UNBALANCED;
	if (pass->src->nr_running > 1) {
		pass->loop_max = most < pass->src->nr_running ? most : pass->src->nr_running;
		*moved = move(pass);
		if ((pass->flags & SIM_PASS_SOME_PINNED) && pass->imbalance.amount > 0)
			tell_above(pass, cpu, true);
		if (pass->flags & SIM_PASS_ALL_PINNED) {
			sim_decide(cpu->sim, cpu->curr, SIM_RULE_BALANCE, SIM_REASON_ALL_PINNED,
				   pass->src);
			exclude(pass, pass->src->id);
			pass->loop = 0;
			pass->loop_break = LOOP_BREAK;
			*outcome = ALL_PINNED;
			return others_left(pass);
		}
	}
	if (*moved)
		pass->domain->failed = 0;
	else
		*outcome = failed(pass, cpu);
	return false;
}

/* What a pass leaves for the next ones. */
static void conclude(struct sim_pass *pass, struct sim_cpu *cpu, enum outcome outcome)
{
	struct sim_domain *domain = pass->domain;

	if (outcome == UNBALANCED) {
		domain->interval_ms = domain->shape->min_interval_ms;
		return;
	}
	if (outcome == BALANCED && !(pass->flags & SIM_PASS_ALL_PINNED))
		tell_above(pass, cpu, false);
	if (outcome != ONE_PINNED)
		domain->failed = 0;
	if (pass->p.idle == POLICY_CPU_NEWLY_IDLE ||
	    (pass->p.rules->misfit_quiet && pass->imbalance.what == POLICY_MIGRATE_MISFIT))
		return;
	domain->interval_ms =
		policy_balance_longer(domain->interval_ms, domain->shape->max_interval_ms,
				      pass->flags & SIM_PASS_ALL_PINNED);
}

/*
 * How many tasks were moved.  *@go_on = false: another CPU of the group balances from here up.
 * @pass: p.idle, dst, domain and reason are given.
 */
u32 sim_balance_pass(struct sim_pass *pass, bool *go_on)
{
	struct sim_cpu *cpu = pass->dst;
	u32 level = (u32)(pass->domain - cpu->lb.domains), moved = 0;
	enum outcome outcome = BALANCED;
	bool again = true;

	pass->p.rules = cpu->sim->balance.rules;
	pass->local_index = cpu->domains->group[level];
	pass->local = &pass->domain->shape->groups[pass->local_index];
	pass->loop_break = LOOP_BREAK;
	while (again) {
		if (!should_balance(pass)) {
			*go_on = false;
			outcome = BALANCED;
			break;
		}
		again = try_source(pass, cpu, &moved, &outcome);
	}
	conclude(pass, cpu, outcome);
	include_all(pass);
	return outcome == UNBALANCED ? moved : 0;
}
