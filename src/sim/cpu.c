/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu - who runs: interrupts, ticks, switches, idling.
 *
 * Kernel: __schedule(), resched_curr(), sched_tick(), kernel/sched/core.c;
 * v6.12.
 */
#include "base/rng.h"
#include "sim/internal.h"
#include "sim/misfit.h"
#include "sim/promote.h"
#include "sim/track.h"

#define WAVER_SITE          0x776176657273ULL /* of its own, as the kernel's dice are */
#define COSTS_TOLD_EVERY_NS 10000000          /* one event a kind, not one a switch */

static const struct machine_costs *costs(const struct sim_cpu *cpu)
{
	return &cpu->sim->setup->machine->costs;
}

/* The first point of the tick's grid after @time_ns: k * tick, for ever. */
u64 sim_tick_after(const struct sim *sim, u64 time_ns)
{
	return (time_ns / sim->tick_ns + 1) * sim->tick_ns;
}

/* The running task must give way; it does so when it next returns to user mode. */
void sim_cpu_resched(struct sim_cpu *cpu)
{
	if (cpu->need_resched)
		return;
	cpu->need_resched = true;
	if (cpu != cpu->sim->here)
		sim_cpu_ipi(cpu);
}

/* An interrupt or a system call of this CPU ends: what waited for that happens now. */
void sim_cpu_to_user(struct sim_cpu *cpu)
{
	cpu->need_resched |= cpu->need_resched_lazy;
	cpu->need_resched_lazy = false;
}

void sim_cpu_ipi(struct sim_cpu *cpu)
{
	if (!sim_timer_armed(cpu, SIM_TIMER_IPI))
		sim_timer_arm(cpu, SIM_TIMER_IPI, cpu->sim->now_ns + costs(cpu)->ipi_latency_ns);
}

void sim_cpu_advance(struct sim_cpu *cpu)
{
	u64 ran_ns = cpu->sim->now_ns - cpu->mark_ns, done;

	cpu->mark_ns = cpu->sim->now_ns;
	if (cpu->cost_left_ns >= ran_ns) {
		cpu->cost_left_ns -= ran_ns;
		return;
	}
	done = (ran_ns - cpu->cost_left_ns) * cpu->speed;
	cpu->cost_left_ns = 0;
	cpu->curr->work_left -= done < cpu->curr->work_left ? done : cpu->curr->work_left;
}

/*
 * A cost that is @ns in the middle: no two passes through a kernel take equally long, so what
 * falls on the same ns here and in every period would not there.
 */
u64 sim_cpu_waver(struct sim_cpu *cpu, u64 ns)
{
	u32 waver_ns = costs(cpu)->waver_ns;
	u64 draw = rng_draw(cpu->sim->setup->seed, cpu->id, WAVER_SITE, cpu->wavered++);

	ns += rng_below(draw, 2 * waver_ns + 1);
	return ns > waver_ns ? ns - waver_ns : 0;
}

void sim_cpu_tell_costs(struct sim_cpu *cpu)
{
	cpu->cost_told_ns = cpu->sim->now_ns;
	for (u32 what = 0; what < EVENT_NR_COSTS; what++) {
		struct event event = { .kind = EVENT_COST,
				       .cpu = (s32)cpu->id,
				       .cost = { .what = what, .ns = cpu->cost_sum_ns[what] } };

		if (!cpu->cost_sum_ns[what])
			continue;
		sim_emit(cpu->sim, &event);
		cpu->cost_sum_ns[what] = 0;
	}
}

/* When the running task will next need attention: its costs, and then its work, are done. */
static void arm_done(struct sim_cpu *cpu)
{
	const struct sim_task *task = cpu->curr;
	u64 time_ns;

	sim_cpu_account(cpu);
	time_ns = cpu->sim->now_ns + cpu->cost_left_ns;
	if (cpu->need_resched || task->throttle_work)
		; /* as soon as the kernel is done */
	else if (task->work_left)
		time_ns += (task->work_left + cpu->speed - 1) / cpu->speed;
	else if (task->until_ns > time_ns)
		time_ns = task->until_ns;
	if (cpu->timers[SIM_TIMER_DONE].time_ns != time_ns)
		sim_timer_arm(cpu, SIM_TIMER_DONE, time_ns);
}

/* From now on work goes at @speed: capacity, 1024 is the biggest CPU at its highest frequency. */
void sim_cpu_set_speed(struct sim_cpu *cpu, u32 speed)
{
	sim_cpu_account(cpu);
	cpu->speed = speed;
	if (sim_timer_armed(cpu, SIM_TIMER_DONE))
		arm_done(cpu);
}

/*
 * The same, without disturbing it: it goes on until its CPU returns to user mode for another
 * reason, which it is about to if it is in the kernel.  An idle CPU is never left waiting.
 * At once where the release does not know laziness.
 * Kernel: resched_curr_lazy(), kernel/sched/core.c, v7.3, preempt=lazy.
 */
void sim_cpu_resched_lazy(struct sim_cpu *cpu)
{
	if (!cpu->sim->rules->lazy || cpu->curr == cpu->idle) {
		sim_cpu_resched(cpu);
		return;
	}
	sim_cpu_account(cpu);
	if (cpu == cpu->sim->here || !cpu->cost_left_ns) {
		cpu->need_resched_lazy = true;
	} else {
		cpu->need_resched = true;
		arm_done(cpu);
	}
}

/* @prev, of a class above the fair one, leaves its queue; so what another has may come. */
static void pull(struct sim_cpu *cpu, const struct sim_task *prev)
{
	if (prev->class == &sim_class_dl ? !prev->dl_queued : !prev->on_rq)
		sim_pull(cpu, prev->class, sim_prio(prev));
}

static struct sim_task *pick(struct sim_cpu *cpu)
{
	struct sim_task *task;

	if (cpu->curr->class && cpu->curr->class->rank > SIM_RANK_FAIR)
		pull(cpu, cpu->curr);
	for (;;) {
		task = cpu->dl_first || cpu->server.queued ? sim_dl_pick(cpu) : NULL;
		if (task)
			return task;
		cpu->pick_reason = SIM_REASON_CLASS;
		task = cpu->rt_nr && !cpu->rt_throttled ? sim_class_rt.pick(cpu) : NULL;
		if (!task) {
			cpu->pick_reason = SIM_REASON_NONE;
			task = cpu->fair->pick(cpu);
		}
		if (task)
			return task;
		sim_misfit_update(cpu, NULL);
		if (sim_balance_newidle(cpu))
			continue;
		cpu->pick_reason = SIM_REASON_IDLE;
		return cpu->idle;
	}
}

/* Kernel: put_prev_task_idle(). */
static void idle_put(struct sim_cpu *cpu)
{
	if (!cpu->sim->balance.rules->idle_by_wakeup)
		sim_balance_idle_over(cpu);
	sim_server_idle(cpu);
}

/* Kernel: the end of set_next_task_fair(). */
static void started(struct sim_cpu *cpu, struct sim_task *task)
{
	if (task->class == cpu->fair)
		sim_misfit_update(cpu, task);
}

static void switch_classes(struct sim_cpu *cpu, struct sim_task *prev, struct sim_task *next)
{
	if (prev->class && prev->class == next->class && prev->class->switch_to) {
		prev->class->switch_to(cpu, prev, next);
		started(cpu, next);
		return;
	}
	if (prev->class)
		prev->class->put_prev(cpu, prev);
	else
		idle_put(cpu);
	if (next->class) {
		next->class->set_next(cpu, next);
		started(cpu, next);
		return;
	}
	next->se.exec_start_ns = cpu->clock_ns;
	sim_track_cpu_idle(cpu);
}

/* A task that may not stay where it ran goes where it may.  Kernel: the migration stopper. */
static void migrate_away(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_cpu *to = task->migrate_to;

	if (!sim_allowed(task, to->id)) /* that one has gone meanwhile */
		to = sim_fallback_cpu(task);
	task->migrate_to = NULL;
	sim_decide(cpu->sim, task, SIM_RULE_MIGRATE, (enum sim_reason)task->migrate_reason, to);
	sim_emit_migrate(cpu->sim, task, cpu->id, to->id);
	sim_task_set_cpu(task, to);
	sim_activate(to, task, SIM_ENQUEUE_MIGRATED);
	sim_preempt_check(to, task, 0);
}

/* Kernel: __block_task(), kernel/sched/core.c; who is delayed is not counted when it leaves. */
static void block(struct sim_cpu *cpu, struct sim_task *task)
{
	if (!sim_deactivate(cpu, task, SIM_DEQUEUE_SLEEP) || !task->in_iowait)
		return;
	task->counts_iowait = true;
	cpu->nr_iowait++;
}

/* Kernel: __schedule(). */
static void schedule(struct sim_cpu *cpu)
{
	struct sim_task *prev = cpu->curr, *next;
	u32 prev_state = EVENT_STATE_RUNNING;

	cpu->picking = false;
	cpu->need_resched = cpu->need_resched_lazy = false;
	sim_cpu_account(cpu);
	if (!cpu->clock_skip)
		sim_read_clock(cpu);
	cpu->clock_skip = false;
	sim_hrtick_schedule(cpu);
	if (!cpu->active)
		sim_hotplug_schedule(cpu);
	if (prev->state == SIM_BLOCKED && prev != cpu->idle) {
		block(cpu, prev);
		prev_state = EVENT_STATE_SLEEP;
		prev->migrate_to = NULL; /* it will choose its CPU when it wakes */
	} else if (prev->state == SIM_DEAD) {
		sim_deactivate(cpu, prev, SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_SPECIAL);
		prev_state = EVENT_STATE_DEAD;
		prev->migrate_to = NULL;
	} else if (prev->migrate_to) {
		sim_deactivate(cpu, prev, 0);
	}
	next = pick(cpu);
	cpu->need_resched = cpu->need_resched_lazy = false;
	sim_decide(cpu->sim, next, SIM_RULE_PICK, cpu->pick_reason, cpu);
	if (next == prev)
		return;
	switch_classes(cpu, prev, next);
	if (next == cpu->idle && cpu->sim->setup->machine->smt)
		sim_select_idles(cpu);
	sim_hrtick_scheduled(cpu, next);
	cpu->curr = next;
	if (next == cpu->idle)
		sim_idle_changed(cpu);
	sim_emit_switch(cpu, prev, prev_state, next);
	if (cpu->sim->now_ns - cpu->cost_told_ns >= COSTS_TOLD_EVERY_NS)
		sim_cpu_tell_costs(cpu);
	if (prev == cpu->idle)
		sim_cpu_cost(cpu, EVENT_COST_SWITCH, costs(cpu)->pick_ns);
	sim_cpu_cost(cpu, EVENT_COST_SWITCH, costs(cpu)->switch_ns);
	if (next->class && next->class->push)
		next->class->push(cpu);
	if (prev->migrate_to)
		migrate_away(cpu, prev);
	else if (sim_promotes(cpu->sim) && prev->class == cpu->fair && prev->on_rq &&
		 prev->state == SIM_RUNNABLE)
		sim_promote_preempted(cpu, prev);
	if (prev->state == SIM_DEAD)
		sim_task_free(prev);
}

/*
 * The scheduler begins: the running task is charged until now, but the switch is seen only when
 * pick_ns is over.  Out of idle it is over at once, and what it takes is paid by who comes.  True:
 * it has just begun.
 * Kernel: __schedule() from update_rq_clock() to trace_sched_switch(), kernel/sched/core.c.
 */
static bool begins_to_pick(struct sim_cpu *cpu)
{
	if (cpu->picking || cpu->curr == cpu->idle || !costs(cpu)->pick_ns)
		return false;
	cpu->picking = true;
	if (!cpu->clock_skip)
		sim_read_clock(cpu);
	cpu->clock_skip = true;
	cpu->curr->class->update_curr(cpu);
	sim_cpu_cost(cpu, EVENT_COST_SWITCH, costs(cpu)->pick_ns);
	return true;
}

/*
 * From here the CPU goes on by itself: switch if asked to, let the task run, or idle.  What
 * the kernel has to do first, it does first: a switch waits for it.
 */
void sim_cpu_run(struct sim_cpu *cpu)
{
	while (cpu->sim->stop == OK) {
		enum sim_step step;

		if (cpu->need_resched && cpu->curr != cpu->idle && cpu->cost_left_ns)
			break;
		if (cpu->need_resched && begins_to_pick(cpu))
			break;
		if (cpu->need_resched)
			schedule(cpu);
		if (cpu->curr == cpu->idle) {
			if (!cpu->in_idle)
				sim_idle_enter(cpu);
			return;
		}
		if (cpu->curr->cache_work)
			sim_cache_look(cpu->curr);
		if (cpu->curr->throttle_work && !cpu->cost_left_ns) {
			sim_bandwidth_to_user(cpu);
			continue;
		}
		step = sim_program_step(cpu->curr, cpu->cost_left_ns);
		if (step == SIM_STEP_BUSY)
			break;
		if (step == SIM_STEP_BLOCKED || step == SIM_STEP_DONE)
			cpu->need_resched = true;
	}
	arm_done(cpu);
}

/* The end of an interrupt: back to user mode, through the scheduler if it was asked for. */
void sim_cpu_irq_end(struct sim_cpu *cpu)
{
	sim_cpu_to_user(cpu);
	if (cpu->curr != cpu->idle) {
		if (cpu->need_resched || cpu->curr->cache_work)
			sim_cpu_run(cpu);
		else
			arm_done(cpu);
		return;
	}
	if (!cpu->need_resched || sim_timer_armed(cpu, SIM_TIMER_IDLE_EXIT))
		return;
	sim_cpu_cost(cpu, EVENT_COST_IDLE_EXIT, costs(cpu)->idle_exit_ns);
	sim_cpu_account(cpu);
	if (cpu->cost_left_ns)
		sim_timer_arm(cpu, SIM_TIMER_IDLE_EXIT, cpu->sim->now_ns + cpu->cost_left_ns);
	else
		sim_cpu_idle_exit(cpu);
}

void sim_cpu_idle_exit(struct sim_cpu *cpu)
{
	sim_cpu_account(cpu);
	sim_idle_leave(cpu);
	sim_cpu_run(cpu);
}

/* Kernel: task_tick_fair() and those of the other classes. */
static void tick_task(struct sim_cpu *cpu, struct sim_task *task)
{
	task->class->tick(cpu, task, false);
	if (task->class != cpu->fair)
		return;
	sim_misfit_update(cpu, task);
	sim_overutilized_check(cpu);
}

/*
 * The clock is read before what the tick costs, and by the switch after it: what runs from
 * tick to tick has run a little less than a tick.
 * Kernel: sched_tick() within tick_nohz_handler().  The sleepers that the same interrupt
 * finds expired come after it: their latest time is later than the tick's.
 */
void sim_cpu_tick(struct sim_cpu *cpu)
{
	sim_timer_arm(cpu, SIM_TIMER_TICK, sim_tick_after(cpu->sim, cpu->sim->now_ns));
	cpu->idle_tick = cpu->curr == cpu->idle;
	sim_read_clock(cpu);
	sim_track_pressure(cpu);
	if (cpu->curr != cpu->idle)
		tick_task(cpu, cpu->curr);
	sim_cpu_cost(cpu, EVENT_COST_TICK, costs(cpu)->tick_ns);
	sim_balance_tick(cpu);
	sim_run_sleepers(cpu);
	sim_balance_softirq(cpu);
	if (cpu->curr == cpu->idle && !cpu->need_resched)
		sim_idle_again(cpu);
	sim_cpu_irq_end(cpu);
}

/* Kernel: hrtimer_interrupt() and the rescheduling interrupt, on an idle CPU that stays so. */
void sim_cpu_irq_idle(struct sim_cpu *cpu)
{
	if (cpu->curr == cpu->idle && cpu->in_idle && !cpu->need_resched)
		sim_idle_again(cpu);
}
