/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload - what the tasks do: data only, read by input/rtapp.c, run by sim/ and
 * by truth/'s executor.
 *
 * The model is rt-app's: a task has phases, a phase has events, phases and the task
 * loop.  Times are ns of wall time unless a name says otherwise; work is ns on a CPU
 * of capacity 1024 at its highest frequency.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "policy/int.h"

#define WORKLOAD_FOREVER       (-1)
#define WORKLOAD_NO_OBJECT     0xffffffffu
#define WORKLOAD_NICE_KEEP     127
#define WORKLOAD_PIPE_MESSAGES 16   /* Kernel: PIPE_DEF_BUFFERS, each message has its own */
#define WORKLOAD_CGROUP_ROOT   (-2) /* workload_attr.cgroup: back to the root group */

enum workload_op {
#define WORKLOAD_OP(id, name, what) WORKLOAD_OP_##id,
#include "workload/ops.def"
	WORKLOAD_NR_OPS
};

/*
 * How an amount is drawn.  Integer tables, no libm (workload/draw.c).  What would lie
 * beyond a cut lies at it.
 */
enum workload_shape {
	WORKLOAD_CONST,       /* a */
	WORKLOAD_UNIFORM,     /* a..b, both included */
	WORKLOAD_NORMAL,      /* mean a, deviation b, cut at 0 and at 6 deviations */
	WORKLOAD_EXPONENTIAL, /* mean a, cut at 20 a */
	WORKLOAD_LOGNORMAL,   /* median a, sigma b / 1000 (at most 3), cut at 6 sigma */
	WORKLOAD_CHOICE,      /* one of the values, each with its weight */
	WORKLOAD_NR_SHAPES
};

struct workload_choice {
	u64 value, weight;
};

struct workload_amount {
	enum workload_shape shape;
	u64 a, b;                     /* ns, or a count */
	u32 first_choice, nr_choices; /* in workload.choices */
};

struct workload_event {
	enum workload_op op;
	u32 object; /* workload.objects: what op works on; WORKLOAD_NO_OBJECT if none */
	/*
	 * wait, sync: the mutex that is released meanwhile; suspend, resume: the one that
	 * rt-app takes around the condition (suspend gives it up while it waits).
	 * WORKLOAD_NO_OBJECT elsewhere.
	 */
	u32 mutex;
	u32 target;                    /* fork: index of workload.tasks; mark: enum workload_mark */
	u32 mode;                      /* timer: enum workload_timer; mark: 1 begin, 0 end */
	u32 site;                      /* unique in the task: the draw site */
	struct workload_amount amount; /* run, runtime, sleep, timer, mem...: ns */
	char *mark;                    /* mark: the name */
};

/*
 * A timer's first period begins when its thread does: at the start of the run plus
 * workload_task.delay_ns, also for a forked thread (rt-app's t_first).  Each use adds the
 * period and sleeps until then.  A use that comes too late does not sleep, and:
 */
enum workload_timer {
	WORKLOAD_TIMER_RELATIVE, /* the default: the next period begins now */
	WORKLOAD_TIMER_ABSOLUTE, /* the grid stands */
	/* the grid stands, and its points that have passed are left out: it does sleep */
	WORKLOAD_TIMER_SKIP,
};

enum workload_mark { /* as event.mark.what */
	WORKLOAD_MARK_SECTION,
	WORKLOAD_MARK_CHAIN,
	WORKLOAD_MARK_REQUEST,
};

/*
 * Every field may be "as before": phases change only what they name.  A task's own
 * attributes are complete: they have a policy, and the nice value or priority that
 * goes with it.
 */
struct workload_attr {
	s32 policy;   /* enum event_policy; -1: keep */
	s32 nice;     /* WORKLOAD_NICE_KEEP: keep */
	s32 rt_prio;  /* 1..99; 0: keep */
	u64 slice_ns; /* custom slice (dl-runtime on a fair policy); 0: keep */
	u64 dl_runtime_ns, dl_deadline_ns, dl_period_ns; /* SCHED_DEADLINE; 0: keep */
	s32 util_min, util_max;                          /* utilisation clamps, 0..1024; -1: keep */
	s64 cgroup; /* index of workload.cgroups, WORKLOAD_CGROUP_ROOT; -1: keep */
	const struct workload_cpus *cpus; /* in workload.cpu_lists; NULL: keep */
};

#define WORKLOAD_ATTR_KEEP                                   \
	((struct workload_attr){ .policy = -1,               \
				 .nice = WORKLOAD_NICE_KEEP, \
				 .util_min = -1,             \
				 .util_max = -1,             \
				 .cgroup = -1 })

struct workload_cpus {
	u32 nr;   /* how many are listed; 0: all that the machine has */
	u32 at[]; /* rising, distinct */
};

struct workload_phase {
	char *name;
	u32 first_event, nr_events; /* in workload_task.events */
	s64 loop;                   /* times; WORKLOAD_FOREVER */
	struct workload_attr attr;
};

struct workload_task {
	char *name;    /* as in the file; no two are alike */
	char *comm;    /* what its threads are called, and reports merge by; NULL: the name */
	char *process; /* whose threads they are; NULL: of the one that starts them all */
	u32 instances; /* 0: only ever started by fork */
	u64 delay_ns;
	s64 loop;
	struct workload_attr attr;
	VEC(struct workload_phase) phases;
	VEC(struct workload_event) events;
};

enum workload_object_kind {
	WORKLOAD_OBJECT_MUTEX,
	WORKLOAD_OBJECT_COND, /* wait, signal, broad, sync, suspend, resume */
	WORKLOAD_OBJECT_BARRIER,
	WORKLOAD_OBJECT_TIMER,
	WORKLOAD_OBJECT_SEM,
	WORKLOAD_OBJECT_PIPE,
};

/*
 * Objects are shared by name and kind in the whole workload, except timers called
 * "unique..." and those of rt-app's local resources, which each thread has for itself.
 */
struct workload_object {
	char *name;
	enum workload_object_kind kind;
	bool per_thread;
	u32 count; /* barrier: how many threads meet; semaphore: its start */
};

/* Bits of cpu.identity, as kernels with group identity know them. */
enum workload_group_identity {
	WORKLOAD_ID_UNDERCLASS = 1 << 0,
	WORKLOAD_ID_HIGHCLASS = 1 << 1,
	WORKLOAD_ID_SMT_EXPELLER = 1 << 2,
	WORKLOAD_ID_IDLE_SAVER = 1 << 3,
	WORKLOAD_ID_IDLE_SEEKER = 1 << 4,
	WORKLOAD_ID_ALL = (1 << 5) - 1,
};

struct workload_cgroup {
	char *path;                        /* "/a/b" */
	s64 parent;                        /* index; -1: the root */
	u32 weight;                        /* 1..10000, 100 is the default; 0: cpu.idle */
	u64 quota_ns, period_ns, burst_ns; /* quota 0: none */
	u32 util_min, util_max;            /* cpu.uclamp.min and .max, 0..1024; util_max 0: none */
	u32 identity;                      /* enum workload_group_identity */
	const struct workload_cpus *cpus;  /* cpuset, in workload.cpu_lists; NULL: all */
};

/* What is done to the machine while the workload runs. */
enum workload_change_what {
	WORKLOAD_CPU_OFFLINE,
	WORKLOAD_CPU_ONLINE,
	WORKLOAD_CPUSET,         /* a group gets other CPUs */
	WORKLOAD_LIMIT,          /* the clock of a CPU, and of those that share it, is limited */
	WORKLOAD_HARDWARE_LIMIT, /* the same by the hardware, which tells the scheduler itself */
};

struct workload_change {
	u64 time_ns; /* since the start of the run */
	enum workload_change_what what;
	u32 cpu;                          /* all but cpuset */
	u32 khz;                          /* limits: the most that is allowed; 0: all it has */
	u32 cgroup;                       /* cpuset: index of workload.cgroups */
	const struct workload_cpus *cpus; /* cpuset, in workload.cpu_lists */
};

/* A device's: each @period one that takes @duration, ns of its CPU.  The first after a period. */
struct workload_interrupt {
	char *name;
	u32 cpu;
	struct workload_amount period, duration;
};

struct workload {
	char *name;      /* the file's, for reports */
	u64 duration_ns; /* 0: until every task has ended */
	/* What the file says and a simulation leaves out, one line each, for reports. */
	VEC(char *) notes;
	VEC(struct workload_cpus *) cpu_lists; /* shared by those that name them */
	VEC(struct workload_task) tasks;
	VEC(struct workload_object) objects;
	VEC(struct workload_cgroup) cgroups;
	VEC(struct workload_change) changes; /* in order of time */
	VEC(struct workload_interrupt) interrupts;
	VEC(struct workload_choice) choices;
};

/* What the threads of @task are called. */
static inline const char *workload_comm(const struct workload_task *task)
{
	return task->comm ? task->comm : task->name;
}

/* Are threads of the two in one process? */
static inline bool workload_one_process(const struct workload_task *a,
					const struct workload_task *b)
{
	if (!a->process || !b->process)
		return a->process == b->process;
	return !strcmp(a->process, b->process);
}

const char *workload_op_name(enum workload_op op);
struct workload *workload_new(void);
void workload_free(struct workload *workload);

/*
 * The amount of one draw: a function of (seed, thread identity, site, iteration).
 * @who is workload_identity().
 */
u64 workload_draw(const struct workload *workload, const struct workload_amount *amount, u64 seed,
		  u64 who, u64 site, u64 iteration);
/* The amount at 64 uniform bits: what workload_draw() gives for a draw of them. */
u64 workload_amount_at(const struct workload *workload, const struct workload_amount *amount,
		       u64 bits);
/*
 * A use of a timer whose last point was *@next_ns: moves it on, and returns until when to sleep;
 * 0: it came too late, and goes on at once.
 */
u64 workload_timer_step(enum workload_timer mode, u64 period_ns, u64 now_ns, u64 *next_ns);
/* Stable identity of a thread: hash of task name, instance, and of the forker's and its count. */
u64 workload_identity(const char *task, u32 instance, u64 parent, u64 fork_count);

#endif
