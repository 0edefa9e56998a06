/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/perf.h"

enum { /* include/uapi/linux/perf_event.h, tools/lib/perf/include/perf/event.h */
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_LOST_SAMPLES = 13,
	RECORD_FINISHED_ROUND = 68,
};

#define MISC_LOST_BY_FILTER (1 << 15) /* PERF_RECORD_MISC_LOST_SAMPLES_BPF: dropped on purpose */

static void see_time(struct perf *perf, u64 time_ns)
{
	if (time_ns > perf->newest_ns)
		perf->newest_ns = time_ns;
}

/* The sample's process is the current thread's, which one of the two may be. */
static void tell_process(struct intake_item *item, const struct perf_sample *sample)
{
	if ((s32)sample->pid <= 0)
		return;
	if (item->event.task.tid == (s32)sample->tid)
		item->pid = (s32)sample->pid;
	else if (item->event.other.tid == (s32)sample->tid)
		item->other_pid = (s32)sample->pid;
}

static enum err_code decode_sample(struct perf *perf, const struct perf_record *record)
{
	struct perf_sample sample;

	if (!perf_parse_sample(perf, record, &sample)) {
		perf->quality.unparsed++;
		return OK;
	}
	see_time(perf, sample.time_ns);
	switch (tep_fields_decode(perf->fields, sample.raw, sample.raw_size, sample.cpu,
				  sample.time_ns, &perf->item)) {
	case TEP_DECODED:
		tell_process(&perf->item, &sample);
		return events_intake_push(perf->intake, &perf->item);
	case TEP_DAMAGED:
		perf->quality.unparsed++;
		return OK;
	case TEP_OTHER:
		break;
	}
	return OK;
}

/* Everything up to the newest of the round before this one has been written. */
static enum err_code decode_round(struct perf *perf, const struct perf_record *record)
{
	enum err_code code = events_intake_flush(perf->intake, perf->round_ns);

	(void)record;
	perf->round_ns = perf->newest_ns;
	return code;
}

static enum err_code decode_comm(struct perf *perf, const struct perf_record *record)
{
	const u8 *at = record->at + PERF_HEADER;
	char comm[INTAKE_COMM] = "";
	struct perf_sample id;

	if (record->size < PERF_HEADER + 8 + 8) {
		perf->quality.unparsed++;
		return OK;
	}
	/* what perf gathered before it began has no time and comes first */
	if (!perf_parse_id(perf, record, &id))
		id.time_ns = 0;
	memcpy(comm, at + 8, strnlen((const char *)at + 8, 8));
	if (record->size >= PERF_HEADER + 8 + INTAKE_COMM)
		memcpy(comm, at + 8, strnlen((const char *)at + 8, INTAKE_COMM - 1));
	return events_intake_name(perf->intake, id.time_ns, (s32)perf_u32(at + 4),
				  (s32)perf_u32(at), comm);
}

/* Only where the file has no sched_process_fork, or a birth would be told twice. */
static enum err_code decode_fork(struct perf *perf, const struct perf_record *record)
{
	struct intake_item item = { .event = { .kind = EVENT_FORK } };
	const u8 *at = record->at + PERF_HEADER;
	struct perf_sample id;

	if (perf->sees_fork || record->size < PERF_HEADER + 24 ||
	    !perf_parse_id(perf, record, &id) || !id.time_ns)
		return OK;
	see_time(perf, id.time_ns);
	item.event.time_ns = id.time_ns;
	item.event.cpu = id.cpu;
	item.event.task.tid = (s32)perf_u32(at + 8);
	item.event.other.tid = (s32)perf_u32(at + 12);
	item.pid = (s32)perf_u32(at);
	item.other_pid = (s32)perf_u32(at + 4);
	if (item.event.task.tid <= 0)
		return OK;
	return events_intake_push(perf->intake, &item);
}

static enum err_code push_loss(struct perf *perf, u64 time_ns, s32 cpu, u64 count)
{
	struct intake_item item = {
		.event = { .time_ns = time_ns, .kind = EVENT_LOST, .cpu = cpu },
	};

	item.event.lost.count = count;
	return events_intake_push(perf->intake, &item);
}

static bool has_cpu(const struct perf_sample *id)
{
	return id->cpu >= 0 && id->cpu < MACHINE_MAX_CPUS;
}

static enum err_code decode_lost(struct perf *perf, const struct perf_record *record)
{
	struct perf_sample id;
	u64 count;

	if (record->size < PERF_HEADER + 16) {
		perf->quality.unparsed++;
		return OK;
	}
	count = perf_u64(record->at + PERF_HEADER + 8);
	if (!perf_parse_id(perf, record, &id) || !id.time_ns) {
		perf->quality.lost_events += count;
		perf->lost += count;
		return OK;
	}
	see_time(perf, id.time_ns);
	perf->lost += count;
	return push_loss(perf, id.time_ns, has_cpu(&id) ? id.cpu : EVENT_NOBODY, count);
}

/*
 * A counter of each event, read when the recording ends.  It counts again what LOST
 * records told, and what was lost after the last of them; of which CPU it does not say.
 */
static enum err_code decode_lost_samples(struct perf *perf, const struct perf_record *record)
{
	if (record->size >= PERF_HEADER + 8 && !(record->misc & MISC_LOST_BY_FILTER))
		perf->lost_samples += perf_u64(record->at + PERF_HEADER);
	return OK;
}

enum err_code perf_end_losses(struct perf *perf)
{
	if (perf->lost_samples <= perf->lost)
		return OK;
	return push_loss(perf, perf->newest_ns, EVENT_NOBODY, perf->lost_samples - perf->lost);
}

static const struct decoder {
	u32 type;
	enum err_code (*decode)(struct perf *perf, const struct perf_record *record);
} decoders[] = {
	{ RECORD_FINISHED_ROUND, decode_round },
	{ RECORD_COMM, decode_comm },
	{ RECORD_FORK, decode_fork },
	{ RECORD_LOST, decode_lost },
	{ RECORD_LOST_SAMPLES, decode_lost_samples },
};

enum err_code perf_decode(struct perf *perf, const struct perf_record *record)
{
	if (!perf->intake) {
		/* perf writes rounds and ids before it describes the events in a pipe */
		enum err_code code = record->type == RECORD_SAMPLE || record->type == RECORD_COMM ||
						     record->type == RECORD_FORK
					     ? perf_begin(perf)
					     : OK;

		if (code != OK || !perf->intake)
			return code;
	}
	if (record->type == RECORD_SAMPLE)
		return decode_sample(perf, record);
	for (size_t i = 0; i < ARRAY_SIZE(decoders); i++)
		if (decoders[i].type == record->type)
			return decoders[i].decode(perf, record);
	return OK;
}
