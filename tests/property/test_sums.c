/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What balancing and wakeups read of CPUs and groups of CPUs (sim/sums.h) is, at every event of any
 * workload, what adding up would give: nothing changes a CPU without saying so.
 */
#include "gen.h"
#include "sim/internal.h"
#include "sim/load.h"

struct watch {
	u64 checks, crowded;
};

static void check_cpu(const struct sim *sim, u32 i)
{
	const struct sim_cpu *cpu = &sim->cpus[i];
	const struct sim_sums *sums = sim_cpu_sums(cpu);
	bool only_idle = cpu->nr_running && cpu->nr_running == cpu->root.h_nr_idle;

	CHECK_EQ(sim_cpu_is_idle(cpu), bits_has(sim->select.idle, i), "seed %llu",
		 sim->setup->seed);
	CHECK_EQ(only_idle, bits_has(sim->select.idle_policy, i), "seed %llu", sim->setup->seed);
	if (!sums) /* it is alone */
		return;
	CHECK_EQ(sim_cpu_load(cpu), sums->load, "seed %llu", sim->setup->seed);
	CHECK_EQ(sim_cpu_util(cpu), sums->util, "seed %llu", sim->setup->seed);
	CHECK_EQ(sim_cpu_runnable(cpu), sums->runnable, "seed %llu", sim->setup->seed);
	CHECK_EQ(cpu->nr_running, sums->nr_running, "seed %llu", sim->setup->seed);
	CHECK_EQ(cpu->root.h_nr_queued, sums->queued, "seed %llu", sim->setup->seed);
	CHECK_EQ(cpu->root.h_nr_runnable, sums->h_runnable, "seed %llu", sim->setup->seed);
	CHECK_EQ(sim_cpu_is_idle(cpu), sums->idle, "seed %llu", sim->setup->seed);
	CHECK_EQ(cpu->free_capacity != cpu->capacity, sums->reduced, "seed %llu", sim->setup->seed);
}

static void check_group(const struct sim *sim, const struct machine_domain *domain, u32 index)
{
	const struct machine_group *group = &domain->groups[index];
	const struct sim_sums *sums = &sim->balance.shared[domain->index].groups[index].sums;
	struct sim_sums all = { 0 };

	for (u32 i = 0; i < group->nr_cpus; i++) {
		const struct sim_sums *one = sim_cpu_sums(&sim->cpus[group->cpus[i]]);

		all.load += one->load;
		all.util += one->util;
		all.runnable += one->runnable;
		all.nr_running += one->nr_running;
		all.queued += one->queued;
		all.h_runnable += one->h_runnable;
		all.idle += one->idle;
		all.crowded += one->nr_running > 1;
		all.reduced += one->reduced;
	}
	CHECK(!memcmp(&all, sums, sizeof(all)), "seed %llu: group %u of %s", sim->setup->seed,
	      index, domain->name);
}

static void check_all(void *self, const struct sim *sim, const struct event *event)
{
	struct watch *watch = self;

	if (event->kind != EVENT_SWITCH && event->kind != EVENT_WAKEUP)
		return;
	sim_sums_update((struct sim *)sim);
	watch->checks++;
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		check_cpu(sim, i);
		watch->crowded += sim->cpus[i].nr_running > 1;
	}
	for (u32 i = 0; i < sim->domains.nr; i++)
		for (u32 k = 0; k < sim->domains.at[i].nr_groups; k++)
			check_group(sim, &sim->domains.at[i], k);
}

static void run_one(u64 seed, const char *release, struct watch *watch)
{
	struct gen gen = { .seed = seed,
			   .max_cpus = 8,
			   .max_tasks = 20,
			   .nice = 20,
			   .costs = seed & 1,
			   .release = release };
	struct lab lab;

	gen_lab(&gen, &lab);
	/* two caches, cores of two threads */
	for (u32 i = 0; i < lab.machine.nr_cpus; i++)
		lab.machine.cpus[i].cluster = lab.machine.cpus[i].llc = i / 4;
	lab.setup.duration_ns = 60 * MS;
	lab.setup.probe = check_all;
	lab.setup.probe_self = watch;
	CHECK_EQ(OK, lab_run(&lab), "seed %llu", seed);
	lab_fini(&lab);
}

static void run_all(const char *release)
{
	struct watch watch = { 0 };

	for (u64 seed = 1; seed <= 100; seed++)
		run_one(seed, release, &watch);
	CHECK(watch.checks > 1000 && watch.crowded > 1000, "%llu, %llu", watch.checks,
	      watch.crowded);
}

TEST(sums_of_cpus_and_groups_are_up_to_date_with_cfs)
{
	run_all("6.1");
}

TEST(sums_of_cpus_and_groups_are_up_to_date_with_eevdf)
{
	run_all("6.12");
}

TEST(sums_of_cpus_and_groups_are_up_to_date_with_one_queue_for_all_groups)
{
	run_all("7.3");
}
