/* SPDX-License-Identifier: GPL-2.0-only */
/* A workload file of any bytes is read or refused with a reason; what was read is used. */
#include <assert.h>
#include <stdint.h>

#include "input/workload_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Indices that a simulation follows without looking. */
static void follow(const struct workload *workload)
{
	vec_for_each(task, &workload->tasks)
		vec_for_each(event, &task->events) {
			assert(event->object == WORKLOAD_NO_OBJECT ||
			       event->object < workload->objects.nr);
			assert(event->mutex == WORKLOAD_NO_OBJECT ||
			       event->mutex < workload->objects.nr);
			assert(event->op != WORKLOAD_OP_FORK || event->target < workload->tasks.nr);
			for (u64 iteration = 0; iteration < 4; iteration++)
				workload_draw(workload, &event->amount, 1, 2, event->site,
					      iteration);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct workload *workload = NULL;
	struct err err = ERR_NONE;

	if (input_workload_text("f", (const char *)data, size, &workload, &err)) {
		assert(!workload && err.code == ERR_FORMAT && err.what[0]);
		return 0;
	}
	follow(workload);
	workload_free(workload);
	return 0;
}
