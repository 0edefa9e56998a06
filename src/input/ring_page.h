/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring_page - one page of the kernel's ring buffer, as trace.dat holds them.
 *
 * A page: u64 time stamp, local_t commit (length and flags), then records of a
 * 32-bit head (5 bits type or length, 27 bits time since the one before) and words.
 * Every step is checked against the page's own bytes: libtraceevent's kbuffer takes
 * lengths as they come and reads past the end of a damaged page.
 *
 * Kernel: include/linux/ring_buffer.h (enum ring_buffer_type).
 */
#ifndef INPUT_RING_PAGE_H
#define INPUT_RING_PAGE_H

#include <stddef.h>

#include "policy/int.h"

/* Where things lie in a page, from the trace's header_page text. */
struct ring_layout {
	bool big_endian;
	u32 commit_at, commit_size; /* 4 or 8 bytes: the kernel's long */
	u32 data_at;
};

struct ring_page {
	const u8 *bytes;
	u32 at, end; /* the next record's head, and where the records end */
	u64 time;    /* of the last record, in the trace clock's unit */
	bool cut;    /* end was lowered to the bytes that are there */
	bool lost;   /* records were lost before this page ... */
	u64 nr_lost; /* ... this many; 0: not known */
	bool big_endian;
};

enum ring_step {
	RING_RECORD,
	RING_END,
	RING_DAMAGED, /* what stands at page.at is no record; nothing follows */
};

/* @room: bytes at @bytes, at least layout.data_at.  False: its length is impossible. */
bool ring_page_open(struct ring_page *page, const struct ring_layout *layout, const u8 *bytes,
		    u32 room, u32 page_size);
/* The next record's payload; its time is page.time. */
enum ring_step ring_page_next(struct ring_page *page, const u8 **raw, u32 *len);

#endif
