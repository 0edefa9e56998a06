/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/hist.h"

#include <stdlib.h>

#include "base/mem.h"

/* Octave 0: 0..127 in steps of 1.  Octave o: [2^(o+6), 2^(o+7)) in steps of 2^(o-1). */
static u32 octave_of(u64 value)
{
	return value < HIST_STEPS ? 0 : 57 - (u32)__builtin_clzll(value);
}

void hist_add(struct hist *hist, u64 value)
{
	u32 octave = octave_of(value);
	u32 step = octave ? (u32)(value >> (octave - 1)) - HIST_STEPS : (u32)value;

	if (!hist->octaves[octave])
		hist->octaves[octave] = NEW_ARRAY(u32, HIST_STEPS);
	hist->octaves[octave][step]++;
	hist->count++;
	hist->sum += value;
	if (value > hist->max)
		hist->max = value;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	for (u32 o = 0; o < HIST_OCTAVES; o++) {
		if (!from->octaves[o])
			continue;
		if (!into->octaves[o])
			into->octaves[o] = NEW_ARRAY(u32, HIST_STEPS);
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

void hist_fini(struct hist *hist)
{
	for (u32 o = 0; o < HIST_OCTAVES; o++)
		free(hist->octaves[o]);
	*hist = (struct hist){ 0 };
}
