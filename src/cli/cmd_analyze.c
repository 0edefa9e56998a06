/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli.h"
#include "report/report.h"

enum cli_status cli_cmd_analyze(const struct cli_args *args);

enum cli_status cli_cmd_analyze(const struct cli_args *args)
{
	struct cli_progress progress = { 0 };
	const struct input_options input = { cli_progress, &progress };
	struct err err = ERR_NONE;
	struct analysis *analysis;
	struct cli_view view;
	enum err_code code;

	if (cli_view(args, &view, &err))
		return cli_fail(args, &err);
	analysis = analysis_new(&view.options);
	code = input_trace(args->words[0], &input, analysis_sink(analysis), &err);
	cli_progress_end(&progress);
	if (code == OK)
		cli_report(args, analysis, args->words[0], NULL, 0, view.top);
	analysis_free(analysis);
	return cli_end(args, code, &err, false);
}
