/* SPDX-License-Identifier: GPL-2.0-only */
/* Load averages of a simulation, looked at from inside. */
#include "lab.h"
#include "sim/load.h"

/* What the engine knew at the first event at or after a time. */
struct look {
	u64 at_ns;
	s32 tid;
	bool taken;
	u64 util, est, load, h_load, cpu_util[2], cpu_load[2], cpu_runnable[2];
	u64 weight[2]; /* of the first group */
};

static void take(struct look *look, const struct sim *sim)
{
	for (u32 i = 0; i < 2; i++) {
		look->cpu_util[i] = sim_cpu_util(&sim->cpus[i]);
		look->cpu_load[i] = sim_cpu_load(&sim->cpus[i]);
		look->cpu_runnable[i] = sim_cpu_runnable(&sim->cpus[i]);
		if (sim->setup->workload->cgroups.nr)
			look->weight[i] = sim->group_entities[i].load;
	}
	vec_for_each(task, &sim->tasks) {
		if ((*task)->id.tid != look->tid)
			continue;
		look->util = sim_task_util(*task);
		look->est = sim_task_util_est(*task);
		look->load = sim_task_load(*task);
		look->h_load = sim_task_h_load(*task);
	}
}

static void probe(void *self, const struct sim *sim, const struct event *event)
{
	struct look *look = self;

	if (look->taken || event->time_ns < look->at_ns || !event->time_ns)
		return;
	look->taken = true;
	take(look, sim);
}

static struct look run(struct lab *lab, s32 tid, u64 at_ns)
{
	struct look look = { .at_ns = at_ns, .tid = tid };

	lab->setup.probe = probe;
	lab->setup.probe_self = &look;
	CHECK_EQ(OK, lab_run(lab));
	CHECK(look.taken);
	return look;
}

static struct workload_task *on_cpu(struct lab *lab, const char *name, u32 mask, u64 run_ns)
{
	struct workload_task *task = lab_task(lab, name, 1, 1);

	task->attr.cpus = lab_cpus(lab, mask);
	lab_runs(task, run_ns);
	return task;
}

/* A new task starts at half the CPU, 512; in the limit it is 1024 less what is rounded. */
TEST(one_that_always_runs_is_all_utilisation)
{
	static const char *const releases[] = { "6.1", "6.12", "7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		struct lab lab;
		struct look look;

		lab_init(&lab, 2, 250);
		lab_release(&lab, releases[i]);
		lab.setup.duration_ns = 1100 * MS;
		on_cpu(&lab, "hog", 1, 10 * S);
		look = run(&lab, FIRST, 1 * S);
		CHECK(look.util >= 1021 && look.util <= 1024, "%s: %llu", releases[i], look.util);
		CHECK(look.load >= 1021 && look.load <= 1024, "%llu", look.load);
		CHECK_EQ(look.util, look.cpu_util[0]);
		CHECK(look.cpu_load[0] >= 1021 && look.cpu_load[0] <= 1025, "%llu",
		      look.cpu_load[0]);
		CHECK_EQ(0, look.cpu_util[1]);
		lab_fini(&lab);
	}
}

/* Of two hogs on one CPU each runs half of the time, and both wait or run all of it. */
TEST(those_that_share_a_cpu_share_its_utilisation)
{
	struct lab lab;
	struct look look;

	lab_init(&lab, 2, 1000);
	lab.setup.duration_ns = 1100 * MS;
	on_cpu(&lab, "a", 1, 10 * S);
	on_cpu(&lab, "b", 1, 10 * S);
	look = run(&lab, FIRST, 1 * S);
	CHECK(look.util > 480 && look.util < 544, "%llu", look.util);
	CHECK(look.cpu_util[0] >= 1020, "%llu", look.cpu_util[0]);
	CHECK(look.cpu_load[0] >= 2040 && look.cpu_load[0] <= 2050, "%llu", look.cpu_load[0]);
	CHECK(look.cpu_runnable[0] >= 2040 && look.cpu_runnable[0] <= 2050);
	lab_fini(&lab);
}

/* On a CPU of half the capacity it gets as far: it only takes longer. */
TEST(utilisation_does_not_depend_on_the_cpu)
{
	struct lab lab;
	struct look look;

	lab_init(&lab, 2, 250);
	lab.machine.cpus[0].capacity = 512;
	lab.setup.duration_ns = 2100 * MS;
	on_cpu(&lab, "hog", 1, 10 * S);
	look = run(&lab, FIRST, 2 * S);
	CHECK(look.util >= 1020 && look.util <= 1024, "%llu", look.util);
	CHECK_EQ(512, look.cpu_util[0], "but a CPU has no more than it has");
	lab_fini(&lab);
}

/*
 * 10 ms of every 40 on either CPU of two, one of them half as big: the work is the same, and
 * so is what it leaves after a period of 40 ms, 1024 * (1 - y^9.54) / (1 - y^38.15) * y^28.6
 * = 181 at its least: the CPU is idle for the rest of the period, in the same clock.
 */
TEST(the_same_work_is_the_same_utilisation)
{
	u64 util[2];

	for (u32 small = 0; small < 2; small++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 2, 1000);
		lab.machine.cpus[0].capacity = small ? 512 : 1024;
		lab.setup.duration_ns = 2100 * MS;
		task = on_cpu(&lab, "t", 1, 10 * MS);
		task->loop = 100;
		lab_event(task, WORKLOAD_OP_TIMER, 40 * MS)->object =
			lab_object(&lab, WORKLOAD_OBJECT_TIMER, 0, false);
		util[small] = run(&lab, FIRST, 2001 * MS).util;
		lab_fini(&lab);
	}
	CHECK(util[0] > 170 && util[0] < 360, "%llu", util[0]);
	CHECK(util[0] > util[1] ? util[0] - util[1] < 16 : util[1] - util[0] < 16, "%llu, %llu",
	      util[0], util[1]);
}

/* It runs 50 ms of 100.  When it wakes its average has halved more than once, the estimate has not. */
TEST(util_est)
{
	static const char *const releases[] = { "6.1", "6.12", "7.3" };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(releases); i++) {
		struct lab lab;
		struct workload_task *task;
		struct look look;
		bool on = i % 2;

		lab_init(&lab, 2, 250);
		lab_release(&lab, releases[i / 2]);
		lab_feature(&lab, POLICY_UTIL_EST, on);
		task = on_cpu(&lab, "t", 1, 50 * MS);
		lab_sleeps(task, 50 * MS);
		task->loop = 10;
		look = run(&lab, FIRST, 501 * MS);
		CHECK(look.util < 400, "%s: %llu", releases[i / 2], look.util);
		CHECK(on ? look.cpu_util[0] > 600 : look.cpu_util[0] < 400, "%s, on %u: %llu",
		      releases[i / 2], on, look.cpu_util[0]);
		lab_fini(&lab);
	}
}

/*
 * Ten short runs, then a long one: the average of 6.1 follows a quarter of the way without
 * UTIL_EST_FASTUP.  Then short ones again, which end what the last one said.
 */
TEST(util_est_fastup)
{
	u64 est[2];

	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;

		lab_init(&lab, 2, 250);
		lab_release(&lab, "6.1");
		lab_feature(&lab, POLICY_UTIL_EST_FASTUP, on);
		task = on_cpu(&lab, "t", 1, 1 * MS);
		lab_sleeps(task, 99 * MS);
		task->phases.at[0].loop = 10;
		lab_phase(task, 1);
		lab_runs(task, 100 * MS);
		lab_sleeps(task, 100 * MS);
		lab_runs(task, 1 * MS);
		lab_sleeps(task, 99 * MS);
		lab_runs(task, 5 * MS);
		est[on] = run(&lab, FIRST, 1300 * MS).est;
		lab_fini(&lab);
	}
	CHECK(est[1] > 600, "%llu: 3/4 of what 100 ms are, 900", est[1]);
	CHECK(est[0] < 300, "%llu: 3/4 of a quarter of it", est[0]);
}

/*
 * It is fair on CPU 0 for 100 ms, FIFO there for 90 ms, goes to CPU 1 and is fair again.  Its
 * old queue was last looked at when it left that (balancing would, but not for 200 ms), so that
 * no time seems to have passed; else what it used decays by 90 ms, to a seventh.
 */
TEST(attach_age_load)
{
	for (u32 on = 0; on < 2; on++) {
		struct lab lab;
		struct workload_task *task;
		struct workload_attr *attr;
		u64 util;

		lab_init(&lab, 2, 250);
		lab_feature(&lab, POLICY_ATTACH_AGE_LOAD, on);
		lab.setup.tunables.domains[MACHINE_MC].min_interval_ms = 1000;
		task = on_cpu(&lab, "t", 1, 100 * MS);
		attr = lab_phase(task, 1);
		attr->policy = EVENT_POLICY_FIFO;
		attr->rt_prio = 1;
		lab_runs(task, 90 * MS);
		lab_phase(task, 1)->cpus = lab_cpus(&lab, 2);
		lab_runs(task, 1 * MS);
		lab_phase(task, 1)->policy = EVENT_POLICY_NORMAL;
		lab_runs(task, 5 * MS);
		on_cpu(&lab, "hog", 2, 300 * MS);
		util = run(&lab, FIRST, 192 * MS).util;
		CHECK(on ? util > 700 : util < 250, "on %u: %llu", on, util);
		lab_fini(&lab);
	}
}

/* It sleeps on CPU 0 and wakes on CPU 1, which is all it may use then: its load goes there. */
TEST(load_moves_with_a_task)
{
	struct lab lab;
	struct workload_task *task;
	struct look look;

	lab_init(&lab, 2, 250);
	task = on_cpu(&lab, "t", 1, 400 * MS);
	lab_phase(task, 1)->cpus = lab_cpus(&lab, 2);
	lab_runs(task, 30 * MS);
	lab_sleeps(task, 1 * MS);
	lab_runs(task, 30 * MS);
	on_cpu(&lab, "other", 1, 500 * MS);
	on_cpu(&lab, "third", 1, 500 * MS);
	look = run(&lab, FIRST, 1250 * MS);
	CHECK(look.cpu_load[0] < 2060, "%llu", look.cpu_load[0]);
	lab_fini(&lab);
}

/*
 * 100 % against 100 %: A with one task beside B with three on two CPUs; A's and one of B's on
 * CPU 0.  B has a third of its shares there, 2^20 / 3, give or take the 64th of load that is
 * not told, so that A runs 3/4.
 */
TEST(a_groups_shares_follow_its_load)
{
	static const char *const releases[] = { "6.1", "6.12" };

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		struct lab lab;
		struct look look;
		u64 ran_ns;

		lab_init(&lab, 2, 1000);
		lab_release(&lab, releases[i]);
		lab.setup.duration_ns = 20 * S;
		lab_group(&lab, -1, 100);
		lab_group(&lab, -1, 100);
		on_cpu(&lab, "a", 1, 100 * S)->attr.cgroup = 1;
		on_cpu(&lab, "b", 1, 100 * S)->attr.cgroup = 0;
		on_cpu(&lab, "c", 2, 100 * S)->attr.cgroup = 0;
		on_cpu(&lab, "d", 2, 100 * S)->attr.cgroup = 0;
		look = run(&lab, FIRST + 1, 10 * S);
		CHECK(look.weight[0] >= 344064 && look.weight[0] <= 355000, "%llu", look.weight[0]);
		CHECK(look.weight[1] >= 693000 && look.weight[1] <= 710000, "%llu", look.weight[1]);
		ran_ns = lab_ran_ns(&lab, FIRST);
		CHECK(ran_ns > 14850 * MS && ran_ns < 15150 * MS, "%s: a ran %llu of 20 s",
		      releases[i], ran_ns);
		lab_fini(&lab);
	}
}

/* Half of what the CPU's load is, that of the group being 1024 on it: 512. */
TEST(a_task_in_a_group_has_its_part_of_the_groups_load)
{
	struct lab lab;
	struct look look;

	lab_init(&lab, 2, 1000);
	lab.setup.duration_ns = 2 * S;
	lab_group(&lab, -1, 100);
	on_cpu(&lab, "a", 1, 100 * S)->attr.cgroup = 0;
	on_cpu(&lab, "b", 1, 100 * S)->attr.cgroup = 0;
	look = run(&lab, FIRST, 1900 * MS);
	CHECK(look.load >= 1020, "%llu", look.load);
	CHECK(look.h_load > 500 && look.h_load <= 512, "%llu", look.h_load);
	CHECK(look.cpu_load[0] > 1010 && look.cpu_load[0] <= 1024, "%llu", look.cpu_load[0]);
	CHECK(look.cpu_util[0] > 1010, "%llu", look.cpu_util[0]);
	lab_fini(&lab);
}

/* A realtime task that runs 9 ms of 10 leaves the fair class a tenth of its CPU. */
TEST(realtime_tasks_take_capacity)
{
	struct sim sim = { .tracks = true, .rules = &policy_release_find("6.12")->rules };
	struct sim_cpu cpu = { .sim = &sim, .capacity = 1024 };

	cpu.rt_load.util_avg = 900;
	sim_cpu_capacity_update(&cpu);
	CHECK_EQ(124, sim_cpu_capacity_of(&cpu));
	cpu.irq_load.util_avg = 512;
	sim_cpu_capacity_update(&cpu);
	CHECK_EQ(62, sim_cpu_capacity_of(&cpu), "and interrupts half of that");
	cpu.rt_load.util_avg = 1024;
	sim_cpu_capacity_update(&cpu);
	CHECK_EQ(1, sim_cpu_capacity_of(&cpu));
}

/* From nothing, 100 ms are 95 periods: 1024 * (1 - 2^(-95 / 32)) = 893. */
TEST(who_runs_is_known_when_all_averages_are_brought_up_to_date)
{
	static const struct {
		const struct sim_class *class;
		bool rt, dl;
	} rows[] = {
		{ &sim_class_rt, true, false },
		{ &sim_class_dl, false, true },
		{ NULL, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab lab;
		struct sim sim = { .tracks = true, .now_ns = 100 * MS, .setup = &lab.setup };
		struct sim_task task = { .class = rows[i].class }, idle = { 0 };
		struct sim_cpu cpu = { .sim = &sim,
				       .capacity = 1024,
				       .freq_scale = 1024,
				       .curr = &task,
				       .idle = &idle,
				       .pelt_ns = POLICY_PELT_FIRST_NS };

		lab_init(&lab, 1, 250);
		cpu.root.cpu = &cpu;
		cpu.root.pelt.update_ns = cpu.irq_load.update_ns = POLICY_PELT_FIRST_NS;
		cpu.rt_load.update_ns = cpu.dl_load.update_ns = POLICY_PELT_FIRST_NS;
		CHECK_EQ(rows[i].rt || rows[i].dl, sim_cpu_load_blocked(&cpu));
		CHECK_EQ(rows[i].rt, cpu.rt_load.util_avg > 880 && cpu.rt_load.util_avg < 900);
		CHECK_EQ(rows[i].dl, cpu.dl_load.util_avg > 880 && cpu.dl_load.util_avg < 900);
		lab_fini(&lab);
	}
}
