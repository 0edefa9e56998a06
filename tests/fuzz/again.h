/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * again - whatever a text reader makes of its input, written down and read back it must
 * be the same stream.
 */
#ifndef TESTS_FUZZ_AGAIN_H
#define TESTS_FUZZ_AGAIN_H

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "events/dump.h"
#include "events/ftrace_writer.h"
#include "events/sinks.h"
#include "input/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads through the check of the order; @more, with an on_event, gets the stream, too. */
static struct events_hash again_read(const struct input_format *format, const void *data,
				     size_t size, struct event_sink more, enum err_code *code)
{
	static const struct input_options options;
	struct events_hash hash = { 0 };
	struct events_tee tee = { 0 };
	struct events_check check = { 0 };
	struct bytes bytes;
	struct err err = ERR_NONE;

	events_tee_add(&tee, events_hash_sink(&hash));
	if (more.on_event)
		events_tee_add(&tee, more);
	check.next = events_tee_sink(&tee);
	bytes_buffer(&bytes, "fuzz", data, size);
	*code = format->read(&bytes, &options, events_check_sink(&check), &err);
	bytes_close(&bytes);
	return hash;
}

static void again_expect(const struct input_format *format, char *text, size_t len,
			 struct events_hash first)
{
	enum err_code code;
	struct events_hash second = again_read(format, text, len, (struct event_sink){ 0 }, &code);

	assert(code == OK);
	assert(first.events == second.events && first.hash == second.hash);
	free(text);
}

static void again_dump(const struct input_format *format, const uint8_t *data, size_t size)
{
	char *text;
	size_t len;
	struct events_dump dump = { .to = open_memstream(&text, &len) };
	enum err_code code;
	struct events_hash first = again_read(format, data, size, events_dump_sink(&dump), &code);

	fclose(dump.to);
	if (code == OK)
		again_expect(&input_dump, text, len, first);
	else
		free(text);
}

static void again_ftrace(const struct input_format *format, const uint8_t *data, size_t size)
{
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	struct events_ftrace *ftrace = events_ftrace_new(to);
	enum err_code code;
	struct events_hash first =
		again_read(format, data, size, events_ftrace_sink(ftrace), &code);

	events_ftrace_free(ftrace);
	fclose(to);
	if (code == OK && first.events)
		again_expect(&input_ftrace_text, text, len, first);
	else
		free(text);
}

#endif
