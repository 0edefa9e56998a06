/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/sim.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "sim/internal.h"
#include "sim/freq.h"
#include "sim/identity.h"
#include "sim/track.h"

static void cpu_init(struct sim *sim, u32 id)
{
	const struct machine_cpu *what = &sim->setup->machine->cpus[id];
	struct sim_cpu *cpu = &sim->cpus[id];

	cpu->sim = sim;
	cpu->id = id;
	cpu->capacity = what->capacity;
	cpu->fair = sim_fair_classes[sim->setup->release->queue];
	cpu->root.cpu = cpu;
	cpu->root.min_vruntime_vns = cpu->root.under.min_vruntime_vns = POLICY_CFS_FIRST_VNS;
	cpu->idle = cpu->curr = NEW(struct sim_task);
	cpu->idle->sim = sim;
	cpu->idle->cpu = cpu;
	cpu->idle->state = SIM_RUNNABLE;
	cpu->idle->on_rq = true; /* Kernel: init_idle() */
	cpu->idle->id = (struct event_task){ 0, id };
	cpu->in_idle = true;
	cpu->active = true;
	cpu->first = (struct sim_when){ SIM_NEVER, U64_MAX };
	for (u32 i = 0; i < SIM_NR_TIMERS; i++)
		cpu->timers[i].time_ns = SIM_NEVER;
}

/* @active: bit per CPU; NULL: all. */
void sim_domains_build(struct sim *sim, const u64 *active)
{
	struct machine_domain_setup setup = {
		.active = active,
		.pack_threads = policy_balance_rules[sim->setup->release->balancer].pack_smt_counts,
		.prefer_sibling_in_asym =
			policy_balance_rules[sim->setup->release->balancer].siblings_in_asym,
	};

	if (policy_feature(&sim->features, POLICY_MISSING_DOMAINS))
		setup.flaws |= MACHINE_FLAW_NO_NODES;
	if (policy_feature(&sim->features, POLICY_GROUP_CONSTRUCTION))
		setup.flaws |= MACHINE_FLAW_OVERLAP;
	memcpy(setup.knobs, sim->setup->tunables.domains, sizeof(setup.knobs));
	machine_domains_build(&sim->domains, sim->setup->machine, &setup);
	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim->cpus[i].domains = &sim->domains.cpus[i];
}

/* Parents come before their children in a workload. */
static void join_parent(struct sim *sim, u32 index, s64 parent)
{
	struct sim_group *group = &sim->groups[index];

	group->parent = group->first_child = group->sibling = SIM_NO_GROUP;
	if (parent < 0)
		return;
	assert(parent < index);
	group->parent = (u32)parent;
	group->sibling = sim->groups[parent].first_child;
	sim->groups[parent].first_child = index;
}

/* A queue and an entity for each (group, CPU).  The entity's weight is the group's own. */
static void groups_init(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;
	size_t nr = workload->cgroups.nr * sim->nr_cpus;

	sim->group_entities = NEW_ARRAY(struct sim_entity, nr);
	sim->group_queues = NEW_ARRAY(struct sim_queue, nr);
	sim->groups = NEW_ARRAY(struct sim_group, workload->cgroups.nr);
	sim->cpusets = NEW_ARRAY(const struct workload_cpus *, workload->cgroups.nr);
	for (size_t i = 0; i < workload->cgroups.nr; i++)
		sim->cpusets[i] = workload->cgroups.at[i].cpus;
	for (size_t i = 0; i < workload->cgroups.nr; i++) {
		sim->groups[i].nr_cpus = sim_cpuset_size(sim, (s64)i);
		join_parent(sim, (u32)i, workload->cgroups.at[i].parent);
		sim_identity_group(sim, (u32)i);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct workload_cgroup *group = &workload->cgroups.at[i / sim->nr_cpus];
		struct sim_cpu *cpu = &sim->cpus[i % sim->nr_cpus];
		struct sim_entity *se = &sim->group_entities[i];

		sim->group_queues[i].cpu = cpu;
		sim->group_queues[i].min_vruntime_vns = POLICY_CFS_FIRST_VNS;
		sim->group_queues[i].under.min_vruntime_vns = POLICY_CFS_FIRST_VNS;
		sim->group_queues[i].entity = se;
		se->own = &sim->group_queues[i];
		se->priority = (u32)(i * 2654435761u);
		se->idle = !group->weight;
		if (sim->identities)
			se->identity = sim->groups[i / sim->nr_cpus].identity;
		se->p.slice_ns = sim->base_slice_ns;
		sim->groups[i / sim->nr_cpus].shares =
			group->weight ? policy_shares_of_cpu_weight(group->weight)
				      : POLICY_WEIGHT_IDLE;
		sim->group_queues[i].group = &sim->groups[i / sim->nr_cpus];
		policy_weight_of(sim->groups[i / sim->nr_cpus].shares, &se->p.weight);
		se->load = se->p.weight.weight << POLICY_FLAT_SHIFT;
		if (group->parent >= 0) {
			size_t parent = (size_t)group->parent * sim->nr_cpus + cpu->id;

			se->parent = &sim->group_entities[parent];
			se->queue = &sim->group_queues[parent];
		} else {
			se->queue = &cpu->root;
		}
	}
}

static void objects_init(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;

	sim->objects = NEW_ARRAY(struct sim_object, workload->objects.nr);
	for (size_t i = 0; i < workload->objects.nr; i++)
		if (workload->objects.at[i].kind == WORKLOAD_OBJECT_SEM)
			sim->objects[i].count = workload->objects.at[i].count;
}

static enum err_code begin(struct sim *sim)
{
	struct event_header header = {
		.source = "simulation",
		.clock = "simulated",
		.nr_cpus = sim->nr_cpus,
		.sees = EVENT_BIT(SWITCH) | EVENT_BIT(WAKING) | EVENT_BIT(WAKEUP) |
			EVENT_BIT(WAKEUP_NEW) | EVENT_BIT(MIGRATE) | EVENT_BIT(FORK) |
			EVENT_BIT(EXIT) | EVENT_BIT(RUNTIME) | EVENT_BIT(IDLE) | EVENT_BIT(NAME) |
			EVENT_BIT(ATTR) | EVENT_BIT(CGROUP) | EVENT_BIT(COST) | EVENT_BIT(MARK),
	};

	if (sim->setup->workload->interrupts.nr)
		header.sees |= EVENT_BIT(IRQ);
	for (u32 i = 0; i < sim->nr_cpus; i++)
		if (sim->cpus[i].freq)
			header.sees |= EVENT_BIT(FREQ);
	if (sim->setup->explain)
		header.sees |= EVENT_BIT(DECISION);
	if (sim->setup->workload->changes.nr)
		header.sees |= EVENT_BIT(CPU);
	snprintf(header.release, sizeof(header.release), "%s", sim->setup->release->name);
	return sim->sink.on_begin ? sim->sink.on_begin(sim->sink.self, &header) : OK;
}

static void emit_groups(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;

	for (size_t i = 0; i < workload->cgroups.nr; i++) {
		const struct workload_cgroup *group = &workload->cgroups.at[i];
		struct event create = { .kind = EVENT_CGROUP,
					.cpu = EVENT_NOBODY,
					.task = { EVENT_NOBODY, 0 },
					.cgroup = { .what = EVENT_CGROUP_CREATE,
						    .id = (u32)i + 1,
						    .value = group->parent + 1,
						    .name = group->path } };
		struct event weight = create;

		weight.cgroup.what = EVENT_CGROUP_WEIGHT;
		weight.cgroup.value = group->weight;
		weight.cgroup.name = NULL;
		sim_emit(sim, &create);
		sim_emit(sim, &weight);
	}
}

static void start(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;

	sim->here = &sim->cpus[0];
	emit_groups(sim);
	sim_freq_start(sim);
	sim_bandwidth_start(sim);
	sim_changes_start(sim);
	sim_irq_start(sim);
	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim_idle_enter(&sim->cpus[i]);
	for (size_t i = 0; i < workload->tasks.nr; i++)
		for (u32 k = 0; k < workload->tasks.at[i].instances; k++)
			sim_task_first(sim_task_new(sim, &workload->tasks.at[i], k, NULL));
	sim_settle(sim);
	sim_cpu_irq_end(sim->here);
	sim_timer_moved(sim->here);
}

static void fini(struct sim *sim)
{
	while (sim->tasks.nr)
		sim_task_free(sim->tasks.at[sim->tasks.nr - 1]);
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		heap_fini(&sim->cpus[i].sleepers);
		heap_fini(&sim->cpus[i].group_timers);
		heap_fini(&sim->cpus[i].dl_waiters);
		vec_free(&sim->cpus[i].wakelist);
		vec_free(&sim->cpus[i].unthrottle);
		free(sim->cpus[i].idle);
		sim_idle_fini(&sim->cpus[i]);
	}
	sim_balance_fini(sim);
	sim_cache_fini(sim);
	sim_freq_fini(sim);
	sim_select_fini(sim);
	machine_domains_fini(&sim->domains);
	free(sim->winners);
	vec_free(&sim->tasks);
	free(sim->group_entities);
	free(sim->group_queues);
	free(sim->groups);
	free(sim->cpusets);
	free(sim->irqs);
	free(sim->objects);
	free(sim->cpus);
}

static enum err_code check_cpus(const struct sim_setup *setup, const struct workload_cpus *cpus,
				const char *task, struct err *err)
{
	if (!cpus || !cpus->nr)
		return OK;
	if (cpus->at[cpus->nr - 1] >= setup->machine->nr_cpus)
		return err_set(err, ERR_USAGE, setup->workload->name,
			       "\"%s\" is bound to CPU %u: expected one of the machine's %u, "
			       "0 to %u",
			       task, cpus->at[cpus->nr - 1], setup->machine->nr_cpus,
			       setup->machine->nr_cpus - 1);
	return OK;
}

static enum err_code check_attr(const struct sim_setup *setup, const struct workload_attr *attr,
				const char *task, struct err *err)
{
	enum err_code code = OK;

	if (attr->policy == EVENT_POLICY_DEADLINE)
		code = sim_dl_check(setup->workload, attr, task, err);
	return code ? code : check_cpus(setup, attr->cpus, task, err);
}

static enum err_code check_groups(const struct sim_setup *setup, struct err *err)
{
	enum err_code code = OK;

	vec_for_each(group, &setup->workload->cgroups) {
		code = code ? code : sim_bandwidth_check(setup->workload, group, err);
		code = code ? code : check_cpus(setup, group->cpus, group->path, err);
	}
	return code;
}

static enum err_code check_interrupts(const struct sim_setup *setup, struct err *err)
{
	vec_for_each(interrupt, &setup->workload->interrupts)
		if (interrupt->cpu >= setup->machine->nr_cpus)
			return err_set(err, ERR_USAGE, setup->workload->name,
				       "interrupt \"%s\" is of CPU %u: expected one of the "
				       "machine's %u, 0 to %u",
				       interrupt->name, interrupt->cpu, setup->machine->nr_cpus,
				       setup->machine->nr_cpus - 1);
	return OK;
}

static enum err_code check_setup(const struct sim_setup *setup, struct err *err)
{
	enum err_code code = OK;

	if (!sim_fair_classes[setup->release->queue])
		return err_set(err, ERR_USAGE, NULL, "release %s has no rules here yet",
			       setup->release->name);
	code = check_groups(setup, err);
	code = code ? code : sim_changes_check(setup, err);
	code = code ? code : check_interrupts(setup, err);
	for (size_t i = 0; i < setup->workload->tasks.nr && code == OK; i++) {
		const struct workload_task *task = &setup->workload->tasks.at[i];

		code = check_attr(setup, &task->attr, task->name, err);
		for (size_t k = 0; k < task->phases.nr && code == OK; k++)
			code = check_attr(setup, &task->phases.at[k].attr, task->name, err);
	}
	return code;
}

/* What the features and the release come to, worked out once. */
static void rules_init(struct sim *sim)
{
	sim->rules = &sim->setup->release->rules;
	sim->features = sim->setup->features;
	if (policy_feature(&sim->features, POLICY_PREEMPT_SHORT_RFC)) /* in its place */
		policy_feature_set(&sim->features, POLICY_PREEMPT_SHORT, false);
	sim->identities = policy_feature(&sim->features, POLICY_GROUP_IDENTITY);
	/* where it is off, later releases still protect for a base slice */
	sim->parity = sim->rules->protect != POLICY_PROTECT_DEADLINE ||
		      policy_feature(&sim->features, POLICY_RUN_TO_PARITY);
}

/* Kernel: TICK_NSEC, include/linux/jiffies.h: rounded to the nearest ns. */
static u64 tick_of(u32 hz)
{
	return (1000000000ULL + hz / 2) / hz;
}

enum err_code sim_run(const struct sim_setup *setup, struct event_sink sink, struct err *err)
{
	static const struct event_quality perfect;
	struct sim sim = { .setup = setup, .sink = sink, .err = err };
	enum err_code code = check_setup(setup, err);

	if (code != OK)
		return code;
	sim.told_at_once = setup->probe ? 1 : SIM_TOLD_AT_ONCE;
	rules_init(&sim);
	sim.nr_cpus = setup->machine->nr_cpus;
	sim.tick_ns = tick_of(setup->hz);
	sim.base_slice_ns = (u64)setup->release->base_slice_ns * policy_cpu_factor(sim.nr_cpus);
	policy_cfs_constants(sim.nr_cpus, setup->release->base_slice_ns, &sim.cfs);
	sim.cpus = NEW_ARRAY(struct sim_cpu, sim.nr_cpus);
	sim_domains_build(&sim, NULL);
	for (u32 i = 0; i < sim.nr_cpus; i++)
		cpu_init(&sim, i);
	for (u32 i = 0; i < sim.nr_cpus; i++)
		sim_idle_init(&sim.cpus[i]);
	sim_cache_init(&sim);
	sim_balance_init(&sim);
	sim_select_init(&sim);
	sim_server_init(&sim);
	sim_dl_cpus_changed(&sim);
	sim_rt_throttle_init(&sim);
	sim_timers_init(&sim);
	groups_init(&sim);
	sim_freq_init(&sim);
	sim_uclamp_init(&sim);
	sim_track_init(&sim);
	objects_init(&sim);
	sim.stop = begin(&sim);
	if (sim.stop == OK)
		start(&sim);
	sim_loop(&sim);
	sim_emit_flush(&sim);
	if (sim.stop == OK && sink.on_end)
		sim.stop = sink.on_end(sink.self, &perfect);
	code = sim.stop == ERR_STOP ? OK : sim.stop;
	fini(&sim);
	return code;
}
