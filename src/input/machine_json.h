/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine_json - the parts of the machine file reader, for each other only.
 *
 * machine_file.c   the entry, and the document
 * machine_kinds.c  costs and kinds of CPU
 * machine_cpus.c   CPUs
 */
#ifndef INPUT_MACHINE_JSON_H
#define INPUT_MACHINE_JSON_H

#include "base/vec.h"
#include "input/json.h"
#include "machine/machine.h"

#define MACHINE_UNSET 0xffffffffu

struct machine_reader {
	const struct json *json;
	struct machine *machine;
	VEC(struct machine_cpu) cpus; /* by number; capacity MACHINE_UNSET: not described yet */
	u32 rows, rows_with_core;
};

/* A number of a struct. */
struct machine_number {
	const char *key;
	size_t at;
	u32 min, max;
};

/* Those of @rows that @object has, to @into. */
enum err_code machine_read_numbers(const struct machine_reader *reader, const cJSON *object,
				   const struct machine_number *rows, size_t nr, void *into,
				   struct err *err);
/* ERR_FORMAT if @object lacks @key. */
enum err_code machine_need(const struct machine_reader *reader, const cJSON *object,
			   const char *key, struct err *err);
/* A name that fits @out. */
enum err_code machine_read_name(const struct machine_reader *reader, const cJSON *item, char *out,
				size_t size, struct err *err);

json_read machine_read_costs;
/* @list NULL: one kind of fixed speed. */
enum err_code machine_read_kinds(struct machine_reader *reader, const cJSON *list, struct err *err);
/* Into reader->cpus; kinds are known. */
enum err_code machine_read_cpus(struct machine_reader *reader, const cJSON *list, struct err *err);

#endif
