/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cfs - the CFS queue kind of release 6.1: a queue per (group, CPU), by vruntime.
 *
 * The rules are policy/cfs.h's; this file walks levels and trees in the order of
 * kernel/sched/fair.c, v6.1, and each function names the one it follows.
 *
 * vruntime is that of the queue while an entity is on it or sleeps; it is relative to the
 * queue's min_vruntime while the entity goes from one queue to another.
 */
#include "policy/hrtick.h"
#include "sim/bandwidth.h"
#include "sim/entity.h"
#include "sim/freq.h"
#include "sim/identity.h"
#include "sim/track.h"
#include "sim/tree.h"

static const struct policy_cfs *constants(const struct sim_queue *queue)
{
	return &queue->cpu->sim->cfs;
}

/* The running entity, if it still competes. */
static struct sim_entity *competing(const struct sim_queue *queue)
{
	return queue->curr && queue->curr->on_rq ? queue->curr : NULL;
}

/* Kernel: __enqueue_entity(). */
static void tree_add(struct sim_queue *queue, struct sim_entity *se)
{
	se->key_vns = se->p.vruntime_vns;
	sim_tree_add(queue, se);
}

/* Kernel: update_min_vruntime(). */
static void update_min_vruntime(struct sim_queue *queue)
{
	const struct sim_entity *curr = competing(queue);

	if (queue->cpu->sim->identities) {
		sim_identity_min_vruntime(queue, curr);
		return;
	}
	queue->min_vruntime_vns =
		policy_min_vruntime(queue->min_vruntime_vns, curr ? &curr->p.vruntime_vns : NULL,
				    queue->root ? &queue->root->min_vruntime_vns : NULL);
}

/* The min_vruntime that @se goes by.  Kernel: id_min_vruntime(), with group identity. */
static u64 min_of(const struct sim_queue *queue, const struct sim_entity *se)
{
	return se->identity & POLICY_UNDERCLASS ? queue->under.min_vruntime_vns
						: queue->min_vruntime_vns;
}

/*
 * The wall time that @se, which is on @queue or is about to be, may run at a time.
 * Kernel: sched_slice().
 */
static u64 sched_slice(const struct sim_queue *queue, const struct sim_entity *se)
{
	const struct policy_features *on = sim_features(queue);
	u32 nr = policy_feature(on, POLICY_ALT_PERIOD) ? queue->cpu->root.h_nr_queued
						       : queue->nr_queued;
	bool idle = se->idle && !policy_queue_idle_only(queue->nr_queued, queue->nr_idle);
	u64 slice_ns = policy_sched_period(constants(queue), nr + !se->on_rq);

	for_each_entity(se) {
		u64 load = policy_scale_load_down(se->queue->load + (se->on_rq ? 0 : se->load));

		slice_ns = policy_slice_share(slice_ns, &se->p.weight, load);
	}
	return policy_slice_floor(constants(queue), slice_ns, idle, on);
}

/* Kernel: update_curr(). */
static void update_curr(struct sim_queue *queue)
{
	struct sim *sim = queue->cpu->sim;
	struct sim_entity *curr = queue->curr;
	u64 delta_ns = sim_charge(queue);

	if (!delta_ns)
		return;
	curr->p.vruntime_vns += policy_calc_delta_fair(delta_ns, &curr->p.weight);
	update_min_vruntime(queue);
	if (curr->task)
		sim_emit_runtime(sim, curr->task, delta_ns);
	sim_account_runtime(queue, delta_ns);
}

/* Kernel: place_entity(), of a wakeup. */
static void place_woken(struct sim_queue *queue, struct sim_entity *se)
{
	u64 place_vns = policy_wakeup_place(min_of(queue, se), constants(queue), se->idle,
					    sim_features(queue));

	se->p.vruntime_vns = policy_cfs_place_entity(se->p.vruntime_vns, place_vns,
						     policy_long_sleeper(se->exec_start_ns,
									 queue->cpu->sim->now_ns));
}

/* The end of __clear_buddies_last(), __clear_buddies_next(), __clear_buddies_skip(). */
static void clear_buddies(struct sim_entity *se)
{
	const struct sim_queue *queue = se->queue;
	bool next = queue->next_buddy == se, last = queue->last_buddy == se,
	     skip = queue->skip_buddy == se;

	for (; se && (next || last || skip); se = se->parent) {
		next = next && se->queue->next_buddy == se;
		last = last && se->queue->last_buddy == se;
		skip = skip && se->queue->skip_buddy == se;
		if (next)
			se->queue->next_buddy = NULL;
		if (last)
			se->queue->last_buddy = NULL;
		if (skip)
			se->queue->skip_buddy = NULL;
	}
}

/* Kernel: set_last_buddy(). */
static void set_last_buddy(struct sim_entity *se)
{
	for_each_entity(se) {
		if (!se->on_rq || se->idle)
			return;
		se->queue->last_buddy = se;
	}
}

/* Kernel: reweight_entity(): virtual time stays. */
static void reweight_entity(struct sim_entity *se, u64 load)
{
	if (se->on_rq) {
		if (se->queue->curr == se)
			update_curr(se->queue);
		se->queue->load += load - se->load;
	}
	sim_track_reweight(se, load);
	policy_weight_of((u32)policy_scale_load_down(load), &se->p.weight);
}

/*
 * A group's weight on one CPU is its part of the group's shares, by the load of its queue
 * there.  Kernel: update_cfs_group().
 */
static void update_group(struct sim_entity *se)
{
	u64 load;

	if (!se->own || !se->queue->cpu->sim->tracks || sim_throttled_hierarchy(se->own))
		return;
	load = sim_track_shares(se->own);
	if (load != se->load)
		reweight_entity(se, load);
}

/* Kernel: enqueue_entity(). */
static void enqueue_entity(struct sim_queue *queue, struct sim_entity *se, u32 flags)
{
	bool relative = !(flags & SIM_ENQUEUE_WAKEUP) || (flags & SIM_ENQUEUE_MIGRATED);
	bool curr = queue->curr == se;

	if (relative && curr)
		se->p.vruntime_vns += min_of(queue, se);
	update_curr(queue);
	if (relative && !curr)
		se->p.vruntime_vns += min_of(queue, se);
	sim_track(se, SIM_TRACK_TG | SIM_TRACK_ATTACH);
	sim_track_runnable(se);
	update_group(se);
	if (flags & SIM_ENQUEUE_WAKEUP)
		place_woken(queue, se);
	if (flags & SIM_ENQUEUE_MIGRATED)
		se->exec_start_ns = 0;
	if (se->task)
		sim_list_add(queue->cpu, se->task);
	queue->load += se->load;
	queue->nr_queued++;
	queue->nr_idle += se->idle;
	if (!curr)
		tree_add(queue, se);
	se->on_rq = true;
	sim_check_enqueue(queue);
	sim_track_entered(queue);
}

/* Not with so many tasks that slices are the shortest.  Kernel: hrtick_update(), v6.1. */
static void hrtick_update(struct sim_cpu *cpu)
{
	if (cpu->curr->class == cpu->fair && cpu->curr->se.queue->nr_queued < POLICY_CFS_NR_LATENCY)
		sim_hrtick_update(cpu);
}

/* Kernel: enqueue_task_fair(). */
static void cfs_enqueue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_entity *se = &task->se;
	bool idle = se->idle;

	sim_track_est_add(cpu, task);
	if (task->in_iowait)
		sim_freq_update_io(cpu);
	for_each_entity(se) {
		if (!se->on_rq) {
			enqueue_entity(se->queue, se, flags);
			flags = SIM_ENQUEUE_WAKEUP;
		} else {
			sim_track(se, SIM_TRACK_TG);
			sim_track_runnable(se);
			update_group(se);
		}
		idle = sim_count_in(se->queue, idle);
		if (cpu->sim->identities)
			sim_identity_count(se->queue, task, 1);
		if (se->queue->off)
			goto out;
	}
	sim_add_nr_running(cpu, 1);
out:
	hrtick_update(cpu);
}

/* Kernel: dequeue_entity(). */
static void dequeue_entity(struct sim_queue *queue, struct sim_entity *se, u32 flags)
{
	update_curr(queue);
	sim_track(se, SIM_TRACK_TG | sim_track_migrates(se, flags));
	sim_track_runnable(se);
	clear_buddies(se);
	if (se != queue->curr)
		sim_tree_remove(queue, se);
	se->on_rq = false;
	queue->load -= se->load;
	queue->nr_queued--;
	queue->nr_idle -= se->idle;
	if (se->task)
		sim_list_remove(queue->cpu, se->task);
	if (!(flags & SIM_DEQUEUE_SLEEP))
		se->p.vruntime_vns -= min_of(queue, se);
	sim_return_runtime(queue);
	update_group(se);
	/* one that comes back at once would be put further back than it was */
	if ((flags & (SIM_DEQUEUE_SAVE | SIM_DEQUEUE_MOVE)) != SIM_DEQUEUE_SAVE)
		update_min_vruntime(queue);
	sim_track_left(queue);
}

/* Kernel: dequeue_task_fair(). */
static bool cfs_dequeue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_entity *se = &task->se;
	bool sleep = flags & SIM_DEQUEUE_SLEEP, idle = se->idle, inside = true;

	sim_track_est_sub(cpu, task);
	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		if (inside) {
			dequeue_entity(queue, se, flags);
		} else {
			sim_track(se, SIM_TRACK_TG);
			sim_track_runnable(se);
			update_group(se);
		}
		idle = sim_count_out(queue, idle);
		if (cpu->sim->identities)
			sim_identity_count(queue, task, -1);
		if (queue->off)
			goto out;
		if (inside && queue->nr_queued) {
			inside = false;
			/* another of the group goes on in the slice that this one leaves */
			if (sleep && se->parent && !sim_off_hierarchy(queue))
				sim_set_next_buddy(se->parent);
		}
		flags |= SIM_DEQUEUE_SLEEP;
	}
	sim_sub_nr_running(cpu, 1);
out:
	if (sleep)
		sim_track_est(task);
	hrtick_update(cpu);
	return true;
}

/* Kernel: throttle_cfs_rq(). */
static void cfs_dequeue_group(struct sim_entity *se)
{
	dequeue_entity(se->queue, se, SIM_DEQUEUE_SLEEP);
}

/* Kernel: unthrottle_cfs_rq(). */
static bool cfs_enqueue_group(struct sim_entity *se)
{
	if (se->on_rq)
		return false;
	enqueue_entity(se->queue, se, SIM_ENQUEUE_WAKEUP);
	return true;
}

/* Kernel: wakeup_preempt_entity(). */
static s32 preempts_entity(const struct sim_queue *queue, const struct sim_entity *curr,
			   const struct sim_entity *se)
{
	s32 verdict = queue->cpu->sim->identities ? sim_identity_preempts(curr, se) : 0;

	return verdict ? verdict : policy_wakeup_preempt_entity(constants(queue), &curr->p, &se->p);
}

/* May @se run although @left is the earliest? */
static bool fair_enough(const struct sim_queue *queue, const struct sim_entity *se,
			const struct sim_entity *left)
{
	return se && preempts_entity(queue, se, left) < 1;
}

static bool before(const struct sim_entity *a, const struct sim_entity *b)
{
	return policy_vruntime_before(a->p.vruntime_vns, b->p.vruntime_vns);
}

/* Kernel: __pick_first_entity(). */
static struct sim_entity *first_of(struct sim_queue *queue)
{
	return queue->cpu->sim->identities ? sim_identity_first(queue) : sim_tree_first(queue);
}

/* The earliest but for @skip, which is the earliest. */
static struct sim_entity *second(struct sim_queue *queue, struct sim_entity *skip)
{
	struct sim_entity *curr = competing(queue), *next;

	if (skip == curr)
		return first_of(queue);
	next = sim_tree_next(queue, skip);
	return !next || (curr && before(curr, next)) ? curr : next;
}

/* Kernel: pick_next_entity(). */
static struct sim_entity *pick_next_entity(struct sim_queue *queue)
{
	struct sim_entity *curr = competing(queue), *left = first_of(queue), *other;

	queue->cpu->pick_reason = SIM_REASON_BUDDY;
	if (!left || (curr && before(curr, left)))
		left = curr;
	assert(left);
	if (fair_enough(queue, queue->next_buddy, left))
		return queue->next_buddy;
	if (fair_enough(queue, queue->last_buddy, left))
		return queue->last_buddy;
	queue->cpu->pick_reason = SIM_REASON_SMALLEST;
	if (queue->skip_buddy != left)
		return left;
	other = second(queue, left);
	return fair_enough(queue, other, left) ? other : left;
}

/* Kernel: pick_next_task_fair(). */
static struct sim_task *cfs_pick(struct sim_cpu *cpu)
{
	struct sim_queue *queue = &cpu->root;
	struct sim_entity *se = NULL;

	while (queue) {
		if (!queue->nr_queued)
			return NULL;
		if (competing(queue))
			update_curr(queue);
		if (queue->curr && sim_check_runtime(queue)) {
			queue = &cpu->root;
			continue;
		}
		se = pick_next_entity(queue);
		queue = se->own;
	}
	if (se->task == cpu->curr) /* picked again */
		sim_hrtick_start(cpu, se->task);
	return se->task;
}

/* Kernel: set_next_entity(). */
static void set_next_entity(struct sim_entity *se)
{
	struct sim_queue *queue = se->queue;

	clear_buddies(se);
	if (se->on_rq) {
		sim_tree_remove(queue, se);
		sim_track(se, SIM_TRACK_TG);
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
		tree_add(queue, se);
		sim_track(se, 0);
	}
	assert(queue->curr == se);
	queue->curr = NULL;
	sim_track_curr(queue, NULL);
}

static void cfs_put_prev(struct sim_cpu *cpu, struct sim_task *task)
{
	(void)cpu;
	sim_each_level(&task->se, put_prev_entity);
}

/* Kernel: set_next_task_fair(). */
static void cfs_set_next(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_entity *se = &task->se;

	sim_list_touch(cpu, task);
	for_each_entity(se) {
		set_next_entity(se);
		sim_account_runtime(se->queue, 0);
	}
}

static void cfs_switch(struct sim_cpu *cpu, struct sim_task *prev, struct sim_task *next)
{
	sim_list_touch(cpu, next);
	sim_switch_levels(&prev->se, &next->se, put_prev_entity, set_next_entity);
}

/* Kernel: check_preempt_tick(). */
static void check_preempt_tick(struct sim_queue *queue, struct sim_entity *curr)
{
	const struct sim_entity *first = first_of(queue);
	u64 slice_ns = sched_slice(queue, curr),
	    ran_ns = curr->sum_exec_ns - curr->prev_sum_exec_ns;
	u32 verdict;

	if (queue->cpu->sim->identities)
		verdict = sim_identity_tick(curr, first, slice_ns, ran_ns);
	else
		verdict = policy_check_preempt_tick(
			constants(queue), slice_ns, ran_ns,
			(s64)(curr->p.vruntime_vns - first->p.vruntime_vns));

	if (verdict == POLICY_TICK_GO_ON)
		return;
	sim_cpu_resched(queue->cpu);
	if (verdict == POLICY_TICK_SLICE_OVER)
		clear_buddies(curr);
}

/* Kernel: task_tick_fair(), entity_tick(). */
static void cfs_tick(struct sim_cpu *cpu, struct sim_task *task, bool queued)
{
	bool check = policy_tick_may_preempt(sim_timer_armed(cpu, SIM_TIMER_HRTICK),
					     &cpu->sim->features);
	struct sim_entity *se = &task->se;

	for_each_entity(se) {
		update_curr(se->queue);
		sim_track(se, SIM_TRACK_TG);
		update_group(se);
		if (!queued && check && se->queue->nr_queued > 1)
			check_preempt_tick(se->queue, se);
	}
	if (queued)
		sim_cpu_resched(cpu);
}

static u64 cfs_slice(const struct sim_task *task)
{
	return sched_slice(task->se.queue, &task->se);
}

/* Kernel: update_curr_fair(): of the task's own level alone. */
static void cfs_update_curr(struct sim_cpu *cpu)
{
	update_curr(cpu->curr->se.queue);
}

/*
 * Does @task, which woke, preempt the running one?  *@se and *@pse, theirs, are lifted to
 * where they compete.  Kernel: the middle of check_preempt_wakeup().
 */
static bool preempts(struct sim_cpu *cpu, struct sim_task *task, struct sim_entity **se,
		     struct sim_entity **pse)
{
	if ((*se)->idle && !(*pse)->idle)
		return true;
	if (task->policy != EVENT_POLICY_NORMAL ||
	    !policy_feature(&cpu->sim->features, POLICY_WAKEUP_PREEMPTION))
		return false;
	sim_find_matching(se, pse);
	if ((*se)->idle != (*pse)->idle)
		return (*se)->idle;
	update_curr((*se)->queue);
	if (preempts_entity((*se)->queue, *se, *pse) < 1)
		return false;
	if (cpu->sim->identities && sim_identity_preempts(*se, *pse) > 0)
		sim_decide(cpu->sim, task, SIM_RULE_PREEMPT, SIM_REASON_IDENTITY, cpu);
	sim_set_next_buddy(*pse);
	return true;
}

/* Kernel: check_preempt_wakeup(). */
static void cfs_wakeup_preempt(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct sim_entity *se = &cpu->curr->se, *pse = &task->se;
	const struct policy_features *on = &cpu->sim->features;
	bool scale = policy_buddies_scale(se->queue->nr_queued);

	if (se == pse || sim_off_hierarchy(pse->queue))
		return;
	if (policy_feature(on, POLICY_NEXT_BUDDY) && scale && !(flags & SIM_ENQUEUE_INITIAL))
		sim_set_next_buddy(pse);
	if (cpu->need_resched || !preempts(cpu, task, &se, &pse))
		return;
	sim_cpu_resched(cpu);
	if (policy_feature(on, POLICY_LAST_BUDDY) && scale && se->task && se->on_rq)
		set_last_buddy(se);
}

/* Kernel: yield_task_fair(). */
static void cfs_yield(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_entity *se = &task->se;

	if (cpu->nr_running == 1)
		return;
	clear_buddies(se);
	update_curr(se->queue);
	for_each_entity(se)
		se->queue->skip_buddy = se;
}

static void cfs_changed(struct sim_task *task)
{
	task->se.idle = task->policy == EVENT_POLICY_IDLE;
	sim_weight_of(task, &task->se.p.weight);
	sim_track_reweight(&task->se, task->se.p.weight.weight << POLICY_FLAT_SHIFT);
}

/* Kernel: task_fork_fair(). */
static void cfs_fork(struct sim_task *task, struct sim_task *parent)
{
	struct sim_queue *queue = parent ? parent->se.queue : &task->cpu->root;
	struct sim_entity *se = &task->se;
	u64 vslice_vns;

	update_curr(queue);
	if (queue->curr)
		se->p.vruntime_vns = queue->curr->p.vruntime_vns;
	vslice_vns = policy_calc_delta_fair(sched_slice(queue, se), &se->p.weight);
	se->p.vruntime_vns = policy_cfs_place_entity(
		se->p.vruntime_vns,
		policy_fork_place(queue->min_vruntime_vns, vslice_vns, sim_features(queue)), false);
	se->p.vruntime_vns -= queue->min_vruntime_vns;
}

/*
 * A newborn is placed one slice after its parent, and slices are the shorter the more there
 * are.  The queue is where the last of them was when they went to sleep.  Who joins another
 * group does so while it runs, as its queue's first.  Kernel: task_fork_fair().
 */
static void cfs_settle(struct sim_task *task, u32 nth, u64 birth_ns)
{
	struct sim_queue *queue = task->se.queue;
	const struct policy_cfs *cfs = constants(queue);
	u32 nr = nth + 2; /* the parent, too */
	u64 vslice_ns = policy_slice_floor(cfs, policy_sched_period(cfs, nr) / nr, false,
					   sim_features(queue));

	if (queue != &task->cpu->root)
		return;
	task->se.p.vruntime_vns = policy_fork_place(queue->min_vruntime_vns + nth * birth_ns,
						    vslice_ns, sim_features(queue));
}

/* Kernel: migrate_task_rq_fair(). */
static void cfs_migrate(struct sim_task *task)
{
	task->se.p.vruntime_vns -= task->se.queue->min_vruntime_vns;
}

const struct sim_class sim_class_cfs = {
	.name = "cfs",
	.rank = SIM_RANK_FAIR,
	.enqueue = cfs_enqueue,
	.dequeue = cfs_dequeue,
	.pick = cfs_pick,
	.set_next = cfs_set_next,
	.put_prev = cfs_put_prev,
	.switch_to = cfs_switch,
	.tick = cfs_tick,
	.slice = cfs_slice,
	.update_curr = cfs_update_curr,
	.wakeup_preempt = cfs_wakeup_preempt,
	.yield = cfs_yield,
	.changed = cfs_changed,
	.fork = cfs_fork,
	.settle = cfs_settle,
	.migrate = cfs_migrate,
	.dequeue_group = cfs_dequeue_group,
	.enqueue_group = cfs_enqueue_group,
};
