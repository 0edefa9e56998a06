/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/validate.h"

#include <stdlib.h>
#include <string.h>

#define COMM_LEN 15 /* TASK_COMM_LEN less its NUL */

const struct validate_info validate_infos[VALIDATE_NR_METRICS] = {
#define VALIDATE_METRIC(id, name, kind) { name, VALIDATE_##kind },
#include "experiment/validate.def"
};

const char *const validate_verdicts[VALIDATE_NR_VERDICTS] = {
	[VALIDATE_WITHIN] = "within",
	[VALIDATE_CLOSE] = "close",
	[VALIDATE_OFF] = "off",
};

static bool is_known(const struct validate *validate, const char *name)
{
	vec_for_each(task, &validate->tasks)
		if (!strncmp(*task, name, COMM_LEN))
			return true;
	return false;
}

void validate_init(struct validate *validate, const struct workload *workload)
{
	*validate = (struct validate){ 0 };
	vec_for_each(task, &workload->tasks) {
		if (is_known(validate, task->name))
			continue;
		*vec_add(&validate->tasks) = mem_strdup(task->name);
		vec_add(&validate->values);
	}
}

static const struct latency_row *find_row(const struct analysis *analysis, const char *task)
{
	vec_for_each(row, &analysis->latency.rows)
		if (!strncmp(row->name, task, COMM_LEN))
			return row;
	return NULL;
}

static u64 value_of(const struct analysis *analysis, const struct latency_row *row,
		    enum validate_metric metric)
{
	u64 window_ns = analysis_window_ns(analysis);

	switch (metric) {
	case VALIDATE_CPU:
		return window_ns ? (u64)((double)latency_runtime_ns(row) * 1e7 / (double)window_ns)
				 : 0;
	case VALIDATE_SWITCHES:
		return row->switches;
	case VALIDATE_WAKEUP_MEAN:
		return latency_mean_ns(row->wakeup.sum, row->wakeup.count);
	case VALIDATE_WAKEUP_P50:
		return hist_percentile(&row->wakeup, 500);
	case VALIDATE_WAKEUP_P99:
		return hist_percentile(&row->wakeup, 990);
	case VALIDATE_WAKEUP_MAX:
		return row->wakeup.max;
	case VALIDATE_PREEMPT_WAITS:
		return row->kinds[TRACK_PREEMPT].count;
	case VALIDATE_MIGRATIONS:
		return row->migrations;
	case VALIDATE_NR_METRICS:
		break;
	}
	assert(0 && "a metric without a value");
	return 0;
}

/* A task that is not in a stream did nothing there: its values are 0. */
void validate_take(struct validate *validate, enum validate_side side,
		   const struct analysis *analysis)
{
	for (size_t i = 0; i < validate->tasks.nr; i++) {
		const struct latency_row *row = find_row(analysis, validate->tasks.at[i]);

		for (u32 metric = 0; metric < VALIDATE_NR_METRICS; metric++)
			*vec_add(&validate->values.at[i].of[side][metric]) =
				row ? value_of(analysis, row, metric) : 0;
		*vec_add(&validate->values.at[i].wakeups[side]) = row ? row->wakeup.count : 0;
	}
	validate->runs[side]++;
}

static int by_value(const void *left, const void *right)
{
	const u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* |a - b| of @whole is at most @pct. */
static bool within_pct(u64 a, u64 b, u64 whole, u32 pct)
{
	u64 apart = a > b ? a - b : b - a;

	return (double)apart * 100 <= (double)whole * pct;
}

static bool is_close(enum validate_kind kind, u64 kernel, u64 simulator)
{
	u64 apart = kernel > simulator ? kernel - simulator : simulator - kernel;

	switch (kind) {
	case VALIDATE_SHARE:
		return within_pct(kernel, simulator, kernel, 1);
	case VALIDATE_COUNT:
		return within_pct(kernel, simulator, kernel, 5);
	case VALIDATE_DELAY:
		return within_pct(kernel, simulator, kernel, 10) || apart <= 50000;
	}
	return false;
}

static bool wakes_often(const struct validate *validate, size_t task)
{
	for (u32 side = 0; side < VALIDATE_NR_SIDES; side++) {
		u64 *counts = validate->values.at[task].wakeups[side].at;

		qsort(counts, validate->runs[side], sizeof(*counts), by_value);
		if (counts[validate->runs[side] / 2] < VALIDATE_WAKEUPS)
			return false;
	}
	return true;
}

static void judge_row(struct validate *validate, size_t task, enum validate_metric metric)
{
	u64 *kernel = validate->values.at[task].of[VALIDATE_KERNEL][metric].at;
	u64 *simulator = validate->values.at[task].of[VALIDATE_SIMULATOR][metric].at;
	u32 nr = validate->runs[VALIDATE_KERNEL], of = validate->runs[VALIDATE_SIMULATOR];
	struct validate_row *row = vec_add(&validate->rows);

	qsort(kernel, nr, sizeof(*kernel), by_value);
	qsort(simulator, of, sizeof(*simulator), by_value);
	row->task = validate->tasks.at[task];
	row->metric = metric;
	row->kernel = kernel[nr / 2];
	row->simulator = simulator[of / 2];
	row->kernel_low = kernel[nr / 10];
	row->kernel_high = kernel[nr - 1 - nr / 10];
	row->verdict = VALIDATE_OFF;
	if (row->simulator >= row->kernel_low && row->simulator <= row->kernel_high)
		row->verdict = VALIDATE_WITHIN;
	else if (is_close(validate_infos[metric].kind, row->kernel, row->simulator))
		row->verdict = VALIDATE_CLOSE;
	validate->verdicts[row->verdict]++;
}

void validate_judge(struct validate *validate)
{
	assert(validate->runs[VALIDATE_KERNEL] && validate->runs[VALIDATE_SIMULATOR]);
	validate->rows.nr = 0;
	memset(validate->verdicts, 0, sizeof(validate->verdicts));
	for (size_t i = 0; i < validate->tasks.nr; i++) {
		bool often = wakes_often(validate, i);

		for (u32 metric = 0; metric < VALIDATE_NR_METRICS; metric++)
			if (often || validate_infos[metric].kind != VALIDATE_DELAY)
				judge_row(validate, i, metric);
	}
}

void validate_fini(struct validate *validate)
{
	vec_for_each(task, &validate->tasks)
		free(*task);
	vec_for_each(values, &validate->values)
		for (u32 side = 0; side < VALIDATE_NR_SIDES; side++) {
			for (u32 metric = 0; metric < VALIDATE_NR_METRICS; metric++)
				vec_free(&values->of[side][metric]);
			vec_free(&values->wakeups[side]);
		}
	vec_free(&validate->tasks);
	vec_free(&validate->values);
	vec_free(&validate->rows);
}
