/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/internal.h"

static inline bool earlier(const struct sim_when *a, const struct sim_when *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->seq < b->seq;
}

/* The CPU's timers changed: which is its first now, and does it win against the others? */
void sim_timer_moved(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	u32 first = 0;

	for (u32 i = 1; i < SIM_NR_TIMERS; i++)
		if (earlier(&cpu->timers[i], &cpu->timers[first]))
			first = i;
	cpu->first = cpu->timers[first];
	cpu->first_timer = first;
	for (u32 i = (sim->nr_leaves + cpu->id) / 2; i; i /= 2) {
		struct sim_cpu *a = sim->winners[2 * i], *b = sim->winners[2 * i + 1];

		sim->winners[i] = earlier(&b->first, &a->first) ? b : a;
	}
}

void sim_timers_init(struct sim *sim)
{
	sim->nobody.first.time_ns = SIM_NEVER;
	sim->nobody.first.seq = U64_MAX;
	for (sim->nr_leaves = 2; sim->nr_leaves < sim->nr_cpus; sim->nr_leaves *= 2)
		;
	sim->winners = NEW_ARRAY(struct sim_cpu *, 2 * sim->nr_leaves);
	for (u32 i = 0; i < sim->nr_leaves; i++)
		sim->winners[sim->nr_leaves + i] = i < sim->nr_cpus ? &sim->cpus[i] : &sim->nobody;
	for (u32 i = sim->nr_leaves - 1; i; i--)
		sim->winners[i] = sim->winners[2 * i];
	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim_timer_moved(&sim->cpus[i]);
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
		sim_hrtick_ipi(cpu);
		sim_bandwidth_run(cpu);
		sim_cpu_irq_idle(cpu);
		sim_cpu_irq_end(cpu);
		break;
	case SIM_TIMER_IDLE_EXIT:
		sim_cpu_idle_exit(cpu);
		break;
	case SIM_TIMER_HRTIMER:
		sim_hrtimer_interrupt(cpu);
		break;
	case SIM_TIMER_RT_PERIOD:
		sim_rt_period_interrupt(cpu);
		break;
	case SIM_TIMER_HRTICK:
		sim_hrtick_interrupt(cpu);
		break;
	case SIM_TIMER_BANDWIDTH:
		sim_bandwidth_interrupt(cpu);
		break;
	case SIM_TIMER_FAIR_SERVER:
		sim_server_interrupt(cpu);
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
		struct sim_cpu *cpu = sim->winners[1];

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
		sim_read_clock(cpu);
		if (cpu->curr != cpu->idle)
			cpu->curr->class->update_curr(cpu);
		sim_cpu_tell_costs(cpu);
	}
}
