/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings of a real kernel against what an independent script read from them
 * (tools/fixtures): NAME.truth.json beside each.
 */
#include <stdlib.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/vec.h"
#include "events/fields.h"
#include "events/sinks.h"
#include "input/format.h"

#include "test.h"

static const char *const fixtures[] = {
	"perf-file.data",      "perf-file-zstd.data",    "perf-pipe.data",   "perf-pipe-zstd.data",
	"perf-monotonic.data", "perf-sched-record.data", "perf-wakeup.data", "perf-lost.data",
};

struct seen {
	struct event_header header;
	struct event_quality quality;
	u64 kinds[EVENT_NR_KINDS], cpus[8];
	u64 first_ns, last_ns, events, switches_in, tid_gens;
	u64 hash;
	s32 tid; /* a thread that is followed ... */
	VEC(char *) names;
	u32 gens;
};

static enum err_code on_begin(void *self, const struct event_header *header)
{
	((struct seen *)self)->header = *header;
	return OK;
}

static enum err_code on_event(void *self, const struct event *event)
{
	struct seen *seen = self;

	seen->kinds[event->kind]++;
	if (event->kind == EVENT_NAME && event->task.tid == seen->tid)
		*vec_add(&seen->names) = mem_strdup(event->name.text);
	if (!event_kind_is_kernel(event->kind))
		return OK;
	if (event->task.tid == seen->tid && event->task.gen >= seen->gens)
		seen->gens = event->task.gen + 1;
	if (!seen->events++)
		seen->first_ns = event->time_ns;
	seen->last_ns = event->time_ns;
	seen->cpus[event->cpu & 7]++;
	if (event->kind == EVENT_SWITCH && event->other.tid == seen->tid)
		seen->switches_in++;
	return OK;
}

static enum err_code on_end(void *self, const struct event_quality *quality)
{
	((struct seen *)self)->quality = *quality;
	return OK;
}

static void forget(struct seen *seen)
{
	vec_for_each(name, &seen->names)
		free(*name);
	vec_free(&seen->names);
}

static enum err_code read_bytes(const u8 *data, size_t size, struct seen *seen, struct err *err)
{
	static const struct input_options options;
	struct events_hash hash = { 0 };
	struct events_check check = { .next = { seen, on_begin, on_event, on_end } };
	struct events_tee tee = { 0 };
	struct bytes bytes;
	enum err_code code;

	*err = (struct err)ERR_NONE;
	events_tee_add(&tee, events_check_sink(&check));
	events_tee_add(&tee, events_hash_sink(&hash));
	bytes_buffer(&bytes, "fixture", data, size);
	code = input_perf_data.read(&bytes, &options, events_tee_sink(&tee), err);
	bytes_close(&bytes);
	seen->hash = hash.hash;
	return code;
}

/* A file of tests/fixtures, with a NUL behind; a missing one fails the test. */
static u8 *load(const char *name, const char *ending, size_t *size)
{
	char *path = mem_printf("%s/tests/fixtures/%s%s", test_root(), name, ending);
	FILE *file = fopen(path, "rb");
	u8 *data;

	CHECK(file, "%s is missing", path);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	data = NEW_ARRAY(u8, *size + 1);
	CHECK_EQ(*size, fread(data, 1, *size, file));
	fclose(file);
	free(path);
	return data;
}

static cJSON *load_truth(const char *name)
{
	size_t size;
	u8 *text = load(name, ".truth.json", &size);
	cJSON *truth = cJSON_Parse((const char *)text);

	CHECK(truth, "%s", name);
	free(text);
	return truth;
}

static long long number(const cJSON *in, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, key);

	CHECK(cJSON_IsNumber(item), "%s", key);
	return (long long)cJSON_GetNumberValue(item);
}

static void check_counts(const char *name, const cJSON *truth, const struct seen *seen)
{
	const cJSON *events = cJSON_GetObjectItemCaseSensitive(truth, "events"), *row;
	const cJSON *lost = cJSON_GetObjectItemCaseSensitive(truth, "lost");

	cJSON_ArrayForEach(row, events)
	{
		u32 kind = event_kind_find(row->string, strlen(row->string));

		CHECK_EQ(row->valuedouble, seen->kinds[kind], "%s: %s", name, row->string);
	}
	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(truth, "events_by_cpu"))
		CHECK_EQ(row->valuedouble, seen->cpus[atoi(row->string) & 7], "%s: CPU %s", name,
			 row->string);
	CHECK_EQ(number(truth, "first_ns"), seen->first_ns + seen->header.origin_ns, "%s", name);
	CHECK_EQ(number(truth, "last_ns"), seen->last_ns + seen->header.origin_ns, "%s", name);
	CHECK_EQ(number(lost, "lost_events"), seen->quality.lost_events, "%s", name);
	CHECK_EQ(number(lost, "lost_records"), seen->kinds[EVENT_LOST], "%s", name);
	/* what does not fit after a recorded loss is the loss's */
	if (!seen->kinds[EVENT_LOST])
		CHECK_EQ(number(truth, "prev_not_last_next"), seen->quality.mismatches, "%s", name);
	CHECK_EQ(0, seen->quality.unparsed, "%s", name);
	CHECK_EQ(0, seen->quality.late, "%s", name);
	CHECK(!seen->quality.truncated, "%s: %s", name, seen->quality.note);
}

TEST(every_event_of_a_recording_is_read)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		cJSON *truth = load_truth(fixtures[i]);
		struct seen seen = { 0 };
		struct err err;
		size_t size;
		u8 *data = load(fixtures[i], "", &size);

		CHECK_EQ(OK, read_bytes(data, size, &seen, &err), "%s: %s", fixtures[i], err.what);
		check_counts(fixtures[i], truth, &seen);
		CHECK_STR(strstr(fixtures[i], "monotonic") ? "mono" : "perf", seen.header.clock);
		CHECK_EQ(2, seen.header.nr_cpus, "%s", fixtures[i]);
		CHECK(seen.header.release[0] >= '4', "%s: %s", fixtures[i], seen.header.release);
		cJSON_Delete(truth);
		forget(&seen);
		free(data);
	}
}

/* "6e6577" is "new". */
static void from_hex(const char *hex, char *text)
{
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		*text++ = (char)byte;
	*text = '\0';
}

static bool was_named(const struct seen *seen, const char *name)
{
	for (size_t i = 0; i < seen->names.nr; i++)
		if (!strcmp(seen->names.at[i], name))
			return true;
	return false;
}

/* Each life of a thread with a hostile name: how often it ran, and as whom. */
static void check_hostile(const char *name, const u8 *data, size_t size, const cJSON *thread)
{
	struct seen seen = { .tid = (s32)number(thread, "tid") };
	const cJSON *lives = cJSON_GetObjectItemCaseSensitive(thread, "lives"), *life;
	struct err err;
	char comm[64];

	CHECK_EQ(OK, read_bytes(data, size, &seen, &err));
	CHECK_EQ(number(thread, "switches_in"), seen.switches_in, "%s: %d", name, seen.tid);
	CHECK_EQ(cJSON_GetArraySize(lives), seen.gens, "%s: %d", name, seen.tid);
	cJSON_ArrayForEach(life, lives)
	{
		from_hex(cJSON_GetObjectItemCaseSensitive(life, "comm_hex")->valuestring, comm);
		CHECK(was_named(&seen, comm), "%s: %d as '%s'", name, seen.tid, comm);
	}
	forget(&seen);
}

TEST(hostile_names_and_reused_tids_are_told_apart)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		cJSON *truth = load_truth(fixtures[i]);
		const cJSON *thread;
		size_t size;
		u8 *data = load(fixtures[i], "", &size);

		/* where losses may have taken a birth or a name, none of this must be there */
		if (number(cJSON_GetObjectItemCaseSensitive(truth, "lost"), "lost_events") == 0)
			cJSON_ArrayForEach(thread,
					   cJSON_GetObjectItemCaseSensitive(truth, "hostile"))
				check_hostile(fixtures[i], data, size, thread);
		cJSON_Delete(truth);
		free(data);
	}
}

/* A copy of exactly the cut's size, so that a read behind it is seen. */
static void read_cut(const char *name, const u8 *data, size_t size, size_t cut)
{
	u8 *copy = memcpy(mem_resize(NULL, cut ? cut : 1, 1), data, cut);
	struct seen seen = { 0 };
	struct err err;
	enum err_code code = read_bytes(copy, cut, &seen, &err);

	CHECK(code == OK || code == ERR_FORMAT, "%s cut at %zu: %d", name, cut, (int)code);
	if (code == OK && cut < size)
		CHECK(seen.quality.truncated || strstr(name, "pipe"), "%s cut at %zu", name, cut);
	if (code == ERR_FORMAT)
		CHECK(strstr(err.what, "expected"), "%s cut at %zu: %s", name, cut, err.what);
	free(copy);
	forget(&seen);
}

TEST(cut_anywhere_it_is_refused_or_said_to_be_cut)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		size_t size;
		u8 *data = load(fixtures[i], "", &size);

		for (size_t cut = 0; cut < size; cut += 1000)
			read_cut(fixtures[i], data, size, cut);
		free(data);
	}
}

/* The head of a killed recording says that it holds no data; its tables may be there. */
TEST(a_recording_that_was_killed_is_read_to_its_end)
{
	struct seen whole = { 0 }, killed = { 0 };
	struct err err;
	size_t size;
	u8 *data = load("perf-file.data", "", &size);

	CHECK_EQ(OK, read_bytes(data, size, &whole, &err));
	memset(data + 48, 0, 8);
	CHECK_EQ(OK, read_bytes(data, size, &killed, &err), "%s", err.what);
	CHECK_EQ(whole.events, killed.events);
	CHECK_EQ(whole.hash, killed.hash);
	CHECK(killed.quality.truncated);
	CHECK_STR("at byte 48: expected the size of the data: the recording was killed",
		  killed.quality.note);
	forget(&whole);
	forget(&killed);
	free(data);
}

/* Sections may point anywhere: each word of the head with its top or low bits set. */
TEST(offsets_of_the_head_are_bounded)
{
	size_t size;
	u8 *data = load("perf-file.data", "", &size);

	for (size_t at = 8; at < 104; at++) {
		struct seen seen = { 0 };
		struct err err;
		u8 old = data[at];

		data[at] = 0xff;
		read_bytes(data, size, &seen, &err);
		data[at] = old;
		forget(&seen);
	}
	free(data);
}

/* Without scheduler events: refused by name.  The files are not the project's own. */
TEST(recordings_of_counters_are_refused)
{
	static const char *const names[] = { "sleep.data", "sleep.compressed.data" };
	const struct event_sink sink = { NULL, NULL, on_event, NULL };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path =
			mem_printf("%s/../shared/traces/linux-perf-data/%s", test_root(), names[i]);
		struct err err = ERR_NONE;

		if (access(path, R_OK)) {
			free(path);
			SKIP("no traces of others beside the project");
		}
		CHECK_EQ(ERR_FORMAT, input_trace(path, NULL, sink, &err));
		CHECK(strstr(err.what, "no scheduler events: expected sched_switch among cycles"),
		      "%s", err.what);
		free(path);
	}
}
