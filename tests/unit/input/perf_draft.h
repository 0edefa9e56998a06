/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_draft - a perf.data of a pipe, written record by record.
 *
 * Samples are of the type of draft_attr(): IDENTIFIER, TID, TIME, CPU, RAW, unless the
 * test writes its own.  Numbers are the host's, as the tests run on little endian.
 */
#ifndef TESTS_PERF_DRAFT_H
#define TESTS_PERF_DRAFT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "policy/int.h"

struct draft {
	VEC(u8) out;
	size_t record; /* where the open one began */
};

enum {
	DRAFT_IP = 1 << 0,
	DRAFT_TID = 1 << 1,
	DRAFT_TIME = 1 << 2,
	DRAFT_READ = 1 << 4,
	DRAFT_CALLCHAIN = 1 << 5,
	DRAFT_CPU = 1 << 7,
	DRAFT_RAW = 1 << 10,
	DRAFT_IDENTIFIER = 1 << 16,
	DRAFT_USUAL = DRAFT_IDENTIFIER | DRAFT_TID | DRAFT_TIME | DRAFT_CPU | DRAFT_RAW,

	DRAFT_SWITCH = 300, /* ids of tracepoints */
	DRAFT_WAKEUP = 301,
	DRAFT_FORK = 302,
	DRAFT_OTHER = 303,
};

static inline void put(struct draft *draft, const void *bytes, size_t len)
{
	vec_reserve(&draft->out, draft->out.nr + len);
	memcpy(draft->out.at + draft->out.nr, bytes, len);
	draft->out.nr += len;
}

static inline void put_number(struct draft *draft, u64 value, size_t size)
{
	put(draft, &value, size);
}

static inline void put_padded(struct draft *draft, const char *text, size_t size)
{
	char padded[64] = "";

	memcpy(padded, text, strlen(text));
	put(draft, padded, size);
}

static inline void draft_free(struct draft *draft)
{
	vec_free(&draft->out);
}

static inline void record_begin(struct draft *draft, u32 type, u16 misc)
{
	draft->record = draft->out.nr;
	put_number(draft, type, 4);
	put_number(draft, misc, 2);
	put_number(draft, 0, 2);
}

static inline void record_end(struct draft *draft)
{
	u16 size = (u16)(draft->out.nr - draft->record);

	memcpy(draft->out.at + draft->record + 6, &size, sizeof(size));
}

static inline void draft_head(struct draft *draft)
{
	*draft = (struct draft){ 0 };
	put(draft, "PERFILE2", 8);
	put_number(draft, 16, 8);
}

/* A tracepoint's attr of 128 bytes with one id, the same as its config. */
static inline void draft_attr(struct draft *draft, u32 type, u64 config, u64 sample_type,
			      u64 read_format, u64 flags)
{
	u64 words[16] = { type | 128ULL << 32, config,      0,
			  sample_type,         read_format, flags | 1 << 18 /* sample_id_all */ };

	record_begin(draft, 64, 0);
	put(draft, words, sizeof(words));
	put_number(draft, config, 8);
	record_end(draft);
}

static const char draft_common[] =
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

static const char draft_switch[] = "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				   "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
				   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
				   "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
				   "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
				   "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";

static const char draft_wakeup[] = "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				   "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
				   "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";

static const char draft_fork[] = "\tfield:char parent_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				 "\tfield:pid_t parent_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				 "\tfield:char child_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
				 "\tfield:pid_t child_pid;\toffset:44;\tsize:4;\tsigned:1;\n";

static inline void put_format(struct draft *blob, const char *name, u32 id, const char *fields)
{
	char text[2048];
	int len = snprintf(text, sizeof(text), "name: %s\nID: %u\n%s%s\nprint fmt: \"\"\n", name,
			   id, draft_common, fields);

	put_number(blob, (u64)len, 8);
	put(blob, text, (size_t)len);
}

/* sched: sched_switch, sched_wakeup, sched_process_fork; saved cmdlines: 77 saved. */
static inline void put_tracing(struct draft *blob)
{
	put(blob, "\x17\x08\x44tracing0.6", 14);
	put(blob, "\0\x08", 2);
	put_number(blob, 4096, 4);
	put(blob, "header_page", 12);
	put_number(blob, 0, 8);
	put(blob, "header_event", 13);
	put_number(blob, 0, 8);
	put_number(blob, 0, 4); /* ftrace's own */
	put_number(blob, 1, 4);
	put(blob, "sched", 6);
	put_number(blob, 4, 4);
	put_format(blob, "sched_switch", DRAFT_SWITCH, draft_switch);
	put_format(blob, "sched_wakeup", DRAFT_WAKEUP, draft_wakeup);
	put_format(blob, "sched_process_fork", DRAFT_FORK, draft_fork);
	put_format(blob, "sched_move_numa", DRAFT_OTHER, "");
	put_number(blob, 0, 4); /* kallsyms */
	put_number(blob, 0, 4); /* printk */
	put_number(blob, 9, 8);
	put(blob, "77 saved\n", 9);
}

static inline void draft_tracing(struct draft *draft)
{
	struct draft blob = { 0 };

	put_tracing(&blob);
	while (blob.out.nr % 8)
		put_number(&blob, 0, 1);
	record_begin(draft, 66, 0);
	put_number(draft, blob.out.nr, 4);
	record_end(draft);
	put(draft, blob.out.at, blob.out.nr);
	draft_free(&blob);
}

/* What most tests begin with: switches, and the formats. */
static inline void draft_usual(struct draft *draft)
{
	draft_head(draft);
	draft_attr(draft, 2, DRAFT_SWITCH, DRAFT_USUAL, 0, 0);
	draft_tracing(draft);
}

/* IDENTIFIER, TID, TIME, CPU: before RAW, the IDENTIFIER in front. */
static inline void put_sample_words(struct draft *draft, u64 id, u32 pid, u32 tid, u64 time_ns,
				    u32 cpu)
{
	put_number(draft, id, 8);
	put_number(draft, pid, 4);
	put_number(draft, tid, 4);
	put_number(draft, time_ns, 8);
	put_number(draft, cpu, 8);
}

/* The same at the end of any other record, the IDENTIFIER last. */
static inline void put_id_words(struct draft *draft, u32 tid, u64 time_ns, u32 cpu)
{
	put_number(draft, tid, 4);
	put_number(draft, tid, 4);
	put_number(draft, time_ns, 8);
	put_number(draft, cpu, 8);
	put_number(draft, DRAFT_SWITCH, 8);
}

static inline void put_common(struct draft *draft, u32 id, u32 pid)
{
	put_number(draft, id, 4);
	put_number(draft, pid, 4);
}

static inline void put_switch_raw(struct draft *draft, const char *prev, u32 prev_tid, u64 state,
				  const char *next, u32 next_tid)
{
	put_number(draft, 68, 4); /* 64 and 4 of padding, as the kernel aligns */
	put_common(draft, DRAFT_SWITCH, prev_tid);
	put_padded(draft, prev, 16);
	put_number(draft, prev_tid, 4);
	put_number(draft, 120, 4);
	put_number(draft, state, 8);
	put_padded(draft, next, 16);
	put_number(draft, next_tid, 4);
	put_number(draft, 98, 4);
	put_number(draft, 0, 4);
}

static inline void draft_sample(struct draft *draft, u64 time_ns, u32 cpu, u32 prev, u64 state,
				u32 next)
{
	char prev_comm[16], next_comm[16];

	snprintf(prev_comm, sizeof(prev_comm), "t%u", prev);
	snprintf(next_comm, sizeof(next_comm), "t%u", next);
	record_begin(draft, 9, 0);
	put_sample_words(draft, DRAFT_SWITCH, prev + 1000, prev, time_ns, cpu);
	put_switch_raw(draft, prev_comm, prev, state, next_comm, next);
	record_end(draft);
}

#endif
