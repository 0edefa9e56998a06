/* SPDX-License-Identifier: GPL-2.0-only */
/* view - what of a stream is wanted: filters, lists, how it is printed. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "experiment/settings.h"
#include "input/cpulist.h"
#include "report/report.h"

#define DEFAULT_TOP 30
#define MAX_WORST   100000

/* "1.5": since the stream began; "@1.5": on the trace's clock. */
static enum err_code read_time(const struct cli_args *args, enum cli_option_id option,
			       struct filter_time *time, struct err *err)
{
	const char *text = args->values[option];
	char seconds[64], name[16];

	if (!text)
		return OK;
	time->set = true;
	time->absolute = *text == '@';
	snprintf(name, sizeof(name), "--%s", cli_options[option].name);
	snprintf(seconds, sizeof(seconds), "%ss", text + time->absolute);
	if (strspn(text + time->absolute, "0.") == strlen(text + time->absolute) &&
	    text[time->absolute] == '0')
		return OK; /* 0, which is no duration */
	if (settings_duration(seconds, name, &time->ns, NULL))
		return err_set(err, ERR_USAGE, NULL,
			       "%s: '%s' is not a time: expected seconds, as 1.5, or @12.5 on the "
			       "trace's clock",
			       name, text);
	return OK;
}

static enum err_code read_cpus(const struct cli_args *args, struct filter *filter, u64 *cpus,
			       struct err *err)
{
	const char *text = args->values[CLI_OPTION_CPU];
	struct cpulist list = { 0 };
	enum err_code code = OK;

	if (!text)
		return OK;
	if (!cpulist_read(&list, text) || !list.cpus.nr)
		code = err_set(err, ERR_USAGE, NULL,
			       "--cpu: '%s' is not a list of CPUs, as in 0-3,6", text);
	for (size_t i = 0; code == OK && i < list.cpus.nr; i++)
		cpus[list.cpus.at[i] / 64] |= 1ULL << (list.cpus.at[i] % 64);
	cpulist_fini(&list);
	filter->cpus = cpus;
	filter->nr_cpu_words = MACHINE_MAX_CPUS / 64;
	return code;
}

enum err_code cli_filter(const struct cli_args *args, struct filter *filter, u64 *cpus,
			 struct err *err)
{
	u64 pid;

	*filter = FILTER_NONE;
	if (read_time(args, CLI_OPTION_FROM, &filter->from, err) ||
	    read_time(args, CLI_OPTION_TO, &filter->to, err) ||
	    read_cpus(args, filter, cpus, err) ||
	    cli_number(args, CLI_OPTION_PID, 0x7fffffff, 0, &pid, err))
		return ERR_USAGE;
	if (cli_given(args, CLI_OPTION_PID))
		filter->pid = (s32)pid;
	filter->task = args->values[CLI_OPTION_TASK];
	return OK;
}

enum err_code cli_view(const struct cli_args *args, struct cli_view *view, struct err *err)
{
	u64 top, worst;

	*view = (struct cli_view){ 0 };
	if (cli_filter(args, &view->options.filter, view->cpus, err) ||
	    cli_number(args, CLI_OPTION_TOP, 0xffffffff, DEFAULT_TOP, &top, err) ||
	    cli_number(args, CLI_OPTION_WORST, MAX_WORST, 0, &worst, err))
		return ERR_USAGE;
	view->top = (u32)top;
	view->options.worst = (u32)worst;
	view->options.per_thread = cli_given(args, CLI_OPTION_PER_THREAD);
	view->options.perf_compat = cli_given(args, CLI_OPTION_PERF_COMPAT);
	return OK;
}

/* https://no-color.org: set and not empty means none. */
bool cli_wants_colour(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       !(term && !strcmp(term, "dumb"));
}

void cli_report(const struct cli_args *args, const struct analysis *analysis, const char *input,
		const struct report_setting *settings, u32 nr_settings, u32 top)
{
	static const enum cli_option_id filters[] = {
		CLI_OPTION_FROM, CLI_OPTION_TO, CLI_OPTION_CPU, CLI_OPTION_TASK, CLI_OPTION_PID,
	};
	struct report_setting all[CLI_NR_OPTIONS];
	struct report report = { .input = input,
				 .analysis = analysis,
				 .settings = all,
				 .top = top,
				 .colour = cli_wants_colour() };

	for (u32 i = 0; i < nr_settings; i++)
		all[report.nr_settings++] = settings[i];
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if (cli_given(args, filters[i]))
			all[report.nr_settings++] =
				(struct report_setting){ cli_options[filters[i]].name,
							 args->values[filters[i]] };
	if (cli_given(args, CLI_OPTION_JSON))
		report_json(&report, stdout);
	else
		report_text(&report, stdout);
}
