/* SPDX-License-Identifier: GPL-2.0-only */
#include "again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input_dump.detect(data, size < INPUT_HEAD ? size : INPUT_HEAD);
	again_dump(&input_dump, data, size);
	again_ftrace(&input_dump, data, size);
	return 0;
}
