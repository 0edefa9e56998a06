/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/bandwidth.h"
#include "test.h"

#define MS 1000000ULL

TEST(a_refill_adds_the_quota_up_to_quota_and_burst)
{
	CHECK_EQ(20 * MS, policy_refill_cfs_bandwidth_runtime(0, 20 * MS, 0));
	CHECK_EQ(20 * MS, policy_refill_cfs_bandwidth_runtime(7 * MS, 20 * MS, 0));
	CHECK_EQ(27 * MS, policy_refill_cfs_bandwidth_runtime(7 * MS, 20 * MS, 10 * MS));
	CHECK_EQ(30 * MS, policy_refill_cfs_bandwidth_runtime(13 * MS, 20 * MS, 10 * MS));
	CHECK_EQ(40 * MS, policy_refill_cfs_bandwidth_runtime(40 * MS, 20 * MS, 20 * MS));
}

/* A slice on top of the debt, or what there is. */
TEST(a_queue_asks_for_a_slice_and_its_debt)
{
	CHECK_EQ(5 * MS, policy_assign_cfs_rq_runtime(0, 20 * MS, POLICY_BANDWIDTH_SLICE_NS));
	CHECK_EQ(8 * MS, policy_assign_cfs_rq_runtime(-3 * (s64)MS, 20 * MS, 5 * MS));
	CHECK_EQ(7 * MS, policy_assign_cfs_rq_runtime(-3 * (s64)MS, 7 * MS, 5 * MS));
	CHECK_EQ(0, policy_assign_cfs_rq_runtime(-3 * (s64)MS, 0, 5 * MS));
}

TEST(a_distribution_pays_the_debt_and_a_nanosecond)
{
	CHECK_EQ(1, policy_distribute_cfs_runtime(0, 20 * MS));
	CHECK_EQ(3 * MS + 1, policy_distribute_cfs_runtime(-3 * (s64)MS, 20 * MS));
	CHECK_EQ(3 * MS, policy_distribute_cfs_runtime(-3 * (s64)MS, 3 * MS), "not enough");
}

TEST(an_empty_queue_keeps_a_millisecond)
{
	CHECK_EQ(4 * MS, policy_return_cfs_rq_runtime(5 * MS));
	CHECK_EQ(1, policy_return_cfs_rq_runtime(MS + 1));
	CHECK_EQ(0, policy_return_cfs_rq_runtime(MS));
	CHECK_EQ(0, policy_return_cfs_rq_runtime(-5 * (s64)MS));
}

TEST(more_than_a_slice_is_worth_a_distribution)
{
	CHECK(!policy_worth_distribution(5 * MS));
	CHECK(policy_worth_distribution(5 * MS + 1));
}

TEST(a_refill_is_near_if_less_than_that_away_or_past)
{
	CHECK(!policy_runtime_refresh_within(100 * MS, 93 * MS, 7 * MS));
	CHECK(policy_runtime_refresh_within(100 * MS, 93 * MS + 1, 7 * MS));
	CHECK(policy_runtime_refresh_within(100 * MS, 150 * MS, 7 * MS));
}

TEST(the_next_period_is_on_the_grid_and_later)
{
	CHECK_EQ(100, policy_period_after(0, 100, 0));
	CHECK_EQ(100, policy_period_after(0, 100, 99));
	CHECK_EQ(200, policy_period_after(0, 100, 100));
	CHECK_EQ(730, policy_period_after(30, 100, 650));
	CHECK_EQ(30, policy_period_after(30, 100, 29), "the grid begins there");
}
