/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gen - a random setup from a seed: machine, HZ, features, groups and tasks.
 *
 * Each choice is a draw at a numbered site, so that a failing seed stands for one workload.
 */
#ifndef TESTS_GEN_H
#define TESTS_GEN_H

#include "base/rng.h"
#include "lab.h"

struct gen {
	u64 seed, draws;
	u32 max_cpus, max_tasks;
	s32 nice;  /* values lie in -nice..nice, but at most 19 */
	bool flat; /* no groups, one policy, no binding, no custom slices */
	bool costs;
	const char *release; /* NULL: 6.12 */
};

/* 0..n-1 */
static inline u32 gen_below(struct gen *gen, u32 n)
{
	return rng_below(rng_draw(gen->seed, 77, gen->draws++, 0), n);
}

static inline s32 gen_nice(struct gen *gen)
{
	s32 nice = (s32)gen_below(gen, 2 * (u32)gen->nice + 1) - gen->nice;

	return nice > 19 ? 19 : nice;
}

/* Any CPUs but none. */
static inline const struct workload_cpus *gen_cpus(struct gen *gen, struct lab *lab)
{
	return lab_cpus(lab, 1 + gen_below(gen, (1u << lab->machine.nr_cpus) - 1));
}

static inline void gen_amount(struct gen *gen, struct workload_event *event)
{
	u64 a = 1 + gen_below(gen, 3000000);
	static const enum workload_shape shapes[] = { WORKLOAD_CONST, WORKLOAD_UNIFORM,
						      WORKLOAD_EXPONENTIAL };

	event->amount = (struct workload_amount){ .shape = shapes[gen_below(gen, 3)],
						  .a = a,
						  .b = a + gen_below(gen, 3000000) };
}

static inline void gen_timed(struct gen *gen, struct workload_task *task, enum workload_op op)
{
	gen_amount(gen, lab_event(task, op, 1));
}

/* A run under one of the two mutexes. */
static inline void gen_locked(struct gen *gen, struct workload_task *task)
{
	u32 mutex = gen_below(gen, 2);

	lab_on(task, WORKLOAD_OP_LOCK, mutex);
	gen_timed(gen, task, WORKLOAD_OP_RUN);
	lab_on(task, WORKLOAD_OP_UNLOCK, mutex);
}

static inline void gen_event(struct gen *gen, struct workload_task *task)
{
	switch (gen_below(gen, 8)) {
	case 0:
		lab_event(task, WORKLOAD_OP_YIELD, 0);
		break;
	case 1:
		gen_locked(gen, task);
		break;
	case 2:
		gen_timed(gen, task, WORKLOAD_OP_RUNTIME);
		break;
	case 3:
		gen_timed(gen, task, WORKLOAD_OP_TIMER);
		task->events.at[task->events.nr - 1].object = 2;
		break;
	case 4:
	case 5:
		gen_timed(gen, task, WORKLOAD_OP_SLEEP);
		break;
	default:
		gen_timed(gen, task, WORKLOAD_OP_RUN);
		break;
	}
}

/* What a task or a phase is made to be. */
static inline void gen_attr(struct gen *gen, struct lab *lab, struct workload_attr *attr)
{
	static const s32 policies[] = { EVENT_POLICY_NORMAL, EVENT_POLICY_NORMAL,
					EVENT_POLICY_NORMAL, EVENT_POLICY_BATCH,
					EVENT_POLICY_IDLE,   EVENT_POLICY_FIFO,
					EVENT_POLICY_RR };

	attr->nice = gen_nice(gen);
	if (gen->flat)
		return;
	attr->policy = policies[gen_below(gen, ARRAY_SIZE(policies))];
	attr->rt_prio = attr->policy == EVENT_POLICY_FIFO || attr->policy == EVENT_POLICY_RR
				? 1 + (s32)gen_below(gen, 99)
				: 0;
	if (!gen_below(gen, 4))
		attr->cpus = gen_cpus(gen, lab);
	if (lab->workload->cgroups.nr && gen_below(gen, 2))
		attr->cgroup = gen_below(gen, (u32)lab->workload->cgroups.nr);
}

static inline void gen_task(struct gen *gen, struct lab *lab)
{
	u32 nr_phases = 1 + gen_below(gen, 2);
	struct workload_task *task =
		lab_task(lab, "random", 1 + gen_below(gen, 2), WORKLOAD_FOREVER);

	gen_attr(gen, lab, &task->attr);
	/* only for good: what a sleeper's lag is limited to must not change meanwhile */
	if (!gen->flat && !gen_below(gen, 3))
		task->attr.slice_ns = 100000 + gen_below(gen, 20000000);
	for (u32 i = 0; i < nr_phases; i++) {
		if (i) {
			struct workload_attr *attr = lab_phase(task, 1 + gen_below(gen, 3));

			if (gen_below(gen, 2))
				gen_attr(gen, lab, attr);
		}
		gen_timed(gen, task, WORKLOAD_OP_RUN);
		for (u32 k = gen_below(gen, 5); k; k--)
			gen_event(gen, task);
	}
	if (!gen->flat && gen_below(gen, 8)) /* else it may hog its CPU, a realtime task too */
		gen_timed(gen, task, WORKLOAD_OP_SLEEP);
}

static inline void gen_groups(struct gen *gen, struct lab *lab)
{
	for (u32 i = gen_below(gen, 4); i; i--) {
		s64 parent = WORKLOAD_CGROUP_ROOT;

		if (lab->workload->cgroups.nr && gen_below(gen, 2))
			parent = gen_below(gen, (u32)lab->workload->cgroups.nr);
		lab_group(lab, parent, gen_below(gen, 5) ? 1 + gen_below(gen, 10000) : 0);
	}
}

/* Toggles each feature that the release has, and the rules read, with a chance of one in four. */
static inline void gen_features(struct gen *gen, struct lab *lab)
{
	for (u32 i = 0; i < POLICY_NR_FEATURES; i++)
		if (policy_knows(lab->setup.release, i) && policy_feature(&policy_simulated, i) &&
		    !gen_below(gen, 4))
			lab_feature(lab, i, !policy_feature(&lab->setup.features, i));
}

static inline void gen_costs(struct gen *gen, struct lab *lab)
{
	lab->machine.costs = (struct machine_costs){
		.pick_ns = gen_below(gen, 3000),
		.switch_ns = gen_below(gen, 3000),
		.wakeup_ns = gen_below(gen, 2000),
		.tick_ns = gen_below(gen, 2000),
		.timer_ns = gen_below(gen, 2000),
		.ipi_ns = gen_below(gen, 1000),
		.ipi_latency_ns = gen_below(gen, 2000),
		.idle_exit_ns = gen_below(gen, 3000),
		.balance_cpu_ns = gen_below(gen, 200),
		.stopper_ns = gen_below(gen, 2000),
		.timer_slack_ns = gen_below(gen, 60000),
	};
}

static inline void gen_lab(struct gen *gen, struct lab *lab)
{
	static const u32 hz[] = { 100, 250, 300, 1000 };

	lab_init(lab, 1 + gen_below(gen, gen->max_cpus), hz[gen_below(gen, ARRAY_SIZE(hz))]);
	lab->setup.seed = gen->seed;
	if (gen->release)
		lab_release(lab, gen->release);
	if (gen->costs)
		gen_costs(gen, lab);
	lab_object(lab, WORKLOAD_OBJECT_MUTEX, 0, false);
	lab_object(lab, WORKLOAD_OBJECT_MUTEX, 0, false);
	lab_object(lab, WORKLOAD_OBJECT_TIMER, 0, true);
	gen_features(gen, lab);
	if (!gen->flat)
		gen_groups(gen, lab);
	for (u32 i = 2 + gen_below(gen, gen->max_tasks - 1); i; i--)
		gen_task(gen, lab);
}

#endif
