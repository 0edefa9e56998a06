/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/freq.h"

#include <stdlib.h>

#include "policy/fit.h"
#include "policy/schedutil.h"
#include "sim/load.h"
#include "sim/uclamp.h"

static const struct machine_opp *top(const struct machine_kind *kind)
{
	return &kind->opps[kind->nr_opps - 1];
}

u32 sim_freq_opp(const struct machine_kind *kind, u64 khz)
{
	u32 opp = 0;

	while (opp + 1 < kind->nr_opps && kind->opps[opp].khz < khz)
		opp++;
	return opp;
}

u64 sim_effective_util(const struct sim_cpu *cpu, u64 util)
{
	util += cpu->rt_load.util_avg + cpu->dl_load.util_avg;
	return policy_effective_util(util, cpu->irq_load.util_avg, cpu->capacity);
}

/* Granted to the deadline tasks that are queued here.  Kernel: cpu_bw_dl(). */
static u64 dl_bandwidth(const struct sim_cpu *cpu)
{
	return cpu->dl_bandwidth >> 10; /* 2^20 is all of a CPU */
}

static u64 perf_by_sum(const struct sim_cpu *cpu, u64 util, u64 boost)
{
	u64 all;

	if (cpu->rt_nr)
		return policy_with_headroom(cpu->capacity);
	all = policy_frequency_util(util + cpu->rt_load.util_avg, cpu->dl_load.util_avg,
				    dl_bandwidth(cpu), cpu->irq_load.util_avg, cpu->capacity);
	return policy_with_headroom(policy_larger(all, boost));
}

/* What it needs in any case.  Kernel: the @min of effective_cpu_util(). */
static u64 least_perf(const struct sim_cpu *cpu)
{
	u64 least, irq = cpu->irq_load.util_avg;

	if (irq >= cpu->capacity)
		return cpu->capacity;
	least = policy_larger(irq + dl_bandwidth(cpu), sim_uclamp_cpu(cpu, POLICY_UCLAMP_MIN));
	/* a realtime task gets all there is, unless bounds are in use */
	return !cpu->sim->clamps && cpu->rt_nr ? policy_larger(least, cpu->capacity) : least;
}

u64 sim_freq_perf(const struct sim_cpu *cpu, u64 util, u64 boost)
{
	u64 most = sim_uclamp_cpu(cpu, POLICY_UCLAMP_MAX);

	if (cpu->sim->rules->sugov == POLICY_SUGOV_SUM)
		return perf_by_sum(cpu, util, boost);
	if (most > cpu->capacity || cpu->irq_load.util_avg >= cpu->capacity)
		most = cpu->capacity;
	return policy_sugov_perf(policy_larger(sim_effective_util(cpu, util), boost),
				 least_perf(cpu), most);
}

static u64 perf_of(struct sim_cpu *cpu)
{
	bool boost = cpu->sim->setup->release->load & POLICY_LOAD_BOOST;
	u64 io = policy_io_boost_take(&cpu->io_boost, sim_rq_clock(cpu), cpu->sim->tick_ns,
				      cpu->capacity);

	return sim_freq_perf(cpu, boost ? sim_cpu_util_boost(cpu) : sim_cpu_util(cpu), io);
}

/* The highest point that is allowed and not above @opp; the lowest if none is. */
static u32 within_limit(const struct sim_freq *freq, u32 opp)
{
	const struct machine_opp *opps = freq->kind->opps;

	while (opp && ((freq->limit_khz && opps[opp].khz > freq->limit_khz) ||
		       (freq->hardware_khz && opps[opp].khz > freq->hardware_khz)))
		opp--;
	return opp;
}

/* The most that any of its CPUs asks for.  Kernel: sugov_next_freq_shared(). */
static u32 wanted(const struct sim *sim, const struct sim_freq *freq)
{
	u64 capacity = sim->cpus[freq->cpus[0]].capacity, most = 0;

	for (u32 i = 0; i < freq->nr_cpus; i++)
		most = policy_larger(most, perf_of(&sim->cpus[freq->cpus[i]]));
	return within_limit(freq, sim_freq_opp(freq->kind, policy_sugov_khz(most, capacity,
									    top(freq->kind)->khz)));
}

static void tell(struct sim_cpu *cpu)
{
	struct event event = { .kind = EVENT_FREQ,
			       .cpu = (s32)cpu->id,
			       .task = { EVENT_NOBODY, 0 },
			       .freq = { .khz = cpu->freq->kind->opps[cpu->freq->opp].khz } };

	sim_emit(cpu->sim, &event);
}

static void take_speed(struct sim_cpu *cpu)
{
	const struct machine_opp *opp = &cpu->freq->kind->opps[cpu->freq->opp];

	sim_cpu_set_speed(cpu, opp->capacity);
	cpu->freq_scale = (u32)(((u64)opp->khz << 10) / top(cpu->freq->kind)->khz);
}

/* Bounds keep its tasks from more than they have.  Kernel: uclamp_rq_is_capped(). */
static bool capped(const struct sim_cpu *cpu)
{
	u64 most = sim_uclamp_cpu(cpu, POLICY_UCLAMP_MAX);

	return most != POLICY_UCLAMP_FULL && sim_cpu_util(cpu) + cpu->rt_load.util_avg >= most;
}

/*
 * A CPU that has not been idle since the last time is not slowed: it would be too early.
 * Kernel: sugov_hold_freq().
 */
static bool holds(struct sim_cpu *cpu)
{
	bool busy;

	if (capped(cpu))
		return false;
	busy = cpu->idle_calls == cpu->idle_calls_seen;
	cpu->idle_calls_seen = cpu->idle_calls;
	return busy;
}

/* More bandwidth of deadline tasks than was last heeded does not wait.  Kernel: ignore_dl_rate_limit(). */
static bool too_early(struct sim_cpu *cpu)
{
	struct sim_freq *freq = cpu->freq;
	s64 rate_ns = (s64)cpu->sim->setup->machine->rate_limit_us * 1000;

	freq->urgent |= dl_bandwidth(cpu) > cpu->dl_heeded;
	/* another CPU's clock may have been ahead */
	return !freq->urgent && freq->updated_ns != U64_MAX &&
	       (s64)(sim_rq_clock(cpu) - freq->updated_ns) < rate_ns;
}

/* Kernel: bw_dl of struct sugov_cpu in 6.1, then bw_min. */
static void heed_bandwidth(const struct sim *sim, const struct sim_freq *freq)
{
	for (u32 i = 0; i < freq->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[freq->cpus[i]];

		cpu->dl_heeded =
			sim->rules->sugov == POLICY_SUGOV_SUM ? dl_bandwidth(cpu) : least_perf(cpu);
	}
}

static void change(struct sim_cpu *cpu, u32 opp)
{
	struct sim_freq *freq = cpu->freq;

	freq->opp = opp;
	for (u32 i = 0; i < freq->nr_cpus; i++) {
		take_speed(&cpu->sim->cpus[freq->cpus[i]]);
		tell(&cpu->sim->cpus[freq->cpus[i]]);
	}
}

/* @io: by a task that waited for a device.  Kernel: sugov_update_single_freq(), sugov_update_shared(). */
void sim_freq_choose(struct sim_cpu *cpu, bool io)
{
	struct sim_freq *freq = cpu->freq;
	bool urgent;
	u32 opp;

	policy_io_boost_ask(&cpu->io_boost, sim_rq_clock(cpu), cpu->sim->tick_ns, io);
	cpu->io_boost.updated_ns = sim_rq_clock(cpu);
	if (too_early(cpu))
		return;
	urgent = freq->urgent;
	freq->urgent = false;
	opp = wanted(cpu->sim, freq);
	heed_bandwidth(cpu->sim, freq);
	if (freq->nr_cpus == 1 && holds(cpu) && opp < freq->opp && !urgent)
		return;
	if (opp == freq->opp)
		return;
	freq->updated_ns = sim_rq_clock(cpu);
	change(cpu, opp);
}

/*
 * Kernel: cpufreq_set_policy(), drivers/cpufreq/cpufreq.c, sugov_limits(); of the hardware
 * qcom_lmh_dcvs_notify(), drivers/cpufreq/qcom-cpufreq-hw.c, topology_update_hw_pressure(), v6.12.
 */
void sim_freq_limit(struct sim_cpu *cpu, u32 khz, bool hardware)
{
	struct sim_freq *freq = cpu->freq;
	u64 max_khz = top(freq->kind)->khz;
	u32 opp = freq->opp;

	*(hardware ? &freq->hardware_khz : &freq->limit_khz) = khz;
	freq->urgent |= !hardware;
	for (u32 i = 0; i < freq->nr_cpus; i++) {
		struct sim_cpu *of = &cpu->sim->cpus[freq->cpus[i]];

		*(hardware ? &of->hardware_pressure : &of->pressure) =
			policy_freq_pressure(of->capacity, khz ? khz : max_khz, max_khz);
	}
	if (cpu->sim->setup->governor == MACHINE_GOVERNOR_PERFORMANCE)
		opp = freq->kind->nr_opps - 1;
	opp = within_limit(freq, opp);
	if (opp != freq->opp)
		change(cpu, opp);
	sim_freq_update(cpu);
}

/* The domain of @cpu, made when its first CPU asks. */
static struct sim_freq *domain_of(struct sim *sim, u32 cpu)
{
	const struct machine *machine = sim->setup->machine;
	struct sim_freq *freq;

	for (u32 i = 0; i < cpu; i++)
		if (machine->cpus[i].freq_domain == machine->cpus[cpu].freq_domain)
			return sim->cpus[i].freq;
	freq = NEW(struct sim_freq);
	freq->kind = &machine->kinds[machine->cpus[cpu].kind];
	freq->cpus = NEW_ARRAY(u32, sim->nr_cpus);
	freq->updated_ns = U64_MAX;
	if (sim->setup->governor == MACHINE_GOVERNOR_PERFORMANCE)
		freq->opp = freq->kind->nr_opps - 1;
	return freq;
}

/* Has the machine what an energy model needs?  Kernel: sched_is_eas_possible(), v6.12. */
static bool has_energy_model(const struct sim *sim)
{
	const struct machine *machine = sim->setup->machine;

	if (!sim->schedutil || !sim->domains.asym || machine->smt)
		return false;
	for (u32 i = 0; i < machine->nr_kinds; i++) {
		if (!machine->kinds[i].nr_opps)
			return false;
		for (u32 k = 0; k < machine->kinds[i].nr_opps; k++)
			if (!machine->kinds[i].opps[k].power_mw)
				return false;
	}
	return true;
}

void sim_freq_init(struct sim *sim)
{
	const struct machine *machine = sim->setup->machine;

	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		cpu->speed = cpu->capacity;
		cpu->freq_scale = MACHINE_FULL_CAPACITY;
		if (!machine->nr_kinds || !machine->kinds[machine->cpus[i].kind].nr_opps)
			continue;
		cpu->freq = domain_of(sim, i);
		cpu->freq->cpus[cpu->freq->nr_cpus++] = i;
		take_speed(cpu);
		sim->schedutil |= sim->setup->governor == MACHINE_GOVERNOR_SCHEDUTIL;
	}
	sim->energy = has_energy_model(sim);
}

void sim_freq_start(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_cpus; i++)
		if (sim->cpus[i].freq)
			tell(&sim->cpus[i]);
}

void sim_freq_fini(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_freq *freq = sim->cpus[i].freq;

		if (!freq || freq->cpus[0] != i)
			continue;
		for (u32 k = 1; k < freq->nr_cpus; k++)
			sim->cpus[freq->cpus[k]].freq = NULL;
		free(freq->cpus);
		free(freq);
	}
}
