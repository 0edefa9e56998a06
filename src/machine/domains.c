/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine/domains.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/mem.h"

#define DEFAULT_FLAGS                                                                     \
	(MACHINE_SD_BALANCE_NEWIDLE | MACHINE_SD_BALANCE_EXEC | MACHINE_SD_BALANCE_FORK | \
	 MACHINE_SD_WAKE_AFFINE | MACHINE_SD_PREFER_SIBLING)

/* Kernel: default_topology[], sched_init_numa(), sd_init(). */
static const struct {
	const char *name;
	u32 flags, imbalance_pct, cache_nice_tries;
} levels[MACHINE_NR_LEVELS] = {
	[MACHINE_SMT] = { "SMT",
			  DEFAULT_FLAGS | MACHINE_SD_SHARE_CPUCAPACITY | MACHINE_SD_SHARE_LLC, 110,
			  0 },
	[MACHINE_CLS] = { "CLS", DEFAULT_FLAGS | MACHINE_SD_CLUSTER | MACHINE_SD_SHARE_LLC, 117,
			  1 },
	[MACHINE_MC] = { "MC", DEFAULT_FLAGS | MACHINE_SD_SHARE_LLC, 117, 1 },
	[MACHINE_PKG] = { "PKG", DEFAULT_FLAGS, 117, 1 },
	[MACHINE_NUMA] = { "NUMA",
			   (DEFAULT_FLAGS & ~(u32)MACHINE_SD_PREFER_SIBLING) | MACHINE_SD_NUMA |
				   MACHINE_SD_SERIALIZE,
			   117, 2 },
};

const char *machine_level_name(enum machine_level level)
{
	return levels[level].name;
}

/* The CPUs that one thing of a level brings together: order[first..first + nr - 1]. */
struct span {
	u32 first, nr, flags;
	struct machine_domain *domain; /* once built; NULL: it was degenerate */
};

struct builder {
	const struct machine *machine;
	const struct machine_domain_setup *setup;
	struct machine_domains *domains;
	u32 nr_active, nr_levels;
	bool *clusters_split; /* by CPU: its cache spans several clusters */
	struct span *spans[MACHINE_NR_LEVELS];
	u32 nr_spans[MACHINE_NR_LEVELS];
	u32 *span_of[MACHINE_NR_LEVELS]; /* by CPU */
};

static bool is_active(const struct builder *b, u32 cpu)
{
	return !b->setup->active || bits_has(b->setup->active, cpu);
}

/* CPUs of one key are together at that level.  All levels are inside a node. */
static u32 id_of(const struct builder *b, enum machine_level level, u32 cpu)
{
	const struct machine_cpu *at = &b->machine->cpus[cpu];

	switch (level) {
	case MACHINE_SMT:
		return at->core;
	case MACHINE_CLS:
		return b->clusters_split[cpu] ? at->cluster : at->core;
	case MACHINE_MC:
		return at->llc;
	case MACHINE_PKG:
	case MACHINE_NUMA:
	case MACHINE_NR_LEVELS:
		break;
	}
	return 0;
}

struct keyed {
	u64 key;
	u32 cpu;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* Where a CPU stands at a level; inner ids stand after outer ones, so that spans nest. */
static u64 key_of(const struct builder *b, enum machine_level level, u32 cpu)
{
	return (level == MACHINE_NUMA ? 0 : (u64)b->machine->cpus[cpu].node << 32) |
	       id_of(b, level, cpu);
}

static void span_level(struct builder *b, enum machine_level level)
{
	struct keyed *keyed = NEW_ARRAY(struct keyed, b->nr_active);
	u32 *order = NEW_ARRAY(u32, b->nr_active), nr = 0;

	for (u32 cpu = 0; cpu < b->machine->nr_cpus; cpu++)
		if (is_active(b, cpu))
			keyed[nr++] = (struct keyed){ key_of(b, level, cpu), cpu };
	qsort(keyed, nr, sizeof(*keyed), compare_keyed);
	b->spans[level] = NEW_ARRAY(struct span, nr);
	b->span_of[level] = NEW_ARRAY(u32, b->machine->nr_cpus);
	b->nr_spans[level] = 0;
	for (u32 i = 0; i < nr; i++) {
		if (!i || keyed[i].key != keyed[i - 1].key)
			b->spans[level][b->nr_spans[level]++] = (struct span){ .first = i };
		b->spans[level][b->nr_spans[level] - 1].nr++;
		b->span_of[level][keyed[i].cpu] = b->nr_spans[level] - 1;
		order[i] = keyed[i].cpu;
	}
	b->domains->order[level] = order;
	free(keyed);
}

/* Kernel: cpu_clustergroup_mask(), drivers/base/arch_topology.c: no cluster as big as the cache. */
static void find_split_clusters(struct builder *b)
{
	u32 *cluster = NEW_ARRAY(u32, MACHINE_MAX_CPUS); /* by LLC: of its first CPU, + 1 */
	bool *split = NEW_ARRAY(bool, MACHINE_MAX_CPUS);

	for (u32 i = 0; i < b->machine->nr_cpus; i++) {
		const struct machine_cpu *cpu = &b->machine->cpus[i];

		if (!is_active(b, i))
			continue;
		if (!cluster[cpu->llc])
			cluster[cpu->llc] = cpu->cluster + 1;
		split[cpu->llc] |= cluster[cpu->llc] != cpu->cluster + 1;
	}
	b->clusters_split = NEW_ARRAY(bool, b->machine->nr_cpus);
	for (u32 i = 0; i < b->machine->nr_cpus; i++)
		b->clusters_split[i] = split[b->machine->cpus[i].llc];
	free(cluster);
	free(split);
}

/* How many capacities some CPUs have. */
static u32 count_capacities(const struct machine *machine, const u32 *cpus, u32 nr)
{
	u64 seen[MACHINE_FULL_CAPACITY / 64 + 1] = { 0 };
	u32 count = 0;

	for (u32 i = 0; i < nr; i++)
		seen[machine->cpus[cpus[i]].capacity / 64] |=
			1ULL << (machine->cpus[cpus[i]].capacity % 64);
	for (u32 i = 0; i < ARRAY_SIZE(seen); i++)
		count += (u32)__builtin_popcountll(seen[i]);
	return count;
}

/* Kernel: asym_cpu_capacity_classify(). */
static u32 asym_flags(const struct builder *b, const u32 *cpus, u32 nr, u32 nr_capacities)
{
	u32 count = nr_capacities < 2 ? 0 : count_capacities(b->machine, cpus, nr);

	if (count < 2)
		return 0;
	return MACHINE_SD_ASYM_CPUCAPACITY |
	       (count == nr_capacities ? MACHINE_SD_ASYM_CPUCAPACITY_FULL : 0);
}

/*
 * Where a machine has priorities, CPUs of a cache and of clusters are packed by them; of several caches
 * where their kinds differ.  Kernel: x86_core_flags() and its neighbours, arch/x86/kernel/smpboot.c,
 * v6.1 and v6.12.
 */
static u32 packing_flags(const struct builder *b, u32 level, const u32 *cpus, u32 nr)
{
	const struct machine_cpu *first = &b->machine->cpus[cpus[0]];
	bool priorities = false, kinds = false;

	if (level == MACHINE_NUMA || (level == MACHINE_SMT && !b->setup->pack_threads))
		return 0;
	for (u32 i = 1; i < nr; i++) {
		priorities |= b->machine->cpus[cpus[i]].priority != first->priority;
		kinds |= b->machine->cpus[cpus[i]].kind != first->kind;
	}
	return priorities && (level != MACHINE_PKG || kinds) ? MACHINE_SD_ASYM_PACKING : 0;
}

/* Before anything is found degenerate.  Kernel: sd_init(). */
static void flag_spans(struct builder *b)
{
	u32 nr_capacities =
		count_capacities(b->machine, b->domains->order[MACHINE_SMT], b->nr_active);

	for (u32 level = 0; level < b->nr_levels; level++)
		for (u32 i = 0; i < b->nr_spans[level]; i++) {
			struct span *span = &b->spans[level][i];
			const u32 *cpus = &b->domains->order[level][span->first];

			span->flags = levels[level].flags |
				      asym_flags(b, cpus, span->nr, nr_capacities) |
				      packing_flags(b, level, cpus, span->nr);
			if (!level || !(span->flags & MACHINE_SD_ASYM_CPUCAPACITY) ||
			    b->setup->prefer_sibling_in_asym)
				continue;
			for (u32 k = 0; k < span->nr; k++)
				b->spans[level - 1][b->span_of[level - 1][cpus[k]]].flags &=
					~(u32)MACHINE_SD_PREFER_SIBLING;
		}
}

static struct span *span_at(const struct builder *b, u32 level, u32 cpu)
{
	return &b->spans[level][b->span_of[level][cpu]];
}

/* The domain below @level that a CPU has; NULL: none. */
static struct machine_domain *child_of(const struct builder *b, u32 level, u32 cpu)
{
	while (level--)
		if (span_at(b, level, cpu)->domain)
			return span_at(b, level, cpu)->domain;
	return NULL;
}

/*
 * Kernel: sd_degenerate(), sd_parent_degenerate(): of two with one span the lower stays, and
 * takes over that it prefers siblings.
 */
static bool degenerate(const struct builder *b, u32 level, const struct span *span, u32 cpu)
{
	struct machine_domain *child;

	if (span->nr == 1)
		return true;
	child = child_of(b, level, cpu);
	if (!child || child->nr_cpus != span->nr)
		return false;
	child->flags |= span->flags & MACHINE_SD_PREFER_SIBLING;
	return true;
}

static u32 either(u32 knob, u32 own)
{
	return knob ? knob : own;
}

static void init_domain(struct builder *b, u32 level, struct span *span)
{
	const struct machine_domain_knobs *knobs = &b->setup->knobs[level];
	struct machine_domain *domain = &b->domains->at[b->domains->nr];

	*domain = (struct machine_domain){
		.index = b->domains->nr++,
		.level = (enum machine_level)level,
		.name = levels[level].name,
		.flags = span->flags,
		.cpus = &b->domains->order[level][span->first],
		.nr_cpus = span->nr,
		.imbalance_pct = either(knobs->imbalance_pct, levels[level].imbalance_pct),
		.busy_factor = either(knobs->busy_factor, 16),
		.cache_nice_tries = levels[level].cache_nice_tries,
		.min_interval_ms = either(knobs->min_interval_ms, span->nr),
		.max_interval_ms = either(knobs->max_interval_ms, 2 * span->nr),
	};
	span->domain = domain;
	b->domains->asym |= !!(span->flags & MACHINE_SD_ASYM_CPUCAPACITY);
	b->domains->cluster |= level == MACHINE_CLS;
}

static void build_domains(struct builder *b)
{
	u32 most = 0;

	for (u32 level = 0; level < b->nr_levels; level++)
		most += b->nr_spans[level];
	b->domains->at = NEW_ARRAY(struct machine_domain, most);
	for (u32 level = 0; level < b->nr_levels; level++)
		for (u32 i = 0; i < b->nr_spans[level]; i++) {
			struct span *span = &b->spans[level][i];
			u32 cpu = b->domains->order[level][span->first];

			if (!degenerate(b, level, span, cpu))
				init_domain(b, level, span);
		}
}

static u32 count_cores(const struct builder *b, const u32 *cpus, u32 nr)
{
	u32 cores = 0;

	for (u32 i = 0; i < nr; i++) {
		const struct span *core = span_at(b, MACHINE_SMT, cpus[i]);

		cores += b->domains->order[MACHINE_SMT][core->first] == cpus[i];
	}
	return cores;
}

static void add_group(const struct builder *b, struct machine_domain *domain, const u32 *cpus,
		      u32 nr_cpus, const struct machine_domain *child)
{
	struct machine_group *group = &domain->groups[domain->nr_groups++];

	*group = (struct machine_group){
		.cpus = cpus,
		.nr_cpus = nr_cpus,
		.flags = child ? child->flags : 0,
		.min_capacity = MACHINE_FULL_CAPACITY,
	};
	group->nr_cores = count_cores(b, group->cpus, group->nr_cpus);
	for (u32 i = 0; i < group->nr_cpus; i++) {
		u32 capacity = b->machine->cpus[group->cpus[i]].capacity;

		group->capacity += capacity;
		if (capacity < group->min_capacity)
			group->min_capacity = capacity;
		if (capacity > group->max_capacity)
			group->max_capacity = capacity;
		if (b->machine->cpus[group->cpus[i]].priority > group->priority)
			group->priority = b->machine->cpus[group->cpus[i]].priority;
	}
}

static void init_group(const struct builder *b, struct machine_domain *domain, u32 cpu)
{
	const struct span *span = span_at(b, domain->level - 1, cpu);

	add_group(b, domain, &b->domains->order[domain->level - 1][span->first], span->nr,
		  child_of(b, domain->level, cpu));
}

/* MACHINE_FLAW_OVERLAP: needs three nodes whose CPUs follow each other. */
static bool overlaps(const struct builder *b, struct machine_domain *domain)
{
	const u32 *order = b->domains->order[MACHINE_PKG];
	const struct span *nodes = b->spans[MACHINE_PKG], *first, *last;

	if (!(b->setup->flaws & MACHINE_FLAW_OVERLAP) || domain->level != MACHINE_NUMA ||
	    b->nr_spans[MACHINE_PKG] < 3)
		return false;
	first = &nodes[0];
	last = &nodes[b->nr_spans[MACHINE_PKG] - 1];
	domain->groups = NEW_ARRAY(struct machine_group, 2);
	add_group(b, domain, order, last->first, first->domain);
	add_group(b, domain, &order[first->nr], b->nr_active - first->nr, last->domain);
	return true;
}

/* Threads of a core have no domain below: each is a group. */
static void init_smt_group(const struct builder *b, struct machine_domain *domain, const u32 *cpu)
{
	u32 capacity = b->machine->cpus[*cpu].capacity;

	domain->groups[domain->nr_groups++] = (struct machine_group){
		.cpus = cpu,
		.nr_cpus = 1,
		.nr_cores = 1,
		.capacity = capacity,
		.min_capacity = capacity,
		.max_capacity = capacity,
		.priority = b->machine->cpus[*cpu].priority,
	};
}

/*
 * The ring is tied last by the domain's last CPU, which starts with its own group and goes on
 * from the lowest CPU.  Kernel: build_sched_groups().
 */
static void build_groups(const struct builder *b, struct machine_domain *domain)
{
	u32 last = domain->cpus[domain->nr_cpus - 1];
	u32 below = domain->level - 1, nr = 0;

	if (overlaps(b, domain))
		return;
	if (domain->level == MACHINE_SMT) {
		domain->groups = NEW_ARRAY(struct machine_group, domain->nr_cpus);
		init_smt_group(b, domain, &domain->cpus[domain->nr_cpus - 1]);
		for (u32 i = 0; i + 1 < domain->nr_cpus; i++)
			init_smt_group(b, domain, &domain->cpus[i]);
		return;
	}
	for (u32 i = 0; i < domain->nr_cpus; i++)
		nr += b->domains->order[below][span_at(b, below, domain->cpus[i])->first] ==
		      domain->cpus[i];
	domain->groups = NEW_ARRAY(struct machine_group, nr);
	init_group(b, domain, last);
	for (u32 i = 0; i < domain->nr_cpus; i++) {
		const struct span *span = span_at(b, below, domain->cpus[i]);

		if (b->domains->order[below][span->first] == domain->cpus[i] &&
		    span != span_at(b, below, last))
			init_group(b, domain, domain->cpus[i]);
	}
}

/*
 * How many tasks more than another a node may have: an eighth of it if it is under one cache,
 * else as many as it has caches.  Kernel: the second loop of build_sched_domains().
 */
static void allow_numa_imbalance(const struct builder *b, struct machine_domain *domain)
{
	u32 cpu = domain->cpus[0], node, llc, caches;

	if (domain->level != MACHINE_NUMA)
		return;
	node = span_at(b, MACHINE_PKG, cpu)->nr;
	llc = span_at(b, MACHINE_MC, cpu)->nr;
	caches = node / llc;
	domain->imb_numa_nr = caches == 1 ? node / 8 : caches;
	if (!domain->imb_numa_nr)
		domain->imb_numa_nr = 1;
}

/* Kernel: update_top_cache_domain(). */
static void find_shortcuts(struct machine_cpu_domains *of, u32 cpu)
{
	of->llc_id = cpu;
	of->llc_size = 1;
	for (u32 i = 0; i < of->nr; i++) {
		const struct machine_domain *domain = of->at[i];

		if (domain->flags & MACHINE_SD_SHARE_LLC)
			of->llc = domain;
		if (domain->flags & MACHINE_SD_ASYM_PACKING)
			of->packing = domain;
		if ((domain->flags & MACHINE_SD_NUMA) && !of->numa)
			of->numa = domain;
		if ((domain->flags & MACHINE_SD_ASYM_CPUCAPACITY_FULL) && !of->asym)
			of->asym = domain;
	}
	if (of->llc) {
		of->llc_id = of->llc->cpus[0];
		of->llc_size = of->llc->nr_cpus;
	}
	of->share_id = of->llc_id;
	for (u32 i = of->nr; i--;)
		if (of->at[i]->flags & MACHINE_SD_CLUSTER)
			of->share_id = of->at[i]->cpus[0];
}

static void attach_cpu(const struct builder *b, u32 cpu)
{
	struct machine_cpu_domains *of = &b->domains->cpus[cpu];
	const struct span *core = span_at(b, MACHINE_SMT, cpu);

	of->smt = &b->domains->order[MACHINE_SMT][core->first];
	of->nr_smt = core->nr;
	for (u32 level = 0; level < b->nr_levels; level++) {
		struct machine_domain *domain = span_at(b, level, cpu)->domain;

		if (!domain)
			continue;
		if (of->nr)
			b->domains->at[of->at[of->nr - 1]->index].parent = domain;
		of->at[of->nr++] = domain;
	}
}

/* Each CPU's own group in each of its domains. */
static void find_own_groups(struct machine_domains *domains)
{
	for (u32 i = 0; i < domains->nr; i++) {
		const struct machine_domain *domain = &domains->at[i];

		for (u32 g = domain->nr_groups; g--;) /* of several the first */
			for (u32 k = 0; k < domain->groups[g].nr_cpus; k++) {
				struct machine_cpu_domains *of =
					&domains->cpus[domain->groups[g].cpus[k]];
				u32 at = 0;

				while (of->at[at] != domain)
					at++;
				of->group[at] = g;
			}
	}
}

/* For who looks for a CPU of a cache: the caches have no CPU in common, so it takes little room. */
static void mask_caches(struct machine_domains *domains)
{
	for (u32 cpu = 0; cpu < domains->nr_cpus; cpu++) {
		const struct machine_domain *llc = domains->cpus[cpu].llc;
		struct machine_domain *domain = llc ? &domains->at[llc->index] : NULL;

		if (!domain)
			continue;
		if (!domain->mask)
			domain->mask = NEW_ARRAY(u64, bits_words(domains->nr_cpus));
		bits_add(domain->mask, cpu);
	}
}

static void free_builder(struct builder *b)
{
	for (u32 level = 0; level < b->nr_levels; level++) {
		free(b->spans[level]);
		free(b->span_of[level]);
	}
	free(b->clusters_split);
}

void machine_domains_build(struct machine_domains *domains, const struct machine *machine,
			   const struct machine_domain_setup *setup)
{
	struct builder b = { .machine = machine, .setup = setup, .domains = domains };

	*domains = (struct machine_domains){ .nr_cpus = machine->nr_cpus };
	for (u32 cpu = 0; cpu < machine->nr_cpus; cpu++)
		b.nr_active += is_active(&b, cpu);
	assert(b.nr_active);
	domains->nr_active = b.nr_active;
	domains->cpus = NEW_ARRAY(struct machine_cpu_domains, machine->nr_cpus);
	find_split_clusters(&b);
	do /* up to the level that has all CPUs */
		span_level(&b, (enum machine_level)b.nr_levels);
	while (b.nr_spans[b.nr_levels++] > 1 &&
	       !(setup->flaws & MACHINE_FLAW_NO_NODES && b.nr_levels == MACHINE_NUMA));
	flag_spans(&b);
	build_domains(&b);
	for (u32 i = 0; i < domains->nr; i++) {
		build_groups(&b, &domains->at[i]);
		allow_numa_imbalance(&b, &domains->at[i]);
	}
	for (u32 cpu = 0; cpu < machine->nr_cpus; cpu++) {
		if (is_active(&b, cpu))
			attach_cpu(&b, cpu);
		find_shortcuts(&domains->cpus[cpu], cpu);
	}
	find_own_groups(domains);
	mask_caches(domains);
	free_builder(&b);
}

void machine_domains_fini(struct machine_domains *domains)
{
	for (u32 i = 0; i < domains->nr; i++) {
		free(domains->at[i].groups);
		free(domains->at[i].mask);
	}
	for (u32 level = 0; level < MACHINE_NR_LEVELS; level++)
		free(domains->order[level]);
	free(domains->at);
	free(domains->cpus);
	*domains = (struct machine_domains){ 0 };
}
