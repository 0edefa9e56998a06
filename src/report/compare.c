/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/compare.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "report/escape.h"
#include "report/table.h"

static const char *const side_names[COMPARE_NR_SIDES] = { "a", "b" };

/* Bounds, and the least effect, that the runs give. */
static bool is_bounded(const struct compare_row *row)
{
	return row->complete && row->effect.bounded;
}

/* Changes are in percent of A's value, where it has one. */
static bool has_pct(const struct compare_row *row)
{
	return row->of[COMPARE_A].nr && row->of[COMPARE_B].nr && row->effect.a != 0;
}

static double pct(const struct compare_row *row, double difference)
{
	return 100 * difference / fabs(row->effect.a);
}

/* ---- text ---- */

static void text_side(const struct report_compare *report, enum compare_side side, FILE *to)
{
	const struct report_compare_side *of = &report->sides[side];
	char name[ESCAPE_ROOM];

	escape_text(of->input, name, sizeof(name));
	fprintf(to, "%c           %s", 'A' + (char)side, name);
	for (u32 i = 0; i < of->nr_settings; i++) {
		escape_text(of->settings[i].value, name, sizeof(name));
		fprintf(to, " %s=%s", of->settings[i].name, name);
	}
	if (!of->nr_settings)
		fprintf(to, ", recorded; %u windows", report->compare->units[side]);
	fputc('\n', to);
}

static void text_head(const struct report_compare *report, FILE *to)
{
	const struct compare *compare = report->compare;

	for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
		text_side(report, side, to);
	if (report->window_ns)
		fprintf(to,
			"Units       windows and runs of %.9g s; windows follow each other, so what lasts "
			"longer than one is seen too surely\n\n",
			(double)report->window_ns / 1e9);
	else
		fprintf(to, "Units       %u runs a side, %s\n\n", compare->units[COMPARE_A],
			compare->paired ? "in pairs that see the same work"
					: "each with draws of its own");
}

static void value_cell(struct table *table, const struct compare_row *row, enum compare_side side)
{
	double value = metric_shown(row->metric, side == COMPARE_A ? row->effect.a : row->effect.b);

	if (!row->of[side].nr)
		table_cell(table, "-");
	else if (metric_infos[row->metric].unit == METRIC_NS)
		table_cell(table, "%.3f", value);
	else
		table_cell(table, "%.1f", value);
}

static void pct_cell(struct table *table, const struct compare_row *row, bool known, double value)
{
	if (known && has_pct(row))
		table_cell(table, "%+.1f", pct(row, value) + 0.0);
	else
		table_cell(table, "-");
}

static void row_cells(struct table *table, const struct compare_row *row)
{
	char *name = compare_name(row), shown[2 * ESCAPE_ROOM];

	escape_text(name, shown, sizeof(shown));
	free(name);
	table_cell(table, "%s", shown);
	value_cell(table, row, COMPARE_A);
	value_cell(table, row, COMPARE_B);
	pct_cell(table, row, true, row->effect.b - row->effect.a);
	pct_cell(table, row, is_bounded(row), row->effect.low);
	pct_cell(table, row, is_bounded(row), row->effect.high);
	table_cell(table, "%s", compare_verdicts[row->verdict]);
	if (is_bounded(row) && has_pct(row))
		table_cell(table, "%.1f", pct(row, row->effect.least));
	else
		table_cell(table, "-");
}

static void text_rows(const struct report_compare *report, FILE *to)
{
	static const char *const heads[] = { "Metric", "A",    "B",       "Change %",
					     "From %", "To %", "Verdict", "Least %" };
	struct table table = { .columns = ARRAY_SIZE(heads) };

	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(&table, "%s", heads[i]);
	vec_for_each(row, &report->compare->rows)
		row_cells(&table, row);
	table_print(&table, to, report->colour ? "\033[1m" : "", report->colour ? "\033[0m" : "");
	table_fini(&table);
}

static void text_foot(const struct report_compare *report, FILE *to)
{
	const u32 *verdicts = report->compare->verdicts;

	fprintf(to, "\n%u better, %u worse, %u same, %u inconclusive\n", verdicts[COMPARE_BETTER],
		verdicts[COMPARE_WORSE], verdicts[COMPARE_SAME], verdicts[COMPARE_INCONCLUSIVE]);
	if (report->compare->paired && report->compare->units[COMPARE_A] < STATS_FEWEST)
		fprintf(to, "With fewer than %u pairs nothing can be shown.\n", STATS_FEWEST);
	fprintf(to,
		"The change of B lies From..To with %d %% for all metrics at once: of equals one "
		"comparison in %d shows any better or worse.\n"
		"Least: a change that comparisons like this one find in %d of 100.\n",
		100 - STATS_LEVEL_PCT, 100 / STATS_LEVEL_PCT, STATS_POWER_PCT);
}

static void text_gates(const struct report_compare *report, FILE *to)
{
	char text[2 * ESCAPE_ROOM];

	vec_for_each(gate, &report->gates->of) {
		escape_text(gate->text, text, sizeof(text));
		fprintf(to, "%s: %s, it is %.6g%s\n", gate->failed ? "FAILED" : "passed", text,
			gate->value, gate->ratio ? "x" : "");
	}
}

void report_compare_text(const struct report_compare *report, FILE *to)
{
	text_head(report, to);
	text_rows(report, to);
	text_foot(report, to);
	if (report->gates->of.nr)
		fputc('\n', to);
	text_gates(report, to);
}

/* ---- JSON ---- */

static void add_number(cJSON *object, const char *name, bool known, double value)
{
	if (known && isfinite(value))
		cJSON_AddNumberToObject(object, name, value);
	else
		cJSON_AddNullToObject(object, name);
}

static void add_text(cJSON *object, const char *name, const char *text)
{
	char *safe = escape_utf8(text);

	cJSON_AddStringToObject(object, name, safe);
	free(safe);
}

static cJSON *row_json(const struct compare_row *row)
{
	const struct metric_info *info = &metric_infos[row->metric];
	const struct stats_effect *effect = &row->effect;
	cJSON *object = cJSON_CreateObject();
	bool bounded = is_bounded(row), part = has_pct(row);
	char *name = compare_name(row);

	add_text(object, "name", name);
	free(name);
	add_number(object, "a", row->of[COMPARE_A].nr, metric_shown(row->metric, effect->a));
	add_number(object, "b", row->of[COMPARE_B].nr, metric_shown(row->metric, effect->b));
	add_number(object, "change_pct", part, pct(row, effect->b - effect->a));
	add_number(object, "low_pct", part && bounded, pct(row, effect->low));
	add_number(object, "high_pct", part && bounded, pct(row, effect->high));
	add_number(object, "least_pct", part && bounded, pct(row, effect->least));
	cJSON_AddStringToObject(object, "better", info->better == METRIC_LESS ? "less" : "more");
	cJSON_AddStringToObject(object, "verdict", compare_verdicts[row->verdict]);
	return object;
}

static cJSON *gate_json(const struct gate *gate)
{
	cJSON *object = cJSON_CreateObject();

	add_text(object, "condition", gate->text);
	add_number(object, "value", true, gate->value);
	cJSON_AddBoolToObject(object, "failed", gate->failed);
	return object;
}

static void add_side(cJSON *sides, const struct report_compare *report, enum compare_side side)
{
	const struct report_compare_side *of = &report->sides[side];
	cJSON *object = cJSON_AddObjectToObject(sides, side_names[side]), *settings;

	add_text(object, "input", of->input);
	cJSON_AddStringToObject(object, "source", of->nr_settings ? "simulation" : "recording");
	cJSON_AddNumberToObject(object, "units", report->compare->units[side]);
	settings = cJSON_AddObjectToObject(object, "settings");
	for (u32 i = 0; i < of->nr_settings; i++)
		add_text(settings, of->settings[i].name, of->settings[i].value);
}

static void add_verdicts(cJSON *root, const struct compare *compare)
{
	cJSON *verdicts = cJSON_AddObjectToObject(root, "verdicts");

	for (u32 i = 0; i < COMPARE_NR_VERDICTS; i++)
		cJSON_AddNumberToObject(verdicts, compare_verdicts[i], compare->verdicts[i]);
}

void report_compare_json(const struct report_compare *report, FILE *to)
{
	cJSON *root = cJSON_CreateObject(), *sides = cJSON_AddObjectToObject(root, "sides");
	cJSON *metrics, *gates;
	char *text;

	for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
		add_side(sides, report, side);
	cJSON_AddBoolToObject(root, "paired", report->compare->paired);
	add_number(root, "window_s", report->window_ns, (double)report->window_ns / 1e9);
	cJSON_AddNumberToObject(root, "level_pct", STATS_LEVEL_PCT);
	cJSON_AddNumberToObject(root, "power_pct", STATS_POWER_PCT);
	add_verdicts(root, report->compare);
	metrics = cJSON_AddArrayToObject(root, "metrics");
	vec_for_each(row, &report->compare->rows)
		cJSON_AddItemToArray(metrics, row_json(row));
	gates = cJSON_AddArrayToObject(root, "gates");
	vec_for_each(gate, &report->gates->of)
		cJSON_AddItemToArray(gates, gate_json(gate));
	text = cJSON_Print(root);
	cJSON_Delete(root);
	if (text)
		fprintf(to, "%s\n", text);
	cJSON_free(text);
}
