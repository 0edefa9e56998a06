/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/reproduce.h"

#include <math.h>
#include <stdlib.h>

const char *const reproduce_metrics[REPRODUCE_NR_METRICS] = {
	[REPRODUCE_RUNTIME] = "runtime_ms", [REPRODUCE_SWITCHES] = "switches",
	[REPRODUCE_MEAN] = "delay_mean_ms", [REPRODUCE_MAX] = "delay_max_ms",
	[REPRODUCE_SUM] = "delay_sum_ms",   [REPRODUCE_SPREAD] = "delay_max_spread_ms",
};

const char *const reproduce_verdicts[REPRODUCE_NR_VERDICTS] = {
	[REPRODUCE_AGREES] = "agrees",
	[REPRODUCE_DIFFERS] = "differs",
	[REPRODUCE_INCONCLUSIVE] = "inconclusive",
};

static const enum metric_id columns[REPRODUCE_NR_COLUMNS] = {
	[REPRODUCE_RUNTIME] = METRIC_PERF_RUNTIME, [REPRODUCE_SWITCHES] = METRIC_PERF_SWITCHES,
	[REPRODUCE_MEAN] = METRIC_PERF_MEAN,       [REPRODUCE_MAX] = METRIC_PERF_MAX,
	[REPRODUCE_SUM] = METRIC_PERF_SUM,
};

bool reproduce_is_published(const struct scenario *scenario)
{
	return scenario->published != SCENARIO_NR;
}

bool reproduce_is_table(const struct scenario *scenario)
{
	for (u32 i = 0; i < nr_published; i++)
		if (published[i].scenario == scenario->published)
			return true;
	return false;
}

char *reproduce_name(const struct reproduce *reproduce, const struct reproduce_row *row)
{
	if (row->figure)
		return mem_strdup(row->figure->name);
	return mem_printf("%s.%s", reproduce->tasks.at[row->task].name,
			  reproduce_metrics[row->metric]);
}

/* ---- the tables ---- */

static struct reproduce_task *task_of(struct reproduce *reproduce, const char *name)
{
	struct reproduce_task *task;

	vec_for_each(known, &reproduce->tasks)
		if (!strcmp(known->name, name))
			return known;
	task = vec_add(&reproduce->tasks);
	task->name = name;
	return task;
}

static void take_published(struct reproduce *reproduce)
{
	for (u32 i = 0; i < nr_published; i++) {
		const struct published *row = &published[i];
		double *to;

		if (row->scenario != reproduce->scenario->published)
			continue;
		assert(row->run >= 1 && row->run <= REPRODUCE_RUNS);
		to = task_of(reproduce, row->task)->published[row->side][row->run - 1];
		to[REPRODUCE_RUNTIME] = (double)row->runtime_us / 1000;
		to[REPRODUCE_SWITCHES] = (double)row->switches;
		to[REPRODUCE_MEAN] = (double)row->mean_us / 1000;
		to[REPRODUCE_MAX] = (double)row->max_us / 1000;
		to[REPRODUCE_SUM] = (double)row->sum_us / 1000;
	}
}

static const struct compare_row *simulated_row(const struct compare *compare, const char *task,
					       enum metric_id metric)
{
	vec_for_each(row, &compare->rows)
		if (row->metric == metric && !strcmp(row->subject, task) && row->complete)
			return row;
	return NULL;
}

static enum err_code take_simulated(struct reproduce *reproduce, const struct compare *compare,
				    struct err *err)
{
	vec_for_each(task, &reproduce->tasks) {
		for (u32 column = 0; column < REPRODUCE_NR_COLUMNS; column++) {
			enum metric_id metric = columns[column];
			const struct compare_row *row = simulated_row(compare, task->name, metric);

			if (!row)
				return err_set(err, ERR_USAGE, reproduce->scenario->workload,
					       "expected a task called '%s' that waits for a CPU",
					       task->name);
			for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
				for (u32 run = 0; run < REPRODUCE_RUNS; run++)
					task->simulated[side][run][column] =
						metric_shown(metric, row->of[side].at[run]);
		}
	}
	return OK;
}

/* ---- rows ---- */

static double mean_over_runs(double (*runs)[REPRODUCE_NR_COLUMNS], u32 column)
{
	double sum = 0;

	for (u32 run = 0; run < REPRODUCE_RUNS; run++)
		sum += runs[run][column];
	return sum / REPRODUCE_RUNS;
}

struct range {
	double lowest, highest;
};

static struct range range_of(const double *values, u32 nr, size_t stride)
{
	struct range range = { values[0], values[0] };

	for (u32 i = 1; i < nr; i++) {
		range.lowest = fmin(range.lowest, values[i * stride]);
		range.highest = fmax(range.highest, values[i * stride]);
	}
	return range;
}

static double spread_of(const double *values, size_t stride)
{
	struct range range = range_of(values, REPRODUCE_RUNS, stride);

	return range.highest - range.lowest;
}

static double pooled(double (*runs)[REPRODUCE_NR_COLUMNS], enum reproduce_metric metric)
{
	if (metric == REPRODUCE_SPREAD)
		return spread_of(&runs[0][REPRODUCE_MAX], REPRODUCE_NR_COLUMNS);
	if (metric == REPRODUCE_MEAN)
		return mean_over_runs(runs, REPRODUCE_SUM) /
		       mean_over_runs(runs, REPRODUCE_SWITCHES);
	return mean_over_runs(runs, metric);
}

static double change_pct(double a, double b)
{
	return a != 0 ? 100 * (b - a) / a : 0;
}

static bool shows(const struct reproduce_row *row, enum figure_change change)
{
	return row->figure && row->figure->change == change;
}

static bool is_points(const struct reproduce_row *row)
{
	return shows(row, FIGURE_POINTS);
}

static double change_of(const struct reproduce_row *row, double a, double b)
{
	return is_points(row) ? b - a : change_pct(a, b);
}

/* Do the published runs overlap, and between which changes may the truth lie? */
static void settle_noise(struct reproduce_row *row, struct range a, struct range b)
{
	row->noise = a.lowest <= b.highest && b.lowest <= a.highest;
	row->from_pct = change_of(row, a.highest, b.lowest);
	row->to_pct = change_of(row, a.lowest, b.highest);
}

/* The simulated change in percent of @one. */
static void take_bounds(struct reproduce_row *row, const struct stats_effect *effect, double one)
{
	row->bounded = effect->bounded && one != 0;
	if (!row->bounded)
		return;
	row->low_pct = 100 * effect->low / one;
	row->high_pct = 100 * effect->high / one;
}

/*
 * How far apart the runs of each triple lie that follow each other: pairs of triples that saw the
 * same work, as the runs are.
 */
static void settle_spread(struct reproduce_row *row, const struct compare *compare,
			  const struct compare_row *from)
{
	u32 triples = (u32)from->of[COMPARE_A].nr / REPRODUCE_RUNS;
	double *spreads[COMPARE_NR_SIDES];
	struct stats_effect effect;

	for (u32 side = 0; side < COMPARE_NR_SIDES; side++) {
		spreads[side] = NEW_ARRAY(double, triples);
		for (u32 i = 0; i < triples; i++)
			spreads[side][i] =
				spread_of(&from->of[side].at[(size_t)i * REPRODUCE_RUNS], 1);
	}
	const struct stats_table table = {
		1, triples, triples, compare->paired, spreads[COMPARE_A], spreads[COMPARE_B]
	};

	stats_effects(&table, &effect);
	row->simulated[COMPARE_A] = metric_shown(from->metric, effect.a);
	row->simulated[COMPARE_B] = metric_shown(from->metric, effect.b);
	take_bounds(row, &effect, effect.a);
	for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
		free(spreads[side]);
}

/* As it was published: in the metric's unit, a second, or in percent of all CPU time. */
static double shown(const struct reproduce *reproduce, const struct reproduce_row *row,
		    const struct compare_row *from, double value)
{
	if (is_points(row))
		return 100 * value / reproduce->cpu_ns;
	value = metric_shown(from->metric, value);
	return shows(row, FIGURE_RATE) ? value * 1e9 / reproduce->run_ns : value;
}

static void settle_simulated(const struct reproduce *reproduce, struct reproduce_row *row,
			     const struct compare_row *from)
{
	const struct stats_effect *effect = &from->effect;

	row->simulated[COMPARE_A] = shown(reproduce, row, from, effect->a);
	row->simulated[COMPARE_B] = shown(reproduce, row, from, effect->b);
	take_bounds(row, effect, is_points(row) ? reproduce->cpu_ns : effect->a);
}

static bool meets(const struct reproduce_row *row, double from_pct, double to_pct)
{
	return row->low_pct <= to_pct && row->high_pct >= from_pct;
}

static enum reproduce_verdict verdict_of(const struct reproduce_row *row)
{
	double least = fmin(row->published_pct / 2, row->published_pct * 2);
	double most = fmax(row->published_pct / 2, row->published_pct * 2);

	if (!row->figure && row->metric == REPRODUCE_SPREAD && !row->bounded)
		return REPRODUCE_INCONCLUSIVE; /* by itself it may be anything */
	if (row->noise) {
		if (!row->bounded)
			return REPRODUCE_INCONCLUSIVE;
		return meets(row, row->from_pct, row->to_pct) ? REPRODUCE_AGREES
							      : REPRODUCE_DIFFERS;
	}
	if (row->simulated_pct >= least && row->simulated_pct <= most)
		return REPRODUCE_AGREES;
	return row->bounded && !meets(row, least, most) ? REPRODUCE_DIFFERS
							: REPRODUCE_INCONCLUSIVE;
}

static void settle(struct reproduce *reproduce, struct reproduce_row *row)
{
	row->published_pct = change_of(row, row->published[COMPARE_A], row->published[COMPARE_B]);
	row->simulated_pct = change_of(row, row->simulated[COMPARE_A], row->simulated[COMPARE_B]);
	row->verdict = verdict_of(row);
	reproduce->verdicts[row->verdict]++;
}

static void add_row(struct reproduce *reproduce, const struct compare *compare, u32 index,
		    enum reproduce_metric metric)
{
	struct reproduce_task *task = &reproduce->tasks.at[index];
	struct reproduce_row *row = vec_add(&reproduce->rows);
	bool spread = metric == REPRODUCE_SPREAD;
	const struct compare_row *from =
		simulated_row(compare, task->name, columns[spread ? REPRODUCE_MAX : metric]);

	row->task = index;
	row->metric = metric;
	for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
		row->published[side] = pooled(task->published[side], metric);
	if (spread) {
		settle_spread(row, compare, from);
	} else {
		settle_noise(row,
			     range_of(&task->published[COMPARE_A][0][metric], REPRODUCE_RUNS,
				      REPRODUCE_NR_COLUMNS),
			     range_of(&task->published[COMPARE_B][0][metric], REPRODUCE_RUNS,
				      REPRODUCE_NR_COLUMNS));
		settle_simulated(reproduce, row, from);
	}
	settle(reproduce, row);
}

static enum err_code add_figure(struct reproduce *reproduce, const struct compare *compare,
				const struct figure *figure, struct err *err)
{
	const struct compare_row *from =
		compare_find(compare, figure->metric, strlen(figure->metric));
	struct reproduce_row *row;

	if (!from || !from->complete)
		return err_set(err, ERR_USAGE, reproduce->scenario->workload,
			       "expected a workload and a machine that give '%s' in every run",
			       figure->metric);
	row = vec_add(&reproduce->rows);
	row->figure = figure;
	for (u32 side = 0; side < COMPARE_NR_SIDES; side++) {
		for (u32 i = 0; i < figure->nr; i++)
			row->published[side] += figure->values[side][i] / figure->nr;
	}
	if (figure->nr > 1)
		settle_noise(row, range_of(figure->values[COMPARE_A], figure->nr, 1),
			     range_of(figure->values[COMPARE_B], figure->nr, 1));
	settle_simulated(reproduce, row, from);
	settle(reproduce, row);
	return OK;
}

enum err_code reproduce_judge(struct reproduce *reproduce, const struct scenario *scenario,
			      const struct compare *compare, const struct compare_plan *plan,
			      struct err *err)
{
	const struct sim_setup *setup = plan->sides[COMPARE_A];
	enum err_code code;

	assert(compare->units[COMPARE_A] >= REPRODUCE_RUNS);
	*reproduce = (struct reproduce){ .scenario = scenario };
	reproduce->run_ns = (double)setup->duration_ns;
	reproduce->cpu_ns = reproduce->run_ns * setup->machine->nr_cpus;
	take_published(reproduce);
	code = take_simulated(reproduce, compare, err);
	for (u32 i = 0; code == OK && i < reproduce->tasks.nr; i++)
		for (u32 metric = 0; metric < REPRODUCE_NR_METRICS; metric++)
			add_row(reproduce, compare, i, metric);
	for (u32 i = 0; code == OK && i < nr_figures; i++)
		if (figures[i].scenario == scenario->published)
			code = add_figure(reproduce, compare, &figures[i], err);
	return code;
}

void reproduce_fini(struct reproduce *reproduce)
{
	vec_free(&reproduce->tasks);
	vec_free(&reproduce->rows);
}
