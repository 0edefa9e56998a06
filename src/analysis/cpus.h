/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpus - what each CPU's time went to, and how often it switched.
 *
 * busy + idle + unknown = the window.  System is part of busy or idle: the time the
 * scheduler's own work took (EVENT_COST) and interrupts (EVENT_IRQ); only sources that see
 * it have it.
 */
#ifndef ANALYSIS_CPUS_H
#define ANALYSIS_CPUS_H

#include "analysis/filter.h"

struct cpus_row {
	u64 busy_ns, idle_ns, system_ns;
	u64 switches; /* in the window */
	u64 costs_ns[EVENT_NR_COSTS];
};

struct cpus {
	const struct filter *filter;
	VEC(struct cpus_row) rows; /* by CPU */
};

void cpus_run(struct cpus *cpus, const struct track_run *run);
void cpus_idle(struct cpus *cpus, const struct track_idle *idle);
void cpus_switch(struct cpus *cpus, const struct event *event);
/* @event is an EVENT_COST or EVENT_IRQ. */
void cpus_system(struct cpus *cpus, const struct event *event);
void cpus_fini(struct cpus *cpus);

#endif
