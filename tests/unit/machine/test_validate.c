/* SPDX-License-Identifier: GPL-2.0-only */
/* Each way in which a machine can contradict itself, planted into a good one. */
#include "machine/machine.h"

#include "test.h"

static void core_over_clusters(struct machine *machine)
{
	machine->cpus[4].cluster = machine->cpus[4].llc = 1;
}

static void core_over_nodes(struct machine *machine)
{
	machine->cpus[4].node = 1;
}

static void cluster_over_caches(struct machine *machine)
{
	for (u32 cpu = 0; cpu < 8; cpu++)
		machine->cpus[cpu].llc = cpu % 4;
}

static void cache_over_packages(struct machine *machine)
{
	for (u32 cpu = 0; cpu < 8; cpu++) {
		machine->cpus[cpu].cluster = cpu % 4;
		machine->cpus[cpu].package = cpu % 4;
	}
}

static void unknown_kind(struct machine *machine)
{
	machine->cpus[3].kind = 1;
}

static void no_capacity(struct machine *machine)
{
	machine->cpus[3].capacity = 0;
}

static void too_much_capacity(struct machine *machine)
{
	machine->cpus[3].capacity = 1025;
}

static void nobody_is_biggest(struct machine *machine)
{
	for (u32 cpu = 0; cpu < 8; cpu++)
		machine->cpus[cpu].capacity = 1000;
}

static void threads_of_different_capacity(struct machine *machine)
{
	machine->cpus[4].capacity = 512;
}

static void great_id(struct machine *machine)
{
	machine->cpus[0].llc = MACHINE_MAX_CPUS;
}

static void smt_not_said(struct machine *machine)
{
	machine->smt = false;
}

static void no_kinds(struct machine *machine)
{
	machine->nr_kinds = 0;
}

static void no_cpus(struct machine *machine)
{
	machine->nr_cpus = 0;
}

static void opps_fall(struct machine *machine)
{
	machine->kinds[0].nr_opps = 2;
	machine->kinds[0].opps[0] = (struct machine_opp){ 2000, 1024, 0 };
	machine->kinds[0].opps[1] = (struct machine_opp){ 1000, 512, 0 };
}

static void opps_end_elsewhere(struct machine *machine)
{
	machine->kinds[0].nr_opps = 1;
	machine->kinds[0].opps[0] = (struct machine_opp){ 1000, 512, 0 };
}

static void idle_states_fall(struct machine *machine)
{
	machine->kinds[0].nr_idle_states = 2;
	machine->kinds[0].idle_states[0].target_residency_us = 5;
}

static void too_many_opps(struct machine *machine)
{
	machine->kinds[0].nr_opps = MACHINE_MAX_OPPS + 1;
}

TEST(contradictions_are_named)
{
	static const struct {
		void (*plant)(struct machine *machine);
		const char *said;
	} rows[] = {
		{ core_over_clusters,
		  "CPU 4: expected the cluster of CPU 0, with which it shares core 0" },
		{ core_over_nodes,
		  "CPU 4: expected the node of CPU 0, with which it shares core 0" },
		{ cluster_over_caches,
		  "CPU 1: expected the llc of CPU 0, with which it shares cluster 0" },
		{ cache_over_packages,
		  "CPU 1: expected the package of CPU 0, with which it shares llc 0" },
		{ unknown_kind, "CPU 3: expected a kind below 1, found 1" },
		{ no_capacity, "CPU 3: expected a capacity from 1 to 1024, found 0" },
		{ too_much_capacity, "CPU 3: expected a capacity from 1 to 1024, found 1025" },
		{ nobody_is_biggest, "expected capacity 1024 for the biggest CPU, found 1000" },
		{ threads_of_different_capacity, "CPU 4: expected the capacity of CPU 0" },
		{ great_id, "CPU 0: expected ids below 4096" },
		{ smt_not_said, "expected smt to be true" },
		{ no_kinds, "expected at least one kind" },
		{ no_cpus, "expected 1 to 4096 CPUs, found 0" },
		{ opps_fall, "expected opps of rising khz and capacity" },
		{ opps_end_elsewhere, "CPU 0: expected capacity 512, its kind's" },
		{ idle_states_fall, "rising target_residency_us" },
		{ too_many_opps, "at most 16 opps" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct err err = ERR_NONE;

		CHECK(!machine_named(&machine, "smt", NULL));
		CHECK(!machine_validate(&machine, "f", &err), "%s", err.what);
		rows[i].plant(&machine);
		CHECK_EQ(ERR_FORMAT, machine_validate(&machine, "f", &err), "row %zu", i);
		CHECK(strstr(err.what, rows[i].said), "row %zu: %s", i, err.what);
		CHECK_STR("f", err.file);
		machine_fini(&machine);
	}
}
