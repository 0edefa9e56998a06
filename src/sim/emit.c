/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit - what the simulator tells, as the kernel's tracepoints would.
 *
 * Kernel: include/trace/events/sched.h and power.h, v6.12; where each is raised is in
 * the comments of the callers.
 */
#include "sim/internal.h"

#include <string.h>

#include "events/fields.h"
#include "events/sinks.h"
#include "sim/identity.h"

/* Hands over what was told since the last time; nothing once a sink has had enough. */
void sim_emit_flush(struct sim *sim)
{
	u32 nr = sim->nr_told;

	sim->nr_told = 0;
	if (sim->stop != OK || !nr)
		return;
	sim->stop = events_push(&sim->sink, sim->told, nr);
	if (sim->setup->probe) /* the batch is of one, then */
		sim->setup->probe(sim->setup->probe_self, sim, sim->told);
}

/* Room for one more, with what all have: the caller fills in the rest, then told() is due. */
static inline struct event *room(struct sim *sim, enum event_kind kind, const struct sim_cpu *cpu)
{
	struct event *event = &sim->told[sim->nr_told];

	*event = (struct event){
		.time_ns = sim->now_ns, .seq = ++sim->seq, .kind = (u16)kind, .cpu = (s32)cpu->id
	};
	return event;
}

static inline void told(struct sim *sim)
{
	if (++sim->nr_told == sim->told_at_once)
		sim_emit_flush(sim);
}

/* What @event points to need not stay: such ones are handed over at once. */
void sim_emit(struct sim *sim, const struct event *event)
{
	struct event *copy = &sim->told[sim->nr_told];

	*copy = *event;
	copy->time_ns = sim->now_ns;
	copy->seq = ++sim->seq;
	told(sim);
	if (event_has_pointers(event->kind))
		sim_emit_flush(sim);
}

void sim_emit_switch(struct sim_cpu *cpu, struct sim_task *prev, u32 prev_state,
		     struct sim_task *next)
{
	struct event *event = room(cpu->sim, EVENT_SWITCH, cpu);

	event->task = prev->id;
	event->other = next->id;
	event->switch_.prev_state = prev_state;
	event->switch_.prev_prio = sim_prio(prev);
	event->switch_.next_prio = sim_prio(next);
	told(cpu->sim);
}

void sim_emit_wake(struct sim *sim, enum event_kind kind, struct sim_task *task,
		   struct sim_task *waker)
{
	struct event *event = room(sim, kind, sim->here);

	event->task = task->id;
	event->other = waker->id;
	event->wake.prio = sim_prio(task);
	event->wake.target_cpu = (s32)task->cpu->id;
	told(sim);
}

void sim_emit_migrate(struct sim *sim, struct sim_task *task, u32 from, u32 to)
{
	struct event *event = room(sim, EVENT_MIGRATE, sim->here);

	event->task = task->id;
	event->other = sim->here->curr->id;
	event->migrate.prio = sim_prio(task);
	event->migrate.orig_cpu = (s32)from;
	event->migrate.dest_cpu = (s32)to;
	told(sim);
}

void sim_emit_runtime(struct sim *sim, struct sim_task *task, u64 runtime_ns)
{
	struct event *event = room(sim, EVENT_RUNTIME, sim->here);

	event->task = task->id;
	event->other = sim->here->curr->id;
	event->runtime.runtime_ns = runtime_ns;
	told(sim);
}

void sim_emit_idle(struct sim_cpu *cpu, u32 state)
{
	struct event *event = room(cpu->sim, EVENT_IDLE, cpu);

	event->task = cpu->idle->id;
	event->idle.state = state;
	told(cpu->sim);
}

void sim_emit_attr(struct sim_task *task)
{
	struct event event = { .kind = EVENT_ATTR,
			       .cpu = (s32)task->sim->here->id,
			       .task = task->id,
			       .attr = { .policy = task->policy,
					 .nice = task->nice,
					 .rt_prio = task->rt_prio,
					 .identity = sim_identity_of(task),
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
