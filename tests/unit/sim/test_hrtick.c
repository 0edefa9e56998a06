/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timer that ends a slice, worked out by hand.  No costs, base slice 0.7 ms on one CPU;
 * v is a task's vruntime, d its deadline, V their average.  A task of policy BATCH does not
 * preempt by waking.
 */
#include "lab.h"

static void begin(struct lab *lab, const char *release, u32 hz, bool hrtick)
{
	lab_init(lab, 1, hz);
	lab_release(lab, release);
	lab_feature(lab, POLICY_HRTICK, hrtick);
}

static void add(struct lab *lab, const char *name, u64 delay_ns, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->delay_ns = delay_ns;
	lab_runs(task, run_ns);
	if (delay_ns)
		task->attr.policy = EVENT_POLICY_BATCH;
}

/* Ticks of 1 ms end a slice of 0.7 ms at 1 ms; its own timer where it ends. */
TEST(two_hogs_take_turns_of_a_slice_not_of_a_tick)
{
	for (u32 on = 0; on < 2; on++) {
		u64 turn_ns = on ? 700 * US : 1 * MS;
		struct lab lab;

		begin(&lab, "6.12", 1000, on);
		add(&lab, "a", 0, 20 * MS);
		add(&lab, "b", 0, 20 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 i = 0; i < 10; i++) {
			CHECK_EQ(2 * i * turn_ns, lab_on_cpu(&lab, FIRST, i), "on %u, %u", on, i);
			CHECK_EQ((2 * i + 1) * turn_ns, lab_on_cpu(&lab, FIRST + 1, i), "on %u, %u",
				 on, i);
		}
		lab_fini(&lab);
	}
}

/*
 * a runs alone, without a timer, until b wakes.  At 0.3, 0.4 of its slice are left.  At 0.695
 * it is 5 us, which become 10: a has v 0.705, b 0.695, so b is behind V.  At 3 nothing is
 * left: b, placed at 3 with the same d 3.7 as a, runs at once and not at the tick of 4.
 */
TEST(what_is_left_is_counted_when_a_second_task_comes)
{
	static const struct {
		u64 wakes_ns, without_ns, with_ns;
	} rows[] = { { 300 * US, 4 * MS, 700 * US },
		     { 695 * US, 4 * MS, 705 * US },
		     { 3 * MS, 4 * MS, 3 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (u32 on = 0; on < 2; on++) {
			struct lab lab;

			begin(&lab, "6.12", 250, on);
			add(&lab, "b", rows[i].wakes_ns, 1 * MS);
			add(&lab, "a", 0, 20 * MS);
			CHECK_EQ(OK, lab_run(&lab));
			CHECK_EQ(on ? rows[i].with_ns : rows[i].without_ns,
				 lab_on_cpu(&lab, FIRST, 1), "row %zu, on %u", i, on);
			lab_fini(&lab);
		}
}

/*
 * Two CPUs, so slices of 1.4.  a and b share CPU 0 until CPU 1, idle at 0.5, pulls b.  a's timer
 * stays at 1.4, and its interrupt only accounts: a goes on.  It is not set anew.
 */
TEST(a_timer_that_finds_one_task_changes_nothing)
{
	static const u64 accounted_ns[] = { 500 * US, 1400 * US, 4 * MS };
	struct lab lab;

	lab_init(&lab, 2, 250);
	lab_feature(&lab, POLICY_HRTICK, true);
	add(&lab, "a", 0, 20 * MS);
	lab.workload->tasks.at[0].attr.cpus = lab_cpus(&lab, 1 << 0);
	add(&lab, "pinned", 0, 500 * US);
	lab.workload->tasks.at[1].attr.cpus = lab_cpus(&lab, 1 << 1);
	add(&lab, "b", 0, 20 * MS);
	lab.workload->tasks.at[2].attr.slice_ns = 20 * MS;
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(500 * US, lab_when(&lab, EVENT_MIGRATE, FIRST + 2, 0));
	for (u32 i = 0; i < ARRAY_SIZE(accounted_ns); i++)
		CHECK_EQ(accounted_ns[i], lab_when(&lab, EVENT_RUNTIME, FIRST, i), "%u", i);
	CHECK_EQ(20 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * b, of a shorter slice, runs first and waits.  CPU 0 wakes it for CPU 1 at 0.712, where a has
 * run 0.692 since the interrupt of its start:
 * 8 us are left, raised to 10, so until 0.722.  CPU 1 learns of it by an interrupt that takes
 * 20 us: 0.732.
 */
TEST(the_timer_of_another_cpu_is_set_by_an_interrupt)
{
	static const struct {
		u64 posts_ns, on_cpu_ns;
	} rows[] = { { 712 * US, 732 * US }, { 420 * US, 720 * US } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;
		u32 sem;

		lab_init(&lab, 2, 250);
		lab_feature(&lab, POLICY_HRTICK, true);
		/* b is charged the way out of idle, and would stay queued for it */
		lab_feature(&lab, POLICY_DELAY_DEQUEUE, false);
		lab.machine.costs.ipi_latency_ns = 20 * US;
		sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
		task = lab_task(&lab, "b", 1, 1);
		task->attr.policy = EVENT_POLICY_BATCH;
		task->attr.cpus = lab_cpus(&lab, 1 << 1);
		task->attr.slice_ns = 600 * US;
		lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
		lab_runs(task, 1 * MS);
		add(&lab, "a", 0, 20 * MS);
		lab.workload->tasks.at[1].attr.slice_ns = 700 * US;
		lab.workload->tasks.at[1].attr.cpus = lab_cpus(&lab, 1 << 1);
		add(&lab, "waker", 0, rows[i].posts_ns);
		lab.workload->tasks.at[2].attr.cpus = lab_cpus(&lab, 1 << 0);
		lab_on(&lab.workload->tasks.at[2], WORKLOAD_OP_SEM_POST, sem);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].on_cpu_ns, lab_on_cpu(&lab, FIRST, 1), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * Release 6.1: a latency of 6 ms is 3 for each of two, and the tick that sees it over is at 4.
 * The kernel's division loses 2 ns.  a was born first, with a debit of 5.999998, b with one of
 * 2.999998.  After a slice b is at 5.999996, still before a: it is picked again, with the
 * shortest timer, until 3.009998.  a then goes from 5.999998 to 8.999996, past b.
 */
TEST(cfs_ends_its_slices_too)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		begin(&lab, "6.1", 250, on);
		add(&lab, "a", 0, 20 * MS);
		add(&lab, "b", 0, 20 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(0, lab_on_cpu(&lab, FIRST + 1, 0));
		CHECK_EQ(on ? 3009998 : 4 * MS, lab_on_cpu(&lab, FIRST, 0), "on %u", on);
		CHECK_EQ(on ? 6009996 : 8 * MS, lab_on_cpu(&lab, FIRST + 1, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * Release 6.1, HZ 1000.  b wakes at 1.5, when a has v 7.5 (its debit was 6), and is placed a
 * credit of 3 before that, at 4.5.  The tick of 2 finds it 3.5 behind, more than a slice of 3,
 * and preempts; but not while a timer runs for the end of a's slice, 3 but for
 * the 2 ns that the kernel's division loses.
 */
TEST(double_tick)
{
	static const struct {
		bool hrtick, double_tick;
		u64 on_cpu_ns;
	} rows[] = { { false, false, 2 * MS }, { true, false, 2999998 }, { true, true, 2 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, "6.1", 1000, rows[i].hrtick);
		lab_feature(&lab, POLICY_DOUBLE_TICK, rows[i].double_tick);
		add(&lab, "a", 0, 20 * MS);
		add(&lab, "b", 1500 * US, 1 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].on_cpu_ns, lab_on_cpu(&lab, FIRST + 1, 1), "row %zu", i);
		lab_fini(&lab);
	}
}
