/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calibrate - what the kernel's own work takes, from workloads made for nothing else.
 *
 * Small experiments follow each other on CPU 0.  In most of them the CPU is never idle, so
 * that the runtimes of the tasks add up to the length, and what is more than their work is
 * the kernel's: a known number of ticks, switches, wakeups, timers, calls and births.
 */
#ifndef EXPERIMENT_CALIBRATE_H
#define EXPERIMENT_CALIBRATE_H

#include "analysis/analysis.h"
#include "machine/machine.h"
#include "workload/workload.h"

/* How long the experiments take. */
#define CALIBRATE_NS(nr_cpus) ((nr_cpus) > 1 ? 10500000000ull : 8500000000ull)

/* The experiments as a workload, those of a second CPU if there is one; workload_free() it. */
struct workload *calibrate_workload(u32 nr_cpus);
/*
 * For a guest that is ours alone: a timer of the scheduler's would interrupt beside ours.
 * On a machine it stays as it is.
 */
#define CALIBRATE_FEATURES "NO_HRTICK"

enum calibrate_sleep {
	CALIBRATE_FAIR,
	CALIBRATE_EXACT, /* of a realtime task, whose timers have no slack */
	CALIBRATE_NR_SLEEPS
};

/* What is seen of a run beside its analysis. */
struct calibrate {
	const struct analysis *analysis;
	u32 nr_cpus;
	struct {
		u64 count, sum_ns;
	} sleeps[CALIBRATE_NR_SLEEPS];
};

/* Before @analysis sees the run, which it outlives. */
void calibrate_watch(struct calibrate *calibrate, struct analysis *analysis, u32 nr_cpus);
/*
 * Costs from a run on a kernel of @hz.  With one CPU those of interrupts between CPUs, and
 * always those of balancing, are the presets'.  ERR_FORMAT: the run lacks one of the experiments.
 */
enum err_code calibrate_costs(const struct calibrate *calibrate, u32 hz,
			      struct machine_costs *costs, struct err *err);

#endif
