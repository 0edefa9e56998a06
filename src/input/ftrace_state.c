/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_state.h"

#include "base/mem.h"
#include "events/event.h"

/* Bits of a text's state that EVENT_STATE_* has no place for: they only qualify others. */
enum {
	KILLABLE = 1 << 16, /* K */
	NO_LOAD = 1 << 17,  /* N; with D it is what later kernels call I */
	WAKING = 1 << 18,   /* W: never a state in which a thread leaves */
};

static const struct {
	char letter;
	u32 state;
} letters[] = {
	{ 'R', EVENT_STATE_RUNNING },
	{ 'S', EVENT_STATE_SLEEP },
	{ 'D', EVENT_STATE_DISK },
	{ 'T', EVENT_STATE_STOPPED },
	{ 't', EVENT_STATE_TRACED },
	{ 'X', EVENT_STATE_DEAD },
	{ 'x', EVENT_STATE_DEAD },
	{ 'Z', EVENT_STATE_ZOMBIE },
	{ 'P', EVENT_STATE_PARKED },
	{ 'I', EVENT_STATE_IDLE },
	{ 'K', KILLABLE },
	{ 'W', WAKING },
	{ 'N', NO_LOAD },
};

/* include/linux/sched.h before v4.14, bit by bit; 0x400 and beyond only with others. */
static const u32 old_bits[] = {
	EVENT_STATE_SLEEP,
	EVENT_STATE_DISK,
	EVENT_STATE_STOPPED,
	EVENT_STATE_TRACED,
	EVENT_STATE_ZOMBIE,
	EVENT_STATE_DEAD,
	EVENT_STATE_DEAD,
	KILLABLE,
	WAKING,
	EVENT_STATE_PARKED,
	NO_LOAD,
};

static u32 settle(u32 state)
{
	u32 plain = state & 0xffff;

	if (state & NO_LOAD && (plain & ~EVENT_STATE_PREEMPTED) == EVENT_STATE_DISK)
		return EVENT_STATE_IDLE | (plain & EVENT_STATE_PREEMPTED);
	if (!plain && state)
		return EVENT_STATE_UNKNOWN;
	return plain;
}

static u32 read_letters(const char *at, size_t len)
{
	u32 state = 0;

	if (!len)
		return EVENT_STATE_UNKNOWN;
	for (size_t i = 0; i < len; i++) {
		size_t k;

		if (at[i] == '|')
			continue;
		if (at[i] == '+') {
			state |= EVENT_STATE_PREEMPTED;
			continue;
		}
		for (k = 0; k < ARRAY_SIZE(letters) && letters[k].letter != at[i]; k++)
			;
		if (k == ARRAY_SIZE(letters))
			return EVENT_STATE_UNKNOWN;
		state |= letters[k].state;
	}
	return state;
}

u32 ftrace_state_letters(const char *at, size_t len)
{
	return settle(read_letters(at, len));
}

u32 ftrace_state_plugin(const char *at, size_t len)
{
	u32 state = read_letters(at, len);

	return state == WAKING ? EVENT_STATE_IDLE : settle(state & ~(u32)WAKING);
}

/* What only one of the two kinds of kernel can have written. */
static enum ftrace_numbers evidence(u64 value, bool per_cpu)
{
	if (value >= 0x200 || value & (value - 1))
		return FTRACE_NUMBERS_OLD;
	/* a dying thread of old, a parked one now */
	if (value == 0x40 && !per_cpu)
		return FTRACE_NUMBERS_OLD;
	/* exit states were not in task->state then; WAKEKILL and WAKING never stood alone */
	if (value == 0x10 || value == 0x20 || value == 0x80 || value == 0x100)
		return FTRACE_NUMBERS_NEW;
	return FTRACE_NUMBERS_OPEN;
}

static u32 old_number(u64 value)
{
	u32 state = 0;

	/* TASK_STATE_MAX alone: 1024 since 3.14, 2048 since 4.2, 4096 since 4.8 */
	if (value == 1024 || value == 2048 || value == 4096)
		return EVENT_STATE_PREEMPTED;
	for (u32 bit = 0; bit < ARRAY_SIZE(old_bits); bit++)
		if (value >> bit & 1)
			state |= old_bits[bit];
	return settle(state);
}

u32 ftrace_state_number(u64 value, bool per_cpu, enum ftrace_numbers *numbers)
{
	enum ftrace_numbers shown = evidence(value, per_cpu);

	/* a number above 0x100, or of several bits, cannot be of a new kernel */
	if (shown == FTRACE_NUMBERS_OLD || *numbers == FTRACE_NUMBERS_OPEN)
		*numbers = shown;
	if (*numbers == FTRACE_NUMBERS_OLD)
		return old_number(value);
	return (u32)value;
}
