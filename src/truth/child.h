/* SPDX-License-Identifier: GPL-2.0-only */
/* child - other programs, run to their end. */
#ifndef TRUTH_CHILD_H
#define TRUTH_CHILD_H

#include <stdio.h>

#include "base/err.h"

struct child {
	const char *const *argv; /* looked for in PATH; ends with NULL */
	const char *package;     /* what to install where it is missing; NULL: say nothing */
	int in, out, err;        /* descriptors to give it; -1: /dev/null */
	u64 limit_ns;            /* killed after that much time; 0: never */
};

/*
 * OK if it ended with status 0.  ERR_ABSENT: it is not here.  ERR_IO: it failed, was killed
 * or took too long.
 */
enum err_code child_run(const struct child *child, struct err *err);
/* The same; what it printed comes out as a text that the caller frees. */
enum err_code child_output(const char *const *argv, const char *package, char **text,
			   struct err *err);

#endif
