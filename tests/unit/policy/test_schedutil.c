/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/energy.h"
#include "policy/schedutil.h"
#include "test.h"

/* Interrupts of 256 stop the clock a quarter of the time: 400 of what is left are 300 of all. */
TEST(interrupts_count_beside_tasks)
{
	CHECK_EQ(400, policy_effective_util(400, 0, 1024));
	CHECK_EQ(300 + 256, policy_effective_util(400, 256, 1024));
	CHECK_EQ(446, policy_effective_util(446, 10, 446));
	CHECK_EQ(446, policy_effective_util(5, 446, 446));
}

TEST(a_quarter_is_left_free)
{
	CHECK_EQ(500, policy_sugov_perf(400, 0, 1024));
	CHECK_EQ(1024, policy_sugov_perf(900, 0, 1024));
	CHECK_EQ(1024, policy_sugov_perf(400, 1024, 1024)); /* a realtime task runs */
	CHECK_EQ(600, policy_sugov_perf(400, 600, 1024));
}

/* Juno r0's A53: 446 at 850 MHz; for 250 it takes 476457 kHz, which is none of its points. */
TEST(the_clock_goes_by_utilisation)
{
	CHECK_EQ(476457, policy_sugov_khz(250, 446, 850000));
	CHECK_EQ(850000, policy_sugov_khz(446, 446, 850000));
	CHECK_EQ(0, policy_sugov_khz(0, 446, 850000));
}

/* 93 mW for 446: 930000 / 446 = 2085.2; 616 mW for 1024: 6015.6. */
TEST(a_big_core_costs_more_for_the_same_work)
{
	CHECK_EQ(2085, policy_em_cost(93, 446));
	CHECK_EQ(6015, policy_em_cost(616, 1024));
	CHECK_EQ(208500, policy_em_energy(2085, 100));
}
