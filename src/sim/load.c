/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/load.h"

/* What is queued and runs now, in place of averages. */
static u64 queued_weight(const struct sim_queue *queue)
{
	u64 weight =
		queue->load >> (queue->cpu->sim->setup->release->queue == POLICY_QUEUE_EEVDF_FLAT
					? POLICY_FLAT_SHIFT
					: 0);

	if (weight || !queue->nr_queued)
		return weight;
	weight = queue->avg.weight_sum;
	if (queue->curr && queue->curr->on_rq)
		weight += queue->curr->p.weight.weight;
	return weight;
}

static u64 less(u64 of, u64 what)
{
	return of > what ? of - what : 0;
}

static bool is_here(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return task && task->cpu == cpu && task->on_rq;
}

u64 sim_cpu_load(const struct sim_cpu *cpu)
{
	return queued_weight(&cpu->root);
}

u64 sim_cpu_load_without(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return less(sim_cpu_load(cpu), is_here(cpu, task) ? sim_task_load(task) : 0);
}

u64 sim_cpu_runnable(const struct sim_cpu *cpu)
{
	return (u64)cpu->root.h_nr_runnable * MACHINE_FULL_CAPACITY;
}

u64 sim_cpu_runnable_without(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return less(sim_cpu_runnable(cpu), is_here(cpu, task) ? MACHINE_FULL_CAPACITY : 0);
}

u64 sim_cpu_util(const struct sim_cpu *cpu)
{
	return sim_cpu_util_if(cpu, NULL, -1, false);
}

u64 sim_cpu_util_boost(const struct sim_cpu *cpu)
{
	return sim_cpu_util_if(cpu, NULL, -1, true);
}

u64 sim_cpu_util_if(const struct sim_cpu *cpu, const struct sim_task *task, s64 dst, bool boost)
{
	u64 util = cpu->root.h_nr_runnable ? cpu->capacity : 0;

	if (task && task->cpu == cpu && dst != (s64)cpu->id)
		util = less(util, sim_task_util(task));
	else if (task && task->cpu != cpu && dst == (s64)cpu->id)
		util += sim_task_util(task);
	if (boost && sim_cpu_runnable(cpu) > util)
		util = sim_cpu_runnable(cpu);
	return util < cpu->capacity ? util : cpu->capacity;
}

u64 sim_cpu_util_without(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return sim_cpu_util_if(cpu, task->cpu == cpu ? task : NULL, -1, false);
}

u64 sim_task_util(const struct sim_task *task)
{
	return task->on_rq && task->cpu->root.h_nr_queued
		       ? task->cpu->capacity / task->cpu->root.h_nr_queued
		       : 0;
}

u64 sim_task_runnable(const struct sim_task *task)
{
	return task->on_rq ? MACHINE_FULL_CAPACITY : 0;
}

u64 sim_task_util_est(const struct sim_task *task)
{
	return sim_task_util(task);
}

u64 sim_task_load(const struct sim_task *task)
{
	return task->se.load ? task->se.load >> POLICY_FLAT_SHIFT : task->se.p.weight.weight;
}

u64 sim_task_h_load(struct sim_task *task)
{
	return sim_task_load(task);
}

void sim_task_load_sync(struct sim_task *task)
{
	(void)task;
}

u64 sim_cpu_capacity_of(const struct sim_cpu *cpu)
{
	return cpu->capacity;
}

u64 sim_cpu_capacity_orig(const struct sim_cpu *cpu)
{
	return cpu->capacity;
}

void sim_cpu_capacity_update(struct sim_cpu *cpu)
{
	(void)cpu;
}

void sim_cpu_load_blocked(struct sim_cpu *cpu)
{
	(void)cpu;
}
