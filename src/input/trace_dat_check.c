/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/trace_dat_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "input/format_text.h"
#include "input/span.h"
#include "machine/machine.h"

#define SECTION_MAX  (64u << 20) /* uncompressed: formats of all events are 3 MiB */
#define OPTIONS_MAX  (1u << 20)  /* uncompressed */
#define FORMATS_MAX  65536
#define PAGE_MIN     128u
#define PAGE_MAX     (16u << 20)
#define SECTIONS_MAX 4096 /* of options: one for each time a recorder added some */

enum {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8,
	OPTION_TIME_SHIFT = 12,
	OPTION_TSC2NSEC = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_CMDLINES = 21,
	OPTION_BUFFER_TEXT = 22,
};

#define SECTION_OPTIONS   0
#define SECTION_FLYRECORD 3
#define SECTION_HEADER    16u /* u16 id, u16 flags, u32 name, u64 size */
#define FLAG_COMPRESSED   1

/* What the walk needs beside what it finds. */
struct walk {
	struct trace_dat *dat;
	struct err *err;
	u64 v6_buffers[64]; /* offsets of v6 instances, read once the CPU count is known */
	char v6_names[64][64];
	u32 nr_v6_buffers;
	bool clock_follows; /* v6: the clock stands behind the CPU table */
	u32 followed;       /* bit per option id: its section was read */
	bool has_header_page, has_formats;
};

void trace_dat_note(struct trace_dat *dat, u64 at, const char *fmt, ...)
{
	va_list args;
	int len;

	if (dat->note[0])
		return;
	len = snprintf(dat->note, sizeof(dat->note), "at byte %llu: ", at);
	va_start(args, fmt);
	vsnprintf(dat->note + len, sizeof(dat->note) - (size_t)len, fmt, args);
	va_end(args);
}

bool trace_dat_inflate(const struct trace_dat *dat, const u8 *from, size_t size, u8 *to,
		       size_t room)
{
	size_t got;

	if (!dat->zstd)
		return false;
	got = ZSTD_decompressDCtx(dat->zstd, to, room, from, size);
	return !ZSTD_isError(got) && got == room;
}

static struct span whole_file(const struct trace_dat *dat, u64 at)
{
	return (struct span){ .bytes = dat->map,
			      .at = at < dat->size ? at : dat->size,
			      .end = dat->size,
			      .big_endian = dat->big_endian };
}

static enum err_code span_error(const struct walk *walk, const struct span *span)
{
	if (!span->missing)
		return OK;
	return err_byte(walk->err, ERR_FORMAT, walk->dat->path, span->missing_at,
			"expected %s, the file has %llu bytes", span->missing, walk->dat->size);
}

static void copy_text(char *to, size_t room, const char *from, size_t len)
{
	len = strnlen(from, len < room ? len : room - 1);
	memcpy(to, from, len);
	to[len] = 0;
}

/* "[local] global counter ...": the one in use has the brackets. */
static void take_clock(struct trace_dat *dat, const char *text, size_t len)
{
	const char *open = memchr(text, '[', len), *close;
	size_t size;

	close = open ? memchr(open, ']', len - (size_t)(open - text)) : NULL;
	if (!close)
		return;
	size = (size_t)(close - open) - 1;
	if (size < sizeof(dat->clock)) {
		memcpy(dat->clock, open + 1, size);
		dat->clock[size] = 0;
	}
}

/* "Linux host 6.12.1 x86_64": the third word. */
static void take_release(struct trace_dat *dat, const char *text, size_t len)
{
	const char *end = text + strnlen(text, len), *word;

	for (u32 i = 0; i < 2; i++) {
		const char *blank = memchr(text, ' ', (size_t)(end - text));

		if (!blank)
			return;
		text = blank + 1;
	}
	for (word = text; word < end && *word != ' ';)
		word++;
	if ((size_t)(word - text) < sizeof(dat->release)) {
		memcpy(dat->release, text, (size_t)(word - text));
		dat->release[word - text] = 0;
	}
}

/* A number in a text that need not be terminated; base as strtoll's. */
static s64 text_number(const char *text, size_t len, int base)
{
	char digits[40];

	copy_text(digits, sizeof(digits), text, len < 39 ? len : 39);
	return strtoll(digits, NULL, base);
}

/* CPUSTAT is a copy of per_cpu/cpuN/stats: "overrun: 12" a line. */
static void take_cpustat(struct trace_dat *dat, const char *text, size_t len)
{
	static const char *const losses[] = { "overrun:", "commit overrun:", "dropped events:" };

	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t line = newline ? (size_t)(newline - text) : len;

		for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
			size_t word = strlen(losses[i]);
			s64 lost;

			if (line <= word || memcmp(text, losses[i], word))
				continue;
			lost = text_number(text + word, line - word, 10);
			if (lost > 0)
				dat->lost += (u64)lost;
		}
		line += newline != NULL;
		text += line;
		len -= line;
	}
}

static void add_cmdline(struct trace_dat *dat, const char *line, size_t len)
{
	const char *blank = memchr(line, ' ', len);
	s64 tid = blank ? text_number(line, (size_t)(blank - line), 10) : 0;
	struct trace_dat_name *name;
	size_t size;

	if (!blank || tid <= 0 || tid > S64_MAX >> 32 || *line < '0' || *line > '9')
		return; /* the rest of a name with a newline in it */
	*map_add(&dat->cmdlines, (u64)tid) = dat->names.nr;
	name = vec_add(&dat->names);
	size = len - (size_t)(blank + 1 - line);
	memcpy(name->comm, blank + 1, size < INTAKE_COMM ? size : INTAKE_COMM - 1);
}

static void take_cmdlines(struct trace_dat *dat, struct span *span)
{
	u64 size = span_number(span, 8, "the size of the saved command lines");
	const char *text = (const char *)span_take(span, size, "the saved command lines");

	while (text && size) {
		const char *newline = memchr(text, '\n', size);
		size_t line = newline ? (size_t)(newline - text) : size;

		add_cmdline(dat, text, strnlen(text, line));
		line += newline != NULL;
		text += line;
		size -= line;
	}
}

/* header_page: where a page keeps its length and its records. */
static void take_page_header(struct trace_dat *dat, struct span *part)
{
	struct format_text text =
		format_text((const char *)part->bytes + part->at, part->end - part->at);
	struct format_field field;
	bool gap;

	while (format_text_field(&text, &field, &gap)) {
		if (format_field_is(&field, "commit")) {
			dat->layout.commit_at = field.offset;
			dat->layout.commit_size = field.size;
		} else if (format_field_is(&field, "data")) {
			dat->layout.data_at = field.offset;
		}
	}
}

static bool layout_is_sound(const struct ring_layout *layout)
{
	return (layout->commit_size == 4 || layout->commit_size == 8) &&
	       layout->commit_at + layout->commit_size <= layout->data_at && layout->data_at >= 8 &&
	       layout->data_at <= 64;
}

static void take_header_info(struct walk *walk, struct span *span)
{
	struct trace_dat *dat = walk->dat;
	u64 place = span_place(span);
	struct span part;

	if (strcmp(span_text(span, "\"header_page\""), "header_page"))
		span_fail(span, "\"header_page\"");
	part = span_part(span, span_number(span, 8, "the size of header_page"), "header_page");
	take_page_header(dat, &part);
	if (!span->missing && !layout_is_sound(&dat->layout)) {
		span->missing = "header_page to describe commit and data";
		span->missing_at = place;
	}
	if (strcmp(span_text(span, "\"header_event\""), "header_event"))
		span_fail(span, "\"header_event\"");
	span_part(span, span_number(span, 8, "the size of header_event"), "header_event");
	walk->has_header_page = !span->missing;
}

static void take_format(struct walk *walk, struct span *span, const char *system)
{
	struct trace_dat *dat = walk->dat;
	u64 place = span_place(span);
	u64 size = span_number(span, 8, "the size of an event format");
	const char *text = (const char *)span_take(span, size, "an event format");

	if (!text || tep_fields_add(dat->fields, system, text, size))
		return;
	dat->unparsed++;
	trace_dat_note(dat, place, "an event format that cannot be read");
}

static void take_formats(struct walk *walk, struct span *span, const char *system)
{
	u64 nr = span_number(span, 4, "the number of event formats");

	if (nr > FORMATS_MAX)
		span_fail(span, "at most 65536 event formats");
	for (u64 i = 0; i < nr && !span->missing; i++)
		take_format(walk, span, system);
}

static void take_systems(struct walk *walk, struct span *span)
{
	u64 nr = span_number(span, 4, "the number of event systems");

	for (u64 i = 0; i < nr && !span->missing; i++) {
		const char *system = span_text(span, "the name of an event system");

		take_formats(walk, span, system);
	}
	walk->has_formats |= !span->missing;
}

/* The pages of one CPU; what lies beyond the end of the file is not there. */
static void add_cpu(struct trace_dat *dat, struct trace_dat_buffer *buffer, u32 cpu, u64 offset,
		    u64 size, u64 place)
{
	u64 room = offset < dat->size ? dat->size - offset : 0;
	struct trace_dat_cpu *at;

	if (size > room) {
		trace_dat_note(dat, place,
			       "expected %llu bytes of CPU %u at byte %llu, the file has %llu",
			       size, cpu, offset, dat->size);
		dat->truncated = true;
		size = room;
	}
	at = vec_add(&buffer->cpus);
	*at = (struct trace_dat_cpu){ cpu, size ? offset : 0, size };
	if (cpu >= dat->nr_cpus)
		dat->nr_cpus = cpu + 1;
}

static struct trace_dat_buffer *add_buffer(struct trace_dat *dat, const char *name)
{
	struct trace_dat_buffer *buffer = vec_add(&dat->buffers);

	copy_text(buffer->name, sizeof(buffer->name), name, strlen(name) + 1);
	buffer->page_size = dat->page_size;
	return buffer;
}

static bool page_size_is_sound(u64 size)
{
	return size >= PAGE_MIN && size <= PAGE_MAX;
}

/* v7: BUFFER names its clock, its page size and each CPU's place in the file. */
static void take_buffer(struct walk *walk, struct span *span)
{
	struct trace_dat *dat = walk->dat;
	u64 section = span_number(span, 8, "a buffer's offset");
	const char *name = span_text(span, "a buffer's name"),
		   *clock = span_text(span, "its clock");
	u64 page_size = span_number(span, 4, "a buffer's page size");
	u64 nr_cpus = span_number(span, 4, "a buffer's number of CPUs");
	struct span head = whole_file(dat, section);
	struct trace_dat_buffer *buffer;

	if (!span->missing && (!page_size_is_sound(page_size) || nr_cpus > MACHINE_MAX_CPUS))
		span_fail(span, "a page size of 128 B to 16 MiB and at most 4096 CPUs");
	if (span->missing)
		return;
	if (span_number(&head, 2, "") != SECTION_FLYRECORD || head.missing) {
		span->missing = "a section of buffer pages (id 3)";
		span->missing_at = section;
		return;
	}
	buffer = add_buffer(dat, name);
	buffer->compressed = span_number(&head, 2, "") & FLAG_COMPRESSED;
	buffer->page_size = (u32)page_size;
	if (!dat->clock[0] || !*name)
		copy_text(dat->clock, sizeof(dat->clock), clock, strlen(clock) + 1);
	for (u64 i = 0; i < nr_cpus; i++) {
		u64 place = span_place(span);
		u64 cpu = span_number(span, 4, "a buffer's CPU");
		u64 offset = span_number(span, 8, "the offset of a CPU's pages");
		u64 size = span_number(span, 8, "the size of a CPU's pages");

		if (!span->missing && cpu >= MACHINE_MAX_CPUS)
			span_fail(span, "a CPU below 4096");
		if (span->missing)
			return;
		add_cpu(dat, buffer, (u32)cpu, offset, size, place);
	}
}

static void keep_v6_buffer(struct walk *walk, struct span *span)
{
	u64 offset = span_number(span, 8, "an instance's offset");
	const char *name = (const char *)span->bytes + span->at;
	u32 nr = walk->nr_v6_buffers;

	if (span->missing)
		return;
	if (nr == ARRAY_SIZE(walk->v6_buffers)) {
		trace_dat_note(walk->dat, span_place(span), "more than 64 instances: not read");
		walk->dat->unparsed++;
		return;
	}
	walk->v6_buffers[nr] = offset;
	copy_text(walk->v6_names[nr], sizeof(walk->v6_names[nr]), name, span->end - span->at);
	walk->nr_v6_buffers++;
}

static void take_tsc(struct trace_dat *dat, struct span *span)
{
	u64 mult = span_number(span, 4, "the TSC's multiplier");
	u64 shift = span_number(span, 4, "the TSC's shift");

	if (!span->missing && shift >= 64)
		span_fail(span, "a shift below 64");
	if (span->missing)
		return;
	dat->tsc_mult = (u32)mult;
	dat->tsc_shift = (u32)shift;
}

typedef void take_section(struct walk *walk, struct span *span);

static void take_formats_section(struct walk *walk, struct span *span)
{
	take_formats(walk, span, "ftrace");
}

static void take_cmdlines_section(struct walk *walk, struct span *span)
{
	take_cmdlines(walk->dat, span);
}

/* The content of a v7 section, uncompressed into @buf (the caller frees it) if need be. */
static struct span open_section(struct walk *walk, u64 offset, u32 id, u32 max, u8 **buf)
{
	struct trace_dat *dat = walk->dat;
	struct span file = whole_file(dat, offset), part;
	u64 got = span_number(&file, 2, "a section"), flags, packed, size;

	if (offset >= dat->size) {
		file.missing = "a section";
		file.missing_at = offset;
	} else if (got != id) {
		file.missing = "a section of another id";
		file.missing_at = offset;
	}
	flags = span_number(&file, 2, "a section's flags");
	span_number(&file, 4, "a section's name");
	part = span_part(&file, span_number(&file, 8, "a section's size"), "a section's bytes");
	if (part.missing || !(flags & FLAG_COMPRESSED))
		return part;
	packed = span_number(&part, 4, "the compressed size");
	size = span_number(&part, 4, "the uncompressed size");
	if (packed > part.end - part.at || size > max)
		span_fail(&part, "compressed data inside their section, of a sane size");
	if (!part.missing && !dat->zstd)
		span_fail(&part, "zstd, the only compression that is read");
	if (part.missing)
		return part;
	*buf = mem_zalloc(size + 1);
	if (!trace_dat_inflate(dat, part.bytes + part.at, packed, *buf, size)) {
		span_fail(&part, "whole zstd data");
		return part;
	}
	return (struct span){ .bytes = *buf,
			      .end = size,
			      .origin = offset,
			      .inflated = true,
			      .big_endian = dat->big_endian };
}

/* A file has one section of each kind; reading the first alone bounds the work. */
static void follow_section(struct walk *walk, struct span *option, u32 id, take_section *take)
{
	u64 offset = span_number(option, 8, "a section's offset");
	struct span section;
	u8 *buf = NULL;

	if (option->missing || walk->followed & 1u << id)
		return;
	walk->followed |= 1u << id;
	section = open_section(walk, offset, id, SECTION_MAX, &buf);
	if (!section.missing)
		take(walk, &section);
	if (section.missing) {
		option->missing = section.missing;
		option->missing_at = section.missing_at;
	}
	free(buf);
}

static void take_option(struct walk *walk, u32 id, struct span *option)
{
	struct trace_dat *dat = walk->dat;
	const char *text = (const char *)option->bytes + option->at;
	size_t len = option->end - option->at;
	bool v7 = dat->version >= 7;

	switch (id) {
	case OPTION_CPUSTAT:
		take_cpustat(dat, text, len);
		break;
	case OPTION_BUFFER:
		if (v7)
			take_buffer(walk, option);
		else
			keep_v6_buffer(walk, option);
		break;
	case OPTION_TRACECLOCK:
		if (!v7)
			walk->clock_follows = true;
		if (len && !dat->clock[0])
			take_clock(dat, text, len);
		break;
	case OPTION_UNAME:
		take_release(dat, text, len);
		break;
	case OPTION_OFFSET:
		dat->time_offset = text_number(text, len, 0);
		break;
	case OPTION_TIME_SHIFT:
		dat->guest = true;
		break;
	case OPTION_TSC2NSEC:
		take_tsc(dat, option);
		break;
	case OPTION_HEADER_INFO:
		follow_section(walk, option, id, take_header_info);
		break;
	case OPTION_FTRACE_EVENTS:
		follow_section(walk, option, id, take_formats_section);
		break;
	case OPTION_EVENT_FORMATS:
		follow_section(walk, option, id, take_systems);
		break;
	case OPTION_CMDLINES:
		follow_section(walk, option, id, take_cmdlines_section);
		break;
	case OPTION_BUFFER_TEXT:
		trace_dat_note(dat, span_place(option), "a buffer of text: not read");
		break;
	default:
		break; /* a newer or an irrelevant one: skipped by its size */
	}
}

/* One list of options up to DONE; v7's DONE says where the next list is (0: nowhere). */
static u64 take_options(struct walk *walk, struct span *span)
{
	while (!span->missing) {
		u32 id = (u32)span_number(span, 2, "an option");
		struct span option;
		u64 size;

		if (id == OPTION_DONE && walk->dat->version < 7)
			return 0;
		size = span_number(span, 4, "an option's size");
		option = span_part(span, size, "an option's bytes");
		if (span->missing)
			return 0;
		if (id == OPTION_DONE)
			return size >= 8 ? span_number(&option, 8, "") : 0;
		take_option(walk, id, &option);
		if (option.missing) {
			span->missing = option.missing;
			span->missing_at = option.missing_at;
		}
	}
	return 0;
}

/* Sections of options form a chain; a file that links more than SECTIONS_MAX loops. */
static enum err_code walk_v7(struct walk *walk, struct span *span)
{
	u64 offset = span_number(span, 8, "the offset of the options");
	enum err_code code = span_error(walk, span);

	for (u32 i = 0; offset && !code; i++) {
		struct span section;
		u8 *buf = NULL;

		if (i == SECTIONS_MAX)
			return err_byte(walk->err, ERR_FORMAT, walk->dat->path, offset,
					"expected the last of %d option sections", SECTIONS_MAX);
		section = open_section(walk, offset, SECTION_OPTIONS, OPTIONS_MAX, &buf);
		offset = take_options(walk, &section);
		code = span_error(walk, &section);
		free(buf);
	}
	return code;
}

static void take_v6_cpus(struct walk *walk, struct span *span, const char *name)
{
	u32 nr = walk->dat->nr_cpus;
	struct trace_dat_buffer *buffer = add_buffer(walk->dat, name);

	for (u32 cpu = 0; cpu < nr; cpu++) {
		u64 place = span_place(span);
		u64 offset = span_number(span, 8, "the offset of a CPU's pages");
		u64 size = span_number(span, 8, "the size of a CPU's pages");

		if (span->missing)
			return;
		add_cpu(walk->dat, buffer, cpu, offset, size, place);
	}
}

static void take_v6_instance(struct walk *walk, u32 i)
{
	struct span span = whole_file(walk->dat, walk->v6_buffers[i]);
	const char *tag = span_text(&span, "\"flyrecord\" of an instance");

	if (!span.missing && strcmp(tag, "flyrecord"))
		span_fail(&span, "\"flyrecord\" of an instance");
	if (!span.missing)
		take_v6_cpus(walk, &span, walk->v6_names[i]);
	if (span.missing) {
		walk->dat->truncated = true;
		trace_dat_note(walk->dat, span.missing_at, "expected %s", span.missing);
	}
}

/* Behind the CPU table, as trace-cmd 2.x wrote it; it was once written wrong: optional. */
static void take_v6_clock(struct walk *walk, struct span *span)
{
	u64 size = span_number(span, 8, "");
	const char *text = size <= 4096 ? (const char *)span_take(span, size, "") : NULL;

	if (text && !walk->dat->clock[0])
		take_clock(walk->dat, text, size);
}

static enum err_code walk_v6_data(struct walk *walk, struct span *span)
{
	const char *tag = span_text(span, "\"options\" or \"flyrecord\"");

	if (!strcmp(tag, "options  ")) {
		take_options(walk, span);
		tag = span_text(span, "\"flyrecord\"");
	}
	if (span->missing)
		return span_error(walk, span);
	if (!strcmp(tag, "latency  "))
		return err_byte(walk->err, ERR_FORMAT, walk->dat->path, span_place(span),
				"expected recorded events, found a latency tracer's text");
	if (strcmp(tag, "flyrecord"))
		span_fail(span, "\"options\" or \"flyrecord\"");
	take_v6_cpus(walk, span, "");
	if (span->missing)
		return span_error(walk, span);
	if (walk->clock_follows)
		take_v6_clock(walk, span);
	for (u32 i = 0; i < walk->nr_v6_buffers; i++)
		take_v6_instance(walk, i);
	return OK;
}

static enum err_code walk_v6(struct walk *walk, struct span *span)
{
	u64 nr_cpus;

	take_header_info(walk, span);
	take_formats(walk, span, "ftrace");
	take_systems(walk, span);
	span_part(span, span_number(span, 4, "the size of kallsyms"), "kallsyms");
	span_part(span, span_number(span, 4, "the size of the printk formats"), "printk formats");
	take_cmdlines(walk->dat, span);
	nr_cpus = span_number(span, 4, "the number of CPUs");
	if (!span->missing && (!nr_cpus || nr_cpus > MACHINE_MAX_CPUS)) {
		span->at -= 4;
		span_fail(span, "1 to 4096 CPUs");
	}
	if (span->missing)
		return span_error(walk, span);
	walk->dat->nr_cpus = (u32)nr_cpus;
	return walk_v6_data(walk, span);
}

static enum err_code take_head(struct walk *walk, struct span *span)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct trace_dat *dat = walk->dat;
	const u8 *got = span_take(span, sizeof(magic) - 1, "the magic of trace.dat");
	const char *version = span_text(span, "a version");
	u64 endian, long_size, page_size;

	if (got && memcmp(got, magic, sizeof(magic) - 1))
		span_fail(span, "the magic of trace.dat");
	if (!span->missing && strcmp(version, "6") && strcmp(version, "7"))
		span_fail(span, "version 6 or 7");
	dat->version = version[0] == '7' ? 7 : 6;
	endian = span_number(span, 1, "the byte order");
	span->big_endian = dat->big_endian = endian == 1;
	long_size = span_number(span, 1, "the size of a long");
	page_size = span_number(span, 4, "the page size");
	if (!span->missing &&
	    (endian > 1 || (long_size != 4 && long_size != 8) || !page_size_is_sound(page_size)))
		span_fail(span, "byte order 0 or 1, long of 4 or 8, page of 128 B to 16 MiB");
	if (dat->version == 7) {
		if (!strcmp(span_text(span, "the compression"), "zstd"))
			dat->zstd = ZSTD_createDCtx();
		span_text(span, "the compression's version");
	}
	dat->long_size = (u32)long_size;
	dat->page_size = (u32)page_size;
	return span_error(walk, span);
}

static enum err_code check_whole(const struct walk *walk)
{
	struct trace_dat *dat = walk->dat;

	if (!walk->has_header_page || !walk->has_formats || !dat->buffers.nr)
		return err_byte(walk->err, ERR_FORMAT, dat->path, dat->size,
				"expected %s before the end of the file",
				!walk->has_header_page ? "a page header"
				: !walk->has_formats   ? "event formats"
						       : "a buffer");
	return OK;
}

enum err_code trace_dat_open(struct trace_dat *dat, const char *path, const u8 *map, u64 size,
			     struct err *err)
{
	struct walk *walk = NEW(struct walk);
	struct span span;
	enum err_code code;

	*dat = (struct trace_dat){ .path = path, .map = map, .size = size };
	walk->dat = dat;
	walk->err = err;
	span = whole_file(dat, 0);
	code = take_head(walk, &span);
	if (!code) {
		dat->fields = tep_fields_new(dat->big_endian, dat->long_size);
		dat->layout = (struct ring_layout){ .big_endian = dat->big_endian };
		code = dat->version == 7 ? walk_v7(walk, &span) : walk_v6(walk, &span);
	}
	if (!code)
		code = check_whole(walk);
	free(walk);
	return code;
}

void trace_dat_close(struct trace_dat *dat)
{
	ZSTD_freeDCtx(dat->zstd);
	tep_fields_free(dat->fields);
	vec_for_each(buffer, &dat->buffers)
		vec_free(&buffer->cpus);
	vec_free(&dat->buffers);
	vec_free(&dat->names);
	map_fini(&dat->cmdlines);
}
