/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

/* What each test works out by hand, in microseconds. */
static void check(const struct stream *s, u64 wall_us, u64 per_cpu_us, u64 per_thread_us)
{
	const struct work_conservation *work = &s->analysis->work;

	CHECK_EQ(wall_us * US, work->wall_ns);
	CHECK_EQ(per_cpu_us * US, work->per_cpu_ns);
	CHECK_EQ(per_thread_us * US, work->per_thread_ns);
}

static void told(struct stream *s, s32 who, u64 cpus)
{
	struct event_cpus *allowed = mem_zalloc(sizeof(*allowed) + sizeof(allowed->words[0]));

	allowed->nr_words = 1;
	allowed->words[0] = cpus;
	stream_push(s, (struct event){ .kind = EVENT_ATTR,
				       .cpu = EVENT_NOBODY,
				       .task = tid(who),
				       .attr = { .allowed = allowed } });
	free(allowed);
}

static void cgroup(struct stream *s, u64 us, s32 cpu, u32 what, u32 id)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_CGROUP,
				       .cpu = cpu,
				       .task = { EVENT_NOBODY, 0 },
				       .cgroup = { what, id, 0, NULL } });
}

/* Busy with 100 + cpu from 1 us on, CPUs below @nr. */
static void busy(struct stream *s, s32 nr)
{
	for (s32 cpu = 0; cpu < nr; cpu++)
		sched(s, 1, cpu, 0, R, 100 + cpu);
}

/* 10 waits on CPU 0 from 100 to 500, CPU 1 idles from 200: 300 us in all three measures. */
TEST(one_waits_and_one_idles)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	sched(&s, 200, 1, 101, S, 0);
	sched(&s, 500, 0, 100, S, 10);
	sched(&s, 900, 1, 0, R, 101);
	stream_end(&s);
	check(&s, 300, 300, 300);
	CHECK_EQ(300 * US, s.analysis->work.longest_ns);
	CHECK_EQ(500 * US, s.analysis->work.longest_end_ns);
	CHECK_EQ(0, s.analysis->work.doubtful_ns);
	analysis_free(s.analysis);
}

/*
 * 200..300: CPUs 2 and 3 idle, 10 and 11 wait on CPU 0: wall 1, CPUs min(2, 1), threads min(2, 2).
 * 300..400: 12 waits on CPU 1 as well: CPUs min(2, 2), threads min(2, 3).
 * 400..500: CPU 3 is busy: CPUs min(1, 2), threads min(1, 3).
 * Wall 300, per CPU 100 + 200 + 100, per thread 200 + 200 + 100.
 */
TEST(the_three_measures_differ)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 4);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 11, 100, 0);
	sched(&s, 200, 2, 102, S, 0);
	sched(&s, 200, 3, 103, S, 0);
	wake(&s, 300, 1, EVENT_WAKEUP, 12, 101, 1);
	sched(&s, 400, 3, 0, R, 103);
	sched(&s, 500, 2, 0, R, 102);
	stream_end(&s);
	check(&s, 300, 400, 500);
	analysis_free(s.analysis);
}

/* 10 is queued on the idle CPU 1 at 100 and runs there at 130: it is about to switch. */
TEST(a_cpu_that_idles_with_work_queued_is_neither)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	sched(&s, 50, 1, 101, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 1);
	sched(&s, 130, 1, 0, R, 10);
	stream_end(&s);
	check(&s, 0, 0, 0);
	analysis_free(s.analysis);
}

/* 10 waits on CPU 0 from 100; moved to the idle CPU 1 at 250, where it runs at 260: 150 us. */
TEST(a_wait_that_moves_counts_where_it_is)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	sched(&s, 50, 1, 101, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	migrate(&s, 250, 1, 10, 0, 1);
	sched(&s, 260, 1, 0, R, 10);
	stream_end(&s);
	check(&s, 150, 150, 150);
	analysis_free(s.analysis);
}

/* Preempted threads wait as woken ones do: 100 is preempted at 300, CPU 1 idles to 400. */
TEST(a_preempted_thread_waits)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	sched(&s, 50, 1, 101, S, 0);
	sched(&s, 300, 0, 100, R, 10);
	sched(&s, 400, 1, 0, R, 101);
	stream_end(&s);
	check(&s, 100, 100, 100);
	analysis_free(s.analysis);
}

/* Of a CPU that had no event yet nothing is known: it is not idle. */
TEST(a_cpu_of_which_nothing_is_known_does_not_idle)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 1);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	sched(&s, 500, 0, 100, S, 10);
	stream_end(&s);
	check(&s, 0, 0, 0);
	analysis_free(s.analysis);
}

/* By its name, and by what was told: both wait on CPU 0 only, as long as CPU 1 idles. */
TEST(threads_of_one_cpu_are_left_out)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	name(&s, 1, 10, "kworker/0:1");
	told(&s, 11, 1);
	sched(&s, 50, 1, 101, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 11, 100, 0);
	sched(&s, 500, 1, 0, R, 101);
	stream_end(&s);
	check(&s, 0, 0, 0);
	analysis_free(s.analysis);
}

/*
 * 10 and 11 may use CPUs 0 and 2, 12 all; all wait on CPU 0, CPU 3 idles from 200, 2 from 300.
 * 200..300: 12 could go to CPU 3: 1 CPU, 1 thread.  300..400: and one of 10 and 11 to CPU 2:
 * still one overloaded CPU, 2 threads.  At 400 12 runs (on CPU 3): 10 to CPU 2: 1, 1, until 450.
 */
TEST(told_affinities_are_followed)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 4);
	told(&s, 10, 5);
	told(&s, 11, 5);
	told(&s, 12, 15);
	sched(&s, 200, 3, 103, S, 0);
	wake(&s, 200, 0, EVENT_WAKEUP, 10, 100, 0);
	wake(&s, 200, 0, EVENT_WAKEUP, 11, 100, 0);
	wake(&s, 200, 0, EVENT_WAKEUP, 12, 100, 0);
	sched(&s, 300, 2, 102, S, 0);
	migrate(&s, 400, 3, 12, 0, 3);
	sched(&s, 400, 3, 0, R, 12);
	sched(&s, 450, 2, 0, R, 102);
	stream_end(&s);
	check(&s, 250, 250, 350);
	analysis_free(s.analysis);
}

/* 10 may use CPUs 0 and 1: that CPU 3 idles, and CPU 2 is overloaded by nobody, is in order. */
TEST(an_idle_cpu_that_nobody_may_use_does_not_count)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 4);
	told(&s, 10, 3);
	sched(&s, 200, 3, 103, S, 0);
	wake(&s, 200, 0, EVENT_WAKEUP, 10, 100, 0);
	sched(&s, 400, 3, 0, R, 103);
	stream_end(&s);
	check(&s, 0, 0, 0);
	analysis_free(s.analysis);
}

/* Two overloaded CPUs whose waiting threads may only use the one idle CPU: one can be helped. */
TEST(an_idle_cpu_helps_once)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 4);
	told(&s, 10, 1 | 4);
	told(&s, 11, 2 | 4);
	sched(&s, 100, 2, 102, S, 0);
	wake(&s, 200, 0, EVENT_WAKEUP, 10, 100, 0);
	wake(&s, 300, 1, EVENT_WAKEUP, 11, 101, 1);
	sched(&s, 500, 2, 0, R, 102);
	stream_end(&s);
	check(&s, 300, 300, 300);
	analysis_free(s.analysis);
}

/* An affinity that is widened in the middle of a wait counts from then on: 400..500. */
TEST(an_affinity_that_changes_counts_from_then_on)
{
	struct stream s;
	struct event_cpus *allowed = mem_zalloc(sizeof(*allowed) + sizeof(allowed->words[0]));

	allowed->nr_words = 1;
	allowed->words[0] = 3;
	stream_begin(&s, NULL);
	busy(&s, 2);
	told(&s, 10, 1);
	sched(&s, 50, 1, 101, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	stream_push(&s, (struct event){ .time_ns = 400 * US,
					.kind = EVENT_ATTR,
					.cpu = EVENT_NOBODY,
					.task = tid(10),
					.attr = { .allowed = allowed } });
	sched(&s, 500, 1, 0, R, 101);
	stream_end(&s);
	check(&s, 100, 100, 100);
	analysis_free(s.analysis);
	free(allowed);
}

/* 10's group is throttled on CPU 0 from 200 to 400; CPU 1 idles from 100 to 500: 200 us. */
TEST(a_throttled_thread_is_left_out)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	stream_push(&s, (struct event){ .kind = EVENT_ATTR,
					.cpu = EVENT_NOBODY,
					.task = tid(10),
					.attr = { .cgroup = 7 } });
	wake(&s, 50, 0, EVENT_WAKEUP, 10, 100, 0);
	sched(&s, 100, 1, 101, S, 0);
	cgroup(&s, 200, 0, EVENT_CGROUP_THROTTLE, 7);
	cgroup(&s, 400, 0, EVENT_CGROUP_UNTHROTTLE, 7);
	sched(&s, 500, 1, 0, R, 101);
	stream_end(&s);
	check(&s, 200, 200, 200);
	analysis_free(s.analysis);
}

/* CPU 1 goes off line at 300: it idles, but nobody could use it. */
TEST(a_cpu_off_line_does_not_idle)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	wake(&s, 50, 0, EVENT_WAKEUP, 10, 100, 0);
	sched(&s, 100, 1, 101, S, 0);
	stream_push(&s, (struct event){ .time_ns = 300 * US,
					.kind = EVENT_CPU,
					.cpu = 1,
					.task = { EVENT_NOBODY, 0 } });
	sched(&s, 500, 0, 100, S, 10);
	stream_end(&s);
	check(&s, 200, 200, 200);
	analysis_free(s.analysis);
}

/* After a loss nobody knows whether 10 still waits: what was counted before is doubtful. */
TEST(after_a_loss_old_waits_are_not_believed)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	wake(&s, 50, 0, EVENT_WAKEUP, 10, 100, 0);
	sched(&s, 100, 1, 101, S, 0);
	lost(&s, 300, 0);
	sched(&s, 400, 0, 100, R, 11);
	sched(&s, 500, 0, 11, S, 100);
	sched(&s, 600, 1, 0, R, 101);
	stream_end(&s);
	check(&s, 300, 300, 300); /* 100..300, and 100 itself waits 400..500 */
	CHECK_EQ(200 * US, s.analysis->work.doubtful_ns);
	analysis_free(s.analysis);
}

/* Runtime is charged to 10 at 300: it ran unseen.  What it waited for until then is doubtful. */
TEST(waits_that_prove_unreliable_are_told)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	sched(&s, 50, 1, 101, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	runtime(&s, 300, 0, 10, 100);
	sched(&s, 500, 1, 0, R, 101);
	stream_end(&s);
	check(&s, 200, 200, 200);
	CHECK_EQ(200 * US, s.analysis->work.doubtful_ns);
	analysis_free(s.analysis);
}

/* What is still so at the end counts up to there: 100..700. */
TEST(the_end_of_the_stream_ends_it)
{
	struct stream s;

	stream_begin(&s, NULL);
	busy(&s, 2);
	sched(&s, 50, 1, 101, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
	runtime(&s, 700, 0, 100, 1000);
	stream_end(&s);
	check(&s, 600, 600, 600);
	analysis_free(s.analysis);
}

/* Of 100..500 the window 200..300 keeps 100 us; without CPU 1 nobody idles. */
TEST(the_filter_cuts_time_and_cpus)
{
	static const u64 only_0[] = { 1 };

	for (u32 by_cpu = 0; by_cpu < 2; by_cpu++) {
		struct analysis_options options = { .filter = FILTER_NONE };
		struct stream s;

		if (by_cpu) {
			options.filter.cpus = only_0;
			options.filter.nr_cpu_words = 1;
		} else {
			options.filter.from = (struct filter_time){ 200 * US, true, false };
			options.filter.to = (struct filter_time){ 300 * US, true, false };
		}
		stream_begin(&s, &options);
		busy(&s, 2);
		sched(&s, 50, 1, 101, S, 0);
		wake(&s, 100, 0, EVENT_WAKEUP, 10, 100, 0);
		sched(&s, 500, 0, 100, S, 10);
		stream_end(&s);
		check(&s, by_cpu ? 0 : 100, by_cpu ? 0 : 100, by_cpu ? 0 : 100);
		analysis_free(s.analysis);
	}
}

/*
 * 65 threads wait on CPU 0, each in another set of CPUs; CPU 1 idles.  64 sets are followed,
 * the last wait is left out, and told.
 */
TEST(too_many_sets_of_cpus_are_told)
{
	struct stream s;

	stream_begin(&s, NULL);
	sched(&s, 1, 8, 0, R, 108);
	busy(&s, 2);
	for (s32 i = 0; i < 65; i++)
		told(&s, 10 + i, 1 | (u64)(i + 1) << 1);
	sched(&s, 50, 1, 101, S, 0);
	for (s32 i = 0; i < 65; i++)
		wake(&s, 100, 0, EVENT_WAKEUP, 10 + i, 100, 0);
	stream_end(&s);
	CHECK_EQ(1, s.analysis->work.left_out);
	analysis_free(s.analysis);
}

/* A set that nobody waits in any more makes room for another. */
TEST(sets_are_used_again)
{
	struct stream s;

	stream_begin(&s, NULL);
	sched(&s, 1, 8, 0, R, 108);
	busy(&s, 2);
	for (s32 i = 0; i < 65; i++) {
		told(&s, 10 + i, 1 | (u64)(i + 1) << 1);
		wake(&s, (u64)(100 + 2 * i), 0, EVENT_WAKEUP, 10 + i, 100, 0);
		sched(&s, (u64)(101 + 2 * i), 0, i ? 9 + i : 100, S, 10 + i);
	}
	stream_end(&s);
	CHECK_EQ(0, s.analysis->work.left_out);
	analysis_free(s.analysis);
}

TEST(without_wakeups_it_is_not_available)
{
	struct stream s;

	stream_begin(&s, NULL);
	s.analysis->header.sees = EVENT_BIT(SWITCH);
	busy(&s, 2);
	stream_end(&s);
	CHECK(!analysis_available(s.analysis, ANALYSIS_WORK_CONSERVATION));
	analysis_free(s.analysis);
}
