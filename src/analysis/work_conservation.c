/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/work_conservation.h"

#include <stdlib.h>

#include "base/apart.h"

/* How a waiting thread counts: in track_thread.data, beside the wall time at its begin. */
enum kind {
	OUT,   /* not at all */
	BOUND, /* it may run on its CPU only */
	FREE,  /* anywhere */
	SOME,  /* on the CPUs of a set */
};

struct note {
	u8 kind, set;
	u64 wall_ns;
};
static_assert(WORK_CONSERVATION_SETS == 64, "a note has six bits for the set");

/* In one word: 56 bits of wall time are two years. */
static struct note note_of(const struct track_thread *thread)
{
	u64 word = thread->data[TRACK_DATA_WORK];

	return (struct note){ word & 3, word >> 2 & 63, word >> 8 };
}

static void note_set(struct track_thread *thread, struct note note)
{
	thread->data[TRACK_DATA_WORK] = note.wall_ns << 8 | (u64)note.set << 2 | note.kind;
}

static APART void add_cpus(struct work_conservation *work, u32 nr)
{
	while (work->cpus.nr < nr) {
		bool filtered = !filter_keeps_cpu(work->filter, (s32)work->cpus.nr);

		vec_add(&work->cpus)->filtered = filtered;
	}
}

static inline struct work_conservation_cpu *cpu_at(struct work_conservation *work, s32 cpu)
{
	if ((u32)cpu >= work->cpus.nr) {
		if ((u32)cpu >= TRACK_MAX_CPUS)
			return NULL;
		add_cpus(work, (u32)cpu + 1);
	}
	return &work->cpus.at[cpu];
}

/* ---- what it comes to ---- */

static u32 nr_words(const struct work_conservation *work)
{
	return ((u32)work->cpus.nr + 63) / 64;
}

static u32 min_u32(u32 a, u32 b)
{
	return a < b ? a : b;
}

static u32 count_cpus(const u64 *words, u32 nr)
{
	u32 cpus = 0;

	for (u32 i = 0; i < nr; i++)
		cpus += (u32)__builtin_popcountll(words[i]);
	return cpus;
}

/* How many of @mask are in @left too; up to @max of them are taken out of it. */
static u32 take(u64 *left, const u64 *mask, u32 words, u32 max)
{
	u32 taken = 0;

	for (u32 i = 0; i < words && taken < max; i++)
		for (u64 both = left[i] & mask[i]; both && taken < max; both &= both - 1) {
			left[i] &= ~(both & -both);
			taken++;
		}
	return taken;
}

/* Threads that may run on some CPUs only, the narrowest first; then the others. */
static u32 threads_helped(const struct work_conservation *work)
{
	u64 left[WORK_CONSERVATION_WORDS];
	u32 words = nr_words(work), helped = 0;

	memcpy(left, work->idle, words * sizeof(left[0]));
	for (u32 i = 0; i < work->nr_sets; i++) {
		const struct work_conservation_set *set = &work->sets[work->order[i]];
		u32 waiting = 0;

		for (u32 word = 0; set->waiting && word < min_u32(words, set->nr_words); word++)
			for (u64 on = set->queued[word] & work->busy[word]; on; on &= on - 1)
				waiting += set->waiting_on[word * 64 + (u32)__builtin_ctzll(on)];
		helped += take(left, set->allowed, min_u32(words, set->nr_words), waiting);
	}
	if (work->waiting_free > work->nr_idle - helped)
		return work->nr_idle;
	return helped + (u32)work->waiting_free;
}

/* The same with a CPU's threads as one: CPUs with a thread that may run anywhere come last. */
static u32 cpus_helped(const struct work_conservation *work)
{
	u64 left[WORK_CONSERVATION_WORDS], sources[WORK_CONSERVATION_WORDS];
	u32 words = nr_words(work), helped = 0;

	memcpy(left, work->idle, words * sizeof(left[0]));
	for (u32 i = 0; i < words; i++)
		sources[i] = work->busy[i] & ~work->flexible[i];
	for (u32 i = 0; i < work->nr_sets; i++) {
		const struct work_conservation_set *set = &work->sets[work->order[i]];
		u32 both = min_u32(words, set->nr_words), nr = 0;

		if (!set->waiting)
			continue;
		for (u32 word = 0; word < both; word++)
			nr += (u32)__builtin_popcountll(set->queued[word] & sources[word]);
		nr = take(left, set->allowed, both, nr);
		helped += take(sources, set->queued, both, nr);
	}
	return helped + min_u32(work->nr_idle - helped, count_cpus(work->flexible, words));
}

struct helped {
	u32 cpus, threads;
};

static APART struct helped helped_by_sets(const struct work_conservation *work)
{
	return (struct helped){ cpus_helped(work), threads_helped(work) };
}

static APART void spend(struct work_conservation *work, u64 now_ns)
{
	u64 ns = filter_clip(work->filter, work->since_ns, now_ns);
	struct helped helped = { min_u32(work->nr_idle, work->nr_overloaded),
				 work->waiting_free < work->nr_idle ? (u32)work->waiting_free
								    : work->nr_idle };

	if (!ns)
		return;
	if (work->waiting_some)
		helped = helped_by_sets(work);
	if (!helped.threads)
		return;
	work->wall_ns += ns;
	work->per_cpu_ns += ns * helped.cpus;
	work->per_thread_ns += ns * helped.threads;
	if (work->stretch_end_ns != work->since_ns)
		work->stretch_ns = 0;
	work->stretch_end_ns = now_ns;
	work->stretch_ns += ns;
	if (work->stretch_ns > work->longest_ns) {
		work->longest_ns = work->stretch_ns;
		work->longest_end_ns = now_ns < work->filter->to_ns ? now_ns : work->filter->to_ns;
	}
}

/* What was so until now is counted, and something is about to change. */
static inline void account(struct work_conservation *work)
{
	u64 now_ns = work->threads->end_ns;

	if (work->nr_idle && work->nr_overloaded && now_ns != work->since_ns)
		spend(work, now_ns);
	work->since_ns = now_ns;
}

/* ---- who counts ---- */

enum {
	COUNTS_IDLE = 1,
	COUNTS_BUSY = 2,
	COUNTS_FLEXIBLE = 4,
};

static inline u8 as_what(const struct work_conservation_cpu *cpu)
{
	if (cpu->offline || cpu->filtered)
		return 0;
	if (cpu->state == TRACK_CPU_IDLE)
		return cpu->queued ? 0 : COUNTS_IDLE;
	if (cpu->state != TRACK_CPU_BUSY)
		return 0;
	if (cpu->free)
		return COUNTS_BUSY | COUNTS_FLEXIBLE;
	return cpu->some ? COUNTS_BUSY : 0;
}

/* Masks are kept once there are threads that may run on some CPUs only. */
static APART void note_masks(struct work_conservation *work,
			     const struct work_conservation_cpu *cpu, u8 change)
{
	u32 at = (u32)(cpu - work->cpus.at);

	work->idle[at / 64] ^= (u64) !!(change & COUNTS_IDLE) << at % 64;
	work->busy[at / 64] ^= (u64) !!(change & COUNTS_BUSY) << at % 64;
	work->flexible[at / 64] ^= (u64) !!(change & COUNTS_FLEXIBLE) << at % 64;
}

static void turn(struct work_conservation *work, struct work_conservation_cpu *cpu, u8 as)
{
	u8 change = as ^ cpu->as;

	cpu->as = as;
	if (work->nr_sets)
		note_masks(work, cpu, change);
	if (change & COUNTS_IDLE)
		work->nr_idle += as & COUNTS_IDLE ? 1 : (u32)-1;
	if (!(change & COUNTS_BUSY))
		return;
	work->nr_overloaded += as & COUNTS_BUSY ? 1 : (u32)-1;
	work->waiting_free += as & COUNTS_BUSY ? cpu->free : 0ULL - cpu->free;
	work->waiting_some += as & COUNTS_BUSY ? cpu->some : 0ULL - cpu->some;
}

/* The CPU has changed: does it count as something else now? */
static inline void look(struct work_conservation *work, struct work_conservation_cpu *cpu)
{
	u8 as = as_what(cpu);

	if (as != cpu->as)
		turn(work, cpu, as);
}

static APART void queue_some(struct work_conservation_set *set, u32 at, s32 sign)
{
	set->waiting += (u32)sign;
	if (at >= 64 * set->nr_words)
		return;
	set->waiting_on[at] += (u32)sign;
	set->queued[at / 64] &= ~(1ULL << (at % 64));
	set->queued[at / 64] |= (u64)(set->waiting_on[at] > 0) << (at % 64);
}

/* One more (@sign 1) or less (-1) is queued at CPU @at. */
static void queue(struct work_conservation *work, s32 at, struct note note, s32 sign)
{
	struct work_conservation_cpu *cpu;

	if (note.kind == OUT)
		return;
	account(work);
	cpu = cpu_at(work, at);
	if (!cpu)
		return;
	cpu->queued += (u32)sign;
	if (note.kind == FREE) {
		cpu->free += (u32)sign;
		work->waiting_free += cpu->as & COUNTS_BUSY ? (u64)(s64)sign : 0;
	} else if (note.kind == SOME) {
		cpu->some += (u32)sign;
		work->waiting_some += cpu->as & COUNTS_BUSY ? (u64)(s64)sign : 0;
		queue_some(&work->sets[note.set], (u32)at, sign);
	}
	look(work, cpu);
}

static void set_fini(struct work_conservation_set *set)
{
	free(set->allowed);
	free(set->queued);
	free(set->waiting_on);
	*set = (struct work_conservation_set){ 0 };
}

/* The narrowest first; of equals the first. */
static void sort_sets(struct work_conservation *work)
{
	for (u32 i = 1; i < work->nr_sets; i++) {
		u8 moved = work->order[i];
		u32 at = i;

		for (; at && work->sets[work->order[at - 1]].nr_cpus > work->sets[moved].nr_cpus;
		     at--)
			work->order[at] = work->order[at - 1];
		work->order[at] = moved;
	}
}

/*
 * Room for CPUs up to the last that exists, since a thread may wait where it may not run:
 * its CPUs were changed meanwhile.
 */
static void set_init(struct work_conservation *work, struct work_conservation_set *set,
		     const u64 *allowed, u32 words)
{
	set_fini(set);
	set->nr_words = words;
	set->nr_cpus = count_cpus(allowed, words);
	set->allowed = mem_zalloc(words * sizeof(u64));
	set->queued = mem_zalloc(words * sizeof(u64));
	set->waiting_on = mem_zalloc(words * 64 * sizeof(u32));
	memcpy(set->allowed, allowed, words * sizeof(u64));
	sort_sets(work);
}

/* -1: too many sets are waited in. */
static s32 set_of(struct work_conservation *work, const u64 *allowed, u32 words)
{
	s32 unused = -1;

	for (u32 i = 0; i < work->nr_sets; i++) {
		const struct work_conservation_set *set = &work->sets[i];

		if (set->nr_words == words && !memcmp(set->allowed, allowed, words * sizeof(u64)))
			return (s32)i;
		if (!set->waiting && unused < 0)
			unused = (s32)i;
	}
	if (unused < 0 && work->nr_sets < WORK_CONSERVATION_SETS) {
		if (!work->nr_sets)
			vec_for_each(cpu, &work->cpus)
				note_masks(work, cpu, cpu->as);
		unused = (s32)work->nr_sets;
		work->order[work->nr_sets++] = (u8)unused;
	}
	if (unused >= 0)
		set_init(work, &work->sets[unused], allowed, words);
	return unused;
}

static APART struct note kind_by_cpus(struct work_conservation *work,
				      const struct event_cpus *allowed)
{
	u32 words = min_u32(allowed->nr_words, WORK_CONSERVATION_WORDS);
	u32 cpus = count_cpus(allowed->words, words);
	s32 set;

	if (cpus <= 1)
		return (struct note){ .kind = BOUND };
	if (cpus >= work->threads->nr_cpus)
		return (struct note){ .kind = FREE };
	set = set_of(work, allowed->words, words);
	if (set >= 0)
		return (struct note){ .kind = SOME, .set = (u8)set };
	work->left_out++;
	return (struct note){ .kind = BOUND };
}

static struct note kind_of(struct work_conservation *work, const struct track_thread *thread,
			   const struct event_cpus *allowed, u8 policy, u32 cgroup)
{
	if (thread->doubt || thread->losses != work->threads->stats.losses ||
	    may_run_throttled(work->may, cgroup, thread->cpu))
		return (struct note){ .kind = OUT };
	if (allowed)
		return kind_by_cpus(work, allowed);
	if (policy == EVENT_POLICY_UNKNOWN && may_run_bound(work->may, thread) >= 0)
		return (struct note){ .kind = BOUND };
	return (struct note){ .kind = FREE };
}

static void enter(struct work_conservation *work, struct track_thread *thread, struct note note)
{
	note.wall_ns = work->wall_ns;
	note_set(thread, note);
	queue(work, thread->cpu, note, 1);
}

static struct note leave(struct work_conservation *work, struct track_thread *thread, s32 cpu)
{
	struct note note = note_of(thread);

	queue(work, cpu, note, -1);
	note_set(thread, (struct note){ .kind = OUT });
	return note;
}

/* It was counted, and should not have been. */
static void leave_doubtful(struct work_conservation *work, struct track_thread *thread)
{
	struct note note = leave(work, thread, thread->cpu);

	if (note.kind == FREE || note.kind == SOME)
		work->doubtful_ns += work->wall_ns - note.wall_ns;
}

/* ---- what happens ---- */

void work_conservation_ready(struct work_conservation *work, struct track_thread *thread)
{
	enter(work, thread, kind_of(work, thread, thread->allowed, thread->policy, thread->cgroup));
}

void work_conservation_moved(struct work_conservation *work, struct track_thread *thread, s32 from)
{
	struct note note = note_of(thread);

	queue(work, from, note, -1);
	if (work->threads->throttles.off.nr) {
		u64 wall_ns = note.wall_ns;

		note = kind_of(work, thread, thread->allowed, thread->policy, thread->cgroup);
		note.wall_ns = wall_ns;
		note_set(thread, note);
	}
	queue(work, thread->cpu, note, 1);
}

void work_conservation_wait(struct work_conservation *work, const struct track_wait *wait)
{
	if (wait->trust == TRACK_UNRELIABLE || wait->trust == TRACK_AFTER_LOSS)
		leave_doubtful(work, wait->thread);
	else
		leave(work, wait->thread, wait->thread->cpu);
}

void work_conservation_gone(struct work_conservation *work, struct track_thread *thread)
{
	if (thread->state == TRACK_WAITING)
		leave_doubtful(work, thread);
}

/* What became of those who wait may be among what was lost. */
static APART void lose(struct work_conservation *work)
{
	work->losses = work->threads->stats.losses;
	for (struct track_thread *one = work->threads->first_waiting; one; one = one->later)
		leave_doubtful(work, one);
}

void work_conservation_cpu(struct work_conservation *work, s32 at)
{
	struct work_conservation_cpu *cpu;

	account(work);
	if (work->losses != work->threads->stats.losses)
		lose(work);
	cpu = cpu_at(work, at);
	cpu->state = (u8)work->threads->cpus[at].state;
	look(work, cpu);
}

/* Who waits on the group's CPU may be kept from it from now on, or no longer. */
void work_conservation_cgroup(struct work_conservation *work, const struct event *event,
			      struct track_thread *thread)
{
	u32 what = event->cgroup.what;
	bool all = what == EVENT_CGROUP_THROTTLE || what == EVENT_CGROUP_UNTHROTTLE;
	struct track_thread *one = all ? work->threads->first_waiting : thread;

	for (; one; one = all ? one->later : NULL) {
		if (one->state != TRACK_WAITING || (all && one->cpu != event->cpu))
			continue;
		leave(work, one, one->cpu);
		work_conservation_ready(work, one);
	}
}

void work_conservation_online(struct work_conservation *work, const struct event *event)
{
	struct work_conservation_cpu *cpu = cpu_at(work, event->cpu);

	if (!cpu)
		return;
	account(work);
	cpu->offline = !event->cpu_.online;
	look(work, cpu);
}

void work_conservation_attr(struct work_conservation *work, const struct event *event,
			    struct track_thread *thread)
{
	if (!thread || thread->state != TRACK_WAITING)
		return;
	leave(work, thread, thread->cpu);
	enter(work, thread,
	      kind_of(work, thread, event->attr.allowed, event->attr.policy, event->attr.cgroup));
}

void work_conservation_fini(struct work_conservation *work)
{
	for (u32 i = 0; i < work->nr_sets; i++)
		set_fini(&work->sets[i]);
	vec_free(&work->cpus);
}
