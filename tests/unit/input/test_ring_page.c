/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ring_page.h"

#include "test.h"

#define PAGE 128

static const struct ring_layout little = { .commit_at = 8, .commit_size = 8, .data_at = 16 };
static const struct ring_layout big = {
	.big_endian = true, .commit_at = 8, .commit_size = 8, .data_at = 16
};

/* A page being written, in either byte order. */
struct draft {
	u8 bytes[PAGE];
	u32 at;
	bool big;
};

static void put(struct draft *draft, u32 at, u64 value, u32 size)
{
	for (u32 i = 0; i < size; i++)
		draft->bytes[draft->big ? at + size - 1 - i : at + i] = (u8)(value >> (8 * i));
}

static void word(struct draft *draft, u32 value)
{
	put(draft, draft->at, value, 4);
	draft->at += 4;
}

static void head(struct draft *draft, u32 type, u32 delta)
{
	word(draft, draft->big ? type << 27 | delta : delta << 5 | type);
}

static struct draft begin(u64 time, bool big_endian)
{
	struct draft draft = { .at = 16, .big = big_endian };

	put(&draft, 0, time, 8);
	return draft;
}

/* Writes the length, with @flags. */
static void end(struct draft *draft, u64 flags)
{
	put(draft, 8, (draft->at - 16) | flags, 8);
}

static enum ring_step next(struct ring_page *page)
{
	const u8 *raw;
	u32 len;

	return ring_page_next(page, &raw, &len);
}

/*
 * 1000: a record of 2 words 5 later; a time extend of 3 << 27 plus 1; a record with a
 * byte count of 16, head of the count included, 2 later; skipped padding 7; one word.
 */
static void walk_all_types(bool big_endian)
{
	struct draft draft = begin(1000, big_endian);
	struct ring_page page;
	const u8 *raw;
	u32 len;

	head(&draft, 2, 5);
	word(&draft, 0x11);
	word(&draft, 0x22);
	head(&draft, 30, 1);
	word(&draft, 3);
	head(&draft, 0, 2);
	word(&draft, 16);
	draft.at += 12;
	head(&draft, 29, 7);
	word(&draft, 8);
	draft.at += 4;
	head(&draft, 1, 0);
	word(&draft, 0x33);
	end(&draft, 0);
	CHECK(ring_page_open(&page, big_endian ? &big : &little, draft.bytes, PAGE, PAGE));
	CHECK(!page.lost);
	CHECK_EQ(RING_RECORD, ring_page_next(&page, &raw, &len));
	CHECK_EQ(1005, page.time);
	CHECK_EQ(8, len);
	CHECK_EQ(20, raw - draft.bytes);
	CHECK_EQ(RING_RECORD, ring_page_next(&page, &raw, &len));
	CHECK_EQ(1005 + (3ll << 27) + 1 + 2, page.time);
	CHECK_EQ(12, len);
	CHECK_EQ(44, raw - draft.bytes);
	CHECK_EQ(RING_RECORD, ring_page_next(&page, &raw, &len));
	CHECK_EQ(1005 + (3ll << 27) + 1 + 2 + 7, page.time);
	CHECK_EQ(4, len);
	CHECK_EQ(RING_END, ring_page_next(&page, &raw, &len));
}

TEST(records_of_every_type_are_walked)
{
	walk_all_types(false);
	walk_all_types(true);
}

/* 59 bits of an absolute stamp: the five above are those of the time before. */
TEST(an_absolute_stamp_keeps_the_high_bits)
{
	const u64 before = (3ull << 59) + 500;
	struct draft draft = begin(before, false);
	struct ring_page page;

	head(&draft, 31, 700);
	word(&draft, 0);
	head(&draft, 1, 1);
	word(&draft, 0);
	end(&draft, 0);
	CHECK(ring_page_open(&page, &little, draft.bytes, PAGE, PAGE));
	CHECK_EQ(RING_RECORD, next(&page));
	CHECK_EQ((3ll << 59) + 701, page.time);
}

TEST(null_padding_ends_a_page)
{
	struct draft draft = begin(1, false);
	struct ring_page page;

	head(&draft, 29, 0);
	head(&draft, 1, 0);
	word(&draft, 0);
	end(&draft, 0);
	CHECK(ring_page_open(&page, &little, draft.bytes, PAGE, PAGE));
	CHECK_EQ(RING_END, next(&page));
}

TEST(losses_are_told_with_their_count_if_it_is_stored)
{
	struct draft draft = begin(1, false);
	struct ring_page page;

	end(&draft, 1u << 31);
	CHECK(ring_page_open(&page, &little, draft.bytes, PAGE, PAGE));
	CHECK(page.lost);
	CHECK_EQ(0, page.nr_lost);
	end(&draft, 1u << 31 | 1u << 30);
	put(&draft, draft.at, 284, 8);
	CHECK(ring_page_open(&page, &little, draft.bytes, PAGE, PAGE));
	CHECK(page.lost);
	CHECK_EQ(284, page.nr_lost);
}

TEST(a_length_beyond_the_page_is_refused)
{
	struct draft draft = begin(1, false);
	struct ring_page page;

	put(&draft, 8, PAGE - 16, 8);
	CHECK(ring_page_open(&page, &little, draft.bytes, PAGE, PAGE));
	put(&draft, 8, PAGE - 15, 8);
	CHECK(!ring_page_open(&page, &little, draft.bytes, PAGE, PAGE));
}

TEST(what_is_no_record_is_damage)
{
	static const struct {
		const char *what;
		u32 type, count;
		u32 words; /* behind the head and the count */
	} rows[] = {
		{ "a payload past the end", 4, 0, 2 },
		{ "a count past the end", 0, 100, 2 },
		{ "a count of nothing", 0, 0, 2 },
		{ "a count that wraps", 0, 0xfffffffc, 2 },
		{ "padding past the end", 29, 0xfffffff0, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct draft draft = begin(1, false);
		struct ring_page page;

		head(&draft, rows[i].type, 1);
		word(&draft, rows[i].count);
		draft.at += 4 * rows[i].words;
		end(&draft, 0);
		CHECK(ring_page_open(&page, &little, draft.bytes, PAGE, PAGE));
		CHECK_EQ(RING_DAMAGED, next(&page), "%s", rows[i].what);
	}
}

/* Two records of two words; the file ends inside the second. */
TEST(a_cut_page_gives_the_records_that_are_there)
{
	struct draft draft = begin(1, false);
	struct ring_page page;

	head(&draft, 2, 1);
	draft.at += 8;
	head(&draft, 2, 1);
	draft.at += 8;
	end(&draft, 0);
	CHECK(ring_page_open(&page, &little, draft.bytes, 36, PAGE));
	CHECK(page.cut);
	CHECK_EQ(RING_RECORD, next(&page));
	CHECK_EQ(RING_DAMAGED, next(&page));
	CHECK(ring_page_open(&page, &little, draft.bytes, 28, PAGE));
	CHECK_EQ(RING_RECORD, next(&page));
	CHECK_EQ(RING_DAMAGED, next(&page), "the cut itself");
}
