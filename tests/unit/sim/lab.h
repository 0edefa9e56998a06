/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lab - a simulation built in code: costless CPUs, a workload, and what came out.
 *
 *	struct lab lab = LAB(1, 250);
 *	struct workload_task *hog = lab_task(&lab, "hog", 1, 1);
 *	lab_event(&lab, hog, WORKLOAD_OP_RUN, 3 * MS);
 *	lab_run(&lab);
 *
 * Events are kept whole, so that a test can look at any of them.
 */
#ifndef TESTS_LAB_H
#define TESTS_LAB_H

#include <stdlib.h>

#include "events/fields.h"
#include "events/sinks.h"
#include "sim/sim.h"
#include "test.h"

#define US    1000ULL
#define MS    1000000ULL
#define S     1000000000ULL

#define FIRST 1001 /* the tid of the first task; the others count on from it */
#define NEVER U64_MAX

struct lab {
	struct machine machine;
	struct workload *workload;
	struct sim_setup setup;
	VEC(struct event) events;
	struct events_hash hash;
	struct err err;
};

/* Another kernel than 6.12, with its defaults. */
static inline void lab_release(struct lab *lab, const char *name)
{
	lab->setup.release = policy_release_find(name);
	CHECK(lab->setup.release, "release %s", name);
	lab->setup.features = lab->setup.release->on;
}

static inline void lab_init(struct lab *lab, u32 nr_cpus, u32 hz)
{
	*lab = (struct lab){ 0 };
	machine_flat(&lab->machine, nr_cpus);
	lab->machine.costs = (struct machine_costs){ 0 };
	lab->workload = workload_new();
	lab->workload->name = mem_strdup("lab");
	lab->setup = (struct sim_setup){ .machine = &lab->machine,
					 .workload = lab->workload,
					 .hz = hz,
					 .seed = 1,
					 .tunables = SIM_TUNABLES };
	lab_release(lab, "6.12");
}

/* Valid until the next one is added. */
static inline struct workload_task *lab_task(struct lab *lab, const char *name, u32 instances,
					     s64 loop)
{
	struct workload_task *task = vec_add(&lab->workload->tasks);

	task->name = mem_strdup(name);
	task->instances = instances;
	task->loop = loop;
	task->attr = WORKLOAD_ATTR_KEEP;
	task->attr.policy = EVENT_POLICY_NORMAL;
	task->attr.nice = 0;
	*vec_add(&task->phases) = (struct workload_phase){ .loop = 1, .attr = WORKLOAD_ATTR_KEEP };
	return task;
}

/* One more event of the task's last phase. */
static inline struct workload_event *lab_event(struct workload_task *task, enum workload_op op,
					       u64 amount)
{
	struct workload_event *event = vec_add(&task->events);

	*event = (struct workload_event){ .op = op,
					  .object = WORKLOAD_NO_OBJECT,
					  .mutex = WORKLOAD_NO_OBJECT,
					  .site = (u32)task->events.nr,
					  .amount = { .shape = WORKLOAD_CONST, .a = amount } };
	task->phases.at[task->phases.nr - 1].nr_events++;
	return event;
}

/* The same for an operation on an object. */
static inline struct workload_event *lab_on(struct workload_task *task, enum workload_op op,
					    u32 object)
{
	struct workload_event *event = lab_event(task, op, 0);

	event->object = object;
	return event;
}

static inline void lab_runs(struct workload_task *task, u64 ns)
{
	lab_event(task, WORKLOAD_OP_RUN, ns);
}

static inline void lab_sleeps(struct workload_task *task, u64 ns)
{
	lab_event(task, WORKLOAD_OP_SLEEP, ns);
}

/* A further phase; what follows is added to it. */
static inline struct workload_attr *lab_phase(struct workload_task *task, s64 loop)
{
	*vec_add(&task->phases) = (struct workload_phase){ .first_event = (u32)task->events.nr,
							   .loop = loop,
							   .attr = WORKLOAD_ATTR_KEEP };
	return &task->phases.at[task->phases.nr - 1].attr;
}

/* The CPUs of the bits of @mask. */
static inline const struct workload_cpus *lab_cpus(struct lab *lab, u32 mask)
{
	struct workload_cpus *cpus = mem_zalloc(sizeof(*cpus) + 32 * sizeof(u32));

	for (u32 i = 0; i < 32; i++)
		if (mask >> i & 1)
			cpus->at[cpus->nr++] = i;
	*vec_add(&lab->workload->cpu_lists) = cpus;
	return cpus;
}

/* @parent: what an earlier call gave; WORKLOAD_CGROUP_ROOT for none. */
static inline s64 lab_group(struct lab *lab, s64 parent, u32 weight)
{
	*vec_add(&lab->workload->cgroups) = (struct workload_cgroup){
		.path = mem_strdup("/g"), .parent = parent >= 0 ? parent : -1, .weight = weight
	};
	return (s64)lab->workload->cgroups.nr - 1;
}

static inline void lab_feature(struct lab *lab, enum policy_feature feature, bool on)
{
	policy_feature_set(&lab->setup.features, feature, on);
}

static inline u32 lab_object(struct lab *lab, enum workload_object_kind kind, u32 count,
			     bool per_thread)
{
	*vec_add(&lab->workload->objects) = (struct workload_object){
		.name = mem_strdup("o"), .kind = kind, .per_thread = per_thread, .count = count
	};
	return (u32)lab->workload->objects.nr - 1;
}

static inline enum err_code lab_keep(void *self, const struct event *event)
{
	*vec_add(&((struct lab *)self)->events) = *event;
	if (getenv("LAB_SHOW"))
		fprintf(stderr, "%llu cpu %d %s task %d other %d: %llx %llx\n", event->time_ns,
			event->cpu, event_kind_name(event->kind), event->task.tid, event->other.tid,
			event->words[0], event->words[1]);
	return OK;
}

static inline enum err_code lab_run(struct lab *lab)
{
	struct events_check check = { .next = { lab, NULL, lab_keep, NULL } };
	struct events_tee tee = { 0 };

	events_tee_add(&tee, events_check_sink(&check));
	events_tee_add(&tee, events_hash_sink(&lab->hash));
	return sim_run(&lab->setup, events_tee_sink(&tee), &lab->err);
}

static inline void lab_fini(struct lab *lab)
{
	vec_free(&lab->events);
	workload_free(lab->workload);
	machine_fini(&lab->machine);
}

/* The n-th (from 0) event of a kind about a tid (0: any); NULL if there are fewer. */
static inline const struct event *lab_find(const struct lab *lab, u32 kind, s32 tid, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == kind && (!tid || event->task.tid == tid) && !n--)
			return event;
	}
	return NULL;
}

/* When the n-th event of a kind about a tid happened; U64_MAX if it did not. */
static inline u64 lab_when(const struct lab *lab, u32 kind, s32 tid, u32 n)
{
	const struct event *event = lab_find(lab, kind, tid, n);

	return event ? event->time_ns : U64_MAX;
}

/* When the thread ended; NEVER if it did not. */
static inline u64 lab_end(const struct lab *lab, s32 tid)
{
	return lab_when(lab, EVENT_EXIT, tid, 0);
}

/* When the thread was given a CPU for the n-th time (from 0). */
static inline u64 lab_on_cpu(const struct lab *lab, s32 tid, u32 n)
{
	for (size_t i = 0; i < lab->events.nr; i++) {
		const struct event *event = &lab->events.at[i];

		if (event->kind == EVENT_SWITCH && event->other.tid == tid && !n--)
			return event->time_ns;
	}
	return NEVER;
}

/* How many events of a kind are about a tid (0: any). */
static inline u32 lab_count(const struct lab *lab, u32 kind, s32 tid)
{
	u32 nr = 0;

	while (lab_find(lab, kind, tid, nr))
		nr++;
	return nr;
}

static inline u64 lab_ran_ns(const struct lab *lab, s32 tid)
{
	u64 ns = 0;

	for (size_t i = 0; i < lab->events.nr; i++)
		if (lab->events.at[i].kind == EVENT_RUNTIME && lab->events.at[i].task.tid == tid)
			ns += lab->events.at[i].runtime.runtime_ns;
	return ns;
}

#endif
