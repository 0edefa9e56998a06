/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/order.h"

#include <stdlib.h>
#include <string.h>

#define RING_FIRST 64

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

static void grow(struct order_queue *queue)
{
	u32 room = queue->room ? queue->room * 2 : RING_FIRST;
	struct intake_item *ring = NEW_ARRAY(struct intake_item, room);

	for (u32 i = 0; i < queue->nr; i++)
		ring[i] = queue->ring[(queue->first + i) & (queue->room - 1)];
	free(queue->ring);
	queue->ring = ring;
	queue->room = room;
	queue->first = 0;
}

u64 order_step_back(const struct order *order, u32 queue, u64 time_ns)
{
	const struct order_queue *q = order->queue[queue];

	return q && q->newest_ns > time_ns ? q->newest_ns - time_ns : 0;
}

void order_put(struct order *order, u32 queue, const struct intake_item *item)
{
	struct order_queue *q = order->queue[queue];
	struct intake_item *slot;

	if (!q)
		q = order->queue[queue] = NEW(struct order_queue);
	if (item->event.time_ns < q->newest_ns) {
		order_put_loose(order, item);
		return;
	}
	q->newest_ns = item->event.time_ns;
	if (q->nr == q->room)
		grow(q);
	slot = &q->ring[(q->first + q->nr) & (q->room - 1)];
	*slot = *item;
	slot->event.seq = order->arrivals++;
	order->waiting++;
	if (!q->nr++) {
		q->time_ns = slot->event.time_ns;
		q->arrival = slot->event.seq;
		heap_add(&order->queues, &q->node, queue_before);
	}
}

void order_put_loose(struct order *order, const struct intake_item *item)
{
	struct straggler *straggler = NEW(struct straggler);

	straggler->item = *item;
	straggler->item.event.seq = order->arrivals++;
	order->waiting++;
	heap_add(&order->stragglers, &straggler->node, straggler_before);
}

static struct intake_item *take_straggler(struct order *order, struct straggler *straggler)
{
	heap_remove(&order->stragglers, &straggler->node, straggler_before);
	order->taken = straggler->item;
	order->waiting--;
	free(straggler);
	return &order->taken;
}

static struct intake_item *take_queued(struct order *order, struct order_queue *q)
{
	struct intake_item *item = &q->ring[q->first];
	const struct event *next;

	q->first = (q->first + 1) & (q->room - 1);
	order->waiting--;
	if (!--q->nr) {
		heap_remove(&order->queues, &q->node, queue_before);
		q->first = 0;
		return item;
	}
	next = &q->ring[q->first].event;
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

	if (first && (!q || time_before(first->time_ns, first->seq, q->time_ns, q->arrival)))
		return first->time_ns <= until_ns ? take_straggler(order, straggler) : NULL;
	return q && q->time_ns <= until_ns ? take_queued(order, q) : NULL;
}

void order_fini(struct order *order)
{
	for (u32 i = 0; i < order->stragglers.nr; i++)
		free(order->stragglers.at[i]);
	for (u32 i = 0; i < ORDER_QUEUES; i++) {
		if (order->queue[i])
			free(order->queue[i]->ring);
		free(order->queue[i]);
	}
	heap_fini(&order->queues);
	heap_fini(&order->stragglers);
}
