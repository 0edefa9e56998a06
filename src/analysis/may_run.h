/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * may_run - which CPUs a waiting thread could be run on at all.
 *
 * Where its allowed CPUs were told they decide; else kernel threads bound to a CPU are
 * recognised by their name and everybody else may run anywhere: a guess.  A thread of a
 * throttled group may run nowhere, where throttling is seen.
 */
#ifndef ANALYSIS_MAY_RUN_H
#define ANALYSIS_MAY_RUN_H

#include "analysis/track.h"

struct may_run {
	struct track *threads;
	VEC(s16) bound; /* by name: its CPU + 1, -1: none, 0: not looked at yet */
};

void may_run_init(struct may_run *may, struct track *threads);
void may_run_fini(struct may_run *may);

/* Is any group from @cgroup up throttled on @cpu? */
bool may_run_throttled(const struct may_run *may, u32 cgroup, s32 cpu);
/* The CPU that the thread's name binds it to; -1: none. */
s32 may_run_bound(struct may_run *may, const struct track_thread *thread);
/* @guessed: nothing told, and its name binds it nowhere. */
bool may_run_on(struct may_run *may, const struct track_thread *thread, s32 cpu, bool *guessed);
/* Which CPU a kernel thread of this name is bound to, by its name alone; -1: none. */
s32 may_run_bound_to(const char *name);

#endif
