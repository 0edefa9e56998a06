/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded texts: the project's own in tests/fixtures, each with NAME.truth.json that was
 * made from the raw records by a program of its own, and those of others beside the
 * project, counted with grep.
 */
#include <cJSON.h>

#include "base/map.h"
#include "collect.h"
#include "events/dump.h"
#include "events/fields.h"
#include "events/ftrace_writer.h"

/* One of each form; a missing one fails. */
static const char *const fixtures[] = {
	"tracefs.txt",
	"tracefs-tgid.txt",
	"tracefs-overrun.txt",
	"tracefs-counter.txt",
	"tracefs-tsc.txt",
	"trace_pipe-lost.txt",
	"trace-cmd-report.txt",
	"trace-cmd-report-N.txt",
	"trace-cmd-report-R.txt",
	"trace-cmd-report-l.txt",
	"trace-cmd-report-t.txt",
	"trace-cmd-report-overrun.txt",
	"perf-script.txt",
	"perf-script-ns.txt",
	"atrace.txt",
};

static char *fixture(const char *name, const char *end, size_t *len)
{
	char *path = mem_printf("%s/tests/fixtures/%s%s", test_root(), name, end);
	char *text = collect_file(path, len);

	CHECK(text, "%s", path);
	free(path);
	return text;
}

static cJSON *truth_of(const char *name)
{
	size_t len;
	char *text = fixture(name, ".truth.json", &len);
	cJSON *truth = cJSON_ParseWithLength(text, len);

	CHECK(truth, "%s", name);
	free(text);
	return truth;
}

static void collect_fixture(struct collect *collect, const char *name)
{
	size_t len;
	char *text = fixture(name, "", &len);

	CHECK(input_ftrace_text.detect((const u8 *)text, len < INPUT_HEAD ? len : INPUT_HEAD), "%s",
	      name);
	collect_bytes(collect, &input_ftrace_text, text, len);
	CHECK_EQ(OK, collect->code, "%s: %s", name, collect->err.what);
	free(text);
}

static double number(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItem(object, key);

	CHECK(cJSON_IsNumber(item), "%s", key);
	return item->valuedouble;
}

static void check_counts(const struct collect *collect, const cJSON *truth, const char *name)
{
	const cJSON *events = cJSON_GetObjectItem(truth, "events"), *row;

	cJSON_ArrayForEach(row, events)
	{
		u32 kind = event_kind_find(row->string, strlen(row->string));

		CHECK(kind < EVENT_NR_KINDS, "%s", row->string);
		CHECK_EQ(row->valuedouble, collect->of_kind[kind], "%s: %s", name, row->string);
	}
	CHECK_EQ(0, collect->quality.unparsed, "%s: %s", name, collect->quality.note);
	CHECK(!collect->quality.truncated, "%s", name);
}

static void check_cpus(const struct collect *collect, const cJSON *truth, const char *name)
{
	const cJSON *row;

	cJSON_ArrayForEach(row, cJSON_GetObjectItem(truth, "events_by_cpu"))
	{
		u64 count = 0;

		vec_for_each(kept, &collect->events)
			count += event_kind_is_kernel(kept->event.kind) &&
				 kept->event.cpu == atoi(row->string);
		CHECK_EQ(row->valuedouble, count, "%s: CPU %s", name, row->string);
	}
}

/* As the printer rounds. */
static u64 rounded(const cJSON *truth, const char *key)
{
	u64 time = (u64)number(truth, key), step = (u64)number(truth, "time_step_ns");
	const char *how = cJSON_GetObjectItem(truth, "time_rounding")->valuestring;

	if (!strcmp(how, "nearest"))
		time += step / 2;
	return time / step * step;
}

static void check_times(const struct collect *collect, const cJSON *truth, const char *name)
{
	u64 last = collect->events.at[collect->events.nr - 1].event.time_ns;

	/* a JSON number holds 2^53: enough for these */
	CHECK_EQ(rounded(truth, "first_ns"), collect->header.origin_ns, "%s", name);
	CHECK_EQ(rounded(truth, "last_ns"), collect->header.origin_ns + last, "%s", name);
}

static void check_losses(const struct collect *collect, const cJSON *truth, const char *name)
{
	static const char *const keys[] = { "overrun", "lost_events" };
	const cJSON *lost = cJSON_GetObjectItem(truth, "lost");
	u64 want = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (cJSON_GetObjectItem(lost, keys[i]))
			want = (u64)number(lost, keys[i]);
	/* what perf lost its script does not say */
	if (strncmp(name, "perf", 4))
		CHECK_EQ(want, collect->quality.lost_events, "%s", name);
}

struct seen_name {
	struct event_task task;
	char hex[64];
};

static void put_hex(const char *text, char *hex)
{
	*hex = '\0';
	for (; *text; text++)
		hex += sprintf(hex, "%02x", (u8)*text);
}

/* How often @tid was switched to under the name @hex, as EVENT_NAME told it. */
static u64 switches_in(const struct collect *collect, s32 tid, const char *hex)
{
	VEC(struct seen_name) names = { 0 };
	u64 count = 0;

	vec_for_each(kept, &collect->events) {
		const struct event *event = &kept->event;

		if (event->kind == EVENT_NAME && event->task.tid == tid) {
			struct seen_name *name = vec_add(&names);

			name->task = event->task;
			put_hex(kept->text, name->hex);
		}
		if (event->kind != EVENT_SWITCH || event->other.tid != tid)
			continue;
		for (size_t i = names.nr; i-- > 0;) {
			if (!event_same_task(names.at[i].task, event->other))
				continue;
			count += !strcmp(names.at[i].hex, hex);
			break;
		}
	}
	vec_free(&names);
	return count;
}

static void check_names(const struct collect *collect, const cJSON *truth, const char *name)
{
	const cJSON *thread, *row;
	u32 checked = 0;

	cJSON_ArrayForEach(thread, cJSON_GetObjectItem(truth, "hostile"))
	{
		s32 tid = (s32)number(thread, "tid");

		cJSON_ArrayForEach(row, cJSON_GetObjectItem(thread, "switches_in_by_comm_hex"))
		{
			/* trace-cmd's columns before a plugin's text swallow a name of blanks */
			if (!strcmp(row->string, "20") && collect->quality.note[0] == 't')
				continue;
			CHECK_EQ(row->valuedouble, switches_in(collect, tid, row->string),
				 "%s: tid %d as %s", name, tid, row->string);
			checked++;
		}
	}
	CHECK(checked > 10, "%s", name);
}

TEST(fixtures_agree_with_their_truth)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		struct collect collect = { 0 };
		cJSON *truth = truth_of(fixtures[i]);

		collect_fixture(&collect, fixtures[i]);
		check_counts(&collect, truth, fixtures[i]);
		check_cpus(&collect, truth, fixtures[i]);
		check_times(&collect, truth, fixtures[i]);
		check_losses(&collect, truth, fixtures[i]);
		check_names(&collect, truth, fixtures[i]);
		collect_fini(&collect);
		cJSON_Delete(truth);
	}
}

/* Reads @text through @format and expects the stream that @first has. */
static void check_same(const struct collect *first, const struct input_format *format, char *text,
		       size_t len, const char *name)
{
	struct collect second = { 0 };

	collect_bytes(&second, format, text, len);
	CHECK_EQ(OK, second.code, "%s", second.err.what);
	CHECK_EQ(first->hash.events, second.hash.events, "%s", name);
	CHECK_EQ(first->hash.hash, second.hash.hash, "%s", name);
	CHECK(!memcmp(&first->header, &second.header, sizeof(first->header)), "%s", name);
	CHECK(!memcmp(&first->quality, &second.quality, sizeof(first->quality)), "%s", name);
	collect_fini(&second);
	free(text);
}

/* The stream of a fixture again into @sink, which must not keep it. */
static void feed_fixture(const char *name, struct event_sink sink)
{
	static const struct input_options none;
	struct bytes bytes;
	size_t len;
	char *text = fixture(name, "", &len);

	bytes_buffer(&bytes, name, text, len);
	CHECK_EQ(OK, input_ftrace_text.read(&bytes, &none, sink, NULL));
	bytes_close(&bytes);
	free(text);
}

TEST(fixtures_come_back_from_a_dump_and_from_our_text)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		struct collect collect = { 0 };
		struct events_dump dump;
		struct events_ftrace *ftrace;
		char *text;
		size_t len;

		collect_fixture(&collect, fixtures[i]);
		dump.to = open_memstream(&text, &len);
		feed_fixture(fixtures[i], events_dump_sink(&dump));
		fclose(dump.to);
		check_same(&collect, &input_dump, text, len, fixtures[i]);
		dump.to = open_memstream(&text, &len);
		ftrace = events_ftrace_new(dump.to);
		feed_fixture(fixtures[i], events_ftrace_sink(ftrace));
		events_ftrace_free(ftrace);
		fclose(dump.to);
		check_same(&collect, &input_ftrace_text, text, len, fixtures[i]);
		collect_fini(&collect);
	}
}

/* A cut file gives what it has: never fewer of the events before, never a bad line. */
TEST(fixtures_cut_at_every_1000th_byte_give_what_they_have)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		size_t len, before = 0;
		char *text = fixture(fixtures[i], "", &len);

		for (size_t cut = 1000; cut < len; cut += 1000) {
			struct collect collect = { 0 };

			collect_bytes(&collect, &input_ftrace_text, text, cut);
			if (collect.code != OK)
				CHECK(collect.code == ERR_FORMAT && cut < 3000, "%s at %zu",
				      fixtures[i], cut);
			CHECK_EQ(0, collect.quality.unparsed, "%s at %zu", fixtures[i], cut);
			CHECK(collect.events.nr >= before, "%s at %zu", fixtures[i], cut);
			before = collect.events.nr;
			collect_fini(&collect);
		}
		free(text);
	}
}

/* Counted with grep -c " sched_switch: " and so on. */
static const struct {
	const char *name;
	u32 switches, wakeups, new, idle, freq, runtime, exits;
	u32 unparsed, inversions;
} traces[] = {
	{ "lisa/tests_assets_trace_txt_trace.txt", 1856, 1068 },
	{ "tracecompass-incubator/atrace-test", 2582, 1540 },
	{ "trappy/tests_raw_trace.txt", 3 },
	/* its last line is cut, and one line stands before an earlier one */
	{ "trappy/tests_trace_idle_unsorted.txt", 6, .idle = 8, .unparsed = 1, .inversions = 1 },
	{ "trappy/tests_trace_no_trailing_line.txt", 1, .idle = 9 },
	{ "trappy/tests_trace_sched.txt", .wakeups = 2, .new = 2, .freq = 1 },
	{ "trappy/tests_trace_empty.txt", .runtime = 21, .exits = 2 },
	{ "trappy/tests_trace_failed_to_parse.txt" },
};

static char *shared_file(const char *name, size_t *len)
{
	const char *shared = getenv("FAIRGROUND_SHARED");
	char *path = shared ? mem_printf("%s/traces/%s", shared, name)
			    : mem_printf("%s/../shared/traces/%s", test_root(), name);
	char *text = collect_file(path, len);

	free(path);
	return text;
}

TEST(traces_of_others_are_read_whole)
{
	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		struct collect collect = { 0 };
		size_t len;
		char *text = shared_file(traces[i].name, &len);

		if (!text)
			SKIP("no traces of others beside the project");
		collect_bytes(&collect, &input_ftrace_text, text, len);
		CHECK_EQ(OK, collect.code, "%s", traces[i].name);
		CHECK_EQ(traces[i].switches, collect.of_kind[EVENT_SWITCH], "%s", traces[i].name);
		CHECK_EQ(traces[i].wakeups, collect.of_kind[EVENT_WAKEUP], "%s", traces[i].name);
		CHECK_EQ(traces[i].new, collect.of_kind[EVENT_WAKEUP_NEW], "%s", traces[i].name);
		CHECK_EQ(traces[i].idle, collect.of_kind[EVENT_IDLE], "%s", traces[i].name);
		CHECK_EQ(traces[i].freq, collect.of_kind[EVENT_FREQ], "%s", traces[i].name);
		CHECK_EQ(traces[i].runtime, collect.of_kind[EVENT_RUNTIME], "%s", traces[i].name);
		CHECK_EQ(traces[i].exits, collect.of_kind[EVENT_EXIT], "%s", traces[i].name);
		CHECK_EQ(traces[i].unparsed, collect.quality.unparsed, "%s", traces[i].name);
		CHECK_EQ(traces[i].inversions, collect.quality.inversions, "%s", traces[i].name);
		collect_fini(&collect);
		free(text);
	}
}
