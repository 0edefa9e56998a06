/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload_file - what the tasks do, from a file.
 *
 * The language is rt-app's JSON with workgen's freedoms; docs/workloads.md has the
 * grammar, our extension key and where we differ from rt-app.
 */
#ifndef INPUT_WORKLOAD_FILE_H
#define INPUT_WORKLOAD_FILE_H

#include <stddef.h>

#include "base/err.h"
#include "workload/workload.h"

/*
 * Reads @path ("-": standard input).  ERR_IO, or ERR_FORMAT with the line and what was
 * expected; a key that has no meaning here is refused by its name, with the reason.
 * workload_free() what comes out.
 */
enum err_code input_workload(const char *path, struct workload **out, struct err *err);
/* The same from memory; @name is for messages. */
enum err_code input_workload_text(const char *name, const char *text, size_t len,
				  struct workload **out, struct err *err);

#endif
