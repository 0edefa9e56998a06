/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream - small streams written by hand, one call an event; times are microseconds.
 */
#ifndef TESTS_ANALYSIS_STREAM_H
#define TESTS_ANALYSIS_STREAM_H

#include "analysis/analysis.h"
#include "test.h"

#define US 1000ULL
#define MS 1000000ULL

struct stream {
	struct analysis *analysis;
	struct event_sink sink;
	u64 seq;
	u16 flags; /* of the next event */
};

static const u64 stream_sees = EVENT_BIT(SWITCH) | EVENT_BIT(WAKING) | EVENT_BIT(WAKEUP) |
			       EVENT_BIT(WAKEUP_NEW) | EVENT_BIT(MIGRATE) | EVENT_BIT(FORK) |
			       EVENT_BIT(RUNTIME) | EVENT_BIT(NAME);

static inline struct event_task tid(s32 tid)
{
	return (struct event_task){ tid, 0 };
}

static inline struct event_task idle(s32 cpu)
{
	return (struct event_task){ 0, (u32)cpu };
}

static inline void stream_begin(struct stream *s, const struct analysis_options *options)
{
	const struct analysis_options none = { .filter = FILTER_NONE };
	const struct event_header header = { .source = "test", .nr_cpus = 2, .sees = stream_sees };

	*s = (struct stream){ .analysis = analysis_new(options ? options : &none) };
	s->sink = analysis_sink(s->analysis);
	s->sink.on_begin(s->sink.self, &header);
}

static inline void stream_push(struct stream *s, struct event event)
{
	event.seq = ++s->seq;
	event.flags = s->flags;
	s->flags = 0;
	CHECK_EQ(OK, s->sink.on_event(s->sink.self, &event));
}

static inline void stream_end(struct stream *s)
{
	const struct event_quality quality = { 0 };

	CHECK_EQ(OK, s->sink.on_end(s->sink.self, &quality));
}

static inline void name(struct stream *s, u64 us, s32 who, const char *text)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_NAME,
				       .cpu = EVENT_NOBODY,
				       .task = tid(who),
				       .other = { EVENT_NOBODY, 0 },
				       .name = { text, (u32)strlen(text), EVENT_NOBODY, 0 } });
}

static inline void sched(struct stream *s, u64 us, s32 cpu, s32 prev, u32 state, s32 next)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_SWITCH,
				       .cpu = cpu,
				       .task = prev ? tid(prev) : idle(cpu),
				       .other = next ? tid(next) : idle(cpu),
				       .switch_ = { state, 120, 120, 0, 0 } });
}

static inline void wake(struct stream *s, u64 us, s32 cpu, u16 kind, s32 who, s32 waker, s32 target)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = kind,
				       .cpu = cpu,
				       .task = tid(who),
				       .other = waker ? tid(waker) : idle(cpu),
				       .wake = { 120, target, 0, 0 } });
}

static inline void migrate(struct stream *s, u64 us, s32 cpu, s32 who, s32 from, s32 to)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_MIGRATE,
				       .cpu = cpu,
				       .task = tid(who),
				       .other = { EVENT_NOBODY, 0 },
				       .migrate = { 120, from, to, 0, 0 } });
}

static inline void runtime(struct stream *s, u64 us, s32 cpu, s32 who, u64 ns)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_RUNTIME,
				       .cpu = cpu,
				       .task = tid(who),
				       .other = { EVENT_NOBODY, 0 },
				       .runtime = { ns, 0, 0 } });
}

static inline void lost(struct stream *s, u64 us, s32 cpu)
{
	stream_push(s, (struct event){ .time_ns = us * US,
				       .kind = EVENT_LOST,
				       .cpu = cpu,
				       .task = { EVENT_NOBODY, 0 },
				       .other = { EVENT_NOBODY, 0 },
				       .lost = { 1, 0, 0 } });
}

/* NULL if no row is called so. */
static inline struct latency_row *row(struct stream *s, const char *called)
{
	vec_for_each(found, &s->analysis->latency.rows)
		if (!strcmp(found->name, called))
			return found;
	return NULL;
}

#define S EVENT_STATE_SLEEP
#define R EVENT_STATE_RUNNING

#endif
