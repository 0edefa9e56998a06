/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "events/behind.h"
#include "events/dump.h"
#include "experiment/settings.h"
#include "input/workload_file.h"
#include "report/report.h"

enum cli_status cli_cmd_run(const struct cli_args *args);

/* Simulated time that has passed, and decisions to their own file. */
struct watch {
	struct cli_progress progress;
	u64 total_ns, next_ns;
};

static enum err_code watch_events(void *self, const struct event *events, u32 nr)
{
	struct watch *watch = self;
	u64 time_ns = events[nr - 1].time_ns;

	if (time_ns < watch->next_ns)
		return OK;
	watch->next_ns = time_ns + watch->total_ns / 100;
	cli_progress(&watch->progress, time_ns, watch->total_ns);
	return OK;
}

static enum err_code watch_event(void *self, const struct event *event)
{
	return watch_events(self, event, 1);
}

/* Only decisions, and the names that make them readable. */
struct explain {
	struct cli_writer *writer;
	struct event_sink to;
};

static enum err_code explain_begin(void *self, const struct event_header *header)
{
	struct explain *explain = self;

	return explain->to.on_begin(explain->to.self, header);
}

static enum err_code explain_event(void *self, const struct event *event)
{
	struct explain *explain = self;

	if (event->kind != EVENT_DECISION && event->kind != EVENT_NAME)
		return OK;
	return explain->to.on_event(explain->to.self, event);
}

static enum err_code explain_end(void *self, const struct event_quality *quality)
{
	struct explain *explain = self;

	return explain->to.on_end(explain->to.self, quality);
}

/* Everything a run has open. */
struct run {
	const struct cli_args *args;
	struct cli_view view;
	struct settings settings;
	struct workload *workload;
	struct settings_setup setup;
	struct analysis *analysis;
	struct cli_writer *writer;
	struct explain explain;
	struct watch watch;
	struct events_tee tee;
};

static enum err_code open_outputs(struct run *run, struct err *err)
{
	const char *output = run->args->values[CLI_OPTION_OUTPUT];
	const char *explain = run->args->values[CLI_OPTION_EXPLAIN];
	enum err_code code = OK;

	if (!output && cli_given(run->args, CLI_OPTION_FORMAT))
		return err_set(err, ERR_USAGE, NULL, "--format needs --output FILE");
	if (output)
		code = cli_writer_open(&run->writer, output, run->args->values[CLI_OPTION_FORMAT],
				       err);
	if (code == OK && explain)
		code = cli_writer_open(&run->explain.writer, explain, NULL, err);
	return code;
}

static void build_tee(struct run *run)
{
	events_tee_add(&run->tee, analysis_sink(run->analysis));
	if (run->writer)
		events_tee_add(&run->tee, cli_writer_sink(run->writer));
	if (run->explain.writer) {
		run->explain.to = cli_writer_sink(run->explain.writer);
		events_tee_add(&run->tee, (struct event_sink){ &run->explain, explain_begin,
							       explain_event, explain_end });
	}
	run->watch.total_ns = run->setup.sim.duration_ns;
	events_tee_add(&run->tee,
		       (struct event_sink){ &run->watch, NULL, watch_event, NULL, watch_events });
}

static enum err_code simulate(struct run *run, struct err *err)
{
	enum err_code code = cli_view(run->args, &run->view, err);
	struct events_behind *behind;

	cli_settings(run->args, &run->settings);
	if (code == OK)
		code = input_workload(run->args->words[0], &run->workload, err);
	if (code == OK)
		code = settings_setup(&run->settings, run->workload, &run->setup, err);
	if (code == OK)
		code = open_outputs(run, err);
	if (code != OK)
		return code;
	run->setup.sim.explain = cli_given(run->args, CLI_OPTION_EXPLAIN);
	run->view.options.machine = &run->setup.machine;
	run->analysis = analysis_new(&run->view.options);
	build_tee(run);
	behind = events_behind_new(events_tee_sink(&run->tee));
	code = sim_run(&run->setup.sim, events_behind_sink(behind), err);
	events_behind_free(behind);
	cli_progress_end(&run->watch.progress);
	return code == ERR_STOP ? OK : code;
}

static void print(struct run *run)
{
	struct report_setting used[SETTINGS_NR];
	u32 nr = cli_settings_used(&run->settings, &run->setup, used);

	cli_report(run->args, run->analysis, run->args->words[0], used, nr, run->view.top);
}

static bool stream_on_stdout(const struct cli_args *args)
{
	const char *output = args->values[CLI_OPTION_OUTPUT];
	const char *explain = args->values[CLI_OPTION_EXPLAIN];

	return (output && !strcmp(output, "-")) || (explain && !strcmp(explain, "-"));
}

enum cli_status cli_cmd_run(const struct cli_args *args)
{
	struct run run = { .args = args };
	struct err err = ERR_NONE, write_err = ERR_NONE;
	enum err_code code = simulate(&run, &err), written;

	written = cli_writer_close(run.writer, &write_err);
	if (written == OK)
		written = cli_writer_close(run.explain.writer, &write_err);
	else
		cli_writer_close(run.explain.writer, NULL);
	if (code == OK && written == OK && !stream_on_stdout(args))
		print(&run);
	analysis_free(run.analysis);
	settings_setup_fini(&run.setup);
	settings_fini(&run.settings);
	if (run.workload)
		workload_free(run.workload);
	if (written != OK)
		return cli_fail(args, &write_err);
	if (code != OK && cli_stdout_gone())
		return CLI_DONE;
	return cli_end(args, code, &err, false);
}
