/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPU a task wakes on, and by which rule: the last decision about its place. */
#include "lab.h"

enum {
#define EVENT_RULE(id, name) RULE_##id,
#include "events/rules.def"
};
enum {
#define EVENT_REASON(id, name, what) REASON_##id,
#include "events/rules.def"
};

/* A group of CPUs with a core, a cluster and a cache for each so many. */
static void shape(struct lab *lab, u32 nr_cpus, u32 per_core, u32 per_cluster, u32 per_llc)
{
	lab_init(lab, nr_cpus, 250);
	lab->setup.explain = true;
	lab->machine.smt = per_core > 1;
	for (u32 i = 0; i < nr_cpus; i++) {
		struct machine_cpu *cpu = &lab->machine.cpus[i];

		cpu->core = i / per_core;
		cpu->cluster = i / per_cluster;
		cpu->llc = i / per_llc;
	}
}

static struct workload_task *bound(struct lab *lab, const char *name, u32 mask)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.cpus = lab_cpus(lab, mask);
	return task;
}

static void hog(struct lab *lab, u32 cpu)
{
	lab_runs(bound(lab, "hog", 1u << cpu), 2 * S);
}

/*
 * The waker on CPU 0 posts every 10 ms, running all the time; the wakee runs 10 us for each.  It
 * begins on CPU @prev and may use @mask from then on.
 */
static u32 add_pair(struct lab *lab, u32 prev, u32 mask, s64 times)
{
	u32 sem = lab_object(lab, WORKLOAD_OBJECT_SEM, 0, false);
	struct workload_task *task = bound(lab, "waker", 1);

	task->loop = times;
	lab_runs(task, 10 * MS);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	task = bound(lab, "wakee", 1u << prev);
	lab_runs(task, 10 * US);
	lab_phase(task, times)->cpus = lab_cpus(lab, mask);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
	lab_runs(task, 10 * US);
	return FIRST + 1;
}

/* Of where the task was placed the last (@back 0), the one before (1), ... */
static const struct event *placed(const struct lab *lab, s32 tid, u32 back)
{
	const struct event *found = NULL;

	for (size_t i = lab->events.nr; i--;) {
		const struct event *event = &lab->events.at[i];

		if (event->kind != EVENT_DECISION || event->decision.rule != RULE_PLACE ||
		    event->task.tid != tid)
			continue;
		found = event;
		if (!back--)
			return event;
	}
	CHECK(found, "no such decision about %d", tid);
	return found;
}

static void check_place(struct lab *lab, s32 tid, u32 back, s32 cpu, u16 reason)
{
	const struct event *event = placed(lab, tid, back);

	CHECK_EQ(reason, event->decision.reason, "reason");
	CHECK_EQ(cpu, event->decision.cpu, "CPU");
}

/*
 * Two caches of two CPUs: born on CPU 0, where a hog comes meanwhile, a task begins another program.
 * Both groups differ by an idle CPU now: it goes to the other cache.  Before, and if it is bound to
 * its CPU or realtime, it stays.
 */
TEST(a_new_program_is_placed_as_a_new_task)
{
	static const struct {
		const char *when;
		bool hogs, bound, realtime;
		s32 cpu;
		u16 reason;
	} rows[] = {
		{ "idle all around", false, false, false, 0, REASON_OWN_GROUP },
		{ "its own cache is busier", true, false, false, 2, REASON_IDLEST },
		{ "bound", true, true, false, 0, REASON_PINNED },
		{ "realtime", true, false, true, 0, REASON_OWN_GROUP },
	};
	static const char *const releases[] = { "6.1", "6.12", "7.3" };

	for (size_t k = 0; k < ARRAY_SIZE(releases) * ARRAY_SIZE(rows); k++) {
		size_t i = k / ARRAY_SIZE(releases);
		struct workload_task *task;
		struct lab lab;

		shape(&lab, 4, 1, 2, 2);
		lab_release(&lab, releases[k % ARRAY_SIZE(releases)]);
		task = rows[i].bound ? bound(&lab, "t", 1) : lab_task(&lab, "t", 1, 1);
		if (rows[i].realtime) {
			task->attr.policy = EVENT_POLICY_FIFO;
			task->attr.rt_prio = 1;
		}
		lab_runs(task, 2 * MS);
		lab_event(task, WORKLOAD_OP_EXECVE, 0);
		lab_runs(task, 1 * MS);
		if (rows[i].hogs)
			hog(&lab, 1);
		lab.workload->tasks.at[lab.workload->tasks.nr - 1].delay_ns = rows[i].hogs * MS;
		CHECK_EQ(OK, lab_run(&lab), "%s", lab.err.what);
		check_place(&lab, FIRST, 0, rows[i].cpu, rows[i].reason);
		CHECK_EQ(rows[i].cpu ? 1 : 0, lab_count(&lab, EVENT_MIGRATE, FIRST), "%s",
			 rows[i].when);
		CHECK_EQ(3 * MS, lab_end(&lab, FIRST), "%s", rows[i].when);
		lab_fini(&lab);
	}
}

/*
 * As above; of the other cache CPU 3 idles since 1.1 ms (1.2 with states), for 0.9, too short for the deep
 * state, and CPU 2 since 1.7 (1.8), for ever; its sleep of 1 ms has shown that timers end them.  CPU 3
 * wakes up in 1 us, CPU 2 in 100.  Without idle states the one that got idle last is taken.
 */
TEST(the_idle_cpu_that_wakes_up_sooner_is_taken)
{
	for (u32 states = 0; states < 2; states++) {
		struct workload_task *task;
		struct lab lab;

		shape(&lab, 4, 1, 2, 2);
		if (states) {
			struct machine_kind *kind = &lab.machine.kinds[0];

			lab.machine.idle = MACHINE_IDLE_TEO;
			kind->nr_idle_states = 1;
			kind->idle_states[0] = (struct machine_idle_state){
				.name = "deep", .exit_latency_us = 100, .target_residency_us = 1000
			};
		}
		task = lab_task(&lab, "t", 1, 1);
		lab_runs(task, 1900 * US);
		lab_event(task, WORKLOAD_OP_EXECVE, 0);
		lab_runs(task, 1 * MS);
		hog(&lab, 1);
		task = bound(&lab, "ends", 4);
		lab_runs(task, 100 * US);
		lab_sleeps(task, 1 * MS);
		lab_runs(task, 600 * US);
		task = bound(&lab, "naps", 8);
		task->loop = 5;
		lab_runs(task, 100 * US);
		lab_sleeps(task, 900 * US);
		CHECK_EQ(OK, lab_run(&lab), "%s", lab.err.what);
		check_place(&lab, FIRST, 0, states ? 3 : 2, REASON_IDLEST);
		lab_fini(&lab);
	}
}

/*
 * No idle CPU has the 800 that the task is to get at least.  Until 146 ms realtime work ran on CPU 1,
 * whose average leaves less of its 700 than CPU 2 has, but it reaches 700.  A task that asks for
 * nothing takes the CPU that it was on.
 */
TEST(a_lower_bound_takes_the_cpu_that_reaches_most)
{
	static const struct {
		s32 util_min, cpu;
		u16 reason;
	} rows[] = { { 800, 1, REASON_TOO_WEAK }, { -1, 2, REASON_PREV_IDLE } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_task *task;
		struct lab lab;

		shape(&lab, 3, 1, 3, 3);
		lab_release(&lab, "7.3");
		policy_feature_set(&lab.setup.features, POLICY_SIS_UTIL,
				   false); /* it looks at all */
		lab.machine.cpus[1].capacity = 700;
		lab.machine.cpus[2].capacity = 500;
		hog(&lab, 0);
		task = bound(&lab, "realtime", 1 << 1);
		task->attr.policy = EVENT_POLICY_FIFO;
		task->attr.rt_prio = 1;
		lab_runs(task, 100 * MS);
		task = lab_task(&lab, "t", 1, 1);
		task->attr.util_min = rows[i].util_min;
		task->attr.util_max = rows[i].util_min > 0 ? 1024 : -1;
		lab_runs(task, 100 * US);
		lab_sleeps(task, 150 * MS);
		lab_runs(task, 1 * MS);
		CHECK_EQ(OK, lab_run(&lab), "%s", lab.err.what);
		check_place(&lab, FIRST + 2, 0, rows[i].cpu, rows[i].reason);
		lab_fini(&lab);
	}
}

/* Its last CPU 1 is idle; the waker's is not. */
TEST(the_last_cpu_if_it_is_idle)
{
	struct lab lab;

	shape(&lab, 4, 1, 4, 4);
	add_pair(&lab, 1, 15, 2);
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST + 1, 0, 1, REASON_PREV_IDLE);
	lab_fini(&lab);
}

/* CPU 1 is busy: from the chosen one, 1 or the waker's 0, on round: 2 is the first idle one. */
TEST(an_idle_cpu_of_the_cache)
{
	struct lab lab;

	shape(&lab, 4, 1, 4, 4);
	hog(&lab, 1);
	add_pair(&lab, 1, 15, 1);
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST + 2, 0, 2, REASON_LLC_IDLE);
	lab_fini(&lab);
}

/* Affinity is kept: 2 is idle, but forbidden; 3 is not. */
TEST(a_search_keeps_to_the_allowed_cpus)
{
	struct lab lab;

	shape(&lab, 4, 1, 4, 4);
	hog(&lab, 1);
	add_pair(&lab, 1, 1 << 1 | 1 << 3, 1);
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST + 2, 0, 3, REASON_LLC_IDLE);
	lab_fini(&lab);
}

TEST(who_may_use_one_cpu_has_no_choice)
{
	struct lab lab;

	shape(&lab, 4, 1, 4, 4);
	add_pair(&lab, 1, 1 << 1, 1);
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST + 1, 0, 1, REASON_PINNED);
	lab_fini(&lab);
}

/*
 * Hogs on 1 and 2, the waker on 0: 3 of 4 CPUs are used, 768 on average, which leaves none to look
 * at.  SIS_UTIL: it stays behind a hog although CPU 3 is idle; without it goes there.
 */
TEST(sis_util)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		shape(&lab, 4, 1, 4, 4);
		lab_feature(&lab, POLICY_SIS_UTIL, on);
		hog(&lab, 1);
		hog(&lab, 2);
		add_pair(&lab, 1, 7, 100);
		/* may use CPU 3 only after 900 ms, once, so that it is not there already */
		lab.workload->tasks.at[3].phases.at[1].loop = 99;
		lab_phase(&lab.workload->tasks.at[3], 1)->cpus = lab_cpus(&lab, 15);
		lab_on(&lab.workload->tasks.at[3], WORKLOAD_OP_SEM_WAIT, 0);
		lab_runs(&lab.workload->tasks.at[3], 10 * US);
		CHECK_EQ(OK, lab_run(&lab));
		if (on)
			CHECK_EQ(REASON_CACHE_FULL, placed(&lab, FIRST + 3, 0)->decision.reason);
		else
			check_place(&lab, FIRST + 3, 0, 3, REASON_LLC_IDLE);
		lab_fini(&lab);
	}
}

/*
 * 6.1, SIS_UTIL off.  8 CPUs, hogs on 1 to 5, the waker on 0: 6 and 7 are idle.  CPU 0 never
 * idles, so SIS_PROP lets it look at 3 CPUs: 2, 3, 4 from 1 on, or 1, 2, 3 from 0 on, all busy.
 */
TEST(sis_prop)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;

		shape(&lab, 8, 1, 8, 8);
		lab_release(&lab, "6.1");
		lab_feature(&lab, POLICY_SIS_UTIL, false);
		lab_feature(&lab, POLICY_SIS_PROP, on);
		for (u32 cpu = 1; cpu < 6; cpu++)
			hog(&lab, cpu);
		add_pair(&lab, 1, 255, 1);
		/* later than any prediction of the CPU's idle time lasts */
		lab.workload->tasks.at[5].events.at[0].amount.a = 500 * MS;
		CHECK_EQ(OK, lab_run(&lab));
		if (on)
			CHECK(placed(&lab, FIRST + 6, 0)->decision.cpu < 6);
		else
			check_place(&lab, FIRST + 6, 0, 6, REASON_LLC_IDLE);
		lab_fini(&lab);
	}
}

/*
 * Two cores of two threads: 0 and 1, 2 and 3.  CPU 0 has the waker, 1 a hog.  The other core is
 * idle: its thread 2.
 */
TEST(a_wholly_idle_core)
{
	struct lab lab;

	shape(&lab, 4, 2, 4, 4);
	hog(&lab, 1);
	add_pair(&lab, 1, 15, 1);
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST + 2, 0, 2, REASON_IDLE_CORE);
	lab_fini(&lab);
}

/*
 * Three cores: the waker on 0, hogs on 2 and 4, so that no core is wholly idle, which the search
 * for the first wakee finds out.  The second was on 4 and is not searched for: 5.
 */
TEST(another_thread_of_its_core)
{
	struct lab lab;
	u32 sem;
	struct workload_task *task;

	shape(&lab, 6, 2, 6, 6);
	hog(&lab, 2);
	hog(&lab, 4);
	sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
	task = bound(&lab, "waker", 1);
	lab_runs(task, 10 * MS);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	for (u32 i = 0; i < 2; i++) {
		task = bound(&lab, "wakee", 1u << (2 + 2 * i));
		lab_runs(task, 10 * US);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 63);
		lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
		lab_runs(task, 10 * US);
	}
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(REASON_LLC_IDLE, placed(&lab, FIRST + 3, 0)->decision.reason);
	check_place(&lab, FIRST + 4, 0, 5, REASON_SIBLING_IDLE);
	lab_fini(&lab);
}

/*
 * Three cores: the waker on 0, hogs on 2, 3 and 4.  The search for the first wakee passes over all
 * cores from where it was, 2, as none is wholly idle, and takes the first idle thread, 5.  The next one
 * looks at single CPUs, those of all cores: 1.
 */
TEST(a_thread_of_a_core_that_an_earlier_search_passed_over)
{
	struct lab lab;
	u32 sem;
	struct workload_task *task;

	shape(&lab, 6, 2, 6, 6);
	lab_feature(&lab, POLICY_SIS_UTIL, false);
	for (u32 cpu = 2; cpu <= 4; cpu++)
		hog(&lab, cpu);
	sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
	task = bound(&lab, "waker", 1);
	lab_runs(task, 10 * MS);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	for (u32 i = 0; i < 2; i++) {
		task = bound(&lab, "wakee", 1u << 2);
		lab_runs(task, 10 * US);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 63);
		lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
		lab_runs(task, 10 * US);
	}
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST + 4, 0, 5, REASON_LLC_IDLE);
	check_place(&lab, FIRST + 5, 0, 1, REASON_LLC_IDLE);
	lab_fini(&lab);
}

/*
 * One cache of clusters 0-1, 2-3, 4-5.  The waker is on 0, a hog on 4, where the wakee was.  From
 * 6.6 on its cluster comes first: 5.  Before, whatever is next.
 */
TEST(an_idle_cpu_of_the_cluster)
{
	for (u32 old = 0; old < 2; old++) {
		struct lab lab;

		shape(&lab, 6, 1, 2, 6);
		if (old)
			lab_release(&lab, "6.1");
		lab_feature(&lab, POLICY_WA_WEIGHT, false);
		hog(&lab, 4);
		add_pair(&lab, 4, 63, 1);
		CHECK_EQ(OK, lab_run(&lab));
		check_place(&lab, FIRST + 2, 0, 5, old ? REASON_LLC_IDLE : REASON_CLUSTER_IDLE);
		lab_fini(&lab);
	}
}

/*
 * A hog of SCHED_IDLE has CPU 1, others are busy with hogs.  To a normal wakee that is as good as
 * idle; to another SCHED_IDLE one too, up to 6.18: in 7.3 it is not.
 */
TEST(a_cpu_that_runs_only_idle_tasks_is_free)
{
	static const struct {
		const char *release;
		s16 policy;
		bool free;
	} rows[] = {
		{ "6.12", EVENT_POLICY_NORMAL, true },
		{ "6.12", EVENT_POLICY_IDLE, true },
		{ "7.3", EVENT_POLICY_NORMAL, true },
		{ "7.3", EVENT_POLICY_IDLE, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		u16 reason;

		shape(&lab, 2, 1, 2, 2);
		lab_release(&lab, rows[i].release);
		hog(&lab, 1);
		lab.workload->tasks.at[0].attr.policy = EVENT_POLICY_IDLE;
		add_pair(&lab, 1, 3, 1);
		lab.workload->tasks.at[2].attr.policy = rows[i].policy;
		CHECK_EQ(OK, lab_run(&lab));
		reason = placed(&lab, FIRST + 2, 0)->decision.reason;
		CHECK_EQ(rows[i].free, reason == REASON_PREV_IDLE || reason == REASON_LLC_IDLE,
			 "%s, policy %d", rows[i].release, rows[i].policy);
		lab_fini(&lab);
	}
}

/* All are born on CPU 0: one stays, each other goes to the next idle one. */
TEST(new_tasks_spread)
{
	struct lab lab;

	shape(&lab, 4, 1, 4, 4);
	lab_runs(lab_task(&lab, "new", 4, 1), 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST, 0, 0, REASON_OWN_GROUP);
	for (s32 i = 1; i < 4; i++)
		check_place(&lab, FIRST + i, 0, i, REASON_IDLEST);
	lab_fini(&lab);
}

/* Two caches: the second task goes to the other one, the third to the first's second CPU. */
TEST(new_tasks_spread_over_caches_first)
{
	static const s32 cpus[] = { 0, 2, 1, 3 };
	struct lab lab;

	shape(&lab, 4, 1, 2, 2);
	lab_runs(lab_task(&lab, "new", 4, 1), 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	for (s32 i = 0; i < 4; i++)
		CHECK_EQ(cpus[i], placed(&lab, FIRST + i, 0)->decision.cpu, "task %d", i);
	lab_fini(&lab);
}

/* It may use 2 and 3 only: its own group is none of it. */
TEST(a_new_task_keeps_to_its_affinity)
{
	struct lab lab;
	struct workload_task *task;

	shape(&lab, 4, 1, 4, 4);
	task = bound(&lab, "new", 12);
	lab_runs(task, 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	check_place(&lab, FIRST, 0, 2, REASON_IDLEST);
	lab_fini(&lab);
}

/*
 * Caches 0-1 and 2-3.  The wakee was on 2, where a hog runs; the waker is on 0.  Their loads are
 * about 1024; its own falls to 0.805 in each 10 ms, to 1024 * 0.805^19 = 17 at the last wakeup:
 * 1041 * 100 < 1024 * 108 draws it to the waker's cache, CPU 1.  Without the bias, or without
 * weighing, it stays in its own: CPU 3.
 */
TEST(wa_weight_and_wa_bias)
{
	static const struct {
		bool weight, bias;
		s32 cpu;
	} rows[] = { { 1, 1, 1 }, { 1, 0, 3 }, { 0, 1, 3 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;

		shape(&lab, 4, 1, 2, 2);
		lab_feature(&lab, POLICY_WA_WEIGHT, rows[i].weight);
		lab_feature(&lab, POLICY_WA_BIAS, rows[i].bias);
		hog(&lab, 2);
		add_pair(&lab, 2, 1 << 2, 20);
		lab.workload->tasks.at[2].phases.at[1].loop = 19;
		lab_phase(&lab.workload->tasks.at[2], 1)->cpus = lab_cpus(&lab, 15);
		lab_on(&lab.workload->tasks.at[2], WORKLOAD_OP_SEM_WAIT, 0);
		lab_runs(&lab.workload->tasks.at[2], 10 * US);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].cpu, placed(&lab, FIRST + 2, 0)->decision.cpu, "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * CPU 0 was just left by a heavy task, so by weight the wakee stays on CPU 1, where a light one
 * runs; but a waker that is alone and says that it will sleep draws it to its own.
 */
TEST(a_synchronous_wakeup_comes_to_a_waker_that_is_alone)
{
	static const struct {
		bool pipe, wa_idle;
		s32 want_cpu;
	} rows[] = { { true, true, 0 }, { true, false, 1 }, { false, true, 1 } };

	for (size_t i = 0; i < 3 * policy_nr_releases; i++) {
		const struct policy_release *release = &policy_releases[i / 3];
		bool pipe = rows[i % 3].pipe;
		struct workload_task *task;
		struct lab lab;
		u32 object;

		lab_init(&lab, 2, 1000);
		lab_release(&lab, release->name);
		lab_feature(&lab, POLICY_WA_IDLE, rows[i % 3].wa_idle);
		object = lab_object(&lab, pipe ? WORKLOAD_OBJECT_PIPE : WORKLOAD_OBJECT_SEM, 0,
				    false);
		task = lab_task(&lab, "heavy", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 1);
		task->attr.nice = -20;
		lab_runs(task, 50 * MS);
		lab_sleeps(task, 100 * MS);
		task = lab_task(&lab, "light", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 2);
		task->attr.nice = 10;
		lab_runs(task, 100 * MS);
		task = lab_task(&lab, "reader", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 2);
		lab_runs(task, 1 * MS);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 3);
		lab_on(task, pipe ? WORKLOAD_OP_PIPE_READ : WORKLOAD_OP_SEM_WAIT, object);
		lab_runs(task, 1 * MS);
		task = lab_task(&lab, "waker", 1, 1);
		task->attr.cpus = lab_cpus(&lab, 1);
		task->delay_ns = 51 * MS;
		lab_runs(task, 1 * MS);
		lab_on(task, pipe ? WORKLOAD_OP_PIPE_WRITE : WORKLOAD_OP_SEM_POST, object);
		lab_sleeps(task, 10 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(52 * MS, lab_when(&lab, EVENT_WAKEUP, FIRST + 2, 0), "%s", release->name);
		CHECK_EQ(rows[i % 3].want_cpu,
			 lab_find(&lab, EVENT_WAKEUP, FIRST + 2, 0)->wake.target_cpu, "%s row %zu",
			 release->name, i % 3);
		lab_fini(&lab);
	}
}
