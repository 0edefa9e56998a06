/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/ftrace_writer.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "events/dump.h"
#include "events/fields.h"
#include "machine/machine.h"

#define SAFE_MAX 15 /* TASK_COMM_LEN without the NUL */

struct safe_name {
	char text[SAFE_MAX + 1];
};

struct events_ftrace {
	struct text_out out;
	u64 origin_ns;
	struct map index; /* event_task_key() to an index of names, plus 1 */
	VEC(struct safe_name) names;
	VEC(s32) running; /* by CPU: the tid switched in last; 0: nobody yet */
};

const struct events_ftrace_state events_ftrace_states[EVENTS_FTRACE_STATES] = {
	{ EVENT_STATE_SLEEP, 'S' },  { EVENT_STATE_DISK, 'D' }, { EVENT_STATE_STOPPED, 'T' },
	{ EVENT_STATE_TRACED, 't' }, { EVENT_STATE_DEAD, 'X' }, { EVENT_STATE_ZOMBIE, 'Z' },
	{ EVENT_STATE_PARKED, 'P' }, { EVENT_STATE_IDLE, 'I' },
};

/* Neither consumer trips over these; "<...>" is kept away, for it means "no name". */
static bool is_safe(u8 c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("_-./:+#%@~!*", c));
}

static void make_safe(struct safe_name *name, const char *text)
{
	u32 nr = 0;

	for (; *text && nr < SAFE_MAX; text++)
		name->text[nr++] = is_safe((u8)*text) ? *text : '_';
	if (!nr)
		name->text[nr++] = '_';
	name->text[nr] = '\0';
}

static void learn_name(struct events_ftrace *ftrace, const struct event *event)
{
	u64 *index = map_add(&ftrace->index, event_task_key(event->task));

	if (!*index) {
		vec_add(&ftrace->names);
		*index = ftrace->names.nr;
	}
	make_safe(&ftrace->names.at[*index - 1], event->name.text ? event->name.text : "");
}

static void put_name(struct events_ftrace *ftrace, struct event_task task)
{
	const u64 *index = map_find(&ftrace->index, event_task_key(task));

	if (event_is_idle(task)) {
		text_out_text(&ftrace->out, "swapper/");
		text_out_u64(&ftrace->out, task.gen);
	} else {
		text_out_text(&ftrace->out, index ? ftrace->names.at[*index - 1].text : "<...>");
	}
}

static void put_pair(struct text_out *out, const char *key, s64 value)
{
	text_out_text(out, key);
	text_out_s64(out, value);
}

/* " KEYcomm=NAME KEYpid=TID" without the first blank */
static void put_thread(struct events_ftrace *ftrace, const char *key, struct event_task task)
{
	text_out_text(&ftrace->out, key);
	text_out_text(&ftrace->out, "comm=");
	put_name(ftrace, task);
	text_out_char(&ftrace->out, ' ');
	text_out_text(&ftrace->out, key);
	put_pair(&ftrace->out, "pid=", task.tid);
}

static bool has_letters(u32 state)
{
	u32 known = EVENT_STATE_PREEMPTED;

	for (u32 i = 0; i < EVENTS_FTRACE_STATES; i++)
		known |= events_ftrace_states[i].state;
	return !(state & ~known);
}

static void put_state(struct text_out *out, u32 state)
{
	bool any = false;

	for (u32 i = 0; i < EVENTS_FTRACE_STATES; i++) {
		if (!(state & events_ftrace_states[i].state))
			continue;
		if (any)
			text_out_char(out, '|');
		text_out_char(out, events_ftrace_states[i].letter);
		any = true;
	}
	if (!any)
		text_out_char(out, has_letters(state) ? 'R' : '?');
	if (state & EVENT_STATE_PREEMPTED)
		text_out_char(out, '+');
}

static void put_cpu(struct text_out *out, const char *key, s32 cpu)
{
	text_out_text(out, key);
	text_out_digits(out, cpu < 0 ? 0 : (u64)cpu, 3);
}

static void write_switch(struct events_ftrace *ftrace, const struct event *event)
{
	struct text_out *out = &ftrace->out;

	put_thread(ftrace, "prev_", event->task);
	put_pair(out, " prev_prio=", event->switch_.prev_prio);
	text_out_text(out, " prev_state=");
	put_state(out, event->switch_.prev_state);
	text_out_text(out, " ==> ");
	put_thread(ftrace, "next_", event->other);
	put_pair(out, " next_prio=", event->switch_.next_prio);
}

static void write_wake(struct events_ftrace *ftrace, const struct event *event)
{
	put_thread(ftrace, "", event->task);
	put_pair(&ftrace->out, " prio=", event->wake.prio);
	put_cpu(&ftrace->out, " target_cpu=", event->wake.target_cpu);
}

static void write_migrate(struct events_ftrace *ftrace, const struct event *event)
{
	struct text_out *out = &ftrace->out;

	put_thread(ftrace, "", event->task);
	put_pair(out, " prio=", event->migrate.prio);
	put_pair(out, " orig_cpu=", event->migrate.orig_cpu < 0 ? 0 : event->migrate.orig_cpu);
	put_pair(out, " dest_cpu=", event->migrate.dest_cpu < 0 ? 0 : event->migrate.dest_cpu);
}

static void write_fork(struct events_ftrace *ftrace, const struct event *event)
{
	put_thread(ftrace, "", event->other);
	text_out_char(&ftrace->out, ' ');
	put_thread(ftrace, "child_", event->task);
}

static void write_exec(struct events_ftrace *ftrace, const struct event *event)
{
	text_out_text(&ftrace->out, "filename=");
	put_name(ftrace, event->task);
	put_pair(&ftrace->out, " pid=", event->task.tid);
	put_pair(&ftrace->out, " old_pid=", event->life.old_tid);
}

static void write_exit(struct events_ftrace *ftrace, const struct event *event)
{
	put_thread(ftrace, "", event->task);
	put_pair(&ftrace->out, " prio=", event->life.prio);
}

static void write_runtime(struct events_ftrace *ftrace, const struct event *event)
{
	put_thread(ftrace, "", event->task);
	text_out_text(&ftrace->out, " runtime=");
	text_out_u64(&ftrace->out, event->runtime.runtime_ns);
	text_out_text(&ftrace->out, " [ns]");
}

static void write_idle(struct events_ftrace *ftrace, const struct event *event)
{
	put_pair(&ftrace->out, "state=", event->idle.state);
	put_pair(&ftrace->out, " cpu_id=", event->cpu < 0 ? 0 : event->cpu);
}

static void write_freq(struct events_ftrace *ftrace, const struct event *event)
{
	put_pair(&ftrace->out, "state=", event->freq.khz);
	put_pair(&ftrace->out, " cpu_id=", event->cpu < 0 ? 0 : event->cpu);
}

/* Who stands at the front of the line: the thread that ran where it was recorded. */
enum front {
	FRONT_TASK,
	FRONT_OTHER,
	FRONT_RUNNING
};

static const struct {
	void (*write)(struct events_ftrace *ftrace, const struct event *event);
	enum front front;
} kinds[EVENT_NR_KINDS] = {
	[EVENT_SWITCH] = { write_switch, FRONT_TASK },
	[EVENT_WAKING] = { write_wake, FRONT_OTHER },
	[EVENT_WAKEUP] = { write_wake, FRONT_OTHER },
	[EVENT_WAKEUP_NEW] = { write_wake, FRONT_OTHER },
	[EVENT_MIGRATE] = { write_migrate, FRONT_OTHER },
	[EVENT_FORK] = { write_fork, FRONT_OTHER },
	[EVENT_EXEC] = { write_exec, FRONT_TASK },
	[EVENT_EXIT] = { write_exit, FRONT_TASK },
	[EVENT_RUNTIME] = { write_runtime, FRONT_OTHER },
	[EVENT_IDLE] = { write_idle, FRONT_RUNNING },
	[EVENT_FREQ] = { write_freq, FRONT_RUNNING },
};

static bool is_cpu(s32 cpu)
{
	return cpu >= 0 && cpu < MACHINE_MAX_CPUS;
}

/* Generations are not in the line: 0, and the CPU's number for its idle task. */
static bool is_plain_task(struct event_task task, s32 cpu)
{
	return task.tid >= 0 && task.gen == (task.tid ? 0 : (u32)cpu);
}

/* Does the line alone tell all of @event? */
static bool is_plain(const struct event *event)
{
	struct event rest;

	if (event->flags || !is_cpu(event->cpu) || !event_fields_cover(event, &rest))
		return false;
	if (kinds[event->kind].front == FRONT_RUNNING)
		return true;
	if (!is_plain_task(event->task, event->cpu))
		return false;
	if (event->kind != EVENT_EXEC && event->kind != EVENT_EXIT &&
	    !is_plain_task(event->other, event->cpu))
		return false;
	if (event->kind == EVENT_SWITCH)
		return has_letters(event->switch_.prev_state);
	if (event->kind == EVENT_MIGRATE)
		return is_cpu(event->migrate.orig_cpu) && is_cpu(event->migrate.dest_cpu);
	if (event->kind == EVENT_EXEC)
		return event->life.old_tid >= 0;
	if (event->kind == EVENT_EXIT || event->kind == EVENT_RUNTIME || event->kind == EVENT_FORK)
		return true;
	return is_cpu(event->wake.target_cpu);
}

static s32 *running(struct events_ftrace *ftrace, s32 cpu)
{
	if (!is_cpu(cpu))
		return NULL;
	while (ftrace->running.nr <= (size_t)cpu)
		vec_add(&ftrace->running);
	return &ftrace->running.at[cpu];
}

static struct event_task front(struct events_ftrace *ftrace, const struct event *event)
{
	enum front front = kinds[event->kind].front;
	s32 *now = running(ftrace, event->cpu);
	struct event_task task = { now ? *now : 0, 0 };

	if (front == FRONT_TASK && event->task.tid >= 0)
		return event->task;
	if (front == FRONT_OTHER && event->other.tid >= 0)
		return event->other;
	return task;
}

/* "%16s-%-7d [%03d] d..2 %5u.%09u: NAME: " */
static void put_front(struct events_ftrace *ftrace, const struct event *event)
{
	struct text_out *out = &ftrace->out;
	struct event_task who = front(ftrace, event);
	u64 time_ns = ftrace->origin_ns + event->time_ns;
	const u64 *index = map_find(&ftrace->index, event_task_key(who));
	const char *name = event_is_idle(who) ? "<idle>"
			   : index            ? ftrace->names.at[*index - 1].text
					      : "<...>";
	char tid[16];

	for (size_t i = strlen(name); i < 16; i++)
		text_out_char(out, ' ');
	text_out_text(out, name);
	text_out_bytes(out, tid, (size_t)snprintf(tid, sizeof(tid), "-%-7d ", who.tid));
	put_cpu(out, "[", event->cpu);
	text_out_text(out, "] d..2 ");
	text_out_u64(out, time_ns / 1000000000);
	text_out_char(out, '.');
	text_out_digits(out, time_ns % 1000000000, 9);
	text_out_text(out, ": ");
	text_out_text(out, event_kind_name(event->kind));
	text_out_text(out, ": ");
}

static enum err_code ftrace_event(void *self, const struct event *event)
{
	struct events_ftrace *ftrace = self;
	s32 *now;

	if (event->kind == EVENT_NAME)
		learn_name(ftrace, event);
	if (!event_kind_is_kernel(event->kind))
		return events_dump_event(&ftrace->out, EVENTS_FTRACE_LINE, event);
	if (!is_plain(event))
		events_dump_event(&ftrace->out, EVENTS_FTRACE_EXACT, event);
	put_front(ftrace, event);
	kinds[event->kind].write(ftrace, event);
	now = running(ftrace, event->cpu);
	if (event->kind == EVENT_SWITCH && now)
		*now = event->other.tid < 0 ? 0 : event->other.tid;
	return text_out_line(&ftrace->out);
}

static enum err_code ftrace_begin(void *self, const struct event_header *header)
{
	struct events_ftrace *ftrace = self;
	struct text_out *out = &ftrace->out;

	ftrace->origin_ns = header->origin_ns;
	text_out_text(out, "# tracer: nop\n#\n" EVENTS_FTRACE_MAGIC "\n");
	events_dump_header(out, EVENTS_FTRACE_LINE, header);
	text_out_text(out, "#\n"
			   "#                                _-----=> irqs-off\n"
			   "#                               / _----=> need-resched\n"
			   "#                              | / _---=> hardirq/softirq\n"
			   "#                              || / _--=> preempt-depth\n"
			   "#                              ||| /\n"
			   "#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n"
			   "#              | |         |   ||||      |         |");
	return text_out_line(out);
}

static enum err_code ftrace_end(void *self, const struct event_quality *quality)
{
	struct events_ftrace *ftrace = self;
	enum err_code code = events_dump_quality(&ftrace->out, EVENTS_FTRACE_LINE, quality);

	return fflush(ftrace->out.to) ? ERR_IO : code;
}

struct events_ftrace *events_ftrace_new(FILE *to)
{
	struct events_ftrace *ftrace = NEW(struct events_ftrace);

	ftrace->out.to = to;
	return ftrace;
}

void events_ftrace_free(struct events_ftrace *ftrace)
{
	if (!ftrace)
		return;
	map_fini(&ftrace->index);
	vec_free(&ftrace->names);
	vec_free(&ftrace->running);
	free(ftrace);
}

struct event_sink events_ftrace_sink(struct events_ftrace *ftrace)
{
	return (struct event_sink){ ftrace, ftrace_begin, ftrace_event, ftrace_end };
}
