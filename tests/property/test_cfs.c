/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold in every queue of release 6.1 at every event of any workload.
 *
 *	tree      ordered by vruntime, each node knows the least one below it;
 *	load      is the sum of the weights of the entities that are there, count their number;
 *	min       min_vruntime never goes back, and nobody in the tree but a sleeper that was
 *		  credited, at most a latency, is before it;
 *	buddies   are on the queue.
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

/* Of one queue: what a walk over the entities finds. */
struct found {
	const struct sim_queue *queue;
	u64 load;
	u32 nr;
};

static void add(struct found *found, const struct sim_entity *se)
{
	CHECK(se->on_rq && se->queue == found->queue, SEED(found->queue));
	found->load += se->load;
	found->nr++;
}

static void walk(struct found *found, const struct sim_entity *se)
{
	const struct sim_entity *below[] = { se ? se->left : NULL, se ? se->right : NULL };
	u64 min_vns;

	if (!se)
		return;
	min_vns = se->p.vruntime_vns;
	for (u32 i = 0; i < 2; i++) {
		s64 later_vns;

		if (!below[i])
			continue;
		later_vns = (s64)(below[i]->p.vruntime_vns - se->p.vruntime_vns);
		CHECK(i ? later_vns >= 0 : later_vns <= 0, SEED(se->queue));
		if ((s64)(below[i]->min_vruntime_vns - min_vns) < 0)
			min_vns = below[i]->min_vruntime_vns;
		walk(found, below[i]);
	}
	CHECK_EQ(min_vns, se->min_vruntime_vns, SEED(se->queue));
	add(found, se);
}

static void check_buddy(const struct sim_queue *queue, const struct sim_entity *se)
{
	CHECK(!se || (se->on_rq && se->queue == queue), SEED(queue));
}

/* @last_vns: min_vruntime when it was looked at before. */
static void check_queue(const struct sim_queue *queue, u64 *last_vns)
{
	struct found found = { .queue = queue };

	walk(&found, queue->root);
	if (queue->curr && queue->curr->on_rq)
		add(&found, queue->curr);
	CHECK_EQ(found.nr, queue->nr_queued, SEED(queue));
	CHECK_EQ(found.load, queue->load, SEED(queue));
	CHECK(!*last_vns || (s64)(queue->min_vruntime_vns - *last_vns) >= 0, SEED(queue));
	*last_vns = queue->min_vruntime_vns;
	if (queue->root)
		CHECK((s64)(queue->root->min_vruntime_vns + queue->cpu->sim->cfs.latency_ns -
			    queue->min_vruntime_vns) >= 0,
		      SEED(queue));
	check_buddy(queue, queue->next_buddy);
	check_buddy(queue, queue->last_buddy);
	check_buddy(queue, queue->skip_buddy);
}

struct watch {
	u64 checks, last_vns[64];
};

static void check_all(void *self, const struct sim *sim, const struct event *event)
{
	struct watch *watch = self;
	size_t nr_groups = sim->setup->workload->cgroups.nr * sim->nr_cpus;

	(void)event;
	watch->checks++;
	CHECK(sim->nr_cpus + nr_groups <= ARRAY_SIZE(watch->last_vns));
	for (u32 i = 0; i < sim->nr_cpus; i++)
		check_queue(&sim->cpus[i].root, &watch->last_vns[i]);
	for (size_t i = 0; i < nr_groups; i++)
		check_queue(&sim->group_queues[i], &watch->last_vns[sim->nr_cpus + i]);
}

TEST(order_load_and_min_vruntime_hold_at_every_event)
{
	u64 alone = number("FAIRGROUND_SEED", 0), nr = number("FAIRGROUND_WORKLOADS", 200);
	u64 checks = 0;

	for (u64 seed = alone ? alone : 1; seed <= (alone ? alone : nr); seed++) {
		struct gen gen = { .seed = seed,
				   .max_cpus = 4,
				   .max_tasks = 8,
				   .nice = 20,
				   .costs = seed & 1,
				   .release = "6.1" };
		struct watch watch = { 0 };
		struct lab lab;

		gen_lab(&gen, &lab);
		lab.setup.duration_ns = 60 * MS;
		lab.setup.probe = check_all;
		lab.setup.probe_self = &watch;
		CHECK_EQ(OK, lab_run(&lab), "seed %llu", seed);
		checks += watch.checks;
		lab_fini(&lab);
	}
	CHECK(alone || checks > 10000);
}
