/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/identity.h"
#include "test.h"

static struct policy_features features(bool stay, bool rescue, bool never_hot)
{
	struct policy_features on = { 0 };

	policy_feature_set(&on, POLICY_ID_LAST_HIGHCLASS_STAY, stay);
	policy_feature_set(&on, POLICY_ID_RESCUE_EXPELLEE, rescue);
	policy_feature_set(&on, POLICY_ID_EXPELLEE_NEVER_HOT, never_hot);
	return on;
}

TEST(identity_decides_who_may_be_moved)
{
	static const struct {
		const char *when;
		struct policy_id_move move;
		bool stay, rescue, never_hot;
		enum policy_id_verdict want;
	} rows[] = {
		{ "last highclass",
		  { POLICY_HIGHCLASS, false, 1, false, false },
		  true,
		  true,
		  false,
		  POLICY_ID_LAST },
		{ "one of two",
		  { POLICY_HIGHCLASS, false, 2, false, false },
		  true,
		  true,
		  false,
		  POLICY_ID_AS_USUAL },
		{ "last, off",
		  { POLICY_HIGHCLASS, false, 1, false, false },
		  false,
		  true,
		  false,
		  POLICY_ID_AS_USUAL },
		{ "normal", { 0, false, 0, true, true }, true, true, true, POLICY_ID_AS_USUAL },
		{ "to where it would not run",
		  { POLICY_UNDERCLASS, true, 1, true, true },
		  true,
		  true,
		  true,
		  POLICY_ID_NOT_THERE },
		{ "highclass below underclass",
		  { POLICY_HIGHCLASS, true, 2, false, true },
		  true,
		  true,
		  true,
		  POLICY_ID_NOT_THERE },
		{ "never hot",
		  { POLICY_UNDERCLASS, true, 0, false, false },
		  true,
		  false,
		  true,
		  POLICY_ID_TAKE },
		{ "rescued",
		  { POLICY_UNDERCLASS, true, 0, true, false },
		  true,
		  true,
		  false,
		  POLICY_ID_TAKE },
		{ "no rescue",
		  { POLICY_UNDERCLASS, true, 0, true, false },
		  true,
		  false,
		  false,
		  POLICY_ID_AS_USUAL },
		{ "nothing to be rescued from",
		  { POLICY_UNDERCLASS, true, 0, false, false },
		  true,
		  true,
		  false,
		  POLICY_ID_AS_USUAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_features on =
			features(rows[i].stay, rows[i].rescue, rows[i].never_hot);

		CHECK_EQ(rows[i].want, policy_id_can_migrate(&rows[i].move, &on), "%s",
			 rows[i].when);
	}
}

TEST(who_wakes_preempts_by_identity)
{
	static const struct {
		const char *when;
		struct policy_id_entity curr, se;
		s32 want;
	} rows[] = {
		{ "underclass gives way", { 0, POLICY_UNDERCLASS, false }, { 900, 0, false }, 1 },
		{ "it never preempts", { 900, 0, false }, { 0, POLICY_UNDERCLASS, false }, -1 },
		{ "hidden ones neither", { 900, 0, false }, { 0, 0, true }, -1 },
		{ "they give way", { 0, 0, true }, { 900, 0, false }, 1 },
		{ "highclass that had more",
		  { 10, 0, false },
		  { 10, POLICY_HIGHCLASS, false },
		  -1 },
		{ "highclass that had less", { 11, 0, false }, { 10, POLICY_HIGHCLASS, false }, 1 },
		{ "across the wrap", { 5, 0, false }, { -5ULL, POLICY_HIGHCLASS, false }, 1 },
		{ "highclass runs", { 900, POLICY_HIGHCLASS, false }, { 0, 0, false }, -1 },
		{ "alike", { 900, POLICY_HIGHCLASS, false }, { 0, POLICY_HIGHCLASS, false }, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want, policy_id_wakeup_preempt(&rows[i].curr, &rows[i].se), "%s",
			 rows[i].when);
}

/* A minimal granularity of 750 us, a slice of 3 ms. */
TEST(a_tick_looks_at_identity)
{
	static const struct {
		const char *when;
		u64 ran_us;
		struct policy_id_entity curr, first;
		bool none;
		u32 want;
	} rows[] = {
		{ "slice over", 3001, { 0 }, { 9, 0, false }, false, POLICY_TICK_SLICE_OVER },
		{ "expelled", 1, { 0, POLICY_UNDERCLASS, true }, { 0 }, true, POLICY_TICK_AHEAD },
		{ "nothing else", 1, { 9, 0, false }, { 0 }, true, POLICY_TICK_GO_ON },
		{ "behind", 1, { 0 }, { 9, POLICY_HIGHCLASS, false }, false, POLICY_TICK_GO_ON },
		{ "highclass waits",
		  1,
		  { 9, 0, false },
		  { 9, POLICY_HIGHCLASS, false },
		  false,
		  POLICY_TICK_AHEAD },
		{ "normal waits",
		  1,
		  { 9, POLICY_UNDERCLASS, false },
		  { 9, 0, false },
		  false,
		  POLICY_TICK_AHEAD },
		{ "alike", 1, { 9, 0, false }, { 9, 0, false }, false, POLICY_TICK_GO_ON },
		{ "far ahead", 1, { 3000001, 0, false }, { 0 }, false, POLICY_TICK_AHEAD },
		{ "highclass, protected",
		  749,
		  { 4000000, POLICY_HIGHCLASS, false },
		  { 0 },
		  false,
		  POLICY_TICK_GO_ON },
		{ "no more",
		  750,
		  { 4000000, POLICY_HIGHCLASS, false },
		  { 0 },
		  false,
		  POLICY_TICK_AHEAD },
	};
	const struct policy_cfs cfs = { .min_granularity_ns = 750000 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_id_check_preempt_tick(&cfs, 3000000, rows[i].ran_us * 1000,
						      &rows[i].curr,
						      rows[i].none ? NULL : &rows[i].first),
			 "%s", rows[i].when);
}

TEST(the_tree_that_had_less_is_first)
{
	CHECK(policy_id_under_first(100, 50, 49));
	CHECK(!policy_id_under_first(100, 50, 50));
}
