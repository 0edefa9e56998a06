/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "cli/real.h"
#include "experiment/settings.h"
#include "report/validate.h"
#include "truth/files.h"

#define DEFAULT_RUNS 8
#define MAX_RUNS     1000
#define MAX_CPUS     64
#define PHASE_NS     10000000 /* a tick of the slowest HZ: a start is anywhere in it */

enum cli_status cli_cmd_validate(const struct cli_args *args);

/* Everything a validation has open. */
struct job {
	const struct cli_args *args;
	struct cli_real real;
	struct truth_guest guest; /* image NULL: this machine's kernel */
	struct settings settings;
	struct settings_setup setup;
	struct validate validate;
	struct cli_progress progress;
	u64 runs, seed;
	char cpus[24];
};

static void take_setting(struct job *job, enum cli_option_id option, enum settings_id id,
			 const char *otherwise)
{
	const char *value = job->args->values[option];

	if (!value)
		value = otherwise;
	if (value)
		settings_set(&job->settings, id, value);
}

/* What is not said follows the kernel: its release, its CPUs. */
static enum err_code open_simulator(struct job *job, struct err *err)
{
	const char *kernel = job->args->values[CLI_OPTION_IN_GUEST];

	if (kernel && strchr(kernel, '/'))
		kernel = NULL; /* an image does not tell its release */
	take_setting(job, CLI_OPTION_MACHINE, SETTINGS_MACHINE, job->cpus);
	take_setting(job, CLI_OPTION_RELEASE, SETTINGS_RELEASE, kernel);
	take_setting(job, CLI_OPTION_FEATURES, SETTINGS_FEATURES, NULL);
	take_setting(job, CLI_OPTION_HZ, SETTINGS_HZ, NULL);
	take_setting(job, CLI_OPTION_DURATION, SETTINGS_DURATION, NULL);
	return settings_setup(&job->settings, job->real.program.workload, &job->setup, err);
}

static enum err_code open_kernel(struct job *job, struct err *err)
{
	const char *kernel = job->args->values[CLI_OPTION_IN_GUEST];
	u64 nr = 1;

	if (!kernel && cli_given(job->args, CLI_OPTION_CPUS))
		return err_set(err, ERR_USAGE, NULL, "--cpus needs --guest");
	if (cli_number(job->args, CLI_OPTION_CPUS, MAX_CPUS, 1, &nr, err))
		return ERR_USAGE;
	if (!nr)
		return err_set(err, ERR_USAGE, NULL, "--cpus: expected 1 to %d", MAX_CPUS);
	job->guest.nr_cpus = (u32)nr;
	snprintf(job->cpus, sizeof(job->cpus), "%llu",
		 kernel ? nr : (u64)sysconf(_SC_NPROCESSORS_ONLN));
	return kernel ? truth_kernel_find(kernel, &job->guest.kernel, err) : OK;
}

static enum err_code open_job(struct job *job, struct err *err)
{
	enum err_code code =
		cli_number(job->args, CLI_OPTION_RUNS, MAX_RUNS, DEFAULT_RUNS, &job->runs, err);

	if (code == OK && !job->runs)
		code = err_set(err, ERR_USAGE, NULL, "--runs: expected 1 to %d", MAX_RUNS);
	if (code == OK)
		code = open_kernel(job, err);
	if (code == OK)
		code = cli_real_open(job->args, &job->real, err);
	if (code == OK)
		code = open_simulator(job, err);
	if (code != OK)
		return code;
	job->seed = job->real.program.seed;
	validate_init(&job->validate, job->real.program.workload);
	return OK;
}

static enum err_code kernel_run(struct job *job, struct err *err)
{
	const struct analysis_options options = { .filter = FILTER_NONE };
	const struct input_options input = { 0 };
	struct analysis *analysis = analysis_new(&options);
	FILE *trace;
	enum err_code code = files_temporary(&trace, err);
	char path[32];

	if (code == OK && job->guest.kernel.image)
		code = truth_guest(&job->guest, &job->real.program, trace, err);
	else if (code == OK)
		code = truth_exec(&job->real.program, trace, err);
	if (code == OK) {
		files_path_of(trace, path);
		code = input_trace(path, &input, analysis_sink(analysis), err);
	}
	if (code == OK)
		validate_take(&job->validate, VALIDATE_KERNEL, analysis);
	analysis_free(analysis);
	if (trace)
		fclose(trace);
	return code;
}

static void delay_all(struct workload *workload, s64 ns)
{
	vec_for_each(task, &workload->tasks)
		task->delay_ns = (u64)((s64)task->delay_ns + ns);
}

/* The start lies anywhere between two ticks, as the executor's does. */
static enum err_code simulated_run(struct job *job, struct err *err)
{
	u64 seed = job->real.program.seed, phase_ns = rng_draw(seed, 0, 0, 0) % PHASE_NS;
	struct analysis_options options = { .filter = FILTER_NONE };
	struct sim_setup setup = job->setup.sim;
	struct analysis *analysis;
	enum err_code code;

	options.filter.from = (struct filter_time){ .ns = phase_ns, .set = true };
	analysis = analysis_new(&options);
	setup.seed = seed;
	setup.duration_ns += phase_ns;
	delay_all(job->real.program.workload, (s64)phase_ns);
	code = sim_run(&setup, analysis_sink(analysis), err);
	delay_all(job->real.program.workload, -(s64)phase_ns);
	if (code == OK)
		validate_take(&job->validate, VALIDATE_SIMULATOR, analysis);
	analysis_free(analysis);
	return code;
}

/* The simulator first: what it refuses is known before the long part. */
static enum err_code run_all(struct job *job, struct err *err)
{
	enum err_code code = OK;

	for (u64 i = 0; i < job->runs && code == OK; i++) {
		job->real.program.seed = job->seed + i;
		code = simulated_run(job, err);
		if (code == OK)
			code = kernel_run(job, err);
		cli_progress(&job->progress, i + 1, job->runs);
	}
	cli_progress_end(&job->progress);
	return code;
}

static void print(struct job *job)
{
	const char *kernel = job->args->values[CLI_OPTION_IN_GUEST];
	const char *features = settings_value(&job->settings, SETTINGS_FEATURES);
	const struct report_setting used[] = {
		{ "kernel", kernel ? kernel : "this machine's" },
		{ "cpus", job->cpus },
		{ "machine", settings_value(&job->settings, SETTINGS_MACHINE) },
		{ "release", settings_value(&job->settings, SETTINGS_RELEASE) },
		{ "features", *features ? features : "default" },
		{ "hz", settings_value(&job->settings, SETTINGS_HZ) },
		{ "duration", job->setup.duration },
	};
	const struct report_validate report = { &job->validate, used, ARRAY_SIZE(used) };

	validate_judge(&job->validate);
	if (cli_given(job->args, CLI_OPTION_JSON))
		report_validate_json(&report, stdout);
	else
		report_validate_text(&report, stdout);
}

enum cli_status cli_cmd_validate(const struct cli_args *args)
{
	struct job job = { .args = args };
	struct err err = ERR_NONE;
	enum err_code code = open_job(&job, &err);
	enum cli_status status;

	if (code == OK)
		code = run_all(&job, &err);
	if (code == OK)
		print(&job);
	status = code == OK ? cli_stdout_status() : cli_fail(args, &err);
	if (status == CLI_DONE && job.validate.verdicts[VALIDATE_OFF])
		status = CLI_CHECK_FAILED;
	validate_fini(&job.validate);
	settings_setup_fini(&job.setup);
	settings_fini(&job.settings);
	truth_kernel_fini(&job.guest.kernel);
	cli_real_fini(&job.real);
	return status;
}
