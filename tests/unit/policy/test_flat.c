/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of 7.3, by hand.  W is the weight of nice 0 in full resolution, for which virtual
 * and wall time are equal.
 */
#include "policy/flat.h"
#include "test.h"

#define MS      1000000ULL
#define US      1000ULL
#define W       POLICY_FLAT_NICE0
#define BIT(id) (1ULL << POLICY_##id)

static struct policy_features on(u64 features)
{
	return (struct policy_features){ { features } };
}

static struct policy_entity entity_of(u64 weight, u64 vruntime_vns, u64 deadline_vns)
{
	return (struct policy_entity){ .vruntime_vns = vruntime_vns,
				       .deadline_vns = deadline_vns,
				       .slice_ns = 700 * US,
				       .weight = { .weight = weight } };
}

/*
 * Nice -5 has 3121 << 10: 1 ms is 1000000 * 1024 / 3121 = 328099.967, so 328099, where the
 * inverse of 6.12 would give a ns less at times.  Nice 19 has 15 << 10: 68266666.67.
 */
TEST(virtual_time_is_divided_exactly)
{
	CHECK_EQ(1 * MS, policy_flat_delta_fair(1 * MS, W));
	CHECK_EQ(328099, policy_flat_delta_fair(1 * MS, 3121 << 10));
	CHECK_EQ(68266666, policy_flat_delta_fair(1 * MS, 15 << 10));
	CHECK_EQ(0, policy_flat_delta_fair(0, 15 << 10));
	CHECK_EQ(524288, policy_flat_delta_fair(1, 2)); /* the least weight: 2^20 / 2 */
}

/*
 * A task of nice 0 beside one of nice 5 (335) in a group that weighs 512 on this CPU:
 * 1024 / 1359 of it.  2^20 * 2^20 / (1359 * 2^10) is 2^30 / 1359 = 790097.001; half of that,
 * floored, is 395048.
 */
TEST(a_task_weighs_its_part_of_its_group)
{
	u64 weight = policy_prop_weight(W, W, (1024 + 335) << 10);

	CHECK_EQ(790097, weight);
	CHECK_EQ(395048, policy_prop_weight(weight, W / 2, W));
}

/* In the root queue the sum plays no part: the weight is its own. */
TEST(a_task_of_the_root_weighs_what_its_nice_says)
{
	CHECK_EQ(3121 << 10, policy_prop_weight(W, 3121 << 10, W));
	CHECK_EQ(3 << 10, policy_prop_weight(W, 3 << 10, W));
}

/* One of a thousand tasks in a group of weight 2^10: 2^20 * 2^20 / (1000 * 2^20) = 1048, and
 * 1048 * 2^10 / 2^20 = 1, for which 2 is the least. */
TEST(no_level_weighs_less_than_two)
{
	CHECK_EQ(1048, policy_prop_weight(W, W, 1000 * W));
	CHECK_EQ(2, policy_prop_weight(1048, 1 << 10, W));
	CHECK_EQ(2, policy_prop_weight(2, 1, W));
}

TEST(a_groups_shares_grow_with_its_tasks_up_to_its_cpus)
{
	static const struct {
		const char *when;
		u32 mode, tasks, cpus;
		u64 want;
	} rows[] = {
		{ "one task", POLICY_CGROUP_CONCUR, 1, 4, 1 },
		{ "three tasks", POLICY_CGROUP_CONCUR, 3, 4, 3 },
		{ "more tasks than CPUs", POLICY_CGROUP_CONCUR, 9, 4, 4 },
		{ "only delayed ones", POLICY_CGROUP_CONCUR, 0, 4, 1 },
		{ "an empty cpuset", POLICY_CGROUP_CONCUR, 1, 0, 1 },
		{ "as ever", POLICY_CGROUP_SMP, 9, 4, 1 },
		{ "on each", POLICY_CGROUP_UP, 9, 4, 1 },
		{ "by CPUs", POLICY_CGROUP_MAX, 1, 4, 4 },
		{ "by tasks", POLICY_CGROUP_TASKS, 9, 4, 9 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_cgroup_times(rows[i].mode, rows[i].tasks, rows[i].cpus), "%s",
			 rows[i].when);
}

/*
 * Longest slice 3 ms and a tick of 4 ms: 7 ms of wall time.  For a weight of W / 2 that is 14
 * of virtual time.
 */
TEST(lag_is_limited_by_the_longest_slice_and_a_tick)
{
	static const struct {
		u64 weight;
		s64 behind_vns, want;
	} rows[] = {
		{ W, 5 * MS, 5 * MS },
		{ W, 8 * MS, 7 * MS },
		{ W, -(s64)(8 * MS), -(s64)(7 * MS) },
		{ W / 2, 13 * MS, 13 * MS },
		{ W / 2, 15 * MS, 14 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity =
			entity_of(rows[i].weight, 100 * MS - (u64)rows[i].behind_vns, 0);

		CHECK_EQ(rows[i].want, policy_flat_lag(&entity, 100 * MS, 3 * MS, 4 * MS),
			 "row %zu", i);
	}
}

/* It fell asleep with a lag of -3 ms. */
TEST(a_delayed_one_keeps_no_more_debt_and_no_credit)
{
	struct policy_features zero = on(BIT(DELAY_ZERO)), none = on(0);

	CHECK_EQ(-2, policy_delayed_lag(-2, -3, &zero));
	CHECK_EQ(-3, policy_delayed_lag(-9, -3, &zero));
	CHECK_EQ(0, policy_delayed_lag(5, -3, &zero));
	CHECK_EQ(5, policy_delayed_lag(5, -3, &none));
	CHECK_EQ(-3, policy_delayed_lag(-9, -3, &none));
}

/*
 * V is 10 ms and 2 W compete.  One of W and lag 1 ms: joining will take W / 3W of its lag, so
 * it gets 1 + 1 * W / 2W = 1.5.  One of 4 W: 1 + 1 * 4 / 2 = 3, and zero moves to it.
 */
TEST(placement_makes_up_for_what_joining_costs)
{
	const struct policy_avg avg = { .zero_vns = 10 * MS, .weight_sum = 2 * W };
	struct policy_features lag = on(BIT(PLACE_LAG)), none = on(0);
	struct policy_entity entity = entity_of(W, 0, 0);

	entity.vlag_vns = 1 * MS;
	CHECK_EQ(0, policy_flat_place_entity(&entity, &avg, 700 * US, false, &lag));
	CHECK_EQ(8500 * US, entity.vruntime_vns);
	CHECK_EQ(9200 * US, entity.deadline_vns);

	entity.weight.weight = 4 * W;
	CHECK_EQ(-(s64)(3 * MS), policy_flat_place_entity(&entity, &avg, 700 * US, false, &lag));
	CHECK_EQ(7 * MS, entity.vruntime_vns);
	CHECK_EQ(7175 * US, entity.deadline_vns); /* 0.7 / 4 later */

	CHECK_EQ(0, policy_flat_place_entity(&entity, &avg, 700 * US, false, &none));
	CHECK_EQ(10 * MS, entity.vruntime_vns);
}

TEST(nobody_to_have_lag_against_places_at_v)
{
	const struct policy_avg avg = { .zero_vns = 10 * MS };
	struct policy_features lag = on(BIT(PLACE_LAG));
	struct policy_entity entity = entity_of(W, 0, 0);

	entity.vlag_vns = 1 * MS;
	CHECK_EQ(0, policy_flat_place_entity(&entity, &avg, 700 * US, false, &lag));
	CHECK_EQ(10 * MS, entity.vruntime_vns);
}

/* The deadline of a newcomer (half a slice), of one that moved (the rest of its request), and
 * of one that asked for a slice of its own. */
TEST(placement_sets_the_deadline)
{
	const struct policy_avg avg = { .zero_vns = 10 * MS, .weight_sum = W };
	struct policy_features all = on(BIT(PLACE_DEADLINE_INITIAL) | BIT(PLACE_REL_DEADLINE));
	struct policy_features none = on(0);
	struct policy_entity entity = entity_of(W / 2, 0, 300 * US);

	policy_flat_place_entity(&entity, &avg, 700 * US, true, &all);
	CHECK_EQ(10700 * US, entity.deadline_vns); /* 1.4 ms of virtual time, halved */
	policy_flat_place_entity(&entity, &avg, 700 * US, true, &none);
	CHECK_EQ(11400 * US, entity.deadline_vns);

	entity.deadline_vns = 300 * US;
	entity.rel_deadline = true;
	policy_flat_place_entity(&entity, &avg, 700 * US, false, &all);
	CHECK_EQ(10300 * US, entity.deadline_vns);
	CHECK(!entity.rel_deadline);

	entity.slice_ns = 3 * MS;
	entity.custom_slice = true;
	policy_flat_place_entity(&entity, &avg, 700 * US, false, &all);
	CHECK_EQ(16 * MS, entity.deadline_vns);
	CHECK_EQ(3 * MS, entity.slice_ns);
}

TEST(a_used_up_request_is_renewed_from_where_the_entity_stands)
{
	struct policy_entity entity = entity_of(2 * W, 699, 700);

	CHECK(!policy_flat_update_deadline(&entity, 800 * US));
	entity.vruntime_vns = 702;
	CHECK(policy_flat_update_deadline(&entity, 800 * US));
	CHECK_EQ(702 + 400 * US, entity.deadline_vns);
	CHECK_EQ(800 * US, entity.slice_ns);
	entity.vruntime_vns = entity.deadline_vns;
	entity.slice_ns = 2 * MS;
	entity.custom_slice = true;
	CHECK(policy_flat_update_deadline(&entity, 800 * US));
	CHECK_EQ(702 + 1400 * US, entity.deadline_vns);
}

/*
 * The others: W at 0 and 3 W at 400 from zero, mean 300.  One at 300 has lag 0 and is
 * eligible; at 301 it is not.  The mean of -1 and -2 is floored to -2.
 */
TEST(the_parity_point_is_the_first_that_is_not_eligible)
{
	struct policy_avg others = { .zero_vns = 1000,
				     .key_sum = 3 * 400 * (s64)W,
				     .weight_sum = 4 * W };
	struct policy_entity curr = entity_of(W, 1300, 0);
	struct policy_avg all = others;

	CHECK_EQ(1301, policy_ineligible_vruntime(&others));
	policy_avg_add(&all, &curr);
	CHECK(policy_vruntime_eligible(&all, curr.vruntime_vns));
	all = others;
	curr.vruntime_vns = 1301;
	policy_avg_add(&all, &curr);
	CHECK(!policy_vruntime_eligible(&all, curr.vruntime_vns));

	others = (struct policy_avg){ .zero_vns = 1000, .key_sum = -3, .weight_sum = 2 };
	CHECK_EQ(999, policy_ineligible_vruntime(&others));
	others = (struct policy_avg){ .zero_vns = 1000 };
	CHECK_EQ(1001, policy_ineligible_vruntime(&others));
}

/* At 0 with a slice of 0.7 ms, d 0.7; the others' mean is at 0.3 ms. */
TEST(protection_ends_at_the_deadline_or_at_parity)
{
	const struct policy_avg others = { .key_sum = 300 * US * (s64)W, .weight_sum = W };
	static const struct {
		const char *when;
		u64 features, min_slice_ns, want_vns;
	} rows[] = {
		{ "nobody asks for less", BIT(PREEMPT_SHORT), 700 * US, 700 * US },
		{ "somebody does", BIT(PREEMPT_SHORT), 500 * US, 300 * US + 1 },
		{ "somebody does, without preemption by short slices", 0, 500 * US, 500 * US },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity = entity_of(W, 0, 700 * US);
		struct policy_features features = on(rows[i].features);

		policy_vprot_set(&entity, rows[i].min_slice_ns, &others, &features);
		CHECK_EQ(rows[i].want_vns, entity.vprot_vns, "%s", rows[i].when);
		entity.vruntime_vns = rows[i].want_vns - 1;
		CHECK(policy_vprot_holds(&entity), "%s", rows[i].when);
		entity.vruntime_vns++;
		CHECK(!policy_vprot_holds(&entity), "%s", rows[i].when);
	}
}

/* The parity point may lie past the deadline, which then comes first. */
TEST(protection_never_passes_the_deadline)
{
	const struct policy_avg others = { .key_sum = 900 * US * (s64)W, .weight_sum = W };
	struct policy_features features = on(BIT(PREEMPT_SHORT));
	struct policy_entity entity = entity_of(W, 0, 700 * US);

	policy_vprot_set(&entity, 100 * US, &others, &features);
	CHECK_EQ(700 * US, entity.vprot_vns);
}

TEST(cancelled_protection_ends_here_and_is_never_revived)
{
	struct policy_entity entity = entity_of(W, 100, 700);

	entity.vprot_vns = 700;
	policy_vprot_cancel(&entity);
	CHECK_EQ(100, entity.vprot_vns);
	CHECK(!policy_vprot_holds(&entity));
	entity.vprot_vns = 50;
	policy_vprot_cancel(&entity);
	CHECK_EQ(50, entity.vprot_vns);
}

/* Weight W / 2, so a shortest slice of 100 us is 200 of virtual time. */
TEST(a_wakeup_shortens_protection_from_the_earlier_of_v_and_vruntime)
{
	static const struct {
		u64 vruntime_us, v_us, vprot_us, want_us;
	} rows[] = {
		{ 1000, 1100, 2000, 1200 }, /* behind V: from where it is */
		{ 1000, 900, 2000, 1100 },  /* ahead: from V */
		{ 1000, 900, 1050, 1050 },  /* never longer */
		{ 1000, 500, 2000, 700 },   /* over at once */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity = entity_of(W / 2, rows[i].vruntime_us * US, 0);

		entity.vprot_vns = rows[i].vprot_us * US;
		policy_vprot_shorten(&entity, rows[i].v_us * US, 100 * US);
		CHECK_EQ(rows[i].want_us * US, entity.vprot_vns, "row %zu", i);
	}
}

/*
 * V 1000, v 900, d 1300, protected up to 1100.  From W to 2 W every distance to V halves:
 * v 950, d 1150, 1050.  To W / 4 it is four times: v 600, d 2200, 1400.
 */
TEST(a_new_weight_keeps_what_distances_are_worth)
{
	static const struct {
		u64 weight, want_v, want_d, want_vprot;
	} rows[] = { { 2 * W, 950, 1150, 1050 },
		     { W / 4, 600, 2200, 1400 },
		     { W, 900, 1300, 1100 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_entity entity = entity_of(W, 900, 1300);

		entity.vprot_vns = 1100;
		policy_flat_reweight_queued(&entity, 1000, 100, rows[i].weight, true);
		CHECK_EQ(rows[i].weight, entity.weight.weight);
		CHECK_EQ(rows[i].want_v, entity.vruntime_vns, "row %zu", i);
		CHECK_EQ(rows[i].want_d, entity.deadline_vns, "row %zu", i);
		CHECK_EQ(rows[i].want_vprot, entity.vprot_vns, "row %zu", i);
	}
}

/* What was over stays as it is, and so does what is not running. */
TEST(a_new_weight_leaves_protection_that_is_over)
{
	struct policy_entity entity = entity_of(W, 900, 1300);

	entity.vprot_vns = 900;
	policy_flat_reweight_queued(&entity, 1000, 100, 2 * W, true);
	CHECK_EQ(900, entity.vprot_vns);
	entity.vprot_vns = 990;
	policy_flat_reweight_queued(&entity, 1000, 50, W, false);
	CHECK_EQ(990, entity.vprot_vns);
}

/* The lag is clamped by the caller: v follows it, the deadline keeps its distance to V. */
TEST(a_new_weight_takes_the_clamped_lag)
{
	struct policy_entity entity = entity_of(W, 900, 1300);

	policy_flat_reweight_queued(&entity, 1000, 60, 2 * W, false);
	CHECK_EQ(970, entity.vruntime_vns);
	CHECK_EQ(1150, entity.deadline_vns);
}

TEST(one_that_joins_with_a_new_weight_brings_lag_and_the_rest_of_its_request)
{
	struct policy_entity entity = entity_of(W, 0, 600);

	entity.vlag_vns = -301;
	policy_flat_reweight_absent(&entity, 2 * W);
	CHECK_EQ(-150, entity.vlag_vns);
	CHECK_EQ(600, entity.deadline_vns); /* not relative: it will be set anew */
	entity.rel_deadline = true;
	policy_flat_reweight_absent(&entity, W / 2);
	CHECK_EQ(-600, entity.vlag_vns);
	CHECK_EQ(2400, entity.deadline_vns);
	CHECK_EQ(W / 2, entity.weight.weight);
}

TEST(a_newborn_one_gets_its_first_weight)
{
	struct policy_entity entity = entity_of(0, 0, 0);

	policy_flat_reweight_absent(&entity, W);
	CHECK_EQ(W, entity.weight.weight);
	CHECK_EQ(0, entity.vlag_vns);
}

TEST(yielding_forfeits_the_request_of_an_eligible_one)
{
	const struct policy_avg avg = { .key_sum = 1000 * (s64)W, .weight_sum = 2 * W };
	struct policy_entity entity = entity_of(W, 500, 900); /* at V */

	policy_flat_yield(&entity, &avg, 700 * US);
	CHECK_EQ(900, entity.vruntime_vns);
	CHECK_EQ(900 + 700 * US, entity.deadline_vns);
	entity = entity_of(W, 501, 900);
	policy_flat_yield(&entity, &avg, 700 * US);
	CHECK_EQ(501, entity.vruntime_vns);
	CHECK_EQ(900, entity.deadline_vns);
}

#define ALL (BIT(WAKEUP_PREEMPTION) | BIT(PREEMPT_SHORT))

/* The running one has a slice of 0.7 ms, the wakee what the row says, in us. */
TEST(what_a_wakeup_means)
{
	static const struct {
		const char *when;
		u64 features;
		struct policy_parties of;
		u64 slice_us;
		u32 want;
	} rows[] = {
		{ "equals", ALL, { .wakee_normal = true }, 700, POLICY_WAKEUP_PICK },
		{ "no preemption",
		  BIT(PREEMPT_SHORT),
		  { .wakee_normal = true },
		  100,
		  POLICY_WAKEUP_IGNORE },
		{ "a shorter slice", ALL, { .wakee_normal = true }, 600, POLICY_WAKEUP_SHORT },
		{ "a shorter slice that does not count",
		  BIT(WAKEUP_PREEMPTION),
		  { .wakee_normal = true },
		  600,
		  POLICY_WAKEUP_PICK },
		{ "asked to give way, shorter ones count",
		  ALL,
		  { .wakee_normal = true, .resched = true },
		  600,
		  POLICY_WAKEUP_SHORT },
		{ "asked to give way, they do not",
		  BIT(WAKEUP_PREEMPTION),
		  { .wakee_normal = true, .resched = true },
		  600,
		  POLICY_WAKEUP_IGNORE },
		{ "an idle one runs",
		  ALL,
		  { .curr_idle = true, .wakee_normal = true },
		  700,
		  POLICY_WAKEUP_PREEMPT },
		{ "an idle one runs, a batch one wakes",
		  ALL,
		  { .curr_idle = true },
		  700,
		  POLICY_WAKEUP_PREEMPT },
		{ "an idle one wakes", ALL, { .wakee_idle = true }, 100, POLICY_WAKEUP_SHORTEN },
		{ "both idle",
		  ALL,
		  { .curr_idle = true, .wakee_idle = true },
		  100,
		  POLICY_WAKEUP_SHORTEN },
		{ "a batch one wakes", ALL, { 0 }, 100, POLICY_WAKEUP_SHORTEN },
		{ "a delayed one",
		  ALL,
		  { .wakee_normal = true, .wakee_delayed = true },
		  100,
		  POLICY_WAKEUP_SHORTEN },
		{ "a forked one",
		  ALL,
		  { .wakee_normal = true, .forked = true },
		  700,
		  POLICY_WAKEUP_SHORTEN },
		{ "a forked one with a shorter slice",
		  ALL,
		  { .wakee_normal = true, .forked = true },
		  100,
		  POLICY_WAKEUP_SHORT },
		{ "buddies",
		  ALL | BIT(NEXT_BUDDY),
		  { .wakee_normal = true },
		  700,
		  POLICY_WAKEUP_BUDDY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_features features = on(rows[i].features);
		struct policy_entity curr = entity_of(W, 0, 0), wakee = curr;

		wakee.slice_ns = rows[i].slice_us * US;
		CHECK_EQ(rows[i].want, policy_wakeup_preempt(&rows[i].of, &curr, &wakee, &features),
			 "%s", rows[i].when);
	}
}

TEST(a_buddy_stays_if_it_is_earlier_or_shorter)
{
	struct policy_entity buddy = entity_of(W, 0, 100), wakee = entity_of(W, 0, 100);

	CHECK(policy_buddy_yields(&buddy, &wakee, false));
	wakee.deadline_vns = 101;
	CHECK(!policy_buddy_yields(&buddy, &wakee, false));
	CHECK(policy_buddy_yields(&buddy, &wakee, true));
	wakee.slice_ns = buddy.slice_ns + 1;
	CHECK(!policy_buddy_yields(&buddy, &wakee, true));
}

/*
 * A virtual distance of 0.7 ms is 1.4 ms of wall time at 2 W, and 0.35 at W / 2.  For nice -5
 * 1000 are 1000 * 3121 / 1024 = 3047.9, rounded up.
 */
TEST(the_time_to_the_deadline)
{
	struct policy_entity entity = entity_of(2 * W, 0, 700 * US);

	CHECK_EQ(1400 * US, policy_flat_until_deadline(&entity));
	entity.weight.weight = W / 2;
	CHECK_EQ(350 * US, policy_flat_until_deadline(&entity));
	entity.weight.weight = 3121 << 10;
	entity.deadline_vns = 1000;
	CHECK_EQ(3048, policy_flat_until_deadline(&entity));
	entity.deadline_vns = 700 * US;
	entity.vruntime_vns = 700 * US;
	CHECK_EQ(0, policy_flat_until_deadline(&entity));
	entity.vruntime_vns++;
	CHECK(policy_flat_until_deadline(&entity) < 0);
}

/*
 * Weights of full resolution pass 2^63 where those of 6.12 do not: 2^34 of virtual time from
 * zero times 2^31 of weight.
 */
TEST(eligibility_far_from_v_does_not_overflow)
{
	const struct policy_avg avg = { .key_sum = 0, .weight_sum = 1ULL << 31 };

	CHECK(!policy_vruntime_eligible(&avg, 1ULL << 34));
	CHECK(policy_vruntime_eligible(&avg, 0 - (1ULL << 34)));
	CHECK(!policy_vruntime_eligible(&avg, 1));
	CHECK(policy_vruntime_eligible(&avg, 0));
}
