/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fields - what each kind carries, as a table: dump, its reader, hash and the
 * ftrace text writer's comments all walk it, so a new kind needs no code there.
 */
#ifndef EVENTS_FIELDS_H
#define EVENTS_FIELDS_H

#include "events/event.h"

enum event_field_type {
	EVENT_FIELD_U64,
	EVENT_FIELD_S64,
	EVENT_FIELD_U32,
	EVENT_FIELD_S32,
	EVENT_FIELD_U16,
	EVENT_FIELD_U8,
	EVENT_FIELD_S8,
	EVENT_FIELD_TASK, /* struct event_task */
	EVENT_FIELD_TEXT, /* const char *, may be NULL */
	EVENT_FIELD_CPUS, /* const struct event_cpus *, may be NULL */
};

struct event_field {
	const char *name; /* NULL ends a list */
	enum event_field_type type;
	size_t offset;
	const char *const *words; /* what its numbers are called; NULL: they are numbers */
	u32 nr_words;
};

const char *event_kind_name(u32 kind);
/* 1: the kernel has a tracepoint of this name; 0: our own kind. */
bool event_kind_is_kernel(u32 kind);
/* EVENT_NR_KINDS if no kind is called so. */
u32 event_kind_find(const char *name, size_t len);
const struct event_field *event_fields(u32 kind);

/* The kinds that point to something. */
#define EVENT_POINTERS (EVENT_BIT(NAME) | EVENT_BIT(ATTR) | EVENT_BIT(CGROUP) | EVENT_BIT(MARK))

static inline bool event_has_pointers(u32 kind)
{
	return EVENT_POINTERS >> kind & 1;
}

/* What it points to is copied, and the copies are freed; for kinds that event_has_pointers(). */
void event_own(struct event *event);
void event_disown(const struct event *event);

/* The value of a field of a number type, sign-extended. */
s64 event_field_number(const struct event *event, const struct event_field *field);
/* The same way in; false if @value does not fit. */
bool event_field_set(struct event *event, const struct event_field *field, s64 value);
/*
 * Is all that @event carries in the fields of its kind?  What is not is left in @rest
 * (task, other, words); everything else of @rest is zero.
 */
bool event_fields_cover(const struct event *event, struct event *rest);
const char *event_reason_name(u32 reason);

#endif
