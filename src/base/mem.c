/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *there(void *p)
{
	if (!p)
		abort();
	return p;
}

void *mem_zalloc(size_t size)
{
	return there(calloc(1, size ? size : 1));
}

void *mem_resize(void *old, size_t nr, size_t size)
{
	if (size && nr > SIZE_MAX / size)
		abort();
	return there(realloc(old, nr && size ? nr * size : 1));
}

char *mem_strdup(const char *text)
{
	return there(strdup(text));
}

/* Not strndup(): under strict_string_checks it wants a terminator beyond @len as well. */
char *mem_strndup(const char *text, size_t len)
{
	size_t have = strnlen(text, len);
	char *copy = mem_zalloc(have + 1);

	return memcpy(copy, text, have);
}

char *mem_printf(const char *fmt, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		abort();
	return text;
}
