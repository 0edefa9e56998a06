/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test - a test is a function whose name is the claim; it registers itself.
 *
 *	TEST(eligible_means_not_past_the_average) { CHECK_EQ(want, got, "row %d", i); }
 *
 * cmocka runs them and prints TAP.  A check shows both values and the reason, and
 * ends its test.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "policy/int.h"

void test_register(const char *name, void (*body)(void **state));

#define TEST(name)                                                     \
	static void test_##name(void **state);                         \
	__attribute__((constructor)) static void register_##name(void) \
	{                                                              \
		test_register(#name, test_##name);                     \
	}                                                              \
	static void test_##name(__attribute__((unused)) void **state)

#define CHECK(claim, ...)                                                      \
	do {                                                                   \
		if (!(claim))                                                  \
			test_fail(__FILE__, __LINE__, #claim, "" __VA_ARGS__); \
	} while (0)

#define CHECK_EQ(want, got, ...)                                                             \
	do {                                                                                 \
		long long want_ = (long long)(want), got_ = (long long)(got);                \
		if (want_ != got_)                                                           \
			test_fail_eq(__FILE__, __LINE__, #got, want_, got_, "" __VA_ARGS__); \
	} while (0)

#define CHECK_STR(want, got, ...)                                                             \
	do {                                                                                  \
		const char *want_ = (want), *got_ = (got);                                    \
		if (!got_ || strcmp(want_, got_))                                             \
			test_fail_str(__FILE__, __LINE__, #got, want_, got_, "" __VA_ARGS__); \
	} while (0)

void test_fail(const char *file, int line, const char *claim, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), noreturn));
void test_fail_eq(const char *file, int line, const char *what, long long want, long long got,
		  const char *fmt, ...) __attribute__((format(printf, 6, 7), noreturn));
void test_fail_str(const char *file, int line, const char *what, const char *want, const char *got,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7), noreturn));

/*
 * Ends the test as skipped, saying why.  cmocka's own skip() prints what a TAP reader takes
 * for a failure.
 */
#define SKIP(reason)                         \
	do {                                 \
		test_skip(__func__, reason); \
		return;                      \
	} while (0)
void test_skip(const char *test, const char *reason);

/* The project's root, for fixtures: from the environment, set by the build. */
const char *test_root(void);

#endif
