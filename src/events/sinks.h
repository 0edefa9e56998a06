/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sinks - the small parts streams are built from.
 *
 * Each *_sink() fills a sink around a struct the caller owns; where it feeds
 * another sink, that one is given as next.
 */
#ifndef EVENTS_SINKS_H
#define EVENTS_SINKS_H

#include "events/event.h"

/* @nr events, in order, to a sink that takes them together or one by one. */
enum err_code events_push(const struct event_sink *sink, const struct event *events, u32 nr);

/* Feeds up to EVENTS_TEE_MAX sinks in order; the first error stops the source. */
#define EVENTS_TEE_MAX 8
struct events_tee {
	struct event_sink to[EVENTS_TEE_MAX];
	u32 nr;
};
void events_tee_add(struct events_tee *tee, struct event_sink sink);
struct event_sink events_tee_sink(struct events_tee *tee);

/*
 * Asserts the order and that idle tasks are named { 0, cpu }: a source that breaks
 * it is a mistake of ours, never of a file (events/intake.h orders those).
 */
struct events_check {
	struct event_sink next;
	u64 time_ns, seq, events;
};
struct event_sink events_check_sink(struct events_check *check);

/* The running hash and the count: the same stream gives the same hash on every build. */
struct events_hash {
	u64 hash, events;
};
struct event_sink events_hash_sink(struct events_hash *hash);

#endif
