/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flat - EEVDF with one queue per CPU: the arithmetic of release 7.3.
 *
 * Tasks of all groups compete in one queue.  What a task weighs there is its part of what
 * its group weighs on this CPU, and so on up to the root.  V and eligibility are those of
 * policy/eevdf.h.
 *
 * Units: weights have full resolution, nice 0 is 2^20.  *_vns are ns of virtual time:
 * wall time * 2^20 / weight, divided and not multiplied by an inverse.
 */
#ifndef POLICY_FLAT_H
#define POLICY_FLAT_H

#include "policy/eevdf.h"

#define POLICY_FLAT_NICE0 (1ULL << 20)
#define POLICY_FLAT_SHIFT 10 /* to the weights of policy/weight.h */
#define POLICY_FLAT_LEAST 2  /* Kernel: MIN_SHARES, kernel/sched/sched.h */

/*
 * Wall time as virtual time.  @delta_ns < 2^44, which is four hours.
 * Kernel: calc_delta_fair(), __calc_delta() of 64 bits, kernel/sched/fair.c, v7.3.
 */
static inline u64 policy_flat_delta_fair(u64 delta_ns, u64 weight)
{
	return weight == POLICY_FLAT_NICE0 ? delta_ns : delta_ns * POLICY_FLAT_NICE0 / weight;
}

/*
 * One level of a task's hierarchical weight: @weight, what came of the levels below, times
 * what the entity of this level weighs, @own, by its queue's @load.  @load is that of all
 * entities of a group's queue, and 2^20 in the root queue.
 * Kernel: __calc_prop_weight(), kernel/sched/fair.c, v7.3.
 */
static inline u64 policy_prop_weight(u64 weight, u64 own, u64 load)
{
	u64 part = weight * own / load;

	return part > POLICY_FLAT_LEAST ? part : POLICY_FLAT_LEAST;
}

/* What a group's shares are worth.  Kernel: /sys/kernel/debug/sched/cgroup_mode, v7.3. */
enum policy_cgroup_mode {
	POLICY_CGROUP_CONCUR, /* once for each task that can run at a time; the default */
	POLICY_CGROUP_UP,     /* once on each CPU, whatever is there */
	POLICY_CGROUP_SMP,    /* once, split among CPUs by load, as until 6.18 */
	POLICY_CGROUP_MAX,    /* once for each CPU it may use; on none more than nice -20 */
	POLICY_CGROUP_TASKS,  /* once for each task */
	POLICY_NR_CGROUP_MODES
};

/*
 * By how much the shares are multiplied before they are split: @tasks are those that wait or
 * run, at least one is counted, as of @cpus.
 * Kernel: calc_concur_shares() and its like, tg_tasks(), tg_cpus(), kernel/sched/fair.c, v7.3.
 */
static inline u64 policy_cgroup_times(u32 mode, u64 tasks, u32 cpus)
{
	u64 nr_tasks = tasks ? tasks : 1, nr_cpus = cpus ? cpus : 1;

	switch (mode) {
	case POLICY_CGROUP_CONCUR:
		return nr_tasks < nr_cpus ? nr_tasks : nr_cpus;
	case POLICY_CGROUP_MAX:
		return nr_cpus;
	case POLICY_CGROUP_TASKS:
		return nr_tasks;
	default:
		return 1;
	}
}

/*
 * The lag an entity has, @v_vns being V: at most the longest slice of the queue and a tick,
 * either way.
 * Kernel: entity_lag(), kernel/sched/fair.c, v7.3.
 */
static inline s64 policy_flat_lag(const struct policy_entity *entity, u64 v_vns, u64 max_slice_ns,
				  u64 tick_ns)
{
	s64 limit_vns = (s64)policy_flat_delta_fair(max_slice_ns + tick_ns, entity->weight.weight);

	return policy_clamp((s64)(v_vns - entity->vruntime_vns), -limit_vns, limit_vns);
}

/*
 * What a delayed entity keeps of the lag that it has now: no more debt than when its delay
 * began, and no credit.
 * Kernel: update_entity_lag(), kernel/sched/fair.c, v7.3.
 */
static inline s64 policy_delayed_lag(s64 lag_vns, s64 began_vns,
				     const struct policy_features *features)
{
	if (lag_vns < began_vns)
		lag_vns = began_vns;
	return lag_vns > 0 && policy_feature(features, POLICY_DELAY_ZERO) ? 0 : lag_vns;
}

/* @value * @from / @to toward zero; the product is below 2^63. */
static inline s64 policy_rescale(s64 value, u64 from, u64 to)
{
	return policy_div_trunc((s64)((u64)value * from), to);
}

/*
 * vruntime and deadline of an entity that joins a queue.  @avg covers those that are there,
 * the running one included, with zero at V; @initial: it has just been forked.  Returns by
 * how much zero must move then: to the newcomer, if that outweighs the rest.
 * Kernel: place_entity(), kernel/sched/fair.c, v7.3.
 */
static inline s64 policy_flat_place_entity(struct policy_entity *entity,
					   const struct policy_avg *avg, u64 base_slice_ns,
					   bool initial, const struct policy_features *features)
{
	u64 weight = entity->weight.weight, vslice_vns;
	s64 lag_vns = 0;

	if (!entity->custom_slice)
		entity->slice_ns = base_slice_ns;
	vslice_vns = policy_flat_delta_fair(entity->slice_ns, weight);
	/* V will move toward it by lag * weight / (W + weight); this makes up for that */
	if (policy_feature(features, POLICY_PLACE_LAG) && avg->weight_sum)
		lag_vns = entity->vlag_vns +
			  policy_rescale(entity->vlag_vns, weight, avg->weight_sum);
	entity->vruntime_vns = avg->zero_vns - (u64)lag_vns;

	if (policy_feature(features, POLICY_PLACE_REL_DEADLINE) && entity->rel_deadline) {
		entity->deadline_vns += entity->vruntime_vns;
		entity->rel_deadline = false;
	} else {
		if (policy_feature(features, POLICY_PLACE_DEADLINE_INITIAL) && initial)
			vslice_vns /= 2;
		entity->deadline_vns = entity->vruntime_vns + vslice_vns;
	}
	return weight > avg->weight_sum ? -lag_vns : 0;
}

/*
 * A used-up request is renewed, from where the entity stands: true if it was.
 * Kernel: update_deadline(), kernel/sched/fair.c, v7.3.
 */
static inline bool policy_flat_update_deadline(struct policy_entity *entity, u64 base_slice_ns)
{
	if ((s64)(entity->vruntime_vns - entity->deadline_vns) < 0)
		return false;
	if (!entity->custom_slice)
		entity->slice_ns = base_slice_ns;
	entity->deadline_vns = entity->vruntime_vns +
			       policy_flat_delta_fair(entity->slice_ns, entity->weight.weight);
	return true;
}

/*
 * The parity point: the first vruntime at which one more is no longer eligible.  @others
 * does not cover that one.
 * Kernel: ineligible_vruntime(), kernel/sched/fair.c, v7.3.
 */
static inline u64 policy_ineligible_vruntime(const struct policy_avg *others)
{
	return others->zero_vns + (u64)policy_avg_delta(others) + 1;
}

/*
 * Protects the entity that is set running: up to its deadline, or, if another asks for less
 * at a time, to the point of parity with the @others.  @min_slice_ns: the shortest of the
 * queue with RUN_TO_PARITY, else the normalised base slice.
 * Kernel: set_protect_slice(), kernel/sched/fair.c, v7.3.
 */
static inline void policy_vprot_set(struct policy_entity *entity, u64 min_slice_ns,
				    const struct policy_avg *others,
				    const struct policy_features *features)
{
	u64 until_vns;

	entity->vprot_vns = entity->deadline_vns;
	if (min_slice_ns >= entity->slice_ns)
		return;
	if (policy_feature(features, POLICY_PREEMPT_SHORT))
		until_vns = policy_ineligible_vruntime(others);
	else
		until_vns = entity->vruntime_vns +
			    policy_flat_delta_fair(min_slice_ns, entity->weight.weight);
	entity->vprot_vns = policy_vns_min(entity->vprot_vns, until_vns);
}

/*
 * Shortens the protection for one that was woken and waits: to one of the shortest slices,
 * from V or, if the entity is behind it, from where it is.
 * Kernel: update_protect_slice(), kernel/sched/fair.c, v7.3.
 */
static inline void policy_vprot_shorten(struct policy_entity *entity, u64 v_vns, u64 min_slice_ns)
{
	u64 from_vns = policy_vns_min(entity->vruntime_vns, v_vns);

	entity->vprot_vns = policy_vns_min(
		entity->vprot_vns,
		from_vns + policy_flat_delta_fair(min_slice_ns, entity->weight.weight));
}

/*
 * A new weight for a queued entity: lag, what is left of its request and its protection keep
 * their worth in wall time.  @v_vns is V, @lag_vns policy_flat_lag() with the old weight.
 * Kernel: reweight_eevdf(), rescale_entity(), kernel/sched/fair.c, v7.3.
 */
static inline void policy_flat_reweight_queued(struct policy_entity *entity, u64 v_vns, s64 lag_vns,
					       u64 weight, bool running)
{
	u64 old = entity->weight.weight;

	if (running && policy_vprot_holds(entity))
		entity->vprot_vns =
			v_vns + (u64)policy_rescale((s64)(entity->vprot_vns - v_vns), old, weight);
	entity->vlag_vns = policy_rescale(lag_vns, old, weight);
	entity->vruntime_vns = v_vns - (u64)entity->vlag_vns;
	entity->deadline_vns =
		v_vns + (u64)policy_rescale((s64)(entity->deadline_vns - v_vns), old, weight);
	entity->weight.weight = weight;
}

/* The same for one that is about to join: the lag it left with, and the rest of its request. */
static inline void policy_flat_reweight_absent(struct policy_entity *entity, u64 weight)
{
	u64 old = entity->weight.weight;

	if (old == weight)
		return;
	entity->vlag_vns = policy_rescale(entity->vlag_vns, old, weight);
	if (entity->rel_deadline)
		entity->deadline_vns = (u64)policy_rescale((s64)entity->deadline_vns, old, weight);
	entity->weight.weight = weight;
}

/*
 * Yielding gives up the rest of the request, if it is eligible at all.
 * Kernel: yield_task_fair(), kernel/sched/fair.c, v7.3.
 */
static inline void policy_flat_yield(struct policy_entity *entity, const struct policy_avg *avg,
				     u64 base_slice_ns)
{
	if (!policy_vruntime_eligible(avg, entity->vruntime_vns))
		return;
	entity->vruntime_vns = entity->deadline_vns;
	policy_flat_update_deadline(entity, base_slice_ns);
}

/*
 * What to do about a wakeup, an enum policy_wakeup.
 * Kernel: wakeup_preempt_fair(), kernel/sched/fair.c, v7.3.
 */
static inline u32 policy_wakeup_preempt(const struct policy_parties *of,
					const struct policy_entity *curr,
					const struct policy_entity *wakee,
					const struct policy_features *features)
{
	bool preempt_short = policy_feature(features, POLICY_PREEMPT_SHORT);

	if ((of->resched && !preempt_short) || !policy_feature(features, POLICY_WAKEUP_PREEMPTION))
		return POLICY_WAKEUP_IGNORE;
	if (of->curr_idle && !of->wakee_idle)
		return POLICY_WAKEUP_PREEMPT;
	if (of->curr_idle != of->wakee_idle || !of->wakee_normal || of->wakee_delayed)
		return POLICY_WAKEUP_SHORTEN;
	if (preempt_short && wakee->slice_ns < curr->slice_ns)
		return POLICY_WAKEUP_SHORT;
	if (of->forked)
		return POLICY_WAKEUP_SHORTEN;
	return policy_feature(features, POLICY_NEXT_BUDDY) ? POLICY_WAKEUP_BUDDY
							   : POLICY_WAKEUP_PICK;
}

/*
 * May the wakee replace @buddy, the next buddy?  Not one with an earlier deadline, or, if it
 * is for a @shorter slice, not one with a shorter one.
 * Kernel: set_preempt_buddy(), set_short_buddy(), kernel/sched/fair.c, v7.3.
 */
static inline bool policy_buddy_yields(const struct policy_entity *buddy,
				       const struct policy_entity *wakee, bool shorter)
{
	return shorter ? buddy->slice_ns >= wakee->slice_ns : !policy_entity_before(buddy, wakee);
}

/*
 * The wakee is the next buddy now, and its waker says that it is about to sleep: an enum
 * policy_wakeup, PREEMPT or IGNORE.  @ran_ns: since the running entity was last accounted for.
 * @selected: its CPU was chosen among several.  v7.3 accounts for it just before, so that with
 * any threshold but 0 the wakee never preempts.
 * Kernel: preempt_sync(), kernel/sched/fair.c, v7.3.
 */
static inline u32 policy_preempt_sync(const struct policy_entity *curr,
				      const struct policy_entity *wakee, u64 ran_ns,
				      u64 migration_cost_ns, bool selected)
{
	u64 threshold_ns = selected ? migration_cost_ns / 4 : migration_cost_ns;

	return policy_entity_before(wakee, curr) && ran_ns >= threshold_ns ? POLICY_WAKEUP_PREEMPT
									   : POLICY_WAKEUP_IGNORE;
}

/*
 * How long it takes to the deadline, for the timer that ends a slice; negative: it is past.
 * Rounded up, as the kernel's timer is never early.
 * Kernel: hrtick_start_fair(), kernel/sched/fair.c, v7.3.
 */
static inline s64 policy_flat_until_deadline(const struct policy_entity *entity)
{
	s64 left_vns = (s64)(entity->deadline_vns - entity->vruntime_vns);

	if (left_vns < 0)
		return -1;
	return (s64)(((u64)left_vns * entity->weight.weight + POLICY_FLAT_NICE0 - 1) /
		     POLICY_FLAT_NICE0);
}

#endif
