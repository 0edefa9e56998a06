/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate - a condition on a comparison that makes it fail, for scripts.
 *
 *	cyclictest.delay_p99_ms > 1.05x		B's value is more than 1.05 times A's
 *	idle_events >= 3			B's value is 3 or more
 *
 * Several are parted by commas.  Values are in the unit that the metric's name ends in.  A
 * gate looks at the values alone: what the runs could not have shown is in the interval.
 */
#ifndef EXPERIMENT_GATE_H
#define EXPERIMENT_GATE_H

#include "experiment/compare.h"

enum gate_op {
	GATE_LESS,
	GATE_LESS_EQUAL,
	GATE_MORE,
	GATE_MORE_EQUAL,
	GATE_NR_OPS
};

struct gate {
	char *text; /* as it was given */
	char *name; /* of the metric */
	enum gate_op op;
	double limit;
	bool ratio; /* limit is of B's value by A's */
	/* made by gates_judge(): */
	double value; /* what was compared with the limit; HUGE_VAL: a ratio to nothing */
	bool failed;
};

struct gates {
	VEC(struct gate) of;
	u32 failed;
};

/* ERR_USAGE shows the part that is none.  gates_fini() in either case. */
enum err_code gates_parse(struct gates *gates, const char *text, struct err *err);
/* ERR_USAGE if there is no such metric, or no unit had it. */
enum err_code gates_judge(struct gates *gates, const struct compare *compare, struct err *err);
void gates_fini(struct gates *gates);

#endif
