/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/stats.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define SEED    0x66616972ULL /* of the resampling; any number */
#define ROUND   1e-9          /* what is nearer than this to a bound is at it */
#define Z_POWER 0.8416212336  /* of the normal distribution at STATS_POWER_PCT */

static_assert(STATS_POWER_PCT == 80, "Z_POWER belongs to it");

static double mean_of(const double *values, u32 nr)
{
	double sum = 0;

	for (u32 i = 0; i < nr; i++)
		sum += values[i];
	return sum / nr;
}

/* Sum of squared distances from @mean. */
static double squares_of(const double *values, u32 nr, double mean)
{
	double sum = 0;

	for (u32 i = 0; i < nr; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

static int falling(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return *a > *b ? -1 : *a < *b;
}

/* The value that at most STATS_DRAWN_PER_MILLE of @maxima are above: only what is above it counts. */
static double critical(double *maxima, u32 nr)
{
	u32 reached = nr * STATS_DRAWN_PER_MILLE / 1000;

	qsort(maxima, nr, sizeof(*maxima), falling);
	return maxima[reached];
}

/*
 * The smallest true difference in units of its standard error, by the usual normal
 * approximation of the noncentral t distribution.
 */
static double least_of(double t, u32 freedom)
{
	return t * (1 - 1 / (4.0 * freedom)) + Z_POWER * sqrt(1 + t * t / (2.0 * freedom));
}

/* ---- paired ---- */

/*
 * With signs s the squared t is (n - 1) q / (n - q), where q = (sum s d)^2 / sum d^2 lies in
 * 0..n: the order of q is the order of |t|.
 */
struct signs {
	u32 metrics, nr;
	double *units; /* differences, each metric's scaled so that their squares add up to 1 */
};

static void signs_init(struct signs *signs, const struct stats_table *table)
{
	u32 nr = table->nr_a;

	*signs = (struct signs){ table->metrics, nr, NEW_ARRAY(double, table->metrics *nr) };
	for (u32 m = 0; m < table->metrics; m++) {
		double *unit = &signs->units[m * nr], scale;

		for (u32 i = 0; i < nr; i++)
			unit[i] = table->b[m * nr + i] - table->a[m * nr + i];
		scale = sqrt(squares_of(unit, nr, 0));
		for (u32 i = 0; i < nr; i++)
			unit[i] = scale > 0 ? unit[i] / scale : 0;
	}
}

/* The largest q of all metrics; bit i of @drawn turns pair i round. */
static double largest_q(const struct signs *signs, const u64 *drawn)
{
	double largest = 0;

	for (u32 m = 0; m < signs->metrics; m++) {
		const double *unit = &signs->units[m * signs->nr];
		double sum = 0;

		for (u32 i = 0; i < signs->nr; i++)
			sum += drawn[i / 64] >> (i % 64) & 1 ? -unit[i] : unit[i];
		if (sum * sum > largest)
			largest = sum * sum;
	}
	return largest;
}

static double critical_q(const struct signs *signs)
{
	bool exact = signs->nr <= STATS_EXACT;
	u32 nr = exact ? 1u << signs->nr : STATS_DRAWS, words = (signs->nr + 63) / 64;
	double *maxima = NEW_ARRAY(double, nr), q;
	u64 *drawn = NEW_ARRAY(u64, words);

	for (u32 k = 0; k < nr; k++) {
		for (u32 word = 0; word < words; word++) /* the first is the data's own */
			drawn[word] = exact ? k : k ? rng_draw(SEED, 0, word, k) : 0;
		maxima[k] = largest_q(signs, drawn);
	}
	q = critical(maxima, nr);
	free(drawn);
	free(maxima);
	return q;
}

static void paired_effect(const double *a, const double *b, u32 nr, double q,
			  struct stats_effect *effect)
{
	double diff = effect->b - effect->a, squares = 0, error, t;

	for (u32 i = 0; i < nr; i++)
		squares += (b[i] - a[i] - diff) * (b[i] - a[i] - diff);
	effect->low = effect->high = diff;
	effect->bounded = nr >= STATS_FEWEST && q < nr - ROUND;
	if (squares <= DBL_EPSILON * diff * diff) {
		/* all pairs agree: nothing to estimate, but it takes enough of them */
		effect->bounded |= diff == 0;
		return;
	}
	if (!effect->bounded)
		return;
	error = sqrt(squares / (nr - 1) / nr);
	t = sqrt((nr - 1) * q / (nr - q)) * (1 + ROUND); /* what is at the bound is not above it */
	effect->low = diff - t * error;
	effect->high = diff + t * error;
	effect->least = error * least_of(t, nr - 1);
}

static void paired_effects(const struct stats_table *table, struct stats_effect *out)
{
	u32 nr = table->nr_a;
	struct signs signs;
	double q;

	signs_init(&signs, table);
	q = critical_q(&signs);
	for (u32 m = 0; m < table->metrics; m++)
		paired_effect(&table->a[m * nr], &table->b[m * nr], nr, q, &out[m]);
	free(signs.units);
}

/* ---- apart ---- */

struct welch {
	double diff, error;
};

static struct welch welch_of(const double *a, u32 nr_a, const double *b, u32 nr_b)
{
	double mean_a = mean_of(a, nr_a), mean_b = mean_of(b, nr_b);

	return (struct welch){ mean_b - mean_a,
			       sqrt(squares_of(a, nr_a, mean_a) / (nr_a - 1) / nr_a +
				    squares_of(b, nr_b, mean_b) / (nr_b - 1) / nr_b) };
}

static double size_of_t(struct welch welch)
{
	double size = fabs(welch.diff);

	if (size <= DBL_EPSILON)
		return 0;
	return welch.error > 0 ? size / welch.error : HUGE_VAL;
}

/* Fisher and Yates, of the draw's own numbers; the first order is the data's own. */
static void shuffle(u32 *order, u32 nr, u32 draw)
{
	for (u32 i = 0; i < nr; i++)
		order[i] = i;
	for (u32 i = nr - 1; draw && i > 0; i--) {
		u32 other = rng_below(rng_draw(SEED, 1, i, draw), i + 1), swap = order[i];

		order[i] = order[other];
		order[other] = swap;
	}
}

static double largest_t(const struct stats_table *table, const u32 *order, double *dealt)
{
	u32 nr_a = table->nr_a, nr_b = table->nr_b;
	double largest = 0;

	for (u32 m = 0; m < table->metrics; m++) {
		const double *a = &table->a[m * nr_a], *b = &table->b[m * nr_b];
		double t;

		for (u32 i = 0; i < nr_a + nr_b; i++)
			dealt[i] = order[i] < nr_a ? a[order[i]] : b[order[i] - nr_a];
		t = size_of_t(welch_of(dealt, nr_a, dealt + nr_a, nr_b));
		if (t > largest)
			largest = t;
	}
	return largest;
}

static double critical_t(const struct stats_table *table)
{
	u32 nr = table->nr_a + table->nr_b;
	double *maxima = NEW_ARRAY(double, STATS_DRAWS), *dealt = NEW_ARRAY(double, nr), t;
	u32 *order = NEW_ARRAY(u32, nr);

	for (u32 k = 0; k < STATS_DRAWS; k++) {
		shuffle(order, nr, k);
		maxima[k] = largest_t(table, order, dealt);
	}
	t = critical(maxima, STATS_DRAWS) * (1 + ROUND);
	free(order);
	free(dealt);
	free(maxima);
	return t;
}

static void effects_apart(const struct stats_table *table, struct stats_effect *out)
{
	u32 nr_a = table->nr_a, nr_b = table->nr_b, fewer = nr_a < nr_b ? nr_a : nr_b;
	double t = fewer > 1 ? critical_t(table) : HUGE_VAL;

	for (u32 m = 0; m < table->metrics; m++) {
		double diff = out[m].b - out[m].a;
		struct welch welch;

		out[m].low = out[m].high = diff;
		out[m].bounded = t < DBL_MAX / 2;
		if (!out[m].bounded)
			continue;
		welch = welch_of(&table->a[m * nr_a], nr_a, &table->b[m * nr_b], nr_b);
		out[m].low = diff - t * welch.error;
		out[m].high = diff + t * welch.error;
		out[m].least = welch.error * least_of(t, fewer - 1);
	}
}

void stats_effects(const struct stats_table *table, struct stats_effect *out)
{
	assert(table->nr_a && table->nr_b && (!table->paired || table->nr_a == table->nr_b));
	for (u32 m = 0; m < table->metrics; m++)
		out[m] = (struct stats_effect){
			.a = mean_of(&table->a[m * table->nr_a], table->nr_a),
			.b = mean_of(&table->b[m * table->nr_b], table->nr_b),
		};
	if (!table->metrics)
		return;
	if (table->paired)
		paired_effects(table, out);
	else
		effects_apart(table, out);
}
