/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/child.h"

#include <stdlib.h>

#include "test.h"

TEST(what_a_child_prints_comes_out)
{
	static const char *const argv[] = { "sh", "-c", "echo one; echo two >&2", NULL };
	char *text;

	CHECK_EQ(OK, child_output(argv, NULL, &text, NULL));
	CHECK_STR("one\ntwo\n", text);
	free(text);
}

TEST(a_missing_program_names_its_package)
{
	static const char *const argv[] = { "no-such-program-here", NULL };
	const struct child child = { argv, "some-package", -1, -1, -1, 0 };
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_ABSENT, child_run(&child, &err));
	CHECK_STR("no-such-program-here is not here; install some-package", err.what);
}

TEST(a_failing_child_is_told_with_its_status)
{
	static const char *const argv[] = { "sh", "-c", "exit 7", NULL };
	const struct child child = { argv, NULL, -1, -1, -1, 0 };
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_IO, child_run(&child, &err));
	CHECK_STR("sh failed with status 7", err.what);
}

TEST(a_child_that_takes_too_long_is_ended)
{
	static const char *const argv[] = { "sleep", "60", NULL };
	const struct child child = { argv, NULL, -1, -1, -1, 1000000000 };
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_IO, child_run(&child, &err));
	CHECK_STR("sleep took more than 1 s", err.what);
}
