/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

static void idle_event(struct stream *s, u64 us, s32 cpu, u32 state)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_IDLE,
				       .cpu = cpu,
				       .task = idle(cpu),
				       .idle = { state, 0, 0, 0 } });
}

static void check_row(const struct stream *s, u32 state, u64 entries, u64 us)
{
	const struct idle_states_row *row = &s->analysis->idle_states.rows[state];

	CHECK_EQ(entries, row->entries, "state %u", state);
	CHECK_EQ(us * US, row->ns, "state %u", state);
}

static void end(struct stream *s)
{
	analysis_free(s->analysis);
}

TEST(each_state_has_its_time_and_entries)
{
	struct stream s;

	stream_begin(&s, NULL);
	idle_event(&s, 10, 0, 1);
	idle_event(&s, 20, 1, 3);
	idle_event(&s, 25, 0, EVENT_IDLE_EXIT);
	idle_event(&s, 25, 0, 0);
	idle_event(&s, 27, 0, EVENT_IDLE_EXIT);
	idle_event(&s, 30, 0, 1);
	idle_event(&s, 34, 0, EVENT_IDLE_EXIT);
	sched(&s, 40, 0, 0, 0, 5);
	stream_end(&s);
	check_row(&s, 0, 1, 2);
	check_row(&s, 1, 2, 15 + 4);
	check_row(&s, 3, 0, 20); /* until the end, which it did not see */
	end(&s);
}

TEST(what_was_not_seen_whole_is_left_out)
{
	struct stream s;

	stream_begin(&s, NULL);
	idle_event(&s, 5, 0, EVENT_IDLE_EXIT); /* since before the stream */
	idle_event(&s, 10, 0, 1);
	lost(&s, 15, 0);
	idle_event(&s, 20, 0, EVENT_IDLE_EXIT);
	idle_event(&s, 30, 1, 2);
	stream_push(&s, (struct event){ .time_ns = 40 * US,
					.kind = EVENT_CPU,
					.cpu = 1,
					.task = { EVENT_NOBODY, 0 },
					.other = { EVENT_NOBODY, 0 } });
	idle_event(&s, 50, 0, 77);
	idle_event(&s, 60, 0, EVENT_IDLE_EXIT);
	stream_end(&s);
	for (u32 i = 0; i < IDLE_STATES_MAX; i++)
		check_row(&s, i, 0, 0);
	CHECK_EQ(1, s.analysis->idle_states.beyond);
	end(&s);
}

/* From 20 to 40 us: 10 of the first, all of the second, 5 of the third. */
TEST(the_window_cuts_times)
{
	struct analysis_options options = { .filter = FILTER_NONE };
	struct stream s;

	options.filter.from = (struct filter_time){ 20 * US, true, false };
	options.filter.to = (struct filter_time){ 40 * US, true, false };
	stream_begin(&s, &options);
	for (u32 i = 0; i < 3; i++) {
		static const u64 from_us[] = { 10, 31, 35 }, to_us[] = { 30, 33, 50 };

		idle_event(&s, from_us[i], 0, 1);
		idle_event(&s, to_us[i], 0, EVENT_IDLE_EXIT);
	}
	stream_end(&s);
	check_row(&s, 1, 2, 10 + 2 + 5);
	end(&s);
}
