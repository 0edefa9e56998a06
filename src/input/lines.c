/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/lines.h"

#include <string.h>

#define WINDOW (256u << 10) /* more than LINES_MAX, so that a whole line fits */

static void refill(struct lines *lines)
{
	u64 from = lines->base + lines->at;

	bytes_forget(lines->bytes, from);
	lines->filled = bytes_left(lines->bytes, from, WINDOW);
	lines->window = (const char *)bytes_at(lines->bytes, from, lines->filled);
	lines->base = from;
	lines->at = 0;
	if (lines->options->progress)
		lines->options->progress(lines->options->progress_self, from, lines->bytes->size);
}

void lines_begin(struct lines *lines, struct bytes *bytes, const struct input_options *options)
{
	*lines = (struct lines){ .bytes = bytes, .options = options };
	refill(lines);
}

/* The '\n' of the line that begins at lines->at, or NULL if the window ends before. */
static const char *line_end(const struct lines *lines)
{
	return memchr(lines->window + lines->at, '\n', lines->filled - lines->at);
}

/* Passes over the rest of a line that was cut. */
static void skip_rest(struct lines *lines)
{
	const char *end;

	while (!(end = line_end(lines))) {
		lines->at = lines->filled;
		refill(lines);
		if (!lines->filled)
			return;
	}
	lines->at = (size_t)(end - lines->window) + 1;
}

bool lines_next(struct lines *lines, struct line *line)
{
	const char *end;

	if (lines->cut)
		skip_rest(lines);
	lines->cut = false;
	end = line_end(lines);
	if (!end) {
		refill(lines);
		if (!lines->filled)
			return false;
		end = line_end(lines);
	}
	lines->number++;
	lines->unended = !end;
	line->at = lines->window + lines->at;
	line->len = end ? (size_t)(end - line->at) : lines->filled - lines->at;
	if (line->len > LINES_MAX) {
		line->len = LINES_MAX;
		lines->cut = true;
		lines->at += LINES_MAX;
	} else {
		lines->at += line->len + !lines->unended;
	}
	return true;
}

struct line lines_ahead(const struct lines *lines)
{
	return (struct line){ lines->window + lines->at, lines->filled - lines->at };
}
