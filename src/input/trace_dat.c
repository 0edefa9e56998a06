/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_dat - the recordings of trace-cmd.
 *
 * Two passes over the pages: the first counts each event, so that the header can say
 * what the file holds (a format alone does not mean that the event was enabled); the
 * second merges CPUs and instances by time into the intake.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "input/format.h"
#include "input/trace_dat_pages.h"

struct reader {
	struct trace_dat *dat;
	const struct input_options *options;
	struct events_intake *intake;
	VEC(struct trace_dat_pages) pages;
	struct heap heap;
	u64 *counts; /* of records, by event id below nr_ids */
	u32 nr_ids;
	u64 total, done; /* records */
	u64 marked;      /* lost, by the pages' own counts */
	VEC(u8) told;    /* bit per tid: its name needs no saved command line */
};

static bool detect(const u8 *head, size_t len)
{
	static const char magic[] = "\x17\x08\x44tracing";

	return len >= sizeof(magic) - 1 && !memcmp(head, magic, sizeof(magic) - 1);
}

static bool page_before(const struct heap_node *a, const struct heap_node *b)
{
	/* node is the first member */
	const struct trace_dat_pages *x = (const struct trace_dat_pages *)a;
	const struct trace_dat_pages *y = (const struct trace_dat_pages *)b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns;
	return x->nr < y->nr;
}

static_assert(offsetof(struct trace_dat_pages, node) == 0, "page_before casts");

static void open_pages(struct reader *reader)
{
	vec_for_each(buffer, &reader->dat->buffers) {
		vec_for_each(cpu, &buffer->cpus) {
			u32 nr = (u32)reader->pages.nr;
			struct trace_dat_pages *pages = vec_add(&reader->pages);

			trace_dat_pages_open(pages, reader->dat, buffer, cpu);
			pages->nr = nr;
		}
	}
}

static void close_pages(struct reader *reader)
{
	vec_for_each(pages, &reader->pages)
		trace_dat_pages_close(pages);
	vec_free(&reader->pages);
}

static void count_pages(struct reader *reader, struct trace_dat_pages *pages)
{
	while (trace_dat_pages_next(pages)) {
		s64 id = tep_fields_id(reader->dat->fields, pages->raw, pages->len);

		if (id >= 0 && id < reader->nr_ids)
			reader->counts[id]++;
		reader->total++;
	}
	reader->marked += pages->nr_lost;
}

static void count(struct reader *reader)
{
	open_pages(reader);
	vec_for_each(pages, &reader->pages)
		count_pages(reader, pages);
	close_pages(reader);
}

static u64 kinds_seen(const struct reader *reader)
{
	u64 sees = EVENT_BIT(LOST) | EVENT_BIT(NAME);

	for (u32 id = 0; id < reader->nr_ids; id++) {
		u32 kind = tep_fields_kind(reader->dat->fields, id);

		if (reader->counts[id] && kind != EVENT_NR_KINDS)
			sees |= 1ull << kind;
	}
	return sees;
}

/* "sched:sched_switch, ...": as many names of counted events as fit. */
static void list_found(const struct reader *reader, char *list, size_t room)
{
	size_t len = 0;

	list[0] = 0;
	for (u32 id = 0; id < reader->nr_ids; id++) {
		const char *name = tep_fields_name(reader->dat->fields, id);

		if (!reader->counts[id] || !name)
			continue;
		if (len + strlen(name) + 8 > room) {
			strcpy(list + len, ", ...");
			return;
		}
		len += (size_t)snprintf(list + len, room - len, "%s%s", len ? ", " : "", name);
	}
	if (!len)
		snprintf(list, room, "%s", reader->total ? "unknown events" : "no events at all");
}

static enum err_code check_switches(const struct reader *reader, u64 sees, struct err *err)
{
	char list[300];

	if (sees & EVENT_BIT(SWITCH))
		return OK;
	list_found(reader, list, sizeof(list));
	if (reader->dat->note[0])
		return err_set(err, ERR_FORMAT, reader->dat->path,
			       "expected sched_switch events, found %s (%s)", list,
			       reader->dat->note);
	return err_set(err, ERR_FORMAT, reader->dat->path, "expected sched_switch events, found %s",
		       list);
}

static void make_header(const struct reader *reader, u64 sees, struct event_header *header)
{
	const struct trace_dat *dat = reader->dat;

	*header = (struct event_header){ .nr_cpus = dat->nr_cpus, .sees = sees };
	strcpy(header->source, input_trace_dat.name);
	static_assert(sizeof(header->clock) == sizeof(dat->clock), "same names");
	static_assert(sizeof(header->release) == sizeof(dat->release), "same names");
	memcpy(header->clock, dat->clock, sizeof(header->clock));
	memcpy(header->release, dat->release, sizeof(header->release));
}

/* Marks @tid as told; true if it was not yet.  The decoder bounds tids by PID_MAX_LIMIT. */
static bool first_told(struct reader *reader, s32 tid)
{
	u32 at = (u32)tid / 8;
	u8 bit = (u8)(1 << (tid & 7));

	while (reader->told.nr <= at)
		vec_add(&reader->told);
	if (reader->told.at[at] & bit)
		return false;
	reader->told.at[at] |= bit;
	return true;
}

/* A saved command line speaks of the end of the recording: only if no event has told. */
static enum err_code tell_name(struct reader *reader, u64 time_ns, s32 tid, bool has_comm)
{
	struct trace_dat *dat = reader->dat;
	u64 *name;

	if (tid <= 0 || !first_told(reader, tid) || has_comm)
		return OK;
	name = map_find(&dat->cmdlines, (u64)tid);
	return name ? events_intake_hint(reader->intake, time_ns, tid, 0, dat->names.at[*name].comm)
		    : OK;
}

static enum err_code tell_gap(struct reader *reader, struct trace_dat_pages *pages)
{
	struct intake_item item = { 0 };
	enum err_code code = OK;

	item.event.time_ns = pages->time_ns;
	item.event.kind = EVENT_LOST;
	item.event.cpu = pages->cpu;
	item.event.task.tid = item.event.other.tid = EVENT_NOBODY;
	item.event.lost.count = pages->nr_lost;
	if (pages->nr_lost)
		code = events_intake_push(reader->intake, &item);
	item.event.lost.count = 0;
	if (pages->lost_unknown && !code)
		code = events_intake_push(reader->intake, &item);
	trace_dat_pages_gap_told(pages);
	return code;
}

static enum err_code push(struct reader *reader, struct trace_dat_pages *pages)
{
	struct intake_item item;
	enum err_code code = pages->gap ? tell_gap(reader, pages) : OK;
	const struct event *event = &item.event;

	if (code)
		return code;
	switch (tep_fields_decode(reader->dat->fields, pages->raw, pages->len, pages->cpu,
				  pages->time_ns, &item)) {
	case TEP_OTHER:
		return OK;
	case TEP_DAMAGED:
		events_intake_quality(reader->intake)->unparsed++;
		return OK;
	case TEP_DECODED:
		break;
	}
	code = tell_name(reader, event->time_ns, event->task.tid, item.has_comm);
	if (!code)
		code = tell_name(reader, event->time_ns, event->other.tid, item.has_other_comm);
	return code ? code : events_intake_push(reader->intake, &item);
}

static void start_merge(struct reader *reader)
{
	open_pages(reader);
	vec_for_each(pages, &reader->pages)
		if (trace_dat_pages_next(pages))
			heap_add(&reader->heap, &pages->node, page_before);
}

/* A gap that no record follows has no place in time. */
static void finish_pages(struct reader *reader, struct trace_dat_pages *pages)
{
	struct event_quality *quality = events_intake_quality(reader->intake);

	quality->lost_events += pages->nr_lost;
	quality->lost_unknown += pages->lost_unknown;
	trace_dat_pages_gap_told(pages);
}

static enum err_code merge(struct reader *reader)
{
	const struct input_options *options = reader->options;
	struct trace_dat_pages *pages;
	enum err_code code = OK;

	start_merge(reader);
	while (!code && (pages = (struct trace_dat_pages *)heap_first(&reader->heap))) {
		code = push(reader, pages);
		if (options && options->progress && !(++reader->done & 0xffff))
			options->progress(options->progress_self, reader->done, reader->total);
		if (trace_dat_pages_next(pages))
			heap_moved(&reader->heap, &pages->node, page_before);
		else
			heap_remove(&reader->heap, &pages->node, page_before);
	}
	vec_for_each(at, &reader->pages)
		finish_pages(reader, at);
	return code;
}

/* What CPUSTAT counts beyond the gaps that pages are marked with. */
static void add_quality(struct reader *reader)
{
	struct event_quality *quality = events_intake_quality(reader->intake);
	const struct trace_dat *dat = reader->dat;

	if (dat->lost > reader->marked)
		quality->lost_events += dat->lost - reader->marked;
	quality->unparsed += dat->unparsed;
	quality->truncated |= dat->truncated;
	if (!quality->note[0])
		memcpy(quality->note, dat->note, sizeof(quality->note));
	if (!quality->note[0] && dat->guest)
		strcpy(quality->note, "recorded inside a guest: times are its own clock's");
}

static enum err_code read_events(struct reader *reader, struct event_sink sink, struct err *err)
{
	struct event_header header;
	enum err_code code;
	u64 sees;

	count(reader);
	sees = kinds_seen(reader);
	code = check_switches(reader, sees, err);
	if (code)
		return code;
	make_header(reader, sees, &header);
	reader->intake = events_intake_new(&header, INTAKE_GLOBAL, 0, sink);
	code = merge(reader);
	add_quality(reader);
	if (!code)
		code = events_intake_end(reader->intake);
	events_intake_free(reader->intake);
	return code;
}

static enum err_code read_map(const char *path, const u8 *map, u64 size,
			      const struct input_options *options, struct event_sink sink,
			      struct err *err)
{
	struct trace_dat dat;
	enum err_code code = trace_dat_open(&dat, path, map, size, err);

	if (!code) {
		struct reader reader = { .dat = &dat, .options = options };

		reader.nr_ids = tep_fields_nr_ids(dat.fields);
		reader.counts = NEW_ARRAY(u64, reader.nr_ids + 1);
		code = read_events(&reader, sink, err);
		close_pages(&reader);
		heap_fini(&reader.heap);
		free(reader.counts);
		vec_free(&reader.told);
	}
	trace_dat_close(&dat);
	return code;
}

/* Sections refer to each other both ways: a pipe is spooled first. */
static enum err_code read_dat(struct bytes *bytes, const struct input_options *options,
			      struct event_sink sink, struct err *err)
{
	enum err_code code;
	struct stat stat;
	void *map;
	int fd;

	if (bytes->map)
		return read_map(bytes->path, bytes->map, bytes->size, options, sink, err);
	code = bytes_fd(bytes, &fd, err);
	if (code)
		return code;
	if (fstat(fd, &stat))
		return err_set(err, ERR_IO, bytes->path, "cannot size the spooled input");
	map = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return err_set(err, ERR_IO, bytes->path, "cannot map the spooled input");
	code = read_map(bytes->path, map, (u64)stat.st_size, options, sink, err);
	munmap(map, (size_t)stat.st_size);
	return code;
}

const struct input_format input_trace_dat = { "trace.dat", detect, read_dat };
