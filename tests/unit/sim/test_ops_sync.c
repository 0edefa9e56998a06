/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tasks wait for, a CPU for each, without costs: each end is worked out beside it.
 */
#include "lab.h"

/* b comes at 1, waits until 3, works until 5. */
TEST(a_held_mutex_makes_others_wait)
{
	struct lab lab;
	struct workload_task *task;
	u32 mutex;

	lab_init(&lab, 2, 250);
	mutex = lab_object(&lab, WORKLOAD_OBJECT_MUTEX, 0, false);
	task = lab_task(&lab, "a", 1, 1);
	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_runs(task, 3 * MS);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
	lab_runs(task, 1 * MS);
	task = lab_task(&lab, "b", 1, 1);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_runs(task, 2 * MS);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_when(&lab, EVENT_WAKING, FIRST + 1, 0));
	CHECK_EQ(FIRST, lab_find(&lab, EVENT_WAKING, FIRST + 1, 0)->other.tid);
	CHECK_EQ(4 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* a unlocks at 3 and locks again at once: b, woken at 3, finds it taken and waits until 4. */
TEST(a_mutex_is_not_handed_over)
{
	struct lab lab;
	struct workload_task *task;
	u32 mutex;

	lab_init(&lab, 2, 250);
	mutex = lab_object(&lab, WORKLOAD_OBJECT_MUTEX, 0, false);
	task = lab_task(&lab, "a", 1, 1);
	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_runs(task, 3 * MS);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
	task = lab_task(&lab, "b", 1, 1);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_runs(task, 2 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_when(&lab, EVENT_WAKING, FIRST + 1, 0));
	CHECK_EQ(4 * MS, lab_when(&lab, EVENT_WAKING, FIRST + 1, 1));
	CHECK_EQ(4 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(6 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* A waiter: takes the mutex, waits, works 1 ms with it. */
static void add_waiters(struct lab *lab, u32 nr, u32 mutex, u32 cond)
{
	struct workload_task *task = lab_task(lab, "waiter", nr, 1);

	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_on(task, WORKLOAD_OP_WAIT, cond)->mutex = mutex;
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
}

/* Works 2 ms, and wakes holding the mutex, for @held_ns more. */
static void add_waker(struct lab *lab, enum workload_op op, u32 mutex, u32 cond, u64 held_ns)
{
	struct workload_task *task = lab_task(lab, "waker", 1, 1);

	lab_runs(task, 2 * MS);
	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_on(task, op, cond);
	lab_runs(task, held_ns);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
}

/* Signalled at 2, the waiter gets the mutex at 3. */
TEST(a_waiter_needs_its_mutex_again)
{
	struct lab lab;
	u32 mutex, cond;

	lab_init(&lab, 2, 250);
	mutex = lab_object(&lab, WORKLOAD_OBJECT_MUTEX, 0, false);
	cond = lab_object(&lab, WORKLOAD_OBJECT_COND, 0, false);
	add_waiters(&lab, 1, mutex, cond);
	add_waker(&lab, WORKLOAD_OP_SIGNAL, mutex, cond, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(2 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(3 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 1));
	CHECK_EQ(4 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* Woken at 2, they hold the mutex one after the other: 3 and 4.  A signal wakes only one. */
TEST(a_broadcast_wakes_all_and_a_signal_the_first)
{
	static const struct {
		enum workload_op op;
		u64 second_ns;
	} rows[] = {
		{ WORKLOAD_OP_BROAD, 4 * MS },
		{ WORKLOAD_OP_SIGNAL, NEVER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		u32 mutex, cond;

		lab_init(&lab, 3, 250);
		mutex = lab_object(&lab, WORKLOAD_OBJECT_MUTEX, 0, false);
		cond = lab_object(&lab, WORKLOAD_OBJECT_COND, 0, false);
		add_waiters(&lab, 2, mutex, cond);
		add_waker(&lab, rows[i].op, mutex, cond, 0);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(3 * MS, lab_end(&lab, FIRST), "row %zu", i);
		CHECK_EQ(rows[i].second_ns, lab_end(&lab, FIRST + 1), "row %zu", i);
		CHECK_EQ(2 * MS, lab_end(&lab, FIRST + 2), "row %zu", i);
		lab_fini(&lab);
	}
}

/* b waits from 0.  a works 1 ms, wakes b and waits in one step; b works until 2, wakes a. */
TEST(sync_signals_and_waits)
{
	struct lab lab;
	struct workload_task *task;
	u32 mutex, cond;

	lab_init(&lab, 2, 250);
	mutex = lab_object(&lab, WORKLOAD_OBJECT_MUTEX, 0, false);
	cond = lab_object(&lab, WORKLOAD_OBJECT_COND, 0, false);
	add_waiters(&lab, 1, mutex, cond);
	lab_on(&lab.workload->tasks.at[0], WORKLOAD_OP_SIGNAL, cond);
	task = lab_task(&lab, "a", 1, 1);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	lab_on(task, WORKLOAD_OP_SYNC, cond)->mutex = mutex;
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(1 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(2 * MS, lab_when(&lab, EVENT_WAKING, FIRST + 1, 0));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* Rounds end with the slowest: 3, then 6. */
TEST(a_barrier_waits_for_all_again_and_again)
{
	struct lab lab;
	u32 barrier;

	lab_init(&lab, 3, 250);
	barrier = lab_object(&lab, WORKLOAD_OBJECT_BARRIER, 3, false);
	for (u32 i = 1; i <= 3; i++) {
		struct workload_task *task = lab_task(&lab, "party", 1, 2);

		lab_runs(task, i * MS);
		lab_on(task, WORKLOAD_OP_BARRIER, barrier);
	}
	CHECK_EQ(OK, lab_run(&lab));
	for (s32 i = 0; i < 3; i++)
		CHECK_EQ(6 * MS, lab_end(&lab, FIRST + i), "party %d", i);
	CHECK_EQ(3 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(0, lab_count(&lab, EVENT_WAKING, FIRST + 2));
	lab_fini(&lab);
}

/* Resumed at 2.  A resume that nobody waits for is lost. */
TEST(resume_wakes_who_is_suspended)
{
	for (u32 early = 0; early < 2; early++) {
		struct lab lab;
		struct workload_task *task;
		u32 cond;

		lab_init(&lab, 2, 250);
		cond = lab_object(&lab, WORKLOAD_OBJECT_COND, 0, false);
		task = lab_task(&lab, "a", 1, 1);
		lab_runs(task, 1 * MS);
		lab_on(task, WORKLOAD_OP_SUSPEND, cond);
		lab_runs(task, 1 * MS);
		task = lab_task(&lab, "b", 1, 1);
		if (!early)
			lab_runs(task, 2 * MS);
		lab_on(task, WORKLOAD_OP_RESUME, cond);
		lab_runs(task, 1 * MS);
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(early ? NEVER : 3 * MS, lab_end(&lab, FIRST), "early %u", early);
		CHECK_EQ(early ? 1 * MS : 3 * MS, lab_end(&lab, FIRST + 1), "early %u", early);
		lab_fini(&lab);
	}
}

TEST(a_resume_wakes_all_who_are_suspended)
{
	struct lab lab;
	struct workload_task *task;
	u32 cond;

	lab_init(&lab, 3, 250);
	cond = lab_object(&lab, WORKLOAD_OBJECT_COND, 0, false);
	task = lab_task(&lab, "a", 2, 1);
	lab_on(task, WORKLOAD_OP_SUSPEND, cond);
	lab_runs(task, 1 * MS);
	task = lab_task(&lab, "b", 1, 1);
	lab_runs(task, 2 * MS);
	lab_on(task, WORKLOAD_OP_RESUME, cond);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* It starts at 1: the first wait passes, the second waits for the post at 2. */
TEST(a_semaphore_counts_from_its_start)
{
	struct lab lab;
	struct workload_task *task;
	u32 sem;

	lab_init(&lab, 2, 250);
	sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 1, false);
	task = lab_task(&lab, "a", 1, 1);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
	lab_runs(task, 1 * MS);
	task = lab_task(&lab, "b", 1, 1);
	lab_runs(task, 2 * MS);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(1, lab_count(&lab, EVENT_WAKING, FIRST));
	lab_fini(&lab);
}

TEST(a_post_is_remembered)
{
	struct lab lab;
	struct workload_task *task;
	u32 sem;

	lab_init(&lab, 2, 250);
	sem = lab_object(&lab, WORKLOAD_OBJECT_SEM, 0, false);
	task = lab_task(&lab, "a", 1, 1);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
	lab_runs(task, 1 * MS);
	lab_on(lab_task(&lab, "b", 1, 1), WORKLOAD_OP_SEM_POST, sem);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(0, lab_count(&lab, EVENT_WAKING, FIRST));
	lab_fini(&lab);
}

static void add_family(struct lab *lab)
{
	struct workload_task *task = lab_task(lab, "parent", 1, 1);

	lab_runs(task, 1 * MS);
	lab_event(task, WORKLOAD_OP_FORK, 0)->target = 1;
	lab_runs(task, 1 * MS);
	lab_runs(lab_task(lab, "child", 0, 1), 2 * MS);
}

TEST(a_forked_thread_starts_on_the_idle_cpu)
{
	struct lab lab;
	const struct event *fork, *born;

	lab_init(&lab, 2, 250);
	add_family(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	fork = lab_find(&lab, EVENT_FORK, FIRST + 1, 0);
	born = lab_find(&lab, EVENT_WAKEUP_NEW, FIRST + 1, 0);
	CHECK(fork && born);
	CHECK_EQ(FIRST, fork->other.tid);
	CHECK_EQ(1 * MS, fork->time_ns);
	CHECK_EQ(0, born->cpu); /* told where the parent runs */
	CHECK_EQ(1, born->wake.target_cpu);
	CHECK_EQ(0, lab_count(&lab, EVENT_MIGRATE, FIRST + 1));
	CHECK_EQ(2 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/*
 * On one CPU the child is placed at V with half a slice: its deadline is 1.35, the parent's
 * request was just renewed to 1.7 and is not protected: the child runs at once, 1-3.
 */
TEST(a_forked_thread_preempts_a_parent_with_a_later_deadline)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	add_family(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST + 1));
	CHECK_EQ(4 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* Forks number 0 and 1 draw different amounts, the same in every run. */
TEST(each_fork_is_another_identity)
{
	struct lab lab[2];

	for (u32 i = 0; i < 2; i++) {
		struct workload_task *task;

		lab_init(&lab[i], 4, 250);
		task = lab_task(&lab[i], "parent", 1, 2);
		lab_event(task, WORKLOAD_OP_FORK, 0)->target = 1;
		lab_event(lab_task(&lab[i], "child", 0, 1), WORKLOAD_OP_RUN, MS)->amount =
			(struct workload_amount){ .shape = WORKLOAD_UNIFORM, .a = 1, .b = MS };
		CHECK_EQ(OK, lab_run(&lab[i]));
	}
	CHECK(lab_end(&lab[0], FIRST + 1) != lab_end(&lab[0], FIRST + 2));
	CHECK_EQ(lab_end(&lab[0], FIRST + 1), lab_end(&lab[1], FIRST + 1));
	CHECK_EQ(lab_end(&lab[0], FIRST + 2), lab_end(&lab[1], FIRST + 2));
	lab_fini(&lab[0]);
	lab_fini(&lab[1]);
}

/*
 * A pipe holds 16: the writer, one each 100 us, has filled it at 1.6 and waits with the 17th
 * until the reader takes the first at 10, with the others until 11, 12 and 13.
 */
TEST(a_full_pipe_makes_its_writer_wait)
{
	struct lab lab;
	struct workload_task *task;
	u32 pipe;

	lab_init(&lab, 2, 250);
	pipe = lab_object(&lab, WORKLOAD_OBJECT_PIPE, 0, false);
	task = lab_task(&lab, "writer", 1, 20);
	lab_runs(task, 100 * US);
	lab_on(task, WORKLOAD_OP_PIPE_WRITE, pipe);
	task = lab_task(&lab, "reader", 1, 20);
	task->delay_ns = 10 * MS;
	lab_on(task, WORKLOAD_OP_PIPE_READ, pipe);
	lab_runs(task, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(10 * MS, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(FIRST + 1, lab_find(&lab, EVENT_WAKING, FIRST, 0)->other.tid);
	CHECK_EQ(13 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(30 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/*
 * Three readers wait for messages at 1, 1 and 2: the first write wakes the first reader, the
 * second finds the pipe not empty and wakes nobody; the first reader, which waited, wakes the
 * second.  The third has its at 2.
 */
TEST(a_reader_that_waited_wakes_the_next)
{
	struct lab lab;
	struct workload_task *task;
	u32 pipe;

	lab_init(&lab, 4, 250);
	lab_feature(&lab, POLICY_TTWU_QUEUE, true);
	lab.machine.costs.ipi_latency_ns = 1 * US;
	pipe = lab_object(&lab, WORKLOAD_OBJECT_PIPE, 0, false);
	task = lab_task(&lab, "reader", 3, 1);
	lab_on(task, WORKLOAD_OP_PIPE_READ, pipe);
	lab_runs(task, 1 * MS);
	task = lab_task(&lab, "writer", 1, 1);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_PIPE_WRITE, pipe);
	lab_on(task, WORKLOAD_OP_PIPE_WRITE, pipe);
	lab_runs(task, 1 * MS);
	lab_on(task, WORKLOAD_OP_PIPE_WRITE, pipe);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(FIRST + 3, lab_find(&lab, EVENT_WAKING, FIRST, 0)->other.tid);
	CHECK_EQ(FIRST, lab_find(&lab, EVENT_WAKING, FIRST + 1, 0)->other.tid);
	CHECK_EQ(FIRST + 3, lab_find(&lab, EVENT_WAKING, FIRST + 2, 0)->other.tid);
	for (s32 i = 0; i < 3; i++)
		CHECK_EQ((i < 2 ? 2 : 3) * MS / MS, lab_end(&lab, FIRST + i) / MS);
	lab_fini(&lab);
}
