/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * behind - a sink on a thread of its own, which works on what was told while the source goes on.
 *
 * The sink gets the same events in the same order and never runs beside itself, so that what it
 * makes of them is the same.  What it answers reaches the source late: some thousands of events
 * after the one it did not like, at the latest when the stream ends.  Events are copied, with what
 * they point to.
 *
 *	struct events_behind *behind = events_behind_new(sink);
 *	source(events_behind_sink(behind));
 *	events_behind_free(behind);
 */
#ifndef EVENTS_BEHIND_H
#define EVENTS_BEHIND_H

#include "events/event.h"

struct events_behind;

/* Where there is but one CPU, or no thread is to be had, @to is called at once, by the source. */
struct events_behind *events_behind_new(struct event_sink to);
struct event_sink events_behind_sink(struct events_behind *behind);
/* Also waits for what was told already, if the stream did not come to its end.  NULL is nothing. */
void events_behind_free(struct events_behind *behind);

#endif
