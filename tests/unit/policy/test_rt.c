/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/rt.h"
#include "test.h"

#define MS 1000000ULL

TEST(realtime_tasks_stop_past_their_runtime_not_at_it)
{
	CHECK(!policy_rt_exceeded(950 * MS, 950 * MS));
	CHECK(policy_rt_exceeded(950 * MS + 1, 950 * MS));
}

TEST(a_period_takes_a_runtime_off_and_leaves_the_excess)
{
	CHECK_EQ(0, policy_rt_refill(0, 950 * MS));
	CHECK_EQ(0, policy_rt_refill(300 * MS, 950 * MS));
	CHECK_EQ(2 * MS, policy_rt_refill(952 * MS, 950 * MS));
}

TEST(they_go_on_below_the_runtime)
{
	CHECK(policy_rt_may_resume(950 * MS - 1, 950 * MS));
	CHECK(!policy_rt_may_resume(950 * MS, 950 * MS));
}
