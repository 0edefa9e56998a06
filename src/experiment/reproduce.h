/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reproduce - what was published of a scenario beside what the simulator gives, row by row:
 * tables of perf sched latency, or figures of another kind.
 *
 * A number is published of each run; it is pooled by its mean, the mean delay by waits.
 * Where the published runs of A and B overlap, the change is inside its own noise, and lies
 * anywhere from the lowest of B against the highest of A to the reverse.
 *
 *   agrees        the published sign, and a size within a factor of two; inside the noise:
 *		   our interval meets where the change may lie
 *   differs       our interval excludes that
 *   inconclusive  neither
 */
#ifndef EXPERIMENT_REPRODUCE_H
#define EXPERIMENT_REPRODUCE_H

#include "experiment/scenarios.h"

enum reproduce_metric {
	REPRODUCE_RUNTIME,
	REPRODUCE_SWITCHES,
	REPRODUCE_MEAN,
	REPRODUCE_MAX,
	REPRODUCE_SUM,
	REPRODUCE_NR_COLUMNS, /* of the published table */
	/* how far the maxima of three runs lie apart; its interval is of triples, by itself */
	REPRODUCE_SPREAD = REPRODUCE_NR_COLUMNS,
	REPRODUCE_NR_METRICS
};
extern const char *const reproduce_metrics[REPRODUCE_NR_METRICS];

enum reproduce_verdict {
	REPRODUCE_AGREES,
	REPRODUCE_DIFFERS,
	REPRODUCE_INCONCLUSIVE,
	REPRODUCE_NR_VERDICTS
};
extern const char *const reproduce_verdicts[REPRODUCE_NR_VERDICTS];

#define REPRODUCE_RUNS 3 /* a side, as published and as printed */

/* One task: in ms, or how many. */
struct reproduce_task {
	const char *name;
	double published[COMPARE_NR_SIDES][REPRODUCE_RUNS][REPRODUCE_NR_COLUMNS];
	double simulated[COMPARE_NR_SIDES][REPRODUCE_RUNS][REPRODUCE_NR_COLUMNS];
};

struct reproduce_row {
	const struct figure *figure; /* NULL: of the table of a task */
	u32 task;                    /* in reproduce.tasks */
	enum reproduce_metric metric;
	double published[COMPARE_NR_SIDES], simulated[COMPARE_NR_SIDES]; /* ms, or how many */
	double published_pct, simulated_pct; /* changes of B from A; FIGURE_POINTS: B less A */
	bool noise;                          /* the published change is inside its own noise */
	double from_pct, to_pct;             /* where the published change may lie; noise only */
	bool bounded;                        /* low and high are known */
	double low_pct, high_pct;            /* of the simulated change */
	enum reproduce_verdict verdict;
};

struct reproduce {
	const struct scenario *scenario;
	double run_ns, cpu_ns; /* of one run; of all CPUs in it */
	VEC(struct reproduce_task) tasks;
	VEC(struct reproduce_row) rows;
	u32 verdicts[REPRODUCE_NR_VERDICTS];
};

bool reproduce_is_published(const struct scenario *scenario);
/* Is it the table of perf sched latency, and not figures? */
bool reproduce_is_table(const struct scenario *scenario);
/* "task.metric", or the figure's name; the caller frees it. */
char *reproduce_name(const struct reproduce *reproduce, const struct reproduce_row *row);
/*
 * @compare is judged, of measures with METRICS_PERF if it is a table, and has REPRODUCE_RUNS
 * runs or more; @plan is what it was simulated by.  ERR_USAGE if the workload lacks a published
 * task or a figure's metric.  reproduce_fini() in either case.
 */
enum err_code reproduce_judge(struct reproduce *reproduce, const struct scenario *scenario,
			      const struct compare *compare, const struct compare_plan *plan,
			      struct err *err);
void reproduce_fini(struct reproduce *reproduce);

#endif
