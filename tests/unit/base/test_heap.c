/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/heap.h"

#include "base/rng.h"
#include "test.h"

struct item {
	struct heap_node node;
	u64 key;
};

static bool before(const struct heap_node *a, const struct heap_node *b)
{
	return ((const struct item *)a)->key < ((const struct item *)b)->key;
}

/* Random adds, moves and removes; what is first is always the smallest. */
TEST(the_first_is_the_smallest)
{
	static struct item items[256];
	struct heap heap = { 0 };

	for (u64 i = 0; i < 100000; i++) {
		u64 draw = rng_draw(7, 0, 0, i), best = U64_MAX;
		struct item *item = &items[draw % 256];

		if (!item->node.place) {
			item->key = draw >> 8;
			heap_add(&heap, &item->node, before);
		} else if (draw >> 63) {
			item->key = draw >> 8;
			heap_moved(&heap, &item->node, before);
		} else {
			heap_remove(&heap, &item->node, before);
		}
		if (i % 64)
			continue;
		for (u32 k = 0; k < 256; k++)
			if (items[k].node.place && items[k].key < best)
				best = items[k].key;
		CHECK_EQ(best, heap.nr ? ((struct item *)heap_first(&heap))->key : U64_MAX);
	}
	heap_fini(&heap);
}
