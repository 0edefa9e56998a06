/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/input.h"

#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static enum err_code ignore(void *self, const struct event *event)
{
	(void)self;
	(void)event;
	return OK;
}

static enum err_code read_text(const char *text, size_t len, struct err *err)
{
	const struct event_sink sink = { NULL, NULL, ignore, NULL };
	char path[] = "/tmp/input-XXXXXX";
	int fd = mkstemp(path);
	enum err_code code;

	CHECK_EQ(len, write(fd, text, len));
	close(fd);
	code = input_trace(path, NULL, sink, err);
	unlink(path);
	return code;
}

TEST(an_empty_file_is_refused)
{
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_FORMAT, read_text("", 0, &err));
	CHECK_STR("expected a trace, it is empty", err.what);
	CHECK_EQ(ERR_BYTE, err.place);
}

TEST(bytes_of_no_known_format_are_refused)
{
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_FORMAT, read_text("\x7f"
				       "ELF\2\1\1\0\0",
				       9, &err));
	CHECK_STR("expected a trace: perf.data, trace.dat, ftrace text or a fairground stream",
		  err.what);
}

TEST(a_missing_file_is_the_systems_fault)
{
	const struct event_sink sink = { NULL, NULL, ignore, NULL };
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_IO, input_trace("/nowhere/at all", NULL, sink, &err));
	CHECK_STR("/nowhere/at all", err.file);
}
