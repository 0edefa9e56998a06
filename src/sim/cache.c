/* SPDX-License-Identifier: GPL-2.0-only */
/* cache - what processes ran where, and what their threads prefer therefore. */
#include "sim/cache.h"

#include <stdlib.h>
#include <string.h>

#include "sim/internal.h"

/* Kernel: sd_llc_id, which CPUs of one cache and node share, for as long as any is there. */
static void number_caches(struct sim *sim)
{
	const struct machine_cpu *cpus = sim->setup->machine->cpus;

	for (u32 i = 0; i < sim->nr_cpus; i++) {
		u32 k = i ? i - 1 : 0;

		while (k && (cpus[k].llc != cpus[i].llc || cpus[k].node != cpus[i].node))
			k--;
		sim->cpus[i].cache.llc =
			i && cpus[k].llc == cpus[i].llc && cpus[k].node == cpus[i].node
				? sim->cpus[k].cache.llc
				: sim->caches.nr++;
	}
}

static u32 threads_of_core(const struct machine *machine)
{
	u32 *nr = NEW_ARRAY(u32, MACHINE_MAX_CPUS), most = 1;

	for (u32 i = 0; i < machine->nr_cpus; i++)
		if (++nr[machine->cpus[i].core] > most)
			most = nr[machine->cpus[i].core];
	free(nr);
	return most;
}

static struct sim_process *new_process(struct sim *sim)
{
	struct sim_process *process = NEW(struct sim_process);

	process->cpu = -1;
	process->time = NEW_ARRAY(struct policy_cache_time, sim->nr_cpus);
	process->next_look = sim_jiffies(sim);
	process->next = sim->caches.all;
	if (process->next)
		process->next->prev = process;
	sim->caches.all = process;
	return process;
}

static void free_process(struct sim *sim, struct sim_process *process)
{
	if (process->next)
		process->next->prev = process->prev;
	if (process->prev)
		process->prev->next = process->next;
	else
		sim->caches.all = process->next;
	free(process->time);
	free(process);
}

/* One for each that the workload's tasks name, and the one of those that name none. */
static void make_processes(struct sim *sim)
{
	const struct workload *workload = sim->setup->workload;
	struct sim_process **processes = NEW_ARRAY(struct sim_process *, workload->tasks.nr);

	sim->caches.processes = processes;
	for (size_t i = 0; i < workload->tasks.nr; i++) {
		const struct workload_task *task = &workload->tasks.at[i];
		size_t k = 0;

		while (!workload_one_process(&workload->tasks.at[k], task))
			k++;
		processes[i] = k < i ? processes[k] : new_process(sim);
		/* the thread that starts the others sleeps until all have ended */
		if (k == i)
			processes[i]->nr_threads = !task->process;
	}
}

void sim_cache_init(struct sim *sim)
{
	struct sim_caches *caches = &sim->caches;

	if (!policy_feature(&sim->features, POLICY_SCHED_CACHE))
		return;
	number_caches(sim);
	if (caches->nr < 2)
		return;
	caches->with = sim->setup->tunables.cache;
	if (!caches->with.epoch_period)
		caches->with.epoch_period = sim->setup->hz / 100;
	caches->smt = threads_of_core(sim->setup->machine);
	caches->wanted = NEW_ARRAY(u32, (size_t)caches->nr * sim->nr_cpus);
	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim->cpus[i].cache.wanted = &caches->wanted[(size_t)i * caches->nr];
	make_processes(sim);
}

/* Kernel: sd_in_multi_llcs(), sched_cache_set(). */
void sim_cache_domains(struct sim *sim)
{
	struct sim_caches *caches = &sim->caches;

	caches->on = false;
	if (!caches->wanted)
		return;
	memset(caches->wanted, 0, sizeof(u32) * caches->nr * sim->nr_cpus);
	for (u32 i = 0; i < sim->nr_cpus && !caches->on; i++) {
		const struct machine_domain *llc = sim->domains.cpus[i].llc;

		caches->on = llc && llc->parent;
	}
}

void sim_cache_fini(struct sim *sim)
{
	struct sim_caches *caches = &sim->caches;

	while (caches->all)
		free_process(sim, caches->all);
	free(caches->processes);
	free(caches->wanted);
}

void sim_cache_joins(struct sim_task *task)
{
	struct sim *sim = task->sim;

	task->llc = -1;
	if (!sim->caches.wanted)
		return;
	task->process = sim->caches.processes[task->def - sim->setup->workload->tasks.at];
	task->process->nr_threads++;
}

void sim_cache_leaves(struct sim_task *task)
{
	if (task->process && !--task->process->nr_threads && task->process->passing)
		free_process(task->sim, task->process);
}

/* Its epochs begin where the CPUs' are.  Kernel: mm_init_sched(). */
void sim_cache_exec(struct sim_task *task)
{
	struct sim *sim = task->sim;

	sim_cache_leaves(task);
	task->process = new_process(sim);
	task->process->passing = true;
	task->process->nr_threads = 1;
	for (u32 i = 0; i < sim->nr_cpus; i++)
		task->process->time[i].epoch = task->process->epoch =
			sim->cpus[i].cache.epoch.epoch;
}

void sim_cache_count(struct sim_task *task, bool in)
{
	if (task->llc_queued && !task->se.delayed)
		task->cpu->cache.nr_settled += in ? 1u : -1u;
}

void sim_cache_enqueued(struct sim_task *task)
{
	struct sim_cpu *cpu = task->cpu;

	if (task->llc < 0)
		return;
	task->llc_queued = (u32)task->llc == cpu->cache.llc;
	sim_cache_count(task, true);
	if (cpu->domains->llc)
		cpu->cache.wanted[task->llc]++;
}

/* New domains may have begun to count at zero meanwhile. */
void sim_cache_dequeued(struct sim_task *task)
{
	struct sim_cpu *cpu = task->cpu;

	if (task->llc < 0)
		return;
	sim_cache_count(task, false);
	task->llc_queued = false;
	if (cpu->domains->llc && cpu->cache.wanted[task->llc])
		cpu->cache.wanted[task->llc]--;
}

/* Its process prefers no cache any more. */
static void forget(struct sim_task *task, enum sim_reason why)
{
	if (task->process->cpu < 0)
		return;
	task->process->cpu = -1;
	sim_decide(task->sim, task, SIM_RULE_PREFER, why, NULL);
}

bool sim_cache_crowded(struct sim_task *task, const struct sim_cpu *cpu)
{
	const struct sim_process *process = task->process;

	if (!policy_cache_crowded(&task->sim->caches.with, process->nr_threads, process->running,
				  task->sim->caches.smt, cpu->domains->llc_size))
		return false;
	forget(task, SIM_REASON_TOO_MANY);
	return true;
}

/* What the process prefers now the task does, too; one that is not queued does when it next runs. */
static void follow(struct sim_task *task)
{
	const struct sim_process *process = task->process;
	s32 llc = process->cpu < 0 ? -1 : (s32)task->sim->cpus[process->cpu].cache.llc;

	if (llc == task->llc || !task->se.pelt.update_ns || !task->se.on_rq)
		return;
	sim_cache_dequeued(task);
	task->llc = llc;
	sim_cache_enqueued(task);
}

void sim_cache_ran(struct sim_task *task, u64 delta_ns)
{
	struct sim *sim = task->sim;
	struct sim_process *process = task->process;
	struct sim_cpu *cpu = task->cpu;
	struct policy_cache_time *time;

	if (task->class != cpu->fair)
		return;
	time = &process->time[cpu->id];
	policy_cache_age(&cpu->cache.epoch, time, sim_jiffies(sim), sim->caches.with.epoch_period);
	time->runtime_ns += delta_ns;
	cpu->cache.epoch.runtime_ns += delta_ns;
	if ((s64)(cpu->cache.epoch.epoch - process->epoch) >
	    (s64)sim->caches.with.epoch_affinity_timeout)
		forget(task, SIM_REASON_RAN_LITTLE);
	else
		sim_cache_crowded(task, cpu);
	follow(task);
}

void sim_cache_tick(struct sim_task *task)
{
	u64 epoch = task->cpu->cache.epoch.epoch;

	if ((s64)(task->process->epoch - epoch) >= 0 || task->cache_work)
		return;
	task->cache_work = true;
	task->process->epoch = epoch;
}

/* One cache.  *@cpu: where in it the process runs most; *@nr: on how many CPUs it does now. */
static u64 occupancy(struct sim_task *task, const struct machine_domain *llc, s64 *cpu, u64 *nr)
{
	struct sim *sim = task->sim;
	u64 sum = 0, most = 0;

	*cpu = -1;
	for (u32 i = 0; i < llc->nr_cpus; i++) {
		struct sim_cpu *at = &sim->cpus[llc->cpus[i]];
		struct policy_cache_time *time = &task->process->time[at->id];
		u64 part;

		policy_cache_age(&at->cache.epoch, time, sim_jiffies(sim),
				 sim->caches.with.epoch_period);
		part = policy_cache_fraction(&at->cache.epoch, time);
		sum += part;
		if (part > most) {
			most = part;
			*cpu = at->id;
		}
		*nr += at->curr->process == task->process;
	}
	return sum;
}

/* Where it runs most; *@now: how much in the cache that is preferred. */
static s64 best_cpu(struct sim_task *task, u64 *most, u64 *now, u64 *nr)
{
	struct sim *sim = task->sim;
	s64 best = -1, preferred = task->process->cpu;

	for (u32 i = 0; i < sim->nr_cpus; i++) {
		const struct machine_domain *llc = sim->domains.cpus[i].llc;
		s64 cpu;
		u64 sum;

		if (!llc || llc->cpus[0] != i)
			continue;
		sum = occupancy(task, llc, &cpu, nr);
		if (sum > *most) {
			*most = sum;
			best = cpu;
		}
		if (preferred >= 0 && sim->cpus[preferred].cache.llc == sim->cpus[i].cache.llc)
			*now = sum;
	}
	return best;
}

/* On its way to user mode; the kernel's last cost comes after it, here. */
void sim_cache_look(struct sim_task *task)
{
	struct sim *sim = task->sim;
	struct sim_process *process = task->process;
	u64 most = 0, now = 0, nr = 0;
	s64 best;

	task->cache_work = false;
	if (task->state == SIM_DEAD || sim_jiffies(sim) < process->next_look)
		return;
	process->next_look = sim_jiffies(sim) + sim->caches.with.epoch_period;
	if (sim_cache_crowded(task, task->cpu))
		return;
	best = best_cpu(task, &most, &now, &nr);
	if (policy_cache_better(most, now)) {
		if (best >= 0 && (process->cpu < 0 ||
				  sim->cpus[best].cache.llc != sim->cpus[process->cpu].cache.llc))
			sim_decide(sim, task, SIM_RULE_PREFER, SIM_REASON_RAN_MOST,
				   &sim->cpus[best]);
		process->cpu = best;
	}
	process->running = policy_cache_running(process->running, nr, task->cpu->domains->llc_size);
}
