/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random trees of groups, all full of hogs: each task has its part of its group's part.
 *
 * FAIRGROUND_WORKLOADS says how many: a twentieth of it.
 */
#include "base/rng.h"
#include "lab.h"
#include "policy/weight.h"

#define RUN_NS  (40 * S)
#define WANT_IN 1000000ULL /* shares are in millionths */

struct tree {
	u64 weight[16], sum[16]; /* of each group, and of what is in it; [0]: the root */
	s64 parent[16];
	u32 nr_groups, task_group[16], nr_tasks;
};

static u32 draw(u64 seed, u32 site, u32 most)
{
	return (u32)rng_below(rng_draw(seed, 0, site, 0), most);
}

/* Groups of weight 50 to 400, each with a task at least, and some in a group of the root. */
static void plant(struct lab *lab, struct tree *tree, u64 seed)
{
	tree->nr_groups = 2 + draw(seed, 1, 3);
	tree->nr_tasks = tree->nr_groups + draw(seed, 2, 4);
	for (u32 i = 0; i < tree->nr_groups; i++) {
		u32 weight = 50 + draw(seed, 10 + i, 351);
		u32 parent = draw(seed, 30 + i, i + 1);

		lab_group(lab, (s64)parent - 1, weight);
		tree->parent[i + 1] = parent;
		tree->weight[i + 1] = policy_shares_of_cpu_weight(weight);
		tree->sum[parent] += tree->weight[i + 1];
	}
	for (u32 i = 0; i < tree->nr_tasks; i++) {
		u32 group = i < tree->nr_groups ? i + 1 : draw(seed, 50 + i, tree->nr_groups + 1);
		struct workload_task *task = lab_task(lab, "hog", 1, 1);

		task->attr.cgroup = (s64)group - 1;
		if (!group)
			task->attr.cgroup = -1;
		lab_runs(task, 1000 * S);
		tree->task_group[i] = group;
		tree->sum[group] += 1024;
	}
}

static u64 share_of(const struct tree *tree, u32 task)
{
	u64 share = WANT_IN * 1024 / tree->sum[tree->task_group[task]];

	for (u32 group = tree->task_group[task]; group; group = (u32)tree->parent[group])
		share = share * tree->weight[group] / tree->sum[tree->parent[group]];
	return share;
}

static void check_tree(const char *release, u64 seed)
{
	struct tree tree = { .nr_groups = 0 };
	struct lab lab;

	lab_init(&lab, 1, 1000);
	lab_release(&lab, release);
	lab.setup.duration_ns = RUN_NS;
	plant(&lab, &tree, seed);
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < tree.nr_tasks; i++) {
		u64 want_ns = RUN_NS / WANT_IN * share_of(&tree, i);
		u64 ran_ns = lab_ran_ns(&lab, FIRST + (s32)i);
		u64 apart_ns = ran_ns > want_ns ? ran_ns - want_ns : want_ns - ran_ns;

		CHECK(apart_ns <= want_ns / 100 + 4 * MS, "%s, tree %llu, task %u: %llu of %llu",
		      release, seed, i, ran_ns, want_ns);
	}
	lab_fini(&lab);
}

TEST(group_ratios_hold_within_a_percent)
{
	static const char *const releases[] = { "6.1", "6.6", "6.12", "6.18", "7.3" };
	const char *text = getenv("FAIRGROUND_WORKLOADS");
	u64 nr = (text && *text ? strtoull(text, NULL, 0) : 200) / 20;

	for (u64 seed = 1; seed <= nr; seed++)
		for (size_t i = 0; i < ARRAY_SIZE(releases); i++)
			check_tree(releases[i], seed);
}
