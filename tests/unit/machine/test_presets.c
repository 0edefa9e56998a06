/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine/machine.h"

#include <stddef.h>

#include "test.h"

TEST(every_preset_is_consistent)
{
	for (u32 i = 0; i < machine_nr_presets; i++) {
		struct machine machine;
		struct err err = ERR_NONE;

		CHECK(!machine_named(&machine, machine_presets[i].name, &err), "%s", err.what);
		CHECK(!machine_validate(&machine, machine_presets[i].name, &err), "%s: %s",
		      machine_presets[i].name, err.what);
		CHECK_STR(machine_presets[i].name, machine.name);
		CHECK_EQ(machine_default_costs.switch_ns, machine.costs.switch_ns);
		machine_fini(&machine);
	}
}

/* How many different ids CPUs have, and how big the machine is. */
TEST(presets_have_the_shape_they_say)
{
	static const struct {
		const char *name;
		u32 cpus, cores, clusters, llcs, packages, nodes;
	} rows[] = {
		{ "1", 1, 1, 1, 1, 1, 1 },       { "2", 2, 2, 1, 1, 1, 1 },
		{ "4", 4, 4, 1, 1, 1, 1 },       { "8", 8, 8, 1, 1, 1, 1 },
		{ "17", 17, 17, 1, 1, 1, 1 },    { "4096", 4096, 4096, 1, 1, 1, 1 },
		{ "smt", 8, 4, 1, 1, 1, 1 },     { "2-socket", 16, 16, 2, 2, 2, 2 },
		{ "juno-r0", 6, 6, 2, 2, 1, 1 }, { "juno-r2", 6, 6, 2, 2, 1, 1 },
		{ "soc18", 18, 18, 5, 5, 1, 1 },
	};
	static const size_t at[] = { offsetof(struct machine_cpu, core),
				     offsetof(struct machine_cpu, cluster),
				     offsetof(struct machine_cpu, llc),
				     offsetof(struct machine_cpu, package),
				     offsetof(struct machine_cpu, node) };

	for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
		const u32 want[] = { rows[row].cores, rows[row].clusters, rows[row].llcs,
				     rows[row].packages, rows[row].nodes };
		struct machine machine;

		CHECK(!machine_named(&machine, rows[row].name, NULL));
		CHECK_EQ(rows[row].cpus, machine.nr_cpus, "%s", rows[row].name);
		CHECK_EQ(rows[row].cores < rows[row].cpus, machine.smt, "%s", rows[row].name);
		for (size_t id = 0; id < ARRAY_SIZE(at); id++) {
			u32 most = 0;

			for (u32 cpu = 0; cpu < machine.nr_cpus; cpu++) {
				u32 value = *(u32 *)((char *)&machine.cpus[cpu] + at[id]);

				most = value > most ? value : most;
			}
			CHECK_EQ(want[id], most + 1, "%s, id %zu", rows[row].name, id);
		}
		machine_fini(&machine);
	}
}

TEST(soc18_has_the_clusters_of_its_name)
{
	static const u32 want[18] = { 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4 };
	struct machine machine;

	CHECK(!machine_named(&machine, "soc18", NULL));
	for (u32 cpu = 0; cpu < 18; cpu++)
		CHECK_EQ(want[cpu], machine.cpus[cpu].llc, "CPU %u", cpu);
	machine_fini(&machine);
}

/* Mainline juno-r2.dts: CPUs 1 and 2 are the A72s; r0's energy table ends at 446. */
TEST(junos_have_their_capacities)
{
	static const struct {
		const char *name;
		u32 little, lowest_little, lowest_big;
	} rows[] = { { "juno-r0", 446, 235, 417 }, { "juno-r2", 383, 181, 512 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;

		CHECK(!machine_named(&machine, rows[i].name, NULL));
		for (u32 cpu = 0; cpu < 6; cpu++)
			CHECK_EQ(cpu == 1 || cpu == 2 ? 1024 : rows[i].little,
				 machine.cpus[cpu].capacity);
		CHECK_EQ(rows[i].lowest_little,
			 machine.kinds[machine.cpus[0].kind].opps[0].capacity);
		CHECK_EQ(rows[i].lowest_big, machine.kinds[machine.cpus[1].kind].opps[0].capacity);
		machine_fini(&machine);
	}
}

TEST(a_name_that_is_none_gets_the_list)
{
	static const char *const names[] = {
		"nosuch", "0", "4097", "-1", "", "8x", "99999999999999999999"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct machine machine;
		struct err err = ERR_NONE;

		CHECK_EQ(ERR_USAGE, machine_named(&machine, names[i], &err), "%s", names[i]);
		CHECK(strstr(err.what, "juno-r2, soc18, or a number of CPUs up to 4096"), "%s",
		      err.what);
	}
}
