/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/json.h"

#include <stdlib.h>

#include "base/vec.h"
#include "test.h"

static void strict(const char *text, const char *want)
{
	struct json_strict out;
	struct err err = ERR_NONE;

	CHECK(!json_make_strict("f", text, strlen(text), &out, &err), "%s", err.what);
	CHECK_STR(want, out.text);
	free(out.text);
	free(out.lines);
}

TEST(the_dialect_becomes_strict_json)
{
	strict("{ \"a\" : 1, }", "{\"a\":1}");
	strict("[1,2,]", "[1,2]");
	strict("{\"suspend\", \"run\": 2}", "{\"suspend\":null,\"run\":2}");
	strict("{\"suspend\"}", "{\"suspend\":null}");
	strict("{/* a: { */\"a\"// :\n:# x\n1}", "{\"a\"\n:\n1}");
	strict("/**/[]/* * / **/", "[]");
	strict("[True, FALSE, null]", "[true,false,null]");
	strict("[\"// no /* comment # \\\" ,}\"]", "[\"// no /* comment # \\\" ,}\"]");
	strict("{\"a\": 1, \"a\": 2}", "{\"a\":1,\"a\":2}");
}

static void fails(const char *text, u64 line, const char *said)
{
	struct json json;
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_FORMAT, json_parse(&json, "f", text, strlen(text), &err), "%s", text);
	CHECK_STR("f", err.file);
	CHECK_EQ(ERR_LINE, err.place);
	CHECK_EQ(line, err.at, "%s: %s", text, err.what);
	CHECK(strstr(err.what, said), "%s: %s", text, err.what);
	json_close(&json);
}

TEST(what_is_not_json_is_told_with_its_line)
{
	fails("", 1, "found nothing");
	fails("\n /* \n\n", 2, "expected */");
	fails("{\n\"a\": [1 2]}", 2, "expected , or ]");
	fails("{\n\"a\": 1 \"b\"}", 2, "expected , or }");
	fails("{\n\n a: 1}", 3, "expected a key in double quotes");
	fails("{\"a\" 1}", 1, "expected : and a value");
	fails("{\"a\":\n\n yes}", 3, "expected a value");
	fails("{\"a\":\n\"b\n\"}", 2, "expected \" at the end");
	fails("[\"\\u0000\"]", 1, "zero character");
	fails("[1]\n[2]", 2, "nothing after");
	fails("[1,\n1-2]", 2, "JSON number");
	fails("[1,\n\n\"\\q\"]", 3, "escape");
	fails("[1,,2]", 1, "expected a value");
	fails("{,}", 1, "expected a key");
	fails("[1", 1, "expected , or ]");
}

TEST(depth_and_size_are_bounded)
{
	char deep[400];
	struct json json;
	struct err err = ERR_NONE;
	char *long_text = mem_zalloc(JSON_MAX_SIZE + 1);

	memset(deep, '[', sizeof(deep));
	CHECK_EQ(ERR_FORMAT, json_parse(&json, "f", deep, sizeof(deep), &err));
	CHECK(strstr(err.what, "64 levels"), "%s", err.what);
	memset(long_text, ' ', JSON_MAX_SIZE + 1);
	CHECK_EQ(ERR_FORMAT, json_parse(&json, "f", long_text, JSON_MAX_SIZE + 1, &err));
	CHECK(strstr(err.what, "bytes"), "%s", err.what);
	for (u32 i = 0; i < 2 * JSON_MAX_VALUES + 2; i += 2)
		memcpy(long_text + i, i ? "1," : " [", 2);
	CHECK_EQ(ERR_FORMAT, json_parse(&json, "f", long_text, 2 * JSON_MAX_VALUES + 2, &err));
	CHECK(strstr(err.what, "million"), "%s", err.what);
	free(long_text);
}

TEST(values_know_their_lines)
{
	const char *text = "{\n\"a\":\n[1,\n2],\"b\"\n:{ \"c\"\n}}";
	struct json json;
	const cJSON *a, *b;

	CHECK(!json_parse(&json, "f", text, strlen(text), NULL));
	a = json_get(json.root, "a");
	b = json_get(json.root, "b");
	CHECK_EQ(1, json_line(json.root));
	CHECK_EQ(2, json_line(a), "the key's line");
	CHECK_EQ(3, json_line(a->child));
	CHECK_EQ(4, json_line(a->child->next));
	CHECK_EQ(4, json_line(b));
	CHECK_EQ(5, json_line(json_get(b, "c")));
	json_close(&json);
}

/* Each reader of a value against what it takes and what it refuses. */
TEST(values_are_what_their_readers_say)
{
	const char *text =
		"{\"n\": 7, \"half\": 2.5, \"neg\": -1, \"s\": \"x\", \"t\": true, \"o\": {}}";
	struct json json;
	struct err err = ERR_NONE;
	const char *string;
	bool flag;
	s64 number;
	u64 milli;

	CHECK(!json_parse(&json, "f", text, strlen(text), NULL));
	CHECK(!json_whole(&json, json_get(json.root, "n"), 0, 7, &number, &err));
	CHECK_EQ(7, number);
	CHECK(json_whole(&json, json_get(json.root, "n"), 8, 9, &number, &err));
	CHECK_STR("\"n\": expected a whole number from 8 to 9", err.what);
	CHECK(json_whole(&json, json_get(json.root, "half"), 0, 9, &number, &err));
	CHECK(json_whole(&json, json_get(json.root, "s"), 0, 9, &number, &err));
	CHECK(!json_whole(&json, json_get(json.root, "neg"), -1, 9, &number, &err));
	CHECK_EQ(-1, number);
	CHECK(!json_milli(&json, json_get(json.root, "half"), 3, &milli, &err));
	CHECK_EQ(2500, milli);
	CHECK(json_milli(&json, json_get(json.root, "neg"), 3, &milli, &err));
	CHECK_STR("\"neg\": expected a number from 0 to 3", err.what);
	CHECK(!json_text(&json, json_get(json.root, "s"), &string, &err));
	CHECK_STR("x", string);
	CHECK(json_text(&json, json_get(json.root, "n"), &string, &err));
	CHECK(!json_bool(&json, json_get(json.root, "t"), &flag, &err));
	CHECK(flag);
	CHECK(json_bool(&json, json_get(json.root, "n"), &flag, &err));
	CHECK(json_array(&json, json_get(json.root, "o"), &err));
	CHECK(json_object(&json, json_get(json.root, "n"), &err));
	json_close(&json);
}
