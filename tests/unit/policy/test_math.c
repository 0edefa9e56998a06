/* SPDX-License-Identifier: GPL-2.0-only */
/* Each function against the definition it claims, by rows and over random numbers. */
#include "base/rng.h"
#include "policy/math.h"
#include "test.h"

#define S64_MIN (-S64_MAX - 1)

TEST(floor_division_rounds_toward_minus_infinity)
{
	static const struct {
		s64 a;
		u64 b;
		s64 want;
	} rows[] = {
		{ 7, 2, 3 },
		{ -7, 2, -4 },
		{ 6, 3, 2 },
		{ -6, 3, -2 },
		{ 0, 5, 0 },
		{ -1, 5, -1 },
		{ 1, 5, 0 },
		{ -5, 5, -1 },
		{ -4, 1, -4 },
		{ -9, 4, -3 },
		{ -8, 4, -2 },
		{ S64_MIN, 1ULL << 62, -2 },
		{ S64_MAX, S64_MAX, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want, policy_div_floor(rows[i].a, rows[i].b), "%lld / %llu",
			 rows[i].a, rows[i].b);
}

TEST(truncating_division_rounds_toward_zero)
{
	static const struct {
		s64 a;
		u64 b;
		s64 want;
	} rows[] = {
		{ 7, 2, 3 },
		{ -7, 2, -3 },
		{ 6, 3, 2 },
		{ -6, 3, -2 },
		{ -1, 5, 0 },
		{ -9, 4, -2 },
		{ S64_MIN, 1, S64_MIN },
		{ S64_MAX, 1, S64_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].want, policy_div_trunc(rows[i].a, rows[i].b), "%lld / %llu",
			 rows[i].a, rows[i].b);
}

/* C divides toward zero; floor is one less where a negative number leaves a rest. */
TEST(divisions_agree_with_the_language_over_random_numbers)
{
	for (u64 i = 0; i < 200000; i++) {
		s64 a = (s64)rng_draw(1, i, 0, 0) >> (rng_draw(1, i, 1, 0) % 63);
		s64 b = (s64)(rng_draw(1, i, 2, 0) >> (1 + rng_draw(1, i, 3, 0) % 62)) + 1;
		s64 floor = a / b - (a < 0 && a % b);

		CHECK_EQ(a / b, policy_div_trunc(a, (u64)b), "%lld / %lld", a, b);
		CHECK_EQ(floor, policy_div_floor(a, (u64)b), "%lld / %lld", a, b);
	}
}

/* Exact 128-bit product; only results that fit 64 bits are claimed. */
TEST(mul_shr_is_the_128_bit_product_shifted)
{
	for (u64 i = 0; i < 300000; i++) {
		u64 a = rng_draw(2, i, 0, 0) >> (rng_draw(2, i, 1, 0) % 64);
		u32 factor = (u32)(rng_draw(2, i, 2, 0) >> (32 + rng_draw(2, i, 3, 0) % 32));
		u32 shift = (u32)(rng_draw(2, i, 4, 0) % 33);
		unsigned __int128 want = (unsigned __int128)a * factor >> shift;

		if (want >> 64)
			continue;
		CHECK_EQ((u64)want, policy_mul_shr(a, factor, shift), "%llu * %u >> %u", a, factor,
			 shift);
	}
	CHECK_EQ((s64)0xfffffffeffffffffULL, (s64)policy_mul_shr(U64_MAX, 0xffffffff, 32));
	CHECK_EQ(0, policy_mul_shr(0, 0xffffffff, 0));
	CHECK_EQ(1ULL << 32, policy_mul_shr(1ULL << 32, 1, 0));
}

TEST(clamp_keeps_what_lies_between)
{
	CHECK_EQ(-5, policy_clamp(-6, -5, 5));
	CHECK_EQ(-5, policy_clamp(-5, -5, 5));
	CHECK_EQ(0, policy_clamp(0, -5, 5));
	CHECK_EQ(5, policy_clamp(5, -5, 5));
	CHECK_EQ(5, policy_clamp(S64_MAX, -5, 5));
	CHECK_EQ(7, policy_clamp(S64_MIN, 7, 7));
}

TEST(bits_counts_up_to_the_highest)
{
	CHECK_EQ(0, policy_bits(0));
	for (u32 bit = 0; bit < 32; bit++) {
		CHECK_EQ(bit + 1, policy_bits(1u << bit), "bit %u", bit);
		CHECK_EQ(bit + 1, policy_bits((1u << bit) | ((1u << bit) - 1)), "up to %u", bit);
	}
}
