/* SPDX-License-Identifier: GPL-2.0-only */
/* SCHED_DEADLINE's rules by hand: 10 of 100 unless told, all times in ms. */
#include "policy/deadline.h"
#include "test.h"

#define MS 1000000ULL

static struct policy_dl task(u64 runtime_ms, u64 deadline_ms, u64 period_ms)
{
	return (struct policy_dl){ .dl_runtime_ns = runtime_ms * MS,
				   .dl_deadline_ns = deadline_ms * MS,
				   .dl_period_ns = period_ms * MS };
}

TEST(a_new_period_begins_now)
{
	struct policy_dl dl = task(10, 50, 100);

	policy_dl_new_period(&dl, 7 * MS);
	CHECK_EQ(57 * MS, dl.deadline_ns);
	CHECK_EQ(10 * MS, (u64)dl.runtime_ns);
	CHECK_EQ(107 * MS, policy_dl_next_period(&dl));
}

/* Of 100 with 10: at 60 nearly 4 fit.  What does not fit, or is late, begins anew. */
TEST(who_wakes_keeps_no_more_than_its_share)
{
	static const struct {
		u64 runtime_ns, now_ns, runtime_after_ns, deadline_ns;
	} rows[] = {
		{ 3 * MS, 60 * MS, 3 * MS, 100 * MS },
		{ 5 * MS, 60 * MS, 10 * MS, 160 * MS },
		{ 1 * MS, 101 * MS, 10 * MS, 201 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_dl dl = task(10, 100, 100);

		policy_dl_new_period(&dl, 0);
		dl.runtime_ns = (s64)rows[i].runtime_ns;
		policy_dl_wake(&dl, rows[i].now_ns);
		CHECK_EQ(rows[i].runtime_after_ns, (u64)dl.runtime_ns, "row %zu", i);
		CHECK_EQ(rows[i].deadline_ns, dl.deadline_ns, "row %zu", i);
	}
}

/* 10 of 20 in each 100: at 14, 6 before its deadline, half of that is its share. */
TEST(with_a_shorter_deadline_it_keeps_its_share_of_what_is_left)
{
	struct policy_dl dl = task(10, 20, 100);

	policy_dl_new_period(&dl, 0);
	dl.runtime_ns = 8 * MS;
	policy_dl_wake(&dl, 14 * MS);
	CHECK_EQ(3 * MS, (u64)dl.runtime_ns);
	CHECK_EQ(20 * MS, dl.deadline_ns);
}

TEST(between_its_deadline_and_its_next_period_it_comes_too_early)
{
	struct policy_dl dl = task(10, 20, 100), implicit = task(10, 100, 100);

	policy_dl_new_period(&dl, 0);
	CHECK(!policy_dl_too_early(&dl, 20 * MS));
	CHECK(policy_dl_too_early(&dl, 20 * MS + 1));
	CHECK(policy_dl_too_early(&dl, 100 * MS - 1));
	CHECK(!policy_dl_too_early(&dl, 100 * MS));
	policy_dl_new_period(&implicit, 0);
	CHECK(!policy_dl_too_early(&implicit, 101 * MS));
}

TEST(it_is_throttled_when_nothing_is_left_or_it_yields)
{
	struct policy_dl dl = task(10, 100, 100);

	policy_dl_new_period(&dl, 0);
	CHECK(!policy_dl_update(&dl, 10 * MS - 1));
	CHECK(policy_dl_update(&dl, 1));
	CHECK(dl.throttled);
	dl = task(10, 100, 100);
	policy_dl_new_period(&dl, 0);
	dl.yielded = true;
	CHECK(policy_dl_update(&dl, 1 * MS));
}

/* 12 too much of 10: two periods on, 8; a yielder's rest is lost; late by more: now anew. */
TEST(debts_are_paid_by_as_many_periods_as_it_takes)
{
	struct policy_dl dl = task(10, 100, 100);

	policy_dl_new_period(&dl, 0);
	dl.throttled = true;
	dl.runtime_ns = -12 * (s64)MS;
	policy_dl_replenish(&dl, 100 * MS);
	CHECK_EQ(8 * MS, (u64)dl.runtime_ns);
	CHECK_EQ(300 * MS, dl.deadline_ns);
	CHECK(!dl.throttled);

	policy_dl_new_period(&dl, 0);
	dl.yielded = true;
	policy_dl_replenish(&dl, 100 * MS);
	CHECK_EQ(10 * MS, (u64)dl.runtime_ns);
	CHECK_EQ(200 * MS, dl.deadline_ns);
	CHECK(!dl.yielded);

	policy_dl_new_period(&dl, 0);
	dl.runtime_ns = 0;
	policy_dl_replenish(&dl, 700 * MS);
	CHECK_EQ(800 * MS, dl.deadline_ns);
}

/* Half of a CPU of half the capacity counts for a quarter. */
TEST(time_counts_by_the_capacity)
{
	CHECK_EQ(5 * MS, policy_dl_scaled(10 * MS, 512));
	CHECK_EQ(10 * MS, policy_dl_scaled(10 * MS, 1024));
}

TEST(what_the_kernel_takes)
{
	struct policy_dl rows[] = { task(10, 100, 100), task(101, 100, 100), task(10, 101, 100),
				    task(10, 10, 4195), task(10, 10, 4194) };
	bool want[] = { true, false, false, false, true };
	struct policy_dl tiny = { 1023, 100000, 100000, 0, 0, false, false };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(want[i], policy_dl_valid(&rows[i]), "row %zu", i);
	CHECK(!policy_dl_valid(&tiny));
	tiny.dl_runtime_ns = 1024;
	CHECK(policy_dl_valid(&tiny));
	tiny.dl_deadline_ns = tiny.dl_period_ns = 99999;
	CHECK(!policy_dl_valid(&tiny));
}

/* 95 % of two CPUs, one of them half as big: 1.425 CPUs. */
TEST(admission_goes_by_capacity)
{
	u64 most = policy_to_ratio(1000, 950), half = policy_to_ratio(100, 50);

	CHECK(!policy_dl_overflow(most, 1024 + 512, half, policy_to_ratio(1000, 924)));
	CHECK(policy_dl_overflow(most, 1024 + 512, half, policy_to_ratio(1000, 926)));
	CHECK(policy_dl_fits(&(struct policy_dl){ 50, 100, 100, 0, 0, false, false }, 512));
	CHECK(!policy_dl_fits(&(struct policy_dl){ 51, 100, 100, 0, 0, false, false }, 512));
}
