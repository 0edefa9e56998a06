/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of one queue, by hand.  Entities of nice 0 have weight 1024, for which virtual
 * and wall time are equal; nice 5 has 335, nice -5 has 3121.
 */
#include "base/rng.h"
#include "policy/eevdf.h"
#include "test.h"

#define MS 1000000ULL

static struct policy_features on(u64 features)
{
	return (struct policy_features){ { features } };
}

#define BIT(id) (1ULL << POLICY_##id)

static struct policy_entity entity_of(s32 nice, u64 vruntime_vns, u64 deadline_vns)
{
	struct policy_entity entity = { .vruntime_vns = vruntime_vns,
					.deadline_vns = deadline_vns,
					.slice_ns = 700000 };

	policy_weight_of_nice(nice, &entity.weight);
	return entity;
}

static void avg_of(struct policy_avg *avg, u64 zero_vns, const struct policy_entity *entities,
		   u32 nr)
{
	*avg = (struct policy_avg){ .zero_vns = zero_vns };
	for (u32 i = 0; i < nr; i++)
		policy_avg_add(avg, &entities[i]);
}

/* Two entities of weight 1024 at 0 and 200: V is 100. */
TEST(eligible_means_not_past_the_average)
{
	const struct policy_avg avg = { .key_sum = 200 * 1024, .weight_sum = 2 * 1024 };
	static const struct {
		const char *when;
		u64 vruntime_vns;
		bool want;
	} rows[] = {
		{ "behind V", 99, true },
		{ "exactly at V", 100, true },
		{ "ahead of V", 101, false },
		{ "at zero", 0, true },
		{ "behind, across the wrap", -1ULL, true },
		{ "far behind, across the wrap", -1000000ULL, true },
		{ "far ahead", 1000000, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want, policy_vruntime_eligible(&avg, rows[i].vruntime_vns), "%s",
			 rows[i].when);
}

/* 1024 at 0 and 1024 at 1: V is 0.5, floored 0; 1 is ahead although V rounds to it or to 0. */
TEST(eligibility_does_not_round)
{
	const struct policy_avg avg = { .key_sum = 1024, .weight_sum = 2048 };

	CHECK_EQ(0, policy_avg_delta(&avg));
	CHECK(policy_vruntime_eligible(&avg, 0));
	CHECK(!policy_vruntime_eligible(&avg, 1));
}

/* The three sit astride the wrap: at -100, 0 and 400 of weights 1024, 1024, 3121.
 * V = (-100 * 1024 + 400 * 3121) / 5169 = 221.7 */
TEST(the_average_crosses_the_wrap)
{
	struct policy_entity entities[] = { entity_of(0, -100ULL, 0), entity_of(0, 0, 0),
					    entity_of(-5, 400, 0) };
	struct policy_avg avg;

	avg_of(&avg, -50ULL, entities, 3);
	CHECK_EQ(5169, avg.weight_sum);
	CHECK_EQ(221, (s64)avg.zero_vns + policy_avg_delta(&avg));
	CHECK(policy_vruntime_eligible(&avg, 221));
	CHECK(!policy_vruntime_eligible(&avg, 222));
}

/* Floor: 1024 at -1 and 335 at 0 give -0.75, so -1: left of V, hence eligible. */
TEST(the_average_is_rounded_toward_minus_infinity)
{
	struct policy_entity entities[] = { entity_of(0, -1ULL, 0), entity_of(5, 0, 0) };
	struct policy_avg avg;

	avg_of(&avg, 0, entities, 2);
	CHECK_EQ(-1, policy_avg_delta(&avg));
	CHECK(policy_vruntime_eligible(&avg, (u64)policy_avg_delta(&avg)));
}

TEST(an_empty_queues_average_is_its_zero)
{
	const struct policy_avg avg = { .zero_vns = 77 };

	CHECK_EQ(0, policy_avg_delta(&avg));
}

TEST(what_leaves_takes_its_term_along)
{
	struct policy_entity entities[] = { entity_of(0, 300, 0), entity_of(5, 900, 0) };
	struct policy_avg avg;

	avg_of(&avg, 100, entities, 2);
	policy_avg_sub(&avg, &entities[0]);
	CHECK_EQ(335, avg.weight_sum);
	CHECK_EQ(800 * 335, avg.key_sum);
	policy_avg_sub(&avg, &entities[1]);
	CHECK_EQ(0, avg.weight_sum);
	CHECK_EQ(0, avg.key_sum);
}

/* Over random queues: moving zero leaves V, and who is eligible, where they were. */
TEST(moving_zero_changes_nothing_else)
{
	for (u64 round = 0; round < 2000; round++) {
		struct policy_entity entities[5];
		struct policy_avg avg, moved;
		u64 base = rng_draw(5, round, 0, 0);
		u64 v_vns;

		for (u32 i = 0; i < 5; i++)
			entities[i] = entity_of((s32)(rng_draw(5, round, 1, i) % 40) - 20,
						base + rng_draw(5, round, 2, i) % (20 * MS), 0);
		avg_of(&avg, base, entities, 5);
		v_vns = avg.zero_vns + (u64)policy_avg_delta(&avg);
		moved = avg;
		policy_avg_move_zero(&moved, policy_avg_delta(&avg));
		CHECK_EQ(v_vns, moved.zero_vns);
		CHECK_EQ(0, policy_avg_delta(&moved));
		for (u32 i = 0; i < 5; i++)
			CHECK_EQ(policy_vruntime_eligible(&avg, entities[i].vruntime_vns),
				 policy_vruntime_eligible(&moved, entities[i].vruntime_vns));
	}
}

TEST(the_earlier_deadline_goes_first_across_the_wrap)
{
	struct policy_entity a = entity_of(0, 0, -5ULL), b = entity_of(0, 0, 5);

	CHECK(policy_entity_before(&a, &b));
	CHECK(!policy_entity_before(&b, &a));
	CHECK(!policy_entity_before(&a, &a));
}

TEST(lag_is_kept_within_two_slices_or_a_tick)
{
	static const struct {
		const char *when;
		s32 nice;
		u64 slice_ns, tick_ns;
		s64 ahead_vns; /* V - vruntime */
		s64 want_vns;
	} rows[] = {
		{ "inside", 0, 700000, MS, 1399999, 1399999 },
		{ "two slices", 0, 700000, MS, 1400001, 1400000 },
		{ "two slices behind", 0, 700000, MS, -1400001, -1400000 },
		{ "a tick is longer", 0, 700000, 4 * MS, 5 * (s64)MS, 4 * (s64)MS },
		{ "a tick is longer, behind", 0, 700000, 4 * MS, -5 * (s64)MS, -4 * (s64)MS },
		/* nice 5: 4 ms are 4e6 * 1024 / 335 = 12226865.6 virtual */
		{ "in virtual time", 5, 700000, 4 * MS, 20 * (s64)MS, 12226865 },
		{ "at V", 0, 700000, MS, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity = entity_of(rows[i].nice, 1000, 0);

		entity.slice_ns = rows[i].slice_ns;
		CHECK_EQ(rows[i].want_vns,
			 policy_entity_lag(&entity, 1000 + (u64)rows[i].ahead_vns, rows[i].tick_ns),
			 "%s", rows[i].when);
	}
}

/* One of weight 1024 is there, V = 5000; the newcomer has the same weight and lag 300:
 * placed with 300 * 2048 / 1024 = 600, it has 300 once V has moved to 4700. */
TEST(placement_inflates_the_lag)
{
	struct policy_entity there = entity_of(0, 5000, 0), entity = entity_of(0, 1, 2);
	struct policy_features features = on(BIT(PLACE_LAG));
	struct policy_avg avg;

	avg_of(&avg, 5000, &there, 1);
	entity.vlag_vns = 300;
	policy_place_entity(&entity, &avg, 700000, false, &features);
	CHECK_EQ(4400, entity.vruntime_vns);
	CHECK_EQ(704400, entity.deadline_vns);
	policy_avg_add(&avg, &entity);
	CHECK_EQ(4700, (s64)avg.zero_vns + policy_avg_delta(&avg));
}

/* Weight 335 joins 3121: lag -1000 becomes -1000 * 3456 / 3121 = -1107.3. */
TEST(placement_inflates_debt_by_the_weights)
{
	struct policy_entity there = entity_of(-5, 5000, 0), entity = entity_of(5, 1, 2);
	struct policy_features features = on(BIT(PLACE_LAG));
	struct policy_avg avg;

	avg_of(&avg, 5000, &there, 1);
	entity.vlag_vns = -1000;
	policy_place_entity(&entity, &avg, 700000, false, &features);
	CHECK_EQ(6107, entity.vruntime_vns);
	/* 700000 * 1024 / 335 = 2139701.5 */
	CHECK_EQ(6107 + 2139701, entity.deadline_vns);
}

TEST(placement_by_features)
{
	static const struct {
		const char *when;
		u64 features;
		bool others, initial, rel, custom;
		u64 want_vruntime, want_deadline;
	} rows[] = {
		{ "nobody there: lag is lost", BIT(PLACE_LAG), false, false, false, false, 5000,
		  705000 },
		{ "NO_PLACE_LAG", 0, true, false, false, false, 5000, 705000 },
		{ "PLACE_LAG", BIT(PLACE_LAG), true, false, false, false, 4400, 704400 },
		{ "initial", BIT(PLACE_DEADLINE_INITIAL), true, true, false, false, 5000, 355000 },
		{ "NO_PLACE_DEADLINE_INITIAL", 0, true, true, false, false, 5000, 705000 },
		{ "not initial", BIT(PLACE_DEADLINE_INITIAL), true, false, false, false, 5000,
		  705000 },
		{ "relative deadline", BIT(PLACE_REL_DEADLINE), true, true, true, false, 5000,
		  5123 },
		{ "NO_PLACE_REL_DEADLINE", 0, true, false, true, false, 5000, 705000 },
		{ "custom slice", 0, true, false, false, true, 5000, 2005000 },
		{ "custom slice, initial", BIT(PLACE_DEADLINE_INITIAL), true, true, false, true,
		  5000, 1005000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity there = entity_of(0, 5000, 0), entity = entity_of(0, 1, 123);
		struct policy_features features = on(rows[i].features);
		struct policy_avg avg;

		avg_of(&avg, 5000, &there, rows[i].others);
		entity.vlag_vns = 300;
		entity.rel_deadline = rows[i].rel;
		entity.slice_ns = rows[i].custom ? 2 * MS : 1;
		entity.custom_slice = rows[i].custom;
		policy_place_entity(&entity, &avg, 700000, rows[i].initial, &features);
		CHECK_EQ(rows[i].want_vruntime, entity.vruntime_vns, "%s", rows[i].when);
		CHECK_EQ(rows[i].want_deadline, entity.deadline_vns, "%s", rows[i].when);
		CHECK_EQ(rows[i].custom ? 2 * MS : 700000, entity.slice_ns, "%s", rows[i].when);
	}
}

TEST(a_relative_deadline_is_used_once)
{
	struct policy_features features = on(BIT(PLACE_REL_DEADLINE));
	const struct policy_avg avg = { .zero_vns = 5000 };
	struct policy_entity entity = entity_of(0, 1, 123);

	entity.rel_deadline = true;
	policy_place_entity(&entity, &avg, 700000, false, &features);
	CHECK(!entity.rel_deadline);
	policy_place_entity(&entity, &avg, 700000, false, &features);
	CHECK_EQ(705000, entity.deadline_vns);
}

TEST(a_deadline_is_renewed_from_where_the_entity_stands)
{
	static const struct {
		const char *when;
		u64 vruntime_vns, deadline_vns;
		bool custom, want;
		u64 want_deadline;
	} rows[] = {
		{ "not yet", 99, 100, false, false, 100 },
		{ "just reached", 100, 100, false, true, 700100 },
		{ "long past", 5000, 100, false, true, 705000 },
		{ "custom slice", 5000, 100, true, true, 2005000 },
		{ "not yet, across the wrap", -5ULL, 5, false, false, 5 },
		{ "past, across the wrap", 5, -5ULL, false, true, 700005 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity =
			entity_of(0, rows[i].vruntime_vns, rows[i].deadline_vns);

		entity.custom_slice = rows[i].custom;
		entity.slice_ns = rows[i].custom ? 2 * MS : 1;
		CHECK_EQ(rows[i].want, policy_update_deadline(&entity, 700000), "%s", rows[i].when);
		CHECK_EQ(rows[i].want_deadline, entity.deadline_vns, "%s", rows[i].when);
	}
}

TEST(protection_lasts_until_renewal_or_cancel)
{
	struct policy_entity entity = entity_of(0, 0, 100);

	entity.vlag_vns = 7;
	CHECK(!policy_protected(&entity));
	policy_protect_set(&entity);
	CHECK(policy_protected(&entity));
	policy_protect_cancel(&entity);
	CHECK(!policy_protected(&entity));
	CHECK_EQ(101, entity.vlag_vns);
	policy_protect_cancel(&entity); /* only once: it does not creep */
	CHECK_EQ(101, entity.vlag_vns);
	policy_protect_set(&entity);
	entity.vruntime_vns = 100;
	policy_update_deadline(&entity, 700000);
	CHECK(!policy_protected(&entity));
}

/* V is 1000 by a heavy third; slices 0.5 ms against 1 ms unless stated. */
TEST(a_short_wakee_ends_protection)
{
	static const struct {
		const char *when;
		bool feature;
		u64 wakee_slice, wakee_v, wakee_d, curr_v, curr_d;
		bool want;
	} rows[] = {
		{ "shorter, eligible, earlier", true, 500000, 900, 2000, 900, 3000, true },
		{ "NO_PREEMPT_SHORT", false, 500000, 900, 2000, 900, 3000, false },
		{ "as long", true, 1000000, 900, 2000, 900, 3000, false },
		{ "longer", true, 1500000, 900, 2000, 900, 3000, false },
		{ "not eligible", true, 500000, 500000, 2000, 900, 3000, false },
		{ "later, current eligible", true, 500000, 900, 3001, 900, 3000, false },
		{ "equal deadlines, current eligible", true, 500000, 900, 3000, 900, 3000, false },
		{ "later, current not eligible", true, 500000, 900, 9000, 500000, 3000, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_features features = on(rows[i].feature ? BIT(PREEMPT_SHORT) : 0);
		struct policy_entity wakee = entity_of(0, rows[i].wakee_v, rows[i].wakee_d);
		struct policy_entity curr = entity_of(0, rows[i].curr_v, rows[i].curr_d);
		const struct policy_avg avg = { .zero_vns = 1000, .weight_sum = 100000 };

		wakee.slice_ns = rows[i].wakee_slice;
		curr.slice_ns = 1000000;
		CHECK_EQ(rows[i].want, policy_preempt_short(&avg, &wakee, &curr, &features), "%s",
			 rows[i].when);
	}
}

TEST(an_unprotected_ineligible_task_gives_way_early)
{
	static const struct {
		const char *when;
		bool feature, protect;
		u64 curr_v;
		bool want;
	} rows[] = {
		{ "unprotected, ahead of V", true, false, 1001, true },
		{ "unprotected, at V", true, false, 1000, false },
		{ "protected, ahead of V", true, true, 1001, false },
		{ "NO_PREEMPT_SHORT", false, false, 1001, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_features features = on(rows[i].feature ? BIT(PREEMPT_SHORT) : 0);
		struct policy_entity curr = entity_of(0, rows[i].curr_v, 5000);
		const struct policy_avg avg = { .zero_vns = 1000, .weight_sum = 2048 };

		if (rows[i].protect)
			policy_protect_set(&curr);
		CHECK_EQ(rows[i].want, policy_did_preempt_short(&avg, &curr, &features), "%s",
			 rows[i].when);
	}
}

TEST(yielding_forfeits_the_request_of_an_eligible_task)
{
	const struct policy_avg avg = { .zero_vns = 1000, .weight_sum = 2048 };
	struct policy_entity entity = entity_of(0, 1000, 9000);

	policy_yield(&entity, &avg, 700000);
	CHECK_EQ(9000, entity.vruntime_vns);
	CHECK_EQ(709000, entity.deadline_vns);
	entity = entity_of(0, 1001, 9000);
	policy_yield(&entity, &avg, 700000);
	CHECK_EQ(1001, entity.vruntime_vns);
	CHECK_EQ(9000, entity.deadline_vns);
}

TEST(a_new_weight_keeps_what_lag_and_request_are_worth)
{
	static const struct {
		const char *when;
		s32 from, to;
		u64 v, d, want_v, want_d;
	} rows[] = {
		/* V = 100000.  Lag 1000 at 1024 is 1000 * 1024 / 335 = 3056.7 at 335; what is
		 * left of the request, 5000 after V, is 15283.6 */
		{ "lighter, owed", 0, 5, 99000, 105000, 96944, 115283 },
		/* lag -1000: truncation toward zero */
		{ "lighter, in debt", 0, 5, 101000, 105000, 103056, 115283 },
		/* 1000 * 1024 / 3121 = 328.1; 5000 -> 1640.5 */
		{ "heavier", 0, -5, 99000, 105000, 99672, 101640 },
		{ "at V", 0, 5, 100000, 105000, 100000, 115283 },
		/* the deadline lies 2000 before V: -6113.4 */
		{ "deadline behind V", 0, 5, 97000, 98000, 90830, 93887 },
		{ "same weight", 5, 5, 99000, 105000, 99000, 105000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity = entity_of(rows[i].from, rows[i].v, rows[i].d);
		struct policy_weight to;

		policy_weight_of_nice(rows[i].to, &to);
		policy_reweight_queued(&entity, 100000, 4 * MS, entity.weight.weight << 10,
				       to.weight << 10);
		CHECK_EQ(rows[i].want_v, entity.vruntime_vns, "%s", rows[i].when);
		CHECK_EQ(rows[i].want_d, entity.deadline_vns, "%s", rows[i].when);
	}
}

/* Lag 9 ms is cut to the tick of 4 ms first, then is 4 ms * 1024 / 3121 = 1312399.87. */
TEST(a_new_weight_cuts_the_lag_first)
{
	struct policy_entity entity = entity_of(0, 11 * MS, 20 * MS);
	struct policy_weight to;

	policy_weight_of_nice(-5, &to);
	policy_reweight_queued(&entity, 20 * MS, 4 * MS, 1024, to.weight);
	CHECK_EQ(20 * MS - 1312399, entity.vruntime_vns);
}

TEST(a_new_weight_scales_the_lag_of_one_that_is_away)
{
	struct policy_entity entity = entity_of(0, 77, 88);
	struct policy_weight to;

	policy_weight_of_nice(5, &to);
	entity.vlag_vns = -1000;
	policy_reweight_absent(&entity, 1024, to.weight);
	CHECK_EQ(-3056, entity.vlag_vns);
	CHECK_EQ(77, entity.vruntime_vns);
	CHECK_EQ(88, entity.deadline_vns);
}
