/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * throttles - which cgroups are throttled on which CPUs, as far as the stream tells.
 *
 * While a group is throttled its threads do not wait for a CPU: they could not use one.
 */
#ifndef ANALYSIS_THROTTLES_H
#define ANALYSIS_THROTTLES_H

#include "base/apart.h"
#include "base/map.h"
#include "base/vec.h"
#include "events/event.h"

struct throttles {
	VEC(u32) parents; /* of cgroups, by id; 0: the root */
	struct map off;   /* cgroup id << 32 | cpu */
};

APART bool throttles_on_slow(const struct throttles *throttles, u32 cgroup, s32 cpu);
/* @event is an EVENT_CGROUP. */
void throttles_event(struct throttles *throttles, const struct event *event);
/* Is any group from @cgroup up throttled on @cpu? */
static inline bool throttles_on(const struct throttles *throttles, u32 cgroup, s32 cpu)
{
	return throttles->off.nr && throttles_on_slow(throttles, cgroup, cpu);
}
void throttles_fini(struct throttles *throttles);

#endif
