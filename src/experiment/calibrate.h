/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calibrate - what the kernel's own work takes, from workloads made for nothing else.
 *
 * There are two, of one CPU and of two.  Small experiments follow each other on CPU 0.  In most
 * of them the CPU is never idle, so that the runtimes of the tasks add up to the length, and what
 * is more than their work is the kernel's: a known number of ticks, switches, wakeups, timers, calls and births.
 */
#ifndef EXPERIMENT_CALIBRATE_H
#define EXPERIMENT_CALIBRATE_H

#include "analysis/analysis.h"
#include "events/sinks.h"
#include "machine/machine.h"
#include "workload/workload.h"

enum calibrate_part {
	CALIBRATE_NEAR, /* on CPU 0 */
	CALIBRATE_FAR,  /* between CPUs 0 and 1, of which none idles */
	CALIBRATE_NR_PARTS
};

/* The experiments as a workload, which workload_free() frees, and how long they take. */
struct workload *calibrate_workload(enum calibrate_part part);
u64 calibrate_duration_ns(enum calibrate_part part);
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

/* What is seen of the runs beside their analyses. */
struct calibrate {
	const struct analysis *parts[CALIBRATE_NR_PARTS];
	struct {
		u64 count, sum_ns;
	} sleeps[CALIBRATE_NR_SLEEPS];
	VEC(u64) waits; /* how long cal-wait ran until each of its waits, ns */
	/* from the last accounting of who ran, if it was seen, until the switch; of CALIBRATE_NEAR */
	u64 accounted_ns;
	struct {
		u64 count, sum_ns;
	} picks;
	struct events_tee tee;
};

/*
 * Returns where the run of @part is to go, and from there to @analysis, which outlives
 * @calibrate; calibrate_fini() it.
 */
struct event_sink calibrate_watch(struct calibrate *calibrate, enum calibrate_part part,
				  struct analysis *analysis);
void calibrate_fini(struct calibrate *calibrate);
/*
 * Costs from runs on a kernel of @hz.  Without CALIBRATE_FAR those of interrupts between CPUs, and
 * always those of balancing, are the presets'.  ERR_FORMAT: a run lacks one of the experiments.
 */
enum err_code calibrate_costs(const struct calibrate *calibrate, u32 hz,
			      struct machine_costs *costs, struct err *err);

#endif
