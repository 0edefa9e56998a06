/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select - which CPU a fair task goes to.
 *
 * Kernel: select_task_rq_fair() and what it calls, kernel/sched/fair.c, v6.12; each function
 * names the one it follows.
 */
#ifndef SIM_SELECT_H
#define SIM_SELECT_H

#include "sim/internal.h"

/* For a task that sleeps, woken from sim.here.  @sync: the waker is about to sleep itself. */
struct sim_cpu *sim_select_wakeup(struct sim_task *task, bool sync, enum sim_reason *reason);
/* For a task that was just born on its CPU.  Kernel: the same with WF_FORK. */
struct sim_cpu *sim_select_fork(struct sim_task *task, enum sim_reason *reason);
/* For one that runs and begins another program.  Kernel: the same with WF_EXEC. */
struct sim_cpu *sim_select_exec(struct sim_task *task, enum sim_reason *reason);

/* select_idle.c */
/* Does it idle, or run SCHED_IDLE tasks only?  Kernel: choose_idle_cpu(), v7.3. */
bool sim_cpu_free(const struct sim_cpu *cpu, const struct sim_task *task);
struct sim_cpu *sim_select_idle_sibling(struct sim_task *task, struct sim_cpu *prev,
					struct sim_cpu *target, enum sim_reason *reason);

/* select_slow.c */
/* From @here's domain of that level down; @flag: enum machine_domain_flag that asks for it. */
struct sim_cpu *sim_find_idlest_cpu(struct sim_task *task, struct sim_cpu *here, u32 level,
				    u32 flag, enum sim_reason *reason);

#endif
