/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schedutil - the frequency that a CPU's utilisation asks for.
 *
 * Units: utilisation and capacity, 1024 is the biggest CPU at its highest frequency.
 * Kernel: kernel/sched/cpufreq_schedutil.c, v6.12; where v6.1 differs it says so.
 */
#ifndef POLICY_SCHEDUTIL_H
#define POLICY_SCHEDUTIL_H

#include "policy/int.h"

/*
 * What all classes and interrupts use of a CPU.  @util: of the tasks of all classes, by a clock
 * that interrupts stop; @irq: what these take.
 * Kernel: effective_cpu_util(), kernel/sched/syscalls.c, v6.12.
 */
static inline u64 policy_effective_util(u64 util, u64 irq, u64 capacity)
{
	u64 all;

	if (irq >= capacity || util >= capacity)
		return capacity;
	all = util * (capacity - irq) / capacity + irq;
	return all < capacity ? all : capacity;
}

/* With a quarter more, so that there is always some left.  Kernel: map_util_perf(). */
static inline u64 policy_with_headroom(u64 util)
{
	return util + (util >> 2);
}

/*
 * With that, but at most @most, what tasks are bounded by, and at least @least, what realtime
 * and deadline tasks and interrupts need.
 * Kernel: sugov_effective_cpu_perf(), v6.12.
 */
static inline u64 policy_sugov_perf(u64 util, u64 least, u64 most)
{
	u64 perf = policy_with_headroom(util);

	if (perf > most)
		perf = most;
	return perf > least ? perf : least;
}

/*
 * What 6.1 takes for all classes: deadline tasks by the bandwidth that they were granted, and the
 * headroom comes on top of everything.  @util: of fair and realtime tasks, @dl_util: of deadline tasks.
 * Kernel: effective_cpu_util(FREQUENCY_UTIL), kernel/sched/core.c, v6.1.
 */
static inline u64 policy_frequency_util(u64 util, u64 dl_util, u64 dl_bandwidth, u64 irq,
					u64 capacity)
{
	u64 all;

	if (irq >= capacity || util + dl_util >= capacity)
		return capacity;
	all = util * (capacity - irq) / capacity + irq + dl_bandwidth;
	return all < capacity ? all : capacity;
}

/* A CPU whose tasks come back from waiting for a device.  Kernel: of struct sugov_cpu. */
struct policy_io_boost {
	u64 updated_ns; /* when the CPU was last looked at */
	u32 boost;      /* 1024: all it has */
	bool pending;   /* asked for since a frequency was last chosen */
};

#define POLICY_IO_BOOST_LEAST 128u /* Kernel: IOWAIT_BOOST_MIN */

/* A tick without a look ends it.  True: it began anew.  Kernel: sugov_iowait_reset(). */
static inline bool policy_io_boost_reset(struct policy_io_boost *io, u64 now_ns, u64 tick_ns,
					 bool asked)
{
	if ((s64)(now_ns - io->updated_ns) <= (s64)tick_ns)
		return false;
	io->boost = asked ? POLICY_IO_BOOST_LEAST : 0;
	io->pending = asked;
	return true;
}

/*
 * The CPU is looked at; @asked: because of such a task.  The first asks for an eighth, each
 * further one before a tick has gone by, but one only for each choice, for twice as much.
 * Kernel: sugov_iowait_boost().
 */
static inline void policy_io_boost_ask(struct policy_io_boost *io, u64 now_ns, u64 tick_ns,
				       bool asked)
{
	if (io->boost && policy_io_boost_reset(io, now_ns, tick_ns, asked))
		return;
	if (!asked || io->pending)
		return;
	io->pending = true;
	io->boost = io->boost ? 2 * io->boost : POLICY_IO_BOOST_LEAST;
	if (io->boost > 1024)
		io->boost = 1024;
}

/*
 * What it comes to on a CPU of @capacity, for one choice of a frequency; what was not asked for
 * since the last one is halved.  Kernel: sugov_iowait_apply().
 */
static inline u64 policy_io_boost_take(struct policy_io_boost *io, u64 now_ns, u64 tick_ns,
				       u64 capacity)
{
	if (!io->boost || policy_io_boost_reset(io, now_ns, tick_ns, false))
		return 0;
	if (!io->pending) {
		io->boost /= 2;
		if (io->boost < POLICY_IO_BOOST_LEAST) {
			io->boost = 0;
			return 0;
		}
	}
	io->pending = false;
	return io->boost * capacity / 1024;
}

/*
 * The clock that gives @perf, where @max_khz gives @capacity; the driver takes the lowest it has
 * that is not below.  Kernel: get_next_freq(), map_util_freq(), v6.12.
 */
static inline u64 policy_sugov_khz(u64 perf, u64 capacity, u64 max_khz)
{
	return max_khz * perf / capacity;
}

#endif
