/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli - the command line: commands, options, exit statuses.  Only here is anything
 * printed to the terminal, and only main() ends the program.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "base/err.h"
#include "input/input.h"
#include "machine/machine.h"

enum cli_status {
	CLI_DONE = 0,
	CLI_CHECK_FAILED = 1, /* done, and the check that was asked for failed */
	CLI_USAGE = 2,
	CLI_BAD_INPUT = 3,
	CLI_ABSENT = 4, /* something needed is not here */
};

enum cli_command_id {
#define CLI_COMMAND(id, name, words, fewest, most, what) CLI_##id,
#include "cli/commands.def"
	CLI_NR_COMMANDS
};

enum cli_option_id {
#define CLI_OPTION(id, name, letter, argument, commands, what) CLI_OPTION_##id,
#include "cli/options.def"
	CLI_NR_OPTIONS
};

struct cli_option {
	const char *name;
	char letter;
	const char *argument; /* NULL: takes none */
	u32 commands;         /* bit per enum cli_command_id */
	const char *what;
};
extern const struct cli_option cli_options[CLI_NR_OPTIONS];

struct cli_args;
struct cli_command {
	const char *name, *words;
	int fewest, most; /* words */
	const char *what;
	enum cli_status (*run)(const struct cli_args *args);
};
extern const struct cli_command cli_commands[CLI_NR_COMMANDS];

struct cli_args {
	enum cli_command_id command;
	const char *values[CLI_NR_OPTIONS]; /* NULL: not given; "" of one without argument */
	char **words;
	int nr_words;
};

static inline bool cli_given(const struct cli_args *args, enum cli_option_id option)
{
	return args->values[option] != NULL;
}

/* Options and words of @command from argv[1] on.  ERR_USAGE says which one is wrong. */
enum err_code cli_parse(struct cli_args *args, enum cli_command_id command, int argc, char **argv,
			struct err *err);
void cli_help(enum cli_command_id command, FILE *to);
/* A number up to @max, or @otherwise if the option was not given. */
enum err_code cli_number(const struct cli_args *args, enum cli_option_id option, u64 max,
			 u64 otherwise, u64 *out, struct err *err);

/* Prints the fault as one line, for usage with a hint, and returns the exit status it means. */
enum cli_status cli_fail(const struct cli_args *args, const struct err *err);
/* After the last write to standard output: a reader that went away is no fault, a full disk is. */
enum cli_status cli_stdout_status(void);
/*
 * How a command ends that came to @code: the fault is printed, or standard output is the last that
 * can fail; @check_failed: all went well, but what was asked does not hold.
 */
enum cli_status cli_end(const struct cli_args *args, enum err_code code, const struct err *err,
			bool check_failed);
/* Standard output is a pipe that nobody reads any more. */
bool cli_stdout_gone(void);

/* The options of a report, from the command line.  cli_view_fini() in either case. */
struct cli_view {
	struct analysis_options options;
	u32 top;
	u64 cpus[MACHINE_MAX_CPUS / 64];
};
enum err_code cli_view(const struct cli_args *args, struct cli_view *view, struct err *err);
/* The filter that --from, --to and --cpu describe; @cpus holds MACHINE_MAX_CPUS bits. */
enum err_code cli_filter(const struct cli_args *args, struct filter *filter, u64 *cpus,
			 struct err *err);

/* A percentage on standard error while something long goes on; silent if it is no terminal. */
struct cli_progress {
	bool shown;
	u32 percent;
	u64 total;
};
void cli_progress(void *self, u64 done, u64 total);
void cli_progress_end(struct cli_progress *progress);

/* A trace written to a file; "-" is standard output. */
struct cli_writer;
enum err_code cli_writer_open(struct cli_writer **out, const char *path, const char *format,
			      struct err *err);
struct event_sink cli_writer_sink(struct cli_writer *writer);
/* ERR_IO if something did not get written.  NULL is no writer. */
enum err_code cli_writer_close(struct cli_writer *writer, struct err *err);

struct scenario;
struct workload;
/* The workload of a scenario, which comes with the program; the caller frees both. */
enum err_code cli_scenario_workload(const struct scenario *scenario, char **path,
				    struct workload **workload, struct err *err);

struct settings;
struct settings_setup;
struct report_setting;
/* The settings of a simulation that the command line has; the others stay as they are. */
void cli_settings(const struct cli_args *args, struct settings *settings);
/* What was used, for the report; @used has room for SETTINGS_NR.  Returns how many. */
u32 cli_settings_used(const struct settings *settings, const struct settings_setup *setup,
		      struct report_setting *used);
/* Standard output is a terminal that is to have colour. */
bool cli_wants_colour(void);
/* The report as --json, --top and the terminal ask for it. */
void cli_report(const struct cli_args *args, const struct analysis *analysis, const char *input,
		const struct report_setting *settings, u32 nr_settings, u32 top);

#endif
