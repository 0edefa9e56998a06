/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * track - what every thread and every CPU is doing, worked out from the stream.
 *
 * One state machine for all analyses.  It tells its listener of intervals when they end:
 * waits (runnable and not running), runs, sleeps, idle CPUs; and, for those who count what
 * goes on at one time, when a wait begins or moves and when a CPU's state changes.
 * Memory is bounded by the threads alive, the CPUs and the names.
 *
 * Ready time  of a wakeup: its waking if there is one for this sleep, else its wakeup.
 *	       A waking before the thread's own switch-out belongs to no sleep: the
 *	       wakeup after it is used.
 * Place       of a waiting thread: the last of wakeup.target_cpu and migrate.dest_cpu;
 *	       waking.target_cpu is only where it ran last.
 * Doubt       intervals that cannot be as the stream tells them are marked, with why.
 * Throttled   is what of a wait the thread's group had no time left for: it is told apart.
 * Idle        is a state of a CPU; the idle task is no thread here and never waits.
 */
#ifndef ANALYSIS_TRACK_H
#define ANALYSIS_TRACK_H

#include "analysis/throttles.h"

/* Events of CPUs beyond are counted and left out: no kernel has more (NR_CPUS_RANGE_END). */
#define TRACK_MAX_CPUS   8192
#define TRACK_MAX_PLACES 4
#define TRACK_NO_NAME    0xffffffffu
#define TRACK_NOT_OFF    U64_MAX

enum track_state {
	TRACK_UNKNOWN,
	TRACK_NEW, /* forked, not yet woken */
	TRACK_RUNNING,
	TRACK_WAITING,
	TRACK_SLEEPING,
};

enum track_kind { /* of a wait: what made it runnable */
	TRACK_WAKEUP,
	TRACK_PREEMPT,
	TRACK_FORK,
	TRACK_NR_KINDS
};

enum track_trust {
	TRACK_EXACT,
	TRACK_AFTER_LOSS, /* events were lost meanwhile */
	TRACK_UNRELIABLE, /* see doubt */
	TRACK_UNFINISHED, /* the stream ended first */
};

enum track_doubt {
#define TRACK_DOUBT(id, why) TRACK_DOUBT_##id,
#include "analysis/doubts.def"
	TRACK_NR_DOUBTS
};

enum track_class { /* bits: a row of several threads may have several */
	TRACK_CLASS_FAIR = 1 << 0,
	TRACK_CLASS_RT = 1 << 1,
	TRACK_CLASS_DEADLINE = 1 << 2,
};

/* Who has a word of its own in track_thread. */
enum track_data {
	TRACK_DATA_LATENCY,
	TRACK_DATA_WORK,
	TRACK_NR_DATA
};

struct track_place {
	s32 cpu;
	u64 since_ns;
};

struct track_thread {
	u64 key;      /* event_task_key() */
	u64 since_ns; /* when the state began */
	u8 state, kind, doubt;
	u8 class;         /* enum track_class, 0: not known */
	u8 policy;        /* enum event_policy */
	bool by_waking;   /* this wait: a waking was seen */
	bool by_wakeup;   /* a wakeup was seen */
	bool has_runtime; /* a sched_stat_runtime was seen */
	u8 nr_places;
	s32 cpu;          /* running: where; waiting: where queued; else where it ran last */
	s32 waking_cpu;   /* where the waking was recorded */
	u32 migrations;   /* inside this wait */
	u64 throttled_ns; /* of this wait, until off_since_ns */
	u64 off_since_ns; /* since when it is throttled; TRACK_NOT_OFF: it is not */
	u32 losses;       /* threads.stats.losses when the wait began */
	u32 name;         /* in threads.names */
	u32 sleep_state;  /* prev_state of the last switch-out */
	struct event_task task, waker; /* waker of a preemption: who came instead */
	s32 pid;
	u32 cgroup;                           /* 0: the root or not known */
	struct track_thread *earlier, *later; /* waiting threads, by the time their wait began */
	struct event_cpus *allowed;           /* NULL: all or not known */
	struct track_place places[TRACK_MAX_PLACES]; /* of this wait; the last one moves on */
	u64 data[TRACK_NR_DATA];                     /* what analyses know of it; 0 at first */
};

struct track_wait {
	struct track_thread *thread;
	u64 start_ns, end_ns;
	u64 throttled_ns; /* of it, it could not have run: its group was throttled */
	enum track_kind kind;
	enum track_trust trust;
	enum track_doubt doubt;
	s32 cpu; /* where it got to run; of a wait that did not: where it was queued */
	u32 migrations;
};

struct track_run {
	struct track_thread *thread;
	u64 start_ns, end_ns;
	enum track_trust trust;
	s32 cpu;
	u32 prev_state; /* EVENT_STATE_UNKNOWN if it did not end by a switch */
};

struct track_sleep {
	struct track_thread *thread;
	u64 start_ns, end_ns;
	u32 state;
};

struct track_idle {
	s32 cpu;
	u64 start_ns, end_ns;
	enum track_trust trust;
};

/* When it began to wait for a CPU, had it been throttled first. */
static inline u64 track_wait_start_ns(const struct track_wait *wait)
{
	return wait->start_ns + wait->throttled_ns;
}

/*
 * What the listener is told, analysis.c as a rule; all but on_event's are needed.  What it is
 * given is valid until it returns.
 */
struct track_ops {
	/*
	 * By kind, NULL: nothing is done.  After the event's task was looked up and before
	 * anything changes; @thread may be NULL.
	 */
	void (*on_event[EVENT_NR_KINDS])(void *self, const struct event *event,
					 struct track_thread *thread);
	void (*on_wait)(void *self, const struct track_wait *wait);
	void (*on_run)(void *self, const struct track_run *run);
	void (*on_sleep)(void *self, const struct track_sleep *sleep);
	void (*on_idle)(void *self, const struct track_idle *idle);
	/* A wait begins: thread.cpu is where it is queued. */
	void (*on_ready)(void *self, struct track_thread *thread);
	/* It is queued elsewhere now, and was at @from before. */
	void (*on_moved)(void *self, struct track_thread *thread, s32 from);
	/* The CPU's state may have changed. */
	void (*on_cpu)(void *self, s32 cpu);
	/* Got the CPU, and nothing says since when it wanted it. */
	void (*on_unknown)(void *self, struct track_thread *thread, u64 time_ns, s32 cpu);
	/* The thread is gone: it must not be used any more. */
	void (*on_gone)(void *self, struct track_thread *thread);
};

enum track_cpu_state {
	TRACK_CPU_UNKNOWN,
	TRACK_CPU_IDLE,
	TRACK_CPU_BUSY,
};

struct track_cpu {
	enum track_cpu_state state;
	bool seen;
	u64 since_ns;
	struct track_thread *current; /* busy: who */
};

struct track_stats {
	u64 by_waking, by_wakeup; /* wakeups whose ready time is the one or the other */
	u64 early_wakings;        /* wakings before the switch-out: not used */
	u64 unknown;              /* switch-ins without a known wakeup */
	u64 mismatches;           /* switch-outs of a thread that was not the running one */
	u64 implicit_migrations;  /* ran elsewhere than it was queued, without an event */
	u64 unreliable[TRACK_NR_DOUBTS];
	u64 after_loss, unfinished; /* waits */
	u64 no_cpu;                 /* events without a usable CPU */
	u32 losses;
};

#define TRACK_CACHE 1024

struct track {
	struct track_cpu *cpus;
	u32 nr_cpus; /* as many as were seen or announced */
	const struct track_ops *ops;
	void *self;
	struct track_thread *first_waiting, *last_waiting;
	u64 end_ns; /* time of the last event */
	struct track_stats stats;
	struct names names;
	struct throttles throttles;
	bool throttling_unseen; /* as on traces of kernels, which do not tell it */
	struct map by_key;      /* event_task_key to struct track_thread * */
	struct track_thread *cache[TRACK_CACHE];
	struct track_thread *spare; /* freed threads, linked by later */
};

struct track *track_new(const struct track_ops *ops, void *self);
void track_free(struct track *threads);
/* CPUs the source announced exist even if no event names them. */
void track_announce_cpus(struct track *threads, u32 nr_cpus);
void track_events(struct track *threads, const struct event *events, u32 nr);
/* Reports what is still open as TRACK_UNFINISHED. */
void track_end(struct track *threads);

/* NULL if it is not known (any more), or is an idle task. */
struct track_thread *track_find(struct track *threads, struct event_task task);
/* "" if it was never told. */
const char *track_name(const struct track *threads, const struct track_thread *thread);
const char *track_doubt_text(enum track_doubt doubt);

#endif
