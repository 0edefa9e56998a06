/* SPDX-License-Identifier: GPL-2.0-only */
/* compare - two settings side by side, for people and for programs. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "experiment/compare.h"
#include "experiment/gate.h"
#include "experiment/why.h"
#include "report/report.h"

struct report_compare_side {
	const char *input;                     /* workload or trace, as the user named it */
	const struct report_setting *settings; /* of a simulation */
	u32 nr_settings;                       /* 0: a recording */
};

struct report_compare {
	const struct compare *compare; /* judged */
	const struct gates *gates;     /* judged */
	struct report_compare_side sides[COMPARE_NR_SIDES];
	const struct why *why; /* NULL: not asked for */
	u64 window_ns;         /* of the windows of recordings; 0: there are none */
	bool colour;           /* text: for a terminal */
};

/* Faults of writing stay in ferror(@to). */
void report_compare_text(const struct report_compare *report, FILE *to);
void report_compare_json(const struct report_compare *report, FILE *to);

#endif
