/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/validate.h"

#include "test.h"

/* An analysis whose window is 1 s, with one task of so many switches and such a wakeup wait. */
static void take(struct validate *validate, enum validate_side side, const char *name,
		 u64 runtime_ns, u64 switches, u64 wait_ns)
{
	const struct analysis_options options = { .filter = FILTER_NONE };
	struct analysis *analysis = analysis_new(&options);
	struct latency_row *row = vec_add(&analysis->latency.rows);

	analysis->last_ns = 1000000000;
	filter_begin(&analysis->options.filter, 0);
	row->name = mem_strdup(name);
	row->charged_ns = runtime_ns;
	row->switches = switches;
	for (u32 i = 0; i < VALIDATE_WAKEUPS; i++)
		hist_add(&row->wakeup, wait_ns);
	validate_take(validate, side, analysis);
	analysis_free(analysis);
}

static void begin(struct validate *validate)
{
	struct workload *workload = workload_new();

	vec_add(&workload->tasks)->name = mem_strdup("a-name-of-17-bytes");
	validate_init(validate, workload);
	workload_free(workload);
}

static const struct validate_row *row_of(const struct validate *validate,
					 enum validate_metric metric)
{
	vec_for_each(row, &validate->rows)
		if (row->metric == metric)
			return row;
	return NULL;
}

/* Ten runs of the kernel, 100 to 109 switches: the middle 80 % are 101 to 108. */
static enum validate_verdict verdict_of_switches(u64 switches)
{
	struct validate validate;
	enum validate_verdict verdict;

	begin(&validate);
	for (u64 i = 0; i < 10; i++)
		take(&validate, VALIDATE_KERNEL, "a-name-of-17-by", 500000000, 109 - i, 1000000);
	take(&validate, VALIDATE_SIMULATOR, "a-name-of-17-bytes", 500000000, switches, 1000000);
	validate_judge(&validate);
	verdict = row_of(&validate, VALIDATE_SWITCHES)->verdict;
	validate_fini(&validate);
	return verdict;
}

TEST(within_is_the_middle_of_the_kernels_runs)
{
	CHECK_EQ(VALIDATE_WITHIN, verdict_of_switches(101));
	CHECK_EQ(VALIDATE_WITHIN, verdict_of_switches(108));
}

/* The median of 100..109 is 105 (the upper of two): 5 % of it are 5.25. */
TEST(close_is_near_the_kernels_median)
{
	CHECK_EQ(VALIDATE_CLOSE, verdict_of_switches(100));
	CHECK_EQ(VALIDATE_CLOSE, verdict_of_switches(110));
	CHECK_EQ(VALIDATE_OFF, verdict_of_switches(99));
	CHECK_EQ(VALIDATE_OFF, verdict_of_switches(111));
}

/* One run a side, so that nothing is within unless it is equal. */
static enum validate_verdict verdict_of(enum validate_metric metric, u64 runtime_ns, u64 wait_ns)
{
	struct validate validate;
	enum validate_verdict verdict;

	begin(&validate);
	take(&validate, VALIDATE_KERNEL, "a-name-of-17-by", 500000000, 100, 300000);
	take(&validate, VALIDATE_SIMULATOR, "a-name-of-17-bytes", runtime_ns, 100, wait_ns);
	validate_judge(&validate);
	verdict = row_of(&validate, metric)->verdict;
	validate_fini(&validate);
	return verdict;
}

TEST(a_share_is_close_within_a_hundredth)
{
	CHECK_EQ(VALIDATE_WITHIN, verdict_of(VALIDATE_CPU, 500000000, 300000));
	CHECK_EQ(VALIDATE_CLOSE, verdict_of(VALIDATE_CPU, 505000000, 300000));
	CHECK_EQ(VALIDATE_OFF, verdict_of(VALIDATE_CPU, 505100000, 300000));
}

/* 10 % of 300 us are 30: the 50 us hold. */
TEST(a_delay_is_close_within_fifty_us)
{
	CHECK_EQ(VALIDATE_CLOSE, verdict_of(VALIDATE_WAKEUP_MEAN, 500000000, 350000));
	CHECK_EQ(VALIDATE_OFF, verdict_of(VALIDATE_WAKEUP_MEAN, 500000000, 350001));
	CHECK_EQ(VALIDATE_OFF, verdict_of(VALIDATE_WAKEUP_MEAN, 500000000, 249999));
}

TEST(a_task_that_did_nothing_has_zeros)
{
	struct validate validate;

	begin(&validate);
	take(&validate, VALIDATE_KERNEL, "another", 1, 1, 1);
	take(&validate, VALIDATE_SIMULATOR, "a-name-of-17-bytes", 1000000, 3, 5);
	validate_judge(&validate);
	CHECK_EQ(0, row_of(&validate, VALIDATE_SWITCHES)->kernel);
	CHECK_EQ(3, row_of(&validate, VALIDATE_SWITCHES)->simulator);
	CHECK_EQ(VALIDATE_OFF, row_of(&validate, VALIDATE_SWITCHES)->verdict);
	CHECK(!row_of(&validate, VALIDATE_WAKEUP_MEAN), "it never woke on the kernel");
	CHECK_EQ(validate.rows.nr, validate.verdicts[VALIDATE_WITHIN] +
					   validate.verdicts[VALIDATE_CLOSE] +
					   validate.verdicts[VALIDATE_OFF]);
	validate_fini(&validate);
}
