/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ring_page.h"

#include <string.h>

#include "input/bytes.h"

/* commit: the length, and why something may be missing (kernel/trace/ring_buffer.c) */
#define COMMIT_LENGTH ((1u << 27) - 1)
#define COMMIT_MISSED (1u << 31)
#define COMMIT_STORED (1u << 30) /* the count follows the last record */

enum {
	TYPE_WORDS_MAX = 28, /* 1..28: so many words; 0: a byte count precedes the payload */
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};

/* The high bits that an absolute stamp of 59 bits leaves out. */
#define STAMP_HIGH (0x1full << 59)

static inline u32 load_word(const struct ring_page *page, u32 at)
{
	u32 word;

	memcpy(&word, page->bytes + at, sizeof(word));
	return page->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		       ? word
		       : __builtin_bswap32(word);
}

static void open_loss(struct ring_page *page, const struct ring_layout *layout, u64 commit,
		      u32 room)
{
	page->lost = commit & COMMIT_MISSED;
	if (page->lost && commit & COMMIT_STORED && !page->cut &&
	    room - page->end >= layout->commit_size)
		page->nr_lost = bytes_load(page->bytes + page->end, layout->commit_size,
					   layout->big_endian);
}

bool ring_page_open(struct ring_page *page, const struct ring_layout *layout, const u8 *bytes,
		    u32 room, u32 page_size)
{
	u64 commit = bytes_load(bytes + layout->commit_at, layout->commit_size, layout->big_endian);
	u32 length = commit & COMMIT_LENGTH;

	*page = (struct ring_page){ .bytes = bytes,
				    .at = layout->data_at,
				    .big_endian = layout->big_endian,
				    .time = bytes_load(bytes, 8, layout->big_endian) };
	if (length > page_size - layout->data_at)
		return false;
	page->end = layout->data_at + length;
	page->cut = page->end > room;
	if (page->cut)
		page->end = room;
	open_loss(page, layout, commit, room);
	return true;
}

/* An absolute stamp has no room for the clock's highest bits: they are those before. */
static u64 whole_stamp(u64 stamp, u64 before)
{
	if (!(before & STAMP_HIGH))
		return stamp;
	stamp |= before & STAMP_HIGH;
	return stamp < before ? stamp + (1ull << 59) : stamp;
}

/* The length of what stands at page.at, head included, and its payload; 0: none. */
static inline u32 measure(const struct ring_page *page, u32 type, u32 *skip)
{
	*skip = 4;
	if (type && type <= TYPE_WORDS_MAX)
		return 4 + 4 * type;
	if (page->end - page->at < 8)
		return 0;
	*skip = 8;
	if (type == TYPE_TIME_EXTEND || type == TYPE_TIME_STAMP)
		return 8;
	/* both count from their own word on */
	u32 length = load_word(page, page->at + 4);

	if (length < 4 || length > page->end - page->at - 4)
		return 0;
	return 4 + ((length + 3) & ~3u);
}

enum ring_step ring_page_next(struct ring_page *page, const u8 **raw, u32 *len)
{
	while (page->end - page->at >= 4) {
		u32 head = load_word(page, page->at), skip;
		u32 type = page->big_endian ? head >> 27 : head & 31;
		u64 delta = page->big_endian ? head & ((1u << 27) - 1) : head >> 5;
		u32 at = page->at, size;

		if (type == TYPE_PADDING && !delta)
			return RING_END; /* the rest of the page is unused */
		size = measure(page, type, &skip);
		if (!size || size > page->end - at)
			return RING_DAMAGED;
		if (type >= TYPE_TIME_EXTEND)
			delta |= (u64)load_word(page, at + 4) << 27;
		page->time = type == TYPE_TIME_STAMP ? whole_stamp(delta, page->time)
						     : page->time + delta;
		page->at = at + size;
		if (type >= TYPE_PADDING)
			continue;
		*raw = page->bytes + at + skip;
		*len = size - skip;
		return RING_RECORD;
	}
	return page->cut || page->at != page->end ? RING_DAMAGED : RING_END;
}
