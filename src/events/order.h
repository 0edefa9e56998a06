/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order - records that wait to be sorted by time.
 *
 * A queue holds records that came in order; the earliest of all queues leaves first,
 * equal times in order of arrival.  What steps back within its queue goes to a heap
 * of stragglers, so that no order of arrival costs more than log n a record.
 */
#ifndef EVENTS_ORDER_H
#define EVENTS_ORDER_H

#include "base/heap.h"
#include "base/vec.h"
#include "events/intake.h"
#include "machine/machine.h"

/* One for each CPU, and the last for records of no CPU. */
#define ORDER_QUEUES (MACHINE_MAX_CPUS + 1)

/* As many records as a queue gets memory for at once: 64 KiB. */
#define ORDER_BLOCK_ITEMS 584

struct order_block {
	struct order_block *next;
	struct intake_item items[ORDER_BLOCK_ITEMS];
};

struct order_queue {
	struct heap_node node; /* in order.queues while something waits */
	u64 time_ns, arrival;  /* of the first */
	u64 newest_ns;         /* the latest time ever put here */
	struct order_block *head, *tail;
	u32 first, end; /* of what waits: index in head, index in tail */
};

/*
 * Blocks go round among the queues, the last one freed first, as it is still in the
 * cache; they come out of slabs, large enough for huge pages.
 */
struct order_pool {
	struct order_block *free;
	VEC(struct order_block *) slabs;
	u32 carved; /* of the last slab */
};

struct order {
	struct order_queue *queue[ORDER_QUEUES];
	VEC(struct order_queue *) of_cpus; /* the queues of CPUs that have had a record */
	struct heap queues, stragglers;
	struct order_pool pool;
	struct order_block *leaving; /* holds what was taken last: freed at the next call */
	struct intake_item taken;
	u64 arrivals, waiting;
};

void order_fini(struct order *order);
/* Copies @item; its event.seq becomes the number of its arrival.  The copy may be changed. */
struct intake_item *order_put(struct order *order, u32 queue, const struct intake_item *item);
/* The same for a record that has no place in any queue. */
struct intake_item *order_put_loose(struct order *order, const struct intake_item *item);
/*
 * Takes the earliest out if it is not after @until_ns, else NULL; valid until the next
 * call.
 */
struct intake_item *order_take(struct order *order, u64 until_ns);

/* The earliest of the latest times of the CPUs so far: each of them has come as far as this. */
u64 order_reached_ns(const struct order *order);

/* By how much @time_ns is before the latest of the queue; 0: it is in order. */
static inline u64 order_step_back(const struct order *order, u32 queue, u64 time_ns)
{
	const struct order_queue *q = order->queue[queue];

	return q && q->newest_ns > time_ns ? q->newest_ns - time_ns : 0;
}

#endif
