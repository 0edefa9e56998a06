/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of governors share: units, and idle states that are real. */
#ifndef TESTS_IDLE_STATES_H
#define TESTS_IDLE_STATES_H

#include "policy/idle.h"

#define US 1000ULL
#define MS 1000000ULL

/* A plain wait, and Juno's two sleeps. */
static const struct policy_idle_states juno = {
	.nr = 3,
	.tick_ns = 4 * MS,
	.at = { { 1 * US, 1 * US }, { 1500 * US, 2000 * US }, { 1600 * US, 2500 * US } },
};

#endif
