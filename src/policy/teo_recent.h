/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * teo_recent - teo as it was: the next timer is known first, and the last nine sleeps have a say
 * of their own.
 *
 * Kernel: drivers/cpuidle/governors/teo.c, v6.1.
 */
#ifndef POLICY_TEO_RECENT_H
#define POLICY_TEO_RECENT_H

#include "policy/teo.h"

/* Kernel: teo_update(), teo.c, v6.1. */
static inline void policy_teo_recent_update(struct policy_teo *teo,
					    const struct policy_idle_states *states,
					    const struct policy_idle_sleep *sleep)
{
	u64 measured_ns = policy_teo_measured(teo, states, sleep);
	u32 by_timer, by_duration, *oldest = &teo->recent[teo->next];

	policy_teo_decay_bins(teo, states, false);
	teo->total += POLICY_TEO_PULSE;
	policy_teo_place(teo, states, measured_ns, &by_timer, &by_duration);
	teo->next = (teo->next + 1) % POLICY_TEO_RECENT;
	if (*oldest)
		teo->bins[*oldest - 1].recent--;
	if (by_timer == by_duration) {
		teo->bins[by_timer].hits += POLICY_TEO_PULSE;
		*oldest = 0;
	} else {
		teo->bins[by_duration].intercepts += POLICY_TEO_PULSE;
		teo->bins[by_duration].recent++;
		*oldest = by_duration + 1;
	}
}

/* Kernel: teo_middle_of_bin(), teo.c, v6.1. */
static inline u64 policy_teo_middle(const struct policy_idle_states *states, u32 state)
{
	return (states->at[state].target_residency_ns + states->at[state + 1].target_residency_ns) /
	       2;
}

/*
 * A state shallower than @state which half of the early wakeups, of late or of all, would have let
 * it profit from, and how long it sleeps then; with the tick stopped, for a tick at least.
 * Kernel: teo_select(), teo.c, v6.1.
 */
static inline u32 policy_teo_recent_candidate(const struct policy_teo *teo,
					      const struct policy_idle_states *states,
					      bool tick_stopped, u32 state, u64 *sleep_ns)
{
	struct policy_teo_bin before, sum = { 0 };
	u64 suitable_ns = *sleep_ns;
	u32 suitable = state;
	bool early, recently;

	policy_teo_sum(teo, state, &before);
	early = policy_teo_early(teo, &before);
	recently = before.recent > POLICY_TEO_RECENT / 2;
	if (!early && !recently)
		return state;
	for (u32 n = 0; n < POLICY_IDLE_MAX && n < state; n++) {
		u32 i = state - 1 - n;
		u64 middle_ns = policy_teo_middle(states, i);
		bool fits = !tick_stopped || middle_ns >= states->tick_ns;

		sum.intercepts += teo->bins[i].intercepts;
		sum.recent += teo->bins[i].recent;
		if ((!recently || 2 * sum.recent > before.recent) &&
		    (!early || 2 * sum.intercepts > before.intercepts)) {
			*sleep_ns = fits ? middle_ns : suitable_ns;
			return fits ? i : suitable;
		}
		if (fits) {
			suitable_ns = middle_ns;
			suitable = i;
		} else if (suitable == state) {
			break;
		}
	}
	return state;
}

/* Kernel: teo_select(), teo.c, v6.1.  Needs two states at least. */
static inline void policy_teo_recent_select(struct policy_teo *teo,
					    const struct policy_idle_states *states,
					    const struct policy_idle_entry *entry,
					    struct policy_idle_choice *out)
{
	u64 sleep_ns = entry->timer_ns;
	u32 state = policy_teo_bin(states, sleep_ns);

	teo->sleep_length_ns = sleep_ns;
	state = policy_teo_recent_candidate(teo, states, entry->tick_stopped, state, &sleep_ns);
	out->state = state;
	policy_idle_conclude(states, entry, sleep_ns, entry->event_ns, out);
}

#endif
