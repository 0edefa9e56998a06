/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bandwidth - quotas of groups: the pool, the queues that are throttled, the timers.
 *
 * A throttled queue is taken off with all that is in it, or, since 6.18, stays while its tasks
 * are taken off one by one: each when it is about to return to user mode, into the limbo of
 * its queue.
 *
 * Kernel: CONFIG_CFS_BANDWIDTH, kernel/sched/fair.c, v6.1, v6.12 and v7.3.  Timers are never
 * late here, so a period is never overrun and never doubled.
 */
#include "sim/bandwidth.h"

#include "policy/bandwidth.h"
#include "sim/entity.h"
#include "sim/track.h"

/* It will fire where the code runs that starts it. */
static void timer_start(struct sim *sim, struct sim_group_timer *timer, u64 time_ns)
{
	sim_shared_start(sim->here, &sim->here->group_timers, SIM_TIMER_BANDWIDTH, &timer->timer,
			 time_ns);
}

/* Kernel: start_cfs_bandwidth(). */
static void start_bandwidth(struct sim *sim, struct sim_bandwidth *b)
{
	if (b->period_active)
		return;
	b->period_active = true;
	b->refill_ns = policy_period_after(b->refill_ns, b->period_ns, sim->now_ns);
	timer_start(sim, &b->period_timer, b->refill_ns);
}

/* False: nothing was left.  Kernel: __assign_cfs_rq_runtime(). */
static bool assign(struct sim_queue *queue, u64 target_ns)
{
	struct sim_bandwidth *b = queue->bandwidth;
	u64 amount_ns;

	start_bandwidth(queue->cpu->sim, b);
	amount_ns = policy_assign_cfs_rq_runtime(queue->remaining_ns, b->pool_ns, target_ns);
	if (amount_ns)
		b->idle = false;
	b->pool_ns -= amount_ns;
	queue->remaining_ns += (s64)amount_ns;
	return queue->remaining_ns > 0;
}

static enum policy_throttle way(const struct sim_queue *queue)
{
	return queue->cpu->sim->setup->release->throttle;
}

/* Kernel: __account_cfs_rq_runtime(). */
bool sim_bandwidth_charge(struct sim_queue *queue, u64 ran_ns)
{
	queue->remaining_ns -= (s64)ran_ns;
	if (queue->remaining_ns > 0)
		return false;
	if (way(queue) == POLICY_THROTTLE_TASK)
		return sim_bandwidth_throttle(queue);
	if (!queue->throttled && !assign(queue, POLICY_BANDWIDTH_SLICE_NS) && queue->curr)
		sim_cpu_resched(queue->cpu);
	return false;
}

static void tell(const struct sim_queue *queue, enum event_cgroup_what what)
{
	struct sim *sim = queue->cpu->sim;
	struct event event = { .kind = EVENT_CGROUP,
			       .cpu = (s32)queue->cpu->id,
			       .task = { EVENT_NOBODY, 0 },
			       .cgroup = { .what = what,
					   .id = (u32)(queue->group - sim->groups) + 1 } };

	sim_emit(sim, &event);
}

/* What is below @below is not runnable any more.  Kernel: the loops of throttle_cfs_rq(). */
static void take_off(struct sim_queue *below)
{
	struct sim_counts nr = sim_counts_of(below);
	struct sim_entity *se = below->entity;
	bool last = true;

	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		if (!se->on_rq) /* a throttled one above, or it has just lost its last task */
			return;
		if (last)
			below->cpu->fair->dequeue_group(se);
		if (se->idle)
			nr.idle = nr.queued;
		sim_counts_sub(queue, &nr);
		last = last && !queue->nr_queued;
	}
	sim_sub_nr_running(below->cpu, nr.queued);
}

/* What is below @below is runnable again.  Kernel: the loops of unthrottle_cfs_rq(). */
static void put_back(struct sim_queue *below)
{
	struct sim_counts nr = sim_counts_of(below);
	struct sim_entity *se = below->entity;
	bool first = true, none = !below->cpu->root.h_nr_queued;

	for_each_entity(se) {
		struct sim_queue *queue = se->queue;

		first = first && below->cpu->fair->enqueue_group(se);
		if (se->idle)
			nr.idle = nr.queued;
		sim_counts_add(queue, &nr);
		if (queue->throttled)
			return;
	}
	if (none && nr.queued)
		sim_server_start(below->cpu);
	sim_add_nr_running(below->cpu, nr.queued);
}

static void list_add(struct sim_bandwidth *b, struct sim_queue *queue)
{
	queue->throttled_next = NULL;
	queue->throttled_prev = b->last_throttled;
	if (b->last_throttled)
		b->last_throttled->throttled_next = queue;
	else
		b->first_throttled = queue;
	b->last_throttled = queue;
}

static void list_remove(struct sim_bandwidth *b, struct sim_queue *queue)
{
	if (queue->throttled_prev)
		queue->throttled_prev->throttled_next = queue->throttled_next;
	else
		b->first_throttled = queue->throttled_next;
	if (queue->throttled_next)
		queue->throttled_next->throttled_prev = queue->throttled_prev;
	else
		b->last_throttled = queue->throttled_prev;
}

/* One that was found out while it runs wants a slice to go on; else 1 ns will do. */
static u64 wants_ns(const struct sim_queue *queue)
{
	bool runs = queue->curr && queue->curr->on_rq && way(queue) == POLICY_THROTTLE_TASK;

	return runs ? POLICY_BANDWIDTH_SLICE_NS : 1;
}

/*
 * False: there was time for it after all.
 * Kernel: check_cfs_rq_runtime() past its first test, throttle_cfs_rq().
 */
bool sim_bandwidth_throttle(struct sim_queue *queue)
{
	if (queue->throttled) /* a task of it was made to run nevertheless */
		return true;
	if (assign(queue, wants_ns(queue)))
		return false;
	list_add(queue->bandwidth, queue);
	sim_track_throttle(queue);
	if (!sim_throttles_tasks(queue->cpu->sim)) {
		take_off(queue);
		queue->off = true;
	} else if (queue->curr && queue->curr->on_rq) {
		queue->cpu->curr->throttle_work = true;
	}
	queue->throttled = true;
	queue->cpu->sim->nr_throttled++;
	tell(queue, EVENT_CGROUP_THROTTLE);
	return true;
}

/*
 * The running task of @cpu is about to return to user mode, and had to ask first.
 * Kernel: throttle_cfs_rq_work().
 */
void sim_bandwidth_to_user(struct sim_cpu *cpu)
{
	struct sim_task *task = cpu->curr;
	struct sim_queue *queue = task->se.queue;

	task->throttle_work = false;
	if (task->class != cpu->fair || !sim_throttled_hierarchy(queue))
		return;
	sim_read_clock(cpu);
	cpu->fair->dequeue(cpu, task, SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_THROTTLE);
	task->list_next = queue->limbo;
	queue->limbo = task;
	task->throttled = true;
	sim_cpu_resched(cpu);
}

/* Back out of limbo, unless it is throttled again meanwhile.  Kernel: tg_unthrottle_up(). */
static void empty_limbo(struct sim_queue *queue)
{
	struct sim_task *task = queue->limbo, *last;

	queue->limbo = NULL;
	while (task && !sim_throttled_hierarchy(queue)) {
		struct sim_task *next = task->list_next;

		task->throttled = false;
		queue->cpu->fair->enqueue(queue->cpu, task, SIM_ENQUEUE_WAKEUP);
		task = next;
	}
	if (!task)
		return;
	for (last = task; last->list_next; last = last->list_next)
		;
	last->list_next = queue->limbo;
	queue->limbo = task;
}

/* The groups below first, each like @queue on its CPU.  Kernel: walk_tg_tree_from(). */
static void unthrottle_tasks(struct sim_queue *queue)
{
	struct sim *sim = queue->cpu->sim;
	u32 top = (u32)(queue->group - sim->groups), at = top;

	for (;;) {
		while (sim->groups[at].first_child != SIM_NO_GROUP)
			at = sim->groups[at].first_child;
		for (;;) {
			struct sim_queue *below =
				&sim->group_queues[(size_t)at * sim->nr_cpus + queue->cpu->id];

			queue->cpu->fair->update_queue(below);
			if (!sim_throttled_hierarchy(below))
				empty_limbo(below);
			if (at == top)
				return;
			if (sim->groups[at].sibling != SIM_NO_GROUP)
				break;
			at = sim->groups[at].parent;
		}
		at = sim->groups[at].sibling;
	}
}

/* Kernel: unthrottle_cfs_rq(). */
static void unthrottle(struct sim_queue *queue)
{
	struct sim_cpu *cpu = queue->cpu;
	bool by_task = sim_throttles_tasks(cpu->sim);

	sim_read_clock(cpu);
	if (by_task) {
		cpu->fair->update_queue(queue);
		/* tasks that still run have used it up */
		if (queue->bandwidth && queue->remaining_ns <= 0)
			return;
	}
	queue->throttled = queue->off = false;
	cpu->sim->nr_throttled--;
	list_remove(&queue->group->bandwidth, queue);
	sim_track_unthrottle(queue);
	tell(queue, EVENT_CGROUP_UNTHROTTLE);
	if (by_task)
		unthrottle_tasks(queue);
	else if (queue->nr_queued)
		put_back(queue);
	else
		return;
	if (cpu->curr == cpu->idle && cpu->root.h_nr_queued)
		sim_cpu_resched(cpu);
}

/* Kernel: check_enqueue_throttle(). */
void sim_bandwidth_enqueued(struct sim_queue *queue)
{
	if (queue->curr || queue->throttled)
		return;
	sim_bandwidth_charge(queue, 0);
	if (queue->remaining_ns <= 0)
		sim_bandwidth_throttle(queue);
}

/* Kernel: start_cfs_slack_bandwidth(). */
static void start_slack(struct sim *sim, struct sim_bandwidth *b)
{
	if (b->refilling || b->slack_started ||
	    policy_runtime_refresh_within(b->refill_ns, sim->now_ns,
					  POLICY_BANDWIDTH_SLACK_NS +
						  POLICY_MIN_BANDWIDTH_EXPIRATION_NS))
		return;
	b->slack_started = true;
	timer_start(sim, &b->slack_timer, sim->now_ns + POLICY_BANDWIDTH_SLACK_NS);
}

/* Kernel: __return_cfs_rq_runtime(). */
void sim_bandwidth_return(struct sim_queue *queue)
{
	struct sim_bandwidth *b = queue->bandwidth;
	u64 slack_ns = policy_return_cfs_rq_runtime(queue->remaining_ns);

	if (!slack_ns)
		return;
	b->pool_ns += slack_ns;
	queue->remaining_ns -= (s64)slack_ns;
	if (policy_worth_distribution(b->pool_ns) && b->first_throttled)
		start_slack(queue->cpu->sim, b);
}

static bool stopped_on(const struct sim_task *task, const struct sim_cpu *cpu)
{
	const struct sim *sim = task->sim;

	return sim_bandwidth_stopped(
		&sim->group_queues[(size_t)(task->cgroup - 1) * sim->nr_cpus + cpu->id]);
}

bool sim_bandwidth_pair(const struct sim_task *task, const struct sim_cpu *to)
{
	return stopped_on(task, to) ||
	       (!sim_throttles_tasks(task->sim) && stopped_on(task, task->cpu));
}

bool sim_bandwidth_stopped(const struct sim_queue *queue)
{
	for (;;) {
		if (queue->throttled)
			return true;
		if (!queue->entity)
			return false;
		queue = queue->entity->queue;
	}
}

/* The CPU of @queue does it when the interrupt arrives.  Kernel: __unthrottle_cfs_rq_async(). */
static void unthrottle_async(struct sim_queue *queue)
{
	queue->unthrottle_pending = true;
	*vec_add(&queue->cpu->unthrottle) = queue;
	sim_cpu_ipi(queue->cpu);
}

/* Kernel: __cfsb_csd_unthrottle(). */
void sim_bandwidth_run(struct sim_cpu *cpu)
{
	for (size_t i = 0; i < cpu->unthrottle.nr; i++) {
		struct sim_queue *queue = cpu->unthrottle.at[i];

		queue->unthrottle_pending = false;
		if (queue->throttled)
			unthrottle(queue);
	}
	cpu->unthrottle.nr = 0;
}

/*
 * In the order in which they were throttled, as far as the pool goes.
 * Kernel: distribute_cfs_runtime(); what it says to its caller is about races.
 */
static void distribute(struct sim *sim, struct sim_bandwidth *b)
{
	bool by_ipi = sim->setup->release->throttle != POLICY_THROTTLE_DIRECT;
	struct sim_queue *queue = b->first_throttled, *next, *local = NULL;

	for (; queue && b->pool_ns; queue = next) {
		u64 amount_ns;

		next = queue->throttled_next;
		if (queue->unthrottle_pending)
			continue;
		if (sim_throttles_tasks(sim) && queue->curr) {
			sim_read_clock(queue->cpu);
			queue->cpu->fair->update_queue(queue);
		}
		amount_ns = policy_distribute_cfs_runtime(queue->remaining_ns, b->pool_ns);
		b->pool_ns -= amount_ns;
		queue->remaining_ns += (s64)amount_ns;
		if (queue->remaining_ns <= 0)
			break;
		if (!by_ipi)
			unthrottle(queue);
		else if (queue->cpu == sim->here)
			local = queue;
		else
			unthrottle_async(queue);
	}
	if (local)
		unthrottle(local);
}

/* Kernel: do_sched_cfs_period_timer() within sched_cfs_period_timer(). */
static void period_over(struct sim *sim, struct sim_bandwidth *b)
{
	bool throttled = b->first_throttled;

	b->refill_ns = policy_period_after(b->refill_ns, b->period_ns, sim->now_ns);
	b->pool_ns = policy_refill_cfs_bandwidth_runtime(b->pool_ns, b->quota_ns, b->burst_ns);
	if (b->idle && !throttled) {
		b->period_active = false;
		return;
	}
	b->idle = !throttled;
	b->refilling = true;
	distribute(sim, b);
	b->refilling = false;
	timer_start(sim, &b->period_timer, b->refill_ns);
}

/* Kernel: do_sched_cfs_slack_timer(). */
static void slack_over(struct sim *sim, struct sim_bandwidth *b)
{
	b->slack_started = false;
	if (policy_runtime_refresh_within(b->refill_ns, sim->now_ns,
					  POLICY_MIN_BANDWIDTH_EXPIRATION_NS) ||
	    !policy_worth_distribution(b->pool_ns))
		return;
	distribute(sim, b);
}

static struct sim_group_timer *group_timer_of(struct sim_shared_timer *timer)
{
	return (struct sim_group_timer *)((char *)timer - offsetof(struct sim_group_timer, timer));
}

void sim_bandwidth_interrupt(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	struct sim_shared_timer *expired;

	sim_cpu_cost(cpu, EVENT_COST_TIMER, sim->setup->machine->costs.timer_ns);
	while ((expired = sim_shared_expired(cpu, &cpu->group_timers, SIM_TIMER_BANDWIDTH))) {
		struct sim_group_timer *timer = group_timer_of(expired);
		struct sim_bandwidth *b = timer->bandwidth;

		if (timer == &b->slack_timer)
			slack_over(sim, b);
		else
			period_over(sim, b);
	}
	sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}

/*
 * No quota holds on a CPU that is going: what is throttled could never leave it.
 * Kernel: unthrottle_offline_cfs_rqs().
 */
static void suspend_quota(struct sim_queue *queue)
{
	bool all = queue->cpu->sim->setup->release->rebuild_unthrottles;

	if (!queue->bandwidth)
		return;
	if (all || queue->throttled)
		queue->remaining_ns = 1;
	queue->bandwidth = NULL;
	if (queue->throttled)
		unthrottle(queue);
}

/* @cpu comes, or goes.  Kernel: rq_online_fair(), rq_offline_fair(). */
void sim_bandwidth_cpu(struct sim_cpu *cpu, bool online)
{
	struct sim *sim = cpu->sim;

	if (!sim->has_quotas)
		return;
	sim_read_clock(cpu);
	for (size_t i = 0; i < sim->setup->workload->cgroups.nr; i++) {
		struct sim_bandwidth *b = &sim->groups[i].bandwidth;
		struct sim_queue *queue = &sim->group_queues[i * sim->nr_cpus + cpu->id];

		if (!online)
			suspend_quota(queue);
		else if (b->quota_ns)
			queue->bandwidth = b;
	}
}

/*
 * New domains were built: each CPU was offline for a moment, and where that was not seen to be
 * needless, nothing is throttled after it.
 * Kernel: rq_attach_root(); cpu_active_mask in unthrottle_offline_cfs_rqs(), v7.3.
 */
void sim_bandwidth_rebuilt(struct sim *sim)
{
	if (!sim->has_quotas || !sim->setup->release->rebuild_unthrottles)
		return;
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		if (!sim->cpus[i].active)
			continue;
		sim_bandwidth_cpu(&sim->cpus[i], false);
		sim_bandwidth_cpu(&sim->cpus[i], true);
	}
}

/* @from dies.  Kernel: hrtimers_cpu_dying(). */
void sim_bandwidth_move_timers(struct sim_cpu *from, struct sim_cpu *to)
{
	sim_shared_move(from, &from->group_timers, to, &to->group_timers, SIM_TIMER_BANDWIDTH);
}

/*
 * Where the group's grid of periods lies.  Kernel: init_cfs_bandwidth(): at zero in 6.1, at
 * random since 6.3, so that groups do not all wake at once.
 */
static u64 phase(const struct sim *sim, const struct workload_cgroup *group)
{
	const struct workload_amount any = { .shape = WORKLOAD_UNIFORM, .b = group->period_ns - 1 };

	if (sim->setup->release->throttle == POLICY_THROTTLE_DIRECT)
		return 0;
	return workload_draw(sim->setup->workload, &any, sim->setup->seed,
			     workload_identity(group->path, 0, 0, 0), 0, 0);
}

/*
 * Writes cpu.max of all groups, when the run begins; the code runs on sim.here.
 * Kernel: init_cfs_bandwidth(), tg_set_cfs_bandwidth().
 */
void sim_bandwidth_start(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;

	for (size_t i = 0; i < workload->cgroups.nr; i++) {
		const struct workload_cgroup *group = &workload->cgroups.at[i];
		struct sim_bandwidth *b = &sim->groups[i].bandwidth;

		if (!group->quota_ns)
			continue;
		sim->has_quotas = true;
		*b = (struct sim_bandwidth){ .quota_ns = group->quota_ns,
					     .period_ns = group->period_ns,
					     .burst_ns = group->burst_ns,
					     .refill_ns = phase(sim, group) };
		b->period_timer.bandwidth = b->slack_timer.bandwidth = b;
		b->pool_ns = policy_refill_cfs_bandwidth_runtime(0, b->quota_ns, b->burst_ns);
		for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++)
			sim->group_queues[i * sim->nr_cpus + cpu].bandwidth = b;
		start_bandwidth(sim, b);
	}
}

static enum err_code refuse(const struct workload *workload, const struct workload_cgroup *group,
			    const char *what, u64 value_ns, const char *expected, struct err *err)
{
	return err_set(err, ERR_USAGE, workload->name,
		       "group \"%s\": the %s of %llu ns: expected %s", group->path, what, value_ns,
		       expected);
}

/* What the kernel would refuse to be written.  Kernel: tg_set_cfs_bandwidth(). */
enum err_code sim_bandwidth_check(const struct workload *workload,
				  const struct workload_cgroup *group, struct err *err)
{
	if (!group->quota_ns)
		return OK;
	if (group->period_ns < POLICY_MIN_CFS_QUOTA_PERIOD_NS ||
	    group->period_ns > POLICY_MAX_CFS_QUOTA_PERIOD_NS)
		return refuse(workload, group, "period", group->period_ns, "1 ms to 1 s", err);
	if (group->quota_ns < POLICY_MIN_CFS_QUOTA_PERIOD_NS ||
	    group->quota_ns > POLICY_MAX_CFS_RUNTIME_NS)
		return refuse(workload, group, "quota", group->quota_ns, "1 ms to 2^44 us", err);
	if (group->burst_ns > group->quota_ns ||
	    group->burst_ns + group->quota_ns > POLICY_MAX_CFS_RUNTIME_NS)
		return refuse(workload, group, "burst", group->burst_ns, "at most the quota", err);
	return OK;
}
