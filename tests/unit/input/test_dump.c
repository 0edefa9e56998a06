/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/dump.h"

#include "collect.h"
#include "events/fields.h"

/* One event of every kind, with values at the ends of their ranges. */
static void feed_all(struct event_sink sink, const struct event_header *header,
		     const struct event_quality *quality)
{
	struct event_cpus *cpus = calloc(1, sizeof(*cpus) + 2 * sizeof(u64));
	struct event event;
	u64 seq = 3;

	cpus->nr_words = 2;
	cpus->words[0] = 0xdeadbeef00000001;
	CHECK_EQ(OK, sink.on_begin(sink.self, header));
	for (u32 kind = 0; kind < EVENT_NR_KINDS; kind++) {
		event = (struct event){ .time_ns = 1000 * (u64)kind,
					.seq = seq,
					.kind = (u16)kind };
		seq += 7;
		event.flags = kind % 3 ? 0 : EVENT_LATE | EVENT_INFERRED;
		event.cpu = kind % 5 ? 3 : EVENT_NOBODY;
		event.task = (struct event_task){ 1234567, 0xffffffff };
		event.other = (struct event_task){ EVENT_NOBODY, 0 };
		if (!event_has_pointers(kind))
			for (u32 i = 0; i < 3; i++)
				event.words[i] = ~0ULL;
		if (kind == EVENT_NAME)
			event.name.text = "\xff\"\\\n \x7f", event.name.len = 6,
			event.name.pid = -1;
		else if (kind == EVENT_ATTR)
			event.attr.nice = -20, event.attr.slice_ns = ~0ULL,
			event.attr.allowed = cpus;
		else if (kind == EVENT_CGROUP)
			event.cgroup.what = EVENT_CGROUP_ATTACH, event.cgroup.value = -S64_MAX - 1;
		else if (kind == EVENT_MARK)
			event.mark.begin = 1, event.mark.id = ~0ULL, event.mark.name = "";
		else if (kind == EVENT_WAKING || kind == EVENT_WAKEUP || kind == EVENT_WAKEUP_NEW)
			event.wake.target_cpu = 4095;
		else if (kind == EVENT_MIGRATE)
			event.migrate.orig_cpu = -1, event.migrate.dest_cpu = 0;
		else if (kind == EVENT_CPU || kind == EVENT_CAPACITY)
			event.cpu_.online = 1, event.cpu_.capacity = 1024;
		else if (kind == EVENT_COST)
			event.cost.what = EVENT_NR_COSTS - 1;
		else if (kind == EVENT_DECISION)
			event.decision.rule = event.decision.reason = 0, event.decision.cpu = -1;
		CHECK_EQ(OK, sink.on_event(sink.self, &event));
	}
	CHECK_EQ(OK, sink.on_end(sink.self, quality));
	free(cpus);
}

static const struct event_header some_header = {
	.source = "simulation \"x\"",
	.clock = "mono",
	.release = "6.12",
	.nr_cpus = 4096,
	.origin_ns = ~0ULL,
	.sees = (1ULL << EVENT_NR_KINDS) - 1,
};

static const struct event_quality some_quality = { 1, 2, 3, 4, 5, 6, ~0ULL, true, "here \\ \x01" };

/* The text of the stream above; the caller frees it. */
static char *dump_all(size_t *len)
{
	char *text;
	struct events_dump dump = { .to = open_memstream(&text, len) };

	feed_all(events_dump_sink(&dump), &some_header, &some_quality);
	fclose(dump.to);
	return text;
}

static void collect_dump(struct collect *collect, const char *text, size_t len)
{
	collect_bytes(collect, &input_dump, text, len);
}

TEST(every_kind_comes_back_as_it_was)
{
	struct collect first = { 0 }, second = { 0 };
	size_t len;
	char *text = dump_all(&len);

	feed_all(collect_sink(&first), &some_header, &some_quality);
	collect_dump(&second, text, len);
	CHECK_EQ(OK, second.code, "%s", second.err.what);
	CHECK_EQ(EVENT_NR_KINDS, second.events.nr);
	CHECK_EQ(first.hash.hash, second.hash.hash);
	for (size_t i = 0; i < first.events.nr; i++) {
		const struct kept *a = &first.events.at[i], *b = &second.events.at[i];

		CHECK_EQ(a->event.seq, b->event.seq);
		CHECK_STR(a->text, b->text);
		CHECK(!memcmp(&a->event, &b->event, offsetof(struct event, words)), "%s",
		      event_kind_name((u32)i));
		CHECK(event_has_pointers((u32)i) ||
			      !memcmp(a->event.words, b->event.words, sizeof(a->event.words)),
		      "%s", event_kind_name((u32)i));
	}
	CHECK(!memcmp(&first.header, &second.header, sizeof(first.header)));
	CHECK(!memcmp(&first.quality, &second.quality, sizeof(first.quality)));
	collect_fini(&first);
	collect_fini(&second);
	free(text);
}

TEST(a_line_is_as_the_documentation_says)
{
	size_t len;
	char *text;
	struct events_dump dump = { .to = open_memstream(&text, &len) };
	struct event_sink sink = events_dump_sink(&dump);
	struct event_header header = { .source = "a", .nr_cpus = 2, .sees = EVENT_BIT(SWITCH) };
	struct event_quality quality = { .lost_events = 5 };
	struct event event = { .time_ns = 17, .seq = 4, .kind = EVENT_SWITCH, .cpu = 1 };

	event.task = (struct event_task){ 12, 0 };
	event.other = (struct event_task){ 0, 1 };
	event.switch_.prev_state = EVENT_STATE_SLEEP;
	event.switch_.prev_prio = 120;
	event.switch_.next_prio = -1;
	sink.on_begin(sink.self, &header);
	sink.on_event(sink.self, &event);
	sink.on_end(sink.self, &quality);
	fclose(dump.to);
	CHECK_STR("# fairground stream 1\n"
		  "source \"a\"\nclock \"\"\nrelease \"\"\ncpus 2\norigin_ns 0\nsees sched_switch\n"
		  "17 4 1 sched_switch prev=12:0 next=0:1 prev_state=1 prev_prio=120 next_prio=-1\n"
		  "end lost_events=5 lost_unknown=0 inversions=0 inversion_max_ns=0 late=0 "
		  "mismatches=0 unparsed=0 truncated=0 note=\"\"\n",
		  text);
	free(text);
}

#define MAGIC            "# fairground stream 1\n"
#define EVENT(time, seq) time " " seq " 1 cpu_idle state=1\n"
#define END                                                                                     \
	"end lost_events=0 lost_unknown=0 inversions=0 inversion_max_ns=0 late=0 mismatches=0 " \
	"unparsed=0 truncated=0 note=\"\"\n"

/* Each of these lines is wrong in one place; as the first it refuses the file. */
static const char *const bad_lines[] = {
	"garbage\n",
	"5 5 1 no_such_kind\n",
	"5 5 1 cpu_idle\n",
	"5 5 1 cpu_idle state=1 more=2\n",
	"5 5 1 cpu_idle state=4294967296\n",
	"5 5 1 cpu_idle  state=1\n",
	"5 5 4096 cpu_idle state=1\n",
	"5 5 1 cpu_idle flags=65536 state=1\n",
	"x 5 1 cpu_idle state=1\n",
	"5 5 1 cpu_idle state=1 +w0=18446744073709551616\n",
	"5 5 1 mark task=1:0 what=3 begin=1 id=1 name=\"\"\n",
	"5 5 1 mark task=1:0 what=1 begin=1 id=1 name=\"\\x00\"\n",
	"5 5 1 mark task=1:0 what=1 begin=1 id=1 name=\"\\xg0\"\n",
	"5 5 1 mark task=1:0 what=1 begin=1 id=1 name=\"\n",
	"5 5 1 mark task=1:0 what=1 begin=1 id=1 name=\"a\" +w2=5\n",
	"5 5 1 cost what=99 ns=1\n",
	"5 5 1 decision task=1:0 rule=99 reason=0 chosen=1 value=1\n",
	"5 5 1 sched_migrate_task task=1:0 by=1:0 prio=120 orig_cpu=4096 dest_cpu=1\n",
	"5 5 1 sched_wakeup task=1:0 waker=1:0 prio=120 target_cpu=-2\n",
	"5 5 1 cgroup task=1:0 what=5 id=1 value=1 name=-\n",
	"5 5 1 attr task=1:0 policy=256 nice=0 rt_prio=0 identity=0 cgroup=0 slice_ns=0 allowed=-\n",
	"5 5 1 attr task=1:0 policy=0 nice=0 rt_prio=0 identity=0 cgroup=0 slice_ns=0 allowed=[1;2]\n",
	"5 5 1 sched_switch prev=0:0 next=5:0 prev_state=0 prev_prio=1 next_prio=1\n",
	"source \"x\n",
	"clock \"this is longer than any clock's name can be\"\n",
	"cpus 4097\n",
	"sees nothing_known\n",
};

TEST(a_wrong_first_line_refuses_the_file)
{
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		struct collect collect = { 0 };

		snprintf(text, sizeof(text), MAGIC "%s" END, bad_lines[i]);
		collect_dump(&collect, text, strlen(text));
		CHECK_EQ(ERR_FORMAT, collect.code, "%s", bad_lines[i]);
		CHECK_EQ(2, collect.err.at, "%s", bad_lines[i]);
		CHECK(!collect.begun);
		collect_fini(&collect);
	}
}

TEST(a_wrong_line_later_is_counted)
{
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		struct collect collect = { 0 };

		snprintf(text, sizeof(text), MAGIC EVENT("5", "4") "%s" EVENT("5", "6") END,
			 bad_lines[i]);
		collect_dump(&collect, text, strlen(text));
		CHECK_EQ(OK, collect.code);
		CHECK_EQ(1, collect.quality.unparsed, "%s", bad_lines[i]);
		CHECK_EQ(2, collect.of_kind[EVENT_IDLE]);
		CHECK_STR("line 3: expected an event that follows", collect.quality.note);
		collect_fini(&collect);
	}
}

TEST(a_line_that_steps_back_is_counted_and_left_out)
{
	static const char text[] =
		MAGIC EVENT("5", "4") EVENT("4", "5") EVENT("5", "4") EVENT("6", "5") END;
	struct collect collect = { 0 };

	collect_dump(&collect, text, strlen(text));
	CHECK_EQ(2, collect.quality.unparsed);
	CHECK_EQ(2, collect.events.nr);
	collect_fini(&collect);
}

TEST(a_dump_without_its_end_is_truncated)
{
	static const char whole[] = MAGIC EVENT("5", "4") EVENT("7", "5");
	/* the last line, cut within a number, would still look like an event */
	static const char cut[] = MAGIC EVENT("5", "4") "7 5 1 cpu_idle state=1";
	struct collect first = { 0 }, second = { 0 };

	collect_dump(&first, whole, strlen(whole));
	CHECK_EQ(2, first.events.nr);
	CHECK(first.quality.truncated);
	collect_dump(&second, cut, strlen(cut));
	CHECK_EQ(1, second.events.nr);
	CHECK(second.quality.truncated);
	CHECK_EQ(0, second.quality.unparsed);
	collect_fini(&first);
	collect_fini(&second);
}

TEST(a_stream_without_events_is_a_stream)
{
	static const char text[] = MAGIC "source \"x\"\n" END;
	struct collect collect = { 0 };

	collect_dump(&collect, text, strlen(text));
	CHECK_EQ(OK, collect.code);
	CHECK(collect.ended);
	CHECK_STR("x", collect.header.source);
	CHECK(!collect.quality.truncated);
	collect_fini(&collect);
}

TEST(a_full_disk_stops_the_source)
{
	struct events_dump dump = { .to = fopen("/dev/full", "w") };
	struct event_sink sink = events_dump_sink(&dump);
	struct event event = { .kind = EVENT_IDLE };
	enum err_code code = OK;

	CHECK(dump.to);
	for (u32 i = 0; i < 10000 && code == OK; i++)
		code = sink.on_event(sink.self, &event);
	CHECK_EQ(ERR_IO, code);
	fclose(dump.to);
}

TEST(only_a_dump_is_taken_for_one)
{
	CHECK(input_dump.detect((const u8 *)MAGIC, strlen(MAGIC)));
	CHECK(!input_dump.detect((const u8 *)MAGIC, strlen(MAGIC) - 1));
	CHECK(!input_dump.detect((const u8 *)"# fairground stream 10\n", 23));
	CHECK(!input_dump.detect((const u8 *)"# tracer: nop\n", 14));
	CHECK(!input_dump.detect((const u8 *)"", 0));
}
