/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/hist.h"

#include <stdlib.h>

#include "base/apart.h"
#include "base/mem.h"

/* Octave 0: 0..127 in steps of 1.  Octave o: [2^(o+6), 2^(o+7)) in steps of 2^(o-1). */
static u32 octave_of(u64 value)
{
	return value < HIST_STEPS ? 0 : 57 - (u32)__builtin_clzll(value);
}

static APART void add_octave(struct hist *hist, u32 octave)
{
	hist->octaves[octave] = NEW_ARRAY(u32, HIST_STEPS);
}

static inline void add(struct hist *hist, u64 value, u32 times)
{
	u32 octave = octave_of(value);
	u32 step = octave ? (u32)(value >> (octave - 1)) - HIST_STEPS : (u32)value;

	if (!hist->octaves[octave])
		add_octave(hist, octave);
	hist->octaves[octave][step] += times;
	hist->count += times;
	hist->sum += value * times;
	if (value > hist->max)
		hist->max = value;
}

void hist_add(struct hist *hist, u64 value)
{
	add(hist, value, 1);
}

void hist_add_many(struct hist *hist, u64 value, u32 times)
{
	add(hist, value, times);
}

void hist_merge(struct hist *into, const struct hist *from)
{
	for (u32 o = 0; o < HIST_OCTAVES; o++) {
		if (!from->octaves[o])
			continue;
		if (!into->octaves[o])
			add_octave(into, o);
		for (u32 i = 0; i < HIST_STEPS; i++)
			into->octaves[o][i] += from->octaves[o][i];
	}
	into->count += from->count;
	into->sum += from->sum;
	if (from->max > into->max)
		into->max = from->max;
}

static u64 middle(u32 octave, u32 step)
{
	if (!octave)
		return step;
	return ((u64)(step + HIST_STEPS) << (octave - 1)) + ((1ULL << (octave - 1)) >> 1);
}

u64 hist_percentile(const struct hist *hist, u32 per_mille)
{
	u64 rank = (hist->count * per_mille + 999) / 1000, seen = 0;

	for (u32 o = 0; o < HIST_OCTAVES; o++) {
		for (u32 i = 0; hist->octaves[o] && i < HIST_STEPS; i++) {
			seen += hist->octaves[o][i];
			if (seen >= rank && seen) {
				u64 value = middle(o, i);

				return value < hist->max ? value : hist->max;
			}
		}
	}
	return hist->max;
}

bool hist_next(const struct hist *hist, struct hist_step *step)
{
	for (; step->index < HIST_OCTAVES * HIST_STEPS; step->index++) {
		u32 octave = step->index / HIST_STEPS, at = step->index % HIST_STEPS;

		if (!hist->octaves[octave] || !hist->octaves[octave][at])
			continue;
		step->value = middle(octave, at);
		step->count = hist->octaves[octave][at];
		step->index++;
		return true;
	}
	return false;
}

u32 hist_distance(const struct hist *a, const struct hist *b, u64 same)
{
	struct hist_step x = { 0 }, y = { 0 };
	bool more_x = hist_next(a, &x), more_y = hist_next(b, &y);
	u64 below_x = 0, below_y = 0, most = 0;

	while (a->count && b->count && (more_x || more_y)) {
		u64 until = !more_y || (more_x && x.value < y.value) ? x.value : y.value, x_of,
		    y_of;

		for (; more_x && x.value <= until; more_x = hist_next(a, &x))
			below_x += x.count;
		for (; more_y && y.value <= until; more_y = hist_next(b, &y))
			below_y += y.count;
		x_of = below_x * 1000000 / a->count;
		y_of = below_y * 1000000 / b->count;
		/* what is below @same is looked at together, behind its last step */
		if ((more_x && x.value < same) || (more_y && y.value < same))
			continue;
		if ((x_of > y_of ? x_of - y_of : y_of - x_of) > most)
			most = x_of > y_of ? x_of - y_of : y_of - x_of;
	}
	return (u32)most;
}

void hist_fini(struct hist *hist)
{
	for (u32 o = 0; o < HIST_OCTAVES; o++)
		free(hist->octaves[o]);
	*hist = (struct hist){ 0 };
}
