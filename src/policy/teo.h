/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * teo - a governor that asks: does the next timer end sleeps, or something before it?
 *
 * Kernel: drivers/cpuidle/governors/teo.c, v6.12.
 */
#ifndef POLICY_TEO_H
#define POLICY_TEO_H

#include "policy/idle.h"

#define POLICY_TEO_PULSE   1024
#define POLICY_TEO_RECENT  9 /* Kernel: NR_RECENT */
#define POLICY_TEO_UNKNOWN ((1ULL << 63) - 1)

struct policy_teo_bin { /* sleeps between this state's residency and the next one's */
	u32 intercepts; /* that were to be longer, by the timer */
	u32 hits;       /* that were to be as they were */
	u32 recent;     /* of the last ones, intercepts */
};

struct policy_teo {
	u64 sleep_length_ns; /* at the last entry, until the next timer; POLICY_TEO_UNKNOWN */
	struct policy_teo_bin bins[POLICY_IDLE_MAX];
	u32 total;
	u32 recent[POLICY_TEO_RECENT], next; /* 6.1: bins of the last intercepts + 1; 0: none */
	u32 tick_hits;                       /* 6.12: sleeps longer than a tick and any state */
	u32 ticks, tick_intercepts, short_sleeps; /* 7.3: ended by a tick, before one, early */
};

/* An eighth less.  @vanishes: what has less than eight left is gone. */
static inline void policy_teo_decay(u32 *metric, bool vanishes)
{
	u32 less = *metric >> 3;

	*metric = vanishes && !less ? 0 : *metric - less;
}

/* Of all bins, whose sum is the total then. */
static inline void policy_teo_decay_bins(struct policy_teo *teo,
					 const struct policy_idle_states *states, bool vanishes)
{
	teo->total = 0;
	for (u32 i = 0; i < POLICY_IDLE_MAX && i < states->nr; i++) {
		policy_teo_decay(&teo->bins[i].hits, vanishes);
		policy_teo_decay(&teo->bins[i].intercepts, vanishes);
		teo->total += teo->bins[i].hits + teo->bins[i].intercepts;
	}
}

/* That a sleep of this length falls into. */
static inline u32 policy_teo_bin(const struct policy_idle_states *states, u64 sleep_ns)
{
	u32 bin = 0;

	for (u32 i = 1; i < POLICY_IDLE_MAX && i < states->nr; i++)
		if (states->at[i].target_residency_ns <= sleep_ns)
			bin = i;
	return bin;
}

/* Sums over the bins of shallower states. */
static inline void policy_teo_sum(const struct policy_teo *teo, u32 state,
				  struct policy_teo_bin *out)
{
	struct policy_teo_bin sum = { 0 };

	for (u32 i = 0; i < POLICY_IDLE_MAX && i < state; i++) {
		sum.intercepts += teo->bins[i].intercepts;
		sum.hits += teo->bins[i].hits;
		sum.recent += teo->bins[i].recent;
	}
	*out = sum;
}

/* More of those that came as far were intercepted before @sum's states than not. */
static inline bool policy_teo_early(const struct policy_teo *teo, const struct policy_teo_bin *sum)
{
	return 2 * sum->intercepts > teo->total - sum->hits;
}

/* Without what is likely to have been the way out.  Kernel: teo_update(), teo.c, v6.1, v6.12, v7.3. */
static inline u64 policy_teo_slept(const struct policy_idle_states *states,
				   const struct policy_idle_sleep *sleep)
{
	u64 latency_ns = states->at[sleep->state].exit_latency_ns;

	if (sleep->residency_ns >= latency_ns)
		return sleep->residency_ns - latency_ns / 2;
	return sleep->residency_ns / 2;
}

/* Kernel: teo_update(), teo.c: when the wakeup began; U64_MAX: when the timer said. */
static inline u64 policy_teo_measured(const struct policy_teo *teo,
				      const struct policy_idle_states *states,
				      const struct policy_idle_sleep *sleep)
{
	bool net = sleep->poll_over || (sleep->tick && teo->sleep_length_ns > states->tick_ns);

	if (net || sleep->residency_ns >= teo->sleep_length_ns)
		return U64_MAX;
	return policy_teo_slept(states, sleep);
}

/* The bins that the last sleep was to fall into, and did: never a deeper one. */
static inline void policy_teo_place(const struct policy_teo *teo,
				    const struct policy_idle_states *states, u64 measured_ns,
				    u32 *by_timer, u32 *by_duration)
{
	u64 sleep_ns = teo->sleep_length_ns;

	*by_timer = policy_teo_bin(states, sleep_ns);
	*by_duration = policy_teo_bin(states, measured_ns < sleep_ns ? measured_ns : sleep_ns);
}

/* Kernel: teo_update(), teo.c. */
static inline void policy_teo_update(struct policy_teo *teo,
				     const struct policy_idle_states *states,
				     const struct policy_idle_sleep *sleep)
{
	u64 measured_ns = policy_teo_measured(teo, states, sleep);
	u32 by_timer, by_duration;

	policy_teo_decay_bins(teo, states, false);
	teo->total += POLICY_TEO_PULSE;
	policy_teo_place(teo, states, measured_ns, &by_timer, &by_duration);
	if (states->at[states->nr - 1].target_residency_ns < states->tick_ns) {
		/* one more bin, for what is longer than a tick */
		policy_teo_decay(&teo->tick_hits, false);
		teo->total += teo->tick_hits;
		if (states->tick_ns <= teo->sleep_length_ns) {
			by_timer = POLICY_IDLE_MAX;
			if (states->tick_ns <= measured_ns) {
				teo->tick_hits += POLICY_TEO_PULSE;
				return;
			}
		}
	}
	if (by_timer == by_duration)
		teo->bins[by_duration].hits += POLICY_TEO_PULSE;
	else
		teo->bins[by_duration].intercepts += POLICY_TEO_PULSE;
}

/*
 * The deepest state that half of the early wakeups would have let it profit from; with the
 * tick stopped, only states that a tick is not too long for.
 * Kernel: teo_select(), teo.c.
 */
static inline u32 policy_teo_candidate(const struct policy_teo *teo,
				       const struct policy_idle_states *states, bool tick_stopped)
{
	u32 deepest = states->nr - 1, suitable = deepest, sum = 0;
	struct policy_teo_bin before;

	policy_teo_sum(teo, deepest, &before);
	if (!policy_teo_early(teo, &before))
		return deepest;
	for (u32 n = 0; n < POLICY_IDLE_MAX && n < deepest; n++) {
		u32 i = deepest - 1 - n;
		bool fits = !tick_stopped || states->at[i].target_residency_ns >= states->tick_ns;

		sum += teo->bins[i].intercepts;
		if (2 * sum > before.intercepts)
			return fits ? i : suitable;
		if (fits)
			suitable = i;
		else if (suitable == deepest)
			break;
	}
	return deepest;
}

/* Kernel: teo_select(), teo.c.  Needs two states at least. */
static inline void policy_teo_select(struct policy_teo *teo,
				     const struct policy_idle_states *states,
				     const struct policy_idle_entry *entry,
				     struct policy_idle_choice *out)
{
	u32 state = policy_teo_candidate(teo, states, entry->tick_stopped);
	u64 duration_ns = entry->timer_ns;
	struct policy_teo_bin all;

	teo->sleep_length_ns = POLICY_TEO_UNKNOWN;
	if (!state) {
		teo->sleep_length_ns = duration_ns;
		*out = (struct policy_idle_choice){ 0, false };
		return;
	}
	if (policy_idle_polls(states, 0) &&
	    states->at[state].target_residency_ns < POLICY_IDLE_SHORT_NS) {
		*out = (struct policy_idle_choice){ state, false };
		return;
	}
	teo->sleep_length_ns = duration_ns;
	if (states->at[state].target_residency_ns > duration_ns)
		state = policy_idle_shallower(states, state, duration_ns);
	policy_teo_sum(teo, states->nr, &all);
	if (states->at[state].target_residency_ns < states->tick_ns &&
	    all.intercepts > teo->total / 2 + teo->total / 8)
		duration_ns = states->tick_ns / 2;
	out->state = state;
	policy_idle_conclude(states, entry, duration_ns, entry->event_ns, out);
}

#endif
