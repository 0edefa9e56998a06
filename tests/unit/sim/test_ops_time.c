/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work, time, loops: without costs or slack, HZ 250; each end is worked out beside it.
 * On one CPU the base slice is 0.7 ms, so a slice ends at the next tick of 4 ms.
 */
#include "lab.h"

TEST(mem_and_iorun_are_work)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 1);
	lab_event(task, WORKLOAD_OP_MEM, 2 * MS);
	lab_event(task, WORKLOAD_OP_IORUN, 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(5 * MS, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * It wants to be busy until 6 ms.  It has 0-4, the hog 4-8; back at 8 its time is over.  The
 * hog has had 4 of 12 ms and goes on to 16.
 */
TEST(runtime_goes_by_the_clock)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_event(lab_task(&lab, "busy", 1, 1), WORKLOAD_OP_RUNTIME, 6 * MS);
	lab_runs(lab_task(&lab, "hog", 1, 1), 12 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(8 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(4 * MS, lab_ran_ns(&lab, FIRST));
	CHECK_EQ(16 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* The same with run: 0-4, 8-10. */
TEST(run_goes_by_the_work)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_runs(lab_task(&lab, "busy", 1, 1), 6 * MS);
	lab_runs(lab_task(&lab, "hog", 1, 1), 12 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(10 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(18 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

static struct workload_event *timer(struct workload_task *task, u32 object, u64 period_ns, u32 mode)
{
	struct workload_event *event = lab_event(task, WORKLOAD_OP_TIMER, period_ns);

	event->object = object;
	event->mode = mode;
	return event;
}

TEST(a_timer_takes_the_work_out_of_its_period)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 3);
	lab_runs(task, 1 * MS);
	timer(task, lab_object(&lab, WORKLOAD_OBJECT_TIMER, 0, true), 5 * MS,
	      WORKLOAD_TIMER_RELATIVE);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(5 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(10 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 1));
	CHECK_EQ(15 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * 7 ms of work are late for a period of 5.  A relative timer goes on from 7: 1 ms more,
 * then it waits for 12.  An absolute one waits for 10; one that skips waits for 10 first, works
 * to 11 and waits for 15.
 */
TEST(a_late_timer_counts_from_now_or_keeps_its_grid)
{
	static const struct {
		u32 mode;
		u64 end_ns;
		u32 sleeps;
	} rows[] = {
		{ WORKLOAD_TIMER_RELATIVE, 12 * MS, 1 },
		{ WORKLOAD_TIMER_ABSOLUTE, 10 * MS, 1 },
		{ WORKLOAD_TIMER_SKIP, 15 * MS, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		struct workload_task *task;
		u32 object;

		lab_init(&lab, 1, 250);
		object = lab_object(&lab, WORKLOAD_OBJECT_TIMER, 0, true);
		task = lab_task(&lab, "late", 1, 1);
		lab_runs(task, 7 * MS);
		timer(task, object, 5 * MS, rows[i].mode);
		lab_runs(task, 1 * MS);
		timer(task, object, 5 * MS, rows[i].mode);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].end_ns, lab_end(&lab, FIRST), "mode %u", rows[i].mode);
		CHECK_EQ(rows[i].sleeps, lab_count(&lab, EVENT_WAKING, FIRST), "mode %u",
			 rows[i].mode);
		lab_fini(&lab);
	}
}

/* Two threads, a CPU each.  One timer for both gives its points out in turn: 5 and 10. */
TEST(a_timer_is_shared_unless_it_is_each_threads_own)
{
	for (u32 own = 0; own < 2; own++) {
		struct lab lab;
		u32 object;

		lab_init(&lab, 2, 250);
		object = lab_object(&lab, WORKLOAD_OBJECT_TIMER, 0, own);
		timer(lab_task(&lab, "two", 2, 1), object, 5 * MS, WORKLOAD_TIMER_RELATIVE);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(5 * MS, lab_end(&lab, FIRST), "own %u", own);
		CHECK_EQ(own ? 5 * MS : 10 * MS, lab_end(&lab, FIRST + 1), "own %u", own);
		lab_fini(&lab);
	}
}

TEST(a_delay_comes_before_everything)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "late", 1, 2);
	task->delay_ns = 3 * MS;
	lab_runs(task, 1 * MS);
	timer(task, lab_object(&lab, WORKLOAD_OBJECT_TIMER, 0, true), 5 * MS,
	      WORKLOAD_TIMER_RELATIVE);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(8 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 1));
	CHECK_EQ(13 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* (2 * 1 ms + 3 ms) twice. */
TEST(phases_and_tasks_loop)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 2);
	task->phases.at[0].loop = 2;
	lab_runs(task, 1 * MS);
	lab_phase(task, 1);
	lab_runs(task, 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(10 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

TEST(a_task_without_loops_ends_at_once)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_runs(lab_task(&lab, "none", 1, 0), 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0, lab_end(&lab, FIRST));
	CHECK_EQ(0, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

TEST(a_duration_ends_what_loops_for_ever)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.setup.duration_ns = 10 * MS;
	lab_runs(lab_task(&lab, "hog", 1, WORKLOAD_FOREVER), 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(NEVER, lab_end(&lab, FIRST));
	CHECK_EQ(10 * MS, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

/* Three of 3 ms on one CPU: the first ends at 3, the second at 6 (the tick at 4 leaves it: 1 ms
 * of 0.35 is renewed, but the third waits with less: 4 to 7; then 7 to 9). */
TEST(instances_are_threads_of_one_name)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_runs(lab_task(&lab, "three", 3, 1), 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(7 * MS, lab_end(&lab, FIRST + 2));
	CHECK_EQ(9 * MS, lab_end(&lab, FIRST + 1));
	for (s32 tid = FIRST; tid < FIRST + 3; tid++) {
		CHECK_EQ(3 * MS, lab_ran_ns(&lab, tid));
		CHECK_STR("three", lab_find(&lab, EVENT_NAME, tid, 0)->name.text);
	}
	lab_fini(&lab);
}

TEST(marks_begin_and_end_and_count)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 2);
	lab_runs(task, 1 * MS);
	for (u32 begin = 1; begin + 1; begin--) {
		struct workload_event *mark = lab_event(task, WORKLOAD_OP_MARK, 0);

		mark->mode = begin;
		mark->target = WORKLOAD_MARK_CHAIN;
		mark->mark = mem_strdup("chain");
		if (begin)
			lab_runs(task, 2 * MS);
	}
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < 4; i++) {
		static const u64 when[] = { 1 * MS, 3 * MS, 4 * MS, 6 * MS };
		const struct event *mark = lab_find(&lab, EVENT_MARK, FIRST, i);

		CHECK(mark, "mark %u", i);
		CHECK_EQ(when[i], mark->time_ns);
		CHECK_EQ(!(i & 1), mark->mark.begin);
		CHECK_EQ(i / 2, mark->mark.id);
		CHECK_EQ(EVENT_MARK_CHAIN, mark->mark.what);
	}
	lab_fini(&lab);
}

TEST(yielding_alone_changes_nothing)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 1);
	lab_runs(task, 1 * MS);
	lab_event(task, WORKLOAD_OP_YIELD, 0);
	lab_runs(task, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(2, lab_count(&lab, EVENT_SWITCH, 0)); /* in, out */
	lab_fini(&lab);
}

/*
 * It yields at 1 ms, when it has had more than its share: the other runs.  At the tick of
 * 4 ms that one has 3 against 1: back, until 5.  The rest of the other, 2 ms, ends at 7.
 */
TEST(yielding_lets_the_other_run)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "polite", 1, 1);
	lab_runs(task, 1 * MS);
	lab_event(task, WORKLOAD_OP_YIELD, 0);
	lab_runs(task, 1 * MS);
	lab_runs(lab_task(&lab, "other", 1, 1), 5 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1 * MS, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(7 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* A CPU of capacity 512 does half: 3 ms of work take 6. */
TEST(half_the_capacity_takes_twice_as_long)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.cpus[0].capacity = 512;
	lab_runs(lab_task(&lab, "one", 1, 1), 3 * MS);
	lab_event(lab_task(&lab, "clock", 1, 1), WORKLOAD_OP_SLEEP, 1);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(6 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(6 * MS, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

/* 1000 ns of work at 341 of 1024 are 3002.9 ns: the end is rounded up. */
TEST(odd_capacities_round_up)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.cpus[0].capacity = 341;
	lab_runs(lab_task(&lab, "one", 1, 1), 1000);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3003, lab_end(&lab, FIRST));
	lab_fini(&lab);
}
