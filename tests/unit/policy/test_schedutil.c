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

/*
 * 6.1, of 1024: interrupts of 256 leave 300 of 400, bandwidth of 51 comes on top: 607.  All
 * classes together decide whether there is any idle time.
 */
TEST(in_6_1_bandwidth_is_added)
{
	CHECK_EQ(607, policy_frequency_util(400, 0, 51, 256, 1024));
	CHECK_EQ(400, policy_frequency_util(400, 600, 0, 0, 1024));
	CHECK_EQ(1024, policy_frequency_util(400, 624, 0, 0, 1024));
	CHECK_EQ(1024, policy_frequency_util(900, 0, 300, 0, 1024));
	CHECK_EQ(446, policy_frequency_util(5, 0, 0, 446, 446));
	CHECK_EQ(758, policy_with_headroom(607));
}

/* An eighth, then twice as much for each choice in between, up to all. */
TEST(waiting_for_devices_asks_for_ever_more)
{
	static const u64 want[] = { 128, 256, 512, 1024, 1024 };
	struct policy_io_boost io = { 0 };

	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		policy_io_boost_ask(&io, 1000 * i, 4000000, true);
		policy_io_boost_ask(&io, 1000 * i, 4000000, true); /* counts once */
		CHECK_EQ(want[i], policy_io_boost_take(&io, 1000 * i, 4000000, 1024), "%u", i);
	}
}

/* Half of it with each choice that nobody asked for; below an eighth there is none. */
TEST(what_is_not_asked_for_again_goes)
{
	struct policy_io_boost io = { .boost = 512 };

	CHECK_EQ(111, policy_io_boost_take(&io, 0, 4000000, 446)); /* 256 of 1024, of 446 */
	CHECK_EQ(55, policy_io_boost_take(&io, 0, 4000000, 446));
	CHECK_EQ(0, policy_io_boost_take(&io, 0, 4000000, 446));
	CHECK_EQ(0, io.boost);
}

/* More than a tick without a look: none is left, or it begins anew. */
TEST(a_tick_without_a_look_ends_it)
{
	struct policy_io_boost io = { .boost = 512, .pending = true };

	CHECK_EQ(512, policy_io_boost_take(&io, 4000000, 4000000, 1024));
	CHECK_EQ(0, policy_io_boost_take(&io, 4000001, 4000000, 1024));
	io = (struct policy_io_boost){ .boost = 512 };
	policy_io_boost_ask(&io, 4000001, 4000000, true);
	CHECK_EQ(128, io.boost);
	CHECK(io.pending);
}
