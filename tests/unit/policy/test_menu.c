/* SPDX-License-Identifier: GPL-2.0-only */
/* menu; values worked out by hand after drivers/cpuidle/governors of v6.1, v6.12, v7.3. */
#include "policy/menu.h"
#include "test.h"
#include "idle_states.h"

/* Of 6.1, 6.12, 7.3. */
static const struct policy_idle_rules first = { .timer_first = true };
static const struct policy_idle_rules sparing = { 0 };
static const struct policy_idle_rules ends = { .both_ends = true, .near_timer = true };

/* Polling, C1, C6. */
static const struct policy_idle_states pc = {
	.nr = 3,
	.tick_ns = 4 * MS,
	.at = { { 0, 0 }, { 2 * US, 2 * US }, { 133 * US, 400 * US } },
};

static struct policy_menu menu_with(u32 first_us, u32 times, u32 then_us)
{
	struct policy_menu menu;

	policy_menu_init(&menu);
	for (u32 i = 0; i < POLICY_MENU_INTERVALS; i++)
		menu.interval_us[i] = i < times ? first_us : then_us;
	return menu;
}

static struct policy_idle_choice menu_choice(const struct policy_idle_rules *rules,
					     struct policy_menu *menu,
					     const struct policy_idle_states *states,
					     const struct policy_idle_entry *entry)
{
	struct policy_idle_choice choice;

	policy_menu_select(rules, menu, states, entry, &choice);
	return choice;
}

TEST(menu_takes_a_pattern_for_granted_if_the_sleeps_agree)
{
	static const struct {
		const char *when;
		u32 first_us, times, then_us, want_us;
	} rows[] = {
		{ "no sleep yet", 0, 8, 0, POLICY_MENU_NOTHING },
		{ "all alike", 100, 8, 0, 100 },
		{ "a deviation of 20 us", 100, 4, 140, 120 },
		/* 420 us^2 is too much, and a sixth of 120 is 20; without the longer ones: 100 */
		{ "more: the longer ones are left out", 100, 4, 141, 100 },
		{ "one long", 100, 7, 5000, 100 },
		{ "two long, six agree", 100, 6, 5000, 100 },
		/* mean 1000, deviation 100: a tenth */
		{ "a small part of the mean", 900, 4, 1100, 1000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_menu menu =
			menu_with(rows[i].first_us, rows[i].times, rows[i].then_us);

		CHECK_EQ(rows[i].want_us, policy_menu_typical(&sparing, &menu, 0), "%s",
			 rows[i].when);
	}
}

TEST(menu_finds_no_pattern_where_fewer_than_six_agree)
{
	struct policy_menu menu = menu_with(100, 4, 0);
	static const u32 spread_us[] = { 3000, 9000, 27000, 81000 };

	for (u32 i = 0; i < 4; i++)
		menu.interval_us[4 + i] = spread_us[i];
	CHECK_EQ(POLICY_MENU_NOTHING, policy_menu_typical(&sparing, &menu, 0));
}

TEST(menu_buckets_are_decades)
{
	static const struct {
		u64 ns;
		u32 bucket;
	} rows[] = { { 0, 0 },       { 9999, 0 },     { 10 * US, 1 },
		     { 99 * US, 1 }, { 100 * US, 2 }, { 1 * MS, 3 },
		     { 10 * MS, 4 }, { 100 * MS, 5 }, { 9000 * MS, 5 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].bucket, policy_menu_bucket(rows[i].ns), "%llu", rows[i].ns);
}

TEST(menu_chooses_a_state_and_whether_the_tick_stops)
{
	static const struct policy_idle_states far = {
		.nr = 3,
		.tick_ns = 4 * MS,
		.at = { { 1 * US, 1 * US }, { 1500 * US, 2 * MS }, { 1600 * US, 20 * MS } }
	};
	static const struct policy_idle_states quick = { .nr = 2,
							 .tick_ns = 4 * MS,
							 .at = { { 0, 0 }, { 1 * US, 2 * US } } };
	const u64 never = POLICY_IDLE_NEVER;
	const struct {
		const char *when;
		const struct policy_idle_states *states;
		u32 sleeps_us; /* all eight */
		struct policy_idle_entry entry;
		struct policy_idle_choice want;
	} rows[] = {
		{ "nothing is to come", &juno, 0, { never, 1 * MS, 0, false }, { 2, true } },
		{ "3 ms: the tick stays, and comes in 1",
		  &juno,
		  0,
		  { 3 * MS, 1 * MS, 0, false },
		  { 0, false } },
		{ "3 ms before the tick", &juno, 0, { 3 * MS, 3 * MS, 0, false }, { 2, false } },
		{ "3 ms without a tick", &juno, 0, { 3 * MS, 3 * MS, 0, true }, { 2, true } },
		{ "sooner than the first sleep pays",
		  &juno,
		  0,
		  { 1500 * US, 1 * MS, 0, false },
		  { 0, true } },
		{ "sleeps are 2.2 ms", &juno, 2200, { 10 * MS, 3 * MS, 0, false }, { 1, false } },
		{ "2.2 ms, but no tick would wake it",
		  &juno,
		  2200,
		  { 10 * MS, 10 * MS, 0, true },
		  { 2, true } },
		{ "sleeps are 5 us: timers are not read",
		  &pc,
		  5,
		  { 0, 0, 0, false },
		  { 1, false } },
		{ "1 us: polls", &pc, 1, { 0, 0, 0, false }, { 0, false } },
		{ "1 us, but out in 1 us: rather sleeps",
		  &quick,
		  1,
		  { 0, 0, 0, false },
		  { 1, false } },
		{ "a timer in 1 us: polls", &pc, 100, { 1 * US, 1 * US, 0, false }, { 0, false } },
		{ "10 ms are too short for 20: the tick watches",
		  &far,
		  0,
		  { 10 * MS, 3 * MS, 0, false },
		  { 1, false } },
		{ "and comes before 2", &far, 0, { 10 * MS, 1 * MS, 0, false }, { 0, false } },
		{ "the same without a tick", &far, 0, { 10 * MS, 10 * MS, 0, true }, { 1, true } },
		{ "5 ms, or stuck for 30", &far, 5000, { 30 * MS, 30 * MS, 0, true }, { 2, true } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_menu menu = menu_with(rows[i].sleeps_us, 8, 0);
		struct policy_idle_choice got =
			menu_choice(&sparing, &menu, rows[i].states, &rows[i].entry);

		CHECK_EQ(rows[i].want.state, got.state, "%s", rows[i].when);
		CHECK_EQ(rows[i].want.stop_tick, got.stop_tick, "%s", rows[i].when);
	}
}

/* 8192 - 1024 + 1024 * measured / promised */
TEST(menu_learns_how_early_timers_are_beaten)
{
	static const struct {
		const char *when;
		u64 timer_ns;
		struct policy_idle_sleep sleep;
		u32 factor, interval_us;
	} rows[] = {
		{ "half", 4 * MS, { 0, 2001 * US, false, false }, 7168 + 512, 2000 },
		{ "all of it", 4 * MS, { 0, 4001 * US, false, false }, 8192, 4000 },
		{ "the way out takes it all",
		  4 * MS,
		  { 1, 2 * MS, false, false },
		  7168 + 256,
		  1000 },
		{ "a tick: could have been long",
		  100 * MS,
		  { 0, 1 * MS, true, false },
		  7168 + 460,
		  45000 },
		{ "a tick, but a timer within one",
		  3 * MS,
		  { 0, 1501 * US, true, false },
		  7168 + 512,
		  1500 },
		{ "polled to the end", 4 * MS, { 0, 10 * US, false, true }, 8192, 4000 },
		{ "longer than is of interest",
		  80 * MS,
		  { 0, 60001 * US, false, false },
		  8192,
		  60000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_menu menu = menu_with(0, 8, 0);

		menu.next_timer_ns = rows[i].timer_ns;
		menu.bucket = 3;
		policy_menu_update(&menu, &juno, &rows[i].sleep);
		CHECK_EQ(rows[i].factor, menu.factor[3], "%s", rows[i].when);
		CHECK_EQ(rows[i].interval_us, menu.interval_us[0], "%s", rows[i].when);
		CHECK_EQ(1, menu.at, "%s", rows[i].when);
	}
}

TEST(what_stands_out_is_left_out_as_the_release_does)
{
	static const struct {
		const char *when;
		const struct policy_idle_rules *rules;
		u32 first_us, times, then_us, predicted_us, want_us;
	} rows[] = {
		{ "6.1: sleeps of 0 count", &first, 0, 8, 0, 4000, 0 },
		{ "6.1: not below what is expected anyway", &first, 100, 8, 0, 100,
		  POLICY_MENU_NOTHING },
		{ "6.1: below it", &first, 100, 8, 0, 101, 100 },
		/* mean 752, deviation 428: the long ones go, and two are enough that agree to 20 us */
		{ "6.12: two short ones", &sparing, 10, 2, 1000, 0, 10 },
		/* 10 is 742 away from the mean, 1000 only 248 */
		{ "7.3: two short ones", &ends, 10, 2, 1000, 0, 1000 },
		{ "7.3: two long ones", &ends, 100, 6, 5000, 0, 100 },
		{ "7.3: no sleep yet", &ends, 0, 8, 0, 0, POLICY_MENU_NOTHING },
		/* mean 120, variance 14940 - 14400; 100 is 20 away, 141 is 21 */
		{ "7.3: the one that is further away", &ends, 100, 4, 141, 0, 100 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_menu menu =
			menu_with(rows[i].first_us, rows[i].times, rows[i].then_us);

		CHECK_EQ(rows[i].want_us,
			 policy_menu_typical(rows[i].rules, &menu, rows[i].predicted_us), "%s",
			 rows[i].when);
	}
}

/* Six at least must be left: of 3 short, 3 long and two others none agree. */
TEST(of_two_ends_no_more_than_two_are_left_out)
{
	static const u32 us[] = { 10, 10, 10, 500, 1500, 9000, 9000, 9000 };
	struct policy_menu menu;

	policy_menu_init(&menu);
	for (u32 i = 0; i < ARRAY_SIZE(us); i++)
		menu.interval_us[i] = us[i];
	CHECK_EQ(POLICY_MENU_NOTHING, policy_menu_typical(&ends, &menu, 0));
}

TEST(menu_chooses_as_its_release_does)
{
	static const struct policy_idle_states slow = { .nr = 2,
							.tick_ns = 4 * MS,
							.at = { { 0, 0 }, { 2 * US, 20 * US } } };
	const u64 never = POLICY_IDLE_NEVER;
	const struct {
		const char *when;
		const struct policy_idle_rules *rules;
		const struct policy_idle_states *states;
		u32 sleeps_us; /* all eight */
		struct policy_idle_entry entry;
		struct policy_idle_choice want;
	} rows[] = {
		{ "6.1: no sleep yet",
		  &first,
		  &juno,
		  0,
		  { never, 1 * MS, 0, false },
		  { 0, false } },
		{ "6.1: 10 ms", &first, &juno, 10000, { never, 1 * MS, 0, false }, { 2, true } },
		{ "6.1: the timer counts though sleeps are short",
		  &first,
		  &pc,
		  5,
		  { 1 * US, 1 * US, 0, false },
		  { 0, false } },
		/* 10 ms / 11 is less than 1.5 ms to come out */
		{ "6.1: 10 ms and a device",
		  &first,
		  &juno,
		  10000,
		  { never, 1 * MS, 1, false },
		  { 0, true } },
		{ "6.1: 20 ms and a device",
		  &first,
		  &juno,
		  20000,
		  { never, 1 * MS, 1, false },
		  { 2, true } },
		/* 20 ms / 21 */
		{ "6.1: 20 ms and two",
		  &first,
		  &juno,
		  20000,
		  { never, 1 * MS, 2, false },
		  { 0, true } },
		{ "6.1: without a tick all do",
		  &first,
		  &juno,
		  10000,
		  { never, never, 1, true },
		  { 2, true } },
		{ "6.12: devices do not count",
		  &sparing,
		  &juno,
		  10000,
		  { never, 1 * MS, 2, false },
		  { 2, true } },
		{ "6.1: rather 20 us than polling",
		  &first,
		  &slow,
		  10,
		  { 100 * US, 100 * US, 0, false },
		  { 1, false } },
		{ "6.1: if it is out in time",
		  &first,
		  &slow,
		  1,
		  { 100 * US, 100 * US, 0, false },
		  { 0, false } },
		{ "6.12: 20 us are too long",
		  &sparing,
		  &slow,
		  10,
		  { 100 * US, 100 * US, 0, false },
		  { 0, false } },
		{ "6.12: 0.1 ms, or stuck for two ticks",
		  &sparing,
		  &juno,
		  100,
		  { 8 * MS, 8 * MS, 0, true },
		  { 2, true } },
		{ "7.3: two ticks are near",
		  &ends,
		  &juno,
		  100,
		  { 8 * MS, 8 * MS, 0, true },
		  { 0, true } },
		{ "7.3: more are not",
		  &ends,
		  &juno,
		  100,
		  { 8001 * US, 8001 * US, 0, true },
		  { 2, true } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_menu menu = menu_with(rows[i].sleeps_us, 8, 0);
		struct policy_idle_choice got =
			menu_choice(rows[i].rules, &menu, rows[i].states, &rows[i].entry);

		CHECK_EQ(rows[i].want.state, got.state, "%s", rows[i].when);
		CHECK_EQ(rows[i].want.stop_tick, got.stop_tick, "%s", rows[i].when);
	}
}

/* Of a timer 10 ms away: the fifth factor, and the eleventh while someone waits for a device. */
TEST(menu_of_6_1_learns_apart_for_waiters)
{
	const struct policy_idle_sleep half = { 0, 5001 * US, false, false };
	struct policy_idle_entry entry = { 10 * MS, 10 * MS, 1, false };
	struct policy_menu menu = menu_with(10000, 8, 0);

	menu_choice(&first, &menu, &juno, &entry);
	policy_menu_update(&menu, &juno, &half);
	CHECK_EQ(7168 + 512, menu.factor[10]);
	CHECK_EQ(POLICY_MENU_UNITY, menu.factor[4]);
	entry.nr_iowait = 0;
	menu_choice(&first, &menu, &juno, &entry);
	policy_menu_update(&menu, &juno, &half);
	CHECK_EQ(7168 + 512, menu.factor[4]);
}
