/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_detach - which tasks a balancing pass takes from a CPU, and how they get to another.
 */
#include "base/vec.h"
#include "sim/bandwidth.h"
#include "sim/entity.h"
#include "sim/identity.h"
#include "sim/load.h"
#include "sim/misfit.h"
#include "sim/vtime.h"

#define NR_MIGRATE_BREAK 32 /* Kernel: SCHED_NR_MIGRATE_BREAK, without PREEMPT_RT */

static bool is_buddy(const struct sim_task *task)
{
	return task->se.queue->next_buddy == &task->se || task->se.queue->last_buddy == &task->se;
}

/* Kernel: task_hot(). */
static bool cache_hot(const struct sim_pass *pass, const struct sim_task *task)
{
	const struct sim *sim = task->sim;
	u32 cost_ns = sim->setup->tunables.migration_cost_ns;

	if (task->policy == EVENT_POLICY_IDLE ||
	    (pass->domain->shape->flags & MACHINE_SD_SHARE_CPUCAPACITY))
		return false;
	if (policy_feature(&sim->features, POLICY_CACHE_HOT_BUDDY) && pass->dst->nr_running &&
	    is_buddy(task))
		return true;
	if (cost_ns == SIM_ALWAYS_HOT)
		return true;
	return (s64)(pass->src->clock_ns - task->se.exec_start_ns) < (s64)cost_ns;
}

/* Might it run elsewhere in the group of the destination?  Then that is tried next. */
static void note_new_dst(struct sim_pass *pass, const struct sim_task *task)
{
	if (pass->p.idle == POLICY_CPU_NEWLY_IDLE ||
	    (pass->flags & (SIM_PASS_DST_PINNED | SIM_PASS_ACTIVE)))
		return;
	for (u32 i = 0; i < pass->local->nr_cpus; i++) {
		u32 cpu = pass->local->cpus[i];

		if (!sim_allowed(task, cpu) || sim_excluded(pass, cpu))
			continue;
		pass->flags |= SIM_PASS_DST_PINNED;
		pass->new_dst = &task->sim->cpus[cpu];
		return;
	}
}

/* SIM_REASON_NONE: it may be moved.  Kernel: can_migrate_task(), v6.12 and v7.3. */
static enum sim_reason refusal(struct sim_pass *pass, struct sim_task *task)
{
	const struct policy_balance_rules *rules = pass->p.rules;
	enum sim_reason reason;

	if (task->se.delayed && !rules->delayed_move && pass->imbalance.what != POLICY_MIGRATE_LOAD)
		return SIM_REASON_DELAYED;
	if (sim_throttled_pair(task, pass->dst))
		return SIM_REASON_THROTTLED;
	if (rules->ineligible_stay && !pass->domain->failed &&
	    policy_feature(&task->sim->features, POLICY_PLACE_LAG) && pass->dst->root.h_nr_queued &&
	    !sim_eligible(task->se.queue, &task->se))
		return SIM_REASON_INELIGIBLE;
	if (!sim_allowed(task, pass->dst->id)) {
		pass->flags |= SIM_PASS_SOME_PINNED;
		note_new_dst(pass, task);
		return pass->flags & SIM_PASS_DST_PINNED ? SIM_REASON_DST_PINNED
							 : SIM_REASON_SOME_PINNED;
	}
	pass->flags &= ~(u32)SIM_PASS_ALL_PINNED;
	if (task == pass->src->curr && !(pass->flags & SIM_PASS_ACTIVE))
		return SIM_REASON_RUNNING;
	if (task->migrate_to) /* on its way already */
		return SIM_REASON_RUNNING;
	if (task->sim->identities && sim_identity_judges(task, &reason))
		return reason;
	if (pass->flags & SIM_PASS_ANY_HEAT)
		return SIM_REASON_NONE;
	if (pass->flags & SIM_PASS_ACTIVE)
		return sim_cache_wrong(pass, task) ? SIM_REASON_OTHER_CACHE : SIM_REASON_NONE;
	if (task->sim->caches.on && sim_cache_degrades(pass, task)) {
		if (pass->imbalance.what != POLICY_MIGRATE_CACHE)
			pass->flags |= SIM_PASS_CACHE_PINNED;
		return SIM_REASON_OTHER_CACHE;
	}
	if (cache_hot(pass, task) && pass->domain->failed <= pass->domain->shape->cache_nice_tries)
		return SIM_REASON_CACHE_HOT;
	return SIM_REASON_NONE;
}

/* What the imbalance counts of the task; see policy_detach(). */
static u64 value_of(const struct sim_pass *pass, struct sim_task *task)
{
	u64 load;

	switch (pass->imbalance.what) {
	case POLICY_MIGRATE_LOAD:
		load = sim_task_h_load(task);
		return load ? load : 1;
	case POLICY_MIGRATE_UTIL:
		return sim_task_util_est(task);
	case POLICY_MIGRATE_MISFIT:
		return sim_task_fits(task, pass->src);
	case POLICY_MIGRATE_CACHE:
	case POLICY_MIGRATE_TASK:
		break;
	}
	return 0;
}

static enum sim_reason judge(struct sim_pass *pass, struct sim_task *task)
{
	static const enum sim_reason reasons[] = {
		[POLICY_DETACH_TAKE] = SIM_REASON_NONE,
		[POLICY_DETACH_SMALL] = SIM_REASON_TOO_SMALL,
		[POLICY_DETACH_BIG] = SIM_REASON_TOO_BIG,
		[POLICY_DETACH_FITS] = SIM_REASON_FITS,
	};
	enum sim_reason no = refusal(pass, task);

	if (no != SIM_REASON_NONE)
		return no;
	return reasons[policy_detach(&pass->imbalance, value_of(pass, task), pass->domain->failed,
				     policy_feature(&task->sim->features, POLICY_LB_MIN))];
}

/* Kernel: detach_task(). */
static void detach(struct sim_pass *pass, struct sim_task *task)
{
	sim_decide(task->sim, task, SIM_RULE_MIGRATE, (enum sim_reason)pass->reason, pass->dst);
	sim_deactivate(pass->src, task, 0);
	sim_emit_migrate(task->sim, task, pass->src->id, pass->dst->id);
	sim_task_set_cpu(task, pass->dst);
}

/* A CPU that looks for work itself is about to pick.  Kernel: attach_task(). */
static void attach(struct sim_pass *pass, struct sim_task *task)
{
	sim_activate(task->cpu, task, SIM_ENQUEUE_MIGRATED);
	if (pass->p.idle != POLICY_CPU_NEWLY_IDLE)
		sim_preempt_check(task->cpu, task, 0);
}

/* The last one detached comes first. */
static u32 attach_all(struct sim_pass *pass, struct sim_task *last)
{
	u32 nr = 0;

	while (last) {
		struct sim_task *next = last->moved_next;

		attach(pass, last);
		last = next;
		nr++;
	}
	return nr;
}

/* May the loop look at one more task? */
static bool go_on(struct sim_pass *pass)
{
	if (pass->p.idle != POLICY_CPU_BUSY && pass->src->nr_running <= 1)
		return false;
	if (++pass->loop > pass->loop_max)
		return false;
	if (pass->loop <= pass->loop_break)
		return true;
	pass->loop_break += NR_MIGRATE_BREAK;
	pass->flags |= SIM_PASS_NEED_BREAK;
	return false;
}

/*
 * Moves what is to be moved from pass->src to pass->dst; how many.  The least recently run
 * come first; who is refused goes to the other end.  Kernels with PREEMPTION take one task
 * only when newly idle.  Kernel: detach_tasks(), attach_tasks().
 */
static u32 move_some(struct sim_pass *pass)
{
	struct sim_cpu *src = pass->src;
	struct sim_task *last = NULL;

	sim_read_clock(src);
	if (src->nr_running <= 1) {
		pass->flags &= ~(u32)SIM_PASS_ALL_PINNED;
		return 0;
	}
	while (pass->imbalance.amount > 0 && src->fair_tail && go_on(pass)) {
		struct sim_task *task = src->fair_tail;
		enum sim_reason no = judge(pass, task);

		if (no != SIM_REASON_NONE) {
			sim_decide(src->sim, task, SIM_RULE_DETACH, no, pass->dst);
			sim_list_remove(src, task);
			sim_list_add(src, task);
			continue;
		}
		detach(pass, task);
		task->moved_next = last;
		last = task;
		if (pass->p.idle == POLICY_CPU_NEWLY_IDLE)
			break;
	}
	return attach_all(pass, last);
}

u32 sim_move_tasks(struct sim_pass *pass)
{
	u32 nr = 0;

	do {
		pass->flags &= ~(u32)SIM_PASS_NEED_BREAK;
		nr += move_some(pass);
	} while (pass->flags & SIM_PASS_NEED_BREAK);
	return nr;
}

bool sim_take_task(struct sim_cpu *cpu, struct sim_cpu *from, struct sim_domain *domain)
{
	struct sim_pass pass = { .src = from,
				 .dst = cpu,
				 .domain = domain,
				 .flags = SIM_PASS_ANY_HEAT,
				 .p = { .rules = cpu->sim->balance.rules,
					.idle = POLICY_CPU_NEWLY_IDLE },
				 .imbalance = { .what = POLICY_MIGRATE_TASK, .amount = 1 },
				 .reason = SIM_REASON_PROMOTED };

	sim_read_clock(from);
	for (struct sim_task *task = from->fair_tail; task; task = task->list_prev) {
		enum sim_reason no = refusal(&pass, task);

		if (no == SIM_REASON_NONE) {
			detach(&pass, task);
			attach(&pass, task);
			return true;
		}
		sim_decide(cpu->sim, task, SIM_RULE_DETACH, no, cpu);
	}
	return false;
}

/* The lowest domain of @cpu that spans @other, too. */
static struct sim_domain *domain_with(struct sim_cpu *cpu, const struct sim_cpu *other)
{
	for (u32 i = 0; i < cpu->domains->nr; i++)
		if (machine_domain_has(&cpu->sim->domains, cpu->domains->at[i], other->id))
			return &cpu->lb.domains[i];
	return NULL;
}

/* Kernel: detach_one_task(); what runs is pushed when it is switched out. */
static bool push_one(struct sim_pass *pass, const struct sim_task *only)
{
	struct sim_cpu *src = pass->src;

	for (struct sim_task *task = src->fair_tail; task; task = task->list_prev) {
		enum sim_reason no;

		/* it may run again, or its place be taken; it is another one if it has ended */
		if (only && (task != only || task == src->curr || !sim_cpu_is_idle(pass->dst)))
			continue;
		no = refusal(pass, task);
		if (no != SIM_REASON_NONE) {
			sim_decide(src->sim, task, SIM_RULE_DETACH, no, pass->dst);
			continue;
		}
		if (task == src->curr) {
			task->migrate_to = pass->dst;
			task->migrate_reason = SIM_REASON_ACTIVE;
			sim_cpu_resched(src);
			return true;
		}
		detach(pass, task);
		attach(pass, task);
		return true;
	}
	return false;
}

/*
 * The stopper of @cpu runs.  The kernel counts it: with no other task there is nothing to do.
 * Kernel: active_load_balance_cpu_stop().
 */
void sim_push_task(struct sim_cpu *cpu)
{
	const struct sim_push push = cpu->lb.push;
	struct sim_pass pass = { .src = cpu,
				 .dst = push.to,
				 .flags = SIM_PASS_ACTIVE |
					  (push.cache ? (u32)SIM_PASS_ACTIVE_CACHE : 0),
				 .p = { .rules = cpu->sim->balance.rules, .idle = POLICY_CPU_IDLE },
				 .reason = push.only ? SIM_REASON_PROMOTED : SIM_REASON_ACTIVE };

	cpu->lb.push = (struct sim_push){ 0 };
	sim_cpu_cost(cpu, EVENT_COST_STOPPER, cpu->sim->setup->machine->costs.stopper_ns);
	pass.domain = domain_with(push.to, cpu);
	if (!cpu->nr_running || !pass.domain)
		return;
	sim_read_clock(cpu);
	if (push_one(&pass, push.only))
		pass.domain->failed = 0;
}
