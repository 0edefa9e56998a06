/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/dump_line.h"

#include <stdlib.h>

#include "events/dump.h"
#include "events/fields.h"
#include "input/scan.h"
#include "machine/machine.h"

#define CPUS_WORDS (MACHINE_MAX_CPUS / 64)

void dump_memory_fini(struct dump_memory *memory)
{
	vec_free(&memory->text);
	vec_free(&memory->cpus);
}

static bool take_s64(struct scan *scan, s64 *value)
{
	bool negative = scan_char(scan, '-');
	u64 size;

	if (!scan_u64(scan, &size) || size > (u64)S64_MAX + negative)
		return false;
	*value = (s64)(negative ? 0 - size : size);
	return true;
}

/* The two digits behind "\x"; a NUL would end the text early and is refused. */
static bool take_escape(struct scan *scan, char *c)
{
	int high, low;

	if (scan->end - scan->at < 3 || *scan->at != 'x')
		return false;
	high = scan_hex_digit(scan->at[1]);
	low = scan_hex_digit(scan->at[2]);
	scan->at += 3;
	if (high < 0 || low < 0)
		return false;
	*c = (char)(high << 4 | low);
	return *c;
}

/* "..." into @to, which has room for what is left of the line and a NUL. */
static bool take_quoted(struct scan *scan, char *to, size_t *len)
{
	size_t nr = 0;

	if (!scan_char(scan, '"'))
		return false;
	while (scan->at < scan->end && *scan->at != '"') {
		char c = *scan->at++;

		if (!c || (c == '\\' && !take_escape(scan, &c)))
			return false;
		to[nr++] = c;
	}
	to[nr] = '\0';
	*len = nr;
	return scan_char(scan, '"');
}

static bool take_text(struct scan *scan, struct dump_memory *memory, const char **text, size_t *len)
{
	*text = NULL;
	*len = 0;
	if (scan_char(scan, '-'))
		return true;
	vec_reserve(&memory->text, (size_t)(scan->end - scan->at) + 1);
	*text = memory->text.at;
	return take_quoted(scan, memory->text.at, len);
}

static bool take_task(struct scan *scan, struct event_task *task)
{
	s64 tid;

	if (!take_s64(scan, &tid) || tid != (s32)tid || !scan_char(scan, ':') ||
	    !scan_u32(scan, 0xffffffffu, &task->gen))
		return false;
	task->tid = (s32)tid;
	return true;
}

static bool take_cpus(struct scan *scan, struct dump_memory *memory, const struct event_cpus **cpus)
{
	struct event_cpus *set;

	*cpus = NULL;
	if (scan_char(scan, '-'))
		return true;
	vec_reserve(&memory->cpus, CPUS_WORDS + 1);
	set = (struct event_cpus *)memory->cpus.at;
	set->nr_words = 0;
	*cpus = set;
	if (!scan_char(scan, '['))
		return false;
	while (!scan_here(scan, ']')) {
		if (set->nr_words && !scan_char(scan, ','))
			return false;
		if (set->nr_words == CPUS_WORDS || !scan_hex(scan, 16, &set->words[set->nr_words]))
			return false;
		set->nr_words++;
	}
	return scan_char(scan, ']');
}

/* A number by its name; one beyond the names stands as a number. */
static bool take_word(struct scan *scan, const struct event_field *field, s64 *number)
{
	size_t len = 0;

	while (scan->at + len < scan->end && scan->at[len] != ' ')
		len++;
	for (u32 i = 0; i < field->nr_words; i++) {
		if (strlen(field->words[i]) != len || memcmp(field->words[i], scan->at, len))
			continue;
		scan->at += len;
		*number = i;
		return true;
	}
	return false;
}

static bool take_value(struct scan *scan, const struct event_field *field,
		       struct dump_memory *memory, struct event *event)
{
	char *at = (char *)event + field->offset;
	s64 number;
	size_t len;

	if (field->type == EVENT_FIELD_TASK)
		return take_task(scan, (struct event_task *)at);
	if (field->type == EVENT_FIELD_CPUS)
		return take_cpus(scan, memory, (const struct event_cpus **)at);
	if (field->type == EVENT_FIELD_TEXT) {
		if (!take_text(scan, memory, (const char **)at, &len))
			return false;
		if (event->kind == EVENT_NAME)
			event->name.len = (u32)len;
		return true;
	}
	if (field->type == EVENT_FIELD_U64)
		return scan_u64(scan, (u64 *)at);
	return (take_word(scan, field, &number) || take_s64(scan, &number)) &&
	       event_field_set(event, field, number);
}

static bool take_key(struct scan *scan, const char *name)
{
	struct scan try = *scan;

	if (!scan_char(&try, ' ') || !scan_text(&try, name, strlen(name)) || !scan_char(&try, '='))
		return false;
	*scan = try;
	return true;
}

/* What no field of the kind covers, in the order of events_dump_event(). */
static bool take_rest(struct scan *scan, struct event *event)
{
	static const char *const words[] = { "+w0", "+w1", "+w2" };
	u64 word;

	if (take_key(scan, "+task") && !take_task(scan, &event->task))
		return false;
	if (take_key(scan, "+other") && !take_task(scan, &event->other))
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		if (!take_key(scan, words[i]))
			continue;
		/* never a pointer from a number */
		if (event_has_pointers(event->kind) || !scan_u64(scan, &word))
			return false;
		event->words[i] |= word;
	}
	return scan->at == scan->end;
}

static bool take_front(struct scan *scan, struct event *event)
{
	u32 cpu, flags = 0;
	const char *kind;

	if (!scan_u64(scan, &event->time_ns) || !scan_char(scan, ' ') ||
	    !scan_u64(scan, &event->seq) || !scan_char(scan, ' '))
		return false;
	event->cpu = EVENT_NOBODY;
	if (!scan_char(scan, '-')) {
		if (!scan_u32(scan, MACHINE_MAX_CPUS - 1, &cpu))
			return false;
		event->cpu = (s32)cpu;
	}
	if (!scan_char(scan, ' '))
		return false;
	for (kind = scan->at; scan->at < scan->end && *scan->at != ' '; scan->at++)
		;
	event->kind = (u16)event_kind_find(kind, (size_t)(scan->at - kind));
	if (event->kind == EVENT_NR_KINDS)
		return false;
	if (take_key(scan, "flags") && !scan_u32(scan, 0xffff, &flags))
		return false;
	event->flags = (u16)flags;
	return true;
}

static bool is_cpu(s32 cpu)
{
	return cpu >= EVENT_NOBODY && cpu < MACHINE_MAX_CPUS;
}

static const u32 nr_rules = 0
#define EVENT_RULE(id, name) +1
#include "events/rules.def"
	;
static const u32 nr_reasons = 0
#define EVENT_REASON(id, name, what) +1
#include "events/rules.def"
	;

/* Values that others use as indices or take for granted. */
static bool has_meaning(const struct event *event)
{
	switch (event->kind) {
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		return is_cpu(event->wake.target_cpu);
	case EVENT_MIGRATE:
		return is_cpu(event->migrate.orig_cpu) && is_cpu(event->migrate.dest_cpu);
	case EVENT_CGROUP:
		return event->cgroup.what <= EVENT_CGROUP_UNTHROTTLE;
	case EVENT_CPU:
		return event->cpu_.online <= 1;
	case EVENT_CAPACITY:
		return event->cpu_.capacity <= 1024;
	case EVENT_COST:
		return event->cost.what < EVENT_NR_COSTS;
	case EVENT_MARK:
		return event->mark.what <= EVENT_MARK_REQUEST && event->mark.begin <= 1;
	case EVENT_DECISION:
		return event->decision.rule < nr_rules && event->decision.reason < nr_reasons &&
		       is_cpu(event->decision.cpu);
	default:
		return true;
	}
}

bool dump_event_line(const char *at, size_t len, struct dump_memory *memory, struct event *event)
{
	struct scan scan = { at, at + len };

	*event = (struct event){ 0 };
	if (!take_front(&scan, event))
		return false;
	for (const struct event_field *field = event_fields(event->kind); field->name; field++)
		if (!take_key(&scan, field->name) || !take_value(&scan, field, memory, event))
			return false;
	return take_rest(&scan, event) && has_meaning(event);
}

/* A quoted text that must fit @size with its NUL. */
static bool take_fixed(struct scan *scan, char *to, size_t size)
{
	char text[4 * 128];
	size_t len;

	if ((size_t)(scan->end - scan->at) >= sizeof(text) || !take_quoted(scan, text, &len) ||
	    len >= size || scan->at != scan->end)
		return false;
	memcpy(to, text, len + 1);
	return true;
}

static bool take_sees(struct scan *scan, u64 *sees)
{
	if (scan_char(scan, '-'))
		return scan->at == scan->end;
	do {
		const char *from = scan->at;
		u32 kind;

		while (scan->at < scan->end && *scan->at != ',')
			scan->at++;
		kind = event_kind_find(from, (size_t)(scan->at - from));
		if (kind == EVENT_NR_KINDS)
			return false;
		*sees |= 1ULL << kind;
	} while (scan_char(scan, ','));
	return scan->at == scan->end;
}

bool dump_header_line(const char *at, size_t len, struct event_header *header)
{
	struct scan scan = { at, at + len };

	if (scan_text(&scan, "source ", 7))
		return take_fixed(&scan, header->source, sizeof(header->source));
	if (scan_text(&scan, "clock ", 6))
		return take_fixed(&scan, header->clock, sizeof(header->clock));
	if (scan_text(&scan, "release ", 8))
		return take_fixed(&scan, header->release, sizeof(header->release));
	if (scan_text(&scan, "cpus ", 5))
		return scan_u32(&scan, MACHINE_MAX_CPUS, &header->nr_cpus) && scan.at == scan.end;
	if (scan_text(&scan, "origin_ns ", 10))
		return scan_u64(&scan, &header->origin_ns) && scan.at == scan.end;
	return scan_text(&scan, "sees ", 5) && take_sees(&scan, &header->sees);
}

bool dump_quality_line(const char *at, size_t len, struct event_quality *quality)
{
	struct scan scan = { at, at + len };
	u32 truncated;

	if (!scan_text(&scan, "end", 3))
		return false;
	for (u32 i = 0; i < events_dump_nr_counters; i++) {
		const struct events_dump_counter *counter = &events_dump_counters[i];

		if (!take_key(&scan, counter->name) ||
		    !scan_u64(&scan, (u64 *)((char *)quality + counter->offset)))
			return false;
	}
	if (!take_key(&scan, "truncated") || !scan_u32(&scan, 1, &truncated) ||
	    !take_key(&scan, "note"))
		return false;
	quality->truncated = truncated;
	return take_fixed(&scan, quality->note, sizeof(quality->note));
}

static bool idle_is_named(struct event_task task, s32 cpu)
{
	return task.tid || cpu == EVENT_NOBODY || task.gen == (u32)cpu;
}

static bool can_follow(const struct dump_feed *feed, const struct event *event)
{
	if (feed->begun && (event->time_ns < feed->time_ns || event->seq <= feed->seq))
		return false;
	return event->kind != EVENT_SWITCH ||
	       (idle_is_named(event->task, event->cpu) && idle_is_named(event->other, event->cpu));
}

static void begin(struct dump_feed *feed, const struct event_header *header)
{
	feed->begun = true;
	if (feed->sink.on_begin)
		feed->code = feed->sink.on_begin(feed->sink.self, header);
}

bool dump_feed_event(struct dump_feed *feed, const struct event_header *header,
		     const struct event *event)
{
	if (!can_follow(feed, event))
		return false;
	if (!feed->begun)
		begin(feed, header);
	feed->time_ns = event->time_ns;
	feed->seq = event->seq;
	if (feed->code == OK)
		feed->code = feed->sink.on_event(feed->sink.self, event);
	return true;
}

enum err_code dump_feed_end(struct dump_feed *feed, const struct event_header *header,
			    const struct event_quality *quality)
{
	enum err_code code;

	if (!feed->begun)
		begin(feed, header);
	if (feed->code != OK && feed->code != ERR_STOP)
		return feed->code;
	if (feed->sink.on_end) {
		code = feed->sink.on_end(feed->sink.self, quality);
		if (code != OK)
			feed->code = code;
	}
	return feed->code;
}
