/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mem - memory that is there, or the program ends.
 *
 * No caller can do better than stop when memory runs out, and a path that is
 * never taken is never right; so these never return NULL.  Sizes that come from
 * a file are bounded by their reader before they get here.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void *mem_zalloc(size_t size);
void *mem_resize(void *old, size_t nr, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t len);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define NEW(type)          ((type *)mem_zalloc(sizeof(type)))
#define NEW_ARRAY(type, n) ((type *)mem_zalloc(sizeof(type) * (size_t)(n)))

#endif
