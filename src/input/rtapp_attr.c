/* SPDX-License-Identifier: GPL-2.0-only */
/* Policy, priority, slices, clamps, groups and CPUs of tasks and phases. */
#include "input/rtapp.h"

#include <stdlib.h>
#include <string.h>

#include "events/event.h"
#include "input/cpulist.h"
#include "machine/machine.h"

enum policy_class {
	FAIR,
	REALTIME,
	DEADLINE
};

static const struct {
	const char *name;
	s32 policy;
	enum policy_class class;
	bool slice; /* the kernel takes a custom slice with it (since 6.12) */
} policies[] = {
	{ "SCHED_OTHER", EVENT_POLICY_NORMAL, FAIR, true },
	{ "SCHED_BATCH", EVENT_POLICY_BATCH, FAIR, true },
	{ "SCHED_IDLE", EVENT_POLICY_IDLE, FAIR, false },
	{ "SCHED_FIFO", EVENT_POLICY_FIFO, REALTIME, false },
	{ "SCHED_RR", EVENT_POLICY_RR, REALTIME, false },
	{ "SCHED_DEADLINE", EVENT_POLICY_DEADLINE, DEADLINE, false },
};

static size_t policy_row(s32 policy)
{
	size_t i = 0;

	while (policies[i].policy != policy)
		i++;
	return i;
}

enum err_code rtapp_policy(struct rtapp *r, const cJSON *item, s32 *out, struct err *err)
{
	const char *name = "";
	enum err_code code = json_text(r->json, item, &name, err);

	if (code)
		return code;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		if (!strcmp(name, policies[i].name)) {
			*out = policies[i].policy;
			return OK;
		}
	}
	return json_fault(r->json, item, err,
			  "policy \"%.64s\": expected SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, "
			  "SCHED_FIFO, SCHED_RR or SCHED_DEADLINE",
			  name);
}

/* rt-app's defaults where a policy is named: nice 0, priority 10. */
static enum err_code read_priority(struct rtapp *r, const cJSON *item, bool named,
				   struct workload_attr *attr, struct err *err)
{
	enum policy_class class = policies[policy_row(r->policy)].class;
	s64 value = class == FAIR ? 0 : 10;
	enum err_code code = OK;

	if (!item && !named)
		return OK;
	if (class == DEADLINE) {
		if (item)
			rtapp_note(r, item, "SCHED_DEADLINE has no priority");
		return OK;
	}
	if (item && class == FAIR)
		code = json_whole(r->json, item, -20, 19, &value, err);
	else if (item)
		code = json_whole(r->json, item, 1, 99, &value, err);
	if (class == FAIR)
		attr->nice = (s32)value;
	else
		attr->rt_prio = (s32)value;
	return code;
}

static enum err_code read_us(struct rtapp *r, const cJSON *item, u64 absent_ns, u64 *out_ns,
			     struct err *err)
{
	u32 us = 0;
	enum err_code code = OK;

	*out_ns = absent_ns;
	if (item && !(code = json_u32(r->json, item, 0, RTAPP_MAX_INT, &us, err)))
		*out_ns = (u64)us * 1000;
	return code;
}

static enum err_code read_deadline(struct rtapp *r, const cJSON *object, bool named,
				   struct workload_attr *attr, struct err *err)
{
	const cJSON *runtime = json_get(object, "dl-runtime");
	enum err_code code;

	if (!runtime && named)
		return json_fault(r->json, object, err,
				  "\"%.64s\": expected \"dl-runtime\" with SCHED_DEADLINE",
				  object->string);
	if ((code = read_us(r, runtime, 0, &attr->dl_runtime_ns, err)) ||
	    (code = read_us(r, json_get(object, "dl-period"), attr->dl_runtime_ns,
			    &attr->dl_period_ns, err)) ||
	    (code = read_us(r, json_get(object, "dl-deadline"), attr->dl_period_ns,
			    &attr->dl_deadline_ns, err)))
		return code;
	if (runtime && (!attr->dl_runtime_ns || attr->dl_runtime_ns > attr->dl_deadline_ns ||
			attr->dl_deadline_ns > attr->dl_period_ns))
		return json_fault(r->json, runtime, err,
				  "expected 0 < dl-runtime <= dl-deadline <= dl-period");
	return OK;
}

/* "dl-runtime" is the budget of a deadline task, and the slice of a fair one. */
static enum err_code read_dl(struct rtapp *r, const cJSON *object, bool named,
			     struct workload_attr *attr, struct err *err)
{
	static const char *const keys[] = { "dl-period", "dl-deadline", "dl-runtime" };
	size_t row = policy_row(r->policy);

	if (policies[row].class == DEADLINE)
		return read_deadline(r, object, named, attr, err);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const cJSON *item = json_get(object, keys[i]);

		if (item && !(policies[row].slice && i == 2))
			return json_fault(r->json, item, err,
					  "\"%s\" means nothing with %s; expected it with "
					  "SCHED_DEADLINE%s",
					  keys[i], policies[row].name,
					  i == 2 ? ", SCHED_OTHER or SCHED_BATCH" : "");
	}
	return read_us(r, json_get(object, "dl-runtime"), 0, &attr->slice_ns, err);
}

static enum err_code read_clamps(struct rtapp *r, const cJSON *object, struct workload_attr *attr,
				 struct err *err)
{
	const cJSON *min = json_get(object, "util_min"), *max = json_get(object, "util_max");
	s64 low = -1, high = -1;
	enum err_code code = OK;

	if (min)
		code = json_whole(r->json, min, -1, 1024, &low, err);
	if (!code && max)
		code = json_whole(r->json, max, -1, 1024, &high, err);
	if (!code && low >= 0 && high >= 0 && low > high)
		code = json_fault(r->json, min, err, "expected util_min <= util_max");
	attr->util_min = (s32)low;
	attr->util_max = (s32)high;
	return code;
}

static enum err_code read_group(struct rtapp *r, const cJSON *item, struct workload_attr *attr,
				struct err *err)
{
	const char *path = "";
	enum err_code code = OK;

	if (item && (code = json_text(r->json, item, &path, err)))
		return code;
	if (*path && !(code = rtapp_cgroup(r, item, path, &attr->cgroup, err)))
		r->cgroup = attr->cgroup;
	return code;
}

enum err_code rtapp_read_attr(struct rtapp *r, const cJSON *object, bool whole,
			      struct workload_attr *attr, struct err *err)
{
	const cJSON *policy = json_get(object, "policy"),
		    *membind = json_get(object, "nodes_membind");
	bool named = whole || policy;
	enum err_code code = OK;

	if (whole)
		r->policy = r->default_policy;
	if (policy && (code = rtapp_policy(r, policy, &r->policy, err)))
		return code;
	if (named)
		attr->policy = r->policy;
	if (membind)
		rtapp_note(r, membind, "where memory lies is not modelled");
	if ((code = read_priority(r, json_get(object, "priority"), named, attr, err)) ||
	    (code = read_dl(r, object, named, attr, err)) ||
	    (code = read_clamps(r, object, attr, err)) ||
	    (code = read_group(r, json_get(object, "taskgroup"), attr, err)))
		return code;
	if (r->cgroup >= 0 && policies[policy_row(r->policy)].class != FAIR)
		return json_fault(
			r->json, object, err,
			"\"%.64s\": expected SCHED_OTHER, SCHED_BATCH or SCHED_IDLE for a "
			"task in a taskgroup, found %s",
			object->string, policies[policy_row(r->policy)].name);
	return OK;
}

static int by_number(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Sorted, without repetitions, owned by the workload. */
static const struct workload_cpus *keep_cpus(struct rtapp *r, u32 *cpus, size_t nr)
{
	struct workload_cpus *list;
	u32 distinct = 0;

	qsort(cpus, nr, sizeof(*cpus), by_number);
	for (size_t i = 0; i < nr; i++)
		if (!i || cpus[i] != cpus[i - 1])
			cpus[distinct++] = cpus[i];
	list = mem_zalloc(sizeof(*list) + distinct * sizeof(list->at[0]));
	list->nr = distinct;
	memcpy(list->at, cpus, distinct * sizeof(list->at[0]));
	*vec_add(&r->workload->cpu_lists) = list;
	return list;
}

enum err_code rtapp_read_cpus(struct rtapp *r, const cJSON *object,
			      const struct workload_cpus **out, struct err *err)
{
	const cJSON *item = json_get(object, "cpus");
	VEC(u32) cpus = { 0 };
	enum err_code code;

	*out = NULL;
	if (!item)
		return OK;
	code = json_array(r->json, item, err);
	for (const cJSON *cpu = item->child; cpu && !code; cpu = cpu->next)
		code = json_u32(r->json, cpu, 0, MACHINE_MAX_CPUS - 1, vec_add(&cpus), err);
	if (!code && !cpus.nr)
		code = json_fault(r->json, item, err, "\"cpus\": expected at least one CPU");
	if (!code)
		*out = keep_cpus(r, cpus.at, cpus.nr);
	vec_free(&cpus);
	return code;
}

enum err_code rtapp_cpu_list(struct rtapp *r, const cJSON *item, const struct workload_cpus **out,
			     struct err *err)
{
	struct cpulist list = { 0 };
	const char *text = "";
	enum err_code code = json_text(r->json, item, &text, err);

	if (!code && !cpulist_read(&list, text))
		code = json_fault(r->json, item, err,
				  "\"%.32s\": expected a list of CPUs like \"0-3,5\"",
				  item->string);
	if (!code)
		*out = keep_cpus(r, list.cpus.at, list.cpus.nr);
	cpulist_fini(&list);
	return code;
}

/* "/a/b": absolute, no empty, "." or ".." part, as a cgroup file system would take it. */
static bool path_is_good(const char *path)
{
	u32 depth = 0;

	if (strlen(path) > 1024)
		return false;
	for (const char *at = path; *at; depth++) {
		size_t len;

		if (*at++ != '/')
			return false;
		len = strcspn(at, "/");
		if (!len || (len == 1 && *at == '.') || (len == 2 && !strncmp(at, "..", 2)))
			return false;
		at += len;
	}
	return depth > 0 && depth <= 32;
}

static u32 add_cgroup(struct rtapp *r, const char *path, size_t len, s64 parent)
{
	u32 index = names_add(&r->cgroups, path, len);

	if (index == r->workload->cgroups.nr)
		*vec_add(&r->workload->cgroups) = (struct workload_cgroup){
			.path = mem_strndup(path, len), .parent = parent, .weight = 100
		};
	return index;
}

enum err_code rtapp_cgroup(struct rtapp *r, const cJSON *item, const char *path, s64 *out,
			   struct err *err)
{
	s64 parent = -1;

	if (!strcmp(path, "/")) {
		*out = WORKLOAD_CGROUP_ROOT;
		return OK;
	}
	if (!path_is_good(path))
		return json_fault(
			r->json, item, err,
			"\"%.32s\": expected a group's path like \"/a/b\", at most 32 deep",
			item->string);
	for (const char *at = path; *at;) {
		at += 1 + strcspn(at + 1, "/");
		parent = add_cgroup(r, path, (size_t)(at - path), parent);
	}
	if (r->workload->cgroups.nr > RTAPP_MAX_CGROUPS)
		return json_fault(r->json, item, err, "expected at most %d groups",
				  RTAPP_MAX_CGROUPS);
	*out = parent;
	return OK;
}
