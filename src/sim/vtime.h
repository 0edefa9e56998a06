/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vtime - what the EEVDF queue kinds do alike: V, who is eligible, slices, delayed sleepers.
 *
 * The order of things is that of kernel/sched/fair.c, v6.12 and v7.3.
 */
#ifndef SIM_VTIME_H
#define SIM_VTIME_H

#include "sim/entity.h"
#include "sim/tree.h"

/* The tree and the running entity together: what V and eligibility speak of. */
static inline struct policy_avg sim_whole(const struct sim_queue *queue)
{
	struct policy_avg avg = queue->avg;

	if (queue->curr && queue->curr->on_rq)
		policy_avg_add(&avg, &queue->curr->p);
	return avg;
}

/* Kernel: __enqueue_entity(). */
static inline void sim_timeline_add(struct sim_queue *queue, struct sim_entity *se)
{
	policy_avg_add(&queue->avg, &se->p);
	se->key_vns = se->p.deadline_vns;
	sim_tree_add(queue, se);
}

/* Kernel: __dequeue_entity(). */
static inline void sim_timeline_remove(struct sim_queue *queue, struct sim_entity *se)
{
	policy_avg_sub(&queue->avg, &se->p);
	sim_tree_remove(queue, se);
}

/* V; zero is moved there.  Kernel: avg_vruntime(). */
static inline u64 sim_avg_vruntime(struct sim_queue *queue)
{
	const struct sim_entity *curr = queue->curr;
	struct policy_avg avg = sim_whole(queue);
	s64 delta_vns = 0;

	if (queue->root)
		delta_vns = policy_avg_delta(&avg);
	else if (curr && curr->on_rq) /* one alone is the average, however far it ran */
		delta_vns = (s64)(curr->p.vruntime_vns - queue->avg.zero_vns);
	policy_avg_move_zero(&queue->avg, delta_vns);
	return queue->avg.zero_vns;
}

/* Kernel: entity_eligible(). */
static inline bool sim_eligible(const struct sim_queue *queue, const struct sim_entity *se)
{
	struct policy_avg avg;

	/* alone and running: V is where it is, and the product could overflow */
	if (!queue->root && queue->curr == se)
		return true;
	avg = sim_whole(queue);
	return policy_vruntime_eligible(&avg, se->p.vruntime_vns);
}

/* Kernel: cfs_rq_min_slice(). */
static inline u64 sim_min_slice(const struct sim_queue *queue)
{
	u64 slice_ns = U64_MAX;

	if (queue->curr && queue->curr->on_rq)
		slice_ns = queue->curr->p.slice_ns;
	if (queue->root && queue->root->min_slice_ns < slice_ns)
		slice_ns = queue->root->min_slice_ns;
	return slice_ns;
}

/* Kernel: cfs_rq_max_slice(), v7.3. */
static inline u64 sim_max_slice(const struct sim_queue *queue)
{
	u64 slice_ns = 0;

	if (queue->curr && queue->curr->on_rq)
		slice_ns = queue->curr->p.slice_ns;
	if (queue->root && queue->root->max_slice_ns > slice_ns)
		slice_ns = queue->root->max_slice_ns;
	return slice_ns;
}

/* Kernel: set_delayed(), clear_delayed(): only tasks are counted. */
static inline void sim_set_delayed(struct sim_entity *se, bool delayed)
{
	if (delayed && se->task && se->task->llc_queued)
		sim_cache_count(se->task, false);
	se->delayed = delayed;
	if (!se->task)
		return;
	if (!delayed && se->task->llc_queued)
		sim_cache_count(se->task, true);
	sim_changed(se->queue->cpu);
	for_each_entity(se) {
		se->queue->h_nr_runnable += delayed ? -1u : 1u;
		if (se->queue->off)
			break;
	}
}

#endif
