/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/perf_compat.h"

#include <stdint.h>
#include <stdlib.h>

/* Of a thread's atoms perf ever looks at the last one only. */
enum atom {
	ATOM_SLEEPING,
	ATOM_WAIT_CPU,
	ATOM_IN
};

struct perf_compat_thread {
	struct event_task task;
	enum atom atom;
	u64 out_ns, wake_ns;
	u64 runtime_ns, nr, delay_ns, max_ns, max_start_ns, max_end_ns;
	u32 name;
};

static struct perf_compat_thread *find(struct perf_compat *compat, struct event_task task,
				       bool *is_new)
{
	u64 *slot = map_add(&compat->by_key, event_task_key(task));
	struct perf_compat_thread *known = (struct perf_compat_thread *)(uintptr_t)*slot;

	*is_new = !known;
	if (known)
		return known;
	known = NEW(struct perf_compat_thread);
	known->task = task;
	known->name = TRACK_NO_NAME;
	*slot = (uintptr_t)known;
	return known;
}

static void atom_out(struct perf_compat_thread *thread, bool runnable, u64 time_ns)
{
	thread->out_ns = time_ns;
	thread->wake_ns = time_ns;
	thread->atom = runnable ? ATOM_WAIT_CPU : ATOM_SLEEPING;
}

static void atom_in(struct perf_compat_thread *thread, u64 time_ns)
{
	u64 delay_ns = time_ns - thread->wake_ns;

	if (thread->atom != ATOM_WAIT_CPU)
		return;
	thread->atom = ATOM_IN;
	thread->nr++;
	thread->delay_ns += delay_ns;
	if (delay_ns <= thread->max_ns)
		return;
	thread->max_ns = delay_ns;
	thread->max_start_ns = thread->wake_ns;
	thread->max_end_ns = time_ns;
}

void perf_compat_switch(struct perf_compat *compat, const struct event *event)
{
	struct perf_compat_thread *thread;
	bool is_new;

	if (event->task.tid > 0) {
		thread = find(compat, event->task, &is_new);
		atom_out(thread, event->switch_.prev_state == 0, event->time_ns);
	}
	if (event->other.tid > 0) {
		thread = find(compat, event->other, &is_new);
		if (is_new)
			atom_out(thread, true, event->time_ns);
		atom_in(thread, event->time_ns);
	}
}

void perf_compat_wakeup(struct perf_compat *compat, const struct event *event)
{
	struct perf_compat_thread *thread;
	bool is_new;

	if (event->task.tid <= 0)
		return;
	thread = find(compat, event->task, &is_new);
	if (is_new)
		atom_out(thread, false, event->time_ns);
	if (thread->atom != ATOM_SLEEPING)
		return;
	thread->atom = ATOM_WAIT_CPU;
	thread->wake_ns = event->time_ns;
}

void perf_compat_runtime(struct perf_compat *compat, const struct event *event)
{
	struct perf_compat_thread *thread;
	bool is_new;

	if (event->task.tid <= 0)
		return;
	thread = find(compat, event->task, &is_new);
	if (is_new)
		atom_out(thread, true, event->time_ns);
	thread->runtime_ns += event->runtime.runtime_ns;
}

static struct perf_compat_row *row_of(struct perf_compat *compat,
				      const struct perf_compat_thread *thread)
{
	struct perf_compat_row *row;
	u64 *index = NULL;

	if (!compat->per_thread) {
		index = map_add(&compat->by_name, thread->name);
		if (*index)
			return &compat->rows.at[*index - 1];
		*index = compat->rows.nr + 1;
	}
	row = vec_add(&compat->rows);
	row->task = thread->task;
	row->name = mem_strdup(thread->name == TRACK_NO_NAME
				       ? ""
				       : names_text(&compat->threads->names, thread->name));
	return row;
}

/* perf merges from the greatest tid down and keeps the first of equal maxima. */
static void fold(struct perf_compat *compat, const struct perf_compat_thread *thread)
{
	struct perf_compat_row *row = row_of(compat, thread);

	row->merged++;
	row->runtime_ns += thread->runtime_ns;
	row->nr += thread->nr;
	row->delay_ns += thread->delay_ns;
	if (thread->max_ns > row->max_ns ||
	    (thread->max_ns && thread->max_ns == row->max_ns && thread->task.tid > row->max_tid)) {
		row->max_ns = thread->max_ns;
		row->max_start_ns = thread->max_start_ns;
		row->max_end_ns = thread->max_end_ns;
		row->max_tid = thread->task.tid;
		row->max_known = true;
	}
}

void perf_compat_gone(struct perf_compat *compat, const struct track_thread *gone)
{
	u64 *slot = map_find(&compat->by_key, gone->key);
	struct perf_compat_thread *thread;

	if (!slot)
		return;
	thread = (struct perf_compat_thread *)(uintptr_t)*slot;
	thread->name = gone->name;
	fold(compat, thread);
	map_remove(&compat->by_key, gone->key);
	free(thread);
}

/* Average, then maximum, count, runtime; of equals the greater name, then the greater tid. */
static int by_perf_order(const void *left, const void *right)
{
	const struct perf_compat_row *a = left, *b = right;
	const u64 keys[][2] = {
		{ perf_compat_mean_ns(a), perf_compat_mean_ns(b) },
		{ a->max_ns, b->max_ns },
		{ a->nr, b->nr },
		{ a->runtime_ns, b->runtime_ns },
	};
	int order;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1] ? -1 : 1;
	order = strcmp(b->name, a->name);
	if (order)
		return order;
	return a->task.tid > b->task.tid ? -1 : a->task.tid < b->task.tid;
}

static int by_task(const void *left, const void *right)
{
	const struct perf_compat_thread *a = *(struct perf_compat_thread *const *)left;
	const struct perf_compat_thread *b = *(struct perf_compat_thread *const *)right;

	if (a->task.tid != b->task.tid)
		return a->task.tid > b->task.tid ? -1 : 1;
	return a->task.gen > b->task.gen ? -1 : a->task.gen < b->task.gen;
}

/* In an order of their own, not the map's: of a row with one thread its tid is shown. */
static void fold_living(struct perf_compat *compat)
{
	VEC(struct perf_compat_thread *) living = { 0 };

	for (size_t i = 0; i < compat->by_key.room; i++)
		if (compat->by_key.slots[i].used)
			*vec_add(&living) =
				(struct perf_compat_thread *)(uintptr_t)compat->by_key.slots[i]
					.value;
	if (living.nr)
		qsort(living.at, living.nr, sizeof(*living.at), by_task);
	vec_for_each(thread, &living) {
		const struct track_thread *known = track_find(compat->threads, (*thread)->task);

		(*thread)->name = known ? known->name : TRACK_NO_NAME;
		fold(compat, *thread);
		free(*thread);
	}
	vec_free(&living);
	map_fini(&compat->by_key);
}

void perf_compat_end(struct perf_compat *compat)
{
	size_t kept = 0;

	fold_living(compat);
	for (size_t i = 0; i < compat->rows.nr; i++) {
		struct perf_compat_row *row = &compat->rows.at[i];

		if (!row->nr || !strcmp(row->name, "swapper")) {
			free(row->name);
			continue;
		}
		compat->total_runtime_ns += row->runtime_ns;
		compat->total_nr += row->nr;
		compat->rows.at[kept++] = *row;
	}
	compat->rows.nr = kept;
	if (kept)
		qsort(compat->rows.at, kept, sizeof(*compat->rows.at), by_perf_order);
}

void perf_compat_fini(struct perf_compat *compat)
{
	for (size_t i = 0; i < compat->by_key.room; i++)
		if (compat->by_key.slots[i].used)
			free((void *)(uintptr_t)compat->by_key.slots[i].value);
	vec_for_each(row, &compat->rows)
		free(row->name);
	vec_free(&compat->rows);
	map_fini(&compat->by_key);
	map_fini(&compat->by_name);
}
