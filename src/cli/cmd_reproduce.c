/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "experiment/reproduce.h"
#include "report/reproduce.h"

enum cli_status cli_cmd_reproduce(const struct cli_args *args);

/* Everything a reproduction has open. */
struct job {
	const struct cli_args *args;
	const struct scenario *scenario;
	char *path;
	struct workload *workload;
	struct settings settings[COMPARE_NR_SIDES];
	struct settings_setup setups[COMPARE_NR_SIDES];
	struct compare compare;
	struct reproduce reproduce;
	struct cli_progress progress;
	u64 runs;
};

/* The first that was published, if none is named. */
static enum err_code find_scenario(struct job *job, struct err *err)
{
	char known[256] = "";
	size_t used = 0;

	for (u32 i = 0; i < SCENARIO_NR; i++) {
		if (!reproduce_is_published(&scenarios[i]))
			continue;
		if (!job->args->nr_words || !strcmp(job->args->words[0], scenarios[i].name))
			job->scenario = job->scenario ? job->scenario : &scenarios[i];
		if (used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", scenarios[i].name);
	}
	return job->scenario
		       ? OK
		       : err_set(err, ERR_USAGE, NULL, "nothing is published of '%s': expected %s",
				 job->args->words[0], known);
}

static enum err_code open_side(struct job *job, enum compare_side side, struct err *err)
{
	struct settings *settings = &job->settings[side];
	enum err_code code = settings_parse(settings, job->scenario->settings, err);

	cli_settings(job->args, settings);
	if (code == OK)
		code = settings_parse(settings, job->scenario->sides[side], err);
	if (code == OK)
		code = settings_setup(settings, job->workload, &job->setups[side], err);
	return code;
}

static enum err_code open_job(struct job *job, struct err *err)
{
	enum err_code code = find_scenario(job, err);

	if (code == OK)
		code = cli_number(job->args, CLI_OPTION_RUNS, COMPARE_MAX_RUNS, job->scenario->runs,
				  &job->runs, err);
	if (code == OK && job->runs < REPRODUCE_RUNS)
		code = err_set(err, ERR_USAGE, NULL, "--runs: expected %d to %d", REPRODUCE_RUNS,
			       COMPARE_MAX_RUNS);
	if (code == OK)
		code = cli_scenario_workload(job->scenario, &job->path, &job->workload, err);
	for (u32 i = 0; i < COMPARE_NR_SIDES && code == OK; i++)
		code = open_side(job, i, err);
	return code;
}

static enum err_code run_all(struct job *job, struct err *err)
{
	const struct compare_plan plan = {
		.sides = { &job->setups[COMPARE_A].sim, &job->setups[COMPARE_B].sim },
		.runs = (u32)job->runs,
		.perf = reproduce_is_table(job->scenario),
		.threads = (u32)sysconf(_SC_NPROCESSORS_ONLN),
		.progress = cli_progress,
		.progress_self = &job->progress,
	};
	enum err_code code = compare_simulate(&job->compare, &plan, err);

	cli_progress_end(&job->progress);
	if (code != OK)
		return code;
	compare_judge(&job->compare);
	return reproduce_judge(&job->reproduce, job->scenario, &job->compare, &plan, err);
}

static void print(struct job *job)
{
	struct report_setting used[COMPARE_NR_SIDES][SETTINGS_NR];
	struct report_reproduce report = { .reproduce = &job->reproduce,
					   .workload = job->scenario->workload,
					   .runs = (u32)job->runs };

	for (u32 i = 0; i < COMPARE_NR_SIDES; i++) {
		report.nr_settings = cli_settings_used(&job->settings[i], &job->setups[i], used[i]);
		report.settings[i] = used[i];
	}
	if (cli_given(job->args, CLI_OPTION_JSON))
		report_reproduce_json(&report, stdout);
	else
		report_reproduce_text(&report, stdout);
}

enum cli_status cli_cmd_reproduce(const struct cli_args *args)
{
	struct job job = { .args = args };
	struct err err = ERR_NONE;
	enum err_code code = open_job(&job, &err);

	if (code == OK)
		code = run_all(&job, &err);
	if (code == OK)
		print(&job);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++) {
		settings_setup_fini(&job.setups[i]);
		settings_fini(&job.settings[i]);
	}
	compare_fini(&job.compare);
	reproduce_fini(&job.reproduce);
	if (job.workload)
		workload_free(job.workload);
	free(job.path);
	return cli_end(args, code, &err, false);
}
