/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_state.h"

#include "events/event.h"
#include "test.h"

TEST(letters_mean_their_state)
{
	static const struct {
		const char *text;
		u32 state;
	} rows[] = {
		{ "R", EVENT_STATE_RUNNING }, { "R+", EVENT_STATE_PREEMPTED },
		{ "S", EVENT_STATE_SLEEP },   { "S+", EVENT_STATE_SLEEP | EVENT_STATE_PREEMPTED },
		{ "D", EVENT_STATE_DISK },    { "D|K", EVENT_STATE_DISK },
		{ "D|N", EVENT_STATE_IDLE },  { "S|D", EVENT_STATE_SLEEP | EVENT_STATE_DISK },
		{ "T", EVENT_STATE_STOPPED }, { "t", EVENT_STATE_TRACED },
		{ "X", EVENT_STATE_DEAD },    { "x", EVENT_STATE_DEAD },
		{ "Z", EVENT_STATE_ZOMBIE },  { "P", EVENT_STATE_PARKED },
		{ "I", EVENT_STATE_IDLE },    { "W", EVENT_STATE_UNKNOWN },
		{ "K", EVENT_STATE_UNKNOWN }, { "?", EVENT_STATE_UNKNOWN },
		{ "", EVENT_STATE_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].state, ftrace_state_letters(rows[i].text, strlen(rows[i].text)),
			 "%s", rows[i].text);
}

TEST(the_plugins_w_alone_is_an_idle_kernel_thread)
{
	CHECK_EQ(EVENT_STATE_IDLE, ftrace_state_plugin("W", 1));
	CHECK_EQ(EVENT_STATE_DISK, ftrace_state_plugin("D|W", 3));
	CHECK_EQ(EVENT_STATE_RUNNING, ftrace_state_plugin("R", 1));
}

struct number {
	u64 value;
	bool per_cpu;
	u32 state;
};

static void check_numbers(const struct number *rows, size_t nr, const char *which)
{
	enum ftrace_numbers numbers = FTRACE_NUMBERS_OPEN;

	for (size_t i = 0; i < nr; i++)
		CHECK_EQ(rows[i].state,
			 ftrace_state_number(rows[i].value, rows[i].per_cpu, &numbers), "%s: %llu",
			 which, rows[i].value);
}

TEST(numbers_since_4_14_are_report_bits)
{
	static const struct number rows[] = {
		{ 0, false, EVENT_STATE_RUNNING },  { 1, false, EVENT_STATE_SLEEP },
		{ 2, false, EVENT_STATE_DISK },     { 0x100, false, EVENT_STATE_PREEMPTED },
		{ 0x10, false, EVENT_STATE_DEAD },  { 0x20, false, EVENT_STATE_ZOMBIE },
		{ 0x40, true, EVENT_STATE_PARKED }, { 0x80, false, EVENT_STATE_IDLE },
		{ 8, false, EVENT_STATE_TRACED },
	};

	check_numbers(rows, ARRAY_SIZE(rows), "new");
}

/* As in a recording of a 4.x kernel: a dying thread first, 4096 for R+, 130 for D|K. */
TEST(numbers_before_4_14_are_the_tasks_own_bits)
{
	static const struct number rows[] = {
		{ 0, false, EVENT_STATE_RUNNING },      { 64, false, EVENT_STATE_DEAD },
		{ 4096, false, EVENT_STATE_PREEMPTED }, { 130, false, EVENT_STATE_DISK },
		{ 16, false, EVENT_STATE_ZOMBIE },      { 32, false, EVENT_STATE_DEAD },
		{ 512, true, EVENT_STATE_PARKED },      { 1026, false, EVENT_STATE_IDLE },
		{ 1024, false, EVENT_STATE_PREEMPTED }, { 2048, false, EVENT_STATE_PREEMPTED },
		{ 256, false, EVENT_STATE_UNKNOWN },    { 64, true, EVENT_STATE_DEAD },
	};

	check_numbers(rows, ARRAY_SIZE(rows), "old");
}

TEST(a_number_no_new_kernel_writes_shows_an_old_one_at_any_time)
{
	static const struct number rows[] = {
		{ 0x20, false, EVENT_STATE_ZOMBIE },
		{ 1024, false, EVENT_STATE_PREEMPTED },
		{ 0x20, false, EVENT_STATE_DEAD },
	};

	check_numbers(rows, ARRAY_SIZE(rows), "turned");
}
