/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/load.h"

#include "policy/fit.h"
#include "sim/entity.h"

/* Has @cpu the task's averages in its own? */
static bool counts_on(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return task->cpu == cpu && task->se.pelt.update_ns;
}

u64 sim_cpu_load(const struct sim_cpu *cpu)
{
	return cpu->root.pelt.load_avg;
}

u64 sim_cpu_load_without(const struct sim_cpu *cpu, struct sim_task *task)
{
	u64 load = sim_cpu_load(cpu);

	return counts_on(cpu, task) ? policy_less(load, sim_task_h_load(task)) : load;
}

u64 sim_cpu_runnable(const struct sim_cpu *cpu)
{
	return cpu->root.pelt.runnable_avg;
}

u64 sim_cpu_runnable_without(const struct sim_cpu *cpu, const struct sim_task *task)
{
	u64 runnable = sim_cpu_runnable(cpu);

	return counts_on(cpu, task) ? policy_less(runnable, sim_task_runnable(task)) : runnable;
}

u64 sim_cpu_util(const struct sim_cpu *cpu)
{
	return sim_cpu_util_if(cpu, NULL, -1, false);
}

u64 sim_cpu_util_boost(const struct sim_cpu *cpu)
{
	return sim_cpu_util_if(cpu, NULL, -1, true);
}

/* What is queued is estimated to use.  Kernel: the second half of cpu_util(). */
static u64 estimate_if(const struct sim_cpu *cpu, const struct sim_task *task, s64 dst)
{
	u64 est = cpu->root.pelt.est;

	if (!task)
		return est;
	if (dst == (s64)cpu->id)
		return est + policy_util_est(&task->se.pelt);
	if (task->on_rq || task->sim->here->curr == task)
		return policy_less(est, policy_util_est(&task->se.pelt));
	return est;
}

u64 sim_cpu_util_if(const struct sim_cpu *cpu, const struct sim_task *task, s64 dst, bool boost)
{
	bool joins = task && task->cpu != cpu && dst == (s64)cpu->id;
	bool leaves = task && task->cpu == cpu && dst != (s64)cpu->id;
	u64 util = cpu->root.pelt.util_avg, runnable = cpu->root.pelt.runnable_avg;

	if (joins) {
		util += sim_task_util(task);
		runnable += sim_task_runnable(task);
	} else if (leaves) {
		util = policy_less(util, sim_task_util(task));
		runnable = policy_less(runnable, sim_task_runnable(task));
	}
	if (boost)
		util = policy_larger(util, runnable);
	if (policy_feature(&cpu->sim->features, POLICY_UTIL_EST))
		util = policy_larger(util, estimate_if(cpu, task, dst));
	return util < cpu->capacity ? util : cpu->capacity;
}

u64 sim_cpu_util_without(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return sim_cpu_util_if(cpu, counts_on(cpu, task) ? task : NULL, -1, false);
}

u64 sim_task_util(const struct sim_task *task)
{
	return task->se.pelt.util_avg;
}

u64 sim_task_runnable(const struct sim_task *task)
{
	return task->se.pelt.runnable_avg;
}

u64 sim_task_util_est(const struct sim_task *task)
{
	return policy_larger(sim_task_util(task), policy_util_est(&task->se.pelt));
}

u64 sim_task_load(const struct sim_task *task)
{
	return task->se.pelt.load_avg;
}

/* Of the queue and those above it, once a tick.  Kernel: update_cfs_rq_h_load(). */
static void update_h_load(struct sim_queue *queue)
{
	struct sim_entity *se = queue->entity;
	u64 tick = queue->cpu->sim->now_ns / queue->cpu->sim->tick_ns + 1;

	if (queue->h_load_tick == tick)
		return;
	queue->h_load_tick = tick;
	if (!se) {
		queue->h_load = queue->pelt.load_avg;
		return;
	}
	update_h_load(se->queue);
	queue->h_load = se->queue->h_load * se->pelt.load_avg / (se->queue->pelt.load_avg + 1);
}

u64 sim_task_h_load(struct sim_task *task)
{
	struct sim_queue *queue = task->se.queue;

	update_h_load(queue);
	return task->se.pelt.load_avg * queue->h_load / (queue->pelt.load_avg + 1);
}

void sim_task_load_sync(struct sim_task *task)
{
	if (task->sim->tracks)
		policy_pelt_decay(&task->se.pelt, task->se.queue->pelt.update_ns,
				  policy_scale_load_down(task->se.load));
}

u64 sim_cpu_capacity_of(const struct sim_cpu *cpu)
{
	return cpu->free_capacity;
}

u64 sim_cpu_capacity_orig(const struct sim_cpu *cpu)
{
	return cpu->capacity;
}

u64 sim_cpu_capacity_actual(const struct sim_cpu *cpu)
{
	u64 average = cpu->pressure_load.load_avg;

	if (cpu->sim->rules->pressure_average)
		return cpu->capacity - average;
	return cpu->capacity - policy_larger(average, cpu->pressure);
}

/* The average of 6.1 is one of the things that take time.  Kernel: scale_rt_capacity(). */
void sim_cpu_capacity_update(struct sim_cpu *cpu)
{
	bool average = cpu->sim->rules->pressure_average;
	u64 capacity = average ? cpu->capacity : sim_cpu_capacity_actual(cpu);
	u64 used = cpu->rt_load.util_avg + cpu->dl_load.util_avg;

	if (average)
		used += cpu->pressure_load.load_avg;
	cpu->free_capacity = policy_free_capacity(capacity, used, cpu->irq_load.util_avg);
	sim_changed(cpu);
}
