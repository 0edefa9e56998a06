/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What 6.6 and 6.18 do otherwise than 6.12, worked out by hand.
 *
 * One CPU, no costs; the base slice is 0.75 ms in 6.6 and 0.7 ms in the others; tick 4 ms
 * unless said.  v is a task's vruntime, d its deadline, V their average, all in ms; a first
 * request is half a slice.
 */
#include "lab.h"

static void begin(struct lab *lab, const char *release, u32 hz)
{
	lab_init(lab, 1, hz);
	lab_release(lab, release);
}

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
 * HZ 1000, two hogs; b asks for 3 ms.  a 0-1, b from 1: it has v 0, d 1.5 (d 0.375 where it
 * asks in vain) and goes on until the tick of 3, or of 2.
 */
TEST(before_6_12_a_slice_is_asked_for_in_vain)
{
	static const struct {
		const char *release;
		bool custom;
		u64 back_ns;
	} rows[] = { { "6.6", false, 2 * MS },
		     { "6.6", true, 3 * MS },
		     { "6.12", false, 2 * MS },
		     { "6.12", true, 3 * MS },
		     { "6.18", true, 3 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, rows[i].release, 1000);
		lab_feature(&lab, POLICY_CUSTOM_SLICE, rows[i].custom);
		add(&lab, "a", 0, 9 * MS);
		add(&lab, "b", 0, 9 * MS)->attr.slice_ns = 3 * MS;
		run(&lab);
		CHECK_EQ(1 * MS, lab_on_cpu(&lab, FIRST + 1, 0), "row %zu", i);
		CHECK_EQ(rows[i].back_ns, lab_on_cpu(&lab, FIRST, 1), "row %zu", i);
		lab_fini(&lab);
	}
}

/* A hog with a slice of 10 ms, d 5; b wakes at 1, is placed at V 1 with d 1.7 (1.75 in 6.6). */
static u64 end_beside_a_long_slice(const char *release, bool merged, bool proposed)
{
	struct lab lab;
	u64 end_ns;

	begin(&lab, release, 250);
	lab_feature(&lab, POLICY_CUSTOM_SLICE, true);
	lab_feature(&lab, POLICY_PREEMPT_SHORT, merged);
	lab_feature(&lab, POLICY_PREEMPT_SHORT_RFC, proposed);
	add(&lab, "b", 1 * MS, 1 * MS);
	add(&lab, "hog", 0, 12 * MS)->attr.slice_ns = 10 * MS;
	run(&lab);
	end_ns = lab_end(&lab, FIRST);
	lab_fini(&lab);
	return end_ns;
}

/* Protected, the hog runs until the tick that finds v past 5, at 8. */
TEST(the_proposed_form_of_preempt_short)
{
	static const char *const releases[] = { "6.6", "6.12", "6.18" };

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		CHECK_EQ(9 * MS, end_beside_a_long_slice(releases[i], false, false), "%s",
			 releases[i]);
		CHECK_EQ(2 * MS, end_beside_a_long_slice(releases[i], false, true), "%s",
			 releases[i]);
	}
	CHECK_EQ(2 * MS, end_beside_a_long_slice("6.18", true, false));
}

/*
 * preempt_short_ends_an_unprotected_turn (test_features.c): at 25 b, ahead of V and without
 * protection, gives way; as proposed only a wakeup asks, so it goes on until its request ends.
 */
TEST(the_proposed_form_ends_no_turn)
{
	for (u32 rfc = 0; rfc < 2; rfc++) {
		struct lab lab;

		begin(&lab, "6.12", 1000);
		lab_feature(&lab, POLICY_PREEMPT_SHORT_RFC, rfc);
		add(&lab, "a", 0, 20 * MS)->attr.slice_ns = 8 * MS;
		add(&lab, "b", 0, 20 * MS)->attr.slice_ns = 4 * MS;
		run(&lab);
		CHECK_EQ(rfc ? 26 * MS : 25 * MS, lab_on_cpu(&lab, FIRST, 2), "rfc %u", rfc);
		lab_fini(&lab);
	}
}

/*
 * An idle hog, d 128, has v 68 at 0.2, where b wakes and is placed, too.  It is preempted, but
 * 6.6 leaves it its protection, and, at V, it is eligible: it is picked again.  At the tick it
 * is far ahead.
 */
TEST(in_6_6_a_preempted_idle_task_may_be_picked_again)
{
	static const struct {
		const char *release;
		u64 on_cpu_ns;
	} rows[] = { { "6.6", 4 * MS }, { "6.12", 200 * US }, { "6.18", 200 * US } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, rows[i].release, 250);
		add(&lab, "b", 200 * US, 1 * MS);
		add(&lab, "idle", 0, 12 * MS)->attr.policy = EVENT_POLICY_IDLE;
		run(&lab);
		CHECK_EQ(rows[i].on_cpu_ns, lab_on_cpu(&lab, FIRST, 1), "%s", rows[i].release);
		lab_fini(&lab);
	}
}

/*
 * a runs from 1, from v 0 say.  At 2 it wakes b (BATCH, nice 5: a slice is 2.2 of its time) and
 * yields.  b is at V 1, d 3.2; a has v 1, d 1.75 or 1.7.  6.6 makes that d 2.5: a is picked again
 * and runs until the tick.  Later ones make it v 1.7, past V: b runs.
 */
TEST(yielding_by_release)
{
	static const struct {
		const char *release;
		u64 on_cpu_ns;
	} rows[] = { { "6.6", 4 * MS }, { "6.12", 2 * MS }, { "6.18", 2 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;
		u32 sem;

		begin(&lab, rows[i].release, 250);
		sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
		task = lab_task(&lab, "b", 1, 1);
		task->attr.policy = EVENT_POLICY_BATCH;
		task->attr.nice = 5;
		lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
		lab_runs(task, 1 * MS);
		task = add(&lab, "a", 1 * MS, 1 * MS);
		lab_on(task, WORKLOAD_OP_SEM_POST, sem);
		lab_event(task, WORKLOAD_OP_YIELD, 0);
		lab_runs(task, 12 * MS);
		run(&lab);
		CHECK_EQ(rows[i].on_cpu_ns, lab_on_cpu(&lab, FIRST, 1), "%s", rows[i].release);
		lab_fini(&lab);
	}
}

/*
 * a runs, c waits with v 0, d 0.375.  b wakes at 1: V is 0.5, b has d 1.25; a was renewed by
 * the wakeup and must give way.  c has the earlier deadline; the buddy is b, which 6.6 heeds by
 * the feature that makes it.  Without one, c runs until the tick at 4.
 */
TEST(in_6_6_next_buddy_also_heeds_it)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		begin(&lab, "6.6", 250);
		lab_feature(&lab, POLICY_NEXT_BUDDY, on);
		add(&lab, "b", 1 * MS, 1 * MS);
		add(&lab, "a", 0, 12 * MS);
		add(&lab, "c", 0, 12 * MS);
		run(&lab);
		CHECK_EQ(on ? 1 * MS : 4 * MS, lab_on_cpu(&lab, FIRST, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * HZ 1000, slices 10 (a) and 2 ms (b); d 5 and 1.  b 0-1 (v 1, d 3), a from 1.  6.12 protects
 * it until its request ends, at 6.  6.18 for 2 ms, the shortest slice: at 3 V is 1.5, a has v 2
 * and gives way.  NO_RUN_TO_PARITY: for a base slice, so at 2, where both have v 1 and b has the
 * earlier deadline; 6.12 has nothing to end the turn.
 */
TEST(protection_by_release)
{
	static const struct {
		const char *release;
		bool parity;
		u64 back_ns;
	} rows[] = { { "6.12", true, 6 * MS },
		     { "6.12", false, 6 * MS },
		     { "6.18", true, 3 * MS },
		     { "6.18", false, 2 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, rows[i].release, 1000);
		lab_feature(&lab, POLICY_RUN_TO_PARITY, rows[i].parity);
		add(&lab, "a", 0, 12 * MS)->attr.slice_ns = 10 * MS;
		add(&lab, "b", 0, 12 * MS)->attr.slice_ns = 2 * MS;
		run(&lab);
		CHECK_EQ(rows[i].back_ns, lab_on_cpu(&lab, FIRST + 1, 1), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * HZ 1000.  a has a slice of 10 ms, d 5.  c (BATCH) is placed at 0.5 with d 1.2, b wakes at 1 at
 * V 0.75 with d 1.45.  Past a's protection c is picked, not b: b does not preempt, but a is now
 * protected for a base slice only, to 1.7: at 2 it gives way to c.  Else at 5.
 */
TEST(a_shorter_slice_that_is_not_picked_shortens_the_turn)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		begin(&lab, "6.18", 1000);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, on);
		add(&lab, "c", 500 * US, 1 * MS)->attr.policy = EVENT_POLICY_BATCH;
		add(&lab, "b", 1 * MS, 1 * MS);
		add(&lab, "a", 0, 12 * MS)->attr.slice_ns = 10 * MS;
		run(&lab);
		CHECK_EQ(on ? 2 * MS : 5 * MS, lab_on_cpu(&lab, FIRST, 1), "on %u", on);
		lab_fini(&lab);
	}
}

/*
 * On CPU 1 a has run alone from 0, v 1; w on CPU 0 wakes b there at 1, with a's deadline.  An
 * interrupt tells CPU 1; 6.18 waits for its next tick.
 */
TEST(another_cpus_wakeup_waits_for_the_tick_in_6_18)
{
	static const struct {
		const char *release;
		u64 on_cpu_ns;
	} rows[] = { { "6.6", 1 * MS }, { "6.12", 1 * MS }, { "6.18", 4 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;
		u32 sem;

		lab_init(&lab, 3, 250);
		lab_release(&lab, rows[i].release);
		sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
		task = lab_task(&lab, "b", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 1 << 1);
		lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
		lab_runs(task, 1 * MS);
		task = add(&lab, "w", 0, 1 * MS);
		task->attr.cpus = lab_cpus(&lab, 1 << 0);
		lab_on(task, WORKLOAD_OP_SEM_POST, sem);
		add(&lab, "a", 0, 20 * MS)->attr.cpus = lab_cpus(&lab, 1 << 1);
		run(&lab);
		CHECK_EQ(rows[i].on_cpu_ns, lab_on_cpu(&lab, FIRST, 1), "%s", rows[i].release);
		lab_fini(&lab);
	}
}
