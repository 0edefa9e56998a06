/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/scenarios.h"

#include <stdlib.h>

#include "input/workload_file.h"
#include "test.h"

/* The means of @metric over three runs a side. */
struct outcome {
	double a, b;
};

static struct outcome outcome_of(enum scenario_id id, const char *duration, const char *metric)
{
	const struct scenario *scenario = &scenarios[id];
	const char *root = getenv("FAIRGROUND_ROOT");
	struct settings_setup setups[COMPARE_NR_SIDES];
	const struct compare_plan plan = { .sides = { &setups[0].sim, &setups[1].sim },
					   .runs = 3,
					   .threads = 2 };
	char *path = mem_printf("%s/workloads/%s.json", root ? root : ".", scenario->workload);
	struct compare compare = { 0 };
	const struct compare_row *row;
	struct workload *workload;
	struct err err = ERR_NONE;
	struct outcome outcome = { 0 };

	CHECK(!input_workload(path, &workload, &err), "%s", err.what);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++) {
		struct settings settings = { 0 };

		CHECK(!settings_parse(&settings, scenario->settings, &err), "%s", err.what);
		CHECK(!settings_parse(&settings, scenario->sides[i], &err), "%s", err.what);
		settings_set(&settings, SETTINGS_DURATION, duration);
		CHECK(!settings_setup(&settings, workload, &setups[i], &err), "%s", err.what);
		settings_fini(&settings);
	}
	CHECK(!compare_simulate(&compare, &plan, &err), "%s", err.what);
	compare_judge(&compare);
	row = compare_find(&compare, metric, strlen(metric));
	CHECK(row && row->complete, "%s", metric);
	if (row)
		outcome = (struct outcome){ row->effect.a, row->effect.b };
	compare_fini(&compare);
	for (u32 i = 0; i < COMPARE_NR_SIDES; i++)
		settings_setup_fini(&setups[i]);
	workload_free(workload);
	free(path);
	return outcome;
}

/* Published: the score rises by 4.8 %. */
TEST(a_misfit_that_is_kicked_gets_more_done)
{
	struct outcome done = outcome_of(SCENARIO_MISFIT, "20s", "round.done");

	CHECK(done.a > 0 && done.b > 1.03 * done.a, "%f, %f", done.a, done.b);
}

/* Published: 18, 9 and 2 a minute without, none with it. */
TEST(promotion_ends_idling_while_work_waits)
{
	struct outcome events = outcome_of(SCENARIO_FILLBACK, "2s", "idle_events");

	CHECK(events.a > 0, "%f", events.a);
	CHECK(events.b == 0, "%f", events.b);
}

/* Published: from 8.55 to 8.81 % of CPU time. */
TEST(promotion_costs_system_time)
{
	struct outcome system = outcome_of(SCENARIO_FILLBACK, "1s", "system_ms");

	CHECK(system.b > system.a, "%f, %f", system.a, system.b);
}
