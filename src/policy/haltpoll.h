/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * haltpoll - a virtual CPU polls a while before it halts; state 0 polls, 1 halts.
 *
 * Kernel: drivers/cpuidle/governors/haltpoll.c, v6.12.
 */
#ifndef POLICY_HALTPOLL_H
#define POLICY_HALTPOLL_H

#include "policy/idle.h"

#define POLICY_HALTPOLL_MOST_NS  200000 /* Kernel: guest_halt_poll_ns */
#define POLICY_HALTPOLL_FIRST_NS 50000  /* Kernel: guest_halt_poll_grow_start */

struct policy_haltpoll {
	u64 poll_ns; /* 0: does not poll */
	bool polled; /* the last sleep was the polling state and ran out */
};

/* Kernel: haltpoll_select(), haltpoll.c. */
static inline void policy_haltpoll_select(const struct policy_haltpoll *poll,
					  struct policy_idle_choice *out)
{
	bool halt = !poll->poll_ns || poll->polled;

	*out = (struct policy_idle_choice){ halt, halt };
}

/*
 * Halts that polling would have avoided let the window grow, longer ones shrink it.
 * Kernel: adjust_poll_limit(), haltpoll.c, v6.1, v6.12.
 */
static inline void policy_haltpoll_update(const struct policy_idle_rules *rules,
					  struct policy_haltpoll *haltpoll,
					  const struct policy_idle_sleep *sleep)
{
	u64 poll_ns = haltpoll->poll_ns;
	u64 least_ns = rules->halves_on ? 0 : POLICY_HALTPOLL_FIRST_NS;

	haltpoll->polled = !sleep->state && sleep->poll_over;
	if (!sleep->state)
		return;
	if (sleep->residency_ns > POLICY_HALTPOLL_MOST_NS) {
		poll_ns /= 2;
		haltpoll->poll_ns = poll_ns < least_ns ? 0 : poll_ns;
	} else if (sleep->residency_ns > poll_ns) {
		poll_ns *= 2;
		if (poll_ns < POLICY_HALTPOLL_FIRST_NS)
			poll_ns = POLICY_HALTPOLL_FIRST_NS;
		haltpoll->poll_ns =
			poll_ns < POLICY_HALTPOLL_MOST_NS ? poll_ns : POLICY_HALTPOLL_MOST_NS;
	}
}

#endif
