/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/lines.h"

#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static const struct input_options none;

TEST(lines_end_at_newlines_and_at_the_end)
{
	static const char text[] = "one\n\nthree\r\nfour";
	static const char *const want[] = { "one", "", "three\r", "four" };
	struct bytes bytes;
	struct lines lines;
	struct line line;

	bytes_buffer(&bytes, "buffer", text, strlen(text));
	lines_begin(&lines, &bytes, &none);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		CHECK(lines_next(&lines, &line));
		CHECK_EQ(i + 1, lines.number);
		CHECK_EQ(strlen(want[i]), line.len);
		CHECK(!memcmp(want[i], line.at, line.len), "%zu", i);
		CHECK_EQ(i == 3, lines.unended);
	}
	CHECK(!lines_next(&lines, &line));
	CHECK(!lines_next(&lines, &line));
}

/* @nr lines of 'x', of lengths around the limit, then "end". */
static void check_lengths(struct bytes *bytes, const size_t *lengths, size_t nr)
{
	struct lines lines;
	struct line line;

	lines_begin(&lines, bytes, &none);
	for (size_t i = 0; i < nr; i++) {
		CHECK(lines_next(&lines, &line));
		CHECK_EQ(lengths[i] > LINES_MAX, lines.cut, "%zu", lengths[i]);
		CHECK_EQ(lengths[i] > LINES_MAX ? LINES_MAX : lengths[i], line.len);
		CHECK(line.at[0] == 'x' && line.at[line.len - 1] == 'x');
	}
	CHECK(lines_next(&lines, &line));
	CHECK_EQ(nr + 1, lines.number);
	CHECK(line.len == 3 && !memcmp(line.at, "end", 3));
	CHECK(!lines_next(&lines, &line));
}

TEST(a_line_that_is_too_long_is_cut_and_counts_once)
{
	static const size_t lengths[] = { LINES_MAX - 1, LINES_MAX, LINES_MAX + 1, 1,
					  5 << 20,       7,         300 << 10,     LINES_MAX + 2 };
	size_t size = 0;
	char *text = malloc(16 << 20);
	struct bytes bytes;
	int ends[2];

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(text + size, 'x', lengths[i]);
		size += lengths[i];
		text[size++] = '\n';
	}
	memcpy(text + size, "end", 3);
	size += 3;
	bytes_buffer(&bytes, "buffer", text, size);
	check_lengths(&bytes, lengths, ARRAY_SIZE(lengths));
	/* the same through a pipe */
	CHECK_EQ(0, pipe(ends));
	if (!fork()) {
		for (size_t at = 0; at < size;) {
			ssize_t put = write(ends[1], text + at, size - at);

			if (put <= 0)
				break;
			at += (size_t)put;
		}
		_exit(0);
	}
	close(ends[1]);
	bytes_close(&bytes);
	bytes = (struct bytes){ .path = "pipe", .fd = ends[0] };
	check_lengths(&bytes, lengths, ARRAY_SIZE(lengths));
	CHECK(bytes.room < 4 << 20, "memory stays bounded: %zu", bytes.room);
	bytes_close(&bytes);
	free(text);
}
