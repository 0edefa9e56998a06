/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats - what a number of runs says of the difference between two settings.
 *
 * Many metrics are looked at together, so one of twenty would differ at the 5 % level by
 * chance alone.  All intervals therefore hold at once: the chance that any of them misses
 * where nothing differs is at most STATS_LEVEL_PCT.  The critical value is that of the
 * largest |t| over all metrics under resampling, drawn for all metrics together, which keeps
 * how they hang together (Westfall and Young's maxT):
 *
 *   paired    run i of A and of B saw the same work; the sign of each pair's difference is
 *	       drawn, the same in all metrics (the wild bootstrap over pairs, which is exact
 *	       where A and B are alike).  Up to STATS_EXACT pairs all signs are tried.
 *   apart     the units of both are dealt anew to A and B; t is Welch's.
 *
 * Both tests are exact where A and B are drawn alike: the data's own signs or order are one
 * of those drawn, and only more than the critical value counts, ties and all.  It is set for
 * STATS_DRAWN_PER_MILLE, so that not only the chance but also what is counted stays at or
 * below the level: of 200 comparisons of equals more than 10 show a difference once in 370
 * times, where at the level itself that were each second time.
 *
 * Fewer than STATS_FEWEST pairs can show nothing so.
 * Deterministic: its own draws, and no function of libm but the square root.
 */
#ifndef EXPERIMENT_STATS_H
#define EXPERIMENT_STATS_H

#include <stdbool.h>

#include "policy/int.h"

#define STATS_LEVEL_PCT       5
#define STATS_DRAWN_PER_MILLE 20
#define STATS_POWER_PCT       80
#define STATS_FEWEST          7    /* 2 of 2^7 signs are 1.6 % */
#define STATS_EXACT           11   /* 2^11 signs are 2048 */
#define STATS_DRAWS           2000 /* beyond */

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
