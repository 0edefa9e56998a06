/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle - which idle state a CPU enters, and whether its tick stops.
 *
 * A governor is asked at each entry and told after each sleep.  State 0 is the shallowest;
 * one whose target residency is 0 does not sleep but polls.  menu.h, teo.h, haltpoll.h.
 *
 * Kernel: drivers/cpuidle/governors/, v6.12 where nothing else is said; the order is theirs.
 */
#ifndef POLICY_IDLE_H
#define POLICY_IDLE_H

#include "policy/math.h"

#define POLICY_IDLE_MAX      9            /* states of one CPU */
#define POLICY_IDLE_NEVER    (1ULL << 50) /* ns: no timer, 13 days; times 8192 it still fits */
#define POLICY_IDLE_SHORT_NS 15000        /* Kernel: RESIDENCY_THRESHOLD_NS */

struct policy_idle_state {
	u64 exit_latency_ns, target_residency_ns;
};

/* What governors do otherwise in other releases: a row per generation of them. */
struct policy_idle_rules {
	bool timer_first; /* menu: sleeps count below the next timer; waiters for devices count: 6.1 */
	bool both_ends;  /* menu: sleeps that stand out are left out, short ones too: 7.3 */
	bool near_timer; /* menu: without a tick, a timer two ticks away is near enough: 7.3 */
	bool halves_on;  /* haltpoll: its window shrinks below the first one: 6.1 */
};

/* What a CPU can do, rising in both. */
struct policy_idle_states {
	u32 nr;
	u64 tick_ns;
	struct policy_idle_state at[POLICY_IDLE_MAX];
};

/* At an entry. */
struct policy_idle_entry {
	u64 timer_ns;  /* until the CPU's next timer but the tick; POLICY_IDLE_NEVER: none */
	u64 event_ns;  /* the same with the tick */
	u32 nr_iowait; /* tasks that wait for a device, and ran here last */
	bool tick_stopped;
};

struct policy_idle_choice {
	u32 state;
	bool stop_tick; /* may be stopped; one that is stays so, whatever this says */
};

/* After a sleep. */
struct policy_idle_sleep {
	u32 state;
	u64 residency_ns; /* the way out included */
	bool tick;        /* a tick ended it */
	bool poll_over;   /* the polling state had its time */
};

static inline bool policy_idle_polls(const struct policy_idle_states *states, u32 state)
{
	return !states->at[state].target_residency_ns;
}

/*
 * Without a choice the tick stops once one has hit the idle loop.
 * Kernel: cpuidle_idle_call(), kernel/sched/idle.c, v6.12.
 */
static inline bool policy_idle_stop_tick(bool after_tick)
{
	return after_tick;
}

/*
 * How long a polling state polls: as long as the next state that is worth anything wants to
 * be slept in, at most a sixteenth of a tick.
 * Kernel: cpuidle_poll_time(), drivers/cpuidle/cpuidle.c, v6.12.
 */
static inline u64 policy_idle_poll_ns(const struct policy_idle_states *states)
{
	u64 most_ns = states->tick_ns / 16;

	for (u32 i = 1; i < POLICY_IDLE_MAX && i < states->nr; i++) {
		u64 residency_ns = states->at[i].target_residency_ns;

		if (residency_ns >= 10000)
			return residency_ns < most_ns ? residency_ns : most_ns;
	}
	return most_ns;
}

/*
 * The deepest state up to @state that pays off before the next event; the shallowest if
 * none does.
 */
static inline u32 policy_idle_shallower(const struct policy_idle_states *states, u32 state,
					u64 event_ns)
{
	for (u32 i = 0; i < POLICY_IDLE_MAX && state; i++) {
		state--;
		if (states->at[state].target_residency_ns <= event_ns)
			break;
	}
	return state;
}

/* Will a timer end the sleep soon enough, without a tick?  Kernel: SAFE_TIMER_RANGE_NS, v7.3. */
static inline bool policy_idle_timer_near(const struct policy_idle_states *states, u64 timer_ns)
{
	return timer_ns <= 2 * states->tick_ns;
}

/*
 * The tick may stop if it is to sleep for one or longer, @idle_ns, or has; if not, it takes no
 * deeper state than pays until the next event, in @event_ns.  @choice has the state that was found.
 * Kernel: the end of menu_select(), menu.c, and of teo_select(), teo.c.
 */
static inline void policy_idle_conclude(const struct policy_idle_states *states,
					const struct policy_idle_entry *entry, u64 idle_ns,
					u64 event_ns, struct policy_idle_choice *choice)
{
	u32 state = choice->state;

	choice->stop_tick = entry->tick_stopped ||
			    (!policy_idle_polls(states, state) && idle_ns >= states->tick_ns);
	if (!choice->stop_tick && states->at[state].target_residency_ns > event_ns)
		choice->state = policy_idle_shallower(states, state, event_ns);
}

#endif
