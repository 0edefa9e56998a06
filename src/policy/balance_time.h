/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_time - when CPUs balance: intervals, what newly idle CPUs can afford, and when an
 * idle CPU is woken to balance for all that sleep.
 *
 * Jiffies are ticks since the beginning.
 */
#ifndef POLICY_BALANCE_TIME_H
#define POLICY_BALANCE_TIME_H

#include "policy/balance.h"

#define POLICY_MAX_PINNED_INTERVAL_MS 512
#define POLICY_BLOCKED_PERIOD_MS      32 /* Kernel: LOAD_AVG_PERIOD */

/* In whole ticks, rounded up.  Kernel: msecs_to_jiffies(). */
static inline u64 policy_ms_to_jiffies(u64 ms, u32 hz)
{
	return (ms * hz + 999) / 1000;
}

/*
 * Jiffies from one pass of a domain to the next.  @factor: busy_factor, 0 for an idle CPU.
 * Kernel: get_sd_balance_interval(), max_load_balance_interval, v6.12.
 */
static inline u64 policy_balance_interval(u64 interval_ms, u32 factor, u32 hz, u32 online)
{
	u64 jiffies = policy_ms_to_jiffies(factor ? interval_ms * factor : interval_ms, hz);
	u64 most = (u64)hz * online / 10;

	if (factor)
		jiffies--;
	if (jiffies > most)
		jiffies = most;
	return jiffies ? jiffies : 1;
}

/*
 * The interval after a pass that found balance, ms: twice as long, up to the domain's longest;
 * if all tasks were pinned, up to half a second.
 * Kernel: the end of sched_balance_rq(), v6.12.
 */
static inline u64 policy_balance_longer(u64 interval_ms, u64 max_ms, bool all_pinned)
{
	if ((all_pinned && interval_ms < POLICY_MAX_PINNED_INTERVAL_MS) || interval_ms < max_ms)
		return interval_ms * 2;
	return interval_ms;
}

/* What newly idle balancing cost and brought in one domain of one CPU. */
struct policy_newidle {
	u32 call, success, ratio;
	u64 stamp_ns; /* when ratio was last set */
	u64 max_cost_ns;
	u64 decayed; /* jiffies */
};

/* Kernel: sd_init(). */
static inline void policy_newidle_init(struct policy_newidle *newidle, u64 jiffies)
{
	newidle->call = 512;
	newidle->success = 256;
	newidle->ratio = 512;
	newidle->stamp_ns = 0;
	newidle->max_cost_ns = 0;
	newidle->decayed = jiffies;
}

/*
 * One more attempt; @success: how many it stands for, 0 if nothing was pulled.  @rate: NI_RATE,
 * a CPU that seldom gets idle may try more often.
 * Kernel: update_newidle_stats(), kernel/sched/fair.c, v6.12 and v7.3.
 */
static inline void policy_newidle_stats(const struct policy_balance_rules *rules,
					struct policy_newidle *newidle, u32 success, u64 now_ns,
					bool rate)
{
	u64 ratio;

	newidle->call++;
	newidle->success += success;
	if (newidle->call < 1024)
		return;
	ratio = newidle->success + (rate ? (now_ns - newidle->stamp_ns) >> 22 : 0);
	newidle->ratio = rules->sure_without_dice && ratio > 1024 ? 1024 : (u32)ratio;
	newidle->stamp_ns = now_ns;
	newidle->call /= 2;
	newidle->success /= 2;
}

/*
 * The most that a pass has cost, less 1.2 % a second.  True if it has just decayed.
 * Kernel: update_newidle_cost(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_newidle_cost(struct policy_newidle *newidle, u64 cost_ns, u64 jiffies,
				       u32 hz)
{
	if (cost_ns > newidle->max_cost_ns) {
		newidle->max_cost_ns = cost_ns;
		newidle->decayed = jiffies;
		return false;
	}
	if (jiffies <= newidle->decayed + hz)
		return false;
	newidle->max_cost_ns = newidle->max_cost_ns * 253 / 256;
	newidle->decayed = jiffies;
	return true;
}

/*
 * Is this attempt made, by dice of 0 to 1023?  If so, how many successes one is counted as.
 * 0: it is not made.  Kernel: NI_RANDOM in sched_balance_newidle(), v6.12 and v7.3.
 */
static inline u32 policy_newidle_dice(u32 ratio, u32 dice, bool sure)
{
	u32 weight = 1 + ratio;

	if (sure && ratio >= 1024)
		return 1;
	if (dice > weight)
		return 0;
	return (1024 + weight / 2) / weight;
}

/*
 * The average idle time after one more of @idle_ns, at most twice what balancing cost at most.
 * Kernel: update_avg(), ttwu_do_activate(), v6.12; update_rq_avg_idle(), v7.3.
 */
static inline u64 policy_avg_idle(u64 avg_ns, u64 idle_ns, u64 max_cost_ns)
{
	if (idle_ns >= avg_ns)
		avg_ns += (idle_ns - avg_ns) / 8;
	else
		avg_ns -= (avg_ns - idle_ns) / 8;
	return avg_ns < 2 * max_cost_ns ? avg_ns : 2 * max_cost_ns;
}

enum policy_kick {                    /* Kernel: NOHZ_*_KICK */
	POLICY_KICK_STATS = 1 << 0,   /* bring blocked load up to date */
	POLICY_KICK_BALANCE = 1 << 1, /* balance for all CPUs that sleep */
	POLICY_KICK_NEXT = 1 << 2,    /* collect when they want to balance next */
	POLICY_KICK_NEWILB = 1 << 3,  /* as STATS, by a CPU that is about to sleep */
};

/* What a busy CPU's tick knows. */
struct policy_nohz {
	u64 jiffies, next_balance, next_blocked;
	bool some_idle; /* a CPU sleeps with its tick stopped */
	bool has_blocked, needs_update;
	u32 nr_running, h_nr; /* of the CPU */
	bool reduced;         /* its capacity, by the imbalance_pct of its lowest domain */
	bool preferred_idle;  /* a CPU that packing prefers sleeps */
	bool asym, misfit;    /* its machine is asymmetric; its task does not fit */
	u32 nr_busy;          /* CPUs of its cache whose tick runs */
};

/* Is a pass for the sleeping CPUs worth it?  The first reason decides. */
static inline bool policy_nohz_worth(const struct policy_nohz *nohz)
{
	if (nohz->nr_running >= 2)
		return true;
	if (nohz->h_nr && nohz->reduced)
		return true;
	if (nohz->preferred_idle)
		return true;
	if (nohz->asym)
		return nohz->misfit;
	return nohz->nr_busy > 1;
}

/*
 * What an idle CPU is to be woken for; 0: nothing.  enum policy_kick.
 * Kernel: nohz_balancer_kick(), kernel/sched/fair.c, v6.12 and v7.3.
 */
static inline u32 policy_nohz_kick(const struct policy_balance_rules *rules,
				   const struct policy_nohz *nohz)
{
	u32 flags = 0;

	if (!rules->kick_when_due && !nohz->some_idle)
		return 0;
	if (nohz->has_blocked && nohz->jiffies > nohz->next_blocked)
		flags = POLICY_KICK_STATS;
	if (nohz->jiffies >= nohz->next_balance) {
		if (!nohz->some_idle)
			return 0;
		if (policy_nohz_worth(nohz))
			flags = POLICY_KICK_STATS | POLICY_KICK_BALANCE;
	}
	return flags | (nohz->needs_update ? POLICY_KICK_NEXT : 0);
}

#endif
