/* SPDX-License-Identifier: GPL-2.0-only */
/* doc_block - the first fenced block of a document, to try what it shows. */
#ifndef TESTS_DOC_BLOCK_H
#define TESTS_DOC_BLOCK_H

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* What stands between @fence and the next fence of @path in the project; free() it. */
static inline char *test_block(const char *path, const char *fence)
{
	char *full = mem_printf("%s/%s", test_root(), path), *begin, *end;
	char *text = mem_zalloc(65536);
	FILE *file = fopen(full, "r");

	CHECK(file, "%s", full);
	CHECK(fread(text, 1, 65535, file) > 0);
	fclose(file);
	free(full);
	begin = strstr(text, fence);
	CHECK(begin, "%s has no block", path);
	begin += strlen(fence);
	end = strstr(begin, "\n```");
	CHECK(end, "%s: a block without an end", path);
	*end = '\0';
	memmove(text, begin, strlen(begin) + 1);
	return text;
}

#endif
