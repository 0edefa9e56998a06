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

bool sim_bandwidth_charge(struct sim_queue *queue, u64 ran_ns);
bool sim_bandwidth_throttle(struct sim_queue *queue);
void sim_bandwidth_enqueued(struct sim_queue *queue);
void sim_bandwidth_return(struct sim_queue *queue);
bool sim_bandwidth_stopped(const struct sim_queue *queue);
bool sim_bandwidth_pair(const struct sim_task *task, const struct sim_cpu *to);

/*
 * Its running entity has had @ran_ns more.  True if it is throttled, where that is found out
 * here: who is set running must be taken off.
 * Kernel: account_cfs_rq_runtime().
 */
static inline bool sim_account_runtime(struct sim_queue *queue, u64 ran_ns)
{
	return queue->bandwidth && sim_bandwidth_charge(queue, ran_ns);
}

/*
 * True if it is throttled, now or already: pick again, or take off who is picked.
 * Kernel: check_cfs_rq_runtime().
 */
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

static inline bool sim_throttles_tasks(const struct sim *sim)
{
	return policy_throttles_tasks(sim->setup->release->throttle);
}

/* So that what is in it counts for nothing?  Where tasks are throttled one by one, it does. */
static inline bool sim_off_hierarchy(const struct sim_queue *queue)
{
	return sim_throttled_hierarchy(queue) && !sim_throttles_tasks(queue->cpu->sim);
}

/*
 * Do quotas forbid balancing to move @task to @to?
 * Kernel: throttled_lb_pair(), v6.12; lb_throttled_hierarchy(), v7.3.
 */
static inline bool sim_throttled_pair(const struct sim_task *task, const struct sim_cpu *to)
{
	return task->sim->nr_throttled && task->cgroup && sim_bandwidth_pair(task, to);
}

#endif
