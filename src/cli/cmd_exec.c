/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/real.h"

enum cli_status cli_cmd_exec(const struct cli_args *args);

enum cli_status cli_cmd_exec(const struct cli_args *args)
{
	struct cli_real real = { 0 };
	struct err err = ERR_NONE;
	enum err_code code = cli_real_open(args, &real, &err);

	if (code == OK)
		code = truth_exec(&real.program, real.trace, &real.told, &err);
	if (code == OK) {
		const struct report_setting used[] = { { "duration", real.duration } };

		code = cli_real_report(args, &real, used, ARRAY_SIZE(used), &err);
	}
	cli_real_fini(&real);
	return cli_end(args, code, &err, false);
}
