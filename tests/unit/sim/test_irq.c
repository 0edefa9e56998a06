/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts of devices, by hand: HZ 250, costless CPUs; all times in ms. */
#include "lab.h"

static void device(struct lab *lab, const char *name, u32 cpu, u64 period_ns, u64 duration_ns)
{
	*vec_add(&lab->workload->interrupts) = (struct workload_interrupt){
		.name = mem_strdup(name),
		.cpu = cpu,
		.period = { .shape = WORKLOAD_CONST, .a = period_ns },
		.duration = { .shape = WORKLOAD_CONST, .a = duration_ns },
	};
}

/* 1 of each 10: what takes 25 is done at 27, and each interrupt is told when it ends. */
TEST(interrupts_take_time_from_who_runs)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	device(&lab, "nic", 0, 10 * MS, 1 * MS);
	lab_runs(lab_task(&lab, "works", 1, 1), 25 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(27 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(11 * MS, lab_when(&lab, EVENT_IRQ, 0, 0));
	CHECK_EQ(21 * MS, lab_when(&lab, EVENT_IRQ, 0, 1));
	CHECK_EQ(1 * MS, lab_find(&lab, EVENT_IRQ, 0, 0)->cost.ns);
	CHECK_EQ(27 * MS, lab_ran_ns(&lab, FIRST), "the task is charged for them");
	lab_fini(&lab);
}

TEST(with_irq_time_accounting_nobody_is_charged)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab_feature(&lab, POLICY_IRQ_TIME_ACCOUNTING, true);
	device(&lab, "nic", 0, 10 * MS, 1 * MS);
	lab_runs(lab_task(&lab, "works", 1, 1), 25 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(27 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(25 * MS, lab_ran_ns(&lab, FIRST));
	lab_fini(&lab);
}

/* At 10 both, of 2 and 3: the second waits for the first, and both have been handled at 15. */
TEST(one_waits_for_the_other)
{
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.setup.duration_ns = 17 * MS;
	device(&lab, "a", 0, 10 * MS, 2 * MS);
	device(&lab, "b", 0, 10 * MS, 3 * MS);
	lab_runs(lab_task(&lab, "works", 1, 1), 10500 * US);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(15 * MS, lab_when(&lab, EVENT_IRQ, 0, 0));
	CHECK_EQ(15 * MS, lab_when(&lab, EVENT_IRQ, 0, 1));
	CHECK_EQ(15500 * US, lab_end(&lab, FIRST));
	lab_fini(&lab);
}

/* It is due at 11, in the middle of one of 10 to 13, and has the CPU when that is over. */
TEST(who_wakes_meanwhile_waits)
{
	struct workload_task *task;
	struct lab lab;

	lab_init(&lab, 1, 250);
	lab.setup.duration_ns = 20 * MS;
	device(&lab, "nic", 0, 10 * MS, 3 * MS);
	task = lab_task(&lab, "sleeper", 1, 1);
	lab_sleeps(task, 11 * MS);
	lab_runs(task, 1 * MS);
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(13 * MS, lab_on_cpu(&lab, FIRST, 1));
	lab_fini(&lab);
}

/* Only the CPU it is of. */
TEST(a_device_interrupts_one_cpu)
{
	struct lab lab;

	lab_init(&lab, 2, 250);
	device(&lab, "nic", 1, 10 * MS, 1 * MS);
	for (u32 i = 0; i < 2; i++) {
		struct workload_task *task = lab_task(&lab, "works", 1, 1);

		task->attr.cpus = lab_cpus(&lab, 1u << i);
		lab_runs(task, 15 * MS);
	}
	CHECK_EQ(OK, lab_run(&lab));
	CHECK_EQ(15 * MS, lab_end(&lab, FIRST));
	CHECK_EQ(16 * MS, lab_end(&lab, FIRST + 1));
	CHECK_EQ(1, lab_find(&lab, EVENT_IRQ, 0, 0)->cpu);
	lab_fini(&lab);
}

TEST(a_cpu_that_the_machine_lacks_is_refused)
{
	struct lab lab;

	lab_init(&lab, 2, 250);
	device(&lab, "nic", 2, 10 * MS, 1 * MS);
	CHECK_EQ(ERR_USAGE, lab_run(&lab));
	CHECK(strstr(lab.err.what, "nic") && strstr(lab.err.what, "CPU 2"), "%s", lab.err.what);
	lab_fini(&lab);
}
