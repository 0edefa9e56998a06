/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups on several CPUs, and what decided. */
#include "lab.h"

static void group(struct lab *lab, u32 weight)
{
	*vec_add(&lab->workload->cgroups) = (struct workload_cgroup){ .path = mem_strdup("/g"),
								      .parent = -1,
								      .weight = weight };
}

static void hog(struct lab *lab, const char *name, u32 cpus, s64 cgroup)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.cpus = lab_cpus(lab, cpus);
	task->attr.cgroup = cgroup;
	lab_runs(task, 100 * S);
}

/*
 * Two hogs of one group, bound to CPU 0 and 1, and one of the root on CPU 0.  The group's
 * 1024 shares are split by load, 512 a CPU, so the root hog has 1024 / (1024 + 512) = 2/3 of
 * CPU 0 and the group's 1/3.
 */
TEST(a_group_that_runs_on_two_cpus_weighs_half_on_each)
{
	struct lab lab;

	lab_init(&lab, 2, 1000);
	lab.setup.duration_ns = 30 * S;
	group(&lab, 100);
	hog(&lab, "a", 1 << 0, 0);
	hog(&lab, "b", 1 << 1, 0);
	hog(&lab, "root", 1 << 0, -1);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK(lab_ran_ns(&lab, FIRST) / (100 * MS) == 100 ||
		      lab_ran_ns(&lab, FIRST) / (100 * MS) == 99,
	      "a ran %llu of 10 s", lab_ran_ns(&lab, FIRST));
	CHECK_EQ(30 * S, lab_ran_ns(&lab, FIRST + 1));
	CHECK_EQ(30 * S, lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 2));
	lab_fini(&lab);
}

/* A group of two cpusets' worth: its task may only use CPU 1, whatever it asks for. */
TEST(a_cpuset_limits_what_an_affinity_may_be)
{
	struct lab lab;

	lab_init(&lab, 2, 250);
	group(&lab, 100);
	lab.workload->cgroups.at[0].cpus = lab_cpus(&lab, 1 << 1);
	hog(&lab, "a", 3, 0);
	lab.setup.duration_ns = 100 * MS;
	CHECK_EQ(OK, lab_run(&lab));
	for (size_t i = 0; i < lab.events.nr; i++)
		if (lab.events.at[i].kind == EVENT_SWITCH)
			CHECK_EQ(1, lab.events.at[i].cpu);
	lab_fini(&lab);
}

static u32 decisions(const struct lab *lab, u16 rule, u16 reason)
{
	u32 nr = 0;

	for (size_t i = 0; i < lab->events.nr; i++)
		nr += lab->events.at[i].kind == EVENT_DECISION &&
		      lab->events.at[i].decision.rule == rule &&
		      lab->events.at[i].decision.reason == reason;
	return nr;
}

/* rules.def: pick 0, place 1; reasons: only 1, earliest 4, nothing to run 6, last CPU idle 8. */
TEST(decisions_say_why_when_asked)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.setup.explain = true;
	task = lab_task(&lab, "a", 1, 2);
	lab_runs(task, 1 * MS);
	lab_event(task, WORKLOAD_OP_SLEEP, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3, decisions(&lab, 0, 1), "it is alone: at 0, 2 and 4 ms");
	CHECK_EQ(3, decisions(&lab, 0, 6), "after each sleep begins and at the end");
	CHECK_EQ(0, decisions(&lab, 0, 4));
	lab_fini(&lab);
}

TEST(nobody_asked_nothing_is_said)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_runs(lab_task(&lab, "a", 2, 1), 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK(!lab_find(&lab, EVENT_DECISION, 0, 0));
	lab_fini(&lab);
}
