/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies, nice values, binding, groups: without costs, one CPU and HZ 250 unless said.
 *
 * A task with a delay is the first of its file: it runs at 0, sleeps without having run, and
 * so has neither lag nor debt when it wakes.
 */
#include "lab.h"

static struct workload_task *late(struct lab *lab, u64 delay_ns, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, "late", 1, 1);

	task->delay_ns = delay_ns;
	lab_runs(task, run_ns);
	return task;
}

static struct workload_task *hog(struct lab *lab, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, "hog", 1, 1);

	lab_runs(task, run_ns);
	return task;
}

/* Both on CPU 1 of two: 0-3, 3-6. */
TEST(bound_tasks_stay_where_they_may_be)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 2, 250);
	task = lab_task(&lab, "bound", 2, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(6 * MS, lab_end(&lab, FIRST + 1));
	for (size_t i = 0; i < lab.events.nr; i++)
		if (lab.events.at[i].kind == EVENT_SWITCH)
			CHECK_EQ(1, lab.events.at[i].cpu);
	lab_fini(&lab);
}

TEST(a_phase_moves_its_task)
{
	struct lab lab;
	struct workload_task *task;
	const struct event *move;

	lab_init(&lab, 2, 250);
	task = lab_task(&lab, "mover", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 0);
	lab_runs(task, 2 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 2 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	move = lab_find(&lab, EVENT_MIGRATE, FIRST, 0);
	CHECK(move);
	CHECK_EQ(2 * MS, move->time_ns);
	CHECK_EQ(0, move->migrate.orig_cpu);
	CHECK_EQ(1, move->migrate.dest_cpu);
	CHECK_EQ(2 * MS, lab_on_cpu(&lab, FIRST, 1));
	CHECK_EQ(4 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * The hog has run 1 ms, its request is 1-1.7; the wakee is placed at V = 1 with the same
 * deadline.  NORMAL: it is picked (equal deadlines do not keep the running one, which lost its
 * protection when its first request was renewed): 1-2.  BATCH and IDLE wait for the tick at 4;
 * then BATCH runs 4-5.  FIFO and RR run at once.  IDLE (weight 3) is placed at V = 1, too; at 4
 * V = (4 * 1024 + 1 * 3) / 1027 = 3.99, so it runs from 4; 1 ms of it is a virtual 341 ms, over
 * its request, but only the tick looks: it ends at 5.
 */
TEST(who_preempts_a_normal_task)
{
	static const struct {
		s32 policy, rt_prio;
		u64 end_ns;
	} rows[] = {
		{ EVENT_POLICY_NORMAL, 0, 2 * MS }, { EVENT_POLICY_BATCH, 0, 5 * MS },
		{ EVENT_POLICY_IDLE, 0, 5 * MS },   { EVENT_POLICY_FIFO, 1, 2 * MS },
		{ EVENT_POLICY_RR, 1, 2 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 250);
		task = late(&lab, 1 * MS, 1 * MS);
		task->attr.policy = rows[i].policy;
		task->attr.rt_prio = rows[i].rt_prio;
		hog(&lab, 12 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].end_ns, lab_end(&lab, FIRST), "policy %d", rows[i].policy);
		CHECK_EQ(13 * MS, lab_end(&lab, FIRST + 1), "policy %d", rows[i].policy);
		lab_fini(&lab);
	}
}

/*
 * The hog's slice of 10 ms, half of it at first, protects it until it has run 5 ms, so until
 * the tick at 8 (PREEMPT_SHORT is off).  SCHED_IDLE is no protection: preempted at 1.
 */
TEST(an_idle_task_gives_way_at_once)
{
	static const struct {
		s32 policy;
		u64 end_ns;
	} rows[] = { { EVENT_POLICY_NORMAL, 9 * MS }, { EVENT_POLICY_IDLE, 2 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 1, 250);
		lab_feature(&lab, POLICY_PREEMPT_SHORT, false);
		late(&lab, 1 * MS, 1 * MS);
		task = hog(&lab, 12 * MS);
		task->attr.policy = rows[i].policy;
		task->attr.slice_ns = 10 * MS;
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].end_ns, lab_end(&lab, FIRST), "policy %d", rows[i].policy);
		lab_fini(&lab);
	}
}

/* It wakes at 3 and runs 2 ms; the hog's 10 end at 12. */
TEST(fifo_runs_before_fair)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = late(&lab, 3 * MS, 2 * MS);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 10;
	hog(&lab, 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_on_cpu(&lab, FIRST, 1));
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(12 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

static void add_rt(struct lab *lab, s32 policy, s32 rt_prio, u64 delay_ns, u64 run_ns)
{
	struct workload_task *task = late(lab, delay_ns, run_ns);

	task->attr.policy = policy;
	task->attr.rt_prio = rt_prio;
}

/* Equals take turns when they end; a higher one comes in between, at 7-8. */
TEST(fifo_goes_by_priority_then_by_arrival)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	add_rt(&lab, EVENT_POLICY_FIFO, 11, 7 * MS, 1 * MS);
	add_rt(&lab, EVENT_POLICY_FIFO, 10, 0, 6 * MS);
	add_rt(&lab, EVENT_POLICY_FIFO, 10, 0, 6 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(8 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(6 * MS, lab_end(&lab, FIRST + 1));
	CHECK_EQ(13 * MS, lab_end(&lab, FIRST + 2));
	lab_fini(&lab);
}

/* 0-100, 100-200, then 50 ms each: 250, 300.  HZ 100 to 1000: 100 ms are whole ticks. */
TEST(rr_takes_turns_of_100_ms)
{
	static const u32 hz[] = { 100, 250, 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(hz); i++) {
		struct lab lab;

		lab_init(&lab, 1, hz[i]);
		add_rt(&lab, EVENT_POLICY_RR, 5, 0, 150 * MS);
		add_rt(&lab, EVENT_POLICY_RR, 5, 0, 150 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(100 * MS, lab_on_cpu(&lab, FIRST + 1, 0), "HZ %u", hz[i]);
		CHECK_EQ(250 * MS, lab_end(&lab, FIRST), "HZ %u", hz[i]);
		CHECK_EQ(300 * MS, lab_end(&lab, FIRST + 1), "HZ %u", hz[i]);
		lab_fini(&lab);
	}
}

/*
 * Ticks that find it running are counted, not time: a wakeup does not renew the slice.  a runs
 * 60 ms (15 ticks), sleeps 2 while b runs, comes back behind b.  b has its own 25 ticks: the
 * one at 60 finds a, those at 64..160 find b.  a runs 160-200 with the 10 ticks it has left,
 * 164..200, then b.
 */
TEST(rr_counts_ticks_and_keeps_the_count_over_a_sleep)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	task = lab_task(&lab, "a", 1, 1);
	task->attr.policy = EVENT_POLICY_RR;
	task->attr.rt_prio = 5;
	lab_runs(task, 61 * MS);
	lab_sleeps(task, 2 * MS);
	lab_runs(task, 150 * MS);
	add_rt(&lab, EVENT_POLICY_RR, 5, 0, 300 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(61 * MS, lab_on_cpu(&lab, FIRST + 1, 0));
	CHECK_EQ(160 * MS, lab_on_cpu(&lab, FIRST, 1));
	CHECK_EQ(200 * MS, lab_on_cpu(&lab, FIRST + 1, 1));
	lab_fini(&lab);
}

static u64 part(u64 whole, u64 weight, u64 sum)
{
	return whole * weight / sum;
}

#define CHECK_WITHIN_1_PERCENT(want, got, ...) \
	CHECK((got) > (want) - (want) / 100 && (got) < (want) + (want) / 100, __VA_ARGS__)

/* 3121 + 1024 + 335 + 110 = 4590. */
TEST(shares_follow_nice_values)
{
	static const u32 hz[] = { 250, 1000 };
	static const s32 nice[] = { -5, 0, 5, 10 };
	static const u64 weights[] = { 3121, 1024, 335, 110 };

	for (size_t i = 0; i < ARRAY_SIZE(hz); i++) {
		struct lab lab;

		lab_init(&lab, 1, hz[i]);
		lab.setup.duration_ns = 60 * S;
		for (u32 k = 0; k < 4; k++)
			hog(&lab, 100 * S)->attr.nice = nice[k];
		CHECK_EQ(OK, lab_run(&lab));
		for (s32 k = 0; k < 4; k++)
			CHECK_WITHIN_1_PERCENT(part(60 * S, weights[k], 4590),
					       lab_ran_ns(&lab, FIRST + k), "HZ %u, nice %d", hz[i],
					       nice[k]);
		lab_fini(&lab);
	}
}

/*
 * Both nice 0 until the first has run 1 s, at about 2 s; then it is nice 5:
 * 1 + 58 * 335 / 1359 = 15.297 s of 60.
 */
TEST(a_phase_changes_the_nice_value)
{
	struct lab lab;
	struct workload_task *task;
	const struct event *attr;

	lab_init(&lab, 1, 250);
	lab.setup.duration_ns = 60 * S;
	task = hog(&lab, 1 * S);
	lab_phase(task, 1)->nice = 5;
	lab_runs(task, 100 * S);
	hog(&lab, 100 * S);
	CHECK_EQ(OK, lab_run(&lab));
	attr = lab_find(&lab, EVENT_ATTR, FIRST, 1);
	CHECK(attr);
	CHECK_EQ(5, attr->attr.nice);
	CHECK_WITHIN_1_PERCENT(1 * S + part(58 * S, 335, 1359), lab_ran_ns(&lab, FIRST), "nice 5");
	lab_fini(&lab);
}

/* A group's two hogs share what the group gets against another: 100 : 300 is 1 : 3. */
TEST(shares_follow_group_weights)
{
	struct lab lab;
	struct workload_task *task;
	s64 light, heavy;

	lab_init(&lab, 1, 250);
	lab.setup.duration_ns = 20 * S;
	light = lab_group(&lab, WORKLOAD_CGROUP_ROOT, 100);
	heavy = lab_group(&lab, WORKLOAD_CGROUP_ROOT, 300);
	task = lab_task(&lab, "two", 2, 1);
	task->attr.cgroup = light;
	lab_runs(task, 100 * S);
	hog(&lab, 100 * S)->attr.cgroup = heavy;
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_WITHIN_1_PERCENT(2500 * MS, lab_ran_ns(&lab, FIRST), "light");
	CHECK_WITHIN_1_PERCENT(2500 * MS, lab_ran_ns(&lab, FIRST + 1), "light");
	CHECK_WITHIN_1_PERCENT(15 * S, lab_ran_ns(&lab, FIRST + 2), "heavy");
	lab_fini(&lab);
}

/* A root task of nice 0 is worth a group of weight 100: a half; inside, 1 : 3 of the other. */
TEST(groups_nest)
{
	struct lab lab;
	s64 outer;

	lab_init(&lab, 1, 1000);
	lab.setup.duration_ns = 20 * S;
	outer = lab_group(&lab, WORKLOAD_CGROUP_ROOT, 100);
	hog(&lab, 100 * S);
	hog(&lab, 100 * S)->attr.cgroup = lab_group(&lab, outer, 100);
	hog(&lab, 100 * S)->attr.cgroup = lab_group(&lab, outer, 300);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_WITHIN_1_PERCENT(10 * S, lab_ran_ns(&lab, FIRST), "root");
	CHECK_WITHIN_1_PERCENT(2500 * MS, lab_ran_ns(&lab, FIRST + 1), "inner 100");
	CHECK_WITHIN_1_PERCENT(7500 * MS, lab_ran_ns(&lab, FIRST + 2), "inner 300");
	lab_fini(&lab);
}

/* The first 10 ms in the root beside another, then for ever in a group of weight 300. */
TEST(a_phase_changes_the_group)
{
	struct lab lab;
	struct workload_task *task;
	s64 group;

	lab_init(&lab, 1, 250);
	lab.setup.duration_ns = 20 * S;
	group = lab_group(&lab, WORKLOAD_CGROUP_ROOT, 300);
	task = hog(&lab, 10 * MS);
	lab_phase(task, 1)->cgroup = group;
	lab_runs(task, 100 * S);
	hog(&lab, 100 * S);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_WITHIN_1_PERCENT(15 * S, lab_ran_ns(&lab, FIRST), "in the group");
	lab_fini(&lab);
}

/* cpu.idle has weight 3 against 1024: 58.4 ms of 20 s, in whole ticks of 4 ms. */
TEST(an_idle_group_gets_what_is_left)
{
	struct lab lab;
	u64 ran_ns;

	lab_init(&lab, 1, 250);
	lab.setup.duration_ns = 20 * S;
	hog(&lab, 100 * S)->attr.cgroup = lab_group(&lab, WORKLOAD_CGROUP_ROOT, 0);
	hog(&lab, 100 * S);
	CHECK_EQ(OK, lab_run(&lab));
	ran_ns = lab_ran_ns(&lab, FIRST);
	CHECK(ran_ns >= 52 * MS && ran_ns <= 68 * MS, "%llu", ran_ns);
	lab_fini(&lab);
}

/* Base slice 2.8 ms on 8 CPUs: at HZ 1000 the third tick ends it, at HZ 250 the first. */
TEST(two_hogs_run_whole_ticks)
{
	static const struct {
		u32 hz;
		u64 run_ns;
	} rows[] = { { 1000, 3 * MS }, { 250, 4 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 8, rows[i].hz);
		lab.setup.duration_ns = 100 * MS;
		task = lab_task(&lab, "hog", 2, 1);
		task->attr.cpus = lab_cpus(&lab, 1);
		lab_runs(task, 1 * S);
		CHECK_EQ(OK, lab_run(&lab));
		/* the first request is half a slice, 1.4 ms: 2 ticks of 1 ms */
		for (u32 k = 1; k < 8; k++) {
			s32 tid = FIRST + (s32)(k & 1);
			u64 from_ns = lab_on_cpu(&lab, tid, k / 2);
			u64 to_ns = lab_on_cpu(&lab, FIRST + !(k & 1), (k + 1) / 2);

			if (k >= 2 || rows[i].hz == 250)
				CHECK_EQ(rows[i].run_ns, to_ns - from_ns, "HZ %u, turn %u",
					 rows[i].hz, k);
		}
		lab_fini(&lab);
	}
}
