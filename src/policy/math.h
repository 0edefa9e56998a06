/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * math - what BPF lacks: division of signed numbers, products wider than 64 bits.
 */
#ifndef POLICY_MATH_H
#define POLICY_MATH_H

#include "policy/int.h"

/* floor(a / b) for b > 0: rounds toward minus infinity. */
static inline s64 policy_div_floor(s64 a, u64 b)
{
	if (a >= 0)
		return (s64)((u64)a / b);
	return (s64)(0 - (0 - (u64)a + b - 1) / b);
}

/* a / b for b > 0, toward zero.  Kernel: div_s64(), include/linux/math64.h. */
static inline s64 policy_div_trunc(s64 a, u64 b)
{
	if (a >= 0)
		return (s64)((u64)a / b);
	return (s64)(0 - (0 - (u64)a) / b);
}

/*
 * (a * factor) >> shift, shift <= 32, kept to 64 bits.  The high half is shifted left
 * before it is added, which loses nothing.
 * Kernel: mul_u64_u32_shr(), include/linux/math64.h.
 */
static inline u64 policy_mul_shr(u64 a, u32 factor, u32 shift)
{
	u64 low = (a & 0xffffffffULL) * factor, high = (a >> 32) * factor;

	return (low >> shift) + (high << (32 - shift));
}

static inline u64 policy_larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

static inline s64 policy_clamp(s64 value, s64 low, s64 high)
{
	return value < low ? low : value > high ? high : value;
}

/* Number of bits needed to write @x: 0 for 0. */
static inline u32 policy_bits(u32 x)
{
	u32 bits = 0;

	for (u32 step = 16; step; step >>= 1) {
		if (x >> step) {
			x >>= step;
			bits += step;
		}
	}
	return bits + x;
}

#endif
