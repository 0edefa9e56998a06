/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Damage of every kind to real recordings: whatever comes of it, the reader ends, and
 * what it gave is a stream.  The sanitizers do the rest.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "events/sinks.h"
#include "input/format.h"

#include "test.h"

#define HANG_S 20

static const char *const fixtures[] = { "trace-v6.dat", "trace-v7.dat", "trace-v7-zstd.dat",
					"trace-overrun.dat" };

struct file {
	u8 *bytes;
	size_t size;
};

static struct file load(const char *name)
{
	char *path = mem_printf("%s/tests/fixtures/%s", test_root(), name);
	FILE *stream = fopen(path, "rb");
	struct file file = { 0 };

	CHECK(stream, "%s", path);
	fseek(stream, 0, SEEK_END);
	file.size = (size_t)ftell(stream);
	rewind(stream);
	file.bytes = mem_zalloc(file.size);
	CHECK_EQ(file.size, fread(file.bytes, 1, file.size, stream));
	fclose(stream);
	free(path);
	return file;
}

static enum err_code count(void *self, const struct event *event)
{
	*(u64 *)self += event->kind != EVENT_NAME && event->kind != EVENT_LOST;
	return OK;
}

/* How many events came; an error names its place. */
static u64 read_bytes(const u8 *data, size_t size)
{
	static const struct input_options options;
	u64 events = 0;
	struct events_check check = { .next = { &events, NULL, count, NULL } };
	u8 *copy = memcpy(mem_zalloc(size ? size : 1), data, size); /* its end is guarded */
	struct err err = ERR_NONE;
	struct bytes bytes;
	enum err_code code;

	alarm(HANG_S);
	bytes_buffer(&bytes, "damaged", copy, size);
	code = input_trace_dat.read(&bytes, &options, events_check_sink(&check), &err);
	alarm(0);
	CHECK(code == OK || (code == ERR_FORMAT && strstr(err.what, "expected ")), "%s", err.what);
	free(copy);
	return events;
}

TEST(a_recording_cut_anywhere_is_read_or_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		struct file file = load(fixtures[i]);
		u64 whole = read_bytes(file.bytes, file.size), last = 0;

		CHECK(whole > 0);
		for (size_t size = 0; size < file.size; size += 1000) {
			u64 events = read_bytes(file.bytes, size);

			CHECK(events <= whole && events >= last, "%s cut at %zu", fixtures[i],
			      size);
			last = events;
		}
		free(file.bytes);
	}
}

/* v6 has its pages last: half of them gone still gives the other half. */
TEST(a_cut_v6_keeps_its_intact_pages)
{
	struct file file = load("trace-v6.dat");
	u64 whole = read_bytes(file.bytes, file.size);
	u64 cut = read_bytes(file.bytes, file.size - 8192);

	CHECK(cut > 0 && cut < whole, "%llu of %llu", cut, whole);
	free(file.bytes);
}

/* Up to four places of a copy, each a random byte, an extreme number or a run of noise. */
static void damage(u8 *bytes, size_t size, u64 number)
{
	u64 nr = 1 + rng_draw(number, 0, 0, 0) % 4;

	for (u64 i = 1; i <= nr; i++) {
		size_t at = rng_draw(number, i, 0, 0) % size;
		size_t len = (size_t)1 << rng_draw(number, i, 1, 0) % 6;
		u32 how = rng_draw(number, i, 2, 0) % 4;

		for (size_t k = at; k < at + len && k < size; k++) {
			u8 noise = (u8)rng_draw(number, i, 3, k);
			const u8 choice[] = { 0, 0xff, (u8)(bytes[k] ^ (1u << noise % 8)), noise };

			bytes[k] = choice[how];
		}
	}
}

static void damage_many(const char *name, u64 variants)
{
	struct file file = load(name);
	u8 *bytes = mem_zalloc(file.size);

	for (u64 number = 0; number < variants; number++) {
		memcpy(bytes, file.bytes, file.size);
		damage(bytes, file.size, number);
		read_bytes(bytes, file.size);
	}
	free(bytes);
	free(file.bytes);
}

TEST(a_v6_with_overwritten_bytes_is_read_or_refused)
{
	damage_many("trace-v6.dat", 700);
}

TEST(a_v7_with_overwritten_bytes_is_read_or_refused)
{
	damage_many("trace-v7.dat", 700);
}

TEST(a_compressed_v7_with_overwritten_bytes_is_read_or_refused)
{
	damage_many("trace-v7-zstd.dat", 700);
	damage_many("trace-overrun.dat", 400);
}
