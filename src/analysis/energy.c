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

/* The plain wait for an interrupt, where it is not listed, is taken for the first one that is. */
static u32 idle_mw(const struct machine_kind *kind, u32 state)
{
	u32 first = kind->nr_idle_states && kind->idle_states[0].target_residency_us > 1;

	if (!kind->nr_idle_states)
		return 0;
	state -= state >= first ? first : state;
	return kind->idle_states[state < kind->nr_idle_states ? state : kind->nr_idle_states - 1]
		.power_mw;
}

static void count(struct energy *energy, u32 cpu, u64 now_ns)
{
	const struct machine_kind *kind = kind_of(energy, cpu);
	struct energy_row *row = &energy->rows[cpu];
	u64 ns = filter_clip(energy->filter, row->since_ns, now_ns);

	row->since_ns = now_ns;
	if (!row->khz)
		return;
	if (row->busy)
		row->busy_pj += ns * busy_mw(kind, row->khz);
	else
		row->idle_pj += ns * idle_mw(kind, row->idle == EVENT_IDLE_EXIT ? 0 : row->idle);
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
		row->idle = event->idle.state;
	else
		row->busy = !event_is_idle(event->other);
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

bool energy_known(const struct energy *energy)
{
	const struct machine *machine = energy->machine;
	bool known = false;

	for (u32 i = 0; machine && i < machine->nr_kinds; i++)
		for (u32 k = 0; k < machine->kinds[i].nr_opps; k++)
			known |= machine->kinds[i].opps[k].power_mw;
	return known;
}

bool energy_complete(const struct energy *energy)
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
