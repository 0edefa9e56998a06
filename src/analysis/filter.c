/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/filter.h"

#include <fnmatch.h>

static u64 since_origin(const struct filter_time *time, u64 origin_ns, u64 otherwise)
{
	if (!time->set)
		return otherwise;
	if (!time->absolute)
		return time->ns;
	return time->ns > origin_ns ? time->ns - origin_ns : 0;
}

void filter_begin(struct filter *filter, u64 origin_ns)
{
	filter->from_ns = since_origin(&filter->from, origin_ns, 0);
	filter->to_ns = since_origin(&filter->to, origin_ns, U64_MAX);
	filter->any = filter->from.set || filter->to.set || filter->cpus || filter->task ||
		      filter->pid != EVENT_NOBODY;
}

bool filter_keeps_cpu(const struct filter *filter, s32 cpu)
{
	u32 word = (u32)cpu / 64;

	if (!filter->cpus)
		return true;
	return cpu >= 0 && word < filter->nr_cpu_words && filter->cpus[word] >> (cpu % 64) & 1;
}

static bool keeps_thread(const struct filter *filter, const struct track *threads,
			 const struct track_thread *thread)
{
	const char *name;

	if (filter->pid != EVENT_NOBODY && thread->pid != filter->pid &&
	    thread->task.tid != filter->pid)
		return false;
	if (!filter->task)
		return true;
	name = track_name(threads, thread);
	return !strcmp(filter->task, name) || !fnmatch(filter->task, name, 0);
}

bool filter_keeps_slow(const struct filter *filter, const struct track *threads,
		       const struct track_thread *thread, u64 end_ns, s32 cpu)
{
	return filter_keeps_time(filter, end_ns) && filter_keeps_cpu(filter, cpu) &&
	       keeps_thread(filter, threads, thread);
}
