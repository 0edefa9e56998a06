/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim - runs a workload on a machine under a release's rules, as a stream.
 *
 * Everything is a function of the setup: the same setup gives the same stream,
 * byte for byte, on every build and in every thread.  There are no globals.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/err.h"
#include "events/event.h"
#include "machine/domains.h"
#include "policy/cache.h"
#include "policy/release.h"
#include "workload/workload.h"

struct sim; /* sim/internal.h */

#define SIM_MIGRATION_COST_NS 500000u
#define SIM_ALWAYS_HOT        0xffffffffu /* the kernel's -1 */

/* What a running kernel lets one tune: /sys/kernel/debug/sched. */
struct sim_tunables {
	u32 migration_cost_ns; /* a task that ran less ago is cache hot; SIM_ALWAYS_HOT: all are */
	u32 nr_migrate;        /* tasks that a balancing pass looks at */
	struct policy_cache_tunables cache; /* epoch_period 0: 10 ms */
	struct machine_domain_knobs domains[MACHINE_NR_LEVELS];
};

#define SIM_TUNABLES                                                                     \
	{                                                                                \
		.migration_cost_ns = SIM_MIGRATION_COST_NS, .nr_migrate = 32, .cache = { \
			.aggr_tolerance = 1,                                             \
			.epoch_affinity_timeout = 5,                                     \
			.imb_pct = 20,                                                   \
			.overaggr_pct = 50                                               \
		}                                                                        \
	}

struct sim_setup {
	const struct machine *machine;
	const struct workload *workload;
	const struct policy_release *release;
	struct policy_features features; /* the release's defaults with the user's changes */
	u32 hz;                          /* 100, 250, 300, 1000 */
	u64 duration_ns;                 /* 0: until every task has ended */
	u64 seed;
	struct sim_tunables tunables;
	u64 start_ns; /* the tasks' time 0: where between two ticks they begin; 0 as a rule */
	enum machine_governor governor; /* where CPUs have operating points */
	u32 cgroup_mode;                /* enum policy_cgroup_mode, where the release has them */
	bool explain;                   /* decision events */
	/* For tests: called after each event was delivered, with the engine's own state. */
	void (*probe)(void *self, const struct sim *sim, const struct event *event);
	void *probe_self;
	bool settled; /* tasks with a delay were born before, one by one, and sleep */
};

/*
 * Runs to the end into @sink.  ERR_USAGE if the setup cannot be simulated (a task pinned
 * to CPUs the machine lacks, a queue kind without rules yet); a sink's code otherwise.
 */
enum err_code sim_run(const struct sim_setup *setup, struct event_sink sink, struct err *err);

#endif
