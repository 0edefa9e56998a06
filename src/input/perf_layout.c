/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/perf.h"

#define ABSENT 0xff

enum { /* attr.read_format */
	READ_ENABLED = 1 << 0,
	READ_RUNNING = 1 << 1,
	READ_ID = 1 << 2,
	READ_GROUP = 1 << 3,
	READ_LOST = 1 << 4,
};

/* A word of 8 bytes that is there if @bit is; @to may be NULL. */
struct word {
	u32 bit;
	u8 *to;
};

static void place_words(struct perf_layout *layout, u64 sample_type, const struct word *words,
			size_t nr)
{
	u8 at = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!(sample_type & words[i].bit))
			continue;
		if (words[i].to)
			*words[i].to = at;
		at = (u8)(at + 8);
	}
	layout->size = at;
}

void perf_layout_attr(struct perf_attr *attr)
{
	struct perf_layout *s = &attr->sample, *e = &attr->id;
	/* IDENTIFIER and ID are the same number at two places */
	const struct word sample[] = {
		{ PERF_SAMPLE_IDENTIFIER, NULL }, { PERF_SAMPLE_IP, NULL },
		{ PERF_SAMPLE_TID, &s->tid },     { PERF_SAMPLE_TIME, &s->time },
		{ PERF_SAMPLE_ADDR, NULL },       { PERF_SAMPLE_ID, &s->id },
		{ PERF_SAMPLE_STREAM_ID, NULL },  { PERF_SAMPLE_CPU, &s->cpu },
		{ PERF_SAMPLE_PERIOD, NULL },
	};
	const struct word end[] = {
		{ PERF_SAMPLE_TID, &e->tid }, { PERF_SAMPLE_TIME, &e->time },
		{ PERF_SAMPLE_ID, &e->id },   { PERF_SAMPLE_STREAM_ID, NULL },
		{ PERF_SAMPLE_CPU, &e->cpu }, { PERF_SAMPLE_IDENTIFIER, &e->id },
	};

	*s = *e = (struct perf_layout){ ABSENT, ABSENT, ABSENT, ABSENT, 0 };
	place_words(s, attr->sample_type, sample, ARRAY_SIZE(sample));
	place_words(e, attr->sample_id_all ? attr->sample_type : 0, end, ARRAY_SIZE(end));
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		s->id = 0;
}

bool perf_layout_all(struct perf *perf)
{
	const struct perf_attr *first = perf->attrs.at;
	bool same_type = true, same_id = true;

	vec_for_each(attr, &perf->attrs) {
		same_type &= attr->sample_type == first->sample_type;
		same_id &= attr->sample.id == first->sample.id;
	}
	perf->sample_id_at = same_id ? first->sample.id : ABSENT;
	perf->id_size = first->id.size;
	return same_type || perf->sample_id_at != ABSENT;
}

static const struct perf_attr *attr_of(struct perf *perf, u64 id)
{
	struct perf_id *cached = &perf->ids[id % PERF_IDS];

	if (!cached->used || cached->id != id) {
		const u64 *found = map_find(&perf->by_id, id);

		*cached = (struct perf_id){ id, found ? (u32)*found : 0, true };
	}
	return &perf->attrs.at[cached->attr];
}

static void take_words(const struct perf_layout *layout, const u8 *at, struct perf_sample *sample)
{
	sample->pid = sample->tid = 0;
	sample->time_ns = 0;
	sample->cpu = EVENT_NOBODY;
	if (layout->tid != ABSENT) {
		sample->pid = perf_u32(at + layout->tid);
		sample->tid = perf_u32(at + layout->tid + 4);
	}
	if (layout->time != ABSENT)
		sample->time_ns = perf_u64(at + layout->time);
	if (layout->cpu != ABSENT)
		sample->cpu = (s32)perf_u32(at + layout->cpu);
}

/* Moves @at over the counters of PERF_SAMPLE_READ; false: they do not fit. */
static bool skip_read(const struct perf_attr *attr, const u8 **at, const u8 *end)
{
	u64 format = attr->read_format, words = 1, left = (u64)(end - *at) / 8;
	u64 times = !!(format & READ_ENABLED) + !!(format & READ_RUNNING);
	u64 each = !!(format & READ_ID) + !!(format & READ_LOST);

	if (!left)
		return false;
	if (!(format & READ_GROUP)) {
		words += times + each;
	} else {
		u64 nr = perf_u64(*at);

		if (nr > left)
			return false;
		words += times + nr * (1 + each);
	}
	*at += words <= left ? words * 8 : 0;
	return words <= left;
}

static bool skip_callchain(const u8 **at, const u8 *end)
{
	u64 left = (u64)(end - *at) / 8, nr = left ? perf_u64(*at) : 0;

	if (!left || nr > left - 1)
		return false;
	*at += (nr + 1) * 8;
	return true;
}

static bool take_raw(const u8 *at, const u8 *end, struct perf_sample *sample)
{
	if (end - at < 4)
		return false;
	sample->raw_size = perf_u32(at);
	sample->raw = at + 4;
	return sample->raw_size <= (u64)(end - sample->raw);
}

bool perf_parse_sample(struct perf *perf, const struct perf_record *record,
		       struct perf_sample *sample)
{
	const u8 *at = record->at + PERF_HEADER, *end = record->at + record->size;
	const struct perf_attr *attr = perf->attrs.at;

	if (perf->sample_id_at != ABSENT) {
		if (end - at < perf->sample_id_at + 8)
			return false;
		attr = attr_of(perf, perf_u64(at + perf->sample_id_at));
	}
	if (end - at < attr->sample.size)
		return false;
	take_words(&attr->sample, at, sample);
	at += attr->sample.size;
	sample->raw = NULL;
	sample->raw_size = 0;
	if ((attr->sample_type & PERF_SAMPLE_READ) && !skip_read(attr, &at, end))
		return false;
	if ((attr->sample_type & PERF_SAMPLE_CALLCHAIN) && !skip_callchain(&at, end))
		return false;
	return !(attr->sample_type & PERF_SAMPLE_RAW) || take_raw(at, end, sample);
}

/* Every attr of one recording ends its records alike: perf sets these bits for all. */
bool perf_parse_id(struct perf *perf, const struct perf_record *record, struct perf_sample *sample)
{
	const struct perf_layout *layout = &perf->attrs.at[0].id;

	if (record->size < PERF_HEADER + layout->size)
		return false;
	take_words(layout, record->at + record->size - layout->size, sample);
	return layout->time != ABSENT;
}
