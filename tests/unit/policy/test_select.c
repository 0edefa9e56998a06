/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/release.h"
#include "test.h"

/* HZ 250.  Another wakee is a flip; after more than a second, 250 jiffies, the rest is halved once. */
TEST(flips_count_other_wakees_and_decay)
{
	static const struct {
		u64 jiffies;
		s32 wakee;
		u32 flips;
	} rows[] = {
		{ 10, 1, 1 }, /* the first */
		{ 11, 1, 1 }, /* the same again */
		{ 12, 2, 2 },   { 13, 1, 3 },
		{ 14, 2, 4 },   { 250, 1, 5 }, /* not more than 250 since 0 */
		{ 251, 1, 2 },                 /* 5 / 2, and the same */
		{ 501, 2, 3 },                 /* 501 is not past 251 + 250 */
		{ 2000, 1, 2 }, /* halved once, however long ago: 3 / 2 = 1, and another */
	};
	struct policy_wakee waker = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		policy_record_wakee(&waker, rows[i].wakee, rows[i].jiffies, 250);
		CHECK_EQ(rows[i].flips, waker.flips, "row %zu", i);
	}
}

/* A cache of 4: the lesser flips at least 4, and the greater at least 4 times as many. */
TEST(many_to_many_is_wide)
{
	static const struct {
		u32 waker, wakee, llc;
		bool wide;
	} rows[] = {
		{ 16, 4, 4, true },   { 4, 16, 4, true }, { 15, 4, 4, false },
		{ 100, 3, 4, false }, { 20, 5, 4, true }, { 19, 5, 4, false },
		{ 0, 0, 1, false },   { 1, 1, 1, true },  { 64, 8, 8, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].wide, policy_wake_wide(rows[i].waker, rows[i].wakee, rows[i].llc),
			 "row %zu", i);
}

TEST(idleness_decides_first)
{
	static const struct {
		const char *when;
		bool this_idle, prev_idle, share, sync, alone;
		enum policy_affine want;
	} rows[] = {
		{ "an interrupt on an idle CPU", 1, 0, 1, 0, 0, POLICY_AFFINE_THIS },
		{ "both idle: it stays", 1, 1, 1, 0, 0, POLICY_AFFINE_PREV },
		{ "not from another cache", 1, 0, 0, 0, 0, POLICY_AFFINE_UNDECIDED },
		{ "a waker about to sleep, alone", 0, 1, 1, 1, 1, POLICY_AFFINE_THIS },
		{ "not alone", 0, 1, 1, 1, 0, POLICY_AFFINE_PREV },
		{ "its last CPU is idle", 0, 1, 0, 0, 1, POLICY_AFFINE_PREV },
		{ "neither", 0, 0, 1, 0, 1, POLICY_AFFINE_UNDECIDED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_affine_idle(rows[i].this_idle, rows[i].prev_idle, rows[i].share,
					    rows[i].sync, rows[i].alone),
			 "%s", rows[i].when);
}

/*
 * (this + task) * 100 * capacity of prev < (prev - task) * 108 * capacity of this, +1 if sync;
 * 108 = 100 + (117 - 100) / 2.  Without bias both factors are 1.
 */
TEST(weight_decides_next)
{
	static const struct {
		const char *when;
		u64 this_load, prev_load, task, current, this_cap, prev_cap;
		bool sync, bias;
		enum policy_affine want;
	} rows[] = {
		{ "1536 * 100 < 512 * 108: no", 1024, 1024, 512, 0, 1024, 1024, 0, 1,
		  POLICY_AFFINE_UNDECIDED },
		{ "512 * 100 < 512 * 108", 0, 1024, 512, 0, 1024, 1024, 0, 1, POLICY_AFFINE_THIS },
		{ "512 < 512: no", 0, 1024, 512, 0, 1024, 1024, 0, 0, POLICY_AFFINE_UNDECIDED },
		{ "512 < 512, sync: + 1", 0, 1024, 512, 0, 1024, 1024, 1, 0, POLICY_AFFINE_THIS },
		{ "1000 + 24 < 2000 - 24", 1000, 2000, 24, 0, 1024, 1024, 0, 0,
		  POLICY_AFFINE_THIS },
		{ "the same on half a CPU: 1024 * 1024 < 1976 * 512: no", 1000, 2000, 24, 0, 512,
		  1024, 0, 0, POLICY_AFFINE_UNDECIDED },
		{ "sync takes the waker away: 24 < 76", 1000, 100, 24, 1000, 1024, 1024, 1, 0,
		  POLICY_AFFINE_THIS },
		{ "more than all of it", 1000, 0, 24, 1001, 1024, 1024, 1, 0, POLICY_AFFINE_THIS },
		{ "only if sync: 1024 < 76: no", 1000, 100, 24, 1000, 1024, 1024, 0, 0,
		  POLICY_AFFINE_UNDECIDED },
		{ "its load has left its last CPU: 24 < -24: no", 0, 0, 24, 0, 1024, 1024, 0, 1,
		  POLICY_AFFINE_UNDECIDED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct policy_affine_load with = {
			.this_load = rows[i].this_load,
			.prev_load = rows[i].prev_load,
			.task_load = rows[i].task,
			.current_load = rows[i].current,
			.this_capacity = rows[i].this_cap,
			.prev_capacity = rows[i].prev_cap,
			.imbalance_pct = 117,
			.sync = rows[i].sync,
			.bias = rows[i].bias,
		};

		CHECK_EQ(rows[i].want, policy_affine_weight(&with), "%s", rows[i].when);
	}
}

/*
 * n * (1024 - min(1024, x * x * 117 * 117 / (10000 * 1024))) / 1024: at a mean of 256 what is
 * subtracted is 87, at 512 350, at 640 547, at 768 788, at 876 1025.
 */
TEST(a_search_looks_at_fewer_cpus_as_the_cache_gets_busy)
{
	static const u32 sizes[] = { 2, 4, 8, 16 };
	static const struct {
		u32 mean, want[4];
	} rows[] = {
		{ 0, { 2, 4, 8, 16 } },   { 256, { 1, 3, 7, 14 } }, { 512, { 1, 2, 5, 10 } },
		{ 640, { 0, 1, 3, 7 } },  { 768, { 0, 0, 1, 3 } },  { 876, { 0, 0, 0, 0 } },
		{ 1024, { 0, 0, 0, 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (u32 n = 0; n < 4; n++)
			CHECK_EQ(rows[i].want[n],
				 policy_nr_idle_scan((u64)rows[i].mean * sizes[n], sizes[n], 117),
				 "mean %u, %u CPUs", rows[i].mean, sizes[n]);
}

/*
 * The last CPU of n is given up once 1024 - x * x * 13689 / 10240000 is below 1024 / n: x * x from
 * 513 * 748.05 = 383748, 769 * 748.05 = 575248, 897 * 748.05 = 670998, 961 * 748.05 = 718874 on.
 */
TEST(where_a_search_ends_altogether)
{
	static const struct {
		u32 cpus, last_mean;
	} rows[] = { { 2, 619 }, { 4, 758 }, { 8, 819 }, { 16, 847 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 n = rows[i].cpus;

		CHECK_EQ(1, policy_nr_idle_scan((u64)rows[i].last_mean * n, n, 117), "%u", n);
		CHECK_EQ(0, policy_nr_idle_scan((u64)(rows[i].last_mean + 1) * n, n, 117), "%u", n);
	}
}

/* 8 CPUs: 8 * 100 us by 1 + 9999 ns a search is 80; never fewer than 4. */
TEST(a_search_may_cost_what_the_cpu_idles)
{
	CHECK_EQ(80, policy_scan_by_cost(100000, 9999, 8));
	CHECK_EQ(4, policy_scan_by_cost(5000, 9999, 8)); /* 40000 is not more than 4 * 10000 */
	CHECK_EQ(4, policy_scan_by_cost(0, 0, 8));
	CHECK_EQ(100000, policy_age_idle(100000, 0));
	CHECK_EQ(12500, policy_age_idle(100000, 3));
	CHECK_EQ(0, policy_age_idle(100000, 1000));
}

TEST(an_idle_cpu_suits_by_size_and_core)
{
	static const s32 best_first[][2] = {
		/* fits, core idle */
		{ 1, 1 }, { -1, 1 }, { 0, 1 }, { 1, 0 }, { -1, 0 }, { 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(best_first); i++)
		CHECK_EQ((s32)i - 5, policy_fit_rank(best_first[i][0], best_first[i][1]), "%zu", i);
}

TEST(the_idlest_group_of_a_kind)
{
	static const struct {
		const char *when;
		struct policy_group_stats group, idlest;
		bool idler;
	} rows[] = {
		{ "the lower kind",
		  { .type = POLICY_GROUP_HAS_SPARE },
		  { .type = POLICY_GROUP_FULLY_BUSY },
		  true },
		{ "not the higher",
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 1 },
		  { .type = POLICY_GROUP_MISFIT_TASK },
		  false },
		{ "more idle CPUs",
		  { .idle_cpus = 2, .util = 900 },
		  { .idle_cpus = 1, .util = 1 },
		  true },
		{ "fewer", { .idle_cpus = 1, .util = 1 }, { .idle_cpus = 2, .util = 900 }, false },
		{ "as many, less used",
		  { .idle_cpus = 1, .util = 5 },
		  { .idle_cpus = 1, .util = 6 },
		  true },
		{ "as many, as much used: the first",
		  { .idle_cpus = 1, .util = 6 },
		  { .idle_cpus = 1, .util = 6 },
		  false },
		{ "less load",
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 5 },
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 6 },
		  true },
		{ "as much load",
		  { .type = POLICY_GROUP_FULLY_BUSY, .avg_load = 6 },
		  { .type = POLICY_GROUP_FULLY_BUSY, .avg_load = 6 },
		  false },
		{ "bigger CPUs",
		  { .type = POLICY_GROUP_MISFIT_TASK, .max_capacity = 1024 },
		  { .type = POLICY_GROUP_MISFIT_TASK, .max_capacity = 512 },
		  true },
		{ "never by affinity",
		  { .type = POLICY_GROUP_IMBALANCED, .idle_cpus = 9 },
		  { .type = POLICY_GROUP_IMBALANCED },
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].idler, policy_group_idler(&rows[i].group, &rows[i].idlest), "%s",
			 rows[i].when);
}

/* pct 117: the margin is 1024 * 17 / 100 = 174. */
TEST(a_new_task_leaves_its_group_for_a_clearly_idler_one)
{
	static const struct policy_slow plain = { .imbalance_pct = 117 };
	static const struct policy_slow numa = { .imbalance_pct = 117,
						 .numa = true,
						 .imb_numa_nr = 2 };
	static const struct {
		const char *when;
		const struct policy_slow *with;
		struct policy_group_stats local, idlest;
		bool leaves;
	} rows[] = {
		{ "its own is of a lower kind",
		  &plain,
		  { .type = POLICY_GROUP_HAS_SPARE },
		  { .type = POLICY_GROUP_FULLY_BUSY },
		  false },
		{ "of a higher",
		  &plain,
		  { .type = POLICY_GROUP_FULLY_BUSY },
		  { .type = POLICY_GROUP_HAS_SPARE },
		  true },
		{ "fewer idle CPUs", &plain, { .idle_cpus = 1 }, { .idle_cpus = 2 }, true },
		{ "as many", &plain, { .idle_cpus = 2 }, { .idle_cpus = 2 }, false },
		{ "100 * 1053 > 117 * 900: no",
		  &plain,
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 1053 },
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 900 },
		  false },
		{ "100 * 1054 > 117 * 900",
		  &plain,
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 1054 },
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 900 },
		  true },
		{ "another node: 900 + 174 >= 1074",
		  &numa,
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 1074 },
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 900 },
		  false },
		{ "another node: not 1075",
		  &numa,
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 1075 },
		  { .type = POLICY_GROUP_OVERLOADED, .avg_load = 900 },
		  true },
		{ "bigger CPUs",
		  &plain,
		  { .type = POLICY_GROUP_MISFIT_TASK, .max_capacity = 512 },
		  { .type = POLICY_GROUP_MISFIT_TASK, .max_capacity = 1024 },
		  true },
		{ "no bigger ones",
		  &plain,
		  { .type = POLICY_GROUP_MISFIT_TASK, .max_capacity = 1024 },
		  { .type = POLICY_GROUP_MISFIT_TASK, .max_capacity = 1024 },
		  false },
		{ "a node may have 2 tasks more: with it 2, 2 idle CPUs fewer",
		  &numa,
		  { .idle_cpus = 1, .nr_running = 1 },
		  { .idle_cpus = 3 },
		  false },
		{ "with it 3",
		  &numa,
		  { .idle_cpus = 1, .nr_running = 2 },
		  { .idle_cpus = 3 },
		  true },
		{ "3 idle CPUs fewer",
		  &numa,
		  { .idle_cpus = 1, .nr_running = 1 },
		  { .idle_cpus = 4 },
		  true },
		{ "never by affinity",
		  &plain,
		  { .type = POLICY_GROUP_IMBALANCED },
		  { .type = POLICY_GROUP_IMBALANCED, .idle_cpus = 5 },
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].leaves,
			 policy_leave_group(rows[i].with, &rows[i].local, &rows[i].idlest), "%s",
			 rows[i].when);
}
