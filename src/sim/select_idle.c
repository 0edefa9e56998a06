/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select_idle - the fast path: an idle CPU near the one that was chosen, looked for in the
 * kernel's order and for no longer than it would.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/identity.h"
#include "sim/load.h"
#include "sim/misfit.h"
#include "sim/select.h"

bool sim_cpu_free(const struct sim_cpu *cpu, const struct sim_task *task)
{
	if (sim_cpu_is_idle(cpu))
		return true;
	if (!sim_cpu_only_idle_policy(cpu))
		return false;
	return !cpu->sim->select.rules->idle_for_others || task->policy != EVENT_POLICY_IDLE;
}

void sim_select_init(struct sim *sim)
{
	sim->select.rules = &policy_select_rules[sim->setup->release->balancer];
	sim->select.idle_cores = NEW_ARRAY(bool, sim->nr_cpus);
	sim->select.skip = NEW_ARRAY(u64, bits_words(sim->nr_cpus));
	sim->select.idle = NEW_ARRAY(u64, bits_words(sim->nr_cpus));
	sim->select.idle_policy = NEW_ARRAY(u64, bits_words(sim->nr_cpus));
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		sim->select.idle_cores[i] = true;
		sim_idle_changed(&sim->cpus[i]);
		sim->cpus[i].select.idle_ns = sim->cpus[i].lb.avg_idle_ns;
	}
}

void sim_select_fini(struct sim *sim)
{
	free(sim->select.idle_cores);
	free(sim->select.skip);
	free(sim->select.idle);
	free(sim->select.idle_policy);
}

static bool free_for(const struct sim_task *task, const struct sim_cpu *cpu)
{
	return sim_cpu_free(cpu, task) || (cpu->sim->identities && sim_identity_idle(cpu, task));
}

static bool is_free(const struct sim_task *task, u32 cpu)
{
	return free_for(task, &task->sim->cpus[cpu]);
}

/* Kernel: asym_fits_cpu(). */
static bool fits(const struct sim_task *task, const struct sim_cpu *cpu)
{
	const struct sim *sim = task->sim;

	if (!sim->domains.asym)
		return true;
	if (sim->select.rules->big_cores_first && !sim_core_idle(cpu))
		return false;
	return sim_task_fits(task, cpu);
}

/* Kernel: test_idle_cores(), set_idle_cores(). */
static bool *idle_cores(struct sim *sim, const struct sim_cpu *cpu)
{
	return &sim->select.idle_cores[cpu->domains->llc_id];
}

void sim_select_idles(struct sim_cpu *cpu)
{
	bool *known = idle_cores(cpu->sim, cpu);

	if (!*known)
		*known = sim_core_idle(cpu); /* its other threads */
}

/* ---- a walk over CPUs, rising and round, from the first that is not below @from ---- */

struct walk {
	const u32 *cpus;
	u32 nr, at, left;
};

static struct walk walk_from(const u32 *cpus, u32 nr, u32 from)
{
	u32 low = 0, high = nr;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (cpus[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct walk){ cpus, nr, low < nr ? low : 0, nr };
}

static bool walk_next(struct walk *walk, u32 *cpu)
{
	if (!walk->left)
		return false;
	walk->left--;
	*cpu = walk->cpus[walk->at];
	walk->at = walk->at + 1 < walk->nr ? walk->at + 1 : 0;
	return true;
}

/* ---- the cache ---- */

/* One search of a cache.  Kernel: what select_idle_cpu() keeps. */
struct search {
	struct sim *sim;
	struct sim_task *task;
	const struct machine_domain *llc;
	struct sim_cpu *target;
	bool cores; /* a wholly idle core is wanted */
	bool seeks; /* an idle seeker: what only counts as idle is taken if nothing is */
	u64 left;   /* how many CPUs may be looked at */
	u32 looked;
	s64 backup;          /* cores: the first free CPU; seeks: the last one; -1: none */
	enum sim_reason why; /* it was found so */
};

static bool candidate(const struct search *search, u32 cpu)
{
	return sim_allowed(search->task, cpu) && !bits_has(search->sim->select.skip, cpu);
}

static void skip(const struct search *search, const u32 *cpus, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		bits_add(search->sim->select.skip, cpus[i]);
}

/* Kernel: select_idle_core(). */
static bool whole_core(struct search *search, u32 core)
{
	const struct machine_cpu_domains *of = &search->sim->domains.cpus[core];
	bool idle = true;

	for (u32 i = 0; i < of->nr_smt; i++) {
		u32 cpu = of->smt[i];

		if (sim_cpu_is_idle(&search->sim->cpus[cpu])) {
			if (search->backup < 0 && candidate(search, cpu))
				search->backup = cpu;
			continue;
		}
		idle = false;
		if (search->backup >= 0)
			break;
		if (is_free(search->task, cpu) && candidate(search, cpu)) {
			search->backup = cpu;
			break;
		}
	}
	if (!idle)
		skip(search, of->smt, of->nr_smt);
	return idle;
}

/* -1: none of these.  -2: it has looked at enough. */
static s64 search_in(struct search *search, const u32 *cpus, u32 nr)
{
	struct walk walk = walk_from(cpus, nr, search->target->id + 1);
	u32 cpu;

	while (walk_next(&walk, &cpu)) {
		if (!candidate(search, cpu))
			continue;
		if (search->cores) {
			if (!whole_core(search, cpu))
				continue;
			search->why = SIM_REASON_IDLE_CORE;
			return cpu;
		}
		if (!search->left)
			return -2;
		search->left--;
		search->looked++;
		if (!is_free(search->task, cpu))
			continue;
		if (!search->seeks || sim_cpu_is_idle(&search->sim->cpus[cpu]))
			return cpu;
		search->backup = cpu;
	}
	return search->cores ? -1 : search->backup;
}

/* Of 64 CPUs of the cache those that may be looked at. */
static u64 candidates(const struct search *search, u32 word)
{
	const struct sim_task *task = search->task;
	u64 allowed = task->allowed ? task->allowed->words[word] : U64_MAX;

	return search->llc->mask[word] & allowed & ~search->sim->select.skip[word];
}

/* And those that are free.  The same as sim_cpu_free(). */
static u64 free_ones(const struct search *search, u32 word)
{
	const struct sim *sim = search->sim;

	if (sim->select.rules->idle_for_others && search->task->policy == EVENT_POLICY_IDLE)
		return sim->select.idle[word];
	return sim->select.idle[word] | sim->select.idle_policy[word];
}

/*
 * The cache from the target on round, 64 CPUs at once: the same as search_in(), but only for
 * single CPUs, and without telling why none was found.
 */
static s64 search_words(struct search *search)
{
	u32 nr = bits_words(search->sim->nr_cpus), from = search->target->id + 1;
	u32 first = from < search->sim->nr_cpus ? from / 64 : 0;
	u64 above = from < search->sim->nr_cpus ? U64_MAX << (from % 64) : U64_MAX;

	for (u32 i = 0; i <= nr; i++) {
		u32 word = first + i < nr ? first + i : first + i - nr;
		u64 these = candidates(search, word) & (!i ? above : i == nr ? ~above : U64_MAX);
		u64 found = these & free_ones(search, word);
		u32 looks = bits_count(found ? these & (found ^ (found - 1)) : these);

		if (looks > search->left)
			found = 0;
		looks = looks < search->left ? looks : (u32)search->left;
		search->left -= looks;
		search->looked += looks;
		if (found)
			return word * 64 + (u32)__builtin_ctzll(found);
		if (!search->left)
			break;
	}
	return -1;
}

/* The target's cluster, if the cache has several.  NULL: it has not. */
static const struct machine_group *cluster_of(const struct search *search)
{
	const struct machine_cpu_domains *of = search->target->domains;

	if (!search->sim->domains.cluster || !search->sim->select.rules->clusters)
		return NULL;
	for (u32 i = 0; i < of->nr; i++)
		if (of->at[i] == search->llc) {
			const struct machine_group *group = &search->llc->groups[of->group[i]];

			return group->flags & MACHINE_SD_CLUSTER ? group : NULL;
		}
	return NULL;
}

static s64 search_cache(struct search *search)
{
	const struct machine_group *cluster = cluster_of(search);
	s64 found = -1;

	search->why = SIM_REASON_LLC_IDLE;
	if (cluster) {
		found = search_in(search, cluster->cpus, cluster->nr_cpus);
		if (found >= 0 && !search->cores)
			search->why = SIM_REASON_CLUSTER_IDLE;
		skip(search, cluster->cpus, cluster->nr_cpus);
	}
	if (found == -1)
		found = search->cores || search->sim->identities
				? search_in(search, search->llc->cpus, search->llc->nr_cpus)
				: search_words(search);
	if (search->cores && found < 0) {
		*idle_cores(search->sim, search->target) = false;
		found = search->backup;
	}
	return found;
}

/* SIS_PROP: by what searches cost and how long the waker's CPU idles. */
static void limit_by_cost(struct search *search)
{
	struct sim_select_cpu *of = &search->sim->here->select;
	u64 now = sim_jiffies(search->sim);

	of->idle_ns = policy_age_idle(of->idle_ns, now - of->idle_at);
	of->idle_at = now;
	search->left = policy_scan_by_cost(of->idle_ns, of->cost_ns, search->llc->nr_cpus) - 1;
}

/* A look costs what balancing pays for one.  Kernel: the end of select_idle_cpu(), v6.1. */
static void pay(const struct search *search)
{
	struct sim_select_cpu *of = &search->sim->here->select;
	u64 cost_ns = (u64)search->looked * search->sim->setup->machine->costs.balance_cpu_ns;

	of->idle_ns -= cost_ns < of->idle_ns ? cost_ns : of->idle_ns;
	of->cost_ns =
		(u64)((s64)of->cost_ns + policy_div_trunc((s64)cost_ns - (s64)of->cost_ns, 8));
}

/* Kernel: select_idle_cpu(). */
static struct sim_cpu *search_idle(struct sim_task *task, struct sim_cpu *target, bool cores,
				   enum sim_reason *reason)
{
	struct sim *sim = task->sim;
	struct search search = { .sim = sim,
				 .task = task,
				 .llc = target->domains->llc,
				 .target = target,
				 .cores = cores,
				 .seeks = sim->identities &&
					  sim_identity_of(task) & POLICY_IDLE_SEEKER,
				 .left = U64_MAX,
				 .backup = -1 };
	bool by_cost = policy_feature(&sim->features, POLICY_SIS_PROP) && !cores && !search.seeks;
	s64 found;

	if (by_cost)
		limit_by_cost(&search);
	if (policy_feature(&sim->features, POLICY_SIS_UTIL) && !search.seeks) {
		search.left = sim_nr_idle_scan(target);
		*reason = SIM_REASON_CACHE_FULL;
		if (!search.left)
			return NULL;
	}
	if (sim->setup->machine->smt || sim->domains.cluster)
		memset(sim->select.skip, 0, bits_words(sim->nr_cpus) * sizeof(u64));
	found = search_cache(&search);
	if (by_cost)
		pay(&search);
	*reason = found >= 0 ? search.why : SIM_REASON_NO_IDLE;
	return found >= 0 ? &sim->cpus[found] : NULL;
}

/* ---- unequal CPUs ---- */

/* Kernel: select_idle_capacity(). */
static struct sim_cpu *search_capacity(struct sim_task *task, const struct machine_domain *domain,
				       struct sim_cpu *target, enum sim_reason *reason)
{
	struct sim *sim = task->sim;
	bool big_cores = sim->select.rules->big_cores_first;
	bool cores = big_cores && sim->setup->machine->smt && *idle_cores(sim, target);
	bool limited = big_cores && policy_feature(&sim->features, POLICY_SIS_UTIL);
	u64 left = limited ? sim_nr_idle_scan(target) : U64_MAX, best_capacity = 0;
	struct walk walk = walk_from(domain->cpus, domain->nr_cpus, target->id);
	struct sim_cpu *best = NULL;
	s32 best_rank = POLICY_FITS_NOT;
	u32 id;

	*reason = limited && !left ? SIM_REASON_CACHE_FULL : SIM_REASON_NO_IDLE;
	while (walk_next(&walk, &id)) {
		struct sim_cpu *cpu = &sim->cpus[id];
		u64 capacity;
		s32 fit, rank;

		if (!sim_allowed(task, id))
			continue;
		if (!cores && !left--)
			break;
		if (!sim_cpu_free(cpu, task))
			continue;
		fit = sim_task_fit(task, cpu);
		capacity = fit < 0 ? sim_cpu_capacity_actual(cpu) : sim_cpu_capacity_of(cpu);
		rank = policy_fit_rank(fit, !cores || sim_core_idle(cpu));
		*reason = SIM_REASON_FITTING;
		if (rank == POLICY_FITS_ALL)
			return cpu;
		if (rank < best_rank || (rank == best_rank && capacity > best_capacity)) {
			best = cpu;
			best_rank = rank;
			best_capacity = capacity;
		}
	}
	if (cores && best_rank > POLICY_FITS_CORE_NOT)
		*idle_cores(sim, target) = false;
	if (best)
		*reason =
			best_rank == POLICY_FITS_THREAD ? SIM_REASON_FITTING : SIM_REASON_TOO_WEAK;
	return best;
}

/* ---- what goes before ---- */

/* Kernel: cpus_share_resources(); true where nobody asks for clusters. */
static bool near(const struct sim *sim, const struct sim_cpu *a, const struct sim_cpu *b)
{
	return !sim->domains.cluster || !sim->select.rules->clusters ||
	       machine_share_resources(&sim->domains, a->id, b->id);
}

static bool suits(const struct sim_task *task, const struct sim_cpu *cpu,
		  const struct sim_cpu *target)
{
	return cpu != target && machine_share_cache(&task->sim->domains, cpu->id, target->id) &&
	       free_for(task, cpu) && fits(task, cpu);
}

/* Kernel: select_idle_smt(). */
static struct sim_cpu *idle_thread(const struct sim_task *task, const struct sim_cpu *of)
{
	for (u32 i = 0; i < of->domains->nr_smt; i++) {
		u32 cpu = of->domains->smt[i];

		if (cpu != of->id && sim_allowed(task, cpu) && is_free(task, cpu))
			return &task->sim->cpus[cpu];
	}
	return NULL;
}

/* The cache of @target, after the CPUs that were asked first.  NULL: none is free. */
static struct sim_cpu *in_cache(struct sim_task *task, struct sim_cpu *prev, struct sim_cpu *target,
				enum sim_reason *reason)
{
	struct sim *sim = task->sim;
	bool cores = false;
	struct sim_cpu *cpu;

	*reason = SIM_REASON_NO_IDLE;
	if (!target->domains->llc)
		return NULL;
	if (sim->setup->machine->smt) {
		cores = *idle_cores(sim, target);
		cpu = !cores && machine_share_cache(&sim->domains, prev->id, target->id)
			      ? idle_thread(task, prev)
			      : NULL;
		*reason = SIM_REASON_SIBLING_IDLE;
		if (cpu)
			return cpu;
	}
	return search_idle(task, target, cores, reason);
}

/* The laboratory's cure for overload on wakeup: an idle CPU of any cache. */
static struct sim_cpu *anywhere(const struct sim_task *task, const struct sim_cpu *target)
{
	struct sim *sim = task->sim;

	for (u32 i = 1; i < sim->nr_cpus; i++) {
		u32 cpu = (target->id + i) % sim->nr_cpus;

		if (sim_allowed(task, cpu) && sim_cpu_is_idle(&sim->cpus[cpu]))
			return &sim->cpus[cpu];
	}
	return NULL;
}

/*
 * A kernel thread that wakes whom it worked for is not simulated: there are none.
 * Kernel: select_idle_sibling().
 */
struct sim_cpu *sim_select_idle_sibling(struct sim_task *task, struct sim_cpu *prev,
					struct sim_cpu *target, enum sim_reason *reason)
{
	struct sim *sim = task->sim;
	struct sim_cpu *recent = task->recent, *cpu, *spare = NULL;

	if (sim->domains.asym)
		sim_task_load_sync(task);
	*reason = target == prev ? SIM_REASON_PREV_IDLE : SIM_REASON_WAKER_IDLE;
	if (free_for(task, target) && fits(task, target))
		return target;
	*reason = SIM_REASON_PREV_IDLE;
	if (suits(task, prev, target)) {
		if (near(sim, prev, target))
			return prev;
		spare = prev;
	}
	task->recent = prev;
	if (recent != prev && suits(task, recent, target) && sim_allowed(task, recent->id)) {
		*reason = SIM_REASON_RECENT_IDLE;
		if (near(sim, recent, target))
			return recent;
		spare = spare ? spare : recent;
	}
	if (sim->domains.asym && target->domains->asym) {
		cpu = search_capacity(task, target->domains->asym, target, reason);
		return cpu ? cpu : target;
	}
	cpu = in_cache(task, prev, target, reason);
	if (cpu)
		return cpu;
	if (!spare && policy_feature(&sim->features, POLICY_WAKE_ANYWHERE)) {
		cpu = anywhere(task, target);
		if (cpu) {
			*reason = SIM_REASON_ANY_IDLE;
			return cpu;
		}
	}
	if (spare)
		*reason = spare == prev ? SIM_REASON_PREV_IDLE : SIM_REASON_RECENT_IDLE;
	else if (target != prev && *reason == SIM_REASON_NO_IDLE)
		*reason = SIM_REASON_PULLED;
	return spare ? spare : target;
}
