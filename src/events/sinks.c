/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/sinks.h"

#include <string.h>

#include "base/rng.h"
#include "events/fields.h"

enum err_code events_push(const struct event_sink *sink, const struct event *events, u32 nr)
{
	enum err_code code = OK;

	if (sink->on_events)
		return sink->on_events(sink->self, events, nr);
	for (u32 i = 0; i < nr && code == OK; i++)
		code = sink->on_event(sink->self, &events[i]);
	return code;
}

static enum err_code tee_begin(void *self, const struct event_header *header)
{
	struct events_tee *tee = self;
	enum err_code code = OK;

	for (u32 i = 0; i < tee->nr && code == OK; i++)
		if (tee->to[i].on_begin)
			code = tee->to[i].on_begin(tee->to[i].self, header);
	return code;
}

static enum err_code tee_events(void *self, const struct event *events, u32 nr)
{
	struct events_tee *tee = self;
	enum err_code code = OK;

	for (u32 i = 0; i < tee->nr && code == OK; i++)
		code = events_push(&tee->to[i], events, nr);
	return code;
}

static enum err_code tee_event(void *self, const struct event *event)
{
	return tee_events(self, event, 1);
}

static enum err_code tee_end(void *self, const struct event_quality *quality)
{
	struct events_tee *tee = self;
	enum err_code code = OK;

	for (u32 i = 0; i < tee->nr && code == OK; i++)
		if (tee->to[i].on_end)
			code = tee->to[i].on_end(tee->to[i].self, quality);
	return code;
}

void events_tee_add(struct events_tee *tee, struct event_sink sink)
{
	assert(tee->nr < EVENTS_TEE_MAX);
	tee->to[tee->nr++] = sink;
}

struct event_sink events_tee_sink(struct events_tee *tee)
{
	return (struct event_sink){ tee, tee_begin, tee_event, tee_end, tee_events };
}

static enum err_code check_begin(void *self, const struct event_header *header)
{
	struct events_check *check = self;

	return check->next.on_begin ? check->next.on_begin(check->next.self, header) : OK;
}

static bool idle_named(struct event_task task, s32 cpu)
{
	return task.tid != 0 || cpu == EVENT_NOBODY || task.gen == (u32)cpu;
}

static enum err_code check_event(void *self, const struct event *event)
{
	struct events_check *check = self;

	assert(event->kind < EVENT_NR_KINDS);
	if (check->events) {
		assert(event->time_ns >= check->time_ns);
		assert(event->seq > check->seq);
	}
	if (event->kind == EVENT_SWITCH) {
		assert(idle_named(event->task, event->cpu));
		assert(idle_named(event->other, event->cpu));
	}
	check->time_ns = event->time_ns;
	check->seq = event->seq;
	check->events++;
	return check->next.on_event ? check->next.on_event(check->next.self, event) : OK;
}

static enum err_code check_end(void *self, const struct event_quality *quality)
{
	struct events_check *check = self;

	return check->next.on_end ? check->next.on_end(check->next.self, quality) : OK;
}

struct event_sink events_check_sink(struct events_check *check)
{
	return (struct event_sink){ check, check_begin, check_event, check_end };
}

/* Two words at once through a 64 x 64 -> 128 bit product, both halves folded. */
static u64 fold(u64 a, u64 b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (u64)product ^ (u64)(product >> 64);
}

#define HASH_KEY0 0xa0761d6478bd642fULL
#define HASH_KEY1 0xe7037ed1a0b428dbULL
#define HASH_KEY2 0x8ebc6af09c88c6e3ULL

static u64 hash_bytes(u64 hash, const char *text, size_t len)
{
	u64 word;

	for (size_t i = 0; i < len; i += sizeof(word)) {
		word = 0;
		memcpy(&word, text + i, len - i < sizeof(word) ? len - i : sizeof(word));
		hash = fold(hash ^ word, HASH_KEY0);
	}
	return fold(hash ^ len, HASH_KEY1);
}

/* Pointers are hashed by what they point to, everything else as it stands. */
static u64 hash_payload(u64 hash, const struct event *event)
{
	const struct event_field *field = event_fields(event->kind);

	for (; field->name; field++) {
		const void *at = (const char *)event + field->offset;

		if (field->type == EVENT_FIELD_TEXT) {
			const char *text = *(const char *const *)at;

			hash = hash_bytes(hash, text ? text : "", text ? strlen(text) : 0);
		} else if (field->type == EVENT_FIELD_CPUS) {
			const struct event_cpus *cpus = *(const struct event_cpus *const *)at;

			hash = hash_bytes(hash, cpus ? (const char *)cpus->words : "",
					  cpus ? cpus->nr_words * sizeof(u64) : 0);
		} else {
			hash = fold(hash ^ (u64)event_field_number(event, field), HASH_KEY0);
		}
	}
	return hash;
}

/*
 * The words of an event, but for seq: it counts, it does not tell.  The products do not
 * wait for each other; only the last one has the hash so far in it.
 */
static inline u64 hash_one(u64 hash, const struct event *event)
{
	u64 head[5], who, what;

	memcpy(head, event, sizeof(head));
	hash ^= fold(head[0] ^ HASH_KEY0, head[2] ^ HASH_KEY1);
	who = fold(head[3] ^ HASH_KEY1, head[4] ^ HASH_KEY2);
	if (event_has_pointers(event->kind))
		return hash_payload(fold(hash, who), event);
	what = fold(event->words[0] ^ HASH_KEY2, event->words[1] ^ HASH_KEY0);
	return fold(hash ^ event->words[2], who ^ what ^ HASH_KEY1);
}

static enum err_code hash_events(void *self, const struct event *events, u32 nr)
{
	struct events_hash *hash = self;
	u64 h = hash->hash;

	for (u32 i = 0; i < nr; i++)
		h = hash_one(h, &events[i]);
	hash->hash = h;
	hash->events += nr;
	return OK;
}

static enum err_code hash_event(void *self, const struct event *event)
{
	return hash_events(self, event, 1);
}

struct event_sink events_hash_sink(struct events_hash *hash)
{
	return (struct event_sink){ hash, NULL, hash_event, NULL, hash_events };
}
