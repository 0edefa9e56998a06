/* SPDX-License-Identifier: GPL-2.0-only */
/* What governors share; values worked out by hand after drivers/cpuidle/governors of v6.1, v6.12, v7.3. */
#include "policy/idle.h"
#include "test.h"
#include "idle_states.h"

/* Polling, C1, C6. */
static const struct policy_idle_states pc = {
	.nr = 3,
	.tick_ns = 4 * MS,
	.at = { { 0, 0 }, { 2 * US, 2 * US }, { 133 * US, 400 * US } },
};

/* A tick of 4 ms. */
TEST(the_tick_may_stop_for_a_sleep_that_is_longer)
{
	static const struct {
		const char *when;
		u32 state;
		bool tick_stopped;
		u64 idle_ns, event_ns;
		struct policy_idle_choice want;
	} rows[] = {
		{ "a tick is not longer than itself", 2, false, 4 * MS, 1 * MS, { 2, true } },
		{ "shorter: no deeper than the tick", 2, false, 3999 * US, 1 * MS, { 0, false } },
		{ "which may be far enough", 2, false, 3999 * US, 2200 * US, { 1, false } },
		{ "stopped it stays so", 2, true, 100 * US, 100 * US, { 2, true } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_idle_choice got = { .state = rows[i].state };
		const struct policy_idle_entry entry = { .tick_stopped = rows[i].tick_stopped };

		policy_idle_conclude(&juno, &entry, rows[i].idle_ns, rows[i].event_ns, &got);
		CHECK_EQ(rows[i].want.state, got.state, "%s", rows[i].when);
		CHECK_EQ(rows[i].want.stop_tick, got.stop_tick, "%s", rows[i].when);
	}
}

TEST(who_polls_keeps_the_tick)
{
	const struct policy_idle_entry entry = { .tick_stopped = false };
	struct policy_idle_choice got = { .state = 0 };

	policy_idle_conclude(&pc, &entry, 100 * MS, 100 * MS, &got);
	CHECK(!got.stop_tick);
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
