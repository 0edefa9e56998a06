/* SPDX-License-Identifier: GPL-2.0-only */
/* Idle states: who chooses them, and what they cost. */
#include "lab.h"

static void one_state(struct lab *lab, enum machine_idle governor, u32 exit_us, u32 residency_us)
{
	struct machine_kind *kind = &lab->machine.kinds[0];

	lab->machine.idle = governor;
	kind->idle_states[kind->nr_idle_states++] = (struct machine_idle_state){
		.name = "s", .exit_latency_us = exit_us, .target_residency_us = residency_us
	};
}

/* Runs 1 ms, sleeps 20, runs 5. */
static void sleeper(struct lab *lab)
{
	struct workload_task *task = lab_task(lab, "one", 1, 1);

	lab_runs(task, 1 * MS);
	lab_sleeps(task, 20 * MS);
	lab_runs(task, 5 * MS);
}

static void check_idle(struct lab *lab, u32 n, u64 time_ns, u32 state)
{
	const struct event *idle = lab_find(lab, EVENT_IDLE, 0, n);

	CHECK(idle, "entry or exit %u", n);
	CHECK_EQ(time_ns, idle->time_ns, "entry or exit %u", n);
	CHECK_EQ(state, idle->idle.state, "entry or exit %u", n);
}

/*
 * Nothing but a timer 20 ms away: the deep state, without the tick.  It takes 100 us to wake
 * at 21; the tick comes back to its grid, at 24.
 */
TEST(a_deep_state_delays_what_ends_it)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	one_state(&lab, MACHINE_IDLE_MENU, 100, 1000);
	sleeper(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	check_idle(&lab, 0, 0, 1);
	check_idle(&lab, 1, 0, EVENT_IDLE_EXIT);
	check_idle(&lab, 2, 1 * MS, 1);
	check_idle(&lab, 3, 21100 * US, EVENT_IDLE_EXIT);
	CHECK_EQ(21100 * US, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(24 * MS, lab_when(&lab, EVENT_RUNTIME, FIRST, 1));
	CHECK_EQ(26100 * US, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/*
 * The same: at 0 the CPU slept for no time at all, before the task started.
 *
 * menu   That sleep and the seven before it are 0, which 6.1 takes for a pattern and later ones
 *        for none.  6.1 is woken by the tick until three are not, as 20, 17 and 13 ms are, what the
 *        timer had left: it leaves two out, and five 0 with a third one agree on nothing.
 * teo    It came early: a shallow sleep, which the tick ends; that counts as the timer's, and
 *        1024 against 896 is enough to go deep.  7.3 did not look the timer up, as all sleeps
 *        are short, so this one came early, too, like more than two thirds of all: it goes deep,
 *        but keeps the tick, until two ticks are more than two thirds of 2704 (1920 of them).
 */
TEST(governors_are_those_of_the_release)
{
	static const struct {
		const char *release;
		enum machine_idle governor;
		struct {
			u32 state;
			u64 until_ns;
		} sleeps[4]; /* from 1 ms on */
	} rows[] = {
		{ "6.1",
		  MACHINE_IDLE_MENU,
		  { { 0, 4001 * US }, { 0, 8001 * US }, { 0, 12001 * US }, { 1, 21100 * US } } },
		{ "6.12", MACHINE_IDLE_MENU, { { 1, 21100 * US } } },
		{ "7.3", MACHINE_IDLE_MENU, { { 1, 21100 * US } } },
		{ "6.1", MACHINE_IDLE_TEO, { { 0, 4001 * US }, { 1, 21100 * US } } },
		{ "6.12", MACHINE_IDLE_TEO, { { 0, 4001 * US }, { 1, 21100 * US } } },
		{ "7.3",
		  MACHINE_IDLE_TEO,
		  { { 0, 4001 * US }, { 1, 8100 * US }, { 1, 21100 * US } } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 since_ns = 1 * MS;
		struct lab lab;

		lab_init(&lab, 1, 250);
		lab_release(&lab, rows[i].release);
		one_state(&lab, rows[i].governor, 100, 1000);
		sleeper(&lab);
		CHECK_EQ(OK, lab_run(&lab));
		for (u32 n = 0; n < 4 && rows[i].sleeps[n].until_ns; n++) {
			check_idle(&lab, 2 + 2 * n, since_ns, rows[i].sleeps[n].state);
			since_ns = rows[i].sleeps[n].until_ns;
			check_idle(&lab, 3 + 2 * n, since_ns, EVENT_IDLE_EXIT);
		}
		CHECK_EQ(since_ns, lab_when(&lab, EVENT_WAKING, FIRST, 0), "row %zu", i);
		lab_fini(&lab);
	}
}

/*
 * 6.1, 9 ms asleep again and again: the pattern of it goes deep.  Waiting for a
 * device, a way out of 1 ms is more than an eleventh of that; 6.12 does not ask.
 */
TEST(who_waits_for_a_device_keeps_its_cpu_out_of_deep_states_in_6_1)
{
	static const struct {
		const char *release;
		enum workload_op op;
		u32 state;
	} rows[] = {
		{ "6.1", WORKLOAD_OP_SLEEP, 1 },
		{ "6.1", WORKLOAD_OP_IOWAIT, 0 },
		{ "6.12", WORKLOAD_OP_IOWAIT, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *last = NULL;
		struct workload_task *task;
		struct lab lab;

		lab_init(&lab, 1, 100);
		lab_release(&lab, rows[i].release);
		one_state(&lab, MACHINE_IDLE_MENU, 1000, 1500);
		task = lab_task(&lab, "one", 1, 20);
		lab_runs(task, 1 * MS);
		lab_event(task, rows[i].op, 9 * MS);
		lab.setup.duration_ns = 190 * MS;
		CHECK_EQ(OK, lab_run(&lab));
		vec_for_each(event, &lab.events)
			if (event->kind == EVENT_IDLE && event->idle.state != EVENT_IDLE_EXIT)
				last = event;
		CHECK(last, "row %zu", i);
		CHECK_EQ(rows[i].state, last->idle.state, "row %zu", i);
		lab_fini(&lab);
	}
}

/* A state that wants 30 ms is too deep for 20, whatever happens: the plain wait, no tick. */
TEST(a_state_that_would_not_pay_is_not_entered)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	one_state(&lab, MACHINE_IDLE_MENU, 100, 30000);
	sleeper(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	check_idle(&lab, 2, 1 * MS, 0);
	check_idle(&lab, 3, 21001 * US, EVENT_IDLE_EXIT);
	CHECK_EQ(21001 * US, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	lab_fini(&lab);
}

/* With one between, the tick stays, so that it may go deeper; it is 100 us late, its grid not. */
TEST(in_a_state_shallower_than_the_sleep_the_tick_stays)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	one_state(&lab, MACHINE_IDLE_MENU, 100, 1000);
	one_state(&lab, MACHINE_IDLE_MENU, 200, 30000);
	sleeper(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	check_idle(&lab, 2, 1 * MS, 1);
	check_idle(&lab, 3, 4100 * US, EVENT_IDLE_EXIT);
	check_idle(&lab, 4, 4100 * US, 1);
	check_idle(&lab, 5, 8100 * US, EVENT_IDLE_EXIT);
	lab_fini(&lab);
}

/* One state is no choice: the tick at 4 hits the idle task and is the last. */
TEST(a_driver_with_one_state_is_as_none)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.idle = MACHINE_IDLE_MENU;
	sleeper(&lab);
	CHECK_EQ(OK, lab_run(&lab));
	check_idle(&lab, 2, 1 * MS, 1);
	check_idle(&lab, 3, 4 * MS, EVENT_IDLE_EXIT);
	check_idle(&lab, 4, 4 * MS, 1);
	check_idle(&lab, 5, 21 * MS, EVENT_IDLE_EXIT);
	lab_fini(&lab);
}

/*
 * Sleeps of 100 us: the first halts, 1 us to leave.  It lasted 101 us, so the next polls for
 * 50 us and then halts; that one lasted 51 us, so the third polls for 100 us and is still at it.
 */
TEST(haltpoll_polls_before_it_halts)
{
	static const struct {
		u64 time_ns;
		u32 state;
	} rows[] = {
		{ 1000 * US, 1 }, { 1101 * US, EVENT_IDLE_EXIT }, /* asleep at 1000 */
		{ 2101 * US, 0 }, { 2151 * US, EVENT_IDLE_EXIT }, /* asleep at 2101 */
		{ 2151 * US, 1 }, { 2202 * US, EVENT_IDLE_EXIT },
		{ 3202 * US, 0 }, { 3302 * US, EVENT_IDLE_EXIT }, /* asleep at 3202 */
	};
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.machine.idle = MACHINE_IDLE_HALTPOLL;
	task = lab_task(&lab, "one", 1, 5);
	lab_runs(task, 1 * MS);
	lab_sleeps(task, 100 * US);
	lab.setup.duration_ns = 3350 * US;
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		check_idle(&lab, 2 + i, rows[i].time_ns, rows[i].state);
	lab_fini(&lab);
}

/* Both interrupts of a CPU wait until it is awake, at 6.1, and come in their order. */
TEST(all_interrupts_wait_for_the_way_out)
{
	static const u64 delays_ns[] = { 6 * MS, 6050 * US };
	struct lab lab;

	lab_init(&lab, 1, 250);
	one_state(&lab, MACHINE_IDLE_MENU, 100, 1000);
	for (u32 i = 0; i < 2; i++)
		lab_task(&lab, "one", 1, 1)->delay_ns = delays_ns[i];
	CHECK_EQ(OK, lab_run(&lab));
	for (u32 i = 0; i < 2; i++)
		CHECK_EQ(6100 * US, lab_when(&lab, EVENT_WAKING, FIRST + (s32)i, 0), "%u", i);
	lab_fini(&lab);
}
