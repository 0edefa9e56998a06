/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server - the deferred deadline server that keeps realtime tasks from starving fair ones.
 *
 * A server has a runtime for each period.  What fair tasks run anyway, and idle time, counts
 * against it; when that uses the runtime up, a new period begins.  Else a timer fires when
 * just the runtime is left until the deadline (no laxity): the fair tasks were starved, and
 * run ahead of realtime ones until the runtime is used up or none of them is left.  In that
 * state (running) the next periods do not wait for their end.
 *
 * The caller has the clock and the queues: it fires the timer at timer_ns, and lets fair
 * tasks go first while queued is set.
 *
 * Since 7.3 a server whose runtime was used up by idle time alone is stopped by its timer.
 *
 * Kernel: struct sched_dl_entity with dl_server and dl_defer, kernel/sched/deadline.c, v6.12;
 * dl_defer_idle, v7.3.
 */
#ifndef POLICY_SERVER_H
#define POLICY_SERVER_H

#include "policy/int.h"

#define POLICY_SERVER_PERIOD_NS 1000000000 /* Kernel: dl_server_start(), deadline.c, v6.12 */
/* A timer this close is as good as due.  Kernel: dl_server_min_res, deadline.c, v6.12. */
#define POLICY_SERVER_GUARD_NS 1000000

struct policy_server {
	s64 budget_ns;   /* the runtime of a period */
	s64 runtime_ns;  /* what is left of it */
	u64 deadline_ns; /* where the period ends; 0: none has begun */
	u64 timer_ns;    /* U64_MAX: not armed */
	bool active;     /* there are fair tasks to serve, or were */
	bool queued;     /* fair tasks go first */
	bool throttled;  /* waits for its timer */
	bool armed;      /* of those: for the moment without laxity, not for the deadline */
	bool running;    /* its fair tasks were starved */
	bool idle;       /* nothing but idle time has used its last runtime up; since 7.3 */
	bool stops_idle; /* what its release does: that of 7.3 */
};

/*
 * Arms the timer, if it is not.  False if its time has passed, by a microsecond and more.
 * Kernel: start_dl_timer(), kernel/sched/deadline.c, v6.12.
 */
static inline bool policy_server_arm(struct policy_server *server, u64 now_ns)
{
	u64 at_ns = server->deadline_ns - (server->armed ? (u64)server->runtime_ns : 0);

	if ((s64)(at_ns - now_ns) <= -1000)
		return false;
	if (server->timer_ns == U64_MAX)
		server->timer_ns = (s64)(at_ns - now_ns) < 0 ? now_ns : at_ns;
	return true;
}

/* Kernel: replenish_dl_new_period(), kernel/sched/deadline.c, v6.12. */
static inline void policy_server_new_period(struct policy_server *server, u64 now_ns)
{
	server->deadline_ns = now_ns + POLICY_SERVER_PERIOD_NS;
	server->runtime_ns = server->budget_ns;
	if (!server->running)
		server->throttled = server->armed = true;
}

/*
 * Is more of the runtime left than there should be, so near to the deadline?  In steps of
 * 1024 ns.
 * Kernel: dl_entity_overflow(), kernel/sched/deadline.c, v6.12.
 */
static inline bool policy_server_overflows(const struct policy_server *server, u64 now_ns)
{
	s64 left = (POLICY_SERVER_PERIOD_NS >> 10) * (server->runtime_ns >> 10);
	s64 right = ((s64)(server->deadline_ns - now_ns) >> 10) * (server->budget_ns >> 10);

	return right < left;
}

/*
 * What is left of the period and its runtime when there are fair tasks again.
 * Kernel: update_dl_entity(), update_dl_revised_wakeup(), kernel/sched/deadline.c, v6.12.
 */
static inline void policy_server_wake(struct policy_server *server, u64 now_ns)
{
	bool late = !server->deadline_ns || (s64)(server->deadline_ns - now_ns) < 0;
	u64 density = ((u64)server->budget_ns << 20) / POLICY_SERVER_PERIOD_NS;

	if (!late && !policy_server_overflows(server, now_ns)) {
		if (!server->running)
			server->throttled = server->armed = true;
	} else if (!late && server->running) {
		server->runtime_ns = (s64)(density * (server->deadline_ns - now_ns) >> 20);
	} else {
		server->running = false;
		policy_server_new_period(server, now_ns);
	}
}

/*
 * A new runtime, when the timer fired or its time had passed.
 * Kernel: replenish_dl_entity(), kernel/sched/deadline.c, v6.12.
 */
static inline void policy_server_replenish(struct policy_server *server, u64 now_ns)
{
	s64 periods = 0;

	if (server->armed && policy_server_overflows(server, now_ns)) {
		server->deadline_ns = now_ns + POLICY_SERVER_PERIOD_NS;
		server->runtime_ns = server->budget_ns;
	}
	if (server->runtime_ns <= 0)
		periods = (s64)((u64)-server->runtime_ns / (u64)server->budget_ns) + 1;
	server->deadline_ns += (u64)periods * POLICY_SERVER_PERIOD_NS;
	server->runtime_ns += periods * server->budget_ns;
	if ((s64)(server->deadline_ns - now_ns) < 0)
		policy_server_new_period(server, now_ns);
	server->throttled = false;
	if (server->armed) {
		server->armed = false;
		return;
	}
	if (server->running || (s64)(server->deadline_ns - (u64)server->runtime_ns - now_ns) <= 0)
		return;
	server->throttled = server->armed = true;
	policy_server_arm(server, now_ns);
}

/*
 * It waits for its timer, or goes first if it need not.
 * Kernel: the end of enqueue_dl_entity(), kernel/sched/deadline.c, v6.12.
 */
static inline void policy_server_enqueue(struct policy_server *server, u64 now_ns)
{
	if (server->throttled && policy_server_arm(server, now_ns))
		return;
	if (server->throttled) {
		server->timer_ns = U64_MAX;
		server->armed = server->throttled = false;
	}
	server->queued = true;
}

/*
 * The first fair task is queued.  True if the CPU must look anew who runs.
 * Kernel: dl_server_start(), kernel/sched/deadline.c, v6.12.
 */
static inline bool policy_server_start(struct policy_server *server, u64 now_ns)
{
	server->idle = false;
	if (server->active)
		return false;
	server->active = true;
	policy_server_wake(server, now_ns);
	policy_server_enqueue(server, now_ns);
	return true;
}

/* No fair task is left to go first.  Kernel: dl_server_stop(), deadline.c, v6.12. */
static inline void policy_server_stop(struct policy_server *server)
{
	server->timer_ns = U64_MAX;
	server->queued = server->armed = server->throttled = server->active = false;
	server->idle = false;
}

/* They were not starved.  @idle: the CPU is.  Kernel: the middle of update_curr_dl_se(). */
static inline void policy_server_unneeded(struct policy_server *server, u64 now_ns, bool idle)
{
	if (server->idle && idle) { /* the timer will stop it */
		server->runtime_ns = 0;
		return;
	}
	server->running = false;
	server->timer_ns = U64_MAX;
	policy_server_new_period(server, now_ns);
	server->idle = idle;
	policy_server_arm(server, now_ns);
}

/*
 * Fair tasks ran for @ran_ns > 0 while it was active, first or not; or, in 7.3, the CPU was
 * idle so long, and still is if @idle.  True if the CPU must look anew who runs.
 * Kernel: dl_server_update(), update_curr_dl_se(), kernel/sched/deadline.c, v6.12 and v7.3.
 */
static inline bool policy_server_update(struct policy_server *server, u64 ran_ns, u64 now_ns,
					bool idle)
{
	server->runtime_ns -= (s64)ran_ns;
	server->idle = server->idle && idle;
	if (server->runtime_ns > 0)
		return false;
	if (server->throttled) {
		policy_server_unneeded(server, now_ns, idle);
		return false;
	}
	server->throttled = true;
	server->queued = false;
	if (policy_server_arm(server, now_ns))
		return true;
	if (server->stops_idle) {
		policy_server_new_period(server, now_ns);
		policy_server_arm(server, now_ns);
		return true;
	}
	policy_server_replenish(server, now_ns);
	policy_server_enqueue(server, now_ns);
	return !server->queued;
}

/*
 * The CPU was idle for @idle_ns: fair tasks could have run.  Not in 7.3.
 * Kernel: dl_server_update_idle_time(), kernel/sched/deadline.c, v6.12.
 */
static inline void policy_server_update_idle_time(struct policy_server *server, u64 idle_ns)
{
	if (server->runtime_ns < 0)
		return;
	server->runtime_ns -= (s64)idle_ns;
	if (server->runtime_ns < 0) {
		server->running = false;
		server->runtime_ns = 0;
	}
}

/*
 * The timer fires; in 7.3 what ran, and idle time, has just been charged.  True if the CPU
 * must look anew who runs; else it may be armed again.
 * Kernel: dl_server_timer(), kernel/sched/deadline.c, v6.12 and v7.3.
 */
static inline bool policy_server_timer(struct policy_server *server, u64 now_ns)
{
	u64 due_ns = server->deadline_ns - (u64)server->runtime_ns;

	server->timer_ns = U64_MAX;
	if (!server->throttled)
		return false;
	if (server->idle) {
		policy_server_stop(server);
		return false;
	}
	if (server->armed) {
		if ((s64)(due_ns - POLICY_SERVER_GUARD_NS - now_ns) > 0) {
			server->timer_ns = due_ns;
			return false;
		}
		server->running = true;
	}
	policy_server_replenish(server, now_ns);
	policy_server_enqueue(server, now_ns);
	return true;
}

#endif
