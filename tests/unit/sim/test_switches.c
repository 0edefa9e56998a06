/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every feature that is simulated changes something: for each release that knows it, one of the
 * workloads here gives another stream when it is switched, or a test that is named does.
 *
 * A new feature that shows in none of them fails: add a workload, or say below why it cannot
 * show.  What it changes is for its own test to say (test_features.c and others).
 */
#include "lab.h"

#define BIT(id) (1ULL << POLICY_##id)

static struct workload_task *add(struct lab *lab, const char *name, u64 delay_ns, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->delay_ns = delay_ns;
	lab_runs(task, run_ns);
	return task;
}

/* Sleepers, a long slice, a batch task, forks, a yield and a change of attributes, on one CPU. */
static void make_mix(struct lab *lab)
{
	struct workload_task *task;

	add(lab, "long", 0, 60 * MS)->attr.slice_ns = 10 * MS;
	add(lab, "hog", 0, 60 * MS)->attr.nice = 1;
	task = add(lab, "sleeper", 0, 1200 * US);
	task->loop = 12;
	lab_sleeps(task, 3300 * US);
	task = add(lab, "batch", 1 * MS, 2 * MS);
	task->loop = 8;
	task->attr.policy = EVENT_POLICY_BATCH;
	lab_sleeps(task, 1700 * US);
	task = add(lab, "parent", 500 * US, 4200 * US);
	lab_event(task, WORKLOAD_OP_FORK, 0)->target = (u32)lab->workload->tasks.nr;
	lab_event(task, WORKLOAD_OP_YIELD, 0);
	lab_phase(task, 1)->slice_ns = 5 * MS;
	lab_runs(task, 9 * MS);
	add(lab, "child", 0, 5 * MS)->instances = 0;
}

/* By turns in no group, in one, and in one within that. */
static void into_groups(struct lab *lab)
{
	s64 outer = lab_group(lab, WORKLOAD_CGROUP_ROOT, 100), inner = lab_group(lab, outer, 30);

	for (size_t i = 0; i < lab->workload->tasks.nr; i++)
		if (i % 3)
			lab->workload->tasks.at[i].attr.cgroup = i % 3 == 1 ? outer : inner;
}

static void make_groups(struct lab *lab)
{
	make_mix(lab);
	into_groups(lab);
}

/* Ten more of one kind: CFS's periods and buddies. */
static void make_crowd(struct lab *lab)
{
	make_mix(lab);
	lab_task(lab, "crowd", 10, 4);
	lab_runs(&lab->workload->tasks.at[lab->workload->tasks.nr - 1], 2 * MS);
	lab_sleeps(&lab->workload->tasks.at[lab->workload->tasks.nr - 1], 2 * MS);
}

static void make_crowded_groups(struct lab *lab)
{
	make_crowd(lab);
	into_groups(lab);
}

/* One debtor asleep, then behind others' backs in credit again: test_features.c, delay_zero. */
static void make_credit(struct lab *lab)
{
	struct workload_task *task;

	add(lab, "c", 7 * MS, 1 * MS)->attr.policy = EVENT_POLICY_BATCH;
	task = add(lab, "a", 0, 2 * MS);
	lab_sleeps(task, 6 * MS);
	lab_runs(task, 1 * MS);
	add(lab, "b", 0, 40 * MS)->attr.slice_ns = 20 * MS;
}

/* Who wakes asks for less at a time, but, being light, for later. */
static void make_light(struct lab *lab)
{
	add(lab, "b", 3 * MS, 1 * MS)->attr.nice = 5;
	add(lab, "a", 0, 20 * MS)->attr.slice_ns = 10 * MS;
}

/* Hand over and back between two CPUs. */
static void make_pair(struct lab *lab)
{
	struct workload_task *task;
	u32 there = lab_object(lab, WORKLOAD_OBJECT_SEM, 0, false);
	u32 back = lab_object(lab, WORKLOAD_OBJECT_SEM, 0, false);

	task = lab_task(lab, "ping", 1, 20);
	lab_runs(task, 300 * US);
	lab_on(task, WORKLOAD_OP_SEM_POST, there);
	lab_runs(task, 200 * US);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, back);
	task = lab_task(lab, "pong", 1, 20);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, there);
	lab_runs(task, 400 * US);
	lab_on(task, WORKLOAD_OP_SEM_POST, back);
}

/*
 * Work comes and goes on four CPUs, of light threads and of threads that start on one of them:
 * balancing, by the tick and before a CPU idles.
 */
static void make_uneven(struct lab *lab)
{
	struct workload_task *task;

	task = lab_task(lab, "light", 16, 150);
	task->attr.nice = 19;
	lab_runs(task, 700 * US);
	lab_sleeps(task, 900 * US);
	task = lab_task(lab, "busy", 7, 40);
	task->attr.nice = -5;
	lab_runs(task, 11 * MS);
	lab_sleeps(task, 2 * MS);
	task = lab_task(lab, "mixed", 6, 200);
	lab_runs(task, 1300 * US);
	lab_sleeps(task, 400 * US);
	task = lab_task(lab, "bound", 3, 60);
	task->attr.cpus = lab_cpus(lab, 1 << 0);
	lab_runs(task, 1700 * US);
	lab_sleeps(task, 1100 * US);
	lab_phase(task, 1)->cpus = lab_cpus(lab, 15);
	lab_runs(task, 9 * MS);
}

static const struct {
	const char *name;
	void (*make)(struct lab *lab);
	u32 nr_cpus, hz;
	u64 on, off; /* beside what the release has; those that it does not know are left out */
} workloads[] = {
	{ "mix", make_mix, 1, 250, 0, 0 },
	{ "mix, HZ 1000", make_mix, 1, 1000, 0, 0 },
	{ "mix, custom slices", make_mix, 1, 250, BIT(CUSTOM_SLICE), 0 },
	{ "mix, buddies", make_mix, 1, 250, BIT(NEXT_BUDDY), 0 },
	{ "mix, slice timer", make_mix, 1, 1000, BIT(HRTICK), 0 },
	{ "groups", make_groups, 2, 250, 0, 0 },
	{ "groups, slice timer", make_groups, 2, 1000, BIT(HRTICK), 0 },
	{ "crowd", make_crowd, 1, 1000, 0, 0 },
	{ "crowd in groups", make_crowded_groups, 1, 1000, 0, 0 },
	{ "credit", make_credit, 1, 100, 0, BIT(PREEMPT_SHORT) },
	{ "light", make_light, 1, 1000, 0, 0 },
	{ "pair", make_pair, 2, 250, 0, 0 },
	{ "uneven", make_uneven, 4, 250, 0, 0 },
	{ "uneven, buddies", make_uneven, 4, 1000, BIT(NEXT_BUDDY), 0 },
};

/* What no workload can show, and why. */
static const struct {
	enum policy_feature feature;
	u32 queues; /* bits of enum policy_queue */
	const char *why;
} silent[] = {
	{ POLICY_NI_RATE, 1u << POLICY_QUEUE_EEVDF_FLAT,
	  "it counts after hundreds of attempts of one CPU, and then moves the odds by a few per "
	  "mille for each second: test_balance_time.c has the rule" },
	{ POLICY_DOUBLE_TICK, 1u << POLICY_QUEUE_EEVDF_NESTED,
	  "nothing comes after it in entity_tick() of 6.6 and 6.12" },
};

/* What needs more than these workloads have, and the test that has it. */
static const struct {
	enum policy_feature feature;
	const char *where;
} elsewhere[] = {
	{ POLICY_HRTICK_DL, "sim/test_deadline.c" },
	{ POLICY_RT_PUSH_IPI, "sim/test_push.c" },
	{ POLICY_RT_RUNTIME_SHARE, "sim/test_rt_throttle.c" },
	{ POLICY_IRQ_TIME_ACCOUNTING, "sim/test_irq.c" },
	{ POLICY_ATTACH_AGE_LOAD, "sim/test_track.c" },
	{ POLICY_UTIL_EST_FASTUP, "sim/test_track.c" },
	{ POLICY_WA_IDLE, "sim/test_select.c" },
	{ POLICY_WA_WEIGHT, "sim/test_select.c" },
	{ POLICY_WA_BIAS, "sim/test_select.c" },
	{ POLICY_SIS_PROP, "sim/test_select.c" },
	{ POLICY_GROUP_CONSTRUCTION, "tests/wasted.py" },
	{ POLICY_MISSING_DOMAINS, "tests/wasted.py" },
	{ POLICY_SCHED_CACHE, "sim/test_cache.c" },
	{ POLICY_PELT_CONTRIB, "sim/test_freq.c" },
	{ POLICY_MISFIT_KICK, "experiment/test_scenarios.c" },
	{ POLICY_GROUP_IDENTITY, "sim/test_identity.c" },
	{ POLICY_ID_LAST_HIGHCLASS_STAY, "sim/test_identity.c" },
	{ POLICY_ID_EXPELLEE_NEVER_HOT, "sim/test_identity.c" },
};

static bool is_elsewhere(u32 feature)
{
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (elsewhere[i].feature == feature)
			return true;
	return false;
}

static void switch_to(struct lab *lab, u64 features, bool on)
{
	for (u32 i = 0; i < POLICY_NR_FEATURES; i++)
		if (features >> i & 1 && policy_knows(lab->setup.release, i))
			lab_feature(lab, i, on);
}

static u64 hash_of(size_t workload, const struct policy_release *release, u32 feature, bool toggle)
{
	struct lab lab;
	u64 hash;

	lab_init(&lab, workloads[workload].nr_cpus, workloads[workload].hz);
	lab_release(&lab, release->name);
	switch_to(&lab, workloads[workload].on, true);
	switch_to(&lab, workloads[workload].off, false);
	if (toggle)
		lab_feature(&lab, feature, !policy_feature(&lab.setup.features, feature));
	workloads[workload].make(&lab);
	CHECK_EQ(OK, lab_run(&lab), "%s on %s: %s", workloads[workload].name, release->name,
		 lab.err.what);
	hash = lab.hash.hash;
	lab_fini(&lab);
	return hash;
}

static bool is_silent(const struct policy_release *release, u32 feature)
{
	for (size_t i = 0; i < ARRAY_SIZE(silent); i++)
		if (silent[i].feature == feature && silent[i].queues >> release->queue & 1)
			return true;
	return false;
}

TEST(every_simulated_feature_changes_a_stream)
{
	static const char *const names[] = {
#define POLICY_FEATURE(id, what) #id,
#include "policy/features.def"
	};

	for (u32 i = 0; i < policy_nr_releases; i++) {
		const struct policy_release *release = &policy_releases[i];
		u64 before[ARRAY_SIZE(workloads)];

		for (size_t k = 0; k < ARRAY_SIZE(workloads); k++)
			before[k] = hash_of(k, release, 0, false);
		for (u32 feature = 0; feature < POLICY_NR_FEATURES; feature++) {
			size_t shows = 0;

			if (!policy_feature(&policy_simulated, feature) ||
			    !policy_knows(release, feature) || is_elsewhere(feature))
				continue;
			while (shows < ARRAY_SIZE(workloads) &&
			       before[shows] == hash_of(shows, release, feature, true))
				shows++;
			CHECK((shows < ARRAY_SIZE(workloads)) != is_silent(release, feature),
			      "%s of %s shows in %s", names[feature], release->name,
			      shows < ARRAY_SIZE(workloads) ? workloads[shows].name : "nothing");
			if (shows < ARRAY_SIZE(workloads) && getenv("LAB_SHOW_SWITCHES"))
				printf("# %s %s: %s\n", release->name, names[feature],
				       workloads[shows].name);
		}
	}
}
