/* SPDX-License-Identifier: GPL-2.0-only */
/* What a thread does: phases, loops and events of workload.h, as sim/program.c has them. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "input/marker.h"
#include "truth/exec.h"
#include "truth/exec_thread.h"

#define NS_PER_S 1000000000ull

static struct exec_object *object_of(const struct exec_thread *thread, u32 index)
{
	return index == WORKLOAD_NO_OBJECT ? NULL : &thread->run->objects[index];
}

static u64 *iteration_of(const struct exec_thread *thread, const struct workload_event *event)
{
	return &thread->iterations[event - thread->def->events.at];
}

static u64 draw(const struct exec_thread *thread, const struct workload_event *event)
{
	const struct program *program = thread->run->program;

	return workload_draw(program->workload, &event->amount, program->seed, thread->identity,
			     event->site, (*iteration_of(thread, event))++);
}

static void do_work(struct exec_thread *thread, const struct workload_event *event)
{
	u64 ns = draw(thread, event), per_ms = thread->run->loops_per_ms;

	exec_spin(ns / 1000000 * per_ms + ns % 1000000 * per_ms / 1000000);
}

static void do_runtime(struct exec_thread *thread, const struct workload_event *event)
{
	u64 until_ns = exec_now_ns() + draw(thread, event);
	u64 two_us = thread->run->loops_per_ms / 500;

	while (exec_now_ns() < until_ns)
		exec_spin(two_us ? two_us : 1);
}

static void do_sleep(struct exec_thread *thread, const struct workload_event *event)
{
	u64 ns = draw(thread, event);
	const struct timespec length = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
}

/* The next point of a timer; sleeps until it, if it is not past. */
static u64 timer_step(const struct exec_thread *thread, const struct workload_event *event,
		      u64 *next_ns)
{
	if (!*next_ns)
		*next_ns = thread->run->start_ns + thread->def->delay_ns;
	return workload_timer_step(event->mode, draw(thread, event), exec_now_ns(), next_ns);
}

static void do_timer(struct exec_thread *thread, const struct workload_event *event)
{
	const struct workload *workload = thread->run->program->workload;
	struct exec_object *object = object_of(thread, event->object);
	u64 until_ns;

	if (workload->objects.at[event->object].per_thread) {
		until_ns = timer_step(thread, event, &thread->timer_next_ns[event->object]);
	} else {
		pthread_mutex_lock(&object->mutex);
		until_ns = timer_step(thread, event, &object->next_ns);
		pthread_mutex_unlock(&object->mutex);
	}
	if (until_ns)
		exec_sleep_until(until_ns);
}

static void do_lock(struct exec_thread *thread, const struct workload_event *event)
{
	pthread_mutex_lock(&object_of(thread, event->object)->mutex);
}

static void do_unlock(struct exec_thread *thread, const struct workload_event *event)
{
	pthread_mutex_unlock(&object_of(thread, event->object)->mutex);
}

static void do_wait(struct exec_thread *thread, const struct workload_event *event)
{
	pthread_cond_wait(&object_of(thread, event->object)->cond,
			  &object_of(thread, event->mutex)->mutex);
}

static void do_signal(struct exec_thread *thread, const struct workload_event *event)
{
	pthread_cond_signal(&object_of(thread, event->object)->cond);
}

static void do_broad(struct exec_thread *thread, const struct workload_event *event)
{
	pthread_cond_broadcast(&object_of(thread, event->object)->cond);
}

static void do_sync(struct exec_thread *thread, const struct workload_event *event)
{
	do_signal(thread, event);
	do_wait(thread, event);
}

static void do_barrier(struct exec_thread *thread, const struct workload_event *event)
{
	pthread_barrier_wait(&object_of(thread, event->object)->barrier);
}

/* suspend and resume take the mutex of their name around the condition, as rt-app does. */
static void do_suspend(struct exec_thread *thread, const struct workload_event *event)
{
	struct exec_object *mutex = object_of(thread, event->mutex);

	pthread_mutex_lock(&mutex->mutex);
	do_wait(thread, event);
	pthread_mutex_unlock(&mutex->mutex);
}

static void do_resume(struct exec_thread *thread, const struct workload_event *event)
{
	struct exec_object *mutex = object_of(thread, event->mutex);

	pthread_mutex_lock(&mutex->mutex);
	do_broad(thread, event);
	pthread_mutex_unlock(&mutex->mutex);
}

static void do_yield(struct exec_thread *thread, const struct workload_event *event)
{
	(void)thread, (void)event;
	sched_yield();
}

static void do_execve(struct exec_thread *thread, const struct workload_event *event)
{
	char *const none[] = { NULL };

	(void)event;
	syscall(SYS_execveat, thread->run->nothing, "", none, none, AT_EMPTY_PATH);
}

static void do_fork(struct exec_thread *thread, const struct workload_event *event)
{
	const struct workload_task *def = &thread->run->program->workload->tasks.at[event->target];

	exec_thread_start(thread->run, def, (u32)thread->forks, thread);
	thread->forks++;
}

static void do_sem_post(struct exec_thread *thread, const struct workload_event *event)
{
	sem_post(&object_of(thread, event->object)->sem);
}

static void do_sem_wait(struct exec_thread *thread, const struct workload_event *event)
{
	while (sem_wait(&object_of(thread, event->object)->sem) && errno == EINTR)
		;
}

/* A message is a byte. */
static void do_pipe_write(struct exec_thread *thread, const struct workload_event *event)
{
	while (write(object_of(thread, event->object)->pipe[1], "", 1) < 0 && errno == EINTR)
		;
}

static void do_pipe_read(struct exec_thread *thread, const struct workload_event *event)
{
	char byte;

	while (read(object_of(thread, event->object)->pipe[0], &byte, 1) < 0 && errno == EINTR)
		;
}

static void do_mark(struct exec_thread *thread, const struct workload_event *event)
{
	struct event mark = { .kind = EVENT_MARK,
			      .mark = { .what = event->target,
					.begin = event->mode,
					.id = (*iteration_of(thread, event))++,
					.name = event->mark } };
	char text[256];
	int len = marker_encode(&mark, text, sizeof(text));

	if (thread->run->marker >= 0 &&
	    write(thread->run->marker, text,
		  len < (int)sizeof(text) ? (size_t)len : sizeof(text) - 1) < 0)
		return; /* the ring is off: the run is over */
}

static void (*const ops[WORKLOAD_NR_OPS])(struct exec_thread *, const struct workload_event *) = {
	[WORKLOAD_OP_RUN] = do_work,
	[WORKLOAD_OP_RUNTIME] = do_runtime,
	[WORKLOAD_OP_SLEEP] = do_sleep,
	[WORKLOAD_OP_TIMER] = do_timer,
	[WORKLOAD_OP_LOCK] = do_lock,
	[WORKLOAD_OP_UNLOCK] = do_unlock,
	[WORKLOAD_OP_WAIT] = do_wait,
	[WORKLOAD_OP_SIGNAL] = do_signal,
	[WORKLOAD_OP_BROAD] = do_broad,
	[WORKLOAD_OP_SYNC] = do_sync,
	[WORKLOAD_OP_BARRIER] = do_barrier,
	[WORKLOAD_OP_SUSPEND] = do_suspend,
	[WORKLOAD_OP_RESUME] = do_resume,
	[WORKLOAD_OP_YIELD] = do_yield,
	[WORKLOAD_OP_FORK] = do_fork,
	[WORKLOAD_OP_SEM_POST] = do_sem_post,
	[WORKLOAD_OP_SEM_WAIT] = do_sem_wait,
	[WORKLOAD_OP_MEM] = do_work,
	[WORKLOAD_OP_EXECVE] = do_execve,
	[WORKLOAD_OP_IOWAIT] = do_sleep,
	[WORKLOAD_OP_IORUN] = do_work,
	[WORKLOAD_OP_MARK] = do_mark,
	[WORKLOAD_OP_PIPE_WRITE] = do_pipe_write,
	[WORKLOAD_OP_PIPE_READ] = do_pipe_read,
};

/* The run is void: whoever reads the report ends this process. */
static void give_up(const struct exec_run *run, const struct exec_fault *fault)
{
	struct exec_report report = { .fault = *fault };

	for (bool told = false; !told; pause())
		told = write(run->report, &report, sizeof(report)) == sizeof(report);
}

static void apply(struct exec_thread *thread, const struct workload_attr *attr)
{
	struct exec_fault fault = { "" };

	if (exec_attr_apply(thread, attr, &fault))
		return;
	for (;;)
		give_up(thread->run, &fault);
}

static void run_phase(struct exec_thread *thread, const struct workload_phase *phase)
{
	const struct workload_event *first = thread->def->events.at + phase->first_event;

	for (s64 left = phase->loop; left; left -= left > 0) {
		apply(thread, &phase->attr);
		for (u32 i = 0; i < phase->nr_events; i++)
			ops[first[i].op](thread, &first[i]);
	}
}

static void run_task(struct exec_thread *thread)
{
	for (s64 left = thread->def->loop; left; left -= left > 0)
		vec_for_each(phase, &thread->def->phases)
			run_phase(thread, phase);
}

static void end(struct exec_thread *thread)
{
	struct exec_run *run = thread->run;

	free(thread->iterations);
	free(thread->timer_next_ns);
	free(thread);
	if (atomic_fetch_sub(&run->alive, 1) == 1)
		sem_post(&run->over);
}

static void *body(void *self)
{
	struct exec_thread *thread = self;
	struct exec_run *run = thread->run;
	char comm[16];

	snprintf(comm, sizeof(comm), "%s", workload_comm(thread->def));
	pthread_setname_np(pthread_self(), comm);
	apply(thread, &thread->def->attr);
	if (!thread->forked) {
		pthread_barrier_wait(&run->ready);
		pthread_barrier_wait(&run->go);
	}
	if (thread->def->phases.nr) {
		/* even a time that is past would make the kernel switch */
		if (run->start_ns + thread->def->delay_ns > exec_now_ns())
			exec_sleep_until(run->start_ns + thread->def->delay_ns);
		run_task(thread);
	}
	end(thread);
	return NULL;
}

void exec_thread_start(struct exec_run *run, const struct workload_task *def, u32 instance,
		       const struct exec_thread *parent)
{
	struct exec_thread *thread = NEW(struct exec_thread);
	struct exec_fault fault = { "" };
	pthread_attr_t attr;
	pthread_t handle;

	thread->run = run;
	thread->def = def;
	thread->forked = parent != NULL;
	thread->identity = workload_identity(def->name, instance, parent ? parent->identity : 0,
					     parent ? parent->forks : 0);
	thread->iterations = NEW_ARRAY(u64, def->events.nr);
	thread->timer_next_ns = NEW_ARRAY(u64, run->program->workload->objects.nr);
	thread->attr = WORKLOAD_ATTR_KEEP;
	atomic_fetch_add(&run->alive, 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	errno = pthread_create(&handle, &attr, body, thread);
	pthread_attr_destroy(&attr);
	if (!errno)
		return;
	exec_fault(&fault, "task \"%s\": a thread", def->name);
	for (;;)
		give_up(run, &fault);
}
