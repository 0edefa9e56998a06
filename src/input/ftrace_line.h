/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace_line - what stands before an event's own text:
 *
 *	tracefs, trace-cmd	COMM-PID (TGID) [CPU] FLAGS TIME: EVENT: ...
 *	trace-cmd -l		COMM-PID CPUFLAGS TIME: EVENT: ...
 *	perf script		COMM PID/TID [CPU] TIME: SYSTEM:EVENT: ...
 *
 * TGID and FLAGS may be missing, flags may have any number of columns.  A thread's
 * name may look like any of this.  Names have 15 bytes at most and stand in front, so
 * of several places that fit, the last one within reach of a name is the right one.
 */
#ifndef INPUT_FTRACE_LINE_H
#define INPUT_FTRACE_LINE_H

#include <stddef.h>

#include "policy/int.h"

struct ftrace_line {
	const char *comm; /* without the blanks before it */
	size_t comm_len;
	s32 tid;           /* EVENT_NOBODY if it says -1 */
	s32 pid;           /* the process; 0 if not told */
	s32 cpu;           /* 0 .. MACHINE_MAX_CPUS - 1 */
	u64 time_ns;       /* without is_count: ns */
	bool is_count;     /* the time has no fraction: of a clock that counts something */
	bool is_perf;      /* perf script's form */
	const char *event; /* "": a line without an event's name (function tracer) */
	size_t event_len;
	const char *payload; /* to the end of the line */
	size_t payload_len;
};

/* False: it is no such line. */
bool ftrace_line_parse(const char *at, size_t len, struct ftrace_line *line);

#endif
