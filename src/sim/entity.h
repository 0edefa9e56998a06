/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entity - what the queue kinds do with entities alike: levels, counts, weights, and the
 * CPU's list of queued tasks.
 */
#ifndef SIM_ENTITY_H
#define SIM_ENTITY_H

#include "sim/internal.h"

#define for_each_entity(se) for (; se; se = se->parent)

static inline const struct policy_features *sim_features(const struct sim_queue *queue)
{
	return &queue->cpu->sim->features;
}

static inline void sim_list_add(struct sim_cpu *cpu, struct sim_task *task)
{
	task->list_prev = NULL;
	task->list_next = cpu->fair_head;
	if (cpu->fair_head)
		cpu->fair_head->list_prev = task;
	else
		cpu->fair_tail = task;
	cpu->fair_head = task;
}

static inline void sim_list_remove(struct sim_cpu *cpu, struct sim_task *task)
{
	if (task->list_prev)
		task->list_prev->list_next = task->list_next;
	else
		cpu->fair_head = task->list_next;
	if (task->list_next)
		task->list_next->list_prev = task->list_prev;
	else
		cpu->fair_tail = task->list_prev;
}

/* It runs now: the first of the list.  Not if it is on its way out. */
static inline void sim_list_touch(struct sim_cpu *cpu, struct sim_task *task)
{
	if (!task->on_rq)
		return;
	sim_list_remove(cpu, task);
	sim_list_add(cpu, task);
}

static inline u32 sim_depth(const struct sim_entity *se)
{
	u32 levels = 0;

	for_each_entity(se)
		levels++;
	return levels;
}

/* From the task up to the root. */
static inline void sim_each_level(struct sim_entity *se, void (*visit)(struct sim_entity *))
{
	for_each_entity(se)
		visit(se);
}

/* Picks are biased to it and its groups, but not to idle ones.  Kernel: set_next_buddy(). */
static inline void sim_set_next_buddy(struct sim_entity *se)
{
	for_each_entity(se) {
		if (!se->on_rq || se->idle)
			return;
		se->queue->next_buddy = se;
	}
}

/* The ancestors of both that compete in one queue.  Kernel: find_matching_se(). */
static inline void sim_find_matching(struct sim_entity **a, struct sim_entity **b)
{
	u32 da = sim_depth(*a), db = sim_depth(*b);

	for (; da > db; da--)
		*a = (*a)->parent;
	for (; db > da; db--)
		*b = (*b)->parent;
	while ((*a)->queue != (*b)->queue) {
		*a = (*a)->parent;
		*b = (*b)->parent;
	}
}

/*
 * From one task to another.  Only the levels where the path changes are put and set, so
 * that a group which keeps the CPU keeps what it was given.
 * Kernel: the second half of pick_next_task_fair().
 */
static inline void sim_switch_levels(struct sim_entity *prev, struct sim_entity *next,
				     void (*put)(struct sim_entity *),
				     void (*set)(struct sim_entity *))
{
	u32 prev_depth = sim_depth(prev), next_depth = sim_depth(next);

	while (prev->queue != next->queue) {
		u32 p = prev_depth, n = next_depth;

		if (n <= p) {
			put(prev);
			prev = prev->parent;
			prev_depth--;
		}
		if (n >= p) {
			set(next);
			next = next->parent;
			next_depth--;
		}
	}
	put(prev);
	set(next);
}

/* One task more below @queue; does it count as idle further up? */
static inline bool sim_count_in(struct sim_queue *queue, bool idle)
{
	queue->h_nr_runnable++;
	queue->h_nr_queued++;
	queue->h_nr_idle += idle;
	return idle || (queue->entity && queue->entity->idle);
}

/* One task less. */
static inline bool sim_count_out(struct sim_queue *queue, bool idle)
{
	queue->h_nr_runnable--;
	queue->h_nr_queued--;
	queue->h_nr_idle -= idle;
	return idle || (queue->entity && queue->entity->idle);
}

/* Tasks below a queue.  Kernel: the deltas of throttle_cfs_rq(). */
struct sim_counts {
	u32 queued, runnable, idle;
	struct sim_identity_counts ids;
};

static inline struct sim_counts sim_counts_of(const struct sim_queue *queue)
{
	return (struct sim_counts){ queue->h_nr_queued, queue->h_nr_runnable, queue->h_nr_idle,
				    queue->ids };
}

static inline void sim_counts_add(struct sim_queue *queue, const struct sim_counts *nr)
{
	queue->h_nr_queued += nr->queued;
	queue->h_nr_runnable += nr->runnable;
	queue->h_nr_idle += nr->idle;
	queue->ids.high += nr->ids.high;
	queue->ids.under += nr->ids.under;
}

static inline void sim_counts_sub(struct sim_queue *queue, const struct sim_counts *nr)
{
	queue->h_nr_queued -= nr->queued;
	queue->h_nr_runnable -= nr->runnable;
	queue->h_nr_idle -= nr->idle;
	queue->ids.high -= nr->ids.high;
	queue->ids.under -= nr->ids.under;
}

/* Wall time that the running one has had since it was last accounted; 0: none runs. */
static inline u64 sim_charge(struct sim_queue *queue)
{
	struct sim_entity *curr = queue->curr;
	u64 now_ns = queue->cpu->clock_ns, delta_ns;

	if (!curr)
		return 0;
	delta_ns = now_ns - curr->exec_start_ns;
	curr->exec_start_ns = now_ns;
	curr->sum_exec_ns += delta_ns;
	return delta_ns;
}

/* The weight that a task's policy and nice value ask for. */
static inline void sim_weight_of(const struct sim_task *task, struct policy_weight *weight)
{
	if (task->policy == EVENT_POLICY_IDLE)
		policy_weight_of(POLICY_WEIGHT_IDLE, weight);
	else
		policy_weight_of_nice(task->nice, weight);
}

/* It has the CPU from now on, out of the tree.  Kernel: set_next_entity(). */
static inline void sim_entity_start(struct sim_entity *se)
{
	struct sim_queue *queue = se->queue;

	se->exec_start_ns = queue->cpu->clock_ns;
	se->prev_sum_exec_ns = se->sum_exec_ns;
	assert(!queue->curr);
	queue->curr = se;
}

#endif
