/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/energy.h"

#include "policy/energy.h"
#include "policy/fit.h"
#include "policy/schedutil.h"
#include "sim/freq.h"
#include "sim/load.h"
#include "sim/misfit.h"

/* A frequency domain, as the placement of one task sees it.  Kernel: struct energy_env. */
struct env {
	const struct sim *sim;
	const struct sim_freq *pd;
	struct sim_task *task;
	u64 task_busy, others_busy; /* utilisation: the task's, and that of the domain without it */
	u64 cpu_capacity, pd_capacity;
};

/* Kernel: eenv_task_busy_time(). */
static u64 task_busy(const struct sim_task *task, const struct sim_cpu *prev)
{
	u64 irq = prev->irq_load.util_avg;

	if (irq >= prev->capacity)
		return prev->capacity;
	return sim_task_util_est(task) * (prev->capacity - irq) / prev->capacity;
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Kernel: eenv_pd_busy_time(). */
static u64 others_busy(const struct env *env)
{
	u64 busy = 0;

	for (u32 i = 0; i < env->pd->nr_cpus; i++) {
		const struct sim_cpu *cpu = &env->sim->cpus[env->pd->cpus[i]];

		busy += sim_effective_util(cpu, sim_cpu_util_if(cpu, env->task, -1, false));
	}
	return least(busy, env->pd_capacity);
}

/* What decides the frequency, the task being on @dst (-1: nowhere).  Kernel: eenv_pd_max_util(). */
static u64 most_util(const struct env *env, s64 dst)
{
	bool boost = env->sim->setup->release->load & POLICY_LOAD_BOOST;
	u64 most = 0;

	for (u32 i = 0; i < env->pd->nr_cpus; i++) {
		const struct sim_cpu *cpu = &env->sim->cpus[env->pd->cpus[i]];
		u64 perf = sim_freq_perf(cpu, sim_cpu_util_if(cpu, env->task, dst, boost), 0);

		most = perf > most ? perf : most;
	}
	return least(most, env->cpu_capacity);
}

/* Kernel: compute_energy(), em_cpu_energy(). */
static u64 energy(const struct env *env, s64 dst)
{
	const struct machine_kind *kind = env->pd->kind;
	u64 perf = most_util(env, dst), busy = env->others_busy;
	u32 opp = 0;

	if (dst >= 0)
		busy = least(env->pd_capacity, busy + env->task_busy);
	while (opp + 1 < kind->nr_opps && kind->opps[opp].capacity < perf)
		opp++;
	return policy_em_energy(policy_em_cost(kind->opps[opp].power_mw, kind->opps[opp].capacity),
				busy);
}

/* What was found so far.  Spare capacity is -1 where no CPU of a domain will do. */
struct search {
	struct sim_cpu *prev, *best;
	u64 prev_delta, best_delta; /* U64_MAX: none */
	s64 prev_spare, most_spare; /* of the domain under way */
	struct sim_cpu *roomiest;
};

/* The CPU of the domain with the most to spare, apart from the last one. */
static void find_room(const struct env *env, struct search *s)
{
	s->prev_spare = s->most_spare = -1;
	s->roomiest = NULL;
	for (u32 i = 0; i < env->pd->nr_cpus; i++) {
		struct sim_cpu *cpu = &s->prev->sim->cpus[env->pd->cpus[i]];
		u64 util = sim_cpu_util_if(cpu, env->task, cpu->id, false);
		u64 capacity = sim_cpu_capacity_of(cpu);
		s64 spare = (s64)policy_less(capacity, util);

		if (!sim_allowed(env->task, cpu->id) || !policy_fits_capacity(util, capacity))
			continue;
		if (cpu == s->prev) {
			s->prev_spare = spare;
		} else if (spare > s->most_spare) {
			s->most_spare = spare;
			s->roomiest = cpu;
		}
	}
}

/* False: the estimates contradict each other; it stays.  Kernel: the loop's second half. */
static bool weigh(struct env *env, struct search *s)
{
	u64 base, with;

	if (!s->roomiest && s->prev_spare < 0)
		return true;
	env->others_busy = others_busy(env);
	base = energy(env, -1);
	if (s->prev_spare >= 0) {
		with = energy(env, s->prev->id);
		if (with < base)
			return false;
		s->prev_delta = with - base;
		if (s->prev_delta < s->best_delta)
			s->best_delta = s->prev_delta;
	}
	if (!s->roomiest || s->most_spare <= s->prev_spare)
		return true;
	with = energy(env, s->roomiest->id);
	if (with < base)
		return false;
	if (s->best && with - base >= s->best_delta)
		return true;
	s->best_delta = with - base;
	s->best = s->roomiest;
	return true;
}

/* What limits leave of it.  Kernel: cpu_thermal_cap, v6.1; get_actual_cpu_capacity(), v6.12. */
static u64 capacity_now(const struct sim_cpu *cpu)
{
	if (!cpu->sim->rules->pressure_average)
		return sim_cpu_capacity_actual(cpu);
	return cpu->capacity - policy_larger(cpu->pressure, cpu->hardware_pressure);
}

/* The domain with the last CPU comes first, as the kernel's list is built from its end. */
struct sim_cpu *sim_find_energy_efficient_cpu(struct sim_task *task, struct sim_cpu *prev)
{
	struct sim *sim = task->sim;
	struct search s = { .prev = prev, .prev_delta = U64_MAX, .best_delta = U64_MAX };

	if (sim_overutilized(sim))
		return NULL;
	sim_task_load_sync(task);
	if (!sim_task_util_est(task))
		return prev;
	for (u32 i = sim->nr_cpus; i--;) {
		const struct sim_freq *pd = sim->cpus[i].freq;
		struct env env = { .sim = sim, .pd = pd, .task = task };

		if (!pd || pd->cpus[0] != i)
			continue;
		env.task_busy = task_busy(task, prev);
		env.cpu_capacity = capacity_now(&sim->cpus[i]);
		env.pd_capacity = env.cpu_capacity * pd->nr_cpus;
		find_room(&env, &s);
		if (!weigh(&env, &s))
			return prev;
	}
	return s.best && (s.prev_delta == U64_MAX || s.best_delta < s.prev_delta) ? s.best : prev;
}
