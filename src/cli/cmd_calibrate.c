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
		"{\n\t/* Measured by fairground calibrate on kernel %s, the tracepoints on. */\n"
		"\t\"name\" : \"calibrated\",\n\t\"idle\" : \"no-driver\",\n\t\"costs\" : {\n"
		"\t\t\"switch_ns\" : %u,\n\t\t\"wakeup_ns\" : %u,\n\t\t\"tick_ns\" : %u,\n"
		"\t\t\"timer_ns\" : %u,\n\t\t\"idle_exit_ns\" : %u,\n\t\t\"syscall_ns\" : %u,\n"
		"\t\t\"fork_ns\" : %u,\n\t\t\"thread_ns\" : %u,\n",
		kernel, costs->switch_ns, costs->wakeup_ns, costs->tick_ns, costs->timer_ns,
		costs->idle_exit_ns, costs->syscall_ns, costs->fork_ns, costs->thread_ns);
	if (nr_cpus > 1)
		fprintf(to, "\t\t\"ipi_ns\" : %u,\n\t\t\"ipi_latency_ns\" : %u,\n", costs->ipi_ns,
			costs->ipi_latency_ns);
	fprintf(to, "\t\t\"timer_slack_ns\" : %u\n\t},\n", costs->timer_slack_ns);
	fprintf(to,
		nr_cpus > 1 ? "\t\"cpus\" : [ { \"cpus\" : \"0-%u\" } ]\n}\n"
			    : "\t\"cpus\" : [ { \"cpus\" : \"%u\" } ]\n}\n",
		nr_cpus - 1);
}

static enum err_code put_machine(const struct cli_args *args, const struct machine_costs *costs,
				 const struct calibrate *calibrate, struct err *err)
{
	const char *path = args->values[CLI_OPTION_OUTPUT];
	bool to_stdout = !path || !strcmp(path, "-");
	FILE *to = to_stdout ? stdout : fopen(path, "we");

	if (!to)
		return err_set(err, ERR_IO, path, "%s", strerror(errno));
	print_machine(costs, calibrate->analysis->header.release, calibrate->nr_cpus, to);
	if (!to_stdout && fclose(to))
		return err_set(err, ERR_IO, path, "%s", strerror(errno));
	return OK;
}

/* The experiments on the kernel that is asked for, analysed. */
static enum err_code measure(const struct cli_args *args, u32 nr_cpus, struct analysis *analysis,
			     struct truth_told *told, struct err *err)
{
	struct program program = { .duration_ns = CALIBRATE_NS(nr_cpus), .seed = 1 };
	const char *kernel = args->values[CLI_OPTION_IN_GUEST];
	const struct input_options input = { 0 };
	struct truth_guest guest = { .nr_cpus = nr_cpus };
	FILE *trace = NULL;
	enum err_code code = files_temporary(&trace, err);
	char path[32];

	program.workload = calibrate_workload(nr_cpus);
	program.features = mem_strdup(kernel ? CALIBRATE_FEATURES : "");
	program.buffer_kib = truth_buffer_kib(program.duration_ns);
	if (code == OK && kernel)
		code = truth_kernel_find(kernel, &guest.kernel, err);
	if (code == OK)
		code = kernel ? truth_guest(&guest, &program, trace, told, err)
			      : truth_exec(&program, trace, told, err);
	if (code == OK) {
		files_path_of(trace, path);
		code = input_trace(path, &input, analysis_sink(analysis), err);
	}
	if (trace)
		fclose(trace);
	truth_kernel_fini(&guest.kernel);
	program_fini(&program);
	return code;
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
	const struct analysis_options options = { .filter = FILTER_NONE };
	struct analysis *analysis = analysis_new(&options);
	struct calibrate calibrate;
	struct machine_costs costs;
	struct truth_told told = { 0 };
	struct err err = ERR_NONE;
	u32 nr_cpus;
	u64 hz;
	enum err_code code = read_words(args, &hz, &nr_cpus, &err);

	if (code == OK) {
		calibrate_watch(&calibrate, analysis, nr_cpus);
		code = measure(args, nr_cpus, analysis, &told, &err);
	}
	if (code == OK)
		code = calibrate_costs(&calibrate, hz ? (u32)hz : told.hz, &costs, &err);
	if (code == OK)
		code = put_machine(args, &costs, &calibrate, &err);
	analysis_free(analysis);
	return cli_end(args, code, &err, false);
}
