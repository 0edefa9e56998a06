/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp - the parts of the workload reader, for each other only.
 *
 * rtapp.c            the document: global, resources, tasks; what is resolved last
 * rtapp_task.c       tasks and phases
 * rtapp_attr.c       policy, priority, slices, clamps, groups, CPUs
 * rtapp_event.c      events
 * rtapp_extension.c  the "fairground" key
 */
#ifndef INPUT_RTAPP_H
#define INPUT_RTAPP_H

#include "base/map.h"
#include "base/vec.h"
#include "input/json.h"
#include "machine/machine.h"
#include "workload/workload.h"

#define RTAPP_EXTENSION   "fairground"
#define RTAPP_MAX_INT     2147483647 /* rt-app's numbers are C ints */
#define RTAPP_MAX_THREADS 65536      /* of the whole workload, forks not counted */
#define RTAPP_MAX_CGROUPS 4096

/* What memory and I/O events cost; rtapp_costs.ps is in ps per KiB, chase: ps per hop. */
enum rtapp_cost {
	RTAPP_COST_MEM,
	RTAPP_COST_IORUN,
	RTAPP_COST_READ,
	RTAPP_COST_WRITE,
	RTAPP_COST_CHASE,
	RTAPP_NR_COSTS
};

struct rtapp_costs {
	u64 ps[RTAPP_NR_COSTS];
	bool known[RTAPP_NR_COSTS];
};

/* A fork names a task that may come later in the file. */
struct rtapp_fork {
	u32 task, event;
	const cJSON *item;
};

struct rtapp {
	const struct json *json;
	struct workload *workload;
	struct names objects; /* "kind/owner/name"; numbered as workload.objects */
	struct names tasks;   /* numbered as workload.tasks */
	struct names cgroups; /* paths; numbered as workload.cgroups */
	struct map repeats;   /* a task's number -> how often its name was used again */
	VEC(struct rtapp_fork) forks;
	s32 default_policy;
	u64 nr_threads;
	/* where the reader is */
	u32 task;
	const char *task_key; /* its name in the file: what a bare suspend waits on */
	s32 policy;           /* in force here */
	s64 cgroup;           /* in force here */
	struct rtapp_costs costs;
};

static inline struct workload_task *rtapp_task(const struct rtapp *r)
{
	return &r->workload->tasks.at[r->task];
}

/* For reports: what was left out, and why. */
void rtapp_note(struct rtapp *r, const cJSON *item, const char *why);

json_read rtapp_read_task;

/* A key of task or phase that belongs to no table: event, extension, or refused. */
json_read rtapp_check_key;
bool rtapp_is_event(const char *key);
bool rtapp_is_extension(const char *key);

/* rt-app's name of a policy; ERR_FORMAT lists those there are. */
enum err_code rtapp_policy(struct rtapp *r, const cJSON *item, s32 *out, struct err *err);
/*
 * The attributes of a task (@whole: with rt-app's defaults) or phase into @attr, but not
 * its CPUs.  Changes what is in force.
 */
enum err_code rtapp_read_attr(struct rtapp *r, const cJSON *object, bool whole,
			      struct workload_attr *attr, struct err *err);
/* "cpus" of a task or phase; NULL if it has none. */
enum err_code rtapp_read_cpus(struct rtapp *r, const cJSON *object,
			      const struct workload_cpus **out, struct err *err);
/* "0-3,5" */
enum err_code rtapp_cpu_list(struct rtapp *r, const cJSON *item, const struct workload_cpus **out,
			     struct err *err);
/* The group of a path, made with its parents if it is new; WORKLOAD_CGROUP_ROOT for "/". */
enum err_code rtapp_cgroup(struct rtapp *r, const cJSON *item, const char *path, s64 *out,
			   struct err *err);

/* The object of that kind and name; @owner is a task's number for a thread's own, or -1. */
u32 rtapp_object(struct rtapp *r, enum workload_object_kind kind, s64 owner, const char *name);
/* Every event of @object, in order, to the task's events. */
enum err_code rtapp_read_events(struct rtapp *r, const cJSON *object, struct err *err);

/* Extension keys by level.  Marks add events. */
json_read rtapp_extend_global;
json_read rtapp_interrupts;
enum err_code rtapp_extend_task(struct rtapp *r, const cJSON *object, struct err *err);
bool rtapp_is_own_event(const cJSON *item);
enum err_code rtapp_read_own_events(struct rtapp *r, const cJSON *item, struct err *err);
/* { "lognormal": { ... } } */
enum err_code rtapp_distribution(struct rtapp *r, const cJSON *item, struct workload_amount *out,
				 struct err *err);
/* @count bytes or hops at the stated cost; refuses @item by name if there is none. */
enum err_code rtapp_work(struct rtapp *r, const cJSON *item, enum rtapp_cost cost, u64 count,
			 struct workload_amount *out, struct err *err);

#endif
