/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/worst.h"

#include <stdio.h>
#include <stdlib.h>

struct worst_ran {
	u64 start_ns, end_ns;
	s32 tid; /* 0: idle */
	u32 name;
};

struct worst_ring {
	u64 nr; /* ever written */
	struct worst_ran *at;
};

static struct worst_ring *ring_of(struct worst *worst, s32 cpu)
{
	struct worst_ring *ring;

	if ((u32)cpu >= worst->nr_rings) {
		u32 nr = (u32)cpu + 1;

		worst->rings = mem_resize(worst->rings, nr, sizeof(*worst->rings));
		memset(worst->rings + worst->nr_rings, 0,
		       (nr - worst->nr_rings) * sizeof(*worst->rings));
		worst->nr_rings = nr;
	}
	ring = &worst->rings[cpu];
	if (!ring->at)
		ring->at = NEW_ARRAY(struct worst_ran, WORST_RING);
	return ring;
}

static void ring_add(struct worst *worst, s32 cpu, const struct worst_ran *ran)
{
	struct worst_ring *ring = ring_of(worst, cpu);

	ring->at[ring->nr++ % WORST_RING] = *ran;
}

void worst_run(struct worst *worst, const struct track_run *run)
{
	const struct worst_ran ran = { run->start_ns, run->end_ns, run->thread->task.tid,
				       run->thread->name };

	if (worst->longest.room && run->trust != TRACK_UNRELIABLE)
		ring_add(worst, run->cpu, &ran);
}

void worst_idle(struct worst *worst, const struct track_idle *idle)
{
	const struct worst_ran ran = { idle->start_ns, idle->end_ns, 0, TRACK_NO_NAME };

	if (worst->longest.room && idle->trust != TRACK_UNRELIABLE)
		ring_add(worst, idle->cpu, &ran);
}

/* ---- who ran meanwhile ---- */

struct share {
	s32 tid;
	u32 name;
	u64 ns;
};
struct shares {
	VEC(struct share) list;
	u64 idle_ns, busy_ns;
};

static void share_add(struct shares *shares, s32 tid, u32 name, u64 ns)
{
	struct share *share;

	if (!tid) {
		shares->idle_ns += ns;
		return;
	}
	shares->busy_ns += ns;
	vec_for_each(known, &shares->list) {
		if (known->tid == tid) {
			known->ns += ns;
			return;
		}
	}
	share = vec_add(&shares->list);
	*share = (struct share){ tid, name, ns };
}

static u64 overlap(u64 start_a, u64 end_a, u64 start_b, u64 end_b)
{
	u64 start = start_a > start_b ? start_a : start_b, end = end_a < end_b ? end_a : end_b;

	return end > start ? end - start : 0;
}

static void shares_on_cpu(struct worst *worst, struct shares *shares, s32 cpu, u64 start_ns,
			  u64 end_ns)
{
	const struct track_cpu *now;
	struct worst_ring *ring;

	if ((u32)cpu >= worst->threads->nr_cpus)
		return;
	now = &worst->threads->cpus[cpu];
	ring = ring_of(worst, cpu);
	for (u64 i = ring->nr; i-- && ring->nr - i <= WORST_RING;) {
		const struct worst_ran *ran = &ring->at[i % WORST_RING];

		if (ran->end_ns < start_ns)
			break;
		share_add(shares, ran->tid, ran->name,
			  overlap(ran->start_ns, ran->end_ns, start_ns, end_ns));
	}
	/* of a wait that is not over, or is over elsewhere: who still runs there */
	if (now->state == TRACK_CPU_IDLE)
		share_add(shares, 0, TRACK_NO_NAME,
			  overlap(now->since_ns, end_ns, start_ns, end_ns));
	else if (now->current)
		share_add(shares, now->current->task.tid, now->current->name,
			  overlap(now->since_ns, end_ns, start_ns, end_ns));
}

static int by_time(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void name_copy(char *to, const struct track *threads, u32 name)
{
	snprintf(to, WORST_NAME, "%s",
		 name == TRACK_NO_NAME ? "" : names_text(&threads->names, name));
}

static void tell_antagonists(struct worst *worst, struct worst_wait *entry,
			     const struct track_thread *thread)
{
	struct shares shares = { 0 };
	u64 known_ns;

	for (u32 i = 0; i < thread->nr_places; i++) {
		bool last = i + 1 == thread->nr_places;

		shares_on_cpu(worst, &shares, thread->places[i].cpu, thread->places[i].since_ns,
			      last ? entry->end_ns : thread->places[i + 1].since_ns);
	}
	if (shares.list.nr)
		qsort(shares.list.at, shares.list.nr, sizeof(*shares.list.at), by_time);
	for (size_t i = 0; i < shares.list.nr && shares.list.at[i].ns; i++) {
		const struct share *share = &shares.list.at[i];

		if (i >= WORST_ANTAGONISTS) {
			entry->others_ns += share->ns;
			continue;
		}
		entry->antagonists[i].tid = share->tid;
		entry->antagonists[i].ns = share->ns;
		name_copy(entry->antagonists[i].name, worst->threads, share->name);
		entry->nr_antagonists++;
	}
	entry->idle_ns = shares.idle_ns;
	known_ns = shares.idle_ns + shares.busy_ns;
	if (entry->end_ns - entry->start_ns > known_ns)
		entry->unseen_ns = entry->end_ns - entry->start_ns - known_ns;
	vec_free(&shares.list);
}

/* ---- the lists ---- */

static bool worse(const struct worst_wait *a, u64 start_ns, u64 end_ns)
{
	return end_ns - start_ns > a->end_ns - a->start_ns;
}

/* NULL if @wait is not among the longest. */
static struct worst_wait *list_insert(struct worst_list *list, const struct track_wait *wait)
{
	u32 at = list->nr;

	if (list->nr == list->room) {
		if (!list->room ||
		    !worse(&list->at[list->nr - 1], track_wait_start_ns(wait), wait->end_ns))
			return NULL;
		at = --list->nr;
	}
	while (at && worse(&list->at[at - 1], track_wait_start_ns(wait), wait->end_ns))
		at--;
	memmove(&list->at[at + 1], &list->at[at], (list->nr - at) * sizeof(*list->at));
	list->nr++;
	return &list->at[at];
}

void worst_wait(struct worst *worst, const struct track_wait *wait)
{
	const struct track_thread *thread = wait->thread;
	bool doubtful = wait->trust == TRACK_UNRELIABLE;
	const struct track_thread *waker;
	struct worst_wait *entry;

	entry = list_insert(doubtful ? &worst->doubtful : &worst->longest, wait);
	if (!entry)
		return;
	*entry = (struct worst_wait){
		.task = thread->task,
		.start_ns = track_wait_start_ns(wait),
		.end_ns = wait->end_ns,
		.kind = wait->kind,
		.trust = wait->trust,
		.doubt = wait->doubt,
		.cpu = wait->cpu,
		.migrations = wait->migrations,
		.waker = thread->waker,
	};
	name_copy(entry->name, worst->threads, thread->name);
	waker = track_find(worst->threads, thread->waker);
	name_copy(entry->waker_name, worst->threads, waker ? waker->name : TRACK_NO_NAME);
	if (!doubtful)
		tell_antagonists(worst, entry, thread);
}

static void list_init(struct worst_list *list, u32 room)
{
	/* one more than room: list_insert() moves before it cuts */
	*list = (struct worst_list){ .room = room, .at = NEW_ARRAY(struct worst_wait, room + 1) };
}

void worst_init(struct worst *worst, struct track *threads, u32 nr)
{
	*worst = (struct worst){ .threads = threads };
	list_init(&worst->longest, nr);
	list_init(&worst->doubtful, WORST_DOUBTFUL);
}

void worst_fini(struct worst *worst)
{
	for (u32 i = 0; i < worst->nr_rings; i++)
		free(worst->rings[i].at);
	free(worst->rings);
	free(worst->longest.at);
	free(worst->doubtful.at);
}
