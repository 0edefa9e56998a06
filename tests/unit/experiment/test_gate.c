/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/gate.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

/* One run a side: t.delay_p99_ms is 2 and 3 ms, idle_events 0 and 4. */
static void begin(struct compare *compare)
{
	static const double values[COMPARE_NR_SIDES][2] = { { 2e6, 0 }, { 3e6, 4 } };

	*compare = (struct compare){ .paired = true };
	for (u32 side = 0; side < COMPARE_NR_SIDES; side++) {
		struct measures unit = { 0 };

		*vec_add(&unit.of) = (struct measure){ METRIC_DELAY_P99, mem_strdup("t"), true,
						       values[side][0] };
		*vec_add(&unit.of) = (struct measure){ METRIC_IDLE_EVENTS, mem_strdup(""), true,
						       values[side][1] };
		compare_take(compare, side, &unit);
		measures_fini(&unit);
	}
	compare_judge(compare);
}

static bool fails(const char *text)
{
	struct compare compare;
	struct gates gates = { 0 };
	struct err err = ERR_NONE;
	bool failed;

	begin(&compare);
	CHECK(!gates_parse(&gates, text, &err), "%s", err.what);
	CHECK(!gates_judge(&gates, &compare, &err), "%s", err.what);
	failed = gates.failed;
	gates_fini(&gates);
	compare_fini(&compare);
	return failed;
}

TEST(a_limit_is_of_b_in_the_unit_of_the_name)
{
	CHECK(fails("t.delay_p99_ms > 2.9"));
	CHECK(!fails("t.delay_p99_ms > 3"));
	CHECK(fails("t.delay_p99_ms >= 3"));
	CHECK(fails("t.delay_p99_ms<=3"));
	CHECK(!fails("t.delay_p99_ms < 3"));
	CHECK(fails("idle_events >= 4"));
}

TEST(an_x_makes_it_a_ratio_to_a)
{
	CHECK(fails("t.delay_p99_ms > 1.49x"));
	CHECK(!fails("t.delay_p99_ms > 1.5x"));
	CHECK(fails("idle_events > 1000x"), "4 is infinitely more than none");
}

TEST(one_of_several_is_enough)
{
	CHECK(fails("idle_events > 100, t.delay_p99_ms > 1x"));
	CHECK(!fails("idle_events > 100,t.delay_p99_ms > 100"));
}

TEST(what_is_no_condition_is_refused)
{
	static const char *const texts[] = { "",           "t.x",      "t.x >",    "> 1",
					     "t.x = 1",    "t.x > 1y", "t.x > -1", "t.x > .",
					     "t.x > 1x 2", "t.x >> 1", "t.x > 1,", "t.x > 1.2.3" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct gates gates = { 0 };
		struct err err = ERR_NONE;

		CHECK_EQ(ERR_USAGE, gates_parse(&gates, texts[i], &err), "'%s'", texts[i]);
		CHECK(strstr(err.what, "is no condition"), "%s", err.what);
		gates_fini(&gates);
	}
}

TEST(a_metric_that_is_not_there_is_refused)
{
	struct gates gates = { 0 };
	struct err err = ERR_NONE;
	struct compare compare;

	begin(&compare);
	CHECK(!gates_parse(&gates, "t.delay_p98_ms > 1", &err));
	CHECK_EQ(ERR_USAGE, gates_judge(&gates, &compare, &err));
	CHECK(strstr(err.what, "t.delay_p98_ms"), "%s", err.what);
	gates_fini(&gates);
	compare_fini(&compare);
}
