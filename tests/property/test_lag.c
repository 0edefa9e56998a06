/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold in every queue at every event of any workload.
 *
 *	sums      the running sums are those of the entities that are there, so the weighted
 *		  lags add up to zero but for the rounding of V;
 *	eligible  someone is, and the comparison of products agrees with one in 128 bits;
 *	tree      ordered by deadline, each node knows the least vruntime and slice below it;
 *	counts    of entities and tasks are those that are there;
 *	limit     who left has a lag within two slices or a tick, in 7.3 the longest slice and
 *		  a tick;
 *	loads     in 7.3, those of a group's queue are those of the entities that are there.
 *
 * FAIRGROUND_SEED runs one seed alone; FAIRGROUND_WORKLOADS says how many.
 */
#include "gen.h"
#include "sim/internal.h"

#define SEED(queue) "seed %llu", (queue)->cpu->sim->setup->seed

static u64 number(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static bool is_flat(const struct sim *sim)
{
	return sim->setup->release->queue == POLICY_QUEUE_EEVDF_FLAT;
}

/* Where an entity competes. */
static const struct sim_queue *arena(const struct sim_entity *se)
{
	return is_flat(se->queue->cpu->sim) ? &se->queue->cpu->root : se->queue;
}

/* Of one queue: what a walk over the entities finds. */
struct found {
	const struct sim_queue *queue;
	__int128 key_sum;
	u64 weight_sum;
	u32 nr;
};

static void check_node(const struct sim_entity *se)
{
	u64 min_vns = se->p.vruntime_vns, min_slice_ns = se->p.slice_ns;
	const struct sim_entity *below[] = { se->left, se->right };

	for (u32 i = 0; i < 2; i++) {
		if (!below[i])
			continue;
		CHECK(i ? (s64)(below[i]->p.deadline_vns - se->p.deadline_vns) >= 0
			: (s64)(below[i]->p.deadline_vns - se->p.deadline_vns) <= 0,
		      SEED(se->queue));
		if ((s64)(below[i]->min_vruntime_vns - min_vns) < 0)
			min_vns = below[i]->min_vruntime_vns;
		if (below[i]->min_slice_ns < min_slice_ns)
			min_slice_ns = below[i]->min_slice_ns;
	}
	CHECK_EQ(min_vns, se->min_vruntime_vns, SEED(se->queue));
	CHECK_EQ(min_slice_ns, se->min_slice_ns, SEED(se->queue));
}

static void add(struct found *found, const struct sim_entity *se)
{
	s64 key_vns = (s64)(se->p.vruntime_vns - found->queue->avg.zero_vns);

	found->key_sum += (__int128)key_vns * se->p.weight.weight;
	found->weight_sum += se->p.weight.weight;
	found->nr++;
}

static void walk(struct found *found, const struct sim_entity *se)
{
	if (!se)
		return;
	CHECK(se->on_rq && arena(se) == found->queue && se != found->queue->curr,
	      SEED(found->queue));
	check_node(se);
	walk(found, se->left);
	walk(found, se->right);
	add(found, se);
}

static bool eligible(const struct found *all, const struct policy_avg *avg,
		     const struct sim_entity *se)
{
	s64 key_vns = (s64)(se->p.vruntime_vns - avg->zero_vns);
	bool is = all->key_sum >= (__int128)key_vns * all->weight_sum;

	if (all->nr > 1) /* alone it is never asked, and the product may not fit */
		CHECK_EQ(is, policy_vruntime_eligible(avg, se->p.vruntime_vns), SEED(se->queue));
	return is;
}

static bool any_eligible(const struct found *all, const struct policy_avg *avg,
			 const struct sim_entity *se)
{
	if (!se)
		return false;
	return (u32)eligible(all, avg, se) | any_eligible(all, avg, se->left) |
	       any_eligible(all, avg, se->right);
}

static void check_queue(const struct sim_queue *queue)
{
	const struct sim_entity *curr = queue->curr && queue->curr->on_rq ? queue->curr : NULL;
	struct found found = { .queue = queue };
	struct policy_avg avg = queue->avg;
	bool any;

	walk(&found, queue->root);
	CHECK(found.key_sum == queue->avg.key_sum, SEED(queue));
	CHECK_EQ(found.weight_sum, queue->avg.weight_sum, SEED(queue));
	if (curr) {
		add(&found, curr);
		policy_avg_add(&avg, &curr->p);
	}
	CHECK_EQ(found.nr, is_flat(queue->cpu->sim) ? queue->h_nr_queued : queue->nr_queued,
		 SEED(queue));
	if (!found.nr)
		return;
	any = curr && eligible(&found, &avg, curr);
	any |= any_eligible(&found, &avg, queue->root);
	CHECK(any, SEED(queue));
	if (queue->next_buddy)
		CHECK(queue->next_buddy->on_rq && !queue->next_buddy->delayed, SEED(queue));
}

/* No slice of gen.h's is longer. */
#define LONGEST_NS 20100000

static s64 lag_limit(const struct sim *sim, const struct policy_entity *p)
{
	u64 most_ns = 2 * p->slice_ns > sim->tick_ns ? 2 * p->slice_ns : sim->tick_ns;

	if (is_flat(sim))
		return (s64)policy_flat_delta_fair(LONGEST_NS + sim->tick_ns, p->weight.weight);
	return (s64)policy_calc_delta_fair(most_ns, &p->weight);
}

static void check_lag(const struct sim *sim, const struct sim_task *task)
{
	const struct policy_entity *p = &task->se.p;
	s64 limit_vns;

	if (!p->weight.weight) /* not queued yet */
		return;
	limit_vns = lag_limit(sim, p);
	limit_vns += limit_vns / 1000 + 1000; /* what a change of weight rounds */
	CHECK(p->vlag_vns <= limit_vns && p->vlag_vns >= -limit_vns,
	      "seed %llu: lag %lld, limit %lld", sim->setup->seed, p->vlag_vns, limit_vns);
}

/* Tasks in and below @queue that are queued, or that also are not delayed. */
static u32 tasks_below(const struct sim *sim, const struct sim_queue *queue, bool delayed_too)
{
	u32 nr = 0;

	for (size_t i = 0; i < sim->tasks.nr; i++) {
		const struct sim_entity *se = &sim->tasks.at[i]->se;

		if (!se->on_rq || (se->delayed && !delayed_too))
			continue;
		for (; se; se = se->parent)
			nr += se->queue == queue;
	}
	return nr;
}

struct watch {
	u64 checks, delayed, preempted;
};

static void check_task(const struct sim *sim, const struct sim_task *task, struct watch *watch)
{
	if (task->se.delayed) {
		CHECK(task->se.on_rq || !task->on_rq, SEED(task)); /* neither: it is being moved */
		/* 7.3 accounts for who runs before it takes up one that wakes */
		CHECK(task->state == SIM_BLOCKED || is_flat(sim), SEED(task));
		watch->delayed++;
	}
	if (task->state == SIM_BLOCKED && !task->on_rq && task->cpu->curr != task)
		check_lag(sim, task);
}

/* What the entities of a flat queue weigh. */
static void check_load(const struct sim *sim, const struct sim_queue *queue)
{
	size_t nr_groups = sim->setup->workload->cgroups.nr * sim->nr_cpus;
	u64 load = 0;

	for (size_t i = 0; i < sim->tasks.nr; i++)
		if (sim->tasks.at[i]->se.on_rq && sim->tasks.at[i]->se.queue == queue)
			load += sim->tasks.at[i]->se.load;
	for (size_t i = 0; i < nr_groups; i++)
		if (sim->group_entities[i].on_rq && sim->group_entities[i].queue == queue)
			load += sim->group_entities[i].load;
	CHECK_EQ(load, queue->load, SEED(queue));
}

static void check_counts(const struct sim *sim, const struct sim_queue *queue)
{
	if (is_flat(sim))
		check_load(sim, queue);
	CHECK_EQ(tasks_below(sim, queue, true), queue->h_nr_queued, SEED(queue));
	CHECK_EQ(tasks_below(sim, queue, false), queue->h_nr_runnable, SEED(queue));
}

static void check_all(void *self, const struct sim *sim, const struct event *event)
{
	struct watch *watch = self;
	size_t nr_groups = sim->setup->workload->cgroups.nr * sim->nr_cpus;

	watch->checks++;
	for (u32 i = 0; i < sim->nr_cpus; i++)
		check_queue(&sim->cpus[i].root);
	for (size_t i = 0; i < nr_groups && !is_flat(sim); i++)
		check_queue(&sim->group_queues[i]);
	for (size_t i = 0; i < sim->tasks.nr; i++)
		check_task(sim, sim->tasks.at[i], watch);
	if (event->kind != EVENT_SWITCH)
		return;
	watch->preempted += event->switch_.prev_state == 0 && event->task.tid;
	for (u32 i = 0; i < sim->nr_cpus; i++)
		check_counts(sim, &sim->cpus[i].root);
	for (size_t i = 0; i < nr_groups; i++)
		check_counts(sim, &sim->group_queues[i]);
}

static void run_one(u64 seed, const char *release, struct watch *watch)
{
	struct gen gen = { .seed = seed,
			   .max_cpus = 4,
			   .max_tasks = 8,
			   .nice = 20,
			   .costs = seed & 1,
			   .release = release };
	struct lab lab;
	char text[1024];

	gen_lab(&gen, &lab);
	lab.setup.duration_ns = 60 * MS;
	lab.setup.probe = check_all;
	lab.setup.probe_self = watch;
	if (lab_run(&lab) != OK) {
		err_print(&lab.err, text, sizeof(text));
		CHECK(false, "seed %llu: %s", seed, text);
	}
	lab_fini(&lab);
}

static void run_all(const char *release)
{
	u64 alone = number("FAIRGROUND_SEED", 0), nr = number("FAIRGROUND_WORKLOADS", 200);
	struct watch watch = { 0 };

	for (u64 seed = alone ? alone : 1; seed <= (alone ? alone : nr); seed++)
		run_one(seed, release, &watch);
	printf("# %llu events, %llu delayed, %llu preempted\n", watch.checks, watch.delayed,
	       watch.preempted);
	if (alone)
		return;
	/* it has looked at what it was to look at */
	CHECK(watch.checks > 1000 && watch.preempted > 100);
	CHECK((watch.delayed > 100) ==
	      policy_knows(policy_release_find(release), POLICY_DELAY_DEQUEUE));
}

TEST(sums_eligibility_counts_and_limits_hold_at_every_event)
{
	run_all("6.12");
}

TEST(they_hold_without_delayed_sleepers)
{
	run_all("6.6");
}

TEST(they_hold_where_a_new_weight_places_anew)
{
	run_all("6.18");
}

TEST(they_hold_in_one_queue_for_all_groups)
{
	run_all("7.3");
}
