/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/rng.h"
#include "policy/weight.h"
#include "test.h"

/*
 * Kernel: sched_prio_to_weight[], kernel/sched/core.c.  Each is the one before divided by
 * 1.25, as rounded there.
 */
static const u32 kernel_weights[40] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548,  7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,
	1024,  820,   655,   526,   423,   335,   272,   215,   172,   137,
	110,   87,    70,    56,    45,    36,    29,    23,    18,    15,
};

TEST(nice_values_have_the_kernels_weights)
{
	for (s32 nice = -20; nice <= 19; nice++) {
		struct policy_weight weight;

		policy_weight_of_nice(nice, &weight);
		CHECK_EQ(kernel_weights[nice + 20], weight.weight, "nice %d", nice);
	}
}

/* Kernel: sched_prio_to_wmult[], kernel/sched/core.c, by nice value. */
static const u32 kernel_inverses[40] = {
	48388,    59856,    76040,    92818,     118348,    147320,    184698,    229616,
	287308,   360437,   449829,   563644,    704093,    875809,    1099582,   1376151,
	1717300,  2157191,  2708050,  3363326,   4194304,   5237765,   6557202,   8165337,
	10153587, 12820798, 15790321, 19976592,  24970740,  31350126,  39045157,  49367440,
	61356676, 76695844, 95443717, 119304647, 148102320, 186737708, 238609294, 286331153,
};

TEST(inverses_are_the_kernels)
{
	for (s32 nice = -20; nice <= 19; nice++) {
		struct policy_weight weight;

		policy_weight_of_nice(nice, &weight);
		CHECK_EQ(kernel_inverses[nice + 20], weight.inverse, "nice %d", nice);
	}
}

/* Most rows of the kernel's table are rounded to the nearest, four are cut off. */
TEST(every_inverse_is_2_to_the_32_over_the_weight)
{
	for (s32 nice = -20; nice <= 19; nice++) {
		struct policy_weight weight;
		s64 rest;

		policy_weight_of_nice(nice, &weight);
		rest = (s64)((u64)weight.inverse * weight.weight) - (1LL << 32);
		CHECK(rest > -(s64)weight.weight && rest < (s64)weight.weight, "nice %d", nice);
	}
}

TEST(a_groups_inverse_is_rounded_down)
{
	static const struct {
		u32 weight, inverse;
	} rows[] = {
		{ 1024, 4194303 }, /* 4294967295 / 1024 = 4194303.999: one below nice 0's */
		{ 3, 1431655765 }, { 2, 2147483647 }, { 262144, 16383 },
		{ 1, 4294967295 }, { 335, 12820797 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_weight weight;

		policy_weight_of(rows[i].weight, &weight);
		CHECK_EQ(rows[i].weight, weight.weight);
		CHECK_EQ(rows[i].inverse, weight.inverse, "weight %u", rows[i].weight);
	}
}

TEST(virtual_time_is_wall_time_over_weight)
{
	static const struct {
		s32 nice;
		u64 delta_ns, want_vns;
	} rows[] = {
		{ 0, 0, 0 },
		{ 0, 1234567, 1234567 },
		/* 335: 1e6 * 1024 / 335 = 3056716.4 */
		{ 5, 1000000, 3056716 },
		/* 3121: 1e6 * 1024 / 3121 = 328100.0 */
		{ -5, 1000000, 328099 },
		/* 15: 4e6 * 1024 / 15 = 273066666.7 */
		{ 19, 4000000, 273066666 },
		/* 88761: 4e6 * 1024 / 88761 = 46146.4 */
		{ -20, 4000000, 46146 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_weight weight;

		policy_weight_of_nice(rows[i].nice, &weight);
		CHECK_EQ(rows[i].want_vns, policy_calc_delta_fair(rows[i].delta_ns, &weight),
			 "nice %d, %llu ns", rows[i].nice, rows[i].delta_ns);
	}
}

/*
 * The kernel's own steps (__calc_delta(), fair.c) in 128 bits: the factor 1024 * inverse is
 * cut to 32 bits before the product, which costs at most one part in 2^31, and the shift
 * truncates.  For 10 s that is less than 10e9 * 1024 / w / 2^31 + 1, so 1024/w * 5 + 1 ns low,
 * and never high by more than the rounding of the inverse: half a part in inverse.
 */
TEST(virtual_time_stays_within_the_truncation_of_the_exact_quotient)
{
	for (u64 i = 0; i < 100000; i++) {
		s32 nice = (s32)(rng_draw(3, i, 0, 0) % 40) - 20;
		u64 delta_ns = rng_draw(3, i, 1, 0) % 10000000000ULL;
		struct policy_weight weight;
		u64 exact, got, slack;

		policy_weight_of_nice(nice, &weight);
		exact = delta_ns * 1024 / weight.weight;
		got = policy_calc_delta_fair(delta_ns, &weight);
		slack = exact / weight.inverse + 5 * 1024 / weight.weight + 2;
		CHECK(got <= exact + slack && got + slack >= exact,
		      "nice %d, %llu: %llu, exact %llu", nice, delta_ns, got, exact);
	}
}

TEST(slices_grow_with_the_logarithm_of_the_cpus)
{
	static const u32 want[] = { 0, 1, 2, 2, 3, 3, 3, 3, 4, 4 };

	for (u32 cpus = 1; cpus < ARRAY_SIZE(want); cpus++)
		CHECK_EQ(want[cpus], policy_cpu_factor(cpus), "%u CPUs", cpus);
	CHECK_EQ(4, policy_cpu_factor(16));
	CHECK_EQ(4, policy_cpu_factor(4096));
}

/* Kernel: sched_weight_from_cgroup(): nearest of weight * 1024 / 100. */
TEST(cpu_weight_100_is_1024_shares)
{
	static const struct {
		u32 cpu_weight, shares;
	} rows[] = { { 1, 10 },   { 100, 1024 },     { 50, 512 },
		     { 33, 338 }, { 10000, 102400 }, { 79, 809 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].shares, policy_shares_of_cpu_weight(rows[i].cpu_weight), "%u",
			 rows[i].cpu_weight);
}

TEST(a_group_weighs_on_a_cpu_what_its_load_there_is_of_all)
{
	static const struct {
		u32 shares;
		u64 load, total;
		u32 want;
	} rows[] = {
		{ 1024, 1024, 1024, 1024 },    /* all of it here */
		{ 1024, 1024, 2048, 512 },     /* half */
		{ 1024, 335, 335 + 3121, 99 }, /* 1024 * 335 / 3456 = 99.26 */
		{ 1024, 15, 1u << 20, 2 },     /* 0.01: never below 2 */
		{ 3, 1024, 4096, 2 },
		{ 1 << 20, 1024, 3072, 349525 }, /* full resolution */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_group_share(rows[i].shares, rows[i].shares, rows[i].load,
					    rows[i].total),
			 "row %zu", i);
}

TEST(full_resolution_has_ten_bits_more)
{
	CHECK_EQ(0, policy_scale_load_down(0));
	CHECK_EQ(2, policy_scale_load_down(1));
	CHECK_EQ(2, policy_scale_load_down(2 << 10));
	CHECK_EQ(341, policy_scale_load_down(349525));
	CHECK_EQ(1024, policy_scale_load_down(1 << 20));
}
