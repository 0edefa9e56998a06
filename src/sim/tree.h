/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree - the queued entities of one fair queue, ordered by key_vns, equal ones by
 * arrival, each node knowing the smallest vruntime and the extreme slices below it.  The key is the
 * deadline or the vruntime, as the queue kind has it; it stands still meanwhile.
 *
 * Where GROUP_IDENTITY is on, entities that stand for underclass groups have a tree of their own.
 *
 * A treap: the shape is a function of the entities' fixed random priorities, and the
 * depth is logarithmic whatever the order of arrival.  The running entity is not in it.
 */
#ifndef SIM_TREE_H
#define SIM_TREE_H

#include "sim/internal.h"

void sim_tree_add(struct sim_queue *queue, struct sim_entity *entity);
void sim_tree_remove(struct sim_queue *queue, struct sim_entity *entity);
/* The slice of @entity changed: what is known above it is worked out again. */
void sim_tree_refresh(struct sim_queue *queue, struct sim_entity *entity);
struct sim_entity *sim_tree_first(const struct sim_queue *queue);
struct sim_entity *sim_tree_first_under(const struct sim_queue *queue);
/* What comes after @entity in the tree that it is in; NULL: nothing. */
struct sim_entity *sim_tree_next(struct sim_queue *queue, const struct sim_entity *entity);
/*
 * The first among the eligible, judged by @avg (the running entity
 * included); NULL if none is.
 * Kernel: the heap search of pick_eevdf(), kernel/sched/fair.c, v6.12.
 */
struct sim_entity *sim_tree_eligible(const struct sim_queue *queue, const struct policy_avg *avg);

#endif
