/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/release.h"

#include <string.h>

/* One word holds every feature for now; the second word starts where this fails. */
_Static_assert(POLICY_NR_FEATURES <= 64, "a row of releases.def fills one word of features");

#define BIT(id)  (1ULL << POLICY_##id)
#define LOAD(id) (u32) POLICY_LOAD_##id

const struct policy_features policy_simulated = {
	{ BIT(PLACE_LAG) | BIT(PLACE_DEADLINE_INITIAL) | BIT(PLACE_REL_DEADLINE) |
	  BIT(RUN_TO_PARITY) | BIT(PREEMPT_SHORT) | BIT(NEXT_BUDDY) | BIT(PICK_BUDDY) |
	  BIT(DELAY_DEQUEUE) | BIT(DELAY_ZERO) | BIT(WAKEUP_PREEMPTION) | BIT(TTWU_QUEUE) |
	  BIT(GENTLE_FAIR_SLEEPERS) | BIT(START_DEBIT) | BIT(LAST_BUDDY) | BIT(ALT_PERIOD) |
	  BIT(BASE_SLICE) | BIT(HRTICK) | BIT(DOUBLE_TICK) }
};

const struct policy_release policy_releases[] = {
#define POLICY_RELEASE(name, package, queue, verified, base_slice_ns, rt_runtime_ns,     \
		       server_runtime_ns, stops, dl_limit_ns, throttle, load, known, on) \
	{ name,                                                                          \
	  package,                                                                       \
	  POLICY_QUEUE_##queue,                                                          \
	  verified,                                                                      \
	  base_slice_ns,                                                                 \
	  rt_runtime_ns,                                                                 \
	  server_runtime_ns,                                                             \
	  stops,                                                                         \
	  dl_limit_ns,                                                                   \
	  POLICY_THROTTLE_##throttle,                                                    \
	  load,                                                                          \
	  { { known } },                                                                 \
	  { { on } } },
#include "policy/releases.def"
};

const u32 policy_nr_releases = sizeof(policy_releases) / sizeof(policy_releases[0]);

const struct policy_release *policy_release_find(const char *name)
{
	for (u32 i = 0; i < policy_nr_releases; i++)
		if (!strcmp(policy_releases[i].name, name))
			return &policy_releases[i];
	return NULL;
}
