/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hrtick - the timer that ends the running fair task's slice, one per CPU.
 *
 * Kernel: hrtick(), hrtick_start(), kernel/sched/core.c; hrtick_start_fair(),
 * hrtick_update(), kernel/sched/fair.c; v6.12, nearly the same in v6.1 and v7.3.
 */
#include "policy/hrtick.h"
#include "sim/internal.h"

/* Another CPU's timer is set by that CPU, in an interrupt.  Kernel: hrtick_start(). */
static void arm(struct sim_cpu *cpu, u64 delay_ns)
{
	cpu->hrtick_ns = cpu->sim->now_ns + delay_ns;
	if (cpu->fair->hrtick_stays && sim_timer_armed(cpu, SIM_TIMER_HRTICK) &&
	    policy_hrtick_close((s64)(cpu->hrtick_ns - cpu->timers[SIM_TIMER_HRTICK].time_ns)))
		return;
	if (cpu == cpu->sim->here) {
		sim_timer_arm(cpu, SIM_TIMER_HRTICK, cpu->hrtick_ns);
		return;
	}
	cpu->hrtick_asked = true;
	sim_cpu_ipi(cpu);
}

/* @after_ns: until the timer is set. */
static void start(struct sim_cpu *cpu, struct sim_task *task, u64 after_ns)
{
	s64 delay_ns;

	if (!policy_feature(&cpu->sim->features, POLICY_HRTICK) || cpu->root.h_nr_queued < 2)
		return;
	delay_ns = policy_hrtick_delay(cpu->fair->slice(task),
				       task->se.sum_exec_ns - task->se.prev_sum_exec_ns);
	if (delay_ns >= 0)
		arm(cpu, (u64)delay_ns + after_ns);
	else if (cpu->curr == task)
		sim_cpu_resched(cpu);
}

/* @task, a fair one, has begun to run, or how long it may has changed. */
void sim_hrtick_start(struct sim_cpu *cpu, struct sim_task *task)
{
	start(cpu, task, 0);
}

/* A deadline task, about to run: to the end of its runtime.  Kernel: start_hrtick_dl(). */
void sim_hrtick_start_dl(struct sim_cpu *cpu, const struct sim_task *task)
{
	if (policy_feature(&cpu->sim->features, POLICY_HRTICK_DL) && task->dl.runtime_ns > 0)
		arm(cpu, (u64)policy_hrtick_delay((u64)task->dl.runtime_ns, 0));
}

/* A fair task came or went.  Kernel: hrtick_update(). */
void sim_hrtick_update(struct sim_cpu *cpu)
{
	if (cpu->curr->class == cpu->fair)
		sim_hrtick_start(cpu, cpu->curr);
}

/*
 * The scheduler starts to look for a task.  Kernel: hrtick_clear() in __schedule(), v6.12;
 * 7.3 lets the timer run on.
 */
void sim_hrtick_schedule(struct sim_cpu *cpu)
{
	if (!cpu->fair->hrtick_stays && sim_timer_armed(cpu, SIM_TIMER_HRTICK))
		sim_timer_cancel(cpu, SIM_TIMER_HRTICK);
}

/*
 * It found @next.  Up to 6.12 the timer is set as @next is picked; 7.3 sets it when the switch
 * is done.  Kernel: hrtick_start() in set_next_task_fair(), v6.12; hrtick_schedule_exit() in
 * finish_lock_switch(), kernel/sched/core.c, v7.3.
 */
void sim_hrtick_scheduled(struct sim_cpu *cpu, struct sim_task *next)
{
	if (next == cpu->idle && sim_timer_armed(cpu, SIM_TIMER_HRTICK))
		sim_timer_cancel(cpu, SIM_TIMER_HRTICK);
	else if (next != cpu->curr && next->class == cpu->fair)
		start(cpu, next,
		      cpu->fair->hrtick_stays ? cpu->sim->setup->machine->costs.switch_ns : 0);
	else if (next != cpu->curr && next->class == &sim_class_dl)
		sim_hrtick_start_dl(cpu, next);
}

/* What other CPUs asked for; late if the interrupt was.  Kernel: __hrtick_start(). */
void sim_hrtick_ipi(struct sim_cpu *cpu)
{
	u64 now_ns = cpu->sim->now_ns;

	if (!cpu->hrtick_asked)
		return;
	cpu->hrtick_asked = false;
	sim_timer_arm(cpu, SIM_TIMER_HRTICK, cpu->hrtick_ns < now_ns ? now_ns : cpu->hrtick_ns);
}

/* Kernel: hrtick() within hrtimer_interrupt(). */
void sim_hrtick_interrupt(struct sim_cpu *cpu)
{
	sim_cpu_cost(cpu, EVENT_COST_TIMER, cpu->sim->setup->machine->costs.timer_ns);
	sim_read_clock(cpu);
	if (cpu->curr != cpu->idle)
		cpu->curr->class->tick(cpu, cpu->curr, true);
	sim_run_sleepers(cpu);
	sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}
