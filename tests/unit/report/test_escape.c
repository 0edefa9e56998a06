/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/escape.h"

#include <stdlib.h>

#include "test.h"

TEST(text_is_printable_ascii)
{
	static const struct {
		const char *name, *shown;
	} rows[] = {
		{ "worker", "worker" },    { "", "\"\"" },        { "a\nb", "a\\x0ab" },
		{ "\033[1m", "\\x1b[1m" }, { "a\\b", "a\\x5cb" }, { "\xff\x7f", "\\xff\\x7f" },
		{ "y ==> z", "y ==> z" },
	};
	char buf[ESCAPE_ROOM];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		escape_text(rows[i].name, buf, sizeof(buf));
		CHECK_STR(rows[i].shown, buf);
	}
}

TEST(text_is_cut_at_the_end_of_the_room)
{
	char buf[8];

	escape_text("abcdefgh\n", buf, sizeof(buf));
	CHECK_STR("abcd", buf, "an escape might need four");
	escape_text("\n\n\n", buf, sizeof(buf));
	CHECK_STR("\\x0a", buf);
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF, nothing cut short. */
TEST(json_text_is_valid_utf8)
{
	static const struct {
		const char *name, *shown;
	} rows[] = {
		{ "a", "a" },
		{ "\xc3\xa4", "\xc3\xa4" },
		{ "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "\xc3", "\\xc3" },
		{ "\xc3z", "\\xc3z" },
		{ "\xe2\x82", "\\xe2\\x82" },
		{ "\xc0\x80", "\\xc0\\x80" },
		{ "\xe0\x80\x80", "\\xe0\\x80\\x80" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xf0\x80\x80\x80", "\\xf0\\x80\\x80\\x80" },
		{ "\xff", "\\xff" },
		{ "\x80", "\\x80" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = escape_utf8(rows[i].name);

		CHECK_STR(rows[i].shown, text);
		free(text);
	}
}
