/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load - what placement and balancing know of load: of CPUs, of tasks, of groups.
 *
 * Units: load is in weights, nice 0 is 1024.  util, runnable and capacity: 1024 is the biggest
 * CPU at its highest frequency, fully used.  All are averages as they were last brought up to
 * date; a read never moves them, as in the kernel.
 *
 * Kernel: kernel/sched/fair.c, v6.12; each function names the one it follows.
 */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include "sim/internal.h"

/* load_avg of the CPU's root queue: its tasks' and its groups'.  Kernel: cpu_load(). */
u64 sim_cpu_load(const struct sim_cpu *cpu);
/* Without @task's part, if it was last here.  Kernel: cpu_load_without(). */
u64 sim_cpu_load_without(const struct sim_cpu *cpu, struct sim_task *task);
/* How many wait or run, in 1024ths.  Kernel: cpu_runnable(). */
u64 sim_cpu_runnable(const struct sim_cpu *cpu);
/* Kernel: cpu_runnable_without(). */
u64 sim_cpu_runnable_without(const struct sim_cpu *cpu, const struct sim_task *task);

/*
 * What fair tasks use of the CPU: the average or, if that is more, the estimate of those that
 * are queued; at most its capacity.  Kernel: cpu_util_cfs().
 */
u64 sim_cpu_util(const struct sim_cpu *cpu);
/* The same, or what waits if that is more.  Kernel: cpu_util_cfs_boost(). */
u64 sim_cpu_util_boost(const struct sim_cpu *cpu);
/*
 * The same as if @task were on CPU @dst, and not where it is (@dst < 0: nowhere).
 * @task: NULL for as it is.  Kernel: cpu_util().
 */
u64 sim_cpu_util_if(const struct sim_cpu *cpu, const struct sim_task *task, s64 dst, bool boost);
/* Kernel: cpu_util_without(). */
u64 sim_cpu_util_without(const struct sim_cpu *cpu, const struct sim_task *task);

/* Its own average.  Kernel: task_util(). */
u64 sim_task_util(const struct sim_task *task);
/* Kernel: task_runnable(). */
u64 sim_task_runnable(const struct sim_task *task);
/* The average or the estimate, the larger.  Kernel: task_util_est(). */
u64 sim_task_util_est(const struct sim_task *task);
/* load_avg of its entity, in its own queue.  Kernel: p->se.avg.load_avg. */
u64 sim_task_load(const struct sim_task *task);
/* Its part of the CPU's load, through its groups.  Kernel: task_h_load(). */
u64 sim_task_h_load(struct sim_task *task);
/* Brings the averages of a task that sleeps up to date.  Kernel: sync_entity_load_avg(). */
void sim_task_load_sync(struct sim_task *task);

/* What the fair class is left of the CPU, at least 1.  Kernel: capacity_of(). */
u64 sim_cpu_capacity_of(const struct sim_cpu *cpu);
/* At its highest frequency, with nothing else on it.  Kernel: arch_scale_cpu_capacity(). */
u64 sim_cpu_capacity_orig(const struct sim_cpu *cpu);
/* What the limit of its clock leaves of that.  Kernel: get_actual_cpu_capacity(), v6.12. */
u64 sim_cpu_capacity_actual(const struct sim_cpu *cpu);
/* Reads the pressure of other classes and interrupts anew.  Kernel: update_cpu_capacity(). */
void sim_cpu_capacity_update(struct sim_cpu *cpu);

/*
 * Brings all averages of the CPU up to date, also of what sleeps.  True if some are not zero
 * yet.  Kernel: sched_balance_update_blocked_averages().
 */
bool sim_cpu_load_blocked(struct sim_cpu *cpu);

#endif
