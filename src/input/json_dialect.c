/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the dialect of workload files to strict JSON.
 *
 * What is added to JSON: comments (C's two, and # to the end of the line), a comma
 * before a closing bracket, a key without a value (becomes null), literals in any
 * case.  Newlines are kept, so that a place in the output has the line of the input.
 */
#include "input/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"

struct dialect {
	const char *path, *text;
	size_t len, at;
	u32 line, depth;
	VEC(char) out;
	VEC(u32) lines;
	struct err *err;
};

static enum err_code fault(const struct dialect *d, const char *what)
{
	return err_line(d->err, ERR_FORMAT, d->path, d->line, "%s", what);
}

static void emit(struct dialect *d, const char *text, size_t len)
{
	vec_reserve(&d->out, d->out.nr + len);
	memcpy(d->out.at + d->out.nr, text, len);
	d->out.nr += len;
}

static int peek(const struct dialect *d)
{
	return d->at < d->len ? (u8)d->text[d->at] : -1;
}

static void newline(struct dialect *d)
{
	d->line++;
	emit(d, "\n", 1);
}

static bool starts(const struct dialect *d, const char *with)
{
	size_t len = strlen(with);

	return d->len - d->at >= len && !memcmp(d->text + d->at, with, len);
}

static enum err_code skip_block(struct dialect *d)
{
	u32 begin = d->line;

	for (d->at += 2; d->at < d->len; d->at++) {
		if (starts(d, "*/")) {
			d->at += 2;
			return OK;
		}
		if (d->text[d->at] == '\n')
			newline(d);
	}
	d->line = begin;
	return fault(d, "expected */ somewhere after the /* that begins here");
}

/* Up to the next token. */
static enum err_code skip_blank(struct dialect *d)
{
	enum err_code code = OK;

	while (!code && d->at < d->len) {
		char c = d->text[d->at];

		if (c == '#' || starts(d, "//")) {
			while (d->at < d->len && d->text[d->at] != '\n')
				d->at++;
		} else if (starts(d, "/*")) {
			code = skip_block(d);
		} else if (c == '\n') {
			newline(d);
			d->at++;
		} else if (c == ' ' || c == '\t' || c == '\r') {
			d->at++;
		} else {
			break;
		}
	}
	return code;
}

static enum err_code take_string(struct dialect *d)
{
	size_t begin = d->at++;

	for (; peek(d) != '"'; d->at++) {
		int c = peek(d);

		if (c < 0 || c == '\n' || c == '\0')
			return fault(d, "expected \" at the end of a string on the same line");
		if (starts(d, "\\u0000"))
			return fault(d, "expected a string without the zero character");
		if (c == '\\' && d->at + 1 < d->len && d->text[d->at + 1] != '\n')
			d->at++;
	}
	d->at++;
	emit(d, d->text + begin, d->at - begin);
	return OK;
}

/* A number or a literal; cJSON judges the number. */
static enum err_code take_word(struct dialect *d)
{
	static const char *const literals[] = { "true", "false", "null" };
	size_t begin = d->at, len;

	while (d->at < d->len && (isalnum(peek(d)) || strchr("+-._", peek(d))) && peek(d))
		d->at++;
	len = d->at - begin;
	if (len && !isalpha((u8)d->text[begin]) && d->text[begin] != '_') {
		emit(d, d->text + begin, len);
		return OK;
	}
	for (size_t i = 0; i < ARRAY_SIZE(literals); i++) {
		if (len == strlen(literals[i]) && !strncasecmp(d->text + begin, literals[i], len)) {
			emit(d, literals[i], len);
			return OK;
		}
	}
	return fault(d, "expected a value: an object, array, string, number, true, false or null");
}

static enum err_code add_line(struct dialect *d, u32 line)
{
	if (d->lines.nr == JSON_MAX_VALUES)
		return fault(d, "expected fewer than a million values");
	*vec_add(&d->lines) = line;
	return OK;
}

static enum err_code take_value(struct dialect *d, u32 line);

static enum err_code take_member(struct dialect *d)
{
	u32 line = d->line;
	enum err_code code;

	if (peek(d) != '"')
		return fault(d, "expected a key in double quotes");
	if ((code = take_string(d)) || (code = skip_blank(d)))
		return code;
	if (peek(d) == ':') {
		emit(d, ":", 1);
		d->at++;
		return (code = skip_blank(d)) ? code : take_value(d, line);
	}
	if (peek(d) != ',' && peek(d) != '}')
		return fault(d, "expected : and a value after a key");
	emit(d, ":null", 5);
	return add_line(d, line);
}

/* An object or an array, after its opening bracket. */
static enum err_code take_items(struct dialect *d, char end)
{
	enum err_code code;
	bool first = true;

	for (;; first = false) {
		if ((code = skip_blank(d)))
			return code;
		if (peek(d) == end)
			break;
		if (!first)
			emit(d, ",", 1);
		code = end == '}' ? take_member(d) : take_value(d, d->line);
		if (code || (code = skip_blank(d)))
			return code;
		if (peek(d) == ',')
			d->at++;
		else if (peek(d) != end)
			return fault(d, end == '}' ? "expected , or } after a member"
						   : "expected , or ] after an item");
	}
	d->at++;
	emit(d, &end, 1);
	return OK;
}

static enum err_code take_value(struct dialect *d, u32 line)
{
	int c = peek(d);
	enum err_code code = add_line(d, line);

	if (code)
		return code;
	if (c == '"')
		return take_string(d);
	if (c != '{' && c != '[')
		return take_word(d);
	if (d->depth == JSON_MAX_DEPTH)
		return fault(d, "expected at most 64 levels of brackets");
	d->depth++;
	d->at++;
	emit(d, c == '{' ? "{" : "[", 1);
	code = take_items(d, c == '{' ? '}' : ']');
	d->depth--;
	return code;
}

static enum err_code take_document(struct dialect *d)
{
	enum err_code code = skip_blank(d);

	if (code)
		return code;
	if (d->at == d->len)
		return fault(d, "expected a JSON document, found nothing");
	if ((code = take_value(d, d->line)) || (code = skip_blank(d)))
		return code;
	return d->at == d->len ? OK : fault(d, "expected nothing after the document's end");
}

enum err_code json_make_strict(const char *path, const char *text, size_t len,
			       struct json_strict *out, struct err *err)
{
	struct dialect d = { .path = path, .text = text, .len = len, .line = 1, .err = err };
	enum err_code code;

	vec_reserve(&d.out, len + 1);
	code = take_document(&d);
	if (code) {
		vec_free(&d.out);
		vec_free(&d.lines);
		return code;
	}
	*vec_add(&d.out) = '\0';
	*out = (struct json_strict){ d.out.at, d.out.nr - 1, d.lines.at, d.lines.nr };
	return OK;
}
