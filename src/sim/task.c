/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task - birth, attributes, groups, queues, end.
 */
#include "sim/bandwidth.h"
#include "sim/misfit.h"
#include "sim/uclamp.h"
#include "sim/track.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TID 1001

/* Kernel: activate_task(), kernel/sched/core.c. */
void sim_activate(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	sim_read_clock(cpu);
	sim_uclamp_inc(cpu, task);
	task->class->enqueue(cpu, task, flags);
	task->on_rq = true;
	/* a new task's utilisation is a guess: it waits for the tick */
	if ((flags & SIM_ENQUEUE_WAKEUP) && task->class == cpu->fair)
		sim_overutilized_check(cpu);
}

/* Kernel: deactivate_task(), block_task().  False: it stays queued, delayed. */
bool sim_deactivate(struct sim_cpu *cpu, struct sim_task *task, u32 flags)
{
	/* what it tells of who runs, it tells before a sleeper is halfway off its queues */
	if (task->se.delayed && cpu->curr->class == cpu->fair)
		cpu->fair->update_curr(cpu);
	sim_uclamp_dec(cpu, task);
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

/* @words, without what is not in @cpus, if that leaves anything. */
static void narrow(struct event_cpus *mask, const struct workload_cpus *cpus, bool *empty)
{
	bool any = false;
	u64 *kept;

	*empty = false;
	if (!cpus || !cpus->nr)
		return;
	kept = NEW_ARRAY(u64, mask->nr_words);
	for (u32 i = 0; i < cpus->nr; i++) {
		u64 bit = 1ULL << (cpus->at[i] % 64);

		kept[cpus->at[i] / 64] |= mask->words[cpus->at[i] / 64] & bit;
		any |= mask->words[cpus->at[i] / 64] & bit;
	}
	if (any)
		memcpy(mask->words, kept, mask->nr_words * sizeof(*kept));
	*empty = !any;
	free(kept);
}

/* What a group's cpuset leaves of its parent's; one that leaves nothing is passed over. */
static void narrow_by_groups(const struct sim *sim, struct event_cpus *mask, s64 group)
{
	bool empty;

	if (group < 0)
		return;
	narrow_by_groups(sim, mask, sim->setup->workload->cgroups.at[group].parent);
	narrow(mask, sim->cpusets[group], &empty);
}

struct event_cpus *sim_active_mask(const struct sim *sim)
{
	u32 nr_words = bits_words(sim->nr_cpus);
	struct event_cpus *mask = mem_zalloc(sizeof(struct event_cpus) + nr_words * sizeof(u64));

	mask->nr_words = nr_words;
	for (u32 i = 0; i < sim->nr_cpus; i++)
		if (sim->cpus[i].active)
			bits_add(mask->words, i);
	return mask;
}

static u32 count(const struct event_cpus *mask)
{
	u32 nr = 0;

	for (u32 i = 0; i < mask->nr_words; i++)
		nr += (u32)__builtin_popcountll(mask->words[i]);
	return nr;
}

/* How many CPUs a group may use.  Kernel: tg_cpus(), kernel/sched/fair.c, v7.3. */
u32 sim_cpuset_size(const struct sim *sim, s64 group)
{
	struct event_cpus *mask = sim_active_mask(sim);
	u32 nr;

	narrow_by_groups(sim, mask, group);
	nr = count(mask);
	free(mask);
	return nr;
}

/*
 * What its affinity, the cpusets of its groups and the CPUs that are there leave.  An
 * affinity that leaves nothing is given up.  True: that is something new.
 * Kernel: cpuset_cpus_allowed(), __set_cpus_allowed_ptr(), cpuset_cpus_allowed_fallback().
 */
bool sim_task_allow(struct sim_task *task)
{
	struct event_cpus *mask = sim_active_mask(task->sim), *old = task->allowed;
	u32 nr, old_nr = task->nr_allowed;
	bool empty, differs;

	narrow_by_groups(task->sim, mask, (s64)task->cgroup - 1);
	narrow(mask, task->affinity, &empty);
	if (empty)
		task->affinity = NULL;
	nr = count(mask);
	differs = nr != old_nr ||
		  (old && memcmp(old->words, mask->words, mask->nr_words * sizeof(u64)));
	task->nr_allowed = nr;
	task->allowed = mask;
	if (nr == task->sim->nr_cpus) { /* all */
		free(mask);
		task->allowed = NULL;
	}
	free(old);
	return differs;
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

/* What it asks for, or has if it does not. */
static struct policy_dl dl_values(const struct sim_task *task, const struct workload_attr *attr)
{
	if (!attr->dl_runtime_ns)
		return task->dl;
	return (struct policy_dl){ .dl_runtime_ns = attr->dl_runtime_ns,
				   .dl_deadline_ns = attr->dl_deadline_ns,
				   .dl_period_ns = attr->dl_period_ns };
}

/* Into the deadline class, within it, or out of it.  A refusal stops the run. */
static void take_deadline(struct sim_task *task, const struct workload_attr *attr)
{
	struct policy_dl values = dl_values(task, attr);

	if (task->policy != EVENT_POLICY_DEADLINE)
		sim_dl_set(task, NULL);
	else if (sim_dl_admit(task, &values) == OK)
		sim_dl_set(task, &values);
	else
		task->policy = EVENT_POLICY_NORMAL;
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
	if (attr->util_min >= 0)
		task->uclamp_asked[POLICY_UCLAMP_MIN] = attr->util_min;
	if (attr->util_max >= 0)
		task->uclamp_asked[POLICY_UCLAMP_MAX] = attr->util_max;
	if (attr->cgroup >= 0)
		task->cgroup = (u32)attr->cgroup + 1;
	else if (attr->cgroup == WORKLOAD_CGROUP_ROOT)
		task->cgroup = 0;
	if (attr->cpus)
		task->affinity = attr->cpus;
	if (attr->cpus || attr->cgroup != -1)
		sim_task_allow(task);
	if (task->policy != EVENT_POLICY_FIFO && task->policy != EVENT_POLICY_RR)
		task->rt_prio = 0;
	else if (!task->rt_prio)
		task->rt_prio = 1;
	if (task->policy == EVENT_POLICY_DEADLINE || task->dl.dl_runtime_ns)
		take_deadline(task, attr);
}

static void settle(struct sim_task *task)
{
	if (task->policy == EVENT_POLICY_DEADLINE)
		task->class = &sim_class_dl;
	else
		task->class = task->rt_prio ? &sim_class_rt : task->cpu->fair;
	task->class->changed(task);
	join_queue(task);
}

/* Not by a new nice value or new CPUs.  Kernel: set_user_nice(), __do_set_cpus_allowed(). */
static bool moves(const struct workload_attr *attr)
{
	return attr->policy >= 0 || attr->rt_prio || attr->cgroup >= 0 || attr->slice_ns ||
	       attr->dl_runtime_ns;
}

static bool dl_differs(const struct policy_dl *dl, const struct workload_attr *attr)
{
	return attr->dl_runtime_ns && (attr->dl_runtime_ns != dl->dl_runtime_ns ||
				       attr->dl_deadline_ns != dl->dl_deadline_ns ||
				       attr->dl_period_ns != dl->dl_period_ns);
}

/* rt-app asks the kernel only for what is new. */
static bool differs(const struct sim_task *task, const struct workload_attr *attr)
{
	s64 cgroup = attr->cgroup == WORKLOAD_CGROUP_ROOT ? 0 : attr->cgroup + 1;

	return (attr->policy >= 0 && attr->policy != task->policy) ||
	       (attr->nice != WORKLOAD_NICE_KEEP && attr->nice != task->nice) ||
	       (attr->rt_prio && attr->rt_prio != task->rt_prio) ||
	       (attr->slice_ns && attr->slice_ns != task->asked_slice_ns) ||
	       (attr->util_min >= 0 && attr->util_min != task->uclamp_asked[POLICY_UCLAMP_MIN]) ||
	       (attr->util_max >= 0 && attr->util_max != task->uclamp_asked[POLICY_UCLAMP_MAX]) ||
	       (attr->cgroup != -1 && cgroup != task->cgroup) ||
	       (attr->cpus && attr->cpus != task->affinity) || dl_differs(&task->dl, attr);
}

/* Only ever called by the task itself, while it runs. Kernel: sched_setattr() and friends. */
void sim_task_set_attr(struct sim_task *task, const struct workload_attr *attr)
{
	struct sim_cpu *cpu = task->cpu;
	const struct sim_class *old_class = task->class;
	bool was_fair = task->class == cpu->fair, is_fair;
	u32 old_group = task->cgroup;
	s32 old_prio = sim_prio(task);

	assert(cpu->curr == task);
	if (!differs(task, attr))
		return;
	sim_read_clock(cpu);
	sim_uclamp_dec(cpu, task);
	task->class->dequeue(cpu, task, SIM_DEQUEUE_SAVE | (moves(attr) ? SIM_DEQUEUE_MOVE : 0));
	task->on_rq = false;
	task->class->put_prev(cpu, task);
	take_values(task, attr);
	is_fair = !task->rt_prio && task->policy != EVENT_POLICY_DEADLINE;
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
	if (sim_prio(task) > old_prio && old_class->rank > SIM_RANK_FAIR)
		sim_pull(cpu, old_class, old_prio);
	if (!sim_allowed(task, cpu->id)) {
		task->migrate_to = sim_first_allowed(task);
		task->migrate_reason = SIM_REASON_AFFINITY;
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
	task->uclamp_asked[POLICY_UCLAMP_MIN] = task->uclamp_asked[POLICY_UCLAMP_MAX] = -1;
	task->se.task = task;
	task->se.priority = (u32)(task->identity ^ task->identity >> 32);
	task->se.p.slice_ns = sim->base_slice_ns;
	task->cpu = parent ? parent->cpu : &sim->cpus[0];
	if (parent)
		task->wakee = parent->wakee;
	take_values(task, &def->attr);
	if (sim->nr_offline)
		sim_task_allow(task);
	settle(task);
	sim_track_born(task);
	sim_read_clock(task->cpu);
	if (task->class->fork)
		task->class->fork(task, parent);
	sim_program_init(task);
	task->place = (u32)sim->tasks.nr;
	*vec_add(&sim->tasks) = task;
	sim->alive++;
	sim_cache_joins(task);
	sim_emit_birth(task, parent);
	return task;
}

/* When its body may begin: of the run, for forked ones too, as rt-app's t_first. */
static u64 first_ns(const struct sim_task *task)
{
	return task->sim->setup->start_ns + task->def->delay_ns;
}

/* @parent: NULL for those of the start.  Kernel: wake_up_new_task(). */
void sim_task_start(struct sim_task *task, const struct sim_task *parent)
{
	struct sim *sim = task->sim;

	task->start_ns = first_ns(task);
	sim_place_new(task, parent);
	sim_read_clock(task->cpu);
	sim_track_started(task);
	sim_activate(task->cpu, task, SIM_ENQUEUE_INITIAL);
	sim_emit_wake(sim, EVENT_WAKEUP_NEW, task, sim->here->curr);
	sim_preempt_check(task->cpu, task, SIM_ENQUEUE_INITIAL);
	if (task->class->woken)
		task->class->woken(task->cpu, task);
}

/*
 * One of those that the run begins with.  A program that starts its threads and lets them go
 * together has them asleep by then: sim_settle() sends them to sleep.
 */
void sim_task_first(struct sim_task *task)
{
	if (!task->sim->setup->settled || !first_ns(task)) {
		sim_task_start(task, NULL);
		return;
	}
	sim_place_new(task, NULL);
	sim_activate(task->cpu, task, SIM_ENQUEUE_INITIAL);
	sim_deactivate(task->cpu, task, SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_SPECIAL);
	task->se.p.vruntime_vns = task->se.queue->min_vruntime_vns;
	task->start_ns = first_ns(task);
	task->started = true;
	task->state = SIM_BLOCKED;
}

/* After its last switch; nothing refers to it any more. */
void sim_task_free(struct sim_task *task)
{
	struct sim *sim = task->sim;
	struct sim_task *last = sim->tasks.at[--sim->tasks.nr];

	sim_track_ends(task);
	sim_cache_leaves(task);
	sim->tasks.at[task->place] = last;
	last->place = task->place;
	sim->alive--;
	sim_dl_set(task, NULL);
	free(task->allowed);
	free(task->iterations);
	free(task->phase_changes);
	free(task->timer_next_ns);
	free(task);
}
