/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collect - a sink that keeps what it is given, texts copied, and the hash; and the
 * two text readers on a buffer.
 */
#ifndef TESTS_COLLECT_H
#define TESTS_COLLECT_H

#include <stdlib.h>

#include "base/vec.h"
#include "events/sinks.h"
#include "input/format.h"
#include "test.h"

struct kept {
	struct event event;
	char text[64]; /* of NAME, CGROUP, MARK */
};

struct collect {
	VEC(struct kept) events;
	struct event_header header;
	struct event_quality quality;
	struct events_hash hash;
	u64 of_kind[EVENT_NR_KINDS];
	bool begun, ended;
	struct event_sink hash_sink;
	struct err err;
	enum err_code code;
};

static enum err_code collect_begin(void *self, const struct event_header *header)
{
	struct collect *collect = self;

	CHECK(!collect->begun && !collect->ended);
	collect->begun = true;
	collect->header = *header;
	return OK;
}

static enum err_code collect_event(void *self, const struct event *event)
{
	struct collect *collect = self;
	struct kept *kept = vec_add(&collect->events);
	const char *text = event->kind == EVENT_NAME     ? event->name.text
			   : event->kind == EVENT_MARK   ? event->mark.name
			   : event->kind == EVENT_CGROUP ? event->cgroup.name
							 : NULL;

	CHECK(collect->begun && !collect->ended);
	kept->event = *event;
	snprintf(kept->text, sizeof(kept->text), "%s", text ? text : "");
	collect->of_kind[event->kind]++;
	return collect->hash_sink.on_event(collect->hash_sink.self, event);
}

static enum err_code collect_end(void *self, const struct event_quality *quality)
{
	struct collect *collect = self;

	CHECK(collect->begun && !collect->ended);
	collect->ended = true;
	collect->quality = *quality;
	return OK;
}

static inline struct event_sink collect_sink(struct collect *collect)
{
	collect->hash_sink = events_hash_sink(&collect->hash);
	return (struct event_sink){ collect, collect_begin, collect_event, collect_end };
}

/* Reads @len bytes through the check of the order; collect->code is what came back. */
static inline void collect_bytes(struct collect *collect, const struct input_format *format,
				 const char *text, size_t len)
{
	static const struct input_options none;
	struct events_check check = { .next = collect_sink(collect) };
	struct bytes bytes;
	char *copy = malloc(len ? len : 1); /* of the very size, so that ASan sees the end */

	memcpy(copy, text, len);
	bytes_buffer(&bytes, "buffer", copy, len);
	collect->code = format->read(&bytes, &none, events_check_sink(&check), &collect->err);
	bytes_close(&bytes);
	free(copy);
}

static inline void collect_text(struct collect *collect, const char *text)
{
	collect_bytes(collect, &input_ftrace_text, text, strlen(text));
}

static inline void collect_fini(struct collect *collect)
{
	vec_free(&collect->events);
}

/* The @n-th event (from 0) of a kind. */
static inline const struct kept *collect_find(const struct collect *collect, u32 kind, u32 n)
{
	for (size_t i = 0; i < collect->events.nr; i++)
		if (collect->events.at[i].event.kind == kind && !n--)
			return &collect->events.at[i];
	test_fail(__FILE__, __LINE__, "an event of this kind", "%u", kind);
}

/* A whole file; NULL if it cannot be read.  The caller frees it. */
static inline char *collect_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	VEC(char) text = { 0 };
	size_t got;

	if (!file)
		return NULL;
	do {
		vec_reserve(&text, text.nr + (64 << 10));
		got = fread(text.at + text.nr, 1, 64 << 10, file);
		text.nr += got;
	} while (got);
	fclose(file);
	*len = text.nr;
	return text.at;
}

#endif
