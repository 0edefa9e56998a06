/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/pelt.h"
#include "test.h"

#define PERIOD_NS (1024ULL * 1024)
#define START_NS  (1000 * PERIOD_NS)

/* The whole of it, of one that is queued, and running, at full speed. */
static struct policy_pelt_input input(u64 now_ns, bool queued, bool running)
{
	return (struct policy_pelt_input){ .now_ns = now_ns,
					   .load = queued,
					   .runnable = queued,
					   .running = running,
					   .contrib_freq = 1024,
					   .contrib_cpu = 1024 };
}

static bool run_for(struct policy_pelt *pelt, u64 ns)
{
	const struct policy_pelt_input in = input(pelt->update_ns + ns, true, true);

	return policy_pelt_update(pelt, &in, 1024);
}

/*
 * 2^32 y is 4202935002.  512 >> 0 times that is 501.03; 47742 gives 46718.8, which is why the
 * least divider is 46718.  Half of a period's end is 511 and not 512: y^0 is 2^32 - 1.
 */
TEST(sums_halve_in_32_periods_and_are_gone_after_2016)
{
	CHECK_EQ(1024, policy_decay_load(1025, 0));
	CHECK_EQ(501, policy_decay_load(512, 1));
	CHECK_EQ(46718, policy_decay_load(47742, 1));
	CHECK_EQ(511, policy_decay_load(1024, 32));
	CHECK_EQ(490, policy_decay_load(1024, 34)); /* 512 * 0.9576, y^2 */
	CHECK_EQ(0, policy_decay_load(~0ULL, 2017));
	CHECK_EQ(0, policy_decay_load(0, 1));
}

/* Half a period twice: nothing is averaged before its end; see the sums below. */
TEST(an_average_moves_when_a_period_ends)
{
	struct policy_pelt pelt = { .update_ns = START_NS };

	CHECK(!run_for(&pelt, 1023), "less than a unit");
	CHECK_EQ(START_NS, pelt.update_ns);
	CHECK(!run_for(&pelt, PERIOD_NS / 2 + 1000));
	CHECK_EQ(START_NS + PERIOD_NS / 2, pelt.update_ns, "whole units");
	CHECK_EQ(512, pelt.load_sum);
	CHECK_EQ(512 * 1024, pelt.util_sum);
	CHECK_EQ(0, pelt.util_avg);
	CHECK(run_for(&pelt, PERIOD_NS / 2));
	CHECK_EQ(0, pelt.period_contrib);
	CHECK_EQ(501 + 501, pelt.load_sum);
	CHECK_EQ(513053 + 501 * 1024, pelt.util_sum); /* 2^19 * 4202935002 / 2^32 is 513053.6 */
	CHECK_EQ(21, pelt.util_avg);                  /* 1026077 / 46718 */
	CHECK_EQ(21, pelt.load_avg);                  /* 1024 * 1002 / 46718 */
}

/*
 * From nothing 1 - y^n of 1024 after n periods: 1 - 2^(-74/32) is 79.9 %, 1 - 2^(-75/32) is
 * 80.3 %.  32 periods are half of it, and as many later half of what it was.
 */
TEST(always_running_is_80_percent_after_75_periods)
{
	struct policy_pelt pelt = { .update_ns = START_NS };
	struct policy_pelt_input in;
	u32 n = 0;

	while (pelt.util_avg < 820) {
		CHECK(run_for(&pelt, PERIOD_NS));
		if (++n == 32)
			CHECK(pelt.util_avg == 511 || pelt.util_avg == 512, "half");
	}
	CHECK_EQ(75, n);
	run_for(&pelt, 345 * PERIOD_NS);
	CHECK(pelt.util_avg >= 1022 && pelt.util_avg <= 1024, "%llu", pelt.util_avg);
	in = input(pelt.update_ns + 32 * PERIOD_NS, false, false);
	CHECK(policy_pelt_update(&pelt, &in, 1024));
	CHECK(pelt.util_avg == 511 || pelt.util_avg == 512, "%llu", pelt.util_avg);
	in.now_ns += 2017 * PERIOD_NS;
	policy_pelt_update(&pelt, &in, 1024);
	CHECK(policy_pelt_is_zero(&pelt));
}

/* The sum of a whole step is that of its periods, but for what they round. */
TEST(a_long_step_is_many_short_ones)
{
	struct policy_pelt long_one = { .update_ns = START_NS }, shorts = long_one;

	run_for(&long_one, 100 * PERIOD_NS);
	for (u32 i = 0; i < 100; i++)
		run_for(&shorts, PERIOD_NS);
	CHECK(shorts.util_avg - long_one.util_avg + 2 <= 4, "%llu, %llu", long_one.util_avg,
	      shorts.util_avg);
}

/* One that waits is runnable and counts as load, but uses nothing. */
TEST(waiting_is_load_and_not_utilisation)
{
	struct policy_pelt pelt = { .update_ns = START_NS };
	struct policy_pelt_input in = input(START_NS + PERIOD_NS, true, false);

	policy_pelt_update(&pelt, &in, 2048);
	CHECK_EQ(1002, pelt.load_sum); /* 1024 y */
	CHECK_EQ(43, pelt.load_avg);   /* 2048 * 1002 / 46718 */
	CHECK_EQ(1002 << 10, pelt.runnable_sum);
	CHECK_EQ(21, pelt.runnable_avg);
	CHECK_EQ(0, pelt.util_sum);
}

TEST(time_that_goes_back_is_taken_as_it_is)
{
	struct policy_pelt pelt = { .update_ns = START_NS, .util_sum = 5 };
	struct policy_pelt_input in = input(START_NS - 5000, true, true);

	CHECK(!policy_pelt_update(&pelt, &in, 1024));
	CHECK_EQ(START_NS - 5000, pelt.update_ns);
	CHECK_EQ(5, pelt.util_sum);
}

/*
 * On a CPU of 446 at 600 of 1024, a ms counts 446/1024 of 600/1024 of it, cut at each step:
 * 435546 ns, then 255202 ns.
 */
TEST(the_clock_goes_with_the_speed_of_the_cpu)
{
	CHECK_EQ(1000000, policy_pelt_scale(1000000, 1024, 1024));
	CHECK_EQ(255202, policy_pelt_scale(1000000, 446, 600));
}

/*
 * The older way: the clock goes on, contributions are cut by frequency, utilisation by the
 * CPU too.  A period at half frequency on a CPU of 446: 1002 units become 501.
 */
TEST(contributions_are_scaled_where_the_clock_is_not)
{
	struct policy_pelt pelt = { .update_ns = START_NS };
	struct policy_pelt_input in = input(START_NS + PERIOD_NS, true, true);

	in.contrib_freq = 512;
	in.contrib_cpu = 446;
	policy_pelt_update(&pelt, &in, 1024);
	CHECK_EQ(501, pelt.load_sum);
	CHECK_EQ(501 * 446, pelt.util_sum);
}

/* A task of util 400 and load 512 joins, in the middle of a period: divider 46718 + 282. */
TEST(one_that_joins_brings_its_averages)
{
	struct policy_pelt queue = { .update_ns = START_NS,
				     .period_contrib = 282,
				     .util_avg = 100,
				     .util_sum = 100 * 47000 };
	struct policy_pelt task = {
		.load_avg = 512, .util_avg = 400, .runnable_avg = 600, .period_contrib = 7
	};

	policy_pelt_attach(&queue, &task, 1024, 0);
	CHECK_EQ(START_NS, task.update_ns);
	CHECK_EQ(282, task.period_contrib);
	CHECK_EQ(400 * 47000, task.util_sum);
	CHECK_EQ(23500, task.load_sum); /* 512 * 47000 / 1024 */
	CHECK_EQ(500, queue.util_avg);
	CHECK_EQ(500 * 47000, queue.util_sum);
	CHECK_EQ(512, queue.load_avg);
	CHECK_EQ(1024 * 23500, queue.load_sum);
	CHECK_EQ(600, queue.runnable_avg);
	policy_pelt_detach(&queue, &task, 1024, 0);
	CHECK_EQ(100, queue.util_avg);
	CHECK_EQ(100 * 47000, queue.util_sum);
	CHECK_EQ(0, queue.load_avg);
	CHECK_EQ(0, queue.load_sum);
	CHECK_EQ(0, queue.runnable_sum);
}

/* Taking more than there is leaves what the average needs: 10 * 46718. */
TEST(a_sum_goes_with_its_average)
{
	struct policy_pelt queue = { .util_avg = 30, .util_sum = 30 * 46718 };
	struct policy_pelt task = { .util_avg = 20, .util_sum = 30 * 46718 };

	policy_pelt_detach(&queue, &task, 1024, 0);
	CHECK_EQ(10, queue.util_avg);
	CHECK_EQ(10 * 46718, queue.util_sum);
}

/* 2^33 + 5 is 5 in 32 bits. */
TEST(sums_were_cut_to_32_bits_before_7_3)
{
	CHECK_EQ(5, policy_pelt_floor((1ULL << 33) + 5, 0, 0));
	CHECK_EQ((1ULL << 33) + 5, policy_pelt_floor((1ULL << 33) + 5, 0, POLICY_LOAD_WIDE));
	CHECK_EQ(46718, policy_pelt_floor(0, 1, 0));
}

/* Runnable 100 of a divider of 46718: 4671800 / 1024 is 4562.3, rounded away from zero. */
TEST(who_left_is_taken_off_at_the_next_update)
{
	struct policy_pelt queue = { .load_avg = 300,
				     .load_sum = 300 * 46718,
				     .util_avg = 80,
				     .util_sum = 80 * 46718,
				     .runnable_avg = 100,
				     .runnable_sum = 100 * 46718 };
	const struct policy_pelt_removed removed = { 200, 90, 100, 1 };

	CHECK_EQ(-4563, policy_pelt_remove(&queue, &removed, 0));
	CHECK_EQ(100, queue.load_avg);
	CHECK_EQ(100 * 46718, queue.load_sum);
	CHECK_EQ(0, queue.util_avg);
	CHECK_EQ(0, queue.util_sum);
	CHECK_EQ(0, queue.runnable_avg);
}

/* A group's entity with util 100 has a queue with 150 now; its parent's queue had 300. */
TEST(a_group_is_as_busy_as_what_is_in_it)
{
	struct policy_pelt queue = { .util_avg = 300, .util_sum = 300 * 46718 };
	struct policy_pelt se = { .util_avg = 100, .util_sum = 100 * 46718 };
	const struct policy_pelt own = { .util_avg = 150, .runnable_avg = 50 };

	policy_pelt_follow_util(&queue, &se, &own, 0);
	CHECK_EQ(150, se.util_avg);
	CHECK_EQ(150 * 46718, se.util_sum);
	CHECK_EQ(350, queue.util_avg);
	CHECK_EQ(350 * 46718, queue.util_sum);
	policy_pelt_follow_runnable(&queue, &se, &own, 0);
	CHECK_EQ(50, se.runnable_avg);
	CHECK_EQ(50, queue.runnable_avg);
	CHECK_EQ(50 * 46718, queue.runnable_sum);
}

TEST(a_group_counts_as_queued_for_the_time_that_its_tasks_are)
{
	const struct policy_pelt se = { .load_sum = 30000, .util_sum = 20000u << 10 };
	const struct policy_pelt own = { .load_sum = 2048 * 25000 };

	CHECK_EQ(40000, policy_pelt_runnable_sum(&se, &own, 10000, 2048, 46718));
	CHECK_EQ(46718, policy_pelt_runnable_sum(&se, &own, 20000, 2048, 46718), "all the time");
	CHECK_EQ(25000, policy_pelt_runnable_sum(&se, &own, -1, 2048, 46718), "as the others");
	CHECK_EQ(30000, policy_pelt_runnable_sum(&se, &own, -1, 1024, 46718), "no more than it");
	CHECK_EQ(20000, policy_pelt_runnable_sum(&se, &own, -1, 0, 46718), "as it runs");
}

/* Weight 512 for 23359 of 46718: 256. */
TEST(a_group_has_load_by_its_weight)
{
	struct policy_pelt queue = { .load_avg = 1000, .load_sum = 1000 * 46718 };
	struct policy_pelt se = { .load_avg = 56, .load_sum = 5110 };

	policy_pelt_follow_load(&queue, &se, 512, 23359, 0);
	CHECK_EQ(256, se.load_avg);
	CHECK_EQ(23359, se.load_sum);
	CHECK_EQ(1200, queue.load_avg);
	CHECK_EQ(1200 * 46718, queue.load_sum, "112 more than the difference, as the least");
	policy_pelt_reweight(&se, 1024);
	CHECK_EQ(512, se.load_avg);
}

/*
 * On a CPU of 1024: the first task gets half, 512.  With 512 and load 1024 there, another of
 * weight 1024 would get 512 * 1024 / 1025 = 511, but half of what is left is 256; one of
 * weight 335 gets 512 * 335 / 1025 = 167.
 */
TEST(a_new_task_is_taken_for_a_usual_one)
{
	struct policy_pelt queue = { 0 }, task = { 0 };

	policy_pelt_new(&task, &queue, 1024, 1024);
	CHECK_EQ(512, task.util_avg);
	CHECK_EQ(512, task.runnable_avg);
	queue = (struct policy_pelt){ .util_avg = 512, .load_avg = 1024 };
	policy_pelt_new(&task, &queue, 1024, 1024);
	CHECK_EQ(256, task.util_avg);
	policy_pelt_new(&task, &queue, 335, 1024);
	CHECK_EQ(167, task.util_avg);
	policy_pelt_new(&task, &queue, 335 << 10, 1024);
	CHECK_EQ(256, task.util_avg, "6.1 takes the weight in full resolution");
	task = (struct policy_pelt){ 0 };
	queue.util_avg = 1100;
	policy_pelt_new(&task, &queue, 1024, 1024);
	CHECK_EQ(0, task.util_avg, "nothing is left");
}

TEST(the_estimate_of_utilisation_rises_at_once_and_falls_slowly)
{
	struct policy_pelt pelt = { .util_avg = 300, .runnable_avg = 300, .est = 200 };

	policy_util_est_one(&pelt, 1024, POLICY_LOAD_EST_BOUND);
	CHECK_EQ(300, pelt.est);
	pelt.util_avg = 100;
	policy_util_est_one(&pelt, 1024, POLICY_LOAD_EST_BOUND);
	CHECK_EQ(300, pelt.est, "nothing was averaged since");
	pelt.est_unchanged = false;
	policy_util_est_one(&pelt, 1024, POLICY_LOAD_EST_BOUND);
	CHECK_EQ(300, pelt.est, "it waited for its CPU");
	pelt.est_unchanged = false;
	pelt.runnable_avg = 110;
	policy_util_est_one(&pelt, 1024, POLICY_LOAD_EST_BOUND);
	CHECK_EQ(250, pelt.est, "a quarter of the way");
	pelt.est_unchanged = false;
	pelt.util_avg = 241;
	policy_util_est_one(&pelt, 1024, POLICY_LOAD_EST_BOUND);
	CHECK_EQ(250, pelt.est, "near enough");
}

/* On a CPU of 383 nothing can be said of a task that used 400 of it, before 7.3. */
TEST(a_cpu_that_was_too_small_teaches_nothing)
{
	struct policy_pelt pelt = { .util_avg = 400, .runnable_avg = 400, .est = 800 };

	policy_util_est_one(&pelt, 383, POLICY_LOAD_EST_BOUND);
	CHECK_EQ(800, pelt.est);
	policy_util_est_one(&pelt, 383, 0);
	CHECK_EQ(700, pelt.est);
}

TEST(six_one_keeps_the_last_and_an_average)
{
	struct policy_features features = { { 0 } };
	struct policy_pelt pelt = { .util_avg = 300 };

	policy_util_est_two(&pelt, 1024, &features);
	CHECK_EQ(300, pelt.est);
	CHECK_EQ(75, pelt.est_ewma, "a quarter of the way, rising too");
	CHECK_EQ(300, policy_util_est(&pelt));

	policy_feature_set(&features, POLICY_UTIL_EST_FASTUP, true);
	pelt = (struct policy_pelt){ .util_avg = 300 };
	policy_util_est_two(&pelt, 1024, &features);
	CHECK_EQ(300, pelt.est_ewma, "at once");
	pelt.util_avg = 100;
	pelt.est_unchanged = false;
	policy_util_est_two(&pelt, 1024, &features);
	CHECK_EQ(100, pelt.est);
	CHECK_EQ(250, pelt.est_ewma);
	CHECK_EQ(250, policy_util_est(&pelt));
}

TEST(a_groups_load_is_told_when_it_moved_by_more_than_a_64th)
{
	CHECK(!policy_tg_moved(6500, 6400));
	CHECK(policy_tg_moved(6501, 6400));
	CHECK(!policy_tg_moved(6300, 6400));
	CHECK(policy_tg_moved(6299, 6400));
	CHECK(policy_tg_moved(1, 0));
	CHECK(!policy_tg_moved(0, 0));
}
