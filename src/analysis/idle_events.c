/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/idle_events.h"

#include <stdlib.h>

static const u64 bin_above_ns[IDLE_EVENTS_NR_BINS] = { IDLE_EVENTS_MIN_NS, 3000000, 4000000 };
const char *const idle_events_bins[IDLE_EVENTS_NR_BINS] = { "2.5-3ms", "3-4ms", "4ms+" };

static struct idle_events_candidate *best_of(struct idle_events *events, s32 cpu, u64 idle_since_ns)
{
	struct idle_events_candidate *best;

	while (events->best.nr <= (u32)cpu)
		vec_add(&events->best);
	best = &events->best.at[cpu];
	if (!best->ns || best->idle_since_ns != idle_since_ns)
		*best = (struct idle_events_candidate){ .idle_since_ns = idle_since_ns };
	return best;
}

/* The wait of @thread since @start_ns meets the idle interval of @cpu until @end_ns. */
static void meet(struct idle_events *events, const struct track_thread *thread, u64 start_ns,
		 s32 cpu, u64 idle_since_ns, u64 end_ns)
{
	u64 since_ns = start_ns > idle_since_ns ? start_ns : idle_since_ns;
	struct idle_events_candidate *best;
	bool guessed;

	if (end_ns - since_ns <= IDLE_EVENTS_MIN_NS || end_ns < since_ns)
		return;
	if (thread->class != TRACK_CLASS_FAIR ||
	    may_run_throttled(events->may, thread->cgroup, thread->cpu) ||
	    !may_run_on(events->may, thread, cpu, &guessed))
		return;
	best = best_of(events, cpu, idle_since_ns);
	if (end_ns - since_ns <= best->ns)
		return;
	best->ns = end_ns - since_ns;
	best->guessed = guessed;
	best->sched_idle = thread->policy == EVENT_POLICY_IDLE;
	best->tid = thread->task.tid;
	best->name = thread->name;
}

void idle_events_long_wait(struct idle_events *events, const struct track_wait *wait)
{
	const struct track *threads = events->threads;

	if (wait->trust == TRACK_UNRELIABLE || wait->trust == TRACK_AFTER_LOSS)
		return;
	for (u32 cpu = 0; cpu < threads->nr_cpus; cpu++)
		if (threads->cpus[cpu].state == TRACK_CPU_IDLE)
			meet(events, wait->thread, track_wait_start_ns(wait), (s32)cpu,
			     threads->cpus[cpu].since_ns, wait->end_ns);
}

static void count(struct idle_events *events, const struct idle_events_candidate *best, s32 cpu,
		  u64 end_ns)
{
	u32 bin = IDLE_EVENTS_NR_BINS - 1;

	if (best->sched_idle) {
		events->sched_idle++;
		return;
	}
	while (best->ns <= bin_above_ns[bin])
		bin--;
	events->bins[bin]++;
	events->guessed += best->guessed;
	if (best->ns <= events->longest_ns)
		return;
	events->longest_ns = best->ns;
	events->longest_end_ns = end_ns;
	events->longest_cpu = cpu;
	events->longest_tid = best->tid;
	events->longest_name = best->name;
}

void idle_events_long_idle(struct idle_events *events, const struct track_idle *idle)
{
	const struct track_thread *thread = events->threads->first_waiting;
	struct idle_events_candidate *best;

	if ((idle->trust != TRACK_EXACT && idle->trust != TRACK_UNFINISHED) ||
	    !filter_keeps_time(events->filter, idle->end_ns) ||
	    !filter_keeps_cpu(events->filter, idle->cpu))
		return;
	/* By the time their wait began: once one is too young, all that follow are. */
	for (; thread && idle->end_ns - thread->since_ns > IDLE_EVENTS_MIN_NS;
	     thread = thread->later)
		if (!thread->doubt && thread->losses == events->threads->stats.losses)
			meet(events, thread, thread->since_ns, idle->cpu, idle->start_ns,
			     idle->end_ns);
	best = best_of(events, idle->cpu, idle->start_ns);
	if (best->ns)
		count(events, best, idle->cpu, idle->end_ns);
	best->ns = 0;
}

void idle_events_init(struct idle_events *events, struct track *threads, struct may_run *may,
		      const struct filter *filter)
{
	*events = (struct idle_events){ .threads = threads, .may = may, .filter = filter };
}

void idle_events_fini(struct idle_events *events)
{
	vec_free(&events->best);
}
