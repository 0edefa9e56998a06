/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_dat_draft - small trace.dat files made by hand, for tests that know every byte.
 *
 * Little endian, pages of 128 bytes, one event: sched_switch with id 100 and 32-bit
 * fields prev_pid, prev_prio, prev_state, next_pid, next_prio at 8, 12, 16, 20, 24.
 */
#ifndef TESTS_TRACE_DAT_DRAFT_H
#define TESTS_TRACE_DAT_DRAFT_H

#include <string.h>

#include "base/vec.h"
#include "policy/int.h"

#define DRAFT_PAGE   128u
#define DRAFT_SWITCH 100

struct draft {
	VEC(u8) out;
};

static const char draft_header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
					"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
					"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
					"\tfield: char data;\toffset:16;\tsize:112;\tsigned:1;\n";
static const char draft_format[] =
	"name: sched_switch\nID: 100\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_state;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t next_pid;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:24;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

static inline void draft_bytes(struct draft *draft, const void *bytes, size_t len)
{
	vec_reserve(&draft->out, draft->out.nr + len);
	memcpy(draft->out.at + draft->out.nr, bytes, len);
	draft->out.nr += len;
}

static inline void draft_text(struct draft *draft, const char *text)
{
	draft_bytes(draft, text, strlen(text) + 1);
}

static inline void draft_number(struct draft *draft, u64 value, u32 size)
{
	for (u32 i = 0; i < size; i++)
		*vec_add(&draft->out) = (u8)(value >> (8 * i));
}

static inline void draft_set(struct draft *draft, size_t at, u64 value, u32 size)
{
	for (u32 i = 0; i < size; i++)
		draft->out.at[at + i] = (u8)(value >> (8 * i));
}

static inline void draft_sized(struct draft *draft, const char *text, u32 size)
{
	draft_number(draft, strlen(text), size);
	draft_bytes(draft, text, strlen(text));
}

static inline void draft_magic(struct draft *draft, const char *version)
{
	draft_bytes(draft, "\x17\x08\x44tracing", 10);
	draft_text(draft, version);
	draft_number(draft, 0, 1);
	draft_number(draft, 8, 1);
	draft_number(draft, DRAFT_PAGE, 4);
}

static inline void draft_header_info(struct draft *draft)
{
	draft_text(draft, "header_page");
	draft_sized(draft, draft_header_page, 8);
	draft_text(draft, "header_event");
	draft_sized(draft, "", 8);
}

static inline void draft_systems(struct draft *draft)
{
	draft_number(draft, 1, 4);
	draft_text(draft, "sched");
	draft_number(draft, 1, 4);
	draft_sized(draft, draft_format, 8);
}

/* v6 up to the options. */
static inline void draft_v6(struct draft *draft, const char *cmdlines, u32 nr_cpus)
{
	draft_magic(draft, "6");
	draft_header_info(draft);
	draft_number(draft, 0, 4);
	draft_systems(draft);
	draft_number(draft, 0, 4);
	draft_number(draft, 0, 4);
	draft_sized(draft, cmdlines, 8);
	draft_number(draft, nr_cpus, 4);
	draft_text(draft, "options  ");
}

static inline void draft_option(struct draft *draft, u32 id, const void *bytes, size_t len)
{
	draft_number(draft, id, 2);
	draft_number(draft, len, 4);
	draft_bytes(draft, bytes, len);
}

static inline void draft_switch(struct draft *draft, u32 delta, u32 prev, u32 next)
{
	draft_number(draft, (u64)delta << 5 | 7, 4);
	draft_number(draft, DRAFT_SWITCH, 4);
	draft_number(draft, prev, 4);
	draft_number(draft, prev, 4);
	draft_number(draft, 120, 4);
	draft_number(draft, 1, 4);
	draft_number(draft, next, 4);
	draft_number(draft, 120, 4);
}

/* A page at @time_ns of two switches, 1 and 3 ns later; draft->out.nr must be at its place. */
static inline void draft_page(struct draft *draft, u64 time_ns, u64 flags, u32 prev, u32 next)
{
	size_t end = draft->out.nr + DRAFT_PAGE;

	draft_number(draft, time_ns, 8);
	draft_number(draft, 64 | flags, 8);
	draft_switch(draft, 1, prev, next);
	draft_switch(draft, 2, next, prev);
	while (draft->out.nr < end)
		*vec_add(&draft->out) = 0;
}

#endif
