/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flat - the flat EEVDF queue kind: one queue of tasks per CPU.
 *
 * Groups have entities and queues too, but nothing is picked there: they only say what a
 * task weighs.  That is worked out for one task at a time, when it is queued, when it is set
 * running and at its ticks; what others weigh stays as it was until then.
 *
 * The rules are policy/flat.h's; this file walks levels and trees in the order of
 * kernel/sched/fair.c, v7.3, and each function names the one it follows.
 */
#include "sim/bandwidth.h"
#include "sim/freq.h"
#include "sim/track.h"
#include "sim/vtime.h"

/* What a task weighs against all others of its CPU.  Kernel: __calc_prop_weight(). */
static u64 hierarchical_weight(const struct sim_entity *se)
{
	u64 weight = POLICY_FLAT_NICE0;

	for_each_entity(se)
		weight = policy_prop_weight(weight, se->load,
					    se->parent ? se->queue->load : POLICY_FLAT_NICE0);
	return weight;
}

/* Kernel: clear_buddies(). */
static void clear_buddies(struct sim_queue *root, const struct sim_entity *se)
{
	if (root->next_buddy == se)
		root->next_buddy = NULL;
}

/* Kernel: update_curr() of the task, update_se(). */
static void update_curr(struct sim_queue *root)
{
	struct sim_cpu *cpu = root->cpu;
	struct sim_entity *curr = root->curr;
	u64 delta_ns = sim_charge(root);
	bool used_up;

	if (!delta_ns)
		return;
	sim_emit_runtime(cpu->sim, curr->task, delta_ns);
	if (cpu->sim->caches.on)
		sim_cache_ran(curr->task, delta_ns);
	curr->p.vruntime_vns += policy_flat_delta_fair(delta_ns, curr->p.weight.weight);
	used_up = policy_flat_update_deadline(&curr->p, cpu->sim->base_slice_ns);
	if (used_up)
		sim_avg_vruntime(root);
	sim_account_runtime(curr->queue, delta_ns);
	if (cpu->server.active)
		sim_server_update(cpu, delta_ns);
	if (root->h_nr_queued == 1)
		return;
	if (used_up || !policy_vprot_holds(&curr->p)) {
		sim_cpu_resched_lazy(cpu);
		clear_buddies(root, curr);
	}
}

/*
 * What runs in a group's queue is charged to its quota level by level, each when it is looked
 * at.  The task itself is the root's to charge.  Kernel: update_curr() of a group.
 */
static void update_queue(struct sim_queue *queue)
{
	if (!queue->entity || !queue->curr)
		return;
	if (queue->curr->task)
		update_curr(&queue->cpu->root);
	else
		sim_account_runtime(queue, sim_charge(queue));
}

/* Kernel: entity_lag(). */
static s64 entity_lag(const struct sim_queue *root, const struct sim_entity *se, u64 v_vns)
{
	return policy_flat_lag(&se->p, v_vns, sim_max_slice(root), root->cpu->sim->tick_ns);
}

/* True if @se does not stand where its lag says.  Kernel: update_entity_lag(). */
static bool update_entity_lag(struct sim_queue *root, struct sim_entity *se)
{
	u64 v_vns = sim_avg_vruntime(root);
	s64 lag_vns = entity_lag(root, se, v_vns);

	if (se->delayed)
		lag_vns = policy_delayed_lag(lag_vns, se->p.vlag_vns, sim_features(root));
	se->p.vlag_vns = lag_vns;
	return v_vns - (u64)lag_vns != se->p.vruntime_vns;
}

/* Kernel: place_entity(). */
static void place_entity(struct sim_queue *root, struct sim_entity *se, u32 flags)
{
	struct policy_avg avg;

	sim_avg_vruntime(root);
	avg = sim_whole(root);
	policy_avg_move_zero(&root->avg, policy_flat_place_entity(
						 &se->p, &avg, root->cpu->sim->base_slice_ns,
						 flags & SIM_ENQUEUE_INITIAL, sim_features(root)));
}

/* The running task weighs something else now.  Kernel: reweight_eevdf(). */
static void reweight_curr(struct sim_queue *root)
{
	struct sim_entity *se = root->curr;
	u64 weight = hierarchical_weight(se), v_vns;

	if (se->p.weight.weight == weight)
		return;
	v_vns = sim_avg_vruntime(root);
	policy_flat_reweight_queued(&se->p, v_vns, entity_lag(root, se, v_vns), weight, true);
}

/* Kernel: reweight_entity(). */
static void set_load(struct sim_entity *se, u64 load)
{
	if (se->on_rq)
		se->queue->load += load - se->load;
	sim_track_reweight(se, load);
}

/* A group's weight on one CPU, by the load of its queue there.  Kernel: update_cfs_group(). */
static void update_group(struct sim_entity *se)
{
	u64 load;

	if (!se->own || !se->queue->cpu->sim->tracks)
		return;
	if (!se->own->load) /* an empty one keeps its last weight */
		return;
	load = sim_track_shares(se->own);
	if (load != se->load)
		set_load(se, load);
}

/* Kernel: what enqueue_hierarchy() does for one that is queued already. */
static void refresh(struct sim_entity *se)
{
	sim_track(se, SIM_TRACK_TG);
	sim_track_runnable(se);
	update_group(se);
}

/* Kernel: enqueue_entity(), account_entity_enqueue(). */
static void enqueue_entity(struct sim_entity *se)
{
	sim_track(se, SIM_TRACK_TG | SIM_TRACK_ATTACH);
	sim_track_runnable(se);
	update_group(se);
	se->queue->load += se->load;
	se->queue->nr_queued++;
	if (se->task) {
		if (se->task->process)
			sim_cache_enqueued(se->task);
		sim_list_add(se->queue->cpu, se->task);
	}
	se->on_rq = true;
	sim_check_enqueue(se->queue);
	sim_track_entered(se->queue);
}

/* Kernel: dequeue_entity(), account_entity_dequeue(). */
static void dequeue_entity(struct sim_entity *se, u32 flags)
{
	bool sleeps = (flags & SIM_DEQUEUE_SLEEP) && !(flags & SIM_DEQUEUE_DELAYED);

	sim_track(se, SIM_TRACK_TG | sim_track_migrates(se, flags) |
			      (se->task && sleeps ? SIM_TRACK_EST : 0));
	sim_track_runnable(se);
	se->on_rq = false;
	se->queue->load -= se->load;
	se->queue->nr_queued--;
	if (se->task) {
		if (se->task->process)
			sim_cache_dequeued(se->task);
		sim_list_remove(se->queue->cpu, se->task);
	}
	sim_return_runtime(se->queue);
	update_group(se);
	sim_track_left(se->queue);
}

/* Kernel: enqueue_hierarchy(). */
static void enqueue_hierarchy(struct sim_entity *se)
{
	bool idle = se->idle;
	u32 delayed = se->delayed; /* it changes its CPU, asleep */

	for_each_entity(se) {
		update_queue(se->queue);
		if (se->on_rq)
			refresh(se);
		else
			enqueue_entity(se);
		idle = sim_count_in(se->queue, idle);
		se->queue->h_nr_runnable -= delayed;
	}
}

/* Kernel: dequeue_hierarchy(). */
static void dequeue_hierarchy(struct sim_entity *se, u32 flags)
{
	bool idle = se->idle, empty = true;
	/* one that was delayed had left the count of those, unless it is finished here */
	bool runnable = (flags & (SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_DELAYED)) || !se->delayed;

	for_each_entity(se) {
		update_queue(se->queue);
		if (empty) {
			dequeue_entity(se, flags);
			empty = !se->queue->load;
		} else {
			refresh(se);
		}
		idle = sim_count_out(se->queue, idle);
		se->queue->h_nr_runnable += !runnable;
		flags |= SIM_DEQUEUE_SLEEP;
	}
}

/* Kernel: requeue_delayed_entity(). */
static void requeue_delayed(struct sim_queue *root, struct sim_entity *se)
{
	assert(se->delayed && se->on_rq && se != root->curr);
	if (update_entity_lag(root, se)) {
		sim_timeline_remove(root, se);
		place_entity(root, se, 0);
		sim_timeline_add(root, se);
	}
	sim_track(se, 0);
	sim_set_delayed(se, false);
}

/* Kernel: enqueue_task_fair(). */
static void flat_enqueue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_queue *root = &cpu->root;
	struct sim_entity *se = &task->se;
	bool first;

	if (!se->delayed || (flags & SIM_ENQUEUE_DELAYED))
		sim_track_est_add(cpu, task);
	update_curr(root);
	if (flags & SIM_ENQUEUE_DELAYED) {
		requeue_delayed(root, se);
		return;
	}
	if (task->in_iowait)
		sim_freq_update_io(cpu);
	assert(root->curr != se);
	first = !root->h_nr_queued;
	enqueue_hierarchy(se);
	policy_flat_reweight_absent(&se->p, hierarchical_weight(se));
	place_entity(root, se, flags);
	sim_timeline_add(root, se);
	if (first)
		sim_server_start(cpu);
	sim_add_nr_running(cpu, 1);
	if (!sim_timer_armed(cpu, SIM_TIMER_HRTICK))
		sim_hrtick_update(cpu);
}

/* Kernel: __dequeue_task().  False: it stays, delayed. */
static bool dequeue_task(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_queue *root = &cpu->root;
	struct sim_entity *se = &task->se;
	bool sleep = flags & SIM_DEQUEUE_SLEEP, finish = flags & SIM_DEQUEUE_DELAYED;

	clear_buddies(root, se);
	update_curr(root);
	update_entity_lag(root, se);
	if (!finish && sleep && !(flags & (SIM_DEQUEUE_SPECIAL | SIM_DEQUEUE_THROTTLE))) {
		assert(!se->delayed);
		if (policy_feature(sim_features(root), POLICY_DELAY_DEQUEUE) &&
		    !sim_eligible(root, se)) {
			sim_track(se, SIM_TRACK_EST);
			sim_set_delayed(se, true);
			return false;
		}
	}
	dequeue_hierarchy(se, flags);
	if (policy_feature(sim_features(root), POLICY_PLACE_REL_DEADLINE) && !sleep) {
		se->p.deadline_vns -= se->p.vruntime_vns;
		se->p.rel_deadline = true;
	}
	if (se != root->curr)
		sim_timeline_remove(root, se);
	sim_sub_nr_running(cpu, 1);
	if (finish) {
		sim_set_delayed(se, false);
		task->on_rq = false;
	}
	return true;
}

/* Kernel: dequeue_task_fair(). */
static bool flat_dequeue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	if (!task->se.delayed)
		sim_track_est_sub(cpu, task);
	return dequeue_task(cpu, task, flags);
}

/* @protect: the running one may stay because it is protected.  Kernel: pick_eevdf(). */
static struct sim_entity *pick_eevdf(struct sim_queue *root, bool protect)
{
	struct sim_entity *curr = root->curr && root->curr->on_rq ? root->curr : NULL, *best;
	struct sim_entity *next = root->next_buddy;
	struct policy_avg avg;

	root->cpu->pick_reason = SIM_REASON_ONLY;
	if (root->h_nr_queued == 1)
		return curr ? curr : root->root;
	avg = sim_whole(root);
	root->cpu->pick_reason = SIM_REASON_BUDDY;
	if (policy_feature(sim_features(root), POLICY_PICK_BUDDY) && protect && next &&
	    policy_vruntime_eligible(&avg, next->p.vruntime_vns))
		return next;
	if (curr && !policy_vruntime_eligible(&avg, curr->p.vruntime_vns))
		curr = NULL;
	root->cpu->pick_reason = SIM_REASON_PROTECTED;
	if (curr && protect && policy_vprot_holds(&curr->p))
		return curr;
	root->cpu->pick_reason = SIM_REASON_EARLIEST;
	best = sim_tree_eligible(root, &avg);
	if (!best || (curr && policy_entity_before(&curr->p, &best->p)))
		best = curr;
	assert(best); /* someone is always eligible */
	return best;
}

/* Delayed ones that come up are taken off.  NULL: nothing else was left. */
static struct sim_entity *pick_next_entity(struct sim_queue *root, bool protect)
{
	while (root->h_nr_queued) {
		struct sim_entity *se = pick_eevdf(root, protect);

		if (!se->delayed)
			return se;
		dequeue_task(root->cpu, se->task, SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_DELAYED);
	}
	return NULL;
}

/* Kernel: pick_task_fair(). */
static struct sim_task *flat_pick(struct sim_cpu *cpu)
{
	struct sim_entity *se;

	if (cpu->root.curr && cpu->root.curr->on_rq)
		update_curr(&cpu->root);
	se = pick_next_entity(&cpu->root, true);
	return se ? se->task : NULL;
}

/* Kernel: set_protect_slice(). */
static void protect(struct sim_queue *root, struct sim_entity *se)
{
	const struct policy_features *on = sim_features(root);
	u64 slice_ns = root->cpu->sim->setup->release->base_slice_ns;

	if (policy_feature(on, POLICY_RUN_TO_PARITY))
		slice_ns = sim_min_slice(root);
	policy_vprot_set(&se->p, slice_ns, &root->avg, on);
}

/*
 * Queues know what runs in them, for quotas and averages.  Those that are common
 * with the last task do still.  Kernel: the loop of set_next_task_fair().
 */
static void set_levels(struct sim_entity *se)
{
	struct sim_task *task = se->task;

	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		if (!queue->h_curr && se->on_rq)
			sim_track(se, SIM_TRACK_TG);
		queue->h_curr = se;
		if (!queue->entity)
			return;
		if (!queue->curr && !se->task)
			se->exec_start_ns = queue->cpu->clock_ns;
		assert(!queue->curr || queue->curr == se);
		queue->curr = se;
		task->throttle_work |= sim_account_runtime(queue, 0);
	}
}

static bool passes(const struct sim_entity *se, const struct sim_queue *queue)
{
	for_each_entity(se)
		if (se->queue == queue)
			return true;
	return false;
}

/* @next: the fair task that comes, or NULL.  Kernel: the loop of put_prev_task_fair(). */
static void put_levels(struct sim_entity *se, const struct sim_entity *next)
{
	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		if (se->on_rq) {
			update_queue(queue);
			sim_track(se, 0);
		}
		queue->h_curr = NULL;
		if (!queue->entity)
			return;
		queue->curr = NULL;
		if (passes(next, queue))
			return;
	}
}

/* Not protected anew if only its attributes changed.  Kernel: set_next_task_fair(). */
static void flat_set_next(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_queue *root = &cpu->root;
	struct sim_entity *se = &task->se;

	clear_buddies(root, se);
	if (se->on_rq)
		sim_timeline_remove(root, se);
	se->exec_start_ns = cpu->clock_ns;
	se->prev_sum_exec_ns = se->sum_exec_ns;
	assert(!root->curr);
	root->curr = se;
	if (cpu->sim->has_quotas || cpu->sim->tracks)
		set_levels(se);
	if (se->on_rq) {
		reweight_curr(root);
		if (cpu->curr != task)
			protect(root, se);
	}
	sim_list_touch(cpu, task);
}

/* Kernel: put_prev_task_fair(). */
static void put_prev(struct sim_cpu *cpu, struct sim_task *task, const struct sim_entity *next)
{
	struct sim_queue *root = &cpu->root;

	assert(root->curr == &task->se);
	if (task->se.on_rq)
		update_curr(root);
	if (cpu->sim->has_quotas || cpu->sim->tracks)
		put_levels(&task->se, next);
	root->curr = NULL;
	if (task->se.on_rq)
		sim_timeline_add(root, &task->se);
}

static void flat_put_prev(struct sim_cpu *cpu, struct sim_task *task)
{
	put_prev(cpu, task, NULL);
}

static void flat_switch(struct sim_cpu *cpu, struct sim_task *prev, struct sim_task *next)
{
	put_prev(cpu, prev, &next->se);
	flat_set_next(cpu, next);
}

/* Kernel: task_tick_fair(), entity_tick(). */
static void flat_tick(struct sim_cpu *cpu, struct sim_task *task, bool queued)
{
	struct sim_entity *se = &task->se;

	if (!se->on_rq)
		return;
	update_curr(&cpu->root);
	for_each_entity(se) {
		update_queue(se->queue);
		sim_track(se, SIM_TRACK_TG);
		update_group(se);
	}
	reweight_curr(&cpu->root);
	if (queued)
		sim_cpu_resched(cpu);
	else if (cpu->sim->caches.on)
		sim_cache_tick(task);
}

/*
 * Up to its deadline, which accounting that rounds down must have reached when the timer
 * fires: the kernel's is late by more than what eight accountings round.
 */
static u64 flat_slice(const struct sim_task *task)
{
	const struct sim_entity *se = &task->se;
	u64 weight = se->p.weight.weight, ran_ns = se->sum_exec_ns - se->prev_sum_exec_ns;
	s64 left_ns = policy_flat_until_deadline(&se->p);

	if (left_ns >= 0 && weight != POLICY_FLAT_NICE0)
		left_ns += 8 * (s64)(1 + weight / POLICY_FLAT_NICE0);
	return ran_ns + (u64)left_ns;
}

/* Kernel: update_curr_fair(). */
static void flat_update_curr(struct sim_cpu *cpu)
{
	struct sim_entity *se = &cpu->curr->se;

	update_curr(&cpu->root);
	for_each_entity(se)
		update_queue(se->queue);
}

/* Kernel: set_preempt_buddy(), set_short_buddy(), set_next_buddy(). */
static bool set_buddy(struct sim_queue *root, struct sim_entity *se, bool shorter)
{
	bool yields =
		!root->next_buddy || policy_buddy_yields(&root->next_buddy->p, &se->p, shorter);

	if (yields && se->on_rq && !se->delayed && !se->idle)
		root->next_buddy = se;
	return yields;
}

/* Kernel: preempt_sync() as wakeup_preempt_fair() calls it. */
static u32 preempt_sync(const struct sim_cpu *cpu, const struct sim_entity *wakee, u32 flags)
{
	const struct sim_entity *curr = &cpu->curr->se;

	return policy_preempt_sync(&curr->p, &wakee->p, cpu->clock_ns - curr->exec_start_ns,
				   cpu->sim->setup->tunables.migration_cost_ns,
				   flags & SIM_ENQUEUE_SELECTED);
}

/* Does the pick find that the wakee preempts?  Kernel: the middle of wakeup_preempt_fair(). */
static bool pick_preempts(struct sim_queue *root, const struct sim_entity *wakee, bool shorter)
{
	return pick_next_entity(root, !shorter) == wakee || (shorter && sim_eligible(root, wakee));
}

/* The end of wakeup_preempt_fair(). */
static void preempt(struct sim_cpu *cpu, struct sim_task *task, enum sim_reason reason)
{
	policy_vprot_cancel(&cpu->curr->se.p);
	if (reason == SIM_REASON_SHORT_SLICE)
		set_buddy(&cpu->root, &task->se, true);
	sim_decide(cpu->sim, task, SIM_RULE_PREEMPT, reason, cpu);
	sim_cpu_resched_lazy(cpu);
}

/* Kernel: wakeup_preempt_fair(). */
static void flat_wakeup_preempt(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_queue *root = &cpu->root;
	struct sim_entity *se = &cpu->curr->se, *pse = &task->se;
	const struct policy_features *on = &cpu->sim->features;
	const struct policy_parties parties = {
		.curr_idle = se->idle,
		.wakee_idle = pse->idle,
		.wakee_normal = task->policy == EVENT_POLICY_NORMAL,
		.wakee_delayed = pse->delayed,
		.forked = flags & SIM_ENQUEUE_INITIAL,
		.resched = cpu->need_resched,
	};
	u32 what = policy_wakeup_preempt(&parties, &se->p, &pse->p, on);
	bool shorter = what == POLICY_WAKEUP_SHORT;

	if (se == pse || what == POLICY_WAKEUP_IGNORE)
		return;
	if (what == POLICY_WAKEUP_PREEMPT) {
		preempt(cpu, task, SIM_REASON_IDLE_POLICY);
		return;
	}
	update_curr(root);
	if (what == POLICY_WAKEUP_BUDDY && set_buddy(root, pse, false) &&
	    flags & SIM_ENQUEUE_SYNC) {
		if (preempt_sync(cpu, pse, flags) == POLICY_WAKEUP_PREEMPT)
			preempt(cpu, task, SIM_REASON_EARLIEST);
		return;
	}
	if (what != POLICY_WAKEUP_SHORTEN && pick_preempts(root, pse, shorter))
		preempt(cpu, task, shorter ? SIM_REASON_SHORT_SLICE : SIM_REASON_EARLIEST);
	else if (policy_feature(on, POLICY_RUN_TO_PARITY))
		policy_vprot_shorten(&se->p, sim_avg_vruntime(root), sim_min_slice(root));
}

/* Kernel: yield_task_fair(). */
static void flat_yield(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_queue *root = &cpu->root;
	struct policy_avg avg;

	if (cpu->nr_running == 1)
		return;
	clear_buddies(root, &task->se);
	update_curr(root);
	if (!root->root) /* alone: at V by definition */
		sim_avg_vruntime(root);
	avg = sim_whole(root);
	policy_flat_yield(&task->se.p, &avg, cpu->sim->base_slice_ns);
	sim_avg_vruntime(root);
}

/* What it competes with follows when it is queued.  Kernel: reweight_task_fair(). */
static void flat_changed(struct sim_task *task)
{
	struct policy_weight weight;

	sim_weight_of(task, &weight);
	task->se.idle = task->policy == EVENT_POLICY_IDLE;
	set_load(&task->se, weight.weight << POLICY_FLAT_SHIFT);
}

const struct sim_class sim_class_eevdf_flat = {
	.name = "eevdf flat",
	.rank = SIM_RANK_FAIR,
	.enqueue = flat_enqueue,
	.dequeue = flat_dequeue,
	.pick = flat_pick,
	.set_next = flat_set_next,
	.put_prev = flat_put_prev,
	.switch_to = flat_switch,
	.tick = flat_tick,
	.slice = flat_slice,
	.hrtick_stays = true,
	.update_curr = flat_update_curr,
	.wakeup_preempt = flat_wakeup_preempt,
	.yield = flat_yield,
	.changed = flat_changed,
	.update_queue = update_queue,
};
