/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/idle_states.h"

#include "base/apart.h"

/* false: there cannot be such a CPU. */
static APART bool add_cpus(struct idle_states *idle, s32 cpu)
{
	while ((u32)cpu < TRACK_MAX_CPUS && idle->cpus.nr <= (u32)cpu)
		vec_add(&idle->cpus);
	return (u32)cpu < TRACK_MAX_CPUS;
}

static void leave(struct idle_states *idle, s32 cpu, u64 time_ns, bool ended)
{
	struct idle_states_cpu *at = &idle->cpus.at[cpu];
	struct idle_states_row *row = &idle->rows[at->state];

	if (!at->in)
		return;
	at->in = false;
	if (!filter_keeps_cpu(idle->filter, cpu))
		return;
	row->ns += filter_clip(idle->filter, at->since_ns, time_ns);
	row->entries += ended && filter_keeps_time(idle->filter, time_ns);
}

void idle_states_event(struct idle_states *idle, const struct event *event)
{
	u32 state = event->idle.state;

	if (state >= IDLE_STATES_MAX && state != EVENT_IDLE_EXIT) {
		idle->beyond++;
		return;
	}
	if ((u32)event->cpu >= idle->cpus.nr && !add_cpus(idle, event->cpu))
		return;
	if (state == EVENT_IDLE_EXIT)
		leave(idle, event->cpu, event->time_ns, true);
	else
		idle->cpus.at[event->cpu] = (struct idle_states_cpu){ true, state, event->time_ns };
}

void idle_states_forget(struct idle_states *idle, s32 cpu)
{
	if ((u32)cpu < idle->cpus.nr)
		idle->cpus.at[cpu].in = false;
	else if ((u32)cpu >= TRACK_MAX_CPUS)
		vec_for_each(each, &idle->cpus)
			each->in = false;
}

void idle_states_end(struct idle_states *idle, u64 end_ns)
{
	for (u32 i = 0; i < idle->cpus.nr; i++)
		leave(idle, (s32)i, end_ns, false);
}

void idle_states_fini(struct idle_states *idle)
{
	vec_free(&idle->cpus);
}
