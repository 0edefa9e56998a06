/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/why.h"

#include <math.h>
#include <stdlib.h>

#include "input/workload_file.h"
#include "test.h"

/* As workloads/short-beside-long.json, and the same without slices of their own. */
#define WORK(periodic, hog)                                                \
	"{\"global\": {\"default_policy\": \"SCHED_OTHER\"}, \"tasks\": {" \
	"\"periodic\": {\"loop\": -1, " periodic "\"run\": 100,"           \
	" \"timer\": {\"ref\": \"unique\", \"period\": 1000}},"            \
	"\"hog\": {\"instance\": 4, \"loop\": -1, " hog "\"run\": 8000, \"sleep\": 1000}}}"
static const char short_beside_long[] = WORK("\"dl-runtime\": 500, ", "\"dl-runtime\": 100000, ");
static const char all_alike[] = WORK("", "");

struct bench {
	struct workload *workload;
	struct settings_setup setups[COMPARE_NR_SIDES];
	struct compare compare;
	struct why why;
};

static void explain(struct bench *bench, const char *work, u32 runs, const char *a, const char *b)
{
	const char *words[COMPARE_NR_SIDES] = { a, b };
	const struct compare_plan plan = { .sides = { &bench->setups[0].sim,
						      &bench->setups[1].sim },
					   .runs = runs,
					   .threads = 2 };
	struct err err = ERR_NONE;

	*bench = (struct bench){ 0 };
	CHECK(!input_workload_text("w", work, strlen(work), &bench->workload, &err), "%s",
	      err.what);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++) {
		struct settings settings = { 0 };

		settings_set(&settings, SETTINGS_MACHINE, "1");
		settings_set(&settings, SETTINGS_DURATION, "300ms");
		CHECK(!settings_parse(&settings, words[i], &err), "%s", err.what);
		CHECK(!settings_setup(&settings, bench->workload, &bench->setups[i], &err), "%s",
		      err.what);
		settings_fini(&settings);
	}
	CHECK(!compare_simulate(&bench->compare, &plan, &err), "%s", err.what);
	compare_judge(&bench->compare);
	why_find(&bench->why, &bench->compare, &plan);
}

static void bench_fini(struct bench *bench)
{
	why_fini(&bench->why);
	compare_fini(&bench->compare);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++)
		settings_setup_fini(&bench->setups[i]);
	workload_free(bench->workload);
}

TEST(equals_need_no_reason)
{
	struct bench bench;

	explain(&bench, short_beside_long, 8, "", "");
	CHECK(!bench.why.row);
	CHECK_EQ(0, bench.why.parts.nr);
	bench_fini(&bench);
}

/* Switching the one thing that differs makes the sides the same runs: all of the way. */
TEST(the_feature_that_differs_is_named)
{
	const struct why_part *best;
	struct bench bench;

	explain(&bench, short_beside_long, 8, "--features NO_PREEMPT_SHORT", "");
	CHECK(bench.why.row && bench.why.parts.nr);
	best = bench.why.parts.at;
	CHECK_EQ(POLICY_PREEMPT_SHORT, best->feature);
	CHECK(best->differs);
	CHECK(fabs(best->part_pct - 100) < 1e-6, "%f", best->part_pct);
	CHECK(best->low_pct > 0 && best->low_pct <= 100 && best->high_pct >= 100);
	CHECK(why_beyond_chance(best) && why_responsible(&bench.why) == best);
	CHECK(!bench.why.shared);
	CHECK(bench.why.same_queue);
	bench_fini(&bench);
}

/* CFS preempts for a wakeup where EEVDF seldom does, though both have the feature. */
TEST(a_rule_that_both_have_is_a_guess)
{
	const struct why_part *best;
	struct bench bench;

	explain(&bench, all_alike, 8, "--release 6.1", "--release 6.12");
	CHECK(bench.why.row && bench.why.parts.nr);
	CHECK_STR("periodic", bench.why.row->subject);
	best = bench.why.parts.at;
	CHECK_EQ(POLICY_WAKEUP_PREEMPTION, best->feature, "%s", why_feature(best->feature));
	CHECK_EQ(COMPARE_A, best->side);
	CHECK(!best->on);
	CHECK(best->part_pct >= WHY_MOST, "%f", best->part_pct);
	CHECK(bench.why.shared);
	CHECK(!bench.why.same_queue);
	bench_fini(&bench);
}

/* Five runs of independent work show that they differ, but five pairs not by what. */
TEST(with_few_pairs_no_feature_is_named)
{
	struct bench bench;

	explain(&bench, short_beside_long, 5, "--features NO_PREEMPT_SHORT --seed 1", "--seed 2");
	CHECK(bench.why.row && bench.why.parts.nr);
	CHECK(!bench.why.parts.at[0].bounded);
	CHECK(!why_responsible(&bench.why));
	bench_fini(&bench);
}

/* Bounds that hold 0 are within chance. */
TEST(a_part_within_chance_is_not_responsible)
{
	struct why why = { 0 };

	*vec_add(&why.parts) = (struct why_part){
		.part_pct = 100, .bounded = true, .low_pct = -5, .high_pct = 205
	};
	CHECK(!why_beyond_chance(why.parts.at) && !why_responsible(&why));
	why.parts.at->low_pct = 5;
	CHECK(why_beyond_chance(why.parts.at) && why_responsible(&why) == why.parts.at);
	why.parts.at->part_pct = WHY_MOST - 1;
	CHECK(!why_responsible(&why));
	why_fini(&why);
}
