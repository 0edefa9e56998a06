/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sync - mutexes, conditions, barriers, semaphores as glibc and futexes make them; pipes.
 *
 * Unlocking wakes the first waiter, who then tries again: the lock is not handed over,
 * and whoever runs first has it.  A condition's waiter takes its mutex again when it
 * runs.  Waiters queue in order of arrival.
 */
#include "sim/internal.h"

static enum sim_step wait_in(struct sim_waiters *waiters, struct sim_task *task)
{
	task->state = SIM_BLOCKED;
	task->wait_next = NULL;
	if (waiters->last)
		waiters->last->wait_next = task;
	else
		waiters->first = task;
	waiters->last = task;
	return SIM_STEP_BLOCKED;
}

/* NULL: nobody waits. */
static struct sim_task *take_first(struct sim_waiters *waiters)
{
	struct sim_task *task = waiters->first;

	if (!task)
		return NULL;
	waiters->first = task->wait_next;
	if (!waiters->first)
		waiters->last = NULL;
	return task;
}

static enum sim_step block_on(struct sim_object *object, struct sim_task *task)
{
	sim_syscall(task->sim);
	return wait_in(&object->waiters, task);
}

static bool wake_first(struct sim_object *object)
{
	struct sim_task *task = take_first(&object->waiters);

	if (!task)
		return false;
	sim_syscall(task->sim);
	sim_wake(task);
	return true;
}

static enum sim_step lock(struct sim_object *mutex, struct sim_task *task)
{
	if (mutex->owner)
		return block_on(mutex, task);
	mutex->owner = task;
	return SIM_STEP_NEXT;
}

/* A mutex that another task holds is left alone, as a normal pthread mutex is not checked. */
static enum sim_step unlock(struct sim_object *mutex)
{
	mutex->owner = NULL;
	wake_first(mutex);
	return SIM_STEP_NEXT;
}

/* Stage 0 gives the mutex up and blocks, stage 1 takes it again. */
static enum sim_step wait_on(struct sim_object *cond, struct sim_object *mutex,
			     struct sim_task *task)
{
	if (task->stage)
		return mutex ? lock(mutex, task) : SIM_STEP_NEXT;
	task->stage = 1;
	if (mutex)
		unlock(mutex);
	return block_on(cond, task);
}

/*
 * Two calls: what the first woke may run before the second.  Stage 2 is between them, 0 and 1
 * of the second are wait_on()'s.
 */
static enum sim_step signal_and_wait(struct sim_object *cond, struct sim_object *mutex,
				     struct sim_task *task)
{
	if (!task->stage) {
		wake_first(cond);
		task->stage = 2;
		if (task->cpu->need_resched || task->cpu->cost_left_ns)
			return SIM_STEP_BUSY;
	}
	if (task->stage == 2)
		task->stage = 0;
	return wait_on(cond, mutex, task);
}

static enum sim_step barrier(struct sim_object *object, u32 parties, struct sim_task *task)
{
	if (task->stage)
		return SIM_STEP_NEXT;
	if (object->count + 1 < parties) {
		object->count++;
		task->stage = 1;
		return block_on(object, task);
	}
	object->count = 0;
	while (wake_first(object))
		;
	return SIM_STEP_NEXT;
}

static enum sim_step sem_wait(struct sim_object *object, struct sim_task *task)
{
	if (!object->count)
		return block_on(object, task);
	object->count--;
	return SIM_STEP_NEXT;
}

static void wake_sync(struct sim_waiters *waiters)
{
	struct sim_task *task = take_first(waiters);

	if (task)
		sim_wake_sync(task);
}

/*
 * Who finds nothing waits, and looks again when woken, as another may have been quicker; then
 * it wakes the next one if there is more.  Kernel: pipe_read(), fs/pipe.c, of packets.
 */
static enum sim_step pipe_read(struct sim_object *pipe, struct sim_task *task)
{
	bool was_full = pipe->count == WORKLOAD_PIPE_MESSAGES;

	if (!task->stage)
		sim_syscall(task->sim);
	if (!pipe->count) {
		task->stage = 1;
		return wait_in(&pipe->waiters, task);
	}
	pipe->count--;
	if (was_full)
		wake_sync(&pipe->writers);
	if (task->stage && pipe->count)
		wake_sync(&pipe->waiters);
	return SIM_STEP_NEXT;
}

/* Kernel: pipe_write(). */
static enum sim_step pipe_write(struct sim_object *pipe, struct sim_task *task)
{
	bool was_empty = !pipe->count;

	if (!task->stage)
		sim_syscall(task->sim);
	if (pipe->count == WORKLOAD_PIPE_MESSAGES) {
		task->stage = 1;
		return wait_in(&pipe->writers, task);
	}
	pipe->count++;
	if (was_empty)
		wake_sync(&pipe->waiters);
	if (task->stage && pipe->count < WORKLOAD_PIPE_MESSAGES)
		wake_sync(&pipe->writers);
	return SIM_STEP_NEXT;
}

enum sim_step sim_sync(struct sim_task *task, const struct workload_event *event)
{
	struct sim *sim = task->sim;
	struct sim_object *object = &sim->objects[event->object];
	struct sim_object *mutex =
		event->mutex == WORKLOAD_NO_OBJECT ? NULL : &sim->objects[event->mutex];

	switch (event->op) {
	case WORKLOAD_OP_LOCK:
		return lock(object, task);
	case WORKLOAD_OP_UNLOCK:
		return unlock(object);
	case WORKLOAD_OP_SYNC:
		return signal_and_wait(object, mutex, task);
	case WORKLOAD_OP_WAIT:
		return wait_on(object, mutex, task);
	case WORKLOAD_OP_SUSPEND:
		return wait_on(object, NULL, task);
	case WORKLOAD_OP_SIGNAL:
		wake_first(object);
		return SIM_STEP_NEXT;
	case WORKLOAD_OP_BROAD:
	case WORKLOAD_OP_RESUME:
		while (wake_first(object))
			;
		return SIM_STEP_NEXT;
	case WORKLOAD_OP_BARRIER:
		return barrier(object, sim->setup->workload->objects.at[event->object].count, task);
	case WORKLOAD_OP_SEM_POST:
		object->count++;
		wake_first(object);
		return SIM_STEP_NEXT;
	case WORKLOAD_OP_SEM_WAIT:
		return sem_wait(object, task);
	case WORKLOAD_OP_PIPE_READ:
		return pipe_read(object, task);
	case WORKLOAD_OP_PIPE_WRITE:
		return pipe_write(object, task);
	default:
		assert(0 && "not an operation on an object");
		return SIM_STEP_NEXT;
	}
}
