/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/marker.h"

#include "test.h"

static bool decode(const char *text, struct names *names, struct event *event)
{
	*event = (struct event){ 0 };
	return marker_decode(text, strlen(text), names, event);
}

TEST(a_marker_of_ours_becomes_a_mark)
{
	static const struct {
		const char *text;
		u32 what, begin;
		u64 id;
		const char *name;
	} rows[] = {
		{ "fairground: section begin 7 paint", EVENT_MARK_SECTION, 1, 7, "paint" },
		{ "fairground: chain end 0 from a to b\n", EVENT_MARK_CHAIN, 0, 0, "from a to b" },
		{ "fairground: request begin 18446744073709551615", EVENT_MARK_REQUEST, 1, U64_MAX,
		  "" },
	};
	struct names names = { 0 };
	struct event event;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK(decode(rows[i].text, &names, &event), "%s", rows[i].text);
		CHECK_EQ(EVENT_MARK, event.kind);
		CHECK_EQ(rows[i].what, event.mark.what);
		CHECK_EQ(rows[i].begin, event.mark.begin);
		CHECK(rows[i].id == event.mark.id);
		CHECK_STR(rows[i].name, event.mark.name);
	}
	names_fini(&names);
}

TEST(other_markers_are_not_ours)
{
	static const char *const texts[] = {
		"",
		"hello",
		"fairground:",
		"fairground: ",
		"fairground: party begin 1 x",
		"fairground: chain middle 1 x",
		"fairground: chain begin x",
		"fairground: chain begin 12x",
		"fairground: chain begin 18446744073709551616 x",
		" fairground: chain begin 1 x",
	};
	struct names names = { 0 };
	struct event event;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		CHECK(!decode(texts[i], &names, &event), "%s", texts[i]);
	names_fini(&names);
}

TEST(a_mark_survives_the_way_there_and_back)
{
	struct event event = { .kind = EVENT_MARK }, back;
	struct names names = { 0 };
	char text[100];

	event.mark.what = EVENT_MARK_CHAIN;
	event.mark.begin = 1;
	event.mark.id = 99;
	event.mark.name = "lidar to brake";
	marker_encode(&event, text, sizeof(text));
	CHECK_STR("fairground: chain begin 99 lidar to brake", text);
	CHECK(decode(text, &names, &back));
	CHECK_EQ(event.mark.what, back.mark.what);
	CHECK_EQ(event.mark.id, back.mark.id);
	CHECK_STR(event.mark.name, back.mark.name);
	names_fini(&names);
}
