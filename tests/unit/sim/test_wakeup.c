/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events a wakeup, a sleep and a pull leave, in which order and on which CPU. */
#include "lab.h"

struct step {
	u32 kind;
	s32 cpu, tid; /* tid 0: the idle task, or any */
};

/* The events at @time_ns, from the first waking on, are @want. */
static void check_steps(const struct lab *lab, u64 time_ns, const struct step *want, u32 nr)
{
	size_t i = 0;

	while (i < lab->events.nr &&
	       (lab->events.at[i].time_ns != time_ns || lab->events.at[i].kind != EVENT_WAKING))
		i++;
	for (u32 k = 0; k < nr; k++, i++) {
		const struct event *event = &lab->events.at[i];

		CHECK(i < lab->events.nr && event->time_ns == time_ns, "step %u", k);
		CHECK_STR(event_kind_name(want[k].kind), event_kind_name(event->kind), "step %u",
			  k);
		CHECK_EQ(want[k].cpu, event->cpu, "step %u", k);
		if (want[k].tid)
			CHECK_EQ(want[k].tid, event->task.tid, "step %u", k);
	}
}

/* The waker on CPU 0 posts at 2; the wakee, which may use @mask, waits from 0. */
static void add_pair(struct lab *lab, u32 mask, u64 run_ns)
{
	u32 sem = lab_object(lab, WORKLOAD_OBJECT_SEM, 0, false);
	struct workload_task *task = lab_task(lab, "waker", 1, 1);

	task->attr.cpus = lab_cpus(lab, 1);
	lab_runs(task, 2 * MS);
	lab_on(task, WORKLOAD_OP_SEM_POST, sem);
	lab_runs(task, 1 * MS);
	task = lab_task(lab, "wakee", 1, 1);
	task->attr.cpus = lab_cpus(lab, mask);
	lab_on(task, WORKLOAD_OP_SEM_WAIT, sem);
	lab_runs(task, run_ns);
}

TEST(an_idle_cpu_queues_the_wakee_before_it_leaves_idle)
{
	static const struct step want[] = {
		{ EVENT_WAKING, 0, FIRST + 1 },
		{ EVENT_WAKEUP, 1, FIRST + 1 },
		{ EVENT_IDLE, 1, 0 },
		{ EVENT_SWITCH, 1, 0 },
	};
	struct lab lab;

	lab_init(&lab, 2, 250);
	add_pair(&lab, 1 << 1, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	check_steps(&lab, 2 * MS, want, ARRAY_SIZE(want));
	CHECK_EQ(1, lab_find(&lab, EVENT_WAKEUP, FIRST + 1, 0)->wake.target_cpu);
	CHECK_EQ(3 * MS, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/* The waker's CPU queues it, which accounts who runs there; all told by CPU 0. */
TEST(a_busy_cpu_is_reached_directly)
{
	static const struct step want[] = {
		{ EVENT_WAKING, 0, FIRST + 1 },
		{ EVENT_RUNTIME, 0, FIRST + 2 },
		{ EVENT_WAKEUP, 0, FIRST + 1 },
	};
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 2, 250);
	add_pair(&lab, 1 << 1, 1 * MS);
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 20 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	check_steps(&lab, 2 * MS, want, ARRAY_SIZE(want));
	CHECK_EQ(2 * MS, lab_find(&lab, EVENT_RUNTIME, FIRST + 2, 0)->runtime.runtime_ns);
	CHECK_EQ(1, lab_find(&lab, EVENT_WAKEUP, FIRST + 1, 0)->wake.target_cpu);
	lab_fini(&lab);
}

/* Its CPU is busy, another is idle: the move is told between waking and wakeup. */
TEST(a_wakee_moves_to_an_idle_cpu)
{
	static const struct step want[] = {
		{ EVENT_WAKING, 0, FIRST + 1 },
		{ EVENT_MIGRATE, 0, FIRST + 1 },
		{ EVENT_WAKEUP, 2, FIRST + 1 },
	};
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 3, 250);
	add_pair(&lab, 1 << 1 | 1 << 2, 1 * MS);
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1 << 1);
	lab_runs(task, 20 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	check_steps(&lab, 2 * MS, want, ARRAY_SIZE(want));
	CHECK_EQ(1, lab_find(&lab, EVENT_WAKING, FIRST + 1, 0)->wake.target_cpu);
	CHECK_EQ(2, lab_find(&lab, EVENT_WAKEUP, FIRST + 1, 0)->wake.target_cpu);
	lab_fini(&lab);
}

/*
 * a sleeps at 2 in debt beside a hog bound to CPU 0 and stays queued there.  Woken at 3 it does
 * not move although CPU 1 is idle.
 */
TEST(a_delayed_sleeper_stays_on_its_cpu)
{
	struct lab lab;
	struct workload_task *task;
	const struct event *left;

	lab_init(&lab, 2, 250);
	task = lab_task(&lab, "a", 1, 1);
	lab_runs(task, 2 * MS);
	lab_sleeps(task, 1 * MS);
	lab_runs(task, 1 * MS);
	task = lab_task(&lab, "hog", 1, 1);
	task->attr.cpus = lab_cpus(&lab, 1);
	lab_runs(task, 20 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	left = lab_find(&lab, EVENT_SWITCH, FIRST, 0);
	CHECK_EQ(2 * MS, left->time_ns);
	CHECK_EQ(EVENT_STATE_SLEEP, left->switch_.prev_state);
	CHECK_EQ(3 * MS, lab_when(&lab, EVENT_WAKEUP, FIRST, 0));
	CHECK_EQ(0, lab_find(&lab, EVENT_WAKEUP, FIRST, 0)->wake.target_cpu);
	CHECK(lab_find(&lab, EVENT_MIGRATE, FIRST, 0) == NULL ||
	      lab_when(&lab, EVENT_MIGRATE, FIRST, 0) > 3 * MS);
	lab_fini(&lab);
}

/* Two on CPU 0, one on CPU 1 that ends at 2: the waiting one is pulled, 2-5. */
TEST(a_cpu_that_runs_dry_pulls_a_waiting_task)
{
	struct lab lab;
	const struct event *move;

	lab_init(&lab, 2, 250);
	lab_runs(lab_task(&lab, "long", 1, 1), 10 * MS);
	lab_runs(lab_task(&lab, "short", 1, 1), 2 * MS);
	lab_runs(lab_task(&lab, "waits", 1, 1), 3 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	move = lab_find(&lab, EVENT_MIGRATE, FIRST + 2, 0);
	CHECK(move);
	CHECK_EQ(2 * MS, move->time_ns);
	CHECK_EQ(1, move->cpu);
	CHECK_EQ(0, move->migrate.orig_cpu);
	CHECK_EQ(1, move->migrate.dest_cpu);
	CHECK_EQ(2 * MS, lab_on_cpu(&lab, FIRST + 2, 0));
	CHECK_EQ(5 * MS, lab_end(&lab, FIRST + 2));
	CHECK_EQ(10 * MS, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* The waker left idle 5 us late itself, so it posts at 2.005; 10 us until the interrupt acts, 5 us
 * out of idle, then 1 ms. */
TEST(interrupts_and_leaving_idle_take_their_time)
{
	struct lab lab;

	lab_init(&lab, 2, 250);
	lab.machine.costs.ipi_latency_ns = 10 * US;
	lab.machine.costs.idle_exit_ns = 5 * US;
	add_pair(&lab, 1 << 1, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(2005 * US, lab_when(&lab, EVENT_WAKING, FIRST + 1, 0));
	CHECK_EQ(2015 * US, lab_when(&lab, EVENT_WAKEUP, FIRST + 1, 0));
	CHECK_EQ(2020 * US, lab_on_cpu(&lab, FIRST + 1, 1));
	CHECK_EQ(3020 * US, lab_end(&lab, FIRST + 1));
	lab_fini(&lab);
}

/*
 * A costs 2 us to wake, 3 us to switch to.  B, FIFO, sleeps 1 ms and wakes by its timer beside a
 * hog: the interrupt's 2 us come before the switch, the switch's 3 us before B's own 1 ms.
 */
TEST(what_the_kernel_does_for_a_wakeup_comes_before_the_switch)
{
	struct lab lab;
	struct workload_task *task;

	lab_init(&lab, 1, 250);
	lab.machine.costs.wakeup_ns = 2 * US;
	lab.machine.costs.switch_ns = 3 * US;
	task = lab_task(&lab, "b", 1, 1);
	task->attr.policy = EVENT_POLICY_FIFO;
	task->attr.rt_prio = 10;
	lab_event(task, WORKLOAD_OP_SLEEP, 1 * MS);
	lab_runs(task, 1 * MS);
	lab_runs(lab_task(&lab, "hog", 1, 1), 10 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	/* B is switched to at 0 and sleeps once that is paid: at 3 us */
	CHECK_EQ(1003 * US, lab_when(&lab, EVENT_WAKING, FIRST, 0));
	CHECK_EQ(2008 * US, lab_when(&lab, EVENT_EXIT, FIRST, 0));
	for (size_t i = 0; i < lab.events.nr; i++)
		if (lab.events.at[i].kind == EVENT_SWITCH && lab.events.at[i].time_ns > 1 * MS) {
			CHECK_EQ(1005 * US, lab.events.at[i].time_ns);
			break;
		}
	/* the hog is charged up to the wakeup and not to the switch: 3 us are B's second charge */
	CHECK_EQ(1000 * US, lab_find(&lab, EVENT_RUNTIME, FIRST + 1, 0)->runtime.runtime_ns);
	CHECK_EQ(2008 * US - 1003 * US,
		 lab_find(&lab, EVENT_RUNTIME, FIRST, 1)->runtime.runtime_ns);
	lab_fini(&lab);
}
