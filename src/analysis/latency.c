/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/latency.h"

#include <stdlib.h>

#include "base/apart.h"

static struct latency_row *row_add(struct latency *latency, struct track_thread *thread, u64 key)
{
	struct latency_row *row;
	u64 *index = map_find(&latency->rows_by, key);

	if (index)
		return &latency->rows.at[*index];
	row = vec_add(&latency->rows);
	row->task = thread->task;
	row->name = mem_strdup(track_name(latency->threads, thread));
	*map_add(&latency->rows_by, key) = latency->rows.nr - 1;
	return row;
}

/* thread.data holds the row's index plus 1, and above bit 32 the name it was found by. */
static APART struct latency_row *row_find(struct latency *latency, struct track_thread *thread)
{
	u64 key = latency->per_thread ? thread->key : thread->name;
	struct latency_row *row = row_add(latency, thread, key);
	u64 index = (u64)(row - latency->rows.at) + 1;

	if ((u32)thread->data[TRACK_DATA_LATENCY] != (u32)index)
		row->threads++;
	thread->data[TRACK_DATA_LATENCY] = index | (u64)thread->name << 32;
	if (latency->per_thread && strcmp(row->name, track_name(latency->threads, thread))) {
		free(row->name);
		row->name = mem_strdup(track_name(latency->threads, thread));
	}
	return row;
}

static inline struct latency_row *row_of(struct latency *latency, struct track_thread *thread)
{
	u64 known = thread->data[TRACK_DATA_LATENCY];

	if ((u32)known && (u32)(known >> 32) == thread->name)
		return &latency->rows.at[(u32)known - 1];
	return row_find(latency, thread);
}

static void count_wait(struct latency_row *row, const struct track_wait *wait)
{
	u64 delay_ns = wait->end_ns - track_wait_start_ns(wait);

	if (delay_ns > row->max_ns || !row->waited) {
		row->waited = true;
		row->max_ns = delay_ns;
		row->max_start_ns = track_wait_start_ns(wait);
		row->max_end_ns = wait->end_ns;
		row->max_cpu = wait->cpu;
	}
	hist_add(&row->waits[wait->kind], delay_ns);
}

void latency_wait(struct latency *latency, const struct track_wait *wait)
{
	struct track_thread *thread = wait->thread;
	struct latency_row *row = row_of(latency, thread);

	row->class |= thread->class;
	row->throttled_ns += wait->throttled_ns;
	switch (wait->trust) {
	case TRACK_EXACT:
		count_wait(row, wait);
		break;
	case TRACK_AFTER_LOSS:
		row->after_loss++;
		break;
	case TRACK_UNRELIABLE:
		row->unreliable++;
		break;
	case TRACK_UNFINISHED:
		row->unfinished++;
		break;
	}
}

void latency_run(struct latency *latency, const struct track_run *run)
{
	struct track_thread *thread = run->thread;
	struct latency_row *row = row_of(latency, thread);

	row->class |= thread->class;
	row->switches += run->prev_state != EVENT_STATE_UNKNOWN;
	if (!thread->has_runtime) {
		row->ran_ns += run->end_ns - run->start_ns;
		latency->by_switches = true;
	}
}

void latency_unknown(struct latency *latency, struct track_thread *thread)
{
	row_of(latency, thread)->unknown++;
}

void latency_migrated(struct latency *latency, struct track_thread *thread)
{
	row_of(latency, thread)->migrations++;
}

void latency_charged(struct latency *latency, struct track_thread *thread, u64 runtime_ns)
{
	row_of(latency, thread)->charged_ns += runtime_ns;
	latency->charged = true;
}

static void row_fini(struct latency_row *row)
{
	free(row->name);
	hist_fini(&row->delay);
	for (u32 i = 0; i < TRACK_NR_KINDS; i++)
		hist_fini(&row->waits[i]);
}

void latency_fini(struct latency *latency)
{
	vec_for_each(row, &latency->rows)
		row_fini(row);
	vec_free(&latency->rows);
	row_fini(&latency->total);
	map_fini(&latency->rows_by);
}

static int by_delay(const void *left, const void *right)
{
	const struct latency_row *a = left, *b = right;
	u64 a_runtime_ns = latency_runtime_ns(a), b_runtime_ns = latency_runtime_ns(b);
	int order;

	if (a->delay.sum != b->delay.sum)
		return a->delay.sum > b->delay.sum ? -1 : 1;
	if (a_runtime_ns != b_runtime_ns)
		return a_runtime_ns > b_runtime_ns ? -1 : 1;
	order = strcmp(a->name, b->name);
	if (order)
		return order;
	if (a->task.tid != b->task.tid)
		return a->task.tid < b->task.tid ? -1 : 1;
	return a->task.gen < b->task.gen ? -1 : a->task.gen > b->task.gen;
}

static void total_add(struct latency_row *total, const struct latency_row *row)
{
	if (row->delay.count && (!total->delay.count || row->delay.max > total->delay.max)) {
		total->max_start_ns = row->max_start_ns;
		total->max_end_ns = row->max_end_ns;
		total->max_cpu = row->max_cpu;
	}
	hist_merge(&total->delay, &row->delay);
	for (u32 i = 0; i < TRACK_NR_KINDS; i++)
		hist_merge(&total->waits[i], &row->waits[i]);
	total->threads += row->threads;
	total->class |= row->class;
	total->switches += row->switches;
	total->migrations += row->migrations;
	total->throttled_ns += row->throttled_ns;
	total->charged_ns += row->charged_ns;
	total->ran_ns += row->ran_ns;
	total->unknown += row->unknown;
	total->unreliable += row->unreliable;
	total->after_loss += row->after_loss;
	total->unfinished += row->unfinished;
}

void latency_sort(struct latency *latency)
{
	vec_for_each(row, &latency->rows) {
		hist_fini(&row->delay);
		for (u32 i = 0; i < TRACK_NR_KINDS; i++)
			hist_merge(&row->delay, &row->waits[i]);
	}
	if (latency->rows.nr)
		qsort(latency->rows.at, latency->rows.nr, sizeof(*latency->rows.at), by_delay);
	row_fini(&latency->total);
	latency->total = (struct latency_row){ .name = mem_strdup("TOTAL") };
	vec_for_each(row, &latency->rows)
		total_add(&latency->total, row);
}
