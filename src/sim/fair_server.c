/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair_server - the server of policy/server.h, one per CPU: its timer, and its place before
 * realtime tasks.
 *
 * Only where the workload has realtime tasks.  Without them all that it does in the kernel is
 * to wake an idle CPU once a second and to pick again who runs; it is left out, so that such a
 * run is not disturbed.  The timer is its CPU's own, where the kernel's belongs to the CPU
 * that armed it.
 *
 * Kernel: dl_server_start() and friends, kernel/sched/deadline.c, v6.12 and v7.3;
 * update_curr_idle(), kernel/sched/idle.c, v7.3.
 */
#include "sim/internal.h"

/*
 * The timer and nr_running follow the server, which counts as one task while it is queued, but
 * not in 7.3.  It goes by the queue's clock, which may be behind: the timer is as much later.
 */
static void follow(struct sim_cpu *cpu, const struct policy_server *before)
{
	const struct policy_server *server = &cpu->server;

	if (!server->stops_idle && server->queued && !before->queued)
		sim_add_nr_running(cpu, 1);
	else if (!server->stops_idle && !server->queued && before->queued)
		sim_sub_nr_running(cpu, 1);
	if (server->timer_ns == before->timer_ns)
		return;
	if (server->timer_ns == SIM_NEVER)
		sim_timer_cancel(cpu, SIM_TIMER_FAIR_SERVER);
	else
		sim_timer_arm(cpu, SIM_TIMER_FAIR_SERVER,
			      server->timer_ns + cpu->sim->now_ns - sim_rq_clock(cpu));
}

/* What of a workload makes a difference to the server. */
static bool has_realtime(const struct workload *workload)
{
	vec_for_each(task, &workload->tasks) {
		bool any = task->attr.policy == EVENT_POLICY_FIFO ||
			   task->attr.policy == EVENT_POLICY_RR ||
			   task->attr.policy == EVENT_POLICY_DEADLINE;

		vec_for_each(phase, &task->phases)
			any |= phase->attr.policy == EVENT_POLICY_FIFO ||
			       phase->attr.policy == EVENT_POLICY_RR ||
			       phase->attr.policy == EVENT_POLICY_DEADLINE;
		if (any)
			return true;
	}
	return false;
}

static struct policy_server fresh(const struct sim *sim, u32 budget_ns)
{
	return (struct policy_server){ .budget_ns = budget_ns,
				       .timer_ns = SIM_NEVER,
				       .stops_idle = sim->setup->release->server_stops_idle };
}

void sim_server_init(struct sim *sim)
{
	u32 budget_ns = sim->setup->release->server_runtime_ns;

	if (!has_realtime(sim->setup->workload))
		budget_ns = 0;
	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim->cpus[i].server = fresh(sim, budget_ns);
}

/* The CPU dies: its server is as it was at the start.  Kernel: dl_server_stop(). */
void sim_server_stop(struct sim_cpu *cpu)
{
	struct policy_server before = cpu->server;

	cpu->server = fresh(cpu->sim, (u32)before.budget_ns);
	follow(cpu, &before);
}

static void update(struct sim_cpu *cpu, u64 ran_ns, bool idle)
{
	struct policy_server before = cpu->server;
	bool resched = policy_server_update(&cpu->server, ran_ns, sim_rq_clock(cpu), idle);

	follow(cpu, &before);
	if (resched)
		sim_cpu_resched(cpu);
}

/* The CPU was idle until now, or its running task has been accounted. */
void sim_server_idle(struct sim_cpu *cpu)
{
	u64 idle_ns = cpu->clock_ns - cpu->curr->se.exec_start_ns;

	if (!cpu->server.budget_ns)
		return;
	cpu->curr->se.exec_start_ns = cpu->clock_ns;
	if (!cpu->server.stops_idle)
		policy_server_update_idle_time(&cpu->server, idle_ns);
	else if (cpu->server.active && idle_ns)
		update(cpu, idle_ns, sim_cpu_is_idle(cpu));
}

/* What the CPU does is charged up to now.  Only 7.3 does it. */
static void bring_up_to_date(struct sim_cpu *cpu)
{
	if (!cpu->server.stops_idle)
		return;
	if (cpu->curr == cpu->idle)
		sim_server_idle(cpu);
	else
		cpu->curr->class->update_curr(cpu);
}

/* It goes before what runs, unless that is a deadline task with an earlier one. */
static void resched(struct sim_cpu *cpu)
{
	if (cpu->curr->class != &sim_class_dl ||
	    policy_dl_before(cpu->server.deadline_ns, cpu->curr->dl.deadline_ns))
		sim_cpu_resched(cpu);
}

/* The CPU's first fair task is queued, and not yet in nr_running. */
void sim_server_start(struct sim_cpu *cpu)
{
	struct policy_server before;

	if (!cpu->server.budget_ns)
		return;
	cpu->server.idle = false;
	if (!cpu->server.active)
		bring_up_to_date(cpu);
	before = cpu->server;
	if (!policy_server_start(&cpu->server, sim_rq_clock(cpu)))
		return;
	follow(cpu, &before);
	resched(cpu);
}

/* A fair task ran for @ran_ns while the server was active. */
void sim_server_update(struct sim_cpu *cpu, u64 ran_ns)
{
	update(cpu, ran_ns, false);
}

/* The fair task that goes before realtime ones; NULL, and the server stops, if there is none. */
struct sim_task *sim_server_pick(struct sim_cpu *cpu)
{
	struct sim_task *task = cpu->fair->pick(cpu);
	struct policy_server before = cpu->server;

	if (task) {
		if (cpu->rt_nr || cpu->dl_nr)
			cpu->pick_reason = SIM_REASON_SERVER;
		return task;
	}
	policy_server_stop(&cpu->server);
	follow(cpu, &before);
	return NULL;
}

void sim_server_interrupt(struct sim_cpu *cpu)
{
	struct policy_server before;

	sim_cpu_cost(cpu, EVENT_COST_TIMER, cpu->sim->setup->machine->costs.timer_ns);
	sim_read_clock(cpu);
	cpu->server.timer_ns = SIM_NEVER; /* it fired */
	if (cpu->server.throttled)
		bring_up_to_date(cpu);
	before = cpu->server;
	if (policy_server_timer(&cpu->server, sim_rq_clock(cpu)))
		resched(cpu);
	follow(cpu, &before);
	sim_run_sleepers(cpu);
	sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}
