/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_line.h"

#include "events/event.h"
#include "input/scan.h"
#include "machine/machine.h"

#define COMM_MAX   15
#define COMM_FIELD 16  /* tracefs and trace-cmd: "%16s-", perf: "%16s " */
#define COMM_SHORT 8   /* trace-cmd -l: "%8.8s-" */
#define COMM_REACH 256 /* how far from the front a longer name is still looked for */
#define TID_MAX    0x7fffffff

static bool take_tid(struct scan *scan, s32 *tid)
{
	u32 value;

	if (scan_text(scan, "-1", 2)) { /* perf: a thread that is gone */
		*tid = EVENT_NOBODY;
		return true;
	}
	if (!scan_u32(scan, TID_MAX, &value))
		return false;
	*tid = (s32)value;
	return true;
}

/* "(  123)", "(-----)" or nothing */
static bool take_tgid(struct scan *scan, s32 *pid)
{
	u32 value = 0;

	if (!scan_char(scan, '('))
		return true;
	scan_blanks(scan);
	if (!scan_u32(scan, TID_MAX, &value))
		while (scan_char(scan, '-'))
			;
	*pid = (s32)value;
	return scan_char(scan, ')');
}

/* Everything up to the next blank. */
static bool take_word(struct scan *scan)
{
	const char *from = scan->at;

	while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '\t')
		scan->at++;
	return scan->at > from;
}

/* "[001] d..2." or, without brackets and with flags that touch it, "1d..2." */
static bool take_cpu(struct scan *scan, struct ftrace_line *line)
{
	bool bracket = scan_char(scan, '[');
	u32 cpu;

	if (!scan_u32(scan, MACHINE_MAX_CPUS - 1, &cpu))
		return false;
	line->cpu = (s32)cpu;
	if (bracket) {
		if (!scan_char(scan, ']') || !scan_blanks(scan))
			return false;
		/* a time begins with a digit, flags never do */
		if (scan->at == scan->end || scan_is_digit(*scan->at))
			return true;
	} else if (scan->at == scan->end || line->is_perf || !strchr(".dDXbB", *scan->at) ||
		   !*scan->at) {
		return false; /* the first column is irqs-off: a letter or a dot */
	}
	return take_word(scan) && scan_blanks(scan);
}

/* "12.345678:", "12.345678901:" or "123456:" */
static bool take_time(struct scan *scan, struct ftrace_line *line)
{
	static const u32 scales[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
				      10000,      1000,      100,      10,      1 };
	u64 whole, part = 0;
	const char *from;

	if (!scan_u64(scan, &whole))
		return false;
	line->is_count = !scan_char(scan, '.');
	if (line->is_count) {
		line->time_ns = whole;
		return scan_char(scan, ':');
	}
	from = scan->at;
	if (!scan_u64(scan, &part) || scan->at - from > 9 || whole > U64_MAX / 1000000000 - 1)
		return false;
	line->time_ns = whole * 1000000000 + part * scales[scan->at - from];
	return scan_char(scan, ':');
}

/* "sched_switch: ", "  sched:sched_switch: ", with a period before it "1 cycles: " */
static void take_event(struct scan *scan, struct ftrace_line *line)
{
	struct scan word;

	line->event = "";
	line->event_len = 0;
	scan_blanks(scan);
	line->payload = scan->at;
	line->payload_len = (size_t)(scan->end - scan->at);
	word = *scan;
	if (!take_word(&word))
		return;
	if (line->is_perf && word.at[-1] != ':') {
		scan_blanks(&word);
		scan->at = word.at;
		take_word(&word);
	}
	if (word.at[-1] != ':')
		return;
	line->event = scan->at;
	line->event_len = (size_t)(word.at - scan->at) - 1;
	for (const char *c = scan->at; c < word.at - 1; c++)
		if (*c == ':') {
			line->event = c + 1;
			line->event_len = (size_t)(word.at - c) - 2;
		}
	scan_blanks(&word);
	line->payload = word.at;
	line->payload_len = (size_t)(word.end - word.at);
}

/*
 * Is @at the '-' of "-PID [CPU] ..." or the blank of " PID [CPU] ..."?  Everything but
 * the name is filled in.
 */
static bool fits(const char *at, const char *end, struct ftrace_line *line)
{
	struct scan scan = { at + 1, end };

	line->is_perf = *at != '-';
	line->pid = 0;
	if (line->is_perf)
		scan_blanks(&scan);
	if (!take_tid(&scan, &line->tid))
		return false;
	if (line->is_perf && scan_char(&scan, '/')) {
		line->pid = line->tid > 0 ? line->tid : 0;
		if (!take_tid(&scan, &line->tid))
			return false;
	}
	if (!scan_blanks(&scan) || !take_tgid(&scan, &line->pid))
		return false;
	scan_blanks(&scan);
	if (!take_cpu(&scan, line) || !take_time(&scan, line))
		return false;
	if (scan.at < scan.end && *scan.at != ' ' && *scan.at != '\t')
		return false;
	take_event(&scan, line);
	return true;
}

/* May a name end at @at?  The blank of perf's form is the last one before the digits. */
static bool may_end(const char *at, const char *end)
{
	if (end - at < 2 || (*at != '-' && *at != ' ' && *at != '\t'))
		return false;
	return scan_is_digit(at[1]) || (*at != '-' && at[1] == '-');
}

/* The last place within reach of a name, else the first one beyond. */
static const char *find_place(const char *front, const char *from, const char *end,
			      struct ftrace_line *line)
{
	const char *found = NULL;
	struct ftrace_line other;

	for (const char *at = from; at < end && at - front < COMM_REACH; at++) {
		if (found && at - front > COMM_MAX)
			break;
		if (!may_end(at, end) || !fits(at, end, &other))
			continue;
		*line = other;
		found = at;
	}
	return found;
}

/* Where the printers' fixed columns put it. */
static const char *fixed_place(const char *at, const char *end, struct ftrace_line *line)
{
	static const u8 columns[] = { COMM_FIELD, COMM_SHORT };

	for (size_t i = 0; i < sizeof(columns); i++) {
		const char *place = at + columns[i];

		if (end - at > columns[i] && (*place == '-' || (*place == ' ' && !i)) &&
		    fits(place, end, line))
			return place;
	}
	return NULL;
}

bool ftrace_line_parse(const char *at, size_t len, struct ftrace_line *line)
{
	const char *end = at + len, *front = at, *place;

	if (len && end[-1] == '\r')
		end--;
	place = fixed_place(at, end, line);
	while (front < end && (*front == ' ' || *front == '\t'))
		front++;
	if (!place)
		place = find_place(front, front > at ? front - 1 : at, end, line);
	if (!place)
		return false;
	line->comm = front < place ? front : place;
	line->comm_len = (size_t)(place - line->comm);
	return true;
}
