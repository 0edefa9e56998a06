/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines - a file or a pipe line by line, in constant memory.
 *
 * A line ends at '\n' or at the end; a '\r' before that stays.  A line longer than
 * LINES_MAX is given cut to its first LINES_MAX bytes, and the rest is passed over.
 */
#ifndef INPUT_LINES_H
#define INPUT_LINES_H

#include "input/bytes.h"
#include "input/input.h"

#define LINES_MAX (64u << 10)

struct lines {
	struct bytes *bytes;
	const struct input_options *options;
	u64 base; /* offset of window */
	const char *window;
	size_t filled, at;
	u64 number;   /* of the line given last, from 1 */
	bool cut;     /* it was longer than LINES_MAX */
	bool unended; /* it had no '\n': the file ends with it */
};

struct line {
	const char *at; /* valid until the next call of lines_next() */
	size_t len;
};

void lines_begin(struct lines *lines, struct bytes *bytes, const struct input_options *options);
/* False at the end. */
bool lines_next(struct lines *lines, struct line *line);
/* What can be seen of what follows, without reading far ahead: for guesses. */
struct line lines_ahead(const struct lines *lines);

#endif
