/* SPDX-License-Identifier: GPL-2.0-only */
/* cache_balance - what a pass between caches does for their sake. */
#include "sim/load.h"
#include "sim/misfit.h"

u32 sim_cache_wanted(const struct sim_cpu *cpu, const struct sim_cpu *dst)
{
	if (cpu->cache.llc == dst->cache.llc || !cpu->domains->llc)
		return 0;
	return cpu->cache.wanted[dst->cache.llc];
}

static const struct sim_domain_shared *shared_of(const struct sim *sim, u32 cpu)
{
	const struct machine_domain *llc = sim->domains.cpus[cpu].llc;

	return llc ? &sim->balance.shared[llc->index] : NULL;
}

/* Kernel: can_migrate_llc(). */
static enum policy_cache_move may_move(const struct sim *sim, u32 src, u32 dst, u64 util,
				       bool to_preferred)
{
	const struct sim_domain_shared *from = shared_of(sim, src), *to = shared_of(sim, dst);
	struct policy_cache_pair pair;

	if (!from || !to)
		return POLICY_CACHE_NO_RULE;
	pair = (struct policy_cache_pair){ from->util, from->capacity, to->util, to->capacity,
					   sim->caches.smt };
	return policy_cache_may_move(&sim->caches.with, &pair, util, to_preferred);
}

static bool tried_enough(const struct sim_pass *pass)
{
	return pass->domain->failed >= pass->domain->shape->cache_nice_tries + 1;
}

bool sim_cache_draws(const struct sim_pass *pass, const struct machine_group *of,
		     const struct policy_group_stats *group)
{
	if (pass->p.share_llc || (pass->p.asym && group->misfit_load) || group->asym_packing ||
	    tried_enough(pass) || !group->prefer_dst)
		return false;
	return may_move(pass->dst->sim, of->cpus[0], pass->dst->id, 0, true) == POLICY_CACHE_MOVES;
}

void sim_cache_record(const struct sim_pass *pass, const struct machine_group *of,
		      const struct policy_group_stats *group)
{
	struct sim *sim = pass->dst->sim;
	const struct machine_cpu_domains *dst = pass->dst->domains;
	u32 level = (u32)(pass->domain - pass->dst->lb.domains);
	const struct machine_domain *llc = sim->domains.cpus[of->cpus[0]].llc;

	if (pass->p.idle == POLICY_CPU_NEWLY_IDLE || !level || dst->at[level - 1] != dst->llc ||
	    !llc)
		return;
	sim->balance.shared[llc->index].util = group->util;
	sim->balance.shared[llc->index].capacity = group->capacity;
}

/* It would become a misfit there.  Kernel: task_misfits_asym_cpu(). */
static bool misfits(const struct sim_pass *pass, const struct sim_task *task)
{
	return pass->p.asym && !sim_task_fits(task, pass->dst) && sim_task_fits(task, pass->src);
}

/* Kernel: can_migrate_llc_task(). */
static enum policy_cache_move may_move_task(struct sim_pass *pass, struct sim_task *task)
{
	const struct sim *sim = task->sim;
	const struct sim_process *process = task->process;
	const struct sim_cpu *src = pass->src, *dst = pass->dst;
	u32 llc;

	if (misfits(pass, task))
		return POLICY_CACHE_STAYS;
	if (process->cpu < 0 || machine_share_cache(&sim->domains, src->id, dst->id))
		return POLICY_CACHE_NO_RULE;
	if (pass->p.idle != POLICY_CPU_BUSY && sim_cpu_priority(dst) > sim_cpu_priority(src) &&
	    policy_use_priority(&pass->p, pass->p.dst_core_idle))
		return POLICY_CACHE_NO_RULE;
	if (sim_cache_crowded(task, dst))
		return POLICY_CACHE_NO_RULE;
	llc = sim->cpus[process->cpu].cache.llc;
	if (llc != src->cache.llc && llc != dst->cache.llc)
		return POLICY_CACHE_NO_RULE;
	return may_move(sim, src->id, dst->id, sim_task_util(task), llc == dst->cache.llc);
}

bool sim_cache_wrong(const struct sim_pass *pass, const struct sim_task *task)
{
	if (!task->sim->caches.on)
		return false;
	return (pass->imbalance.what == POLICY_MIGRATE_CACHE ||
		(pass->flags & SIM_PASS_ACTIVE_CACHE)) &&
	       task->llc != (s32)pass->dst->cache.llc;
}

bool sim_cache_degrades(struct sim_pass *pass, struct sim_task *task)
{
	if (tried_enough(pass))
		return false;
	return sim_cache_wrong(pass, task) || may_move_task(pass, task) == POLICY_CACHE_STAYS;
}

bool sim_cache_settled(const struct sim_pass *pass)
{
	const struct sim_cpu *src = pass->src, *dst = pass->dst;
	u64 util = 0;

	if (machine_share_cache(&src->sim->domains, src->id, dst->id))
		return false;
	if (!src->cache.nr_settled || src->cache.nr_settled != src->root.h_nr_runnable ||
	    pass->imbalance.what == POLICY_MIGRATE_MISFIT)
		return false;
	if (src->nr_running <= 1)
		return true;
	if (src->curr->class == src->fair)
		util = sim_task_util(src->curr);
	if (src->curr != src->idle && misfits(pass, src->curr))
		return true;
	return may_move(src->sim, src->id, dst->id, util, false) == POLICY_CACHE_STAYS;
}
