/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "cli/real.h"

enum cli_status cli_cmd_guest(const struct cli_args *args);

static enum cli_status fetch(const struct cli_args *args)
{
	const char *release = args->values[CLI_OPTION_FETCH];
	struct err err = ERR_NONE;
	char *version;

	if (truth_kernel_fetch(release, &version, &err))
		return cli_fail(args, &err);
	printf("%s: %s\n", release, version);
	free(version);
	return cli_stdout_status();
}

static enum err_code check_words(const struct cli_args *args, struct err *err)
{
	if (!args->nr_words)
		return err_set(err, ERR_USAGE, NULL, "expected WORKLOAD, or --fetch RELEASE");
	if (!cli_given(args, CLI_OPTION_KERNEL))
		return err_set(err, ERR_USAGE, NULL, "expected --kernel RELEASE or IMAGE");
	return OK;
}

static enum err_code read_guest(const struct cli_args *args, struct truth_guest *guest,
				struct err *err)
{
	enum err_code code = check_words(args, err);

	if (code == OK)
		code = cli_guest_cpus(args, &guest->nr_cpus, err);
	if (code == OK)
		code = truth_kernel_find(args->values[CLI_OPTION_KERNEL], &guest->kernel, err);
	return code;
}

static enum err_code report(const struct cli_args *args, struct cli_real *real,
			    const struct truth_guest *guest, struct err *err)
{
	const char *features = real->program.features;
	char cpus[16];
	const struct report_setting used[] = {
		{ "kernel", args->values[CLI_OPTION_KERNEL] },
		{ "cpus", cpus },
		{ "features", *features ? features : "default" },
		{ "duration", real->duration },
		{ "clock", real->told.clock },
	};

	snprintf(cpus, sizeof(cpus), "%u", guest->nr_cpus);
	return cli_real_report(args, real, used, ARRAY_SIZE(used), err);
}

enum cli_status cli_cmd_guest(const struct cli_args *args)
{
	struct truth_guest guest = { .nr_cpus = 1 };
	struct cli_real real = { 0 };
	struct err err = ERR_NONE;
	enum err_code code;

	if (cli_given(args, CLI_OPTION_FETCH))
		return fetch(args);
	code = read_guest(args, &guest, &err);
	if (code == OK)
		code = cli_real_open(args, &real, &err);
	if (code == OK)
		code = truth_guest(&guest, &real.program, real.trace, &real.told, &err);
	if (code == OK)
		code = report(args, &real, &guest, &err);
	cli_real_fini(&real);
	truth_kernel_fini(&guest.kernel);
	return cli_end(args, code, &err, false);
}
