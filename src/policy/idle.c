/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/release.h"

const struct policy_idle_rules policy_idle_rules[POLICY_NR_GOVERNORS] = {
	[POLICY_GOVERNORS_TIMER] = { .timer_first = true, .halves_on = true },
	[POLICY_GOVERNORS_SPARING] = { 0 },
	[POLICY_GOVERNORS_TICK] = { .both_ends = true, .near_timer = true },
};
