/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <stdlib.h>

#include "base/vec.h"

static VEC(struct CMUnitTest) tests;

void test_register(const char *name, void (*body)(void **state))
{
	*vec_add(&tests) = (struct CMUnitTest){ .name = name, .test_func = body };
}

static void say(const char *file, int line, const char *head, const char *fmt, va_list args)
{
	fprintf(stderr, "%s:%d: %s", file, line, head);
	if (*fmt) {
		fputs(": ", stderr);
		vfprintf(stderr, fmt, args);
	}
	fputc('\n', stderr);
}

#define SAY_AND_FAIL(head)                         \
	do {                                       \
		va_list args_;                     \
		va_start(args_, fmt);              \
		say(file, line, head, fmt, args_); \
		va_end(args_);                     \
		_fail(file, line);                 \
		abort();                           \
	} while (0)

void test_fail(const char *file, int line, const char *claim, const char *fmt, ...)
{
	char head[512];

	snprintf(head, sizeof(head), "does not hold: %s", claim);
	SAY_AND_FAIL(head);
}

void test_fail_eq(const char *file, int line, const char *what, long long want, long long got,
		  const char *fmt, ...)
{
	char head[512];

	snprintf(head, sizeof(head), "%s: want %lld, got %lld", what, want, got);
	SAY_AND_FAIL(head);
}

void test_fail_str(const char *file, int line, const char *what, const char *want, const char *got,
		   const char *fmt, ...)
{
	char head[4096];

	snprintf(head, sizeof(head), "%s:\n want \"%s\"\n  got \"%s\"", what, want,
		 got ? got : "(null)");
	SAY_AND_FAIL(head);
}

void test_skip(const char *test, const char *reason)
{
	vec_for_each(one, &tests)
		if (!strcmp(one->name, test + strlen("test_")))
			one->name = mem_printf("%s # SKIP %s", one->name, reason);
}

const char *test_root(void)
{
	const char *root = getenv("FAIRGROUND_ROOT");

	return root ? root : ".";
}

int main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return _cmocka_run_group_tests("tests", tests.at, tests.nr, NULL, NULL) ? 1 : 0;
}
