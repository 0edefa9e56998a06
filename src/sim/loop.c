/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/internal.h"

static inline struct sim_timer *timer_of(struct heap_node *node)
{
	return (struct sim_timer *)((char *)node - offsetof(struct sim_timer, node));
}

static inline bool timer_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct sim_timer *x = timer_of((struct heap_node *)(size_t)a);
	const struct sim_timer *y = timer_of((struct heap_node *)(size_t)b);

	return x->time_ns != y->time_ns ? x->time_ns < y->time_ns : x->seq < y->seq;
}

/* Arms or moves @timer. */
void sim_timer_arm(struct sim *sim, struct sim_timer *timer, u64 time_ns)
{
	assert(time_ns >= sim->now_ns);
	timer->time_ns = time_ns;
	timer->seq = ++sim->timer_seq;
	if (sim_timer_armed(timer))
		heap_moved(&sim->timers, &timer->node, timer_before);
	else
		heap_add(&sim->timers, &timer->node, timer_before);
}

void sim_timer_cancel(struct sim *sim, struct sim_timer *timer)
{
	if (sim_timer_armed(timer))
		heap_remove(&sim->timers, &timer->node, timer_before);
}

static void fire(struct sim_cpu *cpu, u32 kind)
{
	switch (kind) {
	case SIM_TIMER_TICK:
		sim_cpu_tick(cpu);
		break;
	case SIM_TIMER_DONE:
		sim_cpu_account(cpu);
		sim_cpu_run(cpu);
		break;
	case SIM_TIMER_IPI:
		sim_cpu_cost(cpu, EVENT_COST_IPI, cpu->sim->setup->machine->costs.ipi_ns);
		sim_wakelist_run(cpu);
		sim_cpu_irq_end(cpu);
		break;
	case SIM_TIMER_IDLE_EXIT:
		sim_cpu_idle_exit(cpu);
		break;
	case SIM_TIMER_HRTIMER:
		sim_hrtimer_interrupt(cpu);
		break;
	}
}

/* Until the time is up, nothing is left to happen, or a sink has had enough. */
void sim_loop(struct sim *sim)
{
	u64 end_ns = sim->setup->duration_ns ? sim->setup->duration_ns : U64_MAX;

	while (sim->stop == OK && (sim->setup->duration_ns || sim->alive)) {
		struct heap_node *first = heap_first(&sim->timers);
		struct sim_timer *timer;

		if (!first)
			break;
		timer = timer_of(first);
		if (timer->time_ns >= end_ns) {
			sim->now_ns = end_ns;
			break;
		}
		if (sim->now_ns != timer->time_ns)
			sim->steps_now = 0;
		sim->now_ns = timer->time_ns;
		heap_remove(&sim->timers, first, timer_before);
		sim->here = timer->cpu;
		fire(timer->cpu, timer->kind);
	}
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		sim->here = cpu;
		if (cpu->curr != cpu->idle)
			cpu->curr->class->update_curr(cpu);
		sim_cpu_tell_costs(cpu);
	}
}
