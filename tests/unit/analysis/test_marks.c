/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

static void mark(struct stream *s, u64 us, s32 who, u32 what, bool begin, u64 id, const char *text)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_MARK,
				       .task = tid(who),
				       .other = { EVENT_NOBODY, 0 },
				       .mark = { what, begin, id, text } });
}

static const struct marks_row *row_of(const struct stream *s, u32 what, const char *text)
{
	vec_for_each(row, &s->analysis->marks.rows)
		if (row->what == what && !strcmp(row->name, text))
			return row;
	return NULL;
}

/* Frame 0 from 10 to 40, frame 1 from 20 to 90: begun by 10, ended by 11, overlapping. */
TEST(a_chain_goes_from_thread_to_thread_by_its_number)
{
	const struct analysis_options options = { .filter = FILTER_NONE };
	const struct marks_row *row;
	struct stream s;

	stream_begin(&s, &options);
	mark(&s, 10, 10, EVENT_MARK_CHAIN, true, 0, "frame");
	mark(&s, 20, 10, EVENT_MARK_CHAIN, true, 1, "frame");
	mark(&s, 40, 11, EVENT_MARK_CHAIN, false, 0, "frame");
	mark(&s, 90, 11, EVENT_MARK_CHAIN, false, 1, "frame");
	stream_end(&s);
	row = row_of(&s, EVENT_MARK_CHAIN, "frame");
	CHECK(row);
	CHECK_EQ(2, row->took.count);
	CHECK_EQ(100 * US, row->took.sum);
	CHECK_EQ(70 * US, row->took.max);
	CHECK_EQ(0, row->unmatched);
	analysis_free(s.analysis);
}

/* Two threads with requests of the same number: 30 and 50 us. */
TEST(a_request_belongs_to_its_thread)
{
	const struct analysis_options options = { .filter = FILTER_NONE };
	const struct marks_row *row;
	struct stream s;

	stream_begin(&s, &options);
	mark(&s, 10, 10, EVENT_MARK_REQUEST, true, 0, "get");
	mark(&s, 20, 11, EVENT_MARK_REQUEST, true, 0, "get");
	mark(&s, 40, 10, EVENT_MARK_REQUEST, false, 0, "get");
	mark(&s, 70, 11, EVENT_MARK_REQUEST, false, 0, "get");
	mark(&s, 80, 11, EVENT_MARK_SECTION, true, 0, "get");
	stream_end(&s);
	row = row_of(&s, EVENT_MARK_REQUEST, "get");
	CHECK_EQ(2, row->took.count);
	CHECK_EQ(80 * US, row->took.sum);
	CHECK_EQ(0, row_of(&s, EVENT_MARK_SECTION, "get")->took.count);
	analysis_free(s.analysis);
}

/* A client of two connections: from 10 to 40, from 20 to 60, from 40 to 90; one more stays open. */
TEST(requests_of_a_thread_end_in_the_order_they_began)
{
	static const struct {
		u64 us;
		bool begin;
	} rows[] = { { 5, false }, { 10, true },  { 20, true }, { 40, false },
		     { 40, true }, { 60, false }, { 60, true }, { 90, false } };
	const struct analysis_options options = { .filter = FILTER_NONE };
	const struct marks_row *row;
	struct stream s;

	stream_begin(&s, &options);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		mark(&s, rows[i].us, 10, EVENT_MARK_REQUEST, rows[i].begin, 7, "get");
	stream_end(&s);
	row = row_of(&s, EVENT_MARK_REQUEST, "get");
	CHECK_EQ(3, row->took.count);
	CHECK_EQ((30 + 40 + 50) * US, row->took.sum);
	CHECK_EQ(50 * US, row->took.max);
	CHECK_EQ(1, row->unmatched, "the end at 5");
	analysis_free(s.analysis);
}

TEST(an_end_without_a_begin_counts_for_nothing)
{
	const struct analysis_options options = { .filter = FILTER_NONE };
	struct stream s;

	stream_begin(&s, &options);
	mark(&s, 10, 10, EVENT_MARK_SECTION, false, 0, "s");
	mark(&s, 20, 10, EVENT_MARK_SECTION, true, 1, "s");
	mark(&s, 30, 10, EVENT_MARK_SECTION, true, 2, "s");
	mark(&s, 35, 10, EVENT_MARK_SECTION, false, 2, "s");
	stream_end(&s);
	CHECK_EQ(1, row_of(&s, EVENT_MARK_SECTION, "s")->took.count);
	CHECK_EQ(5 * US, row_of(&s, EVENT_MARK_SECTION, "s")->took.sum);
	CHECK_EQ(2, row_of(&s, EVENT_MARK_SECTION, "s")->unmatched);
	analysis_free(s.analysis);
}
