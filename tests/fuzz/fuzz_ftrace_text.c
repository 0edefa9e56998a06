/* SPDX-License-Identifier: GPL-2.0-only */
#include "again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input_ftrace_text.detect(data, size < INPUT_HEAD ? size : INPUT_HEAD);
	again_dump(&input_ftrace_text, data, size);
	again_ftrace(&input_ftrace_text, data, size);
	return 0;
}
