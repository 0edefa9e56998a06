/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * work_conservation - the time that CPUs idled while threads waited for others.
 *
 * At any time a CPU is *free* if it idles and nobody is queued on it, and *overloaded* if
 * it is busy and somebody who could run elsewhere is queued on it.  One that idles while
 * somebody is queued on it is about to switch, and is neither.  Of the time dt
 *
 *	wall	   counts dt if any CPU is free and any overloaded,
 *	per CPU	   dt for each overloaded CPU that a free one could help,
 *	per thread dt for each waiting thread that could run on a free CPU,
 *
 * no free CPU serving twice.  Without affinities these are dt * min(free, overloaded) and
 * dt * min(free, waiting): the measures of schedviz (analysis/sched_analysis.go).
 *
 * Left out: threads that may run on one CPU only, be it that they were told to or that
 * their name says so; threads of throttled groups; threads of which the stream may have
 * lost what became of them; CPUs off line or of which nothing is known.  A thread that may
 * run on some CPUs only counts if one of them is free: exact where the sets of CPUs are
 * nested or disjoint, else a lower bound.  Whether a smaller CPU would have done, or core
 * scheduling forbade it, no stream tells.
 *
 * Memory is bounded by the CPUs: WORK_CONSERVATION_SETS sets of CPUs are followed at a
 * time, waits beyond are left out and counted.
 */
#ifndef ANALYSIS_WORK_CONSERVATION_H
#define ANALYSIS_WORK_CONSERVATION_H

#include "analysis/filter.h"
#include "analysis/may_run.h"

#define WORK_CONSERVATION_SETS  64
#define WORK_CONSERVATION_WORDS (TRACK_MAX_CPUS / 64)

/* Threads that may run on the same CPUs, some but not all. */
struct work_conservation_set {
	u32 nr_cpus, nr_words;
	u32 waiting;           /* on busy CPUs or not; 0: the set may be given to others */
	u64 *allowed, *queued; /* nr_words: where they may run, where they wait */
	u32 *waiting_on;       /* by CPU, 64 * nr_words */
};

struct work_conservation_cpu {
	u32 queued; /* threads that negate its idleness */
	u32 free;   /* of these, they may run anywhere */
	u32 some;   /* of these, they may run on some CPUs */
	u8 state;   /* enum track_cpu_state */
	u8 as;      /* what it counts as */
	bool offline, filtered;
};

struct work_conservation {
	struct track *threads;
	struct may_run *may;
	const struct filter *filter;
	VEC(struct work_conservation_cpu) cpus;
	struct work_conservation_set sets[WORK_CONSERVATION_SETS]; /* smallest first: order */
	u8 order[WORK_CONSERVATION_SETS];
	u32 nr_sets;
	/* of the CPUs that are counted now; masks: if there are sets */
	u64 idle[WORK_CONSERVATION_WORDS];     /* free CPUs */
	u64 busy[WORK_CONSERVATION_WORDS];     /* overloaded ones */
	u64 flexible[WORK_CONSERVATION_WORDS]; /* of these, with a thread that may run anywhere */
	u32 nr_idle, nr_overloaded;
	u64 waiting_free; /* on overloaded CPUs, threads that may run anywhere */
	u64 waiting_some;
	u64 since_ns;                   /* accounted up to here */
	u64 stretch_ns, stretch_end_ns; /* of wall time, without a gap; the last one */
	u32 losses;                     /* track_stats.losses as they are known here */
	/* results */
	u64 wall_ns, per_cpu_ns, per_thread_ns;
	u64 longest_ns, longest_end_ns; /* the longest stretch of wall time */
	u64 doubtful_ns; /* at most so much of wall_ns rests on waits that proved unreliable */
	u64 left_out;    /* waits: too many sets of CPUs */
};

void work_conservation_fini(struct work_conservation *work);
/* What the tracker tells, as track.h says. */
void work_conservation_ready(struct work_conservation *work, struct track_thread *thread);
void work_conservation_moved(struct work_conservation *work, struct track_thread *thread, s32 from);
void work_conservation_wait(struct work_conservation *work, const struct track_wait *wait);
void work_conservation_gone(struct work_conservation *work, struct track_thread *thread);
void work_conservation_cpu(struct work_conservation *work, s32 at);
/* Before the tracker takes them in. */
void work_conservation_cgroup(struct work_conservation *work, const struct event *event,
			      struct track_thread *thread);
void work_conservation_online(struct work_conservation *work, const struct event *event);
void work_conservation_attr(struct work_conservation *work, const struct event *event,
			    struct track_thread *thread);

#endif
