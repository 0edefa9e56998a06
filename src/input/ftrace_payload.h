/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace_payload - an event's own text, as an intake item.
 *
 * Two forms: "key=value ...", which the kernel's print formats, trace-cmd -N and -R
 * and perf use, and "comm:pid [prio] ...", which trace-cmd's plugin makes of switches
 * and wakeups.  A name may hold any bytes, a newline too, so that an event may take
 * several lines; what follows a name is fixed, and longer than a name can be, so the
 * longest name that lets the rest match is the right one.
 */
#ifndef INPUT_FTRACE_PAYLOAD_H
#define INPUT_FTRACE_PAYLOAD_H

#include "base/map.h"
#include "events/intake.h"
#include "input/ftrace_line.h"
#include "input/ftrace_state.h"

/* What a trace has shown so far that bears on the meaning of its lines. */
struct ftrace_seen {
	enum ftrace_numbers numbers;
	bool plugin_states; /* letters of trace-cmd's plugin: uncertain since 4.14 */
	struct names marks; /* the caller's: names_fini() */
};

enum ftrace_found {
	FTRACE_EVENT,
	FTRACE_OTHER, /* an event of no kind of ours; a wakeup that woke nobody */
	FTRACE_OPEN,  /* of a known kind, but it ends within a name: the next line belongs to it */
	FTRACE_DAMAGED, /* looks like a known kind and is not */
};

/*
 * Fills all of @item but its names' processes.  event.other of wakeups, MIGRATE and
 * RUNTIME is the thread at the front of the line.  A mark's name lives as long as @seen.
 */
enum ftrace_found ftrace_payload_parse(const struct ftrace_line *line, struct ftrace_seen *seen,
				       struct intake_item *item);
/* Is it an event whose text begins with a path? */
bool ftrace_payload_has_path(const struct ftrace_line *line);

#endif
