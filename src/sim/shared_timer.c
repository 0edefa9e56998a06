/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shared_timer - many timers of one kind behind one of a CPU's: quotas' periods, deadline
 * tasks' periods.
 */
#include "sim/internal.h"

static struct sim_shared_timer *shared_of(const struct heap_node *node)
{
	return (struct sim_shared_timer *)((size_t)node - offsetof(struct sim_shared_timer, node));
}

static bool before(const struct heap_node *a, const struct heap_node *b)
{
	const struct sim_when *x = &shared_of(a)->when, *y = &shared_of(b)->when;

	return x->time_ns != y->time_ns ? x->time_ns < y->time_ns : x->seq < y->seq;
}

/* The CPU's timer is that of the first. */
static void program_hardware(struct sim_cpu *cpu, const struct heap *heap, enum sim_timer timer)
{
	struct heap_node *first = heap_first(heap);

	if (!first)
		sim_timer_cancel(cpu, timer);
	else if (cpu->timers[timer].time_ns != shared_of(first)->when.time_ns)
		sim_timer_arm(cpu, timer, shared_of(first)->when.time_ns);
}

void sim_shared_start(struct sim_cpu *cpu, struct heap *heap, enum sim_timer timer,
		      struct sim_shared_timer *shared, u64 time_ns)
{
	shared->when = (struct sim_when){ time_ns, ++cpu->sim->timer_seq };
	heap_add(heap, &shared->node, before);
	program_hardware(cpu, heap, timer);
}

void sim_shared_cancel(struct sim_cpu *cpu, struct heap *heap, enum sim_timer timer,
		       struct sim_shared_timer *shared)
{
	heap_remove(heap, &shared->node, before);
	program_hardware(cpu, heap, timer);
}

void sim_shared_move(struct sim_cpu *from, struct heap *heap, struct sim_cpu *to,
		     struct heap *to_heap, enum sim_timer timer)
{
	struct heap_node *first;

	while ((first = heap_first(heap))) {
		heap_remove(heap, first, before);
		heap_add(to_heap, first, before);
	}
	program_hardware(from, heap, timer);
	program_hardware(to, to_heap, timer);
}

struct sim_shared_timer *sim_shared_expired(struct sim_cpu *cpu, struct heap *heap,
					    enum sim_timer timer)
{
	struct heap_node *first = heap_first(heap);

	if (!first || shared_of(first)->when.time_ns > cpu->sim->now_ns) {
		program_hardware(cpu, heap, timer);
		return NULL;
	}
	heap_remove(heap, first, before);
	return shared_of(first);
}
