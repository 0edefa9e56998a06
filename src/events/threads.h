/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads - who a tid is, at this moment of a stream.
 *
 * One entry a tid, the current generation's.  Entries never move.  Dead threads are
 * remembered so that their tid's next generation is another; beyond
 * THREADS_DEAD_MAX the oldest is forgotten and new tids start above its generation,
 * so that (tid, gen) stays unique in memory bounded by the threads alive.
 */
#ifndef EVENTS_THREADS_H
#define EVENTS_THREADS_H

#include "base/map.h"
#include "base/vec.h"
#include "events/event.h"

#define THREADS_COMM     16 /* TASK_COMM_LEN */
#define THREADS_CACHE    4096
#define THREADS_DEAD_MAX 65536

struct thread {
	struct event_task id;
	u64 comm[THREADS_COMM / sizeof(u64)]; /* zero-padded, at least one NUL */
	u64 raw[THREADS_COMM / sizeof(u64)];  /* the bytes comm was last taken from */
	s32 pid;                              /* 0: not known */
	bool named;                           /* comm is a name: the empty one is, too */
	bool told;                            /* the stream has this name and pid */
	bool used;                            /* an event spoke of it */
	bool lived;                           /* it was woken or ran: it cannot be born now */
	bool dead;                            /* switched out for the last time */
	struct thread *next_free;
};

struct threads {
	struct map by_tid;                   /* to struct thread * */
	struct thread *cache[THREADS_CACHE]; /* direct-mapped by tid */
	VEC(struct thread *) blocks;
	struct thread *free;
	VEC(s32) dead; /* a ring: the tids of the dead, oldest at dead_first */
	size_t dead_first;
	u32 first_gen; /* of a tid not remembered */
};

void threads_fini(struct threads *threads);
/* Not in the cache: looks in the map, adds a new one, or the next life of a dead one. */
struct thread *threads_find(struct threads *threads, s32 tid);
/* Another thread takes the tid of @thread; nothing is known of it yet. */
void threads_reborn(struct thread *thread);
/* @thread has run for the last time: whoever uses its tid now is another. */
void threads_retire(struct threads *threads, struct thread *thread);

/* Whoever has @tid now, @tid > 0; valid until it retires. */
static inline struct thread *threads_get(struct threads *threads, s32 tid)
{
	struct thread *thread = threads->cache[(u32)tid % THREADS_CACHE];

	if (thread && thread->id.tid == tid && !thread->dead)
		return thread;
	return threads_find(threads, tid);
}

#endif
