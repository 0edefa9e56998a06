/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture - what the executor sends out of a run: chunks, each with a head.
 *
 * It goes through a pipe or a virtio-serial port, so nothing is ever rewritten.  The last
 * chunk of a run is END; without it the run did not come to its end.
 */
#ifndef TRUTH_CAPTURE_H
#define TRUTH_CAPTURE_H

#include <stdio.h>

#include "base/err.h"

enum capture_kind {
	CAPTURE_UNAME = 0x66670001, /* "Linux host 6.12.1 x86_64" */
	CAPTURE_HEADER_PAGE,
	CAPTURE_HEADER_EVENT,
	CAPTURE_FORMAT,   /* "system", NUL, the format's text */
	CAPTURE_CMDLINES, /* saved_cmdlines */
	CAPTURE_CLOCK,    /* its name */
	CAPTURE_STATS,    /* of @cpu */
	CAPTURE_PAGES,    /* of @cpu: whole pages of the ring; again and again */
	CAPTURE_LOOPS,    /* u64: loops of work a millisecond */
	CAPTURE_TICK,     /* u64: ns of a tick, the kernel's HZ */
	CAPTURE_FAULT,    /* text: why the run is void */
	CAPTURE_END,
};

struct capture_head {
	u32 kind;
	u32 cpu; /* 0 where it has no meaning */
	u64 size;
};

#define CAPTURE_PAGE 4096u

/*
 * Writes what a capture holds as a trace.dat of version 6, which trace-cmd and analyze
 * read.  ERR_ABSENT: the executor could not run, with its reason.  ERR_FORMAT: the capture
 * is no whole one.  ERR_IO: @to did not take it.
 */
enum err_code capture_to_trace_dat(const u8 *bytes, u64 size, FILE *to, struct err *err);
/* Bytes of the first capture of several, its END included; all of them if none ends. */
u64 capture_length(const u8 *bytes, u64 size);
/* Ticks a second of the kernel that sent the capture; 0: it does not tell. */
u32 capture_hz(const u8 *bytes, u64 size);

#endif
