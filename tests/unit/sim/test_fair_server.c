/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fair server, HZ 250, no costs, worked out by hand: 50 ms of each second for fair tasks,
 * seen at ticks.  6.12's and 7.3's do the same but in idle time.  All times in ms.
 */
#include "lab.h"

#define REALTIME FIRST
#define FAIR     (FIRST + 1)

static const char *const releases[] = { "6.12", "7.3" };

static struct workload_task *realtime(struct lab *lab, s64 loop)
{
	struct workload_task *task = lab_task(lab, "realtime", 1, loop);

	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 50;
	return task;
}

static void begin(struct lab *lab, u32 release, u32 nr_cpus, u64 duration_ns)
{
	lab_init(lab, nr_cpus, 250);
	lab_release(lab, releases[release]);
	lab->setup.duration_ns = duration_ns;
}

/*
 * The first at once: from 950 it may run 50, which end with the tick of 1000; then again at
 * the deadlines, 1950 and 2950.
 *
 * A realtime task that begins at 3 leaves 3 before it: the timer moves to 953, where 47 are
 * left until 1000, more than the share; so a new period, to 1953.  At 1000, 47 of 50 are used,
 * at 1004 51: 49 for the next.  At 2000 47, at 2004 51.
 *
 * One that begins at 1 moves it by 1 only, which is not worth it.
 */
TEST(a_realtime_hog_leaves_fifty_milliseconds_of_each_second)
{
	static const struct {
		u64 begins_ns, on_ns[3], off_ns[2];
	} rows[] = {
		{ 0, { 950 * MS, 1950 * MS, 2950 * MS }, { 1000 * MS, 2000 * MS } },
		{ 3 * MS, { 953 * MS, 1953 * MS, 2953 * MS }, { 1004 * MS, 2004 * MS } },
		{ 1 * MS, { 950 * MS, 1950 * MS, 2950 * MS }, { 1000 * MS, 2000 * MS } },
	};

	for (size_t k = 0; k < 2 * ARRAY_SIZE(rows); k++) {
		size_t i = k / 2;
		u32 again = rows[i].begins_ns ? 1 : 0; /* each had the CPU once before */
		struct workload_task *task;
		struct lab lab;

		begin(&lab, k % 2, 1, 3500 * MS);
		task = realtime(&lab, -1);
		task->delay_ns = rows[i].begins_ns;
		lab_runs(task, 1000 * MS);
		lab_runs(lab_task(&lab, "fair", 1, -1), 1000 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].begins_ns, lab_on_cpu(&lab, REALTIME, again), "row %zu", i);
		for (u32 n = 0; n < 3; n++)
			CHECK_EQ(rows[i].on_ns[n], lab_on_cpu(&lab, FAIR, n + again), "%zu, %u", k,
				 n);
		for (u32 n = 0; n < 2; n++)
			CHECK_EQ(rows[i].off_ns[n], lab_on_cpu(&lab, REALTIME, n + again + 1),
				 "%zu, %u", k, n);
		lab_fini(&lab);
	}
}

/*
 * 11 of work, 100 of sleep.  Starved until 950, it goes first whenever it wakes, while the
 * period lasts: at 1061 with 39, 1172 with 28, 1283 with 17, 1394 with 6, gone at the tick of
 * 1400.  At the deadline, 1950, it goes on.
 */
TEST(who_was_starved_goes_first_until_the_runtime_is_gone)
{
	for (u32 r = 0; r < 2; r++) {
		static const u64 on_ns[] = { 950 * MS,  1061 * MS, 1172 * MS,
					     1283 * MS, 1394 * MS, 1950 * MS };
		struct workload_task *task;
		struct lab lab;

		begin(&lab, r, 1, 2 * S);
		lab_runs(realtime(&lab, -1), 1000 * MS);
		task = lab_task(&lab, "fair", 1, -1);
		lab_runs(task, 11 * MS);
		lab_sleeps(task, 100 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 i = 0; i < ARRAY_SIZE(on_ns); i++)
			CHECK_EQ(on_ns[i], lab_on_cpu(&lab, FAIR, i), "%u", i);
		CHECK_EQ(961 * MS, lab_on_cpu(&lab, REALTIME, 1));
		CHECK_EQ(1400 * MS, lab_on_cpu(&lab, REALTIME, 5));
		lab_fini(&lab);
	}
}

/* Half of the CPU is left to fair tasks: 50 of each 200 begin a new period before any is due. */
TEST(a_realtime_task_that_leaves_enough_is_not_disturbed)
{
	for (u32 r = 0; r < 2; r++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, r, 1, 10 * S);
		task = realtime(&lab, -1);
		lab_runs(task, 100 * MS);
		lab_sleeps(task, 100 * MS);
		lab_runs(lab_task(&lab, "fair", 1, -1), 1000 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 i = 0; i < 50; i++)
			CHECK_EQ(i * 200 * MS, lab_on_cpu(&lab, REALTIME, i), "%u", i);
		for (u32 i = 0; i < 49; i++)
			CHECK_EQ((i * 200 + 100) * MS, lab_on_cpu(&lab, FAIR, i), "%u", i);
		lab_fini(&lab);
	}
}

/*
 * Fair 0-1, then idle.  The timer of 950 finds no one; a new period, to 1950, has begun.  From
 * 980 a realtime task runs.
 *
 * 6.12: the idle time has used the runtime up, so the fair task that wakes at 990 waits until
 * 1950.  7.3: the server stopped at 950 with 50 until 1950.  That is too much for what is left
 * at 990, so a new period, to 1990, begins then, and the task waits until 1940.
 */
TEST(idle_time_is_time_that_fair_tasks_had)
{
	static const u64 on_ns[] = { 1950 * MS, 1940 * MS }, off_ns[] = { 2000 * MS, 1992 * MS };

	for (u32 r = 0; r < 2; r++) {
		struct workload_task *task;
		struct lab lab;
		bool woken = false;

		begin(&lab, r, 1, 2100 * MS);
		task = realtime(&lab, 1);
		task->delay_ns = 980 * MS;
		lab_runs(task, 2000 * MS);
		task = lab_task(&lab, "fair", 1, 1);
		lab_runs(task, 1 * MS);
		lab_sleeps(task, 989 * MS);
		lab_runs(task, 100 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(990 * MS, lab_when(&lab, EVENT_WAKEUP, FAIR, 0));
		CHECK_EQ(on_ns[r], lab_on_cpu(&lab, FAIR, 1));
		CHECK_EQ(off_ns[r], lab_on_cpu(&lab, REALTIME, 2));
		for (u32 i = 0; i < lab_count(&lab, EVENT_IDLE, 0); i++)
			woken |= lab_when(&lab, EVENT_IDLE, 0, i) == 950 * MS;
		CHECK(woken, "the timer interrupts the idle CPU");
		lab_fini(&lab);
	}
}

/* A fair task on each CPU, a realtime hog on one: the other's server never acts. */
TEST(each_cpu_has_its_own)
{
	for (u32 r = 0; r < 2; r++) {
		struct workload_task *task;
		struct lab lab;

		begin(&lab, r, 2, 1100 * MS);
		task = realtime(&lab, -1);
		task->attr.cpus = lab_cpus(&lab, 1 << 0);
		lab_runs(task, 1000 * MS);
		for (u32 i = 0; i < 2; i++) {
			task = lab_task(&lab, "fair", 1, -1);
			task->attr.cpus = lab_cpus(&lab, 1u << i);
			lab_runs(task, 1000 * MS);
		}
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(950 * MS, lab_on_cpu(&lab, FAIR, 0));
		CHECK_EQ(1000 * MS, lab_on_cpu(&lab, REALTIME, 1));
		CHECK_EQ(1100 * MS, lab_ran_ns(&lab, FAIR + 1));
		lab_fini(&lab);
	}
}

/* The hash of 3 s of a hog of @policy and a fair one that sleeps, with and without a server. */
static u64 hash_of(s32 policy, u32 server_runtime_ns)
{
	struct policy_release release;
	struct workload_task *task;
	struct lab lab;
	u64 hash;

	begin(&lab, 0, 1, 3 * S);
	release = *lab.setup.release;
	release.server_runtime_ns = server_runtime_ns;
	lab.setup.release = &release;
	task = lab_task(&lab, "hog", 1, -1);
	task->attr.policy = policy;
	task->attr.rt_prio = policy == EVENT_POLICY_FIFO ? 1 : 0;
	lab_runs(task, 100 * MS);
	task = lab_task(&lab, "fair", 1, -1);
	lab_runs(task, 7 * MS);
	lab_sleeps(task, 1200 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	hash = lab.hash.hash;
	lab_fini(&lab);
	return hash;
}

TEST(without_realtime_tasks_nothing_changes)
{
	CHECK_EQ(hash_of(EVENT_POLICY_NORMAL, 0), hash_of(EVENT_POLICY_NORMAL, 50000000));
	CHECK(hash_of(EVENT_POLICY_FIFO, 0) != hash_of(EVENT_POLICY_FIFO, 50000000));
}

/* --explain says why a fair task runs although a realtime one waits. */
TEST(the_decision_names_the_server)
{
	u32 server = 0;
	struct lab lab;

	begin(&lab, 0, 1, 1100 * MS);
	lab.setup.explain = true;
	lab_runs(realtime(&lab, -1), 1000 * MS);
	lab_runs(lab_task(&lab, "fair", 1, -1), 1000 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < lab_count(&lab, EVENT_DECISION, FAIR); i++) {
		const struct event *event = lab_find(&lab, EVENT_DECISION, FAIR, i);

		if (!strcmp(event_reason_name(event->decision.reason), "fair-server"))
			server += event->time_ns == 950 * MS;
	}
	CHECK_EQ(1, server);
	lab_fini(&lab);
}
