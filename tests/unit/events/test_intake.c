/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/intake.h"

#include <stdlib.h>

#include "base/rng.h"
#include "base/vec.h"
#include "events/order.h"
#include "events/sinks.h"
#include "events/threads.h"
#include "test.h"

/* Everything the intake said, names copied. */
struct heard {
	VEC(struct event) events;
	struct event_header header;
	struct event_quality quality;
	u32 begins, ends;
	size_t stop_after; /* 0: never */
	struct events_check check;
};

static enum err_code hear_begin(void *self, const struct event_header *header)
{
	struct heard *heard = self;

	heard->begins++;
	heard->header = *header;
	return OK;
}

static enum err_code hear(void *self, const struct event *event)
{
	struct heard *heard = self;
	struct event *copy = vec_add(&heard->events);

	*copy = *event;
	if (event->kind == EVENT_NAME)
		copy->name.text = mem_strdup(event->name.text);
	if (event->kind == EVENT_MARK)
		copy->mark.name = mem_strdup(event->mark.name);
	return heard->stop_after && heard->events.nr >= heard->stop_after ? ERR_STOP : OK;
}

static enum err_code hear_end(void *self, const struct event_quality *quality)
{
	struct heard *heard = self;

	heard->ends++;
	heard->quality = *quality;
	return OK;
}

static struct events_intake *listen(struct heard *heard, enum intake_order order, u32 window)
{
	const struct event_header header = { .source = "test" };

	*heard = (struct heard){ 0 };
	heard->check.next = (struct event_sink){ heard, hear_begin, hear, hear_end };
	return events_intake_new(&header, order, window, events_check_sink(&heard->check));
}

static void finish(struct events_intake *intake)
{
	CHECK_EQ(OK, events_intake_end(intake));
	events_intake_free(intake);
}

static void forget(struct heard *heard)
{
	vec_for_each(event, &heard->events) {
		if (event->kind == EVENT_NAME)
			free((void *)(uintptr_t)event->name.text);
		if (event->kind == EVENT_MARK)
			free((void *)(uintptr_t)event->mark.name);
	}
	vec_free(&heard->events);
}

/* The @n-th event that is not a name. */
static const struct event *heard_event(struct heard *heard, size_t n)
{
	vec_for_each(event, &heard->events)
		if (event->kind != EVENT_NAME && !n--)
			return event;
	test_fail(__FILE__, __LINE__, "enough events", "%zu too few", n + 1);
}

static struct intake_item item(u32 kind, u64 time_ns, s32 cpu, s32 tid, s32 other)
{
	struct intake_item item = { .event = {
					    .time_ns = time_ns, .kind = (u16)kind, .cpu = cpu } };

	item.event.task.tid = tid;
	item.event.other.tid = other;
	return item;
}

static void push(struct events_intake *intake, struct intake_item item)
{
	CHECK_EQ(OK, events_intake_push(intake, &item));
}

static void push_kind(struct events_intake *intake, u32 kind, u64 time_ns, s32 cpu, s32 tid)
{
	push(intake, item(kind, time_ns, cpu, tid, EVENT_NOBODY));
}

static void push_switch(struct events_intake *intake, u64 time_ns, s32 cpu, s32 prev, u32 state,
			s32 next)
{
	struct intake_item it = item(EVENT_SWITCH, time_ns, cpu, prev, next);

	it.event.switch_.prev_state = state;
	push(intake, it);
}

static void push_named(struct events_intake *intake, u64 time_ns, s32 tid, const char *comm)
{
	struct intake_item it = item(EVENT_RUNTIME, time_ns, 0, tid, EVENT_NOBODY);

	memcpy(it.comm, comm, strlen(comm));
	it.has_comm = true;
	push(intake, it);
}

/* Two buffers read one after the other, as perf does in a round. */
TEST(cpus_are_merged_by_time_and_ties_by_arrival)
{
	static const u64 times[2][4] = { { 10, 20, 30, 40 }, { 5, 20, 35, 36 } };
	static const struct {
		u64 time_ns;
		s32 cpu;
	} want[] = { { 0, 1 },  { 5, 0 },  { 15, 0 }, { 15, 1 },
		     { 25, 0 }, { 30, 1 }, { 31, 1 }, { 35, 0 } };
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);

	for (s32 cpu = 0; cpu < 2; cpu++)
		for (u32 i = 0; i < 4; i++)
			push_kind(intake, EVENT_IDLE, times[cpu][i], cpu, 0);
	finish(intake);
	CHECK_EQ(ARRAY_SIZE(want), heard.events.nr);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		CHECK_EQ(want[i].time_ns, heard.events.at[i].time_ns, "event %zu", i);
		CHECK_EQ(want[i].cpu, heard.events.at[i].cpu, "event %zu", i);
		CHECK_EQ(i, heard.events.at[i].seq);
	}
	CHECK_EQ(5, heard.header.origin_ns);
	CHECK_EQ(0, heard.quality.inversions, "each CPU was in order");
	forget(&heard);
}

/* CPU 0 gives 10, 30, 20, 25, 40: 20 and 25 are before the 30. */
TEST(a_step_back_is_sorted_and_counted)
{
	static const u64 times[] = { 10, 30, 20, 25, 40 }, want[] = { 0, 10, 15, 20, 30 };
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		push_kind(intake, EVENT_IDLE, times[i], 0, 0);
	finish(intake);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		CHECK_EQ(want[i], heard.events.at[i].time_ns);
	CHECK_EQ(2, heard.quality.inversions);
	CHECK_EQ(10, heard.quality.inversion_max_ns);
	CHECK_EQ(0, heard.quality.late);
	forget(&heard);
}

TEST(mixed_cpus_are_inversions_where_the_order_is_global)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	push_kind(intake, EVENT_IDLE, 10, 0, 0);
	push_kind(intake, EVENT_IDLE, 7, 1, 0);
	finish(intake);
	CHECK_EQ(1, heard.quality.inversions);
	CHECK_EQ(3, heard.quality.inversion_max_ns);
	CHECK_EQ(1, heard.events.at[0].cpu);
	forget(&heard);
}

/* A window of 2: at the third record 100 leaves, at the fourth 300; then 150 is late. */
TEST(beyond_the_window_an_event_is_late)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 2);

	push_kind(intake, EVENT_IDLE, 100, 0, 0);
	push_kind(intake, EVENT_IDLE, 300, 0, 0);
	push_kind(intake, EVENT_IDLE, 400, 0, 0);
	push_kind(intake, EVENT_IDLE, 500, 0, 0);
	push_kind(intake, EVENT_IDLE, 150, 0, 0);
	finish(intake);
	CHECK_EQ(5, heard.events.nr);
	CHECK_EQ(200, heard.events.at[2].time_ns, "raised to 300, 200 after the first");
	CHECK(heard.events.at[2].flags & EVENT_LATE);
	CHECK_EQ(0, heard.events.at[1].flags | heard.events.at[3].flags);
	CHECK_EQ(1, heard.quality.late);
	CHECK_EQ(1, heard.quality.inversions);
	CHECK_EQ(350, heard.quality.inversion_max_ns, "150 after 500");
	forget(&heard);
}

TEST(a_flush_lets_go_up_to_its_time)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);

	for (u64 t = 1; t <= 10; t++)
		push_kind(intake, EVENT_IDLE, t, (s32)(t % 3), 0);
	CHECK_EQ(0, heard.events.nr);
	CHECK_EQ(OK, events_intake_flush(intake, 7));
	CHECK_EQ(7, heard.events.nr);
	finish(intake);
	CHECK_EQ(10, heard.events.nr);
	forget(&heard);
}

#define MS 1000000ULL

/* Records of @cpu each millisecond from @first_ms on. */
static void push_row(struct events_intake *intake, s32 cpu, u64 first_ms, u64 nr)
{
	for (u64 i = 0; i < nr; i++)
		push_kind(intake, EVENT_IDLE, (first_ms + i) * MS, cpu, 0);
}

/* CPU 1 comes to 64 ms: up to 54 ms, that less 10, nothing more is expected of either. */
TEST(what_all_cpus_have_passed_leaves_if_their_buffers_are_trusted)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);

	events_intake_trust_buffers(intake, 2);
	push_row(intake, 0, 1, 128);
	CHECK_EQ(0, heard.events.nr, "CPU 1 has not spoken");
	push_row(intake, 1, 1, 64);
	CHECK_EQ(2 * 54, heard.events.nr);
	push_kind(intake, EVENT_IDLE, 60 * MS, 1, 0);
	finish(intake);
	CHECK_EQ(1, heard.quality.inversions, "a step back of 4 ms");
	CHECK_EQ(0, heard.quality.late, "is still sorted");
	forget(&heard);
}

/* One buffer, and two CPUs in it: it cannot be what was said. */
TEST(buffers_that_step_back_far_are_trusted_no_more)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);

	events_intake_trust_buffers(intake, 1);
	push_row(intake, 0, 1, 64);
	CHECK_EQ(54, heard.events.nr);
	push_row(intake, 0, 50, 1);
	push_row(intake, 0, 65, 640);
	CHECK_EQ(54, heard.events.nr, "64 ms to 50 ms is too far");
	finish(intake);
	CHECK_EQ(1, heard.quality.late);
	CHECK_EQ(705, heard.events.nr);
	forget(&heard);
}

/* A frequency change of CPU 1 seen by CPU 0 stands between the records of CPU 1. */
TEST(a_frequency_of_another_cpu_is_no_inversion)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);

	push_kind(intake, EVENT_FREQ, 50, 1, 0);
	push_kind(intake, EVENT_IDLE, 40, 1, 0);
	push_kind(intake, EVENT_IDLE, 60, 1, 0);
	push_kind(intake, EVENT_FREQ, 55, 1, 0);
	finish(intake);
	CHECK_EQ(0, heard.quality.inversions);
	CHECK_EQ(EVENT_IDLE, heard.events.at[0].kind);
	CHECK_EQ(EVENT_FREQ, heard.events.at[2].kind);
	forget(&heard);
}

/* 20,000 records of 7 CPUs with steps back of up to 50 ns, against a stable sort. */
static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->words[1] < y->words[1] ? -1 : 1;
}

TEST(any_order_within_the_window_comes_out_sorted)
{
	enum {
		NR = 20000
	};
	struct event *want = NEW_ARRAY(struct event, NR);
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 200);

	for (u64 i = 0; i < NR; i++) {
		struct intake_item it =
			item(EVENT_LOST, 1000 + i - rng_below(rng_draw(1, 2, 3, i), 50),
			     (s32)rng_below(rng_draw(1, 2, 4, i), 7), 0, 0);

		it.event.lost.count = 1;
		it.event.words[1] = i;
		want[i] = it.event;
		push(intake, it);
	}
	finish(intake);
	qsort(want, NR, sizeof(*want), by_time);
	CHECK_EQ(NR, heard.events.nr);
	for (size_t i = 0; i < NR; i++)
		CHECK_EQ(want[i].words[1], heard.events.at[i].words[1], "place %zu", i);
	CHECK_EQ(0, heard.quality.late);
	CHECK_EQ(NR, heard.quality.lost_events);
	forget(&heard);
	free(want);
}

TEST(the_queues_hold_no_more_than_what_waits)
{
	struct order order = { 0 };
	struct intake_item it = item(EVENT_IDLE, 0, 0, 0, 0);

	for (u64 t = 0; t < 100000; t++) {
		it.event.time_ns = t;
		order_put(&order, 0, &it);
		if (t >= 60)
			CHECK_EQ(t - 60, order_take(&order, U64_MAX)->event.time_ns);
	}
	CHECK_EQ(60, order.waiting);
	CHECK(order.pool.slabs.nr <= 2, "%zu slabs", order.pool.slabs.nr);
	order_fini(&order);
}

TEST(a_name_is_told_before_its_first_use_and_at_its_change)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	push_named(intake, 1, 7, "first");
	push_named(intake, 2, 7, "first");
	push_named(intake, 3, 7, "");
	push_named(intake, 4, 7, "exactly15bytes!");
	finish(intake);
	CHECK_EQ(7, heard.events.nr);
	CHECK_EQ(EVENT_NAME, heard.events.at[0].kind);
	CHECK_STR("first", heard.events.at[0].name.text);
	CHECK_EQ(5, heard.events.at[0].name.len);
	CHECK_EQ(EVENT_NOBODY, heard.events.at[0].name.pid);
	CHECK_EQ(EVENT_RUNTIME, heard.events.at[1].kind);
	CHECK_EQ(EVENT_RUNTIME, heard.events.at[2].kind);
	CHECK_STR("", heard.events.at[3].name.text, "the empty name is a name");
	CHECK_STR("exactly15bytes!", heard.events.at[5].name.text);
	forget(&heard);
}

/* Sixteen bytes without a NUL are no comm the kernel writes: the last is dropped. */
TEST(a_comm_without_an_end_is_cut)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	push_named(intake, 1, 7, "0123456789abcdef");
	finish(intake);
	CHECK_STR("0123456789abcde", heard.events.at[0].name.text);
	forget(&heard);
}

TEST(a_name_outside_of_events_waits_for_its_thread)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	CHECK_EQ(OK, events_intake_name(intake, 0, 7, 70, "told"));
	CHECK_EQ(OK, events_intake_name(intake, 0, 8, 80, "never used"));
	push_kind(intake, EVENT_RUNTIME, 100, 0, 7);
	CHECK_EQ(OK, events_intake_name(intake, 150, 7, 0, "renamed"));
	push_kind(intake, EVENT_RUNTIME, 200, 0, 7);
	finish(intake);
	CHECK_EQ(100, heard.header.origin_ns, "a name begins no stream");
	CHECK_EQ(4, heard.events.nr);
	CHECK_STR("told", heard.events.at[0].name.text);
	CHECK_EQ(70, heard.events.at[0].name.pid);
	CHECK_STR("renamed", heard.events.at[2].name.text);
	CHECK_EQ(70, heard.events.at[2].name.pid, "a pid of 0 says nothing");
	CHECK_EQ(0, heard.quality.inversions);
	forget(&heard);
}

TEST(a_hint_loses_against_a_name)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	CHECK_EQ(OK, events_intake_hint(intake, 1, 7, 0, "stale"));
	push_kind(intake, EVENT_RUNTIME, 2, 0, 7);
	push_named(intake, 3, 7, "true");
	CHECK_EQ(OK, events_intake_hint(intake, 4, 7, 0, "stale"));
	push_named(intake, 5, 7, "true");
	finish(intake);
	CHECK_EQ(5, heard.events.nr);
	CHECK_STR("stale", heard.events.at[0].name.text);
	CHECK_STR("true", heard.events.at[2].name.text);
	CHECK_EQ(EVENT_RUNTIME, heard.events.at[4].kind);
	forget(&heard);
}

TEST(a_process_is_told_with_the_name)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);
	struct intake_item it = item(EVENT_WAKING, 1, 0, 7, 9);

	memcpy(it.comm, "wakee", 5);
	memcpy(it.other_comm, "waker", 5);
	it.has_comm = it.has_other_comm = true;
	it.other_pid = 8;
	push(intake, it);
	finish(intake);
	CHECK_EQ(3, heard.events.nr);
	CHECK_EQ(7, heard.events.at[0].task.tid);
	CHECK_EQ(EVENT_NOBODY, heard.events.at[0].name.pid);
	CHECK_EQ(9, heard.events.at[1].task.tid);
	CHECK_EQ(8, heard.events.at[1].name.pid);
	forget(&heard);
}

/* sched_process_exit comes first, the last sched_switch after it: both are the old one's. */
TEST(the_last_switch_out_belongs_to_the_old_generation)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	push_switch(intake, 1, 0, 0, 0, 7);
	push_kind(intake, EVENT_EXIT, 2, 0, 7);
	push_switch(intake, 3, 0, 7, EVENT_STATE_DISK, 0);
	push_switch(intake, 4, 0, 0, 0, 7);
	push_switch(intake, 5, 0, 7, EVENT_STATE_DEAD, 0);
	push_kind(intake, EVENT_WAKEUP, 6, 0, 7);
	finish(intake);
	CHECK_EQ(0, heard_event(&heard, 2)->task.gen, "a sleep on the way out");
	CHECK_EQ(0, heard_event(&heard, 4)->task.gen);
	CHECK_EQ(1, heard_event(&heard, 5)->task.gen);
	CHECK_EQ(0, heard.quality.mismatches);
	forget(&heard);
}

TEST(a_fork_of_a_known_tid_is_a_new_thread)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	push_named(intake, 1, 7, "old");
	push_named(intake, 1, 5, "parent");
	push(intake, item(EVENT_FORK, 2, 0, 7, 5));
	push_kind(intake, EVENT_WAKEUP_NEW, 3, 0, 7);
	push_switch(intake, 4, 0, 5, 0, 7);
	finish(intake);
	CHECK_EQ(0, heard_event(&heard, 0)->task.gen);
	for (size_t i = 2; i < 4; i++)
		CHECK_EQ(1, heard_event(&heard, i)->task.gen, "event %zu", i);
	CHECK_EQ(1, heard_event(&heard, 4)->other.gen);
	CHECK_EQ(EVENT_NAME, heard.events.at[4].kind);
	CHECK_STR("parent", heard.events.at[4].name.text, "a child begins with its parent's name");
	CHECK_EQ(1, heard.events.at[4].task.gen);
	forget(&heard);
}

TEST(the_first_fork_of_a_tid_is_generation_0)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	CHECK_EQ(OK, events_intake_name(intake, 1, 7, 7, "only named"));
	push(intake, item(EVENT_FORK, 2, 0, 7, 5));
	finish(intake);
	CHECK_EQ(0, heard_event(&heard, 0)->task.gen);
	forget(&heard);
}

/* Without sched_process_fork in the file, the second first wakeup tells. */
TEST(a_first_wakeup_of_one_who_lived_is_a_new_thread)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	push_kind(intake, EVENT_WAKEUP_NEW, 1, 0, 7);
	push_kind(intake, EVENT_WAKEUP_NEW, 2, 0, 7);
	finish(intake);
	CHECK_EQ(0, heard_event(&heard, 0)->task.gen);
	CHECK_EQ(1, heard_event(&heard, 1)->task.gen);
	forget(&heard);
}

/* Thread 12 of process 10 calls exec: it is 10 from then on, and runs on. */
TEST(exec_in_a_thread_takes_the_leaders_tid)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);
	struct intake_item it = item(EVENT_EXEC, 3, 0, 10, EVENT_NOBODY);

	push_kind(intake, EVENT_RUNTIME, 1, 1, 10);
	push_switch(intake, 2, 0, 0, 0, 12);
	it.event.life.old_tid = 12;
	push(intake, it);
	push_switch(intake, 4, 0, 10, EVENT_STATE_SLEEP, 0);
	push_kind(intake, EVENT_RUNTIME, 5, 0, 12);
	finish(intake);
	CHECK_EQ(1, heard_event(&heard, 2)->task.gen);
	CHECK_EQ(1, heard_event(&heard, 3)->task.gen);
	CHECK_EQ(1, heard_event(&heard, 4)->task.gen, "tid 12 is free again");
	CHECK_EQ(0, heard.quality.mismatches);
	forget(&heard);
}

TEST(idle_is_one_for_each_cpu)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);
	struct intake_item it = item(EVENT_SWITCH, 1, 3, 0, 7);

	memcpy(it.comm, "swapper/3", 9);
	it.has_comm = true;
	push(intake, it);
	push(intake, item(EVENT_WAKING, 2, 2, 7, 0));
	finish(intake);
	CHECK_EQ(3, heard_event(&heard, 0)->task.gen);
	CHECK_STR("swapper/3", heard.events.at[0].name.text);
	CHECK_EQ(3, heard.events.at[0].task.gen);
	CHECK_EQ(2, heard_event(&heard, 1)->other.gen, "the waker is the idle task of its CPU");
	forget(&heard);
}

TEST(a_switch_out_of_another_thread_is_a_mismatch)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	push_switch(intake, 1, 0, 1, 0, 2);
	push_switch(intake, 2, 1, 3, 0, 4); /* another CPU: its first */
	push_switch(intake, 3, 0, 5, 0, 6); /* 2 was running */
	push_switch(intake, 4, 0, 6, 0, 0);
	finish(intake);
	CHECK_EQ(1, heard.quality.mismatches);
	forget(&heard);
}

TEST(after_a_loss_the_first_of_its_cpu_is_marked_and_no_mismatch)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);
	struct intake_item lost = item(EVENT_LOST, 3, 0, 0, 0);

	push_switch(intake, 1, 0, 1, 0, 2);
	push_switch(intake, 1, 1, 1, 0, 3);
	lost.event.lost.count = 40;
	push(intake, lost);
	push_switch(intake, 4, 1, 3, 0, 9);
	push_switch(intake, 5, 0, 7, 0, 8);
	push_switch(intake, 6, 0, 8, 0, 7);
	lost = item(EVENT_LOST, 7, EVENT_NOBODY, 0, 0);
	push(intake, lost);
	push_switch(intake, 8, 1, 5, 0, 6);
	finish(intake);
	CHECK_EQ(0, heard_event(&heard, 3)->flags, "CPU 1 lost nothing yet");
	CHECK_EQ(EVENT_AFTER_LOSS, heard_event(&heard, 4)->flags);
	CHECK_EQ(0, heard_event(&heard, 5)->flags);
	CHECK_EQ(EVENT_AFTER_LOSS, heard_event(&heard, 7)->flags, "no CPU told: all of them");
	CHECK_EQ(0, heard.quality.mismatches);
	CHECK_EQ(40, heard.quality.lost_events);
	CHECK_EQ(1, heard.quality.lost_unknown);
	forget(&heard);
}

TEST(what_an_event_points_to_is_kept)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);
	struct intake_item it = item(EVENT_MARK, 1, 0, 7, 0);
	char name[] = "frame";

	it.event.mark.name = name;
	push(intake, it);
	memset(name, 'x', 5);
	finish(intake);
	CHECK_STR("frame", heard_event(&heard, 0)->mark.name);
	forget(&heard);
}

TEST(cpus_that_no_machine_has_do_not_pass)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_BY_CPU, 0);
	struct intake_item it = item(EVENT_WAKEUP, 1, 0, 7, EVENT_NOBODY);

	push_kind(intake, EVENT_IDLE, 1, 4096, 0);
	push_kind(intake, EVENT_IDLE, 1, -2, 0);
	it.event.wake.target_cpu = 1 << 30;
	push(intake, it);
	finish(intake);
	CHECK_EQ(2, heard.quality.unparsed);
	CHECK_EQ(1, heard.events.nr);
	CHECK_EQ(EVENT_NOBODY, heard.events.at[0].wake.target_cpu);
	forget(&heard);
}

TEST(a_stream_without_events_begins_and_ends)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 0);

	events_intake_quality(intake)->truncated = true;
	finish(intake);
	CHECK_EQ(1, heard.begins);
	CHECK_EQ(1, heard.ends);
	CHECK(heard.quality.truncated);
	forget(&heard);
}

TEST(a_sink_that_has_enough_gets_the_end_and_no_more_events)
{
	struct heard heard;
	struct events_intake *intake = listen(&heard, INTAKE_GLOBAL, 1);
	struct intake_item it;

	heard.stop_after = 2;
	for (u64 t = 1; t <= 2; t++)
		push_kind(intake, EVENT_IDLE, t, 0, 0);
	it = item(EVENT_MARK, 3, 0, 7, 0);
	it.event.mark.name = "waits in the window when it stops";
	CHECK_EQ(ERR_STOP, events_intake_push(intake, &it));
	CHECK_EQ(ERR_STOP, events_intake_push(intake, &it));
	CHECK_EQ(ERR_STOP, events_intake_end(intake));
	events_intake_free(intake);
	CHECK_EQ(2, heard.events.nr);
	CHECK_EQ(1, heard.ends);
	forget(&heard);
}

/*
 * 199,999 threads that are born and die; 65,536 dead are remembered.  Each 65,536 that
 * are forgotten raise the first generation by one, so that tid 199,999 began with 3.
 */
TEST(the_dead_are_forgotten_and_identities_stay_unique)
{
	struct threads threads = { 0 };
	u32 gen = 0;

	threads_retire(&threads, threads_get(&threads, 1));
	for (s32 tid = 2; tid < 200000; tid++)
		threads_retire(&threads, threads_get(&threads, tid));
	CHECK(threads.by_tid.nr <= THREADS_DEAD_MAX + 1, "%zu remembered", threads.by_tid.nr);
	gen = threads_get(&threads, 1)->id.gen;
	CHECK(gen > 0, "tid 1 was generation 0 once");
	CHECK_EQ(4, threads_get(&threads, 199999)->id.gen, "remembered: its second life");
	threads_fini(&threads);
}
