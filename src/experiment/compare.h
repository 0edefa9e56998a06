/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare - two settings, or two recordings, metric by metric: which is better, by how
 * much, and is it more than chance.
 *
 * A unit is what is drawn anew and independent: a run of a simulation with its own seed
 * and start, or a window of a recording.  experiment/stats.h says what is made of them.
 *
 *   same          the interval of the difference lies within COMPARE_EQUAL_PCT of A's
 *		   value, or COMPARE_EQUAL_NS of a wait
 *   better/worse  it does not, and all of it is on one side of no difference
 *   inconclusive  neither
 */
#ifndef EXPERIMENT_COMPARE_H
#define EXPERIMENT_COMPARE_H

#include "experiment/metrics.h"
#include "experiment/settings.h"
#include "experiment/stats.h"

#define COMPARE_EQUAL_PCT 1
#define COMPARE_EQUAL_NS  1000
#define COMPARE_MAX_RUNS  10000
#define COMPARE_PHASE_NS  10000000 /* a tick of the slowest HZ: a start is anywhere in it */

enum compare_side {
	COMPARE_A,
	COMPARE_B,
	COMPARE_NR_SIDES
};

enum compare_verdict {
	COMPARE_BETTER,
	COMPARE_WORSE,
	COMPARE_SAME,
	COMPARE_INCONCLUSIVE,
	COMPARE_NR_VERDICTS
};
extern const char *const compare_verdicts[COMPARE_NR_VERDICTS];

struct compare_row {
	char *subject; /* as in struct measure */
	enum metric_id metric;
	VEC(double) of[COMPARE_NR_SIDES]; /* one a unit; those that have it */
	/* made by compare_judge(): */
	bool complete; /* every unit has it: effect says something of its bounds */
	struct stats_effect effect;
	enum compare_verdict verdict;
};

struct compare {
	bool paired; /* unit i of both sides saw the same work */
	u32 units[COMPARE_NR_SIDES];
	VEC(struct compare_row) rows; /* by subject, as they first came */
	u32 verdicts[COMPARE_NR_VERDICTS];
};

/* The next unit of @side. */
void compare_take(struct compare *compare, enum compare_side side, const struct measures *unit);
/* Needs a unit of each side. */
void compare_judge(struct compare *compare);
void compare_fini(struct compare *compare);

/* "task.metric", or the metric alone where it is the run's; the caller frees it. */
char *compare_name(const struct compare_row *row);
/* By that name; NULL if there is none. */
const struct compare_row *compare_find(const struct compare *compare, const char *name, size_t len);

/* ---- where units come from ---- */

struct compare_plan {
	const struct sim_setup *sides[COMPARE_NR_SIDES]; /* seed: what each run's is drawn from */
	u32 runs;                                        /* of each side */
	bool perf;   /* take the numbers of perf sched latency, and no others */
	u32 threads; /* at most; what comes out does not depend on it */
	void (*progress)(void *self, u64 done, u64 total); /* from any thread, one at a time */
	void *progress_self;
};

/*
 * Simulates all runs.  Run i of a side has a seed and a start between two ticks that are
 * functions of (the side's seed, i): sides of the same seed see the same work and are
 * paired.  A simulation's error ends it.
 */
enum err_code compare_simulate(struct compare *compare, const struct compare_plan *plan,
			       struct err *err);
/* The runs of one side alone, beside the others of a comparison that is not paired. */
enum err_code compare_simulate_side(struct compare *compare, enum compare_side side,
				    const struct compare_plan *plan, struct err *err);

/* From the first event of a recording to its last. */
struct compare_span {
	u64 first_ns, last_ns;
};
enum err_code compare_trace_span(const char *path, struct compare_span *span, struct err *err);
/*
 * The recording @path cut into windows of @window_ns, each a unit of @side; what is left at
 * the end is not looked at.  ERR_USAGE if it is shorter than one or has more than
 * COMPARE_MAX_RUNS.
 */
enum err_code compare_trace(struct compare *compare, enum compare_side side, const char *path,
			    const struct compare_span *span, u64 window_ns, struct err *err);

#endif
