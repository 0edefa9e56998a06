/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/sinks.h"

#include <string.h>

#include "base/rng.h"
#include "events/fields.h"

static enum err_code tee_begin(void *self, const struct event_header *header)
{
	struct events_tee *tee = self;
	enum err_code code = OK;

	for (u32 i = 0; i < tee->nr && code == OK; i++)
		if (tee->to[i].on_begin)
			code = tee->to[i].on_begin(tee->to[i].self, header);
	return code;
}

static enum err_code tee_event(void *self, const struct event *event)
{
	struct events_tee *tee = self;
	enum err_code code = OK;

	for (u32 i = 0; i < tee->nr && code == OK; i++)
		code = tee->to[i].on_event(tee->to[i].self, event);
	return code;
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
	return (struct event_sink){ tee, tee_begin, tee_event, tee_end };
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

static enum err_code hash_event(void *self, const struct event *event)
{
	struct events_hash *hash = self;
	u64 words[5], h = hash->hash;

	memcpy(words, event, sizeof(words));
	/* seq, the second word, is left out: it counts, it does not tell */
	h = fold(h ^ words[0], words[2] ^ HASH_KEY0);
	if (event_has_pointers(event->kind)) {
		h = fold(h ^ words[3], words[4] ^ HASH_KEY1);
		h = hash_payload(h, event);
	} else {
		h ^= fold(words[3] ^ event->words[0] ^ HASH_KEY0, words[4] ^ HASH_KEY1);
		h = fold(h ^ event->words[1], event->words[2] ^ HASH_KEY1);
	}
	hash->hash = h;
	hash->events++;
	return OK;
}

struct event_sink events_hash_sink(struct events_hash *hash)
{
	return (struct event_sink){ hash, NULL, hash_event, NULL };
}
