/* SPDX-License-Identifier: GPL-2.0-only */
/* scan - the few steps that every text parser takes, never beyond an end. */
#ifndef INPUT_SCAN_H
#define INPUT_SCAN_H

#include <string.h>

#include "policy/int.h"

struct scan {
	const char *at, *end;
};

static inline bool scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool scan_here(const struct scan *scan, char c)
{
	return scan->at < scan->end && *scan->at == c;
}

static inline bool scan_char(struct scan *scan, char c)
{
	if (!scan_here(scan, c))
		return false;
	scan->at++;
	return true;
}

static inline bool scan_text(struct scan *scan, const char *text, size_t len)
{
	if ((size_t)(scan->end - scan->at) < len || memcmp(scan->at, text, len))
		return false;
	scan->at += len;
	return true;
}

/* How many there were. */
static inline size_t scan_blanks(struct scan *scan)
{
	const char *from = scan->at;

	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
		scan->at++;
	return (size_t)(scan->at - from);
}

/* At least one digit, and no more than fit. */
static inline bool scan_u64(struct scan *scan, u64 *value)
{
	const char *from = scan->at;
	u64 sum = 0;

	for (; scan->at < scan->end && scan_is_digit(*scan->at); scan->at++) {
		u64 digit = (u64)(*scan->at - '0');

		if (sum > (U64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*value = sum;
	return scan->at > from;
}

static inline bool scan_u32(struct scan *scan, u32 max, u32 *value)
{
	u64 wide;

	if (!scan_u64(scan, &wide) || wide > max)
		return false;
	*value = (u32)wide;
	return true;
}
static inline int scan_hex_digit(char c)
{
	if (scan_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One to @most hexadecimal digits. */
static inline bool scan_hex(struct scan *scan, u32 most, u64 *value)
{
	const char *from = scan->at;

	for (*value = 0; scan->at < scan->end && scan_hex_digit(*scan->at) >= 0; scan->at++) {
		if (scan->at - from == most)
			return false;
		*value = *value << 4 | (u64)scan_hex_digit(*scan->at);
	}
	return scan->at > from;
}

#endif
