/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * marks - how long what the workload marks took: chains, requests, sections.
 *
 * A section or a request begins and ends in one thread, which may have several requests open:
 * the first to begin is the first to end.  A chain begins in one thread and ends
 * in another, by its number: the n-th begin belongs to the n-th end.  They are merged by
 * kind and name, and counted where they end.
 */
#ifndef ANALYSIS_MARKS_H
#define ANALYSIS_MARKS_H

#include "analysis/filter.h"
#include "base/hist.h"

#define MARKS_MAX_NAMES 4096
#define MARKS_MAX_OPEN  65536 /* begun and not ended; what is more is not counted */

struct marks_row {
	char *name;
	u32 what;         /* enum event_mark */
	struct hist took; /* ns, of those that ended */
	u64 unmatched;    /* ends without a begin, begins that are still open or left out */
};

struct marks {
	const struct track *threads;
	const struct filter *filter;
	struct names names;         /* with the kind before the name */
	struct map open;            /* who it is, to when it began */
	struct map turns;           /* requests of a thread: how many began << 32 | ended */
	VEC(struct marks_row) rows; /* by kind and name, as they came; marks_end() sorts them */
};

/* @event is an EVENT_MARK; @thread: whose, if it is known. */
void marks_event(struct marks *marks, const struct event *event, const struct track_thread *thread);
/* After the last event. */
void marks_end(struct marks *marks);
void marks_fini(struct marks *marks);
const char *marks_what(u32 what);

#endif
