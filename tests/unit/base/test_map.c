/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/map.h"

#include <stdlib.h>

#include "base/rng.h"
#include "test.h"

/* Against a plain array: 200,000 random adds and removes of 512 keys. */
TEST(a_map_agrees_with_an_array)
{
	struct map map = { 0 };
	u64 value[512] = { 0 };
	bool there[512] = { 0 };
	size_t nr = 0;

	for (u64 i = 0; i < 200000; i++) {
		u64 draw = rng_draw(1, 2, 3, i);
		u32 key = (u32)(draw % 512);
		u64 *found = map_find(&map, key * 4096ULL);

		CHECK_EQ(there[key], found != NULL, "key %u at step %llu", key, i);
		if (found)
			CHECK_EQ(value[key], *found);
		if (draw >> 63) {
			*map_add(&map, key * 4096ULL) = value[key] = i;
			nr += !there[key];
			there[key] = true;
		} else {
			CHECK_EQ(there[key], map_remove(&map, key * 4096ULL));
			nr -= there[key];
			there[key] = false;
		}
		CHECK_EQ(nr, map.nr);
	}
	map_fini(&map);
}

TEST(names_keep_their_numbers)
{
	struct names names = { 0 };
	char text[16];

	for (int round = 0; round < 2; round++) {
		for (u32 i = 0; i < 1000; i++) {
			snprintf(text, sizeof(text), "task %u", i);
			CHECK_EQ(i, names_add(&names, text, strlen(text)));
		}
	}
	CHECK_EQ(-1, names_find(&names, "task", 4));
	CHECK_EQ(7, names_find(&names, "task 7", 6));
	CHECK_STR("task 999", names_text(&names, 999));
	CHECK_EQ(1000, names_add(&names, "", 0), "the empty name is a name");
	names_fini(&names);
}
