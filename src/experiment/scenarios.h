/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scenarios - workload, machine and settings under one name, and what was published of them.
 */
#ifndef EXPERIMENT_SCENARIOS_H
#define EXPERIMENT_SCENARIOS_H

#include "experiment/compare.h"

enum scenario_id {
#define SCENARIO(id, name, workload, settings, a, b, runs, published, what) SCENARIO_##id,
#include "experiment/scenarios.def"
	SCENARIO_NR
};

struct scenario {
	const char *name, *workload;
	const char *settings, *sides[COMPARE_NR_SIDES]; /* option words */
	u32 runs;
	enum scenario_id published; /* whose rows belong to it; SCENARIO_NR: none */
	const char *what;
};
extern const struct scenario scenarios[SCENARIO_NR];

/* NULL if there is none of that name. */
const struct scenario *scenario_find(const char *name);

/* A row of perf sched latency as it was published. */
struct published {
	enum scenario_id scenario;
	const char *task;
	enum compare_side side;
	u32 run; /* from 1 */
	u64 runtime_us, switches, mean_us, max_us, sum_us;
};
extern const struct published published[];
extern const u32 nr_published;

#define FIGURE_MOST 3 /* runs that were published of a figure, at most */

enum figure_change {
	FIGURE_PERCENT, /* the change is of B from A */
	FIGURE_RATE,    /* the same; a count of the whole run is shown a second */
	FIGURE_POINTS,  /* B less A: shares of all CPU time, to which more adds than is simulated */
};

/* A number as it was published, of each run or over them. */
struct figure {
	enum scenario_id scenario;
	const char *name;   /* as it was published */
	const char *metric; /* compare_name() of what stands for it */
	enum figure_change change;
	u32 nr; /* of values */
	double values[COMPARE_NR_SIDES][FIGURE_MOST];
};
extern const struct figure figures[];
extern const u32 nr_figures;

#endif
