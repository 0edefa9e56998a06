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

/* Kernel: is_expellee_task(). */
static inline bool sim_is_expellee(const struct sim_task *task)
{
	return task->cgroup && task->sim->groups[task->cgroup - 1].expellee;
}

/*
 * @nr tasks more, 1 or -1, in the queue of @se: @task's entity, or a group's above it.  @immune:
 * no group below that is underclass; what it is one level up.
 * Kernel: id_update_nr_running(), update_nr_expel_immune().
 */
static inline bool sim_identity_count(const struct sim_entity *se, const struct sim_task *task,
				      bool immune, s32 nr)
{
	struct sim_identity_counts *ids = &se->queue->ids;
	u8 identity = sim_identity_of(task);

	immune = immune && !(se->identity & POLICY_UNDERCLASS);
	if (identity & POLICY_HIGHCLASS)
		ids->high += (u32)nr;
	if (identity & POLICY_UNDERCLASS)
		ids->under += (u32)nr;
	if (immune)
		ids->immune += (u32)nr;
	return immune;
}

/* The group @index is made, those above it are known. */
void sim_identity_group(struct sim *sim, u32 index);
/*
 * Does its identity say whether balancing may move @task to @dst?  *@reason: SIM_REASON_NONE if
 * it may, or why not.
 */
bool sim_identity_judges(struct sim_task *task, const struct sim_cpu *dst, enum sim_reason *reason);

#endif
