/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance - what balancing keeps, and what its files share: passes over domains, their
 * statistics, what they move, and who balances for CPUs that sleep.
 *
 * A pass takes no simulated time while it decides, so that two never meet (SERIALIZE has nothing
 * to do); its cost is charged to the CPU it runs on.
 * Kernel: kernel/sched/fair.c, v6.12; each function names the one it follows.
 */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "machine/domains.h"
#include "policy/balance.h"
#include "policy/balance_time.h"
#include "sim/sums.h"

struct sim;
struct sim_cpu;
struct sim_task;

/* One CPU's state in one of its domains.  Kernel: the rest of struct sched_domain. */
struct sim_domain {
	const struct machine_domain *shape;
	u64 last_balance; /* jiffies */
	u64 interval_ms;
	u32 failed; /* passes in a row that moved nothing.  Kernel: nr_balance_failed */
	struct policy_newidle newidle;
};

/* A group's, for all CPUs; what a pass reads of each comes first.  Kernel: struct sched_group_capacity. */
struct sim_group_state {
	struct policy_group_stats stats; /* what it is and its capacity; the rest if known */
	bool known;                      /* stats are of what is in sums */
	struct sim_sums sums;
	u64 next_update; /* jiffies */
};

/* A domain's, for all CPUs.  Kernel: struct sched_domain_shared. */
struct sim_domain_shared {
	struct sim_group_state *groups;
	u32 nr_busy;        /* CPUs whose tick runs; of caches */
	u32 nr_idle_scan;   /* how many CPUs a wakeup may look at; of caches */
	u64 util, capacity; /* of caches, as a pass above them last saw them */
};

/* What the CPU's stopper is to push.  Kernel: rq.active_balance, push_cpu. */
struct sim_push {
	struct sim_cpu *to;          /* NULL: none is asked for */
	bool cache;                  /* only one that prefers the cache there */
	const struct sim_task *only; /* LB_PROMOTE: that one, if it is still here; NULL: any */
};

/* A CPU's part.  Kernel: of struct rq. */
struct sim_cpu_balance {
	struct sim_domain *domains; /* as its machine_cpu_domains.at */
	u64 next_balance;           /* jiffies */
	u64 avg_idle_ns, max_cost_ns;
	u64 idle_stamp_ns; /* when it got idle and found nothing to pull, + 1; 0: it did not */
	u64 dice;          /* throws so far */
	u64 blocked_at;    /* jiffies of the last update of blocked load */
	u32 kick;          /* enum policy_kick, asked for and not done yet */
	bool due;          /* the tick found it time for a pass, which has not run yet */
	bool due_idle;     /* it was idle then */
	bool blocked;      /* it may have load of sleepers that goes down */
	bool sleeps;       /* with its tick stopped: in nohz.  Kernel: nohz_tick_stopped */
	struct sim_push push;
};

/* CPUs that sleep with their ticks stopped. */
struct sim_nohz {
	u64 *sleepers; /* bit per CPU.  Kernel: idle_cpus_mask */
	u32 nr;
	bool has_blocked, needs_update;
	u64 next_balance, next_blocked; /* jiffies */
};

/* The machine's part.  Kernel: of struct root_domain. */
struct sim_balance {
	struct policy_balance_rules own; /* the release's, with what the laboratory changes */
	const struct policy_balance_rules *rules;
	struct sim_domain_shared *shared; /* by machine_domain.index */
	struct sim_domain *domains;
	struct sim_nohz nohz;
	u64 *excluded;   /* bit per CPU: sources that a pass has given up; clear between passes */
	bool overloaded; /* some CPU had two tasks when that was last looked at */
};

void sim_balance_init(struct sim *sim);
void sim_balance_fini(struct sim *sim);
/* The CPU has nothing to run.  True: now it has.  Kernel: sched_balance_newidle(). */
bool sim_balance_newidle(struct sim_cpu *cpu);
/* Kernel: sched_balance_trigger(). */
void sim_balance_tick(struct sim_cpu *cpu);
/* The end of the interrupt.  Kernel: sched_balance_softirq(). */
void sim_balance_softirq(struct sim_cpu *cpu);
/* Idle time ended by a wakeup, or by anything in 7.3.  Kernel: update_rq_avg_idle(). */
void sim_balance_idle_over(struct sim_cpu *cpu);
/* How many CPUs of its cache a wakeup may look at.  Kernel: sd_llc_shared->nr_idle_scan */
u32 sim_nr_idle_scan(const struct sim_cpu *cpu);
/* What an interrupt asked for: a pass for CPUs that sleep, a task to be pushed. */
void sim_balance_ipi(struct sim_cpu *cpu);

/* balance.c */
void sim_balance_domains(struct sim_cpu *cpu, enum policy_cpu_idle idle, u16 reason);

/* nohz.c */
void sim_nohz_sleep(struct sim_cpu *cpu);
void sim_nohz_tick(struct sim_cpu *cpu);
void sim_nohz_newidle(struct sim_cpu *cpu);
void sim_nohz_going_idle(struct sim_cpu *cpu);
void sim_nohz_ipi(struct sim_cpu *cpu);

/* balance_pass.c.  Kernel: struct lb_env. */
enum sim_pass_flag {
	SIM_PASS_ALL_PINNED = 1 << 0,  /* no task was found yet that may run on dst */
	SIM_PASS_SOME_PINNED = 1 << 1, /* one was found that may not */
	SIM_PASS_DST_PINNED = 1 << 2,  /* but on new_dst */
	SIM_PASS_NEED_BREAK = 1 << 3,
	SIM_PASS_ACTIVE = 1 << 4,       /* the stopper runs on src, no task does */
	SIM_PASS_CACHE_PINNED = 1 << 5, /* a task stayed for its cache's sake */
	SIM_PASS_ACTIVE_CACHE = 1 << 6, /* only tasks that prefer dst's cache are pushed */
	SIM_PASS_ANY_HEAT = 1 << 7,     /* neither heat nor cache keeps a task */
};

struct sim_pass {
	struct policy_balance p;
	struct policy_imbalance imbalance;
	struct sim_cpu *dst, *src, *new_dst;
	struct sim_domain *domain;
	const struct machine_group *local; /* dst's, as the pass began */
	const struct policy_group_stats *local_stats;
	u32 local_index;
	u32 flags, loop, loop_break, loop_max;
	u32 nr_excluded;
	u16 reason; /* enum sim_reason of what is moved */
};

u32 sim_balance_pass(struct sim_pass *pass, bool *go_on);

/* balance_stats.c */
const struct machine_group *sim_find_busiest_group(struct sim_pass *pass);
struct sim_cpu *sim_find_busiest_cpu(struct sim_pass *pass, const struct machine_group *group);
/*
 * A group's, without looking at its CPUs one by one; valid until something changes.  Only in
 * domains that sim_group_stats_do(): nothing in them depends on whom a CPU is looked for.
 */
void sim_group_stats_learn(const struct sim *sim, const struct machine_domain *shape,
			   struct sim_group_state *group);
bool sim_group_stats_do(const struct sim *sim, const struct machine_domain *shape);
static inline const struct policy_group_stats *sim_group_stats(const struct sim *sim,
							       const struct machine_domain *shape,
							       struct sim_group_state *group)
{
	if (!group->known)
		sim_group_stats_learn(sim, shape, group);
	return &group->stats;
}
void sim_source_of(const struct sim_pass *pass, const struct sim_cpu *cpu,
		   struct policy_source *source);
/* Is it left out of the rest of this pass? */
bool sim_excluded(const struct sim_pass *pass, u32 cpu);
bool sim_core_idle(const struct sim_cpu *cpu);

/* balance_detach.c */
u32 sim_move_tasks(struct sim_pass *pass);
void sim_push_task(struct sim_cpu *cpu);
/* For an idle CPU: the first that may move and waits on @from.  @domain: of @cpu, with both. */
bool sim_take_task(struct sim_cpu *cpu, struct sim_cpu *from, struct sim_domain *domain);

#endif
