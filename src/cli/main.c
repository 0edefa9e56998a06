/* SPDX-License-Identifier: GPL-2.0-only */
/* fairground - a laboratory for the Linux fair scheduler. */
#include <signal.h>

#include "cli/cli.h"

#define CLI_COMMAND(id, name, words, fewest, most, what) \
	enum cli_status cli_cmd_##name(const struct cli_args *args);
#include "cli/commands.def"

const struct cli_command cli_commands[CLI_NR_COMMANDS] = {
#define CLI_COMMAND(id, name, words, fewest, most, what) \
	{ #name, words, fewest, most, what, cli_cmd_##name },
#include "cli/commands.def"
};

static void usage(FILE *to)
{
	fputs("usage: fairground COMMAND [OPTION]... WORD...\n\n", to);
	for (u32 i = 0; i < CLI_NR_COMMANDS; i++)
		fprintf(to, "  %-9s %s\n", cli_commands[i].name, cli_commands[i].what);
	fputs("\nfairground COMMAND --help tells more; fairground --version the version.\n", to);
}

static enum cli_status run_command(enum cli_command_id id, int argc, char **argv)
{
	struct err err = ERR_NONE;
	struct cli_args args;

	if (cli_parse(&args, id, argc, argv, &err))
		return cli_fail(&args, &err);
	if (!cli_given(&args, CLI_OPTION_HELP))
		return cli_commands[id].run(&args);
	cli_help(id, stdout);
	return cli_stdout_status();
}

static enum cli_status no_command(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		usage(stdout);
		return cli_stdout_status();
	}
	if (!strcmp(word, "--version")) {
		puts("fairground " FAIRGROUND_VERSION);
		return cli_stdout_status();
	}
	fprintf(stderr, "fairground: no command '%s'; try: fairground --help\n", word);
	return CLI_USAGE;
}

int main(int argc, char **argv)
{
	/* A reader that goes away shows as a failed write: cli_stdout_status(). */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		usage(stderr);
		return CLI_USAGE;
	}
	for (u32 i = 0; i < CLI_NR_COMMANDS; i++)
		if (!strcmp(argv[1], cli_commands[i].name))
			return (int)run_command((enum cli_command_id)i, argc - 1, argv + 1);
	return (int)no_command(argv[1]);
}
