/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events.  A key is an event if it begins with an event's name: run, run0 and run_a are
 * one kind (rt-app's obj_is_event()).
 */
#include "input/rtapp.h"

#include <stdlib.h>
#include <string.h>

typedef enum err_code read_event(struct rtapp *r, const cJSON *item, struct workload_event *event,
				 struct err *err);

u32 rtapp_object(struct rtapp *r, enum workload_object_kind kind, s64 owner, const char *name)
{
	char *key = mem_printf("%u/%lld/%s", kind, owner, name);
	u32 index = names_add(&r->objects, key, strlen(key));

	free(key);
	if (index == r->workload->objects.nr)
		*vec_add(&r->workload->objects) = (struct workload_object){
			.name = mem_strdup(name), .kind = kind, .per_thread = owner >= 0
		};
	return index;
}

/* Microseconds as a number, or a distribution. */
static enum err_code read_time(struct rtapp *r, const cJSON *item, struct workload_event *event,
			       struct err *err)
{
	u32 us = 0;
	enum err_code code;

	if (cJSON_IsBool(item))
		return json_fault(r->json, item, err,
				  "\"%.32s\" as true or false is obsolete rt-app grammar; expected "
				  "microseconds",
				  item->string);
	if (cJSON_IsObject(item))
		return rtapp_distribution(r, item, &event->amount, err);
	code = json_u32(r->json, item, 0, RTAPP_MAX_INT, &us, err);
	event->amount.a = (u64)us * 1000;
	return code;
}

static enum workload_object_kind kind_of(enum workload_op op)
{
	switch (op) {
	case WORKLOAD_OP_LOCK:
	case WORKLOAD_OP_UNLOCK:
		return WORKLOAD_OBJECT_MUTEX;
	case WORKLOAD_OP_BARRIER:
		return WORKLOAD_OBJECT_BARRIER;
	case WORKLOAD_OP_SEM_POST:
	case WORKLOAD_OP_SEM_WAIT:
		return WORKLOAD_OBJECT_SEM;
	default:
		return WORKLOAD_OBJECT_COND;
	}
}

static enum err_code read_name(struct rtapp *r, const cJSON *item, struct workload_event *event,
			       struct err *err)
{
	const char *name = "";
	enum err_code code = json_text(r->json, item, &name, err);

	if (!code)
		event->object = rtapp_object(r, kind_of(event->op), -1, name);
	return code;
}

/*
 * suspend and resume are a condition and a mutex of one name.  Without a name (workgen's
 * freedom) a suspend waits on its task's.
 */
static enum err_code read_suspend(struct rtapp *r, const cJSON *item, struct workload_event *event,
				  struct err *err)
{
	const char *name = r->task_key;
	enum err_code code = OK;

	if (event->op == WORKLOAD_OP_RESUME || !cJSON_IsNull(item))
		code = json_text(r->json, item, &name, err);
	if (!*name)
		name = r->task_key;
	event->object = rtapp_object(r, WORKLOAD_OBJECT_COND, -1, name);
	event->mutex = rtapp_object(r, WORKLOAD_OBJECT_MUTEX, -1, name);
	return code;
}

static enum err_code read_yield(struct rtapp *r, const cJSON *item, struct workload_event *event,
				struct err *err)
{
	const char *ignored;

	(void)event;
	return cJSON_IsNull(item) ? OK : json_text(r->json, item, &ignored, err);
}

static enum err_code read_fork(struct rtapp *r, const cJSON *item, struct workload_event *event,
			       struct err *err)
{
	const char *name;
	enum err_code code = json_text(r->json, item, &name, err);

	(void)event;
	if (!code)
		*vec_add(&r->forks) = (struct rtapp_fork){ .task = r->task,
							   .event = (u32)rtapp_task(r)->events.nr,
							   .item = item };
	return code;
}

/* A member that must be there, and be a string. */
static enum err_code need_text(struct rtapp *r, const cJSON *object, const char *key,
			       const char **out, struct err *err)
{
	const cJSON *item = json_get(object, key);

	if (!item)
		return json_fault(r->json, object, err, "\"%.32s\": expected \"%s\" in it",
				  object->string, key);
	return json_text(r->json, item, out, err);
}

static enum err_code read_wait(struct rtapp *r, const cJSON *item, struct workload_event *event,
			       struct err *err)
{
	static const struct json_key keys[] = { { "ref", NULL }, { "mutex", NULL } };
	const char *ref, *mutex;
	enum err_code code;

	if ((code = json_each(r->json, item, "wait and sync", keys, ARRAY_SIZE(keys), NULL, r,
			      err)) ||
	    (code = need_text(r, item, "ref", &ref, err)) ||
	    (code = need_text(r, item, "mutex", &mutex, err)))
		return code;
	event->object = rtapp_object(r, WORKLOAD_OBJECT_COND, -1, ref);
	event->mutex = rtapp_object(r, WORKLOAD_OBJECT_MUTEX, -1, mutex);
	return OK;
}

static enum err_code read_mode(struct rtapp *r, const cJSON *item, u32 *mode, struct err *err)
{
	static const char *const names[] = { [WORKLOAD_TIMER_RELATIVE] = "relative",
					     [WORKLOAD_TIMER_ABSOLUTE] = "absolute",
					     [WORKLOAD_TIMER_SKIP] = "skip" };
	const char *text = names[WORKLOAD_TIMER_RELATIVE];
	enum err_code code = OK;

	if (item && (code = json_text(r->json, item, &text, err)))
		return code;
	for (*mode = 0; *mode < ARRAY_SIZE(names); (*mode)++)
		if (!strcmp(text, names[*mode]))
			return OK;
	return json_fault(r->json, item, err,
			  "timer mode \"%.32s\": expected relative, absolute or skip", text);
}

/* A timer called "unique..." is each thread's own; any other is shared by all that name it. */
static enum err_code read_timer(struct rtapp *r, const cJSON *item, struct workload_event *event,
				struct err *err)
{
	static const struct json_key keys[] = {
		{ "ref", NULL }, { "period", NULL }, { "mode", NULL }, { RTAPP_EXTENSION, NULL }
	};
	const char *ref = "unknown"; /* rt-app's default */
	const cJSON *period, *drawn;
	enum err_code code;
	s64 owner;

	if ((code = json_each(r->json, item, "a timer", keys, ARRAY_SIZE(keys), NULL, r, err)))
		return code;
	if (json_get(item, "ref") && (code = json_text(r->json, json_get(item, "ref"), &ref, err)))
		return code;
	owner = strncmp(ref, "unique", strlen("unique")) ? -1 : (s64)r->task;
	event->object = rtapp_object(r, WORKLOAD_OBJECT_TIMER, owner, ref);
	period = json_get(item, "period");
	drawn = json_get(item, RTAPP_EXTENSION);
	if (!period && !drawn)
		return json_fault(r->json, item, err, "\"%.32s\": expected \"period\" in it",
				  item->string);
	if (period && (code = read_time(r, period, event, err)))
		return code;
	if (drawn && (code = rtapp_distribution(r, item, &event->amount, err)))
		return code;
	return read_mode(r, json_get(item, "mode"), &event->mode, err);
}

/* mem and iorun: so many bytes at the stated cost, or work that is given outright. */
static enum err_code read_bytes(struct rtapp *r, const cJSON *item, struct workload_event *event,
				struct err *err)
{
	u32 bytes = 0;
	enum err_code code;

	if (cJSON_IsObject(item))
		return rtapp_distribution(r, item, &event->amount, err);
	code = json_u32(r->json, item, 0, RTAPP_MAX_INT, &bytes, err);
	return code ? code
		    : rtapp_work(r, item,
				 event->op == WORKLOAD_OP_MEM ? RTAPP_COST_MEM : RTAPP_COST_IORUN,
				 bytes, &event->amount, err);
}

static enum err_code read_memrun(struct rtapp *r, const cJSON *item, struct workload_event *event,
				 struct err *err)
{
	static const struct json_key keys[] = { { "type", NULL },         { "size", NULL },
						{ "count", NULL },        { "stride", NULL },
						{ "pattern", NULL },      { "ref", NULL },
						{ RTAPP_EXTENSION, NULL } };
	static const char *const types[] = { "read", "write", "chase" };
	const cJSON *count = json_get(item, "count");
	const char *type;
	u32 times = 0, i = 0;
	enum err_code code;

	if ((code = json_each(r->json, item, "a memrun", keys, ARRAY_SIZE(keys), NULL, r, err)))
		return code;
	if (json_get(item, RTAPP_EXTENSION))
		return rtapp_distribution(r, item, &event->amount, err);
	if ((code = need_text(r, item, "type", &type, err)))
		return code;
	while (i < ARRAY_SIZE(types) && strcmp(type, types[i]))
		i++;
	if (i == ARRAY_SIZE(types))
		return json_fault(r->json, json_get(item, "type"), err,
				  "memrun type \"%.32s\": expected read, write or chase", type);
	if (!count)
		return json_fault(r->json, item, err, "\"%.32s\": expected \"count\" in it",
				  item->string);
	code = json_u32(r->json, count, 0, RTAPP_MAX_INT, &times, err);
	return code ? code : rtapp_work(r, item, RTAPP_COST_READ + i, times, &event->amount, err);
}

/* A name that begins with another one stands before it. */
static const struct {
	const char *prefix;
	enum workload_op op;
	read_event *read;
} rows[] = {
	{ "runtime", WORKLOAD_OP_RUNTIME, read_time },
	{ "run", WORKLOAD_OP_RUN, read_time },
	{ "sleep", WORKLOAD_OP_SLEEP, read_time },
	{ "timer", WORKLOAD_OP_TIMER, read_timer },
	{ "lock", WORKLOAD_OP_LOCK, read_name },
	{ "unlock", WORKLOAD_OP_UNLOCK, read_name },
	{ "wait", WORKLOAD_OP_WAIT, read_wait },
	{ "signal", WORKLOAD_OP_SIGNAL, read_name },
	{ "broad", WORKLOAD_OP_BROAD, read_name },
	{ "sync", WORKLOAD_OP_SYNC, read_wait },
	{ "barrier", WORKLOAD_OP_BARRIER, read_name },
	{ "suspend", WORKLOAD_OP_SUSPEND, read_suspend },
	{ "resume", WORKLOAD_OP_RESUME, read_suspend },
	{ "yield", WORKLOAD_OP_YIELD, read_yield },
	{ "fork", WORKLOAD_OP_FORK, read_fork },
	{ "sem_post", WORKLOAD_OP_SEM_POST, read_name },
	{ "sem_wait", WORKLOAD_OP_SEM_WAIT, read_name },
	{ "memrun", WORKLOAD_OP_MEM, read_memrun },
	{ "mem", WORKLOAD_OP_MEM, read_bytes },
	{ "iorun", WORKLOAD_OP_IORUN, read_bytes },
	{ "iowait", WORKLOAD_OP_IOWAIT, read_time },
	{ "execve", WORKLOAD_OP_EXECVE, read_yield },
};

static size_t find_row(const char *key)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(rows) && strncmp(key, rows[i].prefix, strlen(rows[i].prefix)))
		i++;
	return i;
}

bool rtapp_is_event(const char *key)
{
	return find_row(key) < ARRAY_SIZE(rows);
}

static enum err_code read_one(struct rtapp *r, const cJSON *item, struct err *err)
{
	size_t row = find_row(item->string);
	struct workload_event event = { .object = WORKLOAD_NO_OBJECT,
					.mutex = WORKLOAD_NO_OBJECT,
					.op = rows[row].op };
	enum err_code code = rows[row].read(r, item, &event, err);

	if (code)
		return code;
	event.site = (u32)rtapp_task(r)->events.nr;
	*vec_add(&rtapp_task(r)->events) = event;
	return OK;
}

enum err_code rtapp_read_events(struct rtapp *r, const cJSON *object, struct err *err)
{
	enum err_code code = OK;

	for (const cJSON *item = object->child; item && !code; item = item->next) {
		if (rtapp_is_extension(item->string))
			code = rtapp_read_own_events(r, item, err);
		else if (rtapp_is_event(item->string))
			code = read_one(r, item, err);
	}
	return code;
}
