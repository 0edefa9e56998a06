/* SPDX-License-Identifier: GPL-2.0-only */
/* identity - GROUP_IDENTITY: which tasks balancing may move. */
#include "sim/identity.h"

/* A workload's bits are the policy's. */
#define SAME(policy, workload) _Static_assert((u32)(policy) == (u32)(workload), #policy)
SAME(POLICY_UNDERCLASS, WORKLOAD_ID_UNDERCLASS);
SAME(POLICY_HIGHCLASS, WORKLOAD_ID_HIGHCLASS);
SAME(POLICY_SMT_EXPELLER, WORKLOAD_ID_SMT_EXPELLER);
SAME(POLICY_IDLE_SAVER, WORKLOAD_ID_IDLE_SAVER);
SAME(POLICY_IDLE_SEEKER, WORKLOAD_ID_IDLE_SEEKER);
#undef SAME

void sim_identity_group(struct sim *sim, u32 index)
{
	struct sim_group *group = &sim->groups[index];
	bool above = group->parent != SIM_NO_GROUP && sim->groups[group->parent].expellee;

	group->identity = (u8)sim->setup->workload->cgroups.at[index].identity;
	group->expellee = above || group->identity & POLICY_UNDERCLASS;
}

bool sim_identity_judges(struct sim_task *task, const struct sim_cpu *dst, enum sim_reason *reason)
{
	const struct policy_id_move move = { .identity = sim_identity_of(task),
					     .expellee = sim_is_expellee(task),
					     .src_nr_high = task->cpu->root.ids.high };

	(void)dst;
	switch (policy_id_can_migrate(&move, &task->sim->features)) {
	case POLICY_ID_LAST:
		*reason = SIM_REASON_LAST_HIGHCLASS;
		return true;
	case POLICY_ID_TAKE:
		*reason = SIM_REASON_NONE;
		return true;
	case POLICY_ID_NOT_THERE:
	case POLICY_ID_AS_USUAL:
		break;
	}
	return false;
}
