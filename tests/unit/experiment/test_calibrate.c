/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/calibrate.h"

#include "test.h"

static struct analysis *empty(void)
{
	const struct analysis_options options = { .filter = FILTER_NONE };

	return analysis_new(&options);
}

static void row(struct analysis *analysis, const char *name, u64 runtime_ns, u64 switches)
{
	struct latency_row *row = vec_add(&analysis->latency.rows);

	row->name = mem_strdup(name);
	row->charged_ns = runtime_ns;
	row->switches = switches;
}

/*
 * At 100 HZ.  500.3 ms beside 500 of work have 50 ticks: 6 us each.
 * Sharing: 10 ms beyond, less 101 ticks, for 1000 switches: 9394 ns.
 * Asleep until a tick: 1.5 ms beyond for 100 times a switch and a call of 5606.
 * Beside it: 10 ms beyond, less 121 + 10 ticks and 100 switches: 100 interrupts of 82746.
 * Posts: 40 ms beyond in both, less 64 ticks: 39616 a round, less two switches and two calls 9616.
 * Out of idle: 15 ms beyond, less 16 ticks, 500 times: 29808, less switch and call 14808.
 * A wakeup is the middle of these, 12212, and the timer the rest of the interrupt.
 * Births: 12 ms beyond, less 5 ticks, 200 times 59850, less switch, call and wakeup.
 * Children: 10 ms beyond, less 11 ticks, 200 times 49670, less a switch.
 */
TEST(costs_are_what_is_left_of_the_work)
{
	struct analysis *analysis = empty();
	struct machine_costs costs;

	row(analysis, "cal-tick", 500300000, 1);
	row(analysis, "cal-share", 1010000000, 1000);
	row(analysis, "cal-batch", 101500000, 100);
	row(analysis, "cal-busy", 1210000000, 100);
	row(analysis, "cal-post", 430000000, 1000);
	row(analysis, "cal-wait", 210000000, 1000);
	row(analysis, "cal-sleep", 165000000, 500);
	row(analysis, "cal-fork", 52000000, 200);
	row(analysis, "cal-child", 110000000, 200);
	CHECK_EQ(OK, calibrate_costs(analysis, 100, &costs, NULL));
	CHECK_EQ(6000, costs.tick_ns);
	CHECK_EQ(9394, costs.switch_ns);
	CHECK_EQ(5606, costs.syscall_ns);
	CHECK_EQ(12212, costs.wakeup_ns);
	CHECK_EQ(82746 - 12212, costs.timer_ns);
	CHECK_EQ(14808 - 12212, costs.idle_exit_ns);
	CHECK_EQ(59850 - 9394 - 5606 - 12212, costs.fork_ns);
	CHECK_EQ(49670 - 9394, costs.thread_ns);
	CHECK_EQ(machine_default_costs.ipi_ns, costs.ipi_ns);
	analysis_free(analysis);
}

TEST(an_experiment_that_did_not_run_is_named)
{
	struct analysis *analysis = empty();
	struct machine_costs costs;
	struct err err = ERR_NONE;

	row(analysis, "cal-tick", 500300000, 1);
	CHECK_EQ(ERR_FORMAT, calibrate_costs(analysis, 250, &costs, &err));
	CHECK_STR("the calibration's task cal-share did not run", err.what);
	analysis_free(analysis);
}

TEST(the_experiments_are_a_workload)
{
	struct workload *workload = calibrate_workload();

	CHECK_EQ(9, workload->tasks.nr);
	workload_free(workload);
}
