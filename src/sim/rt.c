/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rt - FIFO and RR above the fair class: a ring per priority.
 *
 * Kernel: kernel/sched/rt.c, v6.12.  Pushing and pulling is in push.c.
 */
#include "sim/deadline.h"
#include "sim/freq.h"
#include "sim/track.h"

/* Kernel: RR_TIMESLICE, include/linux/sched/rt.h: 100 ms in ticks that find it running. */
u32 sim_rr_ticks(const struct sim *sim)
{
	return 100 * sim->setup->hz / 1000;
}

static bool alone(const struct sim_task *task)
{
	return task->rt_next == task;
}

/* At the tail of its priority, or at the head if @first. */
static void ring_add(struct sim_cpu *cpu, struct sim_task *task, bool first)
{
	struct sim_task **ring = &cpu->rt_first[task->rt_prio];

	bits_add(cpu->rt_queued, task->rt_prio);
	if (!*ring) {
		*ring = task->rt_next = task->rt_prev = task;
		return;
	}
	task->rt_next = *ring;
	task->rt_prev = (*ring)->rt_prev;
	task->rt_prev->rt_next = task;
	(*ring)->rt_prev = task;
	if (first)
		*ring = task;
}

static void ring_remove(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_task **ring = &cpu->rt_first[task->rt_prio];

	task->rt_prev->rt_next = task->rt_next;
	task->rt_next->rt_prev = task->rt_prev;
	if (*ring == task)
		*ring = alone(task) ? NULL : task->rt_next;
	if (!*ring)
		bits_remove(cpu->rt_queued, task->rt_prio);
}

static void rt_enqueue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	ring_add(cpu, task, flags & SIM_ENQUEUE_RESTORE);
	cpu->rt_nr++;
	if (!cpu->rt_throttled)
		sim_add_nr_running(cpu, 1);
	sim_rt_period_start(cpu->sim);
	sim_freq_update(cpu);
}

static void rt_update_curr(struct sim_cpu *cpu)
{
	struct sim_task *task = cpu->curr;
	u64 delta_ns = cpu->clock_ns - task->se.exec_start_ns;

	if (!delta_ns)
		return;
	task->se.exec_start_ns = cpu->clock_ns;
	task->se.sum_exec_ns += delta_ns;
	sim_emit_runtime(cpu->sim, task, delta_ns);
	sim_rt_account(cpu, delta_ns);
}

static bool rt_dequeue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	(void)flags;
	if (cpu->curr == task)
		rt_update_curr(cpu);
	ring_remove(cpu, task);
	cpu->rt_nr--;
	if (!cpu->rt_throttled)
		sim_sub_nr_running(cpu, 1);
	sim_freq_update(cpu);
	return true;
}

static struct sim_task *rt_pick(struct sim_cpu *cpu)
{
	return cpu->rt_first[sim_rt_top(cpu)];
}

/* The first of the ring of @prio that is not running and could go to @to. */
static struct sim_task *pushable_of(const struct sim_cpu *cpu, u32 prio, const struct sim_cpu *to)
{
	struct sim_task *task = cpu->rt_first[prio];

	if (!task)
		return NULL;
	do {
		if (task != cpu->curr && task->nr_allowed > 1 && (!to || sim_allowed(task, to->id)))
			return task;
		task = task->rt_next;
	} while (task != cpu->rt_first[prio]);
	return NULL;
}

/* Kernel: pick_next_pushable_task(), pick_highest_pushable_task(). */
struct sim_task *sim_rt_pushable(const struct sim_cpu *cpu, const struct sim_cpu *to)
{
	for (u32 prio = sim_rt_top(cpu); prio; prio--) {
		struct sim_task *task = pushable_of(cpu, prio, to);

		if (task)
			return task;
	}
	return NULL;
}

static void rt_set_next(struct sim_cpu *cpu, struct sim_task *task)
{
	task->se.exec_start_ns = cpu->clock_ns;
	if (cpu->curr->class != &sim_class_rt)
		sim_track_rt(cpu, false);
}

static void rt_put_prev(struct sim_cpu *cpu, struct sim_task *task)
{
	if (task->on_rq)
		rt_update_curr(cpu);
	sim_track_rt(cpu, true);
}

/* Kernel: task_tick_rt(): RR goes behind its equals when its slice is over. */
static void rt_tick(struct sim_cpu *cpu, struct sim_task *task, bool queued)
{
	(void)queued;
	rt_update_curr(cpu);
	sim_track_rt(cpu, true);
	if (task->policy != EVENT_POLICY_RR || --task->rr_ticks)
		return;
	task->rr_ticks = sim_rr_ticks(cpu->sim);
	if (alone(task))
		return;
	cpu->rt_first[task->rt_prio] = task->rt_next;
	sim_cpu_resched(cpu);
}

/*
 * Of two equals the running one goes elsewhere if it can and the other cannot.
 * Kernel: check_preempt_equal_prio().
 */
static void preempt_equal(struct sim_cpu *cpu, struct sim_task *task)
{
	if (cpu->curr->nr_allowed == 1 || !sim_rt_may_go(cpu->curr) ||
	    (task->nr_allowed != 1 && sim_rt_may_go(task)))
		return;
	ring_remove(cpu, task);
	ring_add(cpu, task, true);
	sim_cpu_resched(cpu);
}

/* Kernel: wakeup_preempt_rt(). */
static void rt_wakeup_preempt(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	(void)flags;
	if (task->rt_prio > cpu->curr->rt_prio)
		sim_cpu_resched(cpu);
	else if (task->rt_prio == cpu->curr->rt_prio && !cpu->need_resched)
		preempt_equal(cpu, task);
}

static void rt_yield(struct sim_cpu *cpu, struct sim_task *task)
{
	if (cpu->rt_first[task->rt_prio] == task)
		cpu->rt_first[task->rt_prio] = task->rt_next;
}

static void rt_changed(struct sim_task *task)
{
	(void)task;
}

const struct sim_class sim_class_rt = {
	.name = "rt",
	.rank = 2,
	.enqueue = rt_enqueue,
	.dequeue = rt_dequeue,
	.pick = rt_pick,
	.set_next = rt_set_next,
	.put_prev = rt_put_prev,
	.tick = rt_tick,
	.update_curr = rt_update_curr,
	.wakeup_preempt = rt_wakeup_preempt,
	.yield = rt_yield,
	.changed = rt_changed,
	.select = sim_select_rt,
	.woken = sim_push_woken,
	.push = sim_push_rt,
};
