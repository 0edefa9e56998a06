/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/release.h"

const struct policy_select_rules policy_select_rules[POLICY_NR_BALANCERS] = {
	[POLICY_BALANCER_PLAIN] = { 0 },
	[POLICY_BALANCER_SMT] = { .clusters = true, .delayed_sleep = true },
	[POLICY_BALANCER_CACHE] = { .clusters = true,
				    .delayed_sleep = true,
				    .idle_for_others = true,
				    .big_cores_first = true,
				    .runnable_only = true },
};
