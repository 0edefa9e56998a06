/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording - what a kernel's runs of a workload gave, kept in a file.
 *
 * `validate --keep` writes it and `validate --against` compares with it, so that a change of
 * the simulator is measured against kernels where there is neither QEMU nor a kernel.
 * docs/json.md has the format.
 */
#ifndef INPUT_RECORDING_H
#define INPUT_RECORDING_H

#include "base/err.h"
#include "base/hist.h"
#include "base/vec.h"

#define RECORDING_MAX_RUNS 1000
#define RECORDING_HALVES   2 /* of the runs, the even and the odd ones */

/* One value a run, in millionths of the unit that the name ends in (ms, pct; else 1). */
struct recording_metric {
	char *name;
	VEC(u64) values;
};

struct recording_task {
	char *name;
	VEC(struct recording_metric) metrics;
	struct hist wakeup[RECORDING_HALVES]; /* delays, ns */
};

struct recording {
	char *kernel;   /* as it was asked for: "6.12" */
	char *version;  /* "6.12.118+deb13-cloud-amd64" */
	char *features; /* switched for the run, parted by commas; "": none */
	char *clock;    /* "virtual", or "wall" and how the CPUs were made */
	char *workload; /* the name of its file, without folder */
	char *hash;     /* of the file's bytes: recording_hash() */
	u32 hz, nr_cpus, runs;
	u64 duration_ns, seed; /* of the first run; the next one's is one more */
	VEC(struct recording_task) tasks;
};

/*
 * Every metric has as many values as there are runs.  ERR_IO, or ERR_FORMAT with what was
 * expected.  recording_fini() in either case.
 */
enum err_code recording_read(const char *path, struct recording *out, struct err *err);
enum err_code recording_read_text(const char *name, const char *text, size_t len,
				  struct recording *out, struct err *err);
/* The file is whole or as it was.  ERR_IO. */
enum err_code recording_write(const struct recording *recording, const char *path, struct err *err);
/* What the runs gave is forgotten, what they are of stays. */
void recording_drop_runs(struct recording *recording);
void recording_fini(struct recording *recording);
/* 16 hexadecimal digits that say which bytes a file has; ERR_IO.  The caller frees it. */
enum err_code recording_hash(const char *path, char **out, struct err *err);

#endif
