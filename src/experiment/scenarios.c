/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/scenarios.h"

const struct scenario scenarios[SCENARIO_NR] = {
#define SCENARIO(id, name, workload, settings, a, b, runs, published, what) \
	{ name, workload, settings, { a, b }, runs, SCENARIO_##published, what },
#include "experiment/scenarios.def"
};

const struct published published[] = {
#define PUBLISHED(scenario, task, side, run, runtime_us, switches, mean_us, max_us, sum_us) \
	{ SCENARIO_##scenario,                                                              \
	  task,                                                                             \
	  COMPARE_##side,                                                                   \
	  run,                                                                              \
	  runtime_us,                                                                       \
	  switches,                                                                         \
	  mean_us,                                                                          \
	  max_us,                                                                           \
	  sum_us },
#include "experiment/published.def"
};
const u32 nr_published = ARRAY_SIZE(published);

const struct figure figures[] = {
#define VALUES(...)         \
	{                   \
		__VA_ARGS__ \
	}
#define FIGURE(scenario, name, metric, change, nr, a, b) \
	{ SCENARIO_##scenario, name, metric, FIGURE_##change, nr, { a, b } },
#include "experiment/figures.def"
#undef VALUES
};
const u32 nr_figures = ARRAY_SIZE(figures);

const struct scenario *scenario_find(const char *name)
{
	for (u32 i = 0; i < SCENARIO_NR; i++)
		if (!strcmp(scenarios[i].name, name))
			return &scenarios[i];
	return NULL;
}
