/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settle - a run begins as a program's does whose threads were born one by one, waited for
 * each other, and sleep until all may begin.
 *
 * On one CPU the parent bears them all before the first of them runs.  They run in the order
 * of their queue, then, and that is the order of their timers, which end at the same time.
 * Where there are more CPUs the newborn run beside their parent: none is placed behind others.
 */
#include "sim/internal.h"

#include <stdlib.h>

struct settled {
	struct sim_task *task;
	u64 after_vns; /* the queue's beginning */
	u32 nth;
};

static int in_turn(const void *left, const void *right)
{
	const struct settled *a = left, *b = right;

	if (a->after_vns != b->after_vns)
		return a->after_vns < b->after_vns ? -1 : 1;
	return a->nth < b->nth ? -1 : a->nth > b->nth;
}

static bool in_line(const struct sim_task *task)
{
	return task->sim->nr_cpus == 1 && task->class->settle;
}

static void place(struct settled *settled, u32 nth, struct sim_task *task)
{
	const struct machine_costs *costs = &task->sim->setup->machine->costs;

	*settled = (struct settled){ .task = task, .nth = nth };
	if (!in_line(task))
		return;
	task->class->settle(task, nth, (u64)costs->fork_ns + costs->wakeup_ns);
	settled->after_vns = task->se.p.vruntime_vns - task->se.queue->min_vruntime_vns;
}

/* Its queue was there when it ran, the last before all slept. */
static void put_to_sleep(struct sim_task *task)
{
	if (in_line(task))
		task->se.queue->min_vruntime_vns = task->se.p.vruntime_vns;
	sim_sleep_until(task, task->start_ns);
}

void sim_settle(struct sim *sim)
{
	struct settled *all;
	u32 nr = 0;

	if (!sim->setup->settled)
		return;
	all = NEW_ARRAY(struct settled, sim->tasks.nr);
	vec_for_each(task, &sim->tasks)
		if ((*task)->state == SIM_BLOCKED) {
			place(&all[nr], nr, *task);
			nr++;
		}
	qsort(all, nr, sizeof(*all), in_turn);
	for (u32 i = 0; i < nr; i++)
		put_to_sleep(all[i].task);
	free(all);
}
