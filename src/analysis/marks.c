/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/marks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"

const char *marks_what(u32 what)
{
	static const char *const names[] = {
		[EVENT_MARK_SECTION] = "section",
		[EVENT_MARK_CHAIN] = "chain",
		[EVENT_MARK_REQUEST] = "request",
	};

	return names[what];
}

static struct marks_row *row_of(struct marks *marks, const struct event *event)
{
	char key[256];
	int len = snprintf(key, sizeof(key), "%c%s", (char)('0' + event->mark.what),
			   event->mark.name);
	u32 index;

	if (len >= (int)sizeof(key))
		len = sizeof(key) - 1;
	if (names_find(&marks->names, key, (size_t)len) < 0 && marks->rows.nr == MARKS_MAX_NAMES)
		return NULL;
	index = names_add(&marks->names, key, (size_t)len);
	if (index == marks->rows.nr) {
		vec_add(&marks->rows);
		marks->rows.at[index].name = mem_strdup(key + 1);
		marks->rows.at[index].what = event->mark.what;
	}
	return &marks->rows.at[index];
}

/* Its number among the requests of its thread, from 0: the n-th to end is the n-th that began. */
static u32 turn_of(struct marks *marks, u64 thread, bool begin)
{
	u64 *turns = map_add(&marks->turns, thread);
	u32 begun = (u32)(*turns >> 32), ended = (u32)*turns;

	if (begin)
		*turns += 1ULL << 32;
	else if (ended != begun)
		*turns += 1;
	return begin ? begun : ended;
}

/* Which one of its name: a chain by its number, others by their thread, requests by turn, too. */
static u64 key_of(struct marks *marks, const struct marks_row *row, const struct event *event)
{
	u64 who = row->what == EVENT_MARK_CHAIN ? event->mark.id : event_task_key(event->task);
	u64 key = rng_combine(who, (u64)(row - marks->rows.at));

	if (row->what != EVENT_MARK_REQUEST)
		return key;
	return rng_combine(key, turn_of(marks, key, event->mark.begin));
}

static void on_begin_mark(struct marks *marks, struct marks_row *row, const struct event *event)
{
	u64 key = key_of(marks, row, event);

	if (map_find(&marks->open, key) || marks->open.nr >= MARKS_MAX_OPEN)
		row->unmatched++;
	if (marks->open.nr < MARKS_MAX_OPEN)
		*map_add(&marks->open, key) = event->time_ns;
}

static void on_end_mark(struct marks *marks, struct marks_row *row, const struct event *event,
			const struct track_thread *thread)
{
	u64 key = key_of(marks, row, event), *began_ns = map_find(&marks->open, key), took_ns;

	if (!began_ns) {
		row->unmatched++;
		return;
	}
	took_ns = event->time_ns - *began_ns;
	map_remove(&marks->open, key);
	if (!thread ||
	    filter_keeps(marks->filter, marks->threads, thread, event->time_ns, event->cpu))
		hist_add(&row->took, took_ns);
}

void marks_event(struct marks *marks, const struct event *event, const struct track_thread *thread)
{
	struct marks_row *row = row_of(marks, event);

	if (!row)
		return;
	if (event->mark.begin)
		on_begin_mark(marks, row, event);
	else
		on_end_mark(marks, row, event, thread);
}

static int by_name(const void *left, const void *right)
{
	const struct marks_row *a = left, *b = right;

	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	return strcmp(a->name, b->name);
}

void marks_end(struct marks *marks)
{
	if (marks->rows.nr)
		qsort(marks->rows.at, marks->rows.nr, sizeof(*marks->rows.at), by_name);
}

void marks_fini(struct marks *marks)
{
	vec_for_each(row, &marks->rows) {
		free(row->name);
		hist_fini(&row->took);
	}
	vec_free(&marks->rows);
	names_fini(&marks->names);
	map_fini(&marks->open);
	map_fini(&marks->turns);
}
