/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_line.h"

#include "test.h"

#define NS 1000000000ULL

struct row {
	const char *text;
	const char *comm;
	s32 tid, pid, cpu;
	u64 time_ns;
	const char *event, *payload;
};

static void check_text(const char *want, const char *at, size_t len, const char *row)
{
	CHECK(strlen(want) == len && !memcmp(want, at, len), "want \"%s\", got \"%.*s\" in: %s",
	      want, (int)len, at, row);
}

static void check_row(const struct row *row)
{
	struct ftrace_line line;

	CHECK(ftrace_line_parse(row->text, strlen(row->text), &line), "%s", row->text);
	check_text(row->comm, line.comm, line.comm_len, row->text);
	CHECK_EQ(row->tid, line.tid, "%s", row->text);
	CHECK_EQ(row->pid, line.pid, "%s", row->text);
	CHECK_EQ(row->cpu, line.cpu, "%s", row->text);
	CHECK_EQ(row->time_ns, line.time_ns, "%s", row->text);
	check_text(row->event, line.event, line.event_len, row->text);
	check_text(row->payload, line.payload, line.payload_len, row->text);
}

TEST(every_tools_front_is_read)
{
	static const struct row rows[] = {
		{ "          <idle>-0       [001] d..2.  2880.769033: cpu_idle: state=1 cpu_id=1",
		  "<idle>", 0, 0, 1, 2880769033000, "cpu_idle", "state=1 cpu_id=1" },
		{ "          <idle>-0     [000] d..2  1136.097253: cpu_idle: state=0", "<idle>", 0,
		  0, 0, 1136097253000, "cpu_idle", "state=0" },
		{ "            bash-1977    [000] .....1..     1.5: a: b", "bash", 1977, 0, 0,
		  1500000000, "a", "b" },
		{ "            bash-1977    [000] d..h1... 17284.993652: sched_wakeup: x", "bash",
		  1977, 0, 0, 17284993652000, "sched_wakeup", "x" },
		{ "ksoftirqd/1-12    (   12) [001] d..3 214168.479967: sched_switch: prev",
		  "ksoftirqd/1", 12, 12, 1, 214168479967000, "sched_switch", "prev" },
		{ "          <idle>-0     (-----) [001] d..3 214168.479898: x: y", "<idle>", 0, 0,
		  1, 214168479898000, "x", "y" },
		{ "com.google.android.youtube-23071 (23071) [002] d..5 214168.479892: x: y",
		  "com.google.android.youtube", 23071, 23071, 2, 214168479892000, "x", "y" },
		{ "           <...>-1701  [001]    76.211513: sched_switch:          prev_comm=t",
		  "<...>", 1701, 0, 1, 76211513000, "sched_switch", "prev_comm=t" },
		{ "       trace-cmd-6244  [005] 162534.215741800: sched_switch:         trace-cmd:6244",
		  "trace-cmd", 6244, 0, 5, 162534215741800, "sched_switch", "trace-cmd:6244" },
		{ "trace-cm-6244    5d..4. 162534.215742: sched_switch:         a", "trace-cm",
		  6244, 0, 5, 162534215742000, "sched_switch", "a" },
		{ "  <idle>-0      12dN.2. 162534.216567: x: y", "<idle>", 0, 0, 12,
		  162534216567000, "x", "y" },
		{ "         hostile 12644 [000]  1787.888605: sched:sched_process_fork: comm=h",
		  "hostile", 12644, 0, 0, 1787888605000, "sched_process_fork", "comm=h" },
		{ "         hostile 12644 [000]  1787.888611714:   sched:sched_wakeup_new: c",
		  "hostile", 12644, 0, 0, 1787888611714, "sched_wakeup_new", "c" },
		{ "             :21    21/21    [001]  1787.888622: sched:x: y", ":21", 21, 21, 1,
		  1787888622000, "x", "y" },
		{ "         hostile 12644/12654 [001]  1787.888618: sched:x: y", "hostile", 12654,
		  12644, 1, 1787888618000, "x", "y" },
		{ "            gone    -1/-1    [001]  1.5:     250000 sched:x: y", "gone", -1, 0,
		  1, 1500000000, "x", "y" },
		{ "             cat-9       [003] ..... 1.000000: do_sys_open <-sys_open", "cat", 9,
		  0, 3, NS, "", "do_sys_open <-sys_open" },
		{ "             cat-9       [003] ..... 1.000000: tracing_mark_write: E", "cat", 9,
		  0, 3, NS, "tracing_mark_write", "E" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
}

/* Each of these names is one a thread can have: 15 bytes at most. */
TEST(a_name_that_looks_like_a_front_is_a_name)
{
	static const struct row rows[] = {
		{ "         a] b [0-14405   [000] d..2.  5.000001: x: y", "a] b [0", 14405, 0, 0,
		  5000001000, "x", "y" },
		{ "    foo-12 [001]-14412   [000] d..2.  5.000001: x: y", "foo-12 [001]", 14412, 0,
		  0, 5000001000, "x", "y" },
		{ " e-1 [0] 9.9: x:-14415   [000] d..2.  5.000001: x: y", "e-1 [0] 9.9: x:", 14415,
		  0, 0, 5000001000, "x", "y" },
		{ "b-2 [001] 3.4:-14416   [000] d..2.  5.000001: x: y", "b-2 [001] 3.4:", 14416, 0,
		  0, 5000001000, "x", "y" },
		{ "a-1 [0] 9: x: 5-14415 [001] d..2. 5.000001: x: y", "a-1 [0] 9: x: 5", 14415, 0,
		  1, 5000001000, "x", "y" },
		{ "                -14409   [000] d..2.  5.000001: x: y", "", 14409, 0, 0,
		  5000001000, "x", "y" },
		{ "-14417   [000] d..2.  5.000001: x: y", "", 14417, 0, 0, 5000001000, "x", "y" },
		{ " e-1 [0] 9.9: x: 12660 [000]  5.000001: sched:x: y", "e-1 [0] 9.9: x:", 12660, 0,
		  0, 5000001000, "x", "y" },
		{ "    foo-12 [001] 12659/12661 [000]  5.000001: sched:x: y", "foo-12 [001]", 12661,
		  12659, 0, 5000001000, "x", "y" },
		{ "              42 12661 [000]  5.000001: sched:x: y", "42", 12661, 0, 0,
		  5000001000, "x", "y" },
		{ "                 12662 [000]  5.000001: sched:x: y", "", 12662, 0, 0, 5000001000,
		  "x", "y" },
		{ " 12663 [000]  5.000001: sched:x: y", "", 12663, 0, 0, 5000001000, "x", "y" },
		{ "foo-12 [-12660   0d..2.    5.000001: x: y", "foo-12 [", 12660, 0, 0, 5000001000,
		  "x", "y" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
}

TEST(a_payload_that_looks_like_a_front_is_a_payload)
{
	static const struct row row = {
		"             cat-9       [003] ..... 1.5: x: comm=e-1 [0] 9.9: y: pid=1",
		"cat",
		9,
		0,
		3,
		1500000000,
		"x",
		"comm=e-1 [0] 9.9: y: pid=1",
	};

	check_row(&row);
}

TEST(a_time_without_a_fraction_is_a_count)
{
	const char *text = "             cat-9       [003] ..... 123456789012: x: y";
	struct ftrace_line line;

	CHECK(ftrace_line_parse(text, strlen(text), &line));
	CHECK(line.is_count);
	CHECK_EQ(123456789012, line.time_ns);
}

TEST(what_is_no_front_is_refused)
{
	static const char *const rows[] = {
		"",
		" ",
		"-",
		"-1",
		"plain text of some length, with words - and 12 numbers",
		"{ \"tasks\": { \"a-1\": { \"loop\": 5 } } }",
		"cat-9 [003]",
		"cat-9 [003] .....",
		"cat-9 [003] ..... 1.5",
		"cat-9 [003] ..... 1.5 x: y",
		"cat-9 [003] ..... 1.1234567890: x: y",
		"cat-9 [4096] ..... 1.5: x: y",
		"cat-99999999999 [003] ..... 1.5: x: y",
		"cat-9 [003] ..... 99999999999999999999: x: y",
		"cat-9 [003] ..... 99999999999999.5: x: y",
		"see-1 2nd 3: x",
		"cat-9 [] ..... 1.5: x: y",
		"cat-9 [0x1] ..... 1.5: x: y",
		"cat-9 (12 [001] ..... 1.5: x: y",
	};
	struct ftrace_line line;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK(!ftrace_line_parse(rows[i], strlen(rows[i]), &line), "%s", rows[i]);
}

/* 64 KiB of what every attempt has to look at: must not take the square of it. */
TEST(long_lines_take_no_longer_than_their_length)
{
	static const char *const units[] = {
		"-1 ", " 1", "-1", " ", "1", "-1 [0] d 1", "-1 [000] "
	};
	static char text[64 << 10];
	struct ftrace_line line;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t unit = strlen(units[i]);

		for (size_t k = 0; k < sizeof(text); k++)
			text[k] = units[i][k % unit];
		for (int again = 0; again < 200; again++)
			CHECK(!ftrace_line_parse(text, sizeof(text), &line), "%s", units[i]);
	}
}
