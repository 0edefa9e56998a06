/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz - who balances for idle CPUs whose tick is stopped.
 *
 * A busy CPU's tick wakes one of them if that is worth it, and that one balances for all.
 * Kernel: nohz_balancer_kick(), nohz_idle_balance(), kernel/sched/fair.c, v6.12 and v7.3.
 */
#include "sim/internal.h"
#include "sim/load.h"

#define ANY_KICK (POLICY_KICK_STATS | POLICY_KICK_BALANCE | POLICY_KICK_NEXT)

static struct sim_domain_shared *cache_of(const struct sim_cpu *cpu)
{
	return cpu->domains->llc ? &cpu->sim->balance.shared[cpu->domains->llc->index] : NULL;
}

/* The tick stops.  Kernel: nohz_balance_enter_idle(). */
void sim_nohz_sleep(struct sim_cpu *cpu)
{
	struct sim_nohz *nohz = &cpu->sim->balance.nohz;

	if (!cpu->domains->nr)
		return;
	cpu->lb.blocked = true;
	if (!cpu->lb.sleeps) {
		cpu->lb.sleeps = true;
		bits_add(nohz->sleepers, cpu->id);
		nohz->nr++;
		if (cache_of(cpu))
			cache_of(cpu)->nr_busy--;
		nohz->needs_update = true;
	}
	nohz->has_blocked = true;
}

/* The first busy tick.  Kernel: nohz_balance_exit_idle(). */
static void awake(struct sim_cpu *cpu)
{
	struct sim_nohz *nohz = &cpu->sim->balance.nohz;

	if (!cpu->lb.sleeps)
		return;
	cpu->lb.sleeps = false;
	bits_remove(nohz->sleepers, cpu->id);
	nohz->nr--;
	if (cache_of(cpu))
		cache_of(cpu)->nr_busy++;
}

/* The next sleeper from @from on; nr_cpus: none. */
static u32 next_sleeper(const struct sim *sim, u32 from)
{
	u64 word;

	if (from >= sim->nr_cpus)
		return sim->nr_cpus;
	word = sim->balance.nohz.sleepers[from / 64] >> (from % 64);
	if (word)
		return from + (u32)__builtin_ctzll(word);
	for (u32 i = from / 64 + 1; i * 64 < sim->nr_cpus; i++)
		if (sim->balance.nohz.sleepers[i])
			return i * 64 + (u32)__builtin_ctzll(sim->balance.nohz.sleepers[i]);
	return sim->nr_cpus;
}

/* The idle sleeper to wake; NULL: none.  Kernel: find_new_ilb(). */
static struct sim_cpu *find_sleeper(struct sim *sim)
{
	struct sim_cpu *fallback = NULL;

	for (u32 i = next_sleeper(sim, 0); i < sim->nr_cpus; i = next_sleeper(sim, i + 1)) {
		struct sim_cpu *cpu = &sim->cpus[i];

		if (cpu == sim->here || !sim_cpu_is_idle(cpu))
			continue;
		if (!sim->balance.rules->ilb_full_core || sim_core_idle(cpu))
			return cpu;
		if (!fallback)
			fallback = cpu;
	}
	return fallback;
}

static enum sim_reason kick_reason(const struct policy_nohz *nohz, u32 flags)
{
	if (!(flags & POLICY_KICK_BALANCE))
		return flags & POLICY_KICK_STATS ? SIM_REASON_BLOCKED_LOAD
						 : SIM_REASON_NEXT_BALANCE;
	if (nohz->nr_running >= 2)
		return SIM_REASON_TWO_TASKS;
	if (nohz->h_nr && nohz->reduced)
		return SIM_REASON_REDUCED;
	if (nohz->preferred_idle)
		return SIM_REASON_PACKING;
	return nohz->asym ? SIM_REASON_MISFIT : SIM_REASON_CACHE_BUSY;
}

/* Kernel: kick_ilb(). */
static void kick(struct sim_cpu *here, u32 flags, enum sim_reason reason)
{
	struct sim *sim = here->sim;
	struct sim_cpu *cpu;
	u32 before;

	if (flags & POLICY_KICK_BALANCE)
		sim->balance.nohz.next_balance = sim_jiffies(sim) + 1;
	cpu = find_sleeper(sim);
	if (!cpu)
		return;
	before = cpu->lb.kick;
	cpu->lb.kick |= flags;
	if (before & ANY_KICK)
		return;
	sim_decide(sim, here->curr, SIM_RULE_KICK, reason, cpu);
	sim_cpu_ipi(cpu);
}

/* What the kick asks of the CPU's capacity: its lowest domain's imbalance_pct. */
static bool reduced(const struct sim_cpu *cpu)
{
	return policy_capacity_reduced(sim_cpu_capacity_of(cpu), sim_cpu_capacity_orig(cpu),
				       cpu->domains->at[0]->imbalance_pct);
}

/* A misfit that a bigger CPU could help; v6.1: check_misfit_status(). */
static bool misfit(const struct sim_cpu *cpu)
{
	if (!cpu->misfit_load || !policy_feature(&cpu->sim->features, POLICY_MISFIT_KICK))
		return false;
	return cpu->sim->balance.rules->smt_aware ||
	       sim_cpu_capacity_orig(cpu) < MACHINE_FULL_CAPACITY || reduced(cpu);
}

/* Sleeps a CPU that packing prefers?  Kernel: the loop of nohz_balancer_kick(). */
static bool preferred_idle(const struct sim_cpu *cpu)
{
	const struct machine_domain *domain = cpu->domains->packing;
	const struct sim *sim = cpu->sim;
	bool by_thread;

	if (!domain)
		return false;
	by_thread = policy_packs_by_thread(sim->balance.rules, sim->setup->machine->smt,
					   domain->flags & MACHINE_SD_SHARE_CPUCAPACITY);
	for (u32 i = 0; i < domain->nr_cpus; i++) {
		const struct sim_cpu *other = &sim->cpus[domain->cpus[i]];

		if (bits_has(sim->balance.nohz.sleepers, other->id) &&
		    sim_cpu_priority(other) > sim_cpu_priority(cpu) &&
		    (by_thread || sim_core_idle(other)))
			return true;
	}
	return false;
}

/* The tick of a CPU that is not idle.  Kernel: nohz_balancer_kick(). */
void sim_nohz_tick(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	const struct sim_nohz *nohz = &sim->balance.nohz;
	struct policy_nohz facts;
	u32 flags;

	awake(cpu);
	if (!nohz->nr && !sim->balance.rules->kick_when_due)
		return;
	facts = (struct policy_nohz){
		.jiffies = sim_jiffies(sim),
		.next_balance = nohz->next_balance,
		.next_blocked = nohz->next_blocked,
		.some_idle = nohz->nr,
		.has_blocked = nohz->has_blocked,
		.needs_update = nohz->needs_update,
		.nr_running = cpu->nr_running,
		.h_nr = sim->balance.rules->delayed_count ? cpu->root.h_nr_queued
							  : cpu->root.h_nr_runnable,
		.reduced = reduced(cpu),
		.preferred_idle = preferred_idle(cpu),
		.asym = cpu->domains->asym,
		.misfit = misfit(cpu),
		.nr_busy = cache_of(cpu) ? cache_of(cpu)->nr_busy : 0,
	};
	flags = policy_nohz_kick(sim->balance.rules, &facts);
	if (flags)
		kick(cpu, flags, kick_reason(&facts, flags));
}

/* Is something left that goes down by itself?  Kernel: update_nohz_stats(). */
static bool update_blocked(struct sim_cpu *cpu)
{
	u64 jiffies = sim_jiffies(cpu->sim);

	if (!cpu->lb.blocked || !cpu->lb.sleeps)
		return false;
	if (jiffies <= cpu->lb.blocked_at)
		return true;
	cpu->lb.blocked_at = jiffies;
	cpu->lb.blocked = sim_cpu_load_blocked(cpu);
	return cpu->lb.blocked;
}

/* One sleeper.  Returns when it wants to balance next. */
static u64 balance_for(struct sim_cpu *cpu, u32 flags, bool *has_blocked)
{
	if (flags & POLICY_KICK_STATS)
		*has_blocked |= update_blocked(cpu);
	if (sim_jiffies(cpu->sim) >= cpu->lb.next_balance) {
		sim_read_clock(cpu);
		if (flags & POLICY_KICK_BALANCE)
			sim_balance_domains(cpu, POLICY_CPU_IDLE, SIM_REASON_NOHZ);
	}
	return cpu->lb.next_balance;
}

/* All sleepers, from the one after this CPU on.  Kernel: _nohz_idle_balance(). */
static void balance_all(struct sim_cpu *here, u32 flags)
{
	struct sim *sim = here->sim;
	struct sim_nohz *nohz = &sim->balance.nohz;
	u64 now = sim_jiffies(sim), never = now + (u64)60 * sim->setup->hz, next = never;
	bool has_blocked = false;

	if (flags & POLICY_KICK_STATS)
		nohz->has_blocked = false;
	if (flags & POLICY_KICK_NEXT)
		nohz->needs_update = false;
	for (u32 k = 0; k < 2; k++) {
		u32 from = k ? 0 : here->id + 1, to = k ? here->id + 1 : sim->nr_cpus;

		for (u32 i = next_sleeper(sim, from); i < to; i = next_sleeper(sim, i + 1)) {
			u64 due;

			if (!sim_cpu_is_idle(&sim->cpus[i]))
				continue;
			if (!sim_cpu_is_idle(here) && here->need_resched) {
				nohz->has_blocked |= !!(flags & POLICY_KICK_STATS);
				nohz->needs_update |= !!(flags & POLICY_KICK_NEXT);
				return;
			}
			due = balance_for(&sim->cpus[i], flags, &has_blocked);
			if (due < next)
				next = due;
		}
	}
	if (next != never)
		nohz->next_balance = next;
	if (flags & POLICY_KICK_STATS)
		nohz->next_blocked =
			now + policy_ms_to_jiffies(POLICY_BLOCKED_PERIOD_MS, sim->setup->hz);
	nohz->has_blocked |= has_blocked;
}

/* Kernel: nohz_csd_func(), nohz_idle_balance(). */
void sim_nohz_ipi(struct sim_cpu *cpu)
{
	u32 flags = cpu->lb.kick;

	if (!(flags & ANY_KICK))
		return;
	cpu->lb.kick = 0;
	if (sim_cpu_is_idle(cpu))
		balance_all(cpu, flags);
}

/* It found nothing to pull.  Kernel: nohz_newidle_balance(). */
void sim_nohz_newidle(struct sim_cpu *cpu)
{
	const struct sim *sim = cpu->sim;

	if (cpu->lb.avg_idle_ns < sim->setup->tunables.migration_cost_ns)
		return;
	if (!sim->balance.nohz.has_blocked || sim_jiffies(sim) < sim->balance.nohz.next_blocked)
		return;
	cpu->lb.kick |= POLICY_KICK_NEWILB;
}

/* It is about to idle.  Kernel: nohz_run_idle_balance(). */
void sim_nohz_going_idle(struct sim_cpu *cpu)
{
	u32 flags = cpu->lb.kick;

	cpu->lb.kick &= ~(u32)POLICY_KICK_NEWILB;
	if (flags == POLICY_KICK_NEWILB && !cpu->need_resched)
		balance_all(cpu, POLICY_KICK_STATS);
}
