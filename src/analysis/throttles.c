/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/throttles.h"

/* More than any source numbers its cgroups with; ids beyond have no known parent. */
#define MAX_CGROUPS 65536

void throttles_event(struct throttles *throttles, const struct event *event)
{
	u64 key = (u64)event->cgroup.id << 32 | (u32)event->cpu;
	u32 id = event->cgroup.id;

	switch (event->cgroup.what) {
	case EVENT_CGROUP_CREATE:
		if (id >= MAX_CGROUPS)
			return;
		while (throttles->parents.nr <= id)
			vec_add(&throttles->parents);
		throttles->parents.at[id] = (u32)event->cgroup.value;
		break;
	case EVENT_CGROUP_THROTTLE:
		map_add(&throttles->off, key);
		break;
	case EVENT_CGROUP_UNTHROTTLE:
		map_remove(&throttles->off, key);
		break;
	}
}

bool throttles_on_slow(const struct throttles *throttles, u32 cgroup, s32 cpu)
{
	for (u32 depth = 0; cgroup && depth < 64; depth++) {
		if (map_find(&throttles->off, (u64)cgroup << 32 | (u32)cpu))
			return true;
		cgroup = cgroup < throttles->parents.nr ? throttles->parents.at[cgroup] : 0;
	}
	return false;
}

void throttles_fini(struct throttles *throttles)
{
	vec_free(&throttles->parents);
	map_fini(&throttles->off);
}
