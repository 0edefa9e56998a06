/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whatever realtime tasks do, fair hogs have 50 ms of each second: by the end of second n they
 * have had n * 50, less a tick, because a turn ends at one and what it took too much the next
 * one pays, and less the little that switches and interrupts cost.
 */
#include "gen.h"
#include "sim/internal.h"

struct watch {
	u64 ran_ns[4]; /* by CPU: of fair tasks */
	u64 seconds, least_ns;
};

/* The event's CPU is who accounts; the thread's may be another. */
static void add(struct watch *watch, const struct sim *sim, const struct event *event)
{
	for (size_t i = 0; i < sim->tasks.nr; i++) {
		const struct sim_task *task = sim->tasks.at[i];

		if (task->id.tid == event->task.tid && !task->rt_prio)
			watch->ran_ns[task->cpu->id] += event->runtime.runtime_ns;
	}
}

static void count(void *self, const struct sim *sim, const struct event *event)
{
	struct watch *watch = self;
	u64 tick_ns = sim->tick_ns;

	while (event->time_ns / S > watch->seconds) {
		watch->seconds++;
		for (u32 i = 0; i < sim->nr_cpus; i++) {
			CHECK(watch->ran_ns[i] + tick_ns + 100 * US >= watch->seconds * 50 * MS,
			      "seed %llu: CPU %u, %llu ns by second %llu", sim->setup->seed, i,
			      watch->ran_ns[i], watch->seconds);
			if (watch->ran_ns[i] / watch->seconds < watch->least_ns)
				watch->least_ns = watch->ran_ns[i] / watch->seconds;
		}
	}
	if (event->kind == EVENT_RUNTIME)
		add(watch, sim, event);
}

/*
 * A fair and a realtime hog on each CPU, and what else the seed brings; but no one changes its
 * policy: a task that gets the CPU as a fair one and then becomes a realtime one keeps it.
 */
static void run_one(u64 seed, struct watch *watch)
{
	struct gen gen = {
		.seed = seed, .max_cpus = 4, .max_tasks = 4, .nice = 20, .costs = seed & 1
	};
	struct events_hash hash = { 0 };
	struct lab lab;

	gen_lab(&gen, &lab);
	if (seed & 2)
		lab_release(&lab, "7.3");
	vec_for_each(task, &lab.workload->tasks)
		vec_for_each(phase, &task->phases) {
			phase->attr.policy = -1;
			phase->attr.rt_prio = 0;
		}
	for (u32 i = 0; i < 2 * lab.machine.nr_cpus; i++) {
		struct workload_task *task = lab_task(&lab, "hog", 1, WORKLOAD_FOREVER);

		task->attr.cpus = lab_cpus(&lab, 1u << i / 2);
		task->attr.policy = i % 2 ? EVENT_POLICY_RR : EVENT_POLICY_NORMAL;
		task->attr.rt_prio = i % 2;
		gen_timed(&gen, task, WORKLOAD_OP_RUN);
	}
	lab.setup.duration_ns = 4 * S;
	lab.setup.probe = count;
	lab.setup.probe_self = watch;
	CHECK_EQ(OK, sim_run(&lab.setup, events_hash_sink(&hash), &lab.err), "seed %llu", seed);
	lab_fini(&lab);
}

TEST(fair_hogs_have_a_twentieth_beside_realtime_hogs)
{
	const char *text = getenv("FAIRGROUND_WORKLOADS");
	u64 nr = (text && *text ? strtoull(text, NULL, 0) : 200) / 10;
	u64 least_ns = U64_MAX;

	for (u64 seed = 1; seed <= nr; seed++) {
		struct watch watch = { .least_ns = U64_MAX };

		run_one(seed, &watch);
		CHECK(watch.seconds >= 3, "seed %llu", seed);
		if (watch.least_ns < least_ns)
			least_ns = watch.least_ns;
	}
	printf("# at least %llu us a second\n", least_ns / 1000);
	CHECK(least_ns < 60 * MS, "no realtime task was in the way");
}
