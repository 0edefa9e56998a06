/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/may_run.h"
#include "test.h"

TEST(names_of_bound_kernel_threads)
{
	static const struct {
		const char *name;
		s32 cpu;
	} rows[] = {
		{ "kworker/3:1H", 3 }, { "kworker/u8:2", -1 }, { "ksoftirqd/12", 12 },
		{ "migration/0", 0 },  { "migration/", -1 },   { "ksoftirqd/1x", -1 },
		{ "worker/1", -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].cpu, may_run_bound_to(rows[i].name), "%s", rows[i].name);
}
