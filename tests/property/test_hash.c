/* SPDX-License-Identifier: GPL-2.0-only */
/* The same setup gives the same stream, wherever it runs; any change gives another. */
#include <pthread.h>

#include "gen.h"

/* One thing that differs from the workload of a seed. */
enum change {
	CHANGE_NOTHING,
	CHANGE_AMOUNT,
	CHANGE_FEATURE,
	CHANGE_HZ,
	CHANGE_SEED,
	CHANGE_CPUS,
	CHANGE_COST,
	CHANGE_NICE,
	CHANGE_DURATION,
	NR_CHANGES
};

struct job {
	u64 seed;
	enum change change;
	struct events_hash hash;
};

static void apply(struct lab *lab, enum change change)
{
	struct workload_task *task = &lab->workload->tasks.at[0];

	switch (change) {
	case CHANGE_AMOUNT:
		task->events.at[0].amount.a += 1000;
		break;
	case CHANGE_FEATURE:
		lab_feature(lab, POLICY_WAKEUP_PREEMPTION,
			    !policy_feature(&lab->setup.features, POLICY_WAKEUP_PREEMPTION));
		break;
	case CHANGE_HZ:
		lab->setup.hz = lab->setup.hz == 250 ? 300 : 250;
		break;
	case CHANGE_SEED:
		lab->setup.seed++;
		break;
	case CHANGE_COST:
		lab->machine.costs.switch_ns++;
		break;
	case CHANGE_NICE:
		task->attr.nice--;
		break;
	case CHANGE_DURATION:
		lab->setup.duration_ns++;
		break;
	default:
		break;
	}
}

/* Crowded: three hogs and random tasks on two CPUs, so that everything matters. */
static void *simulate(void *self)
{
	struct job *job = self;
	struct gen gen = {
		.seed = job->seed, .max_cpus = 1, .max_tasks = 6, .nice = 1, .flat = true
	};
	struct lab lab;
	u32 nr_cpus = job->change == CHANGE_CPUS ? 3 : 2;

	lab_init(&lab, nr_cpus, 250);
	lab.setup.seed = job->seed;
	lab.setup.duration_ns = 200 * MS;
	lab_event(lab_task(&lab, "hog", 3, WORKLOAD_FOREVER), WORKLOAD_OP_RUN, 1)->amount =
		(struct workload_amount){ .shape = WORKLOAD_UNIFORM, .a = 5 * MS, .b = 9 * MS };
	lab_sleeps(&lab.workload->tasks.at[0], 1 * MS);
	for (u32 i = 0; i < 3; i++)
		lab_object(&lab, i < 2 ? WORKLOAD_OBJECT_MUTEX : WORKLOAD_OBJECT_TIMER, 0, i == 2);
	for (u32 i = 0; i < gen.max_tasks; i++)
		gen_task(&gen, &lab);
	apply(&lab, job->change);
	if (sim_run(&lab.setup, events_hash_sink(&job->hash), &lab.err) != OK)
		job->hash.events = 0;
	lab_fini(&lab);
	return NULL;
}

TEST(the_same_setup_gives_the_same_stream_in_two_threads_at_once)
{
	for (u64 seed = 1; seed <= 20; seed++) {
		struct job jobs[2] = { { .seed = seed }, { .seed = seed } }, alone = { seed };
		pthread_t threads[2];

		for (u32 i = 0; i < 2; i++)
			CHECK_EQ(0, pthread_create(&threads[i], NULL, simulate, &jobs[i]));
		for (u32 i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		simulate(&alone);
		CHECK(alone.hash.events > 100, "seed %llu", seed);
		CHECK_EQ(alone.hash.hash, jobs[0].hash.hash, "seed %llu", seed);
		CHECK_EQ(alone.hash.hash, jobs[1].hash.hash, "seed %llu", seed);
	}
}

TEST(each_change_gives_another_stream)
{
	for (u64 seed = 1; seed <= 20; seed++) {
		struct job jobs[NR_CHANGES];

		for (u32 i = 0; i < NR_CHANGES; i++) {
			jobs[i] = (struct job){ .seed = seed, .change = i };
			simulate(&jobs[i]);
			for (u32 k = 0; k < i; k++)
				CHECK(jobs[i].hash.hash != jobs[k].hash.hash,
				      "seed %llu, changes %u and %u", seed, k, i);
		}
	}
}
