/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input - everything that comes from outside as bytes.
 *
 * A trace of any format goes through input_trace(): the format is found from the
 * content, never from the name.  Bad input is ERR_FORMAT with the file, the place
 * and what was expected; a trace that is damaged after a good start gives what it
 * has and says so in event_quality.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "base/err.h"
#include "events/event.h"

struct input_options {
	/* called now and then with the share of the file read; may be NULL */
	void (*progress)(void *self, u64 done, u64 total);
	void *progress_self;
};

/*
 * Reads @path ("-": standard input) to its end into @sink.  A sink that says ERR_STOP
 * ends it early: OK.  ERR_IO without a message in @err is the sink's own.
 */
enum err_code input_trace(const char *path, const struct input_options *options,
			  struct event_sink sink, struct err *err);

#endif
