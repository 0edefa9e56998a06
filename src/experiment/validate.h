/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * validate - how far a simulation is from the kernel, in distribution.
 *
 * One run is not the truth: the phase between tick and start alone moves a mean by a
 * factor.  So both sides run several times, from phases drawn at random, and medians are
 * compared against how far the kernel's own runs lie apart.
 */
#ifndef EXPERIMENT_VALIDATE_H
#define EXPERIMENT_VALIDATE_H

#include "analysis/analysis.h"
#include "input/recording.h"
#include "workload/workload.h"

enum validate_metric {
#define VALIDATE_METRIC(id, name, kind) VALIDATE_##id,
#include "experiment/validate.def"
	VALIDATE_NR_METRICS
};

enum validate_kind {
	VALIDATE_SHARE, /* of a CPU, in 1/100000 %: near is within 1 % of the kernel's */
	VALIDATE_COUNT, /* within 5 % */
	VALIDATE_DELAY, /* ns: within 10 % or 50 us */
};

struct validate_info {
	const char *name;
	enum validate_kind kind;
};
extern const struct validate_info validate_infos[VALIDATE_NR_METRICS];

enum validate_side {
	VALIDATE_KERNEL,
	VALIDATE_SIMULATOR,
	VALIDATE_NR_SIDES
};

enum validate_verdict {
	VALIDATE_WITHIN, /* our median lies in the middle 80 % of the kernel's runs */
	VALIDATE_CLOSE,  /* it lies near the kernel's median, as its kind says */
	VALIDATE_OFF,
	VALIDATE_NR_VERDICTS
};
extern const char *const validate_verdicts[VALIDATE_NR_VERDICTS];

struct validate_row {
	char *task; /* as the workload names it */
	enum validate_metric metric;
	u64 kernel, simulator;       /* medians */
	u64 kernel_low, kernel_high; /* the middle 80 % */
	enum validate_verdict verdict;
};

/*
 * How far apart two distributions of a task's wakeup delays are, by Kolmogorov and Smirnov,
 * in millionths.  Delays below VALIDATE_SAME_NS are taken for equal, as verdicts do.
 */
#define VALIDATE_SAME_NS 50000
struct validate_distance {
	char *task;
	u32 kernel;    /* between two halves of its runs */
	u32 simulator; /* from all of the kernel's */
	bool within;   /* at most twice as far */
};

struct validate_values {
	VEC(u64) of[VALIDATE_NR_SIDES][VALIDATE_NR_METRICS]; /* one a run */
	VEC(u64) wakeups[VALIDATE_NR_SIDES];
	struct hist delays[VALIDATE_NR_SIDES][RECORDING_HALVES]; /* of the even and the odd runs */
};

struct validate {
	VEC(char *) tasks;
	VEC(struct validate_values) values; /* of each task */
	u32 runs[VALIDATE_NR_SIDES];
	VEC(struct validate_row) rows; /* made by validate_judge() */
	VEC(struct validate_distance) distances;
	u32 verdicts[VALIDATE_NR_VERDICTS];
};

/* The names of @workload's tasks, each once, in its order. */
void validate_init(struct validate *validate, const struct workload *workload);
/* What one run gave.  A kernel cuts names after 15 bytes; so do we to find them. */
void validate_take(struct validate *validate, enum validate_side side,
		   const struct analysis *analysis);
/*
 * What the kernel's side has so far, into a recording that has the rest already, and back.
 * ERR_FORMAT: the recording lacks a task of the workload, or a metric.
 */
void validate_keep(const struct validate *validate, struct recording *recording);
enum err_code validate_recall(struct validate *validate, const struct recording *recording,
			      const char *path, struct err *err);
/*
 * Needs a run of each side, and sorts their values.  Delays have rows only where a task woke at least
 * VALIDATE_WAKEUPS times in the median run of both: fewer say where a run began, no more.
 */
#define VALIDATE_WAKEUPS 10
void validate_judge(struct validate *validate);
void validate_fini(struct validate *validate);

#endif
