/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bandwidth - a group's quota: throttling the queues that used it up.
 *
 * What a queue kind calls, at the points where the kernel does.  A queue of a group without
 * a quota, or of the root, has no bandwidth and pays one look at that.
 */
#ifndef SIM_BANDWIDTH_H
#define SIM_BANDWIDTH_H

#include "sim/internal.h"

void sim_bandwidth_charge(struct sim_queue *queue, u64 ran_ns);
bool sim_bandwidth_throttle(struct sim_queue *queue);
void sim_bandwidth_enqueued(struct sim_queue *queue);
void sim_bandwidth_return(struct sim_queue *queue);
bool sim_bandwidth_stopped(const struct sim_queue *queue);

/* Its running entity has had @ran_ns more.  Kernel: account_cfs_rq_runtime(). */
static inline void sim_account_runtime(struct sim_queue *queue, u64 ran_ns)
{
	if (queue->bandwidth)
		sim_bandwidth_charge(queue, ran_ns);
}

/* True if it is throttled, now or already: pick again.  Kernel: check_cfs_rq_runtime(). */
static inline bool sim_check_runtime(struct sim_queue *queue)
{
	return queue->bandwidth && queue->remaining_ns <= 0 && sim_bandwidth_throttle(queue);
}

/* It has an entity again.  Kernel: check_enqueue_throttle(). */
static inline void sim_check_enqueue(struct sim_queue *queue)
{
	if (queue->bandwidth && queue->nr_queued == 1)
		sim_bandwidth_enqueued(queue);
}

/* An entity left it; was it the last one?  Kernel: return_cfs_rq_runtime(). */
static inline void sim_return_runtime(struct sim_queue *queue)
{
	if (queue->bandwidth && !queue->nr_queued)
		sim_bandwidth_return(queue);
}

/* Is it throttled, or a queue above it?  Kernel: throttled_hierarchy(). */
static inline bool sim_throttled_hierarchy(const struct sim_queue *queue)
{
	return queue->cpu->sim->nr_throttled && sim_bandwidth_stopped(queue);
}

#endif
