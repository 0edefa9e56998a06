/* SPDX-License-Identifier: GPL-2.0-only */
/* Idle governors; values worked out by hand after drivers/cpuidle/governors of v6.12. */
#include "policy/idle.h"
#include "test.h"

#define US 1000ULL
#define MS 1000000ULL

/* A plain wait, and Juno's two sleeps. */
static const struct policy_idle_states juno = {
	.nr = 3,
	.tick_ns = 4 * MS,
	.at = { { 1 * US, 1 * US }, { 1500 * US, 2000 * US }, { 1600 * US, 2500 * US } },
};

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

static struct policy_idle_choice menu_choice(struct policy_menu *menu,
					     const struct policy_idle_states *states,
					     const struct policy_idle_entry *entry)
{
	struct policy_idle_choice choice;

	policy_menu_select(menu, states, entry, &choice);
	return choice;
}

static struct policy_idle_choice teo_choice(struct policy_teo *teo,
					    const struct policy_idle_states *states,
					    const struct policy_idle_entry *entry)
{
	struct policy_idle_choice choice;

	policy_teo_select(teo, states, entry, &choice);
	return choice;
}

static struct policy_idle_choice haltpoll_choice(const struct policy_haltpoll *haltpoll)
{
	struct policy_idle_choice choice;

	policy_haltpoll_select(haltpoll, &choice);
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

		CHECK_EQ(rows[i].want_us, policy_menu_typical(&menu), "%s", rows[i].when);
	}
}

TEST(menu_finds_no_pattern_where_fewer_than_six_agree)
{
	struct policy_menu menu = menu_with(100, 4, 0);
	static const u32 spread_us[] = { 3000, 9000, 27000, 81000 };

	for (u32 i = 0; i < 4; i++)
		menu.interval_us[4 + i] = spread_us[i];
	CHECK_EQ(POLICY_MENU_NOTHING, policy_menu_typical(&menu));
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
		{ "nothing is to come", &juno, 0, { never, 1 * MS, false }, { 2, true } },
		{ "3 ms: the tick stays, and comes in 1",
		  &juno,
		  0,
		  { 3 * MS, 1 * MS, false },
		  { 0, false } },
		{ "3 ms before the tick", &juno, 0, { 3 * MS, 3 * MS, false }, { 2, false } },
		{ "3 ms without a tick", &juno, 0, { 3 * MS, 3 * MS, true }, { 2, true } },
		{ "sooner than the first sleep pays",
		  &juno,
		  0,
		  { 1500 * US, 1 * MS, false },
		  { 0, true } },
		{ "sleeps are 2.2 ms", &juno, 2200, { 10 * MS, 3 * MS, false }, { 1, false } },
		{ "2.2 ms, but no tick would wake it",
		  &juno,
		  2200,
		  { 10 * MS, 10 * MS, true },
		  { 2, true } },
		{ "sleeps are 5 us: timers are not read", &pc, 5, { 0, 0, false }, { 1, false } },
		{ "1 us: polls", &pc, 1, { 0, 0, false }, { 0, false } },
		{ "1 us, but out in 1 us: rather sleeps",
		  &quick,
		  1,
		  { 0, 0, false },
		  { 1, false } },
		{ "a timer in 1 us: polls", &pc, 100, { 1 * US, 1 * US, false }, { 0, false } },
		{ "10 ms are too short for 20: the tick watches",
		  &far,
		  0,
		  { 10 * MS, 3 * MS, false },
		  { 1, false } },
		{ "and comes before 2", &far, 0, { 10 * MS, 1 * MS, false }, { 0, false } },
		{ "the same without a tick", &far, 0, { 10 * MS, 10 * MS, true }, { 1, true } },
		{ "5 ms, or stuck for 30", &far, 5000, { 30 * MS, 30 * MS, true }, { 2, true } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_menu menu = menu_with(rows[i].sleeps_us, 8, 0);
		struct policy_idle_choice got = menu_choice(&menu, rows[i].states, &rows[i].entry);

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

static struct policy_idle_choice teo_sleep(struct policy_teo *teo, u64 timer_ns, u64 residency_ns)
{
	const struct policy_idle_entry entry = { timer_ns, timer_ns, false };
	struct policy_idle_choice choice = teo_choice(teo, &juno, &entry);
	const struct policy_idle_sleep sleep = { choice.state, residency_ns, false, false };

	policy_teo_update(teo, &juno, &sleep);
	return choice;
}

TEST(teo_trusts_timers_until_it_is_woken_early)
{
	struct policy_teo teo = { 0 };
	struct policy_idle_choice choice = teo_sleep(&teo, 10 * MS, 100 * US);

	CHECK_EQ(2, choice.state);
	CHECK(choice.stop_tick);
	/* 100 us less than the way out: half of it is counted, an intercept of state 0 */
	CHECK_EQ(1024, teo.bins[0].intercepts);
	CHECK_EQ(1024, teo.total);
	choice = teo_sleep(&teo, 10 * MS, 100 * US);
	CHECK_EQ(0, choice.state);
	CHECK(!choice.stop_tick);
	CHECK_EQ(1024 - 128 + 1024, teo.bins[0].intercepts);
}

TEST(teo_counts_what_the_timer_ends_as_hits)
{
	struct policy_teo teo = { 0 };
	struct policy_idle_choice choice = teo_sleep(&teo, 2200 * US, 2200 * US);

	CHECK_EQ(1, choice.state); /* 2.5 ms would be too long */
	CHECK(!choice.stop_tick);
	CHECK_EQ(1024, teo.bins[1].hits);
	teo_sleep(&teo, 10 * MS, 10 * MS); /* longer than a tick: a bin of its own */
	CHECK_EQ(1024, teo.tick_hits);
	CHECK_EQ(1024 - 128, teo.bins[1].hits);
	CHECK_EQ(1024 - 128 + 1024, teo.total);
}

TEST(teo_keeps_the_tick_if_most_sleeps_end_before_it)
{
	/* intercepts of the deepest: 1024 of 1100, more than five eighths */
	struct policy_teo teo = { .bins = { { 0, 76 }, { 0, 0 }, { 1024, 0 } }, .total = 1100 };
	const struct policy_idle_entry entry = { 10 * MS, 3 * MS, false };
	struct policy_idle_choice choice = teo_choice(&teo, &juno, &entry);

	CHECK_EQ(2, choice.state);
	CHECK(!choice.stop_tick);
	teo.total = 1700; /* less than five eighths */
	CHECK(teo_choice(&teo, &juno, &entry).stop_tick);
}

TEST(teo_with_the_tick_stopped_takes_no_state_that_a_tick_is_too_long_for)
{
	struct policy_teo teo = { .bins = { { 1024, 0 } }, .total = 1024 };
	struct policy_idle_entry entry = { 10 * MS, 10 * MS, false };

	CHECK_EQ(0, teo_choice(&teo, &juno, &entry).state);
	entry.tick_stopped = true;
	CHECK_EQ(2, teo_choice(&teo, &juno, &entry).state);
}

TEST(haltpoll_polls_longer_while_halts_are_short)
{
	static const struct {
		struct policy_idle_sleep sleep;
		u64 poll_ns;
		u32 state; /* then */
	} rows[] = {
		{ { 1, 100 * US, false, false }, 50 * US, 0 },
		{ { 0, 20 * US, false, false }, 50 * US, 0 }, /* an event while it polled */
		{ { 0, 50 * US, false, true }, 50 * US, 1 },  /* none: halts */
		{ { 1, 150 * US, false, false }, 100 * US, 0 },
		{ { 1, 200 * US, false, false }, 200 * US, 0 },
		{ { 1, 190 * US, false, false }, 200 * US, 0 }, /* polling would not have helped */
		{ { 1, 201 * US, false, false }, 100 * US, 0 },
		{ { 1, 4 * MS, false, false }, 50 * US, 0 },
		{ { 1, 4 * MS, false, false }, 0, 1 }, /* below 50 us is none */
	};
	struct policy_haltpoll haltpoll = { 0 };

	CHECK_EQ(1, haltpoll_choice(&haltpoll).state);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_idle_choice choice;

		policy_haltpoll_update(&haltpoll, &rows[i].sleep);
		choice = haltpoll_choice(&haltpoll);
		CHECK_EQ(rows[i].poll_ns, haltpoll.poll_ns, "row %zu", i);
		CHECK_EQ(rows[i].state, choice.state, "row %zu", i);
		CHECK_EQ(rows[i].state, choice.stop_tick, "row %zu", i);
	}
}

TEST(a_polling_state_polls_as_long_as_the_next_one_wants)
{
	static const struct policy_idle_states with_c1e = {
		.nr = 4,
		.tick_ns = 4 * MS,
		.at = { { 0, 0 }, { 2 * US, 2 * US }, { 10 * US, 20 * US }, { 133 * US, 400 * US } }
	};

	CHECK_EQ(250 * US, policy_idle_poll_ns(&pc)); /* 400 us, but a 16th of the tick */
	CHECK_EQ(20 * US, policy_idle_poll_ns(&with_c1e));
}
