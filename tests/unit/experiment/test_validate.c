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
		hist_add(&row->waits[TRACK_WAKEUP], wait_ns);
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

static void check_near(const struct recording *recording)
{
	struct validate validate;
	struct err err = ERR_NONE;

	begin(&validate);
	CHECK_EQ(OK, validate_recall(&validate, recording, "r", &err), "%s", err.what);
	take(&validate, VALIDATE_SIMULATOR, "a-name-of-17-bytes", 500000000, 101, 300000);
	validate_judge(&validate);
	CHECK_EQ(2, validate.runs[VALIDATE_KERNEL]);
	CHECK_EQ(101, row_of(&validate, VALIDATE_SWITCHES)->kernel);
	CHECK_EQ(5000000, row_of(&validate, VALIDATE_CPU)->kernel);
	CHECK_EQ(300000, row_of(&validate, VALIDATE_WAKEUP_MAX)->kernel);
	CHECK_EQ(VALIDATE_WITHIN, row_of(&validate, VALIDATE_CPU)->verdict);
	CHECK_EQ(1, validate.distances.nr);
	validate_fini(&validate);
}

TEST(what_was_kept_of_a_kernel_is_compared_with_again)
{
	struct recording recording = { 0 };
	struct validate validate;

	begin(&validate);
	take(&validate, VALIDATE_KERNEL, "a-name-of-17-by", 500000000, 100, 300000);
	take(&validate, VALIDATE_KERNEL, "a-name-of-17-by", 500000000, 101, 300000);
	validate_keep(&validate, &recording);
	validate_fini(&validate);
	check_near(&recording);
	recording_fini(&recording);
}

TEST(a_recording_without_a_task_or_a_metric_is_refused)
{
	struct recording recording = { .runs = 1 };
	struct validate validate;
	struct err err = ERR_NONE;

	begin(&validate);
	CHECK_EQ(ERR_FORMAT, validate_recall(&validate, &recording, "r", &err));
	CHECK_STR("expected a task \"a-name-of-17-bytes\"", err.what);
	validate_fini(&validate);
	vec_add(&recording.tasks)->name = mem_strdup("a-name-of-17-bytes");
	begin(&validate);
	CHECK_EQ(ERR_FORMAT, validate_recall(&validate, &recording, "r", &err));
	CHECK_STR("task \"a-name-of-17-bytes\": expected cpu_pct", err.what);
	validate_fini(&validate);
	recording_fini(&recording);
}

/* Halves of the kernel's runs: ten of 1 ms, and nine of them and one of 2 ms: a tenth apart. */
static bool is_within(u32 far)
{
	struct validate validate;
	bool within;

	begin(&validate);
	take(&validate, VALIDATE_KERNEL, "a-name-of-17-by", 1, 1, 1000000);
	take(&validate, VALIDATE_KERNEL, "a-name-of-17-by", 1, 1, 1000000);
	hist_fini(&validate.values.at[0].delays[VALIDATE_KERNEL][1]);
	hist_add_many(&validate.values.at[0].delays[VALIDATE_KERNEL][1], 1000000, 9);
	hist_add_many(&validate.values.at[0].delays[VALIDATE_KERNEL][1], 2000000, 1);
	take(&validate, VALIDATE_SIMULATOR, "a-name-of-17-by", 1, 1, 1000000);
	hist_add_many(&validate.values.at[0].delays[VALIDATE_SIMULATOR][0], 2000000, far);
	validate_judge(&validate);
	CHECK_EQ(100000, validate.distances.at[0].kernel);
	within = validate.distances.at[0].within;
	validate_fini(&validate);
	return within;
}

/* The kernel has a twentieth at 2 ms: 3 of 13 are 18 % more than that, 4 of 14 24 %. */
TEST(a_distribution_is_within_twice_the_distance_of_the_kernels_halves)
{
	CHECK(is_within(3));
	CHECK(!is_within(4));
}
