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
		if (is_known(validate, workload_comm(task)))
			continue;
		*vec_add(&validate->tasks) = mem_strdup(workload_comm(task));
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
		return latency_mean_ns(row->waits[TRACK_WAKEUP].sum,
				       row->waits[TRACK_WAKEUP].count);
	case VALIDATE_WAKEUP_P50:
		return hist_percentile(&row->waits[TRACK_WAKEUP], 500);
	case VALIDATE_WAKEUP_P99:
		return hist_percentile(&row->waits[TRACK_WAKEUP], 990);
	case VALIDATE_WAKEUP_MAX:
		return row->waits[TRACK_WAKEUP].max;
	case VALIDATE_PREEMPT_WAITS:
		return row->waits[TRACK_PREEMPT].count;
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
	u32 half = validate->runs[side] % RECORDING_HALVES;

	for (size_t i = 0; i < validate->tasks.nr; i++) {
		const struct latency_row *row = find_row(analysis, validate->tasks.at[i]);

		for (u32 metric = 0; metric < VALIDATE_NR_METRICS; metric++)
			*vec_add(&validate->values.at[i].of[side][metric]) =
				row ? value_of(analysis, row, metric) : 0;
		*vec_add(&validate->values.at[i].wakeups[side]) =
			row ? row->waits[TRACK_WAKEUP].count : 0;
		if (row)
			hist_merge(&validate->values.at[i].delays[side][half],
				   &row->waits[TRACK_WAKEUP]);
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

/* ---- distributions ---- */

static void judge_distance(struct validate *validate, size_t task)
{
	struct hist(*delays)[RECORDING_HALVES] = validate->values.at[task].delays;
	struct validate_distance *distance = vec_add(&validate->distances);

	distance->task = validate->tasks.at[task];
	distance->kernel = hist_distance(&delays[VALIDATE_KERNEL][0], &delays[VALIDATE_KERNEL][1],
					 VALIDATE_SAME_NS);
	for (u32 side = 0; side < VALIDATE_NR_SIDES; side++)
		for (u32 half = 1; half < RECORDING_HALVES; half++)
			hist_merge(&delays[side][0], &delays[side][half]);
	distance->simulator = hist_distance(&delays[VALIDATE_KERNEL][0],
					    &delays[VALIDATE_SIMULATOR][0], VALIDATE_SAME_NS);
	distance->within = distance->simulator <= 2 * distance->kernel;
}

void validate_judge(struct validate *validate)
{
	assert(validate->runs[VALIDATE_KERNEL] && validate->runs[VALIDATE_SIMULATOR]);
	validate->rows.nr = validate->distances.nr = 0;
	memset(validate->verdicts, 0, sizeof(validate->verdicts));
	for (size_t i = 0; i < validate->tasks.nr; i++) {
		bool often = wakes_often(validate, i);

		for (u32 metric = 0; metric < VALIDATE_NR_METRICS; metric++)
			if (often || validate_infos[metric].kind != VALIDATE_DELAY)
				judge_row(validate, i, metric);
		if (often && validate->runs[VALIDATE_KERNEL] >= RECORDING_HALVES)
			judge_distance(validate, i);
	}
}

/* ---- recordings ---- */

#define WAKEUPS "wakeups" /* not a metric of its own: it says whether delays are judged */

/* Millionths of a metric's unit for one of its value. */
static u32 unit(enum validate_metric metric)
{
	switch (validate_infos[metric].kind) {
	case VALIDATE_SHARE:
		return 10;
	case VALIDATE_DELAY:
		return 1;
	case VALIDATE_COUNT:
		break;
	}
	return 1000000;
}

static void keep_values(struct recording_task *task, const char *name, const u64 *values, u32 runs,
			u32 times)
{
	struct recording_metric *metric = vec_add(&task->metrics);

	metric->name = mem_strdup(name);
	for (u32 i = 0; i < runs; i++)
		*vec_add(&metric->values) = values[i] * times;
}

void validate_keep(const struct validate *validate, struct recording *recording)
{
	recording->runs = validate->runs[VALIDATE_KERNEL];
	for (size_t i = 0; i < validate->tasks.nr; i++) {
		const struct validate_values *values = &validate->values.at[i];
		struct recording_task *task = vec_add(&recording->tasks);

		task->name = mem_strdup(validate->tasks.at[i]);
		for (u32 metric = 0; metric < VALIDATE_NR_METRICS; metric++)
			keep_values(task, validate_infos[metric].name,
				    values->of[VALIDATE_KERNEL][metric].at, recording->runs,
				    unit(metric));
		keep_values(task, WAKEUPS, values->wakeups[VALIDATE_KERNEL].at, recording->runs,
			    1000000);
		for (u32 half = 0; half < RECORDING_HALVES; half++)
			hist_merge(&task->wakeup[half], &values->delays[VALIDATE_KERNEL][half]);
	}
}

static const struct recording_task *recorded_task(const struct recording *recording,
						  const char *name)
{
	vec_for_each(task, &recording->tasks)
		if (!strcmp(task->name, name))
			return task;
	return NULL;
}

static const struct recording_metric *recorded_metric(const struct recording_task *task,
						      const char *name)
{
	for (size_t i = 0; task && i < task->metrics.nr; i++)
		if (!strcmp(task->metrics.at[i].name, name))
			return &task->metrics.at[i];
	return NULL;
}

static enum err_code recall_task(struct validate_values *values, const struct recording_task *task,
				 const char *path, struct err *err)
{
	const struct recording_metric *found = NULL;

	for (u32 metric = 0; metric < VALIDATE_NR_METRICS; metric++) {
		found = recorded_metric(task, validate_infos[metric].name);
		if (!found)
			return err_set(err, ERR_FORMAT, path, "task \"%.64s\": expected %s",
				       task->name, validate_infos[metric].name);
		vec_for_each(value, &found->values)
			*vec_add(&values->of[VALIDATE_KERNEL][metric]) = *value / unit(metric);
	}
	found = recorded_metric(task, WAKEUPS);
	if (!found)
		return err_set(err, ERR_FORMAT, path, "task \"%.64s\": expected " WAKEUPS,
			       task->name);
	vec_for_each(value, &found->values)
		*vec_add(&values->wakeups[VALIDATE_KERNEL]) = *value / 1000000;
	for (u32 half = 0; half < RECORDING_HALVES; half++)
		hist_merge(&values->delays[VALIDATE_KERNEL][half], &task->wakeup[half]);
	return OK;
}

enum err_code validate_recall(struct validate *validate, const struct recording *recording,
			      const char *path, struct err *err)
{
	enum err_code code = OK;

	assert(!validate->runs[VALIDATE_KERNEL]);
	for (size_t i = 0; i < validate->tasks.nr && code == OK; i++) {
		const char *name = validate->tasks.at[i];
		const struct recording_task *task = recorded_task(recording, name);

		code = task ? recall_task(&validate->values.at[i], task, path, err)
			    : err_set(err, ERR_FORMAT, path, "expected a task \"%.64s\"", name);
	}
	validate->runs[VALIDATE_KERNEL] = recording->runs;
	return code;
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
			for (u32 half = 0; half < RECORDING_HALVES; half++)
				hist_fini(&values->delays[side][half]);
		}
	vec_free(&validate->tasks);
	vec_free(&validate->values);
	vec_free(&validate->rows);
	vec_free(&validate->distances);
}
