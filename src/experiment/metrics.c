/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/metrics.h"

#include <stdlib.h>

const struct metric_info metric_infos[METRIC_NR] = {
#define METRIC(id, name, scope, unit, better, analysis, what) \
	{ name, METRIC_##scope, METRIC_##unit, METRIC_##better, ANALYSIS_##analysis, what },
#include "experiment/metrics.def"
};

/* What the metrics of one subject are taken from. */
struct source {
	const struct analysis *analysis;
	const struct latency_row *task;
	const struct marks_row *mark;
	const struct perf_compat_row *perf;
};

static bool set(double *out, u64 value)
{
	*out = (double)value;
	return true;
}

/* ---- of distributions ---- */

static bool mean(const struct hist *hist, double *out)
{
	*out = hist->count ? (double)hist->sum / (double)hist->count : 0;
	return hist->count;
}

static bool percentile(const struct hist *hist, u32 per_mille, double *out)
{
	set(out, hist_percentile(hist, per_mille));
	return hist->count;
}

static bool longest(const struct hist *hist, double *out)
{
	set(out, hist->max);
	return hist->count;
}

/* ---- tasks ---- */

static bool metric_DELAY_MEAN(const struct source *source, double *out)
{
	return mean(&source->task->delay, out);
}

static bool metric_DELAY_P50(const struct source *source, double *out)
{
	return percentile(&source->task->delay, 500, out);
}

static bool metric_DELAY_P99(const struct source *source, double *out)
{
	return percentile(&source->task->delay, 990, out);
}

static bool metric_DELAY_MAX(const struct source *source, double *out)
{
	return longest(&source->task->delay, out);
}

static bool metric_DELAY_SUM(const struct source *source, double *out)
{
	return set(out, source->task->delay.sum);
}

static bool metric_WAKEUP_MEAN(const struct source *source, double *out)
{
	return mean(&source->task->waits[TRACK_WAKEUP], out);
}

static bool metric_WAKEUP_P99(const struct source *source, double *out)
{
	return percentile(&source->task->waits[TRACK_WAKEUP], 990, out);
}

static bool metric_SWITCHES(const struct source *source, double *out)
{
	return set(out, source->task->switches);
}

static bool metric_MIGRATIONS(const struct source *source, double *out)
{
	return set(out, source->task->migrations);
}

static bool metric_RUNTIME(const struct source *source, double *out)
{
	return set(out, latency_runtime_ns(source->task));
}

static bool metric_ACTIVATIONS(const struct source *source, double *out)
{
	return set(out, source->task->waits[TRACK_WAKEUP].count);
}

/* ---- marks ---- */

static bool metric_DONE(const struct source *source, double *out)
{
	return set(out, source->mark->took.count);
}

static bool metric_LATENCY_MEAN(const struct source *source, double *out)
{
	return mean(&source->mark->took, out);
}

static bool metric_LATENCY_P50(const struct source *source, double *out)
{
	return percentile(&source->mark->took, 500, out);
}

static bool metric_LATENCY_P99(const struct source *source, double *out)
{
	return percentile(&source->mark->took, 990, out);
}

static bool metric_LATENCY_MAX(const struct source *source, double *out)
{
	return longest(&source->mark->took, out);
}

/* ---- the run ---- */

static bool metric_IDLE_EVENTS(const struct source *source, double *out)
{
	u64 nr = 0;

	for (u32 i = 0; i < IDLE_EVENTS_NR_BINS; i++)
		nr += source->analysis->idle_events.bins[i];
	return set(out, nr);
}

static bool metric_WASTED(const struct source *source, double *out)
{
	return set(out, source->analysis->work.per_cpu_ns);
}

static bool metric_BUSY(const struct source *source, double *out)
{
	u64 ns = 0;

	vec_for_each(row, &source->analysis->cpus.rows)
		ns += row->busy_ns;
	return set(out, ns);
}

static bool metric_SYSTEM(const struct source *source, double *out)
{
	u64 ns = 0;

	vec_for_each(row, &source->analysis->cpus.rows)
		ns += row->system_ns;
	return set(out, ns);
}

static bool metric_ALL_SWITCHES(const struct source *source, double *out)
{
	return set(out, source->analysis->counts.in_window[EVENT_SWITCH]);
}

static bool metric_ALL_MIGRATIONS(const struct source *source, double *out)
{
	return set(out, source->analysis->counts.in_window[EVENT_MIGRATE]);
}

static bool metric_ENERGY(const struct source *source, double *out)
{
	const struct energy *energy = &source->analysis->energy;
	u64 pj = 0;

	for (u32 cpu = 0; cpu < energy->machine->nr_cpus; cpu++)
		pj += energy->rows[cpu].busy.pj + energy->rows[cpu].idle.pj;
	return set(out, pj);
}

static bool metric_BUSY_ENERGY(const struct source *source, double *out)
{
	const struct energy *energy = &source->analysis->energy;
	u64 pj = 0;

	for (u32 cpu = 0; cpu < energy->machine->nr_cpus; cpu++)
		pj += energy->rows[cpu].busy.pj;
	return set(out, pj);
}

/* ---- perf's ---- */

static bool metric_PERF_RUNTIME(const struct source *source, double *out)
{
	return set(out, source->perf->runtime_ns);
}

static bool metric_PERF_SWITCHES(const struct source *source, double *out)
{
	return set(out, source->perf->nr);
}

static bool metric_PERF_MEAN(const struct source *source, double *out)
{
	return set(out, perf_compat_mean_ns(source->perf)) && source->perf->nr;
}

static bool metric_PERF_MAX(const struct source *source, double *out)
{
	return set(out, source->perf->max_ns);
}

static bool metric_PERF_SUM(const struct source *source, double *out)
{
	return set(out, source->perf->delay_ns);
}

static bool (*const values[METRIC_NR])(const struct source *source, double *out) = {
#define METRIC(id, name, scope, unit, better, analysis, what) metric_##id,
#include "experiment/metrics.def"
};

/* ---- all ---- */

/* A machine without powers, or with some alone, has no energy: not one of 0. */
static bool is_available(const struct source *source, u32 metric)
{
	const struct energy *energy = &source->analysis->energy;

	if (!analysis_available(source->analysis, metric_infos[metric].analysis))
		return false;
	switch (metric) {
	case METRIC_ENERGY:
		return energy_complete(energy);
	case METRIC_BUSY_ENERGY:
		return energy_busy_complete(energy);
	default:
		return true;
	}
}

static void take_scope(struct measures *measures, const struct source *source,
		       enum metric_scope scope, const char *subject)
{
	for (u32 i = 0; i < METRIC_NR; i++) {
		struct measure *measure;

		if (metric_infos[i].scope != scope || !is_available(source, i))
			continue;
		measure = vec_add(&measures->of);
		measure->metric = i;
		measure->subject = mem_strdup(subject);
		measure->known = values[i](source, &measure->value);
	}
}

/* Names that two kinds of mark have get the kind before them. */
static char *mark_subject(const struct marks *marks, size_t index)
{
	const struct marks_row *row = &marks->rows.at[index];

	for (size_t i = 0; i < marks->rows.nr; i++)
		if (i != index && !strcmp(marks->rows.at[i].name, row->name))
			return mem_printf("%s:%s", marks_what(row->what), row->name);
	return mem_strdup(row->name);
}

static void take_marks(struct measures *measures, struct source *source)
{
	const struct marks *marks = &source->analysis->marks;

	for (size_t i = 0; i < marks->rows.nr; i++) {
		char *subject = mark_subject(marks, i);

		source->mark = &marks->rows.at[i];
		take_scope(measures, source, METRIC_MARK, subject);
		free(subject);
	}
}

void measures_take(struct measures *measures, const struct analysis *analysis, u32 scopes)
{
	struct source source = { .analysis = analysis };

	assert(!(scopes & METRICS_PERF) || analysis->options.perf_compat);
	*measures = (struct measures){ 0 };
	vec_for_each(row, &analysis->latency.rows) {
		source.task = row;
		if (scopes & 1u << METRIC_TASK)
			take_scope(measures, &source, METRIC_TASK, row->name);
	}
	if (scopes & 1u << METRIC_MARK)
		take_marks(measures, &source);
	if (scopes & 1u << METRIC_RUN)
		take_scope(measures, &source, METRIC_RUN, "");
	vec_for_each(row, &analysis->perf_compat.rows) {
		source.perf = row;
		if (scopes & METRICS_PERF)
			take_scope(measures, &source, METRIC_PERF, row->name);
	}
}

void measures_fini(struct measures *measures)
{
	vec_for_each(measure, &measures->of)
		free(measure->subject);
	vec_free(&measures->of);
}
