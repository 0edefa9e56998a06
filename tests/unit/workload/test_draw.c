/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws against closed forms: ln 2 = 0.693147, ln 100 = 4.605170,
 * Phi(1.281552) = 0.9, Phi(2) = 0.977250, exp(0.125) = 1.133148.
 */
#include "workload/workload.h"

#include <stdlib.h>

#include "test.h"

#define DRAWS 200000

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Sorted draws; free() them. */
static u64 *draw_many(const struct workload_amount *amount, u64 *mean)
{
	u64 *all = NEW_ARRAY(u64, DRAWS), sum = 0;

	for (u64 i = 0; i < DRAWS; i++) {
		all[i] = workload_draw(NULL, amount, 1, 42, 7, i);
		sum += all[i];
	}
	qsort(all, DRAWS, sizeof(*all), by_value);
	*mean = sum / DRAWS;
	return all;
}

static void check_near(u64 want, u64 got, u64 tolerance, const char *what)
{
	CHECK(got + tolerance >= want && got <= want + tolerance, "%s: want %llu +- %llu, got %llu",
	      what, want, tolerance, got);
}

/* Tolerances are four standard errors of 200000 draws. */
TEST(exponential_has_its_mean_median_and_tail)
{
	const struct workload_amount amount = { .shape = WORKLOAD_EXPONENTIAL, .a = 1000000 };
	u64 mean, *all = draw_many(&amount, &mean);

	check_near(1000000, mean, 8945, "mean");
	check_near(693147, all[DRAWS / 2], 8945, "median");
	check_near(4605170, all[DRAWS / 100 * 99], 89000, "p99");
	free(all);
}

TEST(normal_has_its_mean_and_deviation)
{
	const struct workload_amount amount = { .shape = WORKLOAD_NORMAL,
						.a = 10000000,
						.b = 1000000 };
	u64 mean, *all = draw_many(&amount, &mean);

	check_near(10000000, mean, 8945, "mean");
	check_near(10000000, all[DRAWS / 2], 11200, "median");
	check_near(12000000, all[DRAWS / 100000 * 97725], 25000, "two deviations up");
	check_near(8000000, all[DRAWS / 100000 * 2275], 25000, "two deviations down");
	free(all);
}

/* A mean of two deviations: 2.275 % would be negative. */
TEST(normal_is_cut_at_zero)
{
	const struct workload_amount amount = { .shape = WORKLOAD_NORMAL, .a = 2000, .b = 1000 };
	u64 mean, *all = draw_many(&amount, &mean), zeros = 0;

	while (zeros < DRAWS && !all[zeros])
		zeros++;
	check_near(4550, zeros, 270, "zeros");
	free(all);
}

TEST(lognormal_has_its_median_mean_and_tail)
{
	const struct workload_amount amount = { .shape = WORKLOAD_LOGNORMAL,
						.a = 1000000,
						.b = 500 };
	u64 mean, *all = draw_many(&amount, &mean);

	check_near(1000000, all[DRAWS / 2], 5700, "median");
	check_near(1133148, mean, 5500, "mean: exp(sigma^2 / 2)");
	check_near(1897797, all[DRAWS / 10 * 9], 15000, "p90: exp(0.5 * 1.281552)");
	free(all);
}

TEST(uniform_reaches_both_ends_and_no_further)
{
	const struct workload_amount amount = { .shape = WORKLOAD_UNIFORM, .a = 10, .b = 14 };
	u64 mean, *all = draw_many(&amount, &mean);

	CHECK_EQ(10, all[0]);
	CHECK_EQ(14, all[DRAWS - 1]);
	for (u64 value = 10, at = 0; value <= 14; value++) {
		u64 count = 0;

		for (; at < DRAWS && all[at] == value; at++)
			count++;
		check_near(40000, count, 720, "a fifth each");
	}
	free(all);
}

/* 64 zero bits are the far end of every tail; the top bit is the normal's sign. */
TEST(cuts_lie_where_the_model_says)
{
	static const struct {
		const char *what;
		struct workload_amount amount;
		u64 bits, want, within;
	} rows[] = {
		{ "normal, 6 deviations", { WORKLOAD_NORMAL, .a = 100, .b = 10 }, 0, 160, 0 },
		{ "normal, -6 deviations",
		  { WORKLOAD_NORMAL, .a = 100, .b = 10 },
		  1ULL << 63,
		  40,
		  0 },
		{ "normal, cut at 0", { WORKLOAD_NORMAL, .a = 50, .b = 10 }, 1ULL << 63, 0, 0 },
		{ "normal, the middle", { WORKLOAD_NORMAL, .a = 100, .b = 10 }, S64_MAX, 100, 0 },
		{ "exponential, 20 means", { WORKLOAD_EXPONENTIAL, .a = 1000 }, 0, 20000, 0 },
		{ "exponential, q = 1", { WORKLOAD_EXPONENTIAL, .a = 1000 }, U64_MAX, 0, 0 },
		/* exp(6 * 0.5) = 20.085537, exp(-3) = 0.049787 */
		{ "lognormal up", { WORKLOAD_LOGNORMAL, .a = 1000000, .b = 500 }, 0, 20085537, 60 },
		{ "lognormal down",
		  { WORKLOAD_LOGNORMAL, .a = 1000000, .b = 500 },
		  1ULL << 63,
		  49787,
		  1 },
		/* exp(18) = 65659969.137 */
		{ "lognormal widest",
		  { WORKLOAD_LOGNORMAL, .a = 1000, .b = 3000 },
		  0,
		  65659969137,
		  400000 },
		{ "uniform, whole range",
		  { WORKLOAD_UNIFORM, .a = 0, .b = S64_MAX },
		  U64_MAX,
		  S64_MAX,
		  0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_near(rows[i].want, workload_amount_at(NULL, &rows[i].amount, rows[i].bits),
			   rows[i].within, rows[i].what);
}

/* q = 2^-10: -ln q = 6.931472; P(|Z| > 3.297193) = 2^-10. */
TEST(far_tails_are_exact)
{
	const struct workload_amount exponential = { WORKLOAD_EXPONENTIAL, .a = 1000000 };
	const struct workload_amount normal = { WORKLOAD_NORMAL, .a = 0, .b = 1000000 };

	check_near(6931472, workload_amount_at(NULL, &exponential, 1ULL << 54), 10, "exponential");
	check_near(3297193, workload_amount_at(NULL, &normal, 1ULL << 53), 10, "normal");
	/* between two entries: q = 2^-10 * 97 / 128, -ln q = 7.208790 */
	check_near(7208790, workload_amount_at(NULL, &exponential, (1ULL << 54) / 128 * 97), 300,
		   "inside a piece");
}

TEST(choice_follows_its_weights)
{
	struct workload *workload = workload_new();
	struct workload_amount amount = { WORKLOAD_CHOICE, .first_choice = 1, .nr_choices = 2 };
	u32 rare = 0;

	*vec_add(&workload->choices) = (struct workload_choice){ 5, 1000 };
	*vec_add(&workload->choices) = (struct workload_choice){ 100, 9 };
	*vec_add(&workload->choices) = (struct workload_choice){ 10000, 1 };
	for (u64 i = 0; i < DRAWS; i++) {
		u64 value = workload_draw(workload, &amount, 3, 1, 2, i);

		CHECK(value == 100 || value == 10000);
		rare += value == 10000;
	}
	check_near(DRAWS / 10, rare, 540, "one of ten");
	workload_free(workload);
}

TEST(a_draw_depends_on_seed_who_site_and_iteration_only)
{
	const struct workload_amount amount = { .shape = WORKLOAD_UNIFORM, .b = S64_MAX };
	u64 first = workload_draw(NULL, &amount, 1, 2, 3, 4);

	CHECK_EQ(first, workload_draw(NULL, &amount, 1, 2, 3, 4));
	CHECK(first != workload_draw(NULL, &amount, 2, 2, 3, 4));
	CHECK(first != workload_draw(NULL, &amount, 1, 3, 3, 4));
	CHECK(first != workload_draw(NULL, &amount, 1, 2, 4, 4));
	CHECK(first != workload_draw(NULL, &amount, 1, 2, 3, 5));
}

TEST(identity_tells_instances_and_forks_apart)
{
	u64 hog = workload_identity("hog", 0, 0, 0);

	CHECK_EQ(hog, workload_identity("hog", 0, 0, 0));
	CHECK(hog != workload_identity("hog", 1, 0, 0));
	CHECK(hog != workload_identity("hog", 0, hog, 0));
	CHECK(hog != workload_identity("hog", 0, 0, 1));
	CHECK(hog != workload_identity("gog", 0, 0, 0));
}
