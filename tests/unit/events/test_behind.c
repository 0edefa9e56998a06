/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/behind.h"

#include "events/sinks.h"
#include "test.h"

#define NR 100000

/* What a sink saw, and after how many events it has had enough (0: never). */
struct seen {
	u64 events, hash, enough, begun, ended;
	char last[16]; /* the text of the last name */
};

static enum err_code seen_begin(void *self, const struct event_header *header)
{
	struct seen *seen = self;

	(void)header;
	seen->begun++;
	return OK;
}

static enum err_code seen_event(void *self, const struct event *event)
{
	struct seen *seen = self;

	seen->events++;
	seen->hash = seen->hash * 31 + event->time_ns;
	if (event->kind == EVENT_NAME)
		snprintf(seen->last, sizeof(seen->last), "%s", event->name.text);
	return seen->events == seen->enough ? ERR_STOP : OK;
}

static enum err_code seen_end(void *self, const struct event_quality *quality)
{
	struct seen *seen = self;

	(void)quality;
	seen->ended++;
	return OK;
}

static struct events_behind *behind_new(struct seen *seen)
{
	return events_behind_new((struct event_sink){ seen, seen_begin, seen_event, seen_end });
}

/* NR events in batches of up to 200; stops as soon as the sink says so.  How many were told. */
static u64 tell(const struct event_sink *sink, enum err_code *code)
{
	struct event events[200] = { 0 };
	u64 told = 0;
	u32 nr = 1;

	*code = sink->on_begin(sink->self, &(struct event_header){ 0 });
	while (*code == OK && told < NR) {
		nr = nr % 200 + 1;
		for (u32 i = 0; i < nr; i++)
			events[i] = (struct event){ .time_ns = told + i, .kind = EVENT_RUNTIME };
		*code = sink->on_events(sink->self, events, nr);
		told += nr;
	}
	return told;
}

TEST(the_sink_gets_the_same_events_in_the_same_order)
{
	struct seen seen = { 0 };
	struct events_behind *behind = behind_new(&seen);
	struct event_sink sink = events_behind_sink(behind);
	enum err_code code;
	u64 told = tell(&sink, &code), hash = 0;

	CHECK_EQ(OK, code);
	CHECK_EQ(OK, sink.on_end(sink.self, &(struct event_quality){ 0 }));
	for (u64 i = 0; i < told; i++)
		hash = hash * 31 + i;
	CHECK_EQ(told, seen.events);
	CHECK_EQ(hash, seen.hash);
	CHECK_EQ(1, seen.begun);
	CHECK_EQ(1, seen.ended);
	events_behind_free(behind);
}

TEST(what_events_point_to_is_copied)
{
	struct seen seen = { 0 };
	struct events_behind *behind = behind_new(&seen);
	struct event_sink sink = events_behind_sink(behind);
	char text[] = "before";
	struct event name = { .kind = EVENT_NAME, .name = { .text = text, .len = 6 } };

	CHECK_EQ(OK, sink.on_begin(sink.self, &(struct event_header){ 0 }));
	CHECK_EQ(OK, sink.on_event(sink.self, &name));
	memcpy(text, "after!", sizeof(text));
	CHECK_EQ(OK, sink.on_end(sink.self, &(struct event_quality){ 0 }));
	CHECK_STR("before", seen.last);
	events_behind_free(behind);
}

/* A ring of 64 batches of 64 at most is told more than the sink has seen. */
TEST(a_sink_that_has_had_enough_stops_the_source)
{
	struct seen seen = { .enough = 1000 };
	struct events_behind *behind = behind_new(&seen);
	struct event_sink sink = events_behind_sink(behind);
	enum err_code code;
	u64 told = tell(&sink, &code);

	CHECK_EQ(ERR_STOP, code);
	CHECK(told <= 1000 + 2 * 64 * 64, "told %llu", told);
	CHECK_EQ(ERR_STOP, sink.on_end(sink.self, &(struct event_quality){ 0 }));
	CHECK_EQ(1000, seen.events);
	CHECK_EQ(0, seen.ended);
	events_behind_free(behind);
}

TEST(a_stream_without_an_end_is_worked_on_to_its_last_event)
{
	struct seen seen = { 0 };
	struct events_behind *behind = behind_new(&seen);
	struct event_sink sink = events_behind_sink(behind);
	enum err_code code;
	u64 told = tell(&sink, &code);

	events_behind_free(behind);
	CHECK_EQ(told, seen.events);
	CHECK_EQ(0, seen.ended);
	events_behind_free(NULL);
}
