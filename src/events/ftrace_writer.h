/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace_writer - the stream as ftrace text, for the tools of others.
 *
 * The kernel's kinds become lines as tracefs prints them, with nanoseconds; comments
 * carry the rest, so that input/ftrace_text.c reads the very same stream back:
 *
 *	#% LINE		a line of the dump (events/dump.h): header, own kinds, end
 *	#= LINE		the event that the next trace line stands for, where that line
 *			alone would not tell all of it
 *
 * What a line must look like, and for whom (sources read in 2026):
 *
 * Perfetto, importers/systrace:
 *	"# tracer" within the first bytes makes the file a systrace; a line is found by
 *	-PID (TGID)? [CPU] FLAGS TIME: NAME: with at most four letters or dots of flags
 *	in older releases, and TIME must have a fraction; arguments are parted at
 *	spaces, and of two equal keys the first counts; states are R S D T t X Z x K W
 *	P N, joined by '|', with '+' last.
 * Trace Compass, ftrace.core:
 *	comments begin with '#' in the first column, and any other line that does not
 *	match ends the trace; there may be one ')' in a line, its last character; a
 *	value ends at a space or one of = [ ] ',' and may not be empty, else it takes
 *	the next key for its value; PIDs and CPUs are decimal and not negative.
 * Both: a thread's name stands in the line as it is.
 *
 * So names in lines are cut to what is safe everywhere ('_' for the rest); EVENT_NAME
 * has them whole, in a comment.  Losses are comments, too: "CPU:1 [LOST EVENTS]" ends
 * the trace for Trace Compass.
 */
#ifndef EVENTS_FTRACE_WRITER_H
#define EVENTS_FTRACE_WRITER_H

#include <stdio.h>

#include "events/event.h"

#define EVENTS_FTRACE_MAGIC "#% fairground ftrace 1"
#define EVENTS_FTRACE_LINE  "#% "
#define EVENTS_FTRACE_EXACT "#= "

struct events_ftrace;

/* @to is the caller's; on_event returns ERR_IO once a write failed. */
struct events_ftrace *events_ftrace_new(FILE *to);
void events_ftrace_free(struct events_ftrace *ftrace);
struct event_sink events_ftrace_sink(struct events_ftrace *ftrace);

/*
 * The states that have a letter, in the kernel's order; R is none of them.
 * include/trace/events/sched.h, v6.12.
 */
struct events_ftrace_state {
	u32 state;
	char letter;
};
#define EVENTS_FTRACE_STATES 8
extern const struct events_ftrace_state events_ftrace_states[EVENTS_FTRACE_STATES];

#endif
