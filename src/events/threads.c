/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_BLOCK 256

static struct thread *allocate(struct threads *threads)
{
	struct thread *thread = threads->free;

	if (!thread) {
		struct thread *block = NEW_ARRAY(struct thread, THREADS_BLOCK);

		*vec_add(&threads->blocks) = block;
		for (size_t i = 0; i < THREADS_BLOCK; i++) {
			block[i].next_free = threads->free;
			threads->free = &block[i];
		}
		thread = threads->free;
	}
	threads->free = thread->next_free;
	*thread = (struct thread){ 0 };
	return thread;
}

static struct thread **cached(struct threads *threads, s32 tid)
{
	return &threads->cache[(u32)tid % THREADS_CACHE];
}

struct thread *threads_find(struct threads *threads, s32 tid)
{
	u64 *value = map_add(&threads->by_tid, (u32)tid);
	struct thread *thread = (struct thread *)(uintptr_t)*value;

	assert(tid > 0);
	if (!thread) {
		thread = allocate(threads);
		thread->id = (struct event_task){ tid, threads->first_gen };
		*value = (uintptr_t)thread;
	} else if (thread->dead) {
		threads_reborn(thread);
	}
	*cached(threads, tid) = thread;
	return thread;
}

void threads_reborn(struct thread *thread)
{
	*thread = (struct thread){ .id = { thread->id.tid, thread->id.gen + 1 } };
}

static void forget(struct threads *threads, s32 tid)
{
	u64 *value = map_find(&threads->by_tid, (u32)tid);
	struct thread *thread = value ? (struct thread *)(uintptr_t)*value : NULL;

	if (!thread || !thread->dead)
		return;
	if (threads->first_gen <= thread->id.gen)
		threads->first_gen = thread->id.gen + 1;
	map_remove(&threads->by_tid, (u32)tid);
	if (*cached(threads, tid) == thread)
		*cached(threads, tid) = NULL;
	thread->next_free = threads->free;
	threads->free = thread;
}

void threads_retire(struct threads *threads, struct thread *thread)
{
	s32 tid = thread->id.tid;

	if (thread->dead)
		return;
	if (threads->dead.nr < THREADS_DEAD_MAX) {
		*vec_add(&threads->dead) = tid;
	} else {
		/* A tid may stand in the ring twice; a thread that lives again is kept. */
		forget(threads, threads->dead.at[threads->dead_first]);
		threads->dead.at[threads->dead_first] = tid;
		threads->dead_first = (threads->dead_first + 1) % THREADS_DEAD_MAX;
	}
	thread->dead = true;
}

void threads_fini(struct threads *threads)
{
	vec_for_each(block, &threads->blocks)
		free(*block);
	vec_free(&threads->blocks);
	vec_free(&threads->dead);
	map_fini(&threads->by_tid);
}
