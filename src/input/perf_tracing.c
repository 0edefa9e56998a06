/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "input/perf.h"

/*
 * The kernel's event formats as perf copies them from tracefs, in the layout of the
 * head of trace.dat version 6.  Writer: tools/perf/util/trace-event-info.c.
 */
static const u8 magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

static void take_format(struct perf *perf, struct span *span, const char *system)
{
	u64 size = span_number(span, 8, "the size of an event format");
	const u8 *text = span_take(span, size, "an event format");

	if (text)
		tep_fields_add(perf->fields, system, (const char *)text, (size_t)size);
}

static void take_formats(struct perf *perf, struct span *span, const char *system)
{
	u64 nr = span_number(span, 4, "a number of event formats");

	for (u64 i = 0; i < nr && !span->missing; i++)
		take_format(perf, span, system);
}

static void take_systems(struct perf *perf, struct span *span)
{
	u64 nr = span_number(span, 4, "a number of event systems");

	for (u64 i = 0; i < nr && !span->missing; i++)
		take_formats(perf, span, span_text(span, "the name of an event system"));
}

static void skip_page(struct span *span, const char *name)
{
	const char *found = span_text(span, name);

	if (!span->missing && strcmp(found, name))
		span_fail(span, name);
	span_take(span, span_number(span, 8, name), name);
}

/* "PID NAME\n" each: what the kernel remembered of names, which may be stale. */
static void take_comms(struct perf *perf, struct span *span)
{
	u64 size = span_number(span, 8, "the size of the saved names");
	const char *at = (const char *)span_take(span, size, "the saved names");
	const char *end = at ? at + size : NULL;

	while (at && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		u64 tid = 0;

		for (; at < stop && *at >= '0' && *at <= '9' && tid < 1u << 30; at++)
			tid = tid * 10 + (u64)(*at - '0');
		if (at < stop && *at == ' ' && tid && ++at < stop && *at != '<') {
			struct perf_comm *comm = vec_add(&perf->comms);
			size_t len = (size_t)(stop - at);

			comm->tid = (s32)tid;
			memcpy(comm->comm, at, len < INTAKE_COMM ? len : INTAKE_COMM - 1);
		}
		at = stop + 1;
	}
}

/* Behind the formats: nothing is lost if it is damaged, the names come again. */
static void take_rest(struct perf *perf, struct span *span, const char *version)
{
	span_take(span, span_number(span, 4, "the size of kallsyms"), "kallsyms");
	span_take(span, span_number(span, 4, "the size of the printk formats"),
		  "the printk formats");
	if (!span->missing && strcmp(version, "0.5") > 0)
		take_comms(perf, span);
}

enum err_code perf_tracing_data(struct perf *perf, const u8 *at, u64 size, u64 place)
{
	struct span span = { .bytes = at, .end = size, .origin = place };
	const u8 *head = span_take(&span, sizeof(magic), "the magic of the tracing data");
	const char *version = span_text(&span, "the version of the tracing data");
	bool big_endian = span_number(&span, 1, "a byte order");
	u32 long_size = (u32)span_number(&span, 1, "the size of a long");

	if (head && memcmp(head, magic, sizeof(magic)))
		return err_byte(perf->err, ERR_FORMAT, perf->bytes->path, place,
				"expected the magic of the tracing data");
	span.big_endian = big_endian;
	span_number(&span, 4, "the page size");
	skip_page(&span, "header_page");
	skip_page(&span, "header_event");
	tep_fields_free(perf->fields);
	perf->fields = tep_fields_new(big_endian, long_size);
	take_formats(perf, &span, "ftrace");
	take_systems(perf, &span);
	if (span.missing)
		return err_byte(perf->err, ERR_FORMAT, perf->bytes->path, span.missing_at,
				"expected %s", span.missing);
	take_rest(perf, &span, version);
	return OK;
}
