/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that go and come, cpusets that change. */
#include "lab.h"

static struct workload_change *change(struct lab *lab, u64 time_ns, enum workload_change_what what)
{
	struct workload_change *change = vec_add(&lab->workload->changes);

	change->time_ns = time_ns;
	change->what = what;
	return change;
}

static void offline(struct lab *lab, u64 time_ns, u32 cpu)
{
	change(lab, time_ns, WORKLOAD_CPU_OFFLINE)->cpu = cpu;
}

static void online(struct lab *lab, u64 time_ns, u32 cpu)
{
	change(lab, time_ns, WORKLOAD_CPU_ONLINE)->cpu = cpu;
}

/* When the CPU last had a thread from @from_ns to @to_ns switched in; NEVER: not at all. */
static u64 used(const struct lab *lab, s32 cpu, u64 from_ns, u64 to_ns)
{
	u64 time_ns = NEVER;

	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_SWITCH && event->cpu == cpu && event->other.tid &&
		    event->time_ns >= from_ns && event->time_ns < to_ns)
			time_ns = event->time_ns;
	}
	return time_ns;
}

static u64 last_end(const struct lab *lab, u32 nr)
{
	u64 last_ns = 0;

	for (u32 i = 0; i < nr; i++)
		if (lab_end(lab, FIRST + (s32)i) > last_ns)
			last_ns = lab_end(lab, FIRST + (s32)i);
	return last_ns;
}

/* Four of 20 ms on two CPUs: 20 are done at 10 ms, the other 60 take until 70 on one. */
TEST(tasks_of_a_cpu_that_goes_run_elsewhere)
{
	static const char *const releases[] = { "6.1", "6.12", "7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		const struct event *event;
		struct lab lab;

		lab_init(&lab, 2, 250);
		lab_release(&lab, releases[i]);
		lab_runs(lab_task(&lab, "hog", 4, 1), 20 * MS);
		offline(&lab, 10 * MS, 1);
		CHECK_EQ(OK, lab_run(&lab));
		event = lab_find(&lab, EVENT_CPU, EVENT_NOBODY, 0);
		CHECK(event);
		CHECK_EQ(10 * MS, event->time_ns);
		CHECK_EQ(1, event->cpu);
		CHECK_EQ(0, event->cpu_.online);
		CHECK_EQ(NEVER, used(&lab, 1, 10 * MS, NEVER));
		CHECK_EQ(70 * MS, last_end(&lab, 4), "%s", releases[i]);
		lab_fini(&lab);
	}
}

/*
 * Of 40 ms left at 30 the CPU that is back takes its part, once a tick of the other has asked
 * it to: with new domains nothing is known of overload.
 */
TEST(a_cpu_that_comes_back_finds_work)
{
	const struct event *event;
	struct lab lab;

	lab_init(&lab, 2, 250);
	lab_runs(lab_task(&lab, "hog", 4, 1), 20 * MS);
	offline(&lab, 10 * MS, 1);
	online(&lab, 30 * MS, 1);
	CHECK_EQ(OK, lab_run(&lab));
	event = lab_find(&lab, EVENT_CPU, EVENT_NOBODY, 1);
	CHECK(event);
	CHECK_EQ(30 * MS, event->time_ns);
	CHECK_EQ(1, event->cpu_.online);
	CHECK_EQ(NEVER, used(&lab, 1, 10 * MS, 30 * MS));
	CHECK(used(&lab, 1, 30 * MS, 42 * MS) != NEVER, "within three ticks");
	CHECK(last_end(&lab, 4) <= 60 * MS, "%llu", last_end(&lab, 4));
	lab_fini(&lab);
}

/* It sleeps on CPU 1 until 21; that one goes at 5, and with it the task's affinity. */
TEST(a_sleeper_wakes_on_time_elsewhere)
{
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 2, 250);
	task = lab_task(&lab, "one", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 2);
	lab_runs(task, 1 * MS);
	lab_sleeps(task, 20 * MS);
	lab_runs(task, 1 * MS);
	offline(&lab, 5 * MS, 1);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(21 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(0, lab_find(&lab, EVENT_WAKING, FIRST, 0)->cpu);
	CHECK_EQ(22 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

TEST(a_task_of_one_cpu_moves_when_that_goes)
{
	const struct event *event;
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 3, 250);
	task = lab_task(&lab, "one", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 4);
	lab_runs(task, 20 * MS);
	offline(&lab, 5 * MS, 2);
	CHECK_EQ(OK, lab_run(&lab));
	event = lab_find(&lab, EVENT_MIGRATE, FIRST, 0);
	CHECK(event);
	CHECK_EQ(5 * MS, event->time_ns);
	CHECK_EQ(2, event->migrate.orig_cpu);
	CHECK_EQ(0, event->migrate.dest_cpu); /* the first of those that are left */
	CHECK_EQ(5 * MS, lab_when(&lab, EVENT_ATTR, FIRST, 1));
	CHECK_EQ(20 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* Two of 20 ms on two CPUs until 10 ms, then on one: 20 ms are left. */
TEST(a_group_whose_cpuset_shrinks_leaves_the_others)
{
	struct workload_change *to;
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 2, 250);
	task = lab_task(&lab, "hog", 2, 1);
	task->attr.cgroup = lab_group(&lab, -1, 100);
	lab_runs(task, 20 * MS);
	to = change(&lab, 10 * MS, WORKLOAD_CPUSET);
	to->cpus = lab_cpus(&lab, 1);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(NEVER, used(&lab, 1, 10 * MS, NEVER));
	CHECK_EQ(30 * MS, last_end(&lab, 2));
	lab_fini(&lab);
}

/* A cpuset of CPUs that are not there leaves the parent's.  Kernel: cpuset.cpus.effective. */
TEST(a_cpuset_that_is_offline_is_passed_over)
{
	struct workload_change *to;
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 2, 250);
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.cgroup = lab_group(&lab, -1, 100);
	lab_runs(task, 20 * MS);
	to = change(&lab, 1 * MS, WORKLOAD_CPUSET);
	to->cpus = lab_cpus(&lab, 2);
	offline(&lab, 10 * MS, 1);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1 * MS, used(&lab, 1, 1 * MS, NEVER));
	CHECK_EQ(10 * MS, used(&lab, 0, 10 * MS, NEVER));
	CHECK_EQ(20 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * 5 ms in each 20, and CPU 1 goes while the task waits for its second period: that begins
 * nevertheless, and of the third it needs 4.
 */
TEST(a_throttled_deadline_task_comes_back_elsewhere)
{
	static const char *const releases[] = { "6.1", "6.12", "7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		struct workload_task *task;
		struct lab lab;

		lab_init(&lab, 2, 1000);
		lab_release(&lab, releases[i]);
		task = lab_task(&lab, "hog", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 1);
		lab_runs(task, 100 * MS);
		task = lab_task(&lab, "deadline", 1, 1);
		task->attr.policy = EVENT_POLICY_DEADLINE;
		task->attr.dl_runtime_ns = 5 * MS;
		task->attr.dl_deadline_ns = task->attr.dl_period_ns = 20 * MS;
		lab_runs(task, 14 * MS);
		offline(&lab, 10 * MS, 1);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(0, used(&lab, 1, 0, NEVER));
		CHECK_EQ(44 * MS, lab_end(&lab, FIRST + 1), "%s", releases[i]);
		lab_fini(&lab);
	}
}

/* It names all CPUs that are left.  Kernel: __sched_setscheduler() asks for the domain's. */
TEST(a_task_becomes_a_deadline_one_after_a_cpu_went)
{
	struct workload_attr *attr;
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 2, 1000);
	task = lab_task(&lab, "late", 1, 1);
	lab_runs(task, 10 * MS);
	attr = lab_phase(task, 1);
	attr->policy = EVENT_POLICY_DEADLINE;
	attr->dl_runtime_ns = 5 * MS;
	attr->dl_deadline_ns = attr->dl_period_ns = 20 * MS;
	lab_runs(task, 5 * MS);
	offline(&lab, 5 * MS, 1);
	CHECK_EQ(OK, lab_run(&lab), "%s", lab.err.what);
	CHECK_EQ(15 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * 1 ms each 5: by the time of 12 CPU 1 has had two, and CPU 0 gets those at 15, 20, 25 and 30,
 * which make 30 ms of work there end at 34.
 */
TEST(a_device_interrupts_another_cpu)
{
	struct workload_interrupt *irq;
	struct lab lab;
	u32 nr[2] = { 0 };

	lab_init(&lab, 2, 1000);
	irq = vec_add(&lab.workload->interrupts);
	*irq = (struct workload_interrupt){ .name = mem_strdup("disk"),
					    .cpu = 1,
					    .period = { .shape = WORKLOAD_CONST, .a = 5 * MS },
					    .duration = { .shape = WORKLOAD_CONST, .a = 1 * MS } };
	lab_runs(lab_task(&lab, "hog", 1, 1), 30 * MS);
	offline(&lab, 12 * MS, 1);
	online(&lab, 14 * MS, 1);
	CHECK_EQ(OK, lab_run(&lab));
	for (size_t i = 0; i < lab.events.nr; i++)
		if (lab.events.at[i].kind == EVENT_IRQ)
			nr[lab.events.at[i].cpu]++;
	CHECK_EQ(2, nr[1]);
	CHECK_EQ(4, nr[0]);
	CHECK_EQ(34 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

static s64 quota(struct lab *lab, u64 quota_ns, u64 period_ns)
{
	s64 group = lab_group(lab, -1, 100);

	lab->workload->cgroups.at[group].quota_ns = quota_ns;
	lab->workload->cgroups.at[group].period_ns = period_ns;
	return group;
}

/*
 * 6.1, 5 ms in each 20, seen by ticks of 4 ms: CPU 1 has had 8 when it is throttled.  As it
 * goes at 12 its 3 ms of debt are forgiven, and CPU 0 is given 1 ns because domains are built
 * anew: it has 4 ms until the next tick sees that, and the last 2 in the next period.
 */
TEST(what_a_quota_holds_back_leaves_a_cpu_that_goes)
{
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 2, 250);
	lab_release(&lab, "6.1");
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 2);
	task->attr.cgroup = quota(&lab, 5 * MS, 20 * MS);
	lab_runs(task, 14 * MS);
	offline(&lab, 12 * MS, 1);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(12 * MS, lab_when(&lab, EVENT_MIGRATE, FIRST, 0));
	CHECK_EQ(12 * MS, used(&lab, 0, 12 * MS, 20 * MS));
	CHECK_EQ(20 * MS, used(&lab, 0, 20 * MS, NEVER));
	CHECK_EQ(22 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

static u32 unthrottled_at(const struct lab *lab, u64 time_ns)
{
	u32 nr = 0;

	for (size_t i = 0; i < lab->events.nr; i++)
		nr += lab->events.at[i].kind == EVENT_CGROUP &&
		      lab->events.at[i].cgroup.what == EVENT_CGROUP_UNTHROTTLE &&
		      lab->events.at[i].time_ns == time_ns;
	return nr;
}

/*
 * New domains take each CPU offline for a moment.  Kernel: unthrottle_offline_cfs_rqs() spares
 * active CPUs from 6.13 on.
 */
TEST(throttled_on_a_cpu_that_stays_is_forgiven_up_to_6_12)
{
	static const struct {
		const char *release;
		u32 want;
	} rows[] = { { "6.1", 1 }, { "6.6", 1 }, { "6.12", 1 }, { "6.18", 0 }, { "7.3", 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;

		lab_init(&lab, 2, 1000);
		lab_release(&lab, rows[i].release);
		task = lab_task(&lab, "hog", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 1);
		task->attr.cgroup = quota(&lab, 1 * MS, 1000 * MS);
		lab_runs(task, 8 * MS);
		lab.setup.duration_ns = 12 * MS;
		offline(&lab, 9123456, 1);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].want, unthrottled_at(&lab, 9123456), "%s", rows[i].release);
		lab_fini(&lab);
	}
}

TEST(a_quota_holds_again_on_a_cpu_that_came_back)
{
	static const char *const releases[] = { "6.1", "6.12", "6.18", "7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		struct workload_task *task;
		struct lab lab;

		lab_init(&lab, 2, 1000);
		lab_release(&lab, releases[i]);
		task = lab_task(&lab, "hog", 2, 1);
		task->attr.cgroup = quota(&lab, 5 * MS, 20 * MS);
		lab_runs(task, 1000 * MS);
		lab.setup.duration_ns = 1000 * MS;
		offline(&lab, 100 * MS, 1);
		online(&lab, 103 * MS, 1);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK(used(&lab, 1, 103 * MS, NEVER) > 500 * MS, "%s", releases[i]);
		/* 51 periods at most, what was forgiven, and a tick or two seen too late */
		CHECK(lab_ran_ns(&lab, FIRST) + lab_ran_ns(&lab, FIRST + 1) <= 51 * 5 * MS + 8 * MS,
		      "%s", releases[i]);
		lab_fini(&lab);
	}
}

TEST(changes_that_cannot_be_are_refused)
{
	static const struct {
		u32 cpu;
		bool online;
		const char *why;
	} rows[] = {
		{ 2, false, "CPU 2 changes: expected one of the machine's 2, 0 to 1" },
		{ 0, true, "CPU 0 goes online at 2 us: expected that it is not already" },
		{ 1, false, "CPU 1 goes offline at 2 us: expected that it is not already" },
		{ 0, false, "CPU 0 goes offline at 2 us: expected that another one is left" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		lab_init(&lab, 2, 250);
		lab_runs(lab_task(&lab, "hog", 1, 1), 1 * MS);
		offline(&lab, 1 * US, 1);
		if (rows[i].online)
			online(&lab, 2 * US, rows[i].cpu);
		else
			offline(&lab, 2 * US, rows[i].cpu);
		CHECK_EQ(ERR_USAGE, lab_run(&lab), "row %zu", i);
		CHECK(strstr(lab.err.what, rows[i].why), "row %zu: %s", i, lab.err.what);
		lab_fini(&lab);
	}
}

/* Takes 0..@below - 1 from the dice. */
static u32 dice(u64 *state, u32 below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*state >> 33) % below;
}

/* Tasks of all kinds on four CPUs, one of which goes and comes every few milliseconds. */
static void random_lab(struct lab *lab, u64 seed)
{
	u64 state = seed;
	s64 outer = quota(lab, 4 * MS, 10 * MS), inner = quota(lab, 2 * MS, 5 * MS);

	lab->workload->cgroups.at[inner].parent = outer;

	for (u32 i = 0; i < 12; i++) {
		struct workload_task *task = lab_task(lab, "t", 1, 20);

		task->delay_ns = dice(&state, 10) * MS;
		task->attr.nice = (s32)dice(&state, 11) - 5;
		if (!dice(&state, 4)) {
			task->attr.policy = EVENT_POLICY_FIFO;
			task->attr.rt_prio = 1 + (s32)dice(&state, 3);
		}
		if (!dice(&state, 3))
			task->attr.cpus = lab_cpus(lab, 1 + dice(&state, 15));
		if (dice(&state, 2))
			task->attr.cgroup = dice(&state, 2) ? outer : inner;
		lab_runs(task, 1 + dice(&state, 1500) * US);
		lab_sleeps(task, 1 + dice(&state, 2000) * US);
	}
	lab_runs(lab_task(lab, "long", 1, 1), 110 * MS);
	for (u32 i = 0; i < 20; i++) {
		u32 cpu = dice(&state, 4);

		offline(lab, (5 * i + 1) * MS + dice(&state, 1000), cpu);
		online(lab, (5 * i + 3) * MS + dice(&state, 1000), cpu);
	}
}

static void check_gone(const struct lab *lab, u64 seed)
{
	bool gone[4] = { false };

	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_CPU)
			gone[event->cpu] = !event->cpu_.online;
		if (event->kind == EVENT_SWITCH)
			CHECK(!gone[event->cpu] || !event->other.tid, "seed %llu, at %llu", seed,
			      event->time_ns);
	}
}

TEST(whatever_runs_nothing_is_lost_with_a_cpu)
{
	static const char *const releases[] = { "6.1", "6.12", "6.18", "7.3" };

	for (u64 seed = 1; seed <= 30; seed++) {
		struct lab lab;

		lab_init(&lab, 4, 250);
		lab_release(&lab, releases[seed % ARRAY_SIZE(releases)]);
		lab.machine.costs = machine_default_costs;
		if (seed & 1)
			lab.machine.idle = MACHINE_IDLE_HALTPOLL;
		random_lab(&lab, seed);
		CHECK_EQ(OK, lab_run(&lab), "seed %llu: %s", seed, lab.err.what);
		CHECK_EQ(40, lab_count(&lab, EVENT_CPU, EVENT_NOBODY), "seed %llu", seed);
		for (s32 i = 0; i < 13; i++)
			CHECK(lab_end(&lab, FIRST + i) != NEVER, "seed %llu, task %d", seed, i);
		check_gone(&lab, seed);
		lab_fini(&lab);
	}
}
