/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Topologies that hwloc knows: an XML file of `lstopo`, or this machine.
 *
 * CPUs are numbered in the order of the system's numbers; those that are offline leave
 * no gap.  The last-level cache is the outermost one above a CPU, a cluster what the
 * system calls so, else the CPUs of one L2, else of one last-level cache.
 */
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "input/json.h"
#include "input/machine_file.h"

/* hwloc's objects, numbered as they come. */
struct ids {
	VEC(const void *) seen;
};

enum {
	CORE,
	CLUSTER,
	LLC,
	PACKAGE,
	NODE,
	NR_IDS
};

struct import {
	const char *name;
	hwloc_topology_t topology;
	struct machine *machine;
	struct ids ids[NR_IDS];
};

static u32 id_of(struct ids *ids, const void *object)
{
	for (u32 i = 0; i < ids->seen.nr; i++)
		if (ids->seen.at[i] == object)
			return i;
	*vec_add(&ids->seen) = object;
	return (u32)ids->seen.nr - 1;
}

static hwloc_obj_t above(hwloc_obj_t pu, bool (*is)(hwloc_obj_t object))
{
	hwloc_obj_t at = pu->parent;

	while (at && !is(at))
		at = at->parent;
	return at;
}

static bool is_core(hwloc_obj_t object)
{
	return object->type == HWLOC_OBJ_CORE;
}

static bool is_package(hwloc_obj_t object)
{
	return object->type == HWLOC_OBJ_PACKAGE;
}

static bool is_l2(hwloc_obj_t object)
{
	return object->type == HWLOC_OBJ_L2CACHE;
}

static bool is_cluster(hwloc_obj_t object)
{
	return object->type == HWLOC_OBJ_GROUP && object->subtype &&
	       !strcmp(object->subtype, "Cluster");
}

static hwloc_obj_t outermost_cache(hwloc_obj_t pu)
{
	hwloc_obj_t found = NULL;

	for (hwloc_obj_t at = pu->parent; at; at = at->parent)
		if (hwloc_obj_type_is_dcache(at->type))
			found = at;
	return found;
}

static const void *node_of(struct import *import, hwloc_obj_t pu)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(import->topology, HWLOC_OBJ_NUMANODE, node)))
		if (node->cpuset && hwloc_bitmap_isset(node->cpuset, pu->os_index))
			return node;
	return NULL;
}

/* What is missing is shared by all that lack it in the same parent. */
static struct machine_cpu place(struct import *import, hwloc_obj_t pu)
{
	const void *core = above(pu, is_core), *package = above(pu, is_package);
	const void *llc = outermost_cache(pu), *cluster = above(pu, is_cluster);

	if (!llc)
		llc = package;
	if (!cluster)
		cluster = above(pu, is_l2);
	return (struct machine_cpu){
		.core = id_of(&import->ids[CORE], core ? core : pu),
		.cluster = id_of(&import->ids[CLUSTER], cluster ? cluster : llc),
		.llc = id_of(&import->ids[LLC], llc),
		.package = id_of(&import->ids[PACKAGE], package),
		.node = id_of(&import->ids[NODE], node_of(import, pu)),
		.capacity = MACHINE_FULL_CAPACITY,
	};
}

/* The first word of a file of sysfs; false if there is none. */
static bool read_word(const char *path, char word[32])
{
	FILE *file = fopen(path, "re");
	bool found = file && fscanf(file, "%31s", word) == 1;

	if (file)
		fclose(file);
	return found;
}

/* The kernel's capacity of a CPU: 0 if it does not tell. */
static u32 capacity_of_this(u32 cpu)
{
	char *path = mem_printf("/sys/devices/system/cpu/cpu%u/cpu_capacity", cpu);
	char word[32] = "0";

	read_word(path, word);
	free(path);
	return (u32)strtoul(word, NULL, 10);
}

/* The same as hwloc wrote it down. */
static u32 capacity_of_kind(struct import *import, int kind)
{
	struct hwloc_info_s *infos = NULL;
	unsigned nr = 0;

	if (kind < 0 ||
	    hwloc_cpukinds_get_info(import->topology, (unsigned)kind, NULL, NULL, &nr, &infos, 0))
		return 0;
	for (unsigned i = 0; i < nr; i++)
		if (!strcmp(infos[i].name, "LinuxCapacity"))
			return (u32)strtoul(infos[i].value, NULL, 10);
	return 0;
}

static u32 capacity_of(struct import *import, hwloc_obj_t pu)
{
	int kind = hwloc_cpukinds_get_by_cpuset(import->topology, pu->cpuset, 0);
	u32 capacity =
		hwloc_topology_is_thissystem(import->topology) ? capacity_of_this(pu->os_index) : 0;

	return capacity ? capacity : capacity_of_kind(import, kind);
}

/* Not every source scales to 1024; some tell nothing of some CPUs: then all are equal. */
static void scale_capacities(struct machine *machine)
{
	u32 biggest = 0;
	bool known = true;

	for (u32 cpu = 0; cpu < machine->nr_cpus; cpu++) {
		u32 capacity = machine->cpus[cpu].capacity;

		known &= capacity > 0 && capacity <= 1u << 20;
		if (capacity > biggest)
			biggest = capacity;
	}
	for (u32 cpu = 0; cpu < machine->nr_cpus; cpu++) {
		u32 *capacity = &machine->cpus[cpu].capacity;

		*capacity = known ? (u32)((u64)*capacity * MACHINE_FULL_CAPACITY / biggest)
				  : MACHINE_FULL_CAPACITY;
		if (!*capacity)
			*capacity = 1;
	}
}

/* CPUs of one capacity are one kind, of fixed speed: hwloc knows no frequency points. */
static enum err_code make_kinds(struct import *import, struct err *err)
{
	struct machine *machine = import->machine;

	for (u32 cpu = 0; cpu < machine->nr_cpus; cpu++) {
		u32 kind = 0, capacity = machine->cpus[cpu].capacity;
		char name[24];

		snprintf(name, sizeof(name), "capacity-%u", capacity);
		while (kind < machine->nr_kinds && strcmp(machine->kinds[kind].name, name))
			kind++;
		if (kind == 64)
			return err_set(err, ERR_FORMAT, import->name,
				       "expected at most 64 different capacities");
		if (kind == machine->nr_kinds) {
			machine->kinds = mem_resize(machine->kinds, ++machine->nr_kinds,
						    sizeof(*machine->kinds));
			machine->kinds[kind] = (struct machine_kind){ 0 };
			memcpy(machine->kinds[kind].name, name, sizeof(name));
		}
		machine->cpus[cpu].kind = kind;
	}
	return OK;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = (*(const hwloc_obj_t *)a)->os_index, y = (*(const hwloc_obj_t *)b)->os_index;

	return x < y ? -1 : x > y;
}

static bool place_all(struct import *import, hwloc_obj_t *pus, u32 nr)
{
	struct machine *machine = import->machine;
	bool *cores = NEW_ARRAY(bool, nr), good = true;

	for (u32 i = 0; i < nr; i++) {
		struct machine_cpu *cpu = &machine->cpus[i];

		good &= !i || pus[i]->os_index != pus[i - 1]->os_index;
		*cpu = place(import, pus[i]);
		cpu->freq_domain = cpu->core;
		cpu->capacity = capacity_of(import, pus[i]);
		machine->smt |= cores[cpu->core];
		cores[cpu->core] = true;
	}
	free(cores);
	return good;
}

static enum err_code take_cpus(struct import *import, struct err *err)
{
	struct machine *machine = import->machine;
	int nr = hwloc_get_nbobjs_by_type(import->topology, HWLOC_OBJ_PU);
	hwloc_obj_t *pus;
	bool good;

	if (nr < 1 || nr > MACHINE_MAX_CPUS)
		return err_set(err, ERR_FORMAT, import->name, "expected 1 to %d CPUs, found %d",
			       MACHINE_MAX_CPUS, nr);
	machine->nr_cpus = (u32)nr;
	machine->cpus = NEW_ARRAY(struct machine_cpu, nr);
	pus = NEW_ARRAY(hwloc_obj_t, nr);
	for (int i = 0; i < nr; i++)
		pus[i] = hwloc_get_obj_by_type(import->topology, HWLOC_OBJ_PU, (unsigned)i);
	qsort(pus, (size_t)nr, sizeof(*pus), by_number);
	good = place_all(import, pus, (u32)nr);
	free(pus);
	if (!good)
		return err_set(err, ERR_FORMAT, import->name, "expected CPUs of distinct numbers");
	scale_capacities(machine);
	return make_kinds(import, err);
}

static enum machine_idle idle_of_this(void)
{
	static const struct {
		const char *name;
		enum machine_idle idle;
	} rows[] = {
		{ "menu", MACHINE_IDLE_MENU },
		{ "teo", MACHINE_IDLE_TEO },
		{ "haltpoll", MACHINE_IDLE_HALTPOLL },
	};
	char driver[32] = "none", governor[32] = "";

	read_word("/sys/devices/system/cpu/cpuidle/current_driver", driver);
	read_word("/sys/devices/system/cpu/cpuidle/current_governor_ro", governor);
	for (size_t i = 0; strcmp(driver, "none") && i < ARRAY_SIZE(rows); i++)
		if (!strcmp(governor, rows[i].name))
			return rows[i].idle;
	return MACHINE_IDLE_NO_DRIVER;
}

/*
 * A file that was cut off is refused here: hwloc's own small XML parser, in use where
 * libxml is not installed, loses memory over it.
 */
static bool is_whole(const char *text, size_t len)
{
	static const char end[] = "</topology>";
	size_t end_len = sizeof(end) - 1;

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	return len > end_len && !memcmp(text + len - end_len, end, end_len);
}

/* hwloc wants a NUL at the end. */
static bool set_xml(hwloc_topology_t topology, const char *text, size_t len)
{
	char *copy = mem_strndup(text, len);
	int failed = hwloc_topology_set_xmlbuffer(topology, copy, (int)len + 1);

	free(copy);
	return !failed;
}

static enum err_code load(struct import *import, const char *text, size_t len, struct err *err)
{
	if (hwloc_topology_init(&import->topology)) {
		import->topology = NULL;
		return err_set(err, ERR_ABSENT, import->name, "hwloc cannot start");
	}
	if (text && (len > JSON_MAX_SIZE || memchr(text, 0, len) || !is_whole(text, len) ||
		     !set_xml(import->topology, text, len)))
		return err_set(err, ERR_FORMAT, import->name, "expected an hwloc XML topology");
	hwloc_topology_set_flags(import->topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_type_filter(import->topology, HWLOC_OBJ_GROUP,
				       HWLOC_TYPE_FILTER_KEEP_ALL);
	if (hwloc_topology_load(import->topology))
		return text ? err_set(err, ERR_FORMAT, import->name,
				      "expected an hwloc XML topology")
			    : err_set(err, ERR_ABSENT, import->name,
				      "hwloc cannot read this machine");
	return OK;
}

enum err_code input_machine_hwloc(const char *name, const char *text, size_t len,
				  struct machine *out, struct err *err)
{
	struct import import = { .name = name, .machine = out };
	const char *slash = strrchr(name, '/');
	enum err_code code;

	*out = (struct machine){ .costs = machine_default_costs,
				 .idle = MACHINE_IDLE_MENU,
				 .rate_limit_us = MACHINE_RATE_LIMIT_US };
	snprintf(out->name, sizeof(out->name), "%.63s", slash ? slash + 1 : name);
	if (!text)
		out->idle = idle_of_this();
	code = load(&import, text, len, err);
	if (!code)
		code = take_cpus(&import, err);
	if (!code)
		code = machine_validate(out, name, err);
	if (code)
		machine_fini(out);
	for (u32 i = 0; i < NR_IDS; i++)
		vec_free(&import.ids[i].seen);
	if (import.topology)
		hwloc_topology_destroy(import.topology);
	return code;
}
