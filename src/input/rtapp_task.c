/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks and phases.  A task without "phases" is its own only phase. */
#include "input/rtapp.h"

#include <string.h>

static const struct json_key task_keys[] = {
	{ "phases", NULL },    { "instance", NULL },    { "delay", NULL },
	{ "loop", NULL },      { "cpus", NULL },        { "nodes_membind", NULL },
	{ "policy", NULL },    { "priority", NULL },    { "dl-runtime", NULL },
	{ "dl-period", NULL }, { "dl-deadline", NULL }, { "util_min", NULL },
	{ "util_max", NULL },  { "taskgroup", NULL },
};
#define NR_TASK_ONLY_KEYS 3 /* the first ones; phases take the others */

static const struct {
	const char *key, *instead;
} obsolete[] = {
	{ "exec", "write \"run\"" },
	{ "period", "write a \"timer\", or \"dl-period\" for SCHED_DEADLINE" },
	{ "deadline", "write \"dl-deadline\"" },
	{ "lock_order", "write the events lock, run, unlock, wait in their order" },
	{ "resources", "name objects in the events; they need no declaration" },
};

bool rtapp_is_extension(const char *key)
{
	return !strncmp(key, RTAPP_EXTENSION, strlen(RTAPP_EXTENSION));
}

enum err_code rtapp_check_key(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;

	for (size_t i = 0; i < ARRAY_SIZE(obsolete); i++)
		if (!strcmp(item->string, obsolete[i].key))
			return json_fault(r->json, item, err,
					  "\"%s\" is obsolete rt-app grammar; expected today's: %s",
					  item->string, obsolete[i].instead);
	if (rtapp_is_event(item->string) || rtapp_is_extension(item->string))
		return OK;
	return json_fault(
		r->json, item, err,
		"unknown key \"%.64s\" in task \"%.64s\"; expected an event, an attribute "
		"or \"" RTAPP_EXTENSION "\"",
		item->string, r->task_key);
}

static enum err_code read_loop(struct rtapp *r, const cJSON *item, s64 absent, s64 *out,
			       struct err *err)
{
	enum err_code code = OK;

	*out = absent;
	if (item)
		code = json_whole(r->json, item, WORKLOAD_FOREVER, RTAPP_MAX_INT, out, err);
	if (!code && !*out)
		code = json_fault(r->json, item, err,
				  "\"loop\": expected -1 (for ever) or 1 and more, found 0");
	return code;
}

static enum err_code add_phase(struct rtapp *r, const cJSON *object, struct workload_phase *phase,
			       struct err *err)
{
	struct rtapp_costs outer = r->costs;
	u32 first = (u32)rtapp_task(r)->events.nr, nr;
	enum err_code code = rtapp_extend_task(r, object, err);

	if (!code)
		code = rtapp_read_events(r, object, err);
	r->costs = outer;
	if (code)
		return code;
	nr = (u32)rtapp_task(r)->events.nr - first;
	if (!nr)
		return json_fault(r->json, object, err, "\"%.64s\": expected at least one event",
				  object->string);
	phase->name = mem_strdup(object->string);
	phase->first_event = first;
	phase->nr_events = nr;
	*vec_add(&rtapp_task(r)->phases) = *phase;
	return OK;
}

static enum err_code read_phase(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	struct workload_phase phase = { .attr = WORKLOAD_ATTR_KEEP };
	enum err_code code;

	if ((code = json_each(r->json, item, "a phase", task_keys + NR_TASK_ONLY_KEYS,
			      ARRAY_SIZE(task_keys) - NR_TASK_ONLY_KEYS, rtapp_check_key, r,
			      err)) ||
	    (code = read_loop(r, json_get(item, "loop"), 1, &phase.loop, err)) ||
	    (code = rtapp_read_attr(r, item, false, &phase.attr, err)) ||
	    (code = rtapp_read_cpus(r, item, &phase.attr.cpus, err)))
		return code;
	return add_phase(r, item, &phase, err);
}

/* rt-app: "loop" beside the events is the phase's, and then the task ends. */
static enum err_code read_only_phase(struct rtapp *r, const cJSON *item, struct err *err)
{
	struct workload_phase phase = { .attr = WORKLOAD_ATTR_KEEP };
	enum err_code code = read_loop(r, json_get(item, "loop"), 1, &phase.loop, err);

	rtapp_task(r)->loop = json_get(item, "loop") ? 1 : WORKLOAD_FOREVER;
	return code ? code : add_phase(r, item, &phase, err);
}

static enum err_code read_phases(struct rtapp *r, const cJSON *item, struct err *err)
{
	const cJSON *phases = json_get(item, "phases");
	enum err_code code =
		read_loop(r, json_get(item, "loop"), WORKLOAD_FOREVER, &rtapp_task(r)->loop, err);

	if (code)
		return code;
	for (const cJSON *key = item->child; key; key = key->next)
		if (rtapp_is_event(key->string) || rtapp_is_own_event(key))
			return json_fault(
				r->json, key, err,
				"event \"%.64s\" beside \"phases\", where rt-app would not "
				"run it; expected it inside a phase",
				key->string);
	if ((code = rtapp_extend_task(r, item, err)) ||
	    (code = json_each(r->json, phases, "\"phases\"", NULL, 0, read_phase, r, err)))
		return code;
	return rtapp_task(r)->phases.nr ? OK
					: json_fault(r->json, phases, err,
						     "\"phases\": expected at least one phase");
}

/*
 * A phase without "cpus" goes back to the task's, or to all (rt-app's
 * set_thread_affinity()).  Nothing is said where nothing changes.
 */
static void settle_cpus(struct rtapp *r)
{
	struct workload_task *task = rtapp_task(r);
	const struct workload_cpus *fall_back = task->attr.cpus;
	bool changes = false;

	vec_for_each(phase, &task->phases)
		changes |= phase->attr.cpus != NULL;
	if (!changes)
		return;
	if (!fall_back) {
		struct workload_cpus *all = mem_zalloc(sizeof(*all));

		*vec_add(&r->workload->cpu_lists) = all;
		fall_back = all;
	}
	vec_for_each(phase, &task->phases)
		if (!phase->attr.cpus)
			phase->attr.cpus = fall_back;
}

/* A name used again gets a number, as workgen does; the first of the name keeps it. */
static char *unique_name(struct rtapp *r, const char *key)
{
	s64 same = names_find(&r->tasks, key, strlen(key));
	u64 *again;
	char *name;

	if (same < 0)
		return mem_strdup(key);
	again = map_add(&r->repeats, (u64)same);
	for (name = NULL; !name || names_find(&r->tasks, name, strlen(name)) >= 0;) {
		free(name);
		name = mem_printf("%s%llu", key, ++*again);
	}
	return name;
}

static enum err_code read_numbers(struct rtapp *r, const cJSON *item, struct err *err)
{
	struct workload_task *task = rtapp_task(r);
	const cJSON *instance = json_get(item, "instance"), *delay = json_get(item, "delay");
	u32 delay_us = 0;
	enum err_code code = OK;

	task->instances = 1;
	if (instance)
		code = json_u32(r->json, instance, 0, RTAPP_MAX_THREADS, &task->instances, err);
	if (!code && delay)
		code = json_u32(r->json, delay, 0, RTAPP_MAX_INT, &delay_us, err);
	task->delay_ns = (u64)delay_us * 1000;
	r->nr_threads += task->instances;
	if (!code && r->nr_threads > RTAPP_MAX_THREADS)
		code = json_fault(r->json, item, err, "expected at most %d threads in all",
				  RTAPP_MAX_THREADS);
	return code;
}

enum err_code rtapp_read_task(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	struct workload_task *task = vec_add(&r->workload->tasks);
	struct rtapp_costs outer = r->costs;
	enum err_code code;

	r->task = (u32)r->workload->tasks.nr - 1;
	r->task_key = item->string;
	r->cgroup = -1;
	task->name = unique_name(r, item->string);
	names_add(&r->tasks, task->name, strlen(task->name));
	task->attr = WORKLOAD_ATTR_KEEP;
	if ((code = json_each(r->json, item, "a task", task_keys, ARRAY_SIZE(task_keys),
			      rtapp_check_key, r, err)) ||
	    (code = read_numbers(r, item, err)) ||
	    (code = rtapp_read_attr(r, item, true, &task->attr, err)) ||
	    (code = rtapp_read_cpus(r, item, &task->attr.cpus, err)))
		return code;
	code = json_get(item, "phases") ? read_phases(r, item, err) : read_only_phase(r, item, err);
	r->costs = outer;
	settle_cpus(r);
	return code;
}
