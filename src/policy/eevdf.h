/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eevdf - earliest eligible virtual deadline first: the arithmetic of one queue.
 *
 * An entity has received what it is owed when its vruntime is V, the average of all
 * that compete, weighted.  Behind V it is eligible; among the eligible the earliest
 * deadline runs.  Trees and walks belong to the caller.
 *
 * Units: *_vns are ns of virtual time: wall time * 1024 / weight.  Virtual times wrap;
 * compare by signed difference.
 */
#ifndef POLICY_EEVDF_H
#define POLICY_EEVDF_H

#include "policy/release.h"
#include "policy/weight.h"

struct policy_entity {
	u64 vruntime_vns;
	u64 deadline_vns; /* relative to vruntime while rel_deadline is set */
	s64 vlag_vns;     /* V - vruntime when it last left; while it runs: the protection mark */
	u64 vprot_vns;    /* while it runs, the vruntime up to which it is protected: from 6.17 */
	u64 slice_ns;
	struct policy_weight weight;
	bool custom_slice; /* slice_ns was asked for, not the base slice */
	bool rel_deadline;
};

/*
 * What V is made of.  The sums cover the entities of interest; zero is a point near
 * them, so that products stay small: |vruntime - zero| * weight_sum < 2^63.
 */
struct policy_avg {
	u64 zero_vns;
	s64 key_sum;    /* sum of weight * (vruntime - zero) */
	u64 weight_sum; /* sum of weight */
};

/* Kernel: avg_vruntime_add(), kernel/sched/fair.c, v6.12. */
static inline void policy_avg_add(struct policy_avg *avg, const struct policy_entity *entity)
{
	u64 key_vns = entity->vruntime_vns - avg->zero_vns;

	avg->key_sum = (s64)((u64)avg->key_sum + key_vns * entity->weight.weight);
	avg->weight_sum += entity->weight.weight;
}

/* Kernel: avg_vruntime_sub(), kernel/sched/fair.c, v6.12. */
static inline void policy_avg_sub(struct policy_avg *avg, const struct policy_entity *entity)
{
	u64 key_vns = entity->vruntime_vns - avg->zero_vns;

	avg->key_sum = (s64)((u64)avg->key_sum - key_vns * entity->weight.weight);
	avg->weight_sum -= entity->weight.weight;
}

/*
 * V - zero, rounded toward minus infinity.  @avg covers the running entity too; 0 if it
 * is empty.
 * Kernel: avg_vruntime(), kernel/sched/fair.c, v6.12.
 */
static inline s64 policy_avg_delta(const struct policy_avg *avg)
{
	return avg->weight_sum ? policy_div_floor(avg->key_sum, avg->weight_sum) : 0;
}

/* Moves zero by @delta_vns; V stays.  Kernel: update_zero_vruntime(), fair.c, v6.12. */
static inline void policy_avg_move_zero(struct policy_avg *avg, s64 delta_vns)
{
	avg->key_sum = (s64)((u64)avg->key_sum - avg->weight_sum * (u64)delta_vns);
	avg->zero_vns += (u64)delta_vns;
}

/*
 * Is an entity at @vruntime_vns owed service (lag >= 0)?
 *
 * @avg covers every competing entity, the running one included.  Comparing
 * products instead of dividing keeps rounding from moving the line.  Where the product
 * passes 2^63, it is so far from V that the side alone decides.
 *
 * Kernel: vruntime_eligible(), kernel/sched/fair.c, v6.12 and v7.3.
 */
static inline bool policy_vruntime_eligible(const struct policy_avg *avg, u64 vruntime_vns)
{
	s64 key_vns = (s64)(vruntime_vns - avg->zero_vns);
	u64 apart_vns = key_vns < 0 ? 0 - (u64)key_vns : (u64)key_vns;

	if ((apart_vns | avg->weight_sum) >> 31 && avg->weight_sum &&
	    apart_vns > (u64)S64_MAX / avg->weight_sum)
		return key_vns < 0;
	return avg->key_sum >= key_vns * (s64)avg->weight_sum;
}

/* Deadlines wrap: the signed difference decides.  Kernel: entity_before(), fair.c, v6.12. */
static inline bool policy_entity_before(const struct policy_entity *a,
					const struct policy_entity *b)
{
	return (s64)(a->deadline_vns - b->deadline_vns) < 0;
}

/*
 * The lag an entity leaves with, @v_vns being V: at most two slices or a tick, either way.
 * Kernel: entity_lag(), kernel/sched/fair.c, v6.12.
 */
static inline s64 policy_entity_lag(const struct policy_entity *entity, u64 v_vns, u64 tick_ns)
{
	u64 most_ns = 2 * entity->slice_ns > tick_ns ? 2 * entity->slice_ns : tick_ns;
	s64 limit_vns = (s64)policy_calc_delta_fair(most_ns, &entity->weight);

	return policy_clamp((s64)(v_vns - entity->vruntime_vns), -limit_vns, limit_vns);
}

/*
 * vruntime and deadline of an entity that joins a queue.  @avg covers those that are
 * there, the running one included, with zero at V; @initial: it has just been forked.
 *
 * Kernel: place_entity(), kernel/sched/fair.c, v6.12.
 */
static inline void policy_place_entity(struct policy_entity *entity, const struct policy_avg *avg,
				       u64 base_slice_ns, bool initial,
				       const struct policy_features *features)
{
	s64 lag_vns = 0;
	u64 vslice_vns;

	if (!entity->custom_slice)
		entity->slice_ns = base_slice_ns;
	vslice_vns = policy_calc_delta_fair(entity->slice_ns, &entity->weight);

	/*
	 * Joining moves V toward the newcomer, which would shrink its lag by the factor
	 * W / (W + w); so it is placed with the inverse of that.
	 */
	if (policy_feature(features, POLICY_PLACE_LAG) && avg->weight_sum)
		lag_vns = policy_div_trunc(entity->vlag_vns *
						   (s64)(avg->weight_sum + entity->weight.weight),
					   avg->weight_sum);
	entity->vruntime_vns = avg->zero_vns - (u64)lag_vns;

	if (policy_feature(features, POLICY_PLACE_REL_DEADLINE) && entity->rel_deadline) {
		entity->deadline_vns += entity->vruntime_vns;
		entity->rel_deadline = false;
		return;
	}
	if (policy_feature(features, POLICY_PLACE_DEADLINE_INITIAL) && initial)
		vslice_vns /= 2;
	entity->deadline_vns = entity->vruntime_vns + vslice_vns;
}

/*
 * A used-up request is renewed, from where the entity stands: true if it was.
 * Kernel: update_deadline(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_update_deadline(struct policy_entity *entity, u64 base_slice_ns)
{
	if ((s64)(entity->vruntime_vns - entity->deadline_vns) < 0)
		return false;
	if (!entity->custom_slice)
		entity->slice_ns = base_slice_ns;
	entity->deadline_vns =
		entity->vruntime_vns + policy_calc_delta_fair(entity->slice_ns, &entity->weight);
	return true;
}

/*
 * Protection of the running entity, 6.6 to 6.16: it holds while vlag equals the deadline,
 * so until the deadline is renewed or the mark is moved.
 * Kernel: set_protect_slice(), protect_slice(), cancel_protect_slice(), fair.c, v6.12.
 */
static inline void policy_protect_set(struct policy_entity *entity)
{
	entity->vlag_vns = (s64)entity->deadline_vns;
}

static inline bool policy_protected(const struct policy_entity *entity)
{
	return entity->vlag_vns == (s64)entity->deadline_vns;
}

static inline void policy_protect_cancel(struct policy_entity *entity)
{
	if (policy_protected(entity))
		entity->vlag_vns = (s64)(entity->deadline_vns + 1);
}

/* The earlier of two virtual times.  Kernel: min_vruntime(), kernel/sched/fair.c, v7.3. */
static inline u64 policy_vns_min(u64 a_vns, u64 b_vns)
{
	return (s64)(b_vns - a_vns) < 0 ? b_vns : a_vns;
}

/*
 * Protection by a vruntime up to which it holds, 6.17 and later.
 * Kernel: protect_slice(), cancel_protect_slice(), kernel/sched/fair.c, v6.18 and v7.3.
 */
static inline bool policy_vprot_holds(const struct policy_entity *entity)
{
	return (s64)(entity->vruntime_vns - entity->vprot_vns) < 0;
}

static inline void policy_vprot_cancel(struct policy_entity *entity)
{
	if (policy_vprot_holds(entity))
		entity->vprot_vns = entity->vruntime_vns;
}

/*
 * Protects the entity that is set running: up to its deadline, or, if another asks for less at
 * a time, for that long.  @min_slice_ns: the shortest slice of the queue with RUN_TO_PARITY,
 * else the normalised base slice.
 * Kernel: set_protect_slice(), kernel/sched/fair.c, v6.18.
 */
static inline void policy_slice_protect(struct policy_entity *entity, u64 min_slice_ns)
{
	entity->vprot_vns = entity->deadline_vns;
	if (min_slice_ns < entity->slice_ns)
		entity->vprot_vns = policy_vns_min(entity->deadline_vns,
						   entity->vruntime_vns +
							   policy_calc_delta_fair(min_slice_ns,
										  &entity->weight));
}

/*
 * Shortens it for one that was woken and waits.
 * Kernel: update_protect_slice(), kernel/sched/fair.c, v6.18.
 */
static inline void policy_slice_shorten(struct policy_entity *entity, u64 min_slice_ns)
{
	entity->vprot_vns = policy_vns_min(
		entity->vprot_vns,
		entity->vruntime_vns + policy_calc_delta_fair(min_slice_ns, &entity->weight));
}

/* Either form, as the release has it. */
static inline bool policy_holds(const struct policy_entity *entity,
				const struct policy_rules *rules)
{
	return rules->protect == POLICY_PROTECT_DEADLINE ? policy_protected(entity)
							 : policy_vprot_holds(entity);
}

static inline void policy_unprotect(struct policy_entity *entity, const struct policy_rules *rules)
{
	if (rules->protect == POLICY_PROTECT_DEADLINE)
		policy_protect_cancel(entity);
	else
		policy_vprot_cancel(entity);
}

/*
 * Does a wakeup of @wakee end the protection of the running @curr?
 * Kernel: do_preempt_short(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_preempt_short(const struct policy_avg *avg,
					const struct policy_entity *wakee,
					const struct policy_entity *curr,
					const struct policy_features *features)
{
	return policy_feature(features, POLICY_PREEMPT_SHORT) && wakee->slice_ns < curr->slice_ns &&
	       policy_vruntime_eligible(avg, wakee->vruntime_vns) &&
	       (policy_entity_before(wakee, curr) ||
		!policy_vruntime_eligible(avg, curr->vruntime_vns));
}

/*
 * The same as first proposed: not if @curr has no protection that it could end, and only with
 * an earlier deadline.
 * Patch: "sched/eevdf: Allow shorter slices to wakeup-preempt", April 2024.
 */
static inline bool policy_preempt_short_rfc(const struct policy_avg *avg,
					    const struct policy_entity *wakee,
					    const struct policy_entity *curr,
					    const struct policy_features *features)
{
	return policy_feature(features, POLICY_PREEMPT_SHORT_RFC) &&
	       wakee->slice_ns < curr->slice_ns &&
	       policy_vruntime_eligible(avg, wakee->vruntime_vns) &&
	       policy_entity_before(wakee, curr);
}

/*
 * Must @curr give way at an accounting point although its request is not used up?
 * Kernel: did_preempt_short(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_did_preempt_short(const struct policy_avg *avg,
					    const struct policy_entity *curr,
					    const struct policy_features *features)
{
	return policy_feature(features, POLICY_PREEMPT_SHORT) && !policy_protected(curr) &&
	       !policy_vruntime_eligible(avg, curr->vruntime_vns);
}

/* Yielding asks for a slice later.  Kernel: yield_task_fair(), kernel/sched/fair.c, v6.6. */
static inline void policy_yield_turn(struct policy_entity *entity)
{
	entity->deadline_vns += policy_calc_delta_fair(entity->slice_ns, &entity->weight);
}

/*
 * Yielding gives up the rest of the request, if it is eligible at all.
 * Kernel: yield_task_fair(), kernel/sched/fair.c, v6.12 and v6.18.
 */
static inline void policy_yield(struct policy_entity *entity, const struct policy_avg *avg,
				u64 base_slice_ns)
{
	if (!policy_vruntime_eligible(avg, entity->vruntime_vns))
		return;
	entity->vruntime_vns = entity->deadline_vns;
	policy_update_deadline(entity, base_slice_ns);
}

/*
 * A queued entity will weigh @to, not @from, both of full resolution: lag and remaining request
 * keep their worth in wall time.  @v_vns is V.  entity->weight is the old one still.
 * Distances are those of one queue, far below 2^63 / weight.
 * Kernel: reweight_eevdf(), kernel/sched/fair.c, v6.12.
 */
static inline void policy_reweight_queued(struct policy_entity *entity, u64 v_vns, u64 tick_ns,
					  u64 from, u64 to)
{
	s64 lag_vns, left_vns;

	if (entity->vruntime_vns != v_vns) {
		lag_vns = policy_entity_lag(entity, v_vns, tick_ns);
		lag_vns = policy_div_trunc(lag_vns * (s64)from, to);
		entity->vruntime_vns = v_vns - (u64)lag_vns;
	}
	left_vns = (s64)(entity->deadline_vns - v_vns);
	left_vns = policy_div_trunc(left_vns * (s64)from, to);
	entity->deadline_vns = v_vns + (u64)left_vns;
}

/* The same for one that is not queued: only the lag it left with. */
static inline void policy_reweight_absent(struct policy_entity *entity, u64 from, u64 to)
{
	entity->vlag_vns = policy_div_trunc(entity->vlag_vns * (s64)from, to);
}

/*
 * The same in 6.18: the rest of its request, too, if it is kept relative.
 * Kernel: reweight_entity(), kernel/sched/fair.c, v6.18.
 */
static inline void policy_reweight_relative(struct policy_entity *entity, u64 from, u64 to)
{
	policy_reweight_absent(entity, from, to);
	if (entity->rel_deadline)
		entity->deadline_vns =
			(u64)policy_div_trunc((s64)(entity->deadline_vns * from), to);
}

/* What a wakeup means for the running task. */
enum policy_wakeup {
	POLICY_WAKEUP_IGNORE,  /* nothing */
	POLICY_WAKEUP_PREEMPT, /* it gives way */
	POLICY_WAKEUP_SHORTEN, /* it stays, but is protected for less */
	POLICY_WAKEUP_SHORT,   /* the wakee asks for less: pick as if nothing were protected */
	POLICY_WAKEUP_PICK,    /* as a pick finds */
	POLICY_WAKEUP_BUDDY,   /* that too, and the wakee may become the next buddy */
};

/* The parties of a wakeup, apart from their entities. */
struct policy_parties {
	bool curr_idle, wakee_idle;           /* SCHED_IDLE, or a group that is */
	bool curr_task_idle, wakee_task_idle; /* nested: the tasks themselves */
	bool wakee_shorter;                   /* nested: it asks for a shorter slice */
	bool wakee_normal;                    /* SCHED_NORMAL, not SCHED_BATCH */
	bool wakee_delayed, forked;
	bool resched; /* the running task must give way already, not lazily */
};

/*
 * What to do about a wakeup that finds the running task free to go on: an enum policy_wakeup,
 * of which only IGNORE, PREEMPT, PICK and SHORT come out.  In 6.6 the policies of the tasks
 * count before those of the groups that compete.
 * Kernel: check_preempt_wakeup(), check_preempt_wakeup_fair(), fair.c, v6.6, v6.12, v6.18.
 */
static inline u32 policy_nested_wakeup(const struct policy_parties *of,
				       const struct policy_rules *rules,
				       const struct policy_features *features)
{
	bool tasks_first = rules->preempt == POLICY_PREEMPT_PICKED;

	if (tasks_first && of->curr_task_idle && !of->wakee_task_idle)
		return POLICY_WAKEUP_PREEMPT;
	if (!policy_feature(features, POLICY_WAKEUP_PREEMPTION))
		return POLICY_WAKEUP_IGNORE;
	if (tasks_first && !of->wakee_normal)
		return POLICY_WAKEUP_IGNORE;
	if (of->curr_idle && !of->wakee_idle)
		return POLICY_WAKEUP_PREEMPT;
	if (of->curr_idle != of->wakee_idle || !of->wakee_normal)
		return POLICY_WAKEUP_IGNORE;
	return rules->preempt == POLICY_PREEMPT_PAST && of->wakee_shorter &&
			       policy_feature(features, POLICY_PREEMPT_SHORT)
		       ? POLICY_WAKEUP_SHORT
		       : POLICY_WAKEUP_PICK;
}

#endif
