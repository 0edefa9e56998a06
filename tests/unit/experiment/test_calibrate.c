/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/calibrate.h"

#include "test.h"

static struct analysis *empty(void)
{
	const struct analysis_options options = { .filter = FILTER_NONE };

	return analysis_new(&options);
}

static void row(struct analysis *analysis, const char *name, u64 runtime_ns, u64 switches,
		u64 wakeups, u64 wait_ns)
{
	struct latency_row *row = vec_add(&analysis->latency.rows);

	row->name = mem_strdup(name);
	row->charged_ns = runtime_ns;
	row->switches = switches;
	for (u64 i = 0; i < wakeups; i++)
		hist_add(&row->wakeup, wait_ns);
}

/*
 * At 100 HZ, a tick of 6 us: 500.3 ms have 50 of them.  Yields: 620 ms less 62 ticks are 600 ms
 * of work and 19.628 ms for 2000 switches: 9814 ns.  Waits: 630 ms less 63 ticks and 600 ms of work
 * leave 29.622 ms; 2000 switches take 19.628, so 1000 wakeups 9.994.  Timers: 660 ms less 66 ticks
 * and 640 ms leave 19.604 ms; 800 switches take 7.8512, so 400 times a timer and a wakeup
 * take 11.7528 ms: 29382 each, of which 9994 are the wakeup.  Out of idle: 40 us, less both.
 */
TEST(costs_are_what_is_left_of_the_work)
{
	struct analysis *analysis = empty();
	struct machine_costs costs;

	row(analysis, "cal-tick", 500300000, 1, 1, 0);
	row(analysis, "cal-yield", 620000000, 2000, 1, 0);
	row(analysis, "cal-post", 420000000, 1000, 1, 0);
	row(analysis, "cal-wait", 210000000, 1000, 1000, 0);
	row(analysis, "cal-hog", 610000000, 400, 1, 0);
	row(analysis, "cal-timer", 50000000, 400, 400, 0);
	row(analysis, "cal-sleep", 1, 1, 10, 40000);
	CHECK_EQ(OK, calibrate_costs(analysis, 100, &costs, NULL));
	CHECK_EQ(6000, costs.tick_ns);
	CHECK_EQ(9814, costs.switch_ns);
	CHECK_EQ(9994, costs.wakeup_ns);
	CHECK_EQ(29382 - 9994, costs.timer_ns);
	CHECK(costs.idle_exit_ns >= 40000 - 29382 - 160 && costs.idle_exit_ns <= 40000 - 29382,
	      "%u, percentiles are within 0.4 %%", costs.idle_exit_ns);
	CHECK_EQ(machine_default_costs.ipi_ns, costs.ipi_ns);
	analysis_free(analysis);
}

TEST(an_experiment_that_did_not_run_is_named)
{
	struct analysis *analysis = empty();
	struct machine_costs costs;
	struct err err = ERR_NONE;

	row(analysis, "cal-tick", 500300000, 1, 1, 0);
	CHECK_EQ(ERR_FORMAT, calibrate_costs(analysis, 250, &costs, &err));
	CHECK_STR("the calibration's task cal-yield did not run", err.what);
	analysis_free(analysis);
}

TEST(the_experiments_are_a_workload)
{
	struct workload *workload = calibrate_workload();

	CHECK_EQ(7, workload->tasks.nr);
	workload_free(workload);
}
