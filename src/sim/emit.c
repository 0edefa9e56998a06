/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit - what the simulator tells, as the kernel's tracepoints would.
 *
 * Kernel: include/trace/events/sched.h and power.h, v6.12; where each is raised is in
 * the comments of the callers.
 */
#include "sim/internal.h"

#include <string.h>

void sim_emit(struct sim *sim, struct event *event)
{
	enum err_code code;

	if (sim->stop != OK)
		return;
	event->time_ns = sim->now_ns;
	event->seq = ++sim->seq;
	code = sim->sink.on_event(sim->sink.self, event);
	if (code != OK)
		sim->stop = code;
	if (sim->setup->probe)
		sim->setup->probe(sim->setup->probe_self, sim, event);
}

void sim_emit_switch(struct sim_cpu *cpu, struct sim_task *prev, u32 prev_state,
		     struct sim_task *next)
{
	struct event event = { .kind = EVENT_SWITCH,
			       .cpu = (s32)cpu->id,
			       .task = prev->id,
			       .other = next->id,
			       .switch_ = { .prev_state = prev_state,
					    .prev_prio = sim_prio(prev),
					    .next_prio = sim_prio(next) } };

	sim_emit(cpu->sim, &event);
}

void sim_emit_wake(struct sim *sim, u32 kind, struct sim_task *task, struct sim_task *waker)
{
	struct event event = { .kind = (u16)kind,
			       .cpu = (s32)sim->here->id,
			       .task = task->id,
			       .other = waker->id,
			       .wake = { .prio = sim_prio(task),
					 .target_cpu = (s32)task->cpu->id } };

	sim_emit(sim, &event);
}

void sim_emit_migrate(struct sim *sim, struct sim_task *task, u32 from, u32 to)
{
	struct event event = {
		.kind = EVENT_MIGRATE,
		.cpu = (s32)sim->here->id,
		.task = task->id,
		.other = sim->here->curr->id,
		.migrate = { .prio = sim_prio(task), .orig_cpu = (s32)from, .dest_cpu = (s32)to }
	};

	sim_emit(sim, &event);
}

void sim_emit_runtime(struct sim *sim, struct sim_task *task, u64 runtime_ns)
{
	struct event event = { .kind = EVENT_RUNTIME,
			       .cpu = (s32)sim->here->id,
			       .task = task->id,
			       .other = sim->here->curr->id,
			       .runtime = { .runtime_ns = runtime_ns } };

	sim_emit(sim, &event);
}

void sim_emit_idle(struct sim_cpu *cpu, u32 state)
{
	struct event event = { .kind = EVENT_IDLE,
			       .cpu = (s32)cpu->id,
			       .task = cpu->idle->id,
			       .idle = { .state = state } };

	sim_emit(cpu->sim, &event);
}

void sim_emit_attr(struct sim_task *task)
{
	struct event event = { .kind = EVENT_ATTR,
			       .cpu = (s32)task->sim->here->id,
			       .task = task->id,
			       .attr = { .policy = task->policy,
					 .nice = task->nice,
					 .rt_prio = task->rt_prio,
					 .identity = task->group_identity,
					 .cgroup = task->cgroup,
					 .slice_ns =
						 task->se.p.custom_slice ? task->se.p.slice_ns : 0,
					 .allowed = task->allowed } };

	sim_emit(task->sim, &event);
}

void sim_emit_birth(struct sim_task *task, struct sim_task *parent)
{
	struct event name = { .kind = EVENT_NAME,
			      .cpu = (s32)task->sim->here->id,
			      .task = task->id,
			      .name = { .text = workload_comm(task->def),
					.len = (u32)strlen(workload_comm(task->def)),
					.pid = task->id.tid } };
	struct event fork = { .kind = EVENT_FORK,
			      .cpu = (s32)task->sim->here->id,
			      .task = task->id,
			      .life = { .prio = sim_prio(task) } };

	sim_emit(task->sim, &name);
	sim_emit_attr(task);
	if (parent) {
		fork.other = parent->id;
		sim_emit(task->sim, &fork);
	}
}

void sim_emit_exit(struct sim_task *task)
{
	struct event event = { .kind = EVENT_EXIT,
			       .cpu = (s32)task->cpu->id,
			       .task = task->id,
			       .life = { .prio = sim_prio(task) } };

	sim_emit(task->sim, &event);
}

void sim_emit_mark(struct sim_task *task, const struct workload_event *event, u64 id)
{
	struct event mark = { .kind = EVENT_MARK,
			      .cpu = (s32)task->cpu->id,
			      .task = task->id,
			      .mark = { .what = event->target,
					.begin = event->mode,
					.id = id,
					.name = event->mark } };

	sim_emit(task->sim, &mark);
}

void sim_emit_decision(struct sim *sim, struct sim_task *task, enum sim_rule rule,
		       enum sim_reason reason, const struct sim_cpu *chosen)
{
	struct event event = { .kind = EVENT_DECISION,
			       .cpu = (s32)sim->here->id,
			       .task = task->id,
			       .decision = { .rule = (u16)rule,
					     .reason = (u16)reason,
					     .cpu = chosen ? (s32)chosen->id : EVENT_NOBODY } };

	sim_emit(sim, &event);
}
