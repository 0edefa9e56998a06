/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SCHED_DEADLINE, worked out by hand: HZ 250, costless CPUs; all times in ms.  In 6.12 a
 * runtime ends at the tick that finds it used up, in 7.3 by HRTICK_DL.
 */
#include "lab.h"

static struct workload_task *deadline(struct lab *lab, const char *name, u64 runtime_ms,
				      u64 deadline_ms, u64 period_ms)
{
	struct workload_task *task = lab_task(lab, name, 1, -1);

	task->attr.policy = EVENT_POLICY_DEADLINE;
	task->attr.dl_runtime_ns = runtime_ms * MS;
	task->attr.dl_deadline_ns = deadline_ms * MS;
	task->attr.dl_period_ns = period_ms * MS;
	return task;
}

static void begin(struct lab *lab, const char *release, u32 nr_cpus, u64 duration_ns)
{
	lab_init(lab, nr_cpus, 250);
	lab_release(lab, release);
	lab->setup.duration_ns = duration_ns;
}

static void fair(struct lab *lab)
{
	lab_runs(lab_task(lab, "fair", 1, -1), 1000 * MS);
}

static void on(const struct lab *lab, s32 tid, const u64 *on_ms, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		CHECK_EQ(on_ms[i] * MS, lab_on_cpu(lab, tid, i), "thread %d, turn %u", tid, i);
}

/*
 * The first wants 20 by 60.  The second is born with 20 as its deadline, but has its first
 * event at 4: 5 of runtime in 16 are too much of 5 in 20, so it is due at 24, before the first.
 */
TEST(the_earlier_deadline_goes_first)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, "6.12", 1, 50 * MS);
	lab_runs(deadline(&lab, "long", 20, 60, 60), 20 * MS);
	task = deadline(&lab, "short", 6, 20, 20);
	task->delay_ns = 4 * MS;
	lab_runs(task, 5 * MS);
	lab_sleeps(task, 1 * S);
	lab_runs(lab_task(&lab, "fair", 1, 1), 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	on(&lab, FIRST, (u64[]){ 0, 9 }, 2);
	CHECK_EQ(4 * MS, lab_when(&lab, EVENT_SWITCH, FIRST, 0));
	CHECK_EQ(4 * MS, lab_on_cpu(&lab, FIRST + 1, 1));
	CHECK_EQ(9 * MS, lab_when(&lab, EVENT_SWITCH, FIRST + 1, 1));
	CHECK(lab_on_cpu(&lab, FIRST + 2, 0) >= 24 * MS, "fair tasks come last");
	lab_fini(&lab);
}

/*
 * 10 of 100.  By ticks: 12, so 8 at 100, and 10 again at 200, which end at 212; by HRTICK_DL
 * 10 each.
 */
TEST(a_hog_has_its_runtime_in_each_period)
{
	static const struct {
		const char *release;
		u64 off_ms[4];
	} rows[] = { { "6.1", { 12, 108, 212, 308 } },
		     { "6.12", { 12, 108, 212, 308 } },
		     { "7.3", { 10, 110, 210, 310 } } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, rows[i].release, 1, 350 * MS);
		lab_runs(deadline(&lab, "hog", 10, 100, 100), 1000 * MS);
		fair(&lab);
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 k = 0; k < 4; k++) {
			CHECK_EQ(k * 100 * MS, lab_on_cpu(&lab, FIRST, k), "%s", rows[i].release);
			CHECK_EQ(rows[i].off_ms[k] * MS, lab_when(&lab, EVENT_SWITCH, FIRST, k),
				 "%s, %u", rows[i].release, k);
		}
		CHECK_EQ(EVENT_STATE_RUNNING,
			 lab_find(&lab, EVENT_SWITCH, FIRST, 0)->switch_.prev_state);
		CHECK_EQ(-1, lab_find(&lab, EVENT_SWITCH, FIRST, 0)->switch_.prev_prio);
		lab_fini(&lab);
	}
}

/* HRTICK_DL may be switched off: ticks again. */
TEST(without_hrtick_dl_ticks_end_the_runtime)
{
	struct lab lab;

	begin(&lab, "7.3", 1, 50 * MS);
	lab_feature(&lab, POLICY_HRTICK_DL, false);
	lab_runs(deadline(&lab, "hog", 10, 100, 100), 1000 * MS);
	fair(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(12 * MS, lab_when(&lab, EVENT_SWITCH, FIRST, 0));
	lab_fini(&lab);
}

/*
 * Half the capacity: the runtime lasts twice as long.  The timer is set to 10, 5, 2.5 and so on
 * to what is left, at least 10 us, so that the last one is late by less than that.
 */
TEST(a_small_cpu_gives_the_same_work)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, "7.3", 2, 150 * MS);
	lab.machine.cpus[0].capacity = 512;
	task = lab_task(&lab, "big", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 200 * MS);
	lab_runs(deadline(&lab, "hog", 10, 100, 100), 1000 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK(lab_when(&lab, EVENT_SWITCH, FIRST + 1, 0) >= 20 * MS &&
		      lab_when(&lab, EVENT_SWITCH, FIRST + 1, 0) < 20 * MS + 10 * US,
	      "%llu", lab_when(&lab, EVENT_SWITCH, FIRST + 1, 0));
	lab_fini(&lab);
}

TEST(who_yields_waits_for_its_next_period)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, "6.12", 1, 350 * MS);
	task = deadline(&lab, "yields", 10, 100, 100);
	lab_runs(task, 3 * MS);
	lab_event(task, WORKLOAD_OP_YIELD, 0);
	fair(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	on(&lab, FIRST, (u64[]){ 0, 100, 200, 300 }, 4);
	CHECK_EQ(203 * MS, lab_when(&lab, EVENT_SWITCH, FIRST, 2));
	lab_fini(&lab);
}

/*
 * 10 of 20 in each 100.  It has run 2 and sleeps 12: at 14 it may have 3 of the 6 that are
 * left to its deadline, then it waits for 100.  It has run 5 and sleeps 30: at 35 its deadline
 * is past, so it waits for 100, too.
 */
TEST(a_deadline_shorter_than_the_period)
{
	static const struct {
		u64 run_ms, sleep_ms, on_ms[2], off_ms;
	} rows[] = { { 2, 12, { 14, 100 }, 17 }, { 5, 30, { 100, 200 }, 110 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, "7.3", 1, 250 * MS);
		task = deadline(&lab, "d", 10, 20, 100);
		lab_runs(task, rows[i].run_ms * MS);
		lab_sleeps(task, rows[i].sleep_ms * MS);
		lab_runs(task, 1000 * MS);
		fair(&lab);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].on_ms[0] * MS, lab_on_cpu(&lab, FIRST, 1), "row %zu", i);
		CHECK_EQ(rows[i].off_ms * MS, lab_when(&lab, EVENT_SWITCH, FIRST, 1), "row %zu", i);
		CHECK_EQ(rows[i].on_ms[1] * MS, lab_on_cpu(&lab, FIRST, 2), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * A deadline task with half of the CPU, a realtime hog, a starved fair one.  From 950 the fair
 * server is due at 1950, after the deadline task, and before the realtime hog.
 */
TEST(the_fair_server_is_one_of_them)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, "7.3", 1, 1200 * MS);
	lab_runs(deadline(&lab, "half", 50, 100, 100), 10 * S);
	task = lab_task(&lab, "realtime", 1, 1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 99;
	lab_runs(task, 10 * S);
	fair(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(50 * MS, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK_EQ(950 * MS, lab_on_cpu(&lab, FIRST + 2, 0));
	CHECK_EQ(1000 * MS, lab_on_cpu(&lab, FIRST, 10));
	CHECK_EQ(1050 * MS, lab_on_cpu(&lab, FIRST + 1, 9));
	lab_fini(&lab);
}

/* Into the class at 20, out of it 10 of runtime later. */
TEST(a_phase_may_change_to_it_and_back)
{
	struct workload_task *task;
	struct workload_attr *attr;
	struct lab lab;

	begin(&lab, "7.3", 1, 200 * MS);
	task = lab_task(&lab, "changes", 1, 1);
	lab_sleeps(task, 20 * MS);
	attr = lab_phase(task, 1);
	attr->policy = EVENT_POLICY_DEADLINE;
	attr->dl_runtime_ns = 10 * MS;
	attr->dl_deadline_ns = attr->dl_period_ns = 50 * MS;
	lab_runs(task, 15 * MS);
	lab_phase(task, 1)->policy = EVENT_POLICY_IDLE;
	lab_runs(task, 50 * MS);
	fair(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(EVENT_POLICY_DEADLINE, lab_find(&lab, EVENT_ATTR, FIRST, 1)->attr.policy);
	CHECK_EQ(30 * MS, lab_when(&lab, EVENT_SWITCH, FIRST, 1));
	CHECK_EQ(70 * MS, lab_on_cpu(&lab, FIRST, 2));
	CHECK_EQ(75 * MS, lab_when(&lab, EVENT_ATTR, FIRST, 2));
	lab_fini(&lab);
}

/* Percent of one CPU: the release's limit, less 5 for the fair server where there is one. */
TEST(more_than_the_release_admits_is_refused)
{
	static const struct {
		const char *release;
		u64 percent;
		const char *least; /* in the message; NULL: admitted */
	} rows[] = { { "6.1", 95, NULL },   { "6.1", 96, "95.00 %" }, { "6.12", 90, NULL },
		     { "6.12", 91, "90." }, { "7.3", 95, NULL },      { "7.3", 96, "95.00 %" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, rows[i].release, 2, 10 * MS);
		for (u32 k = 0; k < 2; k++)
			lab_runs(deadline(&lab, "half", rows[i].percent, 100, 100), 1 * MS);
		CHECK_EQ(rows[i].least ? ERR_USAGE : OK, lab_run(&lab), "row %zu", i);
		if (rows[i].least)
			CHECK(strstr(lab.err.what, rows[i].least), "row %zu: %s", i, lab.err.what);
		lab_fini(&lab);
	}
}

/* No runtime, a deadline beyond the period, fewer CPUs than there are, a fork. */
TEST(what_sched_setattr_would_refuse_is_refused)
{
	static const char *const words[] = { "dl-runtime", "dl-period", "bound", "forks" };

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, "6.12", 2, 100 * MS);
		task = deadline(&lab, "d", i == 0 ? 0 : 10, i == 1 ? 101 : 100, 100);
		if (i == 2)
			task->attr.cpus = lab_cpus(&lab, 1);
		if (i == 3)
			lab_event(task, WORKLOAD_OP_FORK, 0)->target = 0;
		lab_runs(task, 1 * MS);
		CHECK_EQ(ERR_USAGE, lab_run(&lab), "%s", words[i]);
		CHECK(strstr(lab.err.what, words[i]), "%s: %s", words[i], lab.err.what);
		lab_fini(&lab);
	}
}
