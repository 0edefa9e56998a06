/* SPDX-License-Identifier: GPL-2.0-only */
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static const char *const op_names[WORKLOAD_NR_OPS] = {
#define WORKLOAD_OP(id, name, what) name,
#include "workload/ops.def"
};

const char *workload_op_name(enum workload_op op)
{
	return op_names[op];
}

struct workload *workload_new(void)
{
	return NEW(struct workload);
}

static void task_fini(struct workload_task *task)
{
	vec_for_each(phase, &task->phases)
		free(phase->name);
	vec_for_each(event, &task->events)
		free(event->mark);
	vec_free(&task->phases);
	vec_free(&task->events);
	free(task->name);
	free(task->comm);
	free(task->process);
}

void workload_free(struct workload *workload)
{
	if (!workload)
		return;
	vec_for_each(task, &workload->tasks)
		task_fini(task);
	vec_for_each(note, &workload->notes)
		free(*note);
	vec_for_each(object, &workload->objects)
		free(object->name);
	vec_for_each(cgroup, &workload->cgroups)
		free(cgroup->path);
	vec_for_each(interrupt, &workload->interrupts)
		free(interrupt->name);
	vec_for_each(list, &workload->cpu_lists)
		free(*list);
	vec_free(&workload->notes);
	vec_free(&workload->cpu_lists);
	vec_free(&workload->tasks);
	vec_free(&workload->objects);
	vec_free(&workload->cgroups);
	vec_free(&workload->changes);
	vec_free(&workload->interrupts);
	vec_free(&workload->choices);
	free(workload->name);
	free(workload);
}

u64 workload_timer_step(enum workload_timer mode, u64 period_ns, u64 now_ns, u64 *next_ns)
{
	*next_ns += period_ns;
	if (*next_ns > now_ns)
		return *next_ns;
	if (mode == WORKLOAD_TIMER_SKIP && period_ns) {
		*next_ns += ((now_ns - *next_ns) / period_ns + 1) * period_ns;
		return *next_ns;
	}
	if (mode == WORKLOAD_TIMER_RELATIVE)
		*next_ns = now_ns;
	return 0;
}

u64 workload_identity(const char *task, u32 instance, u64 parent, u64 fork_count)
{
	u64 hash = 0xcbf29ce484222325ULL;

	for (; *task; task++)
		hash = (hash ^ (u8)*task) * 0x100000001b3ULL;
	return rng_combine(rng_combine(rng_combine(hash, instance), parent), fork_count);
}
