/* SPDX-License-Identifier: GPL-2.0-only */
/* escape - names from outside, made safe to show. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stddef.h>

/* Everything but printable ASCII, and '\', becomes \xNN; "" becomes a pair of quotes. */
void escape_text(const char *name, char *buf, size_t size);
/* Valid UTF-8 stays, every other byte becomes the text \xNN.  The caller frees it. */
char *escape_utf8(const char *name);

/* Room for any name of a trace: 15 bytes, 4 characters each. */
#define ESCAPE_ROOM 320

#endif
