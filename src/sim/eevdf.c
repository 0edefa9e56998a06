/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eevdf - the nested EEVDF queue kind: a queue per (group, CPU), picked level by level.
 *
 * The rules are policy/eevdf.h's; this file walks levels and trees in the order of
 * kernel/sched/fair.c, v6.12, and each function names the one it follows.  Where 6.6 and 6.18
 * have another form of a rule, struct policy_rules says which.
 */
#include "sim/bandwidth.h"
#include "sim/entity.h"
#include "sim/freq.h"
#include "sim/track.h"
#include "sim/vtime.h"

/* Kernel: update_entity_lag(). */
static void update_entity_lag(struct sim_queue *queue, struct sim_entity *se)
{
	u64 v_vns = sim_avg_vruntime(queue);

	se->p.vlag_vns = policy_entity_lag(&se->p, v_vns, queue->cpu->sim->tick_ns);
}

/* Kernel: place_entity(). */
static void place_entity(struct sim_queue *queue, struct sim_entity *se, u32 flags)
{
	struct policy_avg avg;

	sim_avg_vruntime(queue);
	avg = sim_whole(queue);
	policy_place_entity(&se->p, &avg, queue->cpu->sim->base_slice_ns,
			    flags & SIM_ENQUEUE_INITIAL, sim_features(queue));
}

/* Kernel: clear_buddies(). */
static void clear_buddies(struct sim_entity *se)
{
	for_each_entity(se) {
		if (se->queue->next_buddy != se)
			break;
		se->queue->next_buddy = NULL;
	}
}

static const struct policy_rules *rules_of(const struct sim_queue *queue)
{
	return queue->cpu->sim->rules;
}

/* Must the running one give way before its request is used up? */
static bool ends_early(struct sim_queue *queue)
{
	const struct policy_rules *rules = rules_of(queue);
	struct policy_avg avg;

	if (policy_holds(&queue->curr->p, rules)) /* the common case, before any sum */
		return false;
	if (rules->protect == POLICY_PROTECT_SLICE)
		return true;
	avg = sim_whole(queue);
	return policy_did_preempt_short(&avg, &queue->curr->p, sim_features(queue));
}

/* Kernel: update_curr(). */
static void update_curr(struct sim_queue *queue)
{
	struct sim_cpu *cpu = queue->cpu;
	struct sim_entity *curr = queue->curr;
	u64 delta_ns = sim_charge(queue);
	bool resched;

	if (!delta_ns)
		return;
	curr->p.vruntime_vns += policy_calc_delta_fair(delta_ns, &curr->p.weight);
	resched = policy_update_deadline(&curr->p, cpu->sim->base_slice_ns);
	if (resched)
		sim_avg_vruntime(queue);
	if (curr->task) {
		sim_emit_runtime(cpu->sim, curr->task, delta_ns);
		if (cpu->server.active)
			sim_server_update(cpu, delta_ns);
	}
	sim_account_runtime(queue, delta_ns);
	if (queue->nr_queued == 1)
		return;
	if (resched || ends_early(queue)) {
		sim_cpu_resched_lazy(cpu);
		clear_buddies(curr);
	}
}

static void set_load(struct sim_entity *se, const struct policy_weight *weight, u64 load)
{
	if (se->on_rq)
		se->queue->load += load - se->load;
	sim_track_reweight(se, load);
	se->p.weight = *weight;
}

/*
 * It leaves and joins again with the new weight, and with the rest of its request whatever
 * PLACE_REL_DEADLINE says.  Kernel: reweight_entity(), v6.18.
 */
static void reweight_placed(struct sim_queue *queue, struct sim_entity *se,
			    const struct policy_weight *weight, u64 load)
{
	bool in_tree = queue->curr != se;
	u64 rest_vns;

	update_entity_lag(queue, se);
	se->p.deadline_vns -= se->p.vruntime_vns;
	se->p.rel_deadline = true;
	if (in_tree)
		sim_timeline_remove(queue, se);
	policy_reweight_relative(&se->p, se->load, load);
	set_load(se, weight, load);
	rest_vns = se->p.deadline_vns;
	place_entity(queue, se, 0);
	se->p.deadline_vns = se->p.vruntime_vns + rest_vns;
	se->p.rel_deadline = false;
	if (in_tree)
		sim_timeline_add(queue, se);
}

/*
 * A new weight, queued or not: @load, of full resolution; virtual time goes by @weight.
 * Kernel: reweight_entity().
 */
static void reweight_entity(struct sim_entity *se, const struct policy_weight *weight, u64 load)
{
	struct sim_queue *queue = se->queue;
	bool in_tree = se->on_rq && queue->curr != se;
	u64 v_vns;

	if (!se->on_rq) {
		if (rules_of(queue)->reweights == POLICY_REWEIGHTS_PLACED)
			policy_reweight_relative(&se->p, se->load, load);
		else
			policy_reweight_absent(&se->p, se->load, load);
		set_load(se, weight, load);
		return;
	}
	update_curr(queue);
	if (rules_of(queue)->reweights == POLICY_REWEIGHTS_PLACED) {
		reweight_placed(queue, se, weight, load);
		return;
	}
	v_vns = sim_avg_vruntime(queue);
	if (in_tree)
		sim_timeline_remove(queue, se);
	policy_reweight_queued(&se->p, v_vns, queue->cpu->sim->tick_ns, se->load, load);
	set_load(se, weight, load);
	if (in_tree)
		sim_timeline_add(queue, se);
}

/*
 * A group's weight on one CPU is its part of the group's shares, by the load of its queue
 * there.  Kernel: update_cfs_group().
 */
static void update_group(struct sim_entity *se)
{
	struct policy_weight weight;
	u64 load;

	if (!se->own || !se->queue->cpu->sim->tracks)
		return;
	if (!se->own->load && (se->queue->cpu->sim->setup->release->load & POLICY_LOAD_KEEP_EMPTY))
		return;
	if (sim_throttled_hierarchy(se->own)) /* they keep their last weight */
		return;
	load = sim_track_shares(se->own);
	if (load == se->load)
		return;
	policy_weight_of((u32)policy_scale_load_down(load), &weight);
	reweight_entity(se, &weight, load);
}

/* Kernel: enqueue_entity(). */
static void enqueue_entity(struct sim_queue *queue, struct sim_entity *se, u32 flags)
{
	bool curr = queue->curr == se;

	if (curr)
		place_entity(queue, se, flags);
	update_curr(queue);
	sim_track(se, SIM_TRACK_TG | SIM_TRACK_ATTACH);
	sim_track_runnable(se);
	update_group(se);
	if (!curr)
		place_entity(queue, se, flags);
	queue->load += se->load;
	if (se->task)
		sim_list_add(queue->cpu, se->task);
	queue->nr_queued++;
	if (!curr)
		sim_timeline_add(queue, se);
	se->on_rq = true;
	sim_check_enqueue(queue);
	sim_track_entered(queue);
}

/* Kernel: requeue_delayed_entity(). */
static void requeue_delayed(struct sim_entity *se)
{
	struct sim_queue *queue = se->queue;

	assert(se->delayed && se->on_rq);
	if (policy_feature(sim_features(queue), POLICY_DELAY_ZERO)) {
		update_entity_lag(queue, se);
		if (se->p.vlag_vns > 0) {
			queue->nr_queued--;
			if (se != queue->curr)
				sim_timeline_remove(queue, se);
			se->p.vlag_vns = 0;
			place_entity(queue, se, 0);
			if (se != queue->curr)
				sim_timeline_add(queue, se);
			queue->nr_queued++;
		}
	}
	sim_track(se, 0);
	sim_set_delayed(se, false);
}

/* A queued group entity's slice follows the shortest one inside. */
static void refresh_slice(struct sim_entity *se, u64 slice_ns)
{
	if (se->p.slice_ns == slice_ns)
		return;
	se->p.slice_ns = slice_ns;
	if (se != se->queue->curr)
		sim_tree_refresh(se->queue, se);
}

/* Kernel: enqueue_task_fair(). */
static void eevdf_enqueue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_entity *se = &task->se;
	bool idle = se->idle, first = !cpu->root.h_nr_queued;
	u32 delayed = se->delayed; /* it changes its CPU, asleep */
	u64 slice_ns = 0;

	if (!se->delayed || (flags & SIM_ENQUEUE_DELAYED))
		sim_track_est_add(cpu, task);
	if (flags & SIM_ENQUEUE_DELAYED) {
		requeue_delayed(se);
		return;
	}
	if (task->in_iowait)
		sim_freq_update_io(cpu);
	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		if (se->on_rq) {
			if (se->delayed)
				requeue_delayed(se);
			break;
		}
		if (slice_ns) {
			se->p.slice_ns = slice_ns;
			se->p.custom_slice = true;
		}
		enqueue_entity(queue, se, flags);
		slice_ns = sim_min_slice(queue);
		idle = sim_count_in(queue, idle);
		queue->h_nr_runnable -= delayed;
		if (queue->off)
			goto out;
		flags = SIM_ENQUEUE_WAKEUP;
	}
	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		sim_track(se, SIM_TRACK_TG);
		sim_track_runnable(se);
		update_group(se);
		refresh_slice(se, slice_ns);
		slice_ns = sim_min_slice(queue);
		idle = sim_count_in(queue, idle);
		queue->h_nr_runnable -= delayed;
		if (queue->off)
			goto out;
	}
	if (first && !cpu->nr_running)
		sim_server_idle(cpu);
	if (first)
		sim_server_start(cpu);
	sim_add_nr_running(cpu, 1);
out:
	sim_hrtick_update(cpu);
}

/* Kernel: dequeue_entity().  False: it stays, delayed. */
static bool dequeue_entity(struct sim_queue *queue, struct sim_entity *se, u32 flags)
{
	bool sleep = flags & SIM_DEQUEUE_SLEEP;

	update_curr(queue);
	clear_buddies(se);
	if (!(flags & SIM_DEQUEUE_DELAYED)) {
		bool delay = sleep && !(flags & (SIM_DEQUEUE_SPECIAL | SIM_DEQUEUE_THROTTLE));

		assert(!(delay && se->delayed));
		if (delay && policy_feature(sim_features(queue), POLICY_DELAY_DEQUEUE) &&
		    !sim_eligible(queue, se)) {
			sim_track(se, 0);
			sim_set_delayed(se, true);
			return false;
		}
	}
	sim_track(se, SIM_TRACK_TG | sim_track_migrates(se, flags));
	sim_track_runnable(se);
	update_entity_lag(queue, se);
	if (se != queue->curr)
		sim_timeline_remove(queue, se);
	if (policy_feature(sim_features(queue), POLICY_PLACE_REL_DEADLINE) && !sleep) {
		se->p.deadline_vns -= se->p.vruntime_vns;
		se->p.rel_deadline = true;
	}
	se->on_rq = false;
	queue->load -= se->load;
	queue->nr_queued--;
	if (se->task)
		sim_list_remove(queue->cpu, se->task);
	sim_return_runtime(queue);
	update_group(se);
	if (flags & SIM_DEQUEUE_DELAYED) {
		sim_set_delayed(se, false);
		if (policy_feature(sim_features(queue), POLICY_DELAY_ZERO) && se->p.vlag_vns > 0)
			se->p.vlag_vns = 0;
	}
	sim_track_left(queue);
	return true;
}

/* Kernel: dequeue_entities().  False: the task itself stays, delayed. */
static bool dequeue_entities(struct sim_cpu *cpu, struct sim_entity *se, u32 flags)
{
	struct sim_task *task = se->task;
	bool sleep = flags & SIM_DEQUEUE_SLEEP, finish = task && (flags & SIM_DEQUEUE_DELAYED);
	/* a task that was delayed had left h_nr_runnable already, unless it is finished here */
	bool was_delayed = task && se->delayed && !sleep && !finish;
	u32 nr = task ? 1 : 0, nr_idle = task ? se->idle : 0;
	u64 slice_ns = 0;

	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		if (!dequeue_entity(queue, se, flags)) {
			if (task && se == &task->se)
				return false;
			slice_ns = sim_min_slice(queue);
			break;
		}
		queue->h_nr_runnable -= was_delayed ? 0 : nr;
		queue->h_nr_queued -= nr;
		queue->h_nr_idle -= nr_idle;
		if (queue->entity && queue->entity->idle)
			nr_idle = nr;
		if (queue->off)
			goto out;
		if (queue->nr_queued) {
			slice_ns = sim_min_slice(queue);
			se = se->parent;
			/* another of the group goes on in the slice that this one leaves */
			if (sleep && se && !sim_off_hierarchy(queue))
				sim_set_next_buddy(se);
			break;
		}
		flags |= SIM_DEQUEUE_SLEEP;
		flags &= ~(u32)(SIM_DEQUEUE_DELAYED | SIM_DEQUEUE_SPECIAL);
	}
	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		sim_track(se, SIM_TRACK_TG);
		sim_track_runnable(se);
		update_group(se);
		refresh_slice(se, slice_ns);
		slice_ns = sim_min_slice(queue);
		queue->h_nr_runnable -= was_delayed ? 0 : nr;
		queue->h_nr_queued -= nr;
		queue->h_nr_idle -= nr_idle;
		if (queue->entity && queue->entity->idle)
			nr_idle = nr;
		if (queue->off)
			goto out;
	}
	sim_sub_nr_running(cpu, nr);
out:
	if (task)
		sim_hrtick_update(cpu);
	if (finish)
		task->on_rq = false;
	return true;
}

/* Kernel: dequeue_task_fair(). */
static bool eevdf_dequeue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	if (!(task->se.delayed && !(flags & SIM_DEQUEUE_SLEEP)))
		sim_track_est_sub(cpu, task);
	if (flags & SIM_DEQUEUE_SLEEP)
		sim_track_est(task);
	return dequeue_entities(cpu, &task->se, flags);
}

/* Not delayed: who is throttled leaves at once.  Kernel: throttle_cfs_rq(). */
static void eevdf_dequeue_group(struct sim_entity *se)
{
	dequeue_entity(se->queue, se,
		       SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_SPECIAL |
			       (se->delayed ? SIM_DEQUEUE_DELAYED : 0));
}

/* Kernel: unthrottle_cfs_rq(). */
static bool eevdf_enqueue_group(struct sim_entity *se)
{
	if (se->delayed)
		dequeue_entity(se->queue, se, SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_DELAYED);
	else if (se->on_rq)
		return false;
	enqueue_entity(se->queue, se, SIM_ENQUEUE_WAKEUP);
	return true;
}

/* @protect: the running one may stay because it is protected.  Kernel: pick_eevdf(). */
static struct sim_entity *pick_eevdf(struct sim_queue *queue, bool protect)
{
	struct sim_entity *curr = queue->curr && queue->curr->on_rq ? queue->curr : NULL, *best;
	struct policy_avg avg;

	queue->cpu->pick_reason = SIM_REASON_ONLY;
	if (queue->nr_queued == 1)
		return curr ? curr : queue->root;
	avg = sim_whole(queue);
	if (curr && !policy_vruntime_eligible(&avg, curr->p.vruntime_vns))
		curr = NULL;
	queue->cpu->pick_reason = SIM_REASON_PROTECTED;
	if (curr && protect && policy_holds(&curr->p, rules_of(queue)))
		return curr;
	queue->cpu->pick_reason = SIM_REASON_EARLIEST;
	best = sim_tree_eligible(queue, &avg);
	if (!best || (curr && policy_entity_before(&curr->p, &best->p)))
		best = curr;
	assert(best); /* someone is always eligible */
	return best;
}

/* Kernel: pick_next_entity().  NULL: a delayed one was taken off, look again. */
static struct sim_entity *pick_next_entity(struct sim_queue *queue)
{
	struct sim_entity *se = queue->next_buddy;

	queue->cpu->pick_reason = SIM_REASON_BUDDY;
	if (se && policy_feature(sim_features(queue), rules_of(queue)->heed_buddy) &&
	    sim_eligible(queue, se))
		return se;
	se = pick_eevdf(queue, queue->cpu->sim->parity);
	if (!se->delayed)
		return se;
	dequeue_entities(queue->cpu, se, SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_DELAYED);
	return NULL;
}

/* Kernel: pick_task_fair(). */
static struct sim_task *eevdf_pick(struct sim_cpu *cpu)
{
	struct sim_queue *queue = &cpu->root;
	struct sim_entity *se = NULL;
	bool throttled = false;

	while (queue) {
		if (!queue->nr_queued)
			return NULL;
		if (queue->curr && queue->curr->on_rq)
			update_curr(queue);
		if (sim_check_runtime(queue)) {
			if (!sim_throttles_tasks(cpu->sim)) {
				queue = &cpu->root;
				continue;
			}
			throttled = true;
		}
		se = pick_next_entity(queue);
		queue = se ? se->own : &cpu->root;
		throttled = throttled && se;
	}
	se->task->throttle_work |= throttled;
	return se->task;
}

/* Kernel: set_protect_slice(). */
static void protect(struct sim_queue *queue, struct sim_entity *se)
{
	u64 slice_ns = queue->cpu->sim->setup->release->base_slice_ns;

	if (rules_of(queue)->protect == POLICY_PROTECT_DEADLINE) {
		policy_protect_set(&se->p);
		return;
	}
	if (policy_feature(sim_features(queue), POLICY_RUN_TO_PARITY))
		slice_ns = sim_min_slice(queue);
	policy_slice_protect(&se->p, slice_ns);
}

/* Kernel: set_next_entity(). */
static void set_next_entity(struct sim_entity *se)
{
	struct sim_queue *queue = se->queue;

	clear_buddies(se);
	if (se->on_rq) {
		sim_timeline_remove(queue, se);
		sim_track(se, SIM_TRACK_TG);
		protect(queue, se);
	}
	sim_entity_start(se);
	sim_track_curr(queue, se);
}

/* Kernel: put_prev_entity(). */
static void put_prev_entity(struct sim_entity *se)
{
	struct sim_queue *queue = se->queue;

	if (se->on_rq)
		update_curr(queue);
	sim_check_runtime(queue);
	if (se->on_rq) {
		sim_timeline_add(queue, se);
		sim_track(se, 0);
	}
	assert(queue->curr == se);
	queue->curr = NULL;
	sim_track_curr(queue, NULL);
}

static void eevdf_put_prev(struct sim_cpu *cpu, struct sim_task *task)
{
	(void)cpu;
	sim_each_level(&task->se, put_prev_entity);
}

static void eevdf_set_next(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_entity *se = &task->se;

	sim_list_touch(cpu, task);
	for_each_entity(se) {
		set_next_entity(se);
		sim_account_runtime(se->queue, 0);
	}
}

static void eevdf_switch(struct sim_cpu *cpu, struct sim_task *prev, struct sim_task *next)
{
	sim_list_touch(cpu, next);
	sim_switch_levels(&prev->se, &next->se, put_prev_entity, set_next_entity);
}

/* Kernel: task_tick_fair(), entity_tick(). */
static void eevdf_tick(struct sim_cpu *cpu, struct sim_task *task, bool queued)
{
	struct sim_entity *se = &task->se;

	for_each_entity(se) {
		update_curr(se->queue);
		sim_track(se, SIM_TRACK_TG);
		update_group(se);
	}
	if (queued)
		sim_cpu_resched_lazy(cpu);
}

static u64 eevdf_slice(const struct sim_task *task)
{
	return task->se.p.slice_ns;
}

static void eevdf_update_curr(struct sim_cpu *cpu)
{
	struct sim_entity *se = &cpu->curr->se;

	for_each_entity(se)
		update_curr(se->queue);
}

static void preempt(struct sim_cpu *cpu, struct sim_task *task, enum sim_reason reason)
{
	sim_decide(cpu->sim, task, SIM_RULE_PREEMPT, reason, cpu);
	sim_cpu_resched_lazy(cpu);
}

/* Does a shorter slice end the protection, whoever is picked then?  Up to 6.16. */
static bool unprotects(const struct sim_queue *queue, const struct sim_entity *wakee)
{
	const struct policy_features *on = sim_features(queue);
	const struct policy_entity *curr = &queue->curr->p;
	struct policy_avg avg = sim_whole(queue);

	if (rules_of(queue)->preempt == POLICY_PREEMPT_UNPROTECT &&
	    policy_preempt_short(&avg, &wakee->p, curr, on))
		return true;
	return policy_preempt_short_rfc(&avg, &wakee->p, curr, on);
}

/* The pick of check_preempt_wakeup_fair(). */
static void preempt_if_picked(struct sim_task *task, struct sim_entity *wakee, bool shorter)
{
	struct sim_queue *queue = wakee->queue;
	const struct policy_rules *rules = rules_of(queue);
	enum sim_reason reason = shorter ? SIM_REASON_SHORT_SLICE : SIM_REASON_EARLIEST;

	if (!shorter && unprotects(queue, wakee)) {
		policy_unprotect(&queue->curr->p, rules);
		reason = SIM_REASON_SHORT_SLICE;
	}
	if (pick_eevdf(queue, queue->cpu->sim->parity && !shorter) == wakee) {
		if (shorter)
			policy_unprotect(&queue->curr->p, rules);
		preempt(queue->cpu, task, reason);
	} else if (shorter && policy_feature(sim_features(queue), POLICY_RUN_TO_PARITY)) {
		policy_slice_shorten(&queue->curr->p, sim_min_slice(queue));
	}
}

/* Kernel: check_preempt_wakeup_fair(). */
static void eevdf_wakeup_preempt(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_entity *se = &cpu->curr->se, *pse = &task->se;
	const struct policy_features *on = &cpu->sim->features;
	struct policy_parties parties = { .curr_task_idle = se->idle,
					  .wakee_task_idle = pse->idle,
					  .wakee_normal = task->policy == EVENT_POLICY_NORMAL };
	u32 what;

	if (se == pse || sim_off_hierarchy(pse->queue))
		return;
	if (policy_feature(on, POLICY_NEXT_BUDDY) && !(flags & SIM_ENQUEUE_INITIAL) &&
	    !pse->delayed)
		sim_set_next_buddy(pse);
	if (cpu->need_resched)
		return;
	sim_find_matching(&se, &pse);
	parties.curr_idle = se->idle;
	parties.wakee_idle = pse->idle;
	parties.wakee_shorter = pse->p.slice_ns < se->p.slice_ns;
	what = policy_nested_wakeup(&parties, cpu->sim->rules, on);
	if (what == POLICY_WAKEUP_IGNORE)
		return;
	if (what == POLICY_WAKEUP_PREEMPT) {
		if (cpu->sim->rules->preempt != POLICY_PREEMPT_PICKED)
			policy_unprotect(&se->p, cpu->sim->rules);
		preempt(cpu, task, SIM_REASON_IDLE_POLICY);
		return;
	}
	update_curr(se->queue);
	preempt_if_picked(task, pse, what == POLICY_WAKEUP_SHORT);
}

/* Kernel: yield_task_fair(). */
static void eevdf_yield(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_queue *queue = task->se.queue;
	struct policy_avg avg;

	if (cpu->nr_running == 1)
		return;
	clear_buddies(&task->se);
	update_curr(queue);
	if (rules_of(queue)->yields == POLICY_YIELDS_TURN) {
		policy_yield_turn(&task->se.p);
		return;
	}
	if (!queue->root) /* alone in its group: at V by definition */
		sim_avg_vruntime(queue);
	avg = sim_whole(queue);
	policy_yield(&task->se.p, &avg, cpu->sim->base_slice_ns);
	sim_avg_vruntime(queue);
}

static void eevdf_changed(struct sim_task *task)
{
	struct sim_entity *se = &task->se;
	struct policy_weight weight;
	u64 load;

	sim_weight_of(task, &weight);
	load = weight.weight << POLICY_FLAT_SHIFT;
	se->idle = task->policy == EVENT_POLICY_IDLE;
	if (se->load && se->load != load) {
		reweight_entity(se, &weight, load);
	} else {
		se->p.weight = weight;
		se->load = load;
	}
}

const struct sim_class sim_class_eevdf_nested = {
	.name = "eevdf",
	.rank = SIM_RANK_FAIR,
	.enqueue = eevdf_enqueue,
	.dequeue = eevdf_dequeue,
	.pick = eevdf_pick,
	.set_next = eevdf_set_next,
	.put_prev = eevdf_put_prev,
	.switch_to = eevdf_switch,
	.tick = eevdf_tick,
	.slice = eevdf_slice,
	.update_curr = eevdf_update_curr,
	.wakeup_preempt = eevdf_wakeup_preempt,
	.yield = eevdf_yield,
	.changed = eevdf_changed,
	.dequeue_group = eevdf_dequeue_group,
	.enqueue_group = eevdf_enqueue_group,
	.update_queue = update_curr,
};

const struct sim_class *const sim_fair_classes[POLICY_NR_QUEUES] = {
	[POLICY_QUEUE_CFS] = &sim_class_cfs,
	[POLICY_QUEUE_EEVDF_NESTED] = &sim_class_eevdf_nested,
	[POLICY_QUEUE_EEVDF_FLAT] = &sim_class_eevdf_flat,
};
