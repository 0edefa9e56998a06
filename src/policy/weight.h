/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weight - nice values, weights, and time scaled by them.
 *
 * A weight is in units where nice 0 is 1024.  Its inverse is 2^32 / weight, kept
 * because the kernel multiplies where it could divide, and its results are 1 ns low
 * at times.
 */
#ifndef POLICY_WEIGHT_H
#define POLICY_WEIGHT_H

#include "policy/math.h"

#define POLICY_NICE_MIN     (-20)
#define POLICY_NICE_MAX     19
#define POLICY_WEIGHT_NICE0 1024u
#define POLICY_WEIGHT_IDLE  3u /* SCHED_IDLE and cpu.idle.  Kernel: WEIGHT_IDLEPRIO, sched.h */

struct policy_weight {
	u64 weight;  /* 2 and more, but 3 for SCHED_IDLE; in policy/flat.h nice 0 is 2^20 */
	u32 inverse; /* 2^32 / weight; not used there */
};

/*
 * A group's weight; rounds the inverse down, and 2^32 is taken as 2^32 - 1.
 * Kernel: __update_inv_weight(), kernel/sched/fair.c, v6.12.
 */
static inline void policy_weight_of(u32 weight, struct policy_weight *of)
{
	of->weight = weight;
	of->inverse = weight ? 0xffffffffu / weight : 0xffffffffu;
}

/*
 * @nice: -20..19.  Each step is a factor of 1.25 as the kernel rounded it.  The inverses
 * are not all 2^32 / weight rounded the same way, so they are a table too.
 * Kernel: sched_prio_to_weight[], sched_prio_to_wmult[], kernel/sched/core.c, v6.12.
 */
static inline void policy_weight_of_nice(s32 nice, struct policy_weight *of)
{
	static const u32 weights[40] = {
		88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
		9548,  7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,
		1024,  820,   655,   526,   423,   335,   272,   215,   172,   137,
		110,   87,    70,    56,    45,    36,    29,    23,    18,    15,
	};
	static const u32 inverses[40] = {
		48388,    59856,    76040,    92818,     118348,    147320,    184698,    229616,
		287308,   360437,   449829,   563644,    704093,    875809,    1099582,   1376151,
		1717300,  2157191,  2708050,  3363326,   4194304,   5237765,   6557202,   8165337,
		10153587, 12820798, 15790321, 19976592,  24970740,  31350126,  39045157,  49367440,
		61356676, 76695844, 95443717, 119304647, 148102320, 186737708, 238609294, 286331153,
	};
	u32 row = (u32)(nice - POLICY_NICE_MIN) % 40;

	of->weight = weights[row];
	of->inverse = inverses[row];
}

/*
 * delta * part / of->weight, truncated twice as the kernel does.  @delta_ns < 2^63 / 1024,
 * and @part is 1024 or at most of->weight.
 * Kernel: __calc_delta(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_calc_delta(u64 delta_ns, u64 part, const struct policy_weight *of)
{
	u64 factor = part * of->inverse;
	u32 extra = policy_bits((u32)(factor >> 32));

	return policy_mul_shr(delta_ns, (u32)(factor >> extra), 32 - extra);
}

/*
 * Wall time as virtual time: delta * 1024 / weight.  Exact for nice 0.
 * Kernel: calc_delta_fair(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_calc_delta_fair(u64 delta_ns, const struct policy_weight *weight)
{
	if (weight->weight == POLICY_WEIGHT_NICE0)
		return delta_ns;
	return policy_calc_delta(delta_ns, POLICY_WEIGHT_NICE0, weight);
}

/*
 * The factor of slices and granularities: 1 + log2 of the CPUs, 8 at most.
 * Kernel: get_update_sysctl_factor(), kernel/sched/fair.c, v6.12, logarithmic scaling.
 */
static inline u32 policy_cpu_factor(u32 online_cpus)
{
	return policy_bits(online_cpus < 8 ? online_cpus : 8);
}

/* cpu.weight 1..10000 as shares where 100 is 1024.  Kernel: cpu_weight_write_u64(), core.c. */
static inline u32 policy_shares_of_cpu_weight(u32 cpu_weight)
{
	return (u32)(((u64)cpu_weight * 1024 + 50) / 100);
}

/*
 * A weight of full resolution, where nice 0 is 2^20, as one where it is 1024: 2 at least, but
 * nothing is nothing.  Kernel: scale_load_down(), kernel/sched/sched.h, v6.12.
 */
static inline u64 policy_scale_load_down(u64 load)
{
	return load >= 2048 ? load >> 10 : load ? 2 : 0;
}

/*
 * What a group weighs on a CPU whose queue has @load of the group's @total: shares * load /
 * total, 2 at least and @most at most.  Shares have full resolution; load <= total, and the
 * product is below 2^64.
 * Kernel: calc_group_shares(), kernel/sched/fair.c, v6.12; __calc_smp_shares(), v7.3.
 */
static inline u64 policy_group_share(u64 shares, u64 most, u64 load, u64 total)
{
	u64 share = total ? shares * load / total : shares * load;

	return share < 2 ? 2 : share > most ? most : share;
}

#endif
