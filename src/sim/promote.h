/* SPDX-License-Identifier: GPL-2.0-only */
/* promote - LB_PROMOTE: where tasks that wait and CPUs that idle find each other; policy/promote.h. */
#ifndef SIM_PROMOTE_H
#define SIM_PROMOTE_H

#include "sim/internal.h"

static inline bool sim_promotes(const struct sim *sim)
{
	return policy_feature(&sim->features, POLICY_LB_PROMOTE);
}

/*
 * The CPU for a task that wakes: the first free one of all that it may use, the nearest to
 * where it was first; that CPU if none is free.
 */
struct sim_cpu *sim_promote_select(struct sim_task *task, enum sim_reason *reason);
/* @prev was switched out on @cpu. */
void sim_promote_preempted(struct sim_cpu *cpu, struct sim_task *prev);
/* Balancing found nothing: takes one task that waits anywhere. */
void sim_promote_pull(struct sim_cpu *cpu);

#endif
