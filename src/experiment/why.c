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

/* ---- switching ---- */

struct search {
	struct why *why;
	const struct compare_plan *plan;
};

static double way_pct(const struct why *why, enum compare_side side, double value)
{
	double from = why->values[side], to = why->values[!side];

	return 100 * (value - from) / (to - from);
}

static bool has(const struct sim_setup *setup, u32 feature)
{
	return policy_knows(setup->release, feature) && policy_feature(&setup->features, feature);
}

/* The metric with @feature switched on @side; false if that cannot be simulated or gives none. */
static bool try_switch(const struct search *search, enum compare_side side, u32 feature,
		       struct why_part *part)
{
	const struct compare_row *row = search->why->row;
	struct sim_setup setup = *search->plan->sides[side];
	struct compare_plan plan = *search->plan;
	struct compare compare = { 0 };
	bool got = false;

	*part = (struct why_part){ .side = side,
				   .feature = feature,
				   .on = !policy_feature(&setup.features, feature) };
	part->differs = has(search->plan->sides[!side], feature) == part->on;
	policy_feature_set(&setup.features, feature, part->on);
	plan.sides[side] = &setup;
	plan.runs = search->why->runs;
	plan.progress = NULL;
	if (compare_simulate_side(&compare, side, &plan, NULL) == OK) {
		vec_for_each(found, &compare.rows) {
			if (found->metric != row->metric || strcmp(found->subject, row->subject) ||
			    found->of[side].nr < plan.runs)
				continue;
			part->value = mean_of_first(found, side, plan.runs);
			part->part_pct = way_pct(search->why, side, part->value);
			got = true;
		}
	}
	compare_fini(&compare);
	return got;
}

static bool may_switch(const struct search *search, enum compare_side side, u32 feature)
{
	return policy_knows(search->plan->sides[side]->release, feature) &&
	       policy_feature(&policy_simulated, feature);
}

static void try_all(const struct search *search)
{
	struct why *why = search->why;
	u32 total = 0;

	for (u32 i = 0; i < COMPARE_NR_SIDES * POLICY_NR_FEATURES; i++)
		total += may_switch(search, i % COMPARE_NR_SIDES, i / COMPARE_NR_SIDES);
	for (u32 i = 0; i < COMPARE_NR_SIDES * POLICY_NR_FEATURES; i++) {
		enum compare_side side = i % COMPARE_NR_SIDES;
		struct why_part part;

		if (!may_switch(search, side, i / COMPARE_NR_SIDES))
			continue;
		if (try_switch(search, side, i / COMPARE_NR_SIDES, &part) &&
		    part.part_pct >= WHY_LITTLE)
			*vec_add(&why->parts) = part;
		why->tried++;
		if (search->plan->progress)
			search->plan->progress(search->plan->progress_self, why->tried, total);
	}
}

/*
 * What explains it and is a setting that differs comes first.  Then what is nearest to all
 * of it; what goes past it comes after what reaches it.
 */
static double merit(const struct why_part *part)
{
	double share = part->part_pct / 100;

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
static void look_across(const struct search *search)
{
	struct why *why = search->why;
	const struct why_part *best = why->parts.at;
	enum compare_side other = !best->side;
	const struct sim_setup *setup = search->plan->sides[other];
	struct why_part there;

	if (!may_switch(search, other, best->feature) ||
	    policy_feature(&setup->features, best->feature) == best->on)
		return;
	why->shared = try_switch(search, other, best->feature, &there);
	/* against the side it is switched on: what it adds there */
	why->other_pct = why->shared && why->values[other] != 0
				 ? 100 * (there.value - why->values[other]) / why->values[other]
				 : 0;
}

void why_find(struct why *why, const struct compare *compare, const struct compare_plan *plan)
{
	const struct search search = { why, plan };

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
	if (!why->parts.nr)
		return;
	qsort(why->parts.at, why->parts.nr, sizeof(*why->parts.at), by_merit);
	look_across(&search);
}

void why_fini(struct why *why)
{
	vec_free(&why->parts);
}
