/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/compare.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "report/escape.h"
#include "report/document.h"
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
	else if (metric_infos[row->metric].unit != METRIC_COUNT)
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
		"The change of B lies From..To with %d %% for all metrics at once: of equals at most "
		"one comparison in %d shows any better or worse.\n"
		"Least: a change that comparisons like this one find in %d of 100.\n",
		100 - STATS_LEVEL_PCT, 100 / STATS_LEVEL_PCT, STATS_POWER_PCT);
}

/* ---- why ---- */

static double why_shown(const struct why *why, double value)
{
	return metric_shown(why->row->metric, value);
}

static void text_part(const struct why *why, const struct why_part *part, FILE *to)
{
	fprintf(to, "  %c with %s%s: %.3f, %.0f %% of the way to %c", 'A' + (char)part->side,
		part->on ? "" : "NO_", why_feature(part->feature), why_shown(why, part->value),
		part->part_pct, 'A' + (char)!part->side);
	if (part->bounded)
		fprintf(to, " (%.0f to %.0f)", part->low_pct, part->high_pct);
	fputs(why_beyond_chance(part) ? "\n" : ": may be chance\n", to);
}

static void text_shared(const struct why *why, const struct why_part *best, FILE *to)
{
	fprintf(to,
		"A guess: %c has %s as well, where the same switch changes the value by %+.1f %%",
		'A' + (char)!best->side, why_feature(best->feature), why->other_pct);
	if (why->other_bounded)
		fprintf(to, " (%+.1f to %+.1f)", why->other_low_pct, why->other_high_pct);
	fprintf(to, "; what differs is what the rule goes by%s.\n",
		why->same_queue ? "" : ", which came with another kind of queue");
}

static void text_responsible(const struct report_compare *report, FILE *to)
{
	const struct why *why = report->why;
	const struct why_part *best = why_responsible(why);

	fprintf(to, "Responsible, tested by switching it: %s (%s); %c with%s it is %s %c.\n",
		why_feature(best->feature), why_feature_what(best->feature), 'A' + (char)best->side,
		best->on ? "" : "out", best->part_pct >= WHY_PAST ? "past" : "like",
		'A' + (char)!best->side);
	if (why->shared)
		text_shared(why, best, to);
}

static bool any_beyond_chance(const struct why *why)
{
	vec_for_each(part, &why->parts)
		if (why_beyond_chance(part))
			return true;
	return false;
}

static void text_why(const struct report_compare *report, FILE *to)
{
	const struct why *why = report->why;
	char *name;

	if (!why->row) {
		fputs("\nWhy: no metric is better or worse\n", to);
		return;
	}
	name = compare_name(why->row);
	fprintf(to, "\nWhy %s is %.3f in A and %.3f in B: %u switches of one feature were tried\n",
		name, why_shown(why, why->values[COMPARE_A]),
		why_shown(why, why->values[COMPARE_B]), why->tried);
	free(name);
	vec_for_each(part, &why->parts)
		text_part(why, part, to);
	if (why_responsible(why)) {
		text_responsible(report, to);
		return;
	}
	if (why->runs < STATS_FEWEST) {
		fprintf(to, "With fewer than %u runs none is named.\n", STATS_FEWEST);
		return;
	}
	fputs(any_beyond_chance(why) ? "No single feature explains most of it.\n"
				     : "No single feature explains any of it beyond chance.\n",
	      to);
	fprintf(to, "A guess, by exclusion: %s\n",
		why->same_queue ? "several together, or what is no feature: machine, HZ, constants."
				: "what came with another kind of queue.");
}

/* ---- all of it ---- */

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
	if (report->why)
		text_why(report, to);
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

static cJSON *part_json(const struct why *why, const struct why_part *part)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddStringToObject(object, "side", side_names[part->side]);
	cJSON_AddStringToObject(object, "feature", why_feature(part->feature));
	cJSON_AddBoolToObject(object, "on", part->on);
	cJSON_AddNumberToObject(object, "value", why_shown(why, part->value));
	cJSON_AddNumberToObject(object, "part_pct", part->part_pct);
	add_number(object, "low_pct", part->bounded, part->low_pct);
	add_number(object, "high_pct", part->bounded, part->high_pct);
	return object;
}

static void add_why(cJSON *root, const struct why *why)
{
	cJSON *object = cJSON_AddObjectToObject(root, "why"), *parts;
	const struct why_part *best = why_responsible(why);
	char *name = why->row ? compare_name(why->row) : NULL;

	if (name)
		add_text(object, "metric", name);
	else
		cJSON_AddNullToObject(object, "metric");
	free(name);
	if (best)
		cJSON_AddStringToObject(object, "responsible", why_feature(best->feature));
	else
		cJSON_AddNullToObject(object, "responsible");
	parts = cJSON_AddArrayToObject(object, "parts");
	vec_for_each(part, &why->parts)
		cJSON_AddItemToArray(parts, part_json(why, part));
}

void report_compare_json(const struct report_compare *report, FILE *to)
{
	cJSON *root = cJSON_CreateObject(), *sides = cJSON_AddObjectToObject(root, "sides");
	cJSON *metrics, *gates;

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
	if (report->why)
		add_why(root, report->why);
	gates = cJSON_AddArrayToObject(root, "gates");
	vec_for_each(gate, &report->gates->of)
		cJSON_AddItemToArray(gates, gate_json(gate));
	document_print(root, to);
}
