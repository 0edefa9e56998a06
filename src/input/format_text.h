/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format_text - the kernel's descriptions of its trace events, line by line.
 *
 * The text of events/SYSTEM/NAME/format: a name, an id, one line a field, and the
 * print format.  Nothing here trusts it: a line that is not exactly of the known form
 * is no field.
 */
#ifndef INPUT_FORMAT_TEXT_H
#define INPUT_FORMAT_TEXT_H

#include <stddef.h>

#include "policy/int.h"

#define FORMAT_TEXT_MAX  (64 * 1024) /* the kernel's longest are below 10 KiB */
#define FORMAT_FIELD_MAX 65535       /* offsets and sizes: __data_loc has 16 bits */

struct format_field {
	const char *name; /* the last word of the declaration; not terminated */
	size_t name_len;
	const char *line; /* the whole line with its newline */
	size_t line_len;
	u32 offset, size; /* bytes in the record */
};

/* A text being walked: what is left. */
struct format_text {
	const char *at, *end;
};

static inline struct format_text format_text(const char *text, size_t len)
{
	return (struct format_text){ text, text + len };
}

/* Reads "name: NAME" and "ID: N".  False if they are not there or N is beyond 65535. */
bool format_text_head(struct format_text *text, const char **name, size_t *name_len, u32 *id);
/* The next field line; *@gap says that a blank line came before it.  False: no more. */
bool format_text_field(struct format_text *text, struct format_field *field, bool *gap);
/* Does a field line have this name? */
bool format_field_is(const struct format_field *field, const char *name);

/* How the event's print format takes prev_state apart. */
struct format_states {
	u32 nr;
	struct format_state {
		u64 bit;
		char letter;
	} at[24];
	u64 preempted; /* the bit printed as "+"; 0: none found */
};
/* False if @text has no such table. */
bool format_text_states(const char *text, size_t len, struct format_states *states);

#endif
