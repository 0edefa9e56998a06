/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_data - what `perf record` writes, as a file or through a pipe.
 *
 * A file is described at its head and behind its data; a pipe by records that come
 * before the events.  Both then are a row of records.
 */
#include <stdlib.h>

#include <zstd.h>

#include "events/fields.h"
#include "input/perf.h"

static const char magic[8] = "PERFILE2", swapped[8] = "2ELIFREP";

static bool detect(const u8 *head, size_t len)
{
	return len >= 8 && (!memcmp(head, magic, 8) || !memcmp(head, swapped, 8));
}

/* The names that ftrace has for the same clocks. */
static const char *clock_name(const struct perf_attr *attr)
{
	static const struct {
		s32 id;
		const char *name;
	} clocks[] = {
		{ 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" }, { 11, "tai" }
	};

	for (size_t i = 0; attr->use_clockid && i < ARRAY_SIZE(clocks); i++)
		if (clocks[i].id == attr->clockid)
			return clocks[i].name;
	return attr->use_clockid ? "" : "perf";
}

static const char *attr_name(const struct perf *perf, const struct perf_attr *attr)
{
	const char *name = NULL;

	if (attr->type == PERF_TYPE_TRACEPOINT && perf->fields && attr->config <= 65535)
		name = tep_fields_name(perf->fields, (u32)attr->config);
	if (attr->name[0])
		name = attr->name;
	return name ? name : attr->type == PERF_TYPE_TRACEPOINT ? "a tracepoint" : "a counter";
}

/* "sched:sched_wakeup, cycles": what there is instead, each once, as far as it fits. */
static enum err_code no_switches(struct perf *perf)
{
	char found[256] = "";
	size_t len = 0;

	vec_for_each(attr, &perf->attrs) {
		const char *name = attr_name(perf, attr);

		if (strstr(found, name))
			continue;
		if (len + strlen(name) + 8 >= sizeof(found)) {
			len += (size_t)snprintf(found + len, sizeof(found) - len, ", ...");
			break;
		}
		len += (size_t)snprintf(found + len, sizeof(found) - len, "%s%s", len ? ", " : "",
					name);
	}
	return err_set(perf->err, ERR_FORMAT, perf->bytes->path,
		       "no scheduler events: expected sched_switch among %s", found);
}

static u32 kind_of(const struct perf *perf, const struct perf_attr *attr)
{
	if (attr->type != PERF_TYPE_TRACEPOINT || attr->config > 65535 || !perf->fields)
		return EVENT_NR_KINDS;
	return tep_fields_kind(perf->fields, (u32)attr->config);
}

static enum err_code see_kinds(struct perf *perf)
{
	bool tracepoints = false, tasks = false;

	perf->header.sees = EVENT_BIT(LOST) | EVENT_BIT(NAME);
	vec_for_each(attr, &perf->attrs) {
		u32 kind = kind_of(perf, attr);

		tracepoints |= attr->type == PERF_TYPE_TRACEPOINT;
		tasks |= attr->task;
		if (kind == EVENT_NR_KINDS)
			continue;
		perf->header.sees |= 1ULL << kind;
		if (!(attr->sample_type & PERF_SAMPLE_TIME) ||
		    !(attr->sample_type & PERF_SAMPLE_RAW))
			return err_set(perf->err, ERR_FORMAT, perf->bytes->path,
				       "expected a time and raw data in the samples of %s",
				       event_kind_name(kind));
	}
	if (tracepoints && !perf->fields)
		return err_set(perf->err, ERR_FORMAT, perf->bytes->path,
			       "expected the formats of its tracepoints: the recording was "
			       "killed or cut before them");
	if (!(perf->header.sees & EVENT_BIT(SWITCH)))
		return no_switches(perf);
	perf->sees_fork = perf->header.sees & EVENT_BIT(FORK);
	if (tasks)
		perf->header.sees |= EVENT_BIT(FORK);
	return OK;
}

/*
 * What is inherited by new threads is only ever written to a buffer of a CPU, never to one of
 * a thread, for every thread would write to that.  Kernel: perf_mmap(), v6.12.
 */
static size_t nr_cpu_buffers(const struct perf *perf)
{
	size_t nr = 0;

	vec_for_each(attr, &perf->attrs) {
		if (!attr->cpu_buffers)
			return 0;
		if (attr->nr_ids > nr)
			nr = attr->nr_ids;
	}
	return nr;
}

enum err_code perf_begin(struct perf *perf)
{
	struct event_header *header = &perf->header;
	enum err_code code;

	if (!perf->attrs.nr)
		return err_set(perf->err, ERR_FORMAT, perf->bytes->path,
			       "expected attrs before the first event");
	code = see_kinds(perf);
	if (code != OK)
		return code;
	if (!perf_layout_all(perf))
		return err_set(perf->err, ERR_FORMAT, perf->bytes->path,
			       "expected an id in each sample, as its events differ");
	snprintf(header->source, sizeof(header->source), "%s", input_perf_data.name);
	snprintf(header->clock, sizeof(header->clock), "%s", clock_name(perf->attrs.at));
	perf->intake = events_intake_new(header, INTAKE_BY_CPU, 0, perf->sink);
	events_intake_trust_buffers(perf->intake, nr_cpu_buffers(perf));
	vec_for_each(comm, &perf->comms)
		events_intake_hint(perf->intake, 0, comm->tid, 0, comm->comm);
	return OK;
}

static enum err_code end(struct perf *perf)
{
	struct event_quality *quality;
	enum err_code code = perf_end_losses(perf);

	if (code != OK && code != ERR_STOP)
		return code;
	quality = events_intake_quality(perf->intake);
	quality->unparsed += perf->quality.unparsed;
	quality->lost_events += perf->quality.lost_events;
	quality->truncated = perf->quality.truncated;
	memcpy(quality->note, perf->quality.note, sizeof(quality->note));
	return events_intake_end(perf->intake);
}

/* In a pipe, events make it begin; one without any still has to say what it is. */
static enum err_code walk_and_end(struct perf *perf, u64 data, u64 data_end)
{
	enum err_code code = perf_walk(perf, data, data_end);

	if (code == OK && !perf->intake && perf->quality.truncated && !perf->attrs.nr)
		return err_set(perf->err, ERR_FORMAT, perf->bytes->path, "%s", perf->quality.note);
	if (code == OK && !perf->intake)
		code = perf_begin(perf);
	if (perf->intake && (code == OK || code == ERR_STOP))
		code = end(perf);
	return code;
}

static enum err_code read_file(struct perf *perf)
{
	u64 data = 0, data_end = 0;
	enum err_code code = OK;
	int fd;

	/* its description is behind its data: a pipe has to be kept */
	if (!perf->bytes->map)
		code = bytes_fd(perf->bytes, &fd, perf->err);
	if (code == OK)
		code = perf_read_file_head(perf, &data, &data_end);
	if (code == OK)
		code = perf_begin(perf);
	return code == OK ? walk_and_end(perf, data, data_end) : code;
}

static void perf_free(struct perf *perf)
{
	events_intake_free(perf->intake);
	tep_fields_free(perf->fields);
	map_fini(&perf->by_id);
	vec_free(&perf->attrs);
	vec_free(&perf->comms);
	if (perf->plain.stream)
		ZSTD_freeDStream(perf->plain.stream);
	free(perf->plain.buf);
	free(perf);
}

static enum err_code read_head(struct perf *perf)
{
	const u8 *head = bytes_at(perf->bytes, 0, PERF_PIPE_HEAD);
	u64 size;

	if (!head)
		return err_byte(perf->err, ERR_FORMAT, perf->bytes->path, perf->bytes->size,
				"expected the head of a perf.data, the file ends");
	if (!memcmp(head, swapped, sizeof(swapped)))
		return err_byte(perf->err, ERR_FORMAT, perf->bytes->path, 0,
				"expected a perf.data of a little-endian machine: this one is of "
				"the other byte order");
	size = perf_u64(head + 8);
	if (size == PERF_PIPE_HEAD)
		return walk_and_end(perf, PERF_PIPE_HEAD, U64_MAX);
	if (size == PERF_FILE_HEAD)
		return read_file(perf);
	return err_byte(perf->err, ERR_FORMAT, perf->bytes->path, 8,
			"expected the size of the head, %d or %d: found %llu", PERF_FILE_HEAD,
			PERF_PIPE_HEAD, size);
}

static enum err_code read_perf_data(struct bytes *bytes, const struct input_options *options,
				    struct event_sink sink, struct err *err)
{
	struct perf *perf = NEW(struct perf);
	enum err_code code;

	perf->bytes = bytes;
	perf->options = options;
	perf->sink = sink;
	perf->err = err;
	code = read_head(perf);
	perf_free(perf);
	return code;
}

const struct input_format input_perf_data = { "perf.data", detect, read_perf_data };
