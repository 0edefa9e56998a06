/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * energy - what the CPUs took, by the powers of the machine's operating points and idle states.
 *
 * A busy CPU takes the power of its operating point, an idle one that of its idle state, from
 * when its frequency is first told.  Time at a power that the machine does not name is no energy
 * of 0: it is counted apart.
 *
 * Units: pJ, which are mW times ns.
 */
#ifndef ANALYSIS_ENERGY_H
#define ANALYSIS_ENERGY_H

#include "analysis/filter.h"
#include "machine/machine.h"

struct energy_part {
	u64 pj;
	u64 known_ns, unknown_ns; /* how long the power was known, and was not */
};

struct energy_row {
	struct energy_part busy, idle;
	u64 since_ns; /* up to here it is counted */
	u32 khz;      /* now; 0: not told yet */
	u32 state;    /* of idling; EVENT_IDLE_EXIT: none */
	bool is_busy;
};

struct energy {
	const struct machine *machine; /* NULL: not known */
	const struct filter *filter;
	struct energy_row *rows; /* by CPU of the machine; NULL: nothing is known of powers */
};

/* @machine: what the stream is of, or NULL. */
void energy_init(struct energy *energy, const struct filter *filter, const struct machine *machine);
/* Something is known of powers, and @event is an EVENT_SWITCH, EVENT_FREQ or EVENT_IDLE. */
void energy_event(struct energy *energy, const struct event *event);
void energy_fini(struct energy *energy);
/* Counts up to the end of the stream. */
void energy_end(struct energy *energy, u64 end_ns);
void energy_add(struct energy_part *sum, const struct energy_part *part);
/* Does the machine say what its operating points take? */
bool energy_known(const struct energy *energy);
/* Of every operating point of every CPU? */
bool energy_busy_complete(const struct energy *energy);
/* And of every idle state that its CPUs may be in? */
bool energy_complete(const struct energy *energy);

#endif
