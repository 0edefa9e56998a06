/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace_own - text that events/ftrace_writer.c wrote: its comments make the stream
 * whole again, so that neither order nor identity has to be worked out.
 */
#ifndef INPUT_FTRACE_OWN_H
#define INPUT_FTRACE_OWN_H

#include "events/intake.h"
#include "input/dump_line.h"
#include "input/lines.h"

struct ftrace_own {
	struct dump_memory memory;
	struct dump_feed feed;
	struct event_header header;
	struct event_quality quality;
	struct event exact; /* what the next trace line stands for */
	bool has_exact, ended;
	u64 seq; /* of the event fed last; the text's lines have none */
};

void ftrace_own_fini(struct ftrace_own *own);
bool ftrace_own_magic(const struct line *line);
/* A comment; false if it is one of ours and makes no sense here. */
bool ftrace_own_comment(struct ftrace_own *own, const struct line *line);
/* A trace line, decoded (@item NULL: an event of no kind); false if it cannot follow. */
bool ftrace_own_item(struct ftrace_own *own, const struct intake_item *item);

#endif
