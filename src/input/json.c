/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/json.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/bytes.h"

/* cJSON keeps a copy of a number as int that nobody reads: the item's line lives there. */
static u32 *store_lines(cJSON *item, u32 *line)
{
	item->valueint = (int)*line++;
	for (cJSON *child = item->child; child; child = child->next)
		line = store_lines(child, line);
	return line;
}

u64 json_line(const cJSON *item)
{
	return (u64)item->valueint;
}

static u64 line_of(const char *text, const char *at)
{
	u64 line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

enum err_code json_parse(struct json *json, const char *path, const char *text, size_t len,
			 struct err *err)
{
	struct json_strict strict;
	const char *end = NULL;
	enum err_code code;

	*json = (struct json){ .path = path };
	if (len > JSON_MAX_SIZE)
		return err_set(err, ERR_FORMAT, path, "expected at most %u bytes", JSON_MAX_SIZE);
	code = json_make_strict(path, text, len, &strict, err);
	if (code)
		return code;
	json->root = cJSON_ParseWithLengthOpts(strict.text, strict.len + 1, &end, 0);
	if (json->root) {
		u32 *last = store_lines(json->root, strict.lines);

		assert(last == strict.lines + strict.nr_values);
	} else {
		code = err_line(err, ERR_FORMAT, path, line_of(strict.text, end),
				"expected a JSON number or a known escape in a string");
	}
	free(strict.text);
	free(strict.lines);
	return code;
}

enum err_code json_open(struct json *json, const char *path, struct err *err)
{
	struct bytes bytes;
	size_t len;
	enum err_code code = bytes_open(&bytes, path, err);

	*json = (struct json){ .path = path };
	if (code)
		return code;
	len = bytes_left(&bytes, 0, JSON_MAX_SIZE + 1);
	code = json_parse(json, bytes.path, (const char *)bytes_at(&bytes, 0, len), len, err);
	bytes_close(&bytes);
	return code;
}

void json_close(struct json *json)
{
	cJSON_Delete(json->root);
	json->root = NULL;
}

enum err_code json_fault(const struct json *json, const cJSON *item, struct err *err,
			 const char *fmt, ...)
{
	char what[sizeof(err->what)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_line(err, ERR_FORMAT, json->path, json_line(item), "%s", what);
}

static enum err_code unknown_key(const struct json *json, const cJSON *item, const char *where,
				 const struct json_key *keys, size_t nr_keys, struct err *err)
{
	char known[384] = "";
	size_t len = 0;

	for (size_t i = 0; i < nr_keys && len < sizeof(known) - 1; i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					keys[i].name);
	return json_fault(json, item, err, "unknown key \"%.64s\" in %s; expected one of: %s",
			  item->string, where, known);
}

static size_t find_key(const struct json_key *keys, size_t nr_keys, const char *name)
{
	size_t i = 0;

	while (i < nr_keys && strcmp(keys[i].name, name))
		i++;
	return i;
}

enum err_code json_each(const struct json *json, const cJSON *object, const char *where,
			const struct json_key *keys, size_t nr_keys, json_read *other, void *self,
			struct err *err)
{
	enum err_code code = json_object(json, object, err);
	u64 seen = 0;

	assert(nr_keys <= 64);
	for (const cJSON *item = object->child; item && !code; item = item->next) {
		size_t key = find_key(keys, nr_keys, item->string);

		if (key == nr_keys) {
			code = other ? other(self, item, err)
				     : unknown_key(json, item, where, keys, nr_keys, err);
			continue;
		}
		if (seen & 1ULL << key)
			return json_fault(json, item, err, "\"%s\" is given twice in %s",
					  item->string, where);
		seen |= 1ULL << key;
		if (keys[key].read)
			code = keys[key].read(self, item, err);
	}
	return code;
}

const cJSON *json_get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static enum err_code wrong(const struct json *json, const cJSON *item, const char *expected,
			   struct err *err)
{
	if (item->string)
		return json_fault(json, item, err, "\"%.64s\": expected %s", item->string,
				  expected);
	return json_fault(json, item, err, "expected %s", expected);
}

enum err_code json_object(const struct json *json, const cJSON *item, struct err *err)
{
	return cJSON_IsObject(item) ? OK : wrong(json, item, "an object { }", err);
}

enum err_code json_array(const struct json *json, const cJSON *item, struct err *err)
{
	return cJSON_IsArray(item) ? OK : wrong(json, item, "an array [ ]", err);
}

enum err_code json_text(const struct json *json, const cJSON *item, const char **out,
			struct err *err)
{
	if (!cJSON_IsString(item))
		return wrong(json, item, "a string", err);
	*out = item->valuestring;
	return OK;
}

enum err_code json_bool(const struct json *json, const cJSON *item, bool *out, struct err *err)
{
	if (!cJSON_IsBool(item))
		return wrong(json, item, "true or false", err);
	*out = cJSON_IsTrue(item);
	return OK;
}

enum err_code json_whole(const struct json *json, const cJSON *item, s64 min, s64 max, s64 *out,
			 struct err *err)
{
	double value = item->valuedouble;
	char expected[96];

	if (cJSON_IsNumber(item) && value >= (double)min && value <= (double)max &&
	    value == (double)(s64)value) {
		*out = (s64)value;
		return OK;
	}
	snprintf(expected, sizeof(expected), "a whole number from %lld to %lld", min, max);
	return wrong(json, item, expected, err);
}

enum err_code json_u32(const struct json *json, const cJSON *item, u32 min, u32 max, u32 *out,
		       struct err *err)
{
	s64 value = 0;
	enum err_code code = json_whole(json, item, min, max, &value, err);

	if (!code)
		*out = (u32)value;
	return code;
}

enum err_code json_milli(const struct json *json, const cJSON *item, u64 max, u64 *out,
			 struct err *err)
{
	double value = item->valuedouble;
	char expected[96];

	if (cJSON_IsNumber(item) && value >= 0 && value <= (double)max) {
		*out = (u64)(value * 1000 + 0.5);
		return OK;
	}
	snprintf(expected, sizeof(expected), "a number from 0 to %llu", max);
	return wrong(json, item, expected, err);
}
