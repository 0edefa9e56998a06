/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_own.h"

#include <string.h>

#include "events/fields.h"
#include "events/ftrace_writer.h"

void ftrace_own_fini(struct ftrace_own *own)
{
	dump_memory_fini(&own->memory);
}

bool ftrace_own_magic(const struct line *line)
{
	size_t len = sizeof(EVENTS_FTRACE_MAGIC) - 1;

	return line->len == len && !memcmp(line->at, EVENTS_FTRACE_MAGIC, len);
}

static bool feed(struct ftrace_own *own, struct event *event)
{
	event->seq = own->seq + 1;
	if (!dump_feed_event(&own->feed, &own->header, event))
		return false;
	own->seq++;
	return true;
}

static bool is_about(const struct line *line, const char *front, struct line *rest)
{
	size_t len = strlen(front);

	if (line->len < len || memcmp(line->at, front, len))
		return false;
	*rest = (struct line){ line->at + len, line->len - len };
	return true;
}

bool ftrace_own_comment(struct ftrace_own *own, const struct line *line)
{
	struct event event;
	struct line rest;

	if (is_about(line, EVENTS_FTRACE_EXACT, &rest)) {
		own->has_exact = dump_event_line(rest.at, rest.len, &own->memory, &own->exact) &&
				 event_kind_is_kernel(own->exact.kind);
		return own->has_exact;
	}
	if (!is_about(line, EVENTS_FTRACE_LINE, &rest) || ftrace_own_magic(line))
		return true;
	if (dump_event_line(rest.at, rest.len, &own->memory, &event))
		return !event_kind_is_kernel(event.kind) && feed(own, &event);
	if (dump_quality_line(rest.at, rest.len, &own->quality)) {
		own->ended = true;
		return true;
	}
	return !own->feed.begun && dump_header_line(rest.at, rest.len, &own->header);
}

/* The line has no generations: 0, and the CPU's number for its idle task. */
static void name_idle(struct event *event)
{
	const struct event_field *field = event_fields(event->kind);

	for (; field->name; field++) {
		struct event_task *task = (struct event_task *)((char *)event + field->offset);

		if (field->type == EVENT_FIELD_TASK && !task->tid)
			task->gen = (u32)event->cpu;
	}
}

/* What the kind does not speak of is zero in a stream. */
static void clear_unsaid(struct event *event)
{
	struct event rest;

	if (event_fields_cover(event, &rest))
		return;
	if (rest.task.tid)
		event->task = (struct event_task){ 0 };
	if (rest.other.tid)
		event->other = (struct event_task){ 0 };
}

bool ftrace_own_item(struct ftrace_own *own, const struct intake_item *item)
{
	struct event event;
	bool has_exact = own->has_exact;

	own->has_exact = false;
	if (has_exact)
		return feed(own, &own->exact);
	if (!item)
		return true;
	if (item->event.time_ns < own->header.origin_ns)
		return false;
	event = item->event;
	event.time_ns -= own->header.origin_ns;
	clear_unsaid(&event);
	name_idle(&event);
	return feed(own, &event);
}
