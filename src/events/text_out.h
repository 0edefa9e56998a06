/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text_out - one line of text after another, put together faster than printf does.
 *
 * What is put collects in a small buffer and goes to the file when that is full or
 * at text_out_line(); a write error is left in the FILE.
 */
#ifndef EVENTS_TEXT_OUT_H
#define EVENTS_TEXT_OUT_H

#include <stdio.h>
#include <string.h>

#include "base/err.h"

struct text_out {
	FILE *to;
	size_t nr;
	char buf[1024];
};

static inline void text_out_flush(struct text_out *out)
{
	fwrite(out->buf, 1, out->nr, out->to);
	out->nr = 0;
}

/* Ends a line: ERR_IO once a write failed. */
static inline enum err_code text_out_line(struct text_out *out)
{
	out->buf[out->nr++] = '\n';
	text_out_flush(out);
	return ferror(out->to) ? ERR_IO : OK;
}

static inline void text_out_char(struct text_out *out, char c)
{
	/* one place stays free for the newline */
	if (out->nr >= sizeof(out->buf) - 1)
		text_out_flush(out);
	out->buf[out->nr++] = c;
}

static inline void text_out_bytes(struct text_out *out, const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text_out_char(out, at[i]);
}

static inline void text_out_text(struct text_out *out, const char *text)
{
	text_out_bytes(out, text, strlen(text));
}

/* At least @width digits. */
static inline void text_out_digits(struct text_out *out, u64 value, u32 width)
{
	char digits[20];
	u32 nr = 0;

	do {
		digits[nr++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	for (u32 i = nr; i < width; i++)
		text_out_char(out, '0');
	while (nr)
		text_out_char(out, digits[--nr]);
}

static inline void text_out_u64(struct text_out *out, u64 value)
{
	text_out_digits(out, value, 1);
}

static inline void text_out_s64(struct text_out *out, s64 value)
{
	if (value < 0)
		text_out_char(out, '-');
	text_out_u64(out, value < 0 ? 0 - (u64)value : (u64)value);
}

static inline void text_out_hex(struct text_out *out, u64 value)
{
	char digits[24];

	text_out_bytes(out, digits, (size_t)snprintf(digits, sizeof(digits), "%llx", value));
}

/* In quotes, \xNN for what is not printable ASCII, for '"' and for '\'. */
static inline void text_out_quoted(struct text_out *out, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	text_out_char(out, '"');
	for (; *text; text++) {
		u8 c = (u8)*text;

		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
			text_out_char(out, (char)c);
			continue;
		}
		text_out_text(out, "\\x");
		text_out_char(out, hex[c >> 4]);
		text_out_char(out, hex[c & 15]);
	}
	text_out_char(out, '"');
}

#endif
