/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/compare.h"

#include <stdlib.h>

#include "input/workload_file.h"
#include "test.h"

/* ---- verdicts, of numbers made by hand ---- */

static void take(struct compare *compare, enum compare_side side, enum metric_id metric,
		 double value, bool known)
{
	struct measures unit = { 0 };

	*vec_add(&unit.of) = (struct measure){ metric, mem_strdup("t"), known, value };
	compare_take(compare, side, &unit);
	measures_fini(&unit);
}

/* Eight pairs whose B is A's times 1 + part, less or more by a tenth of that in turn. */
static enum compare_verdict verdict_of(enum metric_id metric, double value, double part)
{
	struct compare compare = { .paired = true };
	enum compare_verdict verdict;

	for (u32 i = 0; i < 8; i++) {
		double own = part * (i % 2 ? 0.9 : 1.1);

		take(&compare, COMPARE_A, metric, value, true);
		take(&compare, COMPARE_B, metric, value * (1 + own), true);
	}
	compare_judge(&compare);
	verdict = compare.rows.at[0].verdict;
	CHECK_EQ(1, compare.verdicts[verdict]);
	compare_fini(&compare);
	return verdict;
}

TEST(less_delay_and_more_work_are_better)
{
	CHECK_EQ(COMPARE_WORSE, verdict_of(METRIC_DELAY_MEAN, 1e6, 0.05));
	CHECK_EQ(COMPARE_BETTER, verdict_of(METRIC_DELAY_MEAN, 1e6, -0.05));
	CHECK_EQ(COMPARE_BETTER, verdict_of(METRIC_DONE, 1000, 0.05));
	CHECK_EQ(COMPARE_WORSE, verdict_of(METRIC_RUNTIME, 1e6, -0.05));
}

TEST(what_is_surely_small_is_the_same)
{
	CHECK_EQ(COMPARE_SAME, verdict_of(METRIC_DELAY_MEAN, 1e6, 0.005));
	CHECK_EQ(COMPARE_SAME, verdict_of(METRIC_SWITCHES, 1000, 0));
	/* 5 % of 10 us are half a microsecond */
	CHECK_EQ(COMPARE_SAME, verdict_of(METRIC_DELAY_MEAN, 1e4, 0.05));
	CHECK_EQ(COMPARE_WORSE, verdict_of(METRIC_SWITCHES, 1e4, 0.05));
}

TEST(what_some_runs_lack_is_inconclusive)
{
	struct compare compare = { .paired = true };

	for (u32 i = 0; i < 8; i++) {
		take(&compare, COMPARE_A, METRIC_DELAY_MEAN, 1000000, i > 0);
		take(&compare, COMPARE_B, METRIC_DELAY_MEAN, 2000000, true);
	}
	compare_judge(&compare);
	CHECK_EQ(COMPARE_INCONCLUSIVE, compare.rows.at[0].verdict);
	CHECK_EQ(1000000, compare.rows.at[0].effect.a);
	compare_fini(&compare);
}

TEST(rows_are_found_by_their_names)
{
	struct compare compare = { 0 };

	take(&compare, COMPARE_A, METRIC_DELAY_P99, 1, true);
	CHECK(compare_find(&compare, "t.delay_p99_ms", 14));
	CHECK(!compare_find(&compare, "t.delay_p99", 11));
	compare_fini(&compare);
}

/* ---- simulations ---- */

static const char work[] =
	"{\"global\": {\"default_policy\": \"SCHED_OTHER\"}, \"tasks\": {"
	"\"ticker\": {\"loop\": -1, \"dl-runtime\": 100, "
	" \"run\": {\"fairground\": {\"exponential\": {\"mean_us\": 100}}},"
	" \"timer\": {\"ref\": \"unique\", \"period\": 1000}},"
	"\"hog\": {\"instance\": 2, \"loop\": -1, "
	" \"run\": {\"fairground\": {\"uniform\": {\"low_us\": 1000, \"high_us\": 5000}}},"
	" \"sleep\": 500}}}";

struct bench {
	struct workload *workload;
	struct settings_setup setups[COMPARE_NR_SIDES];
};

static void bench_init(struct bench *bench, const char *a, const char *b, u64 duration_ns)
{
	const char *words[COMPARE_NR_SIDES] = { a, b };
	struct err err = ERR_NONE;

	CHECK(!input_workload_text("w", work, strlen(work), &bench->workload, &err), "%s",
	      err.what);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++) {
		struct settings settings = { 0 };

		settings_set(&settings, SETTINGS_MACHINE, "1"); /* unless @words say so */
		CHECK(!settings_parse(&settings, words[i], &err), "%s", err.what);
		CHECK(!settings_setup(&settings, bench->workload, &bench->setups[i], &err), "%s",
		      err.what);
		settings_fini(&settings);
		bench->setups[i].sim.duration_ns = duration_ns;
	}
}

static void bench_fini(struct bench *bench)
{
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++)
		settings_setup_fini(&bench->setups[i]);
	workload_free(bench->workload);
}

static void simulate(struct compare *compare, const struct bench *bench, u32 runs, u32 threads)
{
	const struct compare_plan plan = { .sides = { &bench->setups[0].sim,
						      &bench->setups[1].sim },
					   .runs = runs,
					   .threads = threads };
	struct err err = ERR_NONE;

	*compare = (struct compare){ 0 };
	CHECK(!compare_simulate(compare, &plan, &err), "%s", err.what);
}

TEST(a_setting_is_the_same_as_itself_in_every_metric)
{
	struct compare compare;
	struct bench bench;

	bench_init(&bench, "", "", 50000000);
	simulate(&compare, &bench, 8, 2);
	compare_judge(&compare);
	CHECK(compare.paired);
	CHECK(compare.rows.nr > 20);
	CHECK_EQ(compare.rows.nr,
		 compare.verdicts[COMPARE_SAME] + compare.verdicts[COMPARE_INCONCLUSIVE]);
	compare_fini(&compare);
	bench_fini(&bench);
}

TEST(threads_change_nothing)
{
	struct compare one, many;
	struct bench bench;

	bench_init(&bench, "--features NO_PREEMPT_SHORT", "", 20000000);
	simulate(&one, &bench, 6, 1);
	simulate(&many, &bench, 6, 5);
	CHECK_EQ(one.rows.nr, many.rows.nr);
	for (size_t i = 0; i < one.rows.nr; i++)
		for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
			CHECK(!memcmp(one.rows.at[i].of[side].at, many.rows.at[i].of[side].at,
				      one.rows.at[i].of[side].nr * sizeof(double)));
	compare_fini(&one);
	compare_fini(&many);
	bench_fini(&bench);
}

TEST(a_feature_that_matters_is_found)
{
	const struct compare_row *row;
	struct compare compare;
	struct bench bench;

	bench_init(&bench, "--features NO_PREEMPT_SHORT", "", 200000000);
	simulate(&compare, &bench, 8, 2);
	compare_judge(&compare);
	row = compare_find(&compare, "ticker.wakeup_mean_ms", 21);
	CHECK(row);
	CHECK_EQ(COMPARE_BETTER, row->verdict);
	compare_fini(&compare);
	bench_fini(&bench);
}

static const struct compare_row *busy_energy_on(struct compare *compare, struct bench *bench,
						const char *settings)
{
	bench_init(bench, settings, settings, 20000000);
	simulate(compare, bench, 2, 1);
	compare_judge(compare);
	return compare_find(compare, "busy_energy_mj", 14);
}

/* The plain CPU has no powers; those of Juno take 40 mW and more each while they are busy. */
TEST(energy_is_there_where_the_machine_names_powers)
{
	const struct compare_row *row;
	struct compare compare;
	struct bench bench;

	CHECK(!busy_energy_on(&compare, &bench, ""));
	compare_fini(&compare);
	bench_fini(&bench);
	row = busy_energy_on(&compare, &bench, "--machine juno-r2 --governor performance");
	CHECK(row && row->complete);
	CHECK(row->effect.a > 20e6 * 40, "%f", row->effect.a);
	CHECK(!compare_find(&compare, "energy_mj", 9)); /* its idle states have none */
	CHECK(metric_shown(METRIC_ENERGY, 1e9) == 1);
	compare_fini(&compare);
	bench_fini(&bench);
}

/* The ticker goes round without time. */
TEST(a_simulation_that_is_refused_ends_it)
{
	struct compare compare = { 0 };
	struct err err = ERR_NONE;
	struct bench bench;
	const struct compare_plan plan = { .sides = { &bench.setups[0].sim, &bench.setups[1].sim },
					   .runs = 4,
					   .threads = 2 };

	bench_init(&bench, "", "", 20000000);
	bench.workload->tasks.at[0].events.at[0].amount = (struct workload_amount){ .a = 0 };
	bench.workload->tasks.at[0].phases.at[0].nr_events = 1;
	CHECK_EQ(ERR_USAGE, compare_simulate(&compare, &plan, &err));
	CHECK(*err.what);
	CHECK_EQ(0, compare.units[COMPARE_A]);
	compare_fini(&compare);
	bench_fini(&bench);
}

/* ---- how often it is wrong, and how often it finds what is there ---- */

static bool is_full(void)
{
	const char *full = getenv("FAIRGROUND_FULL");

	return full && *full == '1';
}

/* Sides that differ in nothing but their draws. */
static void compare_equals(struct compare *compare, struct bench *bench, u32 trial, u32 runs)
{
	bench->setups[COMPARE_A].sim.seed = 2 * trial + 1;
	bench->setups[COMPARE_B].sim.seed = 2 * trial + 2;
	simulate(compare, bench, runs, 2);
}

/* Sides that differ in nothing show a difference in at most STATS_LEVEL_PCT of @trials. */
static void keep_the_level(struct bench *bench, const char *what, u32 trials)
{
	u32 alarms = 0;

	for (u32 k = 0; k < trials; k++) {
		struct compare compare;

		compare_equals(&compare, bench, k, 8);
		compare.paired = k % 2; /* pairs of independent runs are pairs, too */
		compare_judge(&compare);
		alarms += compare.verdicts[COMPARE_BETTER] || compare.verdicts[COMPARE_WORSE];
		compare_fini(&compare);
	}
	printf("# %u of %u comparisons of equals show a difference (%s)\n", alarms, trials, what);
	CHECK(alarms * 100 <= trials * STATS_LEVEL_PCT, "%u of %u, %s", alarms, trials, what);
}

TEST(two_hundred_comparisons_of_equals_keep_the_level)
{
	static const struct {
		const char *what, *settings;
		u64 duration_ns;
		u32 trials, full;
	} rows[] = {
		{ "one CPU", "", 30000000, 200, 2000 },
		{ "longer runs", "", 400000000, 0, 200 },
		{ "6.1, two CPUs", "--machine 2 --release 6.1", 30000000, 0, 1000 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 trials = is_full() ? rows[i].full : rows[i].trials;
		struct bench bench;

		if (!trials)
			continue;
		bench_init(&bench, rows[i].settings, rows[i].settings, rows[i].duration_ns);
		keep_the_level(&bench, rows[i].what, trials);
		bench_fini(&bench);
	}
}

/* B's values are raised by 5 %; rows that say they find 5 % with 80 % do. */
TEST(a_planted_effect_of_five_percent_is_found_with_the_stated_power)
{
	u32 found = 0, said = 0, trials = is_full() ? 100 : 15;
	struct bench bench;

	bench_init(&bench, "", "", 200000000);
	for (u32 k = 0; k < trials; k++) {
		struct compare compare;

		compare_equals(&compare, &bench, k + 1000, 12);
		vec_for_each(row, &compare.rows)
			for (size_t i = 0; i < row->of[COMPARE_B].nr; i++)
				row->of[COMPARE_B].at[i] *= 1.05;
		compare_judge(&compare);
		vec_for_each(row, &compare.rows) {
			double least_pct = 100 * row->effect.least / row->effect.a;

			if (!row->complete || !(least_pct > 3 && least_pct <= 5))
				continue;
			said++;
			found += row->verdict == COMPARE_BETTER || row->verdict == COMPARE_WORSE;
		}
		compare_fini(&compare);
	}
	bench_fini(&bench);
	printf("# %u of %u planted effects found\n", found, said);
	CHECK(said >= 20, "%u rows say they find 5 %%", said);
	CHECK(found * 100 >= said * STATS_POWER_PCT, "%u of %u", found, said);
}
