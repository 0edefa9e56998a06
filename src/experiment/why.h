/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * why - which rule makes two settings differ, by switching rules.
 *
 * One metric that differs is looked at, a mean wait if there is one: the one that differs
 * by the largest factor.  Each feature that a side knows is switched there,
 * alone, and how much of the way to the other side that goes is the feature's part:
 * 100 % makes the two alike, more goes past the other.  That is tested: by the differences
 * from the same runs without the switch, with bounds that hold for all switches at once, as
 * experiment/stats.h draws them; a switch is beyond chance if they do not hold 0.  What it means
 * where both sides have the feature, and what is left where no feature goes far, is
 * a guess and called so.
 */
#ifndef EXPERIMENT_WHY_H
#define EXPERIMENT_WHY_H

#include "experiment/compare.h"

#define WHY_RUNS   12  /* of each switched setting, at most */
#define WHY_LITTLE 10  /* %: parts below are left out */
#define WHY_MOST   75  /* %: a part from here on explains the difference */
#define WHY_PAST   125 /* %: and from here on goes past it */

struct why_part {
	enum compare_side side;   /* where it was switched */
	u32 feature;              /* POLICY_FEATURE_* */
	bool on;                  /* what it was switched to */
	double value;             /* of the metric then, as metrics have it */
	double part_pct;          /* of the way to the other side */
	bool bounded;             /* there were enough runs for bounds */
	double low_pct, high_pct; /* of part_pct */
	bool differs;             /* the other side is so: it is one of the settings that differ */
};

struct why {
	const struct compare_row *row;   /* NULL: nothing differs */
	double values[COMPARE_NR_SIDES]; /* of the same runs */
	u32 runs;
	VEC(struct why_part) parts; /* the largest first; those below WHY_LITTLE are left out */
	u32 tried;
	bool shared;      /* both sides know the first part's feature, with the same state */
	double other_pct; /* shared: what the same switch does on the other side, of its value */
	bool other_bounded;
	double other_low_pct, other_high_pct;
	bool same_queue; /* both sides have the same kind of queue */
};

/*
 * @compare is judged, of @plan.  why_fini() in either case.  Features that a setting cannot be
 * simulated with are passed over.
 */
void why_find(struct why *why, const struct compare *compare, const struct compare_plan *plan);
void why_fini(struct why *why);
/* Its bounds exclude that the switch does nothing. */
bool why_beyond_chance(const struct why_part *part);
/* The part that explains most of the difference, beyond chance; NULL: none does. */
const struct why_part *why_responsible(const struct why *why);
const char *why_feature(u32 feature);
const char *why_feature_what(u32 feature);

#endif
