/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

/*
 * CPU 0: hog runs throughout; b waits there from 1000 us.  CPU 1 idles from 2000 us until
 * it takes b at @until_us: the overlap is until - 2000.
 */
static void idle_while_waiting(struct stream *s, u64 until_us, const char *called)
{
	name(s, 0, 10, called);
	sched(s, 10, 0, 10, S, 11);
	sched(s, 20, 1, 0, R, 12);
	wake(s, 1000, 0, EVENT_WAKEUP, 10, 11, 0);
	sched(s, 2000, 1, 12, S, 0);
	sched(s, until_us, 1, 0, R, 10);
}

TEST(overlaps_go_to_the_published_bins)
{
	static const struct {
		u64 until_us;
		u64 bins[IDLE_EVENTS_NR_BINS];
	} rows[] = {
		{ 4500, { 0, 0, 0 } }, /* 2.5 ms is not above 2.5 ms */
		{ 4501, { 1, 0, 0 } }, { 5000, { 1, 0, 0 } }, { 5001, { 0, 1, 0 } },
		{ 6000, { 0, 1, 0 } }, { 6001, { 0, 0, 1 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stream s;

		stream_begin(&s, NULL);
		idle_while_waiting(&s, rows[i].until_us, "b");
		stream_end(&s);
		for (u32 bin = 0; bin < IDLE_EVENTS_NR_BINS; bin++)
			CHECK_EQ(rows[i].bins[bin], s.analysis->idle_events.bins[bin],
				 "until %llu, bin %u", rows[i].until_us, bin);
		analysis_free(s.analysis);
	}
}

/* The wait ends at 7000 on CPU 0 while CPU 1 goes on idling to 20000: 5 ms, one event. */
TEST(a_wait_that_ends_first_counts_once)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 10, 0, 10, S, 11);
	sched(&s, 20, 1, 0, R, 12);
	wake(&s, 1000, 0, EVENT_WAKEUP, 10, 11, 0);
	sched(&s, 2000, 1, 12, S, 0);
	sched(&s, 7000, 0, 11, S, 10);
	sched(&s, 20000, 1, 0, R, 12);
	stream_end(&s);
	CHECK_EQ(1, s.analysis->idle_events.bins[2]);
	CHECK_EQ(5 * MS, s.analysis->idle_events.longest_ns);
	CHECK_EQ(1, s.analysis->idle_events.longest_cpu);
	CHECK_EQ(10, s.analysis->idle_events.longest_tid);
	CHECK_EQ(1, s.analysis->idle_events.guessed, "nothing told where it may run");
	analysis_free(s.analysis);
}

/* kworker/0:1 belongs to CPU 0; that CPU 1 idles does not concern it. */
TEST(a_thread_bound_by_its_name_does_not_qualify_elsewhere)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "kworker/0:1");
	sched(&s, 10, 0, 10, S, 11);
	sched(&s, 20, 1, 0, R, 12);
	wake(&s, 1000, 0, EVENT_WAKEUP, 10, 11, 0);
	sched(&s, 2000, 1, 12, S, 0);
	sched(&s, 9000, 0, 11, S, 10);
	sched(&s, 9500, 1, 0, R, 12);
	stream_end(&s);
	CHECK_EQ(0, s.analysis->idle_events.bins[2]);
	analysis_free(s.analysis);
}

/* Told to be allowed on CPU 0 only: no event.  Told to be allowed on both: one, no guess. */
TEST(told_affinity_decides)
{
	for (u32 both = 0; both < 2; both++) {
		struct event_cpus *allowed =
			mem_zalloc(sizeof(struct event_cpus) + sizeof(allowed->words[0]));
		struct stream s;

		allowed->nr_words = 1;
		allowed->words[0] = both ? 3 : 1;
		stream_begin(&s, NULL);
		stream_push(&s, (struct event){ .kind = EVENT_ATTR,
						.cpu = EVENT_NOBODY,
						.task = tid(10),
						.attr = { .allowed = allowed } });
		sched(&s, 10, 0, 10, S, 11);
		sched(&s, 20, 1, 0, R, 12);
		wake(&s, 1000, 0, EVENT_WAKEUP, 10, 11, 0);
		sched(&s, 2000, 1, 12, S, 0);
		sched(&s, 9000, 0, 11, S, 10);
		sched(&s, 9500, 1, 0, R, 12);
		stream_end(&s);
		CHECK_EQ(both, s.analysis->idle_events.bins[2]);
		CHECK_EQ(0, s.analysis->idle_events.guessed);
		analysis_free(s.analysis);
		free(allowed);
	}
}

/* b's group is throttled on CPU 0 while it waits there: it may not run anywhere. */
TEST(a_throttled_thread_does_not_qualify)
{
	struct stream s;

	stream_begin(&s, NULL);
	stream_push(&s, (struct event){ .kind = EVENT_ATTR,
					.cpu = EVENT_NOBODY,
					.task = tid(10),
					.attr = { .cgroup = 7 } });
	sched(&s, 10, 0, 10, S, 11);
	sched(&s, 20, 1, 0, R, 12);
	stream_push(&s, (struct event){ .time_ns = 900 * US,
					.kind = EVENT_CGROUP,
					.cpu = 0,
					.task = { EVENT_NOBODY, 0 },
					.cgroup = { EVENT_CGROUP_THROTTLE, 7, 0, NULL } });
	wake(&s, 1000, 0, EVENT_WAKEUP, 10, 11, 0);
	sched(&s, 2000, 1, 12, S, 0);
	sched(&s, 9000, 1, 0, R, 12);
	stream_end(&s);
	CHECK_EQ(0, s.analysis->idle_events.bins[2]);
	analysis_free(s.analysis);
}
