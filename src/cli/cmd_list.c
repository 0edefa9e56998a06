/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <libgen.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "events/fields.h"
#include "experiment/settings.h"
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

		if (policy_feature(&release->known, i))
			printf("%-24s %-4s %s%s\n", features[i].name, state, features[i].what,
			       policy_feature(&policy_simulated, i) ? "" : " (not simulated yet)");
	}
	return OK;
}

static enum err_code list_releases(const struct cli_args *args, struct err *err)
{
	static const char *const verified[] = { "checked against its source",
						"checked against its image", "not verified" };
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

static enum err_code list_machines(const struct cli_args *args, struct err *err)
{
	(void)args;
	(void)err;
	for (u32 i = 0; i < machine_nr_presets; i++)
		printf("%-16s %s\n", machine_presets[i].name, machine_presets[i].what);
	printf("%-16s that many equal CPUs that share one last-level cache\n", "N");
	return OK;
}

/* Beside the program: as built in the project's folder, or as installed. */
static const char *const workload_folders[] = { "../workloads", "../share/fairground/workloads" };

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_json(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

static void print_workload(const char *folder, const char *name)
{
	char *path = mem_printf("%s/%s", folder, name);
	struct workload *workload = NULL;
	struct err err = ERR_NONE;
	char line[1024];

	if (input_workload(path, &workload, &err)) {
		err_print(&err, line, sizeof(line));
		printf("%s\n", line);
	} else {
		printf("%-32s %zu tasks\n", name, workload->tasks.nr);
		workload_free(workload);
	}
	free(path);
}

/* How many there are in @folder. */
static int print_workloads(const char *folder)
{
	struct dirent **entries = NULL;
	int nr = scandir(folder, &entries, is_json, by_name);
	char *real = nr > 0 ? realpath(folder, NULL) : NULL;

	if (real)
		printf("in %s:\n", real);
	for (int i = 0; i < nr; i++) {
		print_workload(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	free(real);
	return nr > 0 ? nr : 0;
}

static enum err_code list_workloads(const struct cli_args *args, struct err *err)
{
	char *program = realpath("/proc/self/exe", NULL);
	int nr = 0;

	(void)args;
	for (size_t i = 0; program && !nr && i < ARRAY_SIZE(workload_folders); i++) {
		char *folder = mem_printf("%s/%s", dirname(program), workload_folders[i]);

		nr = print_workloads(folder);
		free(folder);
		free(program);
		program = realpath("/proc/self/exe", NULL);
	}
	free(program);
	return nr ? OK
		  : err_set(err, ERR_ABSENT, NULL, "no workloads are installed beside the program");
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
	{ "features", list_features }, { "releases", list_releases },
	{ "machines", list_machines }, { "workloads", list_workloads },
	{ "analyses", list_analyses },
};

enum cli_status cli_cmd_list(const struct cli_args *args)
{
	struct err err = ERR_NONE;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(args->words[0], lists[i].name))
			continue;
		return lists[i].list(args, &err) == OK ? cli_stdout_status() : cli_fail(args, &err);
	}
	err_set(&err, ERR_USAGE, NULL, "no list '%s': expected %s", args->words[0],
		cli_commands[CLI_LIST].words);
	return cli_fail(args, &err);
}
