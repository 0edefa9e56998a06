/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * teo_tick - teo as it became: what the tick ends is told from what comes early.
 *
 * Kernel: drivers/cpuidle/governors/teo.c, v7.3.
 */
#ifndef POLICY_TEO_TICK_H
#define POLICY_TEO_TICK_H

#include "policy/teo.h"

/* When the wakeup began, as far as can be told; counts short sleeps.  Kernel: teo_update(). */
static inline u64 policy_teo_tick_measured(struct policy_teo *teo,
					   const struct policy_idle_states *states,
					   const struct policy_idle_sleep *sleep)
{
	bool reached = sleep->residency_ns >= states->at[sleep->state].exit_latency_ns;
	u64 measured_ns = policy_teo_slept(states, sleep);

	policy_teo_decay(&teo->short_sleeps, true);
	if (sleep->poll_over)
		return POLICY_TEO_UNKNOWN;
	if (!reached || measured_ns < POLICY_IDLE_SHORT_NS)
		teo->short_sleeps += POLICY_TEO_PULSE;
	return measured_ns;
}

/*
 * The bin that a tick's wakeup is a hit of; POLICY_IDLE_MAX: it is counted as any other.  If ticks
 * end most sleeps, deeper ones without it might be better; if little comes before them, this one
 * was in time.  @before: the total without this sleep.
 * Kernel: teo_update(), teo.c, v7.3.
 */
static inline u32 policy_teo_tick_hit(const struct policy_teo *teo,
				      const struct policy_idle_states *states, u32 by_timer,
				      u32 before)
{
	if (3 * teo->ticks > 2 * teo->total)
		return states->nr - 1;
	return 3 * teo->tick_intercepts < 2 * before ? by_timer : POLICY_IDLE_MAX;
}

/* Kernel: teo_update(), teo.c, v7.3. */
static inline void policy_teo_tick_update(struct policy_teo *teo,
					  const struct policy_idle_states *states,
					  const struct policy_idle_sleep *sleep)
{
	u64 measured_ns = policy_teo_tick_measured(teo, states, sleep);
	s64 latency_ns = (s64)states->at[sleep->state].exit_latency_ns;
	u32 by_timer, by_duration, before, hit = POLICY_IDLE_MAX;

	policy_teo_decay_bins(teo, states, true);
	before = teo->total;
	teo->total += POLICY_TEO_PULSE;
	policy_teo_place(teo, states, measured_ns, &by_timer, &by_duration);
	policy_teo_decay(&teo->tick_intercepts, true);
	policy_teo_decay(&teo->ticks, true);
	if (sleep->tick) {
		teo->ticks += POLICY_TEO_PULSE;
		hit = policy_teo_tick_hit(teo, states, by_timer, before);
	}
	if (hit == POLICY_IDLE_MAX && by_timer == by_duration &&
	    (s64)(teo->sleep_length_ns - measured_ns) < latency_ns >> 1)
		hit = by_timer;
	if (hit != POLICY_IDLE_MAX) {
		teo->bins[hit].hits += POLICY_TEO_PULSE;
		return;
	}
	teo->bins[by_duration].intercepts += POLICY_TEO_PULSE;
	if (measured_ns <= states->tick_ns)
		teo->tick_intercepts += POLICY_TEO_PULSE;
}

/*
 * The deepest state that half of the early wakeups would have let it profit from, and no deeper
 * than the bin with most of them.
 * Kernel: teo_select(), teo.c, v7.3.
 */
static inline u32 policy_teo_tick_candidate(const struct policy_teo *teo,
					    const struct policy_idle_states *states)
{
	u32 deepest = states->nr - 1, most = 0, state = deepest, sum = 0;
	struct policy_teo_bin before;

	policy_teo_sum(teo, deepest, &before);
	if (!policy_teo_early(teo, &before))
		return deepest;
	for (u32 i = 0; i < POLICY_IDLE_MAX && i < deepest; i++)
		if (teo->bins[i].intercepts >= teo->bins[most].intercepts)
			most = i;
	for (u32 i = 0; i < POLICY_IDLE_MAX && state; i++) {
		state--;
		sum += teo->bins[state].intercepts;
		if (2 * sum > before.intercepts && state <= most)
			break;
	}
	return state;
}

/* Kernel: teo_select(), teo.c, v7.3.  Needs two states at least. */
static inline void policy_teo_tick_select(struct policy_teo *teo,
					  const struct policy_idle_states *states,
					  const struct policy_idle_entry *entry,
					  struct policy_idle_choice *out)
{
	u32 state = policy_teo_tick_candidate(teo, states);
	u64 residency_ns = states->at[state].target_residency_ns, duration_ns = entry->timer_ns;
	bool is_short = !state || residency_ns < POLICY_IDLE_SHORT_NS;

	teo->sleep_length_ns = POLICY_TEO_UNKNOWN;
	if (!entry->tick_stopped && is_short && 2 * teo->short_sleeps >= teo->total) {
		*out = (struct policy_idle_choice){ state, false };
		return;
	}
	teo->sleep_length_ns = duration_ns;
	/* a CPU without a tick may be stuck in a shallow state for long */
	if (entry->tick_stopped && !policy_idle_timer_near(states, duration_ns) &&
	    residency_ns < states->tick_ns) {
		u32 deepest = policy_teo_bin(states, duration_ns);

		*out = (struct policy_idle_choice){ deepest > state ? deepest : state, true };
		return;
	}
	if (!state) {
		*out = (struct policy_idle_choice){ 0, false };
		return;
	}
	if (residency_ns > duration_ns)
		state = policy_idle_shallower(states, state, duration_ns);
	if (states->at[state].target_residency_ns < states->tick_ns &&
	    3 * teo->tick_intercepts >= 2 * teo->total)
		duration_ns = states->tick_ns / 2;
	out->state = state;
	policy_idle_conclude(states, entry, duration_ns, entry->event_ns, out);
}

#endif
