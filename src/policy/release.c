/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/release.h"

#include <string.h>

/* One word holds every feature for now; the second word starts where this fails. */
_Static_assert(POLICY_NR_FEATURES <= 64, "a row of releases.def fills one word of features");

#define BIT(id)  (1ULL << POLICY_##id)
#define LOAD(id) (u32) POLICY_LOAD_##id

const struct policy_features policy_simulated = {
	{ BIT(PREEMPT_SHORT_RFC) | BIT(CUSTOM_SLICE) | BIT(PLACE_LAG) |
	  BIT(PLACE_DEADLINE_INITIAL) | BIT(PLACE_REL_DEADLINE) | BIT(RUN_TO_PARITY) |
	  BIT(PREEMPT_SHORT) | BIT(NEXT_BUDDY) | BIT(PICK_BUDDY) | BIT(DELAY_DEQUEUE) |
	  BIT(DELAY_ZERO) | BIT(WAKEUP_PREEMPTION) | BIT(TTWU_QUEUE) | BIT(GENTLE_FAIR_SLEEPERS) |
	  BIT(START_DEBIT) | BIT(LAST_BUDDY) | BIT(ALT_PERIOD) | BIT(BASE_SLICE) | BIT(HRTICK) |
	  BIT(HRTICK_DL) | BIT(RT_PUSH_IPI) | BIT(RT_RUNTIME_SHARE) | BIT(IRQ_TIME_ACCOUNTING) |
	  BIT(DOUBLE_TICK) | BIT(CACHE_HOT_BUDDY) | BIT(NI_RANDOM) | BIT(NI_RATE) | BIT(LB_MIN) |
	  BIT(ATTACH_AGE_LOAD) | BIT(UTIL_EST) | BIT(UTIL_EST_FASTUP) | BIT(SIS_UTIL) |
	  BIT(SIS_PROP) | BIT(WA_IDLE) | BIT(WA_WEIGHT) | BIT(WA_BIAS) | BIT(GROUP_IMBALANCE) |
	  BIT(GROUP_CONSTRUCTION) | BIT(WAKE_ANYWHERE) | BIT(MISSING_DOMAINS) | BIT(SCHED_CACHE) |
	  BIT(PELT_CONTRIB) | BIT(MISFIT_KICK) | BIT(LB_PROMOTE) | BIT(GROUP_IDENTITY) |
	  BIT(ID_LAST_HIGHCLASS_STAY) | BIT(ID_EXPELLEE_NEVER_HOT) }
};

const struct policy_release policy_releases[] = {
#define POLICY_RELEASE(name, package, queue, verified, known, on, ...)        \
	{ name,          package,    POLICY_QUEUE_##queue, POLICY_##verified, \
	  { { known } }, { { on } }, __VA_ARGS__ },
#include "policy/releases.def"
};

/* By feature: bits of the queue kinds it works in; 0: it is a kernel's. */
static const u32 laboratory[POLICY_NR_FEATURES] = {
#define POLICY_FEATURE(id, what)
#define POLICY_LABORATORY(id, queues, what) [POLICY_##id] = (queues),
#define IN(queue)                           (1U << POLICY_QUEUE_##queue)
#include "policy/features.def"
#undef IN
};

const u32 policy_nr_releases = sizeof(policy_releases) / sizeof(policy_releases[0]);

const struct policy_release *policy_release_find(const char *name)
{
	for (u32 i = 0; i < policy_nr_releases; i++)
		if (!strcmp(policy_releases[i].name, name))
			return &policy_releases[i];
	return NULL;
}

bool policy_laboratory(enum policy_feature feature)
{
	return laboratory[feature];
}

bool policy_knows(const struct policy_release *release, enum policy_feature feature)
{
	return policy_feature(&release->known, feature) ||
	       laboratory[feature] >> release->queue & 1;
}
