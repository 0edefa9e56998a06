/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules of the nested EEVDF queue that have several forms, by hand.  Nice 0 has weight 1024,
 * for which virtual and wall time are equal.
 */
#include "policy/eevdf.h"
#include "test.h"

#define MS      1000000ULL
#define BIT(id) (1ULL << POLICY_##id)

static struct policy_features on(u64 features)
{
	return (struct policy_features){ { features } };
}

static struct policy_entity entity_of(u64 vruntime_vns, u64 deadline_vns, u64 slice_ns)
{
	struct policy_entity entity = { .vruntime_vns = vruntime_vns,
					.deadline_vns = deadline_vns,
					.slice_ns = slice_ns };

	policy_weight_of_nice(0, &entity.weight);
	return entity;
}

/* v is 1 ms, d 11 ms, its slice 10 ms. */
TEST(protection_lasts_for_the_shortest_slice)
{
	static const struct {
		const char *when;
		u64 deadline_vns, min_slice_ns, want_vns;
	} rows[] = {
		{ "its own is the shortest", 11 * MS, 10 * MS, 11 * MS },
		{ "another's is", 11 * MS, 2 * MS, 3 * MS },
		{ "but not past the deadline", 2 * MS, 5 * MS, 2 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity = entity_of(1 * MS, rows[i].deadline_vns, 10 * MS);

		policy_slice_protect(&entity, rows[i].min_slice_ns);
		CHECK_EQ(rows[i].want_vns, entity.vprot_vns, "%s", rows[i].when);
	}
}

/* From where it is; never longer than before. */
TEST(who_waits_with_a_shorter_slice_shortens_it)
{
	struct policy_entity entity = entity_of(1 * MS, 11 * MS, 10 * MS);

	policy_slice_protect(&entity, 10 * MS);
	policy_slice_shorten(&entity, 2 * MS);
	CHECK_EQ(3 * MS, entity.vprot_vns);
	entity.vruntime_vns = 2 * MS;
	policy_slice_shorten(&entity, 2 * MS);
	CHECK_EQ(3 * MS, entity.vprot_vns);
}

TEST(each_form_of_protection_holds_and_ends)
{
	static const enum policy_protect forms[] = { POLICY_PROTECT_DEADLINE,
						     POLICY_PROTECT_SLICE };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct policy_rules rules = { .protect = forms[i] };
		struct policy_entity entity = entity_of(1 * MS, 11 * MS, 10 * MS);

		policy_protect_set(&entity);
		policy_slice_protect(&entity, 2 * MS);
		CHECK(policy_holds(&entity, &rules), "form %zu", i);
		entity.vruntime_vns = 3 * MS; /* the shortest slice is used up, the request not */
		CHECK_EQ(!i, policy_holds(&entity, &rules), "form %zu", i);
		entity.vruntime_vns = 1 * MS;
		policy_unprotect(&entity, &rules);
		CHECK(!policy_holds(&entity, &rules), "form %zu", i);
	}
}

/* The rows of a_short_wakee_ends_protection (test_eevdf.c), as the proposal has them. */
TEST(the_proposal_asks_for_an_earlier_deadline)
{
	static const struct {
		const char *when;
		bool feature;
		u64 slice_ns, wakee_v, wakee_d, curr_v;
		bool want;
	} rows[] = {
		{ "shorter, eligible, earlier", true, 500000, 900, 2000, 900, true },
		{ "NO_PREEMPT_SHORT_RFC", false, 500000, 900, 2000, 900, false },
		{ "as long", true, 1000000, 900, 2000, 900, false },
		{ "not eligible", true, 500000, 500000, 2000, 900, false },
		{ "equal deadlines", true, 500000, 900, 3000, 900, false },
		{ "later, current not eligible", true, 500000, 900, 9000, 500000, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_features features = on(rows[i].feature ? BIT(PREEMPT_SHORT_RFC) : 0);
		struct policy_entity wakee =
			entity_of(rows[i].wakee_v, rows[i].wakee_d, rows[i].slice_ns);
		struct policy_entity curr = entity_of(rows[i].curr_v, 3000, 1000000);
		const struct policy_avg avg = { .zero_vns = 1000, .weight_sum = 100000 };

		CHECK_EQ(rows[i].want, policy_preempt_short_rfc(&avg, &wakee, &curr, &features),
			 "%s", rows[i].when);
	}
}

/* v 1, d 1.7: a slice later it is 2.4, and v stays. */
TEST(yielding_in_6_6_asks_for_a_slice_later)
{
	struct policy_entity entity = entity_of(1 * MS, 1700000, 700000);

	policy_yield_turn(&entity);
	CHECK_EQ(1 * MS, entity.vruntime_vns);
	CHECK_EQ(2400000, entity.deadline_vns);
}

/* From 1024 to 512: virtual time goes by at twice the pace. */
TEST(a_new_weight_scales_a_relative_deadline)
{
	struct policy_entity entity = entity_of(0, 0, 700000);

	entity.vlag_vns = -300;
	entity.deadline_vns = 500;
	entity.rel_deadline = true;
	policy_reweight_relative(&entity, 1024, 512);
	CHECK_EQ(-600, entity.vlag_vns);
	CHECK_EQ(1000, entity.deadline_vns);
	entity.rel_deadline = false; /* an absolute one has no scale */
	policy_reweight_relative(&entity, 1024, 512);
	CHECK_EQ(1000, entity.deadline_vns);
	entity.deadline_vns = -100ULL; /* it is past */
	entity.rel_deadline = true;
	policy_reweight_relative(&entity, 512, 1024);
	CHECK_EQ(-50, (s64)entity.deadline_vns);
	CHECK_EQ(-600, entity.vlag_vns); /* -600 * 2 / 2 */
}

TEST(what_a_wakeup_means_by_release)
{
	static const enum policy_preempt forms[] = { POLICY_PREEMPT_PICKED,
						     POLICY_PREEMPT_UNPROTECT,
						     POLICY_PREEMPT_PAST };
	enum {
		NO = POLICY_WAKEUP_IGNORE,
		YES = POLICY_WAKEUP_PREEMPT,
		PICK = POLICY_WAKEUP_PICK,
		SHORT = POLICY_WAKEUP_SHORT
	};
	static const struct {
		const char *when;
		u64 off;
		struct policy_parties of;
		u32 want[3];
	} rows[] = {
		{ "two normal ones", 0, { .wakee_normal = true }, { PICK, PICK, PICK } },
		{ "a shorter one",
		  0,
		  { .wakee_normal = true, .wakee_shorter = true },
		  { PICK, PICK, SHORT } },
		{ "a shorter one, NO_PREEMPT_SHORT",
		  BIT(PREEMPT_SHORT),
		  { .wakee_normal = true, .wakee_shorter = true },
		  { PICK, PICK, PICK } },
		{ "NO_WAKEUP_PREEMPTION",
		  BIT(WAKEUP_PREEMPTION),
		  { .wakee_normal = true },
		  { NO, NO, NO } },
		{ "a batch one", 0, { 0 }, { NO, NO, NO } },
		{ "an idle one runs",
		  0,
		  { .wakee_normal = true, .curr_idle = true, .curr_task_idle = true },
		  { YES, YES, YES } },
		{ "an idle one runs, NO_WAKEUP_PREEMPTION",
		  BIT(WAKEUP_PREEMPTION),
		  { .wakee_normal = true, .curr_idle = true, .curr_task_idle = true },
		  { YES, NO, NO } },
		{ "an idle one runs in a group, a batch one wakes",
		  0,
		  { .curr_task_idle = true },
		  { YES, NO, NO } },
		{ "an idle group runs, a batch one wakes",
		  0,
		  { .curr_idle = true },
		  { NO, YES, YES } },
		{ "an idle one wakes",
		  0,
		  { .wakee_idle = true, .wakee_task_idle = true },
		  { NO, NO, NO } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t k = 0; k < ARRAY_SIZE(forms); k++) {
			const struct policy_rules rules = { .preempt = forms[k] };
			struct policy_features features =
				on((BIT(PREEMPT_SHORT) | BIT(WAKEUP_PREEMPTION)) & ~rows[i].off);

			CHECK_EQ(rows[i].want[k],
				 policy_nested_wakeup(&rows[i].of, &rules, &features),
				 "%s, form %zu", rows[i].when, k);
		}
}
