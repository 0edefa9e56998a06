/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deadline - what the classes above the fair one share: who is first, pushing and pulling.
 */
#ifndef SIM_DEADLINE_H
#define SIM_DEADLINE_H

#include "sim/internal.h"

/* deadline.c */
bool sim_dl_is_first(const struct sim_cpu *cpu, const struct sim_task *task);

/* rt.c: the first by priority that could go to @to (NULL: anywhere) */
struct sim_task *sim_rt_pushable(const struct sim_cpu *cpu, const struct sim_cpu *to);

/* push.c */
struct sim_cpu *sim_select_rt(struct sim_task *task);
struct sim_cpu *sim_select_dl(struct sim_task *task);
void sim_push_rt(struct sim_cpu *cpu);
void sim_push_dl(struct sim_cpu *cpu);
bool sim_rt_may_go(const struct sim_task *task);
void sim_push_woken(struct sim_cpu *cpu, struct sim_task *task);

/* The highest priority of the CPU's realtime tasks; 0: it has none. */
static inline u32 sim_rt_top(const struct sim_cpu *cpu)
{
	if (cpu->rt_queued[1])
		return 127 - (u32)__builtin_clzll(cpu->rt_queued[1]);
	return cpu->rt_queued[0] ? 63 - (u32)__builtin_clzll(cpu->rt_queued[0]) : 0;
}

/* Lower is more urgent; the idle task is last.  Kernel: task_struct.prio. */
static inline s32 sim_running_prio(const struct sim_cpu *cpu)
{
	return cpu->curr == cpu->idle ? 140 : sim_prio(cpu->curr);
}

#endif
