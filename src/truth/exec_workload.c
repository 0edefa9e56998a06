/* SPDX-License-Identifier: GPL-2.0-only */
/* The process of a workload: objects, groups, threads, and one start for all of them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/rng.h"
#include "truth/exec_thread.h"

#define MARGIN_NS     20000000ull /* until all threads sleep, before the start */
#define PER_THREAD_NS 100000ull
#define TICK_NS       10000000ull /* of the slowest HZ: the start is anywhere in it */

/*
 * In packet mode each message takes one of the pipe's buffers, however small it is: it holds
 * as many as the simulator's.
 */
static bool init_pipe(struct exec_object *object, const struct workload_object *def,
		      struct exec_fault *fault)
{
	if (!pipe2(object->pipe, O_DIRECT | O_CLOEXEC))
		return true;
	return exec_fault(fault, "pipe \"%s\"", def->name);
}

static bool init_object(struct exec_object *object, const struct workload_object *def,
			struct exec_fault *fault)
{
	pthread_mutex_init(&object->mutex, NULL);
	pthread_cond_init(&object->cond, NULL);
	sem_init(&object->sem, 0, def->kind == WORKLOAD_OBJECT_SEM ? def->count : 0);
	if (def->kind == WORKLOAD_OBJECT_BARRIER)
		pthread_barrier_init(&object->barrier, NULL, def->count);
	return def->kind != WORKLOAD_OBJECT_PIPE || init_pipe(object, def, fault);
}

static bool init_objects(struct exec_run *run, struct exec_fault *fault)
{
	const struct workload *workload = run->program->workload;

	run->objects = NEW_ARRAY(struct exec_object, workload->objects.nr);
	for (u32 i = 0; i < workload->objects.nr; i++)
		if (!init_object(&run->objects[i], &workload->objects.at[i], fault))
			return false;
	return true;
}

static void report(const struct exec_run *run, const struct exec_report *report)
{
	if (write(run->report, report, sizeof(*report)) != sizeof(*report))
		return; /* nobody listens: the reader has ended, and will end us */
}

static u32 start_threads(struct exec_run *run)
{
	const struct workload *workload = run->program->workload;
	u32 nr = 0;

	vec_for_each(task, &workload->tasks)
		nr += task->instances;
	pthread_barrier_init(&run->ready, NULL, nr + 1);
	pthread_barrier_init(&run->go, NULL, nr + 1);
	vec_for_each(task, &workload->tasks)
		for (u32 i = 0; i < task->instances; i++)
			exec_thread_start(run, task, i, NULL);
	return nr;
}

static bool begins_programs(const struct workload *workload)
{
	vec_for_each(task, &workload->tasks)
		vec_for_each(event, &task->events)
			if (event->op == WORKLOAD_OP_EXECVE)
				return true;
	return false;
}

/*
 * What execve() finds a place for, before it sees that this is no program.  It must not be open for
 * writing.  Kernel: bprm_execve(), fs/exec.c.
 */
static bool open_nothing(struct exec_run *run, struct exec_fault *fault)
{
	char path[40];
	int file;

	if (!begins_programs(run->program->workload))
		return true;
	file = memfd_create("nothing", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (file >= 0 && write(file, "\n", 1) == 1)
		run->nothing = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0)
		close(file);
	return run->nothing >= 0 || exec_fault(fault, "execve: making a file to execute");
}

void exec_workload(const struct program *program, u64 loops_per_ms, int marker, int to)
{
	struct exec_run run = { .program = program,
				.loops_per_ms = loops_per_ms,
				.marker = marker,
				.report = to,
				.nothing = -1,
				.nr_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF) };
	struct exec_report begin = { 0 };
	u32 nr;

	if (!exec_cgroups_make(program->workload, &begin.fault) ||
	    !open_nothing(&run, &begin.fault)) {
		report(&run, &begin);
		return;
	}
	sem_init(&run.over, 0, 0);
	atomic_store(&run.alive, 1); /* us: nothing is over before the start */
	if (!init_objects(&run, &begin.fault)) {
		report(&run, &begin);
		return;
	}
	nr = start_threads(&run);
	pthread_barrier_wait(&run.ready);
	run.start_ns = exec_now_ns() + MARGIN_NS + nr * PER_THREAD_NS +
		       rng_draw(program->seed, 0, 0, 0) % TICK_NS;
	begin.start_ns = run.start_ns;
	report(&run, &begin);
	pthread_barrier_wait(&run.go);
	if (atomic_fetch_sub(&run.alive, 1) > 1)
		while (sem_wait(&run.over))
			;
	free(run.objects);
}
