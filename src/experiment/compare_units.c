/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the units of a comparison come from: simulations in threads, windows of a recording. */
#include <pthread.h>
#include <stdlib.h>

#include "base/rng.h"
#include "experiment/compare.h"
#include "input/input.h"

/* ---- simulations ---- */

#define NR_DRAWS 2 /* of a run: its seed, its start */

struct jobs {
	const struct compare_plan *plan;
	u32 nr; /* side by side: job 2 i + side is run i of it */
	u32 nr_sides;
	enum compare_side side; /* if it is one alone */
	struct measures *units; /* by job */
	pthread_mutex_t lock;   /* guards what follows */
	u32 next, done;
	u32 failed; /* the first job that did; nr if none */
	struct err err;
};

static const struct sim_setup *side_of(const struct jobs *jobs, u32 job)
{
	return jobs->plan->sides[jobs->nr_sides == 1 ? jobs->side : job % jobs->nr_sides];
}

static enum err_code simulate(const struct jobs *jobs, u32 job, struct err *err)
{
	struct analysis_options options = { .filter = FILTER_NONE };
	struct sim_setup setup = *side_of(jobs, job);
	u32 run = job / jobs->nr_sides;
	struct analysis *analysis;
	enum err_code code;

	setup.start_ns = rng_draw(setup.seed, run, 1, NR_DRAWS) % COMPARE_PHASE_NS;
	setup.seed = rng_draw(setup.seed, run, 0, NR_DRAWS);
	if (setup.duration_ns)
		setup.duration_ns += setup.start_ns;
	options.filter.from = (struct filter_time){ .ns = setup.start_ns, .set = true };
	options.perf_compat = jobs->plan->perf;
	options.machine = setup.machine;
	analysis = analysis_new(&options);
	code = sim_run(&setup, analysis_sink(analysis), err);
	if (code == OK)
		measures_take(&jobs->units[job], analysis,
			      jobs->plan->perf ? METRICS_PERF : METRICS_USUAL);
	analysis_free(analysis);
	return code;
}

/* The next job that nobody has; nr if there is none or one failed. */
static u32 take_job(struct jobs *jobs)
{
	u32 job;

	pthread_mutex_lock(&jobs->lock);
	job = jobs->failed < jobs->nr ? jobs->nr : jobs->next;
	jobs->next += job < jobs->nr;
	pthread_mutex_unlock(&jobs->lock);
	return job;
}

static void end_job(struct jobs *jobs, u32 job, enum err_code code, const struct err *err)
{
	const struct compare_plan *plan = jobs->plan;

	pthread_mutex_lock(&jobs->lock);
	if (code != OK && job < jobs->failed) {
		jobs->failed = job;
		jobs->err = *err;
	}
	jobs->done++;
	if (plan->progress)
		plan->progress(plan->progress_self, jobs->done, jobs->nr);
	pthread_mutex_unlock(&jobs->lock);
}

static void *work(void *self)
{
	struct jobs *jobs = self;
	u32 job;

	while ((job = take_job(jobs)) < jobs->nr) {
		struct err err = ERR_NONE;

		end_job(jobs, job, simulate(jobs, job, &err), &err);
	}
	return NULL;
}

static void work_in_threads(struct jobs *jobs)
{
	u32 nr = jobs->plan->threads < jobs->nr ? jobs->plan->threads : jobs->nr, started = 0;
	pthread_t *threads = NEW_ARRAY(pthread_t, nr + 1);

	while (started + 1 < nr && !pthread_create(&threads[started], NULL, work, jobs))
		started++;
	work(jobs); /* this one works, too */
	for (u32 i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static enum err_code run_jobs(struct compare *compare, struct jobs *jobs, struct err *err)
{
	jobs->units = NEW_ARRAY(struct measures, jobs->nr);
	jobs->failed = jobs->nr;
	pthread_mutex_init(&jobs->lock, NULL);
	work_in_threads(jobs);
	pthread_mutex_destroy(&jobs->lock);
	for (u32 job = 0; job < jobs->nr; job++) {
		if (jobs->failed == jobs->nr)
			compare_take(compare,
				     jobs->nr_sides == 1 ? jobs->side : job % jobs->nr_sides,
				     &jobs->units[job]);
		measures_fini(&jobs->units[job]);
	}
	free(jobs->units);
	if (jobs->failed < jobs->nr && err)
		*err = jobs->err;
	return jobs->failed < jobs->nr ? jobs->err.code : OK;
}

enum err_code compare_simulate(struct compare *compare, const struct compare_plan *plan,
			       struct err *err)
{
	struct jobs jobs = { .plan = plan,
			     .nr = plan->runs * COMPARE_NR_SIDES,
			     .nr_sides = COMPARE_NR_SIDES };

	compare->paired = plan->sides[COMPARE_A]->seed == plan->sides[COMPARE_B]->seed;
	return run_jobs(compare, &jobs, err);
}

enum err_code compare_simulate_side(struct compare *compare, enum compare_side side,
				    const struct compare_plan *plan, struct err *err)
{
	struct jobs jobs = { .plan = plan, .nr = plan->runs, .nr_sides = 1, .side = side };

	return run_jobs(compare, &jobs, err);
}

/* ---- windows of a recording ---- */

struct spanner {
	struct compare_span span;
	bool any;
};

static enum err_code span_event(void *self, const struct event *event)
{
	struct spanner *spanner = self;

	if (!spanner->any)
		spanner->span.first_ns = event->time_ns;
	spanner->any = true;
	spanner->span.last_ns = event->time_ns;
	return OK;
}

enum err_code compare_trace_span(const char *path, struct compare_span *span, struct err *err)
{
	const struct input_options input = { 0 };
	struct spanner spanner = { 0 };
	enum err_code code = input_trace(
		path, &input, (struct event_sink){ &spanner, NULL, span_event, NULL }, err);

	*span = spanner.span;
	return code;
}

/* One stream to all windows: each keeps its own state, and counts what ends in it. */
struct windows {
	struct analysis **at;
	u32 nr;
};

static enum err_code windows_begin(void *self, const struct event_header *header)
{
	struct windows *windows = self;

	for (u32 i = 0; i < windows->nr; i++) {
		struct event_sink sink = analysis_sink(windows->at[i]);

		sink.on_begin(sink.self, header);
	}
	return OK;
}

static enum err_code windows_event(void *self, const struct event *event)
{
	struct windows *windows = self;

	for (u32 i = 0; i < windows->nr; i++) {
		struct event_sink sink = analysis_sink(windows->at[i]);

		sink.on_event(sink.self, event);
	}
	return OK;
}

static enum err_code windows_end(void *self, const struct event_quality *quality)
{
	struct windows *windows = self;

	for (u32 i = 0; i < windows->nr; i++) {
		struct event_sink sink = analysis_sink(windows->at[i]);

		sink.on_end(sink.self, quality);
	}
	return OK;
}

/* Windows do not share their edges. */
static struct analysis *window_new(u64 from_ns, u64 length_ns)
{
	struct analysis_options options = { .filter = FILTER_NONE };

	options.filter.from = (struct filter_time){ .ns = from_ns, .set = true };
	options.filter.to = (struct filter_time){ .ns = from_ns + length_ns - 1, .set = true };
	return analysis_new(&options);
}

static void take_windows(struct compare *compare, enum compare_side side,
			 const struct windows *windows)
{
	for (u32 i = 0; i < windows->nr; i++) {
		struct measures unit;

		measures_take(&unit, windows->at[i], METRICS_USUAL);
		compare_take(compare, side, &unit);
		measures_fini(&unit);
	}
}

enum err_code compare_trace(struct compare *compare, enum compare_side side, const char *path,
			    const struct compare_span *span, u64 window_ns, struct err *err)
{
	const struct input_options input = { 0 };
	u64 nr = window_ns ? (span->last_ns - span->first_ns) / window_ns : 0;
	struct windows windows;
	enum err_code code;

	if (!nr || nr > COMPARE_MAX_RUNS)
		return err_set(err, ERR_USAGE, path, "has %llu windows of %.9g s: expected 1 to %d",
			       nr, (double)window_ns / 1e9, COMPARE_MAX_RUNS);
	windows = (struct windows){ NEW_ARRAY(struct analysis *, nr), (u32)nr };
	for (u32 i = 0; i < windows.nr; i++)
		windows.at[i] = window_new(span->first_ns + i * window_ns, window_ns);
	code = input_trace(
		path, &input,
		(struct event_sink){ &windows, windows_begin, windows_event, windows_end }, err);
	if (code == OK)
		take_windows(compare, side, &windows);
	for (u32 i = 0; i < windows.nr; i++)
		analysis_free(windows.at[i]);
	free(windows.at);
	return code;
}
