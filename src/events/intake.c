/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/intake.h"

#include <stdlib.h>
#include <string.h>

#include "events/fields.h"
#include "events/order.h"
#include "events/threads.h"

/* What is known of a CPU while events leave the window. */
struct cpu {
	struct thread idle;
	s32 running; /* a tid; EVENT_NOBODY: not known */
	bool after_loss;
};

enum { /* intake.speaks_of[kind] */
	OF_TASK = 1 << 0,
	OF_OTHER = 1 << 1,
};

struct events_intake {
	struct event_header header;
	struct event_quality quality;
	struct event_sink sink;
	enum intake_order by;
	enum err_code code; /* the sink's, once it was not OK */
	bool begun;
	u32 window;
	size_t nr_buffers; /* of which each has one CPU's records in order; 0: not known */
	u64 last_ns, seq;  /* of what left; last_ns on the source's clock */
	struct order order;
	struct threads threads;
	struct cpu **cpus; /* MACHINE_MAX_CPUS, and one for events of no CPU */
	u8 speaks_of[EVENT_NR_KINDS];
};

static void learn_kinds(struct events_intake *intake)
{
	for (u32 kind = 0; kind < EVENT_NR_KINDS; kind++) {
		const struct event_field *field = event_fields(kind);

		for (; field->name; field++) {
			if (field->type != EVENT_FIELD_TASK)
				continue;
			intake->speaks_of[kind] |=
				field->offset == offsetof(struct event, task) ? OF_TASK : OF_OTHER;
		}
	}
}

struct events_intake *events_intake_new(const struct event_header *header, enum intake_order order,
					u32 window, struct event_sink sink)
{
	struct events_intake *intake = NEW(struct events_intake);

	intake->header = *header;
	intake->by = order;
	intake->sink = sink;
	intake->window = window                   ? window
			 : order == INTAKE_BY_CPU ? INTAKE_WINDOW_BY_CPU
						  : INTAKE_WINDOW_GLOBAL;
	intake->cpus = NEW_ARRAY(struct cpu *, ORDER_QUEUES);
	learn_kinds(intake);
	return intake;
}

static u32 cpu_index(s32 cpu)
{
	return cpu == EVENT_NOBODY ? MACHINE_MAX_CPUS : (u32)cpu;
}

static struct cpu *cpu_of(struct events_intake *intake, s32 cpu)
{
	struct cpu **at = &intake->cpus[cpu_index(cpu)];

	if (!*at) {
		*at = NEW(struct cpu);
		(*at)->running = EVENT_NOBODY;
		(*at)->idle.id = (struct event_task){ 0, (u32)cpu };
	}
	return *at;
}

static enum err_code send(struct events_intake *intake, struct event *event)
{
	event->time_ns -= intake->header.origin_ns;
	event->seq = intake->seq++;
	intake->code = intake->sink.on_event(intake->sink.self, event);
	return intake->code;
}

static enum err_code begin(struct events_intake *intake, u64 time_ns)
{
	intake->begun = true;
	intake->header.origin_ns = time_ns;
	if (intake->sink.on_begin)
		intake->code = intake->sink.on_begin(intake->sink.self, &intake->header);
	return intake->code;
}

static bool same_comm(const u64 *a, const u64 *b)
{
	return a[0] == b[0] && a[1] == b[1];
}

/* What follows the NUL in a kernel's comm is what was there before. */
static void learn_comm(struct thread *thread, const u64 *raw)
{
	char comm[INTAKE_COMM] = "";

	memcpy(thread->raw, raw, sizeof(thread->raw));
	memcpy(comm, raw, strnlen((const char *)raw, INTAKE_COMM - 1));
	if (thread->named && !memcmp(comm, thread->comm, sizeof(comm)))
		return;
	memcpy(thread->comm, comm, sizeof(comm));
	thread->named = true;
	thread->told = false;
}

/* Takes what a record says of @thread; a @comm of NULL and a @pid of 0 say nothing. */
static inline void learn(struct thread *thread, const char *comm, s32 pid)
{
	u64 raw[INTAKE_COMM / sizeof(u64)];

	if (comm) {
		memcpy(raw, comm, sizeof(raw));
		if (!thread->named || !same_comm(raw, thread->raw))
			learn_comm(thread, raw);
	}
	if (pid > 0 && pid != thread->pid) {
		thread->pid = pid;
		thread->told = false;
	}
}

static enum err_code tell(struct events_intake *intake, struct thread *thread, u64 time_ns)
{
	const char *text = (const char *)thread->comm;
	struct event event = {
		.time_ns = time_ns,
		.kind = EVENT_NAME,
		.cpu = EVENT_NOBODY,
		.task = thread->id,
	};

	event.name.text = text;
	event.name.len = (u32)strlen(text);
	event.name.pid = thread->pid ? thread->pid : EVENT_NOBODY;
	thread->told = true;
	return send(intake, &event);
}

/* A name without an event: told at once only if the stream knows the thread. */
static enum err_code feed_name(struct events_intake *intake, const struct intake_item *item)
{
	struct thread *thread = threads_get(&intake->threads, item->event.task.tid);
	bool hint = item->event.flags & EVENT_INFERRED;

	learn(thread, item->has_comm && !(hint && thread->named) ? item->comm : NULL, item->pid);
	if (thread->used && thread->named && !thread->told)
		return tell(intake, thread, intake->last_ns);
	return OK;
}

static struct thread *thread_of(struct events_intake *intake, s32 cpu, s32 tid)
{
	if (tid < 0)
		return NULL;
	return tid ? threads_get(&intake->threads, tid) : &cpu_of(intake, cpu)->idle;
}

/* The new thread has its parent's name until a record says another. */
static void born(struct events_intake *intake, const struct event *event)
{
	struct thread *child = threads_get(&intake->threads, event->task.tid);
	struct thread *parent = thread_of(intake, event->cpu, event->other.tid);

	if (child->used)
		threads_reborn(child);
	if (!child->named && parent && parent != child && parent->named)
		learn(child, (const char *)parent->comm, 0);
}

/*
 * A thread that calls exec and is not the leader takes the leader's tid: whoever had
 * it is gone, and so is the caller's own.  Kernel: de_thread(), fs/exec.c.
 */
static void take_leaders_tid(struct events_intake *intake, const struct event *event)
{
	struct thread *leader = threads_get(&intake->threads, event->task.tid);
	struct cpu *cpu = cpu_of(intake, event->cpu);

	if (leader->used)
		threads_reborn(leader);
	threads_retire(&intake->threads, threads_get(&intake->threads, event->life.old_tid));
	if (cpu->running == event->life.old_tid)
		cpu->running = event->task.tid;
}

/* Generations that an event begins before it speaks of anyone. */
static void begin_lives(struct events_intake *intake, const struct event *event)
{
	s32 tid = event->task.tid;

	if (tid <= 0)
		return;
	if (event->kind == EVENT_FORK) {
		born(intake, event);
	} else if (event->kind == EVENT_WAKEUP_NEW) {
		struct thread *thread = threads_get(&intake->threads, tid);

		if (thread->lived)
			threads_reborn(thread);
	} else if (event->life.old_tid > 0 && event->life.old_tid != tid) {
		take_leaders_tid(intake, event);
	}
}

/* Which kinds mean that the thread they are about is alive, not only being born. */
#define LIVES(kind)                                                                               \
	((1u << EVENT_SWITCH | 1u << EVENT_WAKING | 1u << EVENT_WAKEUP | 1u << EVENT_WAKEUP_NEW | \
	  1u << EVENT_RUNTIME | 1u << EVENT_EXEC) >>                                              \
	 (kind)&1)
#define BEGINS(kind) ((1u << EVENT_FORK | 1u << EVENT_WAKEUP_NEW | 1u << EVENT_EXEC) >> (kind)&1)

/* Fills in who @role is, and tells its name if the stream does not have it yet. */
static inline enum err_code name_role(struct events_intake *intake, const struct event *event,
				      struct event_task *role, const char *comm, s32 pid)
{
	struct thread *thread = thread_of(intake, event->cpu, role->tid);

	if (!thread) {
		*role = (struct event_task){ EVENT_NOBODY, 0 };
		return OK;
	}
	*role = thread->id;
	thread->used = true;
	thread->lived |= LIVES(event->kind);
	learn(thread, comm, pid);
	if (thread->named && !thread->told)
		return tell(intake, thread, event->time_ns);
	return OK;
}

static inline enum err_code name_both(struct events_intake *intake, struct intake_item *item)
{
	struct event *event = &item->event;
	u32 speaks_of = intake->speaks_of[event->kind];
	enum err_code code = OK;

	if (BEGINS(event->kind))
		begin_lives(intake, event);
	if (speaks_of & OF_TASK)
		code = name_role(intake, event, &event->task, item->has_comm ? item->comm : NULL,
				 item->pid);
	else
		event->task = (struct event_task){ 0 };
	if (code == OK && (speaks_of & OF_OTHER))
		code = name_role(intake, event, &event->other,
				 item->has_other_comm ? item->other_comm : NULL, item->other_pid);
	else if (!(speaks_of & OF_OTHER))
		event->other = (struct event_task){ 0 };
	return code;
}

static void lose(struct events_intake *intake, const struct event *event)
{
	if (event->lost.count)
		intake->quality.lost_events += event->lost.count;
	else
		intake->quality.lost_unknown++;
	for (u32 i = 0; i < ORDER_QUEUES; i++) {
		struct cpu *cpu = intake->cpus[i];

		if (!cpu || (event->cpu != EVENT_NOBODY && i != cpu_index(event->cpu)))
			continue;
		cpu->after_loss = true;
		cpu->running = EVENT_NOBODY;
	}
}

static void note_switch(struct events_intake *intake, struct cpu *cpu, const struct event *event)
{
	const u32 gone = EVENT_STATE_DEAD | EVENT_STATE_ZOMBIE;

	if (event->cpu != EVENT_NOBODY) {
		if (cpu->running != EVENT_NOBODY && cpu->running != event->task.tid)
			intake->quality.mismatches++;
		cpu->running = event->other.tid;
	}
	/* Not at sched_process_exit: the thread still runs until here. */
	if (event->task.tid > 0 && !event_state_runnable(event->switch_.prev_state) &&
	    event->switch_.prev_state != EVENT_STATE_UNKNOWN && (event->switch_.prev_state & gone))
		threads_retire(&intake->threads, threads_get(&intake->threads, event->task.tid));
}

static enum err_code feed_event(struct events_intake *intake, struct intake_item *item)
{
	struct event *event = &item->event;
	struct cpu *cpu = cpu_of(intake, event->cpu);

	if (name_both(intake, item) != OK)
		return intake->code;
	if (event->kind == EVENT_LOST) {
		lose(intake, event);
	} else if (cpu->after_loss) {
		event->flags |= EVENT_AFTER_LOSS;
		cpu->after_loss = false;
	}
	if (event->kind == EVENT_SWITCH)
		note_switch(intake, cpu, event);
	return send(intake, event);
}

/* Makes of @item what the stream gets, in place. */
static enum err_code feed(struct events_intake *intake, struct intake_item *item)
{
	enum err_code code = OK;

	if (item->event.kind == EVENT_NAME)
		return feed_name(intake, item);
	if (!intake->begun)
		code = begin(intake, item->event.time_ns);
	intake->last_ns = item->event.time_ns;
	if (code == OK)
		code = feed_event(intake, item);
	if (event_has_pointers(item->event.kind))
		event_disown(&item->event);
	return code;
}

static enum err_code feed_until(struct events_intake *intake, u64 until_ns)
{
	struct intake_item *item;

	while (intake->code == OK && (item = order_take(&intake->order, until_ns)))
		feed(intake, item);
	return intake->code;
}

/* Past the window the earliest leaves, whatever may still come. */
static enum err_code keep_window(struct events_intake *intake)
{
	while (intake->code == OK && intake->order.waiting > intake->window)
		feed(intake, order_take(&intake->order, U64_MAX));
	return intake->code;
}

/* How many records come between two looks at how far every CPU has come. */
#define SETTLE_RECORDS 64

void events_intake_trust_buffers(struct events_intake *intake, size_t nr)
{
	intake->nr_buffers = nr;
}

/* A CPU that has not spoken yet may still tell of any time. */
static enum err_code feed_settled(struct events_intake *intake)
{
	u64 reached_ns;

	if (!intake->nr_buffers || intake->order.of_cpus.nr != intake->nr_buffers)
		return intake->code;
	reached_ns = order_reached_ns(&intake->order);
	return reached_ns > INTAKE_STEP_NS ? feed_until(intake, reached_ns - INTAKE_STEP_NS)
					   : intake->code;
}

static bool cpu_exists(s32 cpu)
{
	return cpu >= EVENT_NOBODY && cpu < MACHINE_MAX_CPUS;
}

static s32 cpu_or_nobody(s32 cpu)
{
	return cpu_exists(cpu) ? cpu : EVENT_NOBODY;
}

/* CPU numbers of the payload become indices later on: only those that can exist pass. */
static void bound_payload(struct event *event)
{
	if (event->kind == EVENT_WAKING || event->kind == EVENT_WAKEUP ||
	    event->kind == EVENT_WAKEUP_NEW) {
		event->wake.target_cpu = cpu_or_nobody(event->wake.target_cpu);
	} else if (event->kind == EVENT_MIGRATE) {
		event->migrate.orig_cpu = cpu_or_nobody(event->migrate.orig_cpu);
		event->migrate.dest_cpu = cpu_or_nobody(event->migrate.dest_cpu);
	}
}

static void count_inversion(struct event_quality *quality, u64 step_ns, bool late)
{
	quality->inversions++;
	quality->late += late;
	if (step_ns > quality->inversion_max_ns)
		quality->inversion_max_ns = step_ns;
}

/* Before what has left already: it comes next, and says so. */
static void raise_time(struct events_intake *intake, struct intake_item *item, u32 queue)
{
	struct event *event = &item->event;
	u64 step_ns = order_step_back(&intake->order, queue, event->time_ns);
	u64 late_ns = intake->last_ns - event->time_ns;

	count_inversion(&intake->quality, step_ns > late_ns ? step_ns : late_ns, true);
	event->time_ns = intake->last_ns;
	event->flags |= EVENT_LATE;
}

static enum err_code put(struct events_intake *intake, const struct intake_item *item, u32 queue)
{
	struct intake_item *put;

	if (item->event.kind == EVENT_FREQ)
		put = order_put_loose(&intake->order, item);
	else
		put = order_put(&intake->order, queue, item);
	bound_payload(&put->event);
	if (event_has_pointers(put->event.kind)) /* its reader's, and gone before it leaves */
		event_own(&put->event);
	if (intake->order.arrivals % SETTLE_RECORDS == 0 && feed_settled(intake) != OK)
		return intake->code;
	return keep_window(intake);
}

enum err_code events_intake_push(struct events_intake *intake, const struct intake_item *item)
{
	const struct event *event = &item->event;
	struct intake_item raised;
	u64 step_ns;
	u32 queue;

	assert(event->kind < EVENT_NR_KINDS && event->kind != EVENT_NAME);
	if (!cpu_exists(event->cpu)) {
		intake->quality.unparsed++;
		return intake->code;
	}
	if (intake->code != OK)
		return intake->code;
	queue = intake->by == INTAKE_GLOBAL ? 0 : cpu_index(event->cpu);
	step_ns = order_step_back(&intake->order, queue, event->time_ns);
	if (step_ns > INTAKE_STEP_NS && event->kind != EVENT_FREQ)
		intake->nr_buffers = 0;
	if (intake->begun && event->time_ns < intake->last_ns) {
		raised = *item;
		raise_time(intake, &raised, queue);
		return put(intake, &raised, queue);
	}
	if (step_ns && event->kind != EVENT_FREQ)
		count_inversion(&intake->quality, step_ns, false);
	return put(intake, item, queue);
}

static enum err_code put_name(struct events_intake *intake, u64 time_ns, s32 tid, s32 pid,
			      const char *comm, u16 flags)
{
	struct intake_item item = {
		.event = { .time_ns = time_ns, .kind = EVENT_NAME, .flags = flags },
		.pid = pid,
		.has_comm = comm,
	};

	if (tid <= 0 || intake->code != OK)
		return intake->code;
	if (intake->begun && time_ns < intake->last_ns)
		item.event.time_ns = intake->last_ns;
	item.event.task.tid = tid;
	if (comm)
		memcpy(item.comm, comm, strnlen(comm, INTAKE_COMM - 1));
	order_put_loose(&intake->order, &item);
	return keep_window(intake);
}

enum err_code events_intake_name(struct events_intake *intake, u64 time_ns, s32 tid, s32 pid,
				 const char *comm)
{
	return put_name(intake, time_ns, tid, pid, comm, 0);
}

enum err_code events_intake_hint(struct events_intake *intake, u64 time_ns, s32 tid, s32 pid,
				 const char *comm)
{
	return put_name(intake, time_ns, tid, pid, comm, EVENT_INFERRED);
}

enum err_code events_intake_flush(struct events_intake *intake, u64 until_ns)
{
	return feed_until(intake, until_ns);
}

struct event_quality *events_intake_quality(struct events_intake *intake)
{
	return &intake->quality;
}

enum err_code events_intake_end(struct events_intake *intake)
{
	feed_until(intake, U64_MAX);
	if (!intake->begun && intake->code == OK)
		begin(intake, 0);
	if (intake->code != OK && intake->code != ERR_STOP)
		return intake->code;
	if (intake->sink.on_end) {
		enum err_code code = intake->sink.on_end(intake->sink.self, &intake->quality);

		if (code != OK)
			intake->code = code;
	}
	return intake->code;
}

void events_intake_free(struct events_intake *intake)
{
	const struct intake_item *item;

	if (!intake)
		return;
	while ((item = order_take(&intake->order, U64_MAX)))
		if (event_has_pointers(item->event.kind) && item->event.kind != EVENT_NAME)
			event_disown(&item->event);
	order_fini(&intake->order);
	threads_fini(&intake->threads);
	for (u32 i = 0; i < ORDER_QUEUES; i++)
		free(intake->cpus[i]);
	free(intake->cpus);
	free(intake);
}
