/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map - u64 to u64, open addressing; and names to small numbers.
 *
 * Iteration order is the hash's: nothing that is printed or decided may depend
 * on it.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

#include "policy/int.h"

struct map_slot {
	u64 key, value;
	bool used;
};

struct map {
	struct map_slot *slots;
	size_t nr, room; /* room is 0 or a power of two */
};

/* NULL if @key is not there; valid until the next map_add or map_remove. */
u64 *map_find(const struct map *map, u64 key);
/* The value of @key, added as 0 if it was not there; valid until the next change. */
u64 *map_add(struct map *map, u64 key);
bool map_remove(struct map *map, u64 key);
void map_fini(struct map *map);

/* Names numbered from 0 in order of arrival; any bytes without NUL. */
struct names {
	struct names_entry *entries;
	size_t nr, room;
	u32 *slots; /* index + 1, 0: free */
	size_t nr_slots;
};

struct names_entry {
	char *text;
	size_t len;
	u64 hash;
};

u32 names_add(struct names *names, const char *text, size_t len);
/* -1: not there. */
s64 names_find(const struct names *names, const char *text, size_t len);
static inline const char *names_text(const struct names *names, u32 index)
{
	return names->entries[index].text;
}
void names_fini(struct names *names);

#endif
