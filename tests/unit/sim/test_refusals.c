/* SPDX-License-Identifier: GPL-2.0-only */
/* What cannot be simulated is refused with a reason, and a sink's refusal ends the run. */
#include "lab.h"

TEST(a_loop_without_time_is_refused)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_runs(lab_task(&lab, "spin", 1, WORKLOAD_FOREVER), 0);
	CHECK_EQ(ERR_USAGE, lab_run(&lab));
	lab_fini(&lab);
}

/* Runs one task of 1 ms after @spoil has made something impossible; the reason names @word. */
static void refused(void (*spoil)(struct lab *lab, struct workload_task *task), const char *word)
{
	struct lab lab;
	struct workload_task *task;
	char text[1024];

	lab_init(&lab, 2, 250);
	task = lab_task(&lab, "one", 1, 1);
	lab_runs(task, 1 * MS);
	spoil(&lab, task);
	CHECK_EQ(ERR_USAGE, lab_run(&lab), "%s", word);
	err_print(&lab.err, text, sizeof(text));
	CHECK(strstr(text, word), "%s: %s", word, text);
	CHECK_EQ(0, lab.events.nr);
	lab_fini(&lab);
}

static void deadline(struct lab *lab, struct workload_task *task)
{
	(void)lab;
	task->attr.policy = EVENT_POLICY_DEADLINE;
}

static void deadline_in_a_phase(struct lab *lab, struct workload_task *task)
{
	(void)lab;
	lab_phase(task, 1)->policy = EVENT_POLICY_DEADLINE;
}

static void cpu_2(struct lab *lab, struct workload_task *task)
{
	task->attr.cpus = lab_cpus(lab, 1 << 2);
}

static void cpu_2_in_a_phase(struct lab *lab, struct workload_task *task)
{
	lab_phase(task, 1)->cpus = lab_cpus(lab, 1 << 2);
}

TEST(impossible_setups_are_refused)
{
	refused(deadline, "SCHED_DEADLINE");
	refused(deadline_in_a_phase, "SCHED_DEADLINE");
	refused(cpu_2, "CPU 2");
	refused(cpu_2_in_a_phase, "CPU 2");
}

static enum err_code refuse_third(void *self, const struct event *event)
{
	(void)event;
	return ++*(u32 *)self == 3 ? ERR_STOP : OK;
}

TEST(a_sink_may_stop_the_run)
{
	struct lab lab;
	u32 seen = 0;

	lab_init(&lab, 1, 250);
	lab_runs(lab_task(&lab, "hog", 1, WORKLOAD_FOREVER), 1 * MS);
	lab_sleeps(&lab.workload->tasks.at[0], 1 * MS);
	CHECK_EQ(OK, sim_run(&lab.setup, (struct event_sink){ &seen, NULL, refuse_third, NULL },
			     &lab.err));
	lab_fini(&lab);
}

/* A task that forks itself and never ends: each fork is one thread more. */
TEST(forking_without_end_is_refused)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "bomb", 1, -1);
	lab_event(task, WORKLOAD_OP_RUN, 1 * US);
	lab_event(task, WORKLOAD_OP_FORK, 0)->target = 0;
	CHECK_EQ(ERR_USAGE, lab_run(&lab));
	CHECK(strstr(lab.err.what, "forks on"), "%s", lab.err.what);
	lab_fini(&lab);
}
