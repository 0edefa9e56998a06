/* SPDX-License-Identifier: GPL-2.0-only */
/* What balancing does, and the reason it gives: --explain's decisions. */
#include "sim/internal.h"

#include "lab.h"

enum {
#define EVENT_RULE(id, name) RULE_##id,
#include "events/rules.def"
};
enum {
#define EVENT_REASON(id, name, what) REASON_##id,
#include "events/rules.def"
};

/* The n-th decision of a rule about a tid (0: any); NULL if there are fewer. */
static const struct event *decision(const struct lab *lab, u32 rule, s32 tid, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_DECISION && event->decision.rule == rule &&
		    (!tid || event->task.tid == tid) && !n--)
			return event;
	}
	return NULL;
}

/* How often a rule gave this reason. */
static u32 count(const struct lab *lab, u32 rule, u32 reason)
{
	u32 nr = 0;

	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		nr += event->kind == EVENT_DECISION && event->decision.rule == rule &&
		      event->decision.reason == reason;
	}
	return nr;
}

/* The n-th decision of that reason. */
static const struct event *because(const struct lab *lab, u32 rule, u32 reason, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_DECISION && event->decision.rule == rule &&
		    event->decision.reason == reason && !n--)
			return event;
	}
	return NULL;
}

static void init(struct lab *lab, u32 nr_cpus)
{
	lab_init(lab, nr_cpus, 250);
	lab->setup.explain = true;
	lab_feature(lab, POLICY_NI_RANDOM, false);
}

/* CPUs 0 and 1 under one cache, 2 and 3 under another. */
static void two_caches(struct lab *lab)
{
	init(lab, 4);
	for (u32 cpu = 0; cpu < 4; cpu++)
		lab->machine.cpus[cpu].cluster = lab->machine.cpus[cpu].llc = cpu / 2;
}

static struct workload_task *on(struct lab *lab, const char *name, u32 instances, u32 mask, u64 ns)
{
	struct workload_task *task = lab_task(lab, name, instances, 1);

	task->attr.cpus = lab_cpus(lab, mask);
	lab_runs(task, ns);
	return task;
}

/*
 * CPU 0 has a 10 ms task and one that waits, CPU 1 is done at 2 and takes that.  The two are new,
 * of utilisation 512 and a half of what that leaves, 256: (512 + 256) * 117 < 1024 * 100, so that
 * CPU 0 counts as having spare capacity.
 */
TEST(a_cpu_that_gets_idle_pulls_a_waiting_task)
{
	struct lab lab;
	const struct event *event;

	init(&lab, 2);
	on(&lab, "long", 1, 1, 10 * MS);
	on(&lab, "short", 1, 2, 2 * MS);
	lab_runs(lab_task(&lab, "waits", 1, 1), 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	event = decision(&lab, SIM_RULE_MIGRATE, FIRST + 2, 0);
	CHECK(event);
	CHECK_EQ(2 * MS, event->time_ns);
	CHECK_EQ(SIM_REASON_NEWIDLE, event->decision.reason);
	CHECK_EQ(1, event->decision.cpu);
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST + 2));
	event = because(&lab, SIM_RULE_BALANCE, SIM_REASON_HAS_SPARE, 0);
	CHECK(event);
	CHECK_EQ(2 * MS, event->time_ns);
	CHECK_EQ(0, event->decision.cpu);
	lab_fini(&lab);
}

/*
 * Nobody is newly idle: two hogs are on CPU 0, CPU 1 idles from the start.  CPU 0's first tick
 * sees two tasks and wakes CPU 1, which pulls one.
 */
TEST(a_busy_tick_wakes_an_idle_cpu_to_balance)
{
	struct lab lab;
	struct workload_task *task;
	const struct event *event;

	init(&lab, 2);
	task = on(&lab, "free", 2, 1, 1 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 3);
	lab_runs(task, 20 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	event = because(&lab, SIM_RULE_KICK, SIM_REASON_TWO_TASKS, 0);
	CHECK(event);
	CHECK_EQ(0, event->cpu);
	CHECK_EQ(1, event->decision.cpu);
	CHECK_EQ(0u, event->time_ns % (4 * MS));
	CHECK(event->time_ns <= 8 * MS, "%llu", event->time_ns);
	event = decision(&lab, SIM_RULE_MIGRATE, 0, 0);
	CHECK(event);
	CHECK_EQ(SIM_REASON_NOHZ, event->decision.reason);
	CHECK_EQ(1, event->decision.cpu);
	lab_fini(&lab);
}

/* With a migration cost of -1 what waits is hot, with 0 it is not; more than one pass must fail. */
TEST(hot_tasks_stay_until_passes_have_failed)
{
	u64 moved_ns[2];

	for (u32 hot = 0; hot < 2; hot++) {
		struct lab lab;
		struct workload_task *task;
		const struct event *event;

		init(&lab, 2);
		lab.setup.tunables.migration_cost_ns = hot ? SIM_ALWAYS_HOT : 0;
		task = on(&lab, "free", 2, 1, 1 * MS);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 3);
		lab_runs(task, 200 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(hot, count(&lab, SIM_RULE_DETACH, SIM_REASON_CACHE_HOT) > 0);
		event = decision(&lab, SIM_RULE_MIGRATE, 0, 0);
		CHECK(event);
		moved_ns[hot] = event->time_ns;
		lab_fini(&lab);
	}
	CHECK(moved_ns[1] >= moved_ns[0] + 8 * MS, "%llu, %llu", moved_ns[0], moved_ns[1]);
}

/*
 * CPU 0 gets idle beside two tasks bound to CPU 1 and two that wait on CPU 2, of less load.  None
 * of CPU 1's may be moved: CPU 2 is the next source.
 */
TEST(a_source_whose_tasks_are_all_pinned_gives_way_to_another)
{
	struct lab lab;
	const struct event *event;

	init(&lab, 3);
	on(&lab, "short", 1, 1, 2 * MS);
	on(&lab, "bound", 3, 2, 50 * MS);
	on(&lab, "free", 2, 5, 50 * MS)->attr.cpus = lab_cpus(&lab, 4);
	lab.workload->tasks.at[2].attr.cpus = lab_cpus(&lab, 5);
	CHECK_EQ(OK, lab_run(&lab));
	event = because(&lab, SIM_RULE_BALANCE, SIM_REASON_ALL_PINNED, 0);
	CHECK(event);
	CHECK_EQ(1, event->decision.cpu);
	CHECK(count(&lab, SIM_RULE_DETACH, SIM_REASON_SOME_PINNED) >= 2);
	lab_fini(&lab);
}

/*
 * CPU 0 balances for its cache; what waits on CPU 2 may not run on 0, but on 1, of the same
 * group: it goes there.
 */
TEST(a_pinned_task_goes_to_another_cpu_of_the_group)
{
	struct lab lab;
	const struct event *event;
	struct workload_task *task;

	two_caches(&lab);
	task = on(&lab, "t", 3, 1 << 2, 1 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 1 << 1 | 1 << 2);
	lab_runs(task, 60 * MS);
	on(&lab, "hog", 1, 1 << 3, 200 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	event = because(&lab, SIM_RULE_DETACH, SIM_REASON_DST_PINNED, 0);
	CHECK(event);
	CHECK_EQ(0, event->decision.cpu);
	event = decision(&lab, SIM_RULE_MIGRATE, 0, 0);
	CHECK(event);
	CHECK_EQ(1, event->decision.cpu);
	lab_fini(&lab);
}

/* One task runs on each CPU of two, and may use both; nothing waits: nothing moves. */
TEST(running_tasks_stay)
{
	struct lab lab;

	init(&lab, 2);
	lab_runs(lab_task(&lab, "t", 2, 1), 100 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0u, lab_count(&lab, EVENT_MIGRATE, 0));
	lab_fini(&lab);
}

/*
 * SMT: two tasks run on the threads of core 0, core 1 is idle.  Passes fail as both run; the
 * next one has the stopper push one over.
 */
TEST(a_running_task_is_pushed_to_an_idle_core)
{
	struct lab lab;
	const struct event *event;
	struct workload_task *task;

	init(&lab, 4);
	lab.machine.smt = true;
	for (u32 cpu = 0; cpu < 4; cpu++)
		lab.machine.cpus[cpu].core = lab.machine.cpus[cpu].freq_domain = cpu / 2;
	lab.machine.costs.stopper_ns = 10 * US;
	task = on(&lab, "a", 1, 1 << 0, 1 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 15);
	lab_runs(task, 300 * MS);
	task = on(&lab, "b", 1, 1 << 1, 1 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 15);
	lab_runs(task, 300 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK(because(&lab, SIM_RULE_BALANCE, SIM_REASON_SMT_BALANCE, 0));
	event = decision(&lab, SIM_RULE_MIGRATE, 0, 0);
	CHECK(event);
	CHECK_EQ(SIM_REASON_ACTIVE, event->decision.reason);
	CHECK(event->decision.cpu >= 2);
	lab_fini(&lab);
}

/* The same without its own rule: 6.1 leaves threads that have a core each alone. */
TEST(release_6_1_does_not_know_threads)
{
	struct lab lab;
	struct workload_task *task;

	init(&lab, 4);
	lab_release(&lab, "6.1");
	lab.machine.smt = true;
	for (u32 cpu = 0; cpu < 4; cpu++)
		lab.machine.cpus[cpu].core = lab.machine.cpus[cpu].freq_domain = cpu / 2;
	task = on(&lab, "a", 1, 1 << 0, 1 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 15);
	lab_runs(task, 100 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(0u, count(&lab, SIM_RULE_BALANCE, SIM_REASON_SMT_BALANCE));
	lab_fini(&lab);
}

/* Newly idle passes look at a CPU's clock and cost, too: none of it on one CPU. */
TEST(one_cpu_does_not_balance)
{
	struct lab lab;

	init(&lab, 1);
	lab_runs(lab_task(&lab, "t", 3, 1), 20 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 rule = SIM_RULE_BALANCE; rule <= SIM_RULE_KICK; rule++)
		CHECK(!decision(&lab, rule, 0, 0));
	CHECK_EQ(0u, count(&lab, SIM_RULE_MIGRATE, SIM_REASON_NEWIDLE));
	lab_fini(&lab);
}

/*
 * CPU 2 of four is the favoured one.  A hog that was born on CPU 0 is the only task: its tick wakes
 * an idle CPU, which balances for CPU 2, too, and has the stopper push it there.  A second one bound
 * to CPU 2 keeps it: then, as without priorities, the first stays.
 */
TEST(what_runs_is_packed_onto_the_favoured_cpu)
{
	static const char *const releases[] = { "6.1", "6.12", "7.3" };

	for (size_t k = 0; k < 3 * ARRAY_SIZE(releases); k++) {
		bool favoured = k % 3 != 0, taken = k % 3 == 2, seen = false;
		struct lab lab;

		lab_init(&lab, 4, 250);
		lab_release(&lab, releases[k / 3]);
		lab.setup.explain = true;
		lab.machine.cpus[2].priority = favoured;
		lab_runs(lab_task(&lab, "hog", 1, 1), 100 * MS);
		if (taken) {
			lab_task(&lab, "other", 1, 1)->attr.cpus = lab_cpus(&lab, 4);
			lab_runs(&lab.workload->tasks.at[1], 100 * MS);
		}
		CHECK_EQ(OK, lab_run(&lab), "%s", lab.err.what);
		vec_for_each(event, &lab.events)
			seen |= event->kind == EVENT_DECISION &&
				event->decision.rule == RULE_BALANCE &&
				event->decision.reason == REASON_PACKING;
		CHECK_EQ(favoured && !taken, seen, "%s %zu", releases[k / 3], k % 3);
		CHECK_EQ(favoured && !taken, lab_count(&lab, EVENT_MIGRATE, FIRST), "%s %zu",
			 releases[k / 3], k % 3);
		lab_fini(&lab);
	}
}
