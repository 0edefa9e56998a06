/* SPDX-License-Identifier: GPL-2.0-only */
/* Each event kind alone, without costs or slack: its end is worked out by hand. */
#include "lab.h"

TEST(run_takes_its_work_and_the_task_ends)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_event(lab_task(&lab, "one", 1, 1), WORKLOAD_OP_RUN, 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_when(&lab, EVENT_EXIT, FIRST, 0));
	CHECK_EQ(3 * MS, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

TEST(three_rounds_of_run_and_sleep)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 3);
	lab_event(task, WORKLOAD_OP_RUN, 2 * MS);
	lab_event(task, WORKLOAD_OP_SLEEP, 5 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(21 * MS, lab_when(&lab, EVENT_EXIT, FIRST, 0));
	CHECK_EQ(6 * MS, lab_ran_ns(&lab, FIRST));
	CHECK_EQ(7 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	lab_fini(&lab);
}

/* Two hogs of 12 ms on one CPU, HZ 250: each slice of 0.7 ms ends at the next tick, so they
 * alternate every 4 ms: a 0-4, b 4-8, ..., b ends at 24. */
TEST(two_hogs_take_turns_by_the_tick)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_event(lab_task(&lab, "hog", 2, 1), WORKLOAD_OP_RUN, 12 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(20 * MS, lab_when(&lab, EVENT_EXIT, FIRST, 0));
	CHECK_EQ(24 * MS, lab_when(&lab, EVENT_EXIT, FIRST + 1, 0));
	CHECK_EQ(12 * MS, lab_ran_ns(&lab, FIRST));
	CHECK_EQ(12 * MS, lab_ran_ns(&lab, FIRST + 1));
	lab_fini(&lab);
}
