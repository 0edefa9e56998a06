/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_payload.h"

#include "base/mem.h"
#include "input/marker.h"
#include "input/scan.h"
#include "machine/machine.h"

#define COMM_MAX  (INTAKE_COMM - 1)
#define PATH_MOST 4096 /* PATH_MAX: of sched_process_exec's filename */

enum slot { /* where a value goes; a slot of each part */
	SLOT_PID,
	SLOT_PRIO,
	SLOT_STATE, /* SWITCH: a word */
	SLOT_VALUE,
	SLOT_CPU,
	SLOT_SUCCESS,
	SLOT_NR
};

struct key {
	const char *text; /* with the blank before it; NULL ends a list */
	u8 len;
	u8 slot;
	bool optional;
};

#define KEY(text_, slot_)                                     \
	{                                                     \
		text_, sizeof(text_) - 1, SLOT_##slot_, false \
	}
#define OPTIONAL(text_, slot_)                               \
	{                                                    \
		text_, sizeof(text_) - 1, SLOT_##slot_, true \
	}

/* A name and what follows it. */
struct part {
	const char *name;       /* NULL: the part has none */
	const char *other_name; /* as trace-cmd -R calls it */
	bool is_path;
	struct key keys[5], other_keys[2]; /* other_keys: if not empty, tried for other_name */
};

struct piece {
	const char *at;
	size_t len;
};

struct found_part {
	struct piece name, state;
	s64 values[SLOT_NR];
};

struct found {
	struct found_part parts[2];
};

static const struct part part_prev = {
	"prev_comm=",
	.keys = { KEY(" prev_pid=", PID), KEY(" prev_prio=", PRIO), KEY(" prev_state=", STATE) },
};
static const struct part part_next = {
	"next_comm=",
	.keys = { KEY(" next_pid=", PID), KEY(" next_prio=", PRIO) },
};
static const struct part part_wake = {
	"comm=",
	.keys = { KEY(" pid=", PID), KEY(" prio=", PRIO), OPTIONAL(" success=", SUCCESS),
		  KEY(" target_cpu=", CPU) },
};
static const struct part part_migrate = {
	"comm=",
	.keys = { KEY(" pid=", PID), KEY(" prio=", PRIO), KEY(" orig_cpu=", VALUE),
		  KEY(" dest_cpu=", CPU) },
};
static const struct part part_parent = {
	"comm=",
	"parent_comm=",
	.keys = { KEY(" pid=", PID) },
	.other_keys = { KEY(" parent_pid=", PID) },
};
static const struct part part_child = {
	"child_comm=",
	.keys = { KEY(" child_pid=", PID) },
};
static const struct part part_exec = {
	"filename=",
	.is_path = true,
	.keys = { KEY(" pid=", PID), KEY(" old_pid=", VALUE) },
};
static const struct part part_exit = {
	"comm=",
	.keys = { KEY(" pid=", PID), KEY(" prio=", PRIO) },
};
static const struct part part_runtime = {
	"comm=",
	.keys = { KEY(" pid=", PID), KEY(" runtime=", VALUE) },
};
static const struct part part_power = {
	.keys = { KEY("state=", VALUE), KEY(" cpu_id=", CPU) },
};

/* "123", "-1" or "0x1f", and then a blank or the end */
static bool take_number(struct scan *scan, s64 *value)
{
	bool negative = scan_char(scan, '-');
	u64 sum = 0;

	if (!negative && scan_text(scan, "0x", 2)) {
		if (!scan_hex(scan, 16, &sum))
			return false;
	} else if (!scan_u64(scan, &sum) || (negative && sum > S64_MAX)) {
		return false;
	}
	*value = negative ? -(s64)sum : (s64)sum;
	return scan->at == scan->end || *scan->at == ' ' || *scan->at == '\r';
}

static bool take_state(struct scan *scan, struct piece *state)
{
	state->at = scan->at;
	while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '\n')
		scan->at++;
	state->len = (size_t)(scan->at - state->at);
	return state->len && state->len < 24;
}

static bool take_keys(struct scan *scan, const struct key *key, struct found_part *found)
{
	for (; key->text; key++) {
		found->values[key->slot] = -1;
		if (!scan_text(scan, key->text, key->len)) {
			if (key->optional)
				continue;
			return false;
		}
		if (key->slot == SLOT_STATE ? !take_state(scan, &found->state)
					    : !take_number(scan, &found->values[key->slot]))
			return false;
	}
	return true;
}

/* Does what follows a name of @len bytes match?  Only then does @scan move. */
static bool name_ends(struct scan *scan, const struct key *keys, size_t len,
		      struct found_part *found)
{
	struct scan rest = { scan->at + len, scan->end };

	if (!scan_here(&rest, ' ') || !take_keys(&rest, keys, found))
		return false;
	found->name = (struct piece){ scan->at, len };
	scan->at = rest.at;
	return true;
}

/* The longest name a thread can have first; longer ones (tools' own) hold no newline. */
static bool take_name(struct scan *scan, const struct key *keys, bool is_path,
		      struct found_part *found)
{
	size_t left = (size_t)(scan->end - scan->at), most = is_path ? PATH_MOST : COMM_MAX;

	for (size_t len = left < most ? left : most; len + 1 > 0; len--)
		if (name_ends(scan, keys, len, found))
			return true;
	for (size_t len = most + 1; len < left && !is_path; len++) {
		if (memchr(scan->at, '\n', len))
			break;
		if (name_ends(scan, keys, len, found))
			return true;
	}
	return false;
}

static enum ftrace_found take_part(struct scan *scan, const struct part *part,
				   struct found_part *found)
{
	const struct key *keys = part->keys;
	size_t left;

	if (!part->name)
		return take_keys(scan, keys, found) ? FTRACE_EVENT : FTRACE_DAMAGED;
	if (!scan_text(scan, part->name, strlen(part->name))) {
		if (!part->other_name ||
		    !scan_text(scan, part->other_name, strlen(part->other_name)))
			return FTRACE_DAMAGED;
		keys = part->other_keys;
	}
	left = (size_t)(scan->end - scan->at);
	if (take_name(scan, keys, part->is_path, found))
		return FTRACE_EVENT;
	return left < (part->is_path ? PATH_MOST : COMM_MAX) ? FTRACE_OPEN : FTRACE_DAMAGED;
}

static bool put_s32(s64 value, s64 least, s32 *to)
{
	*to = (s32)value;
	return value >= least && value == *to;
}

static bool put_tid(const struct found_part *found, struct event_task *task)
{
	return put_s32(found->values[SLOT_PID], 0, &task->tid);
}

/*
 * "ARRAY[6e, 61, 00]": what trace-cmd -R makes of names that are __data_loc, the NUL
 * included.  A thread of such a name itself is taken for that, too.
 */
static bool put_array(const struct piece *name, char comm[INTAKE_COMM])
{
	struct scan scan = { name->at, name->at + name->len };
	char bytes[INTAKE_COMM] = { 0 };
	size_t nr = 0;
	u64 byte = 1;

	if (!scan_text(&scan, "ARRAY[", 6))
		return false;
	do {
		scan_blanks(&scan);
		if (!scan_hex(&scan, 2, &byte))
			return false;
		if (nr < COMM_MAX)
			bytes[nr++] = (char)byte;
	} while (scan_char(&scan, ','));
	if (byte || !scan_char(&scan, ']') || scan.at != scan.end)
		return false;
	memcpy(comm, bytes, strlen(bytes));
	return true;
}

static void put_comm(const struct piece *name, char comm[INTAKE_COMM], bool *has)
{
	size_t len = name->len < COMM_MAX ? name->len : COMM_MAX;
	const char *nul = memchr(name->at, '\0', len);

	*has = true;
	if (!put_array(name, comm))
		memcpy(comm, name->at, nul ? (size_t)(nul - name->at) : len);
}

static u32 state_of(const struct found_part *prev, struct ftrace_seen *seen)
{
	struct scan scan = { prev->state.at, prev->state.at + prev->state.len };
	s64 value;

	if (take_number(&scan, &value))
		return ftrace_state_number((u64)value, memchr(prev->name.at, '/', prev->name.len),
					   &seen->numbers);
	return ftrace_state_letters(prev->state.at, prev->state.len);
}

static bool put_switch(const struct found *found, const struct ftrace_line *line,
		       struct intake_item *item)
{
	const struct found_part *prev = &found->parts[0], *next = &found->parts[1];
	struct event *event = &item->event;

	(void)line;
	put_comm(&prev->name, item->comm, &item->has_comm);
	put_comm(&next->name, item->other_comm, &item->has_other_comm);
	return put_tid(prev, &event->task) && put_tid(next, &event->other) &&
	       put_s32(prev->values[SLOT_PRIO], -0x80000000LL, &event->switch_.prev_prio) &&
	       put_s32(next->values[SLOT_PRIO], -0x80000000LL, &event->switch_.next_prio);
}

static bool put_wake(const struct found *found, const struct ftrace_line *line,
		     struct intake_item *item)
{
	const struct found_part *part = &found->parts[0];
	struct event *event = &item->event;

	put_comm(&part->name, item->comm, &item->has_comm);
	event->other.tid = line->tid;
	return put_tid(part, &event->task) &&
	       put_s32(part->values[SLOT_PRIO], -0x80000000LL, &event->wake.prio) &&
	       put_s32(part->values[SLOT_CPU], EVENT_NOBODY, &event->wake.target_cpu);
}

static bool put_migrate(const struct found *found, const struct ftrace_line *line,
			struct intake_item *item)
{
	const struct found_part *part = &found->parts[0];
	struct event *event = &item->event;

	put_comm(&part->name, item->comm, &item->has_comm);
	event->other.tid = line->tid;
	return put_tid(part, &event->task) &&
	       put_s32(part->values[SLOT_PRIO], -0x80000000LL, &event->migrate.prio) &&
	       put_s32(part->values[SLOT_VALUE], 0, &event->migrate.orig_cpu) &&
	       put_s32(part->values[SLOT_CPU], 0, &event->migrate.dest_cpu);
}

static bool put_fork(const struct found *found, const struct ftrace_line *line,
		     struct intake_item *item)
{
	(void)line;
	put_comm(&found->parts[0].name, item->other_comm, &item->has_other_comm);
	put_comm(&found->parts[1].name, item->comm, &item->has_comm);
	return put_tid(&found->parts[0], &item->event.other) &&
	       put_tid(&found->parts[1], &item->event.task);
}

static bool put_exec(const struct found *found, const struct ftrace_line *line,
		     struct intake_item *item)
{
	const struct found_part *part = &found->parts[0];

	(void)line;
	return put_tid(part, &item->event.task) &&
	       put_s32(part->values[SLOT_VALUE], 0, &item->event.life.old_tid);
}

static bool put_exit(const struct found *found, const struct ftrace_line *line,
		     struct intake_item *item)
{
	const struct found_part *part = &found->parts[0];

	(void)line;
	put_comm(&part->name, item->comm, &item->has_comm);
	return put_tid(part, &item->event.task) &&
	       put_s32(part->values[SLOT_PRIO], -0x80000000LL, &item->event.life.prio);
}

static bool put_runtime(const struct found *found, const struct ftrace_line *line,
			struct intake_item *item)
{
	const struct found_part *part = &found->parts[0];

	put_comm(&part->name, item->comm, &item->has_comm);
	item->event.other.tid = line->tid;
	item->event.runtime.runtime_ns = (u64)part->values[SLOT_VALUE];
	return put_tid(part, &item->event.task);
}

/* Of cpu_idle and cpu_frequency: a u32, and the CPU it speaks of. */
static bool put_power(const struct found *found, const struct ftrace_line *line,
		      struct intake_item *item)
{
	const struct found_part *part = &found->parts[0];
	s64 value = part->values[SLOT_VALUE], cpu = part->values[SLOT_CPU];

	(void)line;
	item->event.task.tid = item->event.other.tid = 0;
	item->event.cpu = (s32)cpu;
	item->event.idle.state = (u32)value;
	static_assert(offsetof(struct event, idle.state) == offsetof(struct event, freq.khz),
		      "both are the first word");
	return value >= 0 && value <= 0xffffffffLL && cpu >= 0 && cpu < MACHINE_MAX_CPUS;
}

struct layout {
	const char *event;
	u16 kind;
	bool has_plugin; /* trace-cmd's plugin has a form of its own for it */
	const struct part *parts[2];
	bool (*put)(const struct found *found, const struct ftrace_line *line,
		    struct intake_item *item);
};

static const struct layout layouts[] = {
	{ "sched_switch", EVENT_SWITCH, true, { &part_prev, &part_next }, put_switch },
	{ "sched_waking", EVENT_WAKING, true, { &part_wake }, put_wake },
	{ "sched_wakeup", EVENT_WAKEUP, true, { &part_wake }, put_wake },
	{ "sched_stat_runtime", EVENT_RUNTIME, false, { &part_runtime }, put_runtime },
	{ "cpu_idle", EVENT_IDLE, false, { &part_power }, put_power },
	{ "sched_migrate_task", EVENT_MIGRATE, false, { &part_migrate }, put_migrate },
	{ "cpu_frequency", EVENT_FREQ, false, { &part_power }, put_power },
	{ "sched_wakeup_new", EVENT_WAKEUP_NEW, true, { &part_wake }, put_wake },
	{ "sched_process_fork", EVENT_FORK, false, { &part_parent, &part_child }, put_fork },
	{ "sched_process_exec", EVENT_EXEC, false, { &part_exec }, put_exec },
	{ "sched_process_exit", EVENT_EXIT, false, { &part_exit }, put_exit },
};

static bool event_is(const struct ftrace_line *line, const char *name)
{
	return strlen(name) == line->event_len && !memcmp(name, line->event, line->event_len);
}

static const struct layout *find_layout(const struct ftrace_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (event_is(line, layouts[i].event))
			return &layouts[i];
	return NULL;
}

static enum ftrace_found parse_keys(const struct layout *layout, struct scan scan,
				    struct found *found)
{
	enum ftrace_found code = take_part(&scan, layout->parts[0], &found->parts[0]);

	if (code != FTRACE_EVENT || !layout->parts[1])
		return code;
	scan_text(&scan, " ==>", 4); /* -R leaves it out */
	if (!scan_char(&scan, ' '))
		return FTRACE_DAMAGED;
	return take_part(&scan, layout->parts[1], &found->parts[1]);
}

/* ":12 [120]" */
static bool take_plugin_tail(struct scan *scan, struct found_part *found)
{
	u32 tid, prio;
	bool negative;

	if (!scan_char(scan, ':') || !scan_u32(scan, 0x7fffffff, &tid) || !scan_text(scan, " [", 2))
		return false;
	negative = scan_char(scan, '-');
	if (!scan_u32(scan, 0x7fffffff, &prio) || !scan_char(scan, ']'))
		return false;
	found->values[SLOT_PID] = tid;
	found->values[SLOT_PRIO] = negative ? -(s64)prio : prio;
	return true;
}

/* " S ==> " */
static bool take_plugin_state(struct scan *scan, struct found_part *found)
{
	return scan_char(scan, ' ') && take_state(scan, &found->state) &&
	       scan_text(scan, " ==> ", 5);
}

/* " success=1 CPU:002", either of them or none */
static bool take_plugin_wake(struct scan *scan, struct found_part *found)
{
	u32 value;

	found->values[SLOT_SUCCESS] = found->values[SLOT_CPU] = -1;
	if (scan_text(scan, " success=", 9)) {
		if (!scan_u32(scan, 0x7fffffff, &value))
			return false;
		found->values[SLOT_SUCCESS] = value;
	}
	if (scan_text(scan, " CPU:", 5)) {
		if (!scan_u32(scan, MACHINE_MAX_CPUS - 1, &value))
			return false;
		found->values[SLOT_CPU] = value;
	}
	return true;
}

static bool take_plugin_end(struct scan *scan, struct found_part *found)
{
	(void)found;
	return scan->at == scan->end || *scan->at == '\r' || *scan->at == ' ';
}

typedef bool take_after(struct scan *scan, struct found_part *found);

/* @tid: who it must be; EVENT_NOBODY: anybody. */
static bool take_plugin_part(struct scan *scan, s32 tid, take_after *after,
			     struct found_part *found)
{
	size_t left = (size_t)(scan->end - scan->at);

	for (size_t len = left < COMM_MAX ? left : COMM_MAX; len + 1 > 0; len--) {
		struct scan rest = { scan->at + len, scan->end };

		if (!take_plugin_tail(&rest, found) ||
		    (tid != EVENT_NOBODY && found->values[SLOT_PID] != tid) || !after(&rest, found))
			continue;
		found->name = (struct piece){ scan->at, len };
		scan->at = rest.at;
		return true;
	}
	return false;
}

/*
 * ":1 [0] R ==> " fits into a name, so that a switch may be read in two ways: the
 * thread that leaves is the one at the front of the line.
 */
static enum ftrace_found parse_plugin(const struct layout *layout, const struct ftrace_line *line,
				      struct scan scan, struct found *found)
{
	bool is_switch = layout->kind == EVENT_SWITCH;
	take_after *after = is_switch ? take_plugin_state : take_plugin_wake;

	if (!(is_switch && take_plugin_part(&scan, line->tid, after, &found->parts[0])) &&
	    !take_plugin_part(&scan, EVENT_NOBODY, after, &found->parts[0]))
		return scan.end - scan.at < COMM_MAX ? FTRACE_OPEN : FTRACE_DAMAGED;
	if (!is_switch || take_plugin_part(&scan, EVENT_NOBODY, take_plugin_end, &found->parts[1]))
		return FTRACE_EVENT;
	return scan.end - scan.at < COMM_MAX ? FTRACE_OPEN : FTRACE_DAMAGED;
}

static void begin_item(const struct ftrace_line *line, u16 kind, struct intake_item *item)
{
	memset(item, 0, sizeof(*item));
	item->event.time_ns = line->time_ns;
	item->event.kind = kind;
	item->event.cpu = line->cpu;
	item->event.task.tid = EVENT_NOBODY;
	item->event.other.tid = EVENT_NOBODY;
}

/* The mark that a program wrote; trace-cmd puts the writer's name before it. */
static enum ftrace_found parse_mark(const struct ftrace_line *line, struct ftrace_seen *seen,
				    struct intake_item *item)
{
	const char *at =
		memmem(line->payload, line->payload_len, MARKER_PREFIX, sizeof(MARKER_PREFIX) - 1);

	if (!at)
		return FTRACE_OTHER;
	begin_item(line, EVENT_MARK, item);
	item->event.task.tid = line->tid;
	return marker_decode(at, (size_t)(line->payload + line->payload_len - at), &seen->marks,
			     &item->event)
		       ? FTRACE_EVENT
		       : FTRACE_DAMAGED;
}

bool ftrace_payload_has_path(const struct ftrace_line *line)
{
	const struct layout *layout = find_layout(line);

	return layout && layout->parts[0]->is_path;
}

enum ftrace_found ftrace_payload_parse(const struct ftrace_line *line, struct ftrace_seen *seen,
				       struct intake_item *item)
{
	const struct layout *layout = find_layout(line);
	struct scan scan = { line->payload, line->payload + line->payload_len };
	struct found found;
	enum ftrace_found code;
	bool plugin = false;

	if (!layout) {
		/* "0" is what Android prints for a function without a name */
		if (event_is(line, "tracing_mark_write") || event_is(line, "print") ||
		    event_is(line, "0"))
			return parse_mark(line, seen, item);
		return FTRACE_OTHER;
	}
	code = parse_keys(layout, scan, &found);
	if (code != FTRACE_EVENT && layout->has_plugin) {
		enum ftrace_found other = parse_plugin(layout, line, scan, &found);

		plugin = other == FTRACE_EVENT;
		if (code == FTRACE_DAMAGED || plugin)
			code = other;
	}
	if (code != FTRACE_EVENT)
		return code;
	if (layout->parts[0] == &part_wake && !found.parts[0].values[SLOT_SUCCESS])
		return FTRACE_OTHER;
	begin_item(line, layout->kind, item);
	if (!layout->put(&found, line, item))
		return FTRACE_DAMAGED;
	if (layout->kind != EVENT_SWITCH)
		return FTRACE_EVENT;
	seen->plugin_states |= plugin;
	item->event.switch_.prev_state =
		plugin ? ftrace_state_plugin(found.parts[0].state.at, found.parts[0].state.len)
		       : state_of(&found.parts[0], seen);
	return FTRACE_EVENT;
}
