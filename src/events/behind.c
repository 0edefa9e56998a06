/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/behind.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "events/fields.h"
#include "events/sinks.h"

/*
 * A ring of batches.  Each side sleeps until the other has done half of it, so that they seldom
 * wake each other: 4096 events take about half a millisecond.
 */
#define BATCHES 64
#define AT_ONCE 64
#define WORTHY  (BATCHES / 2)

struct batch {
	u32 nr;
	bool owns; /* one of them points to something */
	struct event events[AT_ONCE];
};

struct events_behind {
	struct event_sink to;
	bool running; /* the thread; only the source looks */
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows, but for the batches: each is of one side */
	pthread_cond_t more, room;
	u64 told, done; /* batches so far; told is changed by the source only */
	bool over;      /* no more will be told */
	enum err_code code;
	struct batch ring[BATCHES];
};

static void release(const struct batch *batch)
{
	for (u32 i = 0; batch->owns && i < batch->nr; i++)
		if (event_has_pointers(batch->events[i].kind))
			event_disown(&batch->events[i]);
}

/* Batches @from..@to - 1; after an error they are only released. */
static enum err_code work_on(struct events_behind *behind, u64 from, u64 to, enum err_code code)
{
	for (; from < to; from++) {
		const struct batch *batch = &behind->ring[from % BATCHES];

		if (code == OK)
			code = events_push(&behind->to, batch->events, batch->nr);
		release(batch);
	}
	return code;
}

static void *work(void *self)
{
	struct events_behind *behind = self;
	enum err_code code = OK;

	pthread_mutex_lock(&behind->lock);
	for (;;) {
		u64 from = behind->done, to;

		while (!behind->over && behind->told - from < WORTHY)
			pthread_cond_wait(&behind->more, &behind->lock);
		to = behind->told;
		if (from == to)
			break;
		pthread_mutex_unlock(&behind->lock);
		code = work_on(behind, from, to, code);
		pthread_mutex_lock(&behind->lock);
		behind->done = to;
		behind->code = code;
		pthread_cond_signal(&behind->room);
	}
	pthread_mutex_unlock(&behind->lock);
	return NULL;
}

/* For one more batch; what the sink has answered so far. */
static enum err_code wait_for_room(struct events_behind *behind)
{
	enum err_code code;

	pthread_mutex_lock(&behind->lock);
	while (behind->told - behind->done == BATCHES)
		pthread_cond_wait(&behind->room, &behind->lock);
	code = behind->code;
	pthread_mutex_unlock(&behind->lock);
	return code;
}

static void tell(struct events_behind *behind)
{
	pthread_mutex_lock(&behind->lock);
	if (++behind->told - behind->done == WORTHY)
		pthread_cond_signal(&behind->more);
	pthread_mutex_unlock(&behind->lock);
}

static void fill(struct batch *batch, const struct event *events, u32 nr)
{
	u64 kinds = 0;

	batch->nr = nr;
	memcpy(batch->events, events, nr * sizeof(*events));
	for (u32 i = 0; i < nr; i++)
		kinds |= 1ULL << events[i].kind;
	batch->owns = kinds & EVENT_POINTERS;
	for (u32 i = 0; batch->owns && i < nr; i++)
		if (event_has_pointers(events[i].kind))
			event_own(&batch->events[i]);
}

/* Nothing is left to work on, and the thread is gone. */
static void finish(struct events_behind *behind)
{
	if (!behind->running)
		return;
	pthread_mutex_lock(&behind->lock);
	behind->over = true;
	pthread_cond_signal(&behind->more);
	pthread_mutex_unlock(&behind->lock);
	pthread_join(behind->thread, NULL);
	behind->running = false;
}

/* On one CPU a thread would only take turns with the source. */
static bool has_cpus(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) > 1;
}

static enum err_code on_begin(void *self, const struct event_header *header)
{
	struct events_behind *behind = self;
	enum err_code code = OK;

	if (behind->to.on_begin)
		code = behind->to.on_begin(behind->to.self, header);
	if (code == OK && has_cpus())
		behind->running = !pthread_create(&behind->thread, NULL, work, behind);
	return code;
}

static enum err_code on_events(void *self, const struct event *events, u32 nr)
{
	struct events_behind *behind = self;
	enum err_code code = OK;

	if (!behind->running)
		return behind->code = events_push(&behind->to, events, nr);
	while (nr && (code = wait_for_room(behind)) == OK) {
		u32 some = nr < AT_ONCE ? nr : AT_ONCE;

		fill(&behind->ring[behind->told % BATCHES], events, some);
		tell(behind);
		events += some;
		nr -= some;
	}
	return code;
}

static enum err_code on_event(void *self, const struct event *event)
{
	return on_events(self, event, 1);
}

static enum err_code on_end(void *self, const struct event_quality *quality)
{
	struct events_behind *behind = self;

	finish(behind);
	if (behind->code == OK && behind->to.on_end)
		behind->code = behind->to.on_end(behind->to.self, quality);
	return behind->code;
}

struct events_behind *events_behind_new(struct event_sink to)
{
	struct events_behind *behind = NEW(struct events_behind);

	behind->to = to;
	pthread_mutex_init(&behind->lock, NULL);
	pthread_cond_init(&behind->more, NULL);
	pthread_cond_init(&behind->room, NULL);
	return behind;
}

struct event_sink events_behind_sink(struct events_behind *behind)
{
	return (struct event_sink){ behind, on_begin, on_event, on_end, on_events };
}

void events_behind_free(struct events_behind *behind)
{
	if (!behind)
		return;
	finish(behind);
	pthread_mutex_destroy(&behind->lock);
	pthread_cond_destroy(&behind->more);
	pthread_cond_destroy(&behind->room);
	free(behind);
}
