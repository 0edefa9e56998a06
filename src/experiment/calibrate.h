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

#define CALIBRATE_NS 7500000000ull /* how long the experiments take */

/* The experiments as a workload; workload_free() it. */
struct workload *calibrate_workload(void);
/*
 * For a guest that is ours alone: a timer of the scheduler's would interrupt beside ours.
 * On a machine it stays as it is.
 */
#define CALIBRATE_FEATURES "NO_HRTICK"
/*
 * Costs from a run of it on a kernel of @hz; what needs more than one CPU is the presets'.  ERR_FORMAT: the run lacks one of the experiments.
 */
enum err_code calibrate_costs(const struct analysis *analysis, u32 hz, struct machine_costs *costs,
			      struct err *err);

#endif
