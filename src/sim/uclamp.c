/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uclamp - bounds of utilisation: what tasks and groups ask for, and what of it each CPU has.
 *
 * Where the release has none, or nothing of the workload sets one, it costs one look.
 * Kernel: uclamp_rq_inc(), uclamp_eff_get(), cpu_util_update_eff(), kernel/sched/core.c, v7.3.
 */
#include "sim/uclamp.h"

static bool asks(const struct workload_attr *attr)
{
	return attr->util_min >= 0 || attr->util_max >= 0;
}

static bool is_used(const struct workload *workload)
{
	vec_for_each(group, &workload->cgroups)
		if (group->util_min || group->util_max)
			return true;
	vec_for_each(task, &workload->tasks) {
		if (asks(&task->attr))
			return true;
		vec_for_each(phase, &task->phases)
			if (asks(&phase->attr))
				return true;
	}
	return false;
}

/* Before any task is born.  Parents come before their children. */
void sim_uclamp_init(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;

	sim->clamps = sim->setup->release->uclamp && is_used(workload);
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		sim->cpus[i].uclamp = (struct policy_uclamp){ .idle = true };
		sim->cpus[i].uclamp.value[POLICY_UCLAMP_MAX] = POLICY_UCLAMP_FULL;
	}
	for (size_t i = 0; i < workload->cgroups.nr; i++) {
		const struct workload_cgroup *group = &workload->cgroups.at[i];
		u32 *eff = sim->groups[i].uclamp;
		const u32 *above = group->parent >= 0 ? sim->groups[group->parent].uclamp : NULL;

		eff[POLICY_UCLAMP_MIN] = group->util_min;
		eff[POLICY_UCLAMP_MAX] = group->util_max ? group->util_max : POLICY_UCLAMP_FULL;
		for (u32 id = 0; id < POLICY_NR_UCLAMPS && above; id++)
			if (above[id] < eff[id])
				eff[id] = above[id];
		if (eff[POLICY_UCLAMP_MIN] > eff[POLICY_UCLAMP_MAX])
			eff[POLICY_UCLAMP_MIN] = eff[POLICY_UCLAMP_MAX];
	}
}

/* A realtime task that asked for nothing wants the biggest CPU.  Kernel: uclamp_eff_get(). */
static u32 effective(const struct sim_task *task, u32 id)
{
	u32 value =
		task->uclamp_asked[id] >= 0 ? (u32)task->uclamp_asked[id] : policy_uclamp_none(id);
	const u32 *group;

	if (task->uclamp_asked[id] < 0 && task->rt_prio)
		value = POLICY_UCLAMP_FULL;
	if (!task->cgroup)
		return value;
	group = task->sim->groups[task->cgroup - 1].uclamp;
	return policy_uclamp_restrict(value, group[POLICY_UCLAMP_MIN], group[POLICY_UCLAMP_MAX]);
}

u32 sim_uclamp_of(const struct sim_task *task, u32 id)
{
	if (!task->sim->clamps)
		return policy_uclamp_none(id);
	return task->uclamp_counted ? task->uclamp[id] : effective(task, id);
}

u32 sim_uclamp_cpu(const struct sim_cpu *cpu, u32 id)
{
	return cpu->sim->clamps ? cpu->uclamp.value[id] : policy_uclamp_none(id);
}

void sim_uclamp_count(struct sim_cpu *cpu, struct sim_task *task)
{
	if (task->uclamp_counted)
		return;
	for (u32 id = 0; id < POLICY_NR_UCLAMPS; id++) {
		task->uclamp[id] = effective(task, id);
		policy_uclamp_inc(&cpu->uclamp, id, task->uclamp[id]);
	}
	policy_uclamp_busy(&cpu->uclamp);
	task->uclamp_counted = true;
}

void sim_uclamp_uncount(struct sim_cpu *cpu, struct sim_task *task)
{
	if (!task->uclamp_counted)
		return;
	for (u32 id = 0; id < POLICY_NR_UCLAMPS; id++)
		policy_uclamp_dec(&cpu->uclamp, id, task->uclamp[id]);
	task->uclamp_counted = false;
}
