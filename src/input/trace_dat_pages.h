/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_dat_pages - the records of one CPU of a checked trace.dat, in file order.
 *
 * Goes from page to page, through compressed chunks where there are some.  What is
 * damaged is stepped over: a bad page to the next one, a bad chunk to the end.
 */
#ifndef INPUT_TRACE_DAT_PAGES_H
#define INPUT_TRACE_DAT_PAGES_H

#include "base/heap.h"
#include "input/trace_dat_check.h"

struct trace_dat_pages {
	struct heap_node node;
	u32 nr; /* breaks ties between equal times */
	s32 cpu;
	struct trace_dat *dat;
	u64 at, end; /* what is left, in the file */
	u32 page_size;
	bool compressed;
	u32 chunks; /* not yet uncompressed */
	u8 *chunk;
	u32 chunk_at, chunk_end;
	u64 page_place; /* the page's in the file; its chunk's if compressed */
	struct ring_page page;

	/* the current record */
	const u8 *raw;
	u32 len;
	u64 time_ns;
	/* something was lost before it */
	bool gap;
	u64 nr_lost;       /* of that, what the pages counted */
	bool lost_unknown; /* and some that nobody counted */
};

void trace_dat_pages_open(struct trace_dat_pages *pages, struct trace_dat *dat,
			  const struct trace_dat_buffer *buffer, const struct trace_dat_cpu *cpu);
void trace_dat_pages_close(struct trace_dat_pages *pages);
/* Goes to the next record; false at the end.  Damage is noted in dat. */
bool trace_dat_pages_next(struct trace_dat_pages *pages);
/* The caller has told of the gap. */
static inline void trace_dat_pages_gap_told(struct trace_dat_pages *pages)
{
	pages->gap = pages->lost_unknown = false;
	pages->nr_lost = 0;
}

#endif
