/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace-cmd.h>

#include "base/rng.h"
#include "events/fields.h"
#include "events/sinks.h"
#include "input/format.h"
#include "input/tep_fields.h"
#include "trace_dat_draft.h"

#include "test.h"

/* What a reading gave. */
struct seen {
	struct event_header header;
	struct event_quality quality;
	u64 kinds[EVENT_NR_KINDS];
	u64 sum; /* of a hash of each kernel event's time, CPU and kind */
	u64 times[16], nr_times;
	s32 cpus[16];
	char names[400]; /* "tid=name ", in order */
};

static u64 mix(u64 time_ns, s32 cpu, u32 kind)
{
	return rng_combine(rng_combine(time_ns, (u64)cpu), kind);
}

static enum err_code on_begin(void *self, const struct event_header *header)
{
	((struct seen *)self)->header = *header;
	return OK;
}

static enum err_code on_event(void *self, const struct event *event)
{
	struct seen *seen = self;
	size_t len = strlen(seen->names);

	seen->kinds[event->kind]++;
	if (event->kind == EVENT_NAME) {
		snprintf(seen->names + len, sizeof(seen->names) - len, "%d=%s ", event->task.tid,
			 event->name.text);
	} else if (event->kind != EVENT_LOST) {
		if (seen->nr_times < ARRAY_SIZE(seen->times)) {
			seen->cpus[seen->nr_times] = event->cpu;
			seen->times[seen->nr_times++] = event->time_ns + seen->header.origin_ns;
		}
		seen->sum +=
			mix(event->time_ns + seen->header.origin_ns,
			    event->kind == EVENT_IDLE || event->kind == EVENT_FREQ ? 0 : event->cpu,
			    event->kind);
	}
	return OK;
}

static enum err_code on_end(void *self, const struct event_quality *quality)
{
	((struct seen *)self)->quality = *quality;
	return OK;
}

static struct event_sink into(struct events_check *check, struct seen *seen)
{
	*seen = (struct seen){ 0 };
	*check = (struct events_check){ .next = { seen, on_begin, on_event, on_end } };
	return events_check_sink(check);
}

static enum err_code read_path(const char *path, struct seen *seen, struct err *err)
{
	struct events_check check;

	*err = (struct err)ERR_NONE;
	return input_trace(path, NULL, into(&check, seen), err);
}

static enum err_code read_draft(const struct draft *draft, struct seen *seen, struct err *err)
{
	static const struct input_options options;
	struct events_check check;
	struct bytes bytes;

	*err = (struct err)ERR_NONE;
	bytes_buffer(&bytes, "draft", draft->out.at, draft->out.nr);
	return input_trace_dat.read(&bytes, &options, into(&check, seen), err);
}

static char *shared_path(const char *name)
{
	const char *shared = getenv("FAIRGROUND_SHARED");

	return shared ? mem_printf("%s/traces/%s", shared, name)
		      : mem_printf("%s/../shared/traces/%s", test_root(), name);
}

/* Counts by trace-cmd report -N. */
TEST(public_traces_give_the_counts_of_trace_cmd)
{
	static const struct {
		const char *name;
		u64 switches, idles, migrations, frequencies;
	} rows[] = {
		{ "lisa/tests_assets_sched_load_trace.dat", 399, 474, 28, 16 },
		{ "trappy/tests_raw_trace.dat", 755, 0, 0, 0 },
		{ "trappy/tests_trace_idle.dat", 23, 17, 3, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *path = shared_path(rows[i].name);
		struct seen seen;
		struct err err;

		if (access(path, R_OK)) {
			test_skip(__func__, "not all of ../shared/traces is here");
			free(path);
			continue;
		}
		CHECK_EQ(OK, read_path(path, &seen, &err), "%s: %s", path, err.what);
		CHECK_EQ(rows[i].switches, seen.kinds[EVENT_SWITCH], "%s", path);
		CHECK_EQ(rows[i].idles, seen.kinds[EVENT_IDLE], "%s", path);
		CHECK_EQ(rows[i].migrations, seen.kinds[EVENT_MIGRATE], "%s", path);
		CHECK_EQ(rows[i].frequencies, seen.kinds[EVENT_FREQ], "%s", path);
		CHECK_EQ(6, seen.header.nr_cpus);
		CHECK_EQ(0, seen.quality.inversions + seen.quality.unparsed);
		CHECK(!seen.quality.truncated);
		free(path);
	}
}

/* The field's own reader, event by event. */
struct oracle {
	u64 sum, records, missed;
};

static u32 kind_of(struct tep_handle *tep, struct tep_record *record)
{
	struct tep_event *event = tep_find_event_by_record(tep, record);

	if (!event)
		return EVENT_NR_KINDS;
	for (u32 kind = 0; kind <= EVENT_FREQ; kind++) {
		static const char *const names[] = {
			[EVENT_SWITCH] = "sched_switch",
			[EVENT_WAKING] = "sched_waking",
			[EVENT_WAKEUP] = "sched_wakeup",
			[EVENT_WAKEUP_NEW] = "sched_wakeup_new",
			[EVENT_MIGRATE] = "sched_migrate_task",
			[EVENT_FORK] = "sched_process_fork",
			[EVENT_EXEC] = "sched_process_exec",
			[EVENT_EXIT] = "sched_process_exit",
			[EVENT_RUNTIME] = "sched_stat_runtime",
			[EVENT_IDLE] = "cpu_idle",
			[EVENT_FREQ] = "cpu_frequency",
		};

		if (!strcmp(event->name, names[kind]))
			return kind;
	}
	return EVENT_NR_KINDS;
}

static int on_record(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *self)
{
	struct oracle *oracle = self;
	u32 kind = kind_of(tracecmd_get_tep(handle), record);

	(void)cpu;
	if (record->missed_events > 0)
		oracle->missed += (u64)record->missed_events;
	if (kind == EVENT_NR_KINDS)
		return 0;
	oracle->records++;
	oracle->sum +=
		mix(record->ts, kind == EVENT_IDLE || kind == EVENT_FREQ ? 0 : record->cpu, kind);
	return 0;
}

static void iterate(const char *path, struct oracle *oracle)
{
	struct tracecmd_input *handle;

	*oracle = (struct oracle){ 0 };
	tracecmd_set_loglevel(TEP_LOG_NONE);
	handle = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle)
		_exit(1);
	for (int i = 0; i < tracecmd_buffer_instances(handle); i++) {
		struct tracecmd_input *buffer = tracecmd_buffer_instance_handle(handle, i);

		if (!buffer)
			continue;
		tracecmd_iterate_events(buffer, NULL, 0, on_record, oracle);
		tracecmd_close(buffer);
	}
	tracecmd_iterate_events(handle, NULL, 0, on_record, oracle);
	tracecmd_close(handle);
}

/* In a process of its own: the library leaks, and may crash. */
static void ask_oracle(const char *path, struct oracle *oracle)
{
	int fds[2];

	CHECK_EQ(0, pipe(fds));
	if (!fork()) {
		iterate(path, oracle);
		_exit(write(fds[1], oracle, sizeof(*oracle)) != sizeof(*oracle));
	}
	close(fds[1]);
	CHECK_EQ(sizeof(*oracle), read(fds[0], oracle, sizeof(*oracle)), "%s", path);
	close(fds[0]);
	wait(NULL);
}

static void compare(const char *path)
{
	struct oracle oracle;
	struct seen seen;
	struct err err;
	u64 records = 0;

	CHECK_EQ(OK, read_path(path, &seen, &err), "%s: %s", path, err.what);
	ask_oracle(path, &oracle);
	for (u32 kind = 0; kind <= EVENT_FREQ; kind++)
		records += seen.kinds[kind];
	CHECK_EQ(oracle.records, records, "%s", path);
	CHECK(oracle.sum == seen.sum, "%s: times, CPUs or kinds differ", path);
}

static const char *const fixtures[] = { "trace-v6.dat", "trace-v7.dat", "trace-v7-zstd.dat",
					"trace-overrun.dat" };

static char *fixture_path(const char *name)
{
	return mem_printf("%s/tests/fixtures/%s", test_root(), name);
}

TEST(every_record_is_what_libtracecmd_says)
{
	static const char *const shared[] = { "lisa/tests_assets_sched_load_trace.dat",
					      "trappy/tests_raw_trace.dat",
					      "trappy/tests_trace_idle.dat" };

	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		char *path = fixture_path(fixtures[i]);

		compare(path);
		free(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
		char *path = shared_path(shared[i]);

		if (!access(path, R_OK))
			compare(path);
		else
			test_skip(__func__, "not all of ../shared/traces is here");
		free(path);
	}
}

/* The number that stands behind "name": in a truth file, from @from on. */
static u64 truth_number(const char *truth, const char *name)
{
	char *key = mem_printf("\"%s\":", name);
	const char *at = strstr(truth, key);

	CHECK(at, "%s", name);
	at += strlen(key);
	free(key);
	return strtoull(at, NULL, 10);
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	struct stat stat;
	char *text;

	CHECK(file, "%s", path);
	CHECK_EQ(0, fstat(fileno(file), &stat));
	text = mem_zalloc((size_t)stat.st_size + 1);
	CHECK_EQ(stat.st_size, fread(text, 1, (size_t)stat.st_size, file));
	fclose(file);
	return text;
}

static void check_truth(const char *path)
{
	static const u32 kinds[] = { EVENT_SWITCH,  EVENT_WAKING, EVENT_WAKEUP, EVENT_WAKEUP_NEW,
				     EVENT_MIGRATE, EVENT_FORK,   EVENT_EXEC,   EVENT_EXIT,
				     EVENT_RUNTIME, EVENT_IDLE,   EVENT_FREQ };
	char *truth_path = mem_printf("%s.truth.json", path), *truth = read_text(truth_path);
	struct seen seen;
	struct err err;

	CHECK_EQ(OK, read_path(path, &seen, &err), "%s: %s", path, err.what);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *name = event_kind_name(kinds[i]);

		CHECK_EQ(truth_number(truth, name), seen.kinds[kinds[i]], "%s: %s", path, name);
	}
	CHECK_EQ(truth_number(truth, "first_ns"), seen.times[0], "%s", path);
	CHECK_EQ(truth_number(truth, "prev_not_last_next"), seen.quality.mismatches, "%s", path);
	CHECK_EQ(truth_number(truth, "overrun") + truth_number(truth, "dropped"),
		 seen.quality.lost_events, "%s", path);
	CHECK_EQ(0, seen.quality.inversions + seen.quality.unparsed);
	CHECK(!seen.quality.truncated);
	CHECK(strstr(truth, seen.header.clock), "%s: clock %s", path, seen.header.clock);
	CHECK(seen.header.release[0], "%s", path);
	free(truth);
	free(truth_path);
}

TEST(our_recordings_are_read_right)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		char *path = fixture_path(fixtures[i]);

		check_truth(path);
		free(path);
	}
}

static void write_all(int fd, const char *path)
{
	char buf[4096];
	FILE *file = fopen(path, "rb");
	size_t got;

	while (file && (got = fread(buf, 1, sizeof(buf), file)))
		if (write(fd, buf, got) < 0)
			break;
	_exit(0);
}

TEST(a_pipe_gives_what_the_file_gives)
{
	char *path = fixture_path("trace-v7-zstd.dat"), *end;
	struct seen file, pipe_;
	struct err err;
	int fds[2];

	CHECK_EQ(OK, read_path(path, &file, &err));
	CHECK_EQ(0, pipe(fds));
	if (!fork()) {
		close(fds[0]);
		write_all(fds[1], path);
	}
	close(fds[1]);
	end = mem_printf("/proc/self/fd/%d", fds[0]);
	CHECK_EQ(OK, read_path(end, &pipe_, &err), "%s", err.what);
	CHECK(file.sum == pipe_.sum && file.sum);
	wait(NULL);
	close(fds[0]);
	free(end);
	free(path);
}

/*
 * Two CPUs, pages of two switches: CPU 0 at 101, 103 and 301, 303; CPU 1 at 201, 203
 * with 5 records lost before.
 */
static struct draft two_cpus(const char *cmdlines)
{
	struct draft draft = { 0 };
	size_t table;

	draft_v6(&draft, cmdlines, 2);
	draft_option(&draft, 5, "Linux host 6.12.3-x 64", 23);
	draft_option(&draft, 4, "local [mono] global", 20);
	draft_number(&draft, 0, 2);
	draft_text(&draft, "flyrecord");
	table = draft.out.nr;
	draft_number(&draft, table + 32, 8);
	draft_number(&draft, 2 * DRAFT_PAGE, 8);
	draft_number(&draft, table + 32 + 2 * DRAFT_PAGE, 8);
	draft_number(&draft, DRAFT_PAGE, 8);
	draft_page(&draft, 100, 0, 11, 22);
	draft_page(&draft, 300, 0, 11, 22);
	draft_page(&draft, 200, 1u << 31 | 1u << 30, 33, 44);
	draft_set(&draft, draft.out.nr - DRAFT_PAGE + 16 + 64, 5, 8);
	return draft;
}

TEST(cpus_are_merged_by_time)
{
	static const u64 times[] = { 101, 103, 201, 203, 301, 303 };
	static const s32 cpus[] = { 0, 0, 1, 1, 0, 0 };
	struct draft draft = two_cpus("");
	struct seen seen;
	struct err err;

	CHECK_EQ(OK, read_draft(&draft, &seen, &err), "%s", err.what);
	CHECK_EQ(ARRAY_SIZE(times), seen.kinds[EVENT_SWITCH]);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		CHECK_EQ(times[i], seen.times[i], "%zu", i);
		CHECK_EQ(cpus[i], seen.cpus[i], "%zu", i);
	}
	CHECK_STR("mono", seen.header.clock);
	CHECK_STR("6.12.3-x", seen.header.release);
	CHECK_STR("trace.dat", seen.header.source);
	CHECK_EQ(2, seen.header.nr_cpus);
	CHECK(seen.header.sees == (EVENT_BIT(SWITCH) | EVENT_BIT(LOST) | EVENT_BIT(NAME)));
	CHECK_EQ(1, seen.kinds[EVENT_LOST]);
	CHECK_EQ(5, seen.quality.lost_events);
	vec_free(&draft.out);
}

/* The format of this draft has no names: the saved command lines are all there is. */
TEST(saved_command_lines_name_those_that_events_do_not)
{
	struct draft draft = two_cpus("11 a b\nc\n22 x\n0 <idle>\n99 unused\n");
	struct seen seen;
	struct err err;

	CHECK_EQ(OK, read_draft(&draft, &seen, &err), "%s", err.what);
	CHECK_STR("11=a b 22=x ", seen.names);
	vec_free(&draft.out);
}

TEST(a_file_cut_inside_its_pages_gives_those_that_are_there)
{
	struct draft draft = two_cpus("");
	struct seen seen;
	struct err err;

	draft.out.nr -= DRAFT_PAGE; /* CPU 1 */
	CHECK_EQ(OK, read_draft(&draft, &seen, &err), "%s", err.what);
	CHECK_EQ(4, seen.kinds[EVENT_SWITCH]);
	CHECK(seen.quality.truncated);
	CHECK(strstr(seen.quality.note, "expected 128 bytes of CPU 1"), "%s", seen.quality.note);
	draft.out.nr -= DRAFT_PAGE - 60; /* and CPU 0 inside its second page */
	CHECK_EQ(OK, read_draft(&draft, &seen, &err), "%s", err.what);
	CHECK_EQ(3, seen.kinds[EVENT_SWITCH]);
	CHECK_EQ(1, seen.quality.lost_unknown);
	vec_free(&draft.out);
}

TEST(a_file_cut_inside_its_head_is_refused_with_the_place)
{
	struct draft draft = two_cpus("");
	struct seen seen;
	struct err err;

	for (size_t size = 0; size < draft.out.nr - 3 * DRAFT_PAGE; size++) {
		struct draft cut = draft;

		cut.out.nr = size;
		CHECK_EQ(ERR_FORMAT, read_draft(&cut, &seen, &err), "%zu bytes", size);
		CHECK(err.place == ERR_BYTE && err.at <= size, "%zu bytes: %llu", size, err.at);
		CHECK(strstr(err.what, "expected "), "%s", err.what);
	}
	vec_free(&draft.out);
}

TEST(a_trace_without_switches_says_what_it_holds)
{
	struct draft draft = two_cpus("");
	struct seen seen;
	struct err err;
	u8 *name = memmem(draft.out.at, draft.out.nr, "sched_switch", 12);

	memcpy(name, "sched_sweets", 12);
	CHECK_EQ(ERR_FORMAT, read_draft(&draft, &seen, &err));
	CHECK_STR("expected sched_switch events, found sched:sched_sweets", err.what);
	vec_free(&draft.out);
}

/* An instance of one page, whose clock is the main buffer's. */
TEST(instances_are_merged_with_the_main_buffer)
{
	struct draft draft = { 0 };
	size_t table, option;
	struct seen seen;
	struct err err;

	draft_v6(&draft, "", 1);
	option = draft.out.nr + 6;
	draft_option(&draft, 3, "\0\0\0\0\0\0\0\0inst", 13);
	draft_number(&draft, 0, 2);
	draft_text(&draft, "flyrecord");
	table = draft.out.nr;
	draft_number(&draft, table + 16, 8);
	draft_number(&draft, DRAFT_PAGE, 8);
	draft_page(&draft, 100, 0, 11, 22);
	draft_set(&draft, option, draft.out.nr, 8);
	draft_text(&draft, "flyrecord");
	table = draft.out.nr;
	draft_number(&draft, table + 16, 8);
	draft_number(&draft, DRAFT_PAGE, 8);
	draft_page(&draft, 101, 0, 22, 11);
	CHECK_EQ(OK, read_draft(&draft, &seen, &err), "%s", err.what);
	CHECK_EQ(4, seen.kinds[EVENT_SWITCH]);
	CHECK_EQ(101, seen.times[0]);
	CHECK_EQ(102, seen.times[1]);
	CHECK_EQ(103, seen.times[2]);
	CHECK_EQ(104, seen.times[3]);
	vec_free(&draft.out);
}

/* 3 cycles a ns: mult 1, shift ... 101 * 3 >> 1 = 151; then the offset of 1000. */
TEST(cycles_become_ns_and_offsets_are_added)
{
	struct draft draft = { 0 };
	size_t table;
	struct seen seen;
	struct err err;

	draft_v6(&draft, "", 1);
	draft_option(&draft, 14, "\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0", 16);
	draft_option(&draft, 7, "1000", 5);
	draft_option(&draft, 2, "CPU: 0\noverrun: 7\ncommit overrun: 1\ndropped events: 2\n", 54);
	draft_number(&draft, 0, 2);
	draft_text(&draft, "flyrecord");
	table = draft.out.nr;
	draft_number(&draft, table + 16, 8);
	draft_number(&draft, DRAFT_PAGE, 8);
	draft_page(&draft, 100, 0, 11, 22);
	CHECK_EQ(OK, read_draft(&draft, &seen, &err), "%s", err.what);
	CHECK_EQ(1151, seen.times[0]);
	CHECK_EQ(1154, seen.times[1]);
	CHECK_EQ(10, seen.quality.lost_events, "CPUSTAT's three counts");
	vec_free(&draft.out);
}

/* A list of options that leads back to itself. */
TEST(option_sections_that_loop_are_refused)
{
	struct draft draft = { 0 };
	struct seen seen;
	struct err err;
	size_t section;

	draft_magic(&draft, "7");
	draft_text(&draft, "none");
	draft_text(&draft, "");
	section = draft.out.nr + 8;
	draft_number(&draft, section, 8);
	draft_number(&draft, 0, 2); /* options, not compressed */
	draft_number(&draft, 0, 2);
	draft_number(&draft, 0, 4);
	draft_number(&draft, 14, 8);
	draft_number(&draft, 0, 2); /* DONE, on to itself */
	draft_number(&draft, 8, 4);
	draft_number(&draft, section, 8);
	CHECK_EQ(ERR_FORMAT, read_draft(&draft, &seen, &err));
	CHECK_EQ(section, err.at);
	CHECK(strstr(err.what, "option sections"), "%s", err.what);
	vec_free(&draft.out);
}

TEST(a_latency_tracers_text_is_refused)
{
	struct draft draft = { 0 };
	struct seen seen;
	struct err err;

	draft_v6(&draft, "", 1);
	draft_number(&draft, 0, 2);
	draft_text(&draft, "latency  ");
	draft_text(&draft, "# tracer: wakeup\n");
	CHECK_EQ(ERR_FORMAT, read_draft(&draft, &seen, &err));
	CHECK_STR("expected recorded events, found a latency tracer's text", err.what);
	vec_free(&draft.out);
}
