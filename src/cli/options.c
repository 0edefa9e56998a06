/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli.h"

#include <getopt.h>

#include "experiment/settings.h"

const struct cli_option cli_options[CLI_NR_OPTIONS] = {
#define CLI_OPTION(id, name, letter, argument, commands, what) \
	{ name, letter, argument, commands, what },
#include "cli/options.def"
};

#define FIRST_LONG 256 /* above any letter */

struct parser {
	struct option options[CLI_NR_OPTIONS + 1];
	char letters[2 * CLI_NR_OPTIONS + 2];
};

static void parser_init(struct parser *parser, enum cli_command_id command)
{
	char *letter = parser->letters;
	u32 nr = 0;

	*letter++ = ':'; /* getopt tells a missing argument from an unknown option */
	for (u32 i = 0; i < CLI_NR_OPTIONS; i++) {
		const struct cli_option *row = &cli_options[i];
		int has = row->argument ? required_argument : no_argument;

		if (!(row->commands >> command & 1))
			continue;
		parser->options[nr++] =
			(struct option){ row->name, has, NULL, FIRST_LONG + (int)i };
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
	parser->options[nr] = (struct option){ 0 };
	*letter = '\0';
}

static u32 option_of(int got)
{
	u32 i = 0;

	if (got >= FIRST_LONG)
		return (u32)(got - FIRST_LONG);
	while (i < CLI_NR_OPTIONS && cli_options[i].letter != got)
		i++;
	return i;
}

static enum err_code bad_option(int got, char **argv, struct err *err)
{
	const char *word = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };

	/* a bundle of letters: only the bad one is named */
	if (optopt && optopt < FIRST_LONG && word[0] == '-' && word[1] != '-')
		word = letter;
	if (got == ':')
		return err_set(err, ERR_USAGE, NULL, "%s needs a value (%s)", word,
			       cli_options[option_of(optopt)].argument);
	if (optopt >= FIRST_LONG)
		return err_set(err, ERR_USAGE, NULL, "%s takes no value", word);
	return err_set(err, ERR_USAGE, NULL, "no option '%s'", word);
}

static enum err_code check_words(const struct cli_args *args, struct err *err)
{
	const struct cli_command *command = &cli_commands[args->command];

	if (args->nr_words < command->fewest)
		return err_set(err, ERR_USAGE, NULL, "expected %s", command->words);
	if (args->nr_words > command->most)
		return err_set(err, ERR_USAGE, NULL, "'%s' is one word too many",
			       args->words[command->most]);
	return OK;
}

enum err_code cli_parse(struct cli_args *args, enum cli_command_id command, int argc, char **argv,
			struct err *err)
{
	struct parser parser;
	int got;

	*args = (struct cli_args){ .command = command };
	parser_init(&parser, command);
	opterr = 0;
	while ((got = getopt_long(argc, argv, parser.letters, parser.options, NULL)) != -1) {
		if (got == '?' || got == ':')
			return bad_option(got, argv, err);
		args->values[option_of(got)] = optarg ? optarg : "";
	}
	args->words = argv + optind;
	args->nr_words = argc - optind;
	return cli_given(args, CLI_OPTION_HELP) ? OK : check_words(args, err);
}

void cli_help(enum cli_command_id command, FILE *to)
{
	const struct cli_command *row = &cli_commands[command];

	fprintf(to, "usage: fairground %s [OPTION]...%s%s\n\nfairground %s %s.\n\n", row->name,
		*row->words ? " " : "", row->words, row->name, row->what);
	for (u32 i = 0; i < CLI_NR_OPTIONS; i++) {
		const struct cli_option *option = &cli_options[i];
		char left[64];

		if (!(option->commands >> command & 1))
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", option->name, option->argument ? " " : "",
			 option->argument ? option->argument : "");
		if (option->letter)
			fprintf(to, "  -%c, %-22s %s\n", option->letter, left, option->what);
		else
			fprintf(to, "      %-22s %s\n", left, option->what);
	}
	fputs("\nMore in fairground(1).\n", to);
}

enum err_code cli_number(const struct cli_args *args, enum cli_option_id option, u64 max,
			 u64 otherwise, u64 *out, struct err *err)
{
	char name[64];

	*out = otherwise;
	if (!cli_given(args, option))
		return OK;
	snprintf(name, sizeof(name), "--%s", cli_options[option].name);
	return settings_number(args->values[option], name, max, out, err);
}
