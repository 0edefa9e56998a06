/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace_state - prev_state of sched_switch, from the letters or the number that
 * stands in a text.
 *
 * Letters mean the same in every kernel, except that trace-cmd's plugin prints those
 * of kernels before 4.14 for every kernel, and leaves the '+' out.
 *
 * Numbers (trace-cmd report -R) do not.  Since 4.14 they are one of the report bits,
 * R+ being 0x100; before, they were the task's own bits, several at a time, and R+ was
 * the first bit that no state used, which moved with releases.  Which kernel it was
 * the text does not say, so each value is looked at: some occur only in one of the two.
 */
#ifndef INPUT_FTRACE_STATE_H
#define INPUT_FTRACE_STATE_H

#include <stddef.h>

#include "policy/int.h"

enum ftrace_numbers {
	FTRACE_NUMBERS_OPEN, /* nothing seen yet that tells */
	FTRACE_NUMBERS_OLD,  /* before 4.14 */
	FTRACE_NUMBERS_NEW,
};

/* "S", "R+", "D|K": EVENT_STATE_*; EVENT_STATE_UNKNOWN for what has no meaning. */
u32 ftrace_state_letters(const char *at, size_t len);
/* The same as trace-cmd's plugin prints it: W alone is what later kernels call I. */
u32 ftrace_state_plugin(const char *at, size_t len);
/*
 * A number.  @numbers remembers what the trace has shown so far.  @per_cpu: the thread
 * is one of those that a kernel parks (their names hold a '/').
 */
u32 ftrace_state_number(u64 value, bool per_cpu, enum ftrace_numbers *numbers);

#endif
