/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include <zstd.h>

#include "events/fields.h"
#include "events/sinks.h"
#include "input/format.h"
#include "perf_draft.h"

#include "test.h"

/* What a reading gave. */
struct seen {
	struct event_header header;
	struct event_quality quality;
	VEC(struct event) events; /* names as offsets into text would be: see name_of() */
	VEC(char *) texts;        /* of each event, NULL for most */
	u32 ends;
	size_t stop_after;
};

static enum err_code on_begin(void *self, const struct event_header *header)
{
	((struct seen *)self)->header = *header;
	return OK;
}

static enum err_code on_event(void *self, const struct event *event)
{
	struct seen *seen = self;

	*vec_add(&seen->events) = *event;
	*vec_add(&seen->texts) = event->kind == EVENT_NAME ? mem_strdup(event->name.text) : NULL;
	return seen->stop_after && seen->events.nr >= seen->stop_after ? ERR_STOP : OK;
}

static enum err_code on_end(void *self, const struct event_quality *quality)
{
	struct seen *seen = self;

	seen->quality = *quality;
	seen->ends++;
	return OK;
}

static enum err_code read_bytes(const void *data, size_t size, struct seen *seen, struct err *err)
{
	static const struct input_options options;
	struct events_check check = { .next = { seen, on_begin, on_event, on_end } };
	struct bytes bytes;
	enum err_code code;

	*err = (struct err)ERR_NONE;
	bytes_buffer(&bytes, "draft", data, size);
	code = input_perf_data.read(&bytes, &options, events_check_sink(&check), err);
	bytes_close(&bytes);
	return code;
}

static void forget(struct seen *seen)
{
	vec_for_each(text, &seen->texts)
		free(*text);
	vec_free(&seen->texts);
	vec_free(&seen->events);
	*seen = (struct seen){ 0 };
}

/* Reads and frees @draft; it must be good. */
static struct seen read_draft(struct draft *draft)
{
	struct seen seen = { 0 };
	struct err err;

	CHECK_EQ(OK, read_bytes(draft->out.at, draft->out.nr, &seen, &err), "%s", err.what);
	draft_free(draft);
	return seen;
}

static void refuse_draft(struct draft *draft, const char *what)
{
	struct seen seen = { 0 };
	struct err err;

	CHECK_EQ(ERR_FORMAT, read_bytes(draft->out.at, draft->out.nr, &seen, &err));
	CHECK_STR(what, err.what);
	CHECK_STR("draft", err.file);
	draft_free(draft);
	forget(&seen);
}

/* The @n-th event of @kind; NULL if there are fewer. */
static const struct event *nth(struct seen *seen, u32 kind, size_t n)
{
	vec_for_each(event, &seen->events)
		if (event->kind == kind && !n--)
			return event;
	return NULL;
}

static size_t count(struct seen *seen, u32 kind)
{
	size_t nr = 0;

	while (nth(seen, kind, nr))
		nr++;
	return nr;
}

/* The last name that the stream told of (@tid, @gen); "" if none. */
static const char *name_of(struct seen *seen, s32 tid, u32 gen)
{
	const char *name = "";

	for (size_t i = 0; i < seen->events.nr; i++)
		if (seen->texts.at[i] && seen->events.at[i].task.tid == tid &&
		    seen->events.at[i].task.gen == gen)
			name = seen->texts.at[i];
	return name;
}

TEST(a_switch_is_decoded_by_the_files_own_format)
{
	struct draft draft;
	struct seen seen;
	const struct event *event;

	draft_usual(&draft);
	draft_sample(&draft, 5000, 1, 7, 0x100, 8);
	seen = read_draft(&draft);
	event = nth(&seen, EVENT_SWITCH, 0);
	CHECK_EQ(5000, seen.header.origin_ns);
	CHECK_EQ(1, event->cpu);
	CHECK_EQ(7, event->task.tid);
	CHECK_EQ(8, event->other.tid);
	CHECK_EQ(EVENT_STATE_PREEMPTED, event->switch_.prev_state);
	CHECK_EQ(120, event->switch_.prev_prio);
	CHECK_EQ(98, event->switch_.next_prio);
	CHECK_STR("t7", name_of(&seen, 7, 0));
	CHECK_STR("t8", name_of(&seen, 8, 0));
	CHECK_EQ(1007, nth(&seen, EVENT_NAME, 0)->name.pid, "the sample's process is prev's");
	CHECK_EQ(EVENT_NOBODY, nth(&seen, EVENT_NAME, 1)->name.pid, "next's is not told");
	CHECK_STR("perf.data", seen.header.source);
	CHECK_STR("perf", seen.header.clock);
	CHECK_EQ(EVENT_BIT(SWITCH) | EVENT_BIT(LOST) | EVENT_BIT(NAME), seen.header.sees);
	forget(&seen);
}

/* READ (a group of two, with ids) and CALLCHAIN (three) lie before RAW. */
TEST(what_lies_before_the_raw_data_is_skipped_by_its_own_size)
{
	static const u64 group[] = { 2, 11, 1, 12, 2 }, chain[] = { 3, 0xa, 0xb, 0xc };
	struct draft draft;
	struct seen seen;

	draft_head(&draft);
	draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL | DRAFT_IP | DRAFT_READ | DRAFT_CALLCHAIN,
		   1 << 2 | 1 << 3, 0);
	draft_tracing(&draft);
	record_begin(&draft, 9, 0);
	put_number(&draft, DRAFT_SWITCH, 8);
	put_number(&draft, 0xfff, 8); /* IP */
	put_number(&draft, 7, 4);
	put_number(&draft, 7, 4);
	put_number(&draft, 9000, 8);
	put_number(&draft, 0, 8);
	put(&draft, group, sizeof(group));
	put(&draft, chain, sizeof(chain));
	put_switch_raw(&draft, "a", 7, 1, "b", 8);
	record_end(&draft);
	/* and one whose callchain says that it is longer than the record */
	record_begin(&draft, 9, 0);
	put_number(&draft, DRAFT_SWITCH, 8);
	put_number(&draft, 0xfff, 8);
	put_number(&draft, 7, 8);
	put_number(&draft, 9500, 8);
	put_number(&draft, 0, 8);
	put(&draft, group, sizeof(group));
	put_number(&draft, 1ULL << 60, 8);
	record_end(&draft);
	seen = read_draft(&draft);
	CHECK_EQ(1, count(&seen, EVENT_SWITCH));
	CHECK_EQ(EVENT_STATE_SLEEP, nth(&seen, EVENT_SWITCH, 0)->switch_.prev_state);
	CHECK_EQ(1, seen.quality.unparsed);
	forget(&seen);
}

/* The wakeup has an IP in its samples, the switch has none; ids tell them apart. */
TEST(each_event_has_its_own_layout)
{
	struct draft draft;
	struct seen seen;
	const struct event *event;

	draft_head(&draft);
	draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL, 0, 0);
	draft_attr(&draft, 2, DRAFT_WAKEUP, DRAFT_USUAL | DRAFT_IP, 0, 0);
	draft_tracing(&draft);
	draft_sample(&draft, 1000, 0, 7, 1, 8);
	record_begin(&draft, 9, 0);
	put_number(&draft, DRAFT_WAKEUP, 8);
	put_number(&draft, 0xfff, 8);
	put_number(&draft, 1008, 4);
	put_number(&draft, 8, 4);
	put_number(&draft, 2000, 8);
	put_number(&draft, 0, 8);
	put_number(&draft, 36, 4);
	put_common(&draft, DRAFT_WAKEUP, 8);
	put_padded(&draft, "t7", 16);
	put_number(&draft, 7, 4);
	put_number(&draft, 120, 4);
	put_number(&draft, 1, 4);
	record_end(&draft);
	draft_sample(&draft, 3000, 0, 8, 1, 7);
	seen = read_draft(&draft);
	event = nth(&seen, EVENT_WAKEUP, 0);
	CHECK_EQ(1000, event->time_ns);
	CHECK_EQ(7, event->task.tid);
	CHECK_EQ(8, event->other.tid, "the waker");
	CHECK_EQ(1, event->wake.target_cpu);
	CHECK_EQ(2, count(&seen, EVENT_SWITCH));
	CHECK_EQ(0, seen.quality.mismatches);
	forget(&seen);
}

/* CPU 1's buffer is read after CPU 0's; the round that follows the next lets go. */
TEST(rounds_let_events_leave)
{
	struct draft draft;
	struct seen seen = { .stop_after = 1 };
	struct err err;

	draft_usual(&draft);
	for (u64 round = 0; round < 3; round++) {
		for (u32 cpu = 0; cpu < 2; cpu++)
			draft_sample(&draft, 1000 * (round + 1) - cpu, cpu, 7 + cpu, 0, 7 + cpu);
		record_begin(&draft, 68, 0);
		record_end(&draft);
	}
	/* this record would be damage, were it reached */
	put_number(&draft, 0, 8);
	CHECK_EQ(ERR_STOP, read_bytes(draft.out.at, draft.out.nr, &seen, &err));
	CHECK(!seen.quality.truncated, "it left at the second round");
	CHECK_EQ(1, seen.ends);
	forget(&seen);
	seen = read_draft(&draft);
	CHECK(seen.quality.truncated);
	CHECK_EQ(6, count(&seen, EVENT_SWITCH));
	CHECK_EQ(0, seen.quality.inversions);
	CHECK_EQ(1, nth(&seen, EVENT_SWITCH, 0)->cpu);
	forget(&seen);
}

/* Samples of one CPU, one each millisecond, and one that is 50 ms before the last. */
TEST(buffers_of_cpus_are_known_by_what_the_kernel_maps)
{
	static const struct {
		const char *what;
		u64 flags, late;
	} rows[] = {
		{ "inherited: a buffer for each CPU, in order", 1 << 1, 1 },
		{ "perhaps a buffer for each thread", 0, 0 },
		{ "written backward", 1 << 1 | 1 << 27, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct draft draft;
		struct seen seen;

		draft_head(&draft);
		draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL, 0, rows[i].flags);
		draft_tracing(&draft);
		for (u64 ms = 1; ms <= 100; ms++)
			draft_sample(&draft, ms * 1000000, 0, 10, 0, 11);
		draft_sample(&draft, 50 * 1000000, 0, 11, 0, 10);
		seen = read_draft(&draft);
		CHECK_EQ(rows[i].late, seen.quality.late, "%s", rows[i].what);
		CHECK_EQ(101, count(&seen, EVENT_SWITCH));
		forget(&seen);
	}
}

TEST(losses_have_their_cpu_and_their_time)
{
	struct draft draft;
	struct seen seen;

	draft_usual(&draft);
	draft_sample(&draft, 1000, 0, 7, 1, 8);
	draft_sample(&draft, 1000, 1, 3, 1, 4);
	record_begin(&draft, 2, 0);
	put_number(&draft, DRAFT_SWITCH, 8);
	put_number(&draft, 40, 8);
	put_id_words(&draft, 9, 1500, 1);
	record_end(&draft);
	draft_sample(&draft, 2000, 1, 5, 1, 6);
	/* the counters at the end: 40 of them were told above, 10 were dropped by a filter */
	for (u16 misc = 0; misc < 2; misc++) {
		record_begin(&draft, 13, (u16)(misc << 15));
		put_number(&draft, misc ? 10 : 43, 8);
		put_id_words(&draft, 0, 0, 0);
		record_end(&draft);
	}
	seen = read_draft(&draft);
	CHECK_EQ(2, count(&seen, EVENT_LOST));
	CHECK_EQ(500, nth(&seen, EVENT_LOST, 0)->time_ns);
	CHECK_EQ(1, nth(&seen, EVENT_LOST, 0)->cpu);
	CHECK_EQ(40, nth(&seen, EVENT_LOST, 0)->lost.count);
	CHECK_EQ(3, nth(&seen, EVENT_LOST, 1)->lost.count);
	CHECK_EQ(EVENT_NOBODY, nth(&seen, EVENT_LOST, 1)->cpu);
	CHECK_EQ(43, seen.quality.lost_events);
	CHECK_EQ(EVENT_AFTER_LOSS, nth(&seen, EVENT_SWITCH, 2)->flags);
	CHECK_EQ(0, seen.quality.mismatches);
	forget(&seen);
}

static void draft_comm(struct draft *draft, u32 pid, u32 tid, const char *comm, u64 time_ns)
{
	record_begin(draft, 3, 0);
	put_number(draft, pid, 4);
	put_number(draft, tid, 4);
	put_padded(draft, comm, (strlen(comm) + 8) / 8 * 8);
	put_id_words(draft, tid, time_ns, 0);
	record_end(draft);
}

static void draft_fork_record(struct draft *draft, u32 pid, u32 tid, u32 parent, u64 time_ns)
{
	record_begin(draft, 7, 0);
	put_number(draft, pid, 4);
	put_number(draft, parent, 4);
	put_number(draft, tid, 4);
	put_number(draft, parent, 4);
	put_number(draft, time_ns, 8);
	put_id_words(draft, parent, time_ns, 0);
	record_end(draft);
}

static void draft_wakeup_of(struct draft *draft, u32 tid, u64 time_ns)
{
	record_begin(draft, 9, 0);
	put_sample_words(draft, DRAFT_WAKEUP, 5, 5, time_ns, 0);
	put_number(draft, 36, 4);
	put_common(draft, DRAFT_WAKEUP, 77);
	put_padded(draft, "other", 16);
	put_number(draft, tid, 4);
	put_number(draft, 120, 4);
	put_number(draft, 0, 4);
	record_end(draft);
}

/* What perf gathered at its start has no time; 77 is known from saved cmdlines alone. */
TEST(names_come_from_comm_records_and_saved_cmdlines)
{
	struct draft draft;
	struct seen seen;

	draft_usual(&draft);
	draft_attr(&draft, 2, DRAFT_WAKEUP, DRAFT_USUAL, 0, 0);
	draft_comm(&draft, 70, 77, "from /proc", 0);
	draft_wakeup_of(&draft, 9, 500);
	seen = read_draft(&draft);
	CHECK_STR("from /proc", name_of(&seen, 77, 0), "a record beats a cache");
	CHECK_EQ(70, nth(&seen, EVENT_NAME, 1)->name.pid);
	forget(&seen);

	draft_usual(&draft);
	draft_attr(&draft, 2, DRAFT_WAKEUP, DRAFT_USUAL, 0, 0);
	draft_wakeup_of(&draft, 9, 500);
	draft_comm(&draft, 9, 9, "fifteen letters", 600);
	draft_wakeup_of(&draft, 8, 700);
	seen = read_draft(&draft);
	CHECK_STR("saved", name_of(&seen, 77, 0));
	CHECK_STR("fifteen letters", name_of(&seen, 9, 0));
	CHECK_EQ(0, seen.quality.inversions | seen.quality.late);
	forget(&seen);
}

TEST(fork_records_begin_generations_where_no_tracepoint_does)
{
	struct draft draft;
	struct seen seen;

	for (u32 traced = 0; traced < 2; traced++) {
		draft_head(&draft);
		draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL, 0, 1 << 13 /* task */);
		if (traced)
			draft_attr(&draft, 2, DRAFT_FORK, DRAFT_USUAL, 0, 0);
		draft_tracing(&draft);
		draft_sample(&draft, 1000, 0, 7, 1, 8);
		draft_fork_record(&draft, 7, 7, 8, 1500);
		draft_sample(&draft, 2000, 0, 8, 1, 7);
		seen = read_draft(&draft);
		CHECK(seen.header.sees & EVENT_BIT(FORK));
		CHECK_EQ(!traced, count(&seen, EVENT_FORK));
		CHECK_EQ(!traced, nth(&seen, EVENT_SWITCH, 1)->other.gen);
		forget(&seen);
	}
}

TEST(events_of_no_kind_are_skipped_and_damaged_ones_counted)
{
	struct draft draft;
	struct seen seen;

	draft_usual(&draft);
	draft_attr(&draft, 2, DRAFT_OTHER, DRAFT_USUAL, 0, 0);
	for (u32 id = DRAFT_SWITCH; id <= DRAFT_OTHER; id += DRAFT_OTHER - DRAFT_SWITCH) {
		record_begin(&draft, 9, 0);
		put_sample_words(&draft, id, 7, 7, 1000, 0);
		put_number(&draft, 12, 4);
		put_common(&draft, id, 7);
		put_number(&draft, 0, 4);
		record_end(&draft);
	}
	/* unknown records are as long as they say */
	record_begin(&draft, 200, 0);
	put_padded(&draft, "from the future", 24);
	record_end(&draft);
	draft_sample(&draft, 5000, 0, 7, 1, 8);
	seen = read_draft(&draft);
	CHECK_EQ(1, count(&seen, EVENT_SWITCH));
	CHECK_EQ(1, seen.quality.unparsed, "a switch of 12 bytes");
	CHECK(!seen.quality.truncated);
	forget(&seen);
}

/* Twenty samples as one zstd stream, cut into chunks of 50 bytes at no border of a record. */
static void draft_compressed(struct draft *draft, u32 type)
{
	struct draft plain = { 0 };
	u8 packed[4096];
	ZSTD_CCtx *stream = ZSTD_createCCtx();
	ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
	ZSTD_inBuffer in;

	for (u32 i = 0; i < 20; i++)
		draft_sample(&plain, 1000 + i, 0, 7 + i, 1, 8 + i);
	in = (ZSTD_inBuffer){ plain.out.at, plain.out.nr, 0 };
	CHECK_EQ(0, ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush));
	for (size_t at = 0; at < out.pos; at += 50) {
		size_t len = out.pos - at < 50 ? out.pos - at : 50;

		record_begin(draft, type, 0);
		if (type == 83)
			put_number(draft, len, 8);
		put(draft, packed + at, len);
		while (type == 83 && draft->out.nr % 8)
			put_number(draft, 0xee, 1);
		record_end(draft);
	}
	ZSTD_freeCCtx(stream);
	draft_free(&plain);
}

TEST(compressed_records_are_one_stream_whatever_their_borders)
{
	for (u32 type = 81; type <= 83; type += 2) {
		struct draft draft;
		struct seen seen;

		draft_usual(&draft);
		draft_compressed(&draft, type);
		seen = read_draft(&draft);
		CHECK_EQ(20, count(&seen, EVENT_SWITCH), "type %u", type);
		CHECK(!seen.quality.truncated);
		forget(&seen);
	}
}

TEST(damaged_compression_is_said_and_what_follows_is_read)
{
	struct draft draft;
	struct seen seen;

	draft_usual(&draft);
	record_begin(&draft, 81, 0);
	put_padded(&draft, "no zstd at all, but long enough", 40);
	record_end(&draft);
	draft_sample(&draft, 5000, 0, 7, 1, 8);
	seen = read_draft(&draft);
	CHECK_EQ(1, count(&seen, EVENT_SWITCH));
	CHECK(seen.quality.truncated);
	CHECK(strstr(seen.quality.note, "expected zstd data"), "%s", seen.quality.note);
	forget(&seen);
}

TEST(a_record_that_cannot_be_ends_the_stream_with_its_place)
{
	struct draft draft;
	struct seen seen;
	char want[64];

	draft_usual(&draft);
	draft_sample(&draft, 5000, 0, 7, 1, 8);
	snprintf(want, sizeof(want), "at byte %zu: expected a record", draft.out.nr);
	record_begin(&draft, 9, 0); /* of size 0 */
	draft_sample(&draft, 6000, 0, 8, 1, 7);
	seen = read_draft(&draft);
	CHECK_EQ(1, count(&seen, EVENT_SWITCH));
	CHECK(seen.quality.truncated);
	CHECK_STR(want, seen.quality.note);
	forget(&seen);
}

TEST(the_clock_is_the_attrs)
{
	static const struct {
		u32 id;
		const char *name;
	} rows[] = { { 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct draft draft;
		struct seen seen;

		draft_head(&draft);
		draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL, 0, 1 << 25);
		memcpy(draft.out.at + 16 + 8 + 92, &rows[i].id, 4);
		draft_tracing(&draft);
		draft_sample(&draft, 5000, 0, 7, 1, 8);
		seen = read_draft(&draft);
		CHECK_STR(rows[i].name, seen.header.clock);
		forget(&seen);
	}
}

TEST(a_recording_without_switches_names_what_it_has)
{
	struct draft draft;

	draft_head(&draft);
	draft_attr(&draft, 2, DRAFT_WAKEUP, DRAFT_USUAL, 0, 0);
	draft_attr(&draft, 0, 0, DRAFT_USUAL, 0, 0);
	record_begin(&draft, 78, 0); /* EVENT_UPDATE: the name of id 0 */
	put_number(&draft, 2, 8);
	put_number(&draft, 0, 8);
	put_padded(&draft, "cycles:u", 16);
	record_end(&draft);
	draft_tracing(&draft);
	refuse_draft(&draft, "no scheduler events: expected sched_switch among "
			     "sched:sched_wakeup, cycles:u");
}

TEST(faults_of_the_head_are_refused)
{
	struct draft draft;

	draft_usual(&draft);
	memcpy(draft.out.at, "2ELIFREP", 8);
	refuse_draft(&draft, "expected a perf.data of a little-endian machine: this one is of the "
			     "other byte order");
	draft_usual(&draft);
	draft.out.at[8] = 17;
	refuse_draft(&draft, "expected the size of the head, 104 or 16: found 17");
	draft_usual(&draft);
	draft.out.nr = 12;
	refuse_draft(&draft, "expected the head of a perf.data, the file ends");
	draft_head(&draft);
	draft_sample(&draft, 1, 0, 1, 1, 2);
	refuse_draft(&draft, "expected attrs before the first event");
	draft_head(&draft);
	draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL, 0, 0);
	refuse_draft(&draft, "expected the formats of its tracepoints: the recording was killed or "
			     "cut before them");
	draft_head(&draft);
	draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL & ~DRAFT_TIME, 0, 0);
	draft_tracing(&draft);
	refuse_draft(&draft, "expected a time and raw data in the samples of sched_switch");
	draft_head(&draft);
	draft_attr(&draft, 2, DRAFT_SWITCH, DRAFT_USUAL & ~DRAFT_IDENTIFIER, 0, 0);
	draft_attr(&draft, 2, DRAFT_WAKEUP, (DRAFT_USUAL & ~DRAFT_IDENTIFIER) | DRAFT_IP, 0, 0);
	draft_tracing(&draft);
	refuse_draft(&draft, "expected an id in each sample, as its events differ");
}

/* The size of a format is said to be more than there is. */
TEST(damaged_formats_are_refused_with_their_place)
{
	struct draft draft;
	struct seen seen = { 0 };
	struct err err;
	u8 *name;

	draft_usual(&draft);
	name = memmem(draft.out.at, draft.out.nr, "name: sched_wakeup", 18);
	memset(name - 8, 0x7f, 8);
	CHECK_EQ(ERR_FORMAT, read_bytes(draft.out.at, draft.out.nr, &seen, &err));
	CHECK_STR("expected an event format", err.what);
	CHECK_EQ(ERR_BYTE, err.place);
	CHECK_EQ(name - draft.out.at, err.at);
	draft_free(&draft);
	forget(&seen);
}
