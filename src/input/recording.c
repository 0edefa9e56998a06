/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/bytes.h"
#include "input/json.h"

#define FORMAT      1 /* of the file; another one is refused */
#define MILLION     1e6
#define MAX_VALUE   9e9 /* in millionths it stays exact as a double */
#define MAX_COUNT   0xffffffffll
#define MAX_DELAY   9000000000000000ll
#define HASH_BEGIN  0xcbf29ce484222325ull /* FNV-1a of 64 bits */
#define HASH_FACTOR 0x100000001b3ull

struct reader {
	struct json json;
	struct recording *out;
	struct recording_task *task;
};

static enum err_code read_string(const struct reader *reader, const cJSON *item, char **out,
				 struct err *err)
{
	const char *text = "";
	enum err_code code = json_text(&reader->json, item, &text, err);

	if (!code)
		*out = mem_strdup(text);
	return code;
}

static enum err_code read_format(void *self, const cJSON *item, struct err *err)
{
	const struct reader *reader = self;
	u32 format;

	return json_u32(&reader->json, item, FORMAT, FORMAT, &format, err);
}

#define STRING_OF(field)                                                                  \
	static enum err_code read_##field(void *self, const cJSON *item, struct err *err) \
	{                                                                                 \
		struct reader *reader = self;                                             \
                                                                                          \
		return read_string(reader, item, &reader->out->field, err);               \
	}
STRING_OF(kernel)
STRING_OF(version)
STRING_OF(features)
STRING_OF(clock)
STRING_OF(workload)
STRING_OF(hash)
#undef STRING_OF

#define NUMBER_OF(field, type, least, most)                                                     \
	static enum err_code read_##field(void *self, const cJSON *item, struct err *err)       \
	{                                                                                       \
		struct reader *reader = self;                                                   \
		s64 value = 0;                                                                  \
		enum err_code code = json_whole(&reader->json, item, least, most, &value, err); \
                                                                                                \
		reader->out->field = (type)value;                                               \
		return code;                                                                    \
	}
NUMBER_OF(hz, u32, 1, 100000)
NUMBER_OF(nr_cpus, u32, 1, 4096)
NUMBER_OF(runs, u32, 1, RECORDING_MAX_RUNS)
NUMBER_OF(duration_ns, u64, 1, 1000000000000000)
NUMBER_OF(seed, u64, 0, 1ll << 53)
#undef NUMBER_OF

static enum err_code read_name(void *self, const cJSON *item, struct err *err)
{
	struct reader *reader = self;

	return read_string(reader, item, &reader->task->name, err);
}

/* [ middle of a step, times, middle, times, ... ] */
static enum err_code read_steps(const struct reader *reader, const cJSON *list, struct hist *hist,
				struct err *err)
{
	enum err_code code = json_array(&reader->json, list, err);
	s64 value, times;

	for (const cJSON *item = code ? NULL : list->child; item; item = item->next->next) {
		if (!item->next)
			return json_fault(&reader->json, item, err,
					  "expected a delay in ns and how often it was");
		if ((code = json_whole(&reader->json, item, 0, MAX_DELAY, &value, err)) ||
		    (code = json_whole(&reader->json, item->next, 1, MAX_COUNT, &times, err)))
			return code;
		hist_add_many(hist, (u64)value, (u32)times);
	}
	return code;
}

static enum err_code read_wakeup(void *self, const cJSON *item, struct err *err)
{
	struct reader *reader = self;
	enum err_code code = json_array(&reader->json, item, err);
	const cJSON *half = code ? NULL : item->child;

	for (u32 i = 0; i < RECORDING_HALVES && !code; i++, half = half->next) {
		if (!half)
			return json_fault(&reader->json, item, err, "expected %d lists",
					  RECORDING_HALVES);
		code = read_steps(reader, half, &reader->task->wakeup[i], err);
	}
	return code;
}

static enum err_code read_metric(void *self, const cJSON *item, struct err *err)
{
	struct reader *reader = self;
	struct recording_metric *metric;
	enum err_code code = json_array(&reader->json, item, err);

	if (code)
		return code;
	metric = vec_add(&reader->task->metrics);
	metric->name = mem_strdup(item->string);
	for (const cJSON *value = item->child; value; value = value->next) {
		if (!cJSON_IsNumber(value) || value->valuedouble < 0 ||
		    value->valuedouble > MAX_VALUE)
			return json_fault(&reader->json, value, err, "expected a number from 0");
		*vec_add(&metric->values) = (u64)(value->valuedouble * MILLION + 0.5);
	}
	if (metric->values.nr != reader->out->runs)
		return json_fault(&reader->json, item, err, "\"%.64s\": expected %u values",
				  item->string, reader->out->runs);
	return OK;
}

static enum err_code need(const struct json *json, const cJSON *object, bool there,
			  const char *name, struct err *err)
{
	return there ? OK : json_fault(json, object, err, "expected \"%s\" here", name);
}

static enum err_code read_tasks(struct reader *reader, const cJSON *list, struct err *err)
{
	static const struct json_key keys[] = { { "name", read_name },
						{ "wakeup_ns", read_wakeup } };
	enum err_code code = json_array(&reader->json, list, err);

	for (const cJSON *item = code ? NULL : list->child; item && !code; item = item->next) {
		reader->task = vec_add(&reader->out->tasks);
		code = json_each(&reader->json, item, "a task", keys, ARRAY_SIZE(keys), read_metric,
				 reader, err);
		if (!code)
			code = need(&reader->json, item, reader->task->name, "name", err);
	}
	return code;
}

static enum err_code read_recording(struct reader *reader, struct err *err)
{
	static const struct json_key keys[] = {
		{ "recording", read_format },
		{ "kernel", read_kernel },
		{ "version", read_version },
		{ "features", read_features },
		{ "clock", read_clock },
		{ "workload", read_workload },
		{ "hash", read_hash },
		{ "hz", read_hz },
		{ "cpus", read_nr_cpus },
		{ "runs", read_runs },
		{ "duration_ns", read_duration_ns },
		{ "seed", read_seed },
		{ "tasks", NULL },
	};
	const cJSON *root = reader->json.root;
	enum err_code code = json_each(&reader->json, root, "a recording", keys, ARRAY_SIZE(keys),
				       NULL, reader, err);

	for (u32 i = 0; i < ARRAY_SIZE(keys) && !code; i++)
		code = need(&reader->json, root, json_get(root, keys[i].name), keys[i].name, err);
	/* after the number of runs is known */
	return code ? code : read_tasks(reader, json_get(root, "tasks"), err);
}

enum err_code recording_read_text(const char *name, const char *text, size_t len,
				  struct recording *out, struct err *err)
{
	struct reader reader = { .out = out };
	enum err_code code = json_parse(&reader.json, name, text, len, err);

	*out = (struct recording){ 0 };
	if (!code)
		code = read_recording(&reader, err);
	json_close(&reader.json);
	return code;
}

/* The whole of a file, which is short. */
static enum err_code with_bytes(const char *path,
				enum err_code (*take)(void *, const char *, size_t), void *self,
				struct err *err)
{
	struct bytes bytes;
	enum err_code code = bytes_open(&bytes, path, err);
	size_t len;

	if (code)
		return code;
	len = bytes_left(&bytes, 0, JSON_MAX_SIZE + 1);
	code = take(self, (const char *)bytes_at(&bytes, 0, len), len);
	bytes_close(&bytes);
	return code;
}

struct read_job {
	const char *path;
	struct recording *out;
	struct err *err;
};

static enum err_code take_text(void *self, const char *text, size_t len)
{
	struct read_job *job = self;

	return recording_read_text(job->path, text, len, job->out, job->err);
}

enum err_code recording_read(const char *path, struct recording *out, struct err *err)
{
	struct read_job job = { path, out, err };

	*out = (struct recording){ 0 };
	return with_bytes(path, take_text, &job, err);
}

static enum err_code take_hash(void *self, const char *text, size_t len)
{
	u64 *hash = self;

	for (size_t i = 0; i < len; i++)
		*hash = (*hash ^ (u8)text[i]) * HASH_FACTOR;
	return OK;
}

enum err_code recording_hash(const char *path, char **out, struct err *err)
{
	u64 hash = HASH_BEGIN;
	enum err_code code = with_bytes(path, take_hash, &hash, err);

	*out = code ? NULL : mem_printf("%016llx", hash);
	return code;
}

/* ---- writing ---- */

static cJSON *steps_json(const struct hist *hist)
{
	cJSON *list = cJSON_CreateArray();
	struct hist_step step = { 0 };

	while (hist_next(hist, &step)) {
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)step.value));
		cJSON_AddItemToArray(list, cJSON_CreateNumber(step.count));
	}
	return list;
}

static cJSON *task_json(const struct recording_task *task)
{
	cJSON *object = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(object, "name", task->name);
	vec_for_each(metric, &task->metrics) {
		list = cJSON_AddArrayToObject(object, metric->name);
		vec_for_each(value, &metric->values)
			cJSON_AddItemToArray(list, cJSON_CreateNumber((double)*value / MILLION));
	}
	list = cJSON_AddArrayToObject(object, "wakeup_ns");
	for (u32 i = 0; i < RECORDING_HALVES; i++)
		cJSON_AddItemToArray(list, steps_json(&task->wakeup[i]));
	return object;
}

static char *text_of(const struct recording *recording)
{
	const struct {
		const char *name, *value;
	} texts[] = {
		{ "kernel", recording->kernel },     { "version", recording->version },
		{ "features", recording->features }, { "clock", recording->clock },
		{ "workload", recording->workload }, { "hash", recording->hash },
	};
	const struct {
		const char *name;
		u64 value;
	} numbers[] = {
		{ "hz", recording->hz },     { "cpus", recording->nr_cpus },
		{ "runs", recording->runs }, { "duration_ns", recording->duration_ns },
		{ "seed", recording->seed },
	};
	cJSON *root = cJSON_CreateObject(), *tasks;
	char *text;

	cJSON_AddNumberToObject(root, "recording", FORMAT);
	for (u32 i = 0; i < ARRAY_SIZE(texts); i++)
		cJSON_AddStringToObject(root, texts[i].name, texts[i].value);
	for (u32 i = 0; i < ARRAY_SIZE(numbers); i++)
		cJSON_AddNumberToObject(root, numbers[i].name, (double)numbers[i].value);
	tasks = cJSON_AddArrayToObject(root, "tasks");
	vec_for_each(task, &recording->tasks)
		cJSON_AddItemToArray(tasks, task_json(task));
	text = cJSON_Print(root);
	cJSON_Delete(root);
	return text;
}

enum err_code recording_write(const struct recording *recording, const char *path, struct err *err)
{
	char *text = text_of(recording), *fresh = mem_printf("%s.new", path);
	FILE *to = text ? fopen(fresh, "we") : NULL;
	bool good = to && fprintf(to, "%s\n", text) >= 0;

	good = (!to || !fclose(to)) && good && !rename(fresh, path);
	cJSON_free(text);
	free(fresh);
	return good ? OK : err_set(err, ERR_IO, path, "%s", strerror(errno));
}

void recording_drop_runs(struct recording *recording)
{
	vec_for_each(task, &recording->tasks) {
		free(task->name);
		vec_for_each(metric, &task->metrics) {
			free(metric->name);
			vec_free(&metric->values);
		}
		vec_free(&task->metrics);
		for (u32 i = 0; i < RECORDING_HALVES; i++)
			hist_fini(&task->wakeup[i]);
	}
	vec_free(&recording->tasks);
	recording->runs = 0;
}

void recording_fini(struct recording *recording)
{
	char *texts[] = { recording->kernel, recording->version,  recording->features,
			  recording->clock,  recording->workload, recording->hash };

	for (u32 i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	recording_drop_runs(recording);
	*recording = (struct recording){ 0 };
}
