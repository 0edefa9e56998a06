/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

static struct map_slot *slot_of(const struct map *map, u64 key)
{
	size_t i = rng_mix(key) & (map->room - 1);

	while (map->slots[i].used && map->slots[i].key != key)
		i = (i + 1) & (map->room - 1);
	return &map->slots[i];
}

u64 *map_find(const struct map *map, u64 key)
{
	struct map_slot *slot;

	if (!map->nr)
		return NULL;
	slot = slot_of(map, key);
	return slot->used ? &slot->value : NULL;
}

static void grow(struct map *map)
{
	struct map old = *map;

	map->room = old.room ? old.room * 2 : 16;
	map->slots = NEW_ARRAY(struct map_slot, map->room);
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i].used)
			*slot_of(map, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

u64 *map_add(struct map *map, u64 key)
{
	struct map_slot *slot;

	if (map->nr * 4 >= map->room * 3)
		grow(map);
	slot = slot_of(map, key);
	if (!slot->used) {
		*slot = (struct map_slot){ .key = key, .used = true };
		map->nr++;
	}
	return &slot->value;
}

bool map_remove(struct map *map, u64 key)
{
	struct map_slot *hole;
	size_t mask = map->room - 1, at;

	if (!map->nr)
		return false;
	hole = slot_of(map, key);
	if (!hole->used)
		return false;
	/* Close the gap: move back every follower that the gap would hide. */
	at = (size_t)(hole - map->slots);
	for (size_t i = (at + 1) & mask; map->slots[i].used; i = (i + 1) & mask) {
		size_t home = rng_mix(map->slots[i].key) & mask;

		if (((i - home) & mask) >= ((i - at) & mask)) {
			map->slots[at] = map->slots[i];
			at = i;
		}
	}
	map->slots[at].used = false;
	map->nr--;
	return true;
}

void map_fini(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}

static u64 hash_bytes(const char *text, size_t len)
{
	u64 hash = len;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (u8)text[i]) * 0x100000001b3ULL;
	return rng_mix(hash);
}

static u32 *name_slot(const struct names *names, const char *text, size_t len, u64 hash)
{
	size_t i = hash & (names->nr_slots - 1);

	for (; names->slots[i]; i = (i + 1) & (names->nr_slots - 1)) {
		const struct names_entry *entry = &names->entries[names->slots[i] - 1];

		if (entry->hash == hash && entry->len == len && !memcmp(entry->text, text, len))
			break;
	}
	return &names->slots[i];
}

s64 names_find(const struct names *names, const char *text, size_t len)
{
	if (!names->nr)
		return -1;
	return (s64)*name_slot(names, text, len, hash_bytes(text, len)) - 1;
}

u32 names_add(struct names *names, const char *text, size_t len)
{
	u64 hash = hash_bytes(text, len);
	u32 *slot;

	if (names->nr * 2 >= names->nr_slots) {
		free(names->slots);
		names->nr_slots = names->nr_slots ? names->nr_slots * 2 : 32;
		names->slots = NEW_ARRAY(u32, names->nr_slots);
		for (size_t i = 0; i < names->nr; i++) {
			const struct names_entry *entry = &names->entries[i];

			*name_slot(names, entry->text, entry->len, entry->hash) = (u32)i + 1;
		}
	}
	slot = name_slot(names, text, len, hash);
	if (*slot)
		return *slot - 1;
	if (names->nr == names->room) {
		names->room = names->room ? names->room * 2 : 16;
		names->entries = mem_resize(names->entries, names->room, sizeof(*names->entries));
	}
	names->entries[names->nr] = (struct names_entry){ mem_strndup(text, len), len, hash };
	*slot = (u32)++names->nr;
	return *slot - 1;
}

void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->entries[i].text);
	free(names->entries);
	free(names->slots);
	*names = (struct names){ 0 };
}
