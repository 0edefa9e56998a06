/* SPDX-License-Identifier: GPL-2.0-only */
/* simulated - what a simulation is of, from the command line and for its report. */
#include "base/places.h"
#include "cli/cli.h"
#include "experiment/scenarios.h"
#include "input/workload_file.h"
#include "report/report.h"

void cli_settings(const struct cli_args *args, struct settings *settings)
{
	static const struct {
		enum cli_option_id option;
		enum settings_id setting;
	} pairs[] = {
		{ CLI_OPTION_MACHINE, SETTINGS_MACHINE },
		{ CLI_OPTION_RELEASE, SETTINGS_RELEASE },
		{ CLI_OPTION_FEATURES, SETTINGS_FEATURES },
		{ CLI_OPTION_HZ, SETTINGS_HZ },
		{ CLI_OPTION_DURATION, SETTINGS_DURATION },
		{ CLI_OPTION_SEED, SETTINGS_SEED },
		{ CLI_OPTION_TUNABLES, SETTINGS_TUNABLES },
		{ CLI_OPTION_GOVERNOR, SETTINGS_GOVERNOR },
		{ CLI_OPTION_CGROUP_MODE, SETTINGS_CGROUP_MODE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (cli_given(args, pairs[i].option))
			settings_set(settings, pairs[i].setting, args->values[pairs[i].option]);
}

u32 cli_settings_used(const struct settings *settings, const struct settings_setup *setup,
		      struct report_setting *used)
{
	u32 nr = 0;

	for (u32 i = 0; i < SETTINGS_NR; i++)
		if (i <= SETTINGS_SEED || settings->values[i]) /* the rest matters to few */
			used[nr++] = (struct report_setting){ settings_infos[i].name,
							      settings_value(settings, i) };
	used[SETTINGS_DURATION].value = setup->duration;
	if (!*used[SETTINGS_FEATURES].value)
		used[SETTINGS_FEATURES].value = "default";
	return nr;
}

enum err_code cli_scenario_workload(const struct scenario *scenario, char **path,
				    struct workload **workload, struct err *err)
{
	*path = places_find("workloads", scenario->workload);
	if (!*path)
		return err_set(err, ERR_ABSENT, NULL,
			       "the workload %s.json is not installed beside the program",
			       scenario->workload);
	return input_workload(*path, workload, err);
}
