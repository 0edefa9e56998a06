/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domains - how the CPUs are grouped for balancing and for choosing a CPU.
 *
 * Built from the machine and the CPUs that are active; built anew when those change.
 * CPUs of one span share one struct machine_domain, so that memory grows with the number
 * of CPUs; what changes while tasks run (intervals, costs, failures) belongs to the caller.
 * All distances between nodes count as one hop.
 * Kernel: build_sched_domains(), sd_init(), cpu_attach_domain(), kernel/sched/topology.c, v6.12.
 */
#ifndef MACHINE_DOMAINS_H
#define MACHINE_DOMAINS_H

#include "machine/machine.h"

enum machine_level {  /* bottom-up */
	MACHINE_SMT,  /* CPUs of one core */
	MACHINE_CLS,  /* of one cluster, where the cache spans several */
	MACHINE_MC,   /* of one last-level cache and node */
	MACHINE_PKG,  /* of one node.  Kernel: PKG; DIE in 6.1 */
	MACHINE_NUMA, /* all */
	MACHINE_NR_LEVELS
};

/* Kernel: enum sd_flags, include/linux/sched/sd_flags.h */
enum machine_domain_flag {
	MACHINE_SD_BALANCE_NEWIDLE = 1 << 0,
	MACHINE_SD_BALANCE_EXEC = 1 << 1,
	MACHINE_SD_BALANCE_FORK = 1 << 2,
	MACHINE_SD_BALANCE_WAKE = 1 << 3, /* no level has it by default */
	MACHINE_SD_WAKE_AFFINE = 1 << 4,
	MACHINE_SD_ASYM_CPUCAPACITY = 1 << 5,      /* CPUs of two capacities and more */
	MACHINE_SD_ASYM_CPUCAPACITY_FULL = 1 << 6, /* all capacities that are active */
	MACHINE_SD_SHARE_CPUCAPACITY = 1 << 7,     /* threads of a core */
	MACHINE_SD_CLUSTER = 1 << 8,
	MACHINE_SD_SHARE_LLC = 1 << 9, /* 6.1: SD_SHARE_PKG_RESOURCES */
	MACHINE_SD_SERIALIZE = 1 << 10,
	MACHINE_SD_PREFER_SIBLING = 1 << 11,
	MACHINE_SD_NUMA = 1 << 12,
	MACHINE_SD_ASYM_PACKING = 1 << 13, /* CPUs of two priorities and more */
};

/* One part of a domain's CPUs.  Kernel: struct sched_group. */
struct machine_group {
	const u32 *cpus; /* rising; the first one is the group's balance CPU */
	u32 nr_cpus, nr_cores;
	u32 flags; /* of the domain that spans it; 0: there is none */
	u32 capacity, min_capacity, max_capacity; /* sum, least and most of its CPUs */
	u32 priority; /* the highest of its CPUs.  Kernel: of asym_prefer_cpu */
};

/* Kernel: struct sched_domain, as all CPUs of its span see it. */
struct machine_domain {
	u32 index; /* in machine_domains.at */
	enum machine_level level;
	const char *name; /* "MC" */
	u32 flags;
	const u32 *cpus; /* rising */
	u32 nr_cpus;
	u64 *mask; /* the same, bit per CPU; only of what is the llc of CPUs, else NULL */
	const struct machine_domain *parent; /* NULL: none */
	struct machine_group *groups;        /* in the order of the kernel's ring */
	u32 nr_groups;                       /* two and more */
	u32 imbalance_pct, busy_factor, cache_nice_tries;
	u32 min_interval_ms, max_interval_ms;
	u32 imb_numa_nr; /* tasks that a node may have more than another */
};

/* What one CPU belongs to. */
struct machine_cpu_domains {
	u32 nr;                                             /* domains; 0: alone, or not active */
	const struct machine_domain *at[MACHINE_NR_LEVELS]; /* bottom-up */
	u32 group[MACHINE_NR_LEVELS];                       /* its own one in at[i]->groups */
	const struct machine_domain
		*llc; /* the highest with SHARE_LLC.  Kernel: sd_llc; may be NULL */
	const struct machine_domain *numa; /* the lowest with NUMA.  Kernel: sd_numa; may be NULL */
	const struct machine_domain *asym; /* the lowest with all capacities; may be NULL */
	u32 llc_id;                        /* the LLC's first CPU.  Kernel: sd_llc_id */
	u32 llc_size;
	const struct machine_domain *packing; /* the highest that packs; may be NULL */
	u32 share_id;   /* its cluster's first CPU, else llc_id.  Kernel: sd_share_id */
	const u32 *smt; /* active CPUs of its core, itself included; rising */
	u32 nr_smt;
};

struct machine_domains {
	u32 nr_cpus, nr_active;
	struct machine_cpu_domains *cpus;
	struct machine_domain *at;
	u32 nr;
	bool asym;    /* a domain has CPUs of different capacities */
	bool cluster; /* some CPU has a CLS domain.  Kernel: sched_cluster_active */
	u32 *order[MACHINE_NR_LEVELS]; /* what the spans point into */
};

/* Replaces what a level has by default; 0: the kernel's own. */
struct machine_domain_knobs {
	u32 busy_factor, imbalance_pct, min_interval_ms, max_interval_ms;
};

/* Ways in which kernels once got domains wrong; none of them belongs to a release. */
enum machine_domain_flaw {
	MACHINE_FLAW_NO_NODES = 1 << 0, /* nodes are not brought together by any domain */
	MACHINE_FLAW_OVERLAP = 1 << 1,  /* of nodes there are two groups, one without the last node,
					   one without the first; the others are in both */
};

struct machine_domain_setup {
	const u64 *active;           /* bit per CPU; NULL: all */
	u32 flaws;                   /* enum machine_domain_flaw */
	bool pack_threads;           /* 6.1: threads of a core have priorities, too */
	bool prefer_sibling_in_asym; /* 7.3: children of asymmetric domains keep it */
	struct machine_domain_knobs knobs[MACHINE_NR_LEVELS];
};

/* Needs a machine that machine_validate() takes and a CPU that is active. */
void machine_domains_build(struct machine_domains *domains, const struct machine *machine,
			   const struct machine_domain_setup *setup);
void machine_domains_fini(struct machine_domains *domains);
/* "SMT", "CLS", "MC", "PKG", "NUMA" */
const char *machine_level_name(enum machine_level level);

static inline bool machine_share_cache(const struct machine_domains *domains, u32 a, u32 b)
{
	return domains->cpus[a].llc_id == domains->cpus[b].llc_id;
}

/* The same cluster, or the same cache where there are no clusters.  Kernel: cpus_share_resources() */
static inline bool machine_share_resources(const struct machine_domains *domains, u32 a, u32 b)
{
	return domains->cpus[a].share_id == domains->cpus[b].share_id;
}

/* Is @cpu in the span of @domain? */
static inline bool machine_domain_has(const struct machine_domains *domains,
				      const struct machine_domain *domain, u32 cpu)
{
	const struct machine_cpu_domains *of = &domains->cpus[cpu];

	for (u32 i = 0; i < of->nr; i++)
		if (of->at[i] == domain)
			return true;
	return false;
}

#endif
