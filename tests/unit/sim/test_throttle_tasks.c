/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.max where tasks are throttled one by one, as in 7.3: HZ 250, one CPU, costless unless
 * told.  The grid of periods lies at random, so times are counted from a refill.
 */
#include "lab.h"

static s64 limited(struct lab *lab, s64 parent, u64 quota_ns, u64 period_ns)
{
	s64 index = lab_group(lab, parent, 100);
	struct workload_cgroup *group = &lab->workload->cgroups.at[index];

	group->quota_ns = quota_ns;
	group->period_ns = period_ns;
	return index;
}

static struct workload_task *task_in(struct lab *lab, const char *name, s64 cgroup)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.cgroup = cgroup;
	return task;
}

static void hog(struct lab *lab, s64 cgroup)
{
	lab_runs(task_in(lab, "hog", cgroup), 100 * S);
}

/* The group's n-th (from 0) event of a kind. */
static u64 when(const struct lab *lab, u32 what, u32 id, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_CGROUP && event->cgroup.what == what &&
		    event->cgroup.id == id && !n--)
			return event->time_ns;
	}
	return NEVER;
}

static u64 off(const struct lab *lab, u32 n)
{
	return when(lab, EVENT_CGROUP_THROTTLE, 1, n);
}

static u64 on(const struct lab *lab, u32 n)
{
	return when(lab, EVENT_CGROUP_UNTHROTTLE, 1, n);
}

/* 7.3's own, and 6.12's queues with the tasks that 6.18 takes off. */
static void begin(struct lab *lab, bool nested, struct policy_release *by_task, u64 duration_ns)
{
	lab_init(lab, 1, 250);
	if (nested) {
		*by_task = *lab->setup.release;
		by_task->throttle = POLICY_THROTTLE_PICK;
		lab->setup.release = by_task;
	} else {
		lab_release(lab, "7.3");
	}
	lab->setup.duration_ns = duration_ns;
}

/*
 * Quota 20, refilled when the hog owes nothing or the few ms since the last tick.  It is off
 * from the tick that finds 20 used to the next refill, and has 20 in each period on average.
 */
TEST(a_hog_runs_its_quota_in_each_period)
{
	for (u32 nested = 0; nested < 2; nested++) {
		struct policy_release by_task;
		struct lab lab;

		begin(&lab, nested, &by_task, 2050 * MS);
		hog(&lab, limited(&lab, -1, 20 * MS, 100 * MS));
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 i = 1; i < 19; i++) {
			CHECK_EQ(100 * MS, on(&lab, i) - on(&lab, i - 1), "period %u", i);
			CHECK_EQ(0, off(&lab, i) % (4 * MS), "at a tick %u", i);
			CHECK_EQ(off(&lab, i), lab_when(&lab, EVENT_SWITCH, FIRST, i));
			CHECK_EQ(on(&lab, i), lab_on_cpu(&lab, FIRST, i + 1));
		}
		CHECK(lab_ran_ns(&lab, FIRST) >= 400 * MS && lab_ran_ns(&lab, FIRST) <= 444 * MS,
		      "20 or 21 refills, and a tick: %llu", lab_ran_ns(&lab, FIRST));
		lab_fini(&lab);
	}
}

/*
 * A switch takes 10 us.  The sleeper wakes while its group has nothing left: it is given the
 * CPU all the same, and loses it when the kernel is done, before it has done anything itself.
 * It is back with the group, without a wakeup, and does its 1 ms then.
 */
TEST(a_wakee_of_a_throttled_group_gets_as_far_as_the_kernel_goes)
{
	struct policy_release by_task;
	struct lab lab;
	u64 woken_ns, on_ns;
	s64 group;

	begin(&lab, false, &by_task, 2 * S);
	lab.machine.costs.switch_ns = 10 * US;
	group = limited(&lab, -1, 4 * MS, 1 * S);
	hog(&lab, group);
	hog(&lab, -1);
	lab_sleeps(task_in(&lab, "sleeper", group), 50 * MS);
	lab_runs(&lab.workload->tasks.at[2], 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	woken_ns = lab_when(&lab, EVENT_WAKEUP, FIRST + 2, 0);
	CHECK(off(&lab, 0) < woken_ns && woken_ns < on(&lab, 0), "off %llu, woken %llu, on %llu",
	      off(&lab, 0), woken_ns, on(&lab, 0));
	on_ns = lab_on_cpu(&lab, FIRST + 2, 1);
	CHECK(on_ns < on(&lab, 0), "%llu", on_ns);
	CHECK_EQ(on_ns + 10 * US, lab_when(&lab, EVENT_SWITCH, FIRST + 2, 1));
	CHECK_EQ(EVENT_STATE_RUNNING,
		 lab_find(&lab, EVENT_SWITCH, FIRST + 2, 1)->switch_.prev_state);
	CHECK_EQ(1, lab_count(&lab, EVENT_WAKEUP, FIRST + 2));
	CHECK(lab_on_cpu(&lab, FIRST + 2, 2) >= on(&lab, 0));
	CHECK(lab_end(&lab, FIRST + 2) != NEVER);
	lab_fini(&lab);
}

/*
 * Three hogs of the group: who runs when the quota is used up is taken off, and so are the
 * two others, each when it is picked, all at once.  The hog beside them has the CPU then.
 */
TEST(the_others_are_taken_off_as_they_are_picked)
{
	for (u32 nested = 0; nested < 2; nested++) {
		struct policy_release by_task;
		struct lab lab;
		s64 group;

		begin(&lab, nested, &by_task, 1 * S);
		group = limited(&lab, -1, 12 * MS, 500 * MS);
		for (u32 i = 0; i < 3; i++)
			hog(&lab, group);
		CHECK_EQ(OK, lab_run(&lab));
		for (s32 i = 0; i < 3; i++) {
			u32 n = 0;

			while (lab_on_cpu(&lab, FIRST + i, n) < on(&lab, 0))
				n++;
			CHECK_EQ(off(&lab, 0), lab_when(&lab, EVENT_SWITCH, FIRST + i, n - 1),
				 "hog %d", i);
		}
		lab_fini(&lab);
	}
}

/* The limit is the parent's, the tasks are in a child: what they run counts there too. */
TEST(a_quota_holds_for_the_groups_below)
{
	for (u32 nested = 0; nested < 2; nested++) {
		struct policy_release by_task;
		struct lab lab;
		s64 top;

		begin(&lab, nested, &by_task, 10 * S);
		top = limited(&lab, -1, 10 * MS, 50 * MS);
		hog(&lab, lab_group(&lab, top, 100));
		hog(&lab, lab_group(&lab, lab_group(&lab, top, 100), 100));
		hog(&lab, -1);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK(lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1) >= 1980 * MS &&
			      lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1) <= 2024 * MS,
		      "nested %u: %llu", nested,
		      lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1));
		CHECK(lab_ran_ns(&lab, FIRST) > 900 * MS && lab_ran_ns(&lab, FIRST + 1) > 900 * MS,
		      "nested %u: both %llu", nested, lab_ran_ns(&lab, FIRST));
		lab_fini(&lab);
	}
}

/* 400 ms after a quota of 4 ms of a second was used up it joins that group, and stops at once. */
TEST(a_task_that_joins_a_throttled_group_stops)
{
	for (u32 nested = 0; nested < 2; nested++) {
		struct policy_release by_task;
		struct workload_task *task;
		struct lab lab;
		s64 group;
		u64 at_ns;

		begin(&lab, nested, &by_task, 2 * S);
		group = limited(&lab, -1, 4 * MS, 1 * S);
		hog(&lab, group);
		task = task_in(&lab, "joins", -1);
		lab_runs(task, 20 * MS);
		lab_phase(task, 1)->cgroup = group;
		lab_runs(task, 500 * US);
		CHECK_EQ(OK, lab_run(&lab));
		at_ns = lab_when(&lab, EVENT_ATTR, FIRST + 1, 1);
		CHECK(off(&lab, 0) < at_ns && at_ns < on(&lab, 0), "nested %u: %llu", nested,
		      at_ns);
		CHECK(lab_end(&lab, FIRST + 1) >= on(&lab, 0), "nested %u: %llu, on %llu", nested,
		      lab_end(&lab, FIRST + 1), on(&lab, 0));
		lab_fini(&lab);
	}
}

/*
 * What real kernels gave: hogs, their group's quota and period, and the CPUs they used of 4.
 * Within a tenth in each release.
 */
TEST(hogs_use_what_published_runs_used)
{
	static const char *const releases[] = { "6.1", "6.12", "7.3" };
	static const struct {
		u32 hogs, quota_ms, period_ms, percent;
	} rows[] = { { 4, 20, 100, 22 },
		     { 4, 50, 100, 54 },
		     { 4, 100, 100, 104 },
		     { 4, 20, 20, 103 },
		     { 8, 250, 100, 260 } };

	for (u32 r = 0; r < ARRAY_SIZE(releases); r++) {
		for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
			u64 ran_ns = 0, want_ns = rows[i].percent * 10 * S / 100;
			struct lab lab;
			s64 group;

			lab_init(&lab, 4, 250);
			lab_release(&lab, releases[r]);
			lab.machine.costs = machine_default_costs;
			lab.setup.duration_ns = 10 * S;
			group = limited(&lab, -1, rows[i].quota_ms * MS, rows[i].period_ms * MS);
			for (u32 k = 0; k < rows[i].hogs; k++)
				hog(&lab, group);
			CHECK_EQ(OK, lab_run(&lab));
			for (u32 k = 0; k < rows[i].hogs; k++)
				ran_ns += lab_ran_ns(&lab, FIRST + (s32)k);
			CHECK(ran_ns * 10 >= want_ns * 9 && ran_ns * 10 <= want_ns * 11,
			      "%s row %u: %llu", releases[r], i, ran_ns);
			lab_fini(&lab);
		}
	}
}
