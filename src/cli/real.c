/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/real.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "experiment/settings.h"
#include "input/workload_file.h"
#include "truth/files.h"

#define DEFAULT_NS     60000000000ull
#define MAX_GUEST_CPUS 64

static enum err_code take_duration(const struct cli_args *args, struct cli_real *real,
				   struct err *err)
{
	const char *text = args->values[CLI_OPTION_DURATION];
	u64 *ns = &real->program.duration_ns;

	*ns = real->program.workload->duration_ns;
	if (!*ns)
		*ns = DEFAULT_NS;
	if (text && settings_duration(text, "--duration", ns, err))
		return ERR_USAGE;
	if (text)
		snprintf(real->duration, sizeof(real->duration), "%s", text);
	else
		snprintf(real->duration, sizeof(real->duration), "%gs", (double)*ns / 1e9);
	return OK;
}

static enum err_code open_trace(const struct cli_args *args, struct cli_real *real, struct err *err)
{
	const char *path = args->values[CLI_OPTION_OUTPUT];

	if (!path || !strcmp(path, "-"))
		return files_temporary(&real->trace, err);
	real->trace = fopen(path, "w+");
	return real->trace ? OK : err_set(err, ERR_IO, path, "%s", strerror(errno));
}

enum err_code cli_real_open(const struct cli_args *args, struct cli_real *real, struct err *err)
{
	const char *features = args->values[CLI_OPTION_FEATURES];
	enum err_code code = cli_view(args, &real->view, err);

	if (code == OK)
		code = input_workload(args->words[0], &real->program.workload, err);
	if (code == OK && real->program.workload->changes.nr)
		code = err_set(err, ERR_USAGE, args->words[0],
			       "\"changes\" of the machine are simulated only: expected a workload "
			       "without them");
	if (code == OK)
		code = take_duration(args, real, err);
	if (code == OK)
		code = cli_number(args, CLI_OPTION_SEED, U64_MAX, 1, &real->program.seed, err);
	if (code == OK)
		code = open_trace(args, real, err);
	real->program.features = mem_strdup(features ? features : "");
	real->program.buffer_kib = truth_buffer_kib(real->program.duration_ns);
	return code;
}

static enum err_code copy_to_stdout(FILE *trace)
{
	char block[65536];
	size_t got;

	rewind(trace);
	while ((got = fread(block, 1, sizeof(block), trace)) &&
	       fwrite(block, 1, got, stdout) == got)
		;
	return OK; /* cli_stdout_status() tells what became of it */
}

enum err_code cli_real_report(const struct cli_args *args, struct cli_real *real,
			      const struct report_setting *settings, u32 nr_settings,
			      struct err *err)
{
	const char *output = args->values[CLI_OPTION_OUTPUT];
	const struct input_options input = { 0 };
	struct analysis *analysis;
	enum err_code code;
	char path[32];

	if (output && !strcmp(output, "-"))
		return copy_to_stdout(real->trace);
	analysis = analysis_new(&real->view.options);
	files_path_of(real->trace, path);
	code = input_trace(path, &input, analysis_sink(analysis), err);
	if (code == OK)
		cli_report(args, analysis, args->words[0], settings, nr_settings, real->view.top);
	analysis_free(analysis);
	return code;
}

void cli_real_fini(struct cli_real *real)
{
	if (real->trace)
		fclose(real->trace);
	program_fini(&real->program);
}

enum err_code cli_guest_cpus(const struct cli_args *args, u32 *nr, struct err *err)
{
	u64 asked = 1;

	if (cli_number(args, CLI_OPTION_CPUS, MAX_GUEST_CPUS, 1, &asked, err))
		return ERR_USAGE;
	if (!asked)
		return err_set(err, ERR_USAGE, NULL, "--cpus: expected 1 to %d", MAX_GUEST_CPUS);
	*nr = (u32)asked;
	return OK;
}

enum err_code cli_kernel_cpus(const struct cli_args *args, u32 *nr, struct err *err)
{
	if (cli_given(args, CLI_OPTION_IN_GUEST))
		return cli_guest_cpus(args, nr, err);
	*nr = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	if (cli_given(args, CLI_OPTION_CPUS))
		return err_set(err, ERR_USAGE, NULL, "--cpus needs --guest");
	return OK;
}
