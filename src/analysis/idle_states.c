/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/idle_states.h"

#include "base/apart.h"

static APART void add_cpus(struct idle_states *idle, u32 nr)
{
	while (idle->cpus.nr < nr)
		vec_add(&idle->cpus);
}

static inline struct idle_states_cpu *cpu_at(struct idle_states *idle, s32 cpu)
{
	if ((u32)cpu >= idle->cpus.nr) {
		if ((u32)cpu >= TRACK_MAX_CPUS)
			return NULL;
		add_cpus(idle, (u32)cpu + 1);
	}
	return &idle->cpus.at[cpu];
}

static void forget(struct idle_states *idle, s32 cpu)
{
	struct idle_states_cpu *at = cpu_at(idle, cpu);

	if (at)
		at->in = false;
	else
		vec_for_each(each, &idle->cpus)
			each->in = false;
}

static void leave(struct idle_states *idle, s32 cpu, u64 time_ns, bool ended)
{
	struct idle_states_cpu *at = cpu_at(idle, cpu);
	struct idle_states_row *row;

	if (!at || !at->in)
		return;
	at->in = false;
	if (!filter_keeps_cpu(idle->filter, cpu))
		return;
	row = &idle->rows[at->state];
	row->ns += filter_clip(idle->filter, at->since_ns, time_ns);
	row->entries += ended && filter_keeps_time(idle->filter, time_ns);
}

static void enter(struct idle_states *idle, s32 cpu, u64 time_ns, u32 state)
{
	struct idle_states_cpu *at = cpu_at(idle, cpu);

	if (state >= IDLE_STATES_MAX)
		idle->beyond++;
	else if (at)
		*at = (struct idle_states_cpu){ true, state, time_ns };
}

void idle_states_event(struct idle_states *idle, const struct event *event)
{
	switch (event->kind) {
	case EVENT_IDLE:
		if (event->idle.state == EVENT_IDLE_EXIT)
			leave(idle, event->cpu, event->time_ns, true);
		else
			enter(idle, event->cpu, event->time_ns, event->idle.state);
		break;
	case EVENT_CPU:
		if (!event->cpu_.online)
			forget(idle, event->cpu);
		break;
	case EVENT_LOST:
		forget(idle, event->cpu);
		break;
	}
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
