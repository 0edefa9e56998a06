/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * irq - interrupts of devices, as the workload describes them: they take a CPU's time from
 * whatever is there.
 *
 * Those that come while one is handled are handled after it.  The time counts as the
 * running task's, as where the kernel is built without CONFIG_IRQ_TIME_ACCOUNTING, unless the
 * feature of that name is on: then the clock that execution is charged by leaves it out.
 * Kernel: update_rq_clock_task(), kernel/sched/core.c, v6.12.
 */
#include "sim/track.h"

#include <stdlib.h>

#define LEAST_PERIOD_NS 1000 /* a period that is drawn shorter would never let time pass */

static u64 draw(struct sim *sim, const struct sim_irq *irq, const struct workload_amount *amount,
		u64 site)
{
	return workload_draw(sim->setup->workload, amount, sim->setup->seed, irq->identity, site,
			     irq->count);
}

static void arm(struct sim_cpu *cpu)
{
	u64 first_ns = cpu->irq_end_ns;

	for (struct sim_irq *irq = cpu->irqs; irq; irq = irq->next)
		if (irq->next_ns < first_ns)
			first_ns = irq->next_ns;
	if (cpu->timers[SIM_TIMER_IRQ].time_ns != first_ns)
		sim_timer_arm(cpu, SIM_TIMER_IRQ, first_ns);
}

static void next_period(struct sim *sim, struct sim_irq *irq)
{
	u64 period_ns = draw(sim, irq, &irq->def->period, 0);

	irq->next_ns += period_ns > LEAST_PERIOD_NS ? period_ns : LEAST_PERIOD_NS;
	irq->count++;
}

static void tell(struct sim_cpu *cpu, struct sim_irq *irq)
{
	struct event event = { .kind = EVENT_IRQ,
			       .cpu = (s32)cpu->id,
			       .cost = { .what = irq->number, .ns = irq->handling_ns } };

	sim_emit(cpu->sim, &event);
	irq->handling_ns = 0;
}

/* A clock that is read from here on lies behind what is being handled: it leaves it out. */
static void take_off_clock(struct sim_cpu *cpu, u64 ns)
{
	if (!policy_feature(&cpu->sim->features, POLICY_IRQ_TIME_ACCOUNTING))
		return;
	cpu->irq_off_ns += ns;
	sim_track_irq(cpu, ns);
}

/* Those that came until now have been handled. */
static void end(struct sim_cpu *cpu)
{
	for (struct sim_irq *irq = cpu->irqs; irq; irq = irq->next)
		if (irq->handling_ns)
			tell(cpu, irq);
	cpu->irq_end_ns = SIM_NEVER;
}

static void begin(struct sim_cpu *cpu, struct sim_irq *irq)
{
	u64 now_ns = cpu->sim->now_ns, ns = draw(cpu->sim, irq, &irq->def->duration, 1);

	next_period(cpu->sim, irq);
	if (!ns)
		return;
	sim_cpu_account(cpu);
	cpu->cost_left_ns += ns;
	irq->handling_ns += ns;
	take_off_clock(cpu, ns);
	cpu->irq_end_ns = (cpu->irq_end_ns == SIM_NEVER ? now_ns : cpu->irq_end_ns) + ns;
}

void sim_irq_interrupt(struct sim_cpu *cpu)
{
	u64 now_ns = cpu->sim->now_ns;
	bool ended = cpu->irq_end_ns <= now_ns;

	if (ended)
		end(cpu);
	for (struct sim_irq *irq = cpu->irqs; irq; irq = irq->next)
		if (irq->next_ns <= now_ns)
			begin(cpu, irq);
	arm(cpu);
	if (ended)
		sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}

/*
 * @from dies: what it was to handle goes to @to, and stays there.  No interrupt of ours is
 * managed, so the affinity that is broken is not mended when the CPU comes back.
 * Kernel: irq_migrate_all_off_this_cpu(), kernel/irq/cpuhotplug.c, v6.12.
 */
void sim_irq_move(struct sim_cpu *from, struct sim_cpu *to)
{
	struct sim_irq **last = &to->irqs;

	if (!from->irqs)
		return;
	if (from->irq_end_ns != SIM_NEVER)
		end(from);
	while (*last)
		last = &(*last)->next;
	*last = from->irqs;
	from->irqs = NULL;
	sim_timer_cancel(from, SIM_TIMER_IRQ);
	arm(to);
}

/* The first of each comes after its first period. */
void sim_irq_start(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;

	sim->irqs = NEW_ARRAY(struct sim_irq, workload->interrupts.nr);
	for (size_t i = 0; i < workload->interrupts.nr; i++) {
		const struct workload_interrupt *def = &workload->interrupts.at[i];
		struct sim_irq *irq = &sim->irqs[i];

		*irq = (struct sim_irq){ .def = def,
					 .number = (u32)i,
					 .identity = workload_identity(def->name, 0, 0, 0),
					 .next = sim->cpus[def->cpu].irqs };
		sim->cpus[def->cpu].irqs = irq;
		next_period(sim, irq);
	}
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		sim->cpus[i].irq_end_ns = SIM_NEVER;
		if (sim->cpus[i].irqs)
			arm(&sim->cpus[i]);
	}
}
