/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The document.  Grammar: rt-app's doc/tutorial.txt and src/rt-app_parse_config.c.
 *
 * "global" often stands last in the file and decides what tasks mean, so parts are
 * read in the order of their meaning, not of the file.
 */
#include "input/rtapp.h"

#include <stdlib.h>
#include <string.h>

#include "events/event.h"
#include "input/workload_file.h"

void rtapp_note(struct rtapp *r, const cJSON *item, const char *why)
{
	*vec_add(&r->workload->notes) =
		mem_printf("line %llu: \"%s\" left out: %s", json_line(item), item->string, why);
}

static enum err_code read_duration(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	s64 seconds = 0;
	enum err_code code = json_whole(r->json, item, -1, RTAPP_MAX_INT, &seconds, err);

	r->workload->duration_ns = seconds > 0 ? (u64)seconds * 1000000000 : 0;
	return code;
}

static enum err_code read_default_policy(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;

	return rtapp_policy(r, item, &r->default_policy, err);
}

static enum err_code read_calibration(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;

	if (!cJSON_IsString(item) && !cJSON_IsNumber(item))
		return json_fault(r->json, item, err,
				  "\"calibration\": expected \"CPU<number>\" or ns per loop");
	rtapp_note(r, item, "a run of 1 us is 1 us of the biggest CPU, by definition");
	return OK;
}

static enum err_code read_pi(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	bool on = false;
	enum err_code code = json_bool(r->json, item, &on, err);

	if (!code && on)
		code = json_fault(r->json, item, err,
				  "\"pi_enabled\": expected false: mutexes have no priority "
				  "inheritance here");
	return code;
}

static enum err_code read_flag(void *self, const cJSON *item, struct err *err)
{
	bool ignored;

	return json_bool(((struct rtapp *)self)->json, item, &ignored, err);
}

/* Where and what rt-app logs: nothing that a scheduler sees. */
static enum err_code skip(void *self, const cJSON *item, struct err *err)
{
	(void)self;
	(void)item;
	(void)err;
	return OK;
}

static const struct json_key global_keys[] = {
	{ "duration", read_duration },
	{ "default_policy", read_default_policy },
	{ "calibration", read_calibration },
	{ "pi_enabled", read_pi },
	{ "lock_pages", read_flag },
	{ "gnuplot", read_flag },
	{ "cumulative_slack", read_flag },
	{ "ftrace", skip },
	{ "logdir", skip },
	{ "log_basename", skip },
	{ "log_size", skip },
	{ "io_device", skip },
	{ "mem_buffer_size", skip },
	{ "frag", skip },
	{ RTAPP_EXTENSION, rtapp_extend_global },
};

static const struct {
	const char *type;
	enum workload_object_kind kind;
} resource_types[] = {
	{ "mutex", WORKLOAD_OBJECT_MUTEX },     { "wait", WORKLOAD_OBJECT_COND },
	{ "timer", WORKLOAD_OBJECT_TIMER },     { "sem", WORKLOAD_OBJECT_SEM },
	{ "barrier", WORKLOAD_OBJECT_BARRIER },
};

static const struct json_key resource_keys[] = { { "type", NULL }, { "target", NULL } };

/* rt-app makes what events name; a declaration adds nothing but must make sense. */
static enum err_code read_resource(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	const char *type = "";
	enum err_code code = json_each(r->json, item, "a resource", resource_keys,
				       ARRAY_SIZE(resource_keys), NULL, r, err);

	if (code)
		return code;
	if (json_get(item, "target"))
		return json_fault(r->json, item, err,
				  "resource \"%.64s\" has a \"target\": obsolete rt-app grammar; "
				  "expected signal, broad and sync as events",
				  item->string);
	if (!json_get(item, "type"))
		return json_fault(r->json, item, err, "resource \"%.64s\": expected a \"type\"",
				  item->string);
	if ((code = json_text(r->json, json_get(item, "type"), &type, err)))
		return code;
	for (size_t i = 0; i < ARRAY_SIZE(resource_types); i++)
		if (!strcmp(type, resource_types[i].type))
			return OK;
	return json_fault(r->json, json_get(item, "type"), err,
			  "resource type \"%.64s\": expected mutex, wait, timer, sem or barrier",
			  type);
}

static const struct json_key root_keys[] = {
	{ "global", NULL },
	{ "resources", NULL },
	{ "tasks", NULL },
};

static enum err_code read_root(struct rtapp *r, struct err *err)
{
	const struct json *json = r->json;
	const cJSON *root = json->root, *global, *resources, *tasks;
	enum err_code code = json_each(json, root, "the document", root_keys, ARRAY_SIZE(root_keys),
				       NULL, r, err);

	if (code)
		return code;
	global = json_get(root, "global");
	resources = json_get(root, "resources");
	tasks = json_get(root, "tasks");
	if (!tasks)
		return json_fault(json, root, err,
				  "expected \"tasks\": without them this is a fragment, which "
				  "rt-app's merge.py joins with others");
	if (global && (code = json_each(json, global, "\"global\"", global_keys,
					ARRAY_SIZE(global_keys), NULL, r, err)))
		return code;
	if ((code = json_each(json, tasks, "\"tasks\"", NULL, 0, rtapp_read_task, r, err)))
		return code;
	if (!r->workload->tasks.nr)
		return json_fault(json, tasks, err, "\"tasks\": expected at least one task");
	return resources
		       ? json_each(json, resources, "\"resources\"", NULL, 0, read_resource, r, err)
		       : OK;
}

static enum err_code resolve_forks(struct rtapp *r, struct err *err)
{
	vec_for_each(fork, &r->forks) {
		const char *name = fork->item->valuestring;
		s64 task = names_find(&r->tasks, name, strlen(name));

		if (task < 0)
			return json_fault(r->json, fork->item, err,
					  "\"%.32s\": expected the name of a task, found \"%.64s\"",
					  fork->item->string, name);
		r->workload->tasks.at[fork->task].events.at[fork->event].target = (u32)task;
	}
	return OK;
}

/*
 * In rt-app the mode belongs to the timer: one use that says "absolute" makes all so, and one that
 * says "skip" makes them that.
 */
static void resolve_timers(struct workload *workload)
{
	u32 *modes = NEW_ARRAY(u32, workload->objects.nr + 1);

	for (u32 pass = 0; pass < 2; pass++)
		vec_for_each(task, &workload->tasks)
			vec_for_each(event, &task->events) {
				if (event->op != WORKLOAD_OP_TIMER)
					continue;
				if (pass)
					event->mode = modes[event->object];
				else if (event->mode > modes[event->object])
					modes[event->object] = event->mode;
			}
	free(modes);
}

/* Each place that names a barrier counts once per instance of its task, as in rt-app. */
static enum err_code resolve_barriers(struct rtapp *r, struct err *err)
{
	struct workload *workload = r->workload;

	vec_for_each(task, &workload->tasks)
		vec_for_each(event, &task->events)
			if (event->op == WORKLOAD_OP_BARRIER)
				workload->objects.at[event->object].count += task->instances;
	vec_for_each(object, &workload->objects)
		if (object->kind == WORKLOAD_OBJECT_BARRIER && !object->count)
			return err_set(
				err, ERR_FORMAT, r->json->path,
				"barrier \"%.64s\" is used by forked tasks only: nobody would "
				"ever pass it; expected a task with an instance",
				object->name);
	return OK;
}

static void rtapp_fini(struct rtapp *r)
{
	names_fini(&r->objects);
	names_fini(&r->tasks);
	names_fini(&r->cgroups);
	map_fini(&r->repeats);
	vec_free(&r->forks);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum err_code read_document(const struct json *json, struct workload **out, struct err *err)
{
	struct rtapp r = { .json = json,
			   .workload = workload_new(),
			   .default_policy = EVENT_POLICY_NORMAL };
	enum err_code code;

	r.workload->name = mem_strdup(base_name(json->path));
	code = read_root(&r, err);
	if (!code)
		code = resolve_forks(&r, err);
	if (!code)
		code = resolve_barriers(&r, err);
	if (!code)
		resolve_timers(r.workload);
	rtapp_fini(&r);
	if (code)
		workload_free(r.workload);
	else
		*out = r.workload;
	return code;
}

enum err_code input_workload(const char *path, struct workload **out, struct err *err)
{
	struct json json;
	enum err_code code = json_open(&json, path, err);

	if (!code)
		code = read_document(&json, out, err);
	json_close(&json);
	return code;
}

enum err_code input_workload_text(const char *name, const char *text, size_t len,
				  struct workload **out, struct err *err)
{
	struct json json;
	enum err_code code = json_parse(&json, name, text, len, err);

	if (!code)
		code = read_document(&json, out, err);
	json_close(&json);
	return code;
}
