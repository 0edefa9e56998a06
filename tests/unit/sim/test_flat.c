/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Release 7.3, by hand: one queue of tasks per CPU, protection up to parity, lazy preemption.
 *
 * No costs; times in ms.  v is a task's vruntime, d its deadline, V their average.  A first
 * request is half a slice.  Slices end at ticks where HRTICK is off.
 */
#include "lab.h"
#include "policy/flat.h"

static void begin(struct lab *lab, u32 nr_cpus, u32 hz)
{
	lab_init(lab, nr_cpus, hz);
	lab_release(lab, "7.3");
	lab_feature(lab, POLICY_HRTICK, false);
}

/* A thread bound to one CPU that asks for @slice_ns at a time; 0: the base slice. */
static struct workload_task *bound(struct lab *lab, const char *name, u32 cpu, u64 slice_ns)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.cpus = lab_cpus(lab, 1u << cpu);
	task->attr.slice_ns = slice_ns;
	return task;
}

static void run(struct lab *lab)
{
	enum err_code code = lab_run(lab);

	CHECK_EQ(OK, code, "%s", lab->err.what);
}

/*
 * HZ 1000, base slice 0.7.  a and b start at v 0, d 0.35.  At the tick of 1 a is past its
 * deadline, and at 1 beyond V 0.5: b runs to the tick of 2, and so on.
 */
TEST(equal_hogs_take_turns_at_each_tick)
{
	struct lab lab;

	begin(&lab, 1, 1000);
	lab_runs(bound(&lab, "a", 0, 0), 3 * MS);
	lab_runs(bound(&lab, "b", 0, 0), 3 * MS);
	run(&lab);
	for (u32 i = 0; i < 3; i++) {
		CHECK_EQ(2 * i * MS, lab_on_cpu(&lab, FIRST, i));
		CHECK_EQ((2 * i + 1) * MS, lab_on_cpu(&lab, FIRST + 1, i));
	}
	lab_fini(&lab);
}

/* a hog with a slice of 10; s, of slice 1, sleeps at once and wakes at 2. */
static u64 end_of_short(bool preempt_short, bool run_to_parity)
{
	struct workload_task *task;
	struct lab lab;
	u64 end_ns;

	begin(&lab, 1, 250);
	lab_feature(&lab, POLICY_PREEMPT_SHORT, preempt_short);
	lab_feature(&lab, POLICY_RUN_TO_PARITY, run_to_parity);
	lab_runs(bound(&lab, "a", 0, 10 * MS), 20 * MS);
	task = bound(&lab, "s", 0, 1 * MS);
	lab_sleeps(task, 2 * MS);
	lab_runs(task, 1 * MS);
	run(&lab);
	end_ns = lab_end(&lab, FIRST + 1);
	lab_fini(&lab);
	return end_ns;
}

/*
 * At 2 a has v 2, d 5 and is protected up to that; s is placed at V 2 with d 3.  Its slice is
 * shorter, so protection does not count, and it runs 2-3.  Without, a stays; but its
 * protection is cut to one slice of s, up to 3, so that s runs at the tick of 4.
 */
TEST(preempt_short)
{
	CHECK_EQ(3 * MS, end_of_short(true, true));
	CHECK_EQ(5 * MS, end_of_short(false, true));
}

/* a is only protected for 0.7: at 2 it is not. */
TEST(run_to_parity)
{
	CHECK_EQ(3 * MS, end_of_short(false, false));
}

/*
 * Two hogs, a of slice 10, s of slice 1.  s (d 0.5) runs first, to the tick of 4: v 4, d 5.
 * Then a (v 0, d 5), protected up to parity with s, just past v 4, which the tick of 8 finds
 * it at.  At 12 its request is used up.  Without PREEMPT_SHORT it is protected for 1, and at 8
 * both have v 4, d 5: s, which waits, goes first.
 */
TEST(protection_lasts_up_to_parity)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, on);
		lab_runs(bound(&lab, "a", 0, 10 * MS), 20 * MS);
		lab_runs(bound(&lab, "s", 0, 1 * MS), 20 * MS);
		run(&lab);
		CHECK_EQ(4 * MS, lab_on_cpu(&lab, FIRST, 0));
		CHECK_EQ(on ? 12 * MS : 8 * MS, lab_on_cpu(&lab, FIRST + 1, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * A thread that a timer of CPU 0 wakes at @at_ns, and that runs @run_ns; it is there at 0,
 * too, for no time.
 */
static struct workload_task *late(struct lab *lab, const char *name, u64 at_ns, u64 run_ns)
{
	struct workload_task *task = bound(lab, name, 0, 0);

	task->delay_ns = at_ns;
	lab_runs(task, run_ns);
	return task;
}

/*
 * a runs from 0, c waits with v 0, d 0.35.  s wakes at 1, V 0.5, with a slice of 0.2: d 0.7.
 * It is eligible, so a gives way although c would be picked; being named as the next, s runs.
 * Else c does, to the tick of 4, and then s.
 */
TEST(a_shorter_slice_makes_a_buddy)
{
	static const struct {
		bool preempt_short, pick_buddy;
		u64 want_ns;
	} rows[] = { { true, true, 1 * MS }, { true, false, 4 * MS }, { false, true, 4 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, rows[i].preempt_short);
		lab_feature(&lab, POLICY_PICK_BUDDY, rows[i].pick_buddy);
		lab_runs(bound(&lab, "a", 0, 0), 20 * MS);
		late(&lab, "s", 1 * MS, 1 * MS)->attr.slice_ns = 200 * US;
		lab_runs(bound(&lab, "c", 0, 0), 20 * MS);
		run(&lab);
		CHECK_EQ(rows[i].want_ns, lab_on_cpu(&lab, FIRST + 1, 1), "row %zu", i);
		lab_fini(&lab);
	}
}

/* The same with a base slice, d 1.2: it is named only with NEXT_BUDDY. */
TEST(next_buddy)
{
	static const struct {
		bool next_buddy, pick_buddy;
		u64 want_ns;
	} rows[] = { { true, true, 1 * MS }, { true, false, 4 * MS }, { false, true, 4 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_NEXT_BUDDY, rows[i].next_buddy);
		lab_feature(&lab, POLICY_PICK_BUDDY, rows[i].pick_buddy);
		late(&lab, "b", 1 * MS, 1 * MS);
		lab_runs(bound(&lab, "a", 0, 0), 20 * MS);
		lab_runs(bound(&lab, "c", 0, 0), 20 * MS);
		run(&lab);
		CHECK_EQ(rows[i].want_ns, lab_on_cpu(&lab, FIRST, 1), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * The same woken by a, within a slice of 10, which then goes on.  By a pipe it says that it is
 * about to sleep: b becomes the buddy and, with its earlier deadline, might preempt, but not
 * before the threshold, and a was charged just now: at the tick.  c, d 0.35, has gone 0-4.
 */
TEST(next_buddy_waits_for_a_waker_that_will_sleep)
{
	static const struct {
		enum workload_op wait, wake;
		u32 migration_cost_ns;
		u64 want_ns;
	} rows[] = {
		{ WORKLOAD_OP_SEM_WAIT, WORKLOAD_OP_SEM_POST, 500000, 4300 * US },
		{ WORKLOAD_OP_PIPE_READ, WORKLOAD_OP_PIPE_WRITE, 500000, 8 * MS },
		{ WORKLOAD_OP_PIPE_READ, WORKLOAD_OP_PIPE_WRITE, 0, 4300 * US },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;
		u32 object;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_NEXT_BUDDY, true);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, false);
		lab_feature(&lab, POLICY_RUN_TO_PARITY, false);
		lab.setup.tunables.migration_cost_ns = rows[i].migration_cost_ns;
		object = lab_object(&lab, i ? WORKLOAD_OBJECT_PIPE : WORKLOAD_OBJECT_SEM, 0, false);
		task = lab_task(&lab, "b", 1, 1);
		lab_on(task, rows[i].wait, object);
		lab_runs(task, 1 * MS);
		task = bound(&lab, "a", 0, 10 * MS);
		lab_runs(task, 300 * US);
		lab_on(task, rows[i].wake, object);
		lab_runs(task, 19 * MS);
		lab_runs(bound(&lab, "c", 0, 0), 20 * MS);
		run(&lab);
		CHECK_EQ(rows[i].want_ns, lab_on_cpu(&lab, FIRST, 1), "row %zu", i);
		lab_fini(&lab);
	}
}

/* Beside a hog with v 1 and, renewed, d 1.7, b at V 1 has d 1.7, too: 1-2, else 4-5. */
TEST(wakeup_preemption)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_WAKEUP_PREEMPTION, on);
		late(&lab, "b", 1 * MS, 1 * MS);
		lab_runs(bound(&lab, "a", 0, 0), 20 * MS);
		run(&lab);
		CHECK_EQ(on ? 2 * MS : 5 * MS, lab_end(&lab, FIRST), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * A slice of 10 protects a hog up to 5, which the waking b cuts to 1.7: 4-5.  SCHED_IDLE is
 * no protection: 1-2.
 */
TEST(an_idle_task_gives_way_at_once)
{
	for (u32 idle = 0; idle < 2; idle++) {
		struct lab lab;
		struct workload_task *task;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, false);
		late(&lab, "b", 1 * MS, 1 * MS);
		task = bound(&lab, "a", 0, 10 * MS);
		task->attr.policy = idle ? EVENT_POLICY_IDLE : EVENT_POLICY_NORMAL;
		lab_runs(task, 12 * MS);
		run(&lab);
		CHECK_EQ(idle ? 2 * MS : 5 * MS, lab_end(&lab, FIRST), "idle %u", idle);
		lab_fini(&lab);
	}
}

/*
 * a runs 0-2 and sleeps, v 2, V 1: in debt.  Delayed it keeps its place, and d 2.7; at the
 * tick of 4 b has v 2, d 2.7, and a, awake since 3, goes first.  Dequeued with a lag of -1 it
 * is placed at v 3 when it wakes, and V gets there by the tick of 8.
 */
TEST(delay_dequeue)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_DELAY_DEQUEUE, on);
		task = bound(&lab, "a", 0, 0);
		lab_runs(task, 2 * MS);
		lab_sleeps(task, 1 * MS);
		lab_runs(task, 1 * MS);
		lab_runs(bound(&lab, "b", 0, 0), 20 * MS);
		run(&lab);
		CHECK_EQ(on ? 5 * MS : 9 * MS, lab_end(&lab, FIRST), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * HZ 100.  a runs 0-2 and is delayed with v 2; b, of slice 20, has d 10.  a wakes at 8: b has
 * v 6, V is 4, and a has a lag of 2.  With DELAY_ZERO it is placed anew at b's v; it runs 8-10
 * and has had more than b.  Without, it has v 4 at 10, is still behind, and runs up to 20.
 */
TEST(delay_zero)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		begin(&lab, 1, 100);
		lab_feature(&lab, POLICY_DELAY_ZERO, on);
		task = bound(&lab, "a", 0, 0);
		lab_runs(task, 2 * MS);
		lab_sleeps(task, 6 * MS);
		lab_runs(task, 40 * MS);
		lab_runs(bound(&lab, "b", 0, 20 * MS), 40 * MS);
		run(&lab);
		CHECK_EQ(8 * MS, lab_on_cpu(&lab, FIRST, 1), "on %u", on);
		CHECK_EQ(on ? 10 * MS : 20 * MS, lab_on_cpu(&lab, FIRST + 1, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * a runs 0-4.  b runs 4-5 and sleeps with v 1, V 2.5: a lag of 1.5.  It wakes at 8.3, when a
 * has v 7.3, and d 7.7 since the tick of 8.  With its lag, twice as a is all there is, it is
 * placed at 4.3, d 5, and runs at once; else at 7.3, d 8, and a stays to the tick of 12.
 */
TEST(place_lag)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_PLACE_LAG, on);
		lab_runs(bound(&lab, "a", 0, 0), 20 * MS);
		task = bound(&lab, "b", 0, 0);
		lab_runs(task, 1 * MS);
		lab_sleeps(task, 3300 * US);
		lab_runs(task, 1 * MS);
		run(&lab);
		CHECK_EQ(on ? 9300 * US : 13 * MS, lab_end(&lab, FIRST + 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * c and a have slices of 10.  c runs 0-8 (v 8, d 18), then a (d 5).  At 10 an attribute of a
 * changes: v 2, d 5, or anew d 12.  b (BATCH, slice 1) wakes at 10.5: at V 5.25, d 6.25, and
 * cuts a's protection to v 3.5.  At the tick of 12 a, with v 4, is eligible like b; with d 5
 * it goes on up to the tick of 16, with d 12 it gives way.
 */
TEST(place_rel_deadline)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		begin(&lab, 1, 250);
		lab_feature(&lab, POLICY_PLACE_REL_DEADLINE, on);
		lab_runs(bound(&lab, "c", 0, 10 * MS), 20 * MS);
		task = late(&lab, "b", 10500 * US, 1 * MS);
		task->attr.policy = EVENT_POLICY_BATCH;
		task->attr.slice_ns = 1 * MS;
		task = bound(&lab, "a", 0, 10 * MS);
		lab_runs(task, 2 * MS);
		lab_phase(task, 1)->util_min = 1;
		lab_runs(task, 20 * MS);
		run(&lab);
		CHECK_EQ(8 * MS, lab_on_cpu(&lab, FIRST + 2, 0), "on %u", on);
		CHECK_EQ(on ? 16 * MS : 12 * MS, lab_on_cpu(&lab, FIRST + 1, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * HZ 1000, slices of 10.  b runs 0-5: v 5, d 15.  a, d 5, yields at 6, where it has v 1 and is
 * eligible: the rest of its request is forfeited, so v 5, d 15, and b is first.
 */
TEST(yielding_forfeits_the_request)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 1, 1000);
	lab_runs(bound(&lab, "b", 0, 10 * MS), 20 * MS);
	task = bound(&lab, "a", 0, 10 * MS);
	lab_runs(task, 1 * MS);
	lab_event(task, WORKLOAD_OP_YIELD, 0);
	lab_runs(task, 20 * MS);
	run(&lab);
	CHECK_EQ(5 * MS, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK_EQ(6 * MS, lab_on_cpu(&lab, FIRST, 1));
	lab_fini(&lab);
}

/*
 * On CPU 1 a has run alone from 0; s waits for a semaphore that w, on CPU 0, posts at 1.
 * There a has v 1, and, renewed, d 2.4 (base slice 1.4), not protected; s at V 1 has the same
 * deadline and preempts.
 */
static struct workload_task *wake_across(struct lab *lab, const char *release)
{
	struct workload_task *task;
	u32 sem;

	begin(lab, 3, 250);
	lab_release(lab, release);
	lab_feature(lab, POLICY_HRTICK, false);
	sem = lab_object(lab, WORKLOAD_OBJECT_SEM, 0, false);
	task = bound(lab, "s", 1, 0);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
	lab_runs(task, 1 * MS);
	task = bound(lab, "w", 0, 0);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	return bound(lab, "a", 1, 0);
}

/* a is not interrupted for it: the tick of 4 is the first that it notices. */
TEST(another_cpus_wakeup_waits_for_the_tick)
{
	struct lab lab;

	lab_runs(wake_across(&lab, "7.3"), 20 * MS);
	run(&lab);
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* 6.12 sends an interrupt. */
TEST(another_cpus_wakeup_does_not_wait_where_preemption_is_not_lazy)
{
	struct lab lab;

	lab_runs(wake_across(&lab, "6.12"), 20 * MS);
	run(&lab);
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* a makes a system call at 2.5; on its way out it gives way. */
TEST(a_system_call_notices_what_another_cpu_asked_for)
{
	struct workload_task *task;
	struct lab lab;
	u32 sem;

	task = wake_across(&lab, "7.3");
	sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
	lab_runs(task, 2500 * US);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	lab_runs(task, 20 * MS);
	run(&lab);
	CHECK_EQ(3500 * US, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* One run after the other is not: it stays in user mode. */
TEST(going_on_with_work_is_no_system_call)
{
	struct workload_task *task;
	struct lab lab;

	task = wake_across(&lab, "7.3");
	lab_runs(task, 2500 * US);
	lab_runs(task, 20 * MS);
	run(&lab);
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* The interrupt of a's own CPU, s's timer at 1, ends in the scheduler. */
TEST(an_interrupt_of_the_same_cpu_preempts_at_once)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 2, 250);
	task = bound(&lab, "s", 1, 0);
	lab_sleeps(task, 1 * MS);
	lab_runs(task, 1 * MS);
	lab_runs(bound(&lab, "a", 1, 0), 20 * MS);
	run(&lab);
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * A wakeup takes 2 of the waker.  a wakes x, on CPU 2, at 0.5 and is in the kernel up to 2.5;
 * at 1 w wakes s, and a gives way at 2.5, not at the tick of 4.
 */
TEST(who_is_in_the_kernel_gives_way_on_the_way_out)
{
	struct workload_task *task;
	struct lab lab;
	u32 sem;

	wake_across(&lab, "7.3");
	sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
	lab_on(bound(&lab, "x", 2, 0), WORKLOAD_OP_SEM_WAIT, sem);
	task = &lab.workload->tasks.at[2];
	lab_runs(task, 500 * US);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	lab_runs(task, 20 * MS);
	lab.machine.costs.wakeup_ns = 2 * MS;
	run(&lab);
	CHECK_EQ(2500 * US, lab_on_cpu(&lab, FIRST, 1));
	lab_fini(&lab);
}

/*
 * HZ 250, base slice 0.7, HRTICK.  a and b start with d 0.35.  a gives way at 0.35, where V is
 * 0.175.  b runs up to its deadline, 0.35-0.7.  a then has d 1.05, and 0.7 to go, and so on.
 */
TEST(a_slice_timer_ends_requests_where_they_end)
{
	static const u64 want_us[] = { 350, 700, 1400, 2100, 2800 };
	struct lab lab;

	begin(&lab, 1, 250);
	lab_feature(&lab, POLICY_HRTICK, true);
	lab_runs(bound(&lab, "a", 0, 0), 3 * MS);
	lab_runs(bound(&lab, "b", 0, 0), 3 * MS);
	run(&lab);
	for (u32 i = 0; i < ARRAY_SIZE(want_us); i++)
		CHECK_EQ(want_us[i] * US, lab_on_cpu(&lab, FIRST + 1 - (i & 1), (i + 1) / 2),
			 "turn %u", i);
	lab_fini(&lab);
}

/* The same for nice 5: what is rounded does not leave a request unfinished for want of a ns. */
TEST(other_weights_end_by_the_timer_too)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 1, 250);
	lab_feature(&lab, POLICY_HRTICK, true);
	task = bound(&lab, "a", 0, 0);
	task->attr.nice = 5;
	lab_runs(task, 20 * MS);
	task = bound(&lab, "b", 0, 0);
	task->attr.nice = 5;
	lab_runs(task, 20 * MS);
	run(&lab);
	/* half a slice first, then whole ones; less than 1 us late each time */
	CHECK_EQ(350, lab_on_cpu(&lab, FIRST + 1, 0) / US);
	CHECK_EQ(700, lab_on_cpu(&lab, FIRST, 1) / US);
	CHECK_EQ(1400, lab_on_cpu(&lab, FIRST + 1, 1) / US);
	CHECK_EQ(2100, lab_on_cpu(&lab, FIRST, 2) / US);
	lab_fini(&lab);
}

/*
 * Another CPU's wakeup makes a second task: setting its timer interrupts a, which gives way on
 * its way out, as s has a shorter slice.  Without a timer it does at the tick.
 */
TEST(setting_another_cpus_slice_timer_is_an_interrupt_there)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		lab_runs(wake_across(&lab, "7.3"), 20 * MS);
		lab_feature(&lab, POLICY_HRTICK, on);
		lab.workload->tasks.at[0].attr.slice_ns = 500 * US;
		run(&lab);
		CHECK_EQ(on ? 1 * MS : 4 * MS, lab_on_cpu(&lab, FIRST, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * a and s (slice 0.5) begin on CPU 1; s, first with d 0.25, goes to sleep at once.  The timer
 * that was set for it is not taken back: it makes a, alone now, account at 0.25.
 */
TEST(a_slice_timer_outlives_its_task)
{
	struct lab lab;

	lab_runs(wake_across(&lab, "7.3"), 20 * MS);
	lab_feature(&lab, POLICY_HRTICK, true);
	lab.workload->tasks.at[0].attr.slice_ns = 500 * US;
	run(&lab);
	CHECK_EQ(250 * US, lab_when(&lab, EVENT_RUNTIME, FIRST + 2, 0));
	lab_fini(&lab);
}

/* An endless thread of a group (-1: the root), bound to @cpus. */
static void hog(struct lab *lab, const char *name, u32 cpus, s64 cgroup, s32 nice)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.cpus = lab_cpus(lab, cpus);
	task->attr.cgroup = cgroup;
	task->attr.nice = nice;
	lab_runs(task, 1000 * S);
}

/* Thread @nr ran @part of @whole of CPU time @of_ns, within 1 % and a tick. */
static void check_share(const struct lab *lab, u32 nr, u64 part, u64 whole, u64 of_ns)
{
	u64 want_ns = of_ns * part / whole, ran_ns = lab_ran_ns(lab, FIRST + (s32)nr);
	u64 apart_ns = ran_ns > want_ns ? ran_ns - want_ns : want_ns - ran_ns;

	CHECK(apart_ns <= want_ns / 100 + 1 * MS, "thread %u: %llu of %llu ns", nr, ran_ns,
	      want_ns);
}

TEST(nice_values_share_by_weight)
{
	struct lab lab;

	begin(&lab, 1, 1000);
	lab.setup.duration_ns = 30 * S;
	hog(&lab, "a", 1, -1, 0);
	hog(&lab, "b", 1, -1, 5);
	hog(&lab, "c", 1, -1, -5);
	run(&lab);
	check_share(&lab, 0, 1024, 1024 + 335 + 3121, 30 * S);
	check_share(&lab, 1, 335, 1024 + 335 + 3121, 30 * S);
	check_share(&lab, 2, 3121, 1024 + 335 + 3121, 30 * S);
	lab_fini(&lab);
}

/* One CPU, so a group's shares count once: 1/2 for the root's, 1/4 for each of the group. */
TEST(threads_of_a_group_share_what_the_group_has)
{
	struct lab lab;
	s64 group;

	begin(&lab, 1, 1000);
	lab.setup.duration_ns = 30 * S;
	group = lab_group(&lab, -1, 100);
	hog(&lab, "root", 1, -1, 0);
	hog(&lab, "a", 1, group, 0);
	hog(&lab, "b", 1, group, 0);
	run(&lab);
	check_share(&lab, 0, 1, 2, 30 * S);
	check_share(&lab, 1, 1, 4, 30 * S);
	check_share(&lab, 2, 1, 4, 30 * S);
	lab_fini(&lab);
}

/* In outer (1/2): inner with three times the weight of t, so u 3/8 and t 1/8. */
TEST(nested_groups_share_level_by_level)
{
	struct lab lab;
	s64 outer, inner;

	begin(&lab, 1, 1000);
	lab.setup.duration_ns = 30 * S;
	outer = lab_group(&lab, -1, 100);
	inner = lab_group(&lab, outer, 300);
	hog(&lab, "root", 1, -1, 0);
	hog(&lab, "t", 1, outer, 0);
	hog(&lab, "u", 1, inner, 0);
	run(&lab);
	check_share(&lab, 0, 4, 8, 30 * S);
	check_share(&lab, 1, 1, 8, 30 * S);
	check_share(&lab, 2, 3, 8, 30 * S);
	lab_fini(&lab);
}

/*
 * Threads count by their average, which for one that always runs stays below 1024, and whole
 * ones are counted: four are three, and the two CPUs bound that.  The shares count twice,
 * split by load that is 1024 on each, so that the root's thread has half of CPU 0.  With 6.12
 * it has two thirds.
 */
TEST(a_group_on_two_cpus_weighs_all_its_shares_on_each)
{
	struct lab lab;
	s64 group;

	begin(&lab, 2, 1000);
	lab.setup.duration_ns = 30 * S;
	group = lab_group(&lab, -1, 100);
	hog(&lab, "a", 1 << 0, group, 0);
	hog(&lab, "b", 1 << 1, group, 0);
	hog(&lab, "c", 1 << 0, group, 0);
	hog(&lab, "d", 1 << 1, group, 0);
	hog(&lab, "root", 1 << 0, -1, 0);
	run(&lab);
	check_share(&lab, 0, 1, 4, 30 * S);
	check_share(&lab, 1, 1, 2, 30 * S);
	check_share(&lab, 4, 1, 2, 30 * S);
	lab_fini(&lab);
}

/*
 * Three on CPU 0, of two, count as two: the group weighs 2048 there.  A cpuset of one CPU makes
 * that 1024.
 */
TEST(a_cpuset_bounds_how_often_shares_count)
{
	for (u32 set = 0; set < 2; set++) {
		struct lab lab;
		s64 group;

		begin(&lab, 2, 1000);
		lab.setup.duration_ns = 30 * S;
		group = lab_group(&lab, -1, 100);
		if (set)
			lab.workload->cgroups.at[group].cpus = lab_cpus(&lab, 1);
		hog(&lab, "a", 1, group, 0);
		hog(&lab, "b", 1, group, 0);
		hog(&lab, "c", 1, group, 0);
		hog(&lab, "root", 1, -1, 0);
		run(&lab);
		check_share(&lab, 0, 2, set ? 12 : 9, 30 * S);
		check_share(&lab, 3, 1, set ? 2 : 3, 30 * S);
		lab_fini(&lab);
	}
}

/*
 * A task in A beside three in B on two CPUs, those of A and one of B on CPU 0.  Each group's
 * shares, 1024, by mode:
 *
 *   smp     A has 1024 there, B 1024 / 3: A runs 3/4 of CPU 0
 *   up      1024 each: half
 *   concur  A counts once, B's three twice: 2048 / 3: A runs 3/5
 *   tasks   the same
 *   max     A 2048, B 2048 / 3: 3/4
 */
TEST(a_mode_says_what_shares_are_worth)
{
	static const struct {
		u32 mode, part, whole;
	} rows[] = {
		{ POLICY_CGROUP_SMP, 3, 4 },    { POLICY_CGROUP_UP, 1, 2 },
		{ POLICY_CGROUP_CONCUR, 3, 5 }, { POLICY_CGROUP_TASKS, 3, 5 },
		{ POLICY_CGROUP_MAX, 3, 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		s64 a, b;

		begin(&lab, 2, 1000);
		lab.setup.cgroup_mode = rows[i].mode;
		lab.setup.duration_ns = 30 * S;
		a = lab_group(&lab, -1, 100);
		b = lab_group(&lab, -1, 100);
		hog(&lab, "a", 1 << 0, a, 0);
		hog(&lab, "b", 1 << 0, b, 0);
		hog(&lab, "c", 1 << 1, b, 0);
		hog(&lab, "d", 1 << 1, b, 0);
		run(&lab);
		check_share(&lab, 0, rows[i].part, rows[i].whole, 30 * S);
		lab_fini(&lab);
	}
}
