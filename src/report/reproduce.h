/* SPDX-License-Identifier: GPL-2.0-only */
/* reproduce - published and simulated side by side, for people and for programs. */
#ifndef REPORT_REPRODUCE_H
#define REPORT_REPRODUCE_H

#include "experiment/reproduce.h"
#include "report/report.h"

struct report_reproduce {
	const struct reproduce *reproduce; /* judged */
	const char *workload;
	const struct report_setting *settings[COMPARE_NR_SIDES];
	u32 nr_settings;
	u32 runs; /* of each side */
};

/* Faults of writing stay in ferror(@to). */
void report_reproduce_text(const struct report_reproduce *report, FILE *to);
void report_reproduce_json(const struct report_reproduce *report, FILE *to);

#endif
