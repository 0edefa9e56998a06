/* SPDX-License-Identifier: GPL-2.0-only */
/* validate - kernel and simulator side by side, for people and for programs. */
#ifndef REPORT_VALIDATE_H
#define REPORT_VALIDATE_H

#include "experiment/validate.h"
#include "report/report.h"

struct report_validate {
	const struct validate *validate; /* judged */
	const struct report_setting *settings;
	u32 nr_settings;
};

/* Faults of writing stay in ferror(@to). */
void report_validate_text(const struct report_validate *report, FILE *to);
void report_validate_json(const struct report_validate *report, FILE *to);

#endif
