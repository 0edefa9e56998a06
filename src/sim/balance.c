/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance - an idle CPU looks for work.
 *
 * A first form of newly-idle balancing: one waiting fair task from the CPU with the
 * most, those that share the cache first.
 * Kernel: sched_balance_newidle(), kernel/sched/fair.c, v6.12.
 */
#include "sim/bandwidth.h"

/* Waiting, not running, not delayed, and allowed here; the least recently run first. */
static struct sim_task *movable(struct sim_cpu *from, struct sim_cpu *to)
{
	for (struct sim_task *task = from->fair_tail; task; task = task->list_prev)
		if (task != from->curr && !task->se.delayed && sim_allowed(task, to->id) &&
		    !sim_throttled_pair(task, to))
			return task;
	return NULL;
}

static bool worth_a_look(const struct sim_cpu *cpu)
{
	return cpu->root.h_nr_runnable > (cpu->curr != cpu->idle && cpu->curr->class == cpu->fair);
}

static struct sim_task *find(struct sim_cpu *cpu, bool same_llc)
{
	struct sim *sim = cpu->sim;
	struct sim_task *best = NULL;

	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *from = &sim->cpus[i];
		struct sim_task *task;

		if (from == cpu || (from->llc == cpu->llc) != same_llc || !worth_a_look(from))
			continue;
		if (best && from->root.h_nr_runnable <= best->cpu->root.h_nr_runnable)
			continue;
		task = movable(from, cpu);
		if (task)
			best = task;
	}
	return best;
}

/* True if a task was pulled. */
bool sim_balance_newidle(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	struct sim_task *task;
	struct sim_cpu *from;

	if (!sim->nr_overloaded)
		return false;
	sim_cpu_cost(cpu, EVENT_COST_BALANCE,
		     (u64)sim->setup->machine->costs.balance_cpu_ns * sim->nr_llc_cpus[cpu->llc]);
	task = find(cpu, true);
	if (!task && sim->nr_llcs > 1)
		task = find(cpu, false);
	if (!task)
		return false;
	from = task->cpu;
	sim_decide(sim, task, SIM_RULE_MIGRATE, SIM_REASON_NEWIDLE, cpu);
	sim_read_clock(from);
	sim_deactivate(from, task, 0);
	sim_emit_migrate(sim, task, from->id, cpu->id);
	sim_task_set_cpu(task, cpu);
	sim_activate(cpu, task, SIM_ENQUEUE_MIGRATED);
	return true;
}
