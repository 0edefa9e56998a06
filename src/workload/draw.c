/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Amounts from 64 uniform bits, by integer tables.
 *
 * The tables run over the tail probability q in 32 linear pieces per halving, so that
 * far values are as exact as near ones: the error of z and of ln q stays below 0.0003.
 */
#include "base/rng.h"
#include "workload/draw_tables.h"
#include "workload/workload.h"

__extension__ typedef __int128 draw_wide; /* 2^41 ns times 2^31 units must fit */

/* q = bits / 2^64, cut into halvings passed, piece inside the halving, place in the piece. */
struct tail {
	u32 halvings, piece;
	u32 place; /* in 2^-26, towards the smaller q */
};

static struct tail tail_of(u64 bits)
{
	u32 halvings = bits ? (u32)__builtin_clzll(bits) : 64;
	u64 from_top = halvings < 64 ? ~(bits << halvings) : 0; /* below 2^63 */

	return (struct tail){ halvings, (u32)(from_top >> 58), (u32)(from_top >> 32) & 0x3ffffff };
}

static u32 between(u32 low, u32 high, u32 place)
{
	return low + (u32)(((u64)(high - low) * place) >> 26);
}

/* |z| of a normal value in 2^-24. */
static u32 half_normal(u64 bits)
{
	struct tail tail = tail_of(bits);
	u32 entry = tail.halvings * DRAW_PIECES + tail.piece;

	if (tail.halvings >= DRAW_HALVINGS)
		return DRAW_CUT;
	return between(draw_half_normal[entry], draw_half_normal[entry + 1], tail.place);
}

/* -ln q in 2^-26, at most 20. */
static u32 minus_log(u64 bits)
{
	struct tail tail = tail_of(bits);
	u32 log;

	if (tail.halvings >= DRAW_HALVINGS)
		return 20u << 26;
	log = tail.halvings * DRAW_LN2 +
	      between(draw_log_of_half[tail.piece], draw_log_of_half[tail.piece + 1], tail.place);
	return log < 20u << 26 ? log : 20u << 26;
}

static u64 saturate(draw_wide value)
{
	return value < 0 ? 0 : value > S64_MAX ? (u64)S64_MAX : (u64)value;
}

/* z in 2^-24: the top bit is the sign, the others the tail. */
static s64 normal(u64 bits)
{
	s64 z = half_normal(bits << 1);

	return bits >> 63 ? -z : z;
}

static u64 normal_of(u64 mean, u64 deviation, s64 z)
{
	return saturate(mean + (((draw_wide)deviation * z) >> 24));
}

/* median * exp(sigma z) as a power of two: whole halvings or doublings, and a piece of 2^f. */
static u64 lognormal_of(u64 median, u64 sigma_milli, s64 z)
{
	s64 log2 = (s64)(((draw_wide)z * (s64)sigma_milli * DRAW_LOG2E / 1000) >> 20);
	s64 whole = log2 >> 24;
	u32 f = (u32)log2 & 0xffffff, step = f >> 16;
	u64 low = draw_power_of_two[step], high = draw_power_of_two[step + 1];
	u64 power = (1ULL << 32) + low + (((high - low) * (f & 0xffff)) >> 16);
	draw_wide value = (draw_wide)median * power;

	return saturate(whole < 32 ? value >> (32 - whole) : value << (whole - 32));
}

static u64 choice_of(const struct workload *workload, const struct workload_amount *amount,
		     u64 bits)
{
	const struct workload_choice *choice = workload->choices.at + amount->first_choice;
	const struct workload_choice *last = choice + amount->nr_choices - 1;
	u64 sum = 0, left;

	for (u32 i = 0; i < amount->nr_choices; i++)
		sum += choice[i].weight;
	for (left = rng_below(bits, (u32)sum); choice < last && left >= choice->weight; choice++)
		left -= choice->weight;
	return choice->value;
}

u64 workload_amount_at(const struct workload *workload, const struct workload_amount *amount,
		       u64 bits)
{
	switch (amount->shape) {
	case WORKLOAD_UNIFORM:
		return amount->a +
		       (u64)(((unsigned __int128)bits * (amount->b - amount->a + 1)) >> 64);
	case WORKLOAD_NORMAL:
		return normal_of(amount->a, amount->b, normal(bits));
	case WORKLOAD_EXPONENTIAL:
		return saturate(((draw_wide)amount->a * minus_log(bits)) >> 26);
	case WORKLOAD_LOGNORMAL:
		return lognormal_of(amount->a, amount->b, normal(bits));
	case WORKLOAD_CHOICE:
		return choice_of(workload, amount, bits);
	default:
		return amount->a;
	}
}

u64 workload_draw(const struct workload *workload, const struct workload_amount *amount, u64 seed,
		  u64 who, u64 site, u64 iteration)
{
	if (amount->shape == WORKLOAD_CONST)
		return amount->a;
	return workload_amount_at(workload, amount, rng_draw(seed, who, site, iteration));
}
