/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine file of any bytes is read or refused with a reason; what was read is valid.
 * XML is hwloc's to read and not tried here.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "input/machine_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine machine;
	struct err err = ERR_NONE;

	if (size && memchr(data, '<', size))
		return 0;
	if (input_machine_text("f", (const char *)data, size, &machine, &err)) {
		assert(err.code == ERR_FORMAT && err.what[0]);
		return 0;
	}
	assert(!machine_validate(&machine, "f", &err));
	machine_fini(&machine);
	return 0;
}
