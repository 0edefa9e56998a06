/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/dump.h"

#include "base/mem.h"
#include "events/fields.h"

const struct events_dump_counter events_dump_counters[] = {
#define COUNTER(member)                                         \
	{                                                       \
#member, offsetof(struct event_quality, member) \
	}
	COUNTER(lost_events), COUNTER(lost_unknown), COUNTER(inversions), COUNTER(inversion_max_ns),
	COUNTER(late),        COUNTER(mismatches),   COUNTER(unparsed),
};
const u32 events_dump_nr_counters = ARRAY_SIZE(events_dump_counters);

static void put_key(struct text_out *out, const char *name)
{
	text_out_char(out, ' ');
	text_out_text(out, name);
	text_out_char(out, '=');
}

static void put_task(struct text_out *out, struct event_task task)
{
	text_out_s64(out, task.tid);
	text_out_char(out, ':');
	text_out_u64(out, task.gen);
}

static void put_cpus(struct text_out *out, const struct event_cpus *cpus)
{
	if (!cpus) {
		text_out_char(out, '-');
		return;
	}
	text_out_char(out, '[');
	for (u32 i = 0; i < cpus->nr_words; i++) {
		if (i)
			text_out_char(out, ',');
		text_out_hex(out, cpus->words[i]);
	}
	text_out_char(out, ']');
}

static void put_text(struct text_out *out, const char *text)
{
	if (text)
		text_out_quoted(out, text);
	else
		text_out_char(out, '-');
}

static void put_number(struct text_out *out, const struct event *event,
		       const struct event_field *field)
{
	s64 number = event_field_number(event, field);

	if (number >= 0 && (u64)number < field->nr_words)
		text_out_text(out, field->words[number]);
	else if (field->type == EVENT_FIELD_U64)
		text_out_u64(out, (u64)number);
	else
		text_out_s64(out, number);
}

static void put_field(struct text_out *out, const struct event *event,
		      const struct event_field *field)
{
	const void *at = (const char *)event + field->offset;

	put_key(out, field->name);
	if (field->type == EVENT_FIELD_TASK)
		put_task(out, *(const struct event_task *)at);
	else if (field->type == EVENT_FIELD_TEXT)
		put_text(out, *(const char *const *)at);
	else if (field->type == EVENT_FIELD_CPUS)
		put_cpus(out, *(const struct event_cpus *const *)at);
	else
		put_number(out, event, field);
}

/* What the kind's fields do not cover is told under the names of its places. */
static void put_rest(struct text_out *out, const struct event *event)
{
	static const char *const words[] = { "+w0", "+w1", "+w2" };
	struct event rest;

	if (event_fields_cover(event, &rest))
		return;
	if (event_task_key(rest.task)) {
		put_key(out, "+task");
		put_task(out, rest.task);
	}
	if (event_task_key(rest.other)) {
		put_key(out, "+other");
		put_task(out, rest.other);
	}
	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		if (!rest.words[i])
			continue;
		put_key(out, words[i]);
		text_out_u64(out, rest.words[i]);
	}
}

enum err_code events_dump_event(struct text_out *out, const char *before, const struct event *event)
{
	text_out_text(out, before);
	text_out_u64(out, event->time_ns);
	text_out_char(out, ' ');
	text_out_u64(out, event->seq);
	text_out_char(out, ' ');
	if (event->cpu == EVENT_NOBODY)
		text_out_char(out, '-');
	else
		text_out_s64(out, event->cpu);
	text_out_char(out, ' ');
	text_out_text(out, event_kind_name(event->kind));
	if (event->flags) {
		put_key(out, "flags");
		text_out_u64(out, event->flags);
	}
	for (const struct event_field *field = event_fields(event->kind); field->name; field++)
		put_field(out, event, field);
	put_rest(out, event);
	return text_out_line(out);
}

static void put_quoted_line(struct text_out *out, const char *before, const char *key,
			    const char *text)
{
	text_out_text(out, before);
	text_out_text(out, key);
	text_out_char(out, ' ');
	text_out_quoted(out, text);
	text_out_line(out);
}

static void put_number_line(struct text_out *out, const char *before, const char *key, u64 value)
{
	text_out_text(out, before);
	text_out_text(out, key);
	text_out_char(out, ' ');
	text_out_u64(out, value);
	text_out_line(out);
}

enum err_code events_dump_header(struct text_out *out, const char *before,
				 const struct event_header *header)
{
	bool any = false;

	put_quoted_line(out, before, "source", header->source);
	put_quoted_line(out, before, "clock", header->clock);
	put_quoted_line(out, before, "release", header->release);
	put_number_line(out, before, "cpus", header->nr_cpus);
	put_number_line(out, before, "origin_ns", header->origin_ns);
	text_out_text(out, before);
	text_out_text(out, "sees ");
	for (u32 kind = 0; kind < EVENT_NR_KINDS; kind++) {
		if (!(header->sees >> kind & 1))
			continue;
		if (any)
			text_out_char(out, ',');
		text_out_text(out, event_kind_name(kind));
		any = true;
	}
	if (!any)
		text_out_char(out, '-');
	return text_out_line(out);
}

enum err_code events_dump_quality(struct text_out *out, const char *before,
				  const struct event_quality *quality)
{
	text_out_text(out, before);
	text_out_text(out, "end");
	for (u32 i = 0; i < events_dump_nr_counters; i++) {
		const struct events_dump_counter *counter = &events_dump_counters[i];

		put_key(out, counter->name);
		text_out_u64(out, *(const u64 *)((const char *)quality + counter->offset));
	}
	put_key(out, "truncated");
	text_out_u64(out, quality->truncated);
	put_key(out, "note");
	text_out_quoted(out, quality->note);
	return text_out_line(out);
}

static enum err_code dump_begin(void *self, const struct event_header *header)
{
	struct events_dump *dump = self;

	text_out_text(&dump->out, EVENTS_DUMP_MAGIC);
	text_out_line(&dump->out);
	return events_dump_header(&dump->out, "", header);
}

static enum err_code dump_event(void *self, const struct event *event)
{
	struct events_dump *dump = self;

	return events_dump_event(&dump->out, "", event);
}

static enum err_code dump_end(void *self, const struct event_quality *quality)
{
	struct events_dump *dump = self;
	enum err_code code = events_dump_quality(&dump->out, "", quality);

	return fflush(dump->to) ? ERR_IO : code;
}

struct event_sink events_dump_sink(struct events_dump *dump)
{
	dump->out.to = dump->to;
	dump->out.nr = 0;
	return (struct event_sink){ dump, dump_begin, dump_event, dump_end };
}
