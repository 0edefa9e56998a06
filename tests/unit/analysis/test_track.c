/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

/* a wakes b at 100 (waking) and 102 (wakeup); b gets the CPU at 110: 10 us from the waking. */
TEST(a_wakeup_is_ready_at_its_waking)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 100, 0, EVENT_WAKING, 10, 11, 1);
	wake(&s, 102, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 110, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(1, row(&s, "b")->delay.count);
	CHECK_EQ(10 * US, row(&s, "b")->delay.sum);
	CHECK_EQ(1, s.analysis->threads->stats.by_waking);
	CHECK_EQ(0, s.analysis->threads->stats.by_wakeup);
	analysis_free(s.analysis);
}

/* Only a wakeup: 8 us. */
TEST(without_a_waking_the_wakeup_counts)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 102, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 110, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(8 * US, row(&s, "b")->delay.sum);
	CHECK_EQ(1, s.analysis->threads->stats.by_wakeup);
	analysis_free(s.analysis);
}

/* Waking at 48 while b still runs, off at 50, wakeup at 60, on at 75: 15 us, not 27. */
TEST(a_waking_before_the_switch_out_is_not_used)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 10, 1, 0, R, 10);
	wake(&s, 48, 0, EVENT_WAKING, 10, 11, 1);
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 60, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 75, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(15 * US, row(&s, "b")->delay.sum);
	CHECK_EQ(1, s.analysis->threads->stats.early_wakings);
	CHECK_EQ(1, s.analysis->threads->stats.by_wakeup);
	analysis_free(s.analysis);
}

/* Two CPUs' clocks a little apart: the wakeup comes 1 us before its own waking. */
TEST(a_waking_right_after_its_wakeup_is_the_same_wakeup)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 60, 1, EVENT_WAKEUP, 10, 11, 1);
	wake(&s, 61, 0, EVENT_WAKING, 10, 11, 1);
	sched(&s, 75, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(15 * US, row(&s, "b")->delay.sum);
	CHECK_EQ(0, row(&s, "b")->unreliable);
	analysis_free(s.analysis);
}

/* R and R+ wait for the CPU alike: 20 us and 30 us. */
TEST(preempted_threads_wait_whether_r_or_r_plus)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 10, 0, 0, R, 10);
	sched(&s, 20, 0, 10, R, 11);
	sched(&s, 40, 0, 11, S, 10);
	sched(&s, 50, 0, 10, EVENT_STATE_PREEMPTED, 11);
	sched(&s, 80, 0, 11, S, 10);
	stream_end(&s);
	CHECK_EQ(2, row(&s, "b")->waits[TRACK_PREEMPT].count);
	CHECK_EQ(50 * US, row(&s, "b")->waits[TRACK_PREEMPT].sum);
	CHECK_EQ(30 * US, row(&s, "b")->waits[TRACK_PREEMPT].max);
	CHECK_EQ(0, row(&s, "b")->waits[TRACK_WAKEUP].count);
	analysis_free(s.analysis);
}

/* Born at 10, queued at 11, runs at 31: a fork wait of 20 us. */
TEST(a_new_thread_waits_from_its_first_wakeup)
{
	struct stream s;

	stream_begin(&s, NULL);
	stream_push(&s, (struct event){ .time_ns = 10 * US,
					.kind = EVENT_FORK,
					.cpu = 0,
					.task = tid(10),
					.other = tid(11) });
	name(&s, 10, 10, "b");
	wake(&s, 11, 0, EVENT_WAKEUP_NEW, 10, 11, 1);
	sched(&s, 31, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(1, row(&s, "b")->waits[TRACK_FORK].count);
	CHECK_EQ(20 * US, row(&s, "b")->waits[TRACK_FORK].sum);
	analysis_free(s.analysis);
}

/* A sleeper gets the CPU, nothing woke it: no delay is counted, and it is said. */
TEST(a_switch_in_without_a_wakeup_is_unknown_not_zero)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	sched(&s, 75, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(0, row(&s, "b")->delay.count);
	CHECK_EQ(1, row(&s, "b")->unknown);
	analysis_free(s.analysis);
}

/*
 * Woken at 100, again at 900: between them it ran and slept unseen.  The first wait
 * has no known end and is left out; the second, 900 to 905, counts.
 */
TEST(woken_again_while_waiting_is_unreliable)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 11, 1);
	wake(&s, 900, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 905, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(1, row(&s, "b")->delay.count);
	CHECK_EQ(5 * US, row(&s, "b")->delay.max);
	CHECK_EQ(1, row(&s, "b")->unreliable);
	CHECK_EQ(1, s.analysis->threads->stats.unreliable[TRACK_DOUBT_WOKEN_AGAIN]);
	CHECK_EQ(1, s.analysis->worst.doubtful.nr);
	CHECK_EQ(TRACK_DOUBT_WOKEN_AGAIN, s.analysis->worst.doubtful.at[0].doubt);
	CHECK_EQ(800 * US, s.analysis->worst.doubtful.at[0].end_ns -
				   s.analysis->worst.doubtful.at[0].start_ns);
	analysis_free(s.analysis);
}

/* Waiting since 100; at 500 the kernel charges it 300 us: it ran. */
TEST(runtime_charged_to_a_waiting_thread_is_unreliable)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 11, 1);
	runtime(&s, 500, 1, 10, 300 * US);
	sched(&s, 505, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(0, row(&s, "b")->delay.count);
	CHECK_EQ(1, s.analysis->threads->stats.unreliable[TRACK_DOUBT_RAN_UNSEEN]);
	analysis_free(s.analysis);
}

/* Off at 100 after 80 us; the charge of those 80 us is told at 101 by another CPU. */
TEST(a_charge_longer_than_the_wait_is_of_the_run_before)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 20, 1, 0, R, 10);
	sched(&s, 100, 1, 10, R, 11);
	runtime(&s, 101, 0, 10, 80 * US);
	sched(&s, 110, 1, 11, S, 10);
	stream_end(&s);
	CHECK_EQ(1, row(&s, "b")->delay.count);
	CHECK_EQ(10 * US, row(&s, "b")->delay.sum);
	analysis_free(s.analysis);
}

/* 881 ms on a CPU that idled all the while: some switch was missed. */
TEST(a_long_wait_for_an_idle_cpu_is_unreliable)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 881100, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(0, row(&s, "b")->delay.count);
	CHECK_EQ(1, s.analysis->threads->stats.unreliable[TRACK_DOUBT_IDLE_TARGET]);
	analysis_free(s.analysis);
}

/* The idle task left, we thought; b leaves instead, whose wakeup we knew: it ran unseen. */
TEST(leaving_a_cpu_never_got_is_a_mismatch_and_unreliable)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 400, 1, 10, S, 0);
	stream_end(&s);
	CHECK_EQ(0, row(&s, "b")->delay.count);
	CHECK_EQ(1, s.analysis->threads->stats.mismatches);
	CHECK_EQ(1, s.analysis->threads->stats.unreliable[TRACK_DOUBT_SWITCHED_OUT]);
	analysis_free(s.analysis);
}

/* A wait over a gap is told apart; the next one is exact again. */
TEST(a_wait_over_a_loss_is_marked)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 11, 1);
	lost(&s, 110, 0);
	sched(&s, 120, 1, 0, R, 10);
	sched(&s, 130, 1, 10, S, 0);
	wake(&s, 140, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 147, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(1, row(&s, "b")->after_loss);
	CHECK_EQ(1, row(&s, "b")->delay.count);
	CHECK_EQ(7 * US, row(&s, "b")->delay.sum);
	analysis_free(s.analysis);
}

/* CPU 1 ran b from 60; events of CPU 1 were lost at 70: busy is known for no time at all. */
TEST(what_ran_on_a_cpu_that_lost_events_is_unknown)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 60, 1, 0, R, 10);
	s.flags = EVENT_AFTER_LOSS;
	wake(&s, 70, 1, EVENT_WAKEUP, 12, 10, 0);
	sched(&s, 90, 1, 11, S, 0);
	stream_end(&s);
	CHECK_EQ(0, s.analysis->threads->stats.mismatches);
	CHECK_EQ(0, s.analysis->cpus.rows.at[1].busy_ns);
	analysis_free(s.analysis);
}

/* Still waiting at the end: counted as unfinished, not as a delay. */
TEST(a_wait_open_at_the_end_is_unfinished)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 11);
	wake(&s, 100, 0, EVENT_WAKEUP, 10, 11, 1);
	sched(&s, 500, 1, 11, S, 0);
	stream_end(&s);
	CHECK_EQ(0, row(&s, "b")->delay.count);
	CHECK_EQ(1, row(&s, "b")->unfinished);
	analysis_free(s.analysis);
}

/*
 * The waker moves b from CPU 1 to 0 before it is queued: no migration of the wait.
 * Balancing moves it back at 130: one.
 */
TEST(choosing_a_cpu_is_no_migration_inside_the_wait)
{
	const struct analysis_options options = { .filter = FILTER_NONE, .worst = 1 };
	struct stream s;

	stream_begin(&s, &options);
	name(&s, 0, 10, "b");
	sched(&s, 50, 1, 10, S, 0);
	wake(&s, 100, 0, EVENT_WAKING, 10, 11, 1);
	migrate(&s, 101, 0, 10, 1, 0);
	wake(&s, 102, 0, EVENT_WAKEUP, 10, 11, 0);
	migrate(&s, 130, 1, 10, 0, 1);
	sched(&s, 140, 1, 0, R, 10);
	stream_end(&s);
	CHECK_EQ(1, s.analysis->worst.longest.at[0].migrations);
	CHECK_EQ(2, row(&s, "b")->migrations, "the task's own count has both");
	analysis_free(s.analysis);
}

/* tid 10 ends and lives again: two threads, and the second one's first run is unknown. */
TEST(a_reused_tid_is_another_thread)
{
	struct stream s;

	stream_begin(&s, NULL);
	name(&s, 0, 10, "b");
	sched(&s, 10, 1, 0, R, 10);
	sched(&s, 50, 1, 10, EVENT_STATE_DEAD, 0);
	stream_push(&s, (struct event){ .time_ns = 60 * US,
					.kind = EVENT_NAME,
					.cpu = EVENT_NOBODY,
					.task = { 10, 1 },
					.name = { "b", 1, EVENT_NOBODY, 0 } });
	stream_push(&s, (struct event){ .time_ns = 60 * US,
					.kind = EVENT_SWITCH,
					.cpu = 1,
					.task = idle(1),
					.other = { 10, 1 },
					.switch_ = { R, 120, 120, 0, 0 } });
	stream_end(&s);
	CHECK_EQ(2, row(&s, "b")->threads);
	CHECK_EQ(2, row(&s, "b")->unknown);
	CHECK(!track_find(s.analysis->threads, tid(10)), "the first one is gone");
	analysis_free(s.analysis);
}

/* A gap of one generation at once leaves nothing behind: one thread of the tid is known. */
TEST(the_next_life_of_a_tid_ends_the_one_before)
{
	struct stream s;

	stream_begin(&s, NULL);
	sched(&s, 10, 1, 0, R, 10);
	stream_push(&s, (struct event){ .time_ns = 60 * US,
					.kind = EVENT_WAKEUP,
					.cpu = 0,
					.task = { 10, 1 },
					.other = idle(0),
					.wake = { 120, 0, 0, 0 } });
	CHECK(!track_find(s.analysis->threads, tid(10)));
	CHECK_EQ(TRACK_CPU_UNKNOWN, s.analysis->threads->cpus[1].state);
	stream_end(&s);
	analysis_free(s.analysis);
}

/* A CPU number no kernel has is counted and takes no memory. */
TEST(an_absurd_cpu_is_left_out_and_counted)
{
	struct stream s;

	stream_begin(&s, NULL);
	sched(&s, 10, 2000000000, 10, S, 11);
	stream_end(&s);
	CHECK_EQ(1, s.analysis->threads->stats.no_cpu);
	CHECK_EQ(2, s.analysis->threads->nr_cpus);
	analysis_free(s.analysis);
}
