/* SPDX-License-Identifier: GPL-2.0-only */
/* counts - how many events of each kind there were, in the window and in all. */
#ifndef ANALYSIS_COUNTS_H
#define ANALYSIS_COUNTS_H

#include "analysis/filter.h"

struct counts {
	const struct filter *filter;
	u64 in_window[EVENT_NR_KINDS]; /* time and CPU as the filter says */
	u64 all[EVENT_NR_KINDS];
};

static inline void counts_event(struct counts *counts, const struct event *event)
{
	counts->all[event->kind]++;
	counts->in_window[event->kind] +=
		!counts->filter->any || (filter_keeps_time(counts->filter, event->time_ns) &&
					 filter_keeps_cpu(counts->filter, event->cpu));
}

#endif
