/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds of utilisation by hand.  A bucket is 205 wide: 0..204, 205..409, ..., 820..1024. */
#include "policy/uclamp.h"
#include "test.h"

static struct policy_uclamp fresh(void)
{
	struct policy_uclamp clamp = { .idle = true };

	clamp.value[POLICY_UCLAMP_MAX] = 1024;
	return clamp;
}

static void add(struct policy_uclamp *clamp, u32 min, u32 max)
{
	policy_uclamp_inc(clamp, POLICY_UCLAMP_MIN, min);
	policy_uclamp_inc(clamp, POLICY_UCLAMP_MAX, max);
	policy_uclamp_busy(clamp);
}

static void leave(struct policy_uclamp *clamp, u32 min, u32 max)
{
	policy_uclamp_dec(clamp, POLICY_UCLAMP_MIN, min);
	policy_uclamp_dec(clamp, POLICY_UCLAMP_MAX, max);
}

TEST(values_fall_into_buckets)
{
	static const struct {
		u32 value, bucket;
	} rows[] = { { 0, 0 }, { 204, 0 }, { 205, 1 }, { 819, 3 }, { 820, 4 }, { 1024, 4 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].bucket, policy_uclamp_bucket(rows[i].value), "%u", rows[i].value);
}

TEST(a_cpu_has_the_largest_of_its_tasks)
{
	struct policy_uclamp clamp = fresh();

	add(&clamp, 300, 600);
	CHECK_EQ(300, clamp.value[POLICY_UCLAMP_MIN]);
	CHECK_EQ(600, clamp.value[POLICY_UCLAMP_MAX], "not what the idle CPU had");
	add(&clamp, 100, 1024);
	CHECK_EQ(300, clamp.value[POLICY_UCLAMP_MIN]);
	CHECK_EQ(1024, clamp.value[POLICY_UCLAMP_MAX]);
	leave(&clamp, 100, 1024);
	CHECK_EQ(600, clamp.value[POLICY_UCLAMP_MAX]);
	leave(&clamp, 300, 600);
	CHECK_EQ(0, clamp.value[POLICY_UCLAMP_MIN]);
	CHECK_EQ(600, clamp.value[POLICY_UCLAMP_MAX], "kept while idle");
	CHECK(clamp.idle);
}

/* 210 and 400 share a bucket: when 400 leaves, 400 stays until the bucket is empty. */
TEST(a_bucket_keeps_its_largest_until_it_is_empty)
{
	struct policy_uclamp clamp = fresh();

	add(&clamp, 210, 1024);
	add(&clamp, 400, 1024);
	leave(&clamp, 400, 1024);
	CHECK_EQ(400, clamp.value[POLICY_UCLAMP_MIN]);
	leave(&clamp, 210, 1024);
	add(&clamp, 210, 1024);
	CHECK_EQ(210, clamp.value[POLICY_UCLAMP_MIN]);
}

TEST(groups_restrict_and_percents_round)
{
	CHECK_EQ(200, policy_uclamp_restrict(100, 200, 800));
	CHECK_EQ(800, policy_uclamp_restrict(900, 200, 800));
	CHECK_EQ(512, policy_uclamp_of_percent(5000));
	CHECK_EQ(205, policy_uclamp_of_percent(2000), "204.8");
	CHECK_EQ(1024, policy_uclamp_of_percent(10000));
	CHECK_EQ(300, policy_uclamp_util(100, 300, 600));
	CHECK_EQ(600, policy_uclamp_util(700, 300, 600));
	CHECK_EQ(700, policy_uclamp_util(100, 700, 600), "the lower bound wins");
}

/*
 * A CPU of 512, all of it the fair class's: 400 fit (four fifths are 409), 500 do not, unless
 * the upper bound is at most 512.  A lower bound of 600 asks for more than it can give.
 */
TEST(bounds_decide_what_fits)
{
	static const struct {
		u32 util, bounds[2];
		s32 want;
	} rows[] = { { 400, { 0, 1024 }, 1 }, { 500, { 0, 1024 }, 0 },    { 500, { 0, 512 }, 1 },
		     { 500, { 0, 513 }, 0 },  { 100, { 600, 1024 }, -1 }, { 100, { 512, 1024 }, 1 },
		     { 100, { 600, 512 }, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_util_fits(rows[i].util, rows[i].bounds, 512, 512, 512), "row %zu",
			 i);
}
