/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rng - random numbers that are a function of where they are drawn.
 *
 * There is no generator with a state: a draw is a hash of (seed, who, site,
 * iteration), so that two runs which differ in a setting see the same work.
 * The mixing step is splitmix64's finaliser (Steele, Lea, Flood 2014).
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include "policy/int.h"

static inline u64 rng_mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline u64 rng_combine(u64 a, u64 b)
{
	return rng_mix(a + 0x9e3779b97f4a7c15ULL * (b + 1));
}

/* 64 uniform bits.  @who is a stable identity, never a tid or an order of creation. */
static inline u64 rng_draw(u64 seed, u64 who, u64 site, u64 iteration)
{
	return rng_combine(rng_combine(rng_combine(seed, who), site), iteration);
}

/* Uniform in [0, n), n > 0: the high half of a 32 x 32 bit product; n < 2^32. */
static inline u32 rng_below(u64 draw, u32 n)
{
	return (u32)(((draw >> 32) * n) >> 32);
}

#endif
