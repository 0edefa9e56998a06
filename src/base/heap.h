/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap - a binary heap of nodes that live inside the caller's structs.
 *
 * The heap knows nothing of what it orders: "before" is passed in, and as every
 * caller passes a constant function the compiler inlines it.  A node knows its
 * place, so that it can be moved or removed in log n.  "before" must be a strict
 * total order, or the order of equals is not defined.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "policy/int.h"

struct heap_node {
	u32 place; /* index in heap.at, plus 1; 0: not in a heap */
};

struct heap {
	struct heap_node **at;
	u32 nr, room;
};

typedef bool heap_before(const struct heap_node *a, const struct heap_node *b);

static inline void heap_put(struct heap *heap, u32 i, struct heap_node *node)
{
	heap->at[i] = node;
	node->place = i + 1;
}

static inline void heap_up(struct heap *heap, u32 i, struct heap_node *node, heap_before *before)
{
	while (i) {
		u32 parent = (i - 1) / 2;

		if (!before(node, heap->at[parent]))
			break;
		heap_put(heap, i, heap->at[parent]);
		i = parent;
	}
	heap_put(heap, i, node);
}

static inline void heap_down(struct heap *heap, u32 i, struct heap_node *node, heap_before *before)
{
	for (;;) {
		u32 child = 2 * i + 1;

		if (child >= heap->nr)
			break;
		if (child + 1 < heap->nr && before(heap->at[child + 1], heap->at[child]))
			child++;
		if (!before(heap->at[child], node))
			break;
		heap_put(heap, i, heap->at[child]);
		i = child;
	}
	heap_put(heap, i, node);
}

static inline struct heap_node *heap_first(const struct heap *heap)
{
	return heap->nr ? heap->at[0] : NULL;
}

static inline void heap_add(struct heap *heap, struct heap_node *node, heap_before *before)
{
	assert(!node->place);
	if (heap->nr == heap->room) {
		heap->room = heap->room ? heap->room * 2 : 64;
		heap->at = (struct heap_node **)mem_resize(heap->at, heap->room, sizeof(*heap->at));
	}
	heap_up(heap, heap->nr++, node, before);
}

/* The key of @node changed, in either direction. */
static inline void heap_moved(struct heap *heap, struct heap_node *node, heap_before *before)
{
	u32 i = node->place - 1;

	assert(node->place);
	if (i && before(node, heap->at[(i - 1) / 2]))
		heap_up(heap, i, node, before);
	else
		heap_down(heap, i, node, before);
}

static inline void heap_remove(struct heap *heap, struct heap_node *node, heap_before *before)
{
	u32 i = node->place - 1;
	struct heap_node *last = heap->at[--heap->nr];

	assert(node->place);
	node->place = 0;
	if (last == node)
		return;
	heap_put(heap, i, last);
	heap_moved(heap, last, before);
}

static inline void heap_fini(struct heap *heap)
{
	free(heap->at);
	*heap = (struct heap){ 0 };
}

#endif
