/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle - which idle state a CPU enters, and whether its tick stops.
 *
 * A governor is asked at each entry and told after each sleep.  State 0 is the shallowest;
 * one whose target residency is 0 does not sleep but polls.
 *
 * Kernel: drivers/cpuidle/governors/, v6.12; the order of things is theirs.
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

/* What a CPU can do, rising in both. */
struct policy_idle_states {
	u32 nr;
	u64 tick_ns;
	struct policy_idle_state at[POLICY_IDLE_MAX];
};

/* At an entry. */
struct policy_idle_entry {
	u64 timer_ns; /* until the CPU's next timer but the tick; POLICY_IDLE_NEVER: none */
	u64 event_ns; /* the same with the tick */
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

/* ---- menu: the pattern of the last sleeps, and how early timers were beaten ---- */

#define POLICY_MENU_INTERVALS 8
#define POLICY_MENU_BUCKETS   6
#define POLICY_MENU_UNITY     (1024 * 8) /* a factor of 1 */
#define POLICY_MENU_LONG_NS   50000000ULL
#define POLICY_MENU_NOTHING   0xffffffffU

struct policy_menu {
	u64 next_timer_ns; /* at the last entry; POLICY_IDLE_NEVER: not looked at */
	u32 bucket;        /* of it */
	u32 factor[POLICY_MENU_BUCKETS];
	u32 interval_us[POLICY_MENU_INTERVALS];
	u32 at; /* of interval_us: the oldest */
};

static inline void policy_menu_init(struct policy_menu *menu)
{
	*menu = (struct policy_menu){ 0 };
	for (u32 i = 0; i < POLICY_MENU_BUCKETS; i++)
		menu->factor[i] = POLICY_MENU_UNITY;
}

/* Decades from 10 us up.  Kernel: which_bucket(), menu.c. */
static inline u32 policy_menu_bucket(u64 duration_ns)
{
	u32 bucket = 0;

	for (u64 edge_ns = 10000; bucket < POLICY_MENU_BUCKETS - 1 && duration_ns >= edge_ns;
	     edge_ns *= 10)
		bucket++;
	return bucket;
}

struct policy_menu_spread {
	u64 mean_us, variance, nr;
	u32 most_us;
};

/* Of the intervals up to @limit_us. */
static inline void policy_menu_spread(const struct policy_menu *menu, u32 limit_us,
				      struct policy_menu_spread *out)
{
	struct policy_menu_spread spread = { 0 };
	u64 sum_us = 0;

	for (u32 i = 0; i < POLICY_MENU_INTERVALS; i++) {
		u32 us = menu->interval_us[i];

		if (us > limit_us)
			continue;
		sum_us += us;
		spread.nr++;
		spread.most_us = us > spread.most_us ? us : spread.most_us;
	}
	if (!spread.nr) {
		*out = spread;
		return;
	}
	spread.mean_us = sum_us / spread.nr;
	for (u32 i = 0; i < POLICY_MENU_INTERVALS; i++) {
		u64 us = menu->interval_us[i];
		u64 apart_us = us > spread.mean_us ? us - spread.mean_us : spread.mean_us - us;

		if (us <= limit_us)
			spread.variance += apart_us * apart_us;
	}
	spread.variance /= spread.nr;
	*out = spread;
}

/*
 * What the last intervals agree on, us, leaving out the longest until six are left;
 * POLICY_MENU_NOTHING: nothing.  They agree if the standard deviation is at most 20 us, or a sixth of
 * the mean.
 * Kernel: get_typical_interval(), menu.c.
 */
static inline u32 policy_menu_typical(const struct policy_menu *menu)
{
	u32 limit_us = 0x7fffffff;

	for (u32 pass = 0; pass <= POLICY_MENU_INTERVALS / 4; pass++) {
		struct policy_menu_spread spread;
		bool enough;

		policy_menu_spread(menu, limit_us, &spread);
		enough = spread.nr * 4 >= POLICY_MENU_INTERVALS * 3;

		if (!spread.most_us)
			return POLICY_MENU_NOTHING;
		if (spread.variance <= U64_MAX / 36 &&
		    ((spread.mean_us * spread.mean_us > spread.variance * 36 && enough) ||
		     spread.variance <= 400))
			return (u32)spread.mean_us;
		if (spread.nr * 4 <= POLICY_MENU_INTERVALS * 3)
			return POLICY_MENU_NOTHING;
		limit_us = spread.most_us - 1;
	}
	return POLICY_MENU_NOTHING;
}

struct policy_menu_guess {
	u64 idle_ns;  /* how long it will be idle */
	u64 event_ns; /* until the next event, the tick included */
};

/*
 * Notes what the next timer promises, too; where it is not even looked at, the tick is, on
 * average, half a tick away.
 * Kernel: menu_select(), menu.c.
 */
static inline void policy_menu_guess(struct policy_menu *menu,
				     const struct policy_idle_states *states,
				     const struct policy_idle_entry *entry,
				     struct policy_menu_guess *out)
{
	const u64 unit = POLICY_MENU_UNITY * 1000ULL;
	u64 idle_ns = policy_menu_typical(menu) * 1000ULL, timer_us;

	if (idle_ns <= POLICY_IDLE_SHORT_NS && !entry->tick_stopped) {
		menu->next_timer_ns = POLICY_IDLE_NEVER;
		menu->bucket = POLICY_MENU_BUCKETS - 1;
		*out = (struct policy_menu_guess){ idle_ns, states->tick_ns / 2 };
		return;
	}
	menu->next_timer_ns = entry->timer_ns;
	menu->bucket = policy_menu_bucket(entry->timer_ns);
	timer_us = (unit / 2 + entry->timer_ns * menu->factor[menu->bucket]) / unit;
	if (timer_us * 1000 < idle_ns)
		idle_ns = timer_us * 1000;
	/* a CPU without a tick may be stuck in a shallow state for long */
	if (entry->tick_stopped && idle_ns < states->tick_ns)
		idle_ns = entry->timer_ns;
	*out = (struct policy_menu_guess){ idle_ns, entry->event_ns };
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

/* Kernel: menu_select(), menu.c.  Needs two states at least. */
static inline void policy_menu_select(struct policy_menu *menu,
				      const struct policy_idle_states *states,
				      const struct policy_idle_entry *entry,
				      struct policy_idle_choice *out)
{
	struct policy_menu_guess guess;
	u64 predicted_ns, event_ns;
	u32 state = 0;

	policy_menu_guess(menu, states, entry, &guess);
	predicted_ns = guess.idle_ns;
	event_ns = guess.event_ns;
	if (menu->next_timer_ns < states->at[1].target_residency_ns) {
		*out = (struct policy_idle_choice){ 0, !policy_idle_polls(states, 0) };
		return;
	}
	for (u32 i = 1; i < POLICY_IDLE_MAX && i < states->nr; i++) {
		const struct policy_idle_state *next = &states->at[i];

		if (next->target_residency_ns <= predicted_ns) {
			state = i;
			continue;
		}
		/* rather a short sleep than polling */
		if (policy_idle_polls(states, state) &&
		    next->target_residency_ns < POLICY_IDLE_SHORT_NS &&
		    next->target_residency_ns <= menu->next_timer_ns &&
		    next->exit_latency_ns <= predicted_ns) {
			predicted_ns = next->target_residency_ns;
			state = i;
			break;
		}
		if (predicted_ns < states->tick_ns)
			break;
		if (!entry->tick_stopped) { /* shallow, so that the tick lets it think again */
			predicted_ns = states->at[state].target_residency_ns;
			break;
		}
		if (states->at[state].target_residency_ns < states->tick_ns &&
		    next->target_residency_ns <= event_ns)
			state = i;
		*out = (struct policy_idle_choice){ state, true };
		return;
	}
	if (entry->tick_stopped ||
	    (!policy_idle_polls(states, state) && predicted_ns >= states->tick_ns)) {
		*out = (struct policy_idle_choice){ state, true };
		return;
	}
	if (states->at[state].target_residency_ns > event_ns)
		state = policy_idle_shallower(states, state, event_ns);
	*out = (struct policy_idle_choice){ state, false };
}

/* When the wakeup began, as far as can be told.  Kernel: menu_update(), menu.c. */
static inline u64 policy_menu_measured(const struct policy_menu *menu,
				       const struct policy_idle_states *states,
				       const struct policy_idle_sleep *sleep)
{
	u64 measured_ns = sleep->residency_ns;
	u64 latency_ns = states->at[sleep->state].exit_latency_ns;

	if (sleep->tick && menu->next_timer_ns > states->tick_ns) /* it could have been long */
		measured_ns = 9 * POLICY_MENU_LONG_NS / 10;
	else if (sleep->poll_over)
		measured_ns = menu->next_timer_ns;
	else if (measured_ns > 2 * latency_ns)
		measured_ns -= latency_ns;
	else
		measured_ns /= 2;
	return measured_ns < menu->next_timer_ns ? measured_ns : menu->next_timer_ns;
}

/* Kernel: menu_update(), menu.c. */
static inline void policy_menu_update(struct policy_menu *menu,
				      const struct policy_idle_states *states,
				      const struct policy_idle_sleep *sleep)
{
	u64 measured_ns = policy_menu_measured(menu, states, sleep), us = measured_ns / 1000;
	u32 factor = menu->factor[menu->bucket];

	factor -= factor / 8;
	if (menu->next_timer_ns && measured_ns < POLICY_MENU_LONG_NS)
		factor += (u32)(1024 * measured_ns / menu->next_timer_ns);
	else
		factor += 1024;
	menu->factor[menu->bucket] = factor;
	menu->interval_us[menu->at] = us < POLICY_MENU_NOTHING ? (u32)us : POLICY_MENU_NOTHING;
	menu->at = (menu->at + 1) % POLICY_MENU_INTERVALS;
}

/* ---- teo: does the next timer end sleeps, or something before it? ---- */

#define POLICY_TEO_PULSE 1024

struct policy_teo_bin { /* sleeps between this state's residency and the next one's */
	u32 intercepts; /* that were to be longer, by the timer */
	u32 hits;       /* that were to be as they were */
};

struct policy_teo {
	u64 sleep_length_ns; /* at the last entry, until the next timer; U64_MAX: not looked at */
	struct policy_teo_bin bins[POLICY_IDLE_MAX];
	u32 total, tick_hits;
};

static inline void policy_teo_decay(u32 *metric)
{
	*metric -= *metric >> 3;
}

/* Kernel: teo_update(), teo.c: when the wakeup began; U64_MAX: when the timer said. */
static inline u64 policy_teo_measured(const struct policy_teo *teo,
				      const struct policy_idle_states *states,
				      const struct policy_idle_sleep *sleep)
{
	u64 latency_ns = states->at[sleep->state].exit_latency_ns;
	bool net = sleep->poll_over || (sleep->tick && teo->sleep_length_ns > states->tick_ns);

	if (net || sleep->residency_ns >= teo->sleep_length_ns)
		return U64_MAX;
	if (sleep->residency_ns >= latency_ns)
		return sleep->residency_ns - latency_ns / 2;
	return sleep->residency_ns / 2;
}

/* Kernel: teo_update(), teo.c. */
static inline void policy_teo_update(struct policy_teo *teo,
				     const struct policy_idle_states *states,
				     const struct policy_idle_sleep *sleep)
{
	u64 measured_ns = policy_teo_measured(teo, states, sleep), residency_ns = 0;
	u32 by_timer = 0, by_duration = 0;

	teo->total = 0;
	for (u32 i = 0; i < POLICY_IDLE_MAX && i < states->nr; i++) {
		policy_teo_decay(&teo->bins[i].hits);
		policy_teo_decay(&teo->bins[i].intercepts);
		teo->total += teo->bins[i].hits + teo->bins[i].intercepts;
		residency_ns = states->at[i].target_residency_ns;
		if (residency_ns > teo->sleep_length_ns)
			continue;
		by_timer = i;
		if (residency_ns <= measured_ns)
			by_duration = i;
	}
	teo->total += POLICY_TEO_PULSE;
	if (residency_ns < states->tick_ns) { /* one more bin, for what is longer than a tick */
		policy_teo_decay(&teo->tick_hits);
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
	u32 deepest = states->nr - 1, suitable = deepest, early = 0, hits = 0, sum = 0;

	for (u32 i = 0; i < POLICY_IDLE_MAX && i < deepest; i++) {
		early += teo->bins[i].intercepts;
		hits += teo->bins[i].hits;
	}
	if (2 * early <= teo->total - hits)
		return deepest;
	for (u32 n = 0; n < POLICY_IDLE_MAX && n < deepest; n++) {
		u32 i = deepest - 1 - n;
		bool fits = !tick_stopped || states->at[i].target_residency_ns >= states->tick_ns;

		sum += teo->bins[i].intercepts;
		if (2 * sum > early)
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
	u32 state = policy_teo_candidate(teo, states, entry->tick_stopped), early = 0;
	u64 duration_ns = entry->timer_ns;

	teo->sleep_length_ns = U64_MAX;
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
	for (u32 i = 0; i < POLICY_IDLE_MAX && i < states->nr; i++)
		early += teo->bins[i].intercepts;
	if (states->at[state].target_residency_ns < states->tick_ns &&
	    early > teo->total / 2 + teo->total / 8)
		duration_ns = states->tick_ns / 2;
	if ((!policy_idle_polls(states, state) && duration_ns >= states->tick_ns) ||
	    entry->tick_stopped) {
		*out = (struct policy_idle_choice){ state, true };
		return;
	}
	if (states->at[state].target_residency_ns > entry->event_ns)
		state = policy_idle_shallower(states, state, entry->event_ns);
	*out = (struct policy_idle_choice){ state, false };
}

/* ---- haltpoll: a virtual CPU polls a while before it halts; state 0 polls, 1 halts ---- */

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

/* Halts that polling would have avoided let the window grow, longer ones shrink it.  Kernel: adjust_poll_limit(). */
static inline void policy_haltpoll_update(struct policy_haltpoll *haltpoll,
					  const struct policy_idle_sleep *sleep)
{
	u64 poll_ns = haltpoll->poll_ns;

	haltpoll->polled = !sleep->state && sleep->poll_over;
	if (!sleep->state)
		return;
	if (sleep->residency_ns > POLICY_HALTPOLL_MOST_NS) {
		poll_ns /= 2;
		haltpoll->poll_ns = poll_ns < POLICY_HALTPOLL_FIRST_NS ? 0 : poll_ns;
	} else if (sleep->residency_ns > poll_ns) {
		poll_ns *= 2;
		if (poll_ns < POLICY_HALTPOLL_FIRST_NS)
			poll_ns = POLICY_HALTPOLL_FIRST_NS;
		haltpoll->poll_ns =
			poll_ns < POLICY_HALTPOLL_MOST_NS ? poll_ns : POLICY_HALTPOLL_MOST_NS;
	}
}

#endif
