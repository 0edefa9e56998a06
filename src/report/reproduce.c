/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/reproduce.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "report/document.h"
#include "report/table.h"

#define NR_SHOWN (2 * REPRODUCE_NR_COLUMNS + 2)

/* ---- text ---- */

static void column_heads(struct table *table)
{
	static const char *const heads[] = { "Runtime ms", "Switches", "Avg ms", "Max ms",
					     "Sum ms" };

	table_cell(table, "Run and task");
	for (u32 half = 0; half < 2; half++) {
		for (u32 i = 0; i < REPRODUCE_NR_COLUMNS; i++)
			table_cell(table, "%s", heads[i]);
		if (!half)
			table_cell(table, "|");
	}
}

static void column_cells(struct table *table, const double *values)
{
	for (u32 i = 0; i < REPRODUCE_NR_COLUMNS; i++)
		table_cell(table, i == REPRODUCE_SWITCHES ? "%.0f" : "%.3f", values[i]);
}

static void text_side(const struct report_reproduce *report, enum compare_side side, FILE *to)
{
	struct table table = { .columns = NR_SHOWN };

	fprintf(to, "%s%c  ", reproduce_is_table(report->reproduce->scenario) ? "\n" : "",
		'A' + (char)side);
	for (u32 i = 0; i < report->nr_settings; i++)
		fprintf(to, " %s=%s", report->settings[side][i].name,
			report->settings[side][i].value);
	fputc('\n', to);
	if (!report->reproduce->tasks.nr)
		return;
	fputs("published, then simulated:\n", to);
	column_heads(&table);
	vec_for_each(task, &report->reproduce->tasks) {
		for (u32 run = 0; run < REPRODUCE_RUNS; run++) {
			table_cell(&table, "%u %s", run + 1, task->name);
			column_cells(&table, task->published[side][run]);
			table_cell(&table, "|");
			column_cells(&table, task->simulated[side][run]);
		}
	}
	table_print(&table, to, "", "");
	table_fini(&table);
}

static void value_cells(struct table *table, const struct reproduce_row *row, const double *values)
{
	for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
		table_cell(table,
			   !row->figure && row->metric == REPRODUCE_SWITCHES ? "%.0f" : "%.3f",
			   values[side]);
}

/* In percent of A, or in points ("p") of a share. */
static void change_cell(struct table *table, const struct reproduce_row *row, double change,
			const char *mark)
{
	if (row->figure && row->figure->change == FIGURE_POINTS)
		table_cell(table, "%+.2fp%s", change, mark);
	else
		table_cell(table, "%+.1f%s", change, mark);
}

static void bound_cell(struct table *table, const struct reproduce_row *row, double bound)
{
	if (row->bounded)
		change_cell(table, row, bound, "");
	else
		table_cell(table, "-");
}

static void row_cells(struct table *table, const struct report_reproduce *report,
		      const struct reproduce_row *row)
{
	char *name = reproduce_name(report->reproduce, row);

	table_cell(table, "%s", name);
	free(name);
	value_cells(table, row, row->published);
	change_cell(table, row, row->published_pct, row->noise ? "~" : "");
	value_cells(table, row, row->simulated);
	change_cell(table, row, row->simulated_pct, "");
	bound_cell(table, row, row->low_pct);
	bound_cell(table, row, row->high_pct);
	table_cell(table, "%s", reproduce_verdicts[row->verdict]);
}

static void text_rows(const struct report_reproduce *report, FILE *to)
{
	static const char *const heads[] = { "Metric",      "Published A", "B", "%",
					     "Simulated A", "B",           "%", "From %",
					     "To %",        "Verdict" };
	struct table table = { .columns = ARRAY_SIZE(heads) };

	fputc('\n', to);
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(&table, "%s", heads[i]);
	vec_for_each(row, &report->reproduce->rows)
		row_cells(&table, report, row);
	table_print(&table, to, "", "");
	table_fini(&table);
}

void report_reproduce_text(const struct report_reproduce *report, FILE *to)
{
	const struct reproduce *reproduce = report->reproduce;

	fprintf(to, "Scenario    %s: %s\nWorkload    %s\n", reproduce->scenario->name,
		reproduce->scenario->what, report->workload);
	for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
		text_side(report, side, to);
	text_rows(report, to);
	fprintf(to, "\n%u agree, %u differ, %u inconclusive; %u simulated runs a side",
		reproduce->verdicts[REPRODUCE_AGREES], reproduce->verdicts[REPRODUCE_DIFFERS],
		reproduce->verdicts[REPRODUCE_INCONCLUSIVE], report->runs);
	if (reproduce->tasks.nr)
		fprintf(to, ", the first %d are shown", REPRODUCE_RUNS);
	fprintf(to,
		"\n%%: B from A, pooled over the runs.  ~: inside the noise of the published runs.\n"
		"From, To: of the simulated change, %d %% for all metrics at once.\n",
		100 - STATS_LEVEL_PCT);
}

/* ---- JSON ---- */

static void add_bound(cJSON *object, const char *name, bool known, double value)
{
	if (known)
		cJSON_AddNumberToObject(object, name, value);
	else
		cJSON_AddNullToObject(object, name);
}

static cJSON *row_json(const struct report_reproduce *report, const struct reproduce_row *row)
{
	cJSON *object = cJSON_CreateObject();
	char *name = reproduce_name(report->reproduce, row);

	cJSON_AddStringToObject(object, "metric", name);
	free(name);
	cJSON_AddNumberToObject(object, "published_a", row->published[COMPARE_A]);
	cJSON_AddNumberToObject(object, "published_b", row->published[COMPARE_B]);
	cJSON_AddNumberToObject(object, "simulated_a", row->simulated[COMPARE_A]);
	cJSON_AddNumberToObject(object, "simulated_b", row->simulated[COMPARE_B]);
	cJSON_AddNumberToObject(object, "published_change_pct", row->published_pct);
	cJSON_AddNumberToObject(object, "simulated_change_pct", row->simulated_pct);
	add_bound(object, "low_pct", row->bounded, row->low_pct);
	add_bound(object, "high_pct", row->bounded, row->high_pct);
	cJSON_AddBoolToObject(object, "noise", row->noise);
	cJSON_AddStringToObject(object, "verdict", reproduce_verdicts[row->verdict]);
	return object;
}

static void add_settings(cJSON *root, const struct report_reproduce *report)
{
	cJSON *settings = cJSON_AddObjectToObject(root, "settings");

	for (u32 side = 0; side < COMPARE_NR_SIDES; side++) {
		cJSON *object = cJSON_AddObjectToObject(settings, side == COMPARE_A ? "a" : "b");

		for (u32 i = 0; i < report->nr_settings; i++)
			cJSON_AddStringToObject(object, report->settings[side][i].name,
						report->settings[side][i].value);
	}
}

void report_reproduce_json(const struct report_reproduce *report, FILE *to)
{
	cJSON *root = cJSON_CreateObject(), *rows;

	cJSON_AddStringToObject(root, "scenario", report->reproduce->scenario->name);
	cJSON_AddStringToObject(root, "workload", report->workload);
	add_settings(root, report);
	cJSON_AddNumberToObject(root, "runs", report->runs);
	rows = cJSON_AddArrayToObject(root, "rows");
	vec_for_each(row, &report->reproduce->rows)
		cJSON_AddItemToArray(rows, row_json(report, row));
	document_print(root, to);
}
