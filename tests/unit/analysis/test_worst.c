/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

/*
 * b is woken by w at 100 on CPU 0, where hog runs 50..130, log 130..180, b gets on at 180.
 * The wait is 80 us: hog 30, log 50.
 */
TEST(a_long_wait_names_its_antagonists)
{
	const struct analysis_options options = { .filter = FILTER_NONE, .worst = 3 };
	const struct worst_wait *wait;
	struct stream s;

	stream_begin(&s, &options);
	name(&s, 0, 10, "b");
	name(&s, 0, 11, "hog");
	name(&s, 0, 12, "log");
	name(&s, 0, 13, "w");
	sched(&s, 50, 0, 10, S, 11);
	wake(&s, 100, 1, EVENT_WAKEUP, 10, 13, 0);
	sched(&s, 130, 0, 11, S, 12);
	sched(&s, 180, 0, 12, S, 10);
	stream_end(&s);
	CHECK_EQ(1, s.analysis->worst.longest.nr);
	wait = &s.analysis->worst.longest.at[0];
	CHECK_STR("b", wait->name);
	CHECK_STR("w", wait->waker_name);
	CHECK_EQ(TRACK_WAKEUP, wait->kind);
	CHECK_EQ(2, wait->nr_antagonists);
	CHECK_STR("log", wait->antagonists[0].name);
	CHECK_EQ(50 * US, wait->antagonists[0].ns);
	CHECK_STR("hog", wait->antagonists[1].name);
	CHECK_EQ(30 * US, wait->antagonists[1].ns);
	CHECK_EQ(0, wait->unseen_ns);
	analysis_free(s.analysis);
}

/* 40 us behind hog on CPU 0, then moved: 20 us behind log on CPU 1, where log still runs. */
TEST(antagonists_are_those_of_the_cpu_it_waited_for)
{
	const struct analysis_options options = { .filter = FILTER_NONE, .worst = 3 };
	const struct worst_wait *wait;
	struct stream s;

	stream_begin(&s, &options);
	name(&s, 0, 10, "b");
	name(&s, 0, 11, "hog");
	name(&s, 0, 12, "log");
	sched(&s, 10, 0, 0, R, 11);
	sched(&s, 20, 1, 0, R, 12);
	wake(&s, 100, 1, EVENT_WAKEUP, 10, 0, 0);
	migrate(&s, 140, 1, 10, 0, 1);
	sched(&s, 160, 1, 12, S, 10);
	stream_end(&s);
	wait = &s.analysis->worst.longest.at[0];
	CHECK_EQ(1, wait->migrations);
	CHECK_EQ(2, wait->nr_antagonists);
	CHECK_STR("hog", wait->antagonists[0].name);
	CHECK_EQ(40 * US, wait->antagonists[0].ns);
	CHECK_EQ(20 * US, wait->antagonists[1].ns);
	analysis_free(s.analysis);
}

/* Waits of 10, 30, 20 us; the two longest, the longest first. */
TEST(the_list_keeps_the_longest)
{
	const struct analysis_options options = { .filter = FILTER_NONE, .worst = 2 };
	static const u64 waits_us[] = { 10, 30, 20 };
	u64 now = 100;
	struct stream s;

	stream_begin(&s, &options);
	sched(&s, 50, 0, 10, S, 0);
	for (size_t i = 0; i < ARRAY_SIZE(waits_us); i++) {
		wake(&s, now, 1, EVENT_WAKEUP, 10, 13, 0);
		now += waits_us[i];
		sched(&s, now++, 0, 0, R, 10);
		sched(&s, now++, 0, 10, S, 0);
	}
	stream_end(&s);
	CHECK_EQ(2, s.analysis->worst.longest.nr);
	CHECK_EQ(30 * US,
		 s.analysis->worst.longest.at[0].end_ns - s.analysis->worst.longest.at[0].start_ns);
	CHECK_EQ(20 * US,
		 s.analysis->worst.longest.at[1].end_ns - s.analysis->worst.longest.at[1].start_ns);
	analysis_free(s.analysis);
}
