/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of CFS, by hand.  Entities of nice 0 have weight 1024, for which virtual and
 * wall time are equal.  The constants of one CPU are the normalised ones: latency 6 ms,
 * minimal granularity 0.75 ms, wakeup granularity 1 ms.
 */
#include "policy/cfs.h"
#include "test.h"

#define MS      1000000ULL
#define BIT(id) (1ULL << POLICY_##id)

static struct policy_features on(u64 features)
{
	return (struct policy_features){ { features } };
}

static struct policy_cfs constants_of(u32 cpus)
{
	struct policy_cfs cfs;

	policy_cfs_constants(cpus, 750000, &cfs);
	return cfs;
}

static struct policy_entity entity_of(s32 nice, u64 vruntime_vns)
{
	struct policy_entity entity = { .vruntime_vns = vruntime_vns };

	policy_weight_of_nice(nice, &entity.weight);
	return entity;
}

TEST(constants_grow_with_the_logarithm_of_the_cpus_but_for_the_idle_one)
{
	static const struct {
		u32 cpus;
		u64 latency_ns, min_ns, wakeup_ns;
	} rows[] = {
		{ 1, 6 * MS, 750000, 1 * MS },    { 2, 12 * MS, 1500000, 2 * MS },
		{ 3, 12 * MS, 1500000, 2 * MS },  { 4, 18 * MS, 2250000, 3 * MS },
		{ 7, 18 * MS, 2250000, 3 * MS },  { 8, 24 * MS, 3 * MS, 4 * MS },
		{ 256, 24 * MS, 3 * MS, 4 * MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_cfs cfs = constants_of(rows[i].cpus);

		CHECK_EQ(rows[i].latency_ns, cfs.latency_ns, "%u CPUs", rows[i].cpus);
		CHECK_EQ(rows[i].min_ns, cfs.min_granularity_ns, "%u CPUs", rows[i].cpus);
		CHECK_EQ(rows[i].wakeup_ns, cfs.wakeup_granularity_ns, "%u CPUs", rows[i].cpus);
		CHECK_EQ(750000, cfs.idle_min_granularity_ns, "%u CPUs", rows[i].cpus);
	}
}

TEST(the_period_is_the_latency_up_to_eight_and_grows_from_there)
{
	static const struct {
		u32 nr;
		u64 period_ns;
	} rows[] = { { 1, 6 * MS }, { 8, 6 * MS }, { 9, 6750000 }, { 100, 75 * MS } };
	const struct policy_cfs cfs = constants_of(1);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].period_ns, policy_sched_period(&cfs, rows[i].nr), "%u",
			 rows[i].nr);
}

/*
 * part = floor(slice * ((weight * floor((2^32 - 1) / load)) / 2^32)):
 *   1024 of 1024: 1024 * 4194303 = 2^32 - 1024: 6 ms less 6e6 / 2^22 = 1.43 ns
 *   1024 of 2048: 1024 * 2097151 = 2^31 - 1024: 3 ms less 1.43 ns
 *   1024 of 9216: 1024 * 466033 = 477217792: 6.75e6 * 477217792 / 2^32 = 749998.75
 *   335 of 1359: 335 * 3160388 = 1058729980: 6e6 * 1058729980 / 2^32 = 1479028.7
 *   88761 of 88776: 88761 * 48379 = 4294168419: 6e6 * that / 2^32 = 5998883.98
 */
TEST(a_share_of_the_period_is_by_weight_and_cut_off)
{
	static const struct {
		u32 weight;
		u64 load, slice_ns, part_ns;
	} rows[] = {
		{ 1024, 1024, 6 * MS, 5999998 },   { 1024, 2048, 6 * MS, 2999998 },
		{ 1024, 9216, 6750000, 749998 },   { 335, 1359, 6 * MS, 1479028 },
		{ 88761, 88776, 6 * MS, 5998883 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_weight weight;

		policy_weight_of(rows[i].weight, &weight);
		CHECK_EQ(rows[i].part_ns,
			 policy_slice_share(rows[i].slice_ns, &weight, rows[i].load), "%u of %llu",
			 rows[i].weight, rows[i].load);
	}
}

/* Past 32 bits the inverse is 1: 1024 * 24e6 / 2^32 = 5.7. */
TEST(a_load_past_32_bits_is_taken_as_the_largest)
{
	struct policy_weight weight;

	policy_weight_of(1024, &weight);
	CHECK_EQ(5, policy_slice_share(24 * MS, &weight, 0xffffffffULL));
	CHECK_EQ(5, policy_slice_share(24 * MS, &weight, 1ULL << 40));
}

TEST(a_slice_has_a_floor_and_an_idle_one_beside_others_its_own)
{
	const struct policy_cfs cfs = constants_of(8);
	const struct policy_features base = on(BIT(BASE_SLICE)), none = on(0);

	CHECK_EQ(3 * MS, policy_slice_floor(&cfs, 2 * MS, false, &base));
	CHECK_EQ(4 * MS, policy_slice_floor(&cfs, 4 * MS, false, &base));
	CHECK_EQ(2 * MS, policy_slice_floor(&cfs, 2 * MS, true, &base));
	CHECK_EQ(750000, policy_slice_floor(&cfs, 70000, true, &base));
	CHECK_EQ(70000, policy_slice_floor(&cfs, 70000, false, &none));
}

TEST(a_queue_is_idle_only_if_it_has_someone_and_all_are)
{
	CHECK(!policy_queue_idle_only(0, 0));
	CHECK(policy_queue_idle_only(2, 2));
	CHECK(!policy_queue_idle_only(2, 1));
}

TEST(min_vruntime_follows_the_earliest_and_never_goes_back)
{
	static const struct {
		const char *when;
		s64 min, curr, left, want;
		bool has_curr, has_left;
	} rows[] = {
		{ "nobody", 50, 0, 0, 50, false, false },
		{ "the running one alone", 50, 90, 0, 90, true, false },
		{ "the tree alone", 50, 0, 80, 80, false, true },
		{ "the running one is earlier", 50, 70, 80, 70, true, true },
		{ "the tree is earlier", 50, 90, 80, 80, true, true },
		{ "a sleeper was placed behind", 50, 90, 40, 50, true, true },
		{ "across the wrap", -10, 5, 8, 5, true, true },
		{ "not back across it", 5, -10, 8, 5, true, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const u64 curr = (u64)rows[i].curr, left = (u64)rows[i].left;

		CHECK_EQ(rows[i].want,
			 policy_min_vruntime((u64)rows[i].min, rows[i].has_curr ? &curr : NULL,
					     rows[i].has_left ? &left : NULL),
			 "%s", rows[i].when);
	}
}

TEST(a_sleeper_is_credited_a_latency_or_half_and_an_idle_one_a_granularity)
{
	const struct policy_cfs cfs = constants_of(8);
	const struct policy_features gentle = on(BIT(GENTLE_FAIR_SLEEPERS)), none = on(0);

	CHECK_EQ(100 * MS - 12 * MS, policy_wakeup_place(100 * MS, &cfs, false, &gentle));
	CHECK_EQ(100 * MS - 24 * MS, policy_wakeup_place(100 * MS, &cfs, false, &none));
	CHECK_EQ(100 * MS - 1500000, policy_wakeup_place(100 * MS, &cfs, true, &gentle));
	CHECK_EQ(100 * MS - 3 * MS, policy_wakeup_place(100 * MS, &cfs, true, &none));
}

TEST(a_newborn_waits_for_a_slice_with_start_debit)
{
	const struct policy_features debit = on(BIT(START_DEBIT)), none = on(0);

	CHECK_EQ(13 * MS, policy_fork_place(10 * MS, 3 * MS, &debit));
	CHECK_EQ(10 * MS, policy_fork_place(10 * MS, 3 * MS, &none));
}

TEST(no_one_is_placed_back_unless_it_slept_for_months)
{
	static const struct {
		const char *when;
		u64 vruntime_vns, place_vns;
		bool long_sleeper;
		u64 want;
	} rows[] = {
		{ "behind: pulled up", 10, 20, false, 20 },
		{ "ahead: stays", 30, 20, false, 30 },
		{ "behind, across the wrap", -5ULL, 20, false, 20 },
		{ "ahead, across the wrap", 20, -5ULL, false, 20 },
		{ "ahead, but not comparable", 30, 20, true, 20 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_cfs_place_entity(rows[i].vruntime_vns, rows[i].place_vns,
						 rows[i].long_sleeper),
			 "%s", rows[i].when);
}

/* 2^63 / 1024 = 2^53 ns: 104 days and 6 hours. */
TEST(a_long_sleeper_slept_longer_than_2_to_the_53_ns)
{
	const u64 limit_ns = 1ULL << 53;

	CHECK(!policy_long_sleeper(1, 1 + limit_ns));
	CHECK(policy_long_sleeper(1, 2 + limit_ns));
	CHECK(!policy_long_sleeper(0, 2 * limit_ns), "0: not known, as after a migration");
	CHECK(!policy_long_sleeper(2 * limit_ns, 1), "clocks of two CPUs may differ");
}

/*
 * Of nice 5 (335) 1 ms is 1024 / 335 of virtual time: factor 1024 * 12820798 =
 * 13128497152, which is 3 * 2^32 + ..., so 2 bits are cut off: 3282124288, and
 * 1e6 * 3282124288 / 2^30 = 3056716.4.  Of nice -5 (3121): 1024 * 1376151 = 1409178624,
 * 1e6 * that / 2^32 = 328099.9.
 */
TEST(the_wakeup_granularity_is_in_the_wakees_virtual_time)
{
	const struct policy_cfs cfs = constants_of(1);
	struct policy_weight weight;

	policy_weight_of_nice(0, &weight);
	CHECK_EQ(1 * MS, policy_wakeup_gran(&cfs, &weight));
	policy_weight_of_nice(5, &weight);
	CHECK_EQ(3056716, policy_wakeup_gran(&cfs, &weight));
	policy_weight_of_nice(-5, &weight);
	CHECK_EQ(328099, policy_wakeup_gran(&cfs, &weight));
}

TEST(a_wakee_must_be_more_than_its_granularity_behind)
{
	static const struct {
		const char *when;
		s32 nice; /* of the wakee */
		u64 curr_vns, wakee_vns;
		s32 want;
	} rows[] = {
		{ "ahead", 0, 5 * MS, 6 * MS, -1 },
		{ "level", 0, 5 * MS, 5 * MS, -1 },
		{ "a little behind", 0, 5 * MS, 5 * MS - 1, 0 },
		{ "by the granularity", 0, 5 * MS, 4 * MS, 0 },
		{ "by more", 0, 5 * MS, 4 * MS - 1, 1 },
		{ "a light one, by 3.056716 ms", 5, 5 * MS, 5 * MS - 3056716, 0 },
		{ "a light one, by more", 5, 5 * MS, 5 * MS - 3056717, 1 },
		{ "a heavy one", -5, 5 * MS, 5 * MS - 328100, 1 },
		{ "across the wrap", 0, 500000, 500000 - 2 * MS, 1 },
	};
	const struct policy_cfs cfs = constants_of(1);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct policy_entity curr = entity_of(0, rows[i].curr_vns),
					   wakee = entity_of(rows[i].nice, rows[i].wakee_vns);

		CHECK_EQ(rows[i].want, policy_wakeup_preempt_entity(&cfs, &curr, &wakee), "%s",
			 rows[i].when);
	}
}

TEST(wakeup_buddies_begin_at_eight_entities)
{
	CHECK(!policy_buddies_scale(7));
	CHECK(policy_buddies_scale(8));
}

TEST(a_tick_ends_a_slice_or_stops_who_is_too_far_ahead)
{
	static const struct {
		const char *when;
		u64 slice_ns, ran_ns;
		s64 ahead_vns;
		u32 want;
	} rows[] = {
		{ "slice not over", 3 * MS, 3 * MS, 0, POLICY_TICK_GO_ON },
		{ "slice over", 3 * MS, 3 * MS + 1, -9000000, POLICY_TICK_SLICE_OVER },
		{ "ahead by a slice", 3 * MS, 1 * MS, 3000000, POLICY_TICK_GO_ON },
		{ "ahead by more", 3 * MS, 1 * MS, 3000001, POLICY_TICK_AHEAD },
		{ "the same, but it has just begun", 3 * MS, 749999, 3000001, POLICY_TICK_GO_ON },
		{ "the same, after the granularity", 3 * MS, 750000, 3000001, POLICY_TICK_AHEAD },
		{ "behind", 3 * MS, 1 * MS, -3000001, POLICY_TICK_GO_ON },
	};
	const struct policy_cfs cfs = constants_of(1);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want,
			 policy_check_preempt_tick(&cfs, rows[i].slice_ns, rows[i].ran_ns,
						   rows[i].ahead_vns),
			 "%s", rows[i].when);
}
