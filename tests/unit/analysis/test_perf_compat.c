/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

static const struct analysis_options compat = { .filter = FILTER_NONE, .perf_compat = true };

static struct perf_compat_row *compat_row(struct stream *s, const char *called)
{
	vec_for_each(found, &s->analysis->perf_compat.rows)
		if (!strcmp(found->name, called))
			return found;
	return NULL;
}

/* Seen first at its switch-in: one delay of 0.  Then woken at 30, in at 37: 7.  Mean 3.5. */
TEST(a_first_switch_in_counts_as_a_delay_of_nothing)
{
	struct stream s;

	stream_begin(&s, &compat);
	name(&s, 0, 10, "b");
	sched(&s, 10, 0, 0, R, 10);
	sched(&s, 20, 0, 10, S, 0);
	wake(&s, 30, 0, EVENT_WAKEUP, 10, 0, 0);
	sched(&s, 37, 0, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(2, compat_row(&s, "b")->nr);
	CHECK_EQ(7 * US, compat_row(&s, "b")->delay_ns);
	CHECK_EQ(3500, perf_compat_mean_ns(compat_row(&s, "b")));
	CHECK_EQ(30 * US, compat_row(&s, "b")->max_start_ns);
	CHECK_EQ(37 * US, compat_row(&s, "b")->max_end_ns);
	CHECK_EQ(0, compat_row(&s, "b")->runtime_ns, "no sched_stat_runtime: perf says 0");
	analysis_free(s.analysis);
}

/* The waking is not heard, and R+ is taken for sleep: of two waits none is left. */
TEST(wakings_and_r_plus_are_lost)
{
	struct stream s;

	stream_begin(&s, &compat);
	name(&s, 0, 10, "b");
	sched(&s, 20, 0, 10, S, 0);
	wake(&s, 30, 0, EVENT_WAKING, 10, 0, 0);
	sched(&s, 37, 0, 0, R, 10);
	sched(&s, 40, 0, 10, EVENT_STATE_PREEMPTED, 11);
	sched(&s, 50, 0, 11, S, 10);
	stream_end(&s);
	CHECK(!compat_row(&s, "b"), "a row without delays is not shown");
	CHECK_EQ(2, row(&s, "b")->delay.count, "we do count them");
	analysis_free(s.analysis);
}

/* Three threads called x, one of them gone: one row (3), sorted behind the larger mean. */
TEST(rows_merge_by_the_last_name_and_sort_by_mean)
{
	struct stream s;

	stream_begin(&s, &compat);
	for (s32 i = 10; i < 13; i++)
		name(&s, 0, i, "x");
	name(&s, 0, 20, "y");
	sched(&s, 10, 0, 10, R, 11);
	sched(&s, 12, 0, 11, R, 10);
	sched(&s, 15, 0, 10, EVENT_STATE_DEAD, 12);
	sched(&s, 20, 0, 12, R, 20);
	sched(&s, 30, 0, 20, R, 12);
	runtime(&s, 31, 0, 12, 5 * US);
	sched(&s, 35, 0, 12, S, 20);
	stream_end(&s);
	/* x: 11: 0; 10: 10..12 = 2; 12: 0 and 20..30 = 10: four delays, 12 us.
	 * 11 waits on at the end.  y: 0 and 30..35 = 5: mean 2.5. */
	CHECK_EQ(2, s.analysis->perf_compat.rows.nr);
	CHECK_EQ(3, compat_row(&s, "x")->merged);
	CHECK_EQ(4, compat_row(&s, "x")->nr);
	CHECK_EQ(12 * US, compat_row(&s, "x")->delay_ns);
	CHECK_EQ(10 * US, compat_row(&s, "x")->max_ns);
	CHECK_EQ(5 * US, compat_row(&s, "x")->runtime_ns);
	CHECK_EQ(2500, perf_compat_mean_ns(compat_row(&s, "y")));
	CHECK_STR("x", s.analysis->perf_compat.rows.at[0].name, "mean 3 before mean 2.5");
	analysis_free(s.analysis);
}
