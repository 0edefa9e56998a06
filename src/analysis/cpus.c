/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/cpus.h"

#include <stdlib.h>

static struct cpus_row *row_of(struct cpus *cpus, s32 cpu)
{
	while (cpus->rows.nr <= (u32)cpu)
		vec_add(&cpus->rows);
	return &cpus->rows.at[cpu];
}

static bool known(enum track_trust trust)
{
	return trust == TRACK_EXACT || trust == TRACK_UNFINISHED;
}

static void on_run(void *self, const struct track_run *run)
{
	struct cpus *cpus = self;

	if (known(run->trust))
		row_of(cpus, run->cpu)->busy_ns +=
			filter_clip(cpus->filter, run->start_ns, run->end_ns);
}

static void on_idle(void *self, const struct track_idle *idle)
{
	struct cpus *cpus = self;

	if (known(idle->trust))
		row_of(cpus, idle->cpu)->idle_ns +=
			filter_clip(cpus->filter, idle->start_ns, idle->end_ns);
}

static void on_event(void *self, const struct event *event, struct track_thread *thread)
{
	struct cpus *cpus = self;
	struct cpus_row *row;

	(void)thread;
	if ((u32)event->cpu >= TRACK_MAX_CPUS || !filter_keeps_time(cpus->filter, event->time_ns))
		return;
	row = row_of(cpus, event->cpu);
	if (event->kind == EVENT_SWITCH) {
		row->switches++;
		return;
	}
	row->system_ns += event->cost.ns;
	if (event->kind == EVENT_COST && event->cost.what < EVENT_NR_COSTS)
		row->costs_ns[event->cost.what] += event->cost.ns;
}

static const struct track_ops ops = {
	.kinds = EVENT_BIT(SWITCH) | EVENT_BIT(COST) | EVENT_BIT(IRQ),
	.on_event = on_event,
	.on_run = on_run,
	.on_idle = on_idle,
};

void cpus_init(struct cpus *cpus, struct track *threads, const struct filter *filter)
{
	*cpus = (struct cpus){ .threads = threads, .filter = filter };
	track_observe(threads, cpus, &ops);
}

void cpus_fini(struct cpus *cpus)
{
	vec_free(&cpus->rows);
}
