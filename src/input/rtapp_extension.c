/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The "fairground" key: what rt-app's language lacks.  docs/workloads.md has the table.
 *
 * rt-app itself looks only for the keys it knows in objects, so a file that uses the key
 * beside events stays valid for it; only an event whose value is a distribution does not.
 */
#include "input/rtapp.h"

#include <stdio.h>
#include <string.h>

/* Costs */

static const struct {
	const char *key, *what;
} costs[RTAPP_NR_COSTS] = {
	[RTAPP_COST_MEM] = { "mem_ns_per_kib", "mem" },
	[RTAPP_COST_IORUN] = { "iorun_ns_per_kib", "iorun" },
	[RTAPP_COST_READ] = { "read_ns_per_kib", "memrun read" },
	[RTAPP_COST_WRITE] = { "write_ns_per_kib", "memrun write" },
	[RTAPP_COST_CHASE] = { "chase_ns_per_hop", "memrun chase" },
};

#define MAX_COST_NS 1000000 /* so that 2^31 bytes at it fit into 64 bits of ps */

static enum err_code read_cost(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	u32 i = 0;

	while (i < RTAPP_NR_COSTS && strcmp(item->string, costs[i].key))
		i++;
	if (i == RTAPP_NR_COSTS)
		return json_fault(r->json, item, err,
				  "unknown cost \"%.64s\"; expected mem_ns_per_kib, "
				  "iorun_ns_per_kib, read_ns_per_kib, write_ns_per_kib or "
				  "chase_ns_per_hop",
				  item->string);
	r->costs.known[i] = true;
	return json_milli(r->json, item, MAX_COST_NS, &r->costs.ps[i], err);
}

static enum err_code read_costs(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;

	return json_each(r->json, item, "\"costs\"", NULL, 0, read_cost, r, err);
}

enum err_code rtapp_work(struct rtapp *r, const cJSON *item, enum rtapp_cost cost, u64 count,
			 struct workload_amount *out, struct err *err)
{
	u64 per = cost == RTAPP_COST_CHASE ? 1 : 1024;

	if (!r->costs.known[cost])
		return json_fault(r->json, item, err,
				  "\"%.32s\": expected its cost, as \"" RTAPP_EXTENSION
				  "\": { \"costs\": { \"%s\": ... } } in global, the task or the "
				  "phase: what %s takes depends on the machine",
				  item->string, costs[cost].key, costs[cost].what);
	*out = (struct workload_amount){ .a = count * r->costs.ps[cost] / per / 1000 };
	return OK;
}

/* Groups */

static enum err_code read_weight(struct rtapp *r, const cJSON *item, struct workload_cgroup *group,
				 struct err *err)
{
	return json_u32(r->json, item, 1, 10000, &group->weight, err);
}

static enum err_code read_idle(struct rtapp *r, const cJSON *item, struct workload_cgroup *group,
			       struct err *err)
{
	u32 idle = 0;
	enum err_code code = json_u32(r->json, item, 0, 1, &idle, err);

	if (idle)
		group->weight = 0;
	return code;
}

/* As the kernel's file takes it: "QUOTA PERIOD" in us, "max" for no limit. */
static enum err_code read_max(struct rtapp *r, const cJSON *item, struct workload_cgroup *group,
			      struct err *err)
{
	const char *text = "";
	unsigned quota_us = 0, period_us = 100000;
	int end = 0;
	enum err_code code = json_text(r->json, item, &text, err);

	if (code)
		return code;
	if (!strncmp(text, "max", 3)) {
		text += 3;
		sscanf(text, " %9u%n", &period_us, &end);
	} else if (sscanf(text, "%9u%n %9u%n", &quota_us, &end, &period_us, &end) < 1 ||
		   quota_us < 1000) {
		end = -1;
	}
	/* kernel/sched/core.c: a period of 1 ms to 1 s, a quota of at least 1 ms */
	if (end < 0 || text[strspn(text, " 0123456789")] || text[end] || period_us < 1000 ||
	    period_us > 1000000)
		return json_fault(r->json, item, err,
				  "\"cpu.max\": expected \"QUOTA PERIOD\" in us, QUOTA of 1000 and "
				  "more or max, PERIOD from 1000 to 1000000");
	group->quota_ns = (u64)quota_us * 1000;
	group->period_ns = (u64)period_us * 1000;
	return OK;
}

static enum err_code read_burst(struct rtapp *r, const cJSON *item, struct workload_cgroup *group,
				struct err *err)
{
	u32 us = 0;
	enum err_code code = json_u32(r->json, item, 0, RTAPP_MAX_INT, &us, err);

	group->burst_ns = (u64)us * 1000;
	return code;
}

/* Percent with up to two decimals, or "max". */
static enum err_code read_percent(struct rtapp *r, const cJSON *item, u32 *out, struct err *err)
{
	enum err_code code;
	u64 milli = 0;

	*out = 1024;
	if (cJSON_IsString(item) && !strcmp(item->valuestring, "max"))
		return OK;
	if ((code = json_milli(r->json, item, 100, &milli, err)))
		return code;
	*out = (u32)((milli / 10 * 1024 + 5000) / 10000);
	return OK;
}

static enum err_code read_uclamp_min(struct rtapp *r, const cJSON *item,
				     struct workload_cgroup *group, struct err *err)
{
	return read_percent(r, item, &group->util_min, err);
}

static enum err_code read_uclamp_max(struct rtapp *r, const cJSON *item,
				     struct workload_cgroup *group, struct err *err)
{
	enum err_code code = read_percent(r, item, &group->util_max, err);

	if (!code && !group->util_max)
		return json_fault(r->json, item, err,
				  "\"cpu.uclamp.max\": expected 0.1 to 100, or max");
	return code;
}

static enum err_code read_cpuset(struct rtapp *r, const cJSON *item, struct workload_cgroup *group,
				 struct err *err)
{
	return rtapp_cpu_list(r, item, &group->cpus, err);
}

static enum err_code read_identity(struct rtapp *r, const cJSON *item,
				   struct workload_cgroup *group, struct err *err)
{
	enum err_code code = json_u32(r->json, item, 0, WORKLOAD_ID_ALL, &group->identity, err);

	if (!code && group->identity & WORKLOAD_ID_UNDERCLASS &&
	    group->identity & WORKLOAD_ID_HIGHCLASS)
		return json_fault(r->json, item, err,
				  "\"cpu.identity\": expected one of underclass (1) and highclass "
				  "(2), not both");
	return code;
}

/* The older name of some identities.  Kernel: update_bvt_warp_ns(), Alibaba Cloud Linux 4.19. */
static enum err_code read_bvt_warp(struct rtapp *r, const cJSON *item,
				   struct workload_cgroup *group, struct err *err)
{
	static const u32 identities[] = {
		WORKLOAD_ID_UNDERCLASS | WORKLOAD_ID_IDLE_SAVER,
		WORKLOAD_ID_UNDERCLASS | WORKLOAD_ID_IDLE_SAVER,
		0,
		WORKLOAD_ID_HIGHCLASS | WORKLOAD_ID_IDLE_SEEKER,
		WORKLOAD_ID_HIGHCLASS | WORKLOAD_ID_IDLE_SEEKER | WORKLOAD_ID_SMT_EXPELLER,
	};
	s64 value = 0;
	enum err_code code = json_whole(r->json, item, -2, 2, &value, err);

	if (!code)
		group->identity = identities[value + 2];
	return code;
}

static const struct {
	const char *key; /* the kernel's name of the file */
	enum err_code (*read)(struct rtapp *r, const cJSON *item, struct workload_cgroup *group,
			      struct err *err);
} group_rows[] = {
	{ "cpu.weight", read_weight },
	{ "cpu.idle", read_idle },
	{ "cpu.max", read_max },
	{ "cpu.max.burst", read_burst },
	{ "cpuset.cpus", read_cpuset },
	{ "cpu.uclamp.min", read_uclamp_min },
	{ "cpu.uclamp.max", read_uclamp_max },
	{ "cpu.identity", read_identity },
	{ "cpu.bvt_warp_ns", read_bvt_warp },
};

static const struct json_key group_keys[] = {
	{ "cpu.weight", NULL },     { "cpu.idle", NULL },     { "cpu.max", NULL },
	{ "cpu.max.burst", NULL },  { "cpuset.cpus", NULL },  { "cpu.uclamp.min", NULL },
	{ "cpu.uclamp.max", NULL }, { "cpu.identity", NULL }, { "cpu.bvt_warp_ns", NULL },
};

static enum err_code read_cgroup(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	struct workload_cgroup *group;
	s64 index = -1;
	enum err_code code = rtapp_cgroup(r, item, item->string, &index, err);

	if (!code && index < 0)
		code = json_fault(r->json, item, err,
				  "\"/\": expected another group: the root has no settings");
	if (!code)
		code = json_each(r->json, item, "a group", group_keys, ARRAY_SIZE(group_keys), NULL,
				 r, err);
	if (code)
		return code;
	group = &r->workload->cgroups.at[index];
	for (size_t i = 0; i < ARRAY_SIZE(group_rows) && !code; i++) {
		const cJSON *setting = json_get(item, group_rows[i].key);

		if (setting)
			code = group_rows[i].read(r, setting, group, err);
	}
	if (!code && json_get(item, "cpu.identity") && json_get(item, "cpu.bvt_warp_ns"))
		code = json_fault(r->json, item, err,
				  "expected \"cpu.identity\" or \"cpu.bvt_warp_ns\", not both");
	if (!code && group->burst_ns > group->quota_ns)
		code = json_fault(r->json, json_get(item, "cpu.max.burst"), err,
				  "\"cpu.max.burst\": expected at most the quota of cpu.max");
	return code;
}

static enum err_code read_cgroups(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;

	return json_each(r->json, item, "\"cgroups\"", NULL, 0, read_cgroup, r, err);
}

/* Changes */

static enum err_code read_limit(struct rtapp *r, const cJSON *cpu, const cJSON *khz,
				struct workload_change *change, struct err *err)
{
	enum err_code code = json_u32(r->json, cpu, 0, MACHINE_MAX_CPUS - 1, &change->cpu, err);

	return code ? code : json_u32(r->json, khz, 0, RTAPP_MAX_INT, &change->khz, err);
}

/* What a change says besides when: which of "offline", "online", "cgroup", or a limit. */
static enum err_code read_what(struct rtapp *r, const cJSON *object, struct workload_change *change,
			       struct err *err)
{
	const cJSON *offline = json_get(object, "offline"), *online = json_get(object, "online");
	const cJSON *cgroup = json_get(object, "cgroup"), *cpus = json_get(object, "cpuset.cpus");
	const cJSON *soft = json_get(object, "limit"), *hard = json_get(object, "hardware_limit");
	const cJSON *khz = json_get(object, "max_khz");
	const char *path = "";
	s64 index = -1;
	enum err_code code;

	if (!!offline + !!online + !!cgroup + !!soft + !!hard != 1 || !cgroup != !cpus ||
	    (!soft && !hard) != !khz)
		return json_fault(
			r->json, object, err,
			"a change: expected one of \"offline\", \"online\", "
			"\"limit\" or \"hardware_limit\" with \"max_khz\", or \"cgroup\" with "
			"\"cpuset.cpus\"");
	if (khz) {
		change->what = soft ? WORKLOAD_LIMIT : WORKLOAD_HARDWARE_LIMIT;
		return read_limit(r, soft ? soft : hard, khz, change, err);
	}
	change->what = offline  ? WORKLOAD_CPU_OFFLINE
		       : online ? WORKLOAD_CPU_ONLINE
				: WORKLOAD_CPUSET;
	if (!cgroup)
		return json_u32(r->json, offline ? offline : online, 0, MACHINE_MAX_CPUS - 1,
				&change->cpu, err);
	code = json_text(r->json, cgroup, &path, err);
	code = code ? code : rtapp_cgroup(r, cgroup, path, &index, err);
	if (!code && index < 0)
		code = json_fault(r->json, cgroup, err,
				  "\"/\": expected another group: the root has all CPUs");
	change->cgroup = (u32)index;
	return code ? code : rtapp_cpu_list(r, cpus, &change->cpus, err);
}

static enum err_code read_change(struct rtapp *r, const cJSON *object, struct err *err)
{
	static const struct json_key keys[] = {
		{ "at_us", NULL },   { "offline", NULL },        { "online", NULL },
		{ "cgroup", NULL },  { "cpuset.cpus", NULL },    { "limit", NULL },
		{ "max_khz", NULL }, { "hardware_limit", NULL },
	};
	struct workload *workload = r->workload;
	struct workload_change change = { 0 };
	u32 at_us = 0;
	enum err_code code = json_object(r->json, object, err);

	if (!code)
		code = json_each(r->json, object, "a change", keys, ARRAY_SIZE(keys), NULL, r, err);
	if (!code && !json_get(object, "at_us"))
		code = json_fault(r->json, object, err, "a change: expected \"at_us\"");
	if (!code)
		code = json_u32(r->json, json_get(object, "at_us"), 0, RTAPP_MAX_INT, &at_us, err);
	change.time_ns = (u64)at_us * 1000;
	if (!code && workload->changes.nr &&
	    workload->changes.at[workload->changes.nr - 1].time_ns > change.time_ns)
		code = json_fault(r->json, json_get(object, "at_us"), err,
				  "\"at_us\": expected changes in the order of their times");
	code = code ? code : read_what(r, object, &change, err);
	if (!code)
		*vec_add(&workload->changes) = change;
	return code;
}

static enum err_code read_changes(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	enum err_code code = json_array(r->json, item, err);

	for (const cJSON *change = item->child; change && !code; change = change->next)
		code = read_change(r, change, err);
	return code;
}

/* Levels */

static enum err_code refuse_clients(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;

	return json_fault(r->json, item, err,
			  "\"clients\": not yet: closed-loop clients cannot be simulated; expected "
			  "a file without them");
}

enum err_code rtapp_extend_global(void *self, const cJSON *item, struct err *err)
{
	static const struct json_key keys[] = {
		{ "cgroups", read_cgroups },   { "changes", read_changes },
		{ "costs", read_costs },       { "interrupts", rtapp_interrupts },
		{ "clients", refuse_clients },
	};
	struct rtapp *r = self;

	return json_each(r->json, item, "global \"" RTAPP_EXTENSION "\"", keys, ARRAY_SIZE(keys),
			 NULL, r, err);
}

#define COMM_LEN 15 /* the kernel's TASK_COMM_LEN less its NUL */

static enum err_code read_comm(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	const char *comm = "";
	enum err_code code = json_text(r->json, item, &comm, err);

	if (!code && (!*comm || strlen(comm) > COMM_LEN))
		code = json_fault(r->json, item, err, "\"comm\": expected 1 to %d bytes", COMM_LEN);
	if (!code)
		rtapp_task(r)->comm = mem_strdup(comm);
	return code;
}

static enum err_code read_process(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	const char *process = "";
	enum err_code code = json_text(r->json, item, &process, err);

	if (!code && !*process)
		code = json_fault(r->json, item, err, "\"process\": expected a name");
	if (!code)
		rtapp_task(r)->process = mem_strdup(process);
	return code;
}

/* What a task may say once only. */
static const char *said_twice(struct rtapp *r, const cJSON *item)
{
	if (rtapp_task(r)->comm && json_get(item, "comm"))
		return "comm";
	return rtapp_task(r)->process && json_get(item, "process") ? "process" : NULL;
}

/* Before the events of a task or phase: what holds for all of them. */
enum err_code rtapp_extend_task(struct rtapp *r, const cJSON *object, struct err *err)
{
	static const struct json_key keys[] = {
		{ "costs", read_costs },
		{ "begin", NULL },
		{ "end", NULL },
		{ "pipe_write", NULL },
		{ "pipe_read", NULL },
		{ "comm", read_comm }, /* of a task alone, as what follows */
		{ "process", read_process },
	};
	size_t nr_keys = ARRAY_SIZE(keys) - 2 * (object->string != r->task_key);
	enum err_code code = OK;

	for (const cJSON *item = object->child; item && !code; item = item->next)
		if (rtapp_is_extension(item->string) && item->child && said_twice(r, item))
			code = json_fault(r->json, item, err, "\"%s\": expected once in a task",
					  said_twice(r, item));
		else if (rtapp_is_extension(item->string))
			code = json_each(r->json, item, "\"" RTAPP_EXTENSION "\"", keys, nr_keys,
					 NULL, r, err);
	return code;
}

/* Marks and pipes: their place among the events is the place of the key. */

static enum err_code add_mark(struct rtapp *r, const cJSON *item, bool begin, u32 what,
			      struct err *err)
{
	const char *name;
	enum err_code code = json_text(r->json, item, &name, err);

	if (code)
		return code;
	*vec_add(&rtapp_task(r)->events) = (struct workload_event){
		.op = WORKLOAD_OP_MARK,
		.object = WORKLOAD_NO_OBJECT,
		.mutex = WORKLOAD_NO_OBJECT,
		.target = what,
		.mode = begin,
		.site = (u32)rtapp_task(r)->events.nr,
		.mark = mem_strdup(name),
	};
	return OK;
}

static enum err_code add_pipe(struct rtapp *r, const cJSON *item, struct err *err)
{
	bool writes = !strcmp(item->string, "pipe_write");
	const char *name;
	enum err_code code = json_text(r->json, item, &name, err);

	if (code)
		return code;
	*vec_add(&rtapp_task(r)->events) = (struct workload_event){
		.op = writes ? WORKLOAD_OP_PIPE_WRITE : WORKLOAD_OP_PIPE_READ,
		.object = rtapp_object(r, WORKLOAD_OBJECT_PIPE, -1, name),
		.mutex = WORKLOAD_NO_OBJECT,
		.site = (u32)rtapp_task(r)->events.nr,
	};
	return OK;
}

static enum err_code read_marks(struct rtapp *r, const cJSON *side, struct err *err)
{
	static const struct json_key keys[] = {
		[WORKLOAD_MARK_SECTION] = { "section", NULL },
		[WORKLOAD_MARK_CHAIN] = { "chain", NULL },
		[WORKLOAD_MARK_REQUEST] = { "request", NULL },
	};
	bool begin = !strcmp(side->string, "begin");
	enum err_code code =
		json_each(r->json, side, "a mark", keys, ARRAY_SIZE(keys), NULL, r, err);

	for (u32 i = 0; i < ARRAY_SIZE(keys) && !code; i++)
		if (json_get(side, keys[i].name))
			code = add_mark(r, json_get(side, keys[i].name), begin, i, err);
	return code;
}

static const struct {
	const char *key;
	enum err_code (*read)(struct rtapp *r, const cJSON *item, struct err *err);
} own_events[] = {
	{ "begin", read_marks },
	{ "end", read_marks },
	{ "pipe_write", add_pipe },
	{ "pipe_read", add_pipe },
};

bool rtapp_is_own_event(const cJSON *item)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_events); i++)
		if (rtapp_is_extension(item->string) && json_get(item, own_events[i].key))
			return true;
	return false;
}

/* What else is in it was read before the events: rtapp_extend_task(). */
enum err_code rtapp_read_own_events(struct rtapp *r, const cJSON *item, struct err *err)
{
	enum err_code code = OK;

	for (const cJSON *key = item->child; key && !code; key = key->next)
		for (size_t i = 0; i < ARRAY_SIZE(own_events) && !code; i++)
			if (!strcmp(key->string, own_events[i].key))
				code = own_events[i].read(r, key, err);
	return code;
}
