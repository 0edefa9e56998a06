/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter - which intervals are counted: those that end inside the window, on the
 * chosen CPUs, of the chosen threads.  What the state machine sees is not filtered,
 * so an interval that began before the window is known whole.
 */
#ifndef ANALYSIS_FILTER_H
#define ANALYSIS_FILTER_H

#include "analysis/track.h"
#include "base/apart.h"

struct filter_time {
	u64 ns;
	bool set;
	bool absolute; /* on the source's clock; else since the stream began */
};

struct filter {
	struct filter_time from, to; /* from <= end <= to */
	const u64 *cpus;             /* bit per CPU, nr_cpu_words words; NULL: all */
	u32 nr_cpu_words;
	const char *task; /* fnmatch(3) pattern, or a name as it is; NULL: all */
	s32 pid;          /* process or thread; EVENT_NOBODY: all */
	/* filled by filter_begin() */
	u64 from_ns, to_ns;
	bool any;
};

#define FILTER_NONE                 \
	(struct filter)             \
	{                           \
		.pid = EVENT_NOBODY \
	}

void filter_begin(struct filter *filter, u64 origin_ns);
bool filter_keeps_cpu(const struct filter *filter, s32 cpu);
APART bool filter_keeps_slow(const struct filter *filter, const struct track *threads,
			     const struct track_thread *thread, u64 end_ns, s32 cpu);

static inline bool filter_keeps_time(const struct filter *filter, u64 end_ns)
{
	return end_ns >= filter->from_ns && end_ns <= filter->to_ns;
}

static inline bool filter_keeps(const struct filter *filter, const struct track *threads,
				const struct track_thread *thread, u64 end_ns, s32 cpu)
{
	return !filter->any || filter_keeps_slow(filter, threads, thread, end_ns, cpu);
}

/* The part of [start, end) that lies in the window, ns. */
static inline u64 filter_clip(const struct filter *filter, u64 start_ns, u64 end_ns)
{
	if (start_ns < filter->from_ns)
		start_ns = filter->from_ns;
	if (end_ns > filter->to_ns)
		end_ns = filter->to_ns;
	return end_ns > start_ns ? end_ns - start_ns : 0;
}

#endif
