/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/ftrace_payload.h"

#include "input/marker.h"
#include "test.h"

/* Parses @payload of @event as if tid 7 had run on CPU 2 at 1000. */
static enum ftrace_found parse(const char *event, const char *payload, struct intake_item *item,
			       struct ftrace_seen *seen)
{
	const struct ftrace_line line = {
		.tid = 7,
		.cpu = 2,
		.time_ns = 1000,
		.event = event,
		.event_len = strlen(event),
		.payload = payload,
		.payload_len = strlen(payload),
	};

	return ftrace_payload_parse(&line, seen, item);
}

/* Bytes of names: 15 of them, hostile and legal. */
static const char *const names[] = {
	"bash",
	"newline\nname",
	"a] b [0",
	"x prev_pid=1",
	"y ==> z",
	"\xff\xfe\x80",
	"",
	"sp ace: colon",
	"%s%n",
	"foo-12 [001]",
	"<...>",
	"w next_pid=9",
	"e-1 [0] 9.9: x:",
	"\nb-2 [001] 3.4:",
	"tail\n",
	" ",
	"42",
	"kworker/u12:1",
	" next_comm=a b",
	" ==> next_comm=",
	" pid=1 prio=2",
	" prev_pid=1 a",
	"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
	"123456789012345",
	"pid=5 prio=1",
	"child_comm=x",
	"a child_pid=1",
	" pid=1 runtim",
	"comm= pid=",
	"[120]",
	"a:7 [120]",
	"=",
};

struct dialect {
	const char *what, *format; /* of prev, state, next */
	const char *state;
};

static const struct dialect switches[] = {
	{ "kernel",
	  "prev_comm=%s prev_pid=7 prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=9 next_prio=-1",
	  "R+" },
	{ "raw",
	  "prev_comm=%s prev_pid=7 prev_prio=120 prev_state=%s next_comm=%s next_pid=9 next_prio=-1",
	  "256" },
	{ "vendor",
	  "prev_comm=%s prev_pid=7 prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=9 next_prio=-1 extra=1 more",
	  "R+" },
	{ "plugin", "%s:7 [120] %s ==> %s:9 [-1]", "R+" },
};

static void check_switch(const struct dialect *dialect, const char *prev, const char *next)
{
	char payload[256];
	struct intake_item item;
	struct ftrace_seen seen = { 0 };

	snprintf(payload, sizeof(payload), dialect->format, prev, dialect->state, next);
	CHECK_EQ(FTRACE_EVENT, parse("sched_switch", payload, &item, &seen), "%s: %s",
		 dialect->what, payload);
	CHECK_STR(prev, item.comm, "%s", dialect->what);
	CHECK_STR(next, item.other_comm, "%s", dialect->what);
	CHECK(item.has_comm && item.has_other_comm);
	CHECK_EQ(EVENT_SWITCH, item.event.kind);
	CHECK_EQ(2, item.event.cpu);
	CHECK_EQ(1000, item.event.time_ns);
	CHECK_EQ(7, item.event.task.tid, "%s", payload);
	CHECK_EQ(9, item.event.other.tid, "%s", payload);
	CHECK_EQ(120, item.event.switch_.prev_prio);
	CHECK_EQ(-1, item.event.switch_.next_prio);
	CHECK_EQ(EVENT_STATE_PREEMPTED, item.event.switch_.prev_state, "%s", payload);
}

TEST(switches_of_every_dialect_hold_every_name)
{
	for (size_t d = 0; d < ARRAY_SIZE(switches); d++)
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			for (size_t k = 0; k < ARRAY_SIZE(names); k++)
				check_switch(&switches[d], names[i], names[k]);
}

/* The one plugin line that can be read in two ways: the thread at the front decides. */
TEST(who_stands_at_the_front_is_who_leaves)
{
	struct intake_item item;
	struct ftrace_seen seen = { 0 };

	CHECK_EQ(FTRACE_EVENT,
		 parse("sched_switch", "a:7 [1] S ==> :1 [0] R ==> y:500 [120]", &item, &seen));
	CHECK_EQ(7, item.event.task.tid);
	CHECK_STR("a", item.comm);
	CHECK_STR(":1 [0] R ==> y", item.other_comm);
	CHECK_EQ(EVENT_STATE_SLEEP, item.event.switch_.prev_state);
	CHECK(seen.plugin_states);
}

TEST(every_wakeup_holds_every_name)
{
	static const struct {
		const char *event, *format;
		u32 kind;
		s32 target;
	} rows[] = {
		{ "sched_wakeup", "comm=%s pid=9 prio=98 target_cpu=003", EVENT_WAKEUP, 3 },
		{ "sched_wakeup", "comm=%s pid=9 prio=98 success=1 target_cpu=003", EVENT_WAKEUP,
		  3 },
		{ "sched_waking", "comm=%s pid=9 prio=98 target_cpu=3", EVENT_WAKING, 3 },
		{ "sched_wakeup_new", "comm=%s pid=9 prio=98 target_cpu=003", EVENT_WAKEUP_NEW, 3 },
		{ "sched_wakeup", "%s:9 [98] CPU:003", EVENT_WAKEUP, 3 },
		{ "sched_wakeup", "%s:9 [98] success=1 CPU:003", EVENT_WAKEUP, 3 },
		{ "sched_wakeup_new", "%s:9 [98]", EVENT_WAKEUP_NEW, -1 },
	};
	struct intake_item item;
	struct ftrace_seen seen = { 0 };
	char payload[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			snprintf(payload, sizeof(payload), rows[i].format, names[k]);
			CHECK_EQ(FTRACE_EVENT, parse(rows[i].event, payload, &item, &seen), "%s",
				 payload);
			CHECK_EQ(rows[i].kind, item.event.kind);
			CHECK_STR(names[k], item.comm, "%s", payload);
			CHECK_EQ(9, item.event.task.tid, "%s", payload);
			CHECK_EQ(7, item.event.other.tid);
			CHECK_EQ(98, item.event.wake.prio, "%s", payload);
			CHECK_EQ(rows[i].target, item.event.wake.target_cpu, "%s", payload);
		}
}

TEST(a_wakeup_without_success_is_none)
{
	struct intake_item item;
	struct ftrace_seen seen = { 0 };

	CHECK_EQ(FTRACE_OTHER,
		 parse("sched_wakeup", "comm=a pid=9 prio=98 success=0 target_cpu=003", &item,
		       &seen));
	CHECK_EQ(FTRACE_OTHER, parse("sched_wakeup", "a:9 [98] success=0 CPU:003", &item, &seen));
}

static struct event parsed(const char *event, const char *payload, const char *comm,
			   const char *other_comm)
{
	struct intake_item item;
	struct ftrace_seen seen = { 0 };

	CHECK_EQ(FTRACE_EVENT, parse(event, payload, &item, &seen), "%s: %s", event, payload);
	CHECK_EQ(comm != NULL, item.has_comm, "%s", payload);
	CHECK_EQ(other_comm != NULL, item.has_other_comm, "%s", payload);
	if (comm)
		CHECK_STR(comm, item.comm);
	if (other_comm)
		CHECK_STR(other_comm, item.other_comm);
	return item.event;
}

TEST(the_other_kinds_are_read)
{
	struct event event;

	event = parsed("sched_migrate_task", "comm=a pid=9 prio=120 orig_cpu=1 dest_cpu=3", "a",
		       NULL);
	CHECK_EQ(1, event.migrate.orig_cpu);
	CHECK_EQ(3, event.migrate.dest_cpu);
	CHECK_EQ(7, event.other.tid);
	event = parsed("sched_process_fork", "comm=p pid=7 child_comm=c pid=1 child_pid=9",
		       "c pid=1", "p");
	CHECK_EQ(9, event.task.tid);
	CHECK_EQ(7, event.other.tid);
	event = parsed("sched_process_fork", "parent_comm=p parent_pid=7 child_comm=c child_pid=9",
		       "c", "p");
	CHECK_EQ(9, event.task.tid);
	event = parsed("sched_process_exec", "filename=/a pid=1 old_pid=2 pid=9 old_pid=10", NULL,
		       NULL);
	CHECK_EQ(9, event.task.tid);
	CHECK_EQ(10, event.life.old_tid);
	event = parsed("sched_process_exit", "comm=a pid=9 prio=120 group_dead=true", "a", NULL);
	CHECK_EQ(120, event.life.prio);
	event = parsed("sched_stat_runtime", "comm=a pid=9 runtime=258292 [ns] vruntime=6 [ns]",
		       "a", NULL);
	CHECK_EQ(258292, event.runtime.runtime_ns);
	CHECK_EQ(9, event.task.tid);
	CHECK_EQ(7, event.other.tid);
	event = parsed("cpu_idle", "state=4294967295 cpu_id=5", NULL, NULL);
	CHECK_EQ(EVENT_IDLE_EXIT, event.idle.state);
	CHECK_EQ(5, event.cpu);
	event = parsed("cpu_frequency", "state=0x82208 cpu_id=0", NULL, NULL);
	CHECK_EQ(0x82208, event.freq.khz);
	CHECK_EQ(0, event.cpu);
}

/* trace-cmd -R of a kernel whose comm is __data_loc */
TEST(names_as_arrays_of_bytes_are_read)
{
	parsed("sched_migrate_task",
	       "comm=ARRAY[6e, 65, 77, 0a, 6e, 00] pid=9 prio=120 orig_cpu=1 dest_cpu=3", "new\nn",
	       NULL);
	parsed("sched_stat_runtime", "comm=ARRAY[00] pid=9 runtime=1", "", NULL);
	parsed("sched_stat_runtime", "comm=ARRAY[zz] pid=9 runtime=1", "ARRAY[zz]", NULL);
}

TEST(marks_are_decoded_wherever_the_tool_puts_them)
{
	static const char *const events[] = { "tracing_mark_write", "print", "0" };
	struct intake_item item;
	struct ftrace_seen seen = { 0 };
	struct event mark = { .kind = EVENT_MARK };
	char text[128], payload[256];

	mark.mark.what = EVENT_MARK_CHAIN;
	mark.mark.begin = 1;
	mark.mark.id = 42;
	mark.mark.name = "a name";
	marker_encode(&mark, text, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(payload, sizeof(payload), "%s%s", i == 1 ? "tracing_mark_write: " : "",
			 text);
		CHECK_EQ(FTRACE_EVENT, parse(events[i], payload, &item, &seen), "%s", payload);
		CHECK_EQ(EVENT_MARK, item.event.kind);
		CHECK_EQ(7, item.event.task.tid);
		CHECK_EQ(EVENT_MARK_CHAIN, item.event.mark.what);
		CHECK_EQ(1, item.event.mark.begin);
		CHECK_EQ(42, item.event.mark.id);
		CHECK_STR("a name", item.event.mark.name);
		CHECK_EQ(FTRACE_OTHER, parse(events[i], "B|77|section", &item, &seen));
	}
	names_fini(&seen.marks);
}

TEST(what_is_cut_or_wrong_is_damaged_or_open)
{
	static const struct {
		const char *event, *payload;
		enum ftrace_found found;
	} rows[] = {
		{ "sched_switch", "[FAILED TO PARSE] prev_comm=a prev_pid=7", FTRACE_DAMAGED },
		{ "sched_switch", "prev_comm=a prev_pid=7 prev_prio=120 prev_st", FTRACE_DAMAGED },
		{ "sched_switch", "prev_comm=new", FTRACE_OPEN },
		{ "sched_switch", "prev_comm=fifteen bytes !", FTRACE_DAMAGED },
		{ "sched_switch",
		  "prev_comm=a prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=b",
		  FTRACE_OPEN },
		{ "sched_switch",
		  "prev_comm=a prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=b next_pid=9",
		  FTRACE_OPEN },
		{ "sched_switch",
		  "prev_comm=a prev_pid=-7 prev_prio=120 prev_state=R ==> next_comm=b next_pid=9 next_prio=1",
		  FTRACE_DAMAGED },
		{ "sched_switch",
		  "prev_comm=a prev_pid=7x prev_prio=120 prev_state=R ==> next_comm=b next_pid=9 next_prio=1",
		  FTRACE_DAMAGED },
		{ "sched_wakeup", "comm=a pid=99999999999 prio=1 target_cpu=1", FTRACE_DAMAGED },
		{ "cpu_idle", "state=4294967296 cpu_id=1", FTRACE_DAMAGED },
		{ "cpu_idle", "state=1 cpu_id=4096", FTRACE_DAMAGED },
		{ "cpu_idle", "state=1", FTRACE_DAMAGED },
		{ "sched_stat_runtime", "comm=a pid=9 runtime=0x", FTRACE_DAMAGED },
		{ "sched_stat_wait", "comm=a pid=9 delay=1", FTRACE_OTHER },
	};
	struct intake_item item;
	struct ftrace_seen seen = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].found, parse(rows[i].event, rows[i].payload, &item, &seen),
			 "%s: %s", rows[i].event, rows[i].payload);
}
