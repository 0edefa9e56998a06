/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_noise.h"

#include <strings.h>

#include "base/mem.h"
#include "input/scan.h"
#include "machine/machine.h"

static bool begins(const struct line *line, const char *text)
{
	return line->len >= strlen(text) && !memcmp(line->at, text, strlen(text));
}

static bool holds(const struct line *line, const char *text)
{
	return memmem(line->at, line->len, text, strlen(text));
}

static bool take(struct scan *scan, const char *text)
{
	return scan_text(scan, text, strlen(text));
}

/* "[LOST 284 EVENTS]", "[284 EVENTS DROPPED]" and the same without a number */
static bool take_loss(struct scan *scan, u64 *count)
{
	*count = 0;
	if (!take(scan, "["))
		return false;
	if (take(scan, "LOST "))
		return take(scan, "EVENTS]") || (scan_u64(scan, count) && take(scan, " EVENTS]"));
	return take(scan, "EVENTS DROPPED]") ||
	       (scan_u64(scan, count) && take(scan, " EVENTS DROPPED]"));
}

bool ftrace_noise_loss(const struct line *line, s32 *cpu, u64 *count)
{
	struct scan scan = { line->at, line->at + line->len };
	u32 number;

	*count = 0;
	if (take(&scan, "##### CPU ")) {
		if (!scan_u32(&scan, MACHINE_MAX_CPUS - 1, &number) ||
		    !take(&scan, " buffer started"))
			return false;
	} else if (!take(&scan, "CPU:") || !scan_u32(&scan, MACHINE_MAX_CPUS - 1, &number) ||
		   !scan_blanks(&scan) || !take_loss(&scan, count)) {
		return false;
	}
	*cpu = (s32)number;
	return true;
}

bool ftrace_noise_entries(const struct line *line, u64 *kept, u64 *written, u32 *nr_cpus)
{
	struct scan scan = { line->at, line->at + line->len };

	*nr_cpus = 0;
	if (!take(&scan, "# entries-in-buffer/entries-written: ") || !scan_u64(&scan, kept) ||
	    !scan_char(&scan, '/') || !scan_u64(&scan, written))
		return false;
	scan_blanks(&scan);
	if (take(&scan, "#P:") && !scan_u32(&scan, MACHINE_MAX_CPUS, nr_cpus))
		*nr_cpus = 0;
	return true;
}

bool ftrace_noise_cpus(const struct line *line, u32 *nr_cpus)
{
	struct scan scan = { line->at, line->at + line->len };

	return take(&scan, "cpus=") && scan_u32(&scan, MACHINE_MAX_CPUS, nr_cpus) &&
	       scan.at == scan.end;
}

/* "ffffffff8109c1a0 schedule+0x5d ([kernel.kallsyms])" of perf, " => schedule" of ftrace */
static bool is_call(struct scan scan)
{
	const char *from;

	if (!scan_blanks(&scan))
		return false;
	if (take(&scan, "=> "))
		return true;
	for (from = scan.at; scan.at < scan.end && strchr("0123456789abcdef", *scan.at) && *scan.at;
	     scan.at++)
		;
	return scan.at - from >= 4 && (scan.at == scan.end || *scan.at == ' ');
}

bool ftrace_noise_known(const struct line *line)
{
	static const char *const fronts[] = {
		"version = ", "cpus=", "CPU ", "capturing trace", "TRACE:", "trace-cmd: ", "</"
	};
	struct scan scan = { line->at, line->at + line->len };

	for (size_t i = 0; i < ARRAY_SIZE(fronts); i++)
		if (begins(line, fronts[i]))
			return true;
	if (is_call(scan))
		return true;
	scan_blanks(&scan);
	return scan.at == scan.end;
}

bool ftrace_noise_html(const struct line *line)
{
	static const char *const fronts[] = { "<!doctype html", "<html" };

	for (size_t i = 0; i < ARRAY_SIZE(fronts); i++)
		if (line->len >= strlen(fronts[i]) &&
		    !strncasecmp(line->at, fronts[i], strlen(fronts[i])))
			return true;
	return false;
}

bool ftrace_noise_html_begin(const struct line *line)
{
	return holds(line, "<script class=\"trace-data\" type=\"application/text\">");
}

bool ftrace_noise_html_end(const struct line *line)
{
	return holds(line, "</script>");
}

bool ftrace_noise_html_other(const struct line *line)
{
	return begins(line, "PROCESS DUMP") || begins(line, "CGROUP DUMP");
}
