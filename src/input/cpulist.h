/* SPDX-License-Identifier: GPL-2.0-only */
/* cpulist - "0-3,5" as the kernel writes and takes it (cpuset.cpus, taskset -c). */
#ifndef INPUT_CPULIST_H
#define INPUT_CPULIST_H

#include "base/vec.h"
#include "policy/int.h"

struct cpulist {
	VEC(u32) cpus; /* in the order of the text, repetitions included */
};

/*
 * False if @text is not a list of numbers below MACHINE_MAX_CPUS or names more than that
 * many.  cpulist_fini() in either case.
 */
bool cpulist_read(struct cpulist *list, const char *text);
void cpulist_fini(struct cpulist *list);

#endif
