/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_stats - what a balancing pass sees of a domain: its groups' sums, the busiest of
 * them, and that one's busiest CPU.
 */
#include "sim/load.h"
#include "sim/misfit.h"

bool sim_excluded(const struct sim_pass *pass, u32 cpu)
{
	return pass->nr_excluded && bits_has(pass->dst->sim->balance.excluded, cpu);
}

/* No other thread of its core is busy.  Kernel: is_core_idle(). */
bool sim_core_idle(const struct sim_cpu *cpu)
{
	const struct machine_cpu_domains *of = cpu->domains;

	for (u32 i = 0; i < of->nr_smt; i++)
		if (of->smt[i] != cpu->id && !sim_cpu_is_idle(&cpu->sim->cpus[of->smt[i]]))
			return false;
	return true;
}

/* Fair tasks as this release counts them. */
static u32 fair_tasks(const struct sim_pass *pass, const struct sim_cpu *cpu)
{
	return pass->p.rules->delayed_count ? cpu->root.h_nr_queued : cpu->root.h_nr_runnable;
}

static bool reduced(const struct sim_pass *pass, const struct sim_cpu *cpu)
{
	return policy_capacity_reduced(sim_cpu_capacity_of(cpu), sim_cpu_capacity_orig(cpu),
				       pass->p.imbalance_pct);
}

/* How its biggest misfit counts; *@overloaded: the machine has one.  0: none. */
static u64 misfit(const struct sim_pass *pass, const struct sim_cpu *cpu,
		  const struct policy_group_stats *group, bool *overloaded)
{
	u64 load;

	if (pass->p.asym) {
		load = sim_misfit_load(cpu);
		*overloaded |= load > (pass->p.rules->misfit_helps ? 0 : group->misfit_load);
		if (pass->p.rules->misfit_helps &&
		    !policy_capacity_greater(pass->p.dst_capacity, group->max_capacity))
			return 0;
		return load;
	}
	if (pass->p.idle == POLICY_CPU_BUSY || fair_tasks(pass, cpu) != 1 || !reduced(pass, cpu))
		return 0;
	return sim_cpu_load(cpu);
}

static void add_cpu(const struct sim_pass *pass, const struct sim_cpu *cpu, bool local,
		    struct policy_group_stats *group, bool *overloaded)
{
	u64 load;

	group->load += sim_cpu_load(cpu);
	group->util += sim_cpu_util(cpu);
	group->runnable += sim_cpu_runnable(cpu);
	group->h_nr += fair_tasks(pass, cpu);
	group->nr_running += cpu->nr_running;
	if (pass->dst->sim->caches.on)
		group->prefer_dst += sim_cache_wanted(cpu, pass->dst);
	*overloaded |= cpu->nr_running > 1;
	if (pass->p.energy_aware)
		group->overutilized |= sim_cpu_overutilized(cpu);
	if (!cpu->nr_running && sim_cpu_is_idle(cpu)) {
		group->idle_cpus++;
		return;
	}
	if (local)
		return;
	load = misfit(pass, cpu, group, overloaded);
	if (load > group->misfit_load)
		group->misfit_load = load;
}

bool sim_group_stats_do(const struct sim *sim, const struct machine_domain *shape)
{
	return !(shape->flags & (MACHINE_SD_ASYM_CPUCAPACITY | MACHINE_SD_ASYM_PACKING)) &&
	       !sim->energy && (!sim->caches.on || (shape->flags & MACHINE_SD_SHARE_LLC)) &&
	       shape->imbalance_pct >= 100 && !sim->sums.overlap;
}

static void classify_group(const struct policy_balance *pass, struct policy_group_stats *group)
{
	group->type = policy_group_classify(pass, group);
	group->avg_load = group->type == POLICY_GROUP_OVERLOADED
				  ? policy_avg_load(group->load, group->capacity)
				  : 0;
}

void sim_group_stats_learn(const struct sim *sim, const struct machine_domain *shape,
			   struct sim_group_state *state)
{
	const struct policy_balance pass = { .rules = sim->balance.rules,
					     .imbalance_pct = shape->imbalance_pct };
	const struct sim_sums *sums = &state->sums;
	struct policy_group_stats *stats = &state->stats;

	state->known = true;
	stats->load = sums->load;
	stats->util = sums->util;
	stats->runnable = sums->runnable;
	stats->h_nr = pass.rules->delayed_count ? sums->queued : sums->h_runnable;
	stats->nr_running = sums->nr_running;
	stats->idle_cpus = sums->idle;
	classify_group(&pass, stats);
}

/* What it is and its capacity; what its CPUs add up to begins at zero. */
static void begin_group(const struct sim_group_state *state, struct policy_group_stats *group)
{
	*group = state->stats;
	group->load = group->util = group->runnable = 0;
	group->h_nr = group->nr_running = group->idle_cpus = 0;
}

/* Two tasks share a core that is not the destination's. */
static bool smt_balance(const struct sim_pass *pass, const struct policy_group_stats *group,
			bool local)
{
	return group->smt && group->h_nr > 1 && pass->p.rules->smt_aware && !local &&
	       pass->p.idle != POLICY_CPU_BUSY;
}

/* Kernel: update_sg_lb_stats(). */
static void sum_group(const struct sim_pass *pass, u32 index, struct policy_group_stats *group,
		      bool *overloaded)
{
	const struct machine_group *of = &pass->domain->shape->groups[index];
	const struct sim *sim = pass->dst->sim;
	bool local = index == pass->local_index;

	begin_group(&sim->balance.shared[pass->domain->shape->index].groups[index], group);
	for (u32 i = 0; i < of->nr_cpus; i++)
		if (!sim_excluded(pass, of->cpus[i]))
			add_cpu(pass, &sim->cpus[of->cpus[i]], local, group, overloaded);
	group->smt_balance = smt_balance(pass, group, local);
	group->asym_packing = !local && policy_group_packs(&pass->p, pass->local_stats, group);
	if (sim->caches.on && !local)
		group->cache = sim_cache_draws(pass, of, group);
	classify_group(&pass->p, group);
	if (sim->caches.on)
		sim_cache_record(pass, of, group);
}

/* The same, from what is known already where that will do; else into @own. */
static const struct policy_group_stats *stats_of(const struct sim_pass *pass, u32 index,
						 struct sim_group_state *groups,
						 struct policy_group_stats *own, bool *overloaded)
{
	const struct policy_group_stats *group;

	if (!groups || groups[index].sums.reduced) {
		sum_group(pass, index, own, overloaded);
		return own;
	}
	*overloaded |= groups[index].sums.crowded;
	group = sim_group_stats(pass->dst->sim, pass->domain->shape, &groups[index]);
	if (!smt_balance(pass, group, index == pass->local_index))
		return group;
	*own = *group;
	own->smt_balance = true;
	classify_group(&pass->p, own);
	return own;
}

/* The capacity of the destination's own group, from what is below.  Kernel: update_group_capacity(). */
static void update_capacity(struct sim_pass *pass)
{
	struct sim_cpu *cpu = pass->dst;
	struct sim *sim = cpu->sim;
	const struct machine_domain *shape = pass->domain->shape;
	struct sim_group_state *state =
		&sim->balance.shared[shape->index].groups[pass->local_index];
	struct policy_group_stats *stats = &state->stats;
	u32 level = (u32)(pass->domain - cpu->lb.domains);
	const struct sim_domain_shared *below;

	state->known = false;
	state->next_update =
		sim_jiffies(sim) +
		policy_balance_interval(pass->domain->interval_ms, 0, sim->setup->hz, sim->nr_cpus);
	if (!level) {
		sim_cpu_capacity_update(cpu);
		stats->capacity = stats->min_capacity = stats->max_capacity =
			sim_cpu_capacity_of(cpu);
		return;
	}
	shape = cpu->domains->at[level - 1];
	below = &sim->balance.shared[shape->index];
	stats->capacity = stats->max_capacity = 0;
	stats->min_capacity = U64_MAX;
	for (u32 i = 0; i < shape->nr_groups; i++) {
		const struct policy_group_stats *group = &below->groups[i].stats;

		stats->capacity += group->capacity;
		if (group->min_capacity < stats->min_capacity)
			stats->min_capacity = group->min_capacity;
		if (group->max_capacity > stats->max_capacity)
			stats->max_capacity = group->max_capacity;
	}
}

static void before_local(struct sim_pass *pass)
{
	const struct sim *sim = pass->dst->sim;

	if (pass->p.idle != POLICY_CPU_NEWLY_IDLE ||
	    sim_jiffies(sim) >= sim->balance.shared[pass->domain->shape->index]
					.groups[pass->local_index]
					.next_update)
		update_capacity(pass);
}

/* Whose cache (7.3: or asymmetric domain) this is.  Kernel: update_idle_cpu_scan(). */
static void update_idle_scan(const struct sim_pass *pass, u64 sum_util)
{
	const struct machine_domain *shape = pass->domain->shape;
	const struct machine_cpu_domains *of = pass->dst->domains;
	struct sim *sim = pass->dst->sim;

	if (!policy_feature(&sim->features, POLICY_SIS_UTIL) ||
	    pass->p.idle == POLICY_CPU_NEWLY_IDLE)
		return;
	if (shape != of->llc && !(pass->p.rules->siblings_in_asym && shape == of->asym &&
				  !(shape->flags & MACHINE_SD_NUMA)))
		return;
	sim->balance.shared[shape->index].nr_idle_scan =
		policy_nr_idle_scan(sum_util, shape->nr_cpus, shape->imbalance_pct);
}

/* Kernel: the end of update_sd_lb_stats(). */
static void tell_machine(const struct sim_pass *pass, bool overloaded, bool overutilized)
{
	struct sim *sim = pass->dst->sim;

	if (!pass->domain->shape->parent)
		sim->balance.overloaded = overloaded;
	if (pass->p.energy_aware && (overutilized || !pass->domain->shape->parent))
		sim_set_overutilized(sim, overutilized);
}

/* 6.1 asks the destination's child domain instead of the busiest group. */
static bool prefers_siblings(const struct sim_pass *pass, const struct policy_domain_stats *stats)
{
	u32 level = (u32)(pass->domain - pass->dst->lb.domains);

	if (pass->p.rules->siblings_of_busiest)
		return stats->busiest.prefer_sibling;
	return level && (pass->dst->domains->at[level - 1]->flags & MACHINE_SD_PREFER_SIBLING);
}

/* From the local group on round the ring; returns the busiest.  Kernel: update_sd_lb_stats(). */
static u32 sum_domain(struct sim_pass *pass, struct policy_domain_stats *stats)
{
	const struct machine_domain *shape = pass->domain->shape;
	bool overloaded = false, overutilized = false;
	struct sim *sim = pass->dst->sim;
	bool known = !pass->nr_excluded && sim_group_stats_do(sim, shape);
	struct sim_group_state *groups = known ? sim->balance.shared[shape->index].groups : NULL;
	u32 busiest = 0, index = pass->local_index;
	const struct policy_group_stats *group;
	struct policy_group_stats own;
	u64 sum_util = 0;

	pass->local_stats = &stats->local;
	sim_sums_update(sim);
	for (u32 i = 0; i < shape->nr_groups; i++) {
		if (!i)
			before_local(pass);
		group = stats_of(pass, index, groups, &own, &overloaded);
		if (!i)
			stats->local = *group;
		else if (policy_group_busier(&pass->p, stats, group)) {
			stats->busiest = *group;
			stats->has_busiest = true;
			busiest = index;
		}
		overutilized |= group->overutilized;
		stats->load += group->load;
		stats->capacity += group->capacity;
		sum_util += group->util;
		index = index + 1 < shape->nr_groups ? index + 1 : 0;
	}
	stats->prefer_sibling = prefers_siblings(pass, stats);
	tell_machine(pass, overloaded, overutilized);
	update_idle_scan(pass, sum_util);
	return busiest;
}

static void pass_facts(struct sim_pass *pass)
{
	const struct sim *sim = pass->dst->sim;
	const struct machine_domain *shape = pass->domain->shape;

	pass->p.rules = sim->balance.rules;
	pass->p.asym = shape->flags & MACHINE_SD_ASYM_CPUCAPACITY;
	pass->p.share_llc = shape->flags & MACHINE_SD_SHARE_LLC;
	pass->p.numa = shape->flags & MACHINE_SD_NUMA;
	pass->p.dst_core_idle = sim_core_idle(pass->dst);
	pass->p.energy_aware = sim->energy;
	pass->p.energy_calm = sim->energy && !sim_overutilized(sim);
	pass->p.imbalance_pct = shape->imbalance_pct;
	pass->p.imb_numa_nr = shape->imb_numa_nr;
	pass->p.dst_capacity = sim_cpu_capacity_of(pass->dst);
	pass->p.packing = shape->flags & MACHINE_SD_ASYM_PACKING;
	pass->p.by_thread = policy_packs_by_thread(pass->p.rules, sim->setup->machine->smt,
						   shape->flags & MACHINE_SD_SHARE_CPUCAPACITY);
	pass->p.dst_priority = sim_cpu_priority(pass->dst);
}

/* The source's part, where the domain packs.  Kernel: sched_asym(), asym_active_balance(). */
static void packing_of(const struct sim_pass *pass, const struct sim_cpu *cpu,
		       struct policy_source *source)
{
	u32 priority = sim_cpu_priority(cpu);
	bool core_idle = sim_core_idle(cpu);

	source->preferred =
		policy_use_priority(&pass->p, core_idle) && priority > sim_cpu_priority(pass->dst);
	source->packs = policy_active_packing(&pass->p, priority, core_idle);
}

/* NULL: balanced.  Else pass->imbalance is set.  Kernel: sched_balance_find_src_group(). */
const struct machine_group *sim_find_busiest_group(struct sim_pass *pass)
{
	static const enum sim_reason reasons[] = {
		[POLICY_GROUP_HAS_SPARE] = SIM_REASON_HAS_SPARE,
		[POLICY_GROUP_FULLY_BUSY] = SIM_REASON_FULLY_BUSY,
		[POLICY_GROUP_MISFIT_TASK] = SIM_REASON_MISFIT,
		[POLICY_GROUP_SMT_BALANCE] = SIM_REASON_SMT_BALANCE,
		[POLICY_GROUP_ASYM_PACKING] = SIM_REASON_PACKING,
		[POLICY_GROUP_IMBALANCED] = SIM_REASON_IMBALANCED,
		[POLICY_GROUP_CACHE] = SIM_REASON_DRAWN,
		[POLICY_GROUP_OVERLOADED] = SIM_REASON_OVERLOADED,
	};
	const struct machine_domain *shape = pass->domain->shape;
	struct policy_domain_stats stats = { 0 };
	struct sim *sim = pass->dst->sim;
	u32 index;

	pass_facts(pass);
	index = sum_domain(pass, &stats);
	pass->p.energy_calm = sim->energy && !sim_overutilized(sim);
	pass->imbalance.amount = 0;
	if (policy_domain_imbalanced(&pass->p, &stats))
		policy_calculate_imbalance(&pass->p, &stats, &pass->imbalance);
	if (!pass->imbalance.amount) {
		sim_decide(sim, pass->dst->curr, SIM_RULE_BALANCE, SIM_REASON_BALANCED, pass->dst);
		return NULL;
	}
	sim_decide(sim, pass->dst->curr, SIM_RULE_BALANCE, reasons[stats.busiest.type],
		   &sim->cpus[shape->groups[index].cpus[0]]);
	return &shape->groups[index];
}

/* What policy_source_busier() compares of a CPU. */
void sim_source_of(const struct sim_pass *pass, const struct sim_cpu *cpu,
		   struct policy_source *source)
{
	*source = (struct policy_source){ .capacity = sim_cpu_capacity_of(cpu),
					  .h_nr = fair_tasks(pass, cpu),
					  .reduced = reduced(pass, cpu) };
	switch (pass->imbalance.what) {
	case POLICY_MIGRATE_LOAD:
		source->load = sim_cpu_load(cpu);
		break;
	case POLICY_MIGRATE_UTIL:
		source->util =
			pass->p.rules->smt_aware ? sim_cpu_util_boost(cpu) : sim_cpu_util(cpu);
		break;
	case POLICY_MIGRATE_MISFIT:
		source->misfit_load = sim_misfit_load(cpu);
		break;
	case POLICY_MIGRATE_CACHE:
		source->prefer_dst = sim_cache_wanted(cpu, pass->dst);
		break;
	case POLICY_MIGRATE_TASK:
		break;
	}
	if (pass->p.packing)
		packing_of(pass, cpu, source);
	if (pass->p.rules->misfit_helps && pass->p.asym)
		source->equal =
			(cpu->sim->setup->machine->smt && !sim_core_idle(cpu)) ||
			(cpu->sim->domains.cluster &&
			 sim_cpu_capacity_actual(cpu) == sim_cpu_capacity_actual(pass->dst));
}

/* NULL: none can give.  Kernel: sched_balance_find_src_rq(). */
struct sim_cpu *sim_find_busiest_cpu(struct sim_pass *pass, const struct machine_group *group)
{
	struct policy_source best = { .capacity = 1 }, source;
	struct sim *sim = pass->dst->sim;
	struct sim_cpu *busiest = NULL;

	for (u32 i = 0; i < group->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[group->cpus[i]];

		if (sim_excluded(pass, cpu->id) || !fair_tasks(pass, cpu))
			continue;
		sim_source_of(pass, cpu, &source);
		if (!policy_source_busier(&pass->p, &pass->imbalance, &source, &best))
			continue;
		best = source;
		busiest = cpu;
	}
	return busiest;
}
