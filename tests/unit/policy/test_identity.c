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
