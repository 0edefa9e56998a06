/* SPDX-License-Identifier: GPL-2.0-only */
/* Machines in JSON: docs/machines.md. */
#include "input/machine_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/places.h"
#include "input/bytes.h"
#include "input/machine_json.h"

enum err_code machine_read_numbers(const struct machine_reader *reader, const cJSON *object,
				   const struct machine_number *rows, size_t nr, void *into,
				   struct err *err)
{
	enum err_code code = OK;

	for (size_t i = 0; i < nr && !code; i++) {
		const cJSON *item = json_get(object, rows[i].key);

		if (item)
			code = json_u32(reader->json, item, rows[i].min, rows[i].max,
					(u32 *)((char *)into + rows[i].at), err);
	}
	return code;
}

enum err_code machine_need(const struct machine_reader *reader, const cJSON *object,
			   const char *key, struct err *err)
{
	if (json_get(object, key))
		return OK;
	return json_fault(reader->json, object, err, "expected \"%s\" here", key);
}

/* A name that fits its field. */
enum err_code machine_read_name(const struct machine_reader *reader, const cJSON *item, char *out,
				size_t size, struct err *err)
{
	const char *text = "";
	enum err_code code = json_text(reader->json, item, &text, err);

	if (!code && strlen(text) >= size)
		code = json_fault(reader->json, item, err, "\"%s\": expected at most %zu bytes",
				  item->string, size - 1);
	if (!code)
		snprintf(out, size, "%s", text);
	return code;
}

static const char *const idle_names[MACHINE_NR_IDLE] = {
	[MACHINE_IDLE_NO_DRIVER] = "no-driver",
	[MACHINE_IDLE_MENU] = "menu",
	[MACHINE_IDLE_TEO] = "teo",
	[MACHINE_IDLE_HALTPOLL] = "haltpoll",
};

static enum err_code read_idle(void *self, const cJSON *item, struct err *err)
{
	struct machine_reader *reader = self;
	const char *name = "";
	enum err_code code = json_text(reader->json, item, &name, err);

	if (code)
		return code;
	for (u32 i = 0; i < MACHINE_NR_IDLE; i++) {
		if (!strcmp(name, idle_names[i])) {
			reader->machine->idle = i;
			return OK;
		}
	}
	return json_fault(reader->json, item, err,
			  "\"idle\": expected no-driver, menu, teo or haltpoll");
}

static enum err_code read_governor(void *self, const cJSON *item, struct err *err)
{
	struct machine_reader *reader = self;
	const char *name = "";
	enum err_code code = json_text(reader->json, item, &name, err);

	if (code)
		return code;
	reader->machine->governor = machine_governor_named(name);
	if (reader->machine->governor < MACHINE_NR_GOVERNORS)
		return OK;
	return json_fault(reader->json, item, err,
			  "\"governor\": expected performance, powersave or schedutil");
}

static enum err_code read_rate_limit(void *self, const cJSON *item, struct err *err)
{
	struct machine_reader *reader = self;

	return json_u32(reader->json, item, 0, 1000000, &reader->machine->rate_limit_us, err);
}

static enum err_code read_title(void *self, const cJSON *item, struct err *err)
{
	struct machine_reader *reader = self;

	return machine_read_name(reader, item, reader->machine->name, sizeof(reader->machine->name),
				 err);
}

static void settle(struct machine_reader *reader)
{
	struct machine *machine = reader->machine;
	bool *seen = NEW_ARRAY(bool, MACHINE_MAX_CPUS);

	machine->nr_cpus = (u32)reader->cpus.nr;
	machine->cpus = NEW_ARRAY(struct machine_cpu, machine->nr_cpus);
	memcpy(machine->cpus, reader->cpus.at, sizeof(*machine->cpus) * machine->nr_cpus);
	for (u32 cpu = 0; cpu < machine->nr_cpus; cpu++) {
		machine->smt |= seen[machine->cpus[cpu].core];
		seen[machine->cpus[cpu].core] = true;
	}
	free(seen);
}

static enum err_code read_machine(struct machine_reader *reader, struct err *err)
{
	static const struct json_key keys[] = {
		{ "name", read_title },
		{ "idle", read_idle },
		{ "governor", read_governor },
		{ "rate_limit_us", read_rate_limit },
		{ "costs", machine_read_costs },
		{ "kinds", NULL },
		{ "cpus", NULL },
	};
	const cJSON *root = reader->json->root;
	enum err_code code = json_each(reader->json, root, "a machine", keys, ARRAY_SIZE(keys),
				       NULL, reader, err);

	if (code || (code = machine_need(reader, root, "cpus", err)) ||
	    (code = machine_read_kinds(reader, json_get(root, "kinds"), err)) ||
	    (code = machine_read_cpus(reader, json_get(root, "cpus"), err)))
		return code;
	settle(reader);
	return machine_validate(reader->machine, reader->json->path, err);
}

static void default_name(struct machine *machine, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(machine->name, sizeof(machine->name), "%.63s", slash ? slash + 1 : path);
}

static enum err_code read_json(const char *name, const char *text, size_t len, struct machine *out,
			       struct err *err)
{
	struct json json;
	struct machine_reader reader = { .json = &json, .machine = out };
	enum err_code code = json_parse(&json, name, text, len, err);

	*out = (struct machine){ .costs = machine_default_costs,
				 .rate_limit_us = MACHINE_RATE_LIMIT_US };
	default_name(out, name);
	if (!code)
		code = read_machine(&reader, err);
	if (code)
		machine_fini(out);
	vec_free(&reader.cpus);
	json_close(&json);
	return code;
}

enum err_code input_machine_text(const char *name, const char *text, size_t len,
				 struct machine *out, struct err *err)
{
	size_t at = 0;

	while (at < len && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	return at < len && text[at] == '<' ? input_machine_hwloc(name, text, len, out, err)
					   : read_json(name, text, len, out, err);
}

static enum err_code read_file(const char *path, struct machine *out, struct err *err)
{
	struct bytes bytes;
	size_t len;
	enum err_code code = bytes_open(&bytes, path, err);

	if (code)
		return code;
	len = bytes_left(&bytes, 0, JSON_MAX_SIZE + 1);
	code = input_machine_text(bytes.path, (const char *)bytes_at(&bytes, 0, len), len, out,
				  err);
	bytes_close(&bytes);
	return code;
}

/* A file that comes with the program. */
static enum err_code read_named(const char *name, struct machine *out, struct err *err)
{
	char *path = places_find("machines", name);
	enum err_code code;

	if (!path)
		return machine_named(out, name, err); /* says what there is */
	code = read_file(path, out, err);
	free(path);
	return code;
}

enum err_code input_machine(const char *name_or_file, struct machine *out, struct err *err)
{
	if (!strcmp(name_or_file, "this"))
		return input_machine_hwloc(name_or_file, NULL, 0, out, err);
	if (!machine_named(out, name_or_file, NULL))
		return OK;
	if (!strcmp(name_or_file, "-") || !access(name_or_file, F_OK))
		return read_file(name_or_file, out, err);
	return read_named(name_or_file, out, err);
}
