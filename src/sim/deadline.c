/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deadline - SCHED_DEADLINE: a list by deadline per CPU, a timer per task that waits for its
 * next period, and admission.
 *
 * The fair server is one more entity of that list while it is queued: it goes by its deadline.
 * Kernel: kernel/sched/deadline.c, v6.12, nearly the same in v6.1 and v7.3.
 */
#include "sim/deadline.h"
#include "sim/freq.h"
#include "sim/track.h"

static struct sim_task *waiter_of(struct sim_shared_timer *timer)
{
	return (struct sim_task *)((char *)timer - offsetof(struct sim_task, dl_timer));
}

/* False: the time has passed, by a microsecond and more.  Kernel: start_dl_timer(). */
static bool start_timer(struct sim_task *task)
{
	struct sim *sim = task->sim;
	u64 now_ns = sim_rq_clock(task->cpu), at_ns = policy_dl_next_period(&task->dl);

	if ((s64)(at_ns - now_ns) <= -1000)
		return false;
	if (task->dl_timer_cpu)
		return true;
	if ((s64)(at_ns - now_ns) < 0)
		at_ns = now_ns;
	/* the deadline goes by the queue's clock, which may be behind */
	task->dl_timer_cpu = sim->here;
	sim_shared_start(sim->here, &sim->here->dl_waiters, SIM_TIMER_DEADLINE, &task->dl_timer,
			 at_ns + sim->now_ns - now_ns);
	return true;
}

static void cancel_timer(struct sim_task *task)
{
	struct sim_cpu *cpu = task->dl_timer_cpu;

	if (!cpu)
		return;
	task->dl_timer_cpu = NULL;
	sim_shared_cancel(cpu, &cpu->dl_waiters, SIM_TIMER_DEADLINE, &task->dl_timer);
}

/* Of equal deadlines, who came first.  Kernel: __enqueue_dl_entity(). */
static void list_add(struct sim_cpu *cpu, struct sim_task *task)
{
	struct sim_task *prev = NULL, *next = cpu->dl_first;

	while (next && !policy_dl_before(task->dl.deadline_ns, next->dl.deadline_ns)) {
		prev = next;
		next = next->rt_next;
	}
	task->rt_prev = prev;
	task->rt_next = next;
	if (prev)
		prev->rt_next = task;
	else
		cpu->dl_first = task;
	if (next)
		next->rt_prev = task;
	task->dl_queued = true;
	cpu->dl_nr++;
	sim_add_nr_running(cpu, 1);
}

/* Kernel: __dequeue_dl_entity(). */
static void list_remove(struct sim_cpu *cpu, struct sim_task *task)
{
	if (!task->dl_queued)
		return;
	if (task->rt_prev)
		task->rt_prev->rt_next = task->rt_next;
	else
		cpu->dl_first = task->rt_next;
	if (task->rt_next)
		task->rt_next->rt_prev = task->rt_prev;
	task->dl_queued = false;
	cpu->dl_nr--;
	sim_sub_nr_running(cpu, 1);
}

static void replenish(struct sim_cpu *cpu, struct sim_task *task)
{
	policy_dl_replenish(&task->dl, sim_rq_clock(cpu));
	list_add(cpu, task);
}

/* Kernel: add_running_bw(), sub_running_bw(); those of a task that sleeps at its zero lag. */
static void count_bandwidth(struct sim_cpu *cpu, const struct sim_task *task, bool in)
{
	u64 share = policy_to_ratio(task->dl.dl_period_ns, task->dl.dl_runtime_ns);

	cpu->dl_bandwidth += in ? share : -share;
	sim_freq_update(cpu);
}

/* Kernel: enqueue_dl_entity(). */
static void dl_enqueue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	struct policy_dl *dl = &task->dl;

	count_bandwidth(cpu, task, true);
	if (!dl->throttled && policy_dl_too_early(dl, sim_rq_clock(cpu)) && start_timer(task)) {
		dl->throttled = true;
		if (dl->runtime_ns > 0)
			dl->runtime_ns = 0;
	}
	if (dl->throttled)
		return;
	if (flags & SIM_ENQUEUE_WAKEUP)
		policy_dl_wake(dl, sim_rq_clock(cpu));
	else if (flags & (SIM_ENQUEUE_RESTORE | SIM_ENQUEUE_INITIAL) &&
		 (!dl->deadline_ns || policy_dl_before(dl->deadline_ns, sim_rq_clock(cpu))))
		policy_dl_new_period(dl, sim_rq_clock(cpu));
	list_add(cpu, task);
}

bool sim_dl_is_first(const struct sim_cpu *cpu, const struct sim_task *task)
{
	const struct policy_server *server = &cpu->server;

	return cpu->dl_first == task &&
	       !(server->queued && policy_dl_before(server->deadline_ns, task->dl.deadline_ns));
}

/* Kernel: the end of update_curr_dl_se(). */
static void throttle(struct sim_cpu *cpu, struct sim_task *task)
{
	list_remove(cpu, task);
	if (!start_timer(task))
		replenish(cpu, task);
	if (!sim_dl_is_first(cpu, task))
		sim_cpu_resched(cpu);
}

/* Kernel: update_curr_dl(). */
static void dl_update_curr(struct sim_cpu *cpu)
{
	struct sim_task *task = cpu->curr;
	u64 ran_ns;

	if (!task->dl_queued)
		return;
	ran_ns = cpu->clock_ns - task->se.exec_start_ns;
	if (!ran_ns && !task->dl.yielded)
		return;
	if (ran_ns) {
		task->se.exec_start_ns = cpu->clock_ns;
		task->se.sum_exec_ns += ran_ns;
		sim_emit_runtime(cpu->sim, task, ran_ns);
	}
	if (ran_ns)
		sim_rt_account_dl(cpu, ran_ns);
	if (policy_dl_update(&task->dl, policy_dl_scaled(ran_ns, cpu->capacity)))
		throttle(cpu, task);
}

static bool dl_dequeue(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	if (cpu->curr == task)
		dl_update_curr(cpu);
	list_remove(cpu, task);
	count_bandwidth(cpu, task, false);
	if (flags & SIM_DEQUEUE_SPECIAL) /* it ends */
		cancel_timer(task);
	return true;
}

/*
 * Of deadline tasks and the fair server whose deadline is first.  NULL: none of them.
 * Kernel: __pick_task_dl().
 */
struct sim_task *sim_dl_pick(struct sim_cpu *cpu)
{
	while (cpu->dl_first || cpu->server.queued) {
		struct sim_task *task = cpu->dl_first;

		cpu->pick_reason = SIM_REASON_CLASS;
		if (task && sim_dl_is_first(cpu, task))
			return task;
		task = sim_server_pick(cpu);
		if (task)
			return task;
	}
	return NULL;
}

static void dl_set_next(struct sim_cpu *cpu, struct sim_task *task)
{
	task->se.exec_start_ns = cpu->clock_ns;
	if (cpu->curr != task && cpu->curr->class != &sim_class_dl)
		sim_track_dl(cpu, false);
}

static void dl_put_prev(struct sim_cpu *cpu, struct sim_task *task)
{
	(void)task;
	dl_update_curr(cpu);
	sim_track_dl(cpu, true);
}

/* Kernel: task_tick_dl(). */
static void dl_tick(struct sim_cpu *cpu, struct sim_task *task, bool queued)
{
	dl_update_curr(cpu);
	sim_track_dl(cpu, true);
	if (queued && task->dl.runtime_ns > 0 && sim_dl_is_first(cpu, task))
		sim_hrtick_start_dl(cpu, task);
}

static void dl_wakeup_preempt(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	(void)flags;
	if (policy_dl_before(task->dl.deadline_ns, cpu->curr->dl.deadline_ns))
		sim_cpu_resched(cpu);
}

/* No more in this period.  Kernel: yield_task_dl(). */
static void dl_yield(struct sim_cpu *cpu, struct sim_task *task)
{
	task->dl.yielded = true;
	dl_update_curr(cpu);
}

static void dl_changed(struct sim_task *task)
{
	(void)task;
}

static enum err_code refuse(const struct workload *workload, const char *task, const char *what,
			    struct err *err)
{
	return err_set(err, ERR_USAGE, workload->name, "task \"%s\": SCHED_DEADLINE %s", task,
		       what);
}

/* What no kernel takes, whatever else there is.  Kernel: __checkparam_dl(). */
enum err_code sim_dl_check(const struct workload *workload, const struct workload_attr *attr,
			   const char *task, struct err *err)
{
	const struct policy_dl dl = { .dl_runtime_ns = attr->dl_runtime_ns,
				      .dl_deadline_ns = attr->dl_deadline_ns,
				      .dl_period_ns = attr->dl_period_ns };

	if (!attr->dl_runtime_ns)
		return refuse(workload, task, "has no dl-runtime: expected one, and a dl-period",
			      err);
	if (!policy_dl_valid(&dl))
		return refuse(workload, task,
			      "has values that no kernel takes: expected dl-runtime of 1024 ns and "
			      "more <= dl-deadline <= dl-period, which is 100 us to 4.19 s",
			      err);
	return OK;
}

/* In hundredths of a percent of all CPUs. */
static u64 share_of(const struct sim *sim, u64 bandwidth)
{
	return ((bandwidth * 10000 >> 10) + sim->dl_capacity / 2) / sim->dl_capacity;
}

/* Kernel: sched_dl_overflow(). */
static enum err_code refuse_share(struct sim_task *task, u64 total, u64 more, u64 most)
{
	struct sim *sim = task->sim;
	u64 all = most * sim->dl_capacity >> 10, servers = sim->dl_servers;
	u64 ask = share_of(sim, total - servers + more), have = share_of(sim, all - servers);

	return sim->stop = err_set(
		       sim->err, ERR_USAGE, sim->setup->workload->name,
		       "task \"%s\": SCHED_DEADLINE tasks would ask for %llu.%02llu %% of all CPUs: "
		       "expected at most %llu.%02llu %%, which release %s admits",
		       task->def->name, ask / 100, ask % 100, have / 100, have % 100,
		       sim->setup->release->name);
}

/*
 * May @task have these values, which are valid?  If not, the run stops with an error, where
 * sched_setattr() returns EPERM or EBUSY.
 * Kernel: __sched_setscheduler(), sched_dl_overflow(), v6.12.
 */
enum err_code sim_dl_admit(struct sim_task *task, const struct policy_dl *values)
{
	struct sim *sim = task->sim;
	u64 most = policy_to_ratio(1000000000, sim->setup->release->dl_limit_ns);
	u64 old = policy_to_ratio(task->dl.dl_period_ns, task->dl.dl_runtime_ns);
	u64 more = policy_to_ratio(values->dl_period_ns, values->dl_runtime_ns);

	if (sim->stop != OK)
		return sim->stop;
	if (task->nr_allowed < sim->nr_cpus - sim->nr_offline)
		return sim->stop =
			       refuse(sim->setup->workload, task->def->name,
				      "is bound to some CPUs: expected all of the machine's, as "
				      "the kernel does",
				      sim->err);
	if (policy_dl_overflow(most, sim->dl_capacity, sim->dl_total - old, more))
		return refuse_share(task, sim->dl_total - old, more, most);
	return OK;
}

/* It is no deadline task any more, or is but has other values.  Kernel: __setparam_dl(). */
void sim_dl_set(struct sim_task *task, const struct policy_dl *values)
{
	struct sim *sim = task->sim;
	struct policy_dl *dl = &task->dl;

	sim->dl_total -= policy_to_ratio(dl->dl_period_ns, dl->dl_runtime_ns);
	if (!values) {
		cancel_timer(task);
		*dl = (struct policy_dl){ 0 };
		return;
	}
	dl->dl_runtime_ns = values->dl_runtime_ns;
	dl->dl_deadline_ns = values->dl_deadline_ns;
	dl->dl_period_ns = values->dl_period_ns;
	sim->dl_total += policy_to_ratio(dl->dl_period_ns, dl->dl_runtime_ns);
}

/* Kernel: dl_task_timer(), of a task. */
static void timer_over(struct sim_task *task)
{
	struct sim_cpu *cpu = task->cpu;

	task->dl_timer_cpu = NULL;
	if (!task->dl.throttled)
		return;
	sim_read_clock(cpu);
	if (!task->on_rq) { /* it sleeps: its wakeup will queue it */
		policy_dl_replenish(&task->dl, sim_rq_clock(cpu));
		return;
	}
	replenish(cpu, task);
	if (cpu->curr->class != &sim_class_dl || cpu->curr == task)
		sim_cpu_resched(cpu);
	else
		dl_wakeup_preempt(cpu, task, 0);
	sim_push_dl(cpu);
}

void sim_dl_interrupt(struct sim_cpu *cpu)
{
	struct sim_shared_timer *expired;

	sim_cpu_cost(cpu, EVENT_COST_TIMER, cpu->sim->setup->machine->costs.timer_ns);
	while ((expired = sim_shared_expired(cpu, &cpu->dl_waiters, SIM_TIMER_DEADLINE)))
		timer_over(waiter_of(expired));
	sim_run_sleepers(cpu);
	sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}

/*
 * What the servers of all CPUs that are there have for themselves, and the capacity of these.
 * Kernel: dl_server_apply_params(), dl_bw_capacity().
 */
void sim_dl_cpus_changed(struct sim *sim)
{
	const struct policy_release *release = sim->setup->release;
	u64 server = policy_to_ratio(POLICY_SERVER_PERIOD_NS, release->server_runtime_ns);

	sim->dl_total -= sim->dl_servers;
	sim->dl_servers = sim->dl_capacity = 0;
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		if (!sim->cpus[i].active)
			continue;
		sim->dl_servers += server;
		sim->dl_capacity += sim->cpus[i].capacity;
	}
	sim->dl_total += sim->dl_servers;
}

/* @from dies.  Kernel: hrtimers_cpu_dying(). */
void sim_dl_move_timers(struct sim_cpu *from, struct sim_cpu *to)
{
	struct sim *sim = from->sim;

	for (size_t i = 0; i < sim->tasks.nr; i++)
		if (sim->tasks.at[i]->dl_timer_cpu == from)
			sim->tasks.at[i]->dl_timer_cpu = to;
	sim_shared_move(from, &from->dl_waiters, to, &to->dl_waiters, SIM_TIMER_DEADLINE);
}

const struct sim_class sim_class_dl = {
	.name = "deadline",
	.rank = 3,
	.enqueue = dl_enqueue,
	.dequeue = dl_dequeue,
	.pick = sim_dl_pick,
	.set_next = dl_set_next,
	.put_prev = dl_put_prev,
	.tick = dl_tick,
	.update_curr = dl_update_curr,
	.wakeup_preempt = dl_wakeup_preempt,
	.yield = dl_yield,
	.changed = dl_changed,
	.select = sim_select_dl,
	.woken = sim_push_woken,
	.push = sim_push_dl,
};
