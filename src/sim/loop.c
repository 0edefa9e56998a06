/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/internal.h"

static inline struct sim_cpu *cpu_of(const struct heap_node *node)
{
	return (struct sim_cpu *)((size_t)node - offsetof(struct sim_cpu, node));
}

static inline bool earlier(const struct sim_when *a, const struct sim_when *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->seq < b->seq;
}

static inline bool cpu_before(const struct heap_node *a, const struct heap_node *b)
{
	return earlier(&cpu_of(a)->first, &cpu_of(b)->first);
}

/* The CPU's timers changed: which is its first now, and where it stands among the CPUs. */
void sim_timer_moved(struct sim_cpu *cpu)
{
	u32 first = 0;

	for (u32 i = 1; i < SIM_NR_TIMERS; i++)
		if (earlier(&cpu->timers[i], &cpu->timers[first]))
			first = i;
	cpu->first = cpu->timers[first];
	cpu->first_timer = first;
	if (cpu->node.place)
		heap_moved(&cpu->sim->order, &cpu->node, cpu_before);
	else
		heap_add(&cpu->sim->order, &cpu->node, cpu_before);
}

static void fire(struct sim_cpu *cpu, enum sim_timer timer)
{
	cpu->timers[timer].time_ns = SIM_NEVER;
	switch (timer) {
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
	case SIM_NR_TIMERS:
		break;
	}
}

/* Until the time is up, nothing is left to happen, or a sink has had enough. */
void sim_loop(struct sim *sim)
{
	u64 end_ns = sim->setup->duration_ns ? sim->setup->duration_ns : U64_MAX;

	while (sim->stop == OK && (sim->setup->duration_ns || sim->alive)) {
		struct sim_cpu *cpu = cpu_of(heap_first(&sim->order));

		if (cpu->first.time_ns >= end_ns) {
			if (sim->setup->duration_ns)
				sim->now_ns = end_ns;
			break;
		}
		if (sim->now_ns != cpu->first.time_ns)
			sim->steps_now = 0;
		sim->now_ns = cpu->first.time_ns;
		sim->here = cpu;
		fire(cpu, (enum sim_timer)cpu->first_timer);
		sim_timer_moved(cpu);
	}
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		sim->here = cpu;
		if (cpu->curr != cpu->idle)
			cpu->curr->class->update_curr(cpu);
		sim_cpu_tell_costs(cpu);
	}
}
