/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds of utilisation, as tasks, groups and CPUs have them in 7.3. */
#include "lab.h"
#include "sim/uclamp.h"

struct seen {
	u32 most[POLICY_NR_UCLAMPS]; /* that a busy CPU 0 had */
	u32 cpu;                     /* where the task ran last */
};

static void probe(void *self, const struct sim *sim, const struct event *event)
{
	struct seen *seen = self;

	if (event->kind != EVENT_SWITCH || !event->other.tid)
		return;
	seen->cpu = (u32)event->cpu;
	for (u32 id = 0; id < POLICY_NR_UCLAMPS; id++)
		seen->most[id] = sim_uclamp_cpu(&sim->cpus[event->cpu], id);
}

/* The CPU has what its one task asked for, or its group lets it have; before 7.3 nothing. */
TEST(requests_and_groups_reach_the_cpu)
{
	static const struct {
		const char *release;
		s32 asked[2];
		u32 group[2], want[2];
	} rows[] = {
		{ "7.3", { 300, 600 }, { 0, 0 }, { 300, 600 } },
		{ "7.3", { -1, -1 }, { 200, 500 }, { 200, 500 } },
		{ "7.3", { 300, 900 }, { 400, 500 }, { 400, 500 } },
		{ "6.12", { 300, 600 }, { 0, 0 }, { 0, 1024 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct seen seen = { { 0 }, 0 };
		struct workload_task *task;
		struct lab lab;

		lab_init(&lab, 1, 250);
		lab_release(&lab, rows[i].release);
		task = lab_task(&lab, "task", 1, 1);
		task->attr.util_min = rows[i].asked[0];
		task->attr.util_max = rows[i].asked[1];
		if (rows[i].group[1]) {
			task->attr.cgroup = lab_group(&lab, lab_group(&lab, -1, 100), 100);
			lab.workload->cgroups.at[0].util_min = rows[i].group[0];
			lab.workload->cgroups.at[0].util_max = 1024;
			lab.workload->cgroups.at[1].util_min = rows[i].group[0];
			lab.workload->cgroups.at[1].util_max = rows[i].group[1];
		}
		lab_runs(task, 10 * MS);
		lab.setup.probe = probe;
		lab.setup.probe_self = &seen;
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 id = 0; id < POLICY_NR_UCLAMPS; id++)
			CHECK_EQ(rows[i].want[id], seen.most[id], "row %zu, %u", i, id);
		lab_fini(&lab);
	}
}

/*
 * A realtime task that wakes on a small CPU goes to the big one, since it wants the biggest; not
 * if it asks for less, nor where nobody bounds anything.
 */
TEST(realtime_tasks_fit_by_their_lower_bound)
{
	static const struct {
		s32 asked[2];
		u32 cpu;
	} rows[] = { { { -1, 1024 }, 1 }, { { 100, 1024 }, 0 }, { { -1, -1 }, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct seen seen = { { 0 }, 0 };
		struct workload_task *task;
		struct lab lab;

		lab_init(&lab, 2, 250);
		lab_release(&lab, "7.3");
		lab.machine.cpus[0].capacity = 512;
		task = lab_task(&lab, "realtime", 1, 1);
		task->attr.policy = EVENT_POLICY_FIFO;
		task->attr.rt_prio = 10;
		task->attr.util_min = rows[i].asked[0];
		task->attr.util_max = rows[i].asked[1];
		task->attr.cpus = lab_cpus(&lab, 1 << 0);
		lab_sleeps(task, 1 * MS);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 1 << 0 | 1 << 1);
		lab_sleeps(task, 1 * MS);
		lab_runs(task, 1 * MS);
		lab.setup.probe = probe;
		lab.setup.probe_self = &seen;
		CHECK_EQ(OK, lab_run(&lab));
		CHECK_EQ(rows[i].cpu, seen.cpu, "row %zu", i);
		lab_fini(&lab);
	}
}
