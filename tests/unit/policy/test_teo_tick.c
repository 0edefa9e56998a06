/* SPDX-License-Identifier: GPL-2.0-only */
/* teo of 7.3; values worked out by hand after drivers/cpuidle/governors/teo.c. */
#include "policy/teo_tick.h"
#include "test.h"
#include "idle_states.h"

/* Polling, C1, C1E, C6. */
static const struct policy_idle_states pc = {
	.nr = 4,
	.tick_ns = 4 * MS,
	.at = { { 0, 0 }, { 2 * US, 2 * US }, { 10 * US, 20 * US }, { 133 * US, 400 * US } },
};

static const struct policy_idle_entry far = { 10 * MS, 3 * MS, 0, false };

static struct policy_idle_choice choice(struct policy_teo *teo,
					const struct policy_idle_states *states,
					const struct policy_idle_entry *entry)
{
	struct policy_idle_choice out;

	policy_teo_tick_select(teo, states, entry, &out);
	return out;
}

/* No sleep is known: two thirds of none end before a tick. */
TEST(the_first_sleep_is_deep_and_keeps_the_tick)
{
	struct policy_teo teo = { 0 };
	struct policy_idle_choice got = choice(&teo, &juno, &far);

	CHECK_EQ(2, got.state);
	CHECK(!got.stop_tick);
	CHECK_EQ(10 * MS, teo.sleep_length_ns);
}

TEST(two_thirds_of_sleeps_ending_before_a_tick_keep_it)
{
	struct policy_teo teo = { .bins = { { 0 }, { 0 }, { .hits = 3072 } },
				  .total = 3072,
				  .tick_intercepts = 2048 };

	CHECK(!choice(&teo, &juno, &far).stop_tick);
	teo.tick_intercepts--;
	CHECK(choice(&teo, &juno, &far).stop_tick);
}

TEST(a_sleep_is_a_hit_or_an_intercept)
{
	static const struct {
		const char *when;
		u64 timer_ns;
		struct policy_idle_sleep sleep;
		u32 bin;
		bool hit, before_tick;
	} rows[] = {
		/* 800 us of the way out are taken off, and 799 are missing */
		{ "past its timer", 10 * MS, { 2, 10001 * US, false, false }, 2, true, false },
		{ "at its timer", 10 * MS, { 2, 10000 * US, false, false }, 2, false, false },
		{ "before a tick", 10 * MS, { 2, 3400 * US, false, false }, 2, false, true },
		{ "early", 10 * MS, { 2, 2500 * US, false, false }, 0, false, true },
		{ "not even there", 10 * MS, { 2, 1 * MS, false, false }, 0, false, true },
		{ "polled to the end", 10 * MS, { 0, 1 * US, false, true }, 2, true, false },
		{ "the same, the timer not known",
		  POLICY_TEO_UNKNOWN,
		  { 2, 1 * US, false, true },
		  2,
		  true,
		  false },
		{ "late, the timer not known",
		  POLICY_TEO_UNKNOWN,
		  { 2, 100 * MS, false, false },
		  2,
		  false,
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_teo teo = { .sleep_length_ns = rows[i].timer_ns };

		policy_teo_tick_update(&teo, &juno, &rows[i].sleep);
		CHECK_EQ(1024, teo.total, "%s", rows[i].when);
		CHECK_EQ(rows[i].hit ? 1024 : 0, teo.bins[rows[i].bin].hits, "%s", rows[i].when);
		CHECK_EQ(rows[i].hit ? 0 : 1024, teo.bins[rows[i].bin].intercepts, "%s",
			 rows[i].when);
		CHECK_EQ(rows[i].before_tick ? 1024 : 0, teo.tick_intercepts, "%s", rows[i].when);
	}
}

/* All but the last: 7000 of before, of which 8000 were. */
TEST(what_a_tick_ends)
{
	static const struct {
		const char *when;
		u32 hits, tick_intercepts;          /* before */
		u32 deepest, by_timer, first_early; /* after */
	} rows[] = {
		/* 3 * 1024 > 2 * 1024 */
		{ "ticks end most sleeps", 0, 0, 1024, 0, 0 },
		/* 3 * 1024 < 2 * 8024, and little came early */
		{ "in time", 8000, 0, 0, 1024, 0 },
		/* 3 * 4667 < 2 * 7000 is not so */
		{ "others end them early", 8000, 5333, 0, 0, 1024 },
		{ "hardly", 8000, 5332, 0, 1024, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct policy_idle_sleep sleep = { 0, 1 * MS, true, false };
		struct policy_teo teo = { .sleep_length_ns = 2200 * US,
					  .bins = { { .hits = rows[i].hits } },
					  .tick_intercepts = rows[i].tick_intercepts };

		policy_teo_tick_update(&teo, &juno, &sleep);
		CHECK_EQ(1024, teo.ticks, "%s", rows[i].when);
		CHECK_EQ(rows[i].deepest, teo.bins[2].hits, "%s", rows[i].when);
		CHECK_EQ(rows[i].by_timer, teo.bins[1].hits, "%s", rows[i].when);
		CHECK_EQ(rows[i].first_early, teo.bins[0].intercepts, "%s", rows[i].when);
	}
}

/* Less than 15 us without half of the way out, or not even there. */
TEST(short_sleeps_are_counted)
{
	static const struct {
		struct policy_idle_sleep sleep;
		u32 then;
	} rows[] = {
		{ { 1, 12 * US, false, false }, 1024 },
		{ { 1, 16 * US, false, false }, 896 }, /* 15 are not */
		{ { 3, 100 * US, false, false }, 784 + 1024 },
		{ { 0, 1 * US, false, true }, 1808 - 226 },
	};
	struct policy_teo teo = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		policy_teo_tick_update(&teo, &pc, &rows[i].sleep);
		CHECK_EQ(rows[i].then, teo.short_sleeps, "row %zu", i);
	}
}

TEST(timers_are_not_read_if_half_of_the_sleeps_are_short)
{
	struct policy_teo teo = { .bins = { { 0 }, { .intercepts = 1024 } },
				  .total = 1024,
				  .short_sleeps = 512 };
	struct policy_idle_choice got = choice(&teo, &pc, &far);

	CHECK_EQ(1, got.state);
	CHECK(!got.stop_tick);
	CHECK_EQ(POLICY_TEO_UNKNOWN, teo.sleep_length_ns);
	teo.short_sleeps--;
	got = choice(&teo, &pc, &far);
	CHECK_EQ(1, got.state);
	CHECK(got.stop_tick);
	CHECK_EQ(10 * MS, teo.sleep_length_ns);
}

/* From the deepest: 300, 600 of 1100, but most are in the first bin. */
TEST(no_state_is_deeper_than_where_most_end)
{
	struct policy_teo teo = {
		.bins = { { .intercepts = 500 }, { .intercepts = 300 }, { .intercepts = 300 } },
		.total = 1100
	};

	CHECK_EQ(0, policy_teo_tick_candidate(&teo, &pc));
	teo.bins[1].intercepts = 500; /* the deeper of two equals */
	CHECK_EQ(1, policy_teo_tick_candidate(&teo, &pc));
}

TEST(without_a_tick_it_goes_deeper_unless_a_timer_is_near)
{
	struct policy_teo teo = { .bins = { { .intercepts = 1024 } }, .total = 1024 };
	struct policy_idle_entry entry = { 8001 * US, 8001 * US, 0, true };

	CHECK_EQ(2, choice(&teo, &juno, &entry).state);
	entry.timer_ns = entry.event_ns = 8 * MS;
	CHECK_EQ(0, choice(&teo, &juno, &entry).state);
}

TEST(a_metric_below_eight_is_gone)
{
	u32 metric = 8;

	policy_teo_decay(&metric, true);
	CHECK_EQ(7, metric);
	policy_teo_decay(&metric, true);
	CHECK_EQ(0, metric);
	metric = 7;
	policy_teo_decay(&metric, false);
	CHECK_EQ(7, metric);
}
