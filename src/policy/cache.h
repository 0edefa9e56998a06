/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache - which cache the threads of a process are drawn together in, and when they may go.
 *
 * A process prefers the last-level cache where its threads ran most of late.  Balancing moves
 * threads there and is slow to move them away, as long as that cache is not too busy.
 *
 * Units: time in ns and jiffies, an epoch is epoch_period jiffies; utilisation and capacity of
 * whole caches, 1024 is one CPU.
 * Kernel: CONFIG_SCHED_CACHE, kernel/sched/fair.c, v7.3.
 */
#ifndef POLICY_CACHE_H
#define POLICY_CACHE_H

#include "policy/fit.h"
#include "policy/math.h"

/* /sys/kernel/debug/sched/llc_balancing, but for its switch. */
struct policy_cache_tunables {
	u32 aggr_tolerance;         /* 0: no process is small enough; 100: all are */
	u32 epoch_period;           /* jiffies */
	u32 epoch_affinity_timeout; /* epochs after which a process that did not tick prefers none */
	u32 imb_pct;                /* how much busier a cache may be that tasks are drawn to */
	u32 overaggr_pct; /* from there on a cache is busy; half as much more without SMT */
};

/* A CPU's epochs.  Kernel: cpu_epoch and its neighbours, struct rq. */
struct policy_cache_epoch {
	u64 epoch, next; /* next: jiffies */
	u64 runtime_ns;  /* of all processes, halved every epoch */
};

/* What a process ran on a CPU.  Kernel: struct sched_cache_time. */
struct policy_cache_time {
	u64 runtime_ns, epoch;
};

static inline u64 policy_cache_halved(u64 value, u64 times)
{
	return times < 64 ? value >> times : 0;
}

/*
 * Both as of @jiffies: a point of the grid of epochs belongs to the epoch that it ends.
 * Kernel: __update_mm_sched().
 */
static inline void policy_cache_age(struct policy_cache_epoch *cpu, struct policy_cache_time *time,
				    u64 jiffies, u32 period)
{
	u64 step = period ? period : 1, nr;

	if (jiffies > cpu->next) {
		nr = (jiffies - cpu->next + step - 1) / step;
		cpu->epoch += nr;
		cpu->next += nr * step;
		cpu->runtime_ns = policy_cache_halved(cpu->runtime_ns, nr);
	}
	time->runtime_ns = policy_cache_halved(time->runtime_ns, cpu->epoch - time->epoch);
	time->epoch = cpu->epoch;
}

/* The process's part of what the CPU ran, 2^20 is all of it.  Kernel: fraction_mm_sched(). */
static inline u64 policy_cache_fraction(const struct policy_cache_epoch *cpu,
					const struct policy_cache_time *time)
{
	return (time->runtime_ns << 20) / (cpu->runtime_ns + 1);
}

/*
 * Are its threads too many for a cache?  @running: its average of those that run at once;
 * @smt: threads of a core; @llc_size: CPUs of the cache.
 * Kernel: invalid_llc_nr(), get_sched_cache_scale().
 */
static inline bool policy_cache_crowded(const struct policy_cache_tunables *with, u32 threads,
					u64 running, u32 smt, u32 llc_size)
{
	if (threads <= 1)
		return true;
	if (with->aggr_tolerance >= 100)
		return false;
	return !policy_fits_capacity(running * smt, (u64)with->aggr_tolerance * llc_size);
}

/*
 * The average of how many run at once goes faster in a small cache.
 * Kernel: update_avg_scale().
 */
static inline u64 policy_cache_running(u64 average, u64 sample, u32 llc_size)
{
	u32 divisor = llc_size / 4;

	divisor = divisor < 2 ? 2 : divisor > 8 ? 8 : divisor;
	return average + (u64)policy_div_trunc((s64)(sample - average), divisor);
}

/* Is the best cache so much better that a process changes its mind?  Kernel: task_cache_work(). */
static inline bool policy_cache_better(u64 best, u64 preferred)
{
	return best > 2 * preferred;
}

/* Kernel: fits_llc_capacity(). */
static inline bool policy_cache_has_room(const struct policy_cache_tunables *with, u64 util,
					 u64 capacity, u32 smt)
{
	u32 pct = smt == 1 ? with->overaggr_pct * 3 / 2 : with->overaggr_pct;

	return util * 100 < capacity * pct;
}

/* What balancing may do with regard to caches.  Kernel: enum llc_mig. */
enum policy_cache_move {
	POLICY_CACHE_STAYS,   /* the task is not moved */
	POLICY_CACHE_MOVES,   /* it may be moved for the cache's sake */
	POLICY_CACHE_NO_RULE, /* balancing does as it would without caches */
};

/* Two caches, as a pass at the domain above them last saw them. */
struct policy_cache_pair {
	u64 src_util, src_capacity, dst_util, dst_capacity;
	u32 smt;
};

/*
 * May a task of @util go from one cache to the other?  @to_preferred: the latter is the one its
 * process prefers, else the former is.  Kernel: can_migrate_llc().
 */
static inline enum policy_cache_move policy_cache_may_move(const struct policy_cache_tunables *with,
							   const struct policy_cache_pair *pair,
							   u64 util, bool to_preferred)
{
	u64 src = pair->src_util < util ? 0 : pair->src_util - util, dst = pair->dst_util + util;
	bool src_room = policy_cache_has_room(with, src, pair->src_capacity, pair->smt);
	bool dst_room = policy_cache_has_room(with, dst, pair->dst_capacity, pair->smt);
	u32 margin = 100 + with->imb_pct;

	if (!src_room && !dst_room)
		return POLICY_CACHE_NO_RULE;
	if (to_preferred)
		return !dst_room && dst * 100 > src * margin ? POLICY_CACHE_STAYS
							     : POLICY_CACHE_MOVES;
	return src_room || src * 100 <= dst * margin ? POLICY_CACHE_STAYS : POLICY_CACHE_MOVES;
}

#endif
