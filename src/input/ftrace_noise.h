/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace_noise - the lines of a text trace that are no events.
 */
#ifndef INPUT_FTRACE_NOISE_H
#define INPUT_FTRACE_NOISE_H

#include "input/lines.h"

/*
 * A loss, of tracefs or trace-cmd:
 *	CPU:1 [LOST 284 EVENTS]		CPU:1 [LOST EVENTS]
 *	CPU:1 [284 EVENTS DROPPED]	CPU:1 [EVENTS DROPPED]
 *	##### CPU 1 buffer started ####
 * @count is 0 where it does not say how many.
 */
bool ftrace_noise_loss(const struct line *line, s32 *cpu, u64 *count);

/* "# entries-in-buffer/entries-written: 100/384   #P:2" */
bool ftrace_noise_entries(const struct line *line, u64 *kept, u64 *written, u32 *nr_cpus);
/* "cpus=8" of trace-cmd */
bool ftrace_noise_cpus(const struct line *line, u32 *nr_cpus);

/* What tools print around the events, call chains and blank lines included. */
bool ftrace_noise_known(const struct line *line);

/* The first line of a systrace's HTML, and where its parts with text begin and end. */
bool ftrace_noise_html(const struct line *line);
bool ftrace_noise_html_begin(const struct line *line);
bool ftrace_noise_html_end(const struct line *line);
/* Systrace also keeps lists of processes and groups in such parts. */
bool ftrace_noise_html_other(const struct line *line);

#endif
