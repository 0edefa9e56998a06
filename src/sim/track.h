/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * track - keeps load averages: of entities, of queues, of groups and of the other classes.
 *
 * What a queue kind calls, at the points where the kernel does.  Where nothing could ever
 * read an average (sim.tracks), none is kept: that costs one look.
 *
 * The clock of the averages, sim_cpu.pelt_ns, is slowed with the CPU and jumps when it idles.
 * It starts at POLICY_PELT_FIRST_NS, since 0 says that an entity belongs to no queue.
 *
 * Kernel: kernel/sched/fair.c, v6.12; each function names the one it follows.
 */
#ifndef SIM_TRACK_H
#define SIM_TRACK_H

#include "sim/internal.h"

enum sim_track {
	SIM_TRACK_TG = 1 << 0,       /* tell the group.  Kernel: UPDATE_TG */
	SIM_TRACK_ATTACH = 1 << 1,   /* join the queue if it belongs to none.  Kernel: DO_ATTACH */
	SIM_TRACK_DETACH = 1 << 2,   /* leave it.  Kernel: DO_DETACH */
	SIM_TRACK_SKIP_AGE = 1 << 3, /* the entity's own stay.  Kernel: SKIP_AGE_LOAD */
	SIM_TRACK_EST = 1 << 4,      /* a task sleeps.  Kernel: UPDATE_UTIL_EST, v7.3 */
};

void sim_track_update(struct sim_entity *se, u32 flags);
/* Both up to now.  Kernel: update_load_avg(). */
static inline void sim_track(struct sim_entity *se, u32 flags)
{
	if (se->queue->cpu->sim->tracks)
		sim_track_update(se, flags);
}

/* @se of @queue has the CPU from now on; NULL: none.  Kernel: cfs_rq.curr, h_curr in v7.3. */
static inline void sim_track_curr(struct sim_queue *queue, struct sim_entity *se)
{
	queue->h_curr = se;
}

/* A task that is taken off to be put on another CPU's queue leaves this one's averages. */
static inline u32 sim_track_migrates(const struct sim_entity *se, u32 flags)
{
	bool stays = flags & (SIM_DEQUEUE_SLEEP | SIM_DEQUEUE_SAVE);

	return se->task && !stays ? SIM_TRACK_DETACH : 0;
}

/* Its own queue's runnable tasks count for a group.  Kernel: se_update_runnable(). */
static inline void sim_track_runnable(struct sim_entity *se)
{
	if (se->own)
		se->runnable = se->own->h_nr_runnable;
}

/* The queue has an entity again, or has none any more; its clock of averages stands where it
 * is throttled.  Kernel: the ends of enqueue_entity() and dequeue_entity(). */
void sim_track_filled(struct sim_queue *queue);
void sim_track_empty(struct sim_queue *queue);
static inline void sim_track_entered(struct sim_queue *queue)
{
	if (queue->nr_queued == 1)
		sim_track_filled(queue);
}
static inline void sim_track_left(struct sim_queue *queue)
{
	if (!queue->nr_queued)
		sim_track_empty(queue);
}

/* Of a group's own weight on a CPU, by the load of its queue there; full resolution. */
u64 sim_track_shares(const struct sim_queue *queue);
/* The entity's weight becomes @load; the queue's own sum is the caller's. Kernel: reweight_entity(). */
void sim_track_reweight(struct sim_entity *se, u64 load);

/* A task is born; starts; moves to @cpu; ends.  Kernel: init_entity_runnable_average(),
 * post_init_entity_util_avg(), migrate_task_rq_fair() and set_task_rq_fair(), task_dead_fair(). */
void sim_track_born(struct sim_task *task);
void sim_track_started(struct sim_task *task);
void sim_track_moves(struct sim_task *task, struct sim_cpu *cpu);
void sim_track_ends(struct sim_task *task);
/* It leaves the fair class or its group, or joins one. Kernel: {de,at}tach_entity_cfs_rq(). */
void sim_track_detach(struct sim_task *task);
void sim_track_attach(struct sim_task *task);

/* Estimated utilisation of what is queued.  Kernel: util_est_enqueue(), util_est_dequeue(). */
void sim_track_est_add(struct sim_cpu *cpu, const struct sim_task *task);
void sim_track_est_sub(struct sim_cpu *cpu, const struct sim_task *task);
/* It sleeps.  Kernel: util_est_update(). */
void sim_track_est(struct sim_task *task);

/* The clock stops for a group that is throttled, and what is below it, and goes on.
 * Kernel: tg_throttle_down(), tg_unthrottle_up(). */
void sim_track_throttle(struct sim_queue *top);
void sim_track_unthrottle(struct sim_queue *top);

/* Other classes, @running until now.  Kernel: update_rt_rq_load_avg() and its like. */
void sim_track_rt(struct sim_cpu *cpu, bool running);
void sim_track_dl(struct sim_cpu *cpu, bool running);
/* Interrupts took @ns since it was last called, where the kernel accounts them. */
void sim_track_irq(struct sim_cpu *cpu, u64 ns);

/* For sim/track*.c: a queue's own averages up to now, true if they moved; tell its group of
 * them; nothing is queued in it; nothing is left of them.  Kernel: update_cfs_rq_load_avg(),
 * update_tg_load_avg(), update_idle_cfs_rq_clock_pelt(), cfs_rq_is_decayed(). */
bool sim_track_queue(struct sim_queue *queue);
void sim_track_tell(struct sim_queue *queue);
void sim_track_idle(struct sim_queue *queue);
bool sim_track_is_decayed(const struct sim_queue *queue);
/* Kernel: rq_clock_pelt(). */
static inline u64 sim_track_cpu_clock(const struct sim_cpu *cpu)
{
	return cpu->pelt_ns - cpu->lost_idle_ns;
}

/* The CPU goes idle.  Kernel: update_idle_rq_clock_pelt(). */
void sim_track_cpu_idle(struct sim_cpu *cpu);
/* Is there anything that could read an average? */
void sim_track_init(struct sim *sim);

/* The limit of its clock, as an average; at ticks.  Kernel: update_hw_load_avg(). */
void sim_track_pressure(struct sim_cpu *cpu);

/*
 * What a unit of time on @cpu adds: all of it where the clock is slowed instead.
 * Kernel: accumulate_sum(), kernel/sched/pelt.c, before v5.1.
 */
static inline u32 sim_contrib_freq(const struct sim_cpu *cpu)
{
	return cpu->sim->contrib ? cpu->freq_scale : 1024;
}
static inline u32 sim_contrib_cpu(const struct sim_cpu *cpu)
{
	return cpu->sim->contrib ? cpu->capacity : 1024;
}

#endif
