/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <stdlib.h>

#include "base/places.h"
#include "cli/cli.h"
#include "events/fields.h"
#include "experiment/reproduce.h"
#include "experiment/settings.h"
#include "input/machine_file.h"
#include "input/workload_file.h"

enum cli_status cli_cmd_list(const struct cli_args *args);

static const struct {
	const char *name, *what;
} features[POLICY_NR_FEATURES] = {
#define POLICY_FEATURE(id, what) { #id, what },
#include "policy/features.def"
};

static enum err_code list_features(const struct cli_args *args, struct err *err)
{
	const char *name = args->values[CLI_OPTION_RELEASE];
	const struct policy_release *release;
	enum err_code code = settings_release(name ? name : settings_infos[SETTINGS_RELEASE].value,
					      &release, err);

	if (code != OK)
		return code;
	printf("release %s, %s\n", release->name, release->package);
	for (u32 i = 0; i < POLICY_NR_FEATURES; i++) {
		const char *state = policy_feature(&release->on, i) ? "on" : "off";

		if (policy_knows(release, i))
			printf("%-24s %-4s %s%s%s\n", features[i].name, state,
			       policy_laboratory(i) ? "laboratory: " : "", features[i].what,
			       policy_feature(&policy_simulated, i) ? "" : " (not simulated yet)");
	}
	return OK;
}

static enum err_code list_releases(const struct cli_args *args, struct err *err)
{
	static const char *const verified[] = {
		[POLICY_VERIFIED_SOURCE] = "checked against its source",
		[POLICY_VERIFIED_FAIR] = "its fair.c read, no package or image checked",
		[POLICY_VERIFIED_IMAGE] = "checked against its image",
		[POLICY_UNVERIFIED] = "not verified",
	};
	static const char *const queues[POLICY_NR_QUEUES] = { "CFS", "EEVDF", "EEVDF, flat" };

	(void)args;
	(void)err;
	for (u32 i = 0; i < policy_nr_releases; i++) {
		const struct policy_release *release = &policy_releases[i];

		printf("%-8s %-12s base slice %.2f ms  %s, %s\n", release->name,
		       queues[release->queue], release->base_slice_ns / 1e6, release->package,
		       verified[release->verified]);
	}
	return OK;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_json(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

static void print_fault(const struct err *err)
{
	char line[1024];

	err_print(err, line, sizeof(line));
	printf("%s\n", line);
}

static void print_workload(const char *path, const char *name)
{
	struct workload *workload = NULL;
	struct err err = ERR_NONE;

	if (input_workload(path, &workload, &err)) {
		print_fault(&err);
		return;
	}
	printf("%-32s %zu tasks\n", name, workload->tasks.nr);
	workload_free(workload);
}

static void print_machine(const char *path, const char *name)
{
	struct machine machine;
	struct err err = ERR_NONE;
	int len = (int)(strrchr(name, '.') - name);

	if (input_machine(path, &machine, &err)) {
		print_fault(&err);
		return;
	}
	printf("%-16.*s a file: %u CPU%s\n", len, name, machine.nr_cpus,
	       machine.nr_cpus == 1 ? "" : "s");
	machine_fini(&machine);
}

static void print_place(const char *folder)
{
	char *real = realpath(folder, NULL);

	printf("in %s:\n", real ? real : folder);
	free(real);
}

/* Every file of the first folder that has any, by name; how many there are. */
static int print_folder(const char *kind, bool heading,
			void (*print)(const char *path, const char *name))
{
	struct dirent **entries = NULL;
	char *folder, *path;
	int nr = 0;

	for (u32 at = 0; nr <= 0 && (folder = places_folder(kind, at)); at++) {
		nr = scandir(folder, &entries, is_json, by_name);
		if (nr > 0 && heading)
			print_place(folder);
		for (int i = 0; i < nr; i++) {
			path = mem_printf("%s/%s", folder, entries[i]->d_name);
			print(path, entries[i]->d_name);
			free(path);
			free(entries[i]);
		}
		free(entries);
		entries = NULL;
		free(folder);
	}
	return nr > 0 ? nr : 0;
}

static enum err_code list_machines(const struct cli_args *args, struct err *err)
{
	(void)args;
	(void)err;
	for (u32 i = 0; i < machine_nr_presets; i++)
		printf("%-16s %s\n", machine_presets[i].name, machine_presets[i].what);
	printf("%-16s that many equal CPUs that share one last-level cache\n", "N");
	print_folder("machines", false, print_machine);
	return OK;
}

static enum err_code list_workloads(const struct cli_args *args, struct err *err)
{
	(void)args;
	if (print_folder("workloads", true, print_workload))
		return OK;
	return err_set(err, ERR_ABSENT, NULL, "no workloads are installed beside the program");
}

static enum err_code list_scenarios(const struct cli_args *args, struct err *err)
{
	(void)args;
	(void)err;
	for (u32 i = 0; i < SCENARIO_NR; i++) {
		const struct scenario *scenario = &scenarios[i];

		printf("%-20s %s%s\n%20s %s %s; A: %s; B: %s\n", scenario->name, scenario->what,
		       reproduce_is_published(scenario) ? " (published)" : "", "",
		       scenario->workload, scenario->settings,
		       *scenario->sides[COMPARE_A] ? scenario->sides[COMPARE_A] : "as it is",
		       *scenario->sides[COMPARE_B] ? scenario->sides[COMPARE_B] : "as it is");
	}
	return OK;
}

static enum err_code list_analyses(const struct cli_args *args, struct err *err)
{
	(void)args;
	(void)err;
	for (u32 i = 0; i < ANALYSIS_NR; i++) {
		const struct analysis_info *info = &analysis_infos[i];

		printf("%-17s %s; needs", info->name, info->what);
		for (u32 kind = 0; kind < EVENT_NR_KINDS; kind++)
			if (info->needs >> kind & 1)
				printf(" %s", event_kind_name(kind));
		for (u32 kind = 0, nr = 0; kind < EVENT_NR_KINDS; kind++)
			if (info->any >> kind & 1)
				printf(" %s %s", nr++ ? "or" : "and", event_kind_name(kind));
		putchar('\n');
	}
	return OK;
}

static const struct {
	const char *name;
	enum err_code (*list)(const struct cli_args *args, struct err *err);
} lists[] = {
	{ "features", list_features },   { "releases", list_releases },
	{ "machines", list_machines },   { "workloads", list_workloads },
	{ "scenarios", list_scenarios }, { "analyses", list_analyses },
};

enum cli_status cli_cmd_list(const struct cli_args *args)
{
	struct err err = ERR_NONE;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(args->words[0], lists[i].name))
			continue;
		return cli_end(args, lists[i].list(args, &err), &err, false);
	}
	err_set(&err, ERR_USAGE, NULL, "no list '%s': expected %s", args->words[0],
		cli_commands[CLI_LIST].words);
	return cli_fail(args, &err);
}
