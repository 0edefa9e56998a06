/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/compare.h"

#include <math.h>
#include <stdlib.h>

const char *const compare_verdicts[COMPARE_NR_VERDICTS] = {
	[COMPARE_BETTER] = "better",
	[COMPARE_WORSE] = "worse",
	[COMPARE_SAME] = "same",
	[COMPARE_INCONCLUSIVE] = "inconclusive",
};

static struct compare_row *row_of(struct compare *compare, const struct measure *measure)
{
	struct compare_row *row;

	vec_for_each(known, &compare->rows)
		if (known->metric == measure->metric && !strcmp(known->subject, measure->subject))
			return known;
	row = vec_add(&compare->rows);
	row->metric = measure->metric;
	row->subject = mem_strdup(measure->subject);
	return row;
}

void compare_take(struct compare *compare, enum compare_side side, const struct measures *unit)
{
	compare->units[side]++;
	vec_for_each(measure, &unit->of) {
		struct compare_row *row = row_of(compare, measure);

		if (measure->known)
			*vec_add(&row->of[side]) = measure->value;
	}
}

static double mean_of(const struct compare_row *row, enum compare_side side)
{
	double sum = 0;

	for (size_t i = 0; i < row->of[side].nr; i++)
		sum += row->of[side].at[i];
	return row->of[side].nr ? sum / (double)row->of[side].nr : 0;
}

static double equal_within(const struct compare_row *row)
{
	double within = fabs(row->effect.a) * COMPARE_EQUAL_PCT / 100;

	if (metric_infos[row->metric].unit == METRIC_NS && within < COMPARE_EQUAL_NS)
		within = COMPARE_EQUAL_NS;
	return within;
}

static enum compare_verdict verdict_of(const struct compare_row *row)
{
	const struct stats_effect *effect = &row->effect;
	bool less = metric_infos[row->metric].better == METRIC_LESS;
	double within = equal_within(row);

	if (!row->complete || !effect->bounded)
		return COMPARE_INCONCLUSIVE;
	if (effect->low >= -within && effect->high <= within)
		return COMPARE_SAME;
	if (effect->high < 0)
		return less ? COMPARE_BETTER : COMPARE_WORSE;
	if (effect->low > 0)
		return less ? COMPARE_WORSE : COMPARE_BETTER;
	return COMPARE_INCONCLUSIVE;
}

/* The complete rows as one table; @effects has as many. */
static void effects_of(const struct compare *compare, u32 metrics, struct stats_effect *effects)
{
	u32 nr_a = compare->units[COMPARE_A], nr_b = compare->units[COMPARE_B], m = 0;
	double *a = NEW_ARRAY(double, (size_t)metrics *nr_a);
	double *b = NEW_ARRAY(double, (size_t)metrics *nr_b);
	const struct stats_table table = { metrics, nr_a, nr_b, compare->paired, a, b };

	vec_for_each(row, &compare->rows) {
		if (!row->complete)
			continue;
		memcpy(&a[(size_t)m * nr_a], row->of[COMPARE_A].at, nr_a * sizeof(*a));
		memcpy(&b[(size_t)m * nr_b], row->of[COMPARE_B].at, nr_b * sizeof(*b));
		m++;
	}
	stats_effects(&table, effects);
	free(a);
	free(b);
}

void compare_judge(struct compare *compare)
{
	struct stats_effect *effects;
	u32 metrics = 0, m = 0;

	assert(compare->units[COMPARE_A] && compare->units[COMPARE_B]);
	memset(compare->verdicts, 0, sizeof(compare->verdicts));
	vec_for_each(row, &compare->rows) {
		row->complete = row->of[COMPARE_A].nr == compare->units[COMPARE_A] &&
				row->of[COMPARE_B].nr == compare->units[COMPARE_B];
		metrics += row->complete;
	}
	effects = NEW_ARRAY(struct stats_effect, metrics + 1);
	effects_of(compare, metrics, effects);
	vec_for_each(row, &compare->rows) {
		if (row->complete)
			row->effect = effects[m++];
		else
			row->effect = (struct stats_effect){ .a = mean_of(row, COMPARE_A),
							     .b = mean_of(row, COMPARE_B) };
		row->verdict = verdict_of(row);
		compare->verdicts[row->verdict]++;
	}
	free(effects);
}

void compare_fini(struct compare *compare)
{
	vec_for_each(row, &compare->rows) {
		free(row->subject);
		for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
			vec_free(&row->of[side]);
	}
	vec_free(&compare->rows);
}

char *compare_name(const struct compare_row *row)
{
	return mem_printf("%s%s%s", row->subject, *row->subject ? "." : "",
			  metric_infos[row->metric].name);
}

const struct compare_row *compare_find(const struct compare *compare, const char *name, size_t len)
{
	vec_for_each(row, &compare->rows) {
		char *known = compare_name(row);
		bool same = strlen(known) == len && !memcmp(known, name, len);

		free(known);
		if (same)
			return row;
	}
	return NULL;
}
