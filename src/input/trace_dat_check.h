/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_dat_check - the structure of a trace.dat, version 6 or 7, walked with bounds.
 *
 * Every offset and size is checked against the file before it is used, and links
 * between option sections cannot form a cycle.  What comes out lies inside the file.
 *
 * Why not libtracecmd: its 3.1.6 crashes on truncated files, walks pages by the
 * lengths they state, and parses print formats as they come; a check that makes it
 * safe has to read everything down to the records, and then there is nothing left for
 * it to do.  The tests compare us with it, record by record.
 *
 * Format: trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v6.5.txt and .v7.5.txt.
 */
#ifndef INPUT_TRACE_DAT_CHECK_H
#define INPUT_TRACE_DAT_CHECK_H

#include "base/map.h"
#include "base/vec.h"
#include "events/event.h"
#include "input/ring_page.h"
#include "input/tep_fields.h"

#define TRACE_DAT_CHUNK_MAX (4u << 20) /* uncompressed; trace-cmd makes them of 10 pages */

/* The pages of one CPU in one buffer, at [offset, offset + size) of the file. */
struct trace_dat_cpu {
	u32 cpu;
	u64 offset, size;
};

/* The trace buffer or an instance. */
struct trace_dat_buffer {
	char name[64]; /* "": the main one */
	bool compressed;
	u32 page_size;
	VEC(struct trace_dat_cpu) cpus;
};

struct trace_dat_name {
	char comm[INTAKE_COMM];
};

struct trace_dat {
	const char *path;
	const u8 *map;
	u64 size;
	u32 version;
	bool big_endian;
	u32 long_size, page_size, nr_cpus;
	struct ZSTD_DCtx_s *zstd; /* NULL: compressed sections are not zstd's */
	struct ring_layout layout;
	struct tep_fields *fields;
	VEC(struct trace_dat_buffer) buffers;
	struct map cmdlines; /* tid -> index of names */
	VEC(struct trace_dat_name) names;
	char clock[32], release[64];
	u32 tsc_mult, tsc_shift; /* TSC2NSEC: ns = cycles * mult >> shift; mult 0: none */
	s64 time_offset;         /* OFFSET, added to every time */
	u64 lost;                /* by CPUSTAT, all CPUs and buffers */
	bool guest;              /* recorded inside a guest, on its own clock */
	bool truncated;
	u64 unparsed;   /* event formats that are none */
	char note[128]; /* the first thing that was wrong but could be passed over */
};

/*
 * @map holds @size bytes.  On an error @dat still wants trace_dat_close().
 * ERR_FORMAT: where the structure ends, and what was expected there.
 */
enum err_code trace_dat_open(struct trace_dat *dat, const char *path, const u8 *map, u64 size,
			     struct err *err);
void trace_dat_close(struct trace_dat *dat);

/* Keeps the first note: what is wrong from byte @at on. */
void trace_dat_note(struct trace_dat *dat, u64 at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Uncompresses @size bytes at @from into exactly @room bytes at @to; false if they are
 * not that, or not zstd's.
 */
bool trace_dat_inflate(const struct trace_dat *dat, const u8 *from, size_t size, u8 *to,
		       size_t room);

#endif
