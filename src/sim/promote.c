/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/promote.h"

#include "policy/promote.h"
#include "sim/bandwidth.h"
#include "sim/misfit.h"
#include "sim/select.h"

/* ---- CPUs for a task ---- */

static bool takes(const struct sim_task *task, const struct sim_cpu *cpu)
{
	return sim_allowed(task, cpu->id) && cpu->active && sim_cpu_free(cpu, task) &&
	       (!task->sim->domains.asym || sim_task_fits(task, cpu));
}

/* The first of a domain that takes it, from the one after @from on and round. */
static struct sim_cpu *first_of(const struct sim_task *task, const struct machine_domain *domain,
				const struct machine_domain *child, const struct sim_cpu *from)
{
	struct sim *sim = task->sim;
	u32 at = 0;

	while (at < domain->nr_cpus && domain->cpus[at] <= from->id)
		at++;
	for (u32 i = 0; i < domain->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[domain->cpus[(at + i) % domain->nr_cpus]];

		if (child && machine_domain_has(&sim->domains, child, cpu->id))
			continue;
		if (takes(task, cpu))
			return cpu;
	}
	return NULL;
}

/* Up the domains of @from, as far as @last (NULL: all). */
static struct sim_cpu *nearest(const struct sim_task *task, const struct sim_cpu *from,
			       const struct machine_domain *last)
{
	const struct machine_domain *child = NULL;

	for (u32 i = 0; i < from->domains->nr; i++) {
		const struct machine_domain *domain = from->domains->at[i];
		struct sim_cpu *found = first_of(task, domain, child, from);

		if (found || domain == last)
			return found;
		child = domain;
	}
	return NULL;
}

/* One that shares the cache of @from. */
static struct sim_cpu *beside(const struct sim_task *task, const struct sim_cpu *from)
{
	return from->domains->llc ? nearest(task, from, from->domains->llc) : NULL;
}

struct sim_cpu *sim_promote_select(struct sim_task *task, enum sim_reason *reason)
{
	struct sim_cpu *prev = task->cpu, *here = task->sim->here, *found;

	*reason = SIM_REASON_PREV_IDLE;
	if (takes(task, prev))
		return prev;
	*reason = SIM_REASON_PROMOTED;
	if (takes(task, here))
		return here;
	if (task->recent && takes(task, task->recent))
		return task->recent;
	found = beside(task, prev);
	if (!found)
		found = beside(task, here);
	if (!found)
		found = nearest(task, prev, NULL);
	if (!found)
		*reason = SIM_REASON_NO_IDLE;
	return found ? found : prev;
}

/* ---- a task that was preempted ---- */

static void scanned(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;

	sim_cpu_cost(cpu, EVENT_COST_BALANCE,
		     (u64)sim->setup->machine->costs.balance_cpu_ns * sim->nr_cpus);
}

void sim_promote_preempted(struct sim_cpu *cpu, struct sim_task *prev)
{
	struct sim_cpu *to;

	if (!policy_promote_push(cpu->curr != cpu->idle, cpu->lb.push.to, prev->nr_allowed))
		return;
	scanned(cpu);
	to = nearest(prev, cpu, NULL);
	if (!to || !sim_cpu_is_idle(to) || sim_throttled_pair(prev, to))
		return;
	cpu->lb.push = (struct sim_push){ .to = to, .only = prev };
	sim_cpu_ipi(cpu);
}

/* ---- a CPU that found nothing ---- */

static u32 waiting(const struct sim_cpu *cpu)
{
	return policy_promote_waiting(cpu->root.h_nr_runnable, cpu->curr->class == cpu->fair);
}

/* Of a domain's CPUs that the one below lacks, the one where most wait; NULL: none does. */
static struct sim_cpu *neediest(const struct sim_cpu *here, const struct machine_domain *domain,
				const struct machine_domain *child)
{
	struct sim *sim = here->sim;
	struct sim_cpu *best = NULL;

	for (u32 i = 0; i < domain->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[domain->cpus[i]];

		if (cpu == here || (child && machine_domain_has(&sim->domains, child, cpu->id)))
			continue;
		if (waiting(cpu) > (best ? waiting(best) : 0))
			best = cpu;
	}
	return best;
}

void sim_promote_pull(struct sim_cpu *cpu)
{
	const struct machine_domain *child = NULL;

	scanned(cpu);
	for (u32 i = 0; i < cpu->domains->nr; i++) {
		struct sim_domain *domain = &cpu->lb.domains[i];
		struct sim_cpu *from = neediest(cpu, domain->shape, child);

		if (from && sim_take_task(cpu, from, domain))
			return;
		child = domain->shape;
	}
}
