/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "experiment/compare.h"
#include "experiment/gate.h"
#include "experiment/scenarios.h"
#include "experiment/why.h"
#include "input/workload_file.h"
#include "report/compare.h"

#define DEFAULT_RUNS 16

enum cli_status cli_cmd_compare(const struct cli_args *args);

/* One side: a workload that is simulated, or a recording. */
struct side {
	const char *input;
	char *path; /* of a scenario's workload */
	struct settings settings;
	struct workload *workload; /* NULL: a recording */
	struct settings_setup setup;
	struct compare_span span;
	struct report_setting used[SETTINGS_NR];
};

/* Everything a comparison has open. */
struct job {
	const struct cli_args *args;
	const struct scenario *scenario; /* what the word names, if it is no file */
	struct side sides[COMPARE_NR_SIDES];
	struct compare compare;
	struct gates gates;
	struct why why;
	struct cli_progress progress;
	u64 runs, window_ns;
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* What is no workload is a recording, and input_trace() says what is wrong with it. */
static enum err_code open_input(struct job *job, struct side *side, struct err *err)
{
	struct err refused = ERR_NONE;

	if (!strcmp(side->input, "-"))
		return err_set(err, ERR_USAGE, NULL,
			       "'-' can be read only once: expected the name of a file");
	if (input_workload(side->input, &side->workload, &refused) == OK)
		return OK;
	if (refused.code != ERR_FORMAT || ends_with(side->input, ".json")) {
		*err = refused;
		return refused.code;
	}
	if (job->args->nr_words < COMPARE_NR_SIDES)
		return err_set(err, ERR_USAGE, NULL,
			       "'%s' is no workload; a recording is compared with a second one, or "
			       "with a workload",
			       side->input);
	return compare_trace_span(side->input, &side->span, err);
}

static enum err_code open_side(struct job *job, enum compare_side index, struct err *err)
{
	static const enum cli_option_id words[] = { CLI_OPTION_A, CLI_OPTION_B };
	const struct cli_args *args = job->args;
	const char *own = args->values[words[index]];
	struct side *side = &job->sides[index];
	enum err_code code = OK;

	side->input = args->words[args->nr_words > 1 ? index : 0];
	if (job->scenario)
		code = settings_parse(&side->settings, job->scenario->settings, err);
	cli_settings(args, &side->settings);
	if (job->scenario && !own)
		own = job->scenario->sides[index];
	if (code == OK && own)
		code = settings_parse(&side->settings, own, err);
	if (code == OK && job->scenario)
		code = cli_scenario_workload(job->scenario, &side->path, &side->workload, err);
	else if (code == OK)
		code = open_input(job, side, err);
	if (code == OK && own && !side->workload)
		code = err_set(err, ERR_USAGE, NULL, "--%s: '%s' is recorded: it has no settings",
			       cli_options[words[index]].name, side->input);
	if (code == OK && side->workload)
		code = settings_setup(&side->settings, side->workload, &side->setup, err);
	return code;
}

static u64 span_ns(const struct side *side)
{
	return side->span.last_ns - side->span.first_ns;
}

/* The shorter recording has as many windows as there would be runs. */
static enum err_code settle_windows(struct job *job, struct err *err)
{
	struct side *a = &job->sides[COMPARE_A], *b = &job->sides[COMPARE_B];
	u64 shortest_ns = U64_MAX;

	if (cli_given(job->args, CLI_OPTION_WHY) && (!a->workload || !b->workload))
		return err_set(err, ERR_USAGE, NULL,
			       "--why: rules cannot be switched in a recording");
	if (a->workload && b->workload)
		return a->setup.sim.duration_ns == b->setup.sim.duration_ns
			       ? OK
			       : err_set(err, ERR_USAGE, NULL,
					 "A lasts %s and B %s: expected the same",
					 a->setup.duration, b->setup.duration);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++)
		if (!job->sides[i].workload && span_ns(&job->sides[i]) < shortest_ns)
			shortest_ns = span_ns(&job->sides[i]);
	job->window_ns = shortest_ns / job->runs;
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++) {
		struct settings_setup *setup = &job->sides[i].setup;

		setup->sim.duration_ns = job->window_ns;
		snprintf(setup->duration, sizeof(setup->duration), "%.9gs",
			 (double)job->window_ns / 1e9);
	}
	return OK;
}

static enum err_code open_job(struct job *job, struct err *err)
{
	const struct cli_args *args = job->args;
	const char *gates = args->values[CLI_OPTION_FAIL_IF];
	enum err_code code;

	if (args->nr_words == 1 && access(args->words[0], F_OK))
		job->scenario = scenario_find(args->words[0]);
	code = cli_number(args, CLI_OPTION_RUNS, COMPARE_MAX_RUNS,
			  job->scenario ? job->scenario->runs : DEFAULT_RUNS, &job->runs, err);

	if (code == OK && !job->runs)
		code = err_set(err, ERR_USAGE, NULL, "--runs: expected 1 to %d", COMPARE_MAX_RUNS);
	if (code == OK && args->nr_words == 1 && !job->scenario && !cli_given(args, CLI_OPTION_A) &&
	    !cli_given(args, CLI_OPTION_B))
		code = err_set(err, ERR_USAGE, NULL,
			       "expected --a or --b with the settings of a side, or two files");
	if (code == OK && gates)
		code = gates_parse(&job->gates, gates, err);
	for (u32 i = 0; i < COMPARE_NR_SIDES && code == OK; i++)
		code = open_side(job, i, err);
	return code == OK ? settle_windows(job, err) : code;
}

static enum err_code take_side(struct job *job, enum compare_side index,
			       const struct compare_plan *plan, struct err *err)
{
	struct side *side = &job->sides[index];

	if (side->workload)
		return compare_simulate_side(&job->compare, index, plan, err);
	return compare_trace(&job->compare, index, side->input, &side->span, job->window_ns, err);
}

static enum err_code run_all(struct job *job, struct err *err)
{
	const struct compare_plan plan = {
		.sides = { &job->sides[COMPARE_A].setup.sim, &job->sides[COMPARE_B].setup.sim },
		.runs = (u32)job->runs,
		.threads = (u32)sysconf(_SC_NPROCESSORS_ONLN),
		.progress = cli_progress,
		.progress_self = &job->progress,
	};
	enum err_code code = OK;

	if (!job->window_ns)
		code = compare_simulate(&job->compare, &plan, err);
	for (u32 i = 0; i < COMPARE_NR_SIDES && job->window_ns && code == OK; i++)
		code = take_side(job, i, &plan, err);
	if (code != OK) {
		cli_progress_end(&job->progress);
		return code;
	}
	compare_judge(&job->compare);
	if (cli_given(job->args, CLI_OPTION_WHY))
		why_find(&job->why, &job->compare, &plan);
	cli_progress_end(&job->progress);
	return gates_judge(&job->gates, &job->compare, err);
}

static void print(struct job *job)
{
	struct report_compare report = { .compare = &job->compare,
					 .gates = &job->gates,
					 .why = cli_given(job->args, CLI_OPTION_WHY) ? &job->why
										     : NULL,
					 .window_ns = job->window_ns,
					 .colour = cli_wants_colour() };

	for (u32 i = 0; i < COMPARE_NR_SIDES; i++) {
		struct side *side = &job->sides[i];

		report.sides[i].input = side->input;
		if (!side->workload)
			continue;
		report.sides[i].nr_settings =
			cli_settings_used(&side->settings, &side->setup, side->used);
		report.sides[i].settings = side->used;
	}
	if (cli_given(job->args, CLI_OPTION_JSON))
		report_compare_json(&report, stdout);
	else
		report_compare_text(&report, stdout);
}

static void close_side(struct side *side)
{
	settings_setup_fini(&side->setup);
	settings_fini(&side->settings);
	free(side->path);
	if (side->workload)
		workload_free(side->workload);
}

enum cli_status cli_cmd_compare(const struct cli_args *args)
{
	struct job job = { .args = args };
	struct err err = ERR_NONE;
	enum err_code code = open_job(&job, &err);
	enum cli_status status;

	if (code == OK)
		code = run_all(&job, &err);
	if (code == OK)
		print(&job);
	status = cli_end(args, code, &err, job.gates.failed);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++)
		close_side(&job.sides[i]);
	compare_fini(&job.compare);
	why_fini(&job.why);
	gates_fini(&job.gates);
	return status;
}
