/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define EXECUTOR "fairground-exec"

enum err_code files_map_fd(int fd, const char *what, struct files_map *map, struct err *err)
{
	struct stat stat;
	void *at = NULL;

	*map = (struct files_map){ NULL, 0 };
	if (fstat(fd, &stat))
		return err_set(err, ERR_IO, what, "%s", strerror(errno));
	if (stat.st_size)
		at = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return err_set(err, ERR_IO, what, "%s", strerror(errno));
	*map = (struct files_map){ at, (size_t)stat.st_size };
	return OK;
}

enum err_code files_map(const char *path, struct files_map *map, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum err_code code;

	*map = (struct files_map){ NULL, 0 };
	if (fd < 0)
		return err_set(err, ERR_IO, path, "%s", strerror(errno));
	code = files_map_fd(fd, path, map, err);
	close(fd);
	return code;
}

void files_unmap(struct files_map *map)
{
	if (map->bytes)
		munmap(map->bytes, map->size);
	*map = (struct files_map){ NULL, 0 };
}

enum err_code files_temporary(FILE **out, struct err *err)
{
	*out = tmpfile();
	return *out ? OK : err_set(err, ERR_IO, NULL, "a temporary file: %s", strerror(errno));
}

void files_path_of(FILE *file, char *path)
{
	snprintf(path, 32, "/dev/fd/%d", fileno(file));
}

enum err_code files_executor(char **path, struct err *err)
{
	static const char *const places[] = { "", "../libexec/" };
	char self[PATH_MAX], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		slash[1] = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		*path = mem_printf("%s%s" EXECUTOR, self, places[i]);
		if (!access(*path, X_OK))
			return OK;
		free(*path);
	}
	*path = NULL;
	return err_set(err, ERR_ABSENT, NULL, EXECUTOR " is not beside this program (%s)", self);
}
