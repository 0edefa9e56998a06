/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump_line - the lines of a dump (events/dump.h), one by one.
 *
 * Numbers that are indices elsewhere (kinds, CPUs, what a cost or a mark is) are
 * checked, so that a damaged line never becomes an event.
 */
#ifndef INPUT_DUMP_LINE_H
#define INPUT_DUMP_LINE_H

#include "base/vec.h"
#include "events/event.h"

/* What the pointers of the event parsed last point to. */
struct dump_memory {
	VEC(char) text;
	VEC(u64) cpus; /* a struct event_cpus */
};

void dump_memory_fini(struct dump_memory *memory);

/* "source "x"", "cpus 4", ...: false if it is no such line, or a bad one. */
bool dump_header_line(const char *at, size_t len, struct event_header *header);
/* "TIME SEQ CPU KIND field=value ..." */
bool dump_event_line(const char *at, size_t len, struct dump_memory *memory, struct event *event);
/* "end lost_events=0 ..." */
bool dump_quality_line(const char *at, size_t len, struct event_quality *quality);

/*
 * Feeds a sink what was parsed, as long as it is a stream: (time, seq) rises and idle
 * tasks are named as event.h says.
 */
struct dump_feed {
	struct event_sink sink;
	bool begun;
	u64 time_ns, seq;
	enum err_code code; /* the sink's, once it was not OK */
};

/* False, and nothing is fed, if @event cannot follow what came before. */
bool dump_feed_event(struct dump_feed *feed, const struct event_header *header,
		     const struct event *event);
/* on_end, after on_begin if there was no event; the sink's code. */
enum err_code dump_feed_end(struct dump_feed *feed, const struct event_header *header,
			    const struct event_quality *quality);

#endif
