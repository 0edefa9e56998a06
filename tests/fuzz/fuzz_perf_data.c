/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdint.h>

#include "events/sinks.h"
#include "input/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum err_code ignore(void *self, const struct event *event)
{
	(void)self;
	(void)event;
	return OK;
}

/* The check asserts that what comes out is a stream, whatever went in. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct input_options options;
	struct events_check check = { .next = { NULL, NULL, ignore, NULL } };
	struct bytes bytes;
	struct err err = ERR_NONE;

	bytes_buffer(&bytes, "fuzz", data, size);
	input_perf_data.read(&bytes, &options, events_check_sink(&check), &err);
	bytes_close(&bytes);
	return 0;
}
