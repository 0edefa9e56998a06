/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/tep_fields.h"

#include "test.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

#define SWITCH_FIELDS                                                    \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"  \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"       \
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"     \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"

static const char new_switch[] =
	"name: sched_switch\nID: 100\n" COMMON SWITCH_FIELDS
	"print fmt: \"x\", (REC->prev_state & 255) ? __print_flags(REC->prev_state & 255, \"|\", "
	"{ 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, "
	"{ 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", "
	"REC->prev_state & (((0x80) + 1) << 1) ? \"+\" : \"\"\n";
static const char old_switch[] =
	"name: sched_switch\nID: 100\n" COMMON SWITCH_FIELDS
	"print fmt: \"x\", REC->prev_state & (4096-1) ? "
	"__print_flags(REC->prev_state & (4096-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, "
	"{ 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, "
	"{ 512, \"P\" }, { 1024, \"N\" }) : \"R\", REC->prev_state & 4096 ? \"+\" : \"\"\n";
/* 5.13 and before have success; Linux 6.17 and later may have a __data_loc comm */
static const char old_wakeup[] =
	"name: sched_wakeup\nID: 101\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int success;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:36;\tsize:4;\tsigned:1;\n\nprint fmt: \"x\"\n";
static const char new_runtime[] =
	"name: sched_stat_runtime\nID: 102\n" COMMON
	"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 runtime;\toffset:16;\tsize:8;\tsigned:0;\n\nprint fmt: \"x\"\n";
static const char idle[] =
	"name: cpu_idle\nID: 103\n" COMMON "\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: \"x\"\n";
static const char print[] =
	"name: print\nID: 5\n" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"x\"\n";

static void put(u8 *raw, u32 at, u64 value, u32 size)
{
	for (u32 i = 0; i < size; i++)
		raw[at + i] = (u8)(value >> (8 * i));
}

static struct tep_fields *with(const char *system, const char *text)
{
	struct tep_fields *fields = tep_fields_new(false, 8);

	CHECK(tep_fields_add(fields, system, text, strlen(text)), "%s", text);
	return fields;
}

static void make_switch(u8 raw[64], u64 state)
{
	memset(raw, 0, 64);
	put(raw, 0, 100, 2);
	put(raw, 4, 11, 4);
	memcpy(raw + 8, "a name of 15 by", 16);
	put(raw, 24, 11, 4);
	put(raw, 28, 120, 4);
	put(raw, 32, state, 8);
	put(raw, 56, 22, 4);
	put(raw, 60, (u64)-1, 4);
}

TEST(a_switch_is_decoded_by_its_format)
{
	struct tep_fields *fields = with("sched", new_switch);
	struct intake_item item;
	u8 raw[64];

	make_switch(raw, 1);
	CHECK_EQ(EVENT_SWITCH, tep_fields_kind(fields, 100));
	CHECK_STR("sched:sched_switch", tep_fields_name(fields, 100));
	CHECK_EQ(100, tep_fields_id(fields, raw, sizeof(raw)));
	CHECK_EQ(TEP_DECODED, tep_fields_decode(fields, raw, sizeof(raw), 3, 777, &item));
	CHECK_EQ(EVENT_SWITCH, item.event.kind);
	CHECK_EQ(3, item.event.cpu);
	CHECK_EQ(777, item.event.time_ns);
	CHECK_EQ(11, item.event.task.tid);
	CHECK_EQ(22, item.event.other.tid);
	CHECK_EQ(EVENT_STATE_SLEEP, item.event.switch_.prev_state);
	CHECK_EQ(120, item.event.switch_.prev_prio);
	CHECK_EQ(-1, item.event.switch_.next_prio);
	CHECK(item.has_comm && item.has_other_comm);
	CHECK_STR("a name of 15 by", item.comm);
	CHECK_STR("", item.other_comm);
	CHECK_EQ(TEP_DAMAGED, tep_fields_decode(fields, raw, 63, 3, 777, &item), "one byte short");
	CHECK_EQ(TEP_OTHER, tep_fields_decode(fields, raw, 1, 3, 777, &item), "no id");
	put(raw, 24, (u64)-5, 4);
	CHECK_EQ(TEP_DAMAGED, tep_fields_decode(fields, raw, 64, 3, 777, &item), "no such tid");
	tep_fields_free(fields);
}

TEST(prev_state_is_normalised_by_the_events_own_table)
{
	static const struct {
		const char *format;
		u64 raw;
		u32 want;
	} rows[] = {
		{ new_switch, 0, EVENT_STATE_RUNNING },
		{ new_switch, 2, EVENT_STATE_DISK },
		{ new_switch, 0x10, EVENT_STATE_DEAD },
		{ new_switch, 0x80, EVENT_STATE_IDLE },
		{ new_switch, 0x100, EVENT_STATE_PREEMPTED },
		{ new_switch, 0x101, EVENT_STATE_PREEMPTED | EVENT_STATE_SLEEP },
		{ new_switch, 0x400, EVENT_STATE_UNKNOWN },
		{ old_switch, 0, EVENT_STATE_RUNNING },
		{ old_switch, 1, EVENT_STATE_SLEEP },
		{ old_switch, 16, EVENT_STATE_ZOMBIE },
		{ old_switch, 32, EVENT_STATE_DEAD },
		{ old_switch, 64, EVENT_STATE_DEAD },
		{ old_switch, 2 + 128, EVENT_STATE_DISK }, /* killable */
		{ old_switch, 2 + 1024, EVENT_STATE_IDLE },
		{ old_switch, 512, EVENT_STATE_PARKED },
		{ old_switch, 4096, EVENT_STATE_PREEMPTED },
		{ old_switch, 256, EVENT_STATE_UNKNOWN }, /* waking */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tep_fields *fields = with("sched", rows[i].format);
		struct intake_item item;
		u8 raw[64];

		make_switch(raw, rows[i].raw);
		CHECK_EQ(TEP_DECODED, tep_fields_decode(fields, raw, 64, 0, 0, &item));
		CHECK_EQ(rows[i].want, item.event.switch_.prev_state, "row %zu", i);
		tep_fields_free(fields);
	}
}

TEST(a_wakeup_that_failed_is_none)
{
	struct tep_fields *fields = with("sched", old_wakeup);
	struct intake_item item;
	u8 raw[40] = { 0 };

	put(raw, 0, 101, 2);
	put(raw, 4, 7, 4);
	put(raw, 24, 8, 4);
	put(raw, 36, 2, 4);
	CHECK_EQ(TEP_OTHER, tep_fields_decode(fields, raw, sizeof(raw), 0, 0, &item));
	put(raw, 32, 1, 4);
	CHECK_EQ(TEP_DECODED, tep_fields_decode(fields, raw, sizeof(raw), 0, 0, &item));
	CHECK_EQ(8, item.event.task.tid);
	CHECK_EQ(7, item.event.other.tid);
	CHECK_EQ(2, item.event.wake.target_cpu);
	put(raw, 36, 70000, 4);
	CHECK_EQ(TEP_DAMAGED, tep_fields_decode(fields, raw, sizeof(raw), 0, 0, &item));
	tep_fields_free(fields);
}

/* The name is where __data_loc says: 5 bytes at 24. */
TEST(a_data_loc_name_is_read_inside_the_record_only)
{
	struct tep_fields *fields = with("sched", new_runtime);
	struct intake_item item;
	u8 raw[32] = { 0 };

	put(raw, 0, 102, 2);
	put(raw, 8, 5 << 16 | 24, 4);
	put(raw, 12, 9, 4);
	put(raw, 16, 123456789012, 8);
	memcpy(raw + 24, "nice", 5);
	CHECK_EQ(TEP_DECODED, tep_fields_decode(fields, raw, sizeof(raw), 0, 0, &item));
	CHECK_STR("nice", item.comm);
	CHECK_EQ(123456789012, item.event.runtime.runtime_ns);
	put(raw, 8, 9 << 16 | 24, 4);
	CHECK_EQ(TEP_DAMAGED, tep_fields_decode(fields, raw, sizeof(raw), 0, 0, &item));
	put(raw, 8, 0xffffffff, 4);
	CHECK_EQ(TEP_DAMAGED, tep_fields_decode(fields, raw, sizeof(raw), 0, 0, &item));
	tep_fields_free(fields);
}

TEST(an_idle_event_speaks_of_its_own_cpu)
{
	struct tep_fields *fields = with("power", idle);
	struct intake_item item;
	u8 raw[16] = { 0 };

	put(raw, 0, 103, 2);
	put(raw, 8, 0xffffffff, 4);
	put(raw, 12, 5, 4);
	CHECK_EQ(TEP_DECODED, tep_fields_decode(fields, raw, sizeof(raw), 1, 0, &item));
	CHECK_EQ(5, item.event.cpu);
	CHECK(item.event.idle.state == EVENT_IDLE_EXIT);
	tep_fields_free(fields);
}

TEST(a_print_of_ours_is_a_mark_and_others_are_not)
{
	struct tep_fields *fields = with("ftrace", print);
	struct intake_item item;
	u8 raw[80] = { 0 };

	put(raw, 0, 5, 2);
	put(raw, 4, 31, 4);
	strcpy((char *)raw + 16, "fairground: chain begin 4 brake\n");
	CHECK_EQ(TEP_DECODED, tep_fields_decode(fields, raw, sizeof(raw), 1, 0, &item));
	CHECK_EQ(EVENT_MARK, item.event.kind);
	CHECK_EQ(31, item.event.task.tid);
	CHECK_EQ(4, item.event.mark.id);
	CHECK_STR("brake", item.event.mark.name);
	strcpy((char *)raw + 16, "something else");
	CHECK_EQ(TEP_OTHER, tep_fields_decode(fields, raw, sizeof(raw), 1, 0, &item));
	tep_fields_free(fields);
}

TEST(a_big_endian_record_is_turned_round)
{
	struct tep_fields *fields = tep_fields_new(true, 4);
	struct intake_item item;
	const u8 raw[16] = { 0, 103, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 1 };

	CHECK(tep_fields_add(fields, "power", idle, strlen(idle)));
	CHECK_EQ(TEP_DECODED, tep_fields_decode(fields, raw, sizeof(raw), 1, 0, &item));
	CHECK_EQ(2, item.event.idle.state);
	CHECK_EQ(257, item.event.cpu);
	tep_fields_free(fields);
}

TEST(formats_that_lack_what_we_need_are_refused)
{
	static const struct {
		const char *system, *text;
		bool want;
	} rows[] = {
		{ "sched", "name: sched_switch\nID: 1\n" COMMON "\nprint fmt: \"x\"\n", false },
		{ "other", "name: sched_switch\nID: 1\n" COMMON "\nprint fmt: \"x\"\n", true },
		{ "sched", "name: sched_other\nID: 1\nanything\n", true },
		{ "sched", "nothing", false },
		{ "sched", "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tep_fields *fields = tep_fields_new(false, 8);

		CHECK_EQ(rows[i].want,
			 tep_fields_add(fields, rows[i].system, rows[i].text, strlen(rows[i].text)),
			 "row %zu", i);
		CHECK_EQ(EVENT_NR_KINDS, tep_fields_kind(fields, 1));
		tep_fields_free(fields);
	}
}
