/* SPDX-License-Identifier: GPL-2.0-only */
/* real - what the commands have in common that run a workload on a kernel. */
#ifndef CLI_REAL_H
#define CLI_REAL_H

#include "cli/cli.h"
#include "report/report.h"
#include "truth/truth.h"

/* The workload that the command names, with the settings of the command line. */
struct cli_real {
	struct program program;
	struct cli_view view;
	char duration[32]; /* for the report */
	struct truth_told told;
	FILE *trace; /* where the recording goes; --output or a file without a name */
};

/* cli_real_fini() in either case. */
enum err_code cli_real_open(const struct cli_args *args, struct cli_real *real, struct err *err);
/* The report on what was recorded, with the settings that were used. */
enum err_code cli_real_report(const struct cli_args *args, struct cli_real *real,
			      const struct report_setting *settings, u32 nr_settings,
			      struct err *err);
void cli_real_fini(struct cli_real *real);
/* How many CPUs a guest is to have: --cpus, else 1. */
enum err_code cli_guest_cpus(const struct cli_args *args, u32 *nr, struct err *err);
/* The same of the kernel that --guest names; without it, this machine's. */
enum err_code cli_kernel_cpus(const struct cli_args *args, u32 *nr, struct err *err);

#endif
