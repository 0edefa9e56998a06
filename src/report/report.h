/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report - what an analysis found, for people and for programs.  Computes nothing.
 *
 * docs/json.md describes the JSON, name by name.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "analysis/analysis.h"

struct report_setting {
	const char *name, *value;
};

struct report {
	const char *input; /* file or workload, as the user named it */
	const struct analysis *analysis;
	const struct report_setting *settings; /* what was used, in the order to print */
	u32 nr_settings;
	u32 top;     /* text: rows of the task table; 0: all */
	bool colour; /* text: for a terminal */
};

/* Faults of writing stay in ferror(@to). */
void report_text(const struct report *report, FILE *to);
void report_json(const struct report *report, FILE *to);

/* What the numbers of a row say of its class: "fair", ..., "mixed"; NULL if not known. */
const char *report_class(u8 class);
/* A switch-out of another thread than ran: as the reader counted, or as the analysis did. */
u64 report_mismatches(const struct analysis *analysis);
u64 report_unreliable(const struct analysis *analysis);

#endif
