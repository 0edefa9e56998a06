/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle_states - how long CPUs were in each idle state, and how often.
 *
 * A state is what cpu_idle calls it: the number that the machine's driver gives.  A time
 * that was not seen whole, because events were lost or the CPU went offline, is left out.
 */
#ifndef ANALYSIS_IDLE_STATES_H
#define ANALYSIS_IDLE_STATES_H

#include "analysis/filter.h"

#define IDLE_STATES_MAX 16 /* Kernel: CPUIDLE_STATE_MAX is 10 */

struct idle_states_row {
	u64 entries; /* that ended in the window */
	u64 ns;      /* in the window; the last ones, that had no end, included */
};

struct idle_states_cpu {
	bool in;
	u32 state;
	u64 since_ns;
};

struct idle_states {
	const struct filter *filter;
	VEC(struct idle_states_cpu) cpus;
	struct idle_states_row rows[IDLE_STATES_MAX];
	u64 beyond; /* entries of states that no kernel has */
};

void idle_states_fini(struct idle_states *idle);
/* @event is an EVENT_IDLE. */
void idle_states_event(struct idle_states *idle, const struct event *event);
/* What goes on at @cpu was not seen whole; EVENT_NOBODY: at none. */
void idle_states_forget(struct idle_states *idle, s32 cpu);
/* The stream ended at @end_ns. */
void idle_states_end(struct idle_states *idle, u64 end_ns);

#endif
