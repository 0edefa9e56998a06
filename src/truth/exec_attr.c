/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies, CPUs, slices, clamps and groups of threads, as system calls and files. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "truth/exec.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

/* The kernel's struct sched_attr, its second version; include/uapi/linux/sched/types.h. */
struct kernel_attr {
	u32 size, policy;
	u64 flags;
	s32 nice;
	u32 priority;
	u64 runtime, deadline, period;
	u32 util_min, util_max;
};

enum {
	POLICY_FIFO = 1,
	POLICY_RR = 2,
	POLICY_DEADLINE = 6,
	FLAG_UTIL_MIN = 0x20,
	FLAG_UTIL_MAX = 0x40,
};

static void merge(struct workload_attr *into, const struct workload_attr *attr)
{
	if (attr->policy >= 0)
		into->policy = attr->policy;
	if (attr->nice != WORKLOAD_NICE_KEEP)
		into->nice = attr->nice;
	if (attr->rt_prio)
		into->rt_prio = attr->rt_prio;
	if (attr->slice_ns)
		into->slice_ns = attr->slice_ns;
	if (attr->dl_runtime_ns) {
		into->dl_runtime_ns = attr->dl_runtime_ns;
		into->dl_deadline_ns = attr->dl_deadline_ns;
		into->dl_period_ns = attr->dl_period_ns;
	}
	if (attr->util_min >= 0)
		into->util_min = attr->util_min;
	if (attr->util_max >= 0)
		into->util_max = attr->util_max;
	if (attr->cgroup != -1)
		into->cgroup = attr->cgroup;
	if (attr->cpus)
		into->cpus = attr->cpus;
}

static void clamps(struct kernel_attr *to, const struct workload_attr *attr)
{
	if (attr->util_min >= 0) {
		to->flags |= FLAG_UTIL_MIN;
		to->util_min = (u32)attr->util_min;
	}
	if (attr->util_max >= 0) {
		to->flags |= FLAG_UTIL_MAX;
		to->util_max = (u32)attr->util_max;
	}
}

static bool set_policy(const struct exec_thread *thread, const struct workload_attr *attr,
		       struct exec_fault *fault)
{
	struct kernel_attr to = { .size = sizeof(to), .policy = (u32)attr->policy };

	if (attr->policy == POLICY_FIFO || attr->policy == POLICY_RR) {
		to.priority = attr->rt_prio ? (u32)attr->rt_prio : 1;
	} else if (attr->policy == POLICY_DEADLINE) {
		to.runtime = attr->dl_runtime_ns;
		to.deadline = attr->dl_deadline_ns;
		to.period = attr->dl_period_ns;
	} else {
		to.nice = attr->nice == WORKLOAD_NICE_KEEP ? 0 : attr->nice;
		to.runtime = attr->slice_ns;
	}
	clamps(&to, attr);
	if (!syscall(SYS_sched_setattr, 0, &to, 0))
		return true;
	return exec_fault(fault, "task \"%s\": policy %d, nice %d, priority %u, runtime %llu ns",
			  thread->def->name, attr->policy, to.nice, to.priority, to.runtime);
}

static bool set_cpus(const struct exec_thread *thread, const struct workload_cpus *cpus,
		     struct exec_fault *fault)
{
	u32 nr = cpus->nr ? cpus->at[cpus->nr - 1] + 1 : thread->run->nr_cpus;
	cpu_set_t *set = CPU_ALLOC(nr);
	size_t size = CPU_ALLOC_SIZE(nr);
	int refused;

	CPU_ZERO_S(size, set);
	for (u32 i = 0; i < (cpus->nr ? cpus->nr : nr); i++)
		CPU_SET_S(cpus->nr ? cpus->at[i] : i, size, set);
	refused = sched_setaffinity(0, size, set);
	CPU_FREE(set);
	if (!refused)
		return true;
	return exec_fault(fault, "task \"%s\": its CPUs", thread->def->name);
}

static bool write_group(const char *group, const char *file, const char *text,
			struct exec_fault *fault)
{
	char path[600];

	snprintf(path, sizeof(path), CGROUP_ROOT "%s/%s", group, file);
	return exec_write_file(path, text, fault);
}

static bool join_group(const struct exec_thread *thread, s64 cgroup, struct exec_fault *fault)
{
	const struct workload *workload = thread->run->program->workload;
	const char *path = cgroup >= 0 ? workload->cgroups.at[cgroup].path : "";

	return write_group(path, "cgroup.threads", "0", fault);
}

static bool same_policy(const struct workload_attr *a, const struct workload_attr *b)
{
	return a->policy == b->policy && a->nice == b->nice && a->rt_prio == b->rt_prio &&
	       a->slice_ns == b->slice_ns && a->dl_runtime_ns == b->dl_runtime_ns &&
	       a->dl_deadline_ns == b->dl_deadline_ns && a->dl_period_ns == b->dl_period_ns &&
	       a->util_min == b->util_min && a->util_max == b->util_max;
}

bool exec_attr_apply(struct exec_thread *thread, const struct workload_attr *attr,
		     struct exec_fault *fault)
{
	struct workload_attr want = thread->attr, old = thread->attr;

	merge(&want, attr);
	thread->attr = want;
	if (want.cgroup != old.cgroup && !join_group(thread, want.cgroup, fault))
		return false;
	if (want.cpus && want.cpus != old.cpus && !set_cpus(thread, want.cpus, fault))
		return false;
	return same_policy(&want, &old) || set_policy(thread, &want, fault);
}

/* Settings of one group; a file that is missing says that the kernel lacks the controller. */
static bool set_group(const struct workload_cgroup *group, struct exec_fault *fault)
{
	char text[64];

	if (group->weight) {
		snprintf(text, sizeof(text), "%u", group->weight);
		if (group->weight != 100 && !write_group(group->path, "cpu.weight", text, fault))
			return false;
	} else if (!write_group(group->path, "cpu.idle", "1", fault)) {
		return false;
	}
	if (!group->quota_ns)
		return true;
	snprintf(text, sizeof(text), "%llu %llu", group->quota_ns / 1000, group->period_ns / 1000);
	if (!write_group(group->path, "cpu.max", text, fault))
		return false;
	snprintf(text, sizeof(text), "%llu", group->burst_ns / 1000);
	return !group->burst_ns || write_group(group->path, "cpu.max.burst", text, fault);
}

static bool set_cpuset(const struct workload_cgroup *group, struct exec_fault *fault)
{
	char text[4096];
	int len = 0;

	for (u32 i = 0; i < group->cpus->nr && len < (int)sizeof(text) - 16; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%u", i ? "," : "",
				group->cpus->at[i]);
	return write_group(group->path, "cpuset.cpus", text, fault);
}

/* Threads of one process in several groups: all of them are of the kind "threaded". */
static bool make_group(const struct workload *workload, const struct workload_cgroup *group,
		       struct exec_fault *fault)
{
	const char *parent = group->parent >= 0 ? workload->cgroups.at[group->parent].path : "";
	char path[600];

	snprintf(path, sizeof(path), CGROUP_ROOT "%s", group->path);
	if (!write_group(parent, "cgroup.subtree_control", group->cpus ? "+cpu +cpuset" : "+cpu",
			 fault))
		return false;
	if (mkdir(path, 0755) && errno != EEXIST)
		return exec_fault(fault, "%s", path);
	return write_group(group->path, "cgroup.type", "threaded", fault) &&
	       set_group(group, fault) && (!group->cpus || set_cpuset(group, fault));
}

bool exec_cgroups_make(const struct workload *workload, struct exec_fault *fault)
{
	vec_for_each(group, &workload->cgroups)
		if (!make_group(workload, group, fault))
			return false;
	return true;
}

void exec_cgroups_remove(const struct workload *workload)
{
	for (size_t i = workload->cgroups.nr; i-- > 0;) {
		char path[600];

		snprintf(path, sizeof(path), CGROUP_ROOT "%s", workload->cgroups.at[i].path);
		rmdir(path);
	}
}
