/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotplug - CPUs that go and come, and cpusets that change, while tasks run.
 *
 * What a task may use is recomputed for all tasks at each change, so that whoever chooses
 * a CPU need not know.  A CPU that goes first pushes its tasks away, each time it switches;
 * once it has nothing left it hands its timers and its devices' interrupts on and is dead.
 *
 * Kernel: sched_cpu_deactivate(), balance_push(), select_fallback_rq(), kernel/sched/core.c;
 * hrtimers_cpu_dying(), kernel/time/hrtimer.c; cpuset_hotplug_workfn(),
 * kernel/cgroup/cpuset.c; v6.12.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/freq.h"
#include "sim/internal.h"

static const struct workload_change *next_change(const struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;

	return sim->changes_done < workload->changes.nr ? &workload->changes.at[sim->changes_done]
							: NULL;
}

static struct sim_cpu *first_active(const struct sim *sim)
{
	u32 i = 0;

	while (!sim->cpus[i].active)
		i++;
	return &sim->cpus[i];
}

/* It is made where it takes effect: on the CPU that goes or comes. */
static void arm(struct sim *sim)
{
	const struct workload_change *change = next_change(sim);
	struct sim_cpu *cpu;

	if (!change)
		return;
	cpu = change->what == WORKLOAD_CPUSET ? first_active(sim) : &sim->cpus[change->cpu];
	sim_timer_arm(cpu, SIM_TIMER_CHANGE, sim->setup->start_ns + change->time_ns);
}

void sim_changes_start(struct sim *sim)
{
	arm(sim);
}

/*
 * Where a task goes that may not stay: the first CPU of the same node that it may use, else
 * the first one.  Kernel: select_fallback_rq().
 */
struct sim_cpu *sim_fallback_cpu(const struct sim_task *task)
{
	const struct sim *sim = task->sim;
	const struct machine_cpu *machine = sim->setup->machine->cpus;
	struct sim_cpu *any = NULL;

	for (u32 i = 0; i < sim->nr_cpus; i++) {
		if (!sim_allowed(task, i))
			continue;
		if (machine[i].node == machine[task->cpu->id].node)
			return &sim->cpus[i];
		any = any ? any : &sim->cpus[i];
	}
	assert(any);
	return any;
}

static void move_queued(struct sim_task *task, struct sim_cpu *to)
{
	struct sim_cpu *from = task->cpu;
	struct sim *sim = task->sim;

	sim_cpu_cost(from, EVENT_COST_STOPPER, sim->setup->machine->costs.stopper_ns);
	sim_read_clock(from);
	sim_deactivate(from, task, 0);
	sim_decide(sim, task, SIM_RULE_MIGRATE, SIM_REASON_AFFINITY, to);
	sim_emit_migrate(sim, task, from->id, to->id);
	sim_task_set_cpu(task, to);
	sim_activate(to, task, SIM_ENQUEUE_MIGRATED);
	sim_preempt_check(to, task, 0);
}

static void move_waking(struct sim_task *task, struct sim_cpu *to)
{
	struct sim_cpu *from = task->cpu;
	size_t at = 0;

	while (at < from->wakelist.nr && from->wakelist.at[at] != task)
		at++;
	if (at == from->wakelist.nr)
		return;
	memmove(&from->wakelist.at[at], &from->wakelist.at[at + 1],
		(--from->wakelist.nr - at) * sizeof(*from->wakelist.at));
	sim_emit_migrate(task->sim, task, from->id, to->id);
	sim_task_set_cpu(task, to);
	task->remote = true;
	*vec_add(&to->wakelist) = task;
	sim_idle_changed(from);
	sim_idle_changed(to);
	sim_cpu_ipi(to);
}

/* It may not use its CPU any more.  Kernel: affine_move_task(), __balance_push_cpu_stop(). */
static void push_away(struct sim_task *task)
{
	struct sim_cpu *cpu = task->cpu;

	if (cpu->curr == task) {
		if (task->state != SIM_RUNNABLE)
			return;
		task->migrate_to = sim_fallback_cpu(task);
		task->migrate_reason = SIM_REASON_AFFINITY;
		sim_cpu_resched(cpu);
	} else if (task->se.delayed) {
		sim_read_clock(cpu);
		task->class->dequeue(cpu, task, SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_DELAYED);
		task->on_rq = false;
	} else if (task->on_rq) {
		move_queued(task, sim_fallback_cpu(task));
	} else if (task->state == SIM_RUNNABLE) {
		move_waking(task, sim_fallback_cpu(task));
	}
}

static void push_all(struct sim_cpu *cpu)
{
	for (size_t i = 0; i < cpu->sim->tasks.nr; i++)
		if (cpu->sim->tasks.at[i]->cpu == cpu)
			push_away(cpu->sim->tasks.at[i]);
}

/* The scheduler runs on a CPU that is on its way out.  Kernel: balance_push(). */
void sim_hotplug_schedule(struct sim_cpu *cpu)
{
	push_all(cpu);
}

static void hand_on_timers(struct sim_cpu *cpu)
{
	struct sim_cpu *to = first_active(cpu->sim);
	u64 period_ns = cpu->timers[SIM_TIMER_RT_PERIOD].time_ns;

	sim_sleepers_move(cpu, to);
	sim_dl_move_timers(cpu, to);
	sim_bandwidth_move_timers(cpu, to);
	sim_irq_move(cpu, to);
	if (period_ns != SIM_NEVER)
		sim_timer_arm(to, SIM_TIMER_RT_PERIOD, period_ns);
	for (u32 timer = 0; timer < SIM_NR_TIMERS; timer++)
		if (timer != SIM_TIMER_CHANGE && sim_timer_armed(cpu, timer))
			sim_timer_cancel(cpu, timer);
	cpu->tick_running = false;
}

static void tell(struct sim_cpu *cpu)
{
	struct event event = { .kind = EVENT_CPU,
			       .cpu = (s32)cpu->id,
			       .task = { EVENT_NOBODY, 0 },
			       .other = { EVENT_NOBODY, 0 },
			       .cpu_ = { .online = cpu->active } };

	sim_emit(cpu->sim, &event);
}

/* It has gone idle.  Kernel: sched_cpu_dying(), arch_cpu_idle_dead(). */
void sim_hotplug_dead(struct sim_cpu *cpu)
{
	sim_bandwidth_run(cpu);
	push_all(cpu);
	sim_server_stop(cpu);
	assert(!cpu->nr_running && !cpu->wakelist.nr);
	hand_on_timers(cpu);
	cpu->lb.kick = 0;
	cpu->lb.due = false;
	cpu->lb.push = (struct sim_push){ 0 };
	cpu->in_idle = true;
	tell(cpu);
}

/* Domains are those of the CPUs that are there.  Kernel: partition_sched_domains(). */
static void rebuild_domains(struct sim *sim)
{
	struct event_cpus *active = sim_active_mask(sim);

	sim_balance_fini(sim);
	machine_domains_fini(&sim->domains);
	sim_domains_build(sim, active->words);
	sim_balance_init(sim);
	sim_dl_cpus_changed(sim);
	sim_bandwidth_rebuilt(sim);
	free(active);
}

/* Every task learns what it may use now, and leaves where it may not stay. */
static void allow_all(struct sim *sim)
{
	for (size_t i = 0; i < sim->setup->workload->cgroups.nr; i++)
		sim->groups[i].nr_cpus = sim_cpuset_size(sim, (s64)i);
	for (size_t i = 0; i < sim->tasks.nr; i++) {
		struct sim_task *task = sim->tasks.at[i];

		if (!sim_task_allow(task))
			continue;
		sim_emit_attr(task);
		if (!sim_allowed(task, task->cpu->id) && task->cpu->active)
			push_away(task);
	}
}

/* Kernel: sched_cpu_deactivate(): tasks leave at the next switch, which is asked for. */
static void go_offline(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;

	cpu->active = false;
	sim->nr_offline++;
	sim_bandwidth_cpu(cpu, false);
	sim_rt_throttle_cpu(cpu, false);
	rebuild_domains(sim);
	allow_all(sim);
	sim_wakelist_run(cpu);
	sim_cpu_resched(cpu);
}

/* Kernel: sched_cpu_activate(); its first act is to look for work. */
static void go_online(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;

	cpu->active = true;
	sim->nr_offline--;
	tell(cpu);
	sim_bandwidth_cpu(cpu, true);
	sim_rt_throttle_cpu(cpu, true);
	rebuild_domains(sim);
	allow_all(sim);
	sim_idle_enter(cpu);
	sim_cpu_resched(cpu);
}

void sim_change_interrupt(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	const struct workload_change *change = next_change(sim);

	sim->changes_done++;
	sim_read_clock(cpu);
	switch (change->what) {
	case WORKLOAD_CPU_OFFLINE:
		go_offline(cpu);
		break;
	case WORKLOAD_CPU_ONLINE:
		go_online(cpu);
		break;
	case WORKLOAD_LIMIT:
	case WORKLOAD_HARDWARE_LIMIT:
		sim_freq_limit(cpu, change->khz, change->what == WORKLOAD_HARDWARE_LIMIT);
		break;
	case WORKLOAD_CPUSET:
		sim->cpusets[change->cgroup] = change->cpus;
		allow_all(sim);
		break;
	}
	arm(sim);
	sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}

static enum err_code check_limit(const struct sim_setup *setup,
				 const struct workload_change *change, struct err *err)
{
	const struct machine *machine = setup->machine;

	if (change->cpu >= machine->nr_cpus)
		return err_set(err, ERR_USAGE, setup->workload->name,
			       "CPU %u is limited: expected one of the machine's %u, 0 to %u",
			       change->cpu, machine->nr_cpus, machine->nr_cpus - 1);
	if (!machine->nr_kinds || !machine->kinds[machine->cpus[change->cpu].kind].nr_opps)
		return err_set(
			err, ERR_USAGE, setup->workload->name,
			"CPU %u is limited: expected one that has operating points (\"opps\" "
			"of its kind)",
			change->cpu);
	return OK;
}

/* What the changes before have left: which CPUs, and how many. */
struct left {
	bool *offline;
	u32 nr;
};

static enum err_code check_cpu(const struct sim_setup *setup, const struct workload_change *change,
			       struct left *left, struct err *err)
{
	const char *name = setup->workload->name;
	u32 nr_cpus = setup->machine->nr_cpus;
	bool goes = change->what == WORKLOAD_CPU_OFFLINE;

	if (change->cpu >= nr_cpus)
		return err_set(err, ERR_USAGE, name,
			       "CPU %u changes: expected one of the machine's %u, 0 to %u",
			       change->cpu, nr_cpus, nr_cpus - 1);
	if (left->offline[change->cpu] == goes || (goes && left->nr == 1))
		return err_set(err, ERR_USAGE, name, "CPU %u goes %s at %llu us: expected %s",
			       change->cpu, goes ? "offline" : "online", change->time_ns / 1000,
			       left->offline[change->cpu] == goes ? "that it is not already"
								  : "that another one is left");
	left->offline[change->cpu] = goes;
	left->nr += goes ? -1u : 1u;
	return OK;
}

static enum err_code check_change(const struct sim_setup *setup,
				  const struct workload_change *change, struct left *left,
				  struct err *err)
{
	switch (change->what) {
	case WORKLOAD_CPU_OFFLINE:
	case WORKLOAD_CPU_ONLINE:
		return check_cpu(setup, change, left, err);
	case WORKLOAD_LIMIT:
	case WORKLOAD_HARDWARE_LIMIT:
		return check_limit(setup, change, err);
	case WORKLOAD_CPUSET:
		break;
	}
	return OK;
}

/* Does each CPU change to what it was not, and is always one left? */
enum err_code sim_changes_check(const struct sim_setup *setup, struct err *err)
{
	struct left left = { NEW_ARRAY(bool, setup->machine->nr_cpus), setup->machine->nr_cpus };
	enum err_code code = OK;

	vec_for_each(change, &setup->workload->changes) {
		code = check_change(setup, change, &left, err);
		if (code != OK)
			break;
	}
	free(left.offline);
	return code;
}
