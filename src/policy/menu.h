/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * menu - a governor that goes by the pattern of the last sleeps, and by how early timers were
 * beaten.
 *
 * Kernel: drivers/cpuidle/governors/menu.c, v6.12 where nothing else is said.
 */
#ifndef POLICY_MENU_H
#define POLICY_MENU_H

#include "policy/idle.h"

#define POLICY_MENU_INTERVALS 8
#define POLICY_MENU_BUCKETS   6
#define POLICY_MENU_UNITY     (1024 * 8) /* a factor of 1 */
#define POLICY_MENU_LONG_NS   50000000ULL
#define POLICY_MENU_NOTHING   0xffffffffU

struct policy_menu {
	u64 next_timer_ns; /* at the last entry; POLICY_IDLE_NEVER: not looked at */
	u32 bucket;        /* of it; the second half: a task waited for a device */
	u32 factor[2 * POLICY_MENU_BUCKETS];
	u32 interval_us[POLICY_MENU_INTERVALS];
	u32 at; /* of interval_us: the oldest */
};

static inline void policy_menu_init(struct policy_menu *menu)
{
	*menu = (struct policy_menu){ 0 };
	for (u32 i = 0; i < 2 * POLICY_MENU_BUCKETS; i++)
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
	u32 least_us, most_us;
};

/* Of the intervals between the two, which are not of them. */
static inline void policy_menu_spread(const struct policy_menu *menu, s64 above_us, s64 below_us,
				      struct policy_menu_spread *out)
{
	struct policy_menu_spread spread = { .least_us = POLICY_MENU_NOTHING };
	u64 sum_us = 0;

	for (u32 i = 0; i < POLICY_MENU_INTERVALS; i++) {
		u32 us = menu->interval_us[i];

		if (us <= above_us || us >= below_us)
			continue;
		sum_us += us;
		spread.nr++;
		spread.least_us = us < spread.least_us ? us : spread.least_us;
		spread.most_us = us > spread.most_us ? us : spread.most_us;
	}
	spread.mean_us = spread.nr ? sum_us / spread.nr : 0;
	*out = spread;
}

/* From the mean, which is a whole number.  Kernel: get_typical_interval(), v6.1, v6.12. */
static inline void policy_menu_variance(const struct policy_menu *menu, s64 below_us,
					struct policy_menu_spread *spread)
{
	for (u32 i = 0; i < POLICY_MENU_INTERVALS; i++) {
		u64 us = menu->interval_us[i];
		u64 apart_us = us > spread->mean_us ? us - spread->mean_us : spread->mean_us - us;

		if ((s64)us < below_us)
			spread->variance += apart_us * apart_us;
	}
	if (spread->nr)
		spread->variance /= spread->nr;
}

/* The mean square without the square of the mean.  Kernel: get_typical_interval(), v7.3. */
static inline void policy_menu_variance_of_squares(const struct policy_menu *menu, s64 above_us,
						   s64 below_us, struct policy_menu_spread *spread)
{
	u64 squares = 0;

	for (u32 i = 0; i < POLICY_MENU_INTERVALS; i++) {
		u64 us = menu->interval_us[i];

		if ((s64)us > above_us && (s64)us < below_us)
			squares += us * us;
	}
	if (spread->nr)
		spread->variance = squares / spread->nr - spread->mean_us * spread->mean_us;
}

/* The standard deviation is at most 20 us, or a sixth of the mean of six at least. */
static inline bool policy_menu_agree(const struct policy_menu_spread *spread)
{
	bool enough = spread->nr * 4 >= POLICY_MENU_INTERVALS * 3;

	return spread->variance <= U64_MAX / 36 &&
	       ((spread->mean_us * spread->mean_us > spread->variance * 36 && enough) ||
		spread->variance <= 400);
}

/*
 * What the last intervals agree on, us, leaving out what stands out until six are left;
 * POLICY_MENU_NOTHING: nothing.  @predicted_us is what is expected anyway: before 6.12 nothing
 * is looked for above it, and sleeps of 0 count.
 * Kernel: get_typical_interval(), menu.c, v6.1, v6.12, v7.3.
 */
static inline u32 policy_menu_typical(const struct policy_idle_rules *rules,
				      const struct policy_menu *menu, u32 predicted_us)
{
	s64 above_us = -1, below_us = rules->both_ends ? POLICY_MENU_NOTHING : 1LL << 31;

	for (u32 pass = 0; pass <= POLICY_MENU_INTERVALS / 4; pass++) {
		struct policy_menu_spread spread;

		policy_menu_spread(menu, above_us, below_us, &spread);
		if (rules->timer_first ? spread.least_us >= predicted_us : !spread.most_us)
			return POLICY_MENU_NOTHING;
		if (rules->both_ends)
			policy_menu_variance_of_squares(menu, above_us, below_us, &spread);
		else
			policy_menu_variance(menu, below_us, &spread);
		if (policy_menu_agree(&spread))
			return (u32)spread.mean_us;
		if (spread.nr * 4 <= POLICY_MENU_INTERVALS * 3)
			return POLICY_MENU_NOTHING;
		if (rules->both_ends &&
		    spread.mean_us - spread.least_us > spread.most_us - spread.mean_us)
			above_us = spread.least_us;
		else
			below_us = spread.most_us;
	}
	return POLICY_MENU_NOTHING;
}

struct policy_menu_guess {
	u64 idle_ns;    /* how long it will be idle */
	u64 event_ns;   /* until the next event, the tick included */
	u64 latency_ns; /* the longest way out that it may have */
};

/* What the next timer promises, by how early such promises were beaten, us. */
static inline u32 policy_menu_timer(struct policy_menu *menu, const struct policy_idle_entry *entry,
				    u32 bucket)
{
	const u64 unit = POLICY_MENU_UNITY * 1000ULL;

	menu->next_timer_ns = entry->timer_ns;
	menu->bucket = bucket;
	return (u32)((unit / 2 + entry->timer_ns * menu->factor[bucket]) / unit);
}

/*
 * Each task that waits for a device makes a way out ten times dearer.
 * Kernel: menu_select(), performance_multiplier(), menu.c, v6.1.
 */
static inline void policy_menu_guess_first(const struct policy_idle_rules *rules,
					   struct policy_menu *menu,
					   const struct policy_idle_states *states,
					   const struct policy_idle_entry *entry,
					   struct policy_menu_guess *out)
{
	u32 bucket =
		policy_menu_bucket(entry->timer_ns) + (entry->nr_iowait ? POLICY_MENU_BUCKETS : 0);
	u32 timer_us = policy_menu_timer(menu, entry, bucket);
	u32 typical_us = policy_menu_typical(rules, menu, timer_us);
	u64 idle_ns = (timer_us < typical_us ? timer_us : typical_us) * 1000ULL;

	if (!entry->tick_stopped)
		*out = (struct policy_menu_guess){ idle_ns, entry->event_ns,
						   idle_ns / (1 + 10ULL * entry->nr_iowait) };
	else
		*out = (struct policy_menu_guess){ idle_ns < states->tick_ns ? entry->timer_ns
									     : idle_ns,
						   entry->event_ns, U64_MAX };
}

/*
 * Notes what the next timer promises, too; where it is not even looked at, the tick is, on
 * average, half a tick away.
 * Kernel: menu_select(), menu.c, v6.12, v7.3.
 */
static inline void policy_menu_guess(const struct policy_idle_rules *rules,
				     struct policy_menu *menu,
				     const struct policy_idle_states *states,
				     const struct policy_idle_entry *entry,
				     struct policy_menu_guess *out)
{
	u64 idle_ns = policy_menu_typical(rules, menu, 0) * 1000ULL, timer_ns;

	if (idle_ns <= POLICY_IDLE_SHORT_NS && !entry->tick_stopped) {
		menu->next_timer_ns = POLICY_IDLE_NEVER;
		menu->bucket = POLICY_MENU_BUCKETS - 1;
		*out = (struct policy_menu_guess){ idle_ns, states->tick_ns / 2, U64_MAX };
		return;
	}
	timer_ns = policy_menu_timer(menu, entry, policy_menu_bucket(entry->timer_ns)) * 1000ULL;
	if (timer_ns < idle_ns)
		idle_ns = timer_ns;
	/* a CPU without a tick may be stuck in a shallow state for long */
	if (entry->tick_stopped && idle_ns < states->tick_ns &&
	    !(rules->near_timer && policy_idle_timer_near(states, entry->timer_ns)))
		idle_ns = entry->timer_ns;
	*out = (struct policy_menu_guess){ idle_ns, entry->event_ns, U64_MAX };
}

/* Rather a sleep that is too long than polling.  Kernel: menu_select(), menu.c, v6.1, v6.12. */
static inline bool policy_menu_rather_sleeps(const struct policy_idle_rules *rules,
					     const struct policy_menu *menu,
					     const struct policy_idle_state *next,
					     const struct policy_menu_guess *guess)
{
	if (next->target_residency_ns > menu->next_timer_ns)
		return false;
	if (rules->timer_first)
		return next->exit_latency_ns <= guess->latency_ns;
	return next->target_residency_ns < POLICY_IDLE_SHORT_NS &&
	       next->exit_latency_ns <= guess->idle_ns;
}

/* Kernel: menu_select(), menu.c, v6.1, v6.12, v7.3.  Needs two states at least. */
static inline void policy_menu_select(const struct policy_idle_rules *rules,
				      struct policy_menu *menu,
				      const struct policy_idle_states *states,
				      const struct policy_idle_entry *entry,
				      struct policy_idle_choice *out)
{
	struct policy_menu_guess guess;
	u64 predicted_ns;
	u32 state = 0;

	if (rules->timer_first)
		policy_menu_guess_first(rules, menu, states, entry, &guess);
	else
		policy_menu_guess(rules, menu, states, entry, &guess);
	predicted_ns = guess.idle_ns;
	if (menu->next_timer_ns < states->at[1].target_residency_ns) {
		*out = (struct policy_idle_choice){ 0, !policy_idle_polls(states, 0) };
		return;
	}
	for (u32 i = 0; i < POLICY_IDLE_MAX && i < states->nr; i++) {
		const struct policy_idle_state *next = &states->at[i];

		if (next->target_residency_ns <= predicted_ns) {
			if (next->exit_latency_ns > guess.latency_ns)
				break;
			state = i;
			continue;
		}
		if (policy_idle_polls(states, state) &&
		    policy_menu_rather_sleeps(rules, menu, next, &guess)) {
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
		    next->target_residency_ns <= guess.event_ns)
			state = i;
		*out = (struct policy_idle_choice){ state, true };
		return;
	}
	out->state = state;
	policy_idle_conclude(states, entry, predicted_ns, guess.event_ns, out);
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

#endif
