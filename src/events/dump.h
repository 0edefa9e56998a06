/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump - the stream as text, one event a line, complete: read back by
 * input/dump.c it gives the same events and the same hash.
 *
 * docs/formats.md describes it.  Names are quoted with \xNN for what is not
 * printable ASCII, for '"' and for '\'.
 */
#ifndef EVENTS_DUMP_H
#define EVENTS_DUMP_H

#include <stdio.h>

#include "events/event.h"
#include "events/text_out.h"

#define EVENTS_DUMP_MAGIC "# fairground stream 1"

struct events_dump {
	FILE *to; /* the caller's; on_event returns ERR_IO once a write failed */
	struct text_out out;
};
/* @dump->to is set by the caller, the rest by this. */
struct event_sink events_dump_sink(struct events_dump *dump);

/* The parts, for texts that carry the stream inside; each line begins with @before. */
enum err_code events_dump_header(struct text_out *out, const char *before,
				 const struct event_header *header);
enum err_code events_dump_event(struct text_out *out, const char *before,
				const struct event *event);
enum err_code events_dump_quality(struct text_out *out, const char *before,
				  const struct event_quality *quality);

/* The counters of the last line, by name, as "truncated" and "note" are not. */
struct events_dump_counter {
	const char *name;
	size_t offset; /* of a u64 in struct event_quality */
};
extern const struct events_dump_counter events_dump_counters[];
extern const u32 events_dump_nr_counters;

#endif
