/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Format of what is written: trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v6.5.txt;
 * input/trace_dat_check.c reads it.
 */
#include "truth/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "machine/machine.h"

enum {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
};

struct chunk {
	struct capture_head head;
	const u8 *bytes;
};

struct writer {
	FILE *to;
	u64 at; /* bytes written */
	VEC(struct chunk) chunks;
	u32 nr_cpus;
	u64 taken; /* bytes read of the capture */
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
	writer->at += fwrite(bytes, 1, size, writer->to);
}

static void put_number(struct writer *writer, u64 value, size_t size)
{
	u8 bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (u8)(value >> (8 * i));
	put(writer, bytes, size);
}

static void put_text(struct writer *writer, const char *text)
{
	put(writer, text, strlen(text) + 1);
}

static void pad(struct writer *writer)
{
	static const u8 zeros[CAPTURE_PAGE];

	put(writer, zeros, -writer->at % CAPTURE_PAGE);
}

static const struct chunk *find(const struct writer *writer, u32 kind)
{
	vec_for_each(chunk, &writer->chunks)
		if (chunk->head.kind == kind)
			return chunk;
	return NULL;
}

/* Its bytes after their length, an empty text if there is none. */
static void put_sized(struct writer *writer, u32 kind, size_t size_of_size)
{
	const struct chunk *chunk = find(writer, kind);

	put_number(writer, chunk ? chunk->head.size : 0, size_of_size);
	if (chunk)
		put(writer, chunk->bytes, chunk->head.size);
}

static bool in_system(const struct chunk *chunk, const char *system)
{
	return chunk->head.kind == CAPTURE_FORMAT && chunk->head.size > strlen(system) &&
	       !memcmp(chunk->bytes, system, strlen(system) + 1);
}

static void put_formats(struct writer *writer, const char *system)
{
	size_t skip = strlen(system) + 1;
	u32 nr = 0;

	vec_for_each(chunk, &writer->chunks)
		nr += in_system(chunk, system);
	put_number(writer, nr, 4);
	vec_for_each(chunk, &writer->chunks) {
		if (!in_system(chunk, system))
			continue;
		put_number(writer, chunk->head.size - skip, 8);
		put(writer, chunk->bytes + skip, chunk->head.size - skip);
	}
}

static void put_head(struct writer *writer)
{
	static const char *const systems[] = { "sched", "power" };

	put(writer, "\x17\x08\x44tracing", 10);
	put_text(writer, "6");
	put_number(writer, 0, 1); /* little endian */
	put_number(writer, 8, 1); /* the size of long */
	put_number(writer, CAPTURE_PAGE, 4);
	put_text(writer, "header_page");
	put_sized(writer, CAPTURE_HEADER_PAGE, 8);
	put_text(writer, "header_event");
	put_sized(writer, CAPTURE_HEADER_EVENT, 8);
	put_formats(writer, "ftrace");
	put_number(writer, ARRAY_SIZE(systems), 4);
	for (u32 i = 0; i < ARRAY_SIZE(systems); i++) {
		put_text(writer, systems[i]);
		put_formats(writer, systems[i]);
	}
	put_number(writer, 0, 4); /* kallsyms */
	put_number(writer, 0, 4); /* printk formats */
	put_sized(writer, CAPTURE_CMDLINES, 8);
	put_number(writer, writer->nr_cpus, 4);
}

static void put_option(struct writer *writer, u32 id, const void *bytes, size_t size)
{
	put_number(writer, id, 2);
	put_number(writer, size, 4);
	put(writer, bytes, size);
}

static void put_options(struct writer *writer)
{
	put_text(writer, "options  ");
	vec_for_each(chunk, &writer->chunks) {
		if (chunk->head.kind == CAPTURE_STATS)
			put_option(writer, OPTION_CPUSTAT, chunk->bytes, chunk->head.size);
		if (chunk->head.kind == CAPTURE_UNAME)
			put_option(writer, OPTION_UNAME, chunk->bytes, chunk->head.size);
	}
	put_option(writer, OPTION_TRACECLOCK, "", 0);
	put_number(writer, OPTION_DONE, 2);
}

static u64 size_of_cpu(const struct writer *writer, u32 cpu)
{
	u64 size = 0;

	vec_for_each(chunk, &writer->chunks)
		if (chunk->head.kind == CAPTURE_PAGES && chunk->head.cpu == cpu)
			size += chunk->head.size;
	return size;
}

/* "[mono]" behind the table of CPUs, with its length. */
static void put_clock(struct writer *writer)
{
	const struct chunk *clock = find(writer, CAPTURE_CLOCK);

	put_number(writer, clock ? clock->head.size + 2 : 0, 8);
	if (!clock)
		return;
	put(writer, "[", 1);
	put(writer, clock->bytes, clock->head.size);
	put(writer, "]", 1);
}

static u64 clock_size(const struct writer *writer)
{
	const struct chunk *clock = find(writer, CAPTURE_CLOCK);

	return 8 + (clock ? clock->head.size + 2 : 0);
}

static void put_cpus(struct writer *writer)
{
	u64 offset;

	put_text(writer, "flyrecord");
	offset = writer->at + 16ull * writer->nr_cpus + clock_size(writer);
	offset += -offset % CAPTURE_PAGE;
	for (u32 cpu = 0; cpu < writer->nr_cpus; cpu++) {
		u64 size = size_of_cpu(writer, cpu);

		put_number(writer, offset, 8);
		put_number(writer, size, 8);
		offset += size;
	}
	put_clock(writer);
	pad(writer);
	for (u32 cpu = 0; cpu < writer->nr_cpus; cpu++)
		vec_for_each(chunk, &writer->chunks)
			if (chunk->head.kind == CAPTURE_PAGES && chunk->head.cpu == cpu)
				put(writer, chunk->bytes, chunk->head.size);
}

/* Chunks up to the END; false: there is none. */
static bool take_chunks(struct writer *writer, const u8 *bytes, u64 size)
{
	struct chunk chunk = { { 0 }, NULL };

	for (u64 at = 0; size - at >= sizeof(chunk.head); at += chunk.head.size) {
		memcpy(&chunk.head, bytes + at, sizeof(chunk.head));
		at += sizeof(chunk.head);
		chunk.bytes = bytes + at;
		writer->taken = at;
		if (chunk.head.kind == CAPTURE_END)
			return true;
		if (chunk.head.size > size - at || chunk.head.cpu >= MACHINE_MAX_CPUS)
			return false;
		*vec_add(&writer->chunks) = chunk;
		if (chunk.head.kind == CAPTURE_PAGES || chunk.head.kind == CAPTURE_STATS)
			writer->nr_cpus = chunk.head.cpu >= writer->nr_cpus ? chunk.head.cpu + 1
									    : writer->nr_cpus;
	}
	return false;
}

enum err_code capture_to_trace_dat(const u8 *bytes, u64 size, FILE *to, struct err *err)
{
	struct writer writer = { .to = to };
	bool whole = take_chunks(&writer, bytes, size);
	const struct chunk *fault = find(&writer, CAPTURE_FAULT);
	enum err_code code = OK;

	if (fault) {
		code = err_set(err, ERR_ABSENT, NULL, "%.*s", (int)fault->head.size,
			       (const char *)fault->bytes);
	} else if (!whole || !writer.nr_cpus) {
		code = err_set(err, ERR_FORMAT, NULL,
			       "expected a whole recording, the run sent %llu bytes of it", size);
	} else {
		put_head(&writer);
		put_options(&writer);
		put_cpus(&writer);
		if (fflush(to) || ferror(to))
			code = err_set(err, ERR_IO, NULL, "the trace could not be written");
	}
	vec_free(&writer.chunks);
	return code;
}

u32 capture_hz(const u8 *bytes, u64 size)
{
	struct writer writer = { 0 };
	const struct chunk *tick;
	u64 tick_ns = 0;

	take_chunks(&writer, bytes, size);
	tick = find(&writer, CAPTURE_TICK);
	if (tick && tick->head.size == sizeof(tick_ns))
		memcpy(&tick_ns, tick->bytes, sizeof(tick_ns));
	vec_free(&writer.chunks);
	return tick_ns ? (u32)((1000000000 + tick_ns / 2) / tick_ns) : 0;
}

u64 capture_length(const u8 *bytes, u64 size)
{
	struct writer writer = { 0 };
	bool whole = take_chunks(&writer, bytes, size);

	vec_free(&writer.chunks);
	return whole ? writer.taken : size;
}
