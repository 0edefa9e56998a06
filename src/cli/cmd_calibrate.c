/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/real.h"
#include "experiment/calibrate.h"
#include "experiment/settings.h"
#include "truth/files.h"

enum cli_status cli_cmd_calibrate(const struct cli_args *args);

static void print_machine(const struct machine_costs *costs, const char *kernel, u32 nr_cpus,
			  FILE *to)
{
	fprintf(to,
		"{\n\t/* Measured by fairground calibrate on kernel %s, the tracepoints on%s. */\n"
		"\t\"name\" : \"calibrated\",\n\t\"idle\" : \"no-driver\",\n\t\"costs\" : {\n"
		"\t\t\"pick_ns\" : %u,\n\t\t\"switch_ns\" : %u,\n\t\t\"wakeup_ns\" : %u,\n\t\t\"tick_ns\" : %u,\n"
		"\t\t\"timer_ns\" : %u,\n\t\t\"idle_exit_ns\" : %u,\n\t\t\"syscall_ns\" : %u,\n"
		"\t\t\"fork_ns\" : %u,\n\t\t\"thread_ns\" : %u,\n",
		kernel, nr_cpus > 1 ? "; balance_cpu_ns and stopper_ns are the presets'" : "",
		costs->pick_ns, costs->switch_ns, costs->wakeup_ns, costs->tick_ns, costs->timer_ns,
		costs->idle_exit_ns, costs->syscall_ns, costs->fork_ns, costs->thread_ns);
	if (nr_cpus > 1)
		fprintf(to, "\t\t\"ipi_ns\" : %u,\n\t\t\"ipi_latency_ns\" : %u,\n", costs->ipi_ns,
			costs->ipi_latency_ns);
	fprintf(to, "\t\t\"waver_ns\" : %u,\n\t\t\"timer_slack_ns\" : %u\n\t},\n", costs->waver_ns,
		costs->timer_slack_ns);
	fprintf(to,
		nr_cpus > 1 ? "\t\"cpus\" : [ { \"cpus\" : \"0-%u\" } ]\n}\n"
			    : "\t\"cpus\" : [ { \"cpus\" : \"%u\" } ]\n}\n",
		nr_cpus - 1);
}

/* What is measured, and of what. */
struct job {
	const struct cli_args *args;
	struct truth_guest guest; /* image NULL: this machine's kernel */
	struct analysis *parts[CALIBRATE_NR_PARTS];
	struct calibrate calibrate;
	struct truth_told told;
	u64 hz;
};

static enum err_code put_machine(const struct job *job, const struct machine_costs *costs,
				 struct err *err)
{
	const char *path = job->args->values[CLI_OPTION_OUTPUT];
	bool to_stdout = !path || !strcmp(path, "-");
	FILE *to = to_stdout ? stdout : fopen(path, "we");

	if (!to)
		return err_set(err, ERR_IO, path, "%s", strerror(errno));
	print_machine(costs, job->parts[CALIBRATE_NEAR]->header.release, job->guest.nr_cpus, to);
	if (!to_stdout && fclose(to))
		return err_set(err, ERR_IO, path, "%s", strerror(errno));
	return OK;
}

static enum err_code analyse(struct job *job, enum calibrate_part part, FILE *trace,
			     struct err *err)
{
	const struct analysis_options options = { .filter = FILTER_NONE };
	const struct input_options input = { 0 };
	struct event_sink sink;
	char path[32];

	job->parts[part] = analysis_new(&options);
	sink = calibrate_watch(&job->calibrate, part, job->parts[part]);
	files_path_of(trace, path);
	return input_trace(path, &input, sink, err);
}

/* The experiments of a part on the kernel that is asked for, analysed. */
static enum err_code measure(struct job *job, enum calibrate_part part, struct err *err)
{
	bool in_guest = job->guest.kernel.image;
	struct program program = { .duration_ns = calibrate_duration_ns(part), .seed = 1 };
	FILE *trace = NULL;
	enum err_code code = files_temporary(&trace, err);

	program.workload = calibrate_workload(part);
	program.features = mem_strdup(in_guest ? CALIBRATE_FEATURES : "");
	program.buffer_kib = truth_buffer_kib(program.duration_ns);
	if (code == OK)
		code = in_guest ? truth_guest(&job->guest, &program, trace, &job->told, err)
				: truth_exec(&program, trace, &job->told, err);
	if (code == OK)
		code = analyse(job, part, trace, err);
	if (trace)
		fclose(trace);
	program_fini(&program);
	return code;
}

/* CPUs that take turns are exact only as long as none idles: what one does alone is measured with one. */
static enum err_code measure_all(struct job *job, struct err *err)
{
	u32 nr_cpus = job->guest.nr_cpus;
	enum err_code code = nr_cpus > 1 ? measure(job, CALIBRATE_FAR, err) : OK;

	if (job->told.turns)
		job->guest.nr_cpus = 1;
	if (code == OK)
		code = measure(job, CALIBRATE_NEAR, err);
	job->guest.nr_cpus = nr_cpus;
	return code;
}

static enum err_code open_kernel(struct job *job, struct err *err)
{
	const char *kernel = job->args->values[CLI_OPTION_IN_GUEST];

	return kernel ? truth_kernel_find(kernel, &job->guest.kernel, err) : OK;
}

static enum err_code read_words(const struct cli_args *args, u64 *hz, u32 *nr_cpus, struct err *err)
{
	*hz = 0;
	if (cli_given(args, CLI_OPTION_HZ) &&
	    settings_number(args->values[CLI_OPTION_HZ], "--hz", 1000, hz, err))
		return ERR_USAGE;
	if (cli_given(args, CLI_OPTION_HZ) && *hz < 100)
		return err_set(err, ERR_USAGE, NULL, "--hz: expected 100 to 1000");
	return cli_kernel_cpus(args, nr_cpus, err);
}

enum cli_status cli_cmd_calibrate(const struct cli_args *args)
{
	struct job job = { .args = args };
	struct machine_costs costs;
	struct err err = ERR_NONE;
	enum err_code code = read_words(args, &job.hz, &job.guest.nr_cpus, &err);

	if (code == OK)
		code = open_kernel(&job, &err);
	if (code == OK)
		code = measure_all(&job, &err);
	if (code == OK)
		code = calibrate_costs(&job.calibrate, job.hz ? (u32)job.hz : job.told.hz, &costs,
				       &err);
	if (code == OK)
		code = put_machine(&job, &costs, &err);
	calibrate_fini(&job.calibrate);
	for (u32 i = 0; i < CALIBRATE_NR_PARTS; i++)
		analysis_free(job.parts[i]);
	truth_kernel_fini(&job.guest.kernel);
	return cli_end(args, code, &err, false);
}
