/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/validate.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "report/escape.h"
#include "report/document.h"
#include "report/table.h"

/* A value in the unit that the metric's name ends in. */
static double shown(enum validate_metric metric, u64 value)
{
	switch (validate_infos[metric].kind) {
	case VALIDATE_SHARE:
		return (double)value / 1e5;
	case VALIDATE_DELAY:
		return (double)value / 1e6;
	case VALIDATE_COUNT:
		break;
	}
	return (double)value;
}

static double distance_pct(const struct validate_row *row)
{
	return 100 * ((double)row->simulator - (double)row->kernel) / (double)row->kernel;
}

static double spread_pct(const struct validate_row *row)
{
	return 100 * (double)(row->kernel_high - row->kernel_low) / (double)row->kernel;
}

static void pct_cell(struct table *table, bool known, double pct)
{
	if (known)
		table_cell(table, "%.1f", pct);
	else
		table_cell(table, "-");
}

static void row_cells(struct table *table, const struct validate_row *row)
{
	int digits = validate_infos[row->metric].kind == VALIDATE_COUNT ? 0 : 3;
	char name[ESCAPE_ROOM];

	escape_text(row->task, name, sizeof(name));
	table_cell(table, "%s", name);
	table_cell(table, "%s", validate_infos[row->metric].name);
	table_cell(table, "%.*f", digits, shown(row->metric, row->kernel));
	table_cell(table, "%.*f", digits, shown(row->metric, row->simulator));
	pct_cell(table, row->kernel, distance_pct(row));
	pct_cell(table, row->kernel, spread_pct(row));
	table_cell(table, "%s", validate_verdicts[row->verdict]);
}

static void text_settings(const struct report_validate *report, FILE *to)
{
	fputs("Settings ", to);
	for (u32 i = 0; i < report->nr_settings; i++)
		fprintf(to, " %s=%s", report->settings[i].name, report->settings[i].value);
	fputs("\n\n", to);
}

static void text_distances(const struct validate *validate, FILE *to)
{
	static const char *const heads[] = { "Task", "Kernel's halves", "Simulator", "Verdict" };
	struct table table = { .columns = ARRAY_SIZE(heads) };
	char name[ESCAPE_ROOM];

	if (!validate->distances.nr)
		return;
	fputs("\nWakeup delays as distributions: distance of Kolmogorov and Smirnov\n", to);
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(&table, "%s", heads[i]);
	vec_for_each(row, &validate->distances) {
		escape_text(row->task, name, sizeof(name));
		table_cell(&table, "%s", name);
		table_cell(&table, "%.3f", row->kernel / 1e6);
		table_cell(&table, "%.3f", row->simulator / 1e6);
		table_cell(&table, "%s", row->within ? "within" : "off");
	}
	table_print(&table, to, "", "");
	table_fini(&table);
}

void report_validate_text(const struct report_validate *report, FILE *to)
{
	static const char *const heads[] = { "Task",       "Metric",   "Kernel", "Simulator",
					     "Distance %", "Spread %", "Verdict" };
	const struct validate *validate = report->validate;
	struct table table = { .columns = ARRAY_SIZE(heads) };

	text_settings(report, to);
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(&table, "%s", heads[i]);
	vec_for_each(row, &validate->rows)
		row_cells(&table, row);
	table_print(&table, to, "", "");
	table_fini(&table);
	text_distances(validate, to);
	fprintf(to, "\n%u within, %u close, %u off; %u runs of the kernel, %u simulated\n",
		validate->verdicts[VALIDATE_WITHIN], validate->verdicts[VALIDATE_CLOSE],
		validate->verdicts[VALIDATE_OFF], validate->runs[VALIDATE_KERNEL],
		validate->runs[VALIDATE_SIMULATOR]);
}

static void add_pct(cJSON *object, const char *name, bool known, double pct)
{
	if (known)
		cJSON_AddNumberToObject(object, name, pct);
	else
		cJSON_AddNullToObject(object, name);
}

static cJSON *row_json(const struct validate_row *row)
{
	cJSON *object = cJSON_CreateObject();
	char *name = escape_utf8(row->task);

	cJSON_AddStringToObject(object, "name", name);
	cJSON_AddStringToObject(object, "metric", validate_infos[row->metric].name);
	cJSON_AddNumberToObject(object, "kernel", shown(row->metric, row->kernel));
	cJSON_AddNumberToObject(object, "simulator", shown(row->metric, row->simulator));
	add_pct(object, "distance_pct", row->kernel, distance_pct(row));
	add_pct(object, "kernel_spread_pct", row->kernel, spread_pct(row));
	cJSON_AddStringToObject(object, "verdict", validate_verdicts[row->verdict]);
	free(name);
	return object;
}

static cJSON *distance_json(const struct validate_distance *row)
{
	cJSON *object = cJSON_CreateObject();
	char *name = escape_utf8(row->task);

	cJSON_AddStringToObject(object, "name", name);
	cJSON_AddNumberToObject(object, "kernel_halves", row->kernel / 1e6);
	cJSON_AddNumberToObject(object, "simulator", row->simulator / 1e6);
	cJSON_AddStringToObject(object, "verdict", row->within ? "within" : "off");
	free(name);
	return object;
}

void report_validate_json(const struct report_validate *report, FILE *to)
{
	cJSON *root = cJSON_CreateObject(), *settings = cJSON_AddObjectToObject(root, "settings");
	cJSON *tasks = cJSON_AddArrayToObject(root, "tasks"), *distances;

	for (u32 i = 0; i < report->nr_settings; i++)
		cJSON_AddStringToObject(settings, report->settings[i].name,
					report->settings[i].value);
	vec_for_each(row, &report->validate->rows)
		cJSON_AddItemToArray(tasks, row_json(row));
	distances = cJSON_AddArrayToObject(root, "distances");
	vec_for_each(row, &report->validate->distances)
		cJSON_AddItemToArray(distances, distance_json(row));
	document_print(root, to);
}
