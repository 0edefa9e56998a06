/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/tep_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "base/map.h"
#include "base/vec.h"
#include "input/bytes.h"
#include "input/format_text.h"
#include "input/marker.h"
#include "machine/machine.h"

#define MAX_TID   (4 * 1024 * 1024) /* PID_MAX_LIMIT, include/linux/threads.h */
#define MAX_STEPS 10

/* What becomes of a field. */
enum step_how {
	STEP_TID, /* into an s32: 0..MAX_TID */
	STEP_CPU, /* into an s32: 0..MACHINE_MAX_CPUS - 1 */
	STEP_32,
	STEP_64,
	STEP_STATE, /* into a u32, as EVENT_STATE_* */
	STEP_COMM,
	STEP_OTHER_COMM,
	STEP_SUCCESS, /* 0: this was no wakeup (until 5.13) */
	STEP_MARK,    /* the text of ftrace's print */
	/* the usual widths in the host's byte order, decoded without looking at them again */
	STEP_S32_LIMIT, /* four bytes into an s32: 0..limit - 1 */
	STEP_COPY_32,
	STEP_COPY_64,
	STEP_COMM_16, /* the bytes as they are: the intake cuts at the NUL */
};

struct want {
	const char *field; /* NULL ends a list */
	enum step_how how;
	bool optional;
	u32 to; /* offset in struct event */
};

#define TO(member) offsetof(struct event, member)

static const struct want want_switch[] = {
	{ "prev_comm", STEP_COMM, true },
	{ "prev_pid", STEP_TID, false, TO(task.tid) },
	{ "prev_prio", STEP_32, false, TO(switch_.prev_prio) },
	{ "prev_state", STEP_STATE, false, TO(switch_.prev_state) },
	{ "next_comm", STEP_OTHER_COMM, true },
	{ "next_pid", STEP_TID, false, TO(other.tid) },
	{ "next_prio", STEP_32, false, TO(switch_.next_prio) },
	{ NULL },
};
static const struct want want_wake[] = {
	{ "common_pid", STEP_TID, false, TO(other.tid) },
	{ "comm", STEP_COMM, true },
	{ "pid", STEP_TID, false, TO(task.tid) },
	{ "prio", STEP_32, false, TO(wake.prio) },
	{ "success", STEP_SUCCESS, true },
	{ "target_cpu", STEP_CPU, false, TO(wake.target_cpu) },
	{ NULL },
};
static const struct want want_migrate[] = {
	{ "common_pid", STEP_TID, false, TO(other.tid) },
	{ "comm", STEP_COMM, true },
	{ "pid", STEP_TID, false, TO(task.tid) },
	{ "prio", STEP_32, false, TO(migrate.prio) },
	{ "orig_cpu", STEP_CPU, false, TO(migrate.orig_cpu) },
	{ "dest_cpu", STEP_CPU, false, TO(migrate.dest_cpu) },
	{ NULL },
};
static const struct want want_fork[] = {
	{ "parent_comm", STEP_OTHER_COMM, true },
	{ "parent_pid", STEP_TID, false, TO(other.tid) },
	{ "child_comm", STEP_COMM, true },
	{ "child_pid", STEP_TID, false, TO(task.tid) },
	{ NULL },
};
static const struct want want_exec[] = {
	{ "pid", STEP_TID, false, TO(task.tid) },
	{ "old_pid", STEP_TID, false, TO(life.old_tid) },
	{ NULL },
};
static const struct want want_exit[] = {
	{ "comm", STEP_COMM, true },
	{ "pid", STEP_TID, false, TO(task.tid) },
	{ "prio", STEP_32, false, TO(life.prio) },
	{ NULL },
};
static const struct want want_runtime[] = {
	{ "common_pid", STEP_TID, false, TO(other.tid) },
	{ "comm", STEP_COMM, true },
	{ "pid", STEP_TID, false, TO(task.tid) },
	{ "runtime", STEP_64, false, TO(runtime.runtime_ns) },
	{ NULL },
};
static const struct want want_idle[] = {
	{ "state", STEP_32, false, TO(idle.state) },
	{ "cpu_id", STEP_CPU, false, TO(cpu) },
	{ NULL },
};
static const struct want want_freq[] = {
	{ "state", STEP_32, false, TO(freq.khz) },
	{ "cpu_id", STEP_CPU, false, TO(cpu) },
	{ NULL },
};
static const struct want want_mark[] = {
	{ "common_pid", STEP_TID, false, TO(task.tid) },
	{ "buf", STEP_MARK },
	{ NULL },
};

static const struct tracepoint {
	u32 kind;
	const char *system, *name;
	const struct want *wants;
} tracepoints[] = {
	{ EVENT_SWITCH, "sched", "sched_switch", want_switch },
	{ EVENT_WAKING, "sched", "sched_waking", want_wake },
	{ EVENT_WAKEUP, "sched", "sched_wakeup", want_wake },
	{ EVENT_WAKEUP_NEW, "sched", "sched_wakeup_new", want_wake },
	{ EVENT_MIGRATE, "sched", "sched_migrate_task", want_migrate },
	{ EVENT_FORK, "sched", "sched_process_fork", want_fork },
	{ EVENT_EXEC, "sched", "sched_process_exec", want_exec },
	{ EVENT_EXIT, "sched", "sched_process_exit", want_exit },
	{ EVENT_RUNTIME, "sched", "sched_stat_runtime", want_runtime },
	{ EVENT_IDLE, "power", "cpu_idle", want_idle },
	{ EVENT_FREQ, "power", "cpu_frequency", want_freq },
	{ EVENT_MARK, "ftrace", "print", want_mark },
};

/* A field of the record and where it goes. */
struct step {
	u32 from, size;
	u32 to;
	u32 limit; /* of STEP_S32_LIMIT */
	u8 how;
	bool is_signed;
	bool data_loc; /* the field holds the place and length of its text ... */
	bool relative; /* ... counted from the field's own end */
};

struct plan {
	u32 kind;
	u32 nr_steps;
	u32 need; /* the shortest record that holds every fixed field */
	bool has_comm, has_other_comm;
	struct step steps[MAX_STEPS];
	bool states_plain; /* prev_state already has the bits of EVENT_STATE_* */
	struct format_states states;
};

struct format {
	char *name; /* "system:name", NULL: none of this id */
	struct plan *plan;
};

struct tep_fields {
	bool big_endian;
	u32 long_size;
	u32 type_offset, type_size; /* of common_type */
	VEC(struct format) formats; /* by id */
	struct names marks;
};

struct tep_fields *tep_fields_new(bool big_endian, u32 long_size)
{
	struct tep_fields *fields = NEW(struct tep_fields);

	/* its warnings go to stderr, which belongs to cli/ */
	tep_set_loglevel(TEP_LOG_NONE);
	fields->big_endian = big_endian;
	fields->long_size = long_size;
	fields->type_size = 2;
	return fields;
}

void tep_fields_free(struct tep_fields *fields)
{
	if (!fields)
		return;
	vec_for_each(format, &fields->formats) {
		free(format->name);
		free(format->plan);
	}
	vec_free(&fields->formats);
	names_fini(&fields->marks);
	free(fields);
}

static const struct tracepoint *find_tracepoint(const char *system, const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		const struct tracepoint *tp = &tracepoints[i];

		if (!strcmp(system, tp->system) && strlen(tp->name) == len &&
		    !memcmp(name, tp->name, len))
			return tp;
	}
	return NULL;
}

static bool is_wanted(const struct want *want, const struct format_field *field)
{
	for (; want->field; want++)
		if (format_field_is(field, want->field))
			return true;
	return format_field_is(field, "common_type");
}

struct text {
	VEC(char) out;
};

static void put(struct text *text, const char *bytes, size_t len)
{
	vec_reserve(&text->out, text->out.nr + len);
	memcpy(text->out.at + text->out.nr, bytes, len);
	text->out.nr += len;
}

/*
 * The text as libtraceevent gets it: only lines of fields that we use, all of the
 * known form, and an empty print format.  A blank line parts the common fields.
 */
static void clean_text(const struct tracepoint *tp, u32 id, struct format_text from,
		       struct text *text)
{
	static const char tail[] = "\nprint fmt: \"\"\n";
	struct format_field field;
	bool gap, parted = false;
	char head[128];

	put(text, head,
	    (size_t)snprintf(head, sizeof(head), "name: %s\nID: %u\nformat:\n", tp->name, id));
	for (u32 seen = 0, kept = 0; kept < 64 && format_text_field(&from, &field, &gap); seen++) {
		if (gap && seen && !parted) {
			put(text, "\n", 1);
			parted = true;
		}
		if (!is_wanted(tp->wants, &field))
			continue;
		put(text, field.line, field.line_len);
		put(text, "\n", 1);
		kept++;
	}
	put(text, tail, strlen(tail));
}

static struct tep_handle *new_tep(const struct tep_fields *fields)
{
	struct tep_handle *tep = tep_alloc();

	assert(tep);
	tep_set_file_bigendian(tep, fields->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, (int)fields->long_size);
	return tep;
}

static bool is_text(enum step_how how)
{
	return how == STEP_COMM || how == STEP_OTHER_COMM || how == STEP_MARK;
}

/* Whether a number of this size is one that we can load, or the text's place is. */
static bool resolve_step(struct step *step, const struct tep_format_field *field,
			 const struct want *want)
{
	step->from = (u32)field->offset;
	step->size = (u32)field->size;
	step->to = want->to;
	step->how = (u8)want->how;
	step->is_signed = field->flags & TEP_FIELD_IS_SIGNED;
	step->data_loc = field->flags & TEP_FIELD_IS_DYNAMIC;
	step->relative = field->flags & TEP_FIELD_IS_RELATIVE;
	if (is_text(want->how))
		return step->data_loc ? step->size == 4
				      : field->flags & TEP_FIELD_IS_ARRAY || want->how == STEP_MARK;
	return !step->data_loc &&
	       (step->size == 1 || step->size == 2 || step->size == 4 || step->size == 8);
}

/* Most fields of most kernels: see the last of enum step_how. */
static void use_shortcut(struct step *step, bool big_endian)
{
	if (step->data_loc || big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return;
	if ((step->how == STEP_TID || step->how == STEP_CPU) && step->size == 4) {
		step->limit = step->how == STEP_TID ? MAX_TID + 1 : MACHINE_MAX_CPUS;
		step->how = STEP_S32_LIMIT;
	} else if (step->how == STEP_32 && step->size == 4) {
		step->how = STEP_COPY_32;
	} else if (step->how == STEP_64 && step->size == 8) {
		step->how = STEP_COPY_64;
	} else if (is_text(step->how) && step->how != STEP_MARK && step->size == INTAKE_COMM) {
		step->to = step->how == STEP_COMM ? offsetof(struct intake_item, comm)
						  : offsetof(struct intake_item, other_comm);
		step->how = STEP_COMM_16;
	}
}

static bool resolve(struct plan *plan, struct tep_event *event, const struct want *want,
		    bool big_endian)
{
	for (; want->field; want++) {
		struct tep_format_field *field = tep_find_any_field(event, want->field);
		struct step *step = &plan->steps[plan->nr_steps];

		if (!field && want->optional)
			continue;
		if (!field || !resolve_step(step, field, want))
			return false;
		if (step->from + step->size > plan->need)
			plan->need = step->from + step->size;
		plan->has_comm |= want->how == STEP_COMM;
		plan->has_other_comm |= want->how == STEP_OTHER_COMM;
		use_shortcut(step, big_endian);
		plan->nr_steps++;
	}
	return true;
}

/* The report bits that kernels print since 4.14; also what is taken without a table. */
static const struct format_states plain_states = {
	.nr = 8,
	.at = { { 0x01, 'S' },
		{ 0x02, 'D' },
		{ 0x04, 'T' },
		{ 0x08, 't' },
		{ 0x10, 'X' },
		{ 0x20, 'Z' },
		{ 0x40, 'P' },
		{ 0x80, 'I' } },
	.preempted = 0x100,
};

static bool same_states(const struct format_states *a, const struct format_states *b)
{
	if (a->nr != b->nr || a->preempted != b->preempted)
		return false;
	for (u32 i = 0; i < a->nr; i++)
		if (a->at[i].bit != b->at[i].bit || a->at[i].letter != b->at[i].letter)
			return false;
	return true;
}

static void learn_states(struct plan *plan, const char *text, size_t len)
{
	if (!format_text_states(text, len, &plan->states))
		plan->states = plain_states;
	plan->states_plain = same_states(&plan->states, &plain_states);
}

static struct plan *make_plan(struct tep_fields *fields, const struct tracepoint *tp, u32 id,
			      struct format_text from)
{
	struct plan *plan = NEW(struct plan);
	struct tep_handle *tep = new_tep(fields);
	struct tep_event *event;
	struct text text = { 0 };
	bool good;

	clean_text(tp, id, from, &text);
	plan->kind = tp->kind;
	good = !tep_parse_event(tep, text.out.at, text.out.nr, tp->system) &&
	       (event = tep_find_event(tep, (int)id)) &&
	       resolve(plan, event, tp->wants, fields->big_endian);
	learn_states(plan, from.at, (size_t)(from.end - from.at));
	tep_free(tep);
	vec_free(&text.out);
	if (good)
		return plan;
	free(plan);
	return NULL;
}

/* Every event of a trace has the same common fields. */
static void learn_type(struct tep_fields *fields, struct format_text text)
{
	struct format_field field;
	bool gap;

	while (format_text_field(&text, &field, &gap) && !gap)
		if (format_field_is(&field, "common_type") &&
		    (field.size == 2 || field.size == 4)) {
			fields->type_offset = field.offset;
			fields->type_size = field.size;
			return;
		}
}

bool tep_fields_add(struct tep_fields *fields, const char *system, const char *bytes, size_t len)
{
	struct format_text text = format_text(bytes, len);
	const struct tracepoint *tp;
	struct format *format;
	const char *name;
	size_t name_len;
	u32 id;

	if (len > FORMAT_TEXT_MAX || !format_text_head(&text, &name, &name_len, &id))
		return false;
	while (fields->formats.nr <= id)
		vec_add(&fields->formats);
	format = &fields->formats.at[id];
	free(format->name);
	free(format->plan);
	format->name = mem_printf("%.64s:%.*s", system, (int)name_len, name);
	format->plan = NULL;
	tp = find_tracepoint(system, name, name_len);
	if (!tp)
		return true;
	learn_type(fields, text);
	format->plan = make_plan(fields, tp, id, text);
	return format->plan;
}

u32 tep_fields_kind(const struct tep_fields *fields, u32 id)
{
	if (id >= fields->formats.nr || !fields->formats.at[id].plan)
		return EVENT_NR_KINDS;
	return fields->formats.at[id].plan->kind;
}

const char *tep_fields_name(const struct tep_fields *fields, u32 id)
{
	return id < fields->formats.nr ? fields->formats.at[id].name : NULL;
}

u32 tep_fields_nr_ids(const struct tep_fields *fields)
{
	return (u32)fields->formats.nr;
}

static inline u64 load(const struct tep_fields *fields, const u8 *at, u32 size)
{
	if (fields->big_endian || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return bytes_load(at, size, fields->big_endian);
	if (size == 2) {
		u16 value;

		memcpy(&value, at, sizeof(value));
		return value;
	}
	if (size == 4) {
		u32 value;

		memcpy(&value, at, sizeof(value));
		return value;
	}
	if (size == 8) {
		u64 value;

		memcpy(&value, at, sizeof(value));
		return value;
	}
	return bytes_load(at, size, false);
}

s64 tep_fields_id(const struct tep_fields *fields, const u8 *raw, size_t len)
{
	if (len < fields->type_offset + fields->type_size)
		return -1;
	return (s64)load(fields, raw + fields->type_offset, fields->type_size);
}

static const struct {
	char letter;
	u32 state;
} letters[] = {
	{ 'S', EVENT_STATE_SLEEP },  { 'D', EVENT_STATE_DISK },   { 'T', EVENT_STATE_STOPPED },
	{ 't', EVENT_STATE_TRACED }, { 'X', EVENT_STATE_DEAD },   { 'x', EVENT_STATE_DEAD },
	{ 'Z', EVENT_STATE_ZOMBIE }, { 'P', EVENT_STATE_PARKED }, { 'I', EVENT_STATE_IDLE },
};

static u32 letter_state(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i].letter == letter)
			return letters[i].state;
	return 0;
}

/*
 * From the bits that this kernel printed to EVENT_STATE_*.  K (killable) and N (no
 * load) only qualify the others; D with N is what later kernels report as I.
 */
static u32 decode_state(const struct plan *plan, u64 raw)
{
	u32 state = 0;
	bool no_load = false, preempted = plan->states.preempted && raw & plan->states.preempted;

	if (plan->states_plain && raw < 0x200)
		return (u32)raw;
	for (u32 i = 0; i < plan->states.nr; i++) {
		if (!(raw & plan->states.at[i].bit))
			continue;
		state |= letter_state(plan->states.at[i].letter);
		no_load |= plan->states.at[i].letter == 'N';
	}
	if (no_load && state == EVENT_STATE_DISK)
		state = EVENT_STATE_IDLE;
	if (preempted)
		return state | EVENT_STATE_PREEMPTED;
	return raw && !state ? EVENT_STATE_UNKNOWN : state;
}

/* Where a text lies in the record; false if it reaches beyond. */
static bool find_text(const struct tep_fields *fields, const struct step *step, const u8 *raw,
		      size_t len, const char **text, size_t *size)
{
	size_t from = step->from, room = step->size;

	if (step->data_loc) {
		u32 loc = (u32)load(fields, raw + step->from, 4);

		from = (loc & 0xffff) + (step->relative ? step->from + 4 : 0);
		room = loc >> 16;
	} else if (step->how == STEP_MARK) {
		room = len - from; /* the text fills the rest of the record */
	}
	if (from > len || room > len - from)
		return false;
	*text = (const char *)raw + from;
	*size = strnlen(*text, room);
	return true;
}

static bool copy_comm(const struct tep_fields *fields, const struct step *step, const u8 *raw,
		      size_t len, char comm[INTAKE_COMM])
{
	const char *text;
	size_t size;

	if (!find_text(fields, step, raw, len, &text, &size))
		return false;
	memcpy(comm, text, size < INTAKE_COMM ? size : INTAKE_COMM - 1);
	return true;
}

static enum tep_decoded take_mark(struct tep_fields *fields, const struct step *step, const u8 *raw,
				  size_t len, struct event *event)
{
	const char *text;
	size_t size;

	if (!find_text(fields, step, raw, len, &text, &size))
		return TEP_DAMAGED;
	if (!marker_decode(text, size, &fields->marks, event))
		return TEP_OTHER;
	return TEP_DECODED;
}

static bool put_s32(struct event *event, u32 to, u64 value, u64 limit)
{
	s32 number = (s32)value;

	memcpy((char *)event + to, &number, sizeof(number));
	return number >= 0 && (u64)number < limit;
}

static s64 load_signed(const struct tep_fields *fields, const struct step *step, const u8 *raw)
{
	u64 value = load(fields, raw + step->from, step->size);
	u32 shift = 64 - 8 * step->size;

	return step->is_signed ? (s64)(value << shift) >> shift : (s64)value;
}

static enum tep_decoded take_step(struct tep_fields *fields, const struct plan *plan,
				  const struct step *step, const u8 *raw, size_t len,
				  struct intake_item *item)
{
	struct event *event = &item->event;
	bool good = true;
	s64 value;

	switch ((enum step_how)step->how) {
	case STEP_COMM:
		item->has_comm = good = copy_comm(fields, step, raw, len, item->comm);
		return good ? TEP_DECODED : TEP_DAMAGED;
	case STEP_OTHER_COMM:
		item->has_other_comm = good = copy_comm(fields, step, raw, len, item->other_comm);
		return good ? TEP_DECODED : TEP_DAMAGED;
	case STEP_MARK:
		return take_mark(fields, step, raw, len, event);
	default:
		break;
	}
	value = load_signed(fields, step, raw);
	switch ((enum step_how)step->how) {
	case STEP_TID:
		good = put_s32(event, step->to, (u64)value, MAX_TID + 1);
		break;
	case STEP_CPU:
		good = put_s32(event, step->to, (u64)value, MACHINE_MAX_CPUS);
		break;
	case STEP_32:
		put_s32(event, step->to, (u64)value, 0);
		break;
	case STEP_64:
		memcpy((char *)event + step->to, &value, sizeof(value));
		break;
	case STEP_STATE:
		put_s32(event, step->to, decode_state(plan, (u64)value), 0);
		break;
	case STEP_SUCCESS:
		return value ? TEP_DECODED : TEP_OTHER;
	default:
		break;
	}
	return good ? TEP_DECODED : TEP_DAMAGED;
}

static enum tep_decoded take_steps(struct tep_fields *fields, const struct plan *plan,
				   const u8 *raw, size_t len, struct intake_item *item)
{
	const struct step *end = plan->steps + plan->nr_steps;

	for (const struct step *step = plan->steps; step < end; step++) {
		char *to = (char *)item + step->to;
		const u8 *from = raw + step->from;
		enum tep_decoded decoded;
		u32 value;

		switch ((enum step_how)step->how) {
		case STEP_S32_LIMIT:
			memcpy(&value, from, sizeof(value));
			memcpy(to, &value, sizeof(value));
			if (value >= step->limit)
				return TEP_DAMAGED;
			break;
		case STEP_COPY_32:
			memcpy(to, from, sizeof(u32));
			break;
		case STEP_COPY_64:
			memcpy(to, from, sizeof(u64));
			break;
		case STEP_COMM_16:
			memcpy(to, from, INTAKE_COMM);
			break;
		default:
			decoded = take_step(fields, plan, step, raw, len, item);
			if (decoded != TEP_DECODED)
				return decoded;
		}
	}
	return TEP_DECODED;
}

enum tep_decoded tep_fields_decode(struct tep_fields *fields, const u8 *raw, size_t len, s32 cpu,
				   u64 time_ns, struct intake_item *item)
{
	s64 id = tep_fields_id(fields, raw, len);
	const struct plan *plan;

	if (id < 0 || (u64)id >= fields->formats.nr || !fields->formats.at[id].plan)
		return TEP_OTHER;
	plan = fields->formats.at[id].plan;
	if (len < plan->need)
		return TEP_DAMAGED;
	memset(item, 0, sizeof(*item));
	item->event.time_ns = time_ns;
	item->event.kind = (u16)plan->kind;
	item->event.cpu = cpu;
	item->event.task.tid = EVENT_NOBODY;
	item->event.other.tid = EVENT_NOBODY;
	item->has_comm = plan->has_comm;
	item->has_other_comm = plan->has_other_comm;
	return take_steps(fields, plan, raw, len, item);
}
