/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>

#include "events/fields.h"
#include "events/ftrace_writer.h"
#include "input/format.h"
#include "input/ftrace_line.h"
#include "input/ftrace_noise.h"
#include "input/ftrace_own.h"
#include "input/ftrace_payload.h"
#include "input/lines.h"
#include "input/scan.h"
#include "machine/machine.h"

#define COMM_MAX   (INTAKE_COMM - 1)
#define HEAD_MAX   (2 * INTAKE_COMM) /* the padding, and a name */
#define JOIN_MAX   64                /* two names may hold as many newlines as bytes */
#define HINTS      4096
#define LOSSES_MAX 4096
#define ENOUGH     (64u << 10) /* bytes in which a kind that is recorded would be seen */

struct loss {
	s32 cpu;
	u64 count;
};

/* Where in a systrace's HTML we are. */
enum html {
	HTML_NONE,
	HTML_OUTSIDE,
	HTML_INSIDE
};

struct reader {
	struct bytes *bytes;
	struct err *err;
	struct event_sink sink;
	struct lines lines;
	struct event_header header;
	struct event_quality quality; /* what the reader itself counts */
	struct events_intake *intake; /* from the first trace line on */
	struct ftrace_seen seen;
	bool is_own;
	struct ftrace_own own;
	enum html html;
	bool counts;      /* times without a fraction */
	bool after_other; /* the last trace line was of no kind of ours */
	u64 trace_lines, events;
	u64 bad, first_bad; /* lines */
	/* a trace line that ended within a name */
	VEC(char) open;
	u64 open_number, open_joins;
	/* lines that may be the front of a name with newlines, before their trace line */
	char head[HEAD_MAX];
	size_t head_len;
	u64 head_lines, head_number;
	VEC(struct loss) losses; /* since the last trace line */
	s32 hinted[HINTS];       /* tids whose name at the front was passed on, by their low bits */
};

static void count_bad(struct reader *reader, u64 number, u64 lines)
{
	if (!reader->bad && lines)
		reader->first_bad = number;
	reader->bad += lines;
}

/* A file that was cut ends anywhere: that is no bad line, only the end too early. */
static void count_bad_line(struct reader *reader)
{
	if (reader->lines.unended && !reader->lines.cut)
		reader->quality.truncated = true;
	else
		count_bad(reader, reader->lines.number, 1);
}

/*
 * Which kinds are recorded the text does not say.  Those that no busy trace lacks are
 * looked for in what is there of it; the others may come at any time.
 */
static u64 guess_sees(const struct reader *reader, const struct line *line)
{
	static const struct {
		u64 bit;
		const char *name;
	} often[] = {
		{ EVENT_BIT(SWITCH), "sched_switch:" },
		{ EVENT_BIT(WAKING), "sched_waking:" },
		{ EVENT_BIT(WAKEUP), "sched_wakeup:" },
		{ EVENT_BIT(RUNTIME), "sched_stat_runtime:" },
		{ EVENT_BIT(IDLE), "cpu_idle:" },
	};
	struct line ahead = lines_ahead(&reader->lines);
	size_t len = (size_t)(ahead.at + ahead.len - line->at);
	u64 sees = EVENT_BIT(LOST) | EVENT_BIT(NAME) | EVENT_BIT(MARK);

	for (u32 kind = 0; kind < EVENT_NR_KINDS; kind++)
		if (event_kind_is_kernel(kind))
			sees |= 1ULL << kind;
	if (len < ENOUGH && !reader->bytes->ended)
		return sees;
	for (size_t i = 0; i < ARRAY_SIZE(often); i++)
		if (!memmem(line->at, len, often[i].name, strlen(often[i].name)))
			sees &= ~often[i].bit;
	return sees;
}

static void begin_stream(struct reader *reader, const struct line *line)
{
	snprintf(reader->header.source, sizeof(reader->header.source), "%s",
		 input_ftrace_text.name);
	reader->header.sees = guess_sees(reader, line);
	reader->intake = events_intake_new(&reader->header, INTAKE_GLOBAL, 0, reader->sink);
}

/* A loss stands before the first line after it, and has no time of its own. */
static enum err_code push_losses(struct reader *reader, u64 time_ns)
{
	enum err_code code = OK;

	vec_for_each(loss, &reader->losses) {
		struct intake_item item = { 0 };

		item.event.kind = EVENT_LOST;
		item.event.time_ns = time_ns;
		item.event.cpu = loss->cpu;
		item.event.lost.count = loss->count;
		if (code == OK)
			code = events_intake_push(reader->intake, &item);
	}
	reader->losses.nr = 0;
	return code;
}

static void keep_loss(struct reader *reader, s32 cpu, u64 count)
{
	if (reader->losses.nr < LOSSES_MAX) {
		*vec_add(&reader->losses) = (struct loss){ cpu, count };
		return;
	}
	reader->quality.lost_events += count;
	reader->quality.lost_unknown += !count;
}

/* Names that stand for "not known". */
static bool is_name(const struct ftrace_line *line)
{
	static const char *const none[] = { "<...>", "<idle>" };

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (line->comm_len == strlen(none[i]) &&
		    !memcmp(line->comm, none[i], line->comm_len))
			return false;
	return line->comm_len && line->comm_len <= COMM_MAX &&
	       !(line->is_perf && line->comm[0] == ':');
}

/*
 * The name at the front comes from a cache that may be stale; it is told once, for
 * threads that no event names.
 */
static enum err_code hint_name(struct reader *reader, const struct ftrace_line *line)
{
	s32 *hinted = &reader->hinted[(u32)line->tid % HINTS];
	char comm[INTAKE_COMM] = { 0 };

	if (line->tid <= 0 || *hinted == line->tid || !is_name(line))
		return OK;
	*hinted = line->tid;
	memcpy(comm, line->comm, line->comm_len);
	return events_intake_hint(reader->intake, line->time_ns, line->tid, line->pid, comm);
}

static enum err_code push_item(struct reader *reader, const struct ftrace_line *line,
			       struct intake_item *item)
{
	reader->events++;
	if (reader->is_own) {
		if (!ftrace_own_item(&reader->own, item))
			count_bad_line(reader);
		return reader->own.feed.code;
	}
	if (item->event.task.tid == line->tid)
		item->pid = line->pid;
	if (item->event.other.tid == line->tid)
		item->other_pid = line->pid;
	return events_intake_push(reader->intake, item);
}

static enum err_code begin_open(struct reader *reader, const struct line *line)
{
	reader->open.nr = 0;
	vec_reserve(&reader->open, line->len + 1);
	memcpy(reader->open.at, line->at, line->len);
	reader->open.nr = line->len;
	reader->open_number = reader->lines.number;
	reader->open_joins = 0;
	return OK;
}

/* What the lines before may have been the front of. */
static bool settle_head(struct reader *reader, const struct line *line,
			const struct ftrace_line *parsed)
{
	bool broken = reader->head_lines;
	const char *at = reader->head;
	size_t len = reader->head_len;

	for (; len && *at == ' '; len--)
		at++;
	/* the printer pads before the first of a name's lines only */
	if (broken && (parsed->comm != line->at || len + 1 + parsed->comm_len > COMM_MAX))
		count_bad(reader, reader->head_number, reader->head_lines);
	reader->head_len = 0;
	reader->head_lines = 0;
	return broken;
}

static enum err_code trace_line(struct reader *reader, const struct line *line,
				const struct ftrace_line *parsed)
{
	bool broken = settle_head(reader, line, parsed);
	struct intake_item item;
	enum ftrace_found found;
	enum err_code code = OK;

	if (!reader->is_own && !reader->intake)
		begin_stream(reader, line);
	reader->trace_lines++;
	reader->counts |= parsed->is_count;
	if (reader->losses.nr && !reader->is_own)
		code = push_losses(reader, parsed->time_ns);
	if (code == OK && !broken && !reader->is_own)
		code = hint_name(reader, parsed);
	if (code != OK)
		return code;
	found = ftrace_payload_parse(parsed, &reader->seen, &item);
	reader->after_other = found == FTRACE_OTHER;
	if (found == FTRACE_EVENT)
		return push_item(reader, parsed, &item);
	if (found == FTRACE_OPEN)
		return begin_open(reader, line);
	if (reader->is_own)
		ftrace_own_item(&reader->own, NULL);
	if (found == FTRACE_DAMAGED)
		count_bad_line(reader);
	return OK;
}

/* The line that ended within a name, with one more line; true: @line belonged to it. */
static bool join_open(struct reader *reader, const struct line *line, enum err_code *code)
{
	struct ftrace_line parsed, own;
	struct intake_item item;
	enum ftrace_found found;

	*vec_add(&reader->open) = '\n';
	vec_reserve(&reader->open, reader->open.nr + line->len);
	memcpy(reader->open.at + reader->open.nr, line->at, line->len);
	reader->open.nr += line->len;
	if (!ftrace_line_parse(reader->open.at, reader->open.nr, &parsed))
		found = FTRACE_DAMAGED;
	else
		found = ftrace_payload_parse(&parsed, &reader->seen, &item);
	/* only a path is long enough to take in a whole trace line */
	if (found != FTRACE_DAMAGED && ftrace_payload_has_path(&parsed) &&
	    ftrace_line_parse(line->at, line->len, &own))
		found = FTRACE_DAMAGED;
	if (found == FTRACE_OPEN && ++reader->open_joins < JOIN_MAX && reader->open.nr < LINES_MAX)
		return true;
	reader->open.nr = 0;
	if (found == FTRACE_EVENT) {
		*code = push_item(reader, &parsed, &item);
		return true;
	}
	if (found == FTRACE_DAMAGED && reader->lines.unended)
		reader->quality.truncated = true;
	else if (found == FTRACE_DAMAGED)
		count_bad(reader, reader->open_number, 1);
	return found == FTRACE_OTHER || reader->lines.unended;
}

/* No trace line: the front of a name, the rest of an event of no kind of ours, or bad. */
static void other_line(struct reader *reader, const struct line *line)
{
	size_t room = HEAD_MAX - reader->head_len;

	if (ftrace_noise_known(line)) {
		if (!reader->head_lines || reader->head_len + 1 >= HEAD_MAX)
			return;
	} else if (reader->after_other && !reader->head_lines) {
		return;
	}
	if (reader->lines.unended && !reader->lines.cut) {
		reader->quality.truncated = true;
		return;
	}
	if (line->len + 1 > room || reader->lines.cut) {
		count_bad(reader, reader->head_number, reader->head_lines);
		reader->head_len = reader->head_lines = 0;
		count_bad_line(reader);
		return;
	}
	if (!reader->head_lines++)
		reader->head_number = reader->lines.number;
	else
		reader->head[reader->head_len++] = '\n';
	memcpy(reader->head + reader->head_len, line->at, line->len);
	reader->head_len += line->len;
}

static void comment(struct reader *reader, const struct line *line)
{
	u64 kept, written;
	u32 nr_cpus;
	s32 cpu;

	if (reader->is_own) {
		if (!ftrace_own_comment(&reader->own, line))
			count_bad_line(reader);
	} else if (!reader->trace_lines && ftrace_own_magic(line)) {
		reader->is_own = true;
	} else if (ftrace_noise_loss(line, &cpu, &kept)) {
		keep_loss(reader, cpu, kept);
	} else if (ftrace_noise_entries(line, &kept, &written, &nr_cpus)) {
		if (nr_cpus)
			reader->header.nr_cpus = nr_cpus;
		if (written > kept)
			reader->quality.lost_events += written - kept;
	}
}

/* False: @line is of the HTML around the text. */
static bool within_html(struct reader *reader, const struct line *line)
{
	if (reader->html == HTML_NONE) {
		if (reader->lines.number == 1 && ftrace_noise_html(line))
			reader->html = HTML_OUTSIDE;
		return reader->html == HTML_NONE;
	}
	if (ftrace_noise_html_begin(line)) {
		reader->html = HTML_INSIDE;
		return false;
	}
	if (ftrace_noise_html_end(line) || ftrace_noise_html_other(line))
		reader->html = HTML_OUTSIDE;
	return reader->html == HTML_INSIDE;
}

static bool is_zlib(const struct line *line)
{
	return line->len > 2 && line->at[0] == 0x78 && strchr("\x01\x5e\x9c\xda", line->at[1]) &&
	       line->at[1];
}

/* Our own text ends every line: one without its end may lack digits. */
static bool is_cut_own(struct reader *reader, const struct line *line)
{
	static const char end[] = EVENTS_FTRACE_LINE "end ";

	if (!reader->is_own || !reader->lines.unended)
		return false;
	if (line->len < strlen(end) || memcmp(line->at, end, strlen(end)) ||
	    !ftrace_own_comment(&reader->own, line))
		reader->quality.truncated = true;
	return true;
}

static enum err_code take_line(struct reader *reader, const struct line *line)
{
	struct line bare = *line; /* without the '\r' that some tools add */
	struct ftrace_line parsed;
	enum err_code code = OK;
	u64 count;
	s32 cpu;

	if (bare.len && bare.at[bare.len - 1] == '\r')
		bare.len--;
	if (is_cut_own(reader, &bare))
		return OK;

	if (reader->open.nr && join_open(reader, line, &code))
		return code;
	if (!within_html(reader, &bare))
		return OK;
	if (bare.len && bare.at[0] == '#') {
		comment(reader, &bare);
		return reader->is_own ? reader->own.feed.code : OK;
	}
	if (ftrace_line_parse(line->at, line->len, &parsed) && !reader->lines.cut)
		return trace_line(reader, line, &parsed);
	if (ftrace_noise_loss(&bare, &cpu, &count)) {
		keep_loss(reader, cpu, count);
	} else if (ftrace_noise_cpus(&bare, &reader->header.nr_cpus)) {
		return OK;
	} else if (!reader->trace_lines && is_zlib(&bare)) {
		return err_line(reader->err, ERR_FORMAT, reader->bytes->path, reader->lines.number,
				"expected text, this is compressed (atrace -z)");
	} else {
		other_line(reader, &bare);
	}
	return OK;
}

static void note(struct event_quality *quality, const char *text)
{
	size_t len = strlen(quality->note);

	snprintf(quality->note + len, sizeof(quality->note) - len, "%s%s", len ? "; " : "", text);
}

static void note_all(struct reader *reader, struct event_quality *quality)
{
	char text[64];

	quality->unparsed += reader->bad;
	quality->truncated |= reader->quality.truncated;
	quality->lost_events += reader->quality.lost_events;
	quality->lost_unknown += reader->quality.lost_unknown;
	if (reader->bad) {
		snprintf(text, sizeof(text), "line %llu is not what it should be",
			 reader->first_bad);
		note(quality, text);
	}
	if (reader->counts)
		note(quality, "times are counts, not ns");
	if (reader->seen.plugin_states)
		note(quality, "trace-cmd's state letters: wrong since 4.14, no R+");
	if (!reader->events && reader->trace_lines)
		note(quality, "no event of a known kind");
}

static void settle_end(struct reader *reader)
{
	/* within a name, or between its lines before the event */
	if (reader->open.nr || reader->head_lines)
		reader->quality.truncated = true;
	vec_for_each(loss, &reader->losses) {
		reader->quality.lost_events += loss->count;
		reader->quality.lost_unknown += !loss->count;
	}
}

static enum err_code end_stream(struct reader *reader)
{
	if (!reader->trace_lines && !(reader->is_own && reader->own.feed.begun))
		return err_line(reader->err, ERR_FORMAT, reader->bytes->path, reader->lines.number,
				"expected trace lines, \"COMM-PID [CPU] TIME: EVENT: ...\", "
				"there is none up to here");
	settle_end(reader);
	if (reader->is_own) {
		reader->own.quality.truncated |= !reader->own.ended;
		note_all(reader, &reader->own.quality);
		return dump_feed_end(&reader->own.feed, &reader->own.header, &reader->own.quality);
	}
	note_all(reader, events_intake_quality(reader->intake));
	return events_intake_end(reader->intake);
}

static enum err_code read_text(struct bytes *bytes, const struct input_options *options,
			       struct event_sink sink, struct err *err)
{
	struct reader *reader = NEW(struct reader);
	struct line line;
	enum err_code code = OK;

	reader->bytes = bytes;
	reader->err = err;
	reader->sink = sink;
	reader->own.feed.sink = sink;
	lines_begin(&reader->lines, bytes, options);
	while (code == OK && lines_next(&reader->lines, &line))
		code = take_line(reader, &line);
	if (code == OK || code == ERR_STOP)
		code = end_stream(reader);
	events_intake_free(reader->intake);
	ftrace_own_fini(&reader->own);
	names_fini(&reader->seen.marks);
	vec_free(&reader->open);
	vec_free(&reader->losses);
	free(reader);
	return code;
}

/* A whole trace line, or what only such files begin with. */
static bool is_sign(const struct line *line)
{
	static const char *const fronts[] = { "# tracer:", "TRACE:", "capturing trace...",
					      "# captured on", "# entries-in-buffer" };
	struct ftrace_line parsed;

	for (size_t i = 0; i < ARRAY_SIZE(fronts); i++)
		if (line->len >= strlen(fronts[i]) &&
		    !memcmp(line->at, fronts[i], strlen(fronts[i])))
			return true;
	return ftrace_line_parse(line->at, line->len, &parsed) && parsed.event_len;
}

static bool detect(const u8 *head, size_t len)
{
	struct line line = { (const char *)head, len };

	if (ftrace_noise_html(&line))
		return true;
	while (len) {
		const char *end = memchr(line.at, '\n', len);
		size_t whole = end ? (size_t)(end - line.at) : len;

		line.len = whole;
		if (is_sign(&line))
			return true;
		if (!end)
			break;
		line.at = end + 1;
		len -= whole + 1;
	}
	return false;
}

const struct input_format input_ftrace_text = { "ftrace text", detect, read_text };
