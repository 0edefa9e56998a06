/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/format_text.h"

#include "test.h"

static bool one_field(const char *line, struct format_field *field)
{
	struct format_text text = format_text(line, strlen(line));
	bool gap;

	return format_text_field(&text, field, &gap);
}

TEST(a_field_line_gives_name_offset_and_size)
{
	static const struct {
		const char *line, *name;
		u32 offset, size;
	} rows[] = {
		{ "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n", "prev_pid", 24, 4 },
		{ "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n", "comm", 8, 16 },
		{ "\tfield:char comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:1;\n", "comm", 8,
		  16 },
		{ "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n", "comm", 8,
		  4 },
		{ "\tfield:__rel_data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n", "comm", 8,
		  4 },
		{ "\tfield:const char * name;\toffset:16;\tsize:8;\tsigned:0;\n", "name", 16, 8 },
		{ "\tfield:unsigned long ip;\toffset:8;\tsize:8;", "ip", 8, 8 },
		{ "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n", "timestamp", 0, 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct format_field field;

		CHECK(one_field(rows[i].line, &field), "%s", rows[i].line);
		CHECK(format_field_is(&field, rows[i].name), "%s", rows[i].line);
		CHECK_EQ(rows[i].offset, field.offset);
		CHECK_EQ(rows[i].size, field.size);
	}
}

TEST(a_line_of_another_form_is_no_field)
{
	static const char *const lines[] = {
		"\tfield:pid;\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:int pid\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:int pid;\toffset:;\tsize:4;\tsigned:1;\n",
		"\tfield:int pid;\toffset:70000;\tsize:4;\tsigned:1;\n",
		"\tfield:int pid;\toffset:8;\tsize:99999999999999999999;\tsigned:1;\n",
		"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:2;\n",
		"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1; more\n",
		"\tfield:char comm[16;\toffset:8;\tsize:16;\tsigned:1;\n",
		"\tfield:char comm]16[;\toffset:8;\tsize:16;\tsigned:1;\n",
		"\tfield:struct { int a; } b;\toffset:8;\tsize:16;\tsigned:1;\n",
		"\tfield:int p\"id;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:fssla_loc[ char]0 comm;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:__data_loc char comm;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:__data_loc char[4] comm;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:char comm[4][4];\toffset:8;\tsize:16;\tsigned:1;\n",
		"\tfield:int 0pid;\toffset:8;\tsize:4;\tsigned:1;\n",
		"offset:8;\tsize:4;\tsigned:1;\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct format_field field;

		CHECK(!one_field(lines[i], &field), "%s", lines[i]);
	}
}

TEST(a_head_names_the_event_and_its_id)
{
	static const struct {
		const char *text;
		bool want;
	} rows[] = {
		{ "name: sched_switch\nID: 372\nformat:\n", true },
		{ "name: sched_switch\nID: 65536\nformat:\n", false },
		{ "name: \nID: 3\nformat:\n", false },
		{ "name: a\n", false },
		{ "sched_switch\nID: 372\n", false },
		{ "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct format_text text = format_text(rows[i].text, strlen(rows[i].text));
		const char *name;
		size_t len;
		u32 id;

		CHECK_EQ(rows[i].want, format_text_head(&text, &name, &len, &id), "%s",
			 rows[i].text);
		if (rows[i].want)
			CHECK_EQ(372, id);
	}
}

static const char old_print[] =
	"print fmt: \"prev_state=%s%s\", REC->prev_state & (4096-1) ? "
	"__print_flags(REC->prev_state & (4096-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, "
	"{ 1024, \"N\" }) : \"R\", REC->prev_state & 4096 ? \"+\" : \"\"\n";
static const char new_print[] =
	"print fmt: \"prev_state=%s%s\", (REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) "
	"- 1)) ? __print_flags(REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1), "
	"\"|\", { 0x00000001, \"S\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & "
	"(((0x00000000 | 0x00000001) + 1) << 1) ? \"+\" : \"\"\n";

TEST(states_come_from_the_print_format)
{
	struct format_states states;

	CHECK(format_text_states(old_print, strlen(old_print), &states));
	CHECK_EQ(3, states.nr);
	CHECK_EQ(1024, states.at[2].bit);
	CHECK_EQ('N', states.at[2].letter);
	CHECK_EQ(4096, states.preempted);

	CHECK(format_text_states(new_print, strlen(new_print), &states));
	CHECK_EQ(2, states.nr);
	CHECK_EQ(0x80, states.at[1].bit);
	CHECK_EQ('I', states.at[1].letter);
	CHECK_EQ(0x100, states.preempted);

	CHECK(!format_text_states("print fmt: \"%d\", REC->pid", 25, &states));
}
