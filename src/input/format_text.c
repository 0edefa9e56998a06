/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/format_text.h"

#include <string.h>

#include "base/mem.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct format_text *text)
{
	while (text->at < text->end && is_blank(*text->at))
		text->at++;
}

static bool take(struct format_text *text, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(text);
	if ((size_t)(text->end - text->at) < len || memcmp(text->at, word, len))
		return false;
	text->at += len;
	return true;
}

/* Decimal or 0x hexadecimal; false without a digit or above 2^63. */
static bool take_number(struct format_text *text, u64 *value)
{
	u32 base = take(text, "0x") ? 16 : 10, digits = 0;

	*value = 0;
	for (; text->at < text->end; text->at++, digits++) {
		char c = *text->at;
		u32 digit = c >= '0' && c <= '9'   ? (u32)(c - '0')
			    : c >= 'a' && c <= 'f' ? (u32)(c - 'a' + 10)
			    : c >= 'A' && c <= 'F' ? (u32)(c - 'A' + 10)
						   : 99;

		if (digit >= base)
			break;
		if (*value > (U64_MAX >> 1) / base - 1)
			return false;
		*value = *value * base + digit;
	}
	return digits > 0;
}

/* The rest of the line, without its newline; the walk goes on after it. */
static struct format_text take_line(struct format_text *text)
{
	const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	struct format_text line = { text->at, newline ? newline : text->end };

	text->at = newline ? newline + 1 : text->end;
	return line;
}

bool format_text_head(struct format_text *text, const char **name, size_t *name_len, u32 *id)
{
	struct format_text line = take_line(text);
	u64 number;

	if (!take(&line, "name:"))
		return false;
	skip_blanks(&line);
	*name = line.at;
	while (line.at < line.end && (is_word(*line.at) || *line.at == '-' || *line.at == '.'))
		line.at++;
	*name_len = (size_t)(line.at - *name);
	if (!*name_len || *name_len > 200)
		return false;
	line = take_line(text);
	if (!take(&line, "ID:") || !take_number(&line, &number) || number > 65535)
		return false;
	*id = (u32)number;
	return true;
}

/* Stars and then a word that does not begin with a digit. */
static bool take_identifier(struct format_text *line, struct format_field *field)
{
	const char *begin;

	do
		skip_blanks(line);
	while (take(line, "*"));
	begin = line->at;
	if (begin < line->end && *begin >= '0' && *begin <= '9')
		return false;
	while (line->at < line->end && is_word(*line->at))
		line->at++;
	if (line->at == begin)
		return false;
	field->name = begin;
	field->name_len = (size_t)(line->at - begin);
	return true;
}

/* [], [16] or [TASK_COMM_LEN], right behind a word; @empty: only the first. */
static bool take_brackets(struct format_text *line, bool empty)
{
	line->at++;
	while (!empty && line->at < line->end && is_word(*line->at))
		line->at++;
	if (line->at == line->end || *line->at != ']')
		return false;
	line->at++;
	return true;
}

/*
 * "pid_t pid", "const char * name", "char comm[16]" and "__data_loc char[] comm": the
 * name is the last word outside brackets.  libtraceevent leaks or worse on others.
 */
static bool take_declaration(struct format_text *line, struct format_field *field)
{
	bool dynamic = take(line, "__data_loc ") || take(line, "__rel_data_loc ");
	bool brackets = false;
	u32 words = 0;

	while (words < 8 && take_identifier(line, field)) {
		words++;
		if (line->at == line->end || *line->at != '[')
			continue;
		if (brackets || !take_brackets(line, dynamic))
			return false;
		brackets = true;
		if (!dynamic)
			break;
	}
	return words >= 2 && dynamic <= brackets && field->name_len < 64;
}

static bool take_field(struct format_text line, struct format_field *field)
{
	u64 offset, size;

	*field = (struct format_field){ .line = line.at, .line_len = (size_t)(line.end - line.at) };
	if (field->line_len > 500 || !take(&line, "field:") || !take_declaration(&line, field))
		return false;
	if (!take(&line, ";") || !take(&line, "offset:") || !take_number(&line, &offset))
		return false;
	if (!take(&line, ";") || !take(&line, "size:") || !take_number(&line, &size))
		return false;
	if (!take(&line, ";") || offset > FORMAT_FIELD_MAX || size > FORMAT_FIELD_MAX)
		return false;
	/* kernels before 2.6.31 do not tell the sign */
	if (take(&line, "signed:") && !take(&line, "0;") && !take(&line, "1;"))
		return false;
	skip_blanks(&line);
	field->offset = (u32)offset;
	field->size = (u32)size;
	return line.at == line.end;
}

bool format_text_field(struct format_text *text, struct format_field *field, bool *gap)
{
	*gap = false;
	while (text->at < text->end) {
		struct format_text line = take_line(text), look = line;

		if (line.at == line.end)
			*gap = true;
		else if (take(&look, "print fmt:"))
			break;
		else if (take_field(line, field))
			return true;
	}
	text->at = text->end;
	return false;
}

bool format_field_is(const struct format_field *field, const char *name)
{
	return strlen(name) == field->name_len && !memcmp(name, field->name, field->name_len);
}

static bool seek(struct format_text *text, const char *word)
{
	const char *found = memmem(text->at, (size_t)(text->end - text->at), word, strlen(word));

	if (found)
		text->at = found + strlen(word);
	return found;
}

/* { 0x01, "S" } */
static bool take_state(struct format_text *text, struct format_state *state)
{
	if (!take(text, "{") || !take_number(text, &state->bit) || !take(text, ",") ||
	    !take(text, "\"") || text->end - text->at < 2)
		return false;
	state->letter = *text->at++;
	return take(text, "\"") && take(text, "}");
}

/*
 * The "+" of kernels up to 4.13 is a plain number, "prev_state & 2048 ? "+""; later
 * ones build it from the table: twice the highest bit.
 */
static u64 preempted_bit(struct format_text text, const struct format_states *states)
{
	u64 bit, highest = 0;

	if (!memmem(text.at, (size_t)(text.end - text.at), "\"+\"", 3))
		return 0;
	if (seek(&text, "prev_state") && take(&text, "&") && take_number(&text, &bit) &&
	    take(&text, "?"))
		return bit;
	for (u32 i = 0; i < states->nr; i++)
		if (states->at[i].bit > highest)
			highest = states->at[i].bit;
	return highest << 1;
}

bool format_text_states(const char *bytes, size_t len, struct format_states *states)
{
	struct format_text text = format_text(bytes, len);

	*states = (struct format_states){ 0 };
	if (!seek(&text, "print fmt:") || !seek(&text, "__print_flags(") ||
	    !take(&text, "REC->prev_state") || !seek(&text, "\"|\""))
		return false;
	while (states->nr < ARRAY_SIZE(states->at) && take(&text, ",") &&
	       take_state(&text, &states->at[states->nr]))
		states->nr++;
	states->preempted = preempted_bit(text, states);
	return states->nr > 0;
}
