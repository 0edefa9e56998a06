/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Realtime and deadline tasks that cannot run where they are go where they can: two CPUs,
 * costless unless told, by hand; all times in ms.
 */
#include "lab.h"

static struct workload_task *realtime(struct lab *lab, const char *name, u8 prio, u32 cpus)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = prio;
	task->attr.cpus = lab_cpus(lab, cpus);
	return task;
}

static void begin(struct lab *lab, u64 duration_ns)
{
	lab_init(lab, 2, 250);
	lab->setup.duration_ns = duration_ns;
}

/* Until 2 CPU 1 is no place to go to. */
static void blocked(struct lab *lab)
{
	lab_runs(realtime(lab, "blocks", 60, 1 << 1), 2 * MS);
}

/* Where the thread was given a CPU for the n-th time (from 0). */
static s32 where(const struct lab *lab, s32 tid, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++)
		if (lab->events.at[i].kind == EVENT_SWITCH && lab->events.at[i].other.tid == tid &&
		    !n--)
			return lab->events.at[i].cpu;
	return -1;
}

/* At 10 the high one, bound to CPU 0, takes it from the low one, which goes to CPU 1 at once. */
TEST(who_is_preempted_goes_to_a_cpu_with_less)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 30 * MS);
	task = realtime(&lab, "high", 50, 1 << 0);
	lab_sleeps(task, 10 * MS);
	lab_runs(task, 10 * MS);
	task = lab_task(&lab, "fair", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 100 * MS);
	lab_runs(realtime(&lab, "low", 10, 3), 40 * MS);
	blocked(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0, where(&lab, FIRST + 2, 0));
	CHECK_EQ(10 * MS, lab_on_cpu(&lab, FIRST + 2, 1));
	CHECK_EQ(1, where(&lab, FIRST + 2, 1));
	CHECK_EQ(1, lab_count(&lab, EVENT_MIGRATE, FIRST + 2));
	CHECK_EQ(1, lab_find(&lab, EVENT_MIGRATE, FIRST + 2, 0)->migrate.dest_cpu);
	lab_fini(&lab);
}

/*
 * Both CPUs have something more urgent than the low one, which waits on CPU 0 until CPU 1 is
 * free at 20 and pulls it; with RT_PUSH_IPI it asks CPU 0 to push it, 7 us later, and another
 * 7 us bring it there.
 */
TEST(a_cpu_that_lowers_what_it_runs_pulls)
{
	for (u32 by_ipi = 0; by_ipi < 2; by_ipi++) {
		struct lab lab;

		begin(&lab, 50 * MS);
		lab_feature(&lab, POLICY_RT_PUSH_IPI, by_ipi);
		lab.machine.costs.ipi_latency_ns = 7 * US;
		lab_runs(realtime(&lab, "high", 50, 1 << 0), 40 * MS);
		lab_runs(realtime(&lab, "middle", 30, 1 << 1), 20 * MS);
		lab_runs(realtime(&lab, "low", 10, 3), 10 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(20 * MS + 7 * US * (1 + 2 * by_ipi), lab_on_cpu(&lab, FIRST + 2, 0),
			 "by ipi %u", by_ipi);
		CHECK_EQ(1, where(&lab, FIRST + 2, 0));
		lab_fini(&lab);
	}
}

/* Who lowers its own priority in the middle of its work makes room for what waits elsewhere. */
TEST(a_lowered_priority_pulls)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 50 * MS);
	lab_runs(realtime(&lab, "high", 50, 1 << 0), 40 * MS);
	task = realtime(&lab, "lowers", 30, 1 << 1);
	lab_runs(task, 20 * MS);
	lab_phase(task, 1)->rt_prio = 5;
	lab_runs(task, 20 * MS);
	lab_runs(realtime(&lab, "low", 10, 3), 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(20 * MS, lab_on_cpu(&lab, FIRST + 2, 0));
	CHECK_EQ(1, where(&lab, FIRST + 2, 0));
	CHECK_EQ(30 * MS, lab_on_cpu(&lab, FIRST + 1, 1));
	lab_fini(&lab);
}

/*
 * It wakes where an equal runs, and may go to CPU 1: that happens at once, although its last
 * CPU is 0.  An unbound equal that runs there makes room for a bound one.
 */
TEST(of_equals_one_goes)
{
	for (u32 bound = 0; bound < 2; bound++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 50 * MS);
		task = realtime(&lab, "wakes", 10, bound ? 1 : 3);
		lab_sleeps(task, 10 * MS);
		lab_runs(task, 10 * MS);
		task = lab_task(&lab, "fair", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 1 << 1);
		lab_runs(task, 100 * MS);
		lab_runs(realtime(&lab, "runs", 10, 3), 30 * MS);
		blocked(&lab);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(0, where(&lab, FIRST + 2, 0));
		CHECK_EQ(10 * MS, lab_on_cpu(&lab, FIRST, 1), "bound %u", bound);
		CHECK_EQ(bound ? 0 : 1, where(&lab, FIRST, 1), "bound %u", bound);
		CHECK_EQ(bound ? 10 * MS : NEVER, lab_on_cpu(&lab, FIRST + 2, 1), "bound %u",
			 bound);
		lab_fini(&lab);
	}
}

/* Three of 50 in 100: the third waits behind the first until the second has done its 10. */
TEST(deadline_tasks_are_pulled_too)
{
	struct lab lab;

	begin(&lab, 60 * MS);
	for (u32 i = 0; i < 3; i++) {
		struct workload_task *task = lab_task(&lab, "d", 1, 1);

		task->attr.policy = EVENT_POLICY_DEADLINE;
		task->attr.dl_runtime_ns = 50 * MS;
		task->attr.dl_deadline_ns = task->attr.dl_period_ns = 100 * MS;
		lab_runs(task, i == 1 ? 10 * MS : 40 * MS);
	}
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(10 * MS, lab_on_cpu(&lab, FIRST + 2, 0));
	CHECK_EQ(1, where(&lab, FIRST + 2, 0));
	lab_fini(&lab);
}

static struct workload_task *deadline(struct lab *lab, u64 period_ns)
{
	struct workload_task *task = lab_task(lab, "d", 1, 1);

	task->attr.policy = EVENT_POLICY_DEADLINE;
	task->attr.dl_runtime_ns = 10 * MS;
	task->attr.dl_deadline_ns = task->attr.dl_period_ns = period_ns;
	return task;
}

/*
 * All are born on CPU 0, as CPU 1 has a fair task; the one with the earliest deadline stays, and
 * the others are pushed to CPU 1.  There the first, with an earlier deadline, wakes at 4; the
 * third, which ran there, goes to CPU 0, where that one was until 2.
 */
TEST(deadline_tasks_are_pushed_too)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 60 * MS);
	task = deadline(&lab, 50 * MS);
	task->delay_ns = 4 * MS;
	lab_runs(task, 8 * MS);
	task = lab_task(&lab, "fair", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 100 * MS);
	lab_runs(deadline(&lab, 100 * MS), 8 * MS);
	lab_runs(deadline(&lab, 20 * MS), 2 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1, where(&lab, FIRST + 2, 0));
	CHECK_EQ(4 * MS, lab_on_cpu(&lab, FIRST, 1));
	CHECK_EQ(1, where(&lab, FIRST, 1));
	CHECK_EQ(4 * MS, lab_on_cpu(&lab, FIRST + 2, 1));
	CHECK_EQ(0, where(&lab, FIRST + 2, 1));
	lab_fini(&lab);
}

/*
 * Of a realtime parent a thread is realtime from its birth: it looks for a CPU where nothing
 * as urgent runs, not where the fewest are queued, which is CPU 1 with one to CPU 2's two, and
 * need not be pushed on.
 */
TEST(a_realtime_child_goes_where_the_least_urgent_runs)
{
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 3, 250);
	lab.setup.duration_ns = 20 * MS;
	task = lab_task(&lab, "parent", 1, 1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 50;
	task->attr.cpus = lab_cpus(&lab, 1 << 0);
	lab_runs(task, 5 * MS);
	lab_event(task, WORKLOAD_OP_FORK, 0)->target = 4;
	lab_runs(task, 10 * MS);
	task = lab_task(&lab, "urgent", 1, 1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 60;
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 20 * MS);
	task = lab_task(&lab, "fair", 2, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 2);
	lab_runs(task, 20 * MS);
	task = lab_task(&lab, "beside", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 0);
	lab_runs(task, 1 * MS);
	task = lab_task(&lab, "child", 0, 1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 50;
	lab_runs(task, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(5 * MS, lab_on_cpu(&lab, FIRST + 5, 0));
	CHECK_EQ(2, where(&lab, FIRST + 5, 0));
	CHECK_EQ(0, lab_count(&lab, EVENT_MIGRATE, FIRST + 5));
	lab_fini(&lab);
}
