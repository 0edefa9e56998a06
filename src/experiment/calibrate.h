/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calibrate - what the kernel's own work takes, from workloads made for nothing else.
 *
 * Five small experiments follow each other on CPU 0.  In each the CPU is never idle (but
 * for the last), so that the runtimes of its tasks add up to its length, and what is more
 * than their work is the kernel's: a known number of ticks, switches, wakeups and timers.
 */
#ifndef EXPERIMENT_CALIBRATE_H
#define EXPERIMENT_CALIBRATE_H

#include "analysis/analysis.h"
#include "machine/machine.h"
#include "workload/workload.h"

#define CALIBRATE_NS 6000000000ull /* how long the experiments take */

/* The experiments as a workload; workload_free() it. */
struct workload *calibrate_workload(void);
/*
 * Costs from a run of it on a kernel of @hz: switch, wakeup, tick, timer, idle exit; the
 * others are the presets'.  ERR_FORMAT: the run lacks one of the experiments.
 */
enum err_code calibrate_costs(const struct analysis *analysis, u32 hz, struct machine_costs *costs,
			      struct err *err);

#endif
