/* SPDX-License-Identifier: GPL-2.0-only */
#include "events/sinks.h"

#include "test.h"

#define NR 5

/* Five events of one thread that differ in time and runtime. */
static void fill(struct event *events)
{
	for (u32 i = 0; i < NR; i++)
		events[i] = (struct event){ .time_ns = 100 * i,
					    .seq = i + 1,
					    .kind = EVENT_RUNTIME,
					    .task = { 7, 0 },
					    .other = { 7, 0 },
					    .runtime = { .runtime_ns = 10 + i } };
}

static u64 hash_of(const struct event *events, u32 nr)
{
	struct events_hash hash = { 0 };
	struct event_sink sink = events_hash_sink(&hash);

	CHECK_EQ(OK, events_push(&sink, events, nr));
	CHECK_EQ(nr, hash.events);
	return hash.hash;
}

TEST(a_batch_hashes_as_its_events_one_by_one)
{
	struct event events[NR];
	struct events_hash hash = { 0 };
	struct event_sink sink = events_hash_sink(&hash);

	fill(events);
	for (u32 i = 0; i < NR; i++)
		CHECK_EQ(OK, sink.on_event(sink.self, &events[i]));
	CHECK_EQ(NR, hash.events);
	CHECK_EQ(hash_of(events, NR), hash.hash);
}

TEST(every_bit_of_an_event_but_those_of_seq_changes_the_hash)
{
	struct event events[NR];
	u64 before, words[sizeof(*events) / sizeof(u64)];

	fill(events);
	before = hash_of(events, NR);
	for (u32 bit = 0; bit < 8 * sizeof(*events); bit++) {
		bool kind = bit / 64 == 2 && bit % 64 < 16, seq = bit / 64 == 1;

		if (kind) /* another kind has other fields */
			continue;
		fill(events);
		memcpy(words, &events[2], sizeof(words));
		words[bit / 64] ^= 1ULL << (bit % 64);
		memcpy(&events[2], words, sizeof(words));
		CHECK_EQ(seq, hash_of(events, NR) == before, "bit %u", bit);
	}
}

TEST(the_order_of_events_changes_the_hash)
{
	struct event events[NR], first;
	u64 before;

	fill(events);
	before = hash_of(events, NR);
	first = events[0];
	events[0] = events[1];
	events[1] = first;
	CHECK(before != hash_of(events, NR));
}

/* Takes so many, then has had enough. */
struct some {
	u32 seen, enough;
};

static enum err_code take(void *self, const struct event *event)
{
	struct some *some = self;

	CHECK_EQ(100 * some->seen, event->time_ns);
	return ++some->seen == some->enough ? ERR_STOP : OK;
}

TEST(a_sink_that_takes_no_batches_gets_each_event_until_it_has_had_enough)
{
	struct some some = { .enough = 3 };
	struct event_sink sink = { &some, NULL, take, NULL };
	struct event events[NR];

	fill(events);
	CHECK_EQ(ERR_STOP, events_push(&sink, events, NR));
	CHECK_EQ(3, some.seen);
}

TEST(a_tee_hands_a_batch_to_each_until_one_has_had_enough)
{
	struct some all = { 0 }, some = { .enough = 2 }, after = { 0 };
	struct events_tee tee = { 0 };
	struct event_sink sink = events_tee_sink(&tee);
	struct event events[NR];

	events_tee_add(&tee, (struct event_sink){ &all, NULL, take, NULL });
	events_tee_add(&tee, (struct event_sink){ &some, NULL, take, NULL });
	events_tee_add(&tee, (struct event_sink){ &after, NULL, take, NULL });
	fill(events);
	CHECK_EQ(ERR_STOP, events_push(&sink, events, NR));
	CHECK_EQ(NR, all.seen);
	CHECK_EQ(2, some.seen);
	CHECK_EQ(0, after.seen);
}
