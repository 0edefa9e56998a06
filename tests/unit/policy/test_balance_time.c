/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/balance_time.h"

#include "base/mem.h"
#include "policy/release.h"
#include "test.h"

#define MS 1000000ULL

/*
 * A domain's interval begins at as many ms as it has CPUs; ceil(ms * HZ / 1000) jiffies, for a
 * busy CPU sixteen times as many ms and one jiffy less, at most HZ * CPUs / 10.
 */
TEST(intervals_go_by_span_and_hz)
{
	static const struct {
		u32 hz, ms, factor, online;
		u64 want;
	} rows[] = {
		{ 250, 4, 0, 4, 1 },     /* 4 ms */
		{ 250, 4, 16, 4, 15 },   /* 64 ms are 16 */
		{ 250, 18, 0, 18, 5 },   /* 4.5 */
		{ 250, 18, 16, 18, 71 }, /* 288 ms are 72 */
		{ 1000, 4, 0, 4, 4 },      { 1000, 4, 16, 4, 63 }, { 1000, 18, 0, 18, 18 },
		{ 1000, 18, 16, 18, 287 }, { 100, 4, 0, 4, 1 }, /* 0.4 */
		{ 250, 4, 1, 4, 1 },                            /* 1 - 1, but not 0 */
		{ 250, 512, 16, 4, 100 },                       /* 250 * 4 / 10 */
		{ 1000, 512, 16, 4, 400 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_balance_interval(rows[i].ms, rows[i].factor, rows[i].hz,
						 rows[i].online),
			 "row %zu", i);
}

TEST(balance_doubles_the_interval_up_to_a_bound)
{
	CHECK_EQ(8u, policy_balance_longer(4, 8, false));
	CHECK_EQ(8u, policy_balance_longer(8, 8, false));
	CHECK_EQ(16u, policy_balance_longer(8, 8, true));
	CHECK_EQ(512u, policy_balance_longer(256, 8, true));
	CHECK_EQ(512u, policy_balance_longer(512, 8, true));
}

static const struct policy_balance_rules *rules_of(const char *release)
{
	return &policy_balance_rules[policy_release_find(release)->balancer];
}

/* 512 calls and 256 successes to begin with: after 512 failures the ratio is 256 of 1024. */
TEST(success_of_newly_idle_passes_is_remembered)
{
	struct policy_newidle newidle;

	policy_newidle_init(&newidle, 0);
	for (u32 i = 0; i < 511; i++)
		policy_newidle_stats(rules_of("6.12"), &newidle, 0, 0, false);
	CHECK_EQ(512u, newidle.ratio);
	policy_newidle_stats(rules_of("6.12"), &newidle, 0, 0, false);
	CHECK_EQ(256u, newidle.ratio);
	CHECK_EQ(512u, newidle.call);
	CHECK_EQ(128u, newidle.success);
}

/* The 512 calls took 1 s: 10^9 >> 22 is 238.  10 s are 2384, which with 256 is above 1024. */
TEST(seldom_idle_cpus_try_more_often_with_ni_rate)
{
	static const struct {
		u64 s;
		u32 want;
	} rows[] = { { 0, 256 }, { 1, 256 + 238 }, { 10, 1024 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_newidle newidle;

		policy_newidle_init(&newidle, 0);
		newidle.call = 1023;
		policy_newidle_stats(rules_of("7.3"), &newidle, 0, rows[i].s * 1000 * MS, true);
		CHECK_EQ(rows[i].want, newidle.ratio, "row %zu", i);
	}
}

/* A try is made with probability (2 + ratio) / 1024, and its success counts for the others. */
TEST(dice_decide_whether_a_newly_idle_cpu_tries)
{
	static const struct {
		u32 ratio, dice;
		bool sure;
		u32 want;
	} rows[] = {
		{ 512, 513, false, 2 },  { 512, 514, false, 0 }, { 0, 1, false, 1024 },
		{ 0, 2, false, 0 },      { 1024, 0, false, 1 },  { 255, 256, false, 4 },
		{ 1024, 1023, true, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_newidle_dice(rows[i].ratio, rows[i].dice, rows[i].sure), "row %zu",
			 i);
}

/* 1000 * 253 / 256 is 988, once more than a second has passed. */
TEST(the_cost_of_a_pass_is_the_most_it_was_less_a_bit_a_second)
{
	struct policy_newidle newidle;

	policy_newidle_init(&newidle, 0);
	CHECK(!policy_newidle_cost(&newidle, 1000, 10, 250));
	CHECK(!policy_newidle_cost(&newidle, 900, 260, 250));
	CHECK_EQ(1000u, newidle.max_cost_ns);
	CHECK(policy_newidle_cost(&newidle, 900, 261, 250));
	CHECK_EQ(988u, newidle.max_cost_ns);
	CHECK(!policy_newidle_cost(&newidle, 0, 262, 250));
}

/* An eighth of the difference; at most twice 0.5 ms. */
TEST(average_idle_time_follows_and_is_bounded)
{
	CHECK_EQ(900000u, policy_avg_idle(1000000, 200000, 500000));
	CHECK_EQ(1000000u, policy_avg_idle(1000000, 9000000, 500000));
	CHECK_EQ(187500u, policy_avg_idle(100000, 800000, 500000));
}

#define STATS   POLICY_KICK_STATS
#define BALANCE (POLICY_KICK_STATS | POLICY_KICK_BALANCE)
#define NEXT    POLICY_KICK_NEXT

/* Kernel: nohz_balancer_kick(), v6.12, from its first test to its last. */
TEST(an_idle_cpu_is_woken_for_the_first_reason_that_holds)
{
	static const struct {
		const char *when;
		struct policy_nohz nohz;
		u32 want, want_7_3;
	} rows[] = {
		{ "none sleeps",
		  { .jiffies = 9, .has_blocked = true, .nr_running = 2, .needs_update = true },
		  0,
		  0 },
		{ "none sleeps and no pass is due: 7.3 did not look",
		  { .jiffies = 9, .next_balance = 10, .has_blocked = true },
		  0,
		  STATS },
		{ "blocked load is old",
		  { .jiffies = 9,
		    .next_balance = 10,
		    .next_blocked = 8,
		    .has_blocked = true,
		    .some_idle = true },
		  STATS,
		  STATS },
		{ "not old enough",
		  { .jiffies = 9,
		    .next_balance = 10,
		    .next_blocked = 9,
		    .has_blocked = true,
		    .some_idle = true },
		  0,
		  0 },
		{ "two tasks, but a pass is not due",
		  { .jiffies = 9, .next_balance = 10, .some_idle = true, .nr_running = 2 },
		  0,
		  0 },
		{ "two tasks",
		  { .jiffies = 9, .next_balance = 9, .some_idle = true, .nr_running = 2 },
		  BALANCE,
		  BALANCE },
		{ "reduced capacity",
		  { .some_idle = true, .nr_running = 1, .h_nr = 1, .reduced = true },
		  BALANCE,
		  BALANCE },
		{ "reduced, but not for a fair task",
		  { .some_idle = true, .nr_running = 1, .reduced = true },
		  0,
		  0 },
		{ "packing", { .some_idle = true, .preferred_idle = true }, BALANCE, BALANCE },
		{ "a misfit",
		  { .some_idle = true, .asym = true, .misfit = true },
		  BALANCE,
		  BALANCE },
		{ "an asymmetric machine does not look at its caches",
		  { .some_idle = true, .asym = true, .nr_busy = 2 },
		  0,
		  0 },
		{ "two busy in the cache", { .some_idle = true, .nr_busy = 2 }, BALANCE, BALANCE },
		{ "one", { .some_idle = true, .nr_busy = 1 }, 0, 0 },
		{ "a CPU fell asleep",
		  { .next_balance = 10, .some_idle = true, .needs_update = true },
		  NEXT,
		  NEXT },
		{ "all at once",
		  { .some_idle = true, .nr_running = 2, .needs_update = true },
		  BALANCE | NEXT,
		  BALANCE | NEXT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(rows[i].want, policy_nohz_kick(rules_of("6.12"), &rows[i].nohz), "%s",
			 rows[i].when);
		CHECK_EQ(rows[i].want_7_3, policy_nohz_kick(rules_of("7.3"), &rows[i].nohz), "%s",
			 rows[i].when);
	}
}
