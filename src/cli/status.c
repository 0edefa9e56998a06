/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "cli/cli.h"

static enum cli_status status_of(enum err_code code)
{
	switch (code) {
	case OK:
	case ERR_STOP:
		return CLI_DONE;
	case ERR_USAGE:
		return CLI_USAGE;
	case ERR_FORMAT:
	case ERR_IO:
		return CLI_BAD_INPUT;
	case ERR_ABSENT:
		return CLI_ABSENT;
	}
	assert(0 && "an error of no kind");
	return CLI_USAGE;
}

enum cli_status cli_fail(const struct cli_args *args, const struct err *err)
{
	const char *command = cli_commands[args->command].name;
	char line[1024];

	err_print(err, line, sizeof(line));
	if (err->code == ERR_USAGE)
		fprintf(stderr, "fairground %s: %s; try: fairground %s --help\n", command, line,
			command);
	else
		fprintf(stderr, "fairground %s: %s\n", command, line);
	return status_of(err->code);
}

bool cli_stdout_gone(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

enum cli_status cli_stdout_status(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return CLI_DONE;
	if (errno == EPIPE || cli_stdout_gone())
		return CLI_DONE;
	fprintf(stderr, "fairground: standard output: not everything could be written\n");
	return CLI_BAD_INPUT;
}

enum cli_status cli_end(const struct cli_args *args, enum err_code code, const struct err *err,
			bool check_failed)
{
	enum cli_status status = code == OK ? cli_stdout_status() : cli_fail(args, err);

	return status == CLI_DONE && check_failed ? CLI_CHECK_FAILED : status;
}

void cli_progress(void *self, u64 done, u64 total)
{
	struct cli_progress *progress = self;
	u32 percent = total ? (u32)((double)done * 100 / (double)total) : 0;

	if (!total || percent == progress->percent || !isatty(STDERR_FILENO))
		return;
	progress->percent = percent;
	progress->shown = true;
	fprintf(stderr, "\r%3u %%", percent);
}

void cli_progress_end(struct cli_progress *progress)
{
	if (progress->shown)
		fputs("\r     \r", stderr);
	progress->shown = false;
}
