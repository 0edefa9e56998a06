/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/balance.h"

#include "base/mem.h"
#include "policy/release.h"
#include "test.h"

static struct policy_balance pass_of(const char *release, enum policy_cpu_idle idle)
{
	return (struct policy_balance){
		.rules = &policy_balance_rules[policy_release_find(release)->balancer],
		.idle = idle,
		.dst_core_idle = true,
		.imbalance_pct = 117,
		.dst_capacity = 1024,
	};
}

/*
 * Four CPUs of 1024, 117 %: overloaded from util 409600 / 117 = 3501 or runnable
 * 4096 * 1.17 = 4793 on, if there are more tasks than CPUs; with as many, just full.
 */
TEST(groups_are_of_the_highest_type_that_holds)
{
	static const struct {
		const char *when;
		struct policy_group_stats group;
		enum policy_group_type want;
	} rows[] = {
		{ "fewer tasks than CPUs",
		  { .nr_running = 3, .util = 4000 },
		  POLICY_GROUP_HAS_SPARE },
		{ "as many, much used",
		  { .nr_running = 4, .util = 3501 },
		  POLICY_GROUP_FULLY_BUSY },
		{ "as many, less used", { .nr_running = 4, .util = 3500 }, POLICY_GROUP_HAS_SPARE },
		{ "more, much used", { .nr_running = 5, .util = 3501 }, POLICY_GROUP_OVERLOADED },
		{ "more, much waits",
		  { .nr_running = 5, .util = 3000, .runnable = 4793 },
		  POLICY_GROUP_OVERLOADED },
		{ "more, little waits",
		  { .nr_running = 5, .util = 3000, .runnable = 4792 },
		  POLICY_GROUP_HAS_SPARE },
		{ "affinity",
		  { .nr_running = 1, .imbalanced = true, .asym_packing = true, .misfit_load = 1 },
		  POLICY_GROUP_IMBALANCED },
		{ "a cache that is preferred",
		  { .nr_running = 1, .cache = true, .imbalanced = true },
		  POLICY_GROUP_CACHE },
		{ "packing",
		  { .nr_running = 1, .asym_packing = true, .smt_balance = true },
		  POLICY_GROUP_ASYM_PACKING },
		{ "threads of a core",
		  { .nr_running = 1, .smt_balance = true, .misfit_load = 1 },
		  POLICY_GROUP_SMT_BALANCE },
		{ "misfit", { .nr_running = 1, .misfit_load = 1 }, POLICY_GROUP_MISFIT_TASK },
	};
	const struct policy_balance pass = pass_of("6.12", POLICY_CPU_IDLE);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_group_stats group = rows[i].group;

		group.weight = 4;
		group.capacity = 4096;
		CHECK_EQ(rows[i].want, policy_group_classify(&pass, &group), "%s", rows[i].when);
	}
}

TEST(with_an_energy_model_7_3_asks_for_an_overutilised_cpu)
{
	struct policy_balance pass = pass_of("7.3", POLICY_CPU_IDLE);
	struct policy_group_stats group = {
		.nr_running = 5, .util = 4096, .weight = 4, .capacity = 4096
	};

	CHECK_EQ(POLICY_GROUP_OVERLOADED, policy_group_classify(&pass, &group));
	pass.energy_aware = true;
	CHECK_EQ(POLICY_GROUP_FULLY_BUSY, policy_group_classify(&pass, &group));
	group.overutilized = true;
	CHECK_EQ(POLICY_GROUP_OVERLOADED, policy_group_classify(&pass, &group));
	pass = pass_of("6.12", POLICY_CPU_IDLE);
	pass.energy_aware = true;
	group.overutilized = false;
	CHECK_EQ(POLICY_GROUP_OVERLOADED, policy_group_classify(&pass, &group));
}

/* @fair tasks of @tasks; the type's name first. */
#define GROUP(kind, fair, tasks, ...)                                                       \
	{                                                                                   \
		.type = POLICY_GROUP_##kind, .h_nr = fair, .nr_running = tasks, __VA_ARGS__ \
	}

TEST(the_busiest_group_is_chosen_as_its_type_says)
{
	static const struct {
		const char *when, *release;
		struct policy_group_stats busiest, group;
		bool want;
	} rows[] = {
		{ "a higher type", "6.12", GROUP(FULLY_BUSY, 2, 2), GROUP(OVERLOADED, 2, 2), true },
		{ "a lower type", "6.12", GROUP(IMBALANCED, 2, 2), GROUP(MISFIT_TASK, 2, 2),
		  false },
		{ "no fair task", "6.12", GROUP(HAS_SPARE, 2, 2), GROUP(OVERLOADED, 0, 2), false },
		{ "more load", "6.12", GROUP(OVERLOADED, 2, 2, .avg_load = 5),
		  GROUP(OVERLOADED, 2, 2, .avg_load = 6), true },
		{ "as much load", "6.12", GROUP(OVERLOADED, 2, 2, .avg_load = 5),
		  GROUP(OVERLOADED, 2, 2, .avg_load = 5), false },
		{ "more that prefer the cache here", "7.3", GROUP(CACHE, 2, 2, .prefer_dst = 1),
		  GROUP(CACHE, 2, 2, .prefer_dst = 2), true },
		{ "as many", "7.3", GROUP(CACHE, 2, 2, .prefer_dst = 2),
		  GROUP(CACHE, 2, 2, .prefer_dst = 2), false },
		{ "both imbalanced: the first", "6.12", GROUP(IMBALANCED, 2, 2),
		  GROUP(IMBALANCED, 2, 2), false },
		{ "packing leaves the lower priority", "6.12",
		  GROUP(ASYM_PACKING, 2, 2, .asym_priority = 2),
		  GROUP(ASYM_PACKING, 2, 2, .asym_priority = 1), true },
		{ "or equal ones, in 6.1", "6.1", GROUP(ASYM_PACKING, 2, 2),
		  GROUP(ASYM_PACKING, 2, 2), true },
		{ "not in 6.12", "6.12", GROUP(ASYM_PACKING, 2, 2), GROUP(ASYM_PACKING, 2, 2),
		  false },
		{ "the bigger misfit", "6.12", GROUP(MISFIT_TASK, 2, 2, .misfit_load = 5),
		  GROUP(MISFIT_TASK, 2, 2, .misfit_load = 6), true },
		{ "the last of equal misfits, in 6.1", "6.1",
		  GROUP(MISFIT_TASK, 2, 2, .misfit_load = 5),
		  GROUP(MISFIT_TASK, 2, 2, .misfit_load = 5), true },
		{ "the first, in 6.12", "6.12", GROUP(MISFIT_TASK, 2, 2, .misfit_load = 5),
		  GROUP(MISFIT_TASK, 2, 2, .misfit_load = 5), false },
		{ "full: the last, in 6.12", "6.12", GROUP(FULLY_BUSY, 2, 2),
		  GROUP(FULLY_BUSY, 2, 2), true },
		{ "but threads of a core stay", "6.12", GROUP(FULLY_BUSY, 2, 2, .smt = true),
		  GROUP(FULLY_BUSY, 2, 2), false },
		{ "full: the first, in 6.1", "6.1", GROUP(FULLY_BUSY, 2, 2),
		  GROUP(FULLY_BUSY, 2, 2), false },
		{ "threads: fewer idle", "6.12", GROUP(SMT_BALANCE, 2, 2, .idle_cpus = 1),
		  GROUP(SMT_BALANCE, 2, 2), true },
		{ "fewer idle CPUs", "6.12", GROUP(HAS_SPARE, 2, 2, .idle_cpus = 2),
		  GROUP(HAS_SPARE, 2, 2, .idle_cpus = 1), true },
		{ "more idle CPUs", "6.12", GROUP(HAS_SPARE, 2, 2, .idle_cpus = 1),
		  GROUP(HAS_SPARE, 2, 2, .idle_cpus = 2), false },
		{ "as many idle, more tasks", "6.12", GROUP(HAS_SPARE, 2, 2),
		  GROUP(HAS_SPARE, 2, 3), true },
		{ "as many of both", "6.12", GROUP(HAS_SPARE, 2, 2), GROUP(HAS_SPARE, 2, 2),
		  false },
		{ "a core with one task is not emptied", "6.12",
		  GROUP(HAS_SPARE, 2, 2, .idle_cpus = 3), GROUP(HAS_SPARE, 1, 2, .smt = true),
		  false },
		{ "with two it is relieved", "6.12", GROUP(HAS_SPARE, 2, 2),
		  GROUP(HAS_SPARE, 2, 2, .smt = true, .idle_cpus = 1), true },
		{ "6.1 does not know threads", "6.1", GROUP(HAS_SPARE, 2, 2),
		  GROUP(HAS_SPARE, 2, 2, .smt = true, .idle_cpus = 1), false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct policy_balance pass = pass_of(rows[i].release, POLICY_CPU_IDLE);
		const struct policy_domain_stats stats = { .busiest = rows[i].busiest,
							   .has_busiest = true };

		CHECK_EQ(rows[i].want, policy_group_busier(&pass, &stats, &rows[i].group), "%s",
			 rows[i].when);
	}
}

/* 1024 * 1024 > 972 * 1078, but not 973 * 1078: 5 % more capacity is wanted. */
TEST(unequal_cpus_are_only_helped_upwards)
{
	struct policy_balance pass = pass_of("6.12", POLICY_CPU_IDLE);
	struct policy_domain_stats stats = { .local.type = POLICY_GROUP_HAS_SPARE };
	struct policy_group_stats misfit = GROUP(MISFIT_TASK, 2, 2, .misfit_load = 1);
	struct policy_group_stats spare = GROUP(HAS_SPARE, 2, 2, .min_capacity = 1024);

	pass.asym = true;
	misfit.max_capacity = 972;
	CHECK(policy_group_busier(&pass, &stats, &misfit));
	misfit.max_capacity = 973;
	CHECK(!policy_group_busier(&pass, &stats, &misfit));
	misfit.max_capacity = 972;
	stats.local.type = POLICY_GROUP_FULLY_BUSY;
	CHECK(!policy_group_busier(&pass, &stats, &misfit));
	stats.local.type = POLICY_GROUP_HAS_SPARE;
	pass.dst_core_idle = false;
	CHECK(!policy_group_busier(&pass, &stats, &misfit));

	pass.dst_capacity = 446; /* 1024 * 1024 > 446 * 1078: its CPUs are bigger */
	CHECK(!policy_group_busier(&pass, &stats, &spare));
	spare.type = POLICY_GROUP_OVERLOADED;
	CHECK(policy_group_busier(&pass, &stats, &spare));
}

/* Cores 4 and 2: (4 * 5 - 2 * 1) = 18, doubled and rounded: (36 + 6) / 6 = 7. */
TEST(siblings_are_compared_by_core)
{
	struct policy_balance pass = pass_of("6.12", POLICY_CPU_IDLE);
	struct policy_domain_stats stats = { .busiest = { .nr_running = 5, .cores = 2 },
					     .local = { .nr_running = 1, .cores = 4 } };

	CHECK_EQ(7u, policy_sibling_imbalance(&pass, &stats));
	stats.local.cores = 2;
	CHECK_EQ(4u, policy_sibling_imbalance(&pass, &stats));
	/* 1 * 2 - 0 = 2: (4 + 4) / 4 = 2; 1 * 3 cores to 1: (2 * 2 + 4) / 4 */
	stats = (struct policy_domain_stats){ .busiest = { .nr_running = 2, .cores = 16 },
					      .local = { .nr_running = 0, .cores = 1 } };
	/* 1 * 2 = 2: (4 + 17) / 17 = 1, but an empty group takes one of two */
	CHECK_EQ(2u, policy_sibling_imbalance(&pass, &stats));
	pass.idle = POLICY_CPU_BUSY;
	CHECK_EQ(0u, policy_sibling_imbalance(&pass, &stats));
	pass = pass_of("6.1", POLICY_CPU_BUSY);
	CHECK_EQ(2u, policy_sibling_imbalance(&pass, &stats));
}

/* Kernel: the order of sched_balance_find_src_group(), v6.12. */
TEST(a_domain_is_imbalanced_or_not_by_both_types)
{
	static const struct {
		const char *when;
		enum policy_cpu_idle idle;
		bool energy_calm, prefer_sibling;
		struct policy_group_stats busiest, local;
		bool want;
	} rows[] = {
		{ "misfit, though energy is calm", POLICY_CPU_IDLE, true, false,
		  GROUP(MISFIT_TASK, 2, 2), GROUP(HAS_SPARE, 2, 2), true },
		{ "overloaded while energy is calm", POLICY_CPU_IDLE, true, false,
		  GROUP(OVERLOADED, 2, 2), GROUP(HAS_SPARE, 2, 2), false },
		{ "packing", POLICY_CPU_BUSY, false, false, GROUP(ASYM_PACKING, 2, 2),
		  GROUP(OVERLOADED, 2, 2), true },
		{ "affinity", POLICY_CPU_BUSY, false, false, GROUP(IMBALANCED, 2, 2),
		  GROUP(OVERLOADED, 2, 2), true },
		{ "a cache that is preferred, to siblings", POLICY_CPU_BUSY, false, true,
		  GROUP(CACHE, 1, 1), GROUP(HAS_SPARE, 0, 0), true },
		{ "a busy CPU does not draw else", POLICY_CPU_BUSY, false, false,
		  GROUP(CACHE, 2, 2), GROUP(HAS_SPARE, 0, 0), false },
		{ "the local group is worse", POLICY_CPU_IDLE, false, false,
		  GROUP(FULLY_BUSY, 2, 2), GROUP(OVERLOADED, 2, 2), false },
		{ "overloaded beside spare", POLICY_CPU_BUSY, false, false, GROUP(OVERLOADED, 2, 2),
		  GROUP(HAS_SPARE, 2, 2), true },
		/* the average of both is 1200; 100 * 1400 > 117 * 1000 */
		{ "both overloaded, 40 % apart", POLICY_CPU_BUSY, false, false,
		  GROUP(OVERLOADED, 2, 2, .avg_load = 1400),
		  GROUP(OVERLOADED, 2, 2, .avg_load = 1000), true },
		{ "both overloaded, 17 % apart", POLICY_CPU_BUSY, false, false,
		  GROUP(OVERLOADED, 2, 2, .avg_load = 1170),
		  GROUP(OVERLOADED, 2, 2, .avg_load = 1000), false },
		{ "local is above the average", POLICY_CPU_BUSY, false, false,
		  GROUP(OVERLOADED, 2, 2, .avg_load = 2000),
		  GROUP(OVERLOADED, 2, 2, .avg_load = 1200), false },
		{ "siblings: 2 tasks to none", POLICY_CPU_IDLE, false, true,
		  GROUP(HAS_SPARE, 2, 2, .weight = 2, .idle_cpus = 2, .cores = 2),
		  GROUP(HAS_SPARE, 2, 0, .idle_cpus = 2, .cores = 2), true },
		{ "siblings: 2 tasks to 1", POLICY_CPU_IDLE, false, true,
		  GROUP(HAS_SPARE, 2, 2, .weight = 2, .idle_cpus = 1, .cores = 2),
		  GROUP(HAS_SPARE, 2, 1, .idle_cpus = 1, .cores = 2), false },
		{ "a busy CPU leaves it to an idle one", POLICY_CPU_BUSY, false, false,
		  GROUP(FULLY_BUSY, 2, 2, .weight = 1), GROUP(HAS_SPARE, 2, 2), false },
		{ "threads beside a core", POLICY_CPU_IDLE, false, false,
		  GROUP(SMT_BALANCE, 2, 2, .smt = true, .weight = 2), GROUP(HAS_SPARE, 2, 2),
		  true },
		{ "threads beside threads with as many idle", POLICY_CPU_IDLE, false, false,
		  GROUP(SMT_BALANCE, 2, 2, .smt = true, .weight = 2),
		  GROUP(HAS_SPARE, 2, 2, .smt = true, .idle_cpus = 1), false },
		{ "one idle CPU more is no imbalance", POLICY_CPU_IDLE, false, false,
		  GROUP(HAS_SPARE, 2, 2, .weight = 4, .idle_cpus = 1),
		  GROUP(HAS_SPARE, 2, 2, .idle_cpus = 2), false },
		{ "two more are", POLICY_CPU_IDLE, false, false,
		  GROUP(HAS_SPARE, 2, 2, .weight = 4, .idle_cpus = 1),
		  GROUP(HAS_SPARE, 2, 2, .idle_cpus = 3), true },
		{ "a single CPU with a waiting task", POLICY_CPU_NEWLY_IDLE, false, false,
		  GROUP(FULLY_BUSY, 2, 2, .weight = 1), GROUP(HAS_SPARE, 2, 2, .idle_cpus = 1),
		  true },
		{ "a single CPU with one task", POLICY_CPU_NEWLY_IDLE, false, false,
		  GROUP(FULLY_BUSY, 1, 2, .weight = 1), GROUP(HAS_SPARE, 2, 2, .idle_cpus = 1),
		  false },
	};
	struct policy_balance calm = pass_of("6.12", POLICY_CPU_IDLE);
	struct policy_domain_stats none = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_balance pass = pass_of("6.12", rows[i].idle);
		const struct policy_domain_stats stats = {
			.has_busiest = true,
			.prefer_sibling = rows[i].prefer_sibling,
			.busiest = rows[i].busiest,
			.local = rows[i].local,
			.load = 1200, /* on one CPU's capacity */
			.capacity = 1024,
		};

		pass.energy_calm = rows[i].energy_calm;
		CHECK_EQ(rows[i].want, policy_domain_imbalanced(&pass, &stats), "%s", rows[i].when);
	}
	CHECK(!policy_domain_imbalanced(&calm, &none));
}

/* Kernel: calculate_imbalance(), v6.12. */
TEST(the_imbalance_is_sized_by_both_types)
{
	static const struct {
		const char *when;
		enum policy_cpu_idle idle;
		bool asym, share_llc, numa, prefer_sibling;
		struct policy_group_stats busiest, local;
		enum policy_migration what;
		s64 amount;
	} rows[] = {
		{ "misfit on unequal CPUs", POLICY_CPU_IDLE, .asym = true,
		  .busiest = GROUP(MISFIT_TASK, 2, 2, .misfit_load = 700),
		  .local = GROUP(HAS_SPARE, 2, 2), .what = POLICY_MIGRATE_MISFIT, .amount = 1 },
		{ "misfit of reduced capacity", POLICY_CPU_IDLE,
		  .busiest = GROUP(MISFIT_TASK, 2, 2, .misfit_load = 700),
		  .local = GROUP(HAS_SPARE, 2, 2), .what = POLICY_MIGRATE_LOAD, .amount = 700 },
		{ "one for the cache's sake", POLICY_CPU_IDLE, .busiest = GROUP(CACHE, 3, 3),
		  .local = GROUP(HAS_SPARE, 2, 2), .what = POLICY_MIGRATE_CACHE, .amount = 1 },
		{ "packing takes all", POLICY_CPU_IDLE, .busiest = GROUP(ASYM_PACKING, 3, 2),
		  .local = GROUP(HAS_SPARE, 2, 2), .what = POLICY_MIGRATE_TASK, .amount = 3 },
		{ "threads: one", POLICY_CPU_IDLE, .busiest = GROUP(SMT_BALANCE, 2, 2),
		  .local = GROUP(HAS_SPARE, 2, 2), .what = POLICY_MIGRATE_TASK, .amount = 1 },
		{ "affinity: any one", POLICY_CPU_BUSY, .busiest = GROUP(IMBALANCED, 2, 2),
		  .local = GROUP(OVERLOADED, 2, 2), .what = POLICY_MIGRATE_TASK, .amount = 1 },
		{ "spare across caches: as much as is free", POLICY_CPU_BUSY,
		  .busiest = GROUP(OVERLOADED, 2, 2),
		  .local = GROUP(HAS_SPARE, 2, 2, .capacity = 4096, .util = 3000),
		  .what = POLICY_MIGRATE_UTIL, .amount = 1096 },
		{ "nothing is free, but it is idle", POLICY_CPU_NEWLY_IDLE,
		  .busiest = GROUP(OVERLOADED, 2, 2),
		  .local = GROUP(HAS_SPARE, 2, 2, .capacity = 4096, .util = 5000),
		  .what = POLICY_MIGRATE_TASK, .amount = 1 },
		{ "nothing is free, and it is busy", POLICY_CPU_BUSY,
		  .busiest = GROUP(OVERLOADED, 2, 2),
		  .local = GROUP(HAS_SPARE, 2, 2, .capacity = 4096, .util = 5000),
		  .what = POLICY_MIGRATE_UTIL, .amount = 0 },
		{ "in a cache: half the difference of tasks", POLICY_CPU_IDLE, .share_llc = true,
		  .busiest = GROUP(OVERLOADED, 2, 5, .weight = 1), .local = GROUP(HAS_SPARE, 2, 0),
		  .what = POLICY_MIGRATE_TASK, .amount = 2 },
		{ "or of idle CPUs", POLICY_CPU_IDLE,
		  .busiest = GROUP(HAS_SPARE, 2, 2, .weight = 4, .idle_cpus = 1),
		  .local = GROUP(HAS_SPARE, 2, 2, .idle_cpus = 4), .what = POLICY_MIGRATE_TASK,
		  .amount = 1 },
		{ "siblings: tasks again", POLICY_CPU_IDLE, .prefer_sibling = true,
		  .busiest = GROUP(HAS_SPARE, 2, 4, .weight = 4, .idle_cpus = 1),
		  .local = GROUP(HAS_SPARE, 2, 0, .idle_cpus = 4), .what = POLICY_MIGRATE_TASK,
		  .amount = 2 },
		{ "a node may have two more", POLICY_CPU_IDLE, .numa = true,
		  .busiest = GROUP(HAS_SPARE, 2, 2, .weight = 4, .idle_cpus = 1),
		  .local = GROUP(HAS_SPARE, 2, 0, .idle_cpus = 3), .what = POLICY_MIGRATE_TASK,
		  .amount = 0 },
		{ "but not three", POLICY_CPU_IDLE, .numa = true,
		  .busiest = GROUP(HAS_SPARE, 2, 2, .weight = 4, .idle_cpus = 1),
		  .local = GROUP(HAS_SPARE, 2, 0, .idle_cpus = 4), .what = POLICY_MIGRATE_TASK,
		  .amount = 1 },
		/* average 3000 * 1024 / 2048 = 1500: 500 above on 1024, 500 below on 1024 */
		{ "both overloaded: to the average", POLICY_CPU_BUSY,
		  .busiest = GROUP(OVERLOADED, 2, 2, .avg_load = 2000, .capacity = 1024),
		  .local = GROUP(OVERLOADED, 2, 2, .avg_load = 1000, .capacity = 1024),
		  .what = POLICY_MIGRATE_LOAD, .amount = 500 },
		{ "half as big: half as much", POLICY_CPU_BUSY,
		  .busiest = GROUP(OVERLOADED, 2, 2, .avg_load = 2000, .capacity = 1024),
		  .local = GROUP(OVERLOADED, 2, 2, .avg_load = 1000, .capacity = 512),
		  .what = POLICY_MIGRATE_LOAD, .amount = 250 },
		{ "full local: its average counts now", POLICY_CPU_BUSY,
		  .busiest = GROUP(OVERLOADED, 2, 2, .avg_load = 2000, .capacity = 1024),
		  .local = GROUP(FULLY_BUSY, 2, 2, .load = 1000, .capacity = 1024),
		  .what = POLICY_MIGRATE_LOAD, .amount = 500 },
		{ "full local above the average", POLICY_CPU_BUSY,
		  .busiest = GROUP(OVERLOADED, 2, 2, .avg_load = 2000, .capacity = 1024),
		  .local = GROUP(FULLY_BUSY, 2, 2, .load = 1500, .capacity = 1024),
		  .what = POLICY_MIGRATE_LOAD, .amount = 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_balance pass = pass_of("6.12", rows[i].idle);
		const struct policy_domain_stats stats = {
			.has_busiest = true,
			.prefer_sibling = rows[i].prefer_sibling,
			.busiest = rows[i].busiest,
			.local = rows[i].local,
			.load = 3000,
			.capacity = 2048,
		};
		struct policy_imbalance got;

		pass.asym = rows[i].asym;
		pass.share_llc = rows[i].share_llc;
		pass.numa = rows[i].numa;
		pass.imb_numa_nr = 1;
		policy_calculate_imbalance(&pass, &stats, &got);
		CHECK_EQ(rows[i].what, got.what, "%s", rows[i].when);
		CHECK_EQ(rows[i].amount, got.amount, "%s", rows[i].when);
	}
}

/* Kernel: sched_balance_find_src_rq(), v6.12. */
TEST(the_source_is_the_cpu_with_most_of_what_is_moved)
{
	static const struct {
		const char *when;
		enum policy_migration what;
		bool asym;
		struct policy_source source, best;
		bool want;
	} rows[] = {
		{ "no task", POLICY_MIGRATE_TASK, false, { .h_nr = 0 }, { .capacity = 1 }, false },
		{ "more that prefer the cache here",
		  POLICY_MIGRATE_CACHE,
		  false,
		  { .h_nr = 1, .prefer_dst = 1 },
		  { .capacity = 1 },
		  true },
		{ "none that does",
		  POLICY_MIGRATE_CACHE,
		  false,
		  { .h_nr = 3 },
		  { .capacity = 1 },
		  false },
		{ "most load for its capacity",
		  POLICY_MIGRATE_LOAD,
		  false,
		  { .h_nr = 2, .load = 600, .capacity = 512 },
		  { .load = 1100, .capacity = 1024 },
		  true },
		{ "a single task of more than is to be moved",
		  POLICY_MIGRATE_LOAD,
		  false,
		  { .h_nr = 1, .load = 501, .capacity = 1024 },
		  { .capacity = 1 },
		  false },
		{ "unless its CPU is reduced",
		  POLICY_MIGRATE_LOAD,
		  false,
		  { .h_nr = 1, .load = 501, .capacity = 512, .reduced = true },
		  { .capacity = 1 },
		  true },
		{ "most utilisation",
		  POLICY_MIGRATE_UTIL,
		  false,
		  { .h_nr = 2, .util = 500 },
		  { .util = 499 },
		  true },
		{ "but not of a single task",
		  POLICY_MIGRATE_UTIL,
		  false,
		  { .h_nr = 1, .util = 500 },
		  { .util = 499 },
		  false },
		{ "most tasks", POLICY_MIGRATE_TASK, false, { .h_nr = 3 }, { .h_nr = 2 }, true },
		{ "the first of equals",
		  POLICY_MIGRATE_TASK,
		  false,
		  { .h_nr = 3 },
		  { .h_nr = 3 },
		  false },
		{ "the biggest misfit",
		  POLICY_MIGRATE_MISFIT,
		  false,
		  { .h_nr = 1, .misfit_load = 2 },
		  { .misfit_load = 1 },
		  true },
		{ "a single task is not pulled to a CPU as big",
		  POLICY_MIGRATE_TASK,
		  true,
		  { .h_nr = 1, .capacity = 1024 },
		  { .capacity = 1 },
		  false },
		{ "to a bigger one it is",
		  POLICY_MIGRATE_TASK,
		  true,
		  { .h_nr = 1, .capacity = 446 },
		  { .capacity = 1 },
		  true },
		{ "nor from a CPU that packing prefers",
		  POLICY_MIGRATE_TASK,
		  false,
		  { .h_nr = 1, .preferred = true },
		  { .capacity = 1 },
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_balance pass = pass_of("6.12", POLICY_CPU_IDLE);
		const struct policy_imbalance imbalance = { rows[i].what, 500 };

		pass.asym = rows[i].asym;
		CHECK_EQ(rows[i].want,
			 policy_source_busier(&pass, &imbalance, &rows[i].source, &rows[i].best),
			 "%s", rows[i].when);
	}
}

/* 512 * 117 < 1024 * 100: a CPU of which half is left, beside a whole one. */
TEST(what_runs_is_pushed_when_nothing_else_helps)
{
	static const struct {
		const char *when;
		enum policy_cpu_idle idle;
		enum policy_migration what;
		u32 failed;
		struct policy_source source;
		bool want;
	} rows[] = {
		{ "three failures", POLICY_CPU_BUSY, POLICY_MIGRATE_TASK, 3, { .h_nr = 2 }, false },
		{ "more than tries + 2",
		  POLICY_CPU_BUSY,
		  POLICY_MIGRATE_TASK,
		  4,
		  { .h_nr = 2 },
		  true },
		{ "unless it is where it prefers to be",
		  POLICY_CPU_BUSY,
		  POLICY_MIGRATE_TASK,
		  4,
		  { .h_nr = 2, .settled = true },
		  false },
		{ "for a cache's sake",
		  POLICY_CPU_IDLE,
		  POLICY_MIGRATE_CACHE,
		  0,
		  { .h_nr = 1 },
		  true },
		{ "load does not count",
		  POLICY_CPU_BUSY,
		  POLICY_MIGRATE_LOAD,
		  9,
		  { .h_nr = 2 },
		  false },
		{ "half a CPU is left",
		  POLICY_CPU_IDLE,
		  POLICY_MIGRATE_LOAD,
		  0,
		  { .h_nr = 1, .reduced = true, .capacity = 512 },
		  true },
		{ "but this one is busy",
		  POLICY_CPU_BUSY,
		  POLICY_MIGRATE_LOAD,
		  0,
		  { .h_nr = 1, .reduced = true, .capacity = 512 },
		  false },
		{ "or not better enough",
		  POLICY_CPU_IDLE,
		  POLICY_MIGRATE_LOAD,
		  0,
		  { .h_nr = 1, .reduced = true, .capacity = 880 },
		  false },
		{ "a misfit", POLICY_CPU_IDLE, POLICY_MIGRATE_MISFIT, 0, { .h_nr = 1 }, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct policy_balance pass = pass_of("6.12", rows[i].idle);
		const struct policy_imbalance imbalance = { rows[i].what, 1 };

		CHECK_EQ(rows[i].want,
			 policy_need_active_balance(&pass, &imbalance, rows[i].failed, 1,
						    &rows[i].source),
			 "%s", rows[i].when);
	}
}

/*
 * The idle CPU that balances has priority 5; the group's best has 4 or 6.  Threads of cores: 6.12
 * wants its own core idle, and takes nothing from a core that two threads keep busy; 6.1 goes by
 * how many are busy.
 */
TEST(tasks_are_packed_onto_cpus_of_higher_priority)
{
	static const struct {
		const char *when, *release;
		enum policy_cpu_idle idle;
		bool by_thread, core_idle;
		struct policy_group_stats local, group;
		bool want;
	} rows[] = {
		{ "higher",
		  "6.12",
		  POLICY_CPU_IDLE,
		  true,
		  true,
		  { .weight = 1 },
		  { .h_nr = 1, .weight = 1, .asym_priority = 4 },
		  true },
		{ "newly idle",
		  "7.3",
		  POLICY_CPU_NEWLY_IDLE,
		  true,
		  true,
		  { .weight = 1 },
		  { .h_nr = 1, .weight = 1, .asym_priority = 4 },
		  true },
		{ "lower",
		  "6.12",
		  POLICY_CPU_IDLE,
		  true,
		  true,
		  { .weight = 1 },
		  { .h_nr = 1, .weight = 1, .asym_priority = 6 },
		  false },
		{ "alike",
		  "6.12",
		  POLICY_CPU_IDLE,
		  true,
		  true,
		  { .weight = 1 },
		  { .h_nr = 1, .weight = 1, .asym_priority = 5 },
		  false },
		{ "busy",
		  "6.12",
		  POLICY_CPU_BUSY,
		  true,
		  true,
		  { .weight = 1 },
		  { .h_nr = 1, .weight = 1, .asym_priority = 4 },
		  false },
		{ "nothing there",
		  "6.12",
		  POLICY_CPU_IDLE,
		  true,
		  true,
		  { .weight = 1 },
		  { .h_nr = 0, .weight = 1, .asym_priority = 4 },
		  false },
		{ "its core is not idle",
		  "6.12",
		  POLICY_CPU_IDLE,
		  false,
		  false,
		  { .weight = 2, .smt = true },
		  { .h_nr = 1, .weight = 1, .asym_priority = 4 },
		  false },
		{ "both threads busy",
		  "6.12",
		  POLICY_CPU_IDLE,
		  false,
		  true,
		  { .weight = 2, .smt = true, .idle_cpus = 2 },
		  { .h_nr = 2, .weight = 2, .smt = true, .asym_priority = 4 },
		  false },
		{ "one of them",
		  "6.12",
		  POLICY_CPU_IDLE,
		  false,
		  true,
		  { .weight = 2, .smt = true, .idle_cpus = 2 },
		  { .h_nr = 1, .weight = 2, .smt = true, .idle_cpus = 1, .asym_priority = 4 },
		  true },
		{ "6.1: one more busy than here",
		  "6.1",
		  POLICY_CPU_IDLE,
		  true,
		  false,
		  { .weight = 2, .smt = true, .idle_cpus = 1 },
		  { .h_nr = 2, .weight = 2, .smt = true, .asym_priority = 4 },
		  true },
		{ "6.1: as many",
		  "6.1",
		  POLICY_CPU_IDLE,
		  true,
		  false,
		  { .weight = 2, .smt = true, .idle_cpus = 1 },
		  { .h_nr = 1, .weight = 2, .smt = true, .idle_cpus = 1, .asym_priority = 4 },
		  false },
		{ "6.1: a whole core helps a shared one",
		  "6.1",
		  POLICY_CPU_IDLE,
		  true,
		  true,
		  { .weight = 1 },
		  { .h_nr = 2, .weight = 2, .smt = true, .asym_priority = 6 },
		  true },
		{ "6.1: threads from a whole core",
		  "6.1",
		  POLICY_CPU_IDLE,
		  true,
		  true,
		  { .weight = 2, .smt = true, .idle_cpus = 2 },
		  { .h_nr = 1, .weight = 1, .asym_priority = 4 },
		  true },
		{ "6.1: unless one is busy",
		  "6.1",
		  POLICY_CPU_IDLE,
		  true,
		  false,
		  { .weight = 2, .smt = true, .idle_cpus = 1, .nr_running = 1 },
		  { .h_nr = 1, .weight = 1, .asym_priority = 4 },
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_balance pass = pass_of(rows[i].release, rows[i].idle);

		pass.packing = true;
		pass.by_thread = rows[i].by_thread;
		pass.dst_core_idle = rows[i].core_idle;
		pass.dst_priority = 5;
		CHECK_EQ(rows[i].want, policy_group_packs(&pass, &rows[i].local, &rows[i].group),
			 "%s", rows[i].when);
		pass.packing = false;
		CHECK(!policy_group_packs(&pass, &rows[i].local, &rows[i].group), "%s, without",
		      rows[i].when);
	}
}

/* Who runs alone is pushed at once, and a shared core is helped by one of any priority. */
TEST(packing_pushes_what_runs)
{
	struct policy_balance pass = pass_of("6.12", POLICY_CPU_IDLE);

	pass.packing = true;
	pass.dst_priority = 5;
	CHECK(policy_active_packing(&pass, 4, true), "lower");
	CHECK(!policy_active_packing(&pass, 6, true), "higher");
	CHECK(policy_active_packing(&pass, 6, false), "higher, but shared");
	pass.by_thread = true;
	CHECK(!policy_active_packing(&pass, 6, false), "threads of a core");
	pass.by_thread = false;
	pass.dst_core_idle = false;
	CHECK(!policy_active_packing(&pass, 4, true), "the own core is shared");
	pass.dst_core_idle = true;
	pass.idle = POLICY_CPU_BUSY;
	CHECK(!policy_active_packing(&pass, 4, true), "busy");
}

/* Each failure halves what a task counts against the imbalance, not what it takes off. */
TEST(tasks_are_detached_by_what_the_imbalance_counts)
{
	static const struct {
		const char *when;
		enum policy_migration what;
		s64 amount;
		u64 value;
		u32 failed;
		bool lb_min;
		enum policy_detach want;
		s64 left;
	} rows[] = {
		{ "load", POLICY_MIGRATE_LOAD, 100, 60, 0, false, POLICY_DETACH_TAKE, 40 },
		{ "too much load", POLICY_MIGRATE_LOAD, 100, 101, 0, false, POLICY_DETACH_BIG,
		  100 },
		{ "not after a failure", POLICY_MIGRATE_LOAD, 100, 201, 1, false,
		  POLICY_DETACH_TAKE, -101 },
		{ "LB_MIN", POLICY_MIGRATE_LOAD, 100, 15, 0, true, POLICY_DETACH_SMALL, 100 },
		{ "LB_MIN after a failure", POLICY_MIGRATE_LOAD, 100, 15, 1, true,
		  POLICY_DETACH_TAKE, 85 },
		{ "16 is enough", POLICY_MIGRATE_LOAD, 100, 16, 0, true, POLICY_DETACH_TAKE, 84 },
		{ "without LB_MIN all are", POLICY_MIGRATE_LOAD, 100, 1, 0, false,
		  POLICY_DETACH_TAKE, 99 },
		{ "utilisation", POLICY_MIGRATE_UTIL, 100, 100, 0, false, POLICY_DETACH_TAKE, 0 },
		{ "too much of it", POLICY_MIGRATE_UTIL, 100, 512, 2, false, POLICY_DETACH_BIG,
		  100 },
		{ "for a cache's sake", POLICY_MIGRATE_CACHE, 2, 0, 0, false, POLICY_DETACH_TAKE,
		  1 },
		{ "tasks", POLICY_MIGRATE_TASK, 2, 0, 0, false, POLICY_DETACH_TAKE, 1 },
		{ "misfit", POLICY_MIGRATE_MISFIT, 1, 0, 0, false, POLICY_DETACH_TAKE, 0 },
		{ "it fits", POLICY_MIGRATE_MISFIT, 1, 1, 0, false, POLICY_DETACH_FITS, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_imbalance imbalance = { rows[i].what, rows[i].amount };

		CHECK_EQ(rows[i].want,
			 policy_detach(&imbalance, rows[i].value, rows[i].failed, rows[i].lb_min),
			 "%s", rows[i].when);
		CHECK_EQ(rows[i].left, imbalance.amount, "%s", rows[i].when);
	}
}

/*
 * 117 %: at util 256 of 1024 each, 256^2 * 117^2 / 10240000 = 87 of 1024 are lost, at 512 350, at
 * 640 547, at 768 788.
 */
TEST(wakeups_look_at_fewer_cpus_of_a_busy_cache)
{
	static const struct {
		u32 cpus, want[4];
	} rows[] = {
		{ 2, { 1, 1, 0, 0 } },
		{ 4, { 3, 2, 1, 0 } },
		{ 8, { 7, 5, 3, 1 } },
		{ 16, { 14, 10, 7, 3 } },
	};
	static const u32 util[4] = { 256, 512, 640, 768 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (u32 k = 0; k < 4; k++)
			CHECK_EQ(rows[i].want[k],
				 policy_nr_idle_scan((u64)util[k] * rows[i].cpus, rows[i].cpus,
						     117),
				 "%u CPUs at %u", rows[i].cpus, util[k]);
	CHECK_EQ(0u, policy_nr_idle_scan(1024 * 8, 8, 117));
}
