/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/input.h"

#include <string.h>

#include "input/format.h"

/* Binary formats first: text is the most lenient and is asked last. */
static const struct input_format *const formats[] = {
	&input_perf_data, &input_trace_dat, &input_dump, &input_ftrace_text, NULL,
};

static const struct input_format *detect(const u8 *head, size_t len)
{
	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->detect(head, len))
			return formats[i];
	return NULL;
}

static enum err_code read_trace(struct bytes *bytes, const struct input_options *options,
				struct event_sink sink, struct err *err)
{
	size_t len = bytes_left(bytes, 0, INPUT_HEAD);
	const struct input_format *format;

	if (!len)
		return err_byte(err, ERR_FORMAT, bytes->path, 0, "expected a trace, it is empty");
	format = detect(bytes_at(bytes, 0, len), len);
	if (!format)
		return err_byte(err, ERR_FORMAT, bytes->path, 0,
				"expected a trace: perf.data, trace.dat, ftrace text or a "
				"fairground stream");
	return format->read(bytes, options, sink, err);
}

enum err_code input_trace(const char *path, const struct input_options *options,
			  struct event_sink sink, struct err *err)
{
	static const struct input_options no_options;
	struct bytes bytes;
	enum err_code code = bytes_open(&bytes, path, err);

	if (code != OK)
		return code;
	code = read_trace(&bytes, options ? options : &no_options, sink, err);
	bytes_close(&bytes);
	return code == ERR_STOP ? OK : code;
}
