/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/capture.h"

#include <stdlib.h>

#include "../input/trace_dat_draft.h"
#include "input/trace_dat_check.h"
#include "test.h"

static void chunk(struct draft *to, u32 kind, u32 cpu, const void *bytes, size_t size)
{
	draft_number(to, kind, 4);
	draft_number(to, cpu, 4);
	draft_number(to, size, 8);
	draft_bytes(to, bytes, size);
}

static void text_chunk(struct draft *to, u32 kind, u32 cpu, const char *text)
{
	chunk(to, kind, cpu, text, strlen(text));
}

static void page_chunk(struct draft *to, u32 cpu, u64 time_ns)
{
	struct draft page = { 0 };

	draft_page(&page, time_ns, 0, 1, 2);
	while (page.out.nr < CAPTURE_PAGE)
		*vec_add(&page.out) = 0;
	chunk(to, CAPTURE_PAGES, cpu, page.out.at, page.out.nr);
	vec_free(&page.out);
}

/* Two CPUs; pages of CPU 1 come in two chunks. */
static struct draft whole(void)
{
	static const char system[] = "sched";
	struct draft draft = { 0 }, format = { 0 };

	draft_text(&format, system);
	draft_bytes(&format, draft_format, strlen(draft_format));
	text_chunk(&draft, CAPTURE_UNAME, 0, "Linux host 6.12.1 x86_64");
	text_chunk(&draft, CAPTURE_CLOCK, 0, "mono");
	text_chunk(&draft, CAPTURE_HEADER_PAGE, 0, draft_header_page);
	text_chunk(&draft, CAPTURE_HEADER_EVENT, 0, "");
	chunk(&draft, CAPTURE_FORMAT, 0, format.out.at, format.out.nr);
	text_chunk(&draft, CAPTURE_CMDLINES, 0, "7 seven\n");
	text_chunk(&draft, CAPTURE_STATS, 0, "overrun: 5\n");
	page_chunk(&draft, 0, 1000);
	text_chunk(&draft, CAPTURE_STATS, 1, "overrun: 0\n");
	page_chunk(&draft, 1, 2000);
	page_chunk(&draft, 1, 3000);
	chunk(&draft, CAPTURE_END, 0, "", 0);
	vec_free(&format.out);
	return draft;
}

/* What is written for a capture; the caller frees it. */
static u8 *written(const struct draft *draft, size_t *size)
{
	char *out = NULL;
	FILE *to = open_memstream(&out, size);
	struct err err = ERR_NONE;

	CHECK_EQ(OK, capture_to_trace_dat(draft->out.at, draft->out.nr, to, &err), "%s", err.what);
	fclose(to);
	return (u8 *)out;
}

TEST(a_capture_becomes_a_trace_that_the_reader_takes)
{
	struct draft draft = whole();
	struct trace_dat dat;
	struct err err = ERR_NONE;
	size_t size;
	u8 *out = written(&draft, &size);
	const struct trace_dat_buffer *buffer;

	CHECK_EQ(OK, trace_dat_open(&dat, "x", out, size, &err), "%s", err.what);
	CHECK_EQ(6, dat.version);
	CHECK_EQ(2, dat.nr_cpus);
	CHECK_STR("mono", dat.clock);
	CHECK_STR("6.12.1", dat.release);
	CHECK_EQ(5, dat.lost);
	CHECK_EQ(1, dat.names.nr);
	CHECK_STR("seven", dat.names.at[0].comm);
	CHECK_EQ(1, dat.buffers.nr);
	buffer = &dat.buffers.at[0];
	CHECK_EQ(CAPTURE_PAGE, buffer->cpus.at[0].size);
	CHECK_EQ(2 * CAPTURE_PAGE, buffer->cpus.at[1].size);
	CHECK_EQ(0, buffer->cpus.at[1].offset % CAPTURE_PAGE, "pages begin where pages do");
	CHECK_EQ(3000, out[buffer->cpus.at[1].offset + CAPTURE_PAGE] |
			       out[buffer->cpus.at[1].offset + CAPTURE_PAGE + 1] << 8);
	CHECK_EQ(false, dat.truncated);
	trace_dat_close(&dat);
	free(out);
	vec_free(&draft.out);
}

TEST(a_capture_without_its_end_is_refused)
{
	struct draft draft = whole();

	for (size_t size = 0; size < draft.out.nr; size++) {
		char *out = NULL;
		size_t len;
		FILE *to = open_memstream(&out, &len);
		u8 *cut = mem_zalloc(size);

		memcpy(cut, draft.out.at, size);
		CHECK_EQ(ERR_FORMAT, capture_to_trace_dat(cut, size, to, NULL), "%zu bytes", size);
		fclose(to);
		free(out);
		free(cut);
	}
	vec_free(&draft.out);
}

TEST(the_fault_of_the_executor_is_the_fault_of_the_run)
{
	struct draft draft = { 0 };
	struct err err = ERR_NONE;

	text_chunk(&draft, CAPTURE_FAULT, 0, "task \"a\": nice -5: Operation not permitted");
	chunk(&draft, CAPTURE_END, 0, "", 0);
	CHECK_EQ(ERR_ABSENT, capture_to_trace_dat(draft.out.at, draft.out.nr, stderr, &err));
	CHECK_STR("task \"a\": nice -5: Operation not permitted", err.what);
	vec_free(&draft.out);
}

/* Two captures behind each other, and a third without its end. */
TEST(captures_of_several_runs_are_told_apart)
{
	struct draft draft = whole();
	size_t first = draft.out.nr;
	u64 tick_ns = 4000000;

	chunk(&draft, CAPTURE_TICK, 0, &tick_ns, sizeof(tick_ns));
	chunk(&draft, CAPTURE_END, 0, "", 0);
	CHECK_EQ(first, capture_length(draft.out.at, draft.out.nr));
	CHECK_EQ(draft.out.nr - first, capture_length(draft.out.at + first, draft.out.nr - first));
	CHECK_EQ(first - 1, capture_length(draft.out.at, first - 1), "all of it: it has no end");
	vec_free(&draft.out);
}

/* A tick of 3333333 ns is HZ 300. */
TEST(a_capture_tells_the_kernels_ticks)
{
	struct draft draft = whole(), told = { 0 };
	u64 tick_ns = 3333333;

	CHECK_EQ(0, capture_hz(draft.out.at, draft.out.nr));
	chunk(&told, CAPTURE_TICK, 0, &tick_ns, sizeof(tick_ns));
	chunk(&told, CAPTURE_END, 0, "", 0);
	CHECK_EQ(300, capture_hz(told.out.at, told.out.nr));
	vec_free(&draft.out);
	vec_free(&told.out);
}
