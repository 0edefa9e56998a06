/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/internal.h"

/* One number, the time above the sequence: compared without a branch. */
static inline bool earlier(const struct sim_when *a, const struct sim_when *b)
{
	return ((unsigned __int128)a->time_ns << 64 | a->seq) <
	       ((unsigned __int128)b->time_ns << 64 | b->seq);
}

/* Which of the CPU's timers is the first now?  Only those that are armed are looked at. */
static bool first_moved(struct sim_cpu *cpu)
{
	struct sim_when first = { SIM_NEVER, U64_MAX };
	bool moved;

	for (u32 left = cpu->armed; left; left &= left - 1) {
		u32 timer = (u32)__builtin_ctz(left);

		if (earlier(&cpu->timers[timer], &first)) {
			first = cpu->timers[timer];
			cpu->first_timer = timer;
		}
	}
	moved = first.seq != cpu->first.seq;
	cpu->first = first;
	return moved;
}

/* The CPU's timers changed: whom does it win against, up to the final? */
void sim_timer_moved(struct sim_cpu *cpu)
{
	struct sim_cpu **winners = cpu->sim->winners, *winner = cpu;

	if (!first_moved(cpu))
		return;
	for (u32 i = cpu->sim->nr_leaves + cpu->id; i > 1; i /= 2) {
		struct sim_cpu *other = winners[i ^ 1];

		winner = earlier(&other->first, &winner->first) ? other : winner;
		winners[i / 2] = winner;
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
}

static void fire(struct sim_cpu *cpu, enum sim_timer timer)
{
	sim_timer_clear(cpu, timer);
	if (cpu->exit_latency_ns && sim_idle_wakes(cpu, timer))
		return;
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
		sim_balance_ipi(cpu);
		sim_push_ipi(cpu);
		sim_cpu_irq_idle(cpu);
		sim_cpu_irq_end(cpu);
		break;
	case SIM_TIMER_IDLE_EXIT:
		sim_cpu_idle_exit(cpu);
		break;
	case SIM_TIMER_IDLE_POLL:
		sim_cpu_irq_idle(cpu);
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
	case SIM_TIMER_CHANGE:
		sim_change_interrupt(cpu);
		break;
	case SIM_TIMER_IRQ:
		sim_irq_interrupt(cpu);
		break;
	case SIM_TIMER_DEADLINE:
		sim_dl_interrupt(cpu);
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
