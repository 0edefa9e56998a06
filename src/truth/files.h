/* SPDX-License-Identifier: GPL-2.0-only */
/* files - whole files in memory, and where the executor is. */
#ifndef TRUTH_FILES_H
#define TRUTH_FILES_H

#include <stdio.h>

#include "base/err.h"

struct files_map {
	u8 *bytes; /* NULL if it is empty */
	size_t size;
};

/* ERR_IO with the reason.  files_unmap() what comes out. */
enum err_code files_map(const char *path, struct files_map *map, struct err *err);
enum err_code files_map_fd(int fd, const char *what, struct files_map *map, struct err *err);
void files_unmap(struct files_map *map);
/* An open file without a name; ERR_IO. */
enum err_code files_temporary(FILE **out, struct err *err);
/* "/dev/fd/N": a path by which a child opens the file anew.  @path holds 32 bytes. */
void files_path_of(FILE *file, char *path);
/* The static executor beside this program or in ../libexec; the caller frees it. */
enum err_code files_executor(char **path, struct err *err);

#endif
