/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/release.h"

const struct policy_balance_rules policy_balance_rules[POLICY_NR_BALANCERS] = {
	[POLICY_BALANCER_PLAIN] = {
		.pack_smt_counts = true,
		.delayed_count = true,
		.newidle_runnable = true,
		.idle_by_wakeup = true,
	},
	[POLICY_BALANCER_SMT] = {
		.smt_aware = true,
		.delayed_count = true,
		.delayed_move = true,
		.siblings_of_busiest = true,
		.misfit_quiet = true,
		.idle_by_wakeup = true,
	},
	[POLICY_BALANCER_CACHE] = {
		.smt_aware = true,
		.ineligible_stay = true,
		.misfit_helps = true,
		.eas_overloaded = true,
		.siblings_of_busiest = true,
		.siblings_in_asym = true,
		.misfit_quiet = true,
		.sure_without_dice = true,
		.kick_when_due = true,
		.ilb_full_core = true,
	},
};
