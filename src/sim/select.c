/* SPDX-License-Identifier: GPL-2.0-only */
/* select - where a task that wakes goes: near its waker or where it was, and by which way. */
#include "sim/select.h"

#include "sim/energy.h"
#include "sim/identity.h"
#include "sim/load.h"
#include "sim/promote.h"

/* Kernel: wake_affine_idle(). */
static enum policy_affine by_idleness(const struct sim_cpu *here, const struct sim_cpu *prev,
				      bool sync)
{
	const struct sim *sim = here->sim;
	u32 delayed = here->root.h_nr_queued - here->root.h_nr_runnable;
	u32 running = here->nr_running - (sim->select.rules->delayed_sleep ? delayed : 0);

	return policy_affine_idle(sim_cpu_is_idle(here), sim_cpu_is_idle(prev),
				  machine_share_cache(&sim->domains, here->id, prev->id), sync,
				  running == 1);
}

/* Kernel: wake_affine_weight(). */
static enum policy_affine by_weight(struct sim_task *task, struct sim_cpu *here,
				    const struct sim_cpu *prev, const struct machine_domain *domain,
				    bool sync)
{
	const struct policy_affine_load with = {
		.this_load = sim_cpu_load(here),
		.prev_load = sim_cpu_load(prev),
		.task_load = sim_task_h_load(task),
		.current_load =
			sync && here->curr->class == here->fair ? sim_task_h_load(here->curr) : 0,
		.this_capacity = sim_cpu_capacity_of(here),
		.prev_capacity = sim_cpu_capacity_of(prev),
		.imbalance_pct = domain->imbalance_pct,
		.sync = sync,
		.bias = policy_feature(&here->sim->features, POLICY_WA_BIAS),
	};

	return policy_affine_weight(&with);
}

/* Kernel: wake_affine(). */
static struct sim_cpu *affine(struct sim_task *task, struct sim_cpu *here, struct sim_cpu *prev,
			      const struct machine_domain *domain, bool sync)
{
	const struct policy_features *features = &here->sim->features;
	enum policy_affine to = POLICY_AFFINE_UNDECIDED;

	if (policy_feature(features, POLICY_WA_IDLE))
		to = by_idleness(here, prev, sync);
	if (to == POLICY_AFFINE_UNDECIDED && policy_feature(features, POLICY_WA_WEIGHT))
		to = by_weight(task, here, prev, domain, sync);
	return to == POLICY_AFFINE_THIS ? here : prev;
}

/*
 * Up the domains of the waker's CPU: the first that also holds the last one decides between
 * the two.  *@slow: the level from which the idlest CPU is searched instead; -1: none.
 * Kernel: the walk of select_task_rq_fair().
 */
static struct sim_cpu *target_of(struct sim_task *task, struct sim_cpu *here, bool want_affine,
				 u32 flag, bool sync, s32 *slow)
{
	struct sim_cpu *prev = task->cpu;

	*slow = -1;
	for (u32 i = 0; i < here->domains->nr; i++) {
		const struct machine_domain *domain = here->domains->at[i];

		if (want_affine && domain->flags & MACHINE_SD_WAKE_AFFINE &&
		    machine_domain_has(&here->sim->domains, domain, prev->id)) {
			*slow = -1;
			return here == prev ? prev : affine(task, here, prev, domain, sync);
		}
		if (domain->flags & flag)
			*slow = (s32)i;
		else if (!want_affine)
			break;
	}
	return prev;
}

/* @flag: of the domains that may be searched for the idlest CPU. */
static struct sim_cpu *select_near(struct sim_task *task, bool sync, u32 flag,
				   enum sim_reason *reason)
{
	struct sim *sim = task->sim;
	struct sim_cpu *here = sim->here, *cpu;
	struct policy_wakee *waker = &here->curr->wakee;
	bool want_affine;
	s32 slow;

	*reason = SIM_REASON_PINNED;
	if (task->nr_allowed == 1)
		return sim_first_allowed(task);
	policy_record_wakee(waker, task->id.tid, sim_jiffies(sim), sim->setup->hz);
	if (sim_promotes(sim)) {
		cpu = sim_promote_select(task, reason);
		return sim_allowed(task, cpu->id) ? cpu : sim_first_allowed(task);
	}
	if (sim->energy) {
		*reason = SIM_REASON_ENERGY;
		cpu = sim_find_energy_efficient_cpu(task, task->cpu);
		if (cpu)
			return cpu;
	}
	want_affine = !policy_wake_wide(waker->flips, task->wakee.flips, here->domains->llc_size) &&
		      sim_allowed(task, here->id) &&
		      (!sim->identities || sim_identity_affine(task, task->cpu));
	cpu = target_of(task, here, want_affine, flag, sync, &slow);
	if (slow >= 0)
		cpu = sim_find_idlest_cpu(task, here, (u32)slow, flag, reason);
	else
		cpu = sim_select_idle_sibling(task, task->cpu, cpu, reason);
	if (sim->identities && sim_identity_idle(cpu, task))
		*reason = SIM_REASON_UNDER_ONLY;
	/* it was not allowed there: it was forbidden while it slept.  Kernel: select_fallback_rq() */
	return sim_allowed(task, cpu->id) ? cpu : sim_first_allowed(task);
}

struct sim_cpu *sim_select_wakeup(struct sim_task *task, bool sync, enum sim_reason *reason)
{
	return select_near(task, sync, MACHINE_SD_BALANCE_WAKE, reason);
}

/* The idlest CPU of the domains that ask for it. */
static struct sim_cpu *select_slow(struct sim_task *task, u32 flag, enum sim_reason *reason)
{
	struct sim_cpu *here = task->sim->here, *cpu;
	s32 slow;

	*reason = SIM_REASON_PINNED;
	if (task->nr_allowed == 1)
		return sim_first_allowed(task);
	cpu = target_of(task, here, false, flag, false, &slow);
	*reason = SIM_REASON_OWN_GROUP;
	if (slow >= 0)
		cpu = sim_find_idlest_cpu(task, here, (u32)slow, flag, reason);
	return sim_allowed(task, cpu->id) ? cpu : sim_first_allowed(task);
}

struct sim_cpu *sim_select_fork(struct sim_task *task, enum sim_reason *reason)
{
	if (task->sim->identities && sim_is_highclass(task)) /* as if it woke */
		return select_near(task, false, MACHINE_SD_BALANCE_FORK | MACHINE_SD_BALANCE_WAKE,
				   reason);
	return select_slow(task, MACHINE_SD_BALANCE_FORK, reason);
}

struct sim_cpu *sim_select_exec(struct sim_task *task, enum sim_reason *reason)
{
	return select_slow(task, MACHINE_SD_BALANCE_EXEC, reason);
}
