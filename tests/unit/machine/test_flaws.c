/* SPDX-License-Identifier: GPL-2.0-only */
/* Domains as kernels once got them wrong. */
#include "machine/domains.h"
#include "test.h"

/* Four nodes of two CPUs: 0-1, 2-3, 4-5, 6-7. */
static void build(struct machine_domains *domains, struct machine *machine, u32 flaws)
{
	const struct machine_domain_setup setup = { .flaws = flaws };

	machine_flat(machine, 8);
	for (u32 i = 0; i < 8; i++)
		machine->cpus[i].cluster = machine->cpus[i].llc = machine->cpus[i].package =
			machine->cpus[i].node = i / 2;
	machine_domains_build(domains, machine, &setup);
}

static void fini(struct machine_domains *domains, struct machine *machine)
{
	machine_domains_fini(domains);
	machine_fini(machine);
}

TEST(without_a_flaw_each_node_is_a_group)
{
	struct machine_domains domains;
	struct machine machine;

	build(&domains, &machine, 0);
	CHECK_EQ(2, domains.cpus[2].nr);
	CHECK_EQ(MACHINE_NUMA, domains.cpus[2].at[1]->level);
	CHECK_EQ(4, domains.cpus[2].at[1]->nr_groups);
	fini(&domains, &machine);
}

TEST(without_domains_of_nodes_the_cache_is_the_top)
{
	struct machine_domains domains;
	struct machine machine;

	build(&domains, &machine, MACHINE_FLAW_NO_NODES);
	for (u32 cpu = 0; cpu < 8; cpu++) {
		CHECK_EQ(1, domains.cpus[cpu].nr);
		CHECK_EQ(MACHINE_MC, domains.cpus[cpu].at[0]->level);
		CHECK(!domains.cpus[cpu].at[0]->parent);
	}
	fini(&domains, &machine);
}

/* 0-5 and 2-7: the nodes in the middle are in both, and count the first for their own. */
TEST(overlapping_groups_share_the_nodes_in_the_middle)
{
	static const u32 own[8] = { 0, 0, 0, 0, 0, 0, 1, 1 };
	struct machine_domains domains;
	struct machine machine;
	const struct machine_domain *top;

	build(&domains, &machine, MACHINE_FLAW_OVERLAP);
	top = domains.cpus[2].at[1];
	CHECK_EQ(2, top->nr_groups);
	for (u32 g = 0; g < 2; g++) {
		CHECK_EQ(6, top->groups[g].nr_cpus);
		CHECK_EQ(6 * 1024, top->groups[g].capacity);
		for (u32 i = 0; i < 6; i++)
			CHECK_EQ(2 * g + i, top->groups[g].cpus[i]);
	}
	for (u32 cpu = 0; cpu < 8; cpu++)
		CHECK_EQ(own[cpu], domains.cpus[cpu].group[1], "CPU %u", cpu);
	fini(&domains, &machine);
}
