/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sleep - timers of sleeping tasks, per CPU, with slack.
 *
 * A fair task's sleep may end anywhere in [soft, soft + slack]: the hardware is set to
 * the end, but any timer interrupt of that CPU after the start runs it, the tick too.
 * Kernel: hrtimer_nanosleep(), __hrtimer_run_queues(), kernel/time/hrtimer.c, v6.12.
 */
#include "sim/internal.h"

static inline struct sim_task *sleeper_of(struct heap_node *node)
{
	return (struct sim_task *)((char *)node - offsetof(struct sim_task, timer));
}

static inline bool sleeper_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct sim_task *x = sleeper_of((struct heap_node *)(size_t)a);
	const struct sim_task *y = sleeper_of((struct heap_node *)(size_t)b);

	return x->hard_ns != y->hard_ns ? x->hard_ns < y->hard_ns : x->timer_seq < y->timer_seq;
}

static void program_hardware(struct sim_cpu *cpu)
{
	struct heap_node *first = heap_first(&cpu->sleepers);

	if (!first) {
		sim_timer_cancel(cpu, SIM_TIMER_HRTIMER);
	} else {
		u64 hard_ns = sleeper_of(first)->hard_ns;

		if (hard_ns < cpu->sim->now_ns)
			hard_ns = cpu->sim->now_ns;
		if (cpu->timers[SIM_TIMER_HRTIMER].time_ns != hard_ns)
			sim_timer_arm(cpu, SIM_TIMER_HRTIMER, hard_ns);
	}
}

/* @task blocks until @time_ns; the timer is that of the CPU it runs on. */
void sim_sleep_until(struct sim_task *task, u64 time_ns)
{
	struct sim_cpu *cpu = task->cpu;
	u64 slack_ns = task->class->rank > SIM_RANK_FAIR
			       ? 0
			       : task->sim->setup->machine->costs.timer_slack_ns;

	task->soft_ns = time_ns;
	task->hard_ns = time_ns + slack_ns;
	task->timer_seq = ++task->sim->timer_seq;
	task->timer_cpu = cpu;
	task->state = SIM_BLOCKED;
	heap_add(&cpu->sleepers, &task->timer, sleeper_before);
	if (heap_first(&cpu->sleepers) == &task->timer)
		program_hardware(cpu);
}

/* Wakes those whose time has come, in the order of their latest time. */
void sim_run_sleepers(struct sim_cpu *cpu)
{
	struct heap_node *first;
	bool any = false;

	while ((first = heap_first(&cpu->sleepers))) {
		struct sim_task *task = sleeper_of(first);

		if (task->soft_ns > cpu->sim->now_ns)
			break;
		heap_remove(&cpu->sleepers, first, sleeper_before);
		sim_wake(task);
		any = true;
	}
	if (any)
		program_hardware(cpu);
}

/* @from dies.  Kernel: hrtimers_cpu_dying(). */
void sim_sleepers_move(struct sim_cpu *from, struct sim_cpu *to)
{
	struct heap_node *first;

	while ((first = heap_first(&from->sleepers))) {
		heap_remove(&from->sleepers, first, sleeper_before);
		sleeper_of(first)->timer_cpu = to;
		heap_add(&to->sleepers, first, sleeper_before);
	}
	program_hardware(to);
}

void sim_hrtimer_interrupt(struct sim_cpu *cpu)
{
	sim_cpu_cost(cpu, EVENT_COST_TIMER, cpu->sim->setup->machine->costs.timer_ns);
	sim_run_sleepers(cpu);
	sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}
