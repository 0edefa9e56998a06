/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * freq - the frequency of CPUs: operating points, and the governors that choose.
 *
 * CPUs of one frequency domain have one clock.  A change takes no time.
 *
 * Kernel: kernel/sched/cpufreq_schedutil.c, v6.12.
 */
#ifndef SIM_FREQ_H
#define SIM_FREQ_H

#include "sim/internal.h"

/* Kernel: struct sugov_policy. */
struct sim_freq {
	const struct machine_kind *kind;
	u32 *cpus, nr_cpus; /* rising */
	u32 opp;            /* in kind->opps */
	u64 updated_ns;     /* when it last changed; U64_MAX: never */
	u32 limit_khz;      /* beyond it nothing is chosen; 0: none */
	u32 hardware_khz;   /* beyond it nothing is had; 0: none */
	bool urgent;        /* the rate limit does not hold.  Kernel: need_freq_update */
};

void sim_freq_init(struct sim *sim);
void sim_freq_fini(struct sim *sim);
/* Tells the frequency of every CPU that has operating points. */
void sim_freq_start(struct sim *sim);

void sim_freq_choose(struct sim_cpu *cpu, bool io);
/* From now on the clock of @cpu is at most @khz, 0: what it has; @hardware: that sees to it. */
void sim_freq_limit(struct sim_cpu *cpu, u32 khz, bool hardware);
/* What the CPU is used for has changed.  Kernel: cpufreq_update_util(). */
static inline void sim_freq_update(struct sim_cpu *cpu)
{
	if (cpu->sim->schedutil && cpu->freq)
		sim_freq_choose(cpu, false);
}
/* The same, by a task that comes back from waiting for a device: it had the CPU idle. */
static inline void sim_freq_update_io(struct sim_cpu *cpu)
{
	if (cpu->sim->schedutil && cpu->freq)
		sim_freq_choose(cpu, true);
}

/*
 * What the CPU asks for, @util being the fair class's, @boost what I/O asks for at least.
 * Kernel: sugov_get_util(), and what get_next_freq() adds in 6.1.
 */
u64 sim_freq_perf(const struct sim_cpu *cpu, u64 util, u64 boost);
/* Of all classes, @util being the fair one's.  Kernel: effective_cpu_util(). */
u64 sim_effective_util(const struct sim_cpu *cpu, u64 util);
/* The first operating point of @khz and more; the last if there is none. */
u32 sim_freq_opp(const struct machine_kind *kind, u64 khz);

#endif
