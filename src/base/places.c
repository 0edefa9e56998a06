/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

char *places_folder(const char *kind, u32 nth)
{
	static const char *const from_program[] = { "..", "../share/fairground" };
	char self[PATH_MAX], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0 || nth >= ARRAY_SIZE(from_program))
		return NULL;
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	return mem_printf("%s/%s/%s", self, from_program[nth], kind);
}

char *places_find(const char *kind, const char *name)
{
	char *folder, *path;

	if (strchr(name, '/'))
		return NULL;
	for (u32 i = 0; (folder = places_folder(kind, i)); i++) {
		path = mem_printf("%s/%s.json", folder, name);
		free(folder);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}
