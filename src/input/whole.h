/* SPDX-License-Identifier: GPL-2.0-only */
/* whole - a small file at once, with a bound on its size. */
#ifndef INPUT_WHOLE_H
#define INPUT_WHOLE_H

#include <stddef.h>

#include "base/err.h"

struct whole {
	const char *name; /* for messages: the path, or "standard input" for "-" */
	char *text;       /* NUL after the last byte */
	size_t len;
};

/* ERR_IO with the reason; ERR_FORMAT if there are more than @max bytes. */
enum err_code whole_open(struct whole *whole, const char *path, size_t max, struct err *err);
void whole_close(struct whole *whole);

#endif
