/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * identity - group identity: which groups are latency-critical (highclass), which are batch work
 * (underclass), and what that decides.
 *
 * After the fair class of Alibaba Cloud Linux 4.19 (kernel/sched/fair.c, CONFIG_GROUP_IDENTITY),
 * and "alinux: sched: Introduce sched_feat ID_LAST_HIGHCLASS_STAY" (Cruz Zhao).
 *
 * A task has the identity of its own group, and none at the root; it is an expellee if any group
 * above it is underclass.  A CPU is on expel while another thread of its core runs a task whose
 * group is an expeller: then its expellees are not picked.
 */
#ifndef POLICY_IDENTITY_H
#define POLICY_IDENTITY_H

#include "policy/cfs.h"

/* Bits of a group's identity. */
enum policy_identity {
	POLICY_UNDERCLASS = 1 << 0,
	POLICY_HIGHCLASS = 1 << 1,
	POLICY_SMT_EXPELLER = 1 << 2,
	POLICY_IDLE_SAVER = 1 << 3,  /* takes an idle CPU only if that idles for long enough */
	POLICY_IDLE_SEEKER = 1 << 4, /* looks at all CPUs of a cache for one that is idle */
};

/* A task that balancing might move. */
struct policy_id_move {
	u32 identity;
	bool expellee;
	u32 src_nr_high; /* highclass tasks of its CPU, itself included */
	bool src_on_expel, dst_on_expel;
};

enum policy_id_verdict {
	POLICY_ID_AS_USUAL,  /* the rules for all tasks decide */
	POLICY_ID_TAKE,      /* however hot it is */
	POLICY_ID_LAST,      /* it stays: the last highclass task of its CPU */
	POLICY_ID_NOT_THERE, /* it stays: that CPU would not run it */
};

/*
 * Asked of a task that may run on the other CPU and does not run, before its heat.
 * Kernel: id_can_migrate_task(), Alibaba Cloud Linux 4.19.
 */
static inline enum policy_id_verdict policy_id_can_migrate(const struct policy_id_move *move,
							   const struct policy_features *features)
{
	if (policy_feature(features, POLICY_ID_LAST_HIGHCLASS_STAY) &&
	    move->identity & POLICY_HIGHCLASS && move->src_nr_high < 2)
		return POLICY_ID_LAST;
	if (!move->expellee)
		return POLICY_ID_AS_USUAL;
	if (move->dst_on_expel)
		return POLICY_ID_NOT_THERE;
	if (policy_feature(features, POLICY_ID_EXPELLEE_NEVER_HOT))
		return POLICY_ID_TAKE;
	if (move->src_on_expel && policy_feature(features, POLICY_ID_RESCUE_EXPELLEE))
		return POLICY_ID_TAKE;
	return POLICY_ID_AS_USUAL;
}

/* Does a CPU have underclass tasks and nothing else?  Kernel: underclass_only(), there. */
static inline bool policy_id_under_only(u32 h_nr, u32 nr_under)
{
	return h_nr && h_nr == nr_under;
}

/* An entity of a queue; a task's has no identity, a group's that of the group. */
struct policy_id_entity {
	u64 vruntime_vns;
	u32 identity;
	bool hidden; /* its CPU is on expel, and it has only expellees */
};

/*
 * Which of two goes first whatever their vruntime: 1: @se, -1: @curr, 0: neither.
 * Kernel: id_preempt_underclass(), Alibaba Cloud Linux 4.19.
 */
static inline s32 policy_id_preempt_underclass(const struct policy_id_entity *curr,
					       const struct policy_id_entity *se)
{
	bool curr_under = curr->identity & POLICY_UNDERCLASS;
	bool se_under = se->identity & POLICY_UNDERCLASS;

	if (curr_under == se_under) {
		curr_under = curr->hidden;
		se_under = se->hidden;
	}
	return (s32)curr_under - (s32)se_under;
}

/* The same for highclass, where vruntime has a say.  Kernel: id_preempt_highclass(), there. */
static inline s32 policy_id_preempt_highclass(const struct policy_id_entity *curr,
					      const struct policy_id_entity *se)
{
	return (s32) !!(se->identity & POLICY_HIGHCLASS) -
	       (s32) !!(curr->identity & POLICY_HIGHCLASS);
}

/*
 * What identity says of @se preempting @curr; 0: nothing, the wakeup granularity decides.  What
 * is underclass gives way at once, highclass preempts others if it has had less.
 * Kernel: the beginning of wakeup_preempt_entity(), there.
 */
static inline s32 policy_id_wakeup_preempt(const struct policy_id_entity *curr,
					   const struct policy_id_entity *se)
{
	s32 first = policy_id_preempt_underclass(curr, se);

	if (first)
		return first;
	if ((s64)(curr->vruntime_vns - se->vruntime_vns) <= 0)
		return -1;
	return policy_id_preempt_highclass(curr, se);
}

/*
 * What a tick finds, an enum policy_tick_verdict.  @first: the earliest other, NULL if none is
 * picked while the CPU is on expel; vruntimes are the effective ones.  Only highclass is
 * protected for the minimal granularity.
 * Kernel: check_preempt_tick(), there.
 */
static inline u32 policy_id_check_preempt_tick(const struct policy_cfs *cfs, u64 slice_ns,
					       u64 ran_ns, const struct policy_id_entity *curr,
					       const struct policy_id_entity *first)
{
	s64 ahead_vns;
	s32 by_class;

	if (ran_ns > slice_ns)
		return POLICY_TICK_SLICE_OVER;
	if (curr->hidden)
		return POLICY_TICK_AHEAD;
	if ((curr->identity & POLICY_HIGHCLASS && ran_ns < cfs->min_granularity_ns) || !first)
		return POLICY_TICK_GO_ON;
	ahead_vns = (s64)(curr->vruntime_vns - first->vruntime_vns);
	if (ahead_vns < 0)
		return POLICY_TICK_GO_ON;
	by_class = policy_id_preempt_highclass(curr, first);
	by_class = by_class ? by_class : policy_id_preempt_underclass(curr, first);
	return (u64)ahead_vns > slice_ns || by_class > 0 ? POLICY_TICK_AHEAD : POLICY_TICK_GO_ON;
}

/*
 * Which of a queue's two trees is looked at first, if both have something?  Compared without
 * regard to the wrap, as the kernel does.  @spread_vns: what underclass lost while on expel.
 * Kernel: id_rb_first_cached(), there.
 */
static inline bool policy_id_under_first(u64 min_vns, u64 min_under_vns, u64 spread_vns)
{
	return min_under_vns + spread_vns < min_vns;
}

#endif
