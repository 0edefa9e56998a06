/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance - what a balancing pass moves: which group and queue from, what, and how much.
 *
 * A pass runs for one CPU, the destination, and one of its domains.  The caller sums up the
 * domain's groups; the rules name the busiest, say whether that is worth a move, and size it.
 *
 * Units: load is in weights, nice 0 is 1024.  util, runnable and capacity: 1024 is the biggest
 * CPU at its highest frequency, fully used.
 */
#ifndef POLICY_BALANCE_H
#define POLICY_BALANCE_H

#include "policy/fit.h"

/* What differs between kernels, as data: a row for each generation of the balancer. */
struct policy_balance_rules {
	bool smt_aware;       /* 6.12 on: groups of SMT threads are treated as such */
	bool delayed_count;   /* sleepers that are delayed count as tasks: 6.12 */
	bool delayed_move;    /* and are moved whatever the pass counts in: 6.12 */
	bool ineligible_stay; /* 7.3: who would wait there longer stays, until passes have failed */
	bool misfit_helps;    /* 7.3: misfits count only if the destination is bigger */
	bool eas_overloaded;  /* 7.3 with EAS: a group is overloaded only if it is overutilised */
	bool siblings_of_busiest; /* PREFER_SIBLING is asked of the busiest group, not the child */
	bool siblings_in_asym;    /* PREFER_SIBLING stays below asymmetric domains: 7.3 */
	bool newidle_runnable;    /* 6.1: a newly idle CPU goes on until it has work */
	bool misfit_quiet;   /* 6.12 on: misfit passes change neither failures nor the interval */
	bool idle_by_wakeup; /* 6.1, 6.12: avg_idle is sampled by wakeups, not when idle ends */
	bool sure_without_dice; /* 7.3: a ratio of 1024 needs no dice */
	bool kick_when_due;     /* 7.3: whether CPUs are idle is asked only when a pass is due */
	bool mean_only; /* a laboratory's: groups are compared by their mean load and nothing else */
	bool pack_smt_counts; /* 6.1: packing compares how many threads of cores are busy */
	bool ilb_full_core;   /* 7.3: the kicked CPU is on a fully idle core if there is one */
};

enum policy_cpu_idle { /* why a pass runs.  Kernel: enum cpu_idle_type */
	POLICY_CPU_BUSY,
	POLICY_CPU_IDLE,
	POLICY_CPU_NEWLY_IDLE,
};

enum policy_group_type { /* rising: the higher, the more it needs help.  Kernel: enum group_type */
	POLICY_GROUP_HAS_SPARE,
	POLICY_GROUP_FULLY_BUSY,
	POLICY_GROUP_MISFIT_TASK,
	POLICY_GROUP_SMT_BALANCE,
	POLICY_GROUP_ASYM_PACKING,
	POLICY_GROUP_IMBALANCED,
	POLICY_GROUP_CACHE, /* tasks prefer the destination's cache.  Kernel: group_llc_balance */
	POLICY_GROUP_OVERLOADED,
};

enum policy_migration { /* what the imbalance counts.  Kernel: enum migration_type */
	POLICY_MIGRATE_LOAD,
	POLICY_MIGRATE_UTIL,
	POLICY_MIGRATE_TASK,
	POLICY_MIGRATE_MISFIT,
	POLICY_MIGRATE_CACHE, /* tasks that prefer the destination's cache.  Kernel: migrate_llc_task */
};

/* A group's sums.  Kernel: struct sg_lb_stats. */
struct policy_group_stats {
	u64 load, util, runnable;
	u64 capacity, min_capacity, max_capacity;
	u64 avg_load;    /* load by capacity; only of an overloaded group */
	u64 misfit_load; /* of its biggest misfit; 0: none */
	u32 nr_running;  /* all classes */
	u32 h_nr;        /* fair tasks */
	u32 idle_cpus, weight, cores;
	s32 asym_priority; /* of the CPU that packing prefers in it */
	bool imbalanced;   /* affinity kept a pass below from moving what it should have */
	bool asym_packing, smt_balance;
	u32 prefer_dst; /* tasks that prefer the destination's cache.  Kernel: nr_pref_dst_llc */
	bool cache;     /* they are to be moved there.  Kernel: group_llc_balance */
	bool smt;       /* its CPUs are threads of one core */
	bool prefer_sibling; /* its own domain has PREFER_SIBLING */
	bool overutilized;
	enum policy_group_type type;
};

/* A pass, before it looks at groups.  Kernel: struct lb_env. */
struct policy_balance {
	const struct policy_balance_rules *rules;
	enum policy_cpu_idle idle;
	bool asym, share_llc, numa; /* the domain's flags */
	bool dst_core_idle;         /* no other thread of the destination's core runs */
	bool packing;               /* the domain packs by priority */
	bool by_thread;             /* no matter what the other threads of a core do */
	u32 dst_priority;
	bool energy_aware; /* there is an energy model */
	bool energy_calm;  /* and no CPU is overutilised: only misfits are moved */
	u32 imbalance_pct, imb_numa_nr;
	u64 dst_capacity; /* capacity_of() */
};

/* Kernel: struct sd_lb_stats. */
struct policy_domain_stats {
	u64 load, capacity; /* of all groups */
	bool has_busiest, prefer_sibling;
	struct policy_group_stats busiest, local;
};

/*
 * May it take more tasks?  Kernel: group_has_capacity(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_group_has_capacity(const struct policy_group_stats *group, u32 pct)
{
	if (group->nr_running < group->weight)
		return true;
	return group->capacity * pct >= group->runnable * 100 &&
	       group->capacity * 100 > group->util * pct;
}

/*
 * Has it more tasks than it can handle?  With exactly as many it is neither this nor has it
 * capacity.  Kernel: group_is_overloaded(), kernel/sched/fair.c, v6.12 and v7.3.
 */
static inline bool policy_group_is_overloaded(const struct policy_balance *pass,
					      const struct policy_group_stats *group)
{
	if (pass->rules->eas_overloaded && pass->energy_aware && !group->overutilized)
		return false;
	if (group->nr_running <= group->weight)
		return false;
	return group->capacity * 100 < group->util * pass->imbalance_pct ||
	       group->capacity * pass->imbalance_pct < group->runnable * 100;
}

/*
 * Does the priority of a CPU count?  Between cores only if its own is wholly idle.
 * Kernel: sched_use_asym_prio(), v6.12; 6.1 always goes by it.
 */
static inline bool policy_use_priority(const struct policy_balance *pass, bool core_idle)
{
	return pass->packing && (pass->by_thread || core_idle);
}

/*
 * Is it all the same to packing what the other threads of a core do?  @smt: cores of the machine
 * have several; @within: those of one are what the domain balances.
 * Kernel: sched_use_asym_prio(), v6.12.
 */
static inline bool policy_packs_by_thread(const struct policy_balance_rules *rules, bool smt,
					  bool within)
{
	return rules->pack_smt_counts || !smt || within;
}

/* @group is not the local one, and one of the two has threads of cores.  Kernel: asym_smt_can_pull_tasks(), v6.1. */
static inline bool policy_packs_threads(const struct policy_balance *pass,
					const struct policy_group_stats *local,
					const struct policy_group_stats *group)
{
	u32 busy = group->weight - group->idle_cpus;
	bool prefers = (s64)pass->dst_priority > group->asym_priority;

	if (!local->smt)
		return busy >= 2 || prefers;
	if (group->smt)
		return busy == local->weight - local->idle_cpus + 1 && prefers;
	return !local->nr_running && prefers;
}

/*
 * Is what runs in @group, not the local one, to be packed onto the idle CPU that balances?
 * Kernel: sched_group_asym(), v6.12; sched_asym(), v6.1.
 */
static inline bool policy_group_packs(const struct policy_balance *pass,
				      const struct policy_group_stats *local,
				      const struct policy_group_stats *group)
{
	if (!pass->packing || pass->idle == POLICY_CPU_BUSY || !group->h_nr)
		return false;
	if (pass->rules->pack_smt_counts && (local->smt || group->smt))
		return policy_packs_threads(pass, local, group);
	if (group->smt && group->weight - group->idle_cpus != 1)
		return false;
	return policy_use_priority(pass, pass->dst_core_idle) &&
	       (s64)pass->dst_priority > group->asym_priority;
}

/* Kernel: group_classify(), kernel/sched/fair.c, v6.12. */
static inline enum policy_group_type policy_group_classify(const struct policy_balance *pass,
							   const struct policy_group_stats *group)
{
	if (pass->rules->mean_only || policy_group_is_overloaded(pass, group))
		return POLICY_GROUP_OVERLOADED;
	if (group->cache)
		return POLICY_GROUP_CACHE;
	if (group->imbalanced)
		return POLICY_GROUP_IMBALANCED;
	if (group->asym_packing)
		return POLICY_GROUP_ASYM_PACKING;
	if (group->smt_balance)
		return POLICY_GROUP_SMT_BALANCE;
	if (group->misfit_load)
		return POLICY_GROUP_MISFIT_TASK;
	return policy_group_has_capacity(group, pass->imbalance_pct) ? POLICY_GROUP_HAS_SPARE
								     : POLICY_GROUP_FULLY_BUSY;
}

/* Do other classes and interrupts take much of it?  Kernel: check_cpu_capacity(). */
static inline bool policy_capacity_reduced(u64 capacity, u64 original, u32 imbalance_pct)
{
	return capacity * imbalance_pct < original * 100;
}

/* Which of two with spare capacity: fewer idle CPUs, then more tasks. */
static inline bool policy_less_spare(const struct policy_group_stats *group,
				     const struct policy_group_stats *busiest)
{
	if (group->idle_cpus != busiest->idle_cpus)
		return group->idle_cpus < busiest->idle_cpus;
	return group->nr_running > busiest->nr_running;
}

/* Both of one type.  Kernel: the switch of update_sd_pick_busiest(), v6.1 and v6.12. */
static inline bool policy_busier_alike(const struct policy_balance *pass,
				       const struct policy_group_stats *group,
				       const struct policy_group_stats *busiest)
{
	bool smt_aware = pass->rules->smt_aware;

	switch (group->type) {
	case POLICY_GROUP_OVERLOADED:
		return group->avg_load > busiest->avg_load;
	case POLICY_GROUP_CACHE:
		return group->prefer_dst > busiest->prefer_dst;
	case POLICY_GROUP_IMBALANCED:
		return false;
	case POLICY_GROUP_ASYM_PACKING:
		return smt_aware ? busiest->asym_priority > group->asym_priority
				 : group->asym_priority <= busiest->asym_priority;
	case POLICY_GROUP_MISFIT_TASK:
		return smt_aware ? group->misfit_load > busiest->misfit_load
				 : group->misfit_load >= busiest->misfit_load;
	case POLICY_GROUP_SMT_BALANCE:
		if (group->idle_cpus || busiest->idle_cpus)
			return policy_less_spare(group, busiest);
		return group->avg_load >= busiest->avg_load &&
		       !(group->avg_load == busiest->avg_load && busiest->smt);
	case POLICY_GROUP_FULLY_BUSY:
		if (!smt_aware)
			return group->avg_load > busiest->avg_load;
		return group->avg_load >= busiest->avg_load &&
		       !(group->avg_load == busiest->avg_load && busiest->smt);
	case POLICY_GROUP_HAS_SPARE:
		if (smt_aware && group->smt != busiest->smt)
			return !(group->smt && group->h_nr <= 1);
		break;
	}
	return policy_less_spare(group, busiest);
}

/*
 * Is @group, another than the local one, busier than the busiest so far?
 * Kernel: update_sd_pick_busiest(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_group_busier(const struct policy_balance *pass,
				       const struct policy_domain_stats *stats,
				       const struct policy_group_stats *group)
{
	if (!group->h_nr)
		return false;
	if (pass->asym && group->type == POLICY_GROUP_MISFIT_TASK &&
	    (!pass->dst_core_idle ||
	     !policy_capacity_greater(pass->dst_capacity, group->max_capacity) ||
	     stats->local.type != POLICY_GROUP_HAS_SPARE))
		return false;
	if (pass->asym && group->type <= POLICY_GROUP_FULLY_BUSY &&
	    policy_capacity_greater(group->min_capacity, pass->dst_capacity))
		return false;
	if (!stats->has_busiest)
		return true;
	if (group->type != stats->busiest.type)
		return group->type > stats->busiest.type;
	return policy_busier_alike(pass, group, &stats->busiest);
}

/*
 * How many tasks more than the local group the busiest one has; where they have different
 * numbers of cores, as many a core.
 * Kernel: sibling_imbalance(), kernel/sched/fair.c, v6.12; calculate_imbalance(), v6.1.
 */
static inline u64 policy_sibling_imbalance(const struct policy_balance *pass,
					   const struct policy_domain_stats *stats)
{
	u64 busiest = stats->busiest.nr_running, local = stats->local.nr_running, imbalance;
	u32 busiest_cores = stats->busiest.cores, local_cores = stats->local.cores;

	if (!pass->rules->smt_aware)
		return busiest > local ? busiest - local : 0;
	if (pass->idle == POLICY_CPU_BUSY || !busiest)
		return 0;
	if (busiest_cores == local_cores)
		return busiest > local ? busiest - local : 0;
	imbalance = local_cores * busiest;
	imbalance = imbalance > busiest_cores * local ? imbalance - busiest_cores * local : 0;
	imbalance = (2 * imbalance + local_cores + busiest_cores) / (local_cores + busiest_cores);
	return imbalance <= 1 && !local && busiest > 1 ? 2 : imbalance;
}

/* Kernel: sd_lb_stats.avg_load, sg_lb_stats.avg_load. */
static inline u64 policy_avg_load(u64 load, u64 capacity)
{
	return load * 1024 / capacity;
}

/* Local and busiest group are overloaded: is the difference worth it? */
static inline bool policy_overload_differs(const struct policy_balance *pass,
					   const struct policy_domain_stats *stats)
{
	return stats->local.avg_load < stats->busiest.avg_load &&
	       stats->local.avg_load < policy_avg_load(stats->load, stats->capacity) &&
	       100 * stats->busiest.avg_load > pass->imbalance_pct * stats->local.avg_load;
}

/*
 * The busiest group is not overloaded: can an idle CPU even things out?  It must be idle, the
 * groups must differ by more than one idle CPU, and some task must wait or share a core.
 */
static inline bool policy_idle_cpus_differ(const struct policy_balance *pass,
					   const struct policy_domain_stats *stats)
{
	if (pass->idle == POLICY_CPU_BUSY)
		return false;
	if (stats->busiest.type == POLICY_GROUP_SMT_BALANCE &&
	    stats->busiest.smt != stats->local.smt)
		return true;
	if (stats->busiest.weight > 1 && stats->local.idle_cpus <= stats->busiest.idle_cpus + 1)
		return false;
	return stats->busiest.h_nr != 1;
}

/*
 * Is there an imbalance between the busiest group and the local one?
 * Kernel: sched_balance_find_src_group(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_domain_imbalanced(const struct policy_balance *pass,
					    const struct policy_domain_stats *stats)
{
	enum policy_group_type busiest = stats->busiest.type, local = stats->local.type;

	if (!stats->has_busiest)
		return false;
	if (busiest == POLICY_GROUP_MISFIT_TASK)
		return true;
	if (pass->energy_calm)
		return false;
	if (busiest == POLICY_GROUP_ASYM_PACKING || busiest == POLICY_GROUP_IMBALANCED)
		return true;
	if (local > busiest)
		return false;
	if (local == POLICY_GROUP_OVERLOADED && !policy_overload_differs(pass, stats))
		return false;
	if (stats->prefer_sibling && local == POLICY_GROUP_HAS_SPARE &&
	    (busiest == POLICY_GROUP_CACHE || policy_sibling_imbalance(pass, stats) > 1))
		return true;
	return busiest == POLICY_GROUP_OVERLOADED || policy_idle_cpus_differ(pass, stats);
}

/* What to move.  @amount is in what @what says; 0: nothing after all. */
struct policy_imbalance {
	enum policy_migration what;
	s64 amount;
};

/* Kernel: adjust_numa_imbalance(), NUMA_IMBALANCE_MIN, v6.12. */
static inline u64 policy_numa_imbalance(u64 imbalance, u32 dst_running, u32 imb_numa_nr)
{
	return dst_running <= imb_numa_nr && imbalance <= 2 ? 0 : imbalance;
}

/* The local group has spare capacity: fill it without emptying the busiest. */
static inline void policy_fill_spare(const struct policy_balance *pass,
				     const struct policy_domain_stats *stats,
				     struct policy_imbalance *imbalance)
{
	const struct policy_group_stats *local = &stats->local, *busiest = &stats->busiest;
	u64 tasks;

	if (busiest->type > POLICY_GROUP_FULLY_BUSY && !pass->share_llc) {
		u64 spare = local->capacity > local->util ? local->capacity - local->util : 0;

		imbalance->what = POLICY_MIGRATE_UTIL;
		imbalance->amount = (s64)spare;
		if (pass->idle != POLICY_CPU_BUSY && !spare) {
			imbalance->what = POLICY_MIGRATE_TASK;
			imbalance->amount = 1;
		}
		return;
	}
	imbalance->what = POLICY_MIGRATE_TASK;
	if (busiest->weight == 1 || stats->prefer_sibling)
		tasks = policy_sibling_imbalance(pass, stats);
	else
		tasks = local->idle_cpus > busiest->idle_cpus
				? local->idle_cpus - busiest->idle_cpus
				: 0;
	if (pass->numa)
		tasks = policy_numa_imbalance(tasks, local->nr_running + 1, pass->imb_numa_nr);
	imbalance->amount = (s64)(tasks / 2);
}

/* Bring both to the domain's average, and neither beyond it. */
static inline void policy_even_load(const struct policy_domain_stats *stats,
				    struct policy_imbalance *imbalance)
{
	u64 local_avg = stats->local.avg_load, busiest_avg = stats->busiest.avg_load;
	u64 domain_avg = policy_avg_load(stats->load, stats->capacity), from, to;

	imbalance->what = POLICY_MIGRATE_LOAD;
	imbalance->amount = 0;
	if (stats->local.type < POLICY_GROUP_OVERLOADED) {
		local_avg = policy_avg_load(stats->local.load, stats->local.capacity);
		if (local_avg >= busiest_avg || local_avg >= domain_avg)
			return;
	}
	from = (busiest_avg - domain_avg) * stats->busiest.capacity;
	to = (domain_avg - local_avg) * stats->local.capacity;
	imbalance->amount = (s64)((from < to ? from : to) / 1024);
}

/*
 * How much to move from the busiest group, where policy_domain_imbalanced().
 * Kernel: calculate_imbalance(), kernel/sched/fair.c, v6.12.
 */
static inline void policy_calculate_imbalance(const struct policy_balance *pass,
					      const struct policy_domain_stats *stats,
					      struct policy_imbalance *imbalance)
{
	const struct policy_group_stats *busiest = &stats->busiest;

	imbalance->what = POLICY_MIGRATE_TASK;
	imbalance->amount = 1;
	switch (busiest->type) {
	case POLICY_GROUP_MISFIT_TASK:
		imbalance->what = pass->asym ? POLICY_MIGRATE_MISFIT : POLICY_MIGRATE_LOAD;
		imbalance->amount = pass->asym ? 1 : (s64)busiest->misfit_load;
		return;
	case POLICY_GROUP_ASYM_PACKING:
		imbalance->amount = (s64)busiest->h_nr;
		return;
	case POLICY_GROUP_CACHE:
		imbalance->what = POLICY_MIGRATE_CACHE;
		return;
	case POLICY_GROUP_SMT_BALANCE:
	case POLICY_GROUP_IMBALANCED:
		return;
	case POLICY_GROUP_HAS_SPARE:
	case POLICY_GROUP_FULLY_BUSY:
	case POLICY_GROUP_OVERLOADED:
		break;
	}
	if (stats->local.type == POLICY_GROUP_HAS_SPARE)
		policy_fill_spare(pass, stats, imbalance);
	else
		policy_even_load(stats, imbalance);
}

/* A CPU of the busiest group. */
struct policy_source {
	u64 load, util, capacity, misfit_load; /* util: sim_cpu_util_boost() */
	u32 h_nr;
	u32 prefer_dst; /* of its tasks, how many prefer the destination's cache */
	bool reduced;   /* policy_capacity_reduced() */
	bool preferred; /* packing prefers it to the destination */
	bool packs;     /* what runs there is to be packed onto the destination */
	bool equal;     /* 7.3: a busy core, or one as big in a machine with clusters */
	bool settled;   /* its tasks are in the cache they prefer, and that is to stay so */
};

/* Kernel: the skips of sched_balance_find_src_rq(), v6.12 and v7.3. */
static inline bool policy_source_useless(const struct policy_balance *pass,
					 const struct policy_source *source)
{
	if (!source->h_nr)
		return true;
	if (source->h_nr != 1)
		return false;
	if (pass->asym && !source->equal &&
	    !policy_capacity_greater(pass->dst_capacity, source->capacity))
		return true;
	return source->preferred;
}

/*
 * Is @source a better CPU to take from than @best, which begins as all zero with capacity 1?
 * Kernel: sched_balance_find_src_rq(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_source_busier(const struct policy_balance *pass,
					const struct policy_imbalance *imbalance,
					const struct policy_source *source,
					const struct policy_source *best)
{
	if (policy_source_useless(pass, source))
		return false;
	switch (imbalance->what) {
	case POLICY_MIGRATE_LOAD:
		if (source->h_nr == 1 && source->load > (u64)imbalance->amount && !source->reduced)
			return false;
		return source->load * best->capacity > best->load * source->capacity;
	case POLICY_MIGRATE_UTIL:
		return source->h_nr > 1 && source->util > best->util;
	case POLICY_MIGRATE_TASK:
		return source->h_nr > best->h_nr;
	case POLICY_MIGRATE_MISFIT:
		return source->misfit_load > best->misfit_load;
	case POLICY_MIGRATE_CACHE:
		return source->prefer_dst > best->prefer_dst;
	}
	return false;
}

/*
 * Nothing could be moved: is the running task to be pushed over?  @failed: passes that moved
 * nothing, this one included; @source: the CPU it runs on.
 * Kernel: need_active_balance(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_need_active_balance(const struct policy_balance *pass,
					      const struct policy_imbalance *imbalance, u32 failed,
					      u32 cache_nice_tries,
					      const struct policy_source *source)
{
	if (source->packs)
		return true;
	if (source->settled)
		return false;
	if (imbalance->what == POLICY_MIGRATE_TASK && failed > cache_nice_tries + 2)
		return true;
	if (pass->idle != POLICY_CPU_BUSY && source->h_nr == 1 && source->reduced &&
	    source->capacity * pass->imbalance_pct < pass->dst_capacity * 100)
		return true;
	return imbalance->what == POLICY_MIGRATE_MISFIT || imbalance->what == POLICY_MIGRATE_CACHE;
}

/*
 * Is what runs on a CPU of @priority pushed to the destination, to be packed?  A core that several
 * share is helped whatever the priorities.  Kernel: asym_active_balance(), v6.1 and v6.12.
 */
static inline bool policy_active_packing(const struct policy_balance *pass, u32 priority,
					 bool core_idle)
{
	if (pass->idle == POLICY_CPU_BUSY || !policy_use_priority(pass, pass->dst_core_idle))
		return false;
	return pass->dst_priority > priority || !policy_use_priority(pass, core_idle);
}

/* What detach_tasks() does with a task that may be moved. */
enum policy_detach {
	POLICY_DETACH_TAKE,
	POLICY_DETACH_SMALL, /* LB_MIN: not worth it */
	POLICY_DETACH_BIG,   /* more than is to be moved */
	POLICY_DETACH_FITS,  /* a misfit is wanted */
};

/* @value halved for each failure.  Kernel: shr_bound(). */
static inline u64 policy_shr_bound(u64 value, u32 failed)
{
	return value >> (failed < 63 ? failed : 63);
}

/*
 * Takes a task off the imbalance, or says why not.  @value: its load (at least 1) or util, as
 * imbalance->what says; for misfits whether it fits.
 * Kernel: the switch of detach_tasks(), kernel/sched/fair.c, v6.12.
 */
static inline enum policy_detach policy_detach(struct policy_imbalance *imbalance, u64 value,
					       u32 failed, bool lb_min)
{
	switch (imbalance->what) {
	case POLICY_MIGRATE_LOAD:
		if (lb_min && value < 16 && !failed)
			return POLICY_DETACH_SMALL;
		if (policy_shr_bound(value, failed) > (u64)imbalance->amount)
			return POLICY_DETACH_BIG;
		imbalance->amount -= (s64)value;
		break;
	case POLICY_MIGRATE_UTIL:
		if (policy_shr_bound(value, failed) > (u64)imbalance->amount)
			return POLICY_DETACH_BIG;
		imbalance->amount -= (s64)value;
		break;
	case POLICY_MIGRATE_TASK:
	case POLICY_MIGRATE_CACHE:
		imbalance->amount--;
		break;
	case POLICY_MIGRATE_MISFIT:
		if (value)
			return POLICY_DETACH_FITS;
		imbalance->amount = 0;
		break;
	}
	return POLICY_DETACH_TAKE;
}

/*
 * How many CPUs of a cache a wakeup looks at, by what they are used: none from 85 % on.
 * @sum_util: of all @weight CPUs.  Kernel: update_idle_cpu_scan(), v6.12.
 */
static inline u32 policy_nr_idle_scan(u64 sum_util, u32 weight, u32 imbalance_pct)
{
	u64 x = sum_util / weight;
	u64 lost = x * x * imbalance_pct * imbalance_pct / (10000 * 1024);

	return (u32)((1024 - (lost < 1024 ? lost : 1024)) * weight / 1024);
}

#endif
