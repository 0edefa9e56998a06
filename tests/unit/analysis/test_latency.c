/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

/*
 * CPU 0: b and c (both called "worker") and a take turns.
 *   10 idle -> b; 20 b preempted by c (c woken at 15: 5); 40 c sleeps -> b (20);
 *   60 b sleeps -> idle.
 * worker: waits 5 and 20, sum 25, mean 12.5, two threads, 3 switches, ran 10+20+20.
 */
static void two_workers(struct stream *s)
{
	name(s, 0, 10, "worker");
	name(s, 0, 11, "worker");
	sched(s, 10, 0, 0, R, 10);
	wake(s, 15, 0, EVENT_WAKING, 11, 10, 0);
	sched(s, 20, 0, 10, R, 11);
	sched(s, 40, 0, 11, S, 10);
	sched(s, 60, 0, 10, S, 0);
}

TEST(track_of_one_name_are_one_row)
{
	struct stream s;
	struct latency_row *worker;

	stream_begin(&s, NULL);
	two_workers(&s);
	stream_end(&s);
	worker = row(&s, "worker");
	CHECK_EQ(1, s.analysis->latency.rows.nr);
	CHECK_EQ(2, worker->threads);
	CHECK_EQ(3, worker->switches);
	CHECK_EQ(2, worker->delay.count);
	CHECK_EQ(25 * US, worker->delay.sum);
	CHECK_EQ(12500, latency_mean_ns(worker->delay.sum, worker->delay.count));
	CHECK_EQ(1, worker->waits[TRACK_WAKEUP].count);
	CHECK_EQ(5 * US, worker->waits[TRACK_WAKEUP].sum);
	CHECK_EQ(50 * US, latency_runtime_ns(worker));
	CHECK_EQ(20 * US, worker->max_start_ns);
	CHECK_EQ(40 * US, worker->max_end_ns);
	CHECK_EQ(TRACK_CLASS_FAIR, worker->class);
	CHECK(s.analysis->latency.by_switches && !s.analysis->latency.charged);
	analysis_free(s.analysis);
}

TEST(per_thread_rows_stay_apart)
{
	const struct analysis_options options = { .filter = FILTER_NONE, .per_thread = true };
	struct stream s;

	stream_begin(&s, &options);
	two_workers(&s);
	stream_end(&s);
	CHECK_EQ(2, s.analysis->latency.rows.nr);
	CHECK_EQ(10, s.analysis->latency.rows.at[0].task.tid, "the larger sum of delay first");
	CHECK_EQ(20 * US, s.analysis->latency.rows.at[0].delay.sum);
	CHECK_EQ(5 * US, s.analysis->latency.rows.at[1].delay.sum);
	CHECK_EQ(25 * US, s.analysis->latency.total.delay.sum);
	analysis_free(s.analysis);
}

/* Charged 9 of the 10 us it ran: the kernel's number is the runtime. */
TEST(runtime_is_the_charge_where_there_is_one)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 10, 0, 0, R, 10);
	runtime(&s, 20, 0, 10, 9 * US);
	sched(&s, 20, 0, 10, S, 0);
	stream_end(&s);
	CHECK_EQ(9 * US, latency_runtime_ns(row(&s, "b")));
	CHECK(s.analysis->latency.charged && !s.analysis->latency.by_switches);
	analysis_free(s.analysis);
}

/* After exec the thread is somebody else, and what it did before stays with the old name. */
TEST(a_renamed_thread_counts_for_the_name_it_has)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "sh");
	sched(&s, 10, 0, 0, R, 10);
	sched(&s, 20, 0, 10, S, 0);
	name(&s, 25, 10, "ls");
	wake(&s, 30, 0, EVENT_WAKING, 10, 0, 0);
	sched(&s, 33, 0, 0, R, 10);
	sched(&s, 40, 0, 10, S, 0);
	stream_end(&s);
	CHECK_EQ(10 * US, latency_runtime_ns(row(&s, "sh")));
	CHECK_EQ(7 * US, latency_runtime_ns(row(&s, "ls")));
	CHECK_EQ(0, row(&s, "sh")->delay.count);
	CHECK_EQ(3 * US, row(&s, "ls")->delay.sum);
	analysis_free(s.analysis);
}

/* The window takes what ends inside it: the wait that began before counts whole. */
TEST(filters_choose_what_is_counted_not_what_is_seen)
{
	static const u64 cpu1[] = { 2 };
	const struct {
		const char *what;
		struct filter filter;
		u64 waits, sum_us;
	} rows[] = {
		{ "all", { .pid = EVENT_NOBODY }, 2, 25 },
		{ "from 30 us", { .pid = EVENT_NOBODY, .from = { 30 * US, true, false } }, 1, 20 },
		{ "to 30 us", { .pid = EVENT_NOBODY, .to = { 30 * US, true, false } }, 1, 5 },
		{ "another CPU", { .pid = EVENT_NOBODY, .cpus = cpu1, .nr_cpu_words = 1 }, 0, 0 },
		{ "thread 11", { .pid = 11 }, 1, 5 },
		{ "pattern", { .pid = EVENT_NOBODY, .task = "work*" }, 2, 25 },
		{ "another name", { .pid = EVENT_NOBODY, .task = "work" }, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct analysis_options options = { .filter = rows[i].filter };
		struct stream s;

		stream_begin(&s, &options);
		two_workers(&s);
		stream_end(&s);
		CHECK_EQ(rows[i].waits, s.analysis->latency.total.delay.count, "%s", rows[i].what);
		CHECK_EQ(rows[i].sum_us * US, s.analysis->latency.total.delay.sum, "%s",
			 rows[i].what);
		analysis_free(s.analysis);
	}
}

/* CPU 0 of 0..60 us: busy 10..60, before that not known; CPU 1 not known at all. */
TEST(cpu_time_not_seen_is_not_idle)
{
	struct stream s;

	stream_begin(&s, NULL);
	two_workers(&s);
	sched(&s, 100, 0, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(50 * US, s.analysis->cpus.rows.at[0].busy_ns);
	CHECK_EQ(40 * US, s.analysis->cpus.rows.at[0].idle_ns);
	CHECK_EQ(5, s.analysis->cpus.rows.at[0].switches);
	CHECK_EQ(1, s.analysis->cpus.rows.nr);
	CHECK_EQ(100 * US, analysis_window_ns(s.analysis));
	analysis_free(s.analysis);
}

/* The test stream has no cost events: system time is not there, which is not 0. */
TEST(what_the_source_does_not_see_is_not_available)
{
	struct stream s;

	stream_begin(&s, NULL);
	stream_end(&s);
	CHECK(!analysis_available(s.analysis, ANALYSIS_SYSTEM));
	CHECK_STR("cost", analysis_missing(s.analysis, ANALYSIS_SYSTEM));
	CHECK(analysis_available(s.analysis, ANALYSIS_LATENCY));
	analysis_free(s.analysis);
}

/* b runs on CPU 0 after it slept on CPU 1, and was queued there after a preemption: it moved, and
 * was woken, yet the trace has neither event.  A text cannot say what was recorded; this proves it. */
TEST(kinds_that_must_have_happened_and_never_occur_were_not_recorded)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 10, 1, 10, S, 11);
	sched(&s, 20, 1, 11, S, 10);
	sched(&s, 30, 1, 10, R, 11);
	sched(&s, 40, 0, 12, S, 10);
	stream_end(&s);
	CHECK(!analysis_available(s.analysis, ANALYSIS_WAKEUPS));
	CHECK_STR("sched_waking", analysis_missing(s.analysis, ANALYSIS_WAKEUPS));
	CHECK(!analysis_available(s.analysis, ANALYSIS_IDLE_EVENTS));
	CHECK_STR("sched_migrate_task", analysis_missing(s.analysis, ANALYSIS_MIGRATIONS));
	CHECK(analysis_available(s.analysis, ANALYSIS_LATENCY), "the preemption is known");
	analysis_free(s.analysis);
}

static void attr(struct stream *s, u64 us, s32 who, u32 cgroup)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_ATTR,
				       .cpu = 0,
				       .task = tid(who),
				       .attr = { .cgroup = cgroup } });
}

static void cgroup(struct stream *s, u64 us, s32 cpu, u32 what, u32 id, s64 value)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_CGROUP,
				       .cpu = cpu,
				       .task = { EVENT_NOBODY, 0 },
				       .cgroup = { what, id, value, NULL } });
}

/*
 * a and b are in group 2 in group 1, which is throttled on CPU 0 from 20 to 60; c is in the
 * same, on CPU 1.  a: preempted at 20, runs at 65: 5 of 45.  b: woken at 15, runs at 70: 5
 * before, 10 after.  c: woken at 30, runs at 33.
 */
static void throttling(struct stream *s)
{
	cgroup(s, 1, 0, EVENT_CGROUP_CREATE, 1, 0);
	cgroup(s, 1, 0, EVENT_CGROUP_CREATE, 2, 1);
	for (s32 i = 10; i < 13; i++) {
		name(s, 2, i, i == 10 ? "a" : i == 11 ? "b" : "c");
		attr(s, 2, i, 2);
	}
	sched(s, 10, 0, 0, R, 10);
	wake(s, 15, 0, EVENT_WAKEUP, 11, 10, 0);
	cgroup(s, 20, 0, EVENT_CGROUP_THROTTLE, 1, 0);
	sched(s, 20, 0, 10, R, 0);
	wake(s, 30, 1, EVENT_WAKEUP, 12, 0, 1);
	sched(s, 33, 1, 0, R, 12);
	cgroup(s, 60, 0, EVENT_CGROUP_UNTHROTTLE, 1, 0);
	sched(s, 65, 0, 0, R, 10);
	sched(s, 70, 0, 10, S, 11);
	sched(s, 80, 0, 11, S, 0);
}

TEST(a_throttled_thread_does_not_wait)
{
	struct stream s;

	stream_begin(&s, NULL);
	throttling(&s);
	stream_end(&s);
	CHECK_EQ(5 * US, row(&s, "a")->delay.sum);
	CHECK_EQ(40 * US, row(&s, "a")->throttled_ns);
	CHECK_EQ(60 * US, row(&s, "a")->max_start_ns);
	CHECK_EQ(15 * US, row(&s, "b")->delay.sum);
	CHECK_EQ(40 * US, row(&s, "b")->throttled_ns);
	CHECK_EQ(3 * US, row(&s, "c")->delay.sum);
	CHECK_EQ(0, row(&s, "c")->throttled_ns);
	CHECK_EQ(80 * US, s.analysis->latency.total.throttled_ns);
	analysis_free(s.analysis);
}

/* It goes to CPU 1 at 40, where its group has time: 20 of 25 throttled, 5 waited. */
TEST(a_throttled_thread_that_moves_waits_there)
{
	struct stream s;

	stream_begin(&s, NULL);
	cgroup(&s, 1, 0, EVENT_CGROUP_CREATE, 1, 0);
	name(&s, 2, 10, "a");
	attr(&s, 2, 10, 1);
	sched(&s, 10, 0, 0, R, 10);
	cgroup(&s, 20, 0, EVENT_CGROUP_THROTTLE, 1, 0);
	sched(&s, 20, 0, 10, R, 0);
	migrate(&s, 40, 0, 10, 0, 1);
	sched(&s, 45, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(5 * US, row(&s, "a")->delay.sum);
	CHECK_EQ(20 * US, row(&s, "a")->throttled_ns);
	analysis_free(s.analysis);
}

/* As a trace without these events would give it. */
TEST(throttling_can_be_left_unseen)
{
	const struct analysis_options options = { .filter = FILTER_NONE,
						  .throttling_unseen = true };
	struct stream s;

	stream_begin(&s, &options);
	throttling(&s);
	stream_end(&s);
	CHECK_EQ(45 * US, row(&s, "a")->delay.sum);
	CHECK_EQ(0, s.analysis->latency.total.throttled_ns);
	analysis_free(s.analysis);
}
