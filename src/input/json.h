/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json - a JSON document with line numbers, read by cJSON after a pre-pass.
 *
 * The pre-pass (json_dialect.c) takes the dialect that rt-app's workgen takes:
 * comments, trailing commas, keys without a value.  Repeated keys stay, in order.
 * Size, depth and number of values are bounded, so that a file cannot make the
 * reader take more than about 200 MB.
 *
 * Keys are taken by tables: json_each() walks an object in file order, calls the row
 * of each key, and refuses by name what has no row and what comes twice.
 */
#ifndef INPUT_JSON_H
#define INPUT_JSON_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "base/err.h"

#define JSON_MAX_SIZE   (16u << 20)
#define JSON_MAX_DEPTH  64
#define JSON_MAX_VALUES 1000000

struct json {
	const char *path; /* for messages; the caller keeps it */
	cJSON *root;
};

/* "-" is standard input.  ERR_IO, or ERR_FORMAT with the line and what was expected. */
enum err_code json_open(struct json *json, const char *path, struct err *err);
enum err_code json_parse(struct json *json, const char *path, const char *text, size_t len,
			 struct err *err);
void json_close(struct json *json);

/* The line of the item's key, or of the item in an array. */
u64 json_line(const cJSON *item);
/* ERR_FORMAT at the item's line. */
enum err_code json_fault(const struct json *json, const cJSON *item, struct err *err,
			 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

typedef enum err_code json_read(void *self, const cJSON *item, struct err *err);

struct json_key {
	const char *name;
	json_read *read; /* NULL: the caller looks with json_get() */
};

/*
 * Every member of @object goes to its row's read, or to @other (may be NULL) if there
 * is no row.  At most 64 rows.  @where names the object in messages.
 */
enum err_code json_each(const struct json *json, const cJSON *object, const char *where,
			const struct json_key *keys, size_t nr_keys, json_read *other, void *self,
			struct err *err);

/* The first member called @name, NULL if there is none. */
const cJSON *json_get(const cJSON *object, const char *name);

/* The value must be what the name says, or the message says what was expected. */
enum err_code json_object(const struct json *json, const cJSON *item, struct err *err);
enum err_code json_array(const struct json *json, const cJSON *item, struct err *err);
enum err_code json_text(const struct json *json, const cJSON *item, const char **out,
			struct err *err);
enum err_code json_bool(const struct json *json, const cJSON *item, bool *out, struct err *err);
/* Whole; @min and @max within +-2^53. */
enum err_code json_whole(const struct json *json, const cJSON *item, s64 min, s64 max, s64 *out,
			 struct err *err);
enum err_code json_u32(const struct json *json, const cJSON *item, u32 min, u32 max, u32 *out,
		       struct err *err);
/* A number from 0 to @max with decimals, as whole thousandths, rounded. */
enum err_code json_milli(const struct json *json, const cJSON *item, u64 max, u64 *out,
			 struct err *err);

/* json_dialect.c: strict JSON and the line of each value in document order; free() both. */
struct json_strict {
	char *text;
	size_t len;
	u32 *lines;
	size_t nr_values;
};
enum err_code json_make_strict(const char *path, const char *text, size_t len,
			       struct json_strict *out, struct err *err);

#endif
