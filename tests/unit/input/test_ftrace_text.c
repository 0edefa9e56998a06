/* SPDX-License-Identifier: GPL-2.0-only */
#include "collect.h"

#define SWITCH(time, prev, next)                                                       \
	"            bash-1977    [000] d..2. " time ": sched_switch: prev_comm=" prev \
	" prev_pid=1977 prev_prio=120 prev_state=S ==> next_comm=" next                \
	" next_pid=7 next_prio=120\n"
#define IDLE(time) "          <idle>-0       [001] d..2. " time ": cpu_idle: state=1 cpu_id=1\n"

TEST(events_come_with_their_names_and_times)
{
	struct collect collect = { 0 };

	collect_text(&collect, "# tracer: nop\n#\n"
			       "# entries-in-buffer/entries-written: 2/2   #P:8\n" SWITCH(
				       "5.000001", "bash", "sh") IDLE("5.000003"));
	CHECK_EQ(OK, collect.code);
	CHECK(collect.ended);
	CHECK_STR("ftrace text", collect.header.source);
	CHECK_EQ(8, collect.header.nr_cpus);
	CHECK_EQ(5000001000, collect.header.origin_ns);
	CHECK_EQ(2, collect.of_kind[EVENT_NAME]);
	CHECK_STR("bash", collect_find(&collect, EVENT_NAME, 0)->text);
	CHECK_STR("sh", collect_find(&collect, EVENT_NAME, 1)->text);
	CHECK_EQ(1977, collect_find(&collect, EVENT_SWITCH, 0)->event.task.tid);
	CHECK_EQ(2000, collect_find(&collect, EVENT_IDLE, 0)->event.time_ns);
	CHECK_EQ(1, collect_find(&collect, EVENT_IDLE, 0)->event.cpu);
	CHECK_EQ(0, collect.quality.unparsed);
	CHECK_STR("", collect.quality.note);
	CHECK(!collect.quality.truncated);
	collect_fini(&collect);
}

/* What is not in a small trace is not recorded, of the kinds that no trace lacks. */
TEST(the_header_says_which_of_the_usual_kinds_are_there)
{
	struct collect collect = { 0 };

	collect_text(&collect, SWITCH("5.000001", "bash", "sh") IDLE("5.000003"));
	CHECK(collect.header.sees & EVENT_BIT(SWITCH));
	CHECK(collect.header.sees & EVENT_BIT(IDLE));
	CHECK(!(collect.header.sees & EVENT_BIT(WAKING)));
	CHECK(!(collect.header.sees & EVENT_BIT(WAKEUP)));
	CHECK(!(collect.header.sees & EVENT_BIT(RUNTIME)));
	CHECK(collect.header.sees & EVENT_BIT(FORK));
	CHECK(!(collect.header.sees & EVENT_BIT(COST)));
	collect_fini(&collect);
}

TEST(lines_that_a_name_broke_are_joined)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		IDLE("1.000000") "         newline\n"
				 "name-1977    [000] d..2. 5.000001: sched_switch: prev_comm=newline\n"
				 "name prev_pid=1977 prev_prio=120 prev_state=S ==> next_comm=\n"
				 "b-2 [001] 3.4: next_pid=7 next_prio=120\n"
				 " \n"
				 "b-2 [001] 3.4:-7       [000] d..2. 5.000002: sched_waking: comm=tail\n"
				 " pid=8 prio=120 target_cpu=000\n"
				 "            tail\n"
				 "-8       [000] d..2. 5.000003: sched_stat_runtime: comm=\n\n\n"
				 "x pid=9 runtime=5 [ns]\n" IDLE("6.000000"));
	CHECK_EQ(OK, collect.code);
	CHECK_EQ(0, collect.quality.unparsed, "%s", collect.quality.note);
	CHECK_EQ(1, collect.of_kind[EVENT_SWITCH]);
	CHECK_EQ(1, collect.of_kind[EVENT_WAKING]);
	CHECK_EQ(1, collect.of_kind[EVENT_RUNTIME]);
	CHECK_EQ(2, collect.of_kind[EVENT_IDLE]);
	CHECK_STR("newline\nname", collect_find(&collect, EVENT_NAME, 0)->text);
	CHECK_STR("\nb-2 [001] 3.4:", collect_find(&collect, EVENT_NAME, 1)->text);
	CHECK_STR("tail\n", collect_find(&collect, EVENT_NAME, 2)->text);
	CHECK_STR("\n\n\nx", collect_find(&collect, EVENT_NAME, 3)->text);
	collect_fini(&collect);
}

/* The line that is cut is bad; the one after it is as good as any. */
TEST(a_line_cut_within_a_name_takes_no_other_with_it)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		IDLE("1.000000") "            bash-1977    [000] d..2. 2.000000: sched_switch: prev_comm=ba\n" SWITCH(
			"3.000000", "bash",
			"sh") "            bash-1977    [000] d..2. 4.000000: sched_process_exec: filename=/bin\n"
			      "            bash-1977    [000] d..2. 5.000000: sched_process_exec: "
			      "filename=/b pid=1 old_pid=1\n" IDLE("6.000000"));
	CHECK_EQ(2, collect.quality.unparsed);
	CHECK_STR("line 2 is not what it should be", collect.quality.note);
	CHECK_EQ(1, collect.of_kind[EVENT_SWITCH]);
	CHECK_EQ(1, collect.of_kind[EVENT_EXEC]);
	CHECK_EQ(2, collect.of_kind[EVENT_IDLE]);
	collect_fini(&collect);
}

TEST(garbage_is_counted_and_where_it_began_is_said)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		IDLE("1.000000") "garbage of more than any name's length\n" IDLE("2.000000") "short\n" IDLE(
			"3.000000") "          <idle>-0       [001] d..2. 4.000000: cpu_idle: [FAILED TO PARSE] "
				    "state=1 cpu_id=1\n");
	CHECK_EQ(OK, collect.code);
	CHECK_EQ(3, collect.quality.unparsed);
	CHECK_STR("line 2 is not what it should be", collect.quality.note);
	CHECK_EQ(3, collect.of_kind[EVENT_IDLE]);
	collect_fini(&collect);
}

TEST(what_tools_print_around_events_is_no_garbage)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		"version = 6\nCPU 3 is empty\ncpus=6\ncapturing trace... done\nTRACE:\n\n" IDLE(
			"1.000000") "\tffffffff8109c1a0 schedule+0x5d ([kernel.kallsyms])\n"
				    "\t    7f1c2 [unknown] (/lib/x)\n\n"
				    "             cat-9       [003] ..... 1.500000: kernel_stack: <stack trace>\n"
				    " => schedule\n => do_idle\n"
				    "             cat-9       [003] ..... 1.600000: tracing_mark_write: two\nlines of it\n" IDLE(
					    "2.000000"));
	CHECK_EQ(0, collect.quality.unparsed, "%s", collect.quality.note);
	CHECK_EQ(2, collect.of_kind[EVENT_IDLE]);
	CHECK_EQ(6, collect.header.nr_cpus);
	collect_fini(&collect);
}

TEST(losses_stand_where_they_happened)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		"# entries-in-buffer/entries-written: 100/384   #P:2\n" IDLE("1.000000") "CPU:1 [LOST 284 EVENTS]\n" IDLE("2.000000") "CPU:0 [LOST EVENTS]\nCPU:1 [16 EVENTS DROPPED]\n" IDLE(
			"3.000000") "##### CPU 1 buffer started ####\n" IDLE("4.000000") "CPU:1 [EVENTS DROPPED]\n");
	CHECK_EQ(0, collect.quality.unparsed);
	CHECK_EQ(284 + 284 + 16, collect.quality.lost_events);
	CHECK_EQ(3, collect.quality.lost_unknown);
	CHECK_EQ(4, collect.of_kind[EVENT_LOST]);
	CHECK_EQ(284, collect_find(&collect, EVENT_LOST, 0)->event.lost.count);
	CHECK_EQ(1, collect_find(&collect, EVENT_LOST, 0)->event.cpu);
	CHECK_EQ(1000000000, collect_find(&collect, EVENT_LOST, 0)->event.time_ns);
	CHECK_EQ(0, collect_find(&collect, EVENT_LOST, 1)->event.cpu);
	CHECK_EQ(16, collect_find(&collect, EVENT_LOST, 2)->event.lost.count);
	CHECK_EQ(EVENT_AFTER_LOSS, collect_find(&collect, EVENT_IDLE, 1)->event.flags);
	collect_fini(&collect);
}

TEST(lines_out_of_order_are_sorted_and_counted)
{
	struct collect collect = { 0 };

	collect_text(&collect, IDLE("1.000005") IDLE("1.000002") IDLE("1.000009"));
	CHECK_EQ(1, collect.quality.inversions);
	CHECK_EQ(3000, collect.quality.inversion_max_ns);
	CHECK_EQ(1000002000, collect.header.origin_ns);
	CHECK_EQ(3000, collect_find(&collect, EVENT_IDLE, 1)->event.time_ns);
	collect_fini(&collect);
}

TEST(times_without_unit_and_letters_of_the_plugin_are_said)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		"            bash-1977    [000] d..2. 123456: sched_switch: bash:1977 [120] S ==> sh:7 [120]\n");
	CHECK_STR("times are counts, not ns; trace-cmd's state letters: wrong since 4.14, no R+",
		  collect.quality.note);
	CHECK_EQ(123456, collect.header.origin_ns);
	collect_fini(&collect);
}

/* The name at the front is a cache: only who has no other name gets it. */
TEST(names_at_the_front_are_a_last_resort)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		"           stale-5       [000] d..2. 1.000000: sched_waking: comm=real pid=6 prio=120 target_cpu=000\n"
		"           stale-6       [000] d..2. 2.000000: sched_waking: comm=real pid=6 prio=120 target_cpu=000\n"
		"           <...>-8       [000] d..2. 3.000000: sched_waking: comm=real pid=6 prio=120 target_cpu=000\n");
	CHECK_EQ(2, collect.of_kind[EVENT_NAME]);
	CHECK_STR("real", collect_find(&collect, EVENT_NAME, 0)->text);
	CHECK_STR("stale", collect_find(&collect, EVENT_NAME, 1)->text);
	CHECK_EQ(5, collect_find(&collect, EVENT_NAME, 1)->event.task.tid);
	collect_fini(&collect);
}

TEST(the_process_comes_from_the_tgid_column)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		"Binder:549_4-2029  (  549) [001] dn.4 2.480452: sched_wakeup: comm=EventThread pid=654 prio=111 success=1 target_cpu=001\n"
		"Binder:549_4-2029  (  549) [001] d..3 2.480476: sched_switch: prev_comm=Binder:549_4 prev_pid=2029 prev_prio=120 prev_state=R+ ==> next_comm=EventThread next_pid=654 next_prio=111\n");
	CHECK_STR("Binder:549_4", collect_find(&collect, EVENT_NAME, 1)->text);
	CHECK_EQ(549, collect_find(&collect, EVENT_NAME, 1)->event.name.pid);
	CHECK_EQ(EVENT_NOBODY, collect_find(&collect, EVENT_NAME, 0)->event.name.pid);
	collect_fini(&collect);
}

TEST(systrace_html_is_read_within_its_text_only)
{
	struct collect collect = { 0 };

	collect_text(
		&collect,
		"<!DOCTYPE html>\n<html><script>var a = \"b-1 [000] 1.0: cpu_idle: state=1 cpu_id=1\";\n"
		"</script>\n  <script class=\"trace-data\" type=\"application/text\">\n"
		"PROCESS DUMP\nUSER PID PPID VSZ\nroot 1 0 1 2 3 4 S init init\n</script>\n"
		"  <script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n#\n" IDLE(
			"1.000000") IDLE("2.000000") "  </script>\n</body>\n</html>\n");
	CHECK_EQ(OK, collect.code);
	CHECK_EQ(2, collect.of_kind[EVENT_IDLE]);
	CHECK_EQ(0, collect.quality.unparsed, "%s", collect.quality.note);
	collect_fini(&collect);
}

TEST(text_without_trace_lines_is_refused)
{
	static const struct {
		const char *text, *what;
		u64 line;
	} rows[] = {
		{ "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n",
		  "expected trace lines, \"COMM-PID [CPU] TIME: EVENT: ...\", there is none up to here",
		  3 },
		{ "TRACE:\n\x78\x9c\x01\x02", "expected text, this is compressed (atrace -z)", 2 },
		{ "<html>\n<body>\n</html>\n",
		  "expected trace lines, \"COMM-PID [CPU] TIME: EVENT: ...\", there is none up to here",
		  3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct collect collect = { 0 };

		collect_text(&collect, rows[i].text);
		CHECK_EQ(ERR_FORMAT, collect.code);
		CHECK_STR(rows[i].what, collect.err.what);
		CHECK_EQ(ERR_LINE, collect.err.place);
		CHECK_EQ(rows[i].line, collect.err.at);
		CHECK(!collect.begun);
		collect_fini(&collect);
	}
}

TEST(a_trace_without_our_kinds_says_so)
{
	struct collect collect = { 0 };

	collect_text(&collect, "             cat-9       [003] ..... 1.5: thermal: zone=1\n");
	CHECK_EQ(OK, collect.code);
	CHECK(collect.ended);
	CHECK_EQ(0, collect.events.nr);
	CHECK_STR("no event of a known kind", collect.quality.note);
	collect_fini(&collect);
}

TEST(a_file_that_ends_within_a_line_is_truncated)
{
	static const char *const ends[] = {
		"            bash-1977    [000] d..2. 2.0: sched_switch: prev_comm=ba",
		"            bash-1977    [000] d..2. 2.0: sched_switch: prev_comm=bash prev_pid=1977 prev_pr",
		"            bash-1977    [00",
		"            ba",
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct collect collect = { 0 };

		snprintf(text, sizeof(text), IDLE("1.000000") "%s", ends[i]);
		collect_text(&collect, text);
		CHECK(collect.quality.truncated, "%s", ends[i]);
		CHECK_EQ(0, collect.quality.unparsed, "%s", ends[i]);
		CHECK_EQ(1, collect.of_kind[EVENT_IDLE]);
		collect_fini(&collect);
	}
}

TEST(a_whole_line_needs_no_newline_at_the_end)
{
	struct collect collect = { 0 };

	collect_text(&collect,
		     "          <idle>-0       [001] d..2. 1.5: cpu_idle: state=1 cpu_id=1");
	CHECK_EQ(1, collect.of_kind[EVENT_IDLE]);
	CHECK(!collect.quality.truncated);
	collect_fini(&collect);
}

TEST(nul_bytes_and_endless_lines_are_borne)
{
	struct collect collect = { 0 };
	char *text = calloc(1, 1 << 20);
	size_t len = 0;

	len += (size_t)sprintf(text + len, "%s", IDLE("1.000000"));
	memset(text + len, 'a', 200 << 10);
	len += 200 << 10;
	text[len++] = '\n';
	len += (size_t)sprintf(text + len, "%s", IDLE("2.000000"));
	len += 50; /* NULs */
	text[len++] = '\n';
	len += (size_t)sprintf(text + len, "%s", SWITCH("3.000000", "b@c", "sh"));
	*(char *)memchr(text, '@', len) = '\0';
	collect_bytes(&collect, &input_ftrace_text, text, len);
	CHECK_EQ(OK, collect.code);
	CHECK_EQ(2, collect.quality.unparsed);
	CHECK_EQ(2, collect.of_kind[EVENT_IDLE]);
	CHECK_EQ(1, collect.of_kind[EVENT_SWITCH]);
	CHECK_STR("b", collect_find(&collect, EVENT_NAME, 0)->text);
	collect_fini(&collect);
	free(text);
}

TEST(carriage_returns_do_no_harm)
{
	struct collect collect = { 0 };

	collect_text(&collect,
		     "# tracer: nop\r\n"
		     "          <idle>-0       [001] d..2. 1.5: cpu_idle: state=1 cpu_id=1\r\n"
		     "\r\n");
	CHECK_EQ(1, collect.of_kind[EVENT_IDLE]);
	CHECK_EQ(0, collect.quality.unparsed);
	collect_fini(&collect);
}

static enum err_code stop(void *self, const struct event *event)
{
	u32 *left = self;

	(void)event;
	return --*left ? OK : ERR_STOP;
}

TEST(a_sink_may_stop_the_reader)
{
	static const struct input_options none;
	const char *text = IDLE("1.000000") IDLE("2.000000") IDLE("3.000000");
	u32 left = 2;
	struct bytes bytes;

	bytes_buffer(&bytes, "buffer", text, strlen(text));
	CHECK_EQ(ERR_STOP,
		 input_ftrace_text.read(&bytes, &none,
					(struct event_sink){ &left, NULL, stop, NULL }, NULL));
	CHECK_EQ(0, left);
}

TEST(detection_takes_trace_texts_and_nothing_else)
{
	static const struct {
		const char *head;
		bool ours;
	} rows[] = {
		{ "# tracer: nop\n#\n", true },
		{ IDLE("1.0"), true },
		{ "version = 6\ncpus=8\n" IDLE("1.0"), true },
		{ "some words\n\n" IDLE("1.0"), true },
		{ "capturing trace... done\nTRACE:\n# tracer", true },
		{ "<!DOCTYPE html>\n<html>", true },
		{ "<html>\n", true },
		{ "# ========\n# captured on    : Mon\n", true },
		{ "         hostile 12644 [000]  1787.888605: sched:sched_process_fork: comm=h",
		  true },
		{ "  <idle>-0       2d..1.  2084.021443: cpu_idle:             state=1", true },
		{ "", false },
		{ "# fairground stream 1\nsource \"a\"\n", false },
		{ "PERFILE2\x68\0\0", false },
		{ "\x17\x08\x44tracing6\0", false },
		{ "{\n \"tasks\": {\n  \"thread0\": { \"loop\": 1, \"run\": 1000 }\n }\n}\n",
		  false },
		{ "Dear reader,\nthis is text - of 12 words [1] and 3: no trace: at all\n", false },
		{ "2026-11-30 17:06:01.123 host kernel[123]: a: b\n", false },
		{ "[    1.234567] usb 1-1: new device\n", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].ours,
			 input_ftrace_text.detect((const u8 *)rows[i].head, strlen(rows[i].head)),
			 "%s", rows[i].head);
}
