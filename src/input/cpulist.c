/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/cpulist.h"

#include <ctype.h>

#include "machine/machine.h"

static bool take_number(const char **at, u32 *out)
{
	u32 value = 0;

	if (!isdigit((u8) * *at))
		return false;
	for (; isdigit((u8) * *at) && value < MACHINE_MAX_CPUS; ++*at)
		value = value * 10 + (u32)(**at - '0');
	*out = value;
	return value < MACHINE_MAX_CPUS;
}

static bool take_range(const char **at, struct cpulist *list)
{
	u32 from, to;

	if (!take_number(at, &from))
		return false;
	to = from;
	if (**at == '-') {
		++*at;
		if (!take_number(at, &to))
			return false;
	}
	if (to < from || list->cpus.nr + (to - from) >= MACHINE_MAX_CPUS)
		return false;
	for (u32 cpu = from; cpu <= to; cpu++)
		*vec_add(&list->cpus) = cpu;
	return true;
}

bool cpulist_read(struct cpulist *list, const char *text)
{
	*list = (struct cpulist){ 0 };
	while (take_range(&text, list)) {
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}

void cpulist_fini(struct cpulist *list)
{
	vec_free(&list->cpus);
}
