/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bits - sets of small numbers, CPUs as a rule: bit n % 64 of words[n / 64].
 *
 * The caller owns the words and sees to it that n lies in them.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include "policy/int.h"

/* How many words hold the numbers 0..@nr - 1. */
static inline u32 bits_words(u32 nr)
{
	return (nr + 63) / 64;
}

static inline bool bits_has(const u64 *words, u32 n)
{
	return words[n / 64] >> (n % 64) & 1;
}

static inline void bits_add(u64 *words, u32 n)
{
	words[n / 64] |= 1ULL << (n % 64);
}

static inline void bits_remove(u64 *words, u32 n)
{
	words[n / 64] &= ~(1ULL << (n % 64));
}

/* Added if @on, removed if not. */
static inline void bits_set(u64 *words, u32 n, bool on)
{
	if (on)
		bits_add(words, n);
	else
		bits_remove(words, n);
}

/* How many are in one word. */
static inline u32 bits_count(u64 word)
{
	return (u32)__builtin_popcountll(word);
}

#endif
