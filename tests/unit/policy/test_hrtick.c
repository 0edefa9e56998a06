/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/hrtick.h"
#include "test.h"

#define US 1000ULL

TEST(the_timer_is_what_is_left_of_the_slice)
{
	static const struct {
		const char *when;
		u64 ran_ns;
		s64 delay_ns;
	} rows[] = {
		{ "just picked", 0, 700 * US },       { "after a part", 300 * US, 400 * US },
		{ "just enough", 690 * US, 10000 },   { "raised to 10 us", 690 * US + 1, 10000 },
		{ "nothing left", 700 * US, 10000 },  { "over", 700 * US + 1, -1 },
		{ "long over", 4000 * US, -3300000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].delay_ns, policy_hrtick_delay(700 * US, rows[i].ran_ns), "%s",
			 rows[i].when);
}

TEST(a_timer_stays_that_is_within_five_us)
{
	CHECK(policy_hrtick_close(0));
	CHECK(policy_hrtick_close(5 * US));
	CHECK(policy_hrtick_close(-(s64)(5 * US)));
	CHECK(!policy_hrtick_close(5 * US + 1));
	CHECK(!policy_hrtick_close(-(s64)(5 * US) - 1));
}

TEST(the_periodic_tick_stands_back_for_the_timer_but_with_double_tick)
{
	struct policy_features features = { 0 };

	CHECK(policy_tick_may_preempt(false, &features));
	CHECK(!policy_tick_may_preempt(true, &features));
	policy_feature_set(&features, POLICY_DOUBLE_TICK, true);
	CHECK(policy_tick_may_preempt(false, &features));
	CHECK(policy_tick_may_preempt(true, &features));
}
