/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program - what a task does next: phases, loops and events of workload.h.
 *
 * Everything but work takes no time here; what the kernel spends on it is a cost.
 */
#include "sim/internal.h"

#include <stdlib.h>

/* A task may go on for ever without using time; nothing else would happen then. */
#define STEPS_AT_ONE_INSTANT 4000000
/* As many as the workload reader lets a file have. */
#define THREADS_ALIVE 65536

static bool changes_something(const struct workload_attr *attr)
{
	return attr->policy >= 0 || attr->nice != WORKLOAD_NICE_KEEP || attr->rt_prio ||
	       attr->slice_ns || attr->dl_runtime_ns || attr->util_min >= 0 ||
	       attr->util_max >= 0 || attr->cgroup != -1 || attr->cpus;
}

void sim_program_init(struct sim_task *task)
{
	const struct workload_task *def = task->def;

	task->iterations = NEW_ARRAY(u64, def->events.nr);
	task->timer_next_ns = NEW_ARRAY(u64, task->sim->setup->workload->objects.nr);
	task->phase_changes = NEW_ARRAY(bool, def->phases.nr);
	for (size_t i = 0; i < def->phases.nr; i++)
		task->phase_changes[i] = changes_something(&def->phases.at[i].attr);
	task->task_left = def->loop;
	task->phase_left = def->phases.nr ? def->phases.at[0].loop : 0;
	if (!def->phases.nr)
		task->task_left = 0;
}

static u64 draw(struct sim_task *task, const struct workload_event *event)
{
	size_t index = (size_t)(event - task->def->events.at);

	return workload_draw(task->sim->setup->workload, &event->amount, task->sim->setup->seed,
			     task->identity, event->site, task->iterations[index]++);
}

static enum sim_step work(struct sim_task *task, u64 ns)
{
	task->work_left = ns * 1024;
	return SIM_STEP_NEXT;
}

/* Sleeps in stage 0, goes on in stage 1. */
static enum sim_step sleep_for(struct sim_task *task, u64 time_ns)
{
	if (task->stage)
		return SIM_STEP_NEXT;
	task->stage = 1;
	sim_syscall(task->sim);
	sim_sleep_until(task, time_ns);
	return SIM_STEP_BLOCKED;
}

/*
 * rt-app's timer: the next point is one period after the last; enum workload_timer says what
 * becomes of a task that comes too late.
 */
static enum sim_step timer(struct sim_task *task, const struct workload_event *event)
{
	const struct workload_object *object =
		event->object == WORKLOAD_NO_OBJECT
			? NULL
			: &task->sim->setup->workload->objects.at[event->object];
	u64 *next_ns = object && !object->per_thread ? &task->sim->objects[event->object].next_ns
						     : &task->timer_next_ns[event->object];
	u64 until_ns;

	if (task->stage)
		return SIM_STEP_NEXT;
	if (!*next_ns)
		*next_ns = task->start_ns;
	until_ns = workload_timer_step(event->mode, draw(task, event), task->sim->now_ns, next_ns);
	return until_ns ? sleep_for(task, until_ns) : SIM_STEP_NEXT;
}

static enum sim_step crowded(struct sim_task *task)
{
	task->sim->stop = err_set(task->sim->err, ERR_USAGE, task->sim->setup->workload->name,
				  "task \"%s\" forks on: expected at most %u threads alive at once",
				  task->def->name, THREADS_ALIVE);
	return SIM_STEP_DONE;
}

/* Kernel: sched_fork(), kernel/sched/core.c, v6.12. */
static enum sim_step forking_deadline(struct sim_task *task)
{
	task->sim->stop = err_set(task->sim->err, ERR_USAGE, task->sim->setup->workload->name,
				  "task \"%s\" forks while it is SCHED_DEADLINE: expected another "
				  "policy, as the kernel does not let it",
				  task->def->name);
	return SIM_STEP_DONE;
}

static enum sim_step fork_task(struct sim_task *task, const struct workload_event *event)
{
	const struct workload_task *def = &task->sim->setup->workload->tasks.at[event->target];

	u64 cost_ns = task->sim->setup->machine->costs.fork_ns;

	if (task->sim->alive >= THREADS_ALIVE)
		return crowded(task);
	if (task->class == &sim_class_dl)
		return forking_deadline(task);
	if (!task->stage && cost_ns) {
		task->stage = 1;
		sim_cpu_cost(task->cpu, EVENT_COST_FORK, cost_ns);
		return SIM_STEP_BUSY; /* the thread is there at the end of it */
	}
	sim_task_start(sim_task_new(task->sim, def, (u32)task->forks, task), task);
	task->forks++;
	return SIM_STEP_NEXT;
}

static enum sim_step yield(struct sim_task *task)
{
	if (task->stage)
		return SIM_STEP_NEXT;
	task->stage = 1;
	sim_read_clock(task->cpu);
	task->class->yield(task->cpu, task);
	task->cpu->clock_skip = true;
	task->cpu->need_resched = true;
	return SIM_STEP_BUSY; /* back here once it is picked again */
}

static enum sim_step begin_program(struct sim_task *task)
{
	if (task->stage)
		return SIM_STEP_NEXT;
	task->stage = 1;
	sim_syscall(task->sim);
	sim_exec(task);
	return SIM_STEP_BUSY; /* back here on the CPU that it is moved to */
}

static enum sim_step do_event(struct sim_task *task, const struct workload_event *event)
{
	switch (event->op) {
	case WORKLOAD_OP_RUN:
	case WORKLOAD_OP_MEM:
	case WORKLOAD_OP_IORUN:
		return work(task, draw(task, event));
	case WORKLOAD_OP_RUNTIME:
		task->until_ns = task->sim->now_ns + draw(task, event);
		return SIM_STEP_NEXT;
	case WORKLOAD_OP_SLEEP:
		return sleep_for(task, task->stage ? 0 : task->sim->now_ns + draw(task, event));
	case WORKLOAD_OP_IOWAIT:
		task->in_iowait = !task->stage;
		return sleep_for(task, task->stage ? 0 : task->sim->now_ns + draw(task, event));
	case WORKLOAD_OP_TIMER:
		return timer(task, event);
	case WORKLOAD_OP_YIELD:
		return yield(task);
	case WORKLOAD_OP_EXECVE:
		return begin_program(task);
	case WORKLOAD_OP_FORK:
		return fork_task(task, event);
	case WORKLOAD_OP_MARK:
		sim_emit_mark(task, event, task->iterations[event - task->def->events.at]++);
		return SIM_STEP_NEXT;
	case WORKLOAD_OP_LOCK:
	case WORKLOAD_OP_UNLOCK:
	case WORKLOAD_OP_WAIT:
	case WORKLOAD_OP_SIGNAL:
	case WORKLOAD_OP_BROAD:
	case WORKLOAD_OP_SYNC:
	case WORKLOAD_OP_BARRIER:
	case WORKLOAD_OP_SUSPEND:
	case WORKLOAD_OP_RESUME:
	case WORKLOAD_OP_SEM_POST:
	case WORKLOAD_OP_SEM_WAIT:
	case WORKLOAD_OP_PIPE_READ:
	case WORKLOAD_OP_PIPE_WRITE:
		return sim_sync(task, event);
	case WORKLOAD_NR_OPS:
		break;
	}
	assert(0 && "an operation without a meaning");
	return SIM_STEP_NEXT;
}

/* One more round of the phase, the next phase, one more round of the task; false: over. */
static bool next_round(struct sim_task *task)
{
	const struct workload_task *def = task->def;

	task->event = 0;
	if (task->phase_left > 0)
		task->phase_left--;
	while (!task->phase_left) {
		if (++task->phase == def->phases.nr) {
			task->phase = 0;
			if (task->task_left > 0 && !--task->task_left)
				return false;
		}
		task->phase_left = def->phases.at[task->phase].loop;
	}
	return true;
}

static enum sim_step stuck(struct sim_task *task)
{
	task->sim->stop =
		err_set(task->sim->err, ERR_USAGE, task->sim->setup->workload->name,
			"task \"%s\" goes round and round without using time: expected a run, "
			"runtime, sleep or timer in its loop, or a machine with costs",
			task->def->name);
	return SIM_STEP_DONE;
}

static enum sim_step over(struct sim_task *task)
{
	task->state = SIM_DEAD;
	sim_emit_exit(task);
	return SIM_STEP_DONE;
}

/* The sleep before everything: rt-app's delay. */
static enum sim_step begin(struct sim_task *task)
{
	task->started = true;
	sim_cpu_cost(task->cpu, EVENT_COST_FORK, task->sim->setup->machine->costs.thread_ns);
	if (task->start_ns <= task->sim->now_ns)
		return SIM_STEP_NEXT;
	sim_sleep_until(task, task->start_ns);
	return SIM_STEP_BLOCKED;
}

/* Does it neither ask for the time nor touch what others see?  Then when does not matter. */
static bool timeless(const struct sim_task *task, const struct workload_event *event)
{
	switch (event->op) {
	case WORKLOAD_OP_RUN:
	case WORKLOAD_OP_MEM:
	case WORKLOAD_OP_IORUN:
		return true;
	case WORKLOAD_OP_SLEEP:
	case WORKLOAD_OP_IOWAIT:
	case WORKLOAD_OP_TIMER:
		return task->stage; /* back from it */
	default:
		return false;
	}
}

/* Does the task enter the kernel for it?  Then it passes the way out of it, too. */
static bool system_call(const struct workload_event *event)
{
	return event->op != WORKLOAD_OP_RUN && event->op != WORKLOAD_OP_MEM &&
	       event->op != WORKLOAD_OP_IORUN;
}

/* One event, and the end of a round with it. */
static enum sim_step one_step(struct sim_task *task, bool in_kernel)
{
	const struct workload_phase *phase = &task->def->phases.at[task->phase];
	const struct workload_event *event;
	enum sim_step step = SIM_STEP_NEXT;

	if (phase->nr_events) {
		event = &task->def->events.at[phase->first_event + task->event];
		if (in_kernel && !timeless(task, event))
			return SIM_STEP_BUSY;
		step = do_event(task, event);
		if (system_call(event))
			sim_cpu_to_user(task->cpu);
		if (step != SIM_STEP_NEXT)
			return step;
		task->stage = 0;
	}
	if (++task->event >= phase->nr_events && !next_round(task))
		task->task_left = 0;
	return SIM_STEP_NEXT;
}

/*
 * Goes through the program until the task needs the CPU, blocks, ends, or has made its CPU
 * busy with a cost or a reschedule.  @in_kernel: a cost is not worked off yet, and only
 * what could as well come after it may be done.
 */
enum sim_step sim_program_step(struct sim_task *task, bool in_kernel)
{
	struct sim_cpu *cpu = task->cpu;
	enum sim_step step;

	do {
		if (task->work_left || task->until_ns > task->sim->now_ns)
			return SIM_STEP_BUSY;
		task->until_ns = 0;
		if (++task->sim->steps_now > STEPS_AT_ONE_INSTANT)
			return stuck(task);
		if (!task->started) {
			step = in_kernel ? SIM_STEP_BUSY : begin(task);
		} else if (!task->task_left) {
			step = in_kernel ? SIM_STEP_BUSY : over(task);
		} else if (!task->event && !task->stage && task->phase_changes[task->phase]) {
			if (in_kernel)
				return SIM_STEP_BUSY;
			sim_task_set_attr(task, &task->def->phases.at[task->phase].attr);
			sim_cpu_to_user(cpu);
			step = one_step(task, in_kernel || cpu->cost_left_ns);
		} else {
			step = one_step(task, in_kernel);
		}
	} while (step == SIM_STEP_NEXT && !cpu->need_resched && !task->throttle_work &&
		 (in_kernel || !cpu->cost_left_ns));
	return step;
}
