/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/rng.h"
#include "workload/workload.h"

u64 workload_draw(const struct workload *workload, const struct workload_amount *amount, u64 seed,
		  u64 who, u64 site, u64 iteration)
{
	(void)workload;
	(void)rng_draw(seed, who, site, iteration);
	return amount->a;
}
