/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/ftrace_writer.h"

#include "collect.h"

static const struct event_header header = {
	.source = "simulation",
	.clock = "simulated",
	.release = "6.12",
	.nr_cpus = 4,
	.origin_ns = 1,
	.sees = EVENT_BIT(SWITCH) | EVENT_BIT(MARK),
};
static const struct event_quality quality = { .lost_events = 5, .note = "a note" };

/* A stream of kernel kinds and our own, plain and not. */
static void feed(struct event_sink sink)
{
	struct event event = { .seq = 1, .kind = EVENT_NAME, .cpu = EVENT_NOBODY };
	u64 seq = 1;

	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	event.task = (struct event_task){ 7, 0 };
	event.name.text = "new\nline prev_pid=1 and more than a comm";
	event.name.len = (u32)strlen(event.name.text);
	event.name.pid = 3;
	CHECK_EQ(OK, sink.on_event(sink.self, &event));
	for (u32 i = 0; i < 64; i++) {
		s32 cpu = (s32)(i % 4);

		event = (struct event){ .time_ns = 1000 * i, .seq = ++seq, .kind = EVENT_SWITCH };
		event.cpu = cpu;
		event.task = (struct event_task){ 7, i & 8 ? 1 : 0 };
		event.other = (struct event_task){ 0, (u32)cpu };
		event.switch_.prev_state = i & 16 ? EVENT_STATE_UNKNOWN : 1u << (i % 9);
		event.flags = i & 32 ? EVENT_AFTER_LOSS : 0;
		CHECK_EQ(OK, sink.on_event(sink.self, &event));
		event.kind = i & 1 ? EVENT_WAKING : EVENT_RUNTIME;
		event.seq = ++seq;
		event.words[0] = event.words[1] = event.words[2] = 0;
		event.other.tid = i & 2 ? EVENT_NOBODY : 9;
		event.other.gen = 0;
		if (i & 1)
			event.wake.target_cpu = cpu - 1;
		else
			event.runtime.runtime_ns = ~0ULL >> (i % 2);
		CHECK_EQ(OK, sink.on_event(sink.self, &event));
		event = (struct event){ .time_ns = 1000 * i + 1, .seq = ++seq, .cpu = cpu };
		event.kind = i & 1 ? EVENT_COST : EVENT_IDLE;
		event.task.tid = i & 4 ? 55 : 0; /* beyond what the kind speaks of */
		CHECK_EQ(OK, sink.on_event(sink.self, &event));
	}
	CHECK_EQ(OK, sink.on_end(sink.self, &quality));
}

static char *written(size_t *len)
{
	char *text;
	FILE *to = open_memstream(&text, len);
	struct events_ftrace *ftrace = events_ftrace_new(to);

	feed(events_ftrace_sink(ftrace));
	events_ftrace_free(ftrace);
	fclose(to);
	return text;
}

TEST(the_text_gives_the_very_same_stream)
{
	struct collect first = { 0 }, second = { 0 };
	size_t len;
	char *text = written(&len);

	feed(collect_sink(&first));
	collect_bytes(&second, &input_ftrace_text, text, len);
	CHECK_EQ(OK, second.code, "%s", second.err.what);
	CHECK_EQ(0, second.quality.unparsed, "%s", second.quality.note);
	CHECK_EQ(first.hash.events, second.hash.events);
	CHECK_EQ(first.hash.hash, second.hash.hash);
	CHECK(!memcmp(&first.header, &second.header, sizeof(first.header)));
	CHECK(!memcmp(&first.quality, &second.quality, sizeof(first.quality)));
	CHECK_STR(first.events.at[0].text, second.events.at[0].text);
	collect_fini(&first);
	collect_fini(&second);
	free(text);
}

/* Some tools drop comments: what is left is ordinary text. */
TEST(without_its_comments_the_kernels_events_are_still_there)
{
	struct collect first = { 0 }, second = { 0 };
	size_t len, kept = 0;
	char *text = written(&len), *plain = malloc(len + 1);

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (line[0] != '#')
			kept += (size_t)sprintf(plain + kept, "%s\n", line);
	feed(collect_sink(&first));
	collect_bytes(&second, &input_ftrace_text, plain, kept);
	CHECK_EQ(0, second.quality.unparsed);
	CHECK_EQ(first.of_kind[EVENT_SWITCH], second.of_kind[EVENT_SWITCH]);
	CHECK_EQ(first.of_kind[EVENT_WAKING], second.of_kind[EVENT_WAKING]);
	CHECK_EQ(first.of_kind[EVENT_RUNTIME], second.of_kind[EVENT_RUNTIME]);
	CHECK_EQ(first.of_kind[EVENT_IDLE], second.of_kind[EVENT_IDLE]);
	collect_fini(&first);
	collect_fini(&second);
	free(plain);
	free(text);
}

TEST(cut_anywhere_it_is_truncated_and_never_wrong)
{
	size_t len;
	char *text = written(&len);

	for (size_t cut = len - 2; cut > 700; cut -= cut < 31 ? cut : 31) {
		struct collect collect = { 0 };

		collect_bytes(&collect, &input_ftrace_text, text, cut);
		CHECK_EQ(OK, collect.code, "%s at %zu", collect.err.what, cut);
		CHECK(collect.quality.truncated, "at %zu", cut);
		CHECK_EQ(0, collect.quality.unparsed, "at %zu", cut);
		collect_fini(&collect);
	}
	free(text);
}

TEST(comments_that_make_no_sense_are_counted)
{
	static const char *const lines[] = {
		"#% 5 5 1 no_such_kind",
		"#% 5 5 1 cpu_idle state=1", /* a kernel kind is a line */
		"#= 5 5 1 cost what=1 ns=1", /* and our own never is */
		"#% 1 1 1 cost what=1 ns=1", /* steps back */
		"#% end lost_events=x",
		"          <idle>-0       [001] d..2 0.000000001: cpu_idle: state=1 cpu_id=1",
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct collect collect = { 0 };

		snprintf(
			text, sizeof(text),
			"# tracer: nop\n%s\n#%% source \"x\"\n#%% origin_ns 5\n"
			"          <idle>-0       [001] d..2 0.000000009: cpu_idle: state=1 cpu_id=1\n%s\n"
			"          <idle>-0       [001] d..2 0.000000019: cpu_idle: state=1 cpu_id=1\n",
			EVENTS_FTRACE_MAGIC, lines[i]);
		collect_text(&collect, text);
		CHECK_EQ(1, collect.quality.unparsed, "%s", lines[i]);
		CHECK_EQ(2, collect.of_kind[EVENT_IDLE], "%s", lines[i]);
		CHECK_EQ(14, collect.events.at[1].event.time_ns);
		collect_fini(&collect);
	}
}
