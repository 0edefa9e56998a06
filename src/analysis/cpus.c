/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/cpus.h"

#include <stdlib.h>

#include "base/apart.h"

/* false: there cannot be such a CPU. */
static APART bool add_rows(struct cpus *cpus, s32 cpu)
{
	while ((u32)cpu < TRACK_MAX_CPUS && cpus->rows.nr <= (u32)cpu)
		vec_add(&cpus->rows);
	return (u32)cpu < TRACK_MAX_CPUS;
}

/* NULL: there cannot be such a CPU. */
static inline struct cpus_row *row_of(struct cpus *cpus, s32 cpu)
{
	if ((u32)cpu >= cpus->rows.nr && !add_rows(cpus, cpu))
		return NULL;
	return &cpus->rows.at[cpu];
}

static bool known(enum track_trust trust)
{
	return trust == TRACK_EXACT || trust == TRACK_UNFINISHED;
}

void cpus_run(struct cpus *cpus, const struct track_run *run)
{
	if (known(run->trust))
		row_of(cpus, run->cpu)->busy_ns +=
			filter_clip(cpus->filter, run->start_ns, run->end_ns);
}

void cpus_idle(struct cpus *cpus, const struct track_idle *idle)
{
	if (known(idle->trust))
		row_of(cpus, idle->cpu)->idle_ns +=
			filter_clip(cpus->filter, idle->start_ns, idle->end_ns);
}

/* NULL: not of the window. */
static inline struct cpus_row *row_now(struct cpus *cpus, const struct event *event)
{
	return filter_keeps_time(cpus->filter, event->time_ns) ? row_of(cpus, event->cpu) : NULL;
}

void cpus_switch(struct cpus *cpus, const struct event *event)
{
	struct cpus_row *row = row_now(cpus, event);

	if (row)
		row->switches++;
}

void cpus_system(struct cpus *cpus, const struct event *event)
{
	struct cpus_row *row = row_now(cpus, event);

	if (!row)
		return;
	row->system_ns += event->cost.ns;
	if (event->kind == EVENT_COST && event->cost.what < EVENT_NR_COSTS)
		row->costs_ns[event->cost.what] += event->cost.ns;
}

void cpus_fini(struct cpus *cpus)
{
	vec_free(&cpus->rows);
}
