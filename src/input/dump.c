/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/dump.h"

#include "input/dump_line.h"
#include "input/format.h"
#include "input/lines.h"

#define MAGIC_LEN (sizeof(EVENTS_DUMP_MAGIC) - 1)

struct reader {
	struct bytes *bytes;
	struct err *err;
	struct lines lines;
	struct dump_memory memory;
	struct dump_feed feed;
	struct event_header header;
	struct event_quality quality; /* the stream's own, from its last line */
	u64 bad, first_bad;           /* lines */
	bool ended;
};

static bool detect(const u8 *head, size_t len)
{
	return len > MAGIC_LEN && !memcmp(head, EVENTS_DUMP_MAGIC, MAGIC_LEN) &&
	       (head[MAGIC_LEN] == '\n' || head[MAGIC_LEN] == '\r');
}

static void strip_return(struct line *line)
{
	if (line->len && line->at[line->len - 1] == '\r')
		line->len--;
}

static enum err_code refuse(struct reader *reader, const char *expected)
{
	return err_line(reader->err, ERR_FORMAT, reader->bytes->path, reader->lines.number,
			"expected %s", expected);
}

/*
 * Before the first event a fault refuses the file; after it the line is counted.  A
 * last line without its end may be cut anywhere, and is only what is missing.
 */
static enum err_code bad_line(struct reader *reader)
{
	if (!reader->feed.begun)
		return refuse(reader, "a line of the header or an event of a fairground stream");
	if (reader->lines.unended)
		return OK;
	if (!reader->bad++)
		reader->first_bad = reader->lines.number;
	return OK;
}

static enum err_code take_line(struct reader *reader, const struct line *line)
{
	struct event event;

	if (!line->len || line->at[0] == '#')
		return OK;
	if (reader->ended || reader->lines.cut)
		return bad_line(reader);
	if (dump_quality_line(line->at, line->len, &reader->quality)) {
		reader->ended = true;
		return OK;
	}
	if (reader->lines.unended) /* a number may lack its last digits */
		return bad_line(reader);
	if (dump_event_line(line->at, line->len, &reader->memory, &event)) {
		if (dump_feed_event(&reader->feed, &reader->header, &event))
			return reader->feed.code;
		return bad_line(reader);
	}
	if (!reader->feed.begun && dump_header_line(line->at, line->len, &reader->header))
		return OK;
	return bad_line(reader);
}

static void note_faults(struct reader *reader)
{
	struct event_quality *quality = &reader->quality;

	if (!reader->ended)
		quality->truncated = true;
	if (!reader->bad)
		return;
	quality->unparsed += reader->bad;
	snprintf(quality->note, sizeof(quality->note), "line %llu: expected an event that follows",
		 reader->first_bad);
}

static enum err_code read_lines(struct reader *reader)
{
	struct line line;
	enum err_code code = OK;

	while (code == OK && lines_next(&reader->lines, &line)) {
		strip_return(&line);
		code = take_line(reader, &line);
	}
	if (code != OK && code != ERR_STOP)
		return code;
	if (!reader->feed.begun && !reader->ended)
		return refuse(reader, "events or an end after the header");
	note_faults(reader);
	return dump_feed_end(&reader->feed, &reader->header, &reader->quality);
}

static enum err_code read_dump(struct bytes *bytes, const struct input_options *options,
			       struct event_sink sink, struct err *err)
{
	struct reader reader = { .bytes = bytes, .err = err, .feed = { .sink = sink } };
	enum err_code code;

	lines_begin(&reader.lines, bytes, options);
	code = read_lines(&reader);
	dump_memory_fini(&reader.memory);
	return code;
}

const struct input_format input_dump = { "fairground stream", detect, read_dump };
