/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/ftrace_writer.h"

#include <regex.h>
#include <stdlib.h>

#include "test.h"

static struct event_sink sink;
static struct events_ftrace *ftrace;

static void name(s32 tid, const char *text)
{
	struct event event = { .kind = EVENT_NAME, .cpu = EVENT_NOBODY, .task = { tid, 0 } };

	event.name.text = text;
	event.name.len = (u32)strlen(text);
	event.name.pid = EVENT_NOBODY;
	CHECK_EQ(OK, sink.on_event(sink.self, &event));
}

static struct event at(u64 time_ns, u32 kind, s32 cpu, s32 tid, s32 other)
{
	struct event event = { .time_ns = time_ns, .kind = (u16)kind, .cpu = cpu };

	event.task = (struct event_task){ tid, tid ? 0 : (u32)cpu };
	event.other = (struct event_task){ other, other ? 0 : (u32)cpu };
	return event;
}

static void put(struct event event)
{
	CHECK_EQ(OK, sink.on_event(sink.self, &event));
}

/* One of every kernel kind, by threads 5 "sh", 6 "(sd-pam)", 7 "". */
static void put_all(void)
{
	const struct event_header header = { .source = "simulation", .origin_ns = 5000000000 };
	struct event event;

	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	name(5, "sh");
	name(6, "(sd-pam)");
	name(7, "");
	event = at(1, EVENT_SWITCH, 1, 5, 0);
	event.switch_.prev_prio = 120;
	event.switch_.next_prio = 120;
	event.switch_.prev_state = EVENT_STATE_SLEEP | EVENT_STATE_DISK;
	put(event);
	event = at(2, EVENT_WAKING, 1, 6, 0);
	event.wake.prio = 98;
	event.wake.target_cpu = 12;
	put(event);
	event.kind = EVENT_WAKEUP;
	put(event);
	event.kind = EVENT_WAKEUP_NEW;
	put(event);
	event = at(3, EVENT_MIGRATE, 1, 7, 5);
	event.migrate.prio = 120;
	event.migrate.dest_cpu = 1;
	put(event);
	put(at(4, EVENT_FORK, 1, 7, 5));
	event = at(5, EVENT_EXEC, 1, 7, 0);
	event.other = (struct event_task){ 0 };
	event.life.old_tid = 7;
	put(event);
	event = at(6, EVENT_EXIT, 1, 7, 0);
	event.other = (struct event_task){ 0 };
	event.life.prio = 120;
	put(event);
	event = at(7, EVENT_RUNTIME, 1, 5, 5);
	event.runtime.runtime_ns = 12345;
	put(event);
	event = at(8, EVENT_SWITCH, 1, 0, 5);
	event.switch_.prev_state = EVENT_STATE_PREEMPTED;
	put(event);
	event = (struct event){ .time_ns = 9, .kind = EVENT_IDLE, .cpu = 1 };
	event.idle.state = EVENT_IDLE_EXIT;
	put(event);
	event = (struct event){ .time_ns = 1000000000, .kind = EVENT_FREQ, .cpu = 1 };
	event.freq.khz = 800000;
	put(event);
}

/* Runs @put between begin and end; the caller frees the text. */
static char *written(void (*put_events)(void))
{
	const struct event_quality quality = { 0 };
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	ftrace = events_ftrace_new(to);
	sink = events_ftrace_sink(ftrace);
	put_events();
	CHECK_EQ(OK, sink.on_end(sink.self, &quality));
	events_ftrace_free(ftrace);
	fclose(to);
	return text;
}

TEST(kernel_kinds_are_lines_as_tracefs_prints_them)
{
	static const char *const lines[] = {
		"              sh-5       [001] d..2 5.000000001: sched_switch: prev_comm=sh prev_pid=5 "
		"prev_prio=120 prev_state=S|D ==> next_comm=swapper/1 next_pid=0 next_prio=120",
		"          <idle>-0       [001] d..2 5.000000002: sched_waking: comm=_sd-pam_ pid=6 "
		"prio=98 target_cpu=012",
		"          <idle>-0       [001] d..2 5.000000002: sched_wakeup: comm=_sd-pam_ pid=6 "
		"prio=98 target_cpu=012",
		"          <idle>-0       [001] d..2 5.000000002: sched_wakeup_new: comm=_sd-pam_ pid=6 "
		"prio=98 target_cpu=012",
		"              sh-5       [001] d..2 5.000000003: sched_migrate_task: comm=_ pid=7 "
		"prio=120 orig_cpu=0 dest_cpu=1",
		"              sh-5       [001] d..2 5.000000004: sched_process_fork: comm=sh pid=5 "
		"child_comm=_ child_pid=7",
		"               _-7       [001] d..2 5.000000005: sched_process_exec: filename=_ pid=7 "
		"old_pid=7",
		"               _-7       [001] d..2 5.000000006: sched_process_exit: comm=_ pid=7 "
		"prio=120",
		"              sh-5       [001] d..2 5.000000007: sched_stat_runtime: comm=sh pid=5 "
		"runtime=12345 [ns]",
		"          <idle>-0       [001] d..2 5.000000008: sched_switch: prev_comm=swapper/1 "
		"prev_pid=0 prev_prio=0 prev_state=R+ ==> next_comm=sh next_pid=5 next_prio=0",
		"              sh-5       [001] d..2 5.000000009: cpu_idle: state=4294967295 cpu_id=1",
		"              sh-5       [001] d..2 6.000000000: cpu_frequency: state=800000 cpu_id=1",
	};
	char *text = written(put_all), *line;
	size_t nr = 0;

	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (line[0] == '#') {
			CHECK(strncmp(line, "#= ", 3), "every line tells all: %s", line);
			continue;
		}
		CHECK(nr < ARRAY_SIZE(lines));
		CHECK_STR(lines[nr++], line);
	}
	CHECK_EQ(ARRAY_SIZE(lines), nr);
	free(text);
}

static void put_hostile(void)
{
	static const char *const names[] = {
		"newline\nname",
		"a] b [0",
		"x prev_pid=1",
		"y ==> z",
		"\xff\xfe\x80",
		"",
		"sp ace: colon",
		"%s%n",
		"foo-12 [001]",
		"<...>",
		"e-1 [0] 9.9: x:",
		"a,b(c)",
		"a=b",
		"longer than comms can be",
	};
	const struct event_header header = { .source = "simulation" };
	struct event event;

	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		name((s32)i + 1, names[i]);
		event = at(i, EVENT_SWITCH, 0, (s32)i + 1, 99);
		event.switch_.prev_state = EVENT_STATE_UNKNOWN;
		put(event);
		event = at(i, EVENT_WAKING, EVENT_NOBODY, (s32)i + 1, EVENT_NOBODY);
		event.wake.target_cpu = EVENT_NOBODY;
		put(event);
	}
}

/* No line that a consumer would refuse, and no argument that would overwrite another. */
static void check_lines(void (*put_events)(void))
{
	/*
	 * As strict as both consumers together: front, flags, time with a fraction, event,
	 * then arguments KEY=VALUE with values that none of them cuts.
	 */
	static const char pattern[] =
		"^ *[^] []+-[0-9]+ +\\[[0-9]{3}\\] [a-z0-9.]{4} [0-9]+\\.[0-9]{9}: [a-z_]+:"
		"( ==>| [a-z_]+=[^][ =,()]+| \\[ns\\])+$";
	char *text = written(put_events), *line;
	regex_t regex;
	size_t nr = 0;

	CHECK(strstr(text, "# tracer: nop\n") == text, "the first line tells Perfetto");
	CHECK_EQ(0, regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (line[0] == '#')
			continue;
		nr++;
		CHECK_EQ(0, regexec(&regex, line, 0, NULL, 0), "%s", line);
	}
	CHECK(nr > 5);
	regfree(&regex);
	free(text);
}

TEST(consumers_match_every_line_whatever_the_names)
{
	check_lines(put_all);
	check_lines(put_hostile);
}

static void put_own(void)
{
	const struct event_header header = { .source = "simulation" };
	struct event event = { .kind = EVENT_COST, .cpu = 1 };

	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	event.cost.ns = 1200;
	put(event);
	event = (struct event){ .kind = EVENT_LOST, .cpu = 1 };
	put(event);
}

TEST(own_kinds_and_losses_are_comments)
{
	char *text = written(put_own);

	CHECK(strstr(text, "\n#% 0 0 1 cost what=switch ns=1200\n"));
	CHECK(strstr(text, "\n#% 0 0 1 lost count=0\n"));
	free(text);
}
