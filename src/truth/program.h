/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program - a workload and how to run it, as bytes for the executor.
 *
 * The host reads the workload file; the executor, which may be the only process of a
 * guest, gets what came of it in a form that needs no parser.  Writer and reader are one
 * description (program.c) and always of the same build: the format has no versions, only
 * a magic that changes with it.
 */
#ifndef TRUTH_PROGRAM_H
#define TRUTH_PROGRAM_H

#include "base/err.h"
#include "base/vec.h"
#include "workload/workload.h"

struct program {
	u64 duration_ns; /* 0: until every task has ended */
	u64 seed;        /* of all draws, and of the start's place between two ticks */
	u32 runs;        /* one after the other, each with a seed one more; 0: one */
	u32 buffer_kib;  /* of each CPU's ring */
	char *features;  /* for sched/features, parted by commas; "": as they are */
	struct workload *workload;
};

struct program_bytes {
	VEC(u8) bytes;
};

/* Appends; the caller frees @out.bytes. */
void program_write(const struct program *program, struct program_bytes *out);
/*
 * ERR_FORMAT if the bytes are not a program of this build.  program_fini() in either case;
 * it frees the workload too.
 */
enum err_code program_read(struct program *program, const u8 *bytes, size_t size, struct err *err);
void program_fini(struct program *program);

#endif
