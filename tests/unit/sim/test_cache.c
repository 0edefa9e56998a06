/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cache-aware balancing of 7.3 on two caches of two or four CPUs, at 250 Hz: an epoch is 8 ms, and
 * a process is looked at by the tick of one of its threads.
 */
#include "lab.h"

enum {
#define EVENT_RULE(id, name) RULE_##id,
#include "events/rules.def"
};
enum {
#define EVENT_REASON(id, name, what) REASON_##id,
#include "events/rules.def"
};

static void caches_of(struct lab *lab, u32 nr_cpus)
{
	lab_init(lab, 2 * nr_cpus, 250);
	lab_release(lab, "7.3");
	lab->setup.explain = true;
	for (u32 i = 0; i < 2 * nr_cpus; i++)
		lab->machine.cpus[i].cluster = lab->machine.cpus[i].llc = i / nr_cpus;
}

static struct workload_task *threads(struct lab *lab, const char *process, u32 nr, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, process ? process : "thread", nr, 1);

	task->process = process ? mem_strdup(process) : NULL;
	lab_runs(task, run_ns);
	return task;
}

static const struct event *decided(const struct lab *lab, u16 rule, u16 reason, s32 tid, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_DECISION && event->decision.rule == rule &&
		    (reason == REASON_NONE || event->decision.reason == reason) &&
		    (!tid || event->task.tid == tid) && !n--)
			return event;
	}
	return NULL;
}

/* The CPU that it was given last. */
static s32 last_cpu(const struct lab *lab, s32 tid)
{
	for (size_t i = lab->events.nr; i--;)
		if (lab->events.at[i].kind == EVENT_SWITCH && lab->events.at[i].other.tid == tid)
			return lab->events.at[i].cpu;
	return -1;
}

static void run(struct lab *lab)
{
	CHECK_EQ(OK, lab_run(lab), "%s", lab->err.what);
}

/*
 * Three begin as the idlest group goes: on CPUs 0, 4 and 1.  At the tick of 4 ms CPU 0 is the
 * first to look: of the others nothing is accounted yet, so the process prefers that cache.
 * Two of its CPUs being busy, an idle one is woken to balance; what it is to get runs alone on
 * its CPU, so that the stopper has to push it.
 */
static void check_together(const char *process)
{
	struct lab lab;
	const struct event *event;

	caches_of(&lab, 4);
	threads(&lab, process, 3, 200 * MS);
	run(&lab);
	event = decided(&lab, RULE_PREFER, REASON_NONE, 0, 0);
	CHECK(event && event->decision.reason == REASON_RAN_MOST, "it prefers one");
	CHECK_EQ(4 * MS, event->time_ns);
	CHECK_EQ(0, event->decision.cpu);
	event = decided(&lab, RULE_PREFER, REASON_NONE, 0, 1);
	CHECK(!event || event->time_ns >= 200 * MS, "and no other before its threads end");
	event = decided(&lab, RULE_BALANCE, REASON_DRAWN, 0, 0);
	CHECK(event && event->decision.cpu == 4, "a pass draws it from CPU 4");
	CHECK(decided(&lab, RULE_MIGRATE, REASON_ACTIVE, FIRST + 1, 0), "the stopper pushes it");
	CHECK_EQ(1, lab_count(&lab, EVENT_MIGRATE, 0));
	CHECK_EQ(0, last_cpu(&lab, FIRST));
	CHECK(last_cpu(&lab, FIRST + 1) < 4, "it has come");
	CHECK_EQ(1, last_cpu(&lab, FIRST + 2));
	lab_fini(&lab);
}

TEST(threads_of_a_process_come_together)
{
	check_together("p");
}

TEST(a_file_that_names_no_process_is_one)
{
	check_together(NULL);
}

static u64 hash_of(bool on)
{
	struct lab lab;
	u64 hash;

	caches_of(&lab, 4);
	lab.setup.explain = false;
	lab_feature(&lab, POLICY_SCHED_CACHE, on);
	threads(&lab, "p", 3, 200 * MS);
	run(&lab);
	if (!on) {
		CHECK_EQ(0, lab_count(&lab, EVENT_MIGRATE, 0));
		CHECK_EQ(4, last_cpu(&lab, FIRST + 1));
	}
	hash = lab.hash.hash;
	lab_fini(&lab);
	return hash;
}

TEST(the_switch_changes_the_stream)
{
	CHECK(hash_of(true) != hash_of(false), "SCHED_CACHE");
}

TEST(without_the_switch_nobody_prefers)
{
	struct lab lab;

	caches_of(&lab, 2);
	lab_feature(&lab, POLICY_SCHED_CACHE, false);
	threads(&lab, "p", 2, 200 * MS);
	run(&lab);
	CHECK(!decided(&lab, RULE_PREFER, REASON_NONE, 0, 0), "none");
	lab_fini(&lab);
}

TEST(a_thread_alone_in_its_process_prefers_none)
{
	struct lab lab;

	caches_of(&lab, 2);
	threads(&lab, "p", 1, 100 * MS);
	threads(&lab, "q", 1, 100 * MS);
	run(&lab);
	CHECK(!decided(&lab, RULE_PREFER, REASON_NONE, 0, 0), "none");
	lab_fini(&lab);
}

TEST(one_cache_is_no_choice)
{
	struct lab lab;

	caches_of(&lab, 2);
	for (u32 i = 0; i < 4; i++)
		lab.machine.cpus[i].cluster = lab.machine.cpus[i].llc = 0;
	threads(&lab, "p", 2, 100 * MS);
	run(&lab);
	CHECK(!decided(&lab, RULE_PREFER, REASON_NONE, 0, 0), "none");
	lab_fini(&lab);
}

/*
 * Four run: the first look makes an average of 0 + 4 / 2 = 2, of which 0.8 * 2 CPUs hold 1.6: at
 * the next time that is charged, that of CPU 1's tick, the process prefers no cache any more.
 */
TEST(a_process_with_too_many_threads_lets_go)
{
	struct lab lab;
	const struct event *event;

	caches_of(&lab, 2);
	threads(&lab, "p", 4, 100 * MS);
	run(&lab);
	event = decided(&lab, RULE_PREFER, REASON_NONE, 0, 1);
	CHECK(event && event->decision.reason == REASON_TOO_MANY, "it lets go");
	CHECK_EQ(4 * MS, event->time_ns);
	CHECK_EQ(-1, event->decision.cpu);
	lab_fini(&lab);
	caches_of(&lab, 2);
	lab.setup.tunables.cache.aggr_tolerance = 100;
	threads(&lab, "p", 4, 100 * MS);
	run(&lab);
	event = decided(&lab, RULE_PREFER, REASON_TOO_MANY, 0, 0);
	CHECK(!event || event->time_ns >= 100 * MS, "llc_aggr_tolerance 100: the last one alone");
	lab_fini(&lab);
}

/*
 * Both run for 10 ms and sleep for 90: the last tick is that of 8 ms in the first epoch after 0,
 * and 100 ms later CPU 0 counts 13 epochs, of which 5 are borne.
 */
TEST(a_process_that_sleeps_for_long_prefers_none)
{
	struct lab lab;
	const struct event *event;

	for (u32 timeout = 5; timeout < 1000; timeout += 900) {
		struct workload_task *task;

		caches_of(&lab, 2);
		lab.setup.tunables.cache.epoch_affinity_timeout = timeout;
		task = threads(&lab, "p", 2, 10 * MS);
		task->loop = 2;
		lab_sleeps(task, 90 * MS);
		run(&lab);
		event = decided(&lab, RULE_PREFER, REASON_RAN_LITTLE, 0, 0);
		CHECK(!event == (timeout > 5), "timeout %u", timeout);
		if (event)
			CHECK(event->time_ns >= 100 * MS && event->time_ns <= 108 * MS,
			      "at its next run");
		lab_fini(&lab);
	}
}

/*
 * A third task keeps CPU 1, so that the two wait for each other on CPU 0, now and then.  Their cache is
 * not busy (1024 + 2 * 200 of 0.75 * 2048): the idle one does not get them.
 */
TEST(balancing_leaves_threads_in_the_cache_they_prefer)
{
	struct lab lab;

	for (u32 on = 0; on < 2; on++) {
		struct workload_task *task;

		caches_of(&lab, 2);
		lab_feature(&lab, POLICY_SCHED_CACHE, on);
		lab_runs(lab_task(&lab, "other", 1, 1), 600 * MS);
		lab.workload->tasks.at[0].attr.cpus = lab_cpus(&lab, 2);
		lab.workload->tasks.at[0].process = mem_strdup("other");
		task = threads(&lab, "p", 2, 5 * MS);
		task->attr.cpus = lab_cpus(&lab, 1);
		task->loop = 2;
		lab_phase(task, 20)->cpus = lab_cpus(&lab, 15);
		lab_runs(task, 5 * MS);
		lab_sleeps(task, 15 * MS);
		run(&lab);
		CHECK_EQ(on, decided(&lab, RULE_DETACH, REASON_OTHER_CACHE, 0, 0) != NULL);
		lab_fini(&lab);
	}
}

/* The third thread of check_together() begins another program at first: it is drawn nowhere. */
TEST(who_begins_another_program_is_a_process_of_its_own)
{
	struct lab lab;
	struct workload_task *task;

	caches_of(&lab, 4);
	task = threads(&lab, "p", 1, 200 * MS);
	task = threads(&lab, "q", 1, 1 * MS);
	free(task->process);
	task->process = mem_strdup("p");
	lab_event(task, WORKLOAD_OP_EXECVE, 0);
	lab_runs(task, 200 * MS);
	threads(&lab, "p", 1, 200 * MS);
	run(&lab);
	CHECK(decided(&lab, RULE_PREFER, REASON_RAN_MOST, FIRST, 0), "the two others stay one");
	CHECK(!decided(&lab, RULE_PREFER, REASON_NONE, FIRST + 1, 0), "it is alone");
	CHECK(!decided(&lab, RULE_BALANCE, REASON_DRAWN, 0, 0), "and drawn nowhere");
	lab_fini(&lab);
}
