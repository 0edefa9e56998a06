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

#define EVENTS_DUMP_MAGIC "# fairground stream 1"

struct events_dump {
	FILE *to; /* the caller's; on_event returns ERR_IO once a write failed */
};
struct event_sink events_dump_sink(struct events_dump *dump);

#endif
