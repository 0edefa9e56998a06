/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * span - bytes being taken one thing after the other, with bounds.
 *
 * Taking beyond the end fails the span for good and notes where and what was
 * expected; what is taken then is zero, so that a caller may check once at the end.
 */
#ifndef INPUT_SPAN_H
#define INPUT_SPAN_H

#include <string.h>

#include "input/bytes.h"

struct span {
	const u8 *bytes;
	u64 at, end;
	u64 origin; /* of bytes[0] in the file; of the section if it was uncompressed */
	bool inflated;
	bool big_endian;
	const char *missing; /* NULL: all well so far */
	u64 missing_at;      /* in the file */
};

static inline u64 span_place(const struct span *span)
{
	return span->inflated ? span->origin : span->origin + span->at;
}

/* Not what it should be, here. */
static inline void span_fail(struct span *span, const char *expected)
{
	if (span->missing)
		return;
	span->missing = expected;
	span->missing_at = span_place(span);
	span->end = span->at;
}

/* @len bytes, or NULL. */
static inline const u8 *span_take(struct span *span, u64 len, const char *expected)
{
	const u8 *taken = span->bytes + span->at;

	if (len > span->end - span->at) {
		span_fail(span, expected);
		return NULL;
	}
	span->at += len;
	return taken;
}

static inline u64 span_number(struct span *span, u32 size, const char *expected)
{
	const u8 *taken = span_take(span, size, expected);

	return taken ? bytes_load(taken, size, span->big_endian) : 0;
}

/* A text with its NUL; "" if there is none. */
static inline const char *span_text(struct span *span, const char *expected)
{
	const char *text = (const char *)span->bytes + span->at;
	size_t len = strnlen(text, span->end - span->at);

	return span_take(span, len + 1, expected) ? text : "";
}

/* A part of its own, @len bytes long; empty and failed if they are not there. */
static inline struct span span_part(struct span *span, u64 len, const char *expected)
{
	struct span part = *span;
	const u8 *taken = span_take(span, len, expected);

	part.end = taken ? part.at + len : part.at;
	part.missing = span->missing;
	part.missing_at = span->missing_at;
	return part;
}

#endif
