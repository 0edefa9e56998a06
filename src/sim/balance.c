/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance - when CPUs balance: by the tick, and when they run out of work.
 *
 * Kernel: sched_balance_domains(), sched_balance_newidle(), kernel/sched/fair.c, v6.12.
 */
#include "sim/balance.h"

#include <stdlib.h>

#include "base/rng.h"
#include "policy/promote.h"
#include "sim/internal.h"
#include "sim/load.h"
#include "sim/promote.h"

#define DICE_SITE 0x6e695f72616e646fULL /* the kernel's own dice: a stream of their own */

static void describe_group(const struct machine_group *group, struct policy_group_stats *stats)
{
	*stats = (struct policy_group_stats){
		.capacity = group->capacity,
		.min_capacity = group->min_capacity,
		.max_capacity = group->max_capacity,
		.weight = group->nr_cpus,
		.cores = group->nr_cores,
		.smt = group->flags & MACHINE_SD_SHARE_CPUCAPACITY,
		.prefer_sibling = group->flags & MACHINE_SD_PREFER_SIBLING,
		.asym_priority = (s32)group->priority,
	};
}

static void init_shared(struct sim *sim)
{
	for (u32 i = 0; i < sim->domains.nr; i++) {
		const struct machine_domain *shape = &sim->domains.at[i];
		struct sim_domain_shared *shared = &sim->balance.shared[i];

		shared->groups = NEW_ARRAY(struct sim_group_state, shape->nr_groups);
		shared->nr_busy = shape->nr_cpus;
		shared->nr_idle_scan = shape->nr_cpus; /* a machine that idled until now */
		for (u32 g = 0; g < shape->nr_groups; g++)
			describe_group(&shape->groups[g], &shared->groups[g].stats);
	}
}

/* Kernel: sched_init(), sd_init().  CPUs without a tick sleep: all at first. */
static void init_cpu(struct sim_cpu *cpu, struct sim_domain *domains)
{
	cpu->lb.domains = domains;
	if (!cpu->lb.max_cost_ns) {
		cpu->lb.max_cost_ns = SIM_MIGRATION_COST_NS;
		cpu->lb.avg_idle_ns = 2 * cpu->lb.max_cost_ns;
		cpu->lb.idle_stamp_ns = 1; /* it idles since time began */
	}
	for (u32 i = 0; i < cpu->domains->nr; i++) {
		domains[i].shape = cpu->domains->at[i];
		domains[i].interval_ms = domains[i].shape->min_interval_ms;
		policy_newidle_init(&domains[i].newidle, 0);
	}
	cpu->lb.sleeps = false;
	if (!cpu->tick_running)
		sim_nohz_sleep(cpu);
}

void sim_balance_init(struct sim *sim)
{
	size_t nr = 0, words = bits_words(sim->nr_cpus);

	sim->balance.own = policy_balance_rules[sim->setup->release->balancer];
	sim->balance.own.mean_only = policy_feature(&sim->features, POLICY_GROUP_IMBALANCE);
	sim->balance.rules = &sim->balance.own;
	sim->balance.shared = NEW_ARRAY(struct sim_domain_shared, sim->domains.nr);
	sim->balance.nohz.sleepers = NEW_ARRAY(u64, words);
	sim->balance.excluded = NEW_ARRAY(u64, words);
	init_shared(sim);
	sim_cache_domains(sim);
	for (u32 i = 0; i < sim->nr_cpus; i++)
		nr += sim->domains.cpus[i].nr;
	sim->balance.domains = NEW_ARRAY(struct sim_domain, nr);
	sim_sums_init(sim);
	nr = 0;
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		init_cpu(&sim->cpus[i], &sim->balance.domains[nr]);
		nr += sim->domains.cpus[i].nr;
	}
}

void sim_balance_fini(struct sim *sim)
{
	sim_sums_fini(sim);
	for (u32 i = 0; i < sim->domains.nr; i++)
		free(sim->balance.shared[i].groups);
	free(sim->balance.shared);
	free(sim->balance.domains);
	free(sim->balance.nohz.sleepers);
	free(sim->balance.excluded);
	sim->balance = (struct sim_balance){ 0 };
}

u32 sim_nr_idle_scan(const struct sim_cpu *cpu)
{
	const struct machine_domain *shape = cpu->domains->llc, *asym = cpu->domains->asym;

	if (asym && cpu->sim->balance.rules->siblings_in_asym && !(asym->flags & MACHINE_SD_NUMA))
		shape = asym;
	return shape ? cpu->sim->balance.shared[shape->index].nr_idle_scan : 0;
}

void sim_balance_idle_over(struct sim_cpu *cpu)
{
	struct sim_cpu_balance *lb = &cpu->lb;

	if (!lb->idle_stamp_ns)
		return;
	lb->avg_idle_ns = policy_avg_idle(lb->avg_idle_ns, cpu->clock_ns - (lb->idle_stamp_ns - 1),
					  lb->max_cost_ns);
	lb->idle_stamp_ns = 0;
}

/* Kernel: update_next_balance(). */
static void earlier(const struct sim *sim, const struct sim_domain *domain, u64 *next)
{
	u64 due = domain->last_balance +
		  policy_balance_interval(domain->interval_ms, 0, sim->setup->hz, sim->nr_cpus);

	if (due < *next)
		*next = due;
}

/* Shall this domain be tried?  How many successes one counts as; 0: no.  Kernel: NI_RANDOM. */
static u32 roll(struct sim_cpu *cpu, struct sim_domain *domain)
{
	const struct sim *sim = cpu->sim;
	const struct policy_balance_rules *rules = sim->balance.rules;
	u32 dice, weight;

	if (!policy_feature(&sim->features, POLICY_NI_RANDOM))
		return 1;
	dice = rng_below(rng_draw(sim->setup->seed, cpu->id, DICE_SITE, cpu->lb.dice++), 1024);
	weight = policy_newidle_dice(domain->newidle.ratio, dice, rules->sure_without_dice);
	if (!weight)
		policy_newidle_stats(rules, &domain->newidle, 0, sim->now_ns,
				     policy_feature(&sim->features, POLICY_NI_RATE));
	return weight;
}

/* One domain.  False: look no further. */
static bool try_domain(struct sim_cpu *cpu, struct sim_domain *domain, u32 weight, u64 *cost_sum_ns)
{
	struct sim *sim = cpu->sim;
	struct sim_pass pass = { .p.idle = POLICY_CPU_NEWLY_IDLE,
				 .dst = cpu,
				 .domain = domain,
				 .reason = SIM_REASON_NEWIDLE };
	u64 cost_ns = (u64)sim->setup->machine->costs.balance_cpu_ns * domain->shape->nr_cpus;
	bool go_on = true;
	u32 pulled = sim_balance_pass(&pass, &go_on);

	*cost_sum_ns += cost_ns;
	policy_newidle_stats(sim->balance.rules, &domain->newidle, pulled ? weight : 0, sim->now_ns,
			     policy_feature(&sim->features, POLICY_NI_RATE));
	policy_newidle_cost(&domain->newidle, cost_ns, sim_jiffies(sim), sim->setup->hz);
	if (sim->balance.rules->newidle_runnable)
		return !pulled && !cpu->nr_running && !cpu->wakelist.nr;
	return !pulled && go_on;
}

static void look_around(struct sim_cpu *cpu, u64 *next)
{
	struct sim_cpu_balance *lb = &cpu->lb;
	u64 cost_ns = 0;

	sim_cpu_load_blocked(cpu);
	for (u32 i = 0; i < cpu->domains->nr; i++) {
		struct sim_domain *domain = &lb->domains[i];
		u32 weight;

		earlier(cpu->sim, domain, next);
		if (!policy_promote_looks(sim_promotes(cpu->sim), lb->avg_idle_ns,
					  cost_ns + domain->newidle.max_cost_ns))
			break;
		if (!(domain->shape->flags & MACHINE_SD_BALANCE_NEWIDLE))
			continue;
		weight = roll(cpu, domain);
		if (weight && !try_domain(cpu, domain, weight, &cost_ns))
			break;
	}
	if (cost_ns > lb->max_cost_ns)
		lb->max_cost_ns = cost_ns;
}

bool sim_balance_newidle(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	struct sim_cpu_balance *lb = &cpu->lb;
	u64 next;

	if (!cpu->domains->nr)
		return false;
	cpu->misfit_load = 0;
	if (cpu->wakelist.nr)
		return false;
	lb->idle_stamp_ns = cpu->clock_ns + 1;
	next = sim_jiffies(sim) + sim->setup->hz;
	if (!sim->balance.overloaded || !policy_promote_looks(sim_promotes(sim), lb->avg_idle_ns,
							      lb->domains[0].newidle.max_cost_ns))
		earlier(sim, &lb->domains[0], &next);
	else
		look_around(cpu, &next);
	if (sim_promotes(sim) && sim->balance.overloaded && !cpu->nr_running && !cpu->wakelist.nr)
		sim_promote_pull(cpu);
	if (next < lb->next_balance)
		lb->next_balance = next;
	if (!cpu->root.h_nr_queued) {
		sim_nohz_newidle(cpu);
		return false;
	}
	lb->idle_stamp_ns = 0;
	return true;
}

static u32 busy_factor(const struct sim_cpu *cpu, const struct sim_domain *domain, bool busy)
{
	return busy && !sim_cpu_only_idle_policy(cpu) ? domain->shape->busy_factor : 0;
}

/* A pass, if it is time; returns when the next one is.  *@busy follows what it moved. */
static u64 visit(struct sim_cpu *cpu, struct sim_domain *domain, bool *busy, bool *go_on,
		 u16 reason)
{
	const struct sim *sim = cpu->sim;
	u32 hz = sim->setup->hz;
	u64 interval = policy_balance_interval(domain->interval_ms, busy_factor(cpu, domain, *busy),
					       hz, sim->nr_cpus);

	if (sim_jiffies(sim) >= domain->last_balance + interval) {
		struct sim_pass pass = { .p.idle = *busy ? POLICY_CPU_BUSY : POLICY_CPU_IDLE,
					 .dst = cpu,
					 .domain = domain,
					 .reason = reason };

		if (sim_balance_pass(&pass, go_on))
			*busy = !sim_cpu_is_idle(cpu);
		domain->last_balance = sim_jiffies(sim);
		interval = policy_balance_interval(
			domain->interval_ms, busy_factor(cpu, domain, *busy), hz, sim->nr_cpus);
	}
	return domain->last_balance + interval;
}

/* Kernel: sched_balance_domains(). */
void sim_balance_domains(struct sim_cpu *cpu, enum policy_cpu_idle idle, u16 reason)
{
	const struct sim *sim = cpu->sim;
	u64 next = sim_jiffies(sim) + (u64)60 * sim->setup->hz, never = next, cost_ns = 0;
	bool go_on = true, busy = idle == POLICY_CPU_BUSY, decayed = false;

	for (u32 i = 0; i < cpu->domains->nr; i++) {
		struct sim_domain *domain = &cpu->lb.domains[i];
		u64 due;

		decayed =
			policy_newidle_cost(&domain->newidle, 0, sim_jiffies(sim), sim->setup->hz);
		cost_ns += domain->newidle.max_cost_ns;
		if (!go_on) {
			if (decayed)
				continue;
			break;
		}
		due = visit(cpu, domain, &busy, &go_on, reason);
		if (due < next)
			next = due;
	}
	if (decayed) {
		u64 least_ns = sim->setup->tunables.migration_cost_ns;

		cpu->lb.max_cost_ns = cost_ns > least_ns ? cost_ns : least_ns;
	}
	if (next != never)
		cpu->lb.next_balance = next;
}

void sim_balance_tick(struct sim_cpu *cpu)
{
	struct sim_cpu_balance *lb = &cpu->lb;

	if (!cpu->domains->nr)
		return;
	lb->due_idle = sim_cpu_is_idle(cpu);
	lb->due = sim_jiffies(cpu->sim) >= lb->next_balance;
	if (!lb->due_idle)
		sim_nohz_tick(cpu);
}

void sim_balance_softirq(struct sim_cpu *cpu)
{
	if (!cpu->lb.due)
		return;
	cpu->lb.due = false;
	sim_cpu_load_blocked(cpu);
	sim_balance_domains(cpu, cpu->lb.due_idle ? POLICY_CPU_IDLE : POLICY_CPU_BUSY,
			    SIM_REASON_PERIODIC);
}

void sim_balance_ipi(struct sim_cpu *cpu)
{
	if (cpu->lb.push.to)
		sim_push_task(cpu);
	if (cpu->lb.kick)
		sim_nohz_ipi(cpu);
}
