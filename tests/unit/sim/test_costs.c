/* SPDX-License-Identifier: GPL-2.0-only */
/* Each cost of a machine delays who pays it, and is told as EVENT_COST. */
#include "lab.h"

static u64 told_ns(const struct lab *lab, u32 what)
{
	u64 ns = 0;

	for (size_t i = 0; i < lab->events.nr; i++)
		if (lab->events.at[i].kind == EVENT_COST && lab->events.at[i].cost.what == what)
			ns += lab->events.at[i].cost.ns;
	return ns;
}

/* In and out: 20 us, of which the task waits for the first. */
TEST(a_switch_delays_who_comes)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.costs.switch_ns = 10 * US;
	lab_runs(lab_task(&lab, "one", 1, 1), 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1010 * US, lab_end(&lab, FIRST));
	CHECK_EQ(20 * US, told_ns(&lab, EVENT_COST_SWITCH));
	lab_fini(&lab);
}

/*
 * The wakee comes first, out of idle: its 8 us come after the switch.  It sleeps at 8, the hog is
 * seen at 14 and works from 16.  At 1000 the hog is charged 992 us; the wakee is seen at 1006, works
 * 100 us from 1008 and ends at 1108, having run 108.  The hog is seen at 1114, and has worked 984
 * before: the rest of its 2 ms begins at 1116 and is over at 2132.
 */
TEST(who_runs_is_charged_when_the_scheduler_begins_and_the_switch_is_seen_later)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.machine.costs.pick_ns = 6 * US;
	lab.machine.costs.switch_ns = 2 * US;
	task = lab_task(&lab, "wakee", 1, 1);
	task->delay_ns = 1 * MS;
	lab_runs(task, 100 * US);
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.policy = EVENT_POLICY_IDLE;
	lab_runs(task, 2 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0, lab_on_cpu(&lab, FIRST, 0));
	CHECK_EQ(14 * US, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK_EQ(1006 * US, lab_on_cpu(&lab, FIRST, 1));
	CHECK_EQ(1108 * US, lab_end(&lab, FIRST));
	CHECK_EQ(1114 * US, lab_on_cpu(&lab, FIRST + 1, 1));
	CHECK_EQ(2132 * US, lab_end(&lab, FIRST + 1));
	CHECK_EQ(116 * US, lab_ran_ns(&lab, FIRST));
	CHECK_EQ(2016 * US, lab_ran_ns(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* Ticks at 4 and 8 delay an end at 9. */
TEST(a_tick_delays_who_runs)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.costs.tick_ns = 10 * US;
	lab_runs(lab_task(&lab, "one", 1, 1), 9 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(9020 * US, lab_end(&lab, FIRST));
	CHECK_EQ(20 * US, told_ns(&lab, EVENT_COST_TICK));
	lab_fini(&lab);
}

/* The same two ticks, each between 6 and 14 us: the end is in 16 us, and in either half of them. */
TEST(costs_waver_by_so_much_and_not_more)
{
	u64 first_ns = U64_MAX, last_ns = 0;

	for (u64 seed = 1; seed <= 100; seed++) {
		struct lab lab;
		u64 end_ns;

		lab_init(&lab, 1, 250);
		lab.setup.seed = seed;
		lab.machine.costs.tick_ns = 10 * US;
		lab.machine.costs.waver_ns = 4 * US;
		lab_runs(lab_task(&lab, "one", 1, 1), 9 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		end_ns = lab_end(&lab, FIRST);
		CHECK_EQ(end_ns, 9 * MS + told_ns(&lab, EVENT_COST_TICK), "seed %llu", seed);
		first_ns = end_ns < first_ns ? end_ns : first_ns;
		last_ns = end_ns > last_ns ? end_ns : last_ns;
		lab_fini(&lab);
	}
	CHECK(first_ns >= 9012 * US && first_ns < 9016 * US, "%llu", first_ns);
	CHECK(last_ns > 9024 * US && last_ns <= 9028 * US, "%llu", last_ns);
}

/* A tick of 1 us that wavers by 100 takes nothing half of the time, and never less. */
TEST(no_cost_wavers_below_nothing)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.costs.tick_ns = 1 * US;
	lab.machine.costs.waver_ns = 100 * US;
	lab_runs(lab_task(&lab, "one", 1, 1), 400 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(400 * MS + told_ns(&lab, EVENT_COST_TICK), lab_end(&lab, FIRST));
	CHECK(told_ns(&lab, EVENT_COST_TICK) > 100 * 10 * US);
	lab_fini(&lab);
}

/* A BATCH task wakes at 1 beside a hog of 3 ms: its interrupt, and its wakeup, delay the hog. */
TEST(a_timer_and_a_wakeup_delay_who_runs)
{
	for (u32 wakeup = 0; wakeup < 2; wakeup++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 250);
		*(wakeup ? &lab.machine.costs.wakeup_ns : &lab.machine.costs.timer_ns) = 10 * US;
		task = lab_task(&lab, "late", 1, 1);
		task->attr.policy = EVENT_POLICY_BATCH;
		task->delay_ns = 1 * MS;
		lab_runs(lab_task(&lab, "hog", 1, 1), 2 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(2010 * US, lab_end(&lab, FIRST + 1), "wakeup %u", wakeup);
		CHECK_EQ(10 * US, told_ns(&lab, wakeup ? EVENT_COST_WAKEUP : EVENT_COST_TIMER),
			 "wakeup %u", wakeup);
		lab_fini(&lab);
	}
}

/*
 * CPU 1 runs dry at 2, looks at two CPUs for 1 us each, and runs what it pulled: 3 ms.  At 5.002
 * it looks again: only now is it seen that no CPU has two tasks any more.
 */
TEST(looking_for_work_takes_time_for_each_cpu)
{
	struct lab lab;

	lab_init(&lab, 2, 250);
	lab.machine.costs.balance_cpu_ns = 1 * US;
	lab_runs(lab_task(&lab, "long", 1, 1), 10 * MS);
	lab_runs(lab_task(&lab, "short", 1, 1), 2 * MS);
	lab_runs(lab_task(&lab, "waits", 1, 1), 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(5002 * US, lab_end(&lab, FIRST + 2));
	CHECK_EQ(4 * US, told_ns(&lab, EVENT_COST_BALANCE));
	lab_fini(&lab);
}

/*
 * The wakee is bound to CPU 1 beside a hog and preempts it at 2.  The interrupt that gets CPU 1
 * out of idle at 0 takes 10 us, the one that tells it of the wakeup too, so 1 + 4 ms of work
 * are over at 5.02.
 */
TEST(an_interrupt_costs_the_cpu_that_gets_it)
{
	struct lab lab;
	struct workload_task *task;
	u32 sem;
	u64 last_ns;

	lab_init(&lab, 2, 250);
	lab.machine.costs.ipi_ns = 10 * US;
	sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
	task = lab_task(&lab, "wakee", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
	lab_runs(task, 1 * MS);
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 4 * MS);
	task = lab_task(&lab, "waker", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 0);
	lab_runs(task, 2 * MS);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	CHECK_EQ(OK, lab_run(&lab));
	last_ns = lab_end(&lab, FIRST) > lab_end(&lab, FIRST + 1) ? lab_end(&lab, FIRST)
								  : lab_end(&lab, FIRST + 1);
	CHECK_EQ(5020 * US, last_ns);
	lab_fini(&lab);
}

/* Out of a sleep of 1 ms that began at 0, when the call did: its 10 us are the task's. */
TEST(a_call_that_waits_delays_who_calls)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.machine.costs.syscall_ns = 10 * US;
	task = lab_task(&lab, "one", 1, 1);
	lab_sleeps(task, 1 * MS);
	lab_runs(task, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(10 * US, told_ns(&lab, EVENT_COST_SYSCALL));
	CHECK_EQ(1010 * US, lab_ran_ns(&lab, FIRST));
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* The parent's birth, 1 ms of work and the fork are over at 1.025; then there is a child. */
TEST(a_fork_delays_the_parent_and_a_birth_the_child)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.machine.costs.fork_ns = 20 * US;
	lab.machine.costs.thread_ns = 5 * US;
	lab_runs(lab_task(&lab, "child", 0, 1), 1 * MS);
	task = lab_task(&lab, "parent", 1, 1);
	lab_runs(task, 1 * MS);
	lab_event(task, WORKLOAD_OP_FORK, 0)->target = 0;
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1025 * US, lab_when(&lab, EVENT_WAKEUP_NEW, FIRST + 1, 0));
	CHECK_EQ(1025 * US, lab_ran_ns(&lab, FIRST));
	CHECK_EQ(1005 * US, lab_ran_ns(&lab, FIRST + 1));
	CHECK_EQ(30 * US, told_ns(&lab, EVENT_COST_FORK), "one fork, two births");
	lab_fini(&lab);
}

/*
 * A task that slept wakes at 1 and preempts a SCHED_IDLE hog.  The interrupt's 20 us are the
 * hog's; the wakeup's 10 are the wakee's, beyond its 100 us of work.
 */
TEST(what_comes_before_a_wakeup_is_charged_to_who_ran)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.machine.costs.timer_ns = 20 * US;
	lab.machine.costs.wakeup_ns = 10 * US;
	task = lab_task(&lab, "wakee", 1, 1);
	task->delay_ns = 1 * MS;
	lab_runs(task, 100 * US);
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.policy = EVENT_POLICY_IDLE;
	lab_runs(task, 2 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(110 * US, lab_ran_ns(&lab, FIRST));
	CHECK_EQ(2020 * US, lab_ran_ns(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* The same out of idle: the clock was read at the wakeup, not when idle was left. */
TEST(who_wakes_from_idle_is_charged_from_its_wakeup)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.machine.costs.timer_ns = 20 * US;
	lab.machine.costs.wakeup_ns = 10 * US;
	lab.machine.costs.idle_exit_ns = 5 * US;
	task = lab_task(&lab, "wakee", 1, 1);
	task->delay_ns = 1 * MS;
	lab_runs(task, 100 * US);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1035 * US, lab_on_cpu(&lab, FIRST, 1));
	CHECK_EQ(115 * US + 5 * US, lab_ran_ns(&lab, FIRST), "with its birth, out of idle too");
	lab_fini(&lab);
}

/* Born before the run, a task with a delay sleeps: it is never queued before its time. */
TEST(a_settled_run_begins_with_its_tasks_asleep)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.setup.settled = true;
	lab_task(&lab, "late", 1, 1)->delay_ns = 3 * MS;
	lab_runs(&lab.workload->tasks.at[0], 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0, lab_count(&lab, EVENT_WAKEUP_NEW, FIRST));
	CHECK_EQ(3 * MS, lab_on_cpu(&lab, FIRST, 0));
	CHECK_EQ(4 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * Each has slept somewhere before, though it was never woken: at 1 ms three wake by CPU 1's
 * timers or CPU 0's, and one that finds its CPU taken asks where it was before that.
 */
TEST(a_settled_run_of_two_cpus_places_its_tasks_as_they_are_born)
{
	struct lab lab;

	lab_init(&lab, 2, 250);
	lab.setup.settled = true;
	lab_task(&lab, "late", 3, 1)->delay_ns = 1 * MS;
	lab_runs(&lab.workload->tasks.at[0], 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < 3; i++)
		CHECK(lab_end(&lab, FIRST + i) >= 2 * MS, "%u has run", i);
	CHECK_EQ(1 * MS, lab_on_cpu(&lab, FIRST, 0));
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST), "two of three begin at once");
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST + 2), "the last has waited for one of them");
	lab_fini(&lab);
}

/*
 * CFS, one CPU: the parent and one make slices of 3 ms, the second's is 2 ms, the third's
 * 1.5 ms, and each is placed one slice after the parent.  So the last begins, at 1 ms with
 * 1.5; at the tick of 4 ms it is at 4.5 and the second goes on with 2; at 8 ms, the first
 * with 3, the third at 4.5, the second at 6.
 */
TEST(a_settled_run_of_cfs_begins_with_the_last_born)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_release(&lab, "6.1");
	lab.setup.settled = true;
	lab_task(&lab, "late", 3, 1)->delay_ns = 1 * MS;
	lab_runs(&lab.workload->tasks.at[0], 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1 * MS, lab_on_cpu(&lab, FIRST + 2, 0));
	CHECK_EQ(4 * MS, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK_EQ(8 * MS, lab_on_cpu(&lab, FIRST, 0));
	CHECK_EQ(12 * MS, lab_on_cpu(&lab, FIRST + 2, 1));
	lab_fini(&lab);
}

/*
 * A parent of 0.6 ms a birth is at 1.2 ms when it bears the third: 2.7 ms, after the second's
 * 0.6 + 2 and before the first's 3.
 */
TEST(a_birth_takes_the_parent_time)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_release(&lab, "6.1");
	lab.setup.settled = true;
	lab.machine.costs.fork_ns = 600 * US;
	lab_task(&lab, "late", 3, 1)->delay_ns = 1 * MS;
	lab_runs(&lab.workload->tasks.at[0], 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1 * MS, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK_EQ(4 * MS, lab_on_cpu(&lab, FIRST + 2, 0));
	lab_fini(&lab);
}

/*
 * 7.3 sets a timer to the deadline, half of 0.7 ms for a newborn, when the switch of 0.1 ms is
 * over; 6.12 sets one to the slice, 0.7 ms, as it picks the task.
 */
TEST(the_timer_of_a_slice_is_set_when_the_switch_is_done_or_as_it_begins)
{
	static const struct {
		const char *release;
		u64 second_ns;
	} rows[] = { { "7.3", 450 * US }, { "6.12", 700 * US } };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		lab_init(&lab, 1, 250);
		lab_release(&lab, rows[i].release);
		policy_feature_set(&lab.setup.features, POLICY_HRTICK, true);
		lab.machine.costs.switch_ns = 100 * US;
		lab_runs(lab_task(&lab, "hog", 2, 1), 10 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].second_ns, lab_on_cpu(&lab, FIRST + 1, 0), "%s", rows[i].release);
		lab_fini(&lab);
	}
}
