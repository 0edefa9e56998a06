/* SPDX-License-Identifier: GPL-2.0-only */
/* teo of 6.1; values worked out by hand after drivers/cpuidle/governors/teo.c. */
#include "policy/teo_recent.h"
#include "test.h"
#include "idle_states.h"

static const struct policy_idle_entry far = { 10 * MS, 3 * MS, 0, false };

static struct policy_idle_choice choice(struct policy_teo *teo,
					const struct policy_idle_entry *entry)
{
	struct policy_idle_choice out;

	policy_teo_recent_select(teo, &juno, entry, &out);
	return out;
}

static void sleeps(struct policy_teo *teo, u32 state, u64 residency_ns)
{
	const struct policy_idle_sleep sleep = { state, residency_ns, false, false };

	policy_teo_recent_update(teo, &juno, &sleep);
}

/* 100 us, 1.6 ms of which were to be the way out: 50; state 0 lasts (1 us + 2 ms) / 2. */
TEST(an_early_wakeup_makes_the_next_sleep_shallow)
{
	struct policy_teo teo = { 0 };
	struct policy_idle_choice got = choice(&teo, &far);

	CHECK_EQ(2, got.state);
	CHECK(got.stop_tick);
	sleeps(&teo, 2, 100 * US);
	CHECK_EQ(1024, teo.bins[0].intercepts);
	CHECK_EQ(1, teo.bins[0].recent);
	got = choice(&teo, &far);
	CHECK_EQ(0, got.state);
	CHECK(!got.stop_tick);
}

TEST(the_next_timer_is_always_known)
{
	struct policy_teo teo = { .bins = { { .intercepts = 1024 } }, .total = 1024 };
	const struct policy_idle_entry soon = { 1500 * US, 1 * MS, 0, false };

	CHECK_EQ(0, choice(&teo, &soon).state);
	CHECK_EQ(1500 * US, teo.sleep_length_ns);
	CHECK_EQ(0, choice(&teo, &far).state);
	CHECK_EQ(10 * MS, teo.sleep_length_ns);
}

TEST(five_of_the_last_nine_count_against_all_before)
{
	struct policy_teo teo = {
		.bins = { { .intercepts = 100, .recent = 4 }, { 0 }, { .hits = 4000 } },
		.total = 4100
	};
	struct policy_idle_entry stopped = { 10 * MS, 10 * MS, 0, true };

	CHECK_EQ(2, choice(&teo, &far).state);
	teo.bins[0].recent = 5;
	CHECK_EQ(0, choice(&teo, &far).state);
	CHECK_EQ(2, choice(&teo, &stopped).state); /* 2.25 ms and 1 are less than a tick */
}

/* Both counts ask: 3 of 5 recent ones were in bin 1, but 600 of 1000 in bin 0. */
TEST(a_state_must_suit_the_recent_and_all)
{
	struct policy_teo teo = { .bins = { { .intercepts = 600, .recent = 2 },
					    { .intercepts = 400, .recent = 3 } },
				  .total = 1000 };

	CHECK_EQ(0, choice(&teo, &far).state);
	teo.bins[0].intercepts = 400;
	teo.bins[1].intercepts = 600;
	CHECK_EQ(1, choice(&teo, &far).state);
}

TEST(an_intercept_is_recent_for_nine_sleeps)
{
	struct policy_teo teo = { .sleep_length_ns = 10 * MS };

	sleeps(&teo, 2, 100 * US);
	teo.sleep_length_ns = 2200 * US;
	for (u32 i = 0; i < 8; i++)
		sleeps(&teo, 1, 2200 * US);
	CHECK_EQ(1, teo.bins[0].recent);
	sleeps(&teo, 1, 2200 * US);
	CHECK_EQ(0, teo.bins[0].recent);
}

/* A tick without which it would have gone on counts as if it had. */
TEST(a_safety_net_counts_as_the_timer)
{
	const struct policy_idle_sleep tick = { 0, 1 * MS, true, false },
				       polled = { 0, 1 * US, false, true };
	struct policy_teo teo = { .sleep_length_ns = 10 * MS };

	policy_teo_recent_update(&teo, &juno, &tick);
	CHECK_EQ(1024, teo.bins[2].hits);
	policy_teo_recent_update(&teo, &juno, &polled);
	CHECK_EQ(1024 - 128 + 1024, teo.bins[2].hits);
}
