/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const cost_names[] = {
#define EVENT_COST(id, name, what) name,
#include "events/costs.def"
};

static const char *const rule_names[] = {
#define EVENT_RULE(id, name) name,
#include "events/rules.def"
};

static const char *const reason_names[] = {
#define EVENT_REASON(id, name, what) name,
#include "events/rules.def"
};

#define NR(words) (sizeof(words) / sizeof((words)[0]))

#define G(name_, type_, member)                                            \
	{                                                                  \
		name_, EVENT_FIELD_##type_, offsetof(struct event, member) \
	}
#define W(name_, type_, member, words)                                                       \
	{                                                                                    \
		name_, EVENT_FIELD_##type_, offsetof(struct event, member), words, NR(words) \
	}
#define END                              \
	{                                \
		NULL, EVENT_FIELD_U64, 0 \
	}

static const struct event_field fields[EVENT_NR_KINDS][10] = {
	[EVENT_SWITCH] = { G("prev", TASK, task), G("next", TASK, other),
			   G("prev_state", U32, switch_.prev_state),
			   G("prev_prio", S32, switch_.prev_prio),
			   G("next_prio", S32, switch_.next_prio), END },
	[EVENT_WAKING] = { G("task", TASK, task), G("waker", TASK, other),
			   G("prio", S32, wake.prio), G("target_cpu", S32, wake.target_cpu), END },
	[EVENT_WAKEUP] = { G("task", TASK, task), G("waker", TASK, other),
			   G("prio", S32, wake.prio), G("target_cpu", S32, wake.target_cpu), END },
	[EVENT_WAKEUP_NEW] = { G("task", TASK, task), G("waker", TASK, other),
			       G("prio", S32, wake.prio), G("target_cpu", S32, wake.target_cpu),
			       END },
	[EVENT_MIGRATE] = { G("task", TASK, task), G("by", TASK, other),
			    G("prio", S32, migrate.prio), G("orig_cpu", S32, migrate.orig_cpu),
			    G("dest_cpu", S32, migrate.dest_cpu), END },
	[EVENT_FORK] = { G("child", TASK, task), G("parent", TASK, other), END },
	[EVENT_EXEC] = { G("task", TASK, task), G("old_tid", S32, life.old_tid), END },
	[EVENT_EXIT] = { G("task", TASK, task), G("prio", S32, life.prio), END },
	[EVENT_RUNTIME] = { G("task", TASK, task), G("by", TASK, other),
			    G("runtime_ns", U64, runtime.runtime_ns), END },
	[EVENT_IDLE] = { G("state", U32, idle.state), END },
	[EVENT_FREQ] = { G("khz", U32, freq.khz), END },
	[EVENT_LOST] = { G("count", U64, lost.count), END },
	[EVENT_NAME] = { G("task", TASK, task), G("pid", S32, name.pid), G("text", TEXT, name.text),
			 END },
	[EVENT_ATTR] = { G("task", TASK, task), G("policy", U8, attr.policy),
			 G("nice", S8, attr.nice), G("rt_prio", U8, attr.rt_prio),
			 G("identity", U8, attr.identity), G("cgroup", U32, attr.cgroup),
			 G("slice_ns", U64, attr.slice_ns), G("allowed", CPUS, attr.allowed), END },
	[EVENT_CGROUP] = { G("task", TASK, task), G("what", U32, cgroup.what),
			   G("id", U32, cgroup.id), G("value", S64, cgroup.value),
			   G("name", TEXT, cgroup.name), END },
	[EVENT_CPU] = { G("online", U32, cpu_.online), END },
	[EVENT_CAPACITY] = { G("capacity", U32, cpu_.capacity), END },
	[EVENT_IRQ] = { G("irq", U32, cost.what), G("ns", U64, cost.ns), END },
	[EVENT_COST] = { W("what", U32, cost.what, cost_names), G("ns", U64, cost.ns), END },
	[EVENT_MARK] = { G("task", TASK, task), G("what", U32, mark.what),
			 G("begin", U32, mark.begin), G("id", U64, mark.id),
			 G("name", TEXT, mark.name), END },
	[EVENT_DECISION] = { G("task", TASK, task), W("rule", U16, decision.rule, rule_names),
			     W("reason", U16, decision.reason, reason_names),
			     G("chosen", S32, decision.cpu), G("value", S64, decision.value), END },
};

static const struct {
	const char *name;
	bool kernel;
} kinds[EVENT_NR_KINDS] = {
#define EVENT_KIND(id, name, what, kernel) { name, kernel },
#include "events/kinds.def"
};

const char *event_kind_name(u32 kind)
{
	assert(kind < EVENT_NR_KINDS);
	return kinds[kind].name;
}

bool event_kind_is_kernel(u32 kind)
{
	assert(kind < EVENT_NR_KINDS);
	return kinds[kind].kernel;
}

u32 event_kind_find(const char *name, size_t len)
{
	u32 kind;

	for (kind = 0; kind < EVENT_NR_KINDS; kind++)
		if (strlen(kinds[kind].name) == len && !memcmp(kinds[kind].name, name, len))
			break;
	return kind;
}

const struct event_field *event_fields(u32 kind)
{
	assert(kind < EVENT_NR_KINDS);
	return fields[kind];
}

s64 event_field_number(const struct event *event, const struct event_field *field)
{
	const char *at = (const char *)event + field->offset;

	switch (field->type) {
	case EVENT_FIELD_U64:
		return (s64) * (const u64 *)at;
	case EVENT_FIELD_S64:
		return *(const s64 *)at;
	case EVENT_FIELD_U32:
		return *(const u32 *)at;
	case EVENT_FIELD_S32:
		return *(const s32 *)at;
	case EVENT_FIELD_U16:
		return *(const u16 *)at;
	case EVENT_FIELD_U8:
		return *(const u8 *)at;
	case EVENT_FIELD_S8:
		return *(const s8 *)at;
	case EVENT_FIELD_TASK:
		return (s64)event_task_key(*(const struct event_task *)at);
	case EVENT_FIELD_TEXT:
	case EVENT_FIELD_CPUS:
		break;
	}
	assert(0 && "a field without a number");
	return 0;
}

bool event_field_set(struct event *event, const struct event_field *field, s64 value)
{
	char *at = (char *)event + field->offset;

	switch (field->type) {
	case EVENT_FIELD_U64:
	case EVENT_FIELD_S64:
		*(s64 *)at = value;
		return true;
	case EVENT_FIELD_U32:
		*(u32 *)at = (u32)value;
		return value >= 0 && value <= 0xffffffffLL;
	case EVENT_FIELD_S32:
		*(s32 *)at = (s32)value;
		return value == (s32)value;
	case EVENT_FIELD_U16:
		*(u16 *)at = (u16)value;
		return value >= 0 && value <= 0xffff;
	case EVENT_FIELD_U8:
		*(u8 *)at = (u8)value;
		return value >= 0 && value <= 0xff;
	case EVENT_FIELD_S8:
		*(s8 *)at = (s8)value;
		return value == (s8)value;
	case EVENT_FIELD_TASK:
	case EVENT_FIELD_TEXT:
	case EVENT_FIELD_CPUS:
		break;
	}
	assert(0 && "a field without a number");
	return false;
}

static const u8 field_sizes[] = {
	[EVENT_FIELD_U64] = 8,  [EVENT_FIELD_S64] = 8,  [EVENT_FIELD_U32] = 4,
	[EVENT_FIELD_S32] = 4,  [EVENT_FIELD_U16] = 2,  [EVENT_FIELD_U8] = 1,
	[EVENT_FIELD_S8] = 1,   [EVENT_FIELD_TASK] = 8, [EVENT_FIELD_TEXT] = 8,
	[EVENT_FIELD_CPUS] = 8,
};

bool event_fields_cover(const struct event *event, struct event *rest)
{
	const struct event_field *field = event_fields(event->kind);

	*rest = (struct event){ .task = event->task, .other = event->other };
	memcpy(rest->words, event->words, sizeof(rest->words));
	for (; field->name; field++)
		memset((char *)rest + field->offset, 0, field_sizes[field->type]);
	if (event->kind == EVENT_NAME)
		rest->name.len = 0; /* follows from the text */
	return !(event_task_key(rest->task) | event_task_key(rest->other) | rest->words[0] |
		 rest->words[1] | rest->words[2]);
}

const char *event_reason_name(u32 reason)
{
	assert(reason < NR(reason_names));
	return reason_names[reason];
}

void event_own(struct event *event)
{
	const struct event_field *field = event_fields(event->kind);

	for (; field->name; field++) {
		void **at = (void **)((char *)event + field->offset);

		if (field->type == EVENT_FIELD_TEXT && *at) {
			*at = mem_strdup(*at);
		} else if (field->type == EVENT_FIELD_CPUS && *at) {
			const struct event_cpus *cpus = *at;
			size_t size = sizeof(*cpus) + cpus->nr_words * sizeof(u64);

			*at = memcpy(mem_zalloc(size), cpus, size);
		}
	}
}

void event_disown(const struct event *event)
{
	const struct event_field *field = event_fields(event->kind);

	for (; field->name; field++)
		if (field->type == EVENT_FIELD_TEXT || field->type == EVENT_FIELD_CPUS)
			free(*(void *const *)((const char *)event + field->offset));
}
