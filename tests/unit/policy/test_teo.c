/* SPDX-License-Identifier: GPL-2.0-only */
/* teo; values worked out by hand after drivers/cpuidle/governors of v6.1, v6.12, v7.3. */
#include "policy/teo.h"
#include "test.h"
#include "idle_states.h"

static struct policy_idle_choice teo_choice(struct policy_teo *teo,
					    const struct policy_idle_states *states,
					    const struct policy_idle_entry *entry)
{
	struct policy_idle_choice choice;

	policy_teo_select(teo, states, entry, &choice);
	return choice;
}

static struct policy_idle_choice teo_sleep(struct policy_teo *teo, u64 timer_ns, u64 residency_ns)
{
	const struct policy_idle_entry entry = { timer_ns, timer_ns, 0, false };
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
	struct policy_teo teo = { .bins = { { .hits = 76 }, { 0 }, { .intercepts = 1024 } },
				  .total = 1100 };
	const struct policy_idle_entry entry = { 10 * MS, 3 * MS, 0, false };
	struct policy_idle_choice choice = teo_choice(&teo, &juno, &entry);

	CHECK_EQ(2, choice.state);
	CHECK(!choice.stop_tick);
	teo.total = 1700; /* less than five eighths */
	CHECK(teo_choice(&teo, &juno, &entry).stop_tick);
}

TEST(teo_with_the_tick_stopped_takes_no_state_that_a_tick_is_too_long_for)
{
	struct policy_teo teo = { .bins = { { .intercepts = 1024 } }, .total = 1024 };
	struct policy_idle_entry entry = { 10 * MS, 10 * MS, 0, false };

	CHECK_EQ(0, teo_choice(&teo, &juno, &entry).state);
	entry.tick_stopped = true;
	CHECK_EQ(2, teo_choice(&teo, &juno, &entry).state);
}
