/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads - what every thread and every CPU is doing, worked out from the stream.
 *
 * One state machine feeds all analyses.  It reports intervals when they end: waits
 * (runnable and not running), runs, sleeps, idle CPUs.  Memory is bounded by the
 * threads alive, the CPUs and the names.
 *
 * Ready time  of a wakeup: its waking if there is one for this sleep, else its wakeup.
 *	       A waking before the thread's own switch-out belongs to no sleep: the
 *	       wakeup after it is used.
 * Place       of a waiting thread: the last of wakeup.target_cpu and migrate.dest_cpu;
 *	       waking.target_cpu is only where it ran last.
 * Doubt       intervals that cannot be as the stream tells them are marked, with why.
 * Idle        is a state of a CPU; the idle task is no thread here and never waits.
 */
#ifndef ANALYSIS_THREADS_H
#define ANALYSIS_THREADS_H

#include "base/map.h"
#include "base/vec.h"
#include "events/event.h"

/* Events of CPUs beyond are counted and left out: no kernel has more (NR_CPUS_RANGE_END). */
#define THREADS_MAX_CPUS      8192
#define THREADS_MAX_OBSERVERS 8
#define THREADS_MAX_PLACES    4
#define THREADS_NO_NAME       0xffffffffu

enum threads_state {
	THREADS_UNKNOWN,
	THREADS_NEW, /* forked, not yet woken */
	THREADS_RUNNING,
	THREADS_WAITING,
	THREADS_SLEEPING,
};

enum threads_kind { /* of a wait: what made it runnable */
	THREADS_WAKEUP,
	THREADS_PREEMPT,
	THREADS_FORK,
	THREADS_NR_KINDS
};

enum threads_trust {
	THREADS_EXACT,
	THREADS_AFTER_LOSS, /* events were lost meanwhile */
	THREADS_UNRELIABLE, /* see doubt */
	THREADS_UNFINISHED, /* the stream ended first */
};

enum threads_doubt {
#define THREADS_DOUBT(id, why) THREADS_DOUBT_##id,
#include "analysis/doubts.def"
	THREADS_NR_DOUBTS
};

enum threads_class { /* bits: a row of several threads may have several */
	THREADS_CLASS_FAIR = 1 << 0,
	THREADS_CLASS_RT = 1 << 1,
	THREADS_CLASS_DEADLINE = 1 << 2,
};

struct threads_place {
	s32 cpu;
	u64 since_ns;
};

struct thread {
	u64 key;      /* event_task_key() */
	u64 since_ns; /* when the state began */
	u8 state, kind, doubt;
	u8 class;         /* enum threads_class, 0: not known */
	u8 policy;        /* enum event_policy */
	bool by_waking;   /* this wait: a waking was seen */
	bool by_wakeup;   /* a wakeup was seen */
	bool has_runtime; /* a sched_stat_runtime was seen */
	u8 nr_places;
	s32 cpu;         /* running: where; waiting: where queued; else where it ran last */
	s32 waking_cpu;  /* where the waking was recorded */
	u32 migrations;  /* inside this wait */
	u32 losses;      /* threads.stats.losses when the wait began */
	u32 name;        /* in threads.names */
	u32 sleep_state; /* prev_state of the last switch-out */
	struct event_task task, waker; /* waker of a preemption: who came instead */
	s32 pid;
	u32 cgroup;                     /* 0: the root or not known */
	struct thread *earlier, *later; /* waiting threads, by the time their wait began */
	struct event_cpus *allowed;     /* NULL: all or not known */
	struct threads_place places[THREADS_MAX_PLACES]; /* of this wait; the last one moves on */
	void *data[THREADS_MAX_OBSERVERS];               /* each observer's own */
};

struct threads_wait {
	struct thread *thread;
	u64 start_ns, end_ns;
	enum threads_kind kind;
	enum threads_trust trust;
	enum threads_doubt doubt;
	s32 cpu; /* where it got to run; of a wait that did not: where it was queued */
	u32 migrations;
};

struct threads_run {
	struct thread *thread;
	u64 start_ns, end_ns;
	enum threads_trust trust;
	s32 cpu;
	u32 prev_state; /* EVENT_STATE_UNKNOWN if it did not end by a switch */
};

struct threads_sleep {
	struct thread *thread;
	u64 start_ns, end_ns;
	u32 state;
};

struct threads_idle {
	s32 cpu;
	u64 start_ns, end_ns;
	enum threads_trust trust;
};

/* Any may be NULL.  What they are given is valid until they return. */
struct threads_ops {
	u64 kinds; /* EVENT_BITs on_event wants */
	/* An event, after its task was looked up and before anything changes; @thread may be NULL. */
	void (*on_event)(void *self, const struct event *event, struct thread *thread);
	void (*on_wait)(void *self, const struct threads_wait *wait);
	void (*on_run)(void *self, const struct threads_run *run);
	void (*on_sleep)(void *self, const struct threads_sleep *sleep);
	void (*on_idle)(void *self, const struct threads_idle *idle);
	/* Got the CPU, and nothing says since when it wanted it. */
	void (*on_unknown)(void *self, struct thread *thread, u64 time_ns, s32 cpu);
	/* The thread is gone: its data must not be used any more. */
	void (*on_gone)(void *self, struct thread *thread);
};

enum threads_cpu_state {
	THREADS_CPU_UNKNOWN,
	THREADS_CPU_IDLE,
	THREADS_CPU_BUSY,
};

struct threads_cpu {
	enum threads_cpu_state state;
	bool seen;
	u64 since_ns;
	struct thread *current; /* busy: who */
};

struct threads_stats {
	u64 by_waking, by_wakeup; /* wakeups whose ready time is the one or the other */
	u64 early_wakings;        /* wakings before the switch-out: not used */
	u64 unknown;              /* switch-ins without a known wakeup */
	u64 mismatches;           /* switch-outs of a thread that was not the running one */
	u64 implicit_migrations;  /* ran elsewhere than it was queued, without an event */
	u64 unreliable[THREADS_NR_DOUBTS];
	u64 after_loss, unfinished; /* waits */
	u64 no_cpu;                 /* events without a usable CPU */
	u32 losses;
};

#define THREADS_CACHE 1024

struct threads {
	struct threads_cpu *cpus;
	u32 nr_cpus; /* as many as were seen or announced */
	u32 nr_observers;
	void *selves[THREADS_MAX_OBSERVERS];
	const struct threads_ops *observers[THREADS_MAX_OBSERVERS];
	u64 kinds; /* wanted by any observer */
	struct thread *first_waiting, *last_waiting;
	u64 end_ns; /* time of the last event */
	struct threads_stats stats;
	struct names names;
	struct map by_key; /* event_task_key to struct thread * */
	struct thread *cache[THREADS_CACHE];
	struct thread *spare; /* freed threads, linked by later */
};

struct threads *threads_new(void);
void threads_free(struct threads *threads);
/* Returns the observer's index in thread.data. */
u32 threads_observe(struct threads *threads, void *self, const struct threads_ops *ops);
/* CPUs the source announced exist even if no event names them. */
void threads_announce_cpus(struct threads *threads, u32 nr_cpus);
void threads_event(struct threads *threads, const struct event *event);
/* Reports what is still open as THREADS_UNFINISHED. */
void threads_end(struct threads *threads);

/* NULL if it is not known (any more), or is an idle task. */
struct thread *threads_find(struct threads *threads, struct event_task task);
/* "" if it was never told. */
const char *threads_name(const struct threads *threads, const struct thread *thread);
const char *threads_doubt_text(enum threads_doubt doubt);

#endif
