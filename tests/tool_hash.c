/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tool_hash - prints the hash of one fixed simulation, and of small changes to it.
 *
 * A line is "name hash events".  tests/hash_builds.sh compares the lines of builds by
 * different compilers, and the lines of one build with each other: "again" and "thread"
 * are the same run, the others differ from it in one thing.
 */
#include <pthread.h>
#include <stdio.h>

#include "events/sinks.h"
#include "sim/sim.h"

#define MS 1000000ULL

struct variant {
	const char *name;
	u64 often_run_ns; /* what those that wake often run at most */
	u64 seed;
	u32 nr_cpus;
	const char *release;
	bool no_parity; /* --features NO_RUN_TO_PARITY */
};

static const struct variant variants[] = {
	{ "base", MS, 1, 2, "6.12", false },      { "again", MS, 1, 2, "6.12", false },
	{ "event", 2 * MS, 1, 2, "6.12", false }, { "seed", MS, 2, 2, "6.12", false },
	{ "machine", MS, 1, 3, "6.12", false },   { "release", MS, 1, 2, "6.1", false },
	{ "feature", MS, 1, 2, "6.12", true },
};

static void keep_attr(struct workload_attr *attr)
{
	attr->policy = -1;
	attr->nice = WORKLOAD_NICE_KEEP;
	attr->cgroup = -1;
}

/* A task of one phase that loops for ever. */
static struct workload_task *add_task(struct workload *workload, const char *name, u32 instances)
{
	struct workload_task *task = vec_add(&workload->tasks);
	struct workload_phase *phase;

	task->name = mem_strdup(name);
	task->instances = instances;
	task->loop = WORKLOAD_FOREVER;
	keep_attr(&task->attr);
	phase = vec_add(&task->phases);
	phase->name = mem_strdup("only");
	phase->loop = 1;
	keep_attr(&phase->attr);
	return task;
}

static void add_event(struct workload_task *task, enum workload_op op, enum workload_shape shape,
		      u64 a, u64 b)
{
	struct workload_event *event = vec_add(&task->events);

	event->op = op;
	event->object = event->mutex = WORKLOAD_NO_OBJECT;
	event->site = (u32)task->events.nr;
	event->amount = (struct workload_amount){ .shape = shape, .a = a, .b = b };
	task->phases.at[0].nr_events++;
}

/* More work than two CPUs do: hogs of two weights, and two kinds that wake and sleep. */
static struct workload *build(const struct variant *variant)
{
	struct workload *workload = workload_new();
	struct workload_task *task;

	workload->name = mem_strdup("hash");
	task = add_task(workload, "hog", 3);
	add_event(task, WORKLOAD_OP_RUN, WORKLOAD_CONST, 5 * MS, 0);
	task = add_task(workload, "nice", 1);
	task->attr.nice = 5;
	add_event(task, WORKLOAD_OP_RUN, WORKLOAD_CONST, 3 * MS, 0);
	add_event(task, WORKLOAD_OP_YIELD, WORKLOAD_CONST, 0, 0);
	task = add_task(workload, "often", 4);
	add_event(task, WORKLOAD_OP_RUN, WORKLOAD_UNIFORM, MS / 10, variant->often_run_ns);
	add_event(task, WORKLOAD_OP_SLEEP, WORKLOAD_EXPONENTIAL, 4 * MS, 0);
	task = add_task(workload, "seldom", 2);
	add_event(task, WORKLOAD_OP_SLEEP, WORKLOAD_LOGNORMAL, 20 * MS, 500);
	add_event(task, WORKLOAD_OP_RUN, WORKLOAD_NORMAL, 6 * MS, 2 * MS);
	return workload;
}

static struct sim_setup setup_of(const struct variant *variant, const struct machine *machine,
				 const struct workload *workload)
{
	const struct policy_release *release = policy_release_find(variant->release);
	struct sim_setup setup = {
		.machine = machine,
		.workload = workload,
		.release = release,
		.features = release->on,
		.hz = 250,
		.duration_ns = 2000 * MS,
		.seed = variant->seed,
		.tunables = SIM_TUNABLES,
	};

	if (variant->no_parity)
		policy_feature_set(&setup.features, POLICY_RUN_TO_PARITY, false);
	return setup;
}

/* Prints the line of @variant under @name. */
static enum err_code simulate(const struct variant *variant, const char *name)
{
	struct err err = ERR_NONE;
	char line[1024];
	struct machine machine;
	struct workload *workload = build(variant);
	struct events_hash hash = { 0 };
	struct events_check check = { .next = events_hash_sink(&hash) };
	struct sim_setup setup;

	machine_flat(&machine, variant->nr_cpus);
	setup = setup_of(variant, &machine, workload);
	if (sim_run(&setup, events_check_sink(&check), &err)) {
		err_print(&err, line, sizeof(line));
		fprintf(stderr, "%s: %s\n", name, line);
	} else {
		printf("%s %016llx %llu\n", name, hash.hash, hash.events);
	}
	workload_free(workload);
	machine_fini(&machine);
	return err.code;
}

static void *in_thread(void *variant)
{
	return (void *)(long)simulate(variant, "thread");
}

int main(void)
{
	enum err_code code = OK;
	void *thread_code = NULL;
	pthread_t thread;

	for (size_t i = 0; i < ARRAY_SIZE(variants) && !code; i++)
		code = simulate(&variants[i], variants[i].name);
	if (code || pthread_create(&thread, NULL, in_thread, (void *)&variants[0]))
		return 1;
	pthread_join(thread, &thread_code);
	return thread_code != NULL;
}
