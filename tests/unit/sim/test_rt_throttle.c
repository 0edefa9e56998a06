/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Realtime throttling of release 6.1, HZ 250, worked out by hand: 950 ms of each second,
 * seen at ticks.
 */
#include "lab.h"

#define REALTIME FIRST
#define FAIR     (FIRST + 1)

static void begin(struct lab *lab, u64 duration_ns)
{
	struct workload_task *task;

	lab_init(lab, 1, 250);
	lab_release(lab, "6.1");
	lab->setup.duration_ns = duration_ns;
	task = lab_task(lab, "realtime", 1, -1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 50;
	lab_runs(task, 1000 * MS);
}

/*
 * At the tick of 952 ms it has had more than 950.  At 1 s 950 of 952 are taken off; 2 and
 * 952 pass 950 again, at 1952 (at 1948 they are 950 just so); at 2 s 4 are left, which with
 * 948 are past it at 2948.
 */
TEST(a_realtime_hog_leaves_a_part_of_each_second)
{
	static const u64 off_ns[] = { 952 * MS, 1952 * MS, 2948 * MS };
	struct lab lab;

	begin(&lab, 3500 * MS);
	lab_runs(lab_task(&lab, "fair", 1, -1), 1000 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0, lab_on_cpu(&lab, REALTIME, 0));
	for (u32 i = 0; i < ARRAY_SIZE(off_ns); i++) {
		CHECK_EQ(off_ns[i], lab_on_cpu(&lab, FAIR, i), "second %u", i);
		CHECK_EQ((i + 1) * 1000 * MS, lab_on_cpu(&lab, REALTIME, i + 1), "second %u", i);
	}
	lab_fini(&lab);
}

/* Also if no one else wants it: the CPU idles. */
TEST(a_throttled_cpu_idles)
{
	struct lab lab;

	begin(&lab, 1500 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(952 * MS, lab_when(&lab, EVENT_SWITCH, REALTIME, 0));
	CHECK_EQ(1000 * MS, lab_on_cpu(&lab, REALTIME, 1));
	lab_fini(&lab);
}

/*
 * One that wakes while the other is throttled waits like it, to 1 s; the other has its last
 * 4 ms after it, to 1005, and sleeps to 5002.  At 2 s nothing is left to be counted, and the
 * timer stops.  The next period begins at 5002: at the tick of 5952 they are 950 ms just so.
 */
TEST(the_period_begins_anew_after_a_pause)
{
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_release(&lab, "6.1");
	lab.setup.duration_ns = 7 * S;
	task = lab_task(&lab, "realtime", 1, 1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 50;
	lab_runs(task, 956 * MS);
	lab_sleeps(task, 3997 * MS);
	lab_runs(task, 1000 * MS);
	task = lab_task(&lab, "short", 1, 1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 60;
	lab_sleeps(task, 960 * MS);
	lab_runs(task, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1000 * MS, lab_on_cpu(&lab, FIRST + 1, 1), "it woke at 960");
	CHECK_EQ(1001 * MS, lab_end(&lab, FIRST + 1));
	CHECK_EQ(1001 * MS, lab_on_cpu(&lab, FIRST, 1), "then the other");
	CHECK_EQ(5002 * MS, lab_when(&lab, EVENT_WAKEUP, FIRST, 0));
	CHECK_EQ(5956 * MS, lab_when(&lab, EVENT_SWITCH, FIRST, 2));
	CHECK_EQ(6002 * MS, lab_on_cpu(&lab, FIRST, 3));
	lab_fini(&lab);
}

/*
 * Two CPUs: at the tick of 952 ms CPU 0 borrows of what CPU 1 has not had, 950 / 2, but only 50
 * as a period has no more.  It is not stopped again.  One CPU alone
 * has nobody to borrow from.
 */
TEST(a_cpu_borrows_runtime_of_another)
{
	static const struct {
		bool share;
		u32 nr_cpus;
		u64 want_ns;
	} rows[] = { { false, 2, 952 * MS }, { true, 2, NEVER }, { true, 1, 952 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 2000 * MS);
		machine_fini(&lab.machine);
		machine_flat(&lab.machine, rows[i].nr_cpus);
		lab.machine.costs = (struct machine_costs){ 0 };
		lab_feature(&lab, POLICY_RT_RUNTIME_SHARE, rows[i].share);
		lab.workload->tasks.at[0].attr.cpus = lab_cpus(&lab, 1);
		task = lab_task(&lab, "fair", 1, -1);
		task->attr.cpus = lab_cpus(&lab, 1);
		lab_runs(task, 1000 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].want_ns, lab_on_cpu(&lab, FAIR, 0), "row %zu", i);
		lab_fini(&lab);
	}
}
