/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wakeup - where a task that wakes or is born will run, and getting it there.
 *
 * Kernel: try_to_wake_up(), ttwu_queue_cond(), kernel/sched/core.c, v6.12.  A fair task's
 * CPU is chosen in select.c.
 */
#include "sim/select.h"
#include "sim/uclamp.h"

struct sim_cpu *sim_first_allowed(struct sim_task *task)
{
	struct sim *sim = task->sim;
	struct sim_cpu *best = NULL;

	if (sim_allowed(task, task->cpu->id))
		return task->cpu;
	for (u32 i = 0; i < sim->nr_cpus; i++)
		if (sim_allowed(task, i) && (!best || sim->cpus[i].nr_running < best->nr_running))
			best = &sim->cpus[i];
	assert(best);
	return best;
}

/*
 * A thread is born as its parent is: of a fair one, as all of the start have, it is placed as a
 * fair one, becomes what it is, sleeps until it begins, and wakes by its class's rule.  Of one
 * above them it stays with its parent, but realtime ones look for a CPU at once.
 * Kernel: select_task_rq() of wake_up_new_task(), kernel/sched/core.c, v6.12.
 */
void sim_place_new(struct sim_task *task, const struct sim_task *parent)
{
	enum sim_reason reason = SIM_REASON_LOWEST;
	struct sim_cpu *cpu;

	task->recent = task->cpu;
	if (!task->class->select || !parent || !parent->class->select)
		sim_task_set_cpu(task, sim_select_fork(task, &reason));
	if (task->class->select) {
		cpu = task->class->select(task);
		if (cpu != task->cpu)
			reason = SIM_REASON_LOWEST;
		sim_task_set_cpu(task, cpu);
	}
	sim_decide(task->sim, task, SIM_RULE_PLACE, reason, task->cpu);
}

/*
 * It begins another program: has least in any cache now.  The stopper takes it to where it is to
 * go; only the fair class looks for such a place.  Kernel: sched_exec(), kernel/sched/core.c, v6.12.
 */
void sim_exec(struct sim_task *task)
{
	struct sim *sim = task->sim;
	enum sim_reason reason;
	struct sim_cpu *cpu;

	if (task->class->select)
		return;
	cpu = sim_select_exec(task, &reason);
	sim_decide(sim, task, SIM_RULE_PLACE, reason, cpu);
	if (cpu != task->cpu) {
		task->migrate_to = cpu;
		task->migrate_reason = (u16)reason;
		sim_cpu_cost(task->cpu, EVENT_COST_STOPPER, sim->setup->machine->costs.stopper_ns);
		sim_cpu_resched(task->cpu);
	}
	if (task->process)
		sim_cache_exec(task);
}

/* Kernel: wakeup_preempt(), kernel/sched/core.c. */
void sim_preempt_check(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_task *curr = cpu->curr;

	if (curr == cpu->idle)
		sim_cpu_resched(cpu);
	else if (curr->class == task->class)
		curr->class->wakeup_preempt(cpu, task, flags);
	else if (task->class->rank > curr->class->rank)
		sim_cpu_resched(cpu);
	if ((curr->on_rq || curr == cpu->idle) && cpu->need_resched)
		cpu->clock_skip = true;
}

static void wake_on(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	sim_read_clock_late(cpu);
	sim_activate(cpu, task, flags);
	sim_preempt_check(cpu, task, flags);
	if (cpu->lb.idle_stamp_ns && cpu->sim->balance.rules->idle_by_wakeup) {
		sim_balance_idle_over(cpu);
		cpu->select.idle_at = sim_jiffies(cpu->sim);
		cpu->select.idle_ns = cpu->lb.avg_idle_ns / 2;
	}
	sim_emit_wake(task->sim, EVENT_WAKEUP, task, task->sim->here->curr);
	if (task->class->woken)
		task->class->woken(cpu, task);
}

/* Kernel: sched_ttwu_pending(). */
void sim_wakelist_run(struct sim_cpu *cpu)
{
	for (size_t i = 0; i < cpu->wakelist.nr; i++)
		wake_on(cpu, cpu->wakelist.at[i],
			SIM_ENQUEUE_WAKEUP |
				(cpu->wakelist.at[i]->remote ? SIM_ENQUEUE_MIGRATED : 0));
	cpu->wakelist.nr = 0;
	sim_idle_changed(cpu);
}

/* Kernel: ttwu_queue_cond(). */
static bool by_wakelist(const struct sim_cpu *here, const struct sim_cpu *cpu)
{
	if (!policy_feature(&cpu->sim->features, POLICY_TTWU_QUEUE))
		return false;
	if (!machine_share_cache(&cpu->sim->domains, here->id, cpu->id))
		return true;
	return here != cpu && !cpu->nr_running;
}

/* It was delayed, and had not left its queue.  Kernel: ttwu_runnable(). */
static void requeue(struct sim_task *task)
{
	sim_uclamp_inc(task->cpu, task);
	task->class->enqueue(task->cpu, task, SIM_ENQUEUE_DELAYED);
}

/* Kernel: try_to_wake_up(). */
static void try_to_wake_up(struct sim_task *task, u32 flags)
{
	struct sim *sim = task->sim;
	struct sim_cpu *here = sim->here, *cpu;
	enum sim_reason reason = SIM_REASON_LOWEST;

	assert(task->state == SIM_BLOCKED);
	sim_emit_wake(sim, EVENT_WAKING, task, here->curr);
	task->state = SIM_RUNNABLE;
	if (task->on_rq) { /* delayed, or not switched out yet: it never left, and is not placed anew */
		sim_decide(sim, task, SIM_RULE_PLACE, SIM_REASON_STILL_QUEUED, task->cpu);
		sim_read_clock_late(task->cpu);
		if (task->se.delayed)
			requeue(task);
		if (task->cpu->curr != task)
			sim_preempt_check(task->cpu, task, flags);
		sim_emit_wake(sim, EVENT_WAKEUP, task, here->curr);
		return;
	}
	if (task->counts_iowait)
		task->cpu->nr_iowait--;
	task->counts_iowait = false;
	cpu = task->class->select ? task->class->select(task)
				  : sim_select_wakeup(task, flags & SIM_ENQUEUE_SYNC, &reason);
	if (task->nr_allowed > 1)
		flags |= SIM_ENQUEUE_SELECTED;
	sim_decide(sim, task, SIM_RULE_PLACE, reason, cpu);
	if (cpu != task->cpu) {
		sim_emit_migrate(sim, task, task->cpu->id, cpu->id);
		if (task->class->migrate)
			task->class->migrate(task);
		sim_task_set_cpu(task, cpu);
		flags |= SIM_ENQUEUE_MIGRATED;
	}
	if (by_wakelist(here, cpu)) {
		task->remote = flags & SIM_ENQUEUE_MIGRATED;
		*vec_add(&cpu->wakelist) = task;
		sim_idle_changed(cpu);
		sim_cpu_ipi(cpu);
	} else {
		wake_on(cpu, task, flags);
	}
}

/*
 * What it costs comes after the clock was read: who runs is charged until then.
 * Kernel: try_to_wake_up(), kernel/sched/core.c.
 */
static void wake(struct sim_task *task, u32 flags)
{
	struct sim *sim = task->sim;

	try_to_wake_up(task, flags);
	sim_cpu_cost(sim->here, EVENT_COST_WAKEUP, sim->setup->machine->costs.wakeup_ns);
}

void sim_wake(struct sim_task *task)
{
	wake(task, SIM_ENQUEUE_WAKEUP);
}

/* The waker says that it is about to sleep, as pipes and sockets do.  Kernel: WF_SYNC. */
void sim_wake_sync(struct sim_task *task)
{
	wake(task, SIM_ENQUEUE_WAKEUP | SIM_ENQUEUE_SYNC);
}
