/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/perf.h"

enum { /* features: bits of the file head, in the order of their sections */
	FEATURE_TRACING_DATA = 1,
	FEATURE_OSRELEASE = 4,
	FEATURE_NRCPUS = 7,
	FEATURE_EVENT_DESC = 12,
	NR_FEATURES = 256,
};

enum { /* struct perf_event_attr */
	ATTR_SIZE_MIN = 64,
	ATTR_CONFIG = 8,
	ATTR_SAMPLE_TYPE = 24,
	ATTR_READ_FORMAT = 32,
	ATTR_FLAGS = 40,
	ATTR_CLOCKID = 92,
};

enum { /* bits of ATTR_FLAGS */
	FLAG_INHERIT = 1,
	FLAG_TASK = 13,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_USE_CLOCKID = 25,
	FLAG_WRITE_BACKWARD = 27,
};

void perf_add_attr(struct perf *perf, const u8 *at, size_t size, const u8 *ids, size_t nr_ids)
{
	u32 index = (u32)perf->attrs.nr;
	struct perf_attr *attr = vec_add(&perf->attrs);
	u64 flags = perf_u64(at + ATTR_FLAGS);

	attr->type = perf_u32(at);
	attr->config = perf_u64(at + ATTR_CONFIG);
	attr->sample_type = perf_u64(at + ATTR_SAMPLE_TYPE);
	attr->read_format = perf_u64(at + ATTR_READ_FORMAT);
	attr->nr_ids = nr_ids;
	attr->cpu_buffers = flags >> FLAG_INHERIT & 1 && !(flags >> FLAG_WRITE_BACKWARD & 1);
	attr->task = flags >> FLAG_TASK & 1;
	attr->sample_id_all = flags >> FLAG_SAMPLE_ID_ALL & 1;
	attr->use_clockid = flags >> FLAG_USE_CLOCKID & 1 && size >= ATTR_CLOCKID + 4;
	attr->clockid = attr->use_clockid ? (s32)perf_u32(at + ATTR_CLOCKID) : 0;
	perf_layout_attr(attr);
	for (size_t i = 0; i < nr_ids; i++)
		*map_add(&perf->by_id, perf_u64(ids + i * 8)) = index;
}

void perf_name_attr(struct perf_attr *attr, const char *name, size_t len)
{
	len = strnlen(name, len);
	if (len >= sizeof(attr->name))
		len = sizeof(attr->name) - 1;
	memcpy(attr->name, name, len);
	attr->name[len] = '\0';
}

/* perf's strings: u32 size, then the text, padded with NULs. */
static const char *take_string(struct span *span, size_t *len)
{
	u64 size = span_number(span, 4, "the length of a string");

	*len = (size_t)size;
	return (const char *)span_take(span, size, "a string");
}

/* The names of the attrs, in their order. */
static void take_event_desc(struct perf *perf, struct span *span)
{
	u64 nr = span_number(span, 4, "a number of events");
	u64 attr_size = span_number(span, 4, "the size of an attr");

	for (u64 i = 0; i < nr && i < perf->attrs.nr; i++) {
		const char *name;
		size_t len;
		u64 ids;

		span_take(span, attr_size, "an attr");
		ids = span_number(span, 4, "a number of ids");
		name = take_string(span, &len);
		if (name)
			perf_name_attr(&perf->attrs.at[i], name, len);
		span_take(span, ids * 8, "ids");
		if (span->missing)
			return;
	}
}

void perf_feature(struct perf *perf, u32 feature, const u8 *at, size_t size)
{
	struct span span = { .bytes = at, .end = size };
	const char *text;
	size_t len;

	if (feature == FEATURE_OSRELEASE) {
		text = take_string(&span, &len);
		if (text)
			snprintf(perf->header.release, sizeof(perf->header.release), "%.*s",
				 (int)strnlen(text, len), text);
	} else if (feature == FEATURE_NRCPUS) {
		u64 nr = span_number(&span, 4, "a number of CPUs");

		perf->header.nr_cpus = nr <= MACHINE_MAX_CPUS ? (u32)nr : 0;
	} else if (feature == FEATURE_EVENT_DESC) {
		take_event_desc(perf, &span);
	}
}

/* A part of the file by a section's two words; NULL: it is not in the file. */
static const u8 *section(struct perf *perf, const u8 *words, u64 *offset, u64 *size)
{
	*offset = perf_u64(words);
	*size = perf_u64(words + 8);
	return bytes_at(perf->bytes, *offset, (size_t)*size);
}

static enum err_code read_attrs(struct perf *perf, const u8 *head)
{
	const char *path = perf->bytes->path;
	u64 each = perf_u64(head + 16), offset, size, ids_offset, ids_size;
	u64 most_ids = perf->bytes->size / 8; /* more would be listed twice */
	const u8 *attrs = section(perf, head + 24, &offset, &size);

	if (each < ATTR_SIZE_MIN + 16 || each > 65536)
		return err_byte(perf->err, ERR_FORMAT, path, 16,
				"expected the size of an attr, found %llu", each);
	if (!attrs || size < each)
		return err_byte(perf->err, ERR_FORMAT, path, 24,
				"expected the attrs within the file: it ends at byte %llu",
				perf->bytes->size);
	for (u64 at = 0; size - at >= each; at += each) {
		const u8 *ids = section(perf, attrs + at + each - 16, &ids_offset, &ids_size);

		if (!ids || ids_size / 8 > most_ids)
			return err_byte(perf->err, ERR_FORMAT, path, offset + at + each - 16,
					"expected the ids of an attr within the file");
		most_ids -= ids_size / 8;
		perf_add_attr(perf, attrs + at, (size_t)each - 16, ids, (size_t)(ids_size / 8));
	}
	return OK;
}

/* The sections' table follows the data, a row for each bit that is set. */
static enum err_code read_features(struct perf *perf, const u8 *head, u64 table)
{
	enum err_code code = OK;

	for (u32 bit = 0; bit < NR_FEATURES && code == OK; bit++) {
		const u8 *row, *at;
		u64 offset, size;

		if (!(head[72 + bit / 8] >> (bit % 8) & 1))
			continue;
		row = bytes_at(perf->bytes, table, 16);
		table += 16;
		at = row ? section(perf, row, &offset, &size) : NULL;
		if (!at)
			perf->quality.truncated = true;
		else if (bit == FEATURE_TRACING_DATA)
			code = perf_tracing_data(perf, at, size, offset);
		else
			perf_feature(perf, bit, at, (size_t)size);
	}
	return code;
}

/*
 * Where the records end in a file whose head was never completed: at the first that
 * cannot be one.  The table of sections, if there is one, has zeros there.
 */
static u64 find_end(struct perf *perf, u64 at)
{
	const u8 *record;

	while ((record = bytes_at(perf->bytes, at, PERF_HEADER))) {
		u16 size = perf_u16(record + 6);

		if (size < PERF_HEADER || !perf_u32(record) || at + size > perf->bytes->size)
			break;
		at += size;
	}
	return at;
}

enum err_code perf_read_file_head(struct perf *perf, u64 *data, u64 *data_end)
{
	const u8 *head = bytes_at(perf->bytes, 0, PERF_FILE_HEAD);
	u64 size;
	enum err_code code;

	if (!head)
		return err_byte(perf->err, ERR_FORMAT, perf->bytes->path, perf->bytes->size,
				"expected a file head of %d bytes, the file ends", PERF_FILE_HEAD);
	code = read_attrs(perf, head);
	if (code != OK)
		return code;
	*data = perf_u64(head + 40);
	size = perf_u64(head + 48);
	if (*data < PERF_FILE_HEAD || *data > perf->bytes->size)
		return err_byte(perf->err, ERR_FORMAT, perf->bytes->path, 40,
				"expected the data within the file: it ends at byte %llu",
				perf->bytes->size);
	*data_end = *data + size;
	if (!size) {
		perf_damage(perf, 48, "the size of the data: the recording was killed");
		*data_end = find_end(perf, *data);
	} else if (size > perf->bytes->size - *data) {
		perf_damage(perf, perf->bytes->size, "more data");
		*data_end = perf->bytes->size;
	}
	return read_features(perf, head, *data_end);
}
