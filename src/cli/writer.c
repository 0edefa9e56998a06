/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "events/dump.h"
#include "events/ftrace_writer.h"

struct cli_writer {
	FILE *to;
	const char *path;
	struct events_dump dump;
	struct events_ftrace *ftrace; /* NULL: a dump */
};

enum err_code cli_writer_open(struct cli_writer **out, const char *path, const char *format,
			      struct err *err)
{
	bool ftrace = format && !strcmp(format, "ftrace");
	struct cli_writer *writer;
	FILE *to = stdout;

	*out = NULL;
	if (format && !ftrace && strcmp(format, "dump"))
		return err_set(err, ERR_USAGE, NULL, "--format: '%s' is neither dump nor ftrace",
			       format);
	if (strcmp(path, "-"))
		to = fopen(path, "we");
	if (!to)
		return err_set(err, ERR_IO, path, "%s", strerror(errno));
	writer = NEW(struct cli_writer);
	writer->to = to;
	writer->path = path;
	writer->dump.to = to;
	if (ftrace)
		writer->ftrace = events_ftrace_new(to);
	*out = writer;
	return OK;
}

struct event_sink cli_writer_sink(struct cli_writer *writer)
{
	return writer->ftrace ? events_ftrace_sink(writer->ftrace)
			      : events_dump_sink(&writer->dump);
}

enum err_code cli_writer_close(struct cli_writer *writer, struct err *err)
{
	enum err_code code = OK;
	bool bad;

	if (!writer)
		return OK;
	events_ftrace_free(writer->ftrace);
	bad = fflush(writer->to) || ferror(writer->to);
	if (writer->to != stdout)
		bad |= fclose(writer->to) != 0;
	if (bad && !(writer->to == stdout && cli_stdout_gone()))
		code = err_set(err, ERR_IO,
			       strcmp(writer->path, "-") ? writer->path : "standard output",
			       "not everything could be written");
	free(writer);
	return code;
}
