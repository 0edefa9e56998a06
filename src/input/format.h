/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format - one row per trace format; input_trace() asks each in turn.
 */
#ifndef INPUT_FORMAT_H
#define INPUT_FORMAT_H

#include "input/bytes.h"
#include "input/input.h"

#define INPUT_HEAD 4096 /* as many first bytes as detection may look at */

struct input_format {
	const char *name; /* event_header.source */
	/* Does a file that begins with @head look like this format? */
	bool (*detect)(const u8 *head, size_t len);
	enum err_code (*read)(struct bytes *bytes, const struct input_options *options,
			      struct event_sink sink, struct err *err);
};

extern const struct input_format input_perf_data;
extern const struct input_format input_trace_dat;
extern const struct input_format input_ftrace_text; /* also perf script, atrace, systrace */
extern const struct input_format input_dump;        /* events/dump.h */

#endif
