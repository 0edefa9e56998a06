/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "cli/cli.h"

enum cli_status cli_cmd_dump(const struct cli_args *args);

/*
 * Lets through what the filter keeps.  Names and attributes pass always: what follows
 * cannot be read without them.
 */
struct part {
	struct filter filter;
	struct event_sink next;
};

static enum err_code part_begin(void *self, const struct event_header *header)
{
	struct part *part = self;

	filter_begin(&part->filter, header->origin_ns);
	return part->next.on_begin(part->next.self, header);
}

static enum err_code part_event(void *self, const struct event *event)
{
	struct part *part = self;
	bool about = event->kind == EVENT_NAME || event->kind == EVENT_ATTR ||
		     event->kind == EVENT_CGROUP;

	if (!about && !(filter_keeps_time(&part->filter, event->time_ns) &&
			filter_keeps_cpu(&part->filter, event->cpu)))
		return OK;
	return part->next.on_event(part->next.self, event);
}

static enum err_code part_end(void *self, const struct event_quality *quality)
{
	struct part *part = self;

	return part->next.on_end ? part->next.on_end(part->next.self, quality) : OK;
}

enum cli_status cli_cmd_dump(const struct cli_args *args)
{
	const struct input_options input = { 0 };
	u64 cpus[MACHINE_MAX_CPUS / 64] = { 0 };
	struct err err = ERR_NONE, write_err = ERR_NONE;
	struct cli_writer *writer = NULL;
	enum err_code code, written;
	struct part part;

	if (cli_filter(args, &part.filter, cpus, &err) ||
	    cli_writer_open(&writer, "-", args->values[CLI_OPTION_FORMAT], &err))
		return cli_fail(args, &err);
	part.next = cli_writer_sink(writer);
	code = input_trace(args->words[0], &input,
			   (struct event_sink){ &part, part_begin, part_event, part_end }, &err);
	written = cli_writer_close(writer, &write_err);
	if (code != OK && cli_stdout_gone())
		return CLI_DONE;
	if (written != OK)
		return cli_fail(args, &write_err);
	return code == OK ? CLI_DONE : cli_fail(args, &err);
}
