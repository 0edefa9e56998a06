/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tunables - what one would write below /sys/kernel/debug/sched, in one setting.
 *
 *	NAME=VALUE[,NAME=VALUE]...
 *
 * NAME is migration_cost_ns, nr_migrate or, for all domains of a level (SMT, CLS, MC, PKG,
 * NUMA), LEVEL.busy_factor, LEVEL.imbalance_pct, LEVEL.min_interval or LEVEL.max_interval
 * (ms).  The files are called so, too.
 */
#ifndef EXPERIMENT_TUNABLES_H
#define EXPERIMENT_TUNABLES_H

#include "sim/sim.h"

/* On top of what @out has.  ERR_USAGE names the word and what was expected. */
enum err_code tunables_parse(const char *text, struct sim_tunables *out, struct err *err);

#endif
