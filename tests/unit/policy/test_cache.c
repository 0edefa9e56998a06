/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/cache.h"

#include "test.h"

static const struct policy_cache_tunables usual = {
	.aggr_tolerance = 1, .epoch_affinity_timeout = 5, .imb_pct = 20, .overaggr_pct = 50
};

/* Epochs of 2 jiffies; the next one begins after 4. */
TEST(what_ran_is_halved_every_epoch)
{
	static const struct {
		u64 jiffies, epoch, next, runtime_ns;
	} rows[] = {
		{ 3, 7, 4, 8000 },
		{ 4, 7, 4, 8000 }, /* a point of the grid belongs to what it ends */
		{ 5, 8, 6, 4000 },
		{ 6, 8, 6, 4000 },
		{ 9, 10, 10, 1000 }, /* 5 late: three epochs */
		{ 200, 105, 200, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_cache_epoch cpu = { .epoch = 7, .next = 4, .runtime_ns = 8000 };
		struct policy_cache_time time = { .runtime_ns = 6400, .epoch = 5 };

		policy_cache_age(&cpu, &time, rows[i].jiffies, 2);
		CHECK_EQ(rows[i].epoch, cpu.epoch, "at %llu", rows[i].jiffies);
		CHECK_EQ(rows[i].next, cpu.next, "at %llu", rows[i].jiffies);
		CHECK_EQ(rows[i].runtime_ns, cpu.runtime_ns, "at %llu", rows[i].jiffies);
		CHECK_EQ(rows[i].epoch, time.epoch, "at %llu", rows[i].jiffies);
		CHECK_EQ(rows[i].epoch < 69 ? 6400ULL >> (rows[i].epoch - 5) : 0, time.runtime_ns,
			 "at %llu", rows[i].jiffies);
	}
}

TEST(a_part_of_a_cpu_is_what_ran_by_what_all_ran)
{
	const struct policy_cache_epoch cpu = { .runtime_ns = 999 };
	const struct policy_cache_time half = { .runtime_ns = 500 }, none = { 0 };

	CHECK_EQ(524288, policy_cache_fraction(&cpu, &half));
	CHECK_EQ(0, policy_cache_fraction(&cpu, &none));
}

/* A cache of 8 CPUs holds 0.8 * 8 = 6.4 threads, or 3.2 cores of two. */
TEST(a_process_with_too_many_threads_prefers_none)
{
	static const struct {
		const char *when;
		u32 tolerance, threads;
		u64 running;
		u32 smt;
		bool want;
	} rows[] = {
		{ "6 of 6.4", 1, 9, 6, 1, false },
		{ "7 of 6.4", 1, 9, 7, 1, true },
		{ "3 of 3.2", 1, 9, 3, 2, false },
		{ "4 of 3.2", 1, 9, 4, 2, true },
		{ "twice the tolerance: 12 of 12.8", 2, 20, 12, 1, false },
		{ "13 of 12.8", 2, 20, 13, 1, true },
		{ "no tolerance, nothing runs", 0, 9, 0, 1, true },
		{ "any number", 100, 999, 500, 2, false },
		{ "one thread alone", 1, 1, 0, 1, true },
		{ "one thread alone, any number", 100, 1, 0, 1, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_cache_tunables with = usual;

		with.aggr_tolerance = rows[i].tolerance;
		CHECK_EQ(rows[i].want,
			 policy_cache_crowded(&with, rows[i].threads, rows[i].running, rows[i].smt,
					      8),
			 "%s", rows[i].when);
	}
}

/* By a quarter of the cache's CPUs, from 2 to 8. */
TEST(the_average_goes_faster_in_small_caches)
{
	CHECK_EQ(1, policy_cache_running(0, 3, 4));   /* 3 / 2 */
	CHECK_EQ(2, policy_cache_running(0, 10, 16)); /* 10 / 4 */
	CHECK_EQ(9, policy_cache_running(10, 5, 16)); /* 10 - 5 / 4 */
	CHECK_EQ(2, policy_cache_running(0, 16, 64)); /* 16 / 8, not 16 */
}

TEST(another_cache_must_be_twice_as_good)
{
	CHECK(policy_cache_better(201, 100), "201 of 100");
	CHECK(!policy_cache_better(200, 100), "200 of 100");
	CHECK(!policy_cache_better(0, 0), "nothing anywhere");
}

/* Of 1000 each, so that a cache is busy from 500 on with SMT and from 750 on without. */
TEST(tasks_move_to_the_preferred_cache_unless_that_is_too_busy)
{
	static const struct {
		const char *when;
		u64 src, dst, util;
		u32 smt;
		bool to;
		enum policy_cache_move want;
	} rows[] = {
		{ "room there", 300, 400, 50, 2, true, POLICY_CACHE_MOVES },
		{ "no room, and 60 > 1.2 * 30", 300, 600, 0, 2, true, POLICY_CACHE_STAYS },
		{ "no room, but 58 <= 1.2 * 49", 490, 580, 0, 2, true, POLICY_CACHE_MOVES },
		{ "no room anywhere", 600, 600, 0, 2, true, POLICY_CACHE_NO_RULE },
		{ "without SMT there is", 600, 600, 0, 1, true, POLICY_CACHE_MOVES },
		{ "the task fills it: 510 > 1.2 * 290", 300, 500, 10, 2, true, POLICY_CACHE_STAYS },
		{ "away, from where there is room", 400, 0, 0, 2, false, POLICY_CACHE_STAYS },
		{ "away: 55 > 1.2 * 45", 600, 400, 50, 2, false, POLICY_CACHE_MOVES },
		{ "away: 52 <= 1.2 * 45", 570, 400, 50, 2, false, POLICY_CACHE_STAYS },
		{ "away: no room anywhere", 900, 600, 0, 2, false, POLICY_CACHE_NO_RULE },
		{ "a task as big as all of it", 40, 100, 50, 2, false, POLICY_CACHE_STAYS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct policy_cache_pair pair = { rows[i].src, 1000, rows[i].dst, 1000,
							rows[i].smt };

		CHECK_EQ(rows[i].want,
			 policy_cache_may_move(&usual, &pair, rows[i].util, rows[i].to), "%s",
			 rows[i].when);
	}
}

/* Before the first pass nothing is known: 0 of 0 is no room. */
TEST(caches_that_no_pass_has_seen_bind_nobody)
{
	const struct policy_cache_pair unseen = { .smt = 1 };

	CHECK_EQ(POLICY_CACHE_NO_RULE, policy_cache_may_move(&usual, &unseen, 0, true));
}
