/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * identity - GROUP_IDENTITY: what queues and CPUs know of the identity of groups; the rules are
 * in policy/identity.h.  Whoever asks looks at sim.identities first.
 */
#ifndef SIM_IDENTITY_H
#define SIM_IDENTITY_H

#include "policy/identity.h"
#include "sim/internal.h"

/* Of the task's own group: enum policy_identity. */
static inline u8 sim_identity_of(const struct sim_task *task)
{
	return task->cgroup ? task->sim->groups[task->cgroup - 1].identity : 0;
}

static inline bool sim_is_highclass(const struct sim_task *task)
{
	return sim_identity_of(task) & POLICY_HIGHCLASS;
}

/* A CPU that has underclass tasks alone is idle for highclass.  Kernel: id_idle_cpu(). */
static inline bool sim_identity_idle(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return sim_is_highclass(task) &&
	       policy_id_under_only(cpu->root.h_nr_queued, cpu->root.ids.under);
}

/* May a wakeup draw it from @prev to its waker's CPU?  Kernel: id_wake_affine(). */
static inline bool sim_identity_affine(const struct sim_task *task, const struct sim_cpu *prev)
{
	return !sim_is_highclass(task) || prev->root.ids.high;
}

/* Kernel: is_expellee_task(). */
static inline bool sim_is_expellee(const struct sim_task *task)
{
	return task->cgroup && task->sim->groups[task->cgroup - 1].expellee;
}

/* @nr tasks like @task more, 1 or -1, below @queue.  Kernel: id_update_nr_running(). */
static inline void sim_identity_count(struct sim_queue *queue, const struct sim_task *task, s32 nr)
{
	u8 identity = sim_identity_of(task);

	if (identity & POLICY_HIGHCLASS)
		queue->ids.high += (u32)nr;
	if (identity & POLICY_UNDERCLASS)
		queue->ids.under += (u32)nr;
}

/* Kernel: update_min_vruntime(), update_under_min_vruntime(), sync_min_vruntime(); of both trees. */
void sim_identity_min_vruntime(struct sim_queue *queue, const struct sim_entity *curr);
/* What is picked if nothing that runs is earlier.  Kernel: id_rb_first_cached(). */
struct sim_entity *sim_identity_first(struct sim_queue *queue);
/* See policy_id_wakeup_preempt(). */
s32 sim_identity_preempts(const struct sim_entity *curr, const struct sim_entity *se);
/* See policy_id_check_preempt_tick(); @first may be NULL. */
u32 sim_identity_tick(const struct sim_entity *curr, const struct sim_entity *first, u64 slice_ns,
		      u64 ran_ns);
/* The group @index is made, those above it are known. */
void sim_identity_group(struct sim *sim, u32 index);
/*
 * Does its identity say whether balancing may move @task?  *@reason: SIM_REASON_NONE if
 * it may, or why not.
 */
bool sim_identity_judges(const struct sim_task *task, enum sim_reason *reason);

#endif
