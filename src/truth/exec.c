/* SPDX-License-Identifier: GPL-2.0-only */
/* This machine's kernel: the executor as a child, the program in, the capture out. */
#include <stdlib.h>
#include <unistd.h>

#include "truth/capture.h"
#include "truth/child.h"
#include "truth/files.h"
#include "truth/truth.h"

#define KIB_PER_S 4096u /* of a CPU that switches 30000 times a second */
#define KIB_LEAST 8192u
#define KIB_MOST  262144u

u32 truth_buffer_kib(u64 duration_ns)
{
	u64 kib = duration_ns ? KIB_PER_S * (duration_ns / 1000000000 + 1) : KIB_MOST;

	return kib < KIB_LEAST ? KIB_LEAST : kib > KIB_MOST ? KIB_MOST : (u32)kib;
}

static enum err_code run(const char *executor, FILE *in, FILE *out, struct err *err)
{
	const char *const argv[] = { executor, NULL };
	struct child child = { .argv = argv, .in = fileno(in), .out = fileno(out), .err = -1 };
	enum err_code code = child_run(&child, err);

	/* a status says that the run is void; the capture says why */
	return code == ERR_IO ? OK : code;
}

static enum err_code convert(FILE *captured, FILE *to, struct truth_told *told, struct err *err)
{
	struct files_map map;
	enum err_code code = files_map_fd(fileno(captured), "capture", &map, err);

	told->hz = code == OK ? capture_hz(map.bytes, map.size) : 0;
	told->clock = "this machine's";
	if (code == OK)
		code = capture_to_trace_dat(map.bytes, map.size, to, err);
	files_unmap(&map);
	return code;
}

static void put_program(const struct program *program, FILE *to)
{
	struct program_bytes out = { 0 };

	program_write(program, &out);
	fwrite(out.bytes.at, 1, out.bytes.nr, to);
	rewind(to);
	vec_free(&out.bytes);
}

enum err_code truth_exec(const struct program *program, FILE *to, struct truth_told *told,
			 struct err *err)
{
	FILE *in = NULL, *out = NULL;
	char *executor;
	enum err_code code = files_executor(&executor, err);

	if (code == OK)
		code = files_temporary(&in, err);
	if (code == OK)
		code = files_temporary(&out, err);
	if (code == OK) {
		put_program(program, in);
		code = run(executor, in, out, err);
	}
	if (code == OK)
		code = convert(out, to, told, err);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	free(executor);
	return code;
}
