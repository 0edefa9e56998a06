/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "test.h"

/* Near the normal distribution: 12 uniform draws have mean 6 and deviation 1. */
static double normal(u64 seed, u64 who, u64 site)
{
	double sum = 0;

	for (u64 i = 0; i < 12; i++)
		sum += (double)(rng_draw(seed, who, site, i) >> 11) / 9007199254740992.0;
	return sum - 6;
}

static struct stats_effect effect_of(const double *a, u32 nr_a, const double *b, u32 nr_b,
				     bool paired)
{
	const struct stats_table table = { 1, nr_a, nr_b, paired, a, b };
	struct stats_effect effect;

	stats_effects(&table, &effect);
	return effect;
}

/*
 * Differences 1..7: their sum is 28, their squares' 140.  Of 128 signs 2 may be above the
 * critical value; the sums are 28, 28, 26, 26, ...: it is that of 26.  q = 26^2 / 140,
 * t = sqrt(6 q / (7 - q)); the error of the mean of 4 is sqrt(28 / 6 / 7).
 */
TEST(an_interval_of_pairs_is_worked_out_by_hand)
{
	static const double a[] = { 10, 10, 10, 10, 10, 10, 10 };
	static const double b[] = { 11, 12, 13, 14, 15, 16, 17 };
	struct stats_effect effect = effect_of(a, 7, b, 7, true);
	double q = 26.0 * 26 / 140, half = sqrt(6 * q / (7 - q)) * sqrt(28.0 / 6 / 7);

	CHECK(effect.bounded);
	CHECK(fabs(effect.a - 10) < 1e-12 && fabs(effect.b - 14) < 1e-12);
	CHECK(fabs(effect.low - (4 - half)) < 1e-6, "%.9f %.9f", effect.low, 4 - half);
	CHECK(fabs(effect.high - (4 + half)) < 1e-6);
	CHECK(effect.low > 0, "7 pairs of one sign differ");
}

TEST(six_pairs_show_nothing)
{
	static const double a[] = { 10, 10, 10, 10, 10, 10 }, b[] = { 11, 12, 13, 14, 15, 16 };

	CHECK(!effect_of(a, 6, b, 6, true).bounded);
}

TEST(equal_pairs_differ_by_nothing_however_few)
{
	static const double a[] = { 10, 11 };
	struct stats_effect effect = effect_of(a, 2, a, 2, true);

	CHECK(effect.bounded && effect.low == 0 && effect.high == 0);
}

TEST(one_unit_a_side_shows_nothing)
{
	static const double a[] = { 10 }, b[] = { 20 };

	CHECK(!effect_of(a, 1, b, 1, false).bounded);
}

TEST(pairs_find_what_units_apart_do_not)
{
	/* the pairs differ by much, A and B of each by little */
	static const double a[] = { 10, 20, 30, 40, 50, 60, 70, 80 };
	static const double b[] = { 11, 21.5, 31, 42, 51, 61.5, 71, 81.5 };

	CHECK(effect_of(a, 8, b, 8, true).low > 0);
	CHECK(effect_of(a, 8, b, 8, false).low < 0);
}

/* ---- many comparisons ---- */

#define METRICS 30
#define UNITS   8

struct trial {
	double a[METRICS * 16], b[METRICS * 16];
	struct stats_effect effects[METRICS];
};

/*
 * Equals: half of the metrics hang together, some have long tails.  @shift: what B's
 * first metric has more, whose pairs differ with deviation sqrt(2).
 */
static void run_trial(struct trial *trial, u64 seed, u32 nr_a, u32 nr_b, bool paired, double shift)
{
	const struct stats_table table = { METRICS, nr_a, nr_b, paired, trial->a, trial->b };

	for (u32 m = 0; m < METRICS; m++) {
		for (u32 i = 0; i < nr_a + nr_b; i++) {
			double own = normal(seed, m, i), common = normal(seed, 1000, i);
			double value = m % 2 ? own : 0.3 * own + common;

			if (m % 5 == 4)
				value = value * value * value;
			if (m == 0)
				value = own;
			*(i < nr_a ? &trial->a[m * nr_a + i] : &trial->b[m * nr_b + i - nr_a]) =
				value + (m == 0 && i >= nr_a ? shift : 0);
		}
	}
	stats_effects(&table, trial->effects);
}

static bool differs(const struct stats_effect *effect)
{
	return effect->bounded && (effect->low > 0 || effect->high < 0);
}

/* Of @trials comparisons of equals, how many have any metric that differs. */
static u32 false_alarms(u32 trials, u32 nr_a, u32 nr_b, bool paired)
{
	struct trial *trial = NEW(struct trial);
	u32 alarms = 0;

	for (u32 k = 0; k < trials; k++) {
		bool any = false;

		run_trial(trial, k + 1, nr_a, nr_b, paired, 0);
		for (u32 m = 0; m < METRICS; m++)
			any |= differs(&trial->effects[m]);
		alarms += any;
	}
	free(trial);
	return alarms;
}

/* 5 % of 400 are 20.  Eight pairs: 4 of 256 signs are above the critical value, 6 of 400. */
TEST(equals_differ_no_more_often_than_the_level_says)
{
	u32 paired = false_alarms(400, UNITS, UNITS, true),
	    apart = false_alarms(60, UNITS, 12, false);

	CHECK(paired <= 20, "%u of 400 pairs", paired);
	CHECK(paired > 0, "of 400 pairs none: nothing would ever be shown");
	CHECK(apart <= 3, "%u of 60 apart", apart);
}

/* The effect that a comparison says it finds in 80 of 100. */
TEST(a_planted_effect_is_found_as_often_as_said)
{
	struct trial *trial = NEW(struct trial);
	double least = 0;
	u32 found = 0, trials = 200;

	for (u32 k = 0; k < trials; k++) {
		run_trial(trial, k + 1, 12, 12, true, 0);
		least += trial->effects[0].least / trials;
	}
	for (u32 k = 0; k < trials; k++) {
		run_trial(trial, k + 5001, 12, 12, true, least);
		found += differs(&trial->effects[0]);
	}
	free(trial);
	CHECK(found >= 150 && found <= 185, "%u of %u", found, trials);
}
