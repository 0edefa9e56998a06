/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "policy/int.h"

void escape_text(const char *name, char *buf, size_t size)
{
	size_t out = 0;

	if (!*name) {
		snprintf(buf, size, "\"\"");
		return;
	}
	for (; *name && out + 5 <= size; name++) {
		if (*name >= ' ' && *name < 0x7f && *name != '\\')
			buf[out++] = *name;
		else
			out += (size_t)snprintf(buf + out, 5, "\\x%02x", (u8)*name);
	}
	buf[out] = '\0';
}

/* Bytes of the UTF-8 sequence at @at, 0 if it is none (RFC 3629: no overlong, no surrogates). */
static u32 utf8_len(const u8 *at)
{
	u32 len = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

	if (at[0] > 0xf4 || !len)
		return 0;
	for (u32 i = 1; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90))
		return 0;
	return len;
}

char *escape_utf8(const char *name)
{
	char *text = mem_zalloc(strlen(name) * 4 + 1), *out = text;

	while (*name) {
		u32 len = utf8_len((const u8 *)name);

		if (len) {
			memcpy(out, name, len);
			out += len;
			name += len;
		} else {
			out += sprintf(out, "\\x%02x", (u8)*name++);
		}
	}
	return text;
}
