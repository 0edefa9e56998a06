/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/energy.h"

#include <stdlib.h>

static const struct machine_kind *kind_of(const struct energy *energy, u32 cpu)
{
	return &energy->machine->kinds[energy->machine->cpus[cpu].kind];
}

static u32 busy_mw(const struct machine_kind *kind, u32 khz)
{
	u32 opp = 0;

	if (!kind->nr_opps)
		return 0;
	while (opp + 1 < kind->nr_opps && kind->opps[opp].khz < khz)
		opp++;
	return kind->opps[opp].power_mw;
}

/*
 * The state that events call @state, of those that are listed; NULL: it is none of them.  If the
 * first of them wants more than 1 us, state 0 is the plain wait for an interrupt; nothing else is
 * entered where no governor chooses.
 */
static const struct machine_idle_state *idle_state(const struct machine *machine,
						   const struct machine_kind *kind, u32 state)
{
	bool waits = kind->nr_idle_states && kind->idle_states[0].target_residency_us <= 1;

	if (machine->idle == MACHINE_IDLE_HALTPOLL)
		return NULL;
	if (machine->idle == MACHINE_IDLE_NO_DRIVER)
		return waits ? &kind->idle_states[0] : NULL;
	if (!waits && !state--)
		return NULL;
	return state < kind->nr_idle_states ? &kind->idle_states[state] : NULL;
}

static void add(struct energy_part *part, u64 ns, bool known, u32 power_mw)
{
	if (known) {
		part->pj += ns * power_mw;
		part->known_ns += ns;
	} else {
		part->unknown_ns += ns;
	}
}

static void count(struct energy *energy, u32 cpu, u64 now_ns)
{
	const struct machine_kind *kind = kind_of(energy, cpu);
	struct energy_row *row = &energy->rows[cpu];
	u64 ns = filter_clip(energy->filter, row->since_ns, now_ns);
	const struct machine_idle_state *state;

	row->since_ns = now_ns;
	if (!row->khz)
		return;
	if (row->is_busy) {
		add(&row->busy, ns, busy_mw(kind, row->khz), busy_mw(kind, row->khz));
		return;
	}
	state = idle_state(energy->machine, kind, row->state == EVENT_IDLE_EXIT ? 0 : row->state);
	add(&row->idle, ns, state && state->power_known, state ? state->power_mw : 0);
}

void energy_event(struct energy *energy, const struct event *event)
{
	struct energy_row *row;

	if ((u32)event->cpu >= energy->machine->nr_cpus)
		return;
	count(energy, (u32)event->cpu, event->time_ns);
	row = &energy->rows[event->cpu];
	if (event->kind == EVENT_FREQ)
		row->khz = event->freq.khz;
	else if (event->kind == EVENT_IDLE)
		row->state = event->idle.state;
	else
		row->is_busy = !event_is_idle(event->other);
}

void energy_init(struct energy *energy, const struct filter *filter, const struct machine *machine)
{
	*energy = (struct energy){ .machine = machine, .filter = filter };
	if (energy_known(energy))
		energy->rows = NEW_ARRAY(struct energy_row, machine->nr_cpus);
}

void energy_fini(struct energy *energy)
{
	free(energy->rows);
}

void energy_end(struct energy *energy, u64 end_ns)
{
	for (u32 cpu = 0; energy->rows && cpu < energy->machine->nr_cpus; cpu++)
		count(energy, cpu, end_ns);
}

void energy_add(struct energy_part *sum, const struct energy_part *part)
{
	sum->pj += part->pj;
	sum->known_ns += part->known_ns;
	sum->unknown_ns += part->unknown_ns;
}

bool energy_known(const struct energy *energy)
{
	const struct machine *machine = energy->machine;
	bool known = false;

	for (u32 i = 0; machine && i < machine->nr_kinds; i++)
		for (u32 k = 0; k < machine->kinds[i].nr_opps; k++)
			known |= machine->kinds[i].opps[k].power_mw;
	return known;
}

bool energy_busy_complete(const struct energy *energy)
{
	const struct machine *machine = energy->machine;

	for (u32 cpu = 0; machine && cpu < machine->nr_cpus; cpu++) {
		const struct machine_kind *kind = &machine->kinds[machine->cpus[cpu].kind];

		for (u32 i = 0; i < kind->nr_opps; i++)
			if (!kind->opps[i].power_mw)
				return false;
		if (!kind->nr_opps)
			return false;
	}
	return machine;
}

static bool idle_complete(const struct machine *machine, const struct machine_kind *kind)
{
	u32 reached = machine->idle == MACHINE_IDLE_NO_DRIVER ? 1 : kind->nr_idle_states;

	if (!idle_state(machine, kind, 0))
		return false;
	for (u32 i = 0; i < reached; i++)
		if (!kind->idle_states[i].power_known)
			return false;
	return true;
}

bool energy_complete(const struct energy *energy)
{
	const struct machine *machine = energy->machine;

	for (u32 cpu = 0; machine && cpu < machine->nr_cpus; cpu++)
		if (!idle_complete(machine, &machine->kinds[machine->cpus[cpu].kind]))
			return false;
	return energy_busy_complete(energy);
}
