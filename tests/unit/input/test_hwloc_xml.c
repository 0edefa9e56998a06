/* SPDX-License-Identifier: GPL-2.0-only */
/* hwloc's own exporter writes the files that are read here. */
#include <hwloc.h>
#include <hwloc/export.h>

#include "input/machine_file.h"
#include "test.h"

/* XML of a synthetic description; free with hwloc_free_xmlbuffer(). */
static char *make_xml(hwloc_topology_t *topology, const char *description, int *len)
{
	char *xml = NULL;

	CHECK(!hwloc_topology_init(topology));
	CHECK(!hwloc_topology_set_synthetic(*topology, description));
	CHECK(!hwloc_topology_load(*topology));
	CHECK(!hwloc_topology_export_xmlbuffer(*topology, &xml, len, 0));
	return xml;
}

static void import(const char *description, struct machine *machine)
{
	hwloc_topology_t topology;
	struct err err = ERR_NONE;
	int len = 0;
	char *xml = make_xml(&topology, description, &len);

	CHECK(!input_machine_text("board.xml", xml, strlen(xml), machine, &err), "%s", err.what);
	hwloc_free_xmlbuffer(topology, xml);
	hwloc_topology_destroy(topology);
}

/* 2 packages, each a node with 2 L3 of 2 cores with 2 threads. */
TEST(a_server_is_imported_with_all_its_levels)
{
	struct machine machine;

	import("pack:2 [numa] l3:2 l2:2 core:1 pu:2", &machine);
	CHECK_STR("board.xml", machine.name);
	CHECK_EQ(16, machine.nr_cpus);
	CHECK(machine.smt);
	for (u32 cpu = 0; cpu < 16; cpu++) {
		CHECK_EQ(cpu / 2, machine.cpus[cpu].core);
		CHECK_EQ(cpu / 2, machine.cpus[cpu].cluster, "one core under an L2");
		CHECK_EQ(cpu / 4, machine.cpus[cpu].llc);
		CHECK_EQ(cpu / 8, machine.cpus[cpu].package);
		CHECK_EQ(cpu / 8, machine.cpus[cpu].node);
		CHECK_EQ(1024, machine.cpus[cpu].capacity);
	}
	machine_fini(&machine);
}

TEST(without_a_cache_the_package_counts)
{
	struct machine machine;

	import("pack:2 core:2 pu:1", &machine);
	CHECK_EQ(4, machine.nr_cpus);
	CHECK(!machine.smt);
	CHECK_EQ(0, machine.cpus[1].llc);
	CHECK_EQ(1, machine.cpus[2].llc);
	machine_fini(&machine);
}

/* L2 shared by four cores: clusters under one L3. */
TEST(an_l2_of_several_cores_is_a_cluster)
{
	struct machine machine;

	import("l3:1 l2:2 core:4 pu:1", &machine);
	CHECK_EQ(0, machine.cpus[3].cluster);
	CHECK_EQ(1, machine.cpus[4].cluster);
	CHECK_EQ(machine.cpus[3].llc, machine.cpus[4].llc);
	machine_fini(&machine);
}

static void register_kind(hwloc_topology_t topology, const char *cpus, const char *capacity)
{
	char name[] = "LinuxCapacity", value[16];
	struct hwloc_info_s info = { name, value };
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	snprintf(value, sizeof(value), "%s", capacity);
	hwloc_bitmap_list_sscanf(set, cpus);
	CHECK(!hwloc_cpukinds_register(topology, set, -1, 1, &info, 0));
	hwloc_bitmap_free(set);
}

/* The kernel's capacities as hwloc writes them down; 512 of 1024 stays, 223 of 446 is half. */
TEST(capacities_are_taken_and_scaled)
{
	static const struct {
		const char *little, *big;
		u32 want;
	} rows[] = { { "512", "1024", 512 }, { "223", "446", 512 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		hwloc_topology_t topology;
		struct machine machine;
		struct err err = ERR_NONE;
		int len = 0;
		char *xml = make_xml(&topology, "l2:2 core:2 pu:1", &len);

		hwloc_free_xmlbuffer(topology, xml);
		register_kind(topology, "0-1", rows[i].little);
		register_kind(topology, "2-3", rows[i].big);
		CHECK(!hwloc_topology_export_xmlbuffer(topology, &xml, &len, 0));
		CHECK(!input_machine_text("f", xml, strlen(xml), &machine, &err), "%s", err.what);
		CHECK_EQ(2, machine.nr_kinds);
		CHECK_EQ(rows[i].want, machine.cpus[0].capacity);
		CHECK_EQ(rows[i].want, machine.cpus[1].capacity);
		CHECK_EQ(1024, machine.cpus[3].capacity);
		CHECK(machine.cpus[0].kind != machine.cpus[3].kind);
		machine_fini(&machine);
		hwloc_free_xmlbuffer(topology, xml);
		hwloc_topology_destroy(topology);
	}
}

/* Cut anywhere: refused or read, never a crash; every byte of a short file, else every 1000th. */
TEST(a_cut_file_is_refused_or_read)
{
	static const char *const descriptions[] = { "pu:1", "pack:2 [numa] l3:2 l2:4 core:1 pu:2" };

	for (size_t i = 0; i < ARRAY_SIZE(descriptions); i++) {
		hwloc_topology_t topology;
		int len = 0;
		char *xml = make_xml(&topology, descriptions[i], &len);
		size_t size = strlen(xml), step = i ? 1000 : 17, refused = 0;

		for (size_t cut = 1; cut < size; cut += step) {
			struct machine machine;
			struct err err = ERR_NONE;
			char *part = mem_zalloc(cut);

			memcpy(part, xml, cut);
			if (input_machine_text("f", part, cut, &machine, &err)) {
				CHECK_EQ(ERR_FORMAT, err.code);
				refused++;
			} else {
				machine_fini(&machine);
			}
			free(part);
		}
		CHECK(refused > 0);
		hwloc_free_xmlbuffer(topology, xml);
		hwloc_topology_destroy(topology);
	}
}

TEST(what_is_no_topology_is_refused)
{
	static const char *const texts[] = { "<", "<x/>", "<topology version=\"2.0\"></topology>",
					     "<?xml version=\"1.0\"?><html></html>" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine machine;
		struct err err = ERR_NONE;

		CHECK_EQ(ERR_FORMAT,
			 input_machine_text("f", texts[i], strlen(texts[i]), &machine, &err), "%s",
			 texts[i]);
		CHECK(strstr(err.what, "expected"), "%s", err.what);
	}
}
