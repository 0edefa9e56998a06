/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold in any workload whose groups have quotas, in 6.1, 6.12 and 7.3, and where
 * nested queues throttle task by task.
 *
 *	period    in one, a group has at most its quota and burst, and for each CPU a slice that
 *		  was given before and a tick until it was seen;
 *	in all    it has its quotas, and for each CPU a tick: debts are repaid;
 *	picks     nobody of a throttled group is given a CPU, but to be taken off;
 *	counts    of tasks stop at a queue that is off, and all others are right;
 *	entities  a group's is queued if it has someone to run, unless it is off;
 *	limbo     holds the tasks that were taken off, and only of throttled queues.
 *
 * FAIRGROUND_SEED runs one seed alone; FAIRGROUND_WORKLOADS says how many.
 */
#include "gen.h"
#include "sim/bandwidth.h"

#define DURATION_NS (300 * MS)
#define SLICE_NS    (5 * MS)
#define COSTS_NS    (100 * US) /* from the tick to the switch */
#define MAX_PERIODS 400
#define MAX_GROUPS  3
#define SEED(cpu)   "seed %llu", (cpu)->sim->setup->seed

struct watch {
	u64 throttled, nested, limbo;
	u64 phase_ns[MAX_GROUPS];
	u64 used_ns[MAX_GROUPS][MAX_PERIODS];
};

static u64 number(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static const struct sim_task *task_of(const struct sim *sim, s32 tid)
{
	for (size_t i = 0; i < sim->tasks.nr; i++)
		if (sim->tasks.at[i]->id.tid == tid)
			return sim->tasks.at[i];
	return NULL;
}

/* The time from @start_ns to @end_ns, each part of it to its period. */
static void use(struct watch *watch, size_t group, u64 period_ns, u64 start_ns, u64 end_ns)
{
	while (start_ns < end_ns) {
		u64 since_ns = start_ns + period_ns - watch->phase_ns[group];
		u64 part_ns = period_ns - since_ns % period_ns;

		if (part_ns > end_ns - start_ns)
			part_ns = end_ns - start_ns;
		watch->used_ns[group][since_ns / period_ns] += part_ns;
		start_ns += part_ns;
	}
}

static void on_runtime(struct watch *watch, const struct sim *sim, const struct event *event)
{
	const struct sim_task *task = task_of(sim, event->task.tid);
	s64 group;

	if (!task || task->rt_prio)
		return;
	for (group = (s64)task->cgroup - 1; group >= 0;
	     group = sim->setup->workload->cgroups.at[group].parent) {
		const struct sim_bandwidth *b = &sim->groups[group].bandwidth;

		watch->phase_ns[group] = b->refill_ns % b->period_ns;
		use(watch, (size_t)group, b->period_ns, event->time_ns - event->runtime.runtime_ns,
		    event->time_ns);
	}
}

/* How many tasks @queue should count, and how many of them as idle, and as not delayed. */
static void expect_counts(const struct sim *sim, const struct sim_queue *queue, u32 *nr,
			  u32 *nr_idle, u32 *nr_runnable)
{
	for (size_t i = 0; i < sim->tasks.nr; i++) {
		const struct sim_entity *se = &sim->tasks.at[i]->se;
		bool idle = se->idle, delayed = se->delayed;

		for (; se && se->on_rq; se = se->parent) {
			*nr += se->queue == queue;
			*nr_idle += se->queue == queue && idle;
			*nr_runnable += se->queue == queue && !delayed;
			if (se->queue->off)
				break;
			idle |= se->parent && se->parent->idle;
		}
	}
}

static void check_counts(const struct sim_queue *queue)
{
	u32 nr = 0, nr_idle = 0, nr_runnable = 0;

	expect_counts(queue->cpu->sim, queue, &nr, &nr_idle, &nr_runnable);
	CHECK_EQ(nr, queue->h_nr_queued, SEED(queue->cpu));
	CHECK_EQ(nr_idle, queue->h_nr_idle, SEED(queue->cpu));
	CHECK_EQ(nr_runnable, queue->h_nr_runnable, SEED(queue->cpu));
}

static void check_group(struct watch *watch, const struct sim_queue *queue)
{
	const struct sim_entity *se = queue->entity;

	check_counts(queue);
	CHECK_EQ(queue->off, queue->throttled && !sim_throttles_tasks(queue->cpu->sim),
		 SEED(queue->cpu));
	if (queue->throttled) {
		CHECK(queue->unthrottle_pending || queue->remaining_ns <= 0, SEED(queue->cpu));
		watch->throttled++;
		watch->nested += se->parent && se->queue->throttled;
	}
	for (const struct sim_task *task = queue->limbo; task; task = task->list_next) {
		CHECK(task->throttled && !task->se.on_rq && task->se.queue == queue,
		      SEED(queue->cpu));
		CHECK(sim_throttled_hierarchy(queue), SEED(queue->cpu));
		watch->limbo++;
	}
	if (queue->off) {
		CHECK(!se->on_rq, SEED(queue->cpu));
	} else if (queue->nr_queued) {
		CHECK(se->on_rq && !se->delayed, SEED(queue->cpu));
	} else {
		CHECK(!se->on_rq || se->delayed, SEED(queue->cpu));
	}
}

static void on_switch(struct watch *watch, const struct sim *sim, const struct event *event)
{
	const struct sim_cpu *cpu = &sim->cpus[event->cpu];
	size_t nr_queues = sim->setup->workload->cgroups.nr * sim->nr_cpus;

	if (cpu->curr != cpu->idle && !cpu->curr->rt_prio)
		CHECK(!sim_throttled_hierarchy(cpu->curr->se.queue) || cpu->curr->throttle_work,
		      SEED(cpu));
	for (size_t i = 0; i < nr_queues; i++)
		check_group(watch, &sim->group_queues[i]);
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		check_counts(&sim->cpus[i].root);
		CHECK_EQ(sim->cpus[i].nr_running,
			 sim->cpus[i].root.h_nr_queued +
				 (sim->cpus[i].rt_throttled ? 0 : sim->cpus[i].rt_nr),
			 SEED(cpu));
	}
}

static void probe(void *self, const struct sim *sim, const struct event *event)
{
	if (event->kind == EVENT_RUNTIME)
		on_runtime(self, sim, event);
	else if (event->kind == EVENT_SWITCH)
		on_switch(self, sim, event);
}

static void add_quotas(struct gen *gen, struct lab *lab)
{
	vec_for_each(group, &lab->workload->cgroups) {
		group->period_ns = 1 * MS + gen_below(gen, 40) * MS;
		group->quota_ns = 1 * MS + gen_below(gen, 10 * (u32)MS);
		group->burst_ns = gen_below(gen, 2) ? gen_below(gen, (u32)group->quota_ns) : 0;
	}
}

static void check_use(const struct lab *lab, const struct watch *watch)
{
	u64 seen_ns = S / lab->setup.hz + COSTS_NS;

	for (size_t i = 0; i < lab->workload->cgroups.nr; i++) {
		const struct workload_cgroup *group = &lab->workload->cgroups.at[i];
		u64 sum_ns = 0;

		for (u32 k = 0; k < MAX_PERIODS; k++) {
			sum_ns += watch->used_ns[i][k];
			CHECK(watch->used_ns[i][k] <=
				      group->quota_ns + group->burst_ns +
					      lab->machine.nr_cpus * (SLICE_NS + seen_ns),
			      "seed %llu group %zu period %u: %llu", lab->setup.seed, i, k,
			      watch->used_ns[i][k]);
		}
		CHECK(sum_ns <= group->quota_ns * (DURATION_NS / group->period_ns + 2) +
					lab->machine.nr_cpus * seen_ns,
		      "seed %llu group %zu: %llu", lab->setup.seed, i, sum_ns);
	}
}

static void run_one(u64 seed, struct watch *all)
{
	static const char *const releases[] = { "6.1", "6.6", "6.12", "6.18", "7.3" };
	struct gen gen = { .seed = seed,
			   .max_cpus = 4,
			   .max_tasks = 8,
			   .nice = 20,
			   .costs = seed & 1,
			   .release = releases[seed / 2 % ARRAY_SIZE(releases)] };
	struct watch watch = { 0 };
	struct lab lab;

	gen_lab(&gen, &lab);
	add_quotas(&gen, &lab);
	lab.setup.duration_ns = DURATION_NS;
	lab.setup.probe = probe;
	lab.setup.probe_self = &watch;
	CHECK_EQ(OK, lab_run(&lab), "seed %llu: %s", seed, lab.err.what);
	check_use(&lab, &watch);
	all->throttled += watch.throttled;
	all->nested += watch.nested;
	all->limbo += watch.limbo;
	lab_fini(&lab);
}

TEST(quotas_hold_in_any_workload)
{
	u64 first = number("FAIRGROUND_SEED", 0), nr = number("FAIRGROUND_WORKLOADS", 200);
	struct watch all = { 0 };

	for (u64 seed = first ? first : 1; seed < (first ? first + 1 : nr + 1); seed++)
		run_one(seed, &all);
	if (first)
		return;
	CHECK(all.throttled > 1000, "%llu", all.throttled);
	CHECK(all.nested > 100, "%llu", all.nested);
	CHECK(all.limbo > 1000, "%llu", all.limbo);
}
