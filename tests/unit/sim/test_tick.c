/* SPDX-License-Identifier: GPL-2.0-only */
/* Ticks on their grid, idle ticks, timer slack. */
#include "lab.h"

/* A task alone is accounted at each tick.  300 does not divide a second: 3333333 ns. */
TEST(ticks_lie_on_the_grid_of_hz)
{
	static const struct {
		u32 hz;
		u64 tick_ns;
	} rows[] = { { 100, 10 * MS }, { 250, 4 * MS }, { 300, 3333333 }, { 1000, 1 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		lab_init(&lab, 1, rows[i].hz);
		lab_runs(lab_task(&lab, "hog", 1, 1), 105 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 k = 0; (k + 1) * rows[i].tick_ns < 105 * MS; k++)
			CHECK_EQ((k + 1) * rows[i].tick_ns, lab_when(&lab, EVENT_RUNTIME, FIRST, k),
				 "HZ %u, tick %u", rows[i].hz, k);
		lab_fini(&lab);
	}
}

/*
 * Idle from 1: the tick at 4 hits the idle task and is the last.  Woken at 21, the grid goes on
 * at 24; the end is at 26.  Idle entries and exits tell of each.
 */
TEST(an_idle_cpu_keeps_one_tick_and_comes_back_to_the_grid)
{
	static const struct {
		u64 time_ns;
		bool exit;
	} rows[] = {
		{ 0, false },      { 0, true },       { 1 * MS, false },  { 4 * MS, true },
		{ 4 * MS, false }, { 21 * MS, true }, { 26 * MS, false },
	};
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 1);
	lab_runs(task, 1 * MS);
	lab_sleeps(task, 20 * MS);
	lab_runs(task, 5 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *idle = lab_find(&lab, EVENT_IDLE, 0, i);

		CHECK(idle, "row %u", i);
		CHECK_EQ(rows[i].time_ns, idle->time_ns, "row %u", i);
		CHECK_EQ(rows[i].exit, idle->idle.state == EVENT_IDLE_EXIT, "row %u", i);
	}
	CHECK_EQ(ARRAY_SIZE(rows), lab_count(&lab, EVENT_IDLE, 0));
	CHECK_EQ(24 * MS, lab_when(&lab, EVENT_RUNTIME, FIRST, 1));
	lab_fini(&lab);
}

/* Idle 1-3 between two ticks: the one at 4 comes as if nothing had been. */
TEST(a_short_idle_does_not_move_the_tick)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "one", 1, 1);
	lab_runs(task, 1 * MS);
	lab_sleeps(task, 2 * MS);
	lab_runs(task, 5 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(4 * MS, lab_when(&lab, EVENT_RUNTIME, FIRST, 1));
	CHECK_EQ(8 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

static struct workload_task *sleeper(struct lab *lab, u64 delay_ns)
{
	struct workload_task *task = lab_task(lab, "sleeper", 1, 1);

	task->delay_ns = delay_ns;
	return task;
}

TEST(a_quiet_cpu_wakes_a_fair_task_by_its_slack_late)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.costs.timer_slack_ns = 50 * US;
	sleeper(&lab, 6 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(6050 * US, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

TEST(a_realtime_task_has_no_slack)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.machine.costs.timer_slack_ns = 50 * US;
	task = sleeper(&lab, 6 * MS);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 1;
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(6 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* [7.98, 8.03] holds the tick of a busy CPU at 8; [8.01, 8.06] does not. */
TEST(a_tick_within_the_slack_wakes)
{
	static const struct {
		u64 delay_ns, waking_ns;
	} rows[] = { { 7980 * US, 8 * MS }, { 8 * MS, 8 * MS }, { 8010 * US, 8060 * US } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		lab_init(&lab, 1, 250);
		lab.machine.costs.timer_slack_ns = 50 * US;
		sleeper(&lab, rows[i].delay_ns);
		lab_runs(lab_task(&lab, "hog", 1, 1), 20 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].waking_ns, lab_when(&lab, EVENT_WAKING, FIRST, 0), "row %zu", i);
		lab_fini(&lab);
	}
}

/* [6, 6.05] and [6.03, 6.08]: the first one's interrupt finds the second ripe. */
TEST(timers_share_an_interrupt)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.costs.timer_slack_ns = 50 * US;
	sleeper(&lab, 6 * MS);
	sleeper(&lab, 6030 * US);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(6050 * US, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(6050 * US, lab_when(&lab, EVENT_WAKING, FIRST + 1, 0));
	lab_fini(&lab);
}

/* The tick's own work comes first, then the sleepers that its interrupt finds. */
TEST(the_tick_accounts_before_it_wakes)
{
	struct lab lab;
	const struct event *ran, *waking;

	lab_init(&lab, 1, 250);
	lab.machine.costs.timer_slack_ns = 50 * US;
	sleeper(&lab, 3980 * US);
	lab_runs(lab_task(&lab, "hog", 1, 1), 20 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	ran = lab_find(&lab, EVENT_RUNTIME, FIRST + 1, 0);
	waking = lab_find(&lab, EVENT_WAKING, FIRST, 0);
	CHECK_EQ(4 * MS, ran->time_ns);
	CHECK_EQ(4 * MS, waking->time_ns);
	CHECK(ran->seq < waking->seq);
	lab_fini(&lab);
}
