/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.max, worked out by hand: HZ 250, costless CPUs.  In 6.1 the periods begin at zero.
 *
 * rem: what the queue has, pool: what the group has, in ms.
 */
#include "lab.h"

static s64 limited(struct lab *lab, s64 parent, u64 quota_ns, u64 period_ns, u64 burst_ns)
{
	s64 index = lab_group(lab, parent, 100);
	struct workload_cgroup *group = &lab->workload->cgroups.at[index];

	group->quota_ns = quota_ns;
	group->period_ns = period_ns;
	group->burst_ns = burst_ns;
	return index;
}

static struct workload_task *task_on(struct lab *lab, const char *name, u32 cpus, s64 cgroup)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.cpus = lab_cpus(lab, cpus);
	task->attr.cgroup = cgroup;
	return task;
}

static void hog(struct lab *lab, u32 cpus, s64 cgroup)
{
	lab_runs(task_on(lab, "hog", cpus, cgroup), 100 * S);
}

/* When the group's queue on @cpu was throttled (or unthrottled) for the n-th time. */
static u64 when(const struct lab *lab, u32 what, s32 cpu, u32 id, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_CGROUP && event->cgroup.what == what &&
		    event->cpu == cpu && event->cgroup.id == id && !n--)
			return event->time_ns;
	}
	return NEVER;
}

static u64 off(const struct lab *lab, s32 cpu, u32 n)
{
	return when(lab, EVENT_CGROUP_THROTTLE, cpu, 1, n);
}

static u64 on(const struct lab *lab, s32 cpu, u32 n)
{
	return when(lab, EVENT_CGROUP_UNTHROTTLE, cpu, 1, n);
}

static void begin(struct lab *lab, u32 nr_cpus, u64 duration_ns)
{
	lab_init(lab, nr_cpus, 250);
	lab_release(lab, "6.1");
	lab->setup.duration_ns = duration_ns;
}

/*
 * rem 5, pool 15; at 8 rem -3 gets 8, pool 7; at 16 rem -3 gets 7; at 20 rem 0: throttled.
 * At 100 it gets 1 ns, at 104 nearly 9, at 112 8, at 120 the last 3, which pays its debt.
 */
TEST(a_hog_runs_its_quota_in_each_period)
{
	struct lab lab;

	begin(&lab, 1, 250 * MS);
	hog(&lab, 1, limited(&lab, -1, 20 * MS, 100 * MS, 0));
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < 3; i++) {
		CHECK_EQ((20 + 100 * i) * MS, off(&lab, 0, i), "period %u", i);
		CHECK_EQ((20 + 100 * i) * MS, lab_when(&lab, EVENT_SWITCH, FIRST, i));
		CHECK_EQ(100 * i * MS, lab_on_cpu(&lab, FIRST, i), "period %u", i);
	}
	CHECK_EQ(100 * MS, on(&lab, 0, 0));
	CHECK_EQ(200 * MS, on(&lab, 0, 1));
	CHECK_EQ(60 * MS, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * 2 of 10 ms, seen at ticks: at 4 it is 2 in debt.  The refill at 10 pays that and leaves
 * nothing to run; the one at 20 does.  So 4 of 20.
 */
TEST(a_debt_is_paid_before_it_runs_again)
{
	struct lab lab;

	begin(&lab, 1, 50 * MS);
	hog(&lab, 1, limited(&lab, -1, 2 * MS, 10 * MS, 0));
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < 3; i++)
		CHECK_EQ((4 + 20 * i) * MS, off(&lab, 0, i), "debt %u", i);
	CHECK_EQ(20 * MS, on(&lab, 0, 0));
	CHECK_EQ(40 * MS, on(&lab, 0, 1));
	CHECK_EQ(12 * MS, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * 6 of 21 ms, asleep to 50 with rem 1.  The pool is full at 42, and there the timer stops.
 * At 52 rem -1 gets 6; without burst that is all, at 60 rem -3.  With a burst of 6 the pool
 * has 6 more for 60, and 6 of the refill at 63 for 64: throttled at 72, rem -3.
 */
TEST(a_burst_saves_what_was_not_used)
{
	static const struct {
		u64 burst_ns, off_ns;
	} rows[] = { { 0, 60 * MS }, { 6 * MS, 72 * MS } };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 1, 75 * MS);
		task = task_on(&lab, "a", 1, limited(&lab, -1, 6 * MS, 21 * MS, rows[i].burst_ns));
		lab_sleeps(task, 50 * MS);
		lab_runs(task, 100 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].off_ns, off(&lab, 0, 0), "burst %llu", rows[i].burst_ns);
		lab_fini(&lab);
	}
}

/*
 * Realtime tasks hold a and b back to 9 ms, each with a slice of the 15 ms; the hog on CPU 2
 * uses the third up, at 8 rem -3.  At 9.5 a and b give back 3.5 each: 7 ms, and 5 ms later
 * the hog has its debt paid.  A refill within 7 ms, at 16, is waited for instead.
 */
static void slack(const char *release, u64 period_ns, u64 on_ns)
{
	struct workload_task *task;
	struct lab lab;
	s64 group;

	begin(&lab, 3, 40 * MS);
	lab_release(&lab, release);
	group = limited(&lab, -1, 15 * MS, period_ns, 0);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		task = task_on(&lab, "realtime", 1u << cpu, -1);
		task->attr.policy = EVENT_POLICY_FIFO;
		task->attr.rt_prio = 1;
		lab_runs(task, 9 * MS);
	}
	for (u32 cpu = 0; cpu < 2; cpu++) {
		task = task_on(&lab, "short", 1u << cpu, group);
		lab_runs(task, 500 * US);
		lab_sleeps(task, 1 * S);
	}
	hog(&lab, 1 << 2, group);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(8 * MS, off(&lab, 2, 0));
	CHECK_EQ(on_ns, on(&lab, 2, 0), "period %llu", period_ns);
	CHECK_EQ(on_ns, lab_on_cpu(&lab, FIRST + 4, 1), "period %llu", period_ns);
	lab_fini(&lab);
}

TEST(what_is_given_back_is_distributed_unless_a_refill_is_near)
{
	slack("6.1", 100 * MS, 14500 * US);
	slack("6.1", 16 * MS, 16 * MS);
	slack("6.12", 1 * S, 14500 * US);
}

/*
 * Two hogs, and a refill that CPU 0 handles: what it does for CPU 1 arrives there with the
 * interrupt.  In 6.1 it is done from afar, and only the switch waits for it.
 */
TEST(other_cpus_do_it_themselves_since_6_6)
{
	static const struct {
		const char *release;
		u64 later_ns;
	} rows[] = { { "6.1", 0 }, { "6.12", 7 * US } };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		s64 group;

		begin(&lab, 2, 250 * MS);
		lab_release(&lab, rows[i].release);
		lab.machine.costs.ipi_latency_ns = 7 * US;
		group = limited(&lab, -1, 10 * MS, 100 * MS, 0);
		hog(&lab, 1 << 0, group);
		hog(&lab, 1 << 1, group);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(on(&lab, 0, 0) + rows[i].later_ns, on(&lab, 1, 0), "%s", rows[i].release);
		CHECK_EQ(on(&lab, 0, 0) + 7 * US, lab_on_cpu(&lab, FIRST + 1, 1), "%s",
			 rows[i].release);
		lab_fini(&lab);
	}
}

/* Nobody of the group runs on a CPU where its queue is throttled. */
static void nobody_runs_throttled(const struct lab *lab, s32 first, s32 last)
{
	bool throttled[64] = { false };

	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_CGROUP && event->cgroup.what == EVENT_CGROUP_THROTTLE)
			throttled[event->cpu] = true;
		if (event->kind == EVENT_CGROUP && event->cgroup.what == EVENT_CGROUP_UNTHROTTLE)
			throttled[event->cpu] = false;
		if (event->kind == EVENT_SWITCH && event->other.tid >= first &&
		    event->other.tid <= last)
			CHECK(!throttled[event->cpu], "thread %d at %llu", event->other.tid,
			      event->time_ns);
	}
}

/*
 * The first sleeps to 50 ms, when its group is throttled, because of 4 ms of the hog; so it
 * waits to the refill.  The limit is the parent's, the tasks are in the child.
 */
TEST(a_wakeup_below_a_throttled_group_waits)
{
	static const char *const releases[] = { "6.1", "6.12" };

	for (u32 i = 0; i < ARRAY_SIZE(releases); i++) {
		struct workload_task *task;
		struct lab lab;
		s64 child;

		begin(&lab, 1, 400 * MS);
		lab_release(&lab, releases[i]);
		child = lab_group(&lab, limited(&lab, -1, 4 * MS, 100 * MS, 0), 100);
		task = task_on(&lab, "sleeper", 1, child);
		task->loop = -1;
		lab_sleeps(task, 50 * MS);
		lab_runs(task, 100 * US);
		hog(&lab, 1, child);
		hog(&lab, 1, -1);
		CHECK_EQ(OK, lab_run(&lab));
		nobody_runs_throttled(&lab, FIRST, FIRST + 1);
		CHECK(lab_count(&lab, EVENT_WAKEUP, FIRST) >= 2);
		CHECK(lab_ran_ns(&lab, FIRST) >= 100 * US);
		CHECK_EQ(400 * MS, lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1) +
					   lab_ran_ns(&lab, FIRST + 2));
		CHECK(lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1) <= 24 * MS,
		      "5 quotas and a tick: %llu",
		      lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1));
		lab_fini(&lab);
	}
}

/*
 * Both levels are limited; the inner one has the less.  Its queue is throttled in a group
 * that is then throttled itself by the other hog, and either comes back when it may.
 */
TEST(a_throttled_group_inside_a_throttled_one)
{
	static const char *const releases[] = { "6.1", "6.12" };

	for (u32 i = 0; i < ARRAY_SIZE(releases); i++) {
		struct lab lab;
		s64 outer;

		begin(&lab, 1, 10 * S);
		lab_release(&lab, releases[i]);
		outer = limited(&lab, -1, 30 * MS, 100 * MS, 0);
		hog(&lab, 1, limited(&lab, outer, 5 * MS, 50 * MS, 0));
		hog(&lab, 1, outer);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK(lab_ran_ns(&lab, FIRST) > 500 * MS && lab_ran_ns(&lab, FIRST) <= 1009 * MS,
		      "%s: inner %llu", releases[i], lab_ran_ns(&lab, FIRST));
		CHECK(lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1) >= 2970 * MS,
		      "%s: all of it is used", releases[i]);
		CHECK(lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1) <= 3034 * MS,
		      "%s: and no more", releases[i]);
		lab_fini(&lab);
	}
}

/* One of two hogs of a throttled group on CPU 0 stays there, though CPU 1 is idle. */
TEST(balancing_leaves_throttled_queues_alone)
{
	struct workload_task *task;
	struct lab lab;
	s64 group;

	begin(&lab, 2, 90 * MS);
	group = limited(&lab, -1, 10 * MS, 100 * MS, 0);
	/* they are born on CPU 0 while CPU 1 is taken, which is free at 30 */
	task = task_on(&lab, "taken", 1 << 1, -1);
	task->instances = 4;
	lab_runs(task, 7500 * US);
	task = task_on(&lab, "two", 1 << 0 | 1 << 1, group);
	task->instances = 2;
	lab_runs(task, 1 * S);
	hog(&lab, 1 << 0, -1);
	hog(&lab, 1 << 0, -1);
	CHECK_EQ(OK, lab_run(&lab));
	nobody_runs_throttled(&lab, FIRST + 4, FIRST + 5);
	CHECK_EQ(0, lab_count(&lab, EVENT_MIGRATE, 0));
	lab_fini(&lab);
}

/* At 4 ms its quota is over, and a realtime task wakes for 1 ms: that is when it is throttled. */
TEST(it_is_throttled_when_another_class_takes_over)
{
	static const char *const releases[] = { "6.1", "6.12" };

	for (u32 i = 0; i < ARRAY_SIZE(releases); i++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, 1, 50 * MS);
		lab_release(&lab, releases[i]);
		hog(&lab, 1, limited(&lab, -1, 4 * MS, 1 * S, 0));
		task = task_on(&lab, "realtime", 1, -1);
		task->attr.policy = EVENT_POLICY_FIFO;
		task->attr.rt_prio = 1;
		lab_sleeps(task, 4 * MS);
		lab_runs(task, 1 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(4 * MS, off(&lab, 0, 0), "%s", releases[i]);
		lab_fini(&lab);
	}
}

/*
 * After 1 ms at zero nobody takes anything: the refill at 100 ms says so, and the one at 200
 * is the last.  1 us for each.
 */
TEST(the_timer_stops_after_an_idle_period)
{
	struct lab lab;
	u64 cost_ns = 0;

	begin(&lab, 1, 1 * S);
	lab.machine.costs.timer_ns = 1 * US;
	lab_runs(task_on(&lab, "short", 1, limited(&lab, -1, 20 * MS, 100 * MS, 0)), 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 n = 0; lab_find(&lab, EVENT_COST, 0, n); n++)
		if (lab_find(&lab, EVENT_COST, 0, n)->cost.what == EVENT_COST_TIMER)
			cost_ns += lab_find(&lab, EVENT_COST, 0, n)->cost.ns;
	CHECK_EQ(2 * US, cost_ns);
	lab_fini(&lab);
}

/* The kernel's limits: 1 ms to 1 s, at least 1 ms, at most the quota. */
TEST(what_the_kernel_would_not_take_is_refused)
{
	static const struct {
		u64 quota_ns, period_ns, burst_ns;
		const char *word;
	} rows[] = { { MS, MS - 1, 0, "period" },      { MS, S + 1, 0, "period" },
		     { MS - 1, MS, 0, "quota" },       { 1ULL << 62, MS, 0, "quota" },
		     { MS, MS, MS + 1, "burst" },      { MS, MS, MS, NULL },
		     { 9000 * MS, 1000 * MS, 0, NULL } };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		s64 group;

		begin(&lab, 1, 10 * MS);
		group = limited(&lab, -1, rows[i].quota_ns, rows[i].period_ns, rows[i].burst_ns);
		hog(&lab, 1, group);
		CHECK_EQ(rows[i].word ? ERR_USAGE : OK, lab_run(&lab), "row %u", i);
		if (rows[i].word)
			CHECK(strstr(lab.err.what, rows[i].word), "row %u: %s", i, lab.err.what);
		lab_fini(&lab);
	}
}
