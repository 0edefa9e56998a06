/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics - the numbers of one run that are compared, from the table metrics.def.
 *
 * Queue metrics (who waited) stand beside outcome metrics (what got done): a setting that
 * makes the one better and the other worse is seen to do both.
 */
#ifndef EXPERIMENT_METRICS_H
#define EXPERIMENT_METRICS_H

#include "analysis/analysis.h"

enum metric_id {
#define METRIC(id, name, scope, unit, better, analysis, what) METRIC_##id,
#include "experiment/metrics.def"
	METRIC_NR
};

enum metric_scope {
	METRIC_TASK, /* each task, by name */
	METRIC_MARK, /* each chain, request and section that the workload marks */
	METRIC_RUN,  /* the run as a whole */
	METRIC_PERF, /* each task, as perf sched latency counts */
};

enum metric_unit {
	METRIC_NS,
	METRIC_COUNT,
	METRIC_PJ,
	METRIC_NR_UNITS
};

enum metric_better {
	METRIC_LESS,
	METRIC_MORE
};

struct metric_info {
	const char *name;
	enum metric_scope scope;
	enum metric_unit unit;
	enum metric_better better;
	enum analysis_id analysis;
	const char *what;
};
extern const struct metric_info metric_infos[METRIC_NR];

/* In the unit that the metric's name ends in. */
static inline double metric_shown(enum metric_id metric, double value)
{
	static const double ones[METRIC_NR_UNITS] = {
		[METRIC_NS] = 1e6, [METRIC_COUNT] = 1, [METRIC_PJ] = 1e9
	};

	return value / ones[metric_infos[metric].unit];
}

struct measure {
	enum metric_id metric;
	char *subject; /* task or mark; "" of the run */
	bool known;    /* false: nothing to take it from, as a mean of no waits */
	double value;  /* ns, how many, or pJ */
};

struct measures {
	VEC(struct measure) of;
};

/* Bits of enum metric_scope. */
#define METRICS_USUAL (1u << METRIC_TASK | 1u << METRIC_MARK | 1u << METRIC_RUN)
#define METRICS_PERF  (1u << METRIC_PERF) /* needs analysis_options.perf_compat */

/*
 * All that @analysis has of these; what its source does not see is left out.
 * measures_fini() it.
 */
void measures_take(struct measures *measures, const struct analysis *analysis, u32 scopes);
void measures_fini(struct measures *measures);

#endif
