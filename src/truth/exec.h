/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec - the executor: runs a program on the kernel it finds itself on and records it.
 *
 * A static executable of its own, fairground-exec, that needs no file beside it: it is
 * run by `fairground exec`, and is /init of the guests.  It reads no CPU clock: asking for
 * one makes the kernel account, and would change what is measured.
 *
 * Faults come back as texts in a struct exec_fault; the first one stands.
 */
#ifndef TRUTH_EXEC_H
#define TRUTH_EXEC_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "truth/program.h"

struct exec_fault {
	char text[400];
};

/* "WHAT: errno's meaning", unless there is a fault already; false, for return. */
bool exec_fault(struct exec_fault *fault, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Work: counted loops (exec_spin.c). */
/* Loops a millisecond, of one CPU or, @all_busy, of each while all run; takes about 40 ms. */
u64 exec_spin_calibrate(bool all_busy);
void exec_spin(u64 loops);

u64 exec_now_ns(void); /* CLOCK_MONOTONIC */
/* The kernel's tick: what its coarse clocks move by. */
u64 exec_tick_ns(void);
void exec_sleep_until(u64 time_ns);
/* A whole small file; false with a fault. */
bool exec_write_file(const char *path, const char *text, struct exec_fault *fault);
/* Up to @size bytes of a file, which the caller frees; NULL: not there. */
char *exec_read_file(const char *path, size_t *len);

struct exec_object {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	sem_t sem;
	int pipe[2];
	u64 next_ns; /* of a shared timer, under mutex */
};

struct exec_run {
	const struct program *program;
	u64 loops_per_ms;
	int marker;   /* trace_marker; -1: none */
	int report;   /* where faults are written to */
	int nothing;  /* a file that may be executed, but is no program; -1: none is needed */
	u64 start_ns; /* set before the threads are let go */
	u32 nr_cpus;
	struct exec_object *objects;
	pthread_barrier_t ready; /* all threads of the start, and the one that starts them */
	pthread_barrier_t go;
	atomic_uint alive; /* threads, and the start itself */
	sem_t over;        /* posted when none is left */
};

/* What the process of the workload tells: when it starts, or why it cannot go on. */
struct exec_report {
	u64 start_ns; /* CLOCK_MONOTONIC; 0: a fault */
	struct exec_fault fault;
};

struct exec_thread {
	struct exec_run *run;
	const struct workload_task *def;
	u64 identity, forks;
	bool forked;
	u64 *iterations;           /* of each event: draws so far */
	u64 *timer_next_ns;        /* of each object: this thread's own timers */
	struct workload_attr attr; /* as it is now */
};

/*
 * Runs the workload in this process until its threads have ended.  Reports go to @to as
 * whole structs: one with the start, and one for each fault, after which the process waits
 * to be killed.  @marker: trace_marker, or -1.
 */
void exec_workload(const struct program *program, u64 loops_per_ms, int marker, int to);
/* A thread's attributes as the kernel calls take them; false with a fault. */
bool exec_attr_apply(struct exec_thread *thread, const struct workload_attr *attr,
		     struct exec_fault *fault);
bool exec_cgroups_make(const struct workload *workload, struct exec_fault *fault);
/* After the last of their threads has ended, so that the next run finds new ones. */
void exec_cgroups_remove(const struct workload *workload);

/* The recorder (exec_record.c): an instance of tracefs of our own. */
struct exec_recorder {
	char instance[200];
	u32 nr_cpus;
	int on; /* its tracing_on */
};
bool exec_record_open(struct exec_recorder *recorder, u32 buffer_kib, struct exec_fault *fault);
void exec_record_switch(struct exec_recorder *recorder, bool on);
/* Everything recorded, as chunks to @out. */
bool exec_record_send(struct exec_recorder *recorder, int out, struct exec_fault *fault);
void exec_record_close(struct exec_recorder *recorder);

bool exec_send(int out, u32 kind, u32 cpu, const void *bytes, size_t size,
	       struct exec_fault *fault);

/* Makes a guest of the machine that this process is /init of; the port to write to, or -1. */
int exec_init_guest(struct exec_fault *fault);
void exec_power_off(void);

#endif
