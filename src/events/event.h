/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event - what happened on the machine, whoever saw it.
 *
 * A source (simulator, perf.data, trace.dat, ftrace text, a dump) pushes events
 * into a sink; the sink cannot tell which source it was.
 *
 * Units   *_ns: ns since the stream began (header.origin_ns on the source's
 *         clock).  capacity: 1024 = the biggest CPU.
 * Order   (time_ns, seq) strictly increases; events_check refuses anything else.
 * Names   a thread's name is told by EVENT_NAME before any event that needs it
 *         and again when it changes; other events carry identities only.
 * Absent  never zero: header.sees names the kinds a source can report, EVENT_LOST
 *         marks a gap, and a tid of EVENT_NOBODY or a state of EVENT_STATE_UNKNOWN
 *         says that the source did not tell.
 * Owner   the source; an event and what it points to are valid until on_event()
 *         returns.
 * Batches a source that makes many events may hand over several at once, in order;
 *         a sink that does not care leaves on_events NULL.
 * Errors  on_event() returns OK to go on, any other code to stop the source.
 * Kernel  kinds follow include/trace/events/sched.h, power.h, v6.12.
 *
 * An event is one cache line.  Every member of the union fills all 24 bytes by
 * name, so that an initialiser zeroes it whole and the hash may take words.
 */
#ifndef EVENTS_EVENT_H
#define EVENTS_EVENT_H

#include <assert.h>
#include <stddef.h>

#include "base/err.h"
#include "policy/int.h"

enum event_kind {
#define EVENT_KIND(id, name, what, kernel) EVENT_##id,
#include "events/kinds.def"
	EVENT_NR_KINDS
};

#define EVENT_NOBODY (-1)

/*
 * A thread.  The same tid used again is another thread: gen counts.  The idle task
 * of a CPU is { 0, cpu }, one for each.
 */
struct event_task {
	s32 tid;
	u32 gen;
};

/* event.flags */
enum {
	EVENT_INFERRED = 1 << 0,   /* not recorded: worked out by the reader */
	EVENT_AFTER_LOSS = 1 << 1, /* the first of its CPU after a gap */
	EVENT_LATE = 1 << 2,       /* came out of order; its time was raised to keep the order */
};

/* event.switch_.prev_state: the report bits of the kernel since 4.14, 0 is R. */
enum {
	EVENT_STATE_RUNNING = 0,
	EVENT_STATE_SLEEP = 0x01,      /* S */
	EVENT_STATE_DISK = 0x02,       /* D */
	EVENT_STATE_STOPPED = 0x04,    /* T */
	EVENT_STATE_TRACED = 0x08,     /* t */
	EVENT_STATE_DEAD = 0x10,       /* X */
	EVENT_STATE_ZOMBIE = 0x20,     /* Z */
	EVENT_STATE_PARKED = 0x40,     /* P */
	EVENT_STATE_IDLE = 0x80,       /* I: uninterruptible, no load */
	EVENT_STATE_PREEMPTED = 0x100, /* R+: taken off inside the kernel, still runnable */
	EVENT_STATE_UNKNOWN = 0x8000,
};

/* Still wants the CPU: R, or R+ whatever else is set. */
static inline bool event_state_runnable(u32 state)
{
	return state == EVENT_STATE_RUNNING || (state & EVENT_STATE_PREEMPTED);
}

enum event_policy { /* the kernel's SCHED_* numbers */
	EVENT_POLICY_NORMAL = 0,
	EVENT_POLICY_FIFO = 1,
	EVENT_POLICY_RR = 2,
	EVENT_POLICY_BATCH = 3,
	EVENT_POLICY_IDLE = 5,
	EVENT_POLICY_DEADLINE = 6,
	EVENT_POLICY_UNKNOWN = 255,
};

/* event.cgroup.what */
enum event_cgroup_what {
	EVENT_CGROUP_CREATE, /* value: parent id, name: its path */
	EVENT_CGROUP_ATTACH, /* event.task joins id */
	EVENT_CGROUP_WEIGHT, /* value: cpu.weight, 1..10000; 0: cpu.idle */
	EVENT_CGROUP_THROTTLE,
	EVENT_CGROUP_UNTHROTTLE,
};

enum event_cost {
#define EVENT_COST(id, name, what) EVENT_COST_##id,
#include "events/costs.def"
	EVENT_NR_COSTS
};

/* event.mark.what */
enum event_mark {
	EVENT_MARK_SECTION,
	EVENT_MARK_CHAIN,
	EVENT_MARK_REQUEST
};

struct event {
	u64 time_ns;
	u64 seq;
	u16 kind;
	u16 flags;
	s32 cpu;                 /* where it was recorded; EVENT_NOBODY if not known */
	struct event_task task;  /* whom it is about; switch: who left */
	struct event_task other; /* switch: who came; waking: the waker; fork: the parent */
	union {
		u64 words[3];
		struct {
			u32 prev_state;
			s32 prev_prio, next_prio;
			u32 zero0;
			u64 zero1;
		} switch_;
		struct {
			s32 prio;
			s32 target_cpu; /* waking: where it last ran; wakeup: where it is queued */
			u64 zero0, zero1;
		} wake; /* WAKING, WAKEUP, WAKEUP_NEW */
		struct {
			s32 prio;
			s32 orig_cpu, dest_cpu;
			u32 zero0;
			u64 zero1;
		} migrate;
		struct {
			s32 prio;
			s32 old_tid; /* EXEC: the tid before it; EXIT: 0 */
			u64 zero0, zero1;
		} life; /* FORK, EXEC, EXIT */
		struct {
			u64 runtime_ns;
			u64 zero0, zero1;
		} runtime;
		struct {
			u32 state; /* EVENT_IDLE_EXIT: leaves idle */
			u32 zero0;
			u64 zero1, zero2;
		} idle; /* event.cpu is the CPU it speaks of */
		struct {
			u32 khz;
			u32 zero0;
			u64 zero1, zero2;
		} freq;
		struct {
			u64 count; /* 0: not known how many */
			u64 zero0, zero1;
		} lost;
		struct {
			const char *text; /* NUL-terminated, any other bytes */
			u32 len;
			s32 pid; /* the process (tgid); EVENT_NOBODY if not known */
			u64 zero0;
		} name;
		struct {
			u8 policy; /* enum event_policy */
			s8 nice;
			u8 rt_prio; /* 1..99, 0 for others */
			u8 identity;
			u32 cgroup;                       /* 0: the root */
			u64 slice_ns;                     /* custom slice, 0: the base slice */
			const struct event_cpus *allowed; /* NULL: all */
		} attr;
		struct {
			u32 what; /* enum event_cgroup_what */
			u32 id;
			s64 value;
			const char *name; /* NULL where what needs none */
		} cgroup;
		struct {
			u32 online;   /* 1 or 0 */
			u32 capacity; /* CAPACITY only */
			u64 zero0, zero1;
		} cpu_;
		struct {
			u32 what; /* COST: enum event_cost; IRQ: number */
			u32 zero0;
			u64 ns;
			u64 zero1;
		} cost; /* COST, IRQ: time that ended at time_ns */
		struct {
			u32 what;  /* enum event_mark */
			u32 begin; /* 1 begin, 0 end */
			u64 id;
			const char *name;
		} mark;
		struct {
			u16 rule, reason; /* events/rules.def */
			s32 cpu;          /* chosen, EVENT_NOBODY if none */
			s64 value;
			u64 zero0;
		} decision;
	};
};

#define EVENT_IDLE_EXIT 0xffffffffu

static_assert(sizeof(struct event) == 64, "an event is one cache line");

/* A set of CPUs: bit cpu % 64 of words[cpu / 64]. */
struct event_cpus {
	u32 nr_words;
	u64 words[];
};

static inline bool event_same_task(struct event_task a, struct event_task b)
{
	return a.tid == b.tid && a.gen == b.gen;
}

static inline bool event_is_idle(struct event_task task)
{
	return task.tid == 0;
}

static inline u64 event_task_key(struct event_task task)
{
	return (u64)task.gen << 32 | (u32)task.tid;
}

struct event_header {
	char source[64];  /* "perf.data", "simulation", ... */
	char clock[32];   /* "perf", "mono", "local", ...; "" if not known */
	char release[64]; /* of the kernel; "" if not known */
	u32 nr_cpus;      /* 0: not known yet */
	u64 origin_ns;    /* the source's clock when the stream began */
	u64 sees;         /* bit per kind: the source can report it */
};

#define EVENT_BIT(id) (1ULL << EVENT_##id)

/* How good the recording was; all zero for a simulation. */
struct event_quality {
	u64 lost_events;      /* as the source says; what it could not count is in lost_unknown */
	u64 lost_unknown;     /* gaps without a count */
	u64 inversions;       /* events whose time stepped back */
	u64 inversion_max_ns; /* the largest step */
	u64 late;             /* of these, beyond the window: their time was raised */
	u64 mismatches;       /* a switch-out of a thread that was not the running one */
	u64 unparsed;   /* lines or records that look like events of a known kind and are not */
	bool truncated; /* the file ends before its end */
	char note[128]; /* where, for a person; "" if nothing */
};

struct event_sink {
	void *self;
	enum err_code (*on_begin)(void *self, const struct event_header *header);
	enum err_code (*on_event)(void *self, const struct event *event);
	enum err_code (*on_end)(void *self, const struct event_quality *quality);
	/* on_event() for each of @nr >= 1, up to the first error; NULL: the source calls that */
	enum err_code (*on_events)(void *self, const struct event *events, u32 nr);
};

#endif
