/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/places.h"
#include "base/rng.h"
#include "cli/real.h"
#include "experiment/settings.h"
#include "input/machine_file.h"
#include "report/validate.h"
#include "truth/files.h"

#define DEFAULT_RUNS 8
#define MAX_RUNS     1000
#define GUEST_RUNS   8        /* between two boots */
#define PHASE_NS     10000000 /* a tick of the slowest HZ: a start is anywhere in it */
#define MARGIN_NS    20000000 /* until all tasks sleep and wait for the start */

enum cli_status cli_cmd_validate(const struct cli_args *args);

/* Everything a validation has open. */
struct job {
	const struct cli_args *args;
	struct cli_real real;
	struct truth_guest guest; /* image NULL: this machine's kernel */
	struct recording
		recording; /* of --keep and --against; what it is of, its runs are in validate */
	struct settings settings;
	struct settings_setup setup;
	struct validate validate;
	struct cli_progress progress;
	u64 runs, seed;
	char cpus[24], hz[16];
};

/* ---- what is asked for ---- */

static enum err_code check_words(const struct cli_args *args, struct err *err)
{
	static const enum cli_option_id with[] = { CLI_OPTION_IN_GUEST, CLI_OPTION_KEEP,
						   CLI_OPTION_CPUS,     CLI_OPTION_RUNS,
						   CLI_OPTION_SEED,     CLI_OPTION_DURATION,
						   CLI_OPTION_FEATURES };

	for (u32 i = 0; cli_given(args, CLI_OPTION_AGAINST) && i < ARRAY_SIZE(with); i++)
		if (cli_given(args, with[i]))
			return err_set(err, ERR_USAGE, NULL,
				       "--%s is said by the recording of --against",
				       cli_options[with[i]].name);
	return OK;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The kernel and its CPUs, as the command line has them. */
static enum err_code open_kernel(struct job *job, struct err *err)
{
	const char *kernel = job->args->values[CLI_OPTION_IN_GUEST];
	enum err_code code = cli_kernel_cpus(job->args, &job->guest.nr_cpus, err);

	return code == OK && kernel ? truth_kernel_find(kernel, &job->guest.kernel, err) : code;
}

/* What a recording of this job is of; version, HZ and clock are known after its first run. */
static enum err_code describe(const struct job *job, struct recording *out, struct err *err)
{
	const char *kernel = job->args->values[CLI_OPTION_IN_GUEST];
	const char *features = job->args->values[CLI_OPTION_FEATURES];
	const char *path = job->args->words[0];

	*out = (struct recording){ .kernel = mem_strdup(kernel ? base_name(kernel) : "this"),
				   .version = mem_strdup(""),
				   .features = mem_strdup(features ? features : ""),
				   .clock = mem_strdup(""),
				   .workload = mem_strdup(base_name(path)),
				   .nr_cpus = job->guest.nr_cpus,
				   .duration_ns = job->real.program.duration_ns,
				   .seed = job->seed };
	return recording_hash(path, &out->hash, err);
}

static enum err_code check_same(const struct recording *a, const struct recording *b,
				const char *path, struct err *err)
{
	if (!strcmp(a->kernel, b->kernel) && !strcmp(a->features, b->features) &&
	    !strcmp(a->hash, b->hash) && a->nr_cpus == b->nr_cpus &&
	    a->duration_ns == b->duration_ns && a->seed == b->seed)
		return OK;
	return err_set(err, ERR_USAGE, NULL,
		       "%s is a recording of something else (%s on %s): name another file", path,
		       a->workload, a->kernel);
}

/* A recording that is not whole is gone on with. */
static enum err_code open_keep(struct job *job, struct err *err)
{
	const char *path = job->args->values[CLI_OPTION_KEEP];
	struct recording old;
	enum err_code code = describe(job, &job->recording, err);

	if (code != OK || !path || access(path, F_OK))
		return code;
	code = recording_read(path, &old, err);
	if (code == OK)
		code = check_same(&old, &job->recording, path, err);
	if (code == OK)
		code = validate_recall(&job->validate, &old, path, err);
	recording_fini(&job->recording);
	job->recording = old;
	return code;
}

static enum err_code open_against(struct job *job, struct err *err)
{
	const char *path = job->args->values[CLI_OPTION_AGAINST];
	enum err_code code = recording_read(path, &job->recording, err);
	char *hash = NULL;

	if (code == OK)
		code = recording_hash(job->args->words[0], &hash, err);
	if (code == OK && strcmp(hash, job->recording.hash))
		code = err_set(err, ERR_USAGE, NULL, "%s: recorded with another %s than this one",
			       path, job->recording.workload);
	free(hash);
	if (code == OK)
		code = validate_recall(&job->validate, &job->recording, path, err);
	job->runs = job->recording.runs;
	job->seed = job->recording.seed;
	job->real.program.duration_ns = job->recording.duration_ns;
	return code;
}

/* ---- the simulator ---- */

static void take_setting(struct job *job, enum cli_option_id option, enum settings_id id,
			 const char *otherwise)
{
	const char *value = job->args->values[option];

	if (!value)
		value = otherwise;
	if (value && *value)
		settings_set(&job->settings, id, value);
}

/* "emulated-@name" if there is such a machine file, else NULL; the caller frees it. */
static char *emulated(const char *name)
{
	char *machine = mem_printf("emulated-%s", name), *path = places_find("machines", machine);

	if (!path) {
		free(machine);
		machine = NULL;
	}
	free(path);
	return machine;
}

/*
 * The name of the machine file that was measured on this kernel under emulation, with so many
 * CPUs or, *@whole false, with one; NULL.
 */
static char *measured_machine(const struct recording *recording, bool *whole)
{
	char *name = mem_printf("%s-%u", recording->kernel, recording->nr_cpus);
	char *more = recording->nr_cpus > 1 ? emulated(name) : NULL;

	free(name);
	*whole = more || recording->nr_cpus == 1;
	return more ? more : emulated(recording->kernel);
}

/* With more CPUs than it has, its costs. */
static enum err_code take_costs(struct job *job, const char *name, struct err *err)
{
	struct machine measured;
	enum err_code code = input_machine(name, &measured, err);

	if (code != OK)
		return code;
	job->setup.machine.costs = measured.costs;
	machine_fini(&measured);
	return OK;
}

/* What is not said follows the kernel: its release, its ticks, its CPUs and their costs. */
static enum err_code open_simulator(struct job *job, struct err *err)
{
	const struct recording *recording = &job->recording;
	const char *release = policy_release_find(recording->kernel) ? recording->kernel : NULL;
	bool whole, given = cli_given(job->args, CLI_OPTION_MACHINE);
	char duration[32], *measured = given ? NULL : measured_machine(recording, &whole);
	enum err_code code;

	settings_setup_fini(&job->setup);
	snprintf(job->cpus, sizeof(job->cpus), "%u", recording->nr_cpus);
	snprintf(duration, sizeof(duration), "%lluns", recording->duration_ns);
	if (recording->hz)
		snprintf(job->hz, sizeof(job->hz), "%u", recording->hz);
	take_setting(job, CLI_OPTION_MACHINE, SETTINGS_MACHINE,
		     measured && whole ? measured : job->cpus);
	take_setting(job, CLI_OPTION_RELEASE, SETTINGS_RELEASE, release);
	take_setting(job, CLI_OPTION_FEATURES, SETTINGS_FEATURES, recording->features);
	take_setting(job, CLI_OPTION_HZ, SETTINGS_HZ, job->hz);
	settings_set(&job->settings, SETTINGS_DURATION, duration);
	code = settings_setup(&job->settings, job->real.program.workload, &job->setup, err);
	if (code == OK && measured && !whole)
		code = take_costs(job, measured, err);
	free(measured);
	return code;
}

static enum err_code open_job(struct job *job, struct err *err)
{
	bool against = cli_given(job->args, CLI_OPTION_AGAINST);
	enum err_code code = check_words(job->args, err);

	if (code == OK)
		code = cli_number(job->args, CLI_OPTION_RUNS, MAX_RUNS, DEFAULT_RUNS, &job->runs,
				  err);
	if (code == OK && !job->runs)
		code = err_set(err, ERR_USAGE, NULL, "--runs: expected 1 to %d", MAX_RUNS);
	if (code == OK && !against)
		code = open_kernel(job, err);
	if (code == OK)
		code = cli_real_open(job->args, &job->real, err);
	if (code != OK)
		return code;
	job->seed = job->real.program.seed;
	validate_init(&job->validate, job->real.program.workload);
	code = against ? open_against(job, err) : open_keep(job, err);
	return code == OK ? open_simulator(job, err) : code;
}

/* ---- the kernel ---- */

static void told_text(char **field, const char *text)
{
	free(*field);
	*field = mem_strdup(text);
}

/* What the first run told about the kernel, and what all gave so far, to --keep. */
static enum err_code keep(struct job *job, const struct analysis *analysis,
			  const struct truth_told *told, struct err *err)
{
	const char *path = job->args->values[CLI_OPTION_KEEP];
	struct recording *recording = &job->recording;

	told_text(&recording->version, analysis->header.release);
	told_text(&recording->clock, told->clock);
	recording->hz = told->hz;
	if (!path)
		return OK;
	recording_drop_runs(recording);
	validate_keep(&job->validate, recording);
	return recording_write(recording, path, err);
}

static enum err_code take_trace(void *self, FILE *trace, const struct truth_told *told,
				struct err *err)
{
	struct job *job = self;
	const struct analysis_options options = { .filter = FILTER_NONE,
						  .throttling_unseen = true };
	const struct input_options input = { 0 };
	struct analysis *analysis = analysis_new(&options);
	enum err_code code;
	char path[32];

	files_path_of(trace, path);
	code = input_trace(path, &input, analysis_sink(analysis), err);
	if (code == OK) {
		validate_take(&job->validate, VALIDATE_KERNEL, analysis);
		code = keep(job, analysis, told, err);
	}
	analysis_free(analysis);
	cli_progress(&job->progress, job->validate.runs[VALIDATE_KERNEL], job->runs);
	return code;
}

static enum err_code run_here(struct job *job, struct err *err)
{
	struct truth_told told = { 0 };
	FILE *trace;
	enum err_code code = files_temporary(&trace, err);

	if (code == OK)
		code = truth_exec(&job->real.program, trace, &told, err);
	if (code == OK)
		code = take_trace(job, trace, &told, err);
	if (trace)
		fclose(trace);
	return code;
}

/* As many of the runs that are left as one guest does. */
static enum err_code kernel_runs(struct job *job, struct err *err)
{
	struct program *program = &job->real.program;
	u32 done = job->validate.runs[VALIDATE_KERNEL], left = (u32)job->runs - done;

	program->seed = job->seed + done;
	program->runs = job->guest.kernel.image ? left < GUEST_RUNS ? left : GUEST_RUNS : 1;
	if (!job->guest.kernel.image)
		return run_here(job, err);
	return truth_guest_runs(&job->guest, program, take_trace, job, err);
}

/* The start lies anywhere between two ticks, as the executor's does. */
static enum err_code simulated_run(struct job *job, struct analysis *analysis, u64 phase_ns,
				   struct err *err)
{
	struct sim_setup setup = job->setup.sim;

	setup.seed = job->real.program.seed;
	setup.start_ns = phase_ns;
	setup.duration_ns += phase_ns;
	setup.settled = true;
	return sim_run(&setup, analysis_sink(analysis), err);
}

static enum err_code simulate(struct job *job, u64 run, bool take, struct err *err)
{
	struct analysis_options options = { .filter = FILTER_NONE, .throttling_unseen = true };
	struct analysis *analysis;
	enum err_code code;
	u64 phase_ns;

	job->real.program.seed = job->seed + run;
	phase_ns = MARGIN_NS + rng_draw(job->real.program.seed, 0, 0, 0) % PHASE_NS;
	options.filter.from = (struct filter_time){ .ns = phase_ns, .set = true };
	analysis = analysis_new(&options);
	code = simulated_run(job, analysis, phase_ns, err);
	if (code == OK && take)
		validate_take(&job->validate, VALIDATE_SIMULATOR, analysis);
	analysis_free(analysis);
	return code;
}

/*
 * One simulated run is first: what the simulator refuses is known before the long part.  But
 * what a kernel did is worth keeping, whatever the simulator cannot do yet.
 */
static enum err_code run_kernel(struct job *job, struct err *err)
{
	bool ask = job->validate.runs[VALIDATE_KERNEL] < job->runs &&
		   !cli_given(job->args, CLI_OPTION_KEEP);
	enum err_code code = ask ? simulate(job, 0, false, err) : OK;

	while (job->validate.runs[VALIDATE_KERNEL] < job->runs && code == OK)
		code = kernel_runs(job, err);
	cli_progress_end(&job->progress);
	return code == OK ? open_simulator(job, err) : code; /* its HZ is known now */
}

static enum err_code run_all(struct job *job, struct err *err)
{
	enum err_code code = OK;

	if (!cli_given(job->args, CLI_OPTION_AGAINST))
		code = run_kernel(job, err);
	for (u64 i = 0; i < job->validate.runs[VALIDATE_KERNEL] && code == OK; i++)
		code = simulate(job, i, true, err);
	return code;
}

static void print(struct job *job)
{
	const struct recording *recording = &job->recording;
	const char *features = settings_value(&job->settings, SETTINGS_FEATURES);
	const struct report_setting used[] = {
		{ "kernel", recording->version },
		{ "cpus", job->cpus },
		{ "clock", recording->clock },
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
	status = cli_end(args, code, &err, job.validate.verdicts[VALIDATE_OFF]);
	validate_fini(&job.validate);
	settings_setup_fini(&job.setup);
	settings_fini(&job.settings);
	recording_fini(&job.recording);
	truth_kernel_fini(&job.guest.kernel);
	cli_real_fini(&job.real);
	return status;
}
