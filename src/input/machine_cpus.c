/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of a machine file: rows that each describe some. */
#include "input/machine_json.h"

#include <string.h>

#include "input/cpulist.h"

#define ID(name)                                                                   \
	{                                                                          \
#name, offsetof(struct machine_cpu, name), 0, MACHINE_MAX_CPUS - 1 \
	}
static const struct machine_number cpu_numbers[] = {
	ID(core),
	ID(cluster),
	ID(llc),
	ID(package),
	ID(node),
	ID(freq_domain),
	{ "capacity", offsetof(struct machine_cpu, capacity), 1, MACHINE_FULL_CAPACITY },
	{ "priority", offsetof(struct machine_cpu, priority), 0, 1000000 },
};
static const struct json_key cpu_keys[] = {
	{ "cpus", NULL },    { "kind", NULL },     { "core", NULL },        { "cluster", NULL },
	{ "llc", NULL },     { "node", NULL },     { "freq_domain", NULL }, { "capacity", NULL },
	{ "package", NULL }, { "priority", NULL },
};

static enum err_code find_kind(const struct machine_reader *reader, const cJSON *item, u32 *out,
			       struct err *err)
{
	const struct machine *machine = reader->machine;
	const char *name = "";
	enum err_code code;

	*out = 0;
	if (!item)
		return OK;
	if ((code = json_text(reader->json, item, &name, err)))
		return code;
	for (u32 kind = 0; kind < machine->nr_kinds; kind++) {
		if (!strcmp(name, machine->kinds[kind].name)) {
			*out = kind;
			return OK;
		}
	}
	return json_fault(reader->json, item, err,
			  "\"kind\": expected the name of a row of "
			  "\"kinds\", found \"%.24s\"",
			  name);
}

/* What a row leaves out: see the table in docs/machines.md. */
static struct machine_cpu defaults(const struct machine *machine, struct machine_cpu given)
{
	const struct machine_kind *kind = &machine->kinds[given.kind];

	if (given.llc == MACHINE_UNSET)
		given.llc = given.cluster == MACHINE_UNSET ? 0 : given.cluster;
	if (given.cluster == MACHINE_UNSET)
		given.cluster = given.llc;
	if (given.package == MACHINE_UNSET)
		given.package = 0;
	if (given.node == MACHINE_UNSET)
		given.node = 0;
	if (given.freq_domain == MACHINE_UNSET)
		given.freq_domain = given.cluster;
	if (given.capacity == MACHINE_UNSET)
		given.capacity = kind->nr_opps ? kind->opps[kind->nr_opps - 1].capacity
					       : MACHINE_FULL_CAPACITY;
	return given;
}

static enum err_code place_cpu(struct machine_reader *reader, const cJSON *item, u32 number,
			       struct machine_cpu cpu, struct err *err)
{
	while (reader->cpus.nr <= number)
		vec_add(&reader->cpus)->capacity = MACHINE_UNSET;
	if (reader->cpus.at[number].capacity != MACHINE_UNSET)
		return json_fault(reader->json, item, err, "CPU %u is described twice", number);
	if (cpu.core == MACHINE_UNSET)
		cpu.core = number;
	reader->cpus.at[number] = cpu;
	return OK;
}

static enum err_code read_cpu_row(struct machine_reader *reader, const cJSON *item, struct err *err)
{
	struct machine_cpu cpu = { MACHINE_UNSET,
				   MACHINE_UNSET,
				   MACHINE_UNSET,
				   MACHINE_UNSET,
				   MACHINE_UNSET,
				   MACHINE_UNSET,
				   0,
				   MACHINE_UNSET,
				   0 };
	struct cpulist list = { 0 };
	const char *text = "";
	enum err_code code;

	if ((code = json_each(reader->json, item, "a row of \"cpus\"", cpu_keys,
			      ARRAY_SIZE(cpu_keys), NULL, reader, err)) ||
	    (code = machine_need(reader, item, "cpus", err)) ||
	    (code = json_text(reader->json, json_get(item, "cpus"), &text, err)) ||
	    (code = find_kind(reader, json_get(item, "kind"), &cpu.kind, err)) ||
	    (code = machine_read_numbers(reader, item, cpu_numbers, ARRAY_SIZE(cpu_numbers), &cpu,
					 err)))
		return code;
	reader->rows++;
	reader->rows_with_core += cpu.core != MACHINE_UNSET;
	cpu = defaults(reader->machine, cpu);
	if (!cpulist_read(&list, text))
		code = json_fault(reader->json, json_get(item, "cpus"), err,
				  "\"cpus\": expected a list of CPUs like \"0-3,5\"");
	for (size_t i = 0; i < list.cpus.nr && !code; i++)
		code = place_cpu(reader, item, list.cpus.at[i], cpu, err);
	cpulist_fini(&list);
	return code;
}

enum err_code machine_read_cpus(struct machine_reader *reader, const cJSON *list, struct err *err)
{
	enum err_code code = json_array(reader->json, list, err);

	for (const cJSON *item = list->child; item && !code; item = item->next)
		code = read_cpu_row(reader, item, err);
	if (code)
		return code;
	for (u32 cpu = 0; cpu < reader->cpus.nr; cpu++)
		if (reader->cpus.at[cpu].capacity == MACHINE_UNSET)
			return json_fault(
				reader->json, list, err,
				"\"cpus\": expected CPU %u in some row: numbers have no gaps", cpu);
	if (!reader->cpus.nr)
		return json_fault(reader->json, list, err, "\"cpus\": expected at least one row");
	if (reader->rows_with_core && reader->rows_with_core != reader->rows)
		return json_fault(reader->json, list, err,
				  "\"cpus\": expected \"core\" in every row or in none");
	return OK;
}
