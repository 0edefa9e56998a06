/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each feature switched: a workload whose outcome, worked out by hand, depends on it.
 *
 * One CPU, no costs, base slice 0.7 ms, tick 4 ms unless said.  v is a task's vruntime, d its
 * deadline, V their average, all in ms; all weights are equal.  A first request is half a
 * slice.
 */
#include "lab.h"

static struct workload_task *add(struct lab *lab, const char *name, u64 delay_ns, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->delay_ns = delay_ns;
	lab_runs(task, run_ns);
	return task;
}

static void run(struct lab *lab)
{
	CHECK_EQ(OK, lab_run(lab));
}

/*
 * a: 0-4.  b: 4-5, sleeps with V 2.5, v 1, so a lag of 1.5; wakes at 8.3, when a has v 7.3
 * and, renewed at the tick, d 7.7.  With its lag (times 2, as a stays) b is placed at 4.3,
 * d 5: it runs at once.  Without at 7.3, d 8: a goes on until the tick at 12.
 */
TEST(place_lag)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 250);
		lab_feature(&lab, POLICY_PLACE_LAG, on);
		add(&lab, "a", 0, 20 * MS);
		task = add(&lab, "b", 0, 1 * MS);
		lab_sleeps(task, 3300 * US);
		lab_runs(task, 1 * MS);
		run(&lab);
		CHECK_EQ(on ? 9300 * US : 13 * MS, lab_end(&lab, FIRST + 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * The parent was renewed at the tick of 4, d 4.7, and forks at 4.2.  The child at V 4.2 has d
 * 4.55 with half a slice: it runs first, 4.2-6.2.  With a whole one 4.9: second.
 */
TEST(place_deadline_initial)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 250);
		lab_feature(&lab, POLICY_PLACE_DEADLINE_INITIAL, on);
		task = add(&lab, "parent", 0, 4200 * US);
		lab_event(task, WORKLOAD_OP_FORK, 0)->target = 1;
		lab_runs(task, 1 * MS);
		add(&lab, "child", 0, 2 * MS)->instances = 0;
		run(&lab);
		CHECK_EQ(on ? 7200 * US : 5200 * US, lab_end(&lab, FIRST), "on %u", on);
		CHECK_EQ(on ? 6200 * US : 7200 * US, lab_end(&lab, FIRST + 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * HZ 1000.  a has a slice of 10 ms, its first request ends at d 5; b (BATCH) waits from 1.  An
 * attribute of a changes at 2, so it is queued anew: with the rest of its request it gives way
 * at the tick of 5, without it asks for 10 more from 2.
 */
TEST(place_rel_deadline)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 1000);
		lab_feature(&lab, POLICY_PLACE_REL_DEADLINE, on);
		add(&lab, "b", 1 * MS, 1 * MS)->attr.policy = EVENT_POLICY_BATCH;
		task = add(&lab, "a", 0, 2 * MS);
		task->attr.slice_ns = 10 * MS;
		lab_phase(task, 1)->util_min = 1;
		lab_runs(task, 20 * MS);
		run(&lab);
		CHECK_EQ(on ? 5 * MS : 12 * MS, lab_on_cpu(&lab, FIRST, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/* A hog with a slice of 10 ms, d 5; b wakes at 1, is placed at V 1 with d 1.7. */
static u64 end_beside_a_long_slice(bool parity, bool preempt_short)
{
	struct lab lab;
	u64 end_ns;

	lab_init(&lab, 1, 250);
	lab_feature(&lab, POLICY_RUN_TO_PARITY, parity);
	lab_feature(&lab, POLICY_PREEMPT_SHORT, preempt_short);
	add(&lab, "b", 1 * MS, 1 * MS);
	add(&lab, "hog", 0, 12 * MS)->attr.slice_ns = 10 * MS;
	run(&lab);
	end_ns = lab_end(&lab, FIRST);
	lab_fini(&lab);
	return end_ns;
}

/* Protected, the hog runs until the tick that finds v past 5, at 8; else b's d is earlier. */
TEST(run_to_parity)
{
	CHECK_EQ(9 * MS, end_beside_a_long_slice(true, false));
	CHECK_EQ(2 * MS, end_beside_a_long_slice(false, false));
}

TEST(preempt_short)
{
	CHECK_EQ(2 * MS, end_beside_a_long_slice(true, true));
	CHECK_EQ(9 * MS, end_beside_a_long_slice(true, false));
}

/*
 * PREEMPT_SHORT also ends a turn early.  HZ 1000, slices 8 (a) and 4 ms (b); first requests
 * are halves.  b 0-2 (v 2, d 6), a 2-6 (v 4, d 12), b 6-10 (v 6, d 10), a 10-18 (v 12, d 20),
 * b from 18.  At 22 b is renewed, v 10, d 14, but V is 11 and a ahead of it: b goes on, now
 * without protection.  At 25 it has v 13, V 12.5: it is ahead and gives way.  Without the
 * feature it does at 26, where its request ends.
 */
TEST(preempt_short_ends_an_unprotected_turn)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		lab_init(&lab, 1, 1000);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, on);
		add(&lab, "a", 0, 20 * MS)->attr.slice_ns = 8 * MS;
		add(&lab, "b", 0, 20 * MS)->attr.slice_ns = 4 * MS;
		run(&lab);
		CHECK_EQ(2 * MS, lab_on_cpu(&lab, FIRST, 0), "on %u", on);
		CHECK_EQ(10 * MS, lab_on_cpu(&lab, FIRST, 1), "on %u", on);
		CHECK_EQ(on ? 25 * MS : 26 * MS, lab_on_cpu(&lab, FIRST, 2), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * a runs, c waits with v 0, d 0.35.  b wakes at 1: V is 0.5, b has d 1.2; a was renewed by the
 * wakeup and must give way.  c has the earlier deadline; the buddy is b.  Without one, c runs
 * until the tick at 4, where V is 1.5 and b's d 1.2 comes before a's 1.7.
 */
TEST(next_buddy_and_pick_buddy)
{
	static const struct {
		bool next, pick;
		u64 on_cpu_ns;
	} rows[] = { { true, true, 1 * MS }, { false, true, 4 * MS }, { true, false, 4 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		lab_init(&lab, 1, 250);
		lab_feature(&lab, POLICY_NEXT_BUDDY, rows[i].next);
		lab_feature(&lab, POLICY_PICK_BUDDY, rows[i].pick);
		add(&lab, "b", 1 * MS, 1 * MS);
		add(&lab, "a", 0, 12 * MS);
		add(&lab, "c", 0, 12 * MS);
		run(&lab);
		CHECK_EQ(rows[i].on_cpu_ns, lab_on_cpu(&lab, FIRST, 1), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * a: 0-2, sleeps in debt: v 2, V 1; wakes at 3.  Delayed it has stayed at v 2, d 2.7: at the
 * tick of 4, b has v 2, d 2.7, too, and a is taken: 4-5.  Dequeued with a lag of -1 it is
 * placed at 1 + 2 = 3: at 4 V is 2.5, at 8 V is 4.5: 8-9.
 */
TEST(delay_dequeue)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 250);
		lab_feature(&lab, POLICY_DELAY_DEQUEUE, on);
		task = add(&lab, "a", 0, 2 * MS);
		lab_sleeps(task, 1 * MS);
		lab_runs(task, 1 * MS);
		add(&lab, "b", 0, 20 * MS);
		run(&lab);
		CHECK_EQ(on ? 5 * MS : 9 * MS, lab_end(&lab, FIRST), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * HZ 100, NO_PREEMPT_SHORT; b has a slice of 20 ms, d 10.  a: 0-2, delayed with v 2.  c (BATCH)
 * wakes at 7: b has v 5, c is placed at V 3.5, d 4.2.  a wakes at 8, when V is 3.5 as of 7: a
 * lag of 1.5.  DELAY_ZERO: it is placed anew at the others' V, 4.25, d 4.95; c is before it, so
 * b goes on until the tick of 20, then c, then a.  Else a has d 2.7, before c, and b, with v 6
 * ahead of V 3.8, has no protection: a runs at 8.
 */
TEST(delay_zero)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 100);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, false);
		lab_feature(&lab, POLICY_DELAY_ZERO, on);
		add(&lab, "c", 7 * MS, 1 * MS)->attr.policy = EVENT_POLICY_BATCH;
		task = add(&lab, "a", 0, 2 * MS);
		lab_sleeps(task, 6 * MS);
		lab_runs(task, 1 * MS);
		add(&lab, "b", 0, 40 * MS)->attr.slice_ns = 20 * MS;
		run(&lab);
		CHECK_EQ(on ? 21 * MS : 8 * MS, lab_on_cpu(&lab, FIRST + 1, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/* Woken at 1 beside a hog of d 1.7, b has d 1.7: 1-2; else it waits for the tick: 4-5. */
TEST(wakeup_preemption)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		lab_init(&lab, 1, 250);
		lab_feature(&lab, POLICY_WAKEUP_PREEMPTION, on);
		add(&lab, "b", 1 * MS, 1 * MS);
		add(&lab, "hog", 0, 12 * MS);
		run(&lab);
		CHECK_EQ(on ? 2 * MS : 5 * MS, lab_end(&lab, FIRST), "on %u", on);
		lab_fini(&lab);
	}
}

/* An idle CPU queues what is woken for it itself, in its interrupt; else the waker does. */
TEST(ttwu_queue)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;
		u32 sem;

		lab_init(&lab, 2, 250);
		lab_feature(&lab, POLICY_TTWU_QUEUE, on);
		sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
		lab_on(add(&lab, "waker", 0, 2 * MS), WORKLOAD_OP_SEM_POST, sem);
		task = add(&lab, "wakee", 0, 1 * MS);
		lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
		run(&lab);
		CHECK_EQ(0, lab_find(&lab, EVENT_WAKING, FIRST + 1, 0)->cpu, "on %u", on);
		CHECK_EQ(on, lab_find(&lab, EVENT_WAKEUP, FIRST + 1, 0)->cpu, "on %u", on);
		lab_fini(&lab);
	}
}
