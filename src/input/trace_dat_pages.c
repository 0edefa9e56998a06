/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/trace_dat_pages.h"

#include <stdlib.h>

#include "input/bytes.h"

/* The size that trace-cmd 3.1 notes leaves out the 4 bytes of the chunks' count. */
static void take_chunk_count(struct trace_dat_pages *pages)
{
	const u8 *map = pages->dat->map;

	if (pages->end == pages->at || pages->dat->size - pages->at < 4)
		return;
	pages->end += pages->dat->size - pages->end < 4 ? pages->dat->size - pages->end : 4;
	pages->chunks = (u32)bytes_load(map + pages->at, 4, pages->dat->big_endian);
	pages->at += 4;
}

void trace_dat_pages_open(struct trace_dat_pages *pages, struct trace_dat *dat,
			  const struct trace_dat_buffer *buffer, const struct trace_dat_cpu *cpu)
{
	*pages = (struct trace_dat_pages){ .dat = dat,
					   .cpu = (s32)cpu->cpu,
					   .at = cpu->offset,
					   .end = cpu->offset + cpu->size,
					   .page_size = buffer->page_size,
					   .compressed = buffer->compressed };
	if (pages->compressed)
		take_chunk_count(pages);
}

void trace_dat_pages_close(struct trace_dat_pages *pages)
{
	free(pages->chunk);
	pages->chunk = NULL;
}

static void add_gap(struct trace_dat_pages *pages, u64 nr)
{
	pages->gap = true;
	pages->nr_lost += nr;
	pages->lost_unknown |= !nr;
}

/* Something is not as it should be; what of it cannot be read is a gap. */
static void damaged(struct trace_dat_pages *pages, u64 at, const char *expected)
{
	trace_dat_note(pages->dat, at, "CPU %d: expected %s", pages->cpu, expected);
	pages->dat->truncated = true;
	add_gap(pages, 0);
}

/* u32 compressed size, u32 uncompressed size, zstd data. */
static bool next_chunk(struct trace_dat_pages *pages)
{
	struct trace_dat *dat = pages->dat;
	const u8 *at = dat->map + pages->at;
	u64 left = pages->end - pages->at, packed, size;

	if (!pages->chunks)
		return false;
	pages->page_place = pages->at;
	pages->chunks--;
	packed = left < 8 ? 0 : bytes_load(at, 4, dat->big_endian);
	size = left < 8 ? 0 : bytes_load(at + 4, 4, dat->big_endian);
	if (left < 8 || packed > left - 8 || !size || size > TRACE_DAT_CHUNK_MAX) {
		damaged(pages, pages->at, "a compressed chunk that ends before its CPU's data");
		pages->chunks = 0;
		return false;
	}
	if (size > pages->chunk_end || !pages->chunk)
		pages->chunk = mem_resize(pages->chunk, size, 1);
	pages->chunk_at = 0;
	pages->chunk_end = (u32)size;
	pages->at += 8 + packed;
	if (trace_dat_inflate(dat, at + 8, packed, pages->chunk, size))
		return true;
	damaged(pages, pages->page_place, "a chunk of whole zstd data");
	pages->chunk_at = pages->chunk_end;
	return true;
}

/* The next page's bytes and how many there are; NULL: no more. */
static const u8 *next_bytes(struct trace_dat_pages *pages, u32 *room)
{
	const u8 *bytes;
	u64 left;

	while (pages->compressed && pages->chunk_at == pages->chunk_end)
		if (!next_chunk(pages))
			return NULL;
	if (pages->compressed) {
		left = pages->chunk_end - pages->chunk_at;
		bytes = pages->chunk + pages->chunk_at;
	} else {
		left = pages->end - pages->at;
		bytes = pages->dat->map + pages->at;
		pages->page_place = pages->at;
	}
	*room = left < pages->page_size ? (u32)left : pages->page_size;
	if (pages->compressed)
		pages->chunk_at += *room;
	else
		pages->at += *room;
	return *room ? bytes : NULL;
}

static bool next_page(struct trace_dat_pages *pages)
{
	const struct ring_layout *layout = &pages->dat->layout;
	u32 room;
	const u8 *bytes = next_bytes(pages, &room);

	if (!bytes)
		return false;
	if (room < layout->data_at ||
	    !ring_page_open(&pages->page, layout, bytes, room, pages->page_size)) {
		pages->page = (struct ring_page){ .bytes = bytes };
		damaged(pages, pages->page_place, "a whole page with a length below its size");
	} else if (pages->page.lost) {
		add_gap(pages, pages->page.nr_lost);
	}
	return true;
}

static u64 to_ns(const struct trace_dat *dat, u64 time)
{
	if (dat->tsc_mult)
		time = (u64)((unsigned __int128)time * dat->tsc_mult >> dat->tsc_shift);
	return time + (u64)dat->time_offset;
}

bool trace_dat_pages_next(struct trace_dat_pages *pages)
{
	for (;;) {
		switch (ring_page_next(&pages->page, &pages->raw, &pages->len)) {
		case RING_RECORD:
			pages->time_ns = to_ns(pages->dat, pages->page.time);
			return true;
		case RING_DAMAGED:
			damaged(pages, pages->page_place + (pages->compressed ? 0 : pages->page.at),
				"a record that ends inside its page");
			break;
		case RING_END:
			break;
		}
		if (!next_page(pages))
			return false;
	}
}
