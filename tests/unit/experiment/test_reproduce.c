/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/reproduce.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

static const char *const tasks[] = { "massive_intr", "chromium-browse", "cyclictest" };

static const struct scenario *scenario(void)
{
	return &scenarios[SCENARIO_PREEMPT_SHORT];
}

static void add(struct measures *unit, const char *task, enum metric_id metric, double value)
{
	*vec_add(&unit->of) = (struct measure){ metric, mem_strdup(task), true, value };
}

/* What was published as if it were simulated: nine runs are its three, thrice. */
static void take_published(struct compare *compare, u32 nr_tasks, double effect)
{
	*compare = (struct compare){ .paired = true };
	for (u32 run = 0; run < 9; run++) {
		for (u32 side = 0; side < COMPARE_NR_SIDES; side++) {
			struct measures unit = { 0 };

			for (u32 i = 0; i < nr_published; i++) {
				const struct published *row = &published[i];
				double much = side == COMPARE_B ? effect : 1;
				u32 task = 0;

				while (strcmp(tasks[task], row->task))
					task++;
				if (row->side != side || row->run != run % 3 + 1 ||
				    task >= nr_tasks)
					continue;
				add(&unit, row->task, METRIC_PERF_RUNTIME,
				    (double)row->runtime_us * 1e3);
				add(&unit, row->task, METRIC_PERF_SWITCHES,
				    (double)row->switches * much);
				add(&unit, row->task, METRIC_PERF_MEAN, (double)row->mean_us * 1e3);
				add(&unit, row->task, METRIC_PERF_MAX, (double)row->max_us * 1e3);
				add(&unit, row->task, METRIC_PERF_SUM, (double)row->sum_us * 1e3);
			}
			compare_take(compare, side, &unit);
			measures_fini(&unit);
		}
	}
	compare_judge(compare);
}

/* Runs of one second on two CPUs. */
static enum err_code judge(struct reproduce *reproduce, const struct scenario *scenario,
			   const struct compare *compare, struct err *err)
{
	const struct machine machine = { .nr_cpus = 4 };
	const struct sim_setup setup = { .machine = &machine, .duration_ns = 500000000 };
	const struct compare_plan plan = { .sides = { &setup, &setup } };

	return reproduce_judge(reproduce, scenario, compare, &plan, err);
}

static const struct reproduce_row *row_of(const struct reproduce *reproduce, const char *task,
					  enum reproduce_metric metric)
{
	vec_for_each(row, &reproduce->rows)
		if (row->metric == metric && !strcmp(reproduce->tasks.at[row->task].name, task))
			return row;
	return NULL;
}

TEST(the_published_table_agrees_with_itself)
{
	struct reproduce reproduce;
	struct compare compare;
	struct err err = ERR_NONE;

	take_published(&compare, 3, 1);
	CHECK(!judge(&reproduce, scenario(), &compare, &err), "%s", err.what);
	CHECK_EQ(3 * REPRODUCE_NR_METRICS, reproduce.rows.nr);
	/* but for three spreads: three triples bound none */
	CHECK_EQ(reproduce.rows.nr - 3, reproduce.verdicts[REPRODUCE_AGREES]);
	CHECK_EQ(3, reproduce.verdicts[REPRODUCE_INCONCLUSIVE]);
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

/* Sums 891358.582 ms over 1918220 waits, and 745357.285 over 2001666. */
TEST(mean_delays_are_pooled_by_their_waits)
{
	const struct reproduce_row *row;
	struct reproduce reproduce;
	struct compare compare;
	struct err err = ERR_NONE;

	take_published(&compare, 3, 1);
	CHECK(!judge(&reproduce, scenario(), &compare, &err));
	row = row_of(&reproduce, "cyclictest", REPRODUCE_MEAN);
	CHECK(fabs(row->published[COMPARE_A] - 891358.582 / 1918220) < 1e-9);
	CHECK(fabs(row->published[COMPARE_B] - 745357.285 / 2001666) < 1e-9);
	CHECK(!row->noise);
	/* 32.272, 44.243, 25.530 */
	row = row_of(&reproduce, "cyclictest", REPRODUCE_SPREAD);
	CHECK(fabs(row->published[COMPARE_A] - 18.713) < 1e-9);
	CHECK(fabs(row->simulated[COMPARE_A] - 18.713) < 1e-9);
	CHECK(!row->bounded, "three triples are too few");
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

/* Seven triples of maxima, 10 ms apart in A and 4 in B, a little more in each: -60 %. */
TEST(enough_triples_bound_the_spread)
{
	static const double apart[COMPARE_NR_SIDES] = { 10e6, 4e6 };
	static const enum metric_id metrics[] = { METRIC_PERF_RUNTIME, METRIC_PERF_SWITCHES,
						  METRIC_PERF_MEAN, METRIC_PERF_MAX,
						  METRIC_PERF_SUM };
	const struct reproduce_row *row;
	struct reproduce reproduce;
	struct compare compare = { .paired = true };
	struct err err = ERR_NONE;

	for (u32 run = 0; run < 21; run++)
		for (u32 side = 0; side < COMPARE_NR_SIDES; side++) {
			struct measures unit = { 0 };

			for (u32 i = 0; i < 3 * ARRAY_SIZE(metrics); i++)
				add(&unit, tasks[i % 3], metrics[i / 3],
				    20e6 + (run % 3 == 1) * apart[side] * (1 + 0.01 * (run / 3)));
			compare_take(&compare, side, &unit);
			measures_fini(&unit);
		}
	compare_judge(&compare);
	CHECK(!judge(&reproduce, scenario(), &compare, &err), "%s", err.what);
	row = row_of(&reproduce, "cyclictest", REPRODUCE_SPREAD);
	CHECK(fabs(row->simulated[COMPARE_A] - 10.3) < 1e-9, "%f", row->simulated[COMPARE_A]);
	CHECK(fabs(row->simulated_pct + 60) < 1e-9, "%f", row->simulated_pct);
	CHECK(row->bounded && row->low_pct > -70 && row->high_pct < -50);
	CHECK_EQ(REPRODUCE_AGREES, row->verdict);
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

/* The browser's runs overlap, massive_intr's switches do not. */
TEST(overlapping_runs_are_noise)
{
	struct reproduce reproduce;
	struct compare compare;
	struct err err = ERR_NONE;

	take_published(&compare, 3, 1);
	CHECK(!judge(&reproduce, scenario(), &compare, &err));
	CHECK(row_of(&reproduce, "chromium-browse", REPRODUCE_SWITCHES)->noise);
	CHECK(!row_of(&reproduce, "massive_intr", REPRODUCE_SWITCHES)->noise);
	CHECK(row_of(&reproduce, "massive_intr", REPRODUCE_SUM)->noise);
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

/* massive_intr's switches: +7.5 % published.  x 1.05 is +12.9, x 1.2 is +29, x 0.9 is -3.2. */
TEST(another_sign_or_size_differs)
{
	static const struct {
		double effect;
		enum reproduce_verdict want;
	} rows[] = {
		{ 1.05, REPRODUCE_AGREES },
		{ 1.2, REPRODUCE_DIFFERS },
		{ 0.9, REPRODUCE_DIFFERS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct reproduce reproduce;
		struct compare compare;
		struct err err = ERR_NONE;

		take_published(&compare, 3, rows[i].effect);
		CHECK(!judge(&reproduce, scenario(), &compare, &err));
		CHECK_EQ(rows[i].want,
			 row_of(&reproduce, "massive_intr", REPRODUCE_SWITCHES)->verdict, "x %g",
			 rows[i].effect);
		reproduce_fini(&reproduce);
		compare_fini(&compare);
	}
}

TEST(a_published_task_must_be_there)
{
	struct reproduce reproduce;
	struct compare compare;
	struct err err = ERR_NONE;

	take_published(&compare, 2, 1);
	CHECK_EQ(ERR_USAGE, judge(&reproduce, scenario(), &compare, &err));
	CHECK(strstr(err.what, "'cyclictest'"), "%s", err.what);
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

struct taken {
	const char *subject;
	enum metric_id metric;
	double of[COMPARE_NR_SIDES];
};

/* Nine runs, each with more of all by the part @growth of the first. */
static void take_rows(struct compare *compare, const struct taken *rows, size_t nr, double growth)
{
	*compare = (struct compare){ .paired = true };
	for (u32 run = 0; run < 9; run++) {
		for (u32 side = 0; side < COMPARE_NR_SIDES; side++) {
			struct measures unit = { 0 };

			for (size_t i = 0; i < nr; i++)
				add(&unit, rows[i].subject, rows[i].metric,
				    rows[i].of[side] * (1 + growth * run));
			compare_take(compare, side, &unit);
			measures_fini(&unit);
		}
	}
	compare_judge(compare);
}

/* Events 100 and 30, latencies of 200 and 190 ms, 10 and 16 ms of system time. */
static void take_figures(struct compare *compare, bool all)
{
	static const struct taken rows[] = {
		{ "", METRIC_IDLE_EVENTS, { 100, 30 } },
		{ "sensor_to_command", METRIC_LATENCY_MAX, { 200e6, 190e6 } },
		{ "sensor_to_command", METRIC_LATENCY_MEAN, { 200e6, 196e6 } },
		{ "", METRIC_SYSTEM, { 10e6, 16e6 } },
	};
	u32 from = all ? 0 : 1;

	take_rows(compare, rows + from, ARRAY_SIZE(rows) - from, 1e-3);
}

/* Published: 18, 9 and 2 events against none; 180 to 172 ms; 8.55 to 8.81 % of CPU time. */
TEST(figures_are_compared_as_they_were_published)
{
	const struct scenario *fillback = &scenarios[SCENARIO_FILLBACK];
	struct reproduce reproduce;
	struct compare compare;
	struct err err = ERR_NONE;
	const struct reproduce_row *rows;

	CHECK(!reproduce_is_table(fillback) && reproduce_is_table(scenario()));
	take_figures(&compare, true);
	CHECK(!judge(&reproduce, fillback, &compare, &err), "%s", err.what);
	CHECK_EQ(4, reproduce.rows.nr);
	rows = reproduce.rows.at;
	CHECK(fabs(rows[0].published[COMPARE_A] - 29.0 / 3) < 1e-9);
	CHECK(!rows[0].noise);
	CHECK(fabs(rows[0].simulated_pct + 70) < 1e-9, "%f", rows[0].simulated_pct);
	CHECK_EQ(REPRODUCE_AGREES, rows[0].verdict);
	/* -4.4 % published, -5 % here */
	CHECK_EQ(REPRODUCE_AGREES, rows[1].verdict);
	/* -1.0 % published */
	CHECK(fabs(rows[2].simulated_pct + 2) < 1e-9);
	/* 6 ms of 2 s of CPU time are 0.3 points, published are 0.26 */
	CHECK(fabs(rows[3].simulated_pct - 0.3 * 1.004) < 1e-6, "%f", rows[3].simulated_pct);
	CHECK_EQ(REPRODUCE_AGREES, rows[3].verdict);
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

/* 50,000 and 55,000 requests in half a second. */
TEST(a_rate_is_shown_a_second)
{
	static const struct taken rows[] = {
		{ "get", METRIC_DONE, { 50000, 55000 } },
		{ "get", METRIC_LATENCY_MEAN, { 1e6, 1e6 } },
		{ "get", METRIC_LATENCY_P99, { 2e6, 2e6 } },
	};
	struct reproduce reproduce;
	struct compare compare;
	struct err err = ERR_NONE;

	take_rows(&compare, rows, ARRAY_SIZE(rows), 0);
	CHECK(!judge(&reproduce, &scenarios[SCENARIO_NGINX_FFMPEG], &compare, &err), "%s",
	      err.what);
	CHECK(fabs(reproduce.rows.at[0].simulated[COMPARE_A] - 100000) < 1e-6);
	CHECK(fabs(reproduce.rows.at[0].simulated[COMPARE_B] - 110000) < 1e-6);
	CHECK(fabs(reproduce.rows.at[0].simulated_pct - 10) < 1e-9);
	CHECK(fabs(reproduce.rows.at[1].simulated[COMPARE_A] - 1) < 1e-9);
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

TEST(a_figure_needs_its_metric)
{
	struct reproduce reproduce;
	struct compare compare;
	struct err err = ERR_NONE;

	take_figures(&compare, false);
	CHECK_EQ(ERR_USAGE, judge(&reproduce, &scenarios[SCENARIO_FILLBACK], &compare, &err));
	CHECK(strstr(err.what, "'idle_events'"), "%s", err.what);
	reproduce_fini(&reproduce);
	compare_fini(&compare);
}

TEST(scenarios_are_found_by_name)
{
	CHECK(scenario_find("preempt-short") == scenario());
	CHECK(!scenario_find("preempt"));
	CHECK(reproduce_is_published(scenario()));
	CHECK(!reproduce_is_published(&scenarios[SCENARIO_UPGRADE]));
}
