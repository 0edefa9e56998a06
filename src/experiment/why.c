/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/why.h"

#include <math.h>
#include <stdlib.h>

static const struct {
	const char *name, *what;
} features[POLICY_NR_FEATURES] = {
#define POLICY_FEATURE(id, what) { #id, what },
#include "policy/features.def"
};

const char *why_feature(u32 feature)
{
	return features[feature].name;
}

const char *why_feature_what(u32 feature)
{
	return features[feature].what;
}

/* ---- which metric ---- */

/* What people look at first; any other comes after. */
static u32 rank_of(enum metric_id metric)
{
	static const enum metric_id first[] = { METRIC_WAKEUP_MEAN, METRIC_LATENCY_MEAN,
						METRIC_DELAY_MEAN };

	for (u32 i = 0; i < ARRAY_SIZE(first); i++)
		if (first[i] == metric)
			return i;
	return ARRAY_SIZE(first);
}

/* The larger value by the smaller. */
static double ratio_of(const struct compare_row *row)
{
	double less = fmin(row->effect.a, row->effect.b), more = fmax(row->effect.a, row->effect.b);

	return less > 0 ? more / less : HUGE_VAL;
}

static const struct compare_row *choose_row(const struct compare *compare)
{
	const struct compare_row *best = NULL;

	vec_for_each(row, &compare->rows) {
		u32 rank = rank_of(row->metric);

		if (row->verdict != COMPARE_BETTER && row->verdict != COMPARE_WORSE)
			continue;
		if (!best || rank < rank_of(best->metric) ||
		    (rank == rank_of(best->metric) && ratio_of(row) > ratio_of(best)))
			best = row;
	}
	return best;
}

static double mean_of_first(const struct compare_row *row, enum compare_side side, u32 runs)
{
	double sum = 0;

	for (u32 i = 0; i < runs; i++)
		sum += row->of[side].at[i];
	return sum / runs;
}

bool why_beyond_chance(const struct why_part *part)
{
	return part->bounded && (part->low_pct > 0 || part->high_pct < 0);
}

const struct why_part *why_responsible(const struct why *why)
{
	const struct why_part *best = why->parts.at;

	return why->parts.nr && best->part_pct >= WHY_MOST && why_beyond_chance(best) ? best : NULL;
}

/* ---- switching ---- */

/* The metric in each run with a switch. */
struct tried {
	struct why_part part;
	double *values;
};

struct search {
	struct why *why;
	const struct compare_plan *plan;
	VEC(struct tried) tried;
};

static void search_fini(struct search *search)
{
	vec_for_each(tried, &search->tried)
		free(tried->values);
	vec_free(&search->tried);
}

static bool has(const struct sim_setup *setup, u32 feature)
{
	return policy_knows(setup->release, feature) && policy_feature(&setup->features, feature);
}

/* The metric's values; NULL if it cannot be simulated or some run lacks it. */
static double *values_of(const struct search *search, enum compare_side side,
			 const struct sim_setup *setup)
{
	const struct compare_row *row = search->why->row;
	struct compare_plan plan = *search->plan;
	struct compare compare = { 0 };
	double *values = NULL;

	plan.sides[side] = setup;
	plan.runs = search->why->runs;
	plan.progress = NULL;
	if (compare_simulate_side(&compare, side, &plan, NULL) == OK) {
		vec_for_each(found, &compare.rows) {
			if (found->metric != row->metric || strcmp(found->subject, row->subject) ||
			    found->of[side].nr < plan.runs)
				continue;
			values = NEW_ARRAY(double, plan.runs);
			memcpy(values, found->of[side].at, plan.runs * sizeof(*values));
		}
	}
	compare_fini(&compare);
	return values;
}

/* With @feature switched on @side.  False: that gives nothing. */
static bool try_switch(struct search *search, enum compare_side side, u32 feature)
{
	struct sim_setup setup = *search->plan->sides[side];
	struct why_part part = { .side = side,
				 .feature = feature,
				 .on = !policy_feature(&setup.features, feature) };
	double *values;

	part.differs = has(search->plan->sides[!side], feature) == part.on;
	policy_feature_set(&setup.features, feature, part.on);
	values = values_of(search, side, &setup);
	if (values)
		*vec_add(&search->tried) = (struct tried){ part, values };
	return values;
}

static bool may_switch(const struct search *search, enum compare_side side, u32 feature)
{
	return policy_knows(search->plan->sides[side]->release, feature) &&
	       policy_feature(&policy_simulated, feature);
}

/* What was tried beside the same runs without it; @effects has one for each. */
static void effects_of(const struct search *search, struct stats_effect *effects)
{
	u32 runs = search->why->runs, nr = (u32)search->tried.nr;
	double *a = NEW_ARRAY(double, (size_t)nr *runs), *b = NEW_ARRAY(double, (size_t)nr *runs);
	const struct stats_table table = { nr, runs, runs, true, a, b };

	for (u32 i = 0; i < nr; i++) {
		const struct tried *tried = &search->tried.at[i];

		memcpy(&a[(size_t)i * runs], search->why->row->of[tried->part.side].at,
		       runs * sizeof(*a));
		memcpy(&b[(size_t)i * runs], tried->values, runs * sizeof(*b));
	}
	stats_effects(&table, effects);
	free(a);
	free(b);
}

/* A difference of values in percent of @whole, which may be negative. */
static void bounds_in(double whole, const struct stats_effect *effect, double *low_pct,
		      double *high_pct)
{
	double one = 100 * effect->low / whole, two = 100 * effect->high / whole;

	*low_pct = fmin(one, two);
	*high_pct = fmax(one, two);
}

static void judge(struct search *search)
{
	struct stats_effect *effects = NEW_ARRAY(struct stats_effect, search->tried.nr + 1);
	struct why *why = search->why;

	effects_of(search, effects);
	for (size_t i = 0; i < search->tried.nr; i++) {
		struct why_part *part = &search->tried.at[i].part;
		double way = why->values[!part->side] - why->values[part->side];

		part->value = effects[i].b;
		part->part_pct = 100 * (effects[i].b - effects[i].a) / way;
		part->bounded = effects[i].bounded;
		bounds_in(way, &effects[i], &part->low_pct, &part->high_pct);
		if (part->part_pct >= WHY_LITTLE)
			*vec_add(&why->parts) = *part;
	}
	free(effects);
}

static void try_all(struct search *search)
{
	struct why *why = search->why;
	u32 total = 0;

	for (u32 i = 0; i < COMPARE_NR_SIDES * POLICY_NR_FEATURES; i++)
		total += may_switch(search, i % COMPARE_NR_SIDES, i / COMPARE_NR_SIDES);
	for (u32 i = 0; i < COMPARE_NR_SIDES * POLICY_NR_FEATURES; i++) {
		enum compare_side side = i % COMPARE_NR_SIDES;

		if (!may_switch(search, side, i / COMPARE_NR_SIDES))
			continue;
		try_switch(search, side, i / COMPARE_NR_SIDES);
		why->tried++;
		if (search->plan->progress)
			search->plan->progress(search->plan->progress_self, why->tried, total);
	}
	judge(search);
}

/*
 * What explains it and is a setting that differs comes first.  Then what is nearest to all
 * of it; what goes past it comes after what reaches it.  What may be chance comes last.
 */
static double merit(const struct why_part *part)
{
	double share = part->part_pct / 100;

	if (!why_beyond_chance(part))
		return -1 - 1 / (1 + share); /* the larger the nearer to the front, all the same */
	if (part->differs && part->part_pct >= WHY_MOST)
		return 2;
	return share <= 1 ? share : 1 - fmin(0.3, 0.02 * (share - 1));
}

static int by_merit(const void *left, const void *right)
{
	const struct why_part *a = left, *b = right;
	double x = merit(a), y = merit(b);

	if (x != y)
		return x > y ? -1 : 1;
	return a->feature != b->feature ? (a->feature < b->feature ? -1 : 1)
					: (int)a->side - (int)b->side;
}

/* Does the other side have the same rule, and what does it do there? */
static void look_across(struct search *search)
{
	struct why *why = search->why;
	const struct why_part *best = why->parts.at;
	enum compare_side other = !best->side;
	struct search across = { why, search->plan, { 0 } };
	struct stats_effect effect;

	if (!may_switch(search, other, best->feature) ||
	    policy_feature(&search->plan->sides[other]->features, best->feature) == best->on)
		return;
	why->shared = try_switch(&across, other, best->feature);
	if (why->shared) {
		effects_of(&across, &effect);
		why->other_bounded = effect.bounded && effect.a != 0;
		why->other_pct = effect.a != 0 ? 100 * (effect.b - effect.a) / effect.a : 0;
		if (why->other_bounded)
			bounds_in(effect.a, &effect, &why->other_low_pct, &why->other_high_pct);
	}
	search_fini(&across);
}

void why_find(struct why *why, const struct compare *compare, const struct compare_plan *plan)
{
	struct search search = { why, plan, { 0 } };

	*why = (struct why){ .row = choose_row(compare) };
	if (!why->row)
		return;
	why->runs = plan->runs < WHY_RUNS ? plan->runs : WHY_RUNS;
	for (u32 side = 0; side < COMPARE_NR_SIDES; side++)
		why->values[side] = mean_of_first(why->row, side, why->runs);
	why->same_queue =
		plan->sides[COMPARE_A]->release->queue == plan->sides[COMPARE_B]->release->queue;
	if (why->values[COMPARE_A] == why->values[COMPARE_B])
		return;
	try_all(&search);
	search_fini(&search);
	if (!why->parts.nr)
		return;
	qsort(why->parts.at, why->parts.nr, sizeof(*why->parts.at), by_merit);
	look_across(&search);
}

void why_fini(struct why *why)
{
	vec_free(&why->parts);
}
