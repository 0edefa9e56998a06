/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/program.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC     0x32676f7270676166ULL /* "fagprog2", little endian */
#define NO_STRING 0xffffffffu
#define NO_LIST   0xffffffffu

/* Goes through a program field by field, to or from bytes. */
struct codec {
	struct program_bytes *out; /* NULL: reading */
	const u8 *at, *end;
	bool bad;
};

static void raw(struct codec *codec, void *value, size_t size)
{
	struct program_bytes *out = codec->out;

	if (out) {
		vec_reserve(&out->bytes, out->bytes.nr + size);
		memcpy(out->bytes.at + out->bytes.nr, value, size);
		out->bytes.nr += size;
	} else if (codec->bad || (size_t)(codec->end - codec->at) < size) {
		codec->bad = true;
		memset(value, 0, size);
	} else {
		memcpy(value, codec->at, size);
		codec->at += size;
	}
}

#define NUMBER(codec, field) raw(codec, &(field), sizeof(field))

static void string(struct codec *codec, char **text)
{
	u32 len = *text ? (u32)strlen(*text) : NO_STRING;

	NUMBER(codec, len);
	if (len == NO_STRING)
		return;
	if (codec->out) {
		raw(codec, *text, len);
	} else if ((size_t)(codec->end - codec->at) < len) {
		codec->bad = true;
	} else {
		*text = mem_strndup((const char *)codec->at, len);
		codec->at += len;
	}
}

/* How many follow; each takes at least a byte, which bounds what is made for them. */
static u32 count(struct codec *codec, size_t have)
{
	u32 nr = (u32)have;

	NUMBER(codec, nr);
	if (!codec->out && nr > (size_t)(codec->end - codec->at))
		codec->bad = true;
	return codec->bad ? 0 : nr;
}

#define EACH(codec, vector, item, body)                                             \
	do {                                                                        \
		u32 nr_ = count(codec, (vector)->nr);                               \
		for (u32 i_ = 0; i_ < nr_ && !(codec)->bad; i_++) {                 \
			__typeof__((vector)->at) item =                             \
				(codec)->out ? &(vector)->at[i_] : vec_add(vector); \
			body;                                                       \
		}                                                                   \
	} while (0)

static void cpu_list(struct codec *codec, struct workload_cpus **list)
{
	u32 nr = count(codec, codec->out ? (*list)->nr : 0);

	if (!codec->out) {
		*list = mem_zalloc(sizeof(**list) + nr * sizeof(u32));
		(*list)->nr = nr;
	}
	for (u32 i = 0; i < nr; i++)
		NUMBER(codec, (*list)->at[i]);
}

/* Lists are shared: by their index. */
static void cpus(struct codec *codec, const struct workload *workload,
		 const struct workload_cpus **cpus)
{
	u32 index = NO_LIST;

	for (u32 i = 0; codec->out && i < workload->cpu_lists.nr; i++)
		if (workload->cpu_lists.at[i] == *cpus)
			index = i;
	NUMBER(codec, index);
	if (codec->out || index == NO_LIST)
		return;
	if (index < workload->cpu_lists.nr)
		*cpus = workload->cpu_lists.at[index];
	else
		codec->bad = true;
}

static void attr(struct codec *codec, const struct workload *workload, struct workload_attr *attr)
{
	NUMBER(codec, attr->policy);
	NUMBER(codec, attr->nice);
	NUMBER(codec, attr->rt_prio);
	NUMBER(codec, attr->slice_ns);
	NUMBER(codec, attr->dl_runtime_ns);
	NUMBER(codec, attr->dl_deadline_ns);
	NUMBER(codec, attr->dl_period_ns);
	NUMBER(codec, attr->util_min);
	NUMBER(codec, attr->util_max);
	NUMBER(codec, attr->cgroup);
	cpus(codec, workload, &attr->cpus);
}

static void amount(struct codec *codec, struct workload_amount *amount)
{
	NUMBER(codec, amount->shape);
	NUMBER(codec, amount->a);
	NUMBER(codec, amount->b);
	NUMBER(codec, amount->first_choice);
	NUMBER(codec, amount->nr_choices);
}

static void event(struct codec *codec, struct workload_event *event)
{
	NUMBER(codec, event->op);
	NUMBER(codec, event->object);
	NUMBER(codec, event->mutex);
	NUMBER(codec, event->target);
	NUMBER(codec, event->mode);
	NUMBER(codec, event->site);
	amount(codec, &event->amount);
	string(codec, &event->mark);
	codec->bad |= event->op >= WORKLOAD_NR_OPS;
}

static void phase(struct codec *codec, const struct workload *workload,
		  struct workload_phase *phase)
{
	string(codec, &phase->name);
	NUMBER(codec, phase->first_event);
	NUMBER(codec, phase->nr_events);
	NUMBER(codec, phase->loop);
	attr(codec, workload, &phase->attr);
}

static void task(struct codec *codec, const struct workload *workload, struct workload_task *task)
{
	string(codec, &task->name);
	string(codec, &task->comm);
	NUMBER(codec, task->instances);
	NUMBER(codec, task->delay_ns);
	NUMBER(codec, task->loop);
	attr(codec, workload, &task->attr);
	EACH(codec, &task->phases, at, phase(codec, workload, at));
	EACH(codec, &task->events, at, event(codec, at));
	codec->bad |= !task->name;
}

static void object(struct codec *codec, struct workload_object *object)
{
	string(codec, &object->name);
	NUMBER(codec, object->kind);
	NUMBER(codec, object->per_thread);
	NUMBER(codec, object->count);
}

static void cgroup(struct codec *codec, const struct workload *workload,
		   struct workload_cgroup *cgroup)
{
	string(codec, &cgroup->path);
	NUMBER(codec, cgroup->parent);
	NUMBER(codec, cgroup->weight);
	NUMBER(codec, cgroup->quota_ns);
	NUMBER(codec, cgroup->period_ns);
	NUMBER(codec, cgroup->burst_ns);
	NUMBER(codec, cgroup->identity);
	cpus(codec, workload, &cgroup->cpus);
}

/* Notes are for reports and stay with the host. */
static void workload(struct codec *codec, struct workload *workload)
{
	string(codec, &workload->name);
	NUMBER(codec, workload->duration_ns);
	EACH(codec, &workload->cpu_lists, at, cpu_list(codec, at));
	EACH(codec, &workload->choices, at, {
		NUMBER(codec, at->value);
		NUMBER(codec, at->weight);
	});
	EACH(codec, &workload->cgroups, at, cgroup(codec, workload, at));
	EACH(codec, &workload->objects, at, object(codec, at));
	EACH(codec, &workload->tasks, at, task(codec, workload, at));
}

static void everything(struct codec *codec, struct program *program)
{
	u64 magic = MAGIC;

	NUMBER(codec, magic);
	codec->bad |= magic != MAGIC;
	NUMBER(codec, program->duration_ns);
	NUMBER(codec, program->seed);
	NUMBER(codec, program->runs);
	NUMBER(codec, program->buffer_kib);
	string(codec, &program->features);
	workload(codec, program->workload);
}

void program_write(const struct program *program, struct program_bytes *out)
{
	struct codec codec = { .out = out };
	struct program copy = *program; /* the writer changes nothing */

	everything(&codec, &copy);
}

static bool in_range(u32 index, size_t nr)
{
	return index == WORKLOAD_NO_OBJECT || index < nr;
}

static bool task_refers(const struct workload *workload, const struct workload_task *task)
{
	vec_for_each(phase, &task->phases)
		if (phase->first_event > task->events.nr ||
		    phase->nr_events > task->events.nr - phase->first_event)
			return false;
	vec_for_each(event, &task->events)
		if (!in_range(event->object, workload->objects.nr) ||
		    !in_range(event->mutex, workload->objects.nr) ||
		    (event->op == WORKLOAD_OP_FORK && event->target >= workload->tasks.nr) ||
		    event->amount.nr_choices > workload->choices.nr ||
		    event->amount.first_choice > workload->choices.nr - event->amount.nr_choices)
			return false;
	return true;
}

/* Do all indices lie inside what they count? */
static bool refers_to_what_exists(const struct workload *workload)
{
	vec_for_each(task, &workload->tasks)
		if (!task_refers(workload, task))
			return false;
	return true;
}

enum err_code program_read(struct program *program, const u8 *bytes, size_t size, struct err *err)
{
	struct codec codec = { .at = bytes, .end = bytes + size };

	*program = (struct program){ .workload = workload_new() };
	everything(&codec, program);
	if (!codec.bad && codec.at == codec.end && refers_to_what_exists(program->workload))
		return OK;
	return err_byte(err, ERR_FORMAT, "program", (u64)(codec.at - bytes),
			"expected a program written by the same build of fairground");
}

void program_fini(struct program *program)
{
	free(program->features);
	workload_free(program->workload);
	*program = (struct program){ 0 };
}
