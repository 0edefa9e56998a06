/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats - what a number of runs says of the difference between two settings.
 *
 * Many metrics are looked at together, so one of twenty would differ at the 5 % level by
 * chance alone.  All intervals therefore hold at once: the chance that any of them misses
 * where nothing differs is at most STATS_LEVEL.  The critical value is that of the largest
 * |t| over all metrics under resampling, drawn for all metrics together, which keeps how
 * they hang together (Westfall and Young's maxT):
 *
 *   paired    run i of A and of B saw the same work; the sign of each pair's difference is
 *	       drawn, the same in all metrics (the wild bootstrap over pairs, which is exact
 *	       where A and B are alike).  Up to STATS_EXACT pairs all signs are tried.
 *   apart     the units of both are dealt anew to A and B; t is Welch's.
 *
 * Fewer than STATS_FEWEST pairs can show nothing at this level.
 * Deterministic: its own draws, and no function of libm but the square root.
 */
#ifndef EXPERIMENT_STATS_H
#define EXPERIMENT_STATS_H

#include <stdbool.h>

#include "policy/int.h"

#define STATS_LEVEL_PCT 5
#define STATS_POWER_PCT 80
#define STATS_FEWEST    6    /* 2 of 2^6 signs are 3.1 % */
#define STATS_EXACT     11   /* 2^11 signs are 2048 */
#define STATS_DRAWS     2000 /* beyond */

struct stats_table {
	u32 metrics;
	u32 nr_a, nr_b;  /* units of each side */
	bool paired;     /* nr_a == nr_b, and unit i of both belongs together */
	const double *a; /* [metric * nr_a + unit] */
	const double *b; /* [metric * nr_b + unit] */
};

struct stats_effect {
	double a, b;      /* means */
	double low, high; /* of b - a; all metrics' at once */
	bool bounded;     /* false: too few units, low and high say nothing */
	/* A difference that comparisons like this one find with STATS_POWER_PCT; 0 if not bounded. */
	double least;
};

/* @out has one for each metric.  Both sides need a unit. */
void stats_effects(const struct stats_table *table, struct stats_effect *out);

#endif
