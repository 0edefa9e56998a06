/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf - what the parts of the perf.data reader share.
 *
 * perf_data.c opens and begins, perf_header.c reads what describes the file,
 * perf_tracing.c the kernel's event formats, perf_records.c walks the records,
 * perf_decode.c makes events of them.
 *
 * Numbers are little endian: a file of the other order is refused.
 * Format: tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h, v6.12.
 */
#ifndef INPUT_PERF_H
#define INPUT_PERF_H

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "events/intake.h"
#include "input/format.h"
#include "input/span.h"
#include "input/tep_fields.h"
#include "machine/machine.h"

enum {
	PERF_HEADER = 8,      /* of a record: u32 type, u16 misc, u16 size */
	PERF_FILE_HEAD = 104, /* of a file */
	PERF_PIPE_HEAD = 16,
	PERF_TYPE_TRACEPOINT = 2,
};

/* attr.sample_type */
enum {
	PERF_SAMPLE_IP = 1 << 0,
	PERF_SAMPLE_TID = 1 << 1,
	PERF_SAMPLE_TIME = 1 << 2,
	PERF_SAMPLE_ADDR = 1 << 3,
	PERF_SAMPLE_READ = 1 << 4,
	PERF_SAMPLE_CALLCHAIN = 1 << 5,
	PERF_SAMPLE_ID = 1 << 6,
	PERF_SAMPLE_CPU = 1 << 7,
	PERF_SAMPLE_PERIOD = 1 << 8,
	PERF_SAMPLE_STREAM_ID = 1 << 9,
	PERF_SAMPLE_RAW = 1 << 10,
	PERF_SAMPLE_IDENTIFIER = 1 << 16,
};

/* Where the words of fixed size lie; 0xff: not there. */
struct perf_layout {
	u8 tid, time, id, cpu;
	u8 size; /* of all of them */
};

struct perf_attr {
	u32 type;
	u64 config, sample_type, read_format;
	bool sample_id_all, task, use_clockid;
	bool cpu_buffers; /* its samples lie in the buffer of their CPU, in order */
	size_t nr_ids;    /* as many as it has buffers, or more */
	s32 clockid;
	struct perf_layout sample; /* from the start of a sample's body */
	struct perf_layout id;     /* from the start of what ends any other record */
	char name[64];             /* as perf calls it; "" if the file does not say */
};

struct perf_id { /* direct-mapped cache of perf.by_id */
	u64 id;
	u32 attr;
	bool used;
};

struct perf_comm { /* a saved cmdline */
	s32 tid;
	char comm[INTAKE_COMM];
};

struct perf_plain { /* what is decompressed */
	struct ZSTD_DCtx_s *stream;
	u8 *buf;
	size_t filled;
};

#define PERF_IDS 1024

struct perf {
	struct bytes *bytes;
	const struct input_options *options;
	struct event_sink sink;
	struct err *err;
	struct event_header header;
	struct event_quality quality; /* what is found here; the intake's own is added */
	VEC(struct perf_attr) attrs;
	struct map by_id; /* to the index in attrs */
	struct perf_id ids[PERF_IDS];
	u8 sample_id_at; /* of the id in a sample of whatever attr; 0xff: attrs[0] is all */
	u8 id_size;      /* of what ends a record that is no sample */
	struct tep_fields *fields; /* NULL: no tracing data yet */
	VEC(struct perf_comm) comms;
	struct events_intake *intake; /* NULL: not begun */
	struct intake_item item;
	struct perf_plain plain;
	u64 newest_ns, round_ns;
	u64 lost, lost_samples; /* by LOST records; by the counters read at the end */
	bool sees_fork;
};

/* One record, header included, complete. */
struct perf_record {
	const u8 *at;
	u32 type;
	u16 misc, size;
	u64 place; /* of it, or of the compressed record it was in */
};

struct perf_sample {
	u32 pid, tid;
	u64 time_ns;
	s32 cpu;
	const u8 *raw;
	u32 raw_size;
};

static inline u16 perf_u16(const u8 *at)
{
	u16 value;

	memcpy(&value, at, sizeof(value));
	return le16toh(value);
}

static inline u32 perf_u32(const u8 *at)
{
	u32 value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static inline u64 perf_u64(const u8 *at)
{
	u64 value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

/* perf_header.c */
enum err_code perf_read_file_head(struct perf *perf, u64 *data, u64 *data_end);
/* An attr of @size bytes and its ids, u64 each. */
void perf_add_attr(struct perf *perf, const u8 *attr, size_t size, const u8 *ids, size_t nr_ids);
/* What a feature section, or a record that stands for it, says. */
void perf_feature(struct perf *perf, u32 feature, const u8 *at, size_t size);
void perf_name_attr(struct perf_attr *attr, const char *name, size_t len);

/* perf_tracing.c; @place: of @at in the file.  ERR_FORMAT if its frame is damaged. */
enum err_code perf_tracing_data(struct perf *perf, const u8 *at, u64 size, u64 place);

/* perf_layout.c */
void perf_layout_attr(struct perf_attr *attr);
/* Which attr's layout a sample has: all attrs agree where its id is, or there is but one. */
bool perf_layout_all(struct perf *perf);
/* false: the sample is shorter than its attr says. */
bool perf_parse_sample(struct perf *perf, const struct perf_record *record,
		       struct perf_sample *sample);
/* What is known of a record that is no sample; false: it carries no time. */
bool perf_parse_id(struct perf *perf, const struct perf_record *record, struct perf_sample *sample);

/* perf_records.c; until @end, U64_MAX: the end of the file. */
enum err_code perf_walk(struct perf *perf, u64 at, u64 end);
void perf_damage(struct perf *perf, u64 place, const char *expected);

/* perf_decode.c */
enum err_code perf_decode(struct perf *perf, const struct perf_record *record);
/* Losses that only the counters at the end tell of. */
enum err_code perf_end_losses(struct perf *perf);

/* perf_data.c: attrs and formats are known, events follow. */
enum err_code perf_begin(struct perf *perf);

#endif
