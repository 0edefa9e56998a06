/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/fit.h"
#include "test.h"

/* 1280 * 819 = 1048320 < 1048576 = 1024 * 1024; 1280 * 820 = 1049600 is not. */
TEST(four_fifths_of_a_cpu_may_be_used)
{
	CHECK(policy_fits_capacity(819, 1024));
	CHECK(!policy_fits_capacity(820, 1024));
	CHECK(policy_fits_capacity(356, 446)); /* 455680 < 456704 */
	CHECK(!policy_fits_capacity(357, 446));
	CHECK(!policy_fits_capacity(0, 0));
}

/* 1024 * 1024 against 1078 * 972 = 1047816 and 1078 * 973 = 1048894. */
TEST(a_cpu_is_greater_from_five_percent_on)
{
	CHECK(policy_capacity_greater(1024, 972));
	CHECK(!policy_capacity_greater(1024, 973));
	CHECK(!policy_capacity_greater(1024, 1024));
}

/* 600 of 1000 MHz leave 614 of 1024. */
TEST(a_limited_clock_takes_capacity)
{
	CHECK_EQ(410, policy_freq_pressure(1024, 600000, 1000000));
	CHECK_EQ(223, policy_freq_pressure(446, 425000, 850000));
	CHECK_EQ(0, policy_freq_pressure(1024, 1000000, 1000000));
	CHECK_EQ(0, policy_freq_pressure(1024, 2000000, 1000000));
	CHECK_EQ(1024, policy_freq_pressure(1024, 0, 1000000));
}
