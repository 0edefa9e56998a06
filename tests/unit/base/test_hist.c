/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/hist.h"

#include "test.h"

TEST(an_empty_histogram_has_no_count)
{
	struct hist hist = { 0 };

	CHECK_EQ(0, hist.count);
	CHECK_EQ(0, hist_percentile(&hist, 500));
}

TEST(small_values_are_exact)
{
	struct hist hist = { 0 };

	for (u64 v = 1; v <= 100; v++)
		hist_add(&hist, v);
	CHECK_EQ(50, hist_percentile(&hist, 500));
	CHECK_EQ(90, hist_percentile(&hist, 900));
	CHECK_EQ(99, hist_percentile(&hist, 990));
	CHECK_EQ(100, hist_percentile(&hist, 1000));
	CHECK_EQ(5050, hist.sum);
	hist_fini(&hist);
}

/* One value at a time: the 50th percentile is that value, within 1/256. */
TEST(a_percentile_is_within_its_stated_error)
{
	for (u64 v = 1; v < 1ULL << 62; v = v * 3 + 1) {
		struct hist hist = { 0 };
		s64 off;

		hist_add(&hist, v);
		hist_add(&hist, v);
		hist_add(&hist, v * 2);
		off = (s64)(hist_percentile(&hist, 500) - v);
		CHECK(off <= (s64)(v / 256 + 1) && off >= -(s64)(v / 256 + 1),
		      "%llu is off by %lld", v, off);
		hist_fini(&hist);
	}
}

TEST(the_largest_u64_fits)
{
	struct hist hist = { 0 };

	hist_add(&hist, U64_MAX);
	CHECK(hist_percentile(&hist, 1000) > U64_MAX - U64_MAX / 128);
	hist_fini(&hist);
}

TEST(merging_is_adding)
{
	struct hist a = { 0 }, b = { 0 };

	hist_add(&a, 10);
	hist_add(&b, 1000000);
	hist_merge(&a, &b);
	CHECK_EQ(2, a.count);
	CHECK_EQ(1000010, a.sum);
	CHECK_EQ(1000000, a.max);
	CHECK_EQ(10, hist_percentile(&a, 500));
	hist_fini(&a);
	hist_fini(&b);
}

TEST(steps_come_in_rising_order_and_go_back_to_where_they_were)
{
	struct hist hist = { 0 }, copy = { 0 };
	struct hist_step step = { 0 };
	u64 last = 0;

	for (u64 v = 1; v < 1ULL << 50; v = v * 7 + 3)
		hist_add_many(&hist, v, (u32)(v % 5 + 1));
	while (hist_next(&hist, &step)) {
		CHECK(step.value > last);
		last = step.value;
		hist_add_many(&copy, step.value, step.count);
	}
	CHECK_EQ(hist.count, copy.count);
	CHECK_EQ(0, hist_distance(&hist, &copy, 0));
	hist_fini(&hist);
	hist_fini(&copy);
}

/* 1, 2, 3, 4 and 3, 4, 5, 6: up to 2 are a half and none. */
TEST(a_distance_is_the_largest_between_the_shares)
{
	struct hist a = { 0 }, b = { 0 }, none = { 0 };

	for (u64 v = 1; v <= 4; v++) {
		hist_add(&a, v);
		hist_add(&b, v + 2);
	}
	CHECK_EQ(500000, hist_distance(&a, &b, 0));
	CHECK_EQ(500000, hist_distance(&b, &a, 0));
	CHECK_EQ(0, hist_distance(&a, &a, 0));
	CHECK_EQ(0, hist_distance(&a, &none, 0));
	/* below 4: three quarters and a quarter; then all and a half */
	CHECK_EQ(500000, hist_distance(&a, &b, 4));
	CHECK_EQ(250000, hist_distance(&a, &b, 6));
	CHECK_EQ(0, hist_distance(&a, &b, 7));
	hist_fini(&a);
	hist_fini(&b);
}

TEST(a_distance_knows_what_only_one_of_them_has)
{
	struct hist a = { 0 }, b = { 0 };

	hist_add_many(&a, 10, 10);
	hist_add_many(&b, 20, 7);
	hist_add_many(&b, 90, 3);
	CHECK_EQ(300000, hist_distance(&a, &b, 50));
	CHECK_EQ(300000, hist_distance(&b, &a, 50));
	hist_fini(&a);
	hist_fini(&b);
}
