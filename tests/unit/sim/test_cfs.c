/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Release 6.1 on costless CPUs, worked out by hand.
 *
 * On one CPU the latency is 6 ms, the minimal granularity 0.75 ms, the wakeup granularity
 * 1 ms; on eight they are 24, 3 and 4 ms.  Tasks that are there at the start were forked by
 * nobody: with START_DEBIT the first is placed at its slice of 6 ms, the second at 3 ms, so
 * that of two the second begins.  Slices are 2 ns short of that: two hogs have 2.999998 ms.
 */
#include "base/rng.h"
#include "lab.h"
#include "sim/internal.h"

#define A (FIRST)
#define B (FIRST + 1)

static void begin(struct lab *lab, u32 nr_cpus, u32 hz, u64 duration_ns)
{
	lab_init(lab, nr_cpus, hz);
	lab_release(lab, "6.1");
	lab->setup.duration_ns = duration_ns;
}

/* Tasks that never sleep, bound to CPU 0. */
static struct workload_task *hogs(struct lab *lab, u32 nr, s32 nice)
{
	struct workload_task *task = lab_task(lab, "hog", nr, -1);

	task->attr.nice = nice;
	task->attr.cpus = lab_cpus(lab, 1);
	lab_runs(task, 1000 * MS);
	return task;
}

/* Sleeps and runs for ever, or @loops times; bound to CPU 0. */
static struct workload_task *sleeper(struct lab *lab, s64 loops, u64 sleep_ns, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, "sleeper", 1, loops);

	task->attr.cpus = lab_cpus(lab, 1);
	lab_sleeps(task, sleep_ns);
	lab_runs(task, run_ns);
	return task;
}

/* Every run on CPU 0 that begins after @from_ns lasts @want_ns. */
static void check_runs(const struct lab *lab, u64 from_ns, u64 want_ns, const char *when, u32 row)
{
	u64 since_ns = 0;
	u32 nr = 0;

	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind != EVENT_SWITCH || event->cpu != 0)
			continue;
		if (since_ns >= from_ns && since_ns) {
			CHECK_EQ(want_ns, event->time_ns - since_ns, "%s, row %u, at %llu", when,
				 row, since_ns);
			nr++;
		}
		since_ns = event->time_ns;
	}
	CHECK(nr >= 10, "%s, row %u: only %u runs", when, row, nr);
}

/*
 * A slice ends at the first tick past it.  The period of n hogs is the latency, or n
 * granularities from nine on; eight and more hogs would have a few ns less than the
 * granularity, which BASE_SLICE raises to it, so that a tick right at the granularity does
 * not end the slice: 4 ms instead of 3 on eight CPUs.
 */
TEST(hogs_take_turns_by_slices_rounded_up_to_ticks)
{
	static const struct {
		u32 cpus, hz, hogs;
		bool base_slice;
		u64 run_ns;
	} rows[] = {
		{ 1, 250, 2, true, 4 * MS },   /* 3 */
		{ 1, 250, 8, true, 4 * MS },   /* 0.75 */
		{ 1, 1000, 2, true, 3 * MS },  /* 3 */
		{ 1, 1000, 4, true, 2 * MS },  /* 1.5 */
		{ 1, 1000, 8, true, 1 * MS },  /* 0.75 */
		{ 1, 1000, 9, true, 1 * MS },  /* 0.75 of 6.75 */
		{ 8, 250, 2, true, 12 * MS },  /* 12 */
		{ 8, 250, 4, true, 8 * MS },   /* 6 */
		{ 8, 1000, 2, true, 12 * MS }, /* 12 */
		{ 8, 1000, 4, true, 6 * MS },  /* 6 */
		{ 8, 1000, 8, true, 4 * MS },  /* 3 exactly */
		{ 8, 1000, 9, true, 4 * MS },  /* 3 exactly, of 27 */
		{ 8, 1000, 8, false, 3 * MS }, /* 2.999994 */
		{ 8, 1000, 9, false, 3 * MS }, /* 2.999995 */
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, rows[i].cpus, rows[i].hz, 600 * MS);
		lab_feature(&lab, POLICY_BASE_SLICE, rows[i].base_slice);
		hogs(&lab, rows[i].hogs, 0);
		CHECK_EQ(OK, lab_run(&lab));
		check_runs(&lab, 200 * MS, rows[i].run_ns, "hogs", i);
		lab_fini(&lab);
	}
}

TEST(a_hog_alone_is_never_switched_out)
{
	struct lab lab;

	begin(&lab, 1, 1000, 600 * MS);
	hogs(&lab, 1, 0);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1, lab_count(&lab, EVENT_SWITCH, 0));
	lab_fini(&lab);
}

/*
 * The sleeper wakes at 100 ms, when the hog's vruntime is the minimum: half a latency behind
 * it, or a whole one.  With half it has 3 ms: at 103 its slice is over, and it is level with
 * the hog, which came first.  With a whole one it is the earliest until 106.
 */
TEST(a_sleeper_is_credited_half_a_latency_by_gentle_fair_sleepers)
{
	for (u32 gentle = 0; gentle < 2; gentle++) {
		struct lab lab;

		begin(&lab, 1, 1000, 200 * MS);
		lab_feature(&lab, POLICY_GENTLE_FAIR_SLEEPERS, gentle);
		hogs(&lab, 1, 0);
		sleeper(&lab, 1, 100 * MS, 50 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(0, lab_on_cpu(&lab, B, 0));
		CHECK_EQ(100 * MS, lab_on_cpu(&lab, B, 1), "gentle %u", gentle);
		CHECK_EQ(gentle ? 103 * MS : 106 * MS, lab_on_cpu(&lab, A, 1), "gentle %u", gentle);
		lab_fini(&lab);
	}
}

/*
 * B begins at 2.999998 ms of virtual time, runs 3 ms, and sleeps; A goes on from 5.999998.
 * B wakes as far behind A as it slept: more than 1 ms, or not.  If not, it waits for a tick:
 * at 4 ms A has run 1 ms or less and is not a slice ahead; at 8 it is over.
 */
TEST(a_wakeup_preempts_past_the_granularity)
{
	static const struct {
		const char *when;
		u64 sleep_ns;
		u32 policy;
		bool on;
		u64 back_ns;
	} rows[] = {
		{ "less", 900000, EVENT_POLICY_NORMAL, true, 8 * MS },
		{ "just as much", 1000000, EVENT_POLICY_NORMAL, true, 8 * MS },
		{ "more", 1001000, EVENT_POLICY_NORMAL, true, 4001000 },
		{ "more, NO_WAKEUP_PREEMPTION", 1001000, EVENT_POLICY_NORMAL, false, 8 * MS },
		{ "more, but SCHED_BATCH", 1001000, EVENT_POLICY_BATCH, true, 8 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 1, 250, 20 * MS);
		lab_feature(&lab, POLICY_WAKEUP_PREEMPTION, rows[i].on);
		hogs(&lab, 1, 0);
		task = lab_task(&lab, "b", 1, 1);
		task->attr.policy = (s32)rows[i].policy;
		lab_runs(task, 3 * MS);
		lab_sleeps(task, rows[i].sleep_ns);
		lab_runs(task, 1 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(3 * MS, lab_on_cpu(&lab, A, 0), "%s", rows[i].when);
		CHECK_EQ(rows[i].back_ns, lab_on_cpu(&lab, B, 1), "%s", rows[i].when);
		lab_fini(&lab);
	}
}

/*
 * A hog of SCHED_IDLE gives way at once, WAKEUP_PREEMPTION or not.  Beside a normal hog, B of
 * SCHED_IDLE starts to sleep at a tick, as it must wait for one, and so 101 ms later wakes
 * 3 ms before the next.
 */
TEST(an_idle_task_is_preempted_at_once_and_preempts_no_one)
{
	static const struct {
		s32 hog, b;
		bool on;
		u64 wait_ns;
	} rows[] = {
		{ EVENT_POLICY_IDLE, EVENT_POLICY_NORMAL, true, 0 },
		{ EVENT_POLICY_IDLE, EVENT_POLICY_NORMAL, false, 0 },
		{ EVENT_POLICY_NORMAL, EVENT_POLICY_IDLE, true, 3 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		begin(&lab, 1, 250, 1 * S);
		lab_feature(&lab, POLICY_WAKEUP_PREEMPTION, rows[i].on);
		hogs(&lab, 1, 0)->attr.policy = rows[i].hog;
		sleeper(&lab, 1, 101 * MS, 1 * MS)->attr.policy = rows[i].b;
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].wait_ns,
			 lab_on_cpu(&lab, B, 1) - lab_when(&lab, EVENT_WAKEUP, B, 0), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * B begins 3 ms behind A and yields every 0.5 ms.  It is the skip buddy, but A is taken only
 * once it is not more than 1 ms ahead: after 2 ms.  At the tick of 4 ms A is 3 ms ahead,
 * which is more than its slice, and too far to be taken instead of B, who is still skipped.
 */
TEST(who_yields_is_skipped_as_far_as_that_is_fair)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 1, 250, 20 * MS);
	hogs(&lab, 1, 0);
	task = lab_task(&lab, "b", 1, -1);
	lab_runs(task, 500 * US);
	lab_event(task, WORKLOAD_OP_YIELD, 0);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0, lab_on_cpu(&lab, B, 0));
	CHECK_EQ(2 * MS, lab_on_cpu(&lab, A, 0));
	CHECK_EQ(4 * MS, lab_on_cpu(&lab, B, 1));
	lab_fini(&lab);
}

/*
 * The child is born at 9.5 ms.  With the debit it is a slice of 2.999998 ms ahead of the
 * parent, who is past it at the tick of 13.  Without, it has its turn at the first tick.
 */
TEST(a_newborn_waits_for_a_slice_by_start_debit)
{
	for (u32 debit = 0; debit < 2; debit++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 1, 1000, 30 * MS);
		lab_feature(&lab, POLICY_START_DEBIT, debit);
		task = lab_task(&lab, "parent", 1, 1);
		lab_runs(task, 9500 * US);
		lab_event(task, WORKLOAD_OP_FORK, 0)->target = 1;
		lab_runs(task, 20 * MS);
		lab_runs(lab_task(&lab, "child", 0, 1), 20 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(debit ? 13 * MS : 10 * MS, lab_on_cpu(&lab, B, 0), "debit %u", debit);
		lab_fini(&lab);
	}
}

/* How often the sleeper was preceded and followed by the same hog, and how often it ran. */
static void count_returns(const struct lab *lab, s32 tid, u32 *returns, u32 *runs)
{
	s32 before = 0;

	*returns = *runs = 0;
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind != EVENT_SWITCH || event->time_ns < 100 * MS)
			continue;
		if (event->other.tid == tid)
			before = event->task.tid;
		if (event->task.tid == tid && before) {
			*returns += event->other.tid == before;
			++*runs;
		}
	}
}

/*
 * A hog that a wakeup preempts within its first ms is less than 1 ms ahead of the earliest:
 * as the last buddy it goes on.  Otherwise another, if it is earlier.  Buddies begin at eight
 * entities, the one that wakes included.
 */
TEST(the_last_buddy_goes_on_after_a_wakeup_preempted_it)
{
	static const struct {
		u32 hogs;
		bool on, back;
	} rows[] = { { 7, true, true }, { 7, false, false }, { 6, true, false } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 returns, runs;
		struct lab lab;

		begin(&lab, 1, 1000, 500 * MS);
		lab_feature(&lab, POLICY_LAST_BUDDY, rows[i].on);
		hogs(&lab, rows[i].hogs, 0);
		sleeper(&lab, -1, 10370 * US, 100 * US);
		CHECK_EQ(OK, lab_run(&lab));
		count_returns(&lab, FIRST + (s32)rows[i].hogs, &returns, &runs);
		CHECK(runs >= 30, "row %zu: %u runs", i, runs);
		if (rows[i].back)
			CHECK_EQ(runs, returns, "row %zu", i);
		else
			CHECK(returns < runs, "row %zu: %u of %u", i, returns, runs);
		lab_fini(&lab);
	}
}

/* The time between each wakeup of a thread and its next run, summed. */
static u64 waited_ns(const struct lab *lab, s32 tid)
{
	u64 woken_ns = NEVER, sum_ns = 0;

	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_WAKEUP && event->task.tid == tid)
			woken_ns = event->time_ns;
		if (event->kind == EVENT_SWITCH && event->other.tid == tid && woken_ns != NEVER) {
			sum_ns += event->time_ns - woken_ns;
			woken_ns = NEVER;
		}
	}
	return sum_ns;
}

/*
 * One that runs 0.3 ms and sleeps 0.2 is never far enough behind to preempt.  Named as next,
 * it gets the first tick at which it is less than 1 ms ahead of the earliest.
 */
TEST(the_next_buddy_waits_less)
{
	u64 waits_ns[2], runs[2];

	for (u32 on = 0; on < 2; on++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 1, 1000, 2000 * MS);
		lab_feature(&lab, POLICY_NEXT_BUDDY, on);
		lab_feature(&lab, POLICY_WAKEUP_PREEMPTION, false);
		hogs(&lab, 8, 0);
		task = lab_task(&lab, "short", 1, -1);
		lab_runs(task, 300 * US);
		lab_sleeps(task, 200 * US);
		CHECK_EQ(OK, lab_run(&lab));
		runs[on] = lab_count(&lab, EVENT_WAKEUP, FIRST + 8);
		waits_ns[on] = waited_ns(&lab, FIRST + 8) / runs[on];
		lab_fini(&lab);
	}
	CHECK(waits_ns[1] < waits_ns[0], "%llu < %llu", waits_ns[1], waits_ns[0]);
	CHECK(runs[1] > runs[0], "%llu > %llu", runs[1], runs[0]);
}

/*
 * A hog beside a group of nine, of equal weight, on eight CPUs.  Its slice is half a period:
 * of all ten tasks, 30 ms, or of the two entities of its queue, 24 ms.
 */
TEST(the_period_counts_the_cpus_tasks_or_by_no_alt_period_the_queues)
{
	for (u32 alt = 0; alt < 2; alt++) {
		struct lab lab;
		u32 nr = 0;

		begin(&lab, 8, 1000, 1000 * MS);
		lab_feature(&lab, POLICY_ALT_PERIOD, alt);
		lab_group(&lab, WORKLOAD_CGROUP_ROOT, 100);
		hogs(&lab, 1, 0);
		hogs(&lab, 9, 0)->attr.cgroup = 0;
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 i = 4; lab_on_cpu(&lab, A, i + 1) != NEVER; i++, nr++)
			CHECK_EQ(alt ? 15 * MS : 12 * MS,
				 lab_find(&lab, EVENT_SWITCH, A, i)->time_ns -
					 lab_on_cpu(&lab, A, i),
				 "alt %u, run %u", alt, i);
		CHECK(nr >= 10, "%u runs", nr);
		lab_fini(&lab);
	}
}

/* Its part of the CPU's time, within 1 %. */
static void check_share(const struct lab *lab, s32 tid, u64 weight, u64 sum)
{
	s64 want_ns = (s64)(lab->setup.duration_ns * weight / sum);
	s64 apart_ns = (s64)lab_ran_ns(lab, tid) - want_ns;

	CHECK(apart_ns <= want_ns / 100 && apart_ns >= -want_ns / 100,
	      "task %d, weight %llu of %llu: %lld ns, expected %lld", tid, weight, sum,
	      want_ns + apart_ns, want_ns);
}

TEST(nice_values_share_by_their_weights)
{
	static const s32 nice[] = { -5, 0, 5, 10 };
	static const u64 weights[] = { 3121, 1024, 335, 110 };
	struct lab lab;

	begin(&lab, 1, 1000, 60 * S);
	for (u32 i = 0; i < 4; i++)
		hogs(&lab, 1, nice[i]);
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < 4; i++)
		check_share(&lab, FIRST + (s32)i, weights[i], 3121 + 1024 + 335 + 110);
	lab_fini(&lab);
}

/* Each turn is a tick of 1 ms at least, and 3 of 1027 of 60 s are 175 of them. */
TEST(an_idle_hog_has_weight_3)
{
	struct lab lab;

	begin(&lab, 1, 1000, 60 * S);
	hogs(&lab, 1, 0);
	hogs(&lab, 1, 0)->attr.policy = EVENT_POLICY_IDLE;
	CHECK_EQ(OK, lab_run(&lab));
	check_share(&lab, A, 1024, 1027);
	check_share(&lab, B, 3, 1027);
	lab_fini(&lab);
}

TEST(groups_share_by_their_weights_whatever_they_hold)
{
	struct lab lab;

	begin(&lab, 1, 1000, 30 * S);
	lab_group(&lab, WORKLOAD_CGROUP_ROOT, 100);
	lab_group(&lab, WORKLOAD_CGROUP_ROOT, 300);
	lab_group(&lab, 1, 100); /* within the second */
	hogs(&lab, 2, 0)->attr.cgroup = 0;
	hogs(&lab, 1, 0)->attr.cgroup = 1;
	hogs(&lab, 1, 0)->attr.cgroup = 2;
	CHECK_EQ(OK, lab_run(&lab));
	check_share(&lab, FIRST, 1, 8);
	check_share(&lab, FIRST + 1, 1, 8);
	check_share(&lab, FIRST + 2, 3, 8);
	check_share(&lab, FIRST + 3, 3, 8);
	lab_fini(&lab);
}

/* A group of cpu.idle gives way at once, and has 3 of 1027: not its turn within 5 ms. */
TEST(an_idle_group_is_preempted_at_once)
{
	struct lab lab;

	begin(&lab, 1, 250, 200 * MS);
	lab_group(&lab, WORKLOAD_CGROUP_ROOT, 0);
	hogs(&lab, 1, 0)->attr.cgroup = 0;
	sleeper(&lab, 1, 101 * MS, 5 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(lab_when(&lab, EVENT_WAKEUP, B, 0), lab_on_cpu(&lab, B, 1));
	CHECK_EQ(5 * MS, lab_end(&lab, B) - lab_on_cpu(&lab, B, 1));
	lab_fini(&lab);
}

/*
 * The hog is placed at 6 ms, which is 4.951422, as min_vruntime begins 1.048576 ms before 0;
 * the group's entity at 0.  In the group the second, placed at 1.5 ms, begins, and the first,
 * at 3, has its turn at 4 ms of HZ 250, or at 2 and 4 of HZ 1000.
 *
 * Its sleep makes the group the next buddy.  At HZ 250 that keeps the CPU in the group at 5.5
 * (0.55 ms ahead of the hog), not at 6.2 (1.25).  At HZ 1000 it sleeps at 4.5; the group, in
 * its slice for longer than 3 ms, is no buddy any more from the tick of 5, when it is 0.05 ms
 * ahead.
 */
TEST(who_sleeps_leaves_the_cpu_to_its_group_within_the_slice)
{
	static const struct {
		u32 hz;
		u64 run_ns, hog_ns;
	} rows[] = {
		{ 250, 1500 * US, 8 * MS },
		{ 250, 2200 * US, 6200 * US },
		{ 1000, 1500 * US, 5 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 1, rows[i].hz, 20 * MS);
		lab_group(&lab, WORKLOAD_CGROUP_ROOT, 100);
		hogs(&lab, 1, 0);
		task = lab_task(&lab, "first", 1, 1);
		task->attr.cgroup = 0;
		lab_runs(task, rows[i].run_ns);
		lab_sleeps(task, 100 * MS);
		hogs(&lab, 1, 0)->attr.cgroup = 0;
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].hog_ns, lab_on_cpu(&lab, A, 0), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * In virtual time A begins at 6 ms, B of nice 5 at 4.5 and C at 2.6.  C has 3.6 ms and sleeps
 * at 6.2; B goes on and is at 8.8 when C wakes 1.4 ms later: 2.6 behind B, so it preempts, and
 * 0.2 ahead of A, which is fair enough for the next buddy.
 */
TEST(who_preempts_goes_before_who_is_a_little_earlier)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 1, 250, 20 * MS);
	hogs(&lab, 1, 0);
	hogs(&lab, 1, 5);
	task = lab_task(&lab, "c", 1, 1);
	lab_runs(task, 3600 * US);
	lab_sleeps(task, 1400 * US);
	lab_runs(task, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3600 * US, lab_on_cpu(&lab, B, 0));
	CHECK_EQ(5 * MS, lab_on_cpu(&lab, B + 1, 1));
	lab_fini(&lab);
}

/*
 * At 1 ms B, 2 ms behind A, is dequeued and queued again with the attributes of its second
 * phase, and yields.  A new nice value leaves it where it was, too far behind to be skipped,
 * to the tick of 4.  A new policy lets min_vruntime go on to A meanwhile, and B with it.
 */
TEST(a_nice_value_does_not_cost_a_task_its_place_but_a_policy_does)
{
	for (u32 policy = 0; policy < 2; policy++) {
		struct workload_attr *attr;
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 1, 250, 20 * MS);
		hogs(&lab, 1, 0);
		task = lab_task(&lab, "b", 1, 1);
		lab_runs(task, 1 * MS);
		attr = lab_phase(task, 1);
		attr->nice = 0;
		attr->policy = policy ? EVENT_POLICY_BATCH : -1;
		lab_event(task, WORKLOAD_OP_YIELD, 0);
		lab_runs(task, 10 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(policy ? 1 * MS : 4 * MS, lab_on_cpu(&lab, A, 0), "policy %u", policy);
		lab_fini(&lab);
	}
}

/* Each run of the thread that begins after 200 ms lasts @want_ns. */
static void check_runs_of(const struct lab *lab, s32 tid, u64 want_ns)
{
	u64 since_ns = 0;
	u32 nr = 0;

	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind != EVENT_SWITCH)
			continue;
		if (event->task.tid == tid && since_ns > 200 * MS) {
			CHECK_EQ(want_ns, event->time_ns - since_ns, "task %d at %llu", tid,
				 since_ns);
			nr++;
		}
		if (event->other.tid == tid)
			since_ns = event->time_ns;
	}
	CHECK(nr >= 5, "task %d: only %u runs", tid, nr);
}

/*
 * On eight CPUs.  Beside a normal hog one of SCHED_IDLE has 0.07 ms of a period, raised to
 * 0.75: it is out at the first tick.
 */
TEST(an_idle_slice_beside_others_has_a_floor_of_its_own)
{
	struct lab lab;

	begin(&lab, 8, 1000, 20 * S);
	hogs(&lab, 1, 0);
	hogs(&lab, 1, 0)->attr.policy = EVENT_POLICY_IDLE;
	CHECK_EQ(OK, lab_run(&lab));
	check_runs_of(&lab, B, 1 * MS);
	lab_fini(&lab);
}

/*
 * Two of SCHED_IDLE alone in a group of weight 102 have 24 ms / 2 * 102 / 1126 = 1.1 ms,
 * raised to the normal floor of 3 ms as no one else is in their queue.  At 3 ms they are far
 * ahead, in virtual time.
 */
TEST(idle_slices_among_themselves_have_the_normal_floor)
{
	struct workload_task *task;
	struct lab lab;

	begin(&lab, 8, 1000, 2 * S);
	lab_group(&lab, WORKLOAD_CGROUP_ROOT, 10);
	hogs(&lab, 1, 0);
	task = hogs(&lab, 2, 0);
	task->attr.policy = EVENT_POLICY_IDLE;
	task->attr.cgroup = 0;
	CHECK_EQ(OK, lab_run(&lab));
	check_runs_of(&lab, B, 3 * MS);
	check_runs_of(&lab, B + 1, 3 * MS);
	lab_fini(&lab);
}

static const struct sim_entity *entity_of(const struct sim *sim, s32 tid)
{
	for (size_t i = 0; i < sim->tasks.nr; i++)
		if (sim->tasks.at[i]->id.tid == tid)
			return &sim->tasks.at[i]->se;
	return NULL;
}

/* What the probe saw of task B. */
struct seen {
	s64 left_vns, came_vns; /* its distance from min_vruntime when it left and when it came */
	u32 moves;
};

static void look(void *self, const struct sim *sim, const struct event *event)
{
	const struct sim_entity *se = entity_of(sim, B);
	struct seen *seen = self;

	if (event->task.tid != B || !se)
		return;
	if (event->kind == EVENT_MIGRATE) {
		seen->left_vns = (s64)(se->p.vruntime_vns - se->queue->min_vruntime_vns);
		seen->moves++;
	} else if (event->kind == EVENT_WAKEUP && seen->moves == 1) {
		seen->came_vns = (s64)(se->p.vruntime_vns - se->queue->min_vruntime_vns);
		seen->moves++;
	}
}

/*
 * CPU 1 is idle again from 100 ms on.  B has run beside A on CPU 0, is let onto both, sleeps
 * for 1 ms and wakes there, by the other CPU's list of wakeups or at once.  Its distance from
 * the minimum goes with it: it is less than the 6 ms that a sleeper is credited.
 */
TEST(who_wakes_on_another_cpu_keeps_its_distance_from_the_minimum)
{
	for (u32 list = 0; list < 2; list++) {
		struct seen seen = { 0 };
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 2, 250, 300 * MS);
		lab_feature(&lab, POLICY_TTWU_QUEUE, list);
		lab.setup.probe = look;
		lab.setup.probe_self = &seen;
		hogs(&lab, 1, 0);
		task = lab_task(&lab, "b", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 1);
		lab_runs(task, 80 * MS);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 3);
		lab_sleeps(task, 1 * MS);
		lab_runs(task, 5 * MS);
		task = lab_task(&lab, "c", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 2);
		lab_runs(task, 100 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(2, seen.moves, "it moved once, and woke");
		CHECK(seen.left_vns > -6 * (s64)MS && seen.left_vns, "%lld", seen.left_vns);
		CHECK_EQ(seen.left_vns, seen.came_vns, "list %u", list);
		lab_fini(&lab);
	}
}

static void look_at_birth(void *self, const struct sim *sim, const struct event *event)
{
	const struct sim_entity *se = entity_of(sim, B + 1);

	if (event->kind == EVENT_WAKEUP_NEW && event->task.tid == B + 1 && se)
		*(s64 *)self = (s64)(se->p.vruntime_vns - se->queue->min_vruntime_vns);
}

/*
 * Without START_DEBIT A and B begin at 0.  A has the CPU to 8 ms, as its slice is 4.5; then B,
 * of nice 5, for 3 ms, which are 3e6 * 3282124288 / 2^30 = 9170149 of virtual time.  Its
 * child begins there too, ahead of A, who is the minimum.
 */
TEST(a_newborn_is_not_placed_before_its_parent)
{
	struct workload_task *task;
	s64 ahead_vns = -1;
	struct lab lab;

	begin(&lab, 1, 250, 20 * MS);
	lab_feature(&lab, POLICY_START_DEBIT, false);
	lab.setup.probe = look_at_birth;
	lab.setup.probe_self = &ahead_vns;
	hogs(&lab, 1, 0);
	task = lab_task(&lab, "b", 1, 1);
	task->attr.nice = 5;
	lab_runs(task, 3 * MS);
	lab_event(task, WORKLOAD_OP_FORK, 0)->target = 2;
	lab_runs(task, 1 * MS);
	lab_runs(lab_task(&lab, "child", 0, 1), 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(9170149 - 8 * MS, ahead_vns);
	lab_fini(&lab);
}

/*
 * A has run on CPU 0 for 1 s when it is sent to CPU 1, whose hog began 100 ms before.  It
 * has half of that CPU at once, instead of waiting for the hog to be as old.
 */
TEST(who_is_moved_while_runnable_keeps_its_distance_from_the_minimum)
{
	struct workload_task *task;
	struct lab lab;
	u64 from_ns = 0;

	begin(&lab, 2, 250, 1200 * MS);
	task = lab_task(&lab, "a", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1);
	lab_runs(task, 1000 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 2);
	lab_runs(task, 1000 * MS);
	task = lab_task(&lab, "b", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 2);
	lab_sleeps(task, 900 * MS);
	lab_runs(task, 1000 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	for (size_t i = 0; i < lab.events.nr; i++)
		if (lab.events.at[i].kind == EVENT_RUNTIME && lab.events.at[i].task.tid == A &&
		    lab.events.at[i].cpu == 1)
			from_ns += lab.events.at[i].runtime.runtime_ns;
	CHECK(from_ns >= 90 * MS && from_ns <= 110 * MS, "%llu of 200 ms", from_ns);
	lab_fini(&lab);
}

/*
 * The distance to a fair share is at most a slice and a tick, and a slice of debit at
 * the start: 13 ms.  The lightest here has 335 of 6 * 3121, 1 s of 60.
 */
TEST(hogs_of_any_nice_value_share_in_proportion)
{
	for (u32 round = 0; round < 6; round++) {
		u32 nr = 2 + rng_below(rng_draw(61, round, 0, 0), 5);
		u64 sum = 0, weights[6];
		struct lab lab;

		begin(&lab, 1, 1000, 60 * S);
		for (u32 i = 0; i < nr; i++) {
			struct policy_weight weight;
			s32 nice = (s32)rng_below(rng_draw(61, round, 1, i), 11) - 5;

			policy_weight_of_nice(nice, &weight);
			sum += weights[i] = weight.weight;
			hogs(&lab, 1, nice);
		}
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 i = 0; i < nr; i++)
			check_share(&lab, FIRST + (s32)i, weights[i], sum);
		lab_fini(&lab);
	}
}

/*
 * Four hogs that sleep 1 ms after 8 ms, and one that runs 0.1 ms every 1 ms: asleep most of
 * the time, it is always behind by more than the granularity, and preempts at once.
 */
TEST(a_short_task_among_hogs_hardly_waits)
{
	struct workload_task *task;
	struct lab lab;
	u64 mean_ns;

	begin(&lab, 1, 250, 10 * S);
	task = lab_task(&lab, "hog", 4, -1);
	lab_runs(task, 8 * MS);
	lab_sleeps(task, 1 * MS);
	task = lab_task(&lab, "ticker", 1, -1);
	lab_runs(task, 100 * US);
	lab_event(task, WORKLOAD_OP_TIMER, 1 * MS)->object =
		lab_object(&lab, WORKLOAD_OBJECT_TIMER, 0, true);
	CHECK_EQ(OK, lab_run(&lab));
	mean_ns = waited_ns(&lab, FIRST + 4) / lab_count(&lab, EVENT_WAKEUP, FIRST + 4);
	CHECK(mean_ns < 10 * US, "%llu ns", mean_ns);
	lab_fini(&lab);
}
