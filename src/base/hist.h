/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist - a distribution of u64 values in bounded memory.
 *
 * 128 equal steps per power of two: a percentile is off by at most 1/256 of its
 * value (0.4 %).  Count, sum and maximum are exact.  Octaves are allocated when
 * first hit, so that a thread with few waits costs little.
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include "policy/int.h"

#define HIST_STEPS   128
#define HIST_OCTAVES 58 /* values below 128 share the first, exactly */

struct hist {
	u64 count, sum, max;
	u32 *octaves[HIST_OCTAVES];
};

void hist_add(struct hist *hist, u64 value);
void hist_add_many(struct hist *hist, u64 value, u32 times);
void hist_merge(struct hist *into, const struct hist *from);
/*
 * The value that @per_mille of 1000 do not exceed: nearest rank, the middle of its
 * step, never above max.  0 if nothing was added: look at count first.
 */
u64 hist_percentile(const struct hist *hist, u32 per_mille);
/* A step of a histogram that is not empty, in rising order. */
struct hist_step {
	u32 index; /* of the step; begin with 0, and leave it to hist_next() */
	u64 value; /* its middle: added to a histogram it comes to the same step */
	u32 count;
};
/* false: there are no more */
bool hist_next(const struct hist *hist, struct hist_step *step);
/*
 * The distance of Kolmogorov and Smirnov: how far apart the shares of values up to some
 * value are at most, in millionths.  Values below @same are taken for equal.  0 if one is empty.
 */
u32 hist_distance(const struct hist *a, const struct hist *b, u64 same);
void hist_fini(struct hist *hist);

#endif
