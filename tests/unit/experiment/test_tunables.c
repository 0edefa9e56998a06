/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/tunables.h"

#include <string.h>

#include "base/mem.h"
#include "test.h"

TEST(tunables_are_names_and_values)
{
	struct sim_tunables tunables = SIM_TUNABLES;
	struct err err = ERR_NONE;

	CHECK(!tunables_parse("", &tunables, &err));
	CHECK_EQ(500000u, tunables.migration_cost_ns);
	CHECK_EQ(32u, tunables.nr_migrate);
	CHECK_EQ(1u, tunables.cache.aggr_tolerance);
	CHECK_EQ(5u, tunables.cache.epoch_affinity_timeout);
	CHECK_EQ(20u, tunables.cache.imb_pct);
	CHECK_EQ(50u, tunables.cache.overaggr_pct);
	CHECK(!tunables_parse("migration_cost_ns=0,nr_migrate=8,MC.busy_factor=4,"
			      "llc_aggr_tolerance=0,llc_epoch_period=3,"
			      "llc_epoch_affinity_timeout=7,llc_imb_pct=30,llc_overaggr_pct=60,"
			      "NUMA.imbalance_pct=125,PKG.min_interval=3,PKG.max_interval=9",
			      &tunables, &err),
	      "%s", err.what);
	CHECK_EQ(0u, tunables.migration_cost_ns);
	CHECK_EQ(8u, tunables.nr_migrate);
	CHECK_EQ(0u, tunables.cache.aggr_tolerance);
	CHECK_EQ(3u, tunables.cache.epoch_period);
	CHECK_EQ(7u, tunables.cache.epoch_affinity_timeout);
	CHECK_EQ(30u, tunables.cache.imb_pct);
	CHECK_EQ(60u, tunables.cache.overaggr_pct);
	CHECK_EQ(4u, tunables.domains[MACHINE_MC].busy_factor);
	CHECK_EQ(125u, tunables.domains[MACHINE_NUMA].imbalance_pct);
	CHECK_EQ(3u, tunables.domains[MACHINE_PKG].min_interval_ms);
	CHECK_EQ(9u, tunables.domains[MACHINE_PKG].max_interval_ms);
	CHECK_EQ(0u, tunables.domains[MACHINE_SMT].busy_factor);
}

TEST(a_migration_cost_of_minus_1_is_always_hot)
{
	struct sim_tunables tunables = SIM_TUNABLES;

	CHECK(!tunables_parse("migration_cost_ns=-1", &tunables, NULL));
	CHECK_EQ(SIM_ALWAYS_HOT, tunables.migration_cost_ns);
}

TEST(a_bad_tunable_is_named)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "nr_migrate", "'nr_migrate': expected NAME=VALUE" },
		{ "nr_migrate=8,busy_factor=4", "'busy_factor=4': expected migration_cost_ns" },
		{ "L3.busy_factor=4", "'L3.busy_factor=4': expected" },
		{ "MC.flags=4", "'MC.flags=4': expected" },
		{ "MC.busy_factor=0", "expected 1 to 1000" },
		{ "MC.imbalance_pct=99", "expected 100 to 1000" },
		{ "MC.imbalance_pct=1001", "is too large, at most 1000" },
		{ "llc_aggr_tolerance=101", "at most 100" },
		{ "llc_epoch_period=0", "expected 1 to 1000" },
		{ "nr_migrate=-1", "'-1'" },
		{ "nr_migrate=", "''" },
		{ "MC.min_interval=9,MC.max_interval=8", "MC.max_interval to be at least" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sim_tunables tunables = SIM_TUNABLES;
		struct err err = ERR_NONE;

		CHECK_EQ(ERR_USAGE, tunables_parse(rows[i].text, &tunables, &err), "%s",
			 rows[i].text);
		CHECK(strstr(err.what, rows[i].want), "%s: %s", rows[i].text, err.what);
	}
}
