/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache - cache-aware balancing: which cache each process prefers, and who is queued where.
 *
 * Kept only where the feature SCHED_CACHE is on and the machine has several last-level caches
 * of more than one CPU.  The memory that a process touches is not simulated: it always fits.
 * Kernel: CONFIG_SCHED_CACHE, kernel/sched/fair.c and topology.c, v7.3.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "base/bits.h"
#include "policy/cache.h"

struct machine_group;
struct policy_group_stats;
struct sim;
struct sim_cpu;
struct sim_pass;
struct sim_process;
struct sim_task;

/* A CPU's part.  Kernel: of struct rq, and llc_counts of its lowest domain. */
struct sim_cpu_cache {
	struct policy_cache_epoch epoch;
	u32 llc;        /* its cache, numbered from 0 */
	u32 *wanted;    /* by cache: how many of its tasks prefer it */
	u32 nr_settled; /* its tasks that run in the cache they prefer.  Kernel: nr_pref_llc_running */
};

/* The machine's part. */
struct sim_caches {
	bool on; /* Kernel: sched_cache_active */
	struct policy_cache_tunables with;
	u32 nr, smt;                    /* caches; threads of a core */
	u32 *wanted;                    /* what the CPUs' point into */
	struct sim_process **processes; /* by task of the workload */
	struct sim_process *all;
};

void sim_cache_init(struct sim *sim);
/* The domains are new: what was counted by them begins at zero. */
void sim_cache_domains(struct sim *sim);
void sim_cache_fini(struct sim *sim);
void sim_cache_joins(struct sim_task *task);
void sim_cache_leaves(struct sim_task *task);
/* It is a process of its own from now on.  Kernel: sched_cache_exec_mmap(). */
void sim_cache_exec(struct sim_task *task);

/* It ran so much more.  Kernel: account_mm_sched(). */
void sim_cache_ran(struct sim_task *task, u64 delta_ns);
/* Kernel: account_llc_enqueue(), account_llc_dequeue(). */
void sim_cache_enqueued(struct sim_task *task);
void sim_cache_dequeued(struct sim_task *task);
/* It is delayed, or no longer.  Kernel: pref_llc_running_inc(), pref_llc_running_dec(). */
void sim_cache_count(struct sim_task *task, bool in);
/* Kernel: task_tick_cache(). */
void sim_cache_tick(struct sim_task *task);
/* Where does its process run most?  Kernel: task_cache_work(). */
void sim_cache_look(struct sim_task *task);

/* cache_balance.c: what passes ask, while it is on */
/* How many tasks of @cpu prefer the cache of @dst, another one. */
u32 sim_cache_wanted(const struct sim_cpu *cpu, const struct sim_cpu *dst);
/* Are tasks of the group to be moved for their cache's sake?  Kernel: llc_balance(). */
bool sim_cache_draws(const struct sim_pass *pass, const struct machine_group *of,
		     const struct policy_group_stats *group);
/* Kernel: record_sg_llc_stats(). */
void sim_cache_record(const struct sim_pass *pass, const struct machine_group *of,
		      const struct policy_group_stats *group);
/* Kernel: migrate_degrades_llc(). */
bool sim_cache_degrades(struct sim_pass *pass, struct sim_task *task);
/* Kernel: migrate_llc_task_wrong_dst(). */
bool sim_cache_wrong(const struct sim_pass *pass, const struct sim_task *task);
/* Is what runs on the source to stay?  Kernel: alb_break_llc(). */
bool sim_cache_settled(const struct sim_pass *pass);

/* Shared by the two files. */
struct sim_process {
	struct sim_process *next, *prev;
	bool passing; /* made by a task that began another program; gone with its last thread */
	u32 nr_threads;
	s64 cpu;                        /* where it runs most; its cache is preferred; -1: none */
	u64 epoch, next_look, running;  /* next_look: jiffies; running: nr_running_avg */
	struct policy_cache_time *time; /* by CPU */
};
/* Has its process too many threads?  Then it prefers none any more. */
bool sim_cache_crowded(struct sim_task *task, const struct sim_cpu *cpu);

#endif
