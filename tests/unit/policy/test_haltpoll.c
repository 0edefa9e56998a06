/* SPDX-License-Identifier: GPL-2.0-only */
/* haltpoll; values worked out by hand after drivers/cpuidle/governors of v6.1, v6.12, v7.3. */
#include "policy/haltpoll.h"
#include "test.h"

#define US 1000ULL
#define MS 1000000ULL

static struct policy_idle_choice haltpoll_choice(const struct policy_haltpoll *haltpoll)
{
	struct policy_idle_choice choice;

	policy_haltpoll_select(haltpoll, &choice);
	return choice;
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
	const struct policy_idle_rules rules = { 0 };
	struct policy_haltpoll haltpoll = { 0 };

	CHECK_EQ(1, haltpoll_choice(&haltpoll).state);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_idle_choice choice;

		policy_haltpoll_update(&rules, &haltpoll, &rows[i].sleep);
		choice = haltpoll_choice(&haltpoll);
		CHECK_EQ(rows[i].poll_ns, haltpoll.poll_ns, "row %zu", i);
		CHECK_EQ(rows[i].state, choice.state, "row %zu", i);
		CHECK_EQ(rows[i].state, choice.stop_tick, "row %zu", i);
	}
}

/* 50 us: 6.1 halves it, 6.12 gives up. */
TEST(the_window_of_6_1_shrinks_below_the_first_one)
{
	static const u64 halves_ns[] = { 50 * US, 25 * US, 12500, 6250 };
	const struct policy_idle_rules rules = { .halves_on = true };
	const struct policy_idle_sleep brief = { 1, 10 * US, false, false },
				       lasting = { 1, 4 * MS, false, false };
	struct policy_haltpoll haltpoll = { 0 };

	policy_haltpoll_update(&rules, &haltpoll, &brief);
	for (size_t i = 0; i < ARRAY_SIZE(halves_ns); i++) {
		CHECK_EQ(halves_ns[i], haltpoll.poll_ns, "%zu", i);
		CHECK_EQ(0, haltpoll_choice(&haltpoll).state, "%zu", i);
		policy_haltpoll_update(&rules, &haltpoll, &lasting);
	}
}
