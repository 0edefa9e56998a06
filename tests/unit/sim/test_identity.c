/* SPDX-License-Identifier: GPL-2.0-only */
#include "lab.h"
#include "policy/identity.h"

/* Release 6.1 with group identity, HZ 250. */
static void begin(struct lab *lab, u32 nr_cpus)
{
	lab_init(lab, nr_cpus, 250);
	lab_release(lab, "6.1");
	lab_feature(lab, POLICY_GROUP_IDENTITY, true);
}

static s64 group(struct lab *lab, s64 parent, u32 identity)
{
	s64 index = lab_group(lab, parent, 100);

	lab->workload->cgroups.at[index].identity = identity;
	return index;
}

static struct workload_task *add(struct lab *lab, const char *name, u64 delay_ns, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->delay_ns = delay_ns;
	lab_runs(task, run_ns);
	return task;
}

static void run(struct lab *lab)
{
	CHECK_EQ(OK, lab_run(lab), "%s", lab->err.what);
}

/*
 * A task bound to CPU 0 and @nr highclass ones begin there; the other CPU is idle from 5 on,
 * and all may use it from then.  How many moves there are in 200 ms.
 */
static u32 moves_of_highclass(u32 nr, bool identity, bool stay)
{
	struct lab lab;
	s64 high;
	u32 moves = 0;

	begin(&lab, 2);
	lab_feature(&lab, POLICY_GROUP_IDENTITY, identity);
	lab_feature(&lab, POLICY_ID_LAST_HIGHCLASS_STAY, stay);
	high = group(&lab, WORKLOAD_CGROUP_ROOT, POLICY_HIGHCLASS);
	add(&lab, "bound", 0, 400 * MS)->attr.cpus = lab_cpus(&lab, 1);
	add(&lab, "other", 0, 5 * MS)->attr.cpus = lab_cpus(&lab, 2);
	for (u32 i = 0; i < nr; i++) {
		struct workload_task *task = add(&lab, i ? "h1" : "h0", 0, 1 * MS);

		task->attr.cgroup = high;
		task->attr.cpus = lab_cpus(&lab, 1);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 3);
		lab_runs(task, 400 * MS);
	}
	lab.setup.duration_ns = 200 * MS;
	run(&lab);
	for (u32 i = 0; i < nr; i++)
		moves += lab_count(&lab, EVENT_MIGRATE, FIRST + 2 + (s32)i);
	lab_fini(&lab);
	return moves;
}

/* Seed of the rule: a CPU that idles does not get the only highclass task of another. */
TEST(the_last_highclass_task_stays)
{
	CHECK(moves_of_highclass(1, false, true));
	CHECK_EQ(0, moves_of_highclass(1, true, true));
	CHECK(moves_of_highclass(1, true, false));
	CHECK_EQ(1, moves_of_highclass(2, true, true), "one of two goes, the last stays");
}

/*
 * u, underclass, runs on CPU 0 until a bound task preempts it at 8; CPU 1 gets idle at 8.2, when
 * u ran 0.2 ms ago: too lately to be taken, unless such tasks never are.
 */
TEST(underclass_may_be_never_hot)
{
	for (u32 on = 0; on < 2; on++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 2);
		lab_feature(&lab, POLICY_ID_EXPELLEE_NEVER_HOT, on);
		lab_feature(&lab, POLICY_NI_RANDOM, false);
		add(&lab, "bound", 8 * MS, 20 * MS)->attr.cpus = lab_cpus(&lab, 1);
		task = add(&lab, "u", 0, 1 * MS);
		task->attr.cgroup = group(&lab, WORKLOAD_CGROUP_ROOT, POLICY_UNDERCLASS);
		task->attr.cpus = lab_cpus(&lab, 1);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 3);
		lab_runs(task, 40 * MS);
		add(&lab, "other", 0, 8200 * US)->attr.cpus = lab_cpus(&lab, 2);
		run(&lab);
		CHECK_EQ(8 * MS, lab_on_cpu(&lab, FIRST, 1));
		if (on)
			CHECK_EQ(8200 * US, lab_when(&lab, EVENT_MIGRATE, FIRST + 1, 0));
		else
			CHECK(lab_when(&lab, EVENT_MIGRATE, FIRST + 1, 0) > 8200 * US);
		lab_fini(&lab);
	}
}

/*
 * A task in one group runs from 0.1 ms on; one in another wakes at @wakes_ns.  Both groups begin
 * at vruntime 0; the granularity is 1 ms, a slice 3 ms, and the tick comes at 4.  When it runs.
 */
static u64 runs_at(u32 running, u32 waking, u64 wakes_ns, bool identity)
{
	struct lab lab;
	u64 at_ns;

	begin(&lab, 1);
	lab_feature(&lab, POLICY_GROUP_IDENTITY, identity);
	add(&lab, "wakes", wakes_ns, 1 * MS)->attr.cgroup =
		group(&lab, WORKLOAD_CGROUP_ROOT, waking);
	add(&lab, "hog", 100 * US, 30 * MS)->attr.cgroup =
		group(&lab, WORKLOAD_CGROUP_ROOT, running);
	run(&lab);
	at_ns = lab_on_cpu(&lab, FIRST, 1);
	lab_fini(&lab);
	return at_ns;
}

TEST(identity_decides_who_preempts)
{
	static const struct {
		const char *what;
		u32 running, waking;
		u64 wakes_ns, plain_ns, identity_ns;
	} rows[] = {
		{ "underclass gives way at once", POLICY_UNDERCLASS, 0, 800 * US, 4 * MS,
		  800 * US },
		{ "underclass waits for the slice", 0, POLICY_UNDERCLASS, 3 * MS, 3 * MS, 4 * MS },
		{ "so does another beside highclass", POLICY_HIGHCLASS, 0, 3 * MS, 3 * MS, 4 * MS },
		{ "highclass needs no granularity", 0, POLICY_HIGHCLASS, 800 * US, 4 * MS,
		  800 * US },
		{ "of one class it does", POLICY_HIGHCLASS, POLICY_HIGHCLASS, 800 * US, 4 * MS,
		  4 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(rows[i].plain_ns,
			 runs_at(rows[i].running, rows[i].waking, rows[i].wakes_ns, false), "%s",
			 rows[i].what);
		CHECK_EQ(rows[i].identity_ns,
			 runs_at(rows[i].running, rows[i].waking, rows[i].wakes_ns, true), "%s",
			 rows[i].what);
	}
}

/*
 * Two hogs, one underclass, for 100 ms: which tree is first goes by their min_vruntimes, so both
 * get their half.  A third that is underclass sleeps for 60 ms, and gains at most half a latency.
 */
TEST(an_empty_tree_gains_nothing)
{
	struct lab lab;

	begin(&lab, 1);
	add(&lab, "normal", 0, 200 * MS)->attr.cgroup = group(&lab, WORKLOAD_CGROUP_ROOT, 0);
	add(&lab, "under", 60 * MS, 200 * MS)->attr.cgroup =
		group(&lab, WORKLOAD_CGROUP_ROOT, POLICY_UNDERCLASS);
	lab.setup.duration_ns = 100 * MS;
	run(&lab);
	CHECK(lab_ran_ns(&lab, FIRST + 1) <= 24 * MS, "%llu", lab_ran_ns(&lab, FIRST + 1));
	CHECK(lab_ran_ns(&lab, FIRST + 1) >= 16 * MS, "%llu", lab_ran_ns(&lab, FIRST + 1));
	lab_fini(&lab);
}

/*
 * CPU 0 has a normal task, CPU 1 an underclass one; h, which ran on CPU 0 before, wakes at 5: it
 * is idle for highclass alone.
 */
TEST(underclass_only_is_idle_for_highclass)
{
	static const u32 identities[] = { 0, POLICY_HIGHCLASS };

	for (size_t i = 0; i < ARRAY_SIZE(identities); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 2);
		task = add(&lab, "h", 0, 1 * MS);
		task->attr.cgroup = group(&lab, WORKLOAD_CGROUP_ROOT, identities[i]);
		task->attr.cpus = lab_cpus(&lab, 1);
		lab_sleeps(task, 4 * MS);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 3);
		lab_sleeps(task, 1 * MS);
		lab_runs(task, 1 * MS);
		add(&lab, "normal", 2 * MS, 40 * MS)->attr.cpus = lab_cpus(&lab, 1);
		task = add(&lab, "under", 2 * MS, 40 * MS);
		task->attr.cgroup = group(&lab, WORKLOAD_CGROUP_ROOT, POLICY_UNDERCLASS);
		task->attr.cpus = lab_cpus(&lab, 2);
		run(&lab);
		CHECK_EQ(identities[i] != 0, lab_count(&lab, EVENT_MIGRATE, FIRST), "%u",
			 identities[i]);
		lab_fini(&lab);
	}
}
