/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of any bytes is read or refused with a reason; what was read has all of its values. */
#include <assert.h>
#include <stdint.h>

#include "input/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording recording;
	struct err err = ERR_NONE;

	if (recording_read_text("f", (const char *)data, size, &recording, &err)) {
		assert(err.code == ERR_FORMAT && err.what[0]);
	} else {
		vec_for_each(task, &recording.tasks)
			vec_for_each(metric, &task->metrics)
				assert(metric->values.nr == recording.runs);
	}
	recording_fini(&recording);
	return 0;
}
