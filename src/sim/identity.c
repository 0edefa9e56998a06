/* SPDX-License-Identifier: GPL-2.0-only */
/* identity - GROUP_IDENTITY: two trees in a queue, who preempts, and which tasks may be moved. */
#include "sim/identity.h"

#include "sim/tree.h"

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

bool sim_identity_judges(const struct sim_task *task, enum sim_reason *reason)
{
	const struct policy_id_move move = { .identity = sim_identity_of(task),
					     .expellee = sim_is_expellee(task),
					     .src_nr_high = task->cpu->root.ids.high };

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

/* An empty tree gains nothing by being empty.  Kernel: sync_min_vruntime(). */
static void sync_empty(struct sim_queue *queue, const struct sim_entity *curr)
{
	u64 *min = &queue->min_vruntime_vns, *under = &queue->under.min_vruntime_vns;
	u64 most_vns = policy_vruntime_before(*min, *under) ? *under : *min;
	bool curr_under = curr && curr->identity & POLICY_UNDERCLASS;

	if (!queue->root && (!curr || curr_under))
		*min = most_vns;
	if (!queue->under.root && !curr_under)
		*under = most_vns;
}

void sim_identity_min_vruntime(struct sim_queue *queue, const struct sim_entity *curr)
{
	const u64 *curr_vns = curr ? &curr->p.vruntime_vns : NULL;
	bool under = curr && curr->identity & POLICY_UNDERCLASS;
	struct sim_entity *roots[] = { queue->root, queue->under.root };
	u64 *mins[] = { &queue->min_vruntime_vns, &queue->under.min_vruntime_vns };

	for (u32 i = 0; i < 2; i++)
		*mins[i] = policy_min_vruntime(*mins[i], under == i ? curr_vns : NULL,
					       roots[i] ? &roots[i]->min_vruntime_vns : NULL);
	sync_empty(queue, curr);
}

struct sim_entity *sim_identity_first(struct sim_queue *queue)
{
	struct sim_entity *normal = sim_tree_first(queue), *under = sim_tree_first_under(queue);

	if (under &&
	    policy_id_under_first(queue->min_vruntime_vns, queue->under.min_vruntime_vns, 0))
		return under;
	return normal ? normal : under;
}

static struct policy_id_entity as_rules_see(const struct sim_entity *se)
{
	return (struct policy_id_entity){ .vruntime_vns = se->p.vruntime_vns,
					  .identity = se->identity };
}

s32 sim_identity_preempts(const struct sim_entity *curr, const struct sim_entity *se)
{
	struct policy_id_entity a = as_rules_see(curr), b = as_rules_see(se);

	return policy_id_wakeup_preempt(&a, &b);
}

u32 sim_identity_tick(const struct sim_entity *curr, const struct sim_entity *first, u64 slice_ns,
		      u64 ran_ns)
{
	struct policy_id_entity a = as_rules_see(curr), b = { 0 };

	if (first)
		b = as_rules_see(first);
	return policy_id_check_preempt_tick(&curr->queue->cpu->sim->cfs, slice_ns, ran_ns, &a,
					    first ? &b : NULL);
}
