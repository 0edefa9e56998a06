/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/may_run.h"

#include <stdlib.h>

/* Kernel threads of which each CPU has its own, called so and the CPU's number. */
static const char *const bound_names[] = {
	"kworker/",  "ksoftirqd/", "migration/",   "cpuhp/",       "rcuc/",
	"irq_work/", "ktimers/",   "idle_inject/", "posixcputmr/", "watchdog/",
};

s32 may_run_bound_to(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(bound_names); i++) {
		size_t len = strlen(bound_names[i]);
		char *end;
		long cpu;

		if (strncmp(name, bound_names[i], len) || name[len] < '0' || name[len] > '9')
			continue;
		cpu = strtol(name + len, &end, 10);
		if ((*end == '\0' || *end == ':') && cpu < TRACK_MAX_CPUS)
			return (s32)cpu;
	}
	return -1;
}

s32 may_run_bound(struct may_run *may, const struct track_thread *thread)
{
	s16 *known;
	s32 cpu;

	if (thread->name == TRACK_NO_NAME)
		return -1;
	while (may->bound.nr <= thread->name)
		vec_add(&may->bound);
	known = &may->bound.at[thread->name];
	if (!*known) {
		cpu = may_run_bound_to(track_name(may->threads, thread));
		*known = (s16)(cpu < 0 ? -1 : cpu + 1);
	}
	return *known < 0 ? -1 : *known - 1;
}

bool may_run_on(struct may_run *may, const struct track_thread *thread, s32 cpu, bool *guessed)
{
	const struct event_cpus *allowed = thread->allowed;
	s32 bound;

	*guessed = false;
	if (allowed)
		return (u32)cpu / 64 < allowed->nr_words &&
		       allowed->words[cpu / 64] >> (cpu % 64) & 1;
	if (thread->policy != EVENT_POLICY_UNKNOWN) /* attributes were told: all CPUs */
		return true;
	*guessed = true;
	bound = may_run_bound(may, thread);
	return bound < 0 || bound == cpu;
}

bool may_run_throttled(const struct may_run *may, u32 cgroup, s32 cpu)
{
	return throttles_on(&may->threads->throttles, cgroup, cpu);
}

void may_run_init(struct may_run *may, struct track *threads)
{
	*may = (struct may_run){ .threads = threads };
}

void may_run_fini(struct may_run *may)
{
	vec_free(&may->bound);
}
