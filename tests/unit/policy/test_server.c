/* SPDX-License-Identifier: GPL-2.0-only */
/* The fair server's states by hand: 50 ms of each second, all times in ms. */
#include "policy/server.h"
#include "test.h"

#define MS 1000000ULL

/* Started at 0, where fair tasks have to wait. */
static struct policy_server started(void)
{
	struct policy_server server = { .budget_ns = 50 * MS, .timer_ns = U64_MAX };

	CHECK(policy_server_start(&server, 0));
	return server;
}

/* Its timer found them starved at 950. */
static struct policy_server starved(void)
{
	struct policy_server server = started();

	CHECK(policy_server_timer(&server, 950 * MS));
	return server;
}

TEST(it_waits_until_only_its_runtime_is_left)
{
	struct policy_server server = started();

	CHECK(server.active && server.throttled && server.armed && !server.queued);
	CHECK_EQ(950 * MS, server.timer_ns);
	CHECK_EQ(1000 * MS, server.deadline_ns);
	CHECK(!policy_server_start(&server, 10 * MS), "it is active");
}

/* At 950 all 50 are left of 50: more than its share, so a new period begins there. */
TEST(starved_tasks_go_first_until_the_runtime_is_used_up)
{
	struct policy_server server = starved();

	CHECK(server.queued && server.running && !server.throttled);
	CHECK_EQ(1950 * MS, server.deadline_ns);
	CHECK_EQ(50 * MS, (u64)server.runtime_ns);
	CHECK_EQ(U64_MAX, server.timer_ns);
	CHECK(!policy_server_update(&server, 49 * MS, 999 * MS, false));
	CHECK(policy_server_update(&server, 1 * MS, 1000 * MS, false));
	CHECK(!server.queued && server.throttled && !server.armed);
	CHECK_EQ(1950 * MS, server.timer_ns);
}

/* 53 ran of 50: 47 in the next period, which they need not wait out. */
TEST(what_ran_too_long_is_taken_off_the_next_period)
{
	struct policy_server server = starved();

	CHECK(policy_server_update(&server, 53 * MS, 1003 * MS, false));
	CHECK(policy_server_timer(&server, 1950 * MS));
	CHECK(server.queued);
	CHECK_EQ(47 * MS, (u64)server.runtime_ns);
	CHECK_EQ(2950 * MS, server.deadline_ns);
	/* 153 of 47: -106, three periods later 44 are left */
	CHECK(policy_server_update(&server, 153 * MS, 2103 * MS, false));
	CHECK(policy_server_timer(&server, 2950 * MS));
	CHECK_EQ(44 * MS, (u64)server.runtime_ns);
	CHECK_EQ(5950 * MS, server.deadline_ns);
}

/* By more than a millisecond, not by one. */
TEST(what_ran_anyway_moves_the_timer)
{
	static const struct {
		u64 ran_ns, timer_ns;
	} rows[] = { { 20 * MS, 970 * MS }, { 1 * MS + 1, 951 * MS + 1 }, { 1 * MS, U64_MAX } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_server server = started();

		CHECK(!policy_server_update(&server, rows[i].ran_ns, 100 * MS, false), "row %zu",
		      i);
		CHECK_EQ(950 * MS, server.timer_ns, "row %zu", i);
		CHECK_EQ(rows[i].timer_ns == U64_MAX, policy_server_timer(&server, 950 * MS),
			 "row %zu", i);
		CHECK_EQ(rows[i].timer_ns, server.timer_ns, "row %zu", i);
	}
}

TEST(who_ran_enough_begins_a_new_period)
{
	struct policy_server server = started();

	CHECK(!policy_server_update(&server, 50 * MS, 300 * MS, false));
	CHECK(!server.queued);
	CHECK_EQ(1250 * MS, server.timer_ns);
	CHECK_EQ(1300 * MS, server.deadline_ns);
	server = starved();
	CHECK(policy_server_update(&server, 50 * MS, 1000 * MS, false));
	CHECK(!policy_server_update(&server, 1 * MS, 1100 * MS, false));
	CHECK(!server.running && server.armed, "realtime tasks have let them run");
	CHECK_EQ(2050 * MS, server.timer_ns);
}

/* Idle time takes what there is, not more; the period stays.  At its end a new runtime comes. */
TEST(idle_time_counts_as_run)
{
	struct policy_server server = started();

	policy_server_update_idle_time(&server, 30 * MS);
	CHECK_EQ(20 * MS, (u64)server.runtime_ns);
	policy_server_update_idle_time(&server, 30 * MS);
	CHECK_EQ(0, (u64)server.runtime_ns);
	CHECK(!policy_server_timer(&server, 950 * MS));
	CHECK_EQ(1000 * MS, server.timer_ns);
	CHECK(policy_server_timer(&server, 1000 * MS));
	CHECK_EQ(50 * MS, (u64)server.runtime_ns);
	CHECK_EQ(2000 * MS, server.deadline_ns);
	server = starved();
	policy_server_update_idle_time(&server, 51 * MS);
	CHECK(!server.running);
}

/*
 * They leave at 960 with 40 of the period to 1950.  At 1000 that is less than the share of 950
 * left, 47.5: they go first with it.  At 1200 it is more than that of 750: they go first with
 * 750 * 52428 / 2^20.  After 1950 they wait again.
 */
TEST(who_comes_back_after_starving_goes_first_with_the_rest)
{
	static const struct {
		u64 at_ns, runtime_ns, timer_ns;
	} rows[] = { { 1000 * MS, 40 * MS, U64_MAX },
		     { 1200 * MS, 37499427, U64_MAX },
		     { 2000 * MS, 50 * MS, 2950 * MS } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_server server = starved();

		policy_server_update(&server, 10 * MS, 960 * MS, false);
		policy_server_stop(&server);
		CHECK(!server.queued && !server.active);
		CHECK(policy_server_start(&server, rows[i].at_ns));
		CHECK_EQ(rows[i].runtime_ns, (u64)server.runtime_ns, "row %zu", i);
		CHECK_EQ(rows[i].timer_ns == U64_MAX, server.queued, "row %zu", i);
		CHECK_EQ(rows[i].timer_ns, server.timer_ns, "row %zu", i);
	}
}

/* Used up only after the deadline, 1950: at once a new runtime, without a timer. */
TEST(a_deadline_that_has_passed_is_replaced_at_once)
{
	struct policy_server server = starved();

	CHECK(!policy_server_update(&server, 60 * MS, 2000 * MS, false));
	CHECK(server.queued && !server.throttled);
	CHECK_EQ(40 * MS, (u64)server.runtime_ns);
	CHECK_EQ(2950 * MS, server.deadline_ns);
}

/*
 * 7.3: idle time uses it up as well.  Still idle at 950, the CPU has its timer stop it; the
 * period that began there counts if it starts again.  A fair task in between is no idle time.
 */
TEST(the_timer_stops_a_server_that_only_idle_time_used_up)
{
	struct policy_server server = started();

	server.stops_idle = true;
	CHECK(!policy_server_update(&server, 900 * MS, 950 * MS, true));
	CHECK(server.idle && server.throttled && server.armed);
	CHECK_EQ(1950 * MS, server.deadline_ns);
	CHECK(!policy_server_update(&server, 60 * MS, 1010 * MS, true));
	CHECK_EQ(0, server.runtime_ns);
	CHECK_EQ(1950 * MS, server.deadline_ns, "it has one idle period only");
	CHECK(!policy_server_timer(&server, 1020 * MS));
	CHECK(!server.active && !server.throttled && !server.queued);
	CHECK_EQ(U64_MAX, server.timer_ns);

	server = started();
	server.stops_idle = true;
	policy_server_update(&server, 900 * MS, 950 * MS, true);
	CHECK(!policy_server_update(&server, 10 * MS, 960 * MS, false));
	CHECK(!server.idle);
	CHECK(!policy_server_timer(&server, 1900 * MS));
	CHECK(server.active);
	CHECK_EQ(1910 * MS, server.timer_ns);
}

/* 7.3: used up, and its deadline has passed: a new period, which it waits out; 6.12 goes on. */
TEST(a_late_server_waits_a_period_in_7_3)
{
	struct policy_server server = starved();

	server.stops_idle = true;
	CHECK(policy_server_update(&server, 60 * MS, 2000 * MS, false));
	CHECK(!server.queued && server.throttled);
	CHECK_EQ(50 * MS, (u64)server.runtime_ns);
	CHECK_EQ(3000 * MS, server.deadline_ns);
	CHECK_EQ(3000 * MS, server.timer_ns);
}
