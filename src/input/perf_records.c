/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include <zstd.h>

#include "input/perf.h"

enum { /* perf's own records, tools/lib/perf/include/perf/event.h */
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

#define EVENT_UPDATE_NAME 2
#define RECORD_MAX        65536
#define PLAIN_ROOM        (RECORD_MAX + 256 * 1024)
#define STEP              (256u << 10) /* of reading, of progress, of what is forgotten */

void perf_damage(struct perf *perf, u64 place, const char *expected)
{
	if (!perf->quality.truncated)
		snprintf(perf->quality.note, sizeof(perf->quality.note),
			 "at byte %llu: expected %s", place, expected);
	perf->quality.truncated = true;
}

static struct perf_record record_at(const u8 *at, u64 place)
{
	return (struct perf_record){ at, perf_u32(at), perf_u16(at + 4), perf_u16(at + 6), place };
}

static bool plausible(const struct perf_record *record)
{
	return record->size >= PERF_HEADER && record->type;
}

static void attr_record(struct perf *perf, const struct perf_record *record)
{
	const u8 *attr = record->at + PERF_HEADER;
	u32 room = record->size - PERF_HEADER;
	u32 size = room >= 64 ? perf_u32(attr + 4) : 0;

	/* 0 is what the first version of the struct said of itself */
	if (!size)
		size = 64;
	if (size < 64 || size > room) {
		perf->quality.unparsed++;
		return;
	}
	perf_add_attr(perf, attr, size, attr + size, (room - size) / 8);
}

static void update_record(struct perf *perf, const struct perf_record *record)
{
	const u8 *at = record->at + PERF_HEADER;
	const u64 *attr;

	if (record->size < PERF_HEADER + 16 || perf_u64(at) != EVENT_UPDATE_NAME)
		return;
	attr = map_find(&perf->by_id, perf_u64(at + 8));
	if (attr)
		perf_name_attr(&perf->attrs.at[*attr], (const char *)at + 16,
			       record->size - PERF_HEADER - 16u);
}

/* The complete records in perf.plain; what is left of the last stays. */
static enum err_code walk_plain(struct perf *perf, u64 place)
{
	struct perf_plain *plain = &perf->plain;
	enum err_code code = OK;
	size_t at = 0;

	while (code == OK && plain->filled - at >= PERF_HEADER) {
		struct perf_record record = record_at(plain->buf + at, place);

		if (!plausible(&record)) {
			perf_damage(perf, place, "records in what was compressed here");
			at = plain->filled;
			break;
		}
		if (record.size > plain->filled - at)
			break;
		code = perf_decode(perf, &record);
		at += record.size;
	}
	plain->filled -= at;
	memmove(plain->buf, plain->buf + at, plain->filled);
	return code;
}

static void plain_reset(struct perf_plain *plain)
{
	if (!plain->stream) {
		plain->stream = ZSTD_createDStream();
		plain->buf = NEW_ARRAY(u8, PLAIN_ROOM);
		assert(plain->stream);
	}
	ZSTD_initDStream(plain->stream);
	plain->filled = 0;
}

/* All compressed records are one zstd stream; a record inside may span several. */
static enum err_code decompress(struct perf *perf, const u8 *at, size_t size, u64 place)
{
	struct perf_plain *plain = &perf->plain;
	ZSTD_inBuffer in = { at, size, 0 };
	ZSTD_outBuffer out;
	enum err_code code;

	if (!plain->stream)
		plain_reset(plain);
	do {
		size_t result;

		out = (ZSTD_outBuffer){ plain->buf, PLAIN_ROOM, plain->filled };
		result = ZSTD_decompressStream(plain->stream, &out, &in);
		if (ZSTD_isError(result)) {
			perf_damage(perf, place, "zstd data");
			plain_reset(plain);
			return OK;
		}
		plain->filled = out.pos;
		code = walk_plain(perf, place);
	} while (code == OK && (in.pos < in.size || out.pos == out.size));
	return code;
}

static enum err_code compressed_record(struct perf *perf, const struct perf_record *record)
{
	const u8 *at = record->at + PERF_HEADER;
	u64 size = record->size - PERF_HEADER;

	if (record->type == RECORD_COMPRESSED)
		return decompress(perf, at, (size_t)size, record->place);
	/* the second form says its size apart and is padded */
	if (size < 8 || perf_u64(at) > size - 8) {
		perf_damage(perf, record->place, "the size of compressed data");
		return OK;
	}
	return decompress(perf, at + 8, (size_t)perf_u64(at), record->place);
}

/* The blob follows its record. */
static enum err_code tracing_record(struct perf *perf, const struct perf_record *record, u64 *next)
{
	u64 size, at = *next;
	const u8 *blob;

	if (record->size < PERF_HEADER + 4) {
		perf_damage(perf, record->place, "the size of the tracing data");
		return OK;
	}
	size = perf_u32(record->at + PERF_HEADER);
	*next += size;
	blob = bytes_at(perf->bytes, at, (size_t)size);
	if (blob)
		return perf_tracing_data(perf, blob, size, at);
	perf_damage(perf, at, "the whole of the tracing data");
	return OK;
}

static enum err_code one_record(struct perf *perf, const struct perf_record *record, u64 *next)
{
	switch (record->type) {
	case RECORD_HEADER_ATTR:
		/* layouts are settled once events came */
		if (!perf->intake)
			attr_record(perf, record);
		return OK;
	case RECORD_EVENT_UPDATE:
		update_record(perf, record);
		return OK;
	case RECORD_FEATURE:
		if (record->size >= PERF_HEADER + 8)
			perf_feature(perf, perf_u32(record->at + PERF_HEADER),
				     record->at + PERF_HEADER + 8, record->size - PERF_HEADER - 8u);
		return OK;
	case RECORD_TRACING_DATA:
		return perf->intake ? OK : tracing_record(perf, record, next);
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return compressed_record(perf, record);
	default:
		return perf_decode(perf, record);
	}
}

static void progress(struct perf *perf, u64 at)
{
	u64 total = perf->bytes->map ? perf->bytes->size : 0;

	bytes_forget(perf->bytes, at);
	if (perf->options->progress)
		perf->options->progress(perf->options->progress_self, at, total);
}

/*
 * The records of a chunk, up to one that is not whole or that moves *@at itself.  How far
 * it got is *@at; false: what comes next is no record.
 */
static bool walk_chunk(struct perf *perf, const u8 *chunk, size_t size, u64 *at,
		       enum err_code *code)
{
	u64 place = *at, next;

	while (*code == OK && size >= PERF_HEADER) {
		struct perf_record record = record_at(chunk, place);

		if (!plausible(&record))
			return false;
		if (record.size > size)
			break;
		next = place + record.size;
		*code = one_record(perf, &record, &next);
		*at = next;
		if (next != place + record.size)
			break;
		chunk += record.size;
		size -= record.size;
		place = next;
	}
	return true;
}

enum err_code perf_walk(struct perf *perf, u64 at, u64 end)
{
	enum err_code code = OK;

	while (code == OK && at < end) {
		size_t want = end - at < STEP ? (size_t)(end - at) : STEP;
		size_t left;
		const u8 *chunk = bytes_chunk(perf->bytes, at, want, &left);
		u64 from = at;

		if (!left)
			break;
		if (!walk_chunk(perf, chunk, left, &at, &code)) {
			perf_damage(perf, at, "a record");
			break;
		}
		if (at == from) {
			perf_damage(perf, at, "the whole of a record, the file ends");
			break;
		}
		progress(perf, at);
	}
	if (code == OK && perf->plain.filled)
		perf_damage(perf, at, "the rest of a compressed record");
	return code;
}
