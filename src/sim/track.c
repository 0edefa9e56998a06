/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/track.h"

#include "sim/bandwidth.h"
#include "sim/entity.h"
#include "sim/freq.h"
#include "sim/load.h"

#define NICE_20_LOAD (88761ULL << 10) /* Kernel: scale_load(sched_prio_to_weight[0]) */

static u32 rules(const struct sim_queue *queue)
{
	return queue->cpu->sim->setup->release->load;
}

/* Kernel: se_weight(). */
static u64 weight_of(const struct sim_entity *se)
{
	return policy_scale_load_down(se->load);
}

/* Kernel: cfs_rq_clock_pelt(). */
static u64 queue_clock(const struct sim_queue *queue)
{
	u64 now_ns = queue->pelt_stopped ? queue->stopped_ns : sim_track_cpu_clock(queue->cpu);

	return now_ns - queue->stopped_sum_ns;
}

/* Kernel: update_tg_load_avg(). */
void sim_track_tell(struct sim_queue *queue)
{
	struct sim *sim = queue->cpu->sim;
	struct sim_group *group = queue->group;
	u64 now_ns = sim->now_ns + POLICY_PELT_FIRST_NS;

	if (!group)
		return;
	if ((rules(queue) & POLICY_LOAD_TG_RATE) && now_ns - queue->told_at_ns < POLICY_TG_RATE_NS)
		return;
	if (!policy_tg_moved(queue->pelt.load_avg, queue->told_load) &&
	    !((rules(queue) & POLICY_LOAD_TG_RUNNABLE) &&
	      policy_tg_moved(queue->pelt.runnable_avg, queue->told_runnable)))
		return;
	group->load += queue->pelt.load_avg - queue->told_load;
	group->runnable += queue->pelt.runnable_avg - queue->told_runnable;
	queue->told_load = queue->pelt.load_avg;
	queue->told_runnable = queue->pelt.runnable_avg;
	queue->told_at_ns = now_ns;
}

/* Kernel: add_tg_cfs_propagate(). */
static void add_propagate(struct sim_queue *queue, s64 runnable_sum)
{
	queue->propagate = true;
	queue->propagate_sum += runnable_sum;
}

/* Kernel: update_cfs_rq_load_avg(). */
static bool update_queue(struct sim_queue *queue, u64 now_ns)
{
	const struct policy_pelt_input in = {
		.now_ns = now_ns,
		.load = policy_scale_load_down(queue->load),
		.runnable = queue->h_nr_runnable,
		.running = queue->h_curr,
		.contrib_freq = sim_contrib_freq(queue->cpu),
		.contrib_cpu = sim_contrib_cpu(queue->cpu),
	};
	bool removed = queue->removed.nr;

	if (removed) {
		add_propagate(queue,
			      policy_pelt_remove(&queue->pelt, &queue->removed, rules(queue)));
		queue->removed = (struct policy_pelt_removed){ 0 };
	}
	if (!policy_pelt_update(&queue->pelt, &in, 1) && !removed)
		return false;
	sim_changed(queue->cpu);
	return true;
}

/* True if its averages moved: never within a unit of time, if no task left it. */
static bool update_queue_at(struct sim_queue *queue, u64 now_ns)
{
	if (!queue->removed.nr && policy_pelt_is_current(&queue->pelt, now_ns))
		return false;
	return update_queue(queue, now_ns);
}

bool sim_track_queue(struct sim_queue *queue)
{
	return update_queue_at(queue, queue_clock(queue));
}

/* Kernel: __update_load_avg_se(). */
static void update_entity(struct sim_entity *se, u64 now_ns)
{
	const struct policy_pelt_input in = {
		.now_ns = now_ns,
		.load = se->on_rq,
		.runnable = se->delayed ? 0
			    : se->own   ? se->runnable
					: se->on_rq,
		.running = se->queue->h_curr == se,
		.contrib_freq = sim_contrib_freq(se->queue->cpu),
		.contrib_cpu = sim_contrib_cpu(se->queue->cpu),
	};

	policy_pelt_update(&se->pelt, &in, weight_of(se));
}

/* A group's entity follows its queue.  Kernel: propagate_entity_load_avg(). */
static bool propagate(struct sim_entity *se)
{
	struct sim_queue *own = se->own, *queue = se->queue;
	u32 how = rules(queue);
	s64 sum;

	if (!own || !own->propagate)
		return false;
	sum = own->propagate_sum;
	own->propagate = false;
	add_propagate(queue, sum);
	sim_changed(queue->cpu);
	policy_pelt_follow_util(&queue->pelt, &se->pelt, &own->pelt, how);
	policy_pelt_follow_runnable(&queue->pelt, &se->pelt, &own->pelt, how);
	own->propagate_sum = 0;
	if (sum)
		policy_pelt_follow_load(&queue->pelt, &se->pelt, weight_of(se),
					policy_pelt_runnable_sum(&se->pelt, &own->pelt, sum,
								 policy_scale_load_down(own->load),
								 policy_pelt_divider(&queue->pelt)),
					how);
	return true;
}

/* Kernel: cfs_rq_util_change(). */
static void util_change(struct sim_queue *queue)
{
	if (!queue->entity)
		sim_freq_update(queue->cpu);
}

/* Kernel: attach_entity_load_avg(). */
static void attach(struct sim_entity *se)
{
	policy_pelt_attach(&se->queue->pelt, &se->pelt, weight_of(se), rules(se->queue));
	se->attached = true;
	sim_changed(se->queue->cpu);
	add_propagate(se->queue, (s64)se->pelt.load_sum);
	util_change(se->queue);
	sim_track_tell(se->queue);
}

/* Kernel: detach_entity_load_avg(). */
static void detach(struct sim_entity *se)
{
	policy_pelt_detach(&se->queue->pelt, &se->pelt, weight_of(se), rules(se->queue));
	se->attached = false;
	sim_changed(se->queue->cpu);
	add_propagate(se->queue, -(s64)se->pelt.load_sum);
	util_change(se->queue);
	sim_track_tell(se->queue);
}

void sim_track_update(struct sim_entity *se, u32 flags)
{
	struct sim_queue *queue = se->queue;
	u64 now_ns = queue_clock(queue);
	bool moved;

	if (se->pelt.update_ns && !(flags & SIM_TRACK_SKIP_AGE))
		update_entity(se, now_ns);
	moved = update_queue_at(queue, now_ns);
	moved |= propagate(se);
	if (!se->pelt.update_ns && (flags & SIM_TRACK_ATTACH)) {
		attach(se);
	} else if (flags & SIM_TRACK_DETACH) {
		detach(se);
		se->pelt.update_ns = 0; /* Kernel: migrate_task_rq_fair(), a moment later */
	} else if (moved) {
		util_change(queue);
		if (flags & SIM_TRACK_TG)
			sim_track_tell(queue);
	}
	if (flags & SIM_TRACK_EST)
		sim_track_est(se->task);
}

/* Kernel: update_idle_cfs_rq_clock_pelt(). */
void sim_track_idle(struct sim_queue *queue)
{
	queue->idle_stopped_ns = queue->pelt_stopped ? U64_MAX : queue->stopped_sum_ns;
}

void sim_track_filled(struct sim_queue *queue)
{
	if (queue->nr_stops && !sim_throttles_tasks(queue->cpu->sim))
		return;
	queue->leaf = true;
	if (!queue->pelt_stopped)
		return;
	queue->stopped_sum_ns += sim_track_cpu_clock(queue->cpu) - queue->stopped_ns;
	queue->pelt_stopped = false;
}

void sim_track_empty(struct sim_queue *queue)
{
	if (queue->nr_stops && !queue->pelt_stopped) {
		queue->stopped_ns = sim_track_cpu_clock(queue->cpu);
		queue->pelt_stopped = true;
		queue->leaf = false;
	}
	sim_track_idle(queue);
}

/* Kernel: calc_group_shares(); calc_concur_shares() and its like, v7.3. */
u64 sim_track_shares(const struct sim_queue *queue)
{
	const struct sim_group *group = queue->group;
	u32 mode = queue->cpu->sim->setup->cgroup_mode;
	u64 load = policy_scale_load_down(queue->load), shares = (u64)group->shares << 10;

	if (!(rules(queue) & POLICY_LOAD_TG_RUNNABLE))
		mode = POLICY_CGROUP_SMP;
	if (mode == POLICY_CGROUP_UP)
		return shares;
	shares *= policy_cgroup_times(mode, group->runnable >> 10, group->nr_cpus);
	if (load < queue->pelt.load_avg)
		load = queue->pelt.load_avg;
	return policy_group_share(shares, mode == POLICY_CGROUP_MAX ? NICE_20_LOAD : shares, load,
				  group->load - queue->told_load + load);
}

void sim_track_reweight(struct sim_entity *se, u64 load)
{
	struct policy_pelt *pelt;

	if (!se->attached || se->load == load) {
		se->load = load;
		return;
	}
	sim_changed(se->queue->cpu);
	pelt = &se->queue->pelt;
	policy_pelt_load_sub(pelt, &se->pelt, weight_of(se), rules(se->queue));
	se->load = load;
	policy_pelt_reweight(&se->pelt, weight_of(se));
	policy_pelt_load_add(pelt, &se->pelt, weight_of(se), rules(se->queue));
}

void sim_track_born(struct sim_task *task)
{
	task->se.pelt = (struct policy_pelt){ .load_avg = weight_of(&task->se) };
}

void sim_track_started(struct sim_task *task)
{
	struct sim_entity *se = &task->se;
	u64 weight;

	if (!task->sim->tracks)
		return;
	if (task->class != task->cpu->fair) {
		se->pelt.update_ns = queue_clock(se->queue);
		return;
	}
	weight = rules(se->queue) & POLICY_LOAD_NEW_COARSE ? weight_of(se) : se->load;
	policy_pelt_new(&se->pelt, &se->queue->pelt, weight, task->cpu->capacity);
}

/* Catches up with its queue and leaves it, as that will find.  Kernel: remove_entity_load_avg(). */
static void removed(struct sim_task *task)
{
	struct policy_pelt_removed *from = &task->se.queue->removed;
	const struct policy_pelt *pelt = &task->se.pelt;

	task->se.attached = false;
	sim_task_load_sync(task);
	from->nr++;
	from->load_avg += pelt->load_avg;
	from->util_avg += pelt->util_avg;
	from->runnable_avg += pelt->runnable_avg;
}

/*
 * The idle CPU that a task leaves has not looked at its clock for a while.
 * Kernel: migrate_se_pelt_lag().
 */
static void age_by_idle(struct sim_task *task)
{
	const struct sim_queue *queue = task->se.queue;
	const struct sim_cpu *cpu = queue->cpu;
	u64 now_ns = cpu->idle_pelt_ns - queue->idle_stopped_ns;

	if (policy_pelt_is_zero(&task->se.pelt) || cpu->curr != cpu->idle ||
	    queue->idle_stopped_ns == U64_MAX)
		return;
	if (now_ns < queue->pelt.update_ns)
		now_ns = queue->pelt.update_ns;
	else
		now_ns += cpu->sim->now_ns - cpu->idle_clock_ns;
	policy_pelt_decay(&task->se.pelt, now_ns, weight_of(&task->se));
}

/* The fair queue that it would have on @cpu. */
static struct sim_queue *queue_on(const struct sim_task *task, struct sim_cpu *cpu)
{
	if (!task->cgroup)
		return &cpu->root;
	return &task->sim->group_queues[(size_t)(task->cgroup - 1) * task->sim->nr_cpus + cpu->id];
}

void sim_track_moves(struct sim_task *task, struct sim_cpu *cpu)
{
	struct sim_entity *se = &task->se;

	if (!task->sim->tracks || !se->pelt.update_ns || cpu == task->cpu)
		return;
	if (task->class == task->cpu->fair) {
		removed(task);
		age_by_idle(task);
		se->pelt.update_ns = 0;
	} else if (policy_feature(&task->sim->features, POLICY_ATTACH_AGE_LOAD)) {
		sim_task_load_sync(task);
		se->pelt.update_ns = queue_on(task, cpu)->pelt.update_ns;
	}
}

void sim_track_ends(struct sim_task *task)
{
	if (task->se.attached)
		removed(task);
}

/* Up to the root.  Kernel: propagate_entity_cfs_rq(). */
static void propagate_up(struct sim_entity *se)
{
	if (se->queue->throttled)
		return;
	se->queue->leaf = true;
	for (se = se->parent; se; se = se->parent) {
		sim_track_update(se, SIM_TRACK_TG);
		if (se->queue->throttled)
			return;
		se->queue->leaf = true;
	}
}

void sim_track_detach(struct sim_task *task)
{
	struct sim_entity *se = &task->se;

	if (!se->attached)
		return;
	sim_track_update(se, 0);
	detach(se);
	propagate_up(se);
}

void sim_track_attach(struct sim_task *task)
{
	bool age = policy_feature(&task->sim->features, POLICY_ATTACH_AGE_LOAD);

	if (!task->sim->tracks)
		return;
	sim_track_update(&task->se, age ? 0 : SIM_TRACK_SKIP_AGE);
	attach(&task->se);
	propagate_up(&task->se);
}

static bool estimates(const struct sim *sim)
{
	return sim->tracks && policy_feature(&sim->features, POLICY_UTIL_EST);
}

void sim_track_est_add(struct sim_cpu *cpu, const struct sim_task *task)
{
	if (!estimates(cpu->sim))
		return;
	cpu->root.pelt.est += (u32)policy_util_est(&task->se.pelt);
	sim_changed(cpu);
}

void sim_track_est_sub(struct sim_cpu *cpu, const struct sim_task *task)
{
	if (!estimates(cpu->sim))
		return;
	cpu->root.pelt.est = (u32)policy_less(cpu->root.pelt.est, policy_util_est(&task->se.pelt));
	sim_changed(cpu);
}

void sim_track_est(struct sim_task *task)
{
	const struct sim *sim = task->sim;

	if (!estimates(sim))
		return;
	if (sim->setup->release->load & POLICY_LOAD_EST_ONE)
		policy_util_est_one(&task->se.pelt, task->cpu->capacity, sim->setup->release->load);
	else
		policy_util_est_two(&task->se.pelt, task->cpu->capacity, &sim->features);
}

/* Is @queue that of @top's group, or of one below it? */
static bool is_below(const struct sim_queue *queue, const struct sim_queue *top)
{
	while (queue != top && queue->entity)
		queue = queue->entity->queue;
	return queue == top;
}

/* Kernel: walk_tg_tree_from(), top first. */
static void each_below(struct sim_queue *top, void (*visit)(struct sim_queue *))
{
	struct sim *sim = top->cpu->sim;

	for (size_t i = (size_t)(top->group - sim->groups); i < sim->setup->workload->cgroups.nr;
	     i++) {
		struct sim_queue *queue = &sim->group_queues[i * sim->nr_cpus + top->cpu->id];

		if (is_below(queue, top))
			visit(queue);
	}
}

static void stop_clock(struct sim_queue *queue)
{
	if (queue->nr_stops++)
		return;
	if (queue->nr_queued && sim_throttles_tasks(queue->cpu->sim))
		return; /* when the last task has left */
	queue->stopped_ns = sim_track_cpu_clock(queue->cpu);
	queue->pelt_stopped = true;
	queue->leaf = false;
}

/* Kernel: cfs_rq_is_decayed(), but for queues below it. */
bool sim_track_is_decayed(const struct sim_queue *queue)
{
	return !queue->load && policy_pelt_is_zero(&queue->pelt) && !queue->told_load;
}

static void start_clock(struct sim_queue *queue)
{
	if (--queue->nr_stops || !queue->pelt_stopped)
		return;
	queue->stopped_sum_ns += sim_track_cpu_clock(queue->cpu) - queue->stopped_ns;
	queue->pelt_stopped = false;
	if (!sim_track_is_decayed(queue))
		queue->leaf = true;
}

void sim_track_throttle(struct sim_queue *top)
{
	if (top->cpu->sim->tracks)
		each_below(top, stop_clock);
}

void sim_track_unthrottle(struct sim_queue *top)
{
	if (top->cpu->sim->tracks)
		each_below(top, start_clock);
}
