/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task - birth, attributes, groups, queues, end.
 */
#include "sim/bandwidth.h"
#include "sim/misfit.h"
#include "sim/track.h"

#include <stdlib.h>

#define FIRST_TID 1001

/* Kernel: activate_task(), kernel/sched/core.c. */
void sim_activate(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	sim_read_clock(cpu);
	task->class->enqueue(cpu, task, flags);
	task->on_rq = true;
	/* a new task's utilisation is a guess: it waits for the tick */
	if ((flags & SIM_ENQUEUE_WAKEUP) && task->class == cpu->fair)
		sim_overutilized_check(cpu);
}

/* Kernel: deactivate_task(), block_task().  False: it stays queued, delayed. */
bool sim_deactivate(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	if (!task->class->dequeue(cpu, task, flags))
		return false;
	task->on_rq = false;
	return true;
}

/* The queue that the task's entity competes in on its CPU, and its group's entity. */
static void join_queue(struct sim_task *task)
{
	struct sim *sim = task->sim;
	size_t index = (size_t)(task->cgroup - 1) * sim->nr_cpus + task->cpu->id;

	if (!task->cgroup) {
		task->se.queue = &task->cpu->root;
		task->se.parent = NULL;
	} else {
		task->se.queue = &sim->group_queues[index];
		task->se.parent = &sim->group_entities[index];
	}
}

void sim_task_set_cpu(struct sim_task *task, struct sim_cpu *cpu)
{
	sim_track_moves(task, cpu);
	task->cpu = cpu;
	join_queue(task);
}

static void allow(struct sim_task *task, const struct workload_cpus *cpus)
{
	u32 nr_words = (task->sim->nr_cpus + 63) / 64;
	struct event_cpus *allowed;

	if (!cpus || !cpus->nr)
		return;
	allowed = mem_zalloc(sizeof(struct event_cpus) + nr_words * sizeof(u64));
	allowed->nr_words = nr_words;
	for (u32 i = 0; i < cpus->nr; i++)
		allowed->words[cpus->at[i] / 64] |= 1ULL << (cpus->at[i] % 64);
	task->nr_allowed = 0;
	for (u32 i = 0; i < nr_words; i++) {
		if (task->allowed)
			allowed->words[i] &= task->allowed->words[i];
		task->nr_allowed += (u32)__builtin_popcountll(allowed->words[i]);
	}
	free(task->allowed);
	task->allowed = allowed;
}

/*
 * What its affinity and the cpusets of its groups leave.  An affinity that leaves nothing
 * gives way to the cpusets.  Kernel: cpuset_cpus_allowed(), __set_cpus_allowed_ptr().
 */
static void set_allowed(struct sim_task *task)
{
	const struct workload *workload = task->sim->setup->workload;

	free(task->allowed);
	task->allowed = NULL;
	task->nr_allowed = task->sim->nr_cpus;
	for (s64 group = (s64)task->cgroup - 1; group >= 0;
	     group = workload->cgroups.at[group].parent)
		allow(task, workload->cgroups.at[group].cpus);
	allow(task, task->affinity);
	if (!task->nr_allowed) {
		task->affinity = NULL;
		set_allowed(task);
	}
}

/* 0.1 ms to 100 ms.  Kernel: __setparam_fair() and its like; before 6.12 it asks in vain. */
static void take_slice(struct sim_task *task, u64 slice_ns)
{
	task->asked_slice_ns = slice_ns;
	if (!policy_feature(&task->sim->features, POLICY_CUSTOM_SLICE))
		return;
	task->se.p.slice_ns = (u64)policy_clamp((s64)slice_ns, 100000, 100000000);
	task->se.p.custom_slice = true;
}

static void take_values(struct sim_task *task, const struct workload_attr *attr)
{
	if (attr->policy >= 0)
		task->policy = (u8)attr->policy;
	if (attr->nice != WORKLOAD_NICE_KEEP)
		task->nice = (s8)attr->nice;
	if (attr->rt_prio)
		task->rt_prio = (u8)attr->rt_prio;
	if (attr->slice_ns)
		take_slice(task, attr->slice_ns);
	if (attr->cgroup >= 0)
		task->cgroup = (u32)attr->cgroup + 1;
	else if (attr->cgroup == WORKLOAD_CGROUP_ROOT)
		task->cgroup = 0;
	if (attr->identity >= 0)
		task->group_identity = (u8)attr->identity;
	if (attr->cpus)
		task->affinity = attr->cpus;
	if (attr->cpus || attr->cgroup != -1)
		set_allowed(task);
	if (task->policy != EVENT_POLICY_FIFO && task->policy != EVENT_POLICY_RR)
		task->rt_prio = 0;
	else if (!task->rt_prio)
		task->rt_prio = 1;
}

static void settle(struct sim_task *task)
{
	task->class = task->rt_prio ? &sim_class_rt : task->cpu->fair;
	task->class->changed(task);
	join_queue(task);
}

/* Not by a new nice value or new CPUs.  Kernel: set_user_nice(), __do_set_cpus_allowed(). */
static bool moves(const struct workload_attr *attr)
{
	return attr->policy >= 0 || attr->rt_prio || attr->cgroup >= 0 || attr->slice_ns;
}

/* rt-app asks the kernel only for what is new. */
static bool differs(const struct sim_task *task, const struct workload_attr *attr)
{
	s64 cgroup = attr->cgroup == WORKLOAD_CGROUP_ROOT ? 0 : attr->cgroup + 1;

	return (attr->policy >= 0 && attr->policy != task->policy) ||
	       (attr->nice != WORKLOAD_NICE_KEEP && attr->nice != task->nice) ||
	       (attr->rt_prio && attr->rt_prio != task->rt_prio) ||
	       (attr->slice_ns && attr->slice_ns != task->asked_slice_ns) ||
	       (attr->cgroup != -1 && cgroup != task->cgroup) ||
	       (attr->identity >= 0 && attr->identity != task->group_identity) ||
	       (attr->cpus && attr->cpus != task->affinity);
}

/* Only ever called by the task itself, while it runs. Kernel: sched_setattr() and friends. */
void sim_task_set_attr(struct sim_task *task, const struct workload_attr *attr)
{
	struct sim_cpu *cpu = task->cpu;
	bool was_fair = task->class == cpu->fair, is_fair;
	u32 old_group = task->cgroup;
	s32 old_prio = sim_prio(task);

	assert(cpu->curr == task);
	if (!differs(task, attr))
		return;
	sim_read_clock(cpu);
	task->class->dequeue(cpu, task, SIM_DEQUEUE_SAVE | (moves(attr) ? SIM_DEQUEUE_MOVE : 0));
	task->on_rq = false;
	task->class->put_prev(cpu, task);
	take_values(task, attr);
	is_fair = !task->rt_prio;
	if (was_fair && (!is_fair || task->cgroup != old_group))
		sim_track_detach(task);
	if (was_fair && is_fair && task->cgroup != old_group)
		task->se.pelt.update_ns = 0; /* Kernel: task_change_group_fair() */
	settle(task);
	if (was_fair && is_fair && task->cgroup != old_group)
		sim_track_attach(task);
	sim_emit_attr(task);
	sim_activate(cpu, task, SIM_ENQUEUE_RESTORE);
	task->class->set_next(cpu, task);
	if (!was_fair && is_fair)
		sim_track_attach(task);
	/* a throttled group that it joined: it does not run there.  Kernel: sched_move_task() */
	if (sim_prio(task) > old_prio || sim_throttled_hierarchy(task->se.queue))
		sim_cpu_resched(cpu);
	if (!sim_allowed(task, cpu->id)) {
		task->migrate_to = sim_first_allowed(task);
		sim_cpu_resched(cpu);
	}
}

struct sim_task *sim_task_new(struct sim *sim, const struct workload_task *def, u32 instance,
			      struct sim_task *parent)
{
	struct sim_task *task = NEW(struct sim_task);

	task->sim = sim;
	task->def = def;
	task->id = (struct event_task){ .tid = sim->last_tid ? sim->last_tid + 1 : FIRST_TID };
	sim->last_tid = task->id.tid;
	task->identity = workload_identity(def->name, instance, parent ? parent->identity : 0,
					   parent ? parent->forks : 0);
	task->state = SIM_RUNNABLE;
	task->nr_allowed = sim->nr_cpus;
	task->rr_ticks = sim_rr_ticks(sim);
	task->se.task = task;
	task->se.priority = (u32)(task->identity ^ task->identity >> 32);
	task->se.p.slice_ns = sim->base_slice_ns;
	task->cpu = parent ? parent->cpu : &sim->cpus[0];
	take_values(task, &def->attr);
	settle(task);
	sim_track_born(task);
	sim_read_clock(task->cpu);
	if (task->class->fork)
		task->class->fork(task, parent);
	sim_task_set_cpu(task, sim_select_fork(task));
	sim_program_init(task);
	task->place = (u32)sim->tasks.nr;
	*vec_add(&sim->tasks) = task;
	sim->alive++;
	sim_emit_birth(task, parent);
	return task;
}

/* Kernel: wake_up_new_task(). */
void sim_task_start(struct sim_task *task)
{
	struct sim *sim = task->sim;

	/* of the run, for forked ones too: rt-app's t_first */
	task->start_ns = sim->setup->start_ns + task->def->delay_ns;
	sim_decide(sim, task, SIM_RULE_PLACE, SIM_REASON_LEAST_BUSY, task->cpu);
	sim_read_clock(task->cpu);
	sim_track_started(task);
	sim_activate(task->cpu, task, SIM_ENQUEUE_INITIAL);
	sim_emit_wake(sim, EVENT_WAKEUP_NEW, task, sim->here->curr);
	sim_preempt_check(task->cpu, task, SIM_ENQUEUE_INITIAL);
}

/* After its last switch; nothing refers to it any more. */
void sim_task_free(struct sim_task *task)
{
	struct sim *sim = task->sim;
	struct sim_task *last = sim->tasks.at[--sim->tasks.nr];

	sim_track_ends(task);
	sim->tasks.at[task->place] = last;
	last->place = task->place;
	sim->alive--;
	free(task->allowed);
	free(task->iterations);
	free(task->phase_changes);
	free(task->timer_next_ns);
	free(task);
}
