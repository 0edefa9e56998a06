/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/marker.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static const char *const whats[] = {
	[EVENT_MARK_SECTION] = "section ",
	[EVENT_MARK_CHAIN] = "chain ",
	[EVENT_MARK_REQUEST] = "request ",
};
static const char *const sides[] = { "end ", "begin " };

struct rest {
	const char *at, *end;
};

static bool take(struct rest *rest, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(rest->end - rest->at) < len || memcmp(rest->at, word, len))
		return false;
	rest->at += len;
	return true;
}

/* The index of the word that comes next; -1: none of them. */
static s32 take_one(struct rest *rest, const char *const *words, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (take(rest, words[i]))
			return (s32)i;
	return -1;
}

static bool take_id(struct rest *rest, u64 *id)
{
	const char *begin = rest->at;

	for (*id = 0; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++) {
		u64 digit = (u64)(*rest->at - '0');

		if (*id > (U64_MAX - digit) / 10)
			return false;
		*id = *id * 10 + digit;
	}
	return rest->at > begin;
}

bool marker_decode(const char *text, size_t len, struct names *names, struct event *event)
{
	struct rest rest = { text, text + len };
	s32 what, side;
	u64 id;

	while (rest.end > rest.at && rest.end[-1] == '\n')
		rest.end--;
	if (!take(&rest, MARKER_PREFIX))
		return false;
	what = take_one(&rest, whats, ARRAY_SIZE(whats));
	side = what < 0 ? -1 : take_one(&rest, sides, ARRAY_SIZE(sides));
	if (side < 0 || !take_id(&rest, &id))
		return false;
	if (rest.at < rest.end && !take(&rest, " "))
		return false;
	event->kind = EVENT_MARK;
	event->mark.what = (u32)what;
	event->mark.begin = (u32)side;
	event->mark.id = id;
	event->mark.name =
		names_text(names, names_add(names, rest.at, (size_t)(rest.end - rest.at)));
	return true;
}

int marker_encode(const struct event *event, char *buf, size_t size)
{
	assert(event->kind == EVENT_MARK && event->mark.what < ARRAY_SIZE(whats));
	return snprintf(buf, size, MARKER_PREFIX "%s%s%llu %s", whats[event->mark.what],
			sides[event->mark.begin != 0], event->mark.id,
			event->mark.name ? event->mark.name : "");
}
