/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

static enum err_code fill(struct err *err, enum err_code code, const char *file,
			  enum err_place place, u64 at, const char *fmt, va_list args)
{
	if (!err)
		return code;
	err->code = code;
	err->place = place;
	err->at = at;
	snprintf(err->file, sizeof(err->file), "%s", file ? file : "");
	vsnprintf(err->what, sizeof(err->what), fmt, args);
	return code;
}

enum err_code err_set(struct err *err, enum err_code code, const char *file, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, code, file, ERR_NOWHERE, 0, fmt, args);
	va_end(args);
	return code;
}

enum err_code err_byte(struct err *err, enum err_code code, const char *file, u64 offset,
		       const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, code, file, ERR_BYTE, offset, fmt, args);
	va_end(args);
	return code;
}

enum err_code err_line(struct err *err, enum err_code code, const char *file, u64 line,
		       const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, code, file, ERR_LINE, line, fmt, args);
	va_end(args);
	return code;
}

void err_print(const struct err *err, char *buf, size_t size)
{
	char raw[sizeof(err->file) + sizeof(err->what) + 64];
	size_t out = 0;

	if (!size)
		return;
	if (err->place == ERR_BYTE)
		snprintf(raw, sizeof(raw), "%s: at byte %llu: %s", err->file, err->at, err->what);
	else if (err->place == ERR_LINE)
		snprintf(raw, sizeof(raw), "%s: line %llu: %s", err->file, err->at, err->what);
	else
		snprintf(raw, sizeof(raw), "%s%s%s", err->file, err->file[0] ? ": " : "",
			 err->what);
	for (const char *c = raw; *c && out + 5 < size; c++) {
		if ((u8)*c >= ' ' && *c != 0x7f)
			buf[out++] = *c;
		else
			out += (size_t)snprintf(buf + out, 5, "\\x%02x", (u8)*c);
	}
	buf[out] = '\0';
}
