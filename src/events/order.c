/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/order.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE   (2u << 20)
#define SLAB_BLOCKS 31 /* a little less than 2 MiB */

static_assert(SLAB_BLOCKS * sizeof(struct order_block) <= HUGE_PAGE, "a slab is one huge page");

struct straggler {
	struct heap_node node;
	struct intake_item item;
};

static const struct order_queue *queue_of(const struct heap_node *node)
{
	return (const struct order_queue *)((const char *)node -
					    offsetof(struct order_queue, node));
}

static const struct straggler *straggler_of(const struct heap_node *node)
{
	return (const struct straggler *)((const char *)node - offsetof(struct straggler, node));
}

static bool time_before(u64 a_ns, u64 a_arrival, u64 b_ns, u64 b_arrival)
{
	if (a_ns != b_ns)
		return a_ns < b_ns;
	return a_arrival < b_arrival;
}

static bool queue_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct order_queue *x = queue_of(a), *y = queue_of(b);

	return time_before(x->time_ns, x->arrival, y->time_ns, y->arrival);
}

static bool straggler_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct event *x = &straggler_of(a)->item.event, *y = &straggler_of(b)->item.event;

	return time_before(x->time_ns, x->seq, y->time_ns, y->seq);
}

static u32 slab_blocks(const struct order_pool *pool)
{
	return pool->slabs.nr > 1 ? SLAB_BLOCKS : 1;
}

/*
 * The first slab is one block: most streams that are in order need no more.  The others are
 * huge pages: advice for less than the whole of one would leave it small pages.
 */
static void add_slab(struct order_pool *pool)
{
	struct order_block **slab = vec_add(&pool->slabs);

	if (slab_blocks(pool) == 1) {
		*slab = NEW(struct order_block);
	} else {
		*slab = aligned_alloc(HUGE_PAGE, HUGE_PAGE);
		if (!*slab)
			*slab = NEW_ARRAY(struct order_block, SLAB_BLOCKS);
		else
			madvise(*slab, HUGE_PAGE, MADV_HUGEPAGE);
	}
	pool->carved = 0;
}

static struct order_block *get_block(struct order_pool *pool)
{
	struct order_block *block = pool->free;

	if (block) {
		pool->free = block->next;
	} else {
		if (!pool->slabs.nr || pool->carved == slab_blocks(pool))
			add_slab(pool);
		block = pool->slabs.at[pool->slabs.nr - 1] + pool->carved++;
	}
	block->next = NULL;
	return block;
}

static void put_block(struct order_pool *pool, struct order_block *block)
{
	block->next = pool->free;
	pool->free = block;
}

static struct intake_item *append(struct order *order, struct order_queue *q)
{
	if (!q->tail) {
		q->head = q->tail = get_block(&order->pool);
		q->first = q->end = 0;
	} else if (q->end == ORDER_BLOCK_ITEMS) {
		q->tail->next = get_block(&order->pool);
		q->tail = q->tail->next;
		q->end = 0;
	}
	return &q->tail->items[q->end++];
}

static bool is_empty(const struct order_queue *q)
{
	return q->head == q->tail && q->first == q->end;
}

static struct order_queue *add_queue(struct order *order, u32 queue)
{
	struct order_queue *q = order->queue[queue] = NEW(struct order_queue);

	if (queue < MACHINE_MAX_CPUS)
		*vec_add(&order->of_cpus) = q;
	return q;
}

u64 order_reached_ns(const struct order *order)
{
	u64 reached_ns = U64_MAX;

	vec_for_each(q, &order->of_cpus)
		if ((*q)->newest_ns < reached_ns)
			reached_ns = (*q)->newest_ns;
	return reached_ns;
}

struct intake_item *order_put(struct order *order, u32 queue, const struct intake_item *item)
{
	struct order_queue *q = order->queue[queue];
	struct intake_item *slot;
	bool first;

	if (!q)
		q = add_queue(order, queue);
	if (item->event.time_ns < q->newest_ns)
		return order_put_loose(order, item);
	q->newest_ns = item->event.time_ns;
	first = is_empty(q);
	slot = append(order, q);
	*slot = *item;
	slot->event.seq = order->arrivals++;
	order->waiting++;
	if (first) {
		q->time_ns = slot->event.time_ns;
		q->arrival = slot->event.seq;
		heap_add(&order->queues, &q->node, queue_before);
	}
	return slot;
}

struct intake_item *order_put_loose(struct order *order, const struct intake_item *item)
{
	struct straggler *straggler = NEW(struct straggler);

	straggler->item = *item;
	straggler->item.event.seq = order->arrivals++;
	order->waiting++;
	heap_add(&order->stragglers, &straggler->node, straggler_before);
	return &straggler->item;
}

static struct intake_item *take_straggler(struct order *order, struct straggler *straggler)
{
	heap_remove(&order->stragglers, &straggler->node, straggler_before);
	order->taken = straggler->item;
	order->waiting--;
	free(straggler);
	return &order->taken;
}

/* The block that holds what was taken stays until the next call. */
static void leave_block(struct order *order, struct order_queue *q)
{
	order->leaving = q->head;
	q->head = q->head->next;
	q->first = 0;
	if (!q->head) {
		q->tail = NULL;
		q->end = 0;
	}
}

static struct intake_item *take_queued(struct order *order, struct order_queue *q)
{
	struct intake_item *item = &q->head->items[q->first++];
	const struct event *next;

	order->waiting--;
	if (q->first == ORDER_BLOCK_ITEMS || is_empty(q))
		leave_block(order, q);
	if (is_empty(q)) {
		heap_remove(&order->queues, &q->node, queue_before);
		return item;
	}
	next = &q->head->items[q->first].event;
	q->time_ns = next->time_ns;
	q->arrival = next->seq;
	heap_moved(&order->queues, &q->node, queue_before);
	return item;
}

struct intake_item *order_take(struct order *order, u64 until_ns)
{
	struct order_queue *q = (struct order_queue *)heap_first(&order->queues);
	struct straggler *straggler = (struct straggler *)heap_first(&order->stragglers);
	const struct event *first = straggler ? &straggler->item.event : NULL;

	if (order->leaving) {
		put_block(&order->pool, order->leaving);
		order->leaving = NULL;
	}
	if (first && (!q || time_before(first->time_ns, first->seq, q->time_ns, q->arrival)))
		return first->time_ns <= until_ns ? take_straggler(order, straggler) : NULL;
	return q && q->time_ns <= until_ns ? take_queued(order, q) : NULL;
}

void order_fini(struct order *order)
{
	for (u32 i = 0; i < order->stragglers.nr; i++)
		free(order->stragglers.at[i]);
	for (u32 i = 0; i < ORDER_QUEUES; i++)
		free(order->queue[i]);
	vec_for_each(slab, &order->pool.slabs)
		free(*slab);
	vec_free(&order->pool.slabs);
	vec_free(&order->of_cpus);
	heap_fini(&order->queues);
	heap_fini(&order->stragglers);
}
