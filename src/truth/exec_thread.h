/* SPDX-License-Identifier: GPL-2.0-only */
/* exec_thread - the threads of a run, inside the executor. */
#ifndef TRUTH_EXEC_THREAD_H
#define TRUTH_EXEC_THREAD_H

#include "truth/exec.h"

/*
 * Starts a thread of @def; @parent is the thread that forks it, NULL for those of the start.
 * A thread that cannot be started is reported, and the call does not return.
 */
void exec_thread_start(struct exec_run *run, const struct workload_task *def, u32 instance,
		       const struct exec_thread *parent);

#endif
