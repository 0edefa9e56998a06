/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/track.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/apart.h"

/* No idle state takes as long to leave; a virtual CPU that is not scheduled may. */
#define IDLE_TARGET_NS 10000000ULL

static const char *const doubts[TRACK_NR_DOUBTS] = {
#define TRACK_DOUBT(id, why) why,
#include "analysis/doubts.def"
};

#define TELL(threads, callback, ...) (threads)->ops->callback((threads)->self, __VA_ARGS__)

struct track *track_new(const struct track_ops *ops, void *self)
{
	struct track *threads = NEW(struct track);

	threads->ops = ops;
	threads->self = self;
	return threads;
}

static void thread_fini(struct track_thread *thread)
{
	free(thread->allowed);
	thread->allowed = NULL;
}

void track_free(struct track *threads)
{
	if (!threads)
		return;
	for (size_t i = 0; i < threads->by_key.room; i++) {
		if (threads->by_key.slots[i].used) {
			struct track_thread *thread =
				(struct track_thread *)(uintptr_t)threads->by_key.slots[i].value;

			thread_fini(thread);
			free(thread);
		}
	}
	while (threads->spare) {
		struct track_thread *next = threads->spare->later;

		free(threads->spare);
		threads->spare = next;
	}
	map_fini(&threads->by_key);
	names_fini(&threads->names);
	free(threads->cpus);
	throttles_fini(&threads->throttles);
	free(threads);
}

void track_announce_cpus(struct track *threads, u32 nr_cpus)
{
	if (nr_cpus > TRACK_MAX_CPUS)
		nr_cpus = TRACK_MAX_CPUS;
	if (nr_cpus <= threads->nr_cpus)
		return;
	threads->cpus = mem_resize(threads->cpus, nr_cpus, sizeof(*threads->cpus));
	memset(threads->cpus + threads->nr_cpus, 0,
	       (nr_cpus - threads->nr_cpus) * sizeof(*threads->cpus));
	threads->nr_cpus = nr_cpus;
}

/* The first event of a CPU that was not announced; false: there cannot be such a CPU. */
static APART bool add_cpu(struct track *threads, s32 cpu)
{
	if ((u32)cpu >= TRACK_MAX_CPUS) {
		threads->stats.no_cpu++;
		return false;
	}
	track_announce_cpus(threads, (u32)cpu + 1);
	return true;
}

static inline struct track_cpu *cpu_at(struct track *threads, s32 cpu)
{
	if ((u32)cpu >= threads->nr_cpus && !add_cpu(threads, cpu))
		return NULL;
	threads->cpus[cpu].seen = true;
	return &threads->cpus[cpu];
}

/* ---- the table ---- */

static u32 cache_slot(u64 key)
{
	return (u32)(key ^ key >> 32) & (TRACK_CACHE - 1);
}

static APART struct track_thread *thread_find_slow(struct track *threads, u64 key)
{
	u64 *found = map_find(&threads->by_key, key);
	struct track_thread *thread;

	if (!found)
		return NULL;
	thread = (struct track_thread *)(uintptr_t)*found;
	threads->cache[cache_slot(key)] = thread;
	return thread;
}

static inline struct track_thread *thread_find_key(struct track *threads, u64 key)
{
	struct track_thread *cached = threads->cache[cache_slot(key)];

	return cached && cached->key == key ? cached : thread_find_slow(threads, key);
}

static void waiting_remove(struct track *threads, struct track_thread *thread)
{
	if (thread->earlier)
		thread->earlier->later = thread->later;
	else
		threads->first_waiting = thread->later;
	if (thread->later)
		thread->later->earlier = thread->earlier;
	else
		threads->last_waiting = thread->earlier;
	thread->earlier = thread->later = NULL;
}

/* Who ran there is gone, and nothing told who came. */
static void cpu_vanish(struct track *threads, s32 cpu)
{
	threads->cpus[cpu] = (struct track_cpu){ .seen = true };
	TELL(threads, on_cpu, cpu);
}

static APART void thread_remove(struct track *threads, struct track_thread *thread)
{
	struct track_thread **cached = &threads->cache[cache_slot(thread->key)];

	if (thread->state == TRACK_WAITING)
		waiting_remove(threads, thread);
	if (thread->state == TRACK_RUNNING && (u32)thread->cpu < threads->nr_cpus &&
	    threads->cpus[thread->cpu].current == thread)
		cpu_vanish(threads, thread->cpu);
	TELL(threads, on_gone, thread);
	if (*cached == thread)
		*cached = NULL;
	map_remove(&threads->by_key, thread->key);
	thread_fini(thread);
	thread->later = threads->spare;
	threads->spare = thread;
}

static APART struct track_thread *thread_make(struct track *threads, struct event_task task)
{
	u64 key = event_task_key(task);
	struct track_thread *thread = threads->spare, *older;

	/* A tid that lives again: whatever was left of its last life is over. */
	if (task.gen) {
		older = thread_find_key(
			threads, event_task_key((struct event_task){ task.tid, task.gen - 1 }));
		if (older)
			thread_remove(threads, older);
		thread = threads->spare;
	}
	if (thread) {
		threads->spare = thread->later;
		memset(thread, 0, sizeof(*thread));
	} else {
		thread = NEW(struct track_thread);
	}
	thread->key = key;
	thread->task = task;
	thread->name = TRACK_NO_NAME;
	thread->pid = EVENT_NOBODY;
	thread->cpu = EVENT_NOBODY;
	thread->policy = EVENT_POLICY_UNKNOWN;
	thread->waker.tid = EVENT_NOBODY;
	*map_add(&threads->by_key, key) = (uintptr_t)thread;
	threads->cache[cache_slot(key)] = thread;
	return thread;
}

/* NULL for idle tasks and for nobody. */
static inline struct track_thread *thread_of(struct track *threads, struct event_task task)
{
	struct track_thread *thread;

	if (task.tid <= 0)
		return NULL;
	thread = thread_find_key(threads, event_task_key(task));
	return thread ? thread : thread_make(threads, task);
}

struct track_thread *track_find(struct track *threads, struct event_task task)
{
	return task.tid > 0 ? thread_find_key(threads, event_task_key(task)) : NULL;
}

const char *track_name(const struct track *threads, const struct track_thread *thread)
{
	return thread->name == TRACK_NO_NAME ? "" : names_text(&threads->names, thread->name);
}

const char *track_doubt_text(enum track_doubt doubt)
{
	assert(doubt < TRACK_NR_DOUBTS);
	return doubts[doubt];
}

/* prio as sched_switch prints it: below 0 deadline, to 99 real time, from 100 fair. */
static inline void note_prio(struct track_thread *thread, s32 prio)
{
	if (prio >= 100)
		thread->class = TRACK_CLASS_FAIR;
	else
		thread->class = prio < 0 ? TRACK_CLASS_DEADLINE : TRACK_CLASS_RT;
}

/* ---- waits ---- */

static bool moved_time(const struct event *event)
{
	return event->flags & (EVENT_LATE | EVENT_INFERRED);
}

static APART void turn_throttled(const struct track *threads, struct track_thread *thread,
				 u64 time_ns)
{
	bool off = thread->cgroup && throttles_on(&threads->throttles, thread->cgroup, thread->cpu);

	if (off == (thread->off_since_ns != TRACK_NOT_OFF) || threads->throttling_unseen)
		return;
	if (!off)
		thread->throttled_ns += time_ns - thread->off_since_ns;
	thread->off_since_ns = off ? time_ns : TRACK_NOT_OFF;
}

/* Is a waiting thread throttled now, where it is queued? */
static inline void note_throttled(const struct track *threads, struct track_thread *thread,
				  u64 time_ns)
{
	if (threads->throttles.off.nr || thread->off_since_ns != TRACK_NOT_OFF)
		turn_throttled(threads, thread, time_ns);
}

static inline void wait_place(struct track_thread *thread, s32 cpu, u64 time_ns)
{
	if (thread->nr_places && thread->places[thread->nr_places - 1].cpu == cpu)
		return;
	if (thread->nr_places == TRACK_MAX_PLACES)
		thread->nr_places--;
	thread->places[thread->nr_places++] = (struct track_place){ cpu, time_ns };
	thread->cpu = cpu;
}

/* It waits already, and is told to be queued at @cpu. */
static void wait_move(struct track *threads, struct track_thread *thread, s32 cpu, u64 time_ns)
{
	s32 from = thread->cpu;

	wait_place(thread, cpu, time_ns);
	note_throttled(threads, thread, time_ns);
	if (thread->cpu != from)
		TELL(threads, on_moved, thread, from);
}

static void wait_begin(struct track *threads, struct track_thread *thread,
		       const struct event *event, enum track_kind kind, s32 cpu)
{
	thread->state = TRACK_WAITING;
	thread->kind = (u8)kind;
	thread->since_ns = event->time_ns;
	thread->doubt = moved_time(event) ? TRACK_DOUBT_MOVED_TIME : TRACK_DOUBT_NONE;
	thread->by_waking = event->kind == EVENT_WAKING;
	thread->by_wakeup = event->kind == EVENT_WAKEUP;
	thread->waking_cpu = event->cpu;
	thread->migrations = 0;
	thread->losses = threads->stats.losses;
	thread->waker = event->other;
	thread->nr_places = 0;
	wait_place(thread, cpu, event->time_ns);
	thread->throttled_ns = 0;
	thread->off_since_ns = TRACK_NOT_OFF;
	note_throttled(threads, thread, event->time_ns);
	thread->earlier = threads->last_waiting;
	thread->later = NULL;
	if (threads->last_waiting)
		threads->last_waiting->later = thread;
	else
		threads->first_waiting = thread;
	threads->last_waiting = thread;
	TELL(threads, on_ready, thread);
}

static void wait_end(struct track *threads, struct track_thread *thread, u64 time_ns, s32 cpu,
		     bool unfinished)
{
	struct track_wait wait = {
		.thread = thread,
		.start_ns = thread->since_ns,
		.end_ns = time_ns,
		.kind = thread->kind,
		.doubt = thread->doubt,
		.cpu = cpu,
		.migrations = thread->migrations,
	};

	if (thread->off_since_ns != TRACK_NOT_OFF)
		thread->throttled_ns += time_ns - thread->off_since_ns;
	wait.throttled_ns = thread->throttled_ns;
	if (unfinished) {
		wait.trust = TRACK_UNFINISHED;
		threads->stats.unfinished++;
	} else if (thread->losses != threads->stats.losses) {
		wait.trust = TRACK_AFTER_LOSS;
		threads->stats.after_loss++;
	} else if (thread->doubt) {
		wait.trust = TRACK_UNRELIABLE;
		threads->stats.unreliable[thread->doubt]++;
	}
	TELL(threads, on_wait, &wait);
	waiting_remove(threads, thread);
	thread->state = TRACK_UNKNOWN;
	thread->since_ns = time_ns;
}

static void sleep_end(struct track *threads, struct track_thread *thread, u64 time_ns)
{
	const struct track_sleep sleep = { thread, thread->since_ns, time_ns, thread->sleep_state };

	TELL(threads, on_sleep, &sleep);
}

static void run_end(struct track *threads, struct track_thread *thread, u64 time_ns,
		    enum track_trust trust, u32 prev_state)
{
	const struct track_run run = { thread, thread->since_ns, time_ns,
				       trust,  thread->cpu,      prev_state };

	TELL(threads, on_run, &run);
	thread->state = TRACK_UNKNOWN;
	thread->since_ns = time_ns;
}

/* ---- CPUs ---- */

/* What the CPU did until now ends; who ran there was not seen to leave. */
static void cpu_end(struct track *threads, struct track_cpu *cpu, u64 time_ns,
		    enum track_trust trust)
{
	if (cpu->state == TRACK_CPU_BUSY)
		run_end(threads, cpu->current, time_ns, trust, EVENT_STATE_UNKNOWN);
	if (cpu->state == TRACK_CPU_IDLE) {
		const struct track_idle idle = { (s32)(cpu - threads->cpus), cpu->since_ns, time_ns,
						 trust };

		TELL(threads, on_idle, &idle);
	}
	cpu->state = TRACK_CPU_UNKNOWN;
	cpu->current = NULL;
	cpu->since_ns = time_ns;
}

static APART void cpu_forget(struct track *threads, struct track_cpu *cpu, u64 time_ns,
			     enum track_trust trust)
{
	cpu_end(threads, cpu, time_ns, trust);
	TELL(threads, on_cpu, (s32)(cpu - threads->cpus));
}

static APART void cpu_lost(struct track *threads, const struct event *event)
{
	threads->stats.losses++;
	if (event->cpu != EVENT_NOBODY) {
		struct track_cpu *cpu = cpu_at(threads, event->cpu);

		if (cpu)
			cpu_forget(threads, cpu, event->time_ns, TRACK_AFTER_LOSS);
		return;
	}
	for (u32 i = 0; i < threads->nr_cpus; i++)
		cpu_forget(threads, &threads->cpus[i], event->time_ns, TRACK_AFTER_LOSS);
}

static void switch_out(struct track *threads, struct track_cpu *cpu, struct track_thread *prev,
		       const struct event *event)
{
	u32 state = event->switch_.prev_state;

	if (cpu->current == prev) {
		run_end(threads, prev, event->time_ns,
			moved_time(event) ? TRACK_UNRELIABLE : TRACK_EXACT, state);
	} else if (prev->state == TRACK_WAITING) {
		prev->doubt = TRACK_DOUBT_SWITCHED_OUT;
		wait_end(threads, prev, event->time_ns, event->cpu, false);
	} else if (prev->state == TRACK_RUNNING) { /* on another CPU, as far as was seen */
		cpu_forget(threads, &threads->cpus[prev->cpu], event->time_ns, TRACK_UNRELIABLE);
	}
	cpu->current = NULL;
	prev->cpu = event->cpu;
	prev->sleep_state = state;
	prev->since_ns = event->time_ns;
	if (event_state_runnable(state))
		wait_begin(threads, prev, event, TRACK_PREEMPT, event->cpu);
	else if (state & EVENT_STATE_UNKNOWN)
		prev->state = TRACK_UNKNOWN;
	else
		prev->state = TRACK_SLEEPING;
}

static void switch_in(struct track *threads, struct track_cpu *cpu, struct track_thread *next,
		      const struct event *event, u64 idle_since_ns)
{
	if (next->state == TRACK_WAITING) {
		if (next->cpu != event->cpu && (next->by_wakeup || !next->by_waking))
			threads->stats.implicit_migrations++;
		/* With a waking alone nothing told where it was queued until it ran. */
		if (next->by_waking && !next->by_wakeup && next->nr_places == 1)
			next->places[0].cpu = event->cpu;
		if (moved_time(event))
			next->doubt = TRACK_DOUBT_MOVED_TIME;
		else if (idle_since_ns <= next->since_ns &&
			 event->time_ns - next->since_ns > IDLE_TARGET_NS)
			next->doubt = TRACK_DOUBT_IDLE_TARGET;
		wait_end(threads, next, event->time_ns, event->cpu, false);
	} else {
		if (next->state == TRACK_RUNNING)
			cpu_forget(threads, &threads->cpus[next->cpu], event->time_ns,
				   TRACK_UNRELIABLE);
		threads->stats.unknown++;
		TELL(threads, on_unknown, next, event->time_ns, event->cpu);
	}
	next->state = TRACK_RUNNING;
	next->since_ns = event->time_ns;
	next->cpu = event->cpu;
	cpu->state = TRACK_CPU_BUSY;
	cpu->current = next;
}

static void on_switch(struct track *threads, const struct event *event, struct track_thread *prev)
{
	/* A thread cannot be followed by itself, nor by its tid's next life: who came is not known. */
	bool same = prev && event->task.tid == event->other.tid;
	struct track_thread *next = same ? NULL : thread_of(threads, event->other);
	struct track_cpu *cpu = cpu_at(threads, event->cpu);
	u64 idle_since_ns = U64_MAX;
	enum track_cpu_state was;
	bool as_known;

	if (!cpu)
		return;
	as_known = prev ? cpu->current == prev : cpu->state == TRACK_CPU_IDLE;
	if (cpu->state != TRACK_CPU_UNKNOWN && !as_known) {
		threads->stats.mismatches++;
		cpu_forget(threads, cpu, event->time_ns, TRACK_UNRELIABLE);
	}
	was = cpu->state;
	if (cpu->state == TRACK_CPU_IDLE) {
		idle_since_ns = cpu->since_ns;
		cpu_end(threads, cpu, event->time_ns, TRACK_EXACT);
	}
	if (prev) {
		note_prio(prev, event->switch_.prev_prio);
		switch_out(threads, cpu, prev, event);
	}
	cpu->since_ns = event->time_ns;
	if (next) {
		note_prio(next, event->switch_.next_prio);
		switch_in(threads, cpu, next, event, idle_since_ns);
	} else {
		cpu->state = event->other.tid == 0 ? TRACK_CPU_IDLE : TRACK_CPU_UNKNOWN;
	}
	if (cpu->state != was)
		TELL(threads, on_cpu, event->cpu);
	if (prev && event->switch_.prev_state != EVENT_STATE_UNKNOWN &&
	    (event->switch_.prev_state & (EVENT_STATE_DEAD | EVENT_STATE_ZOMBIE)))
		thread_remove(threads, prev);
}

/* ---- wakeups ---- */

/* A second waking, or a second wakeup, in one wait: between them it ran and slept. */
static bool woken_again(const struct track_thread *thread, u32 kind)
{
	return kind == EVENT_WAKING ? thread->by_waking : thread->by_wakeup;
}

static void wake_waiting(struct track *threads, struct track_thread *thread,
			 const struct event *event)
{
	if (thread->kind != TRACK_WAKEUP)
		return;
	if (woken_again(thread, event->kind)) {
		thread->doubt = TRACK_DOUBT_WOKEN_AGAIN;
		wait_end(threads, thread, event->time_ns, thread->cpu, false);
		wait_begin(threads, thread, event, TRACK_WAKEUP, event->wake.target_cpu);
		return;
	}
	if (event->kind == EVENT_WAKEUP) {
		if (thread->by_waking && !thread->by_wakeup)
			wait_move(threads, thread, event->wake.target_cpu, event->time_ns);
		thread->by_wakeup = true;
	} else {
		thread->by_waking = true;
	}
}

static void on_wake(struct track *threads, const struct event *event, struct track_thread *thread)
{
	if (!thread)
		return;
	note_prio(thread, event->wake.prio);
	switch ((enum track_state)thread->state) {
	case TRACK_WAITING:
		wake_waiting(threads, thread, event);
		break;
	case TRACK_RUNNING:
		if (event->kind == EVENT_WAKING)
			threads->stats.early_wakings++;
		break;
	case TRACK_SLEEPING:
		sleep_end(threads, thread, event->time_ns);
		/* fall through */
	case TRACK_UNKNOWN:
	case TRACK_NEW:
		if (event->kind == EVENT_WAKING)
			threads->stats.by_waking++;
		else
			threads->stats.by_wakeup++;
		wait_begin(threads, thread, event, TRACK_WAKEUP, event->wake.target_cpu);
		break;
	}
}

static void on_wakeup_new(struct track *threads, const struct event *event,
			  struct track_thread *thread)
{
	if (!thread)
		return;
	note_prio(thread, event->wake.prio);
	if (thread->state == TRACK_UNKNOWN || thread->state == TRACK_NEW)
		wait_begin(threads, thread, event, TRACK_FORK, event->wake.target_cpu);
}

/*
 * Choosing a CPU for a wakeup is no migration inside the wait: it is told between
 * waking and wakeup, by the waker.
 */
static void on_migrate(struct track *threads, const struct event *event,
		       struct track_thread *thread)
{
	bool placing;

	if (!thread)
		return;
	if (thread->state != TRACK_WAITING) {
		thread->cpu =
			thread->state == TRACK_RUNNING ? thread->cpu : event->migrate.dest_cpu;
		return;
	}
	placing = thread->by_waking && !thread->by_wakeup && thread->nr_places == 1 &&
		  event->cpu == thread->waking_cpu && !thread->migrations;
	if (placing)
		thread->nr_places = 0;
	else
		thread->migrations++;
	wait_move(threads, thread, event->migrate.dest_cpu,
		  placing ? thread->since_ns : event->time_ns);
}

/* Runtime charged to a thread that is not running: it ran where nobody saw it. */
static void on_runtime(struct track *threads, const struct event *event,
		       struct track_thread *thread)
{
	u64 runtime_ns = event->runtime.runtime_ns;

	if (!thread)
		return;
	thread->has_runtime = true;
	/* A charge longer than the state lasts may be that of the run before it. */
	if (thread->state == TRACK_RUNNING || !runtime_ns ||
	    runtime_ns > event->time_ns - thread->since_ns)
		return;
	if (thread->state == TRACK_WAITING) {
		thread->doubt = TRACK_DOUBT_RAN_UNSEEN;
		wait_end(threads, thread, event->time_ns, event->cpu, false);
	}
	thread->state = TRACK_UNKNOWN;
}

static void on_idle_state(struct track *threads, const struct event *event)
{
	struct track_cpu *cpu = cpu_at(threads, event->cpu);

	if (!cpu || cpu->state != TRACK_CPU_UNKNOWN || event->idle.state == EVENT_IDLE_EXIT)
		return;
	cpu->state = TRACK_CPU_IDLE;
	cpu->since_ns = event->time_ns;
	TELL(threads, on_cpu, event->cpu);
}

/* Offline it neither idles nor works; what it does from then on is not known. */
static void on_cpu(struct track *threads, const struct event *event)
{
	struct track_cpu *cpu = cpu_at(threads, event->cpu);

	if (!cpu)
		return;
	if (!event->cpu_.online) {
		cpu_forget(threads, cpu, event->time_ns, TRACK_EXACT);
	} else if (cpu->state == TRACK_CPU_UNKNOWN) {
		cpu->state = TRACK_CPU_IDLE;
		cpu->since_ns = event->time_ns;
	}
}

static void on_name(struct track *threads, const struct event *event, struct track_thread *thread)
{
	if (!thread)
		return;
	thread->name = names_add(&threads->names, event->name.text ? event->name.text : "",
				 event->name.text ? event->name.len : 0);
	if (event->name.pid != EVENT_NOBODY)
		thread->pid = event->name.pid;
}

static void on_attr(const struct event *event, struct track_thread *thread)
{
	const struct event_cpus *allowed = event->attr.allowed;

	if (!thread)
		return;
	thread->policy = event->attr.policy;
	thread->cgroup = event->attr.cgroup;
	thread_fini(thread);
	if (allowed) {
		size_t size = sizeof(*allowed) + allowed->nr_words * sizeof(allowed->words[0]);

		thread->allowed = mem_zalloc(size);
		memcpy(thread->allowed, allowed, size);
	}
}

static void on_cgroup(struct track *threads, const struct event *event, struct track_thread *thread)
{
	throttles_event(&threads->throttles, event);
	if (event->cgroup.what == EVENT_CGROUP_ATTACH && thread)
		thread->cgroup = event->cgroup.id;
	for (struct track_thread *waits = threads->first_waiting; waits; waits = waits->later)
		note_throttled(threads, waits, event->time_ns);
}

static inline void take_in(struct track *threads, const struct event *event)
{
	struct track_thread *thread = thread_of(threads, event->task);

	threads->end_ns = event->time_ns;
	if (event->kind == EVENT_CGROUP) /* first, so that the listener can ask */
		on_cgroup(threads, event, thread);
	if (event->flags & EVENT_AFTER_LOSS && event->kind != EVENT_LOST)
		cpu_lost(threads, event);
	if (threads->ops->on_event[event->kind])
		TELL(threads, on_event[event->kind], event, thread);
	switch (event->kind) {
	case EVENT_SWITCH:
		on_switch(threads, event, thread);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
		on_wake(threads, event, thread);
		break;
	case EVENT_WAKEUP_NEW:
		on_wakeup_new(threads, event, thread);
		break;
	case EVENT_MIGRATE:
		on_migrate(threads, event, thread);
		break;
	case EVENT_FORK:
		if (thread && thread->state == TRACK_UNKNOWN)
			thread->state = TRACK_NEW;
		break;
	case EVENT_RUNTIME:
		on_runtime(threads, event, thread);
		break;
	case EVENT_IDLE:
		on_idle_state(threads, event);
		break;
	case EVENT_CPU:
		on_cpu(threads, event);
		break;
	case EVENT_LOST:
		cpu_lost(threads, event);
		break;
	case EVENT_NAME:
		on_name(threads, event, thread);
		break;
	case EVENT_ATTR:
		on_attr(event, thread);
		break;
	}
}

void track_events(struct track *threads, const struct event *events, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		take_in(threads, &events[i]);
}

void track_end(struct track *threads)
{
	while (threads->first_waiting)
		wait_end(threads, threads->first_waiting, threads->end_ns,
			 threads->first_waiting->cpu, true);
	for (u32 i = 0; i < threads->nr_cpus; i++)
		cpu_forget(threads, &threads->cpus[i], threads->end_ns, TRACK_UNFINISHED);
}
