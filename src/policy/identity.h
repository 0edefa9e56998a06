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

#include "policy/release.h"

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

#endif
