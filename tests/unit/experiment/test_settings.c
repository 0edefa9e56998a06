/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/settings.h"
#include "policy/flat.h"
#include "test.h"

TEST(times_have_a_number_and_a_unit)
{
	static const struct {
		const char *text;
		u64 ns; /* 0: refused */
	} rows[] = {
		{ "60s", 60000000000 },
		{ "500ms", 500000000 },
		{ "2m", 120000000000 },
		{ "20us", 20000 },
		{ "7ns", 7 },
		{ "1.5s", 1500000000 },
		{ "0.000000001s", 1 },
		{ "1.25us", 1250 },
		{ "1000000s", 1000000000000000 },
		{ "1000001s", 0 },
		{ "99999999999999999999999s", 0 },
		{ "0s", 0 },
		{ "0.0000000001s", 0 },
		{ "", 0 },
		{ "s", 0 },
		{ "10", 0 },
		{ "-1s", 0 },
		{ "1 s", 0 },
		{ "1.s", 0 },
		{ ".5s", 0 },
		{ "1h", 0 },
		{ "1.5.5s", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = ERR_NONE;
		u64 ns = 0;

		CHECK_EQ(rows[i].ns ? OK : ERR_USAGE,
			 settings_duration(rows[i].text, "--duration", &ns, &err), "%s",
			 rows[i].text);
		if (rows[i].ns)
			CHECK_EQ(rows[i].ns, ns, "%s", rows[i].text);
		else
			CHECK(strstr(err.what, "--duration"), "%s: %s", rows[i].text, err.what);
	}
}

TEST(numbers_end_at_their_maximum)
{
	static const struct {
		const char *text;
		u64 max, value;
		bool fits;
	} rows[] = {
		{ "0", 10, 0, true },
		{ "10", 10, 10, true },
		{ "11", 10, 0, false },
		{ "18446744073709551615", U64_MAX, U64_MAX, true },
		{ "18446744073709551616", U64_MAX, 0, false },
		{ "", 10, 0, false },
		{ "+1", 10, 0, false },
		{ "1x", 10, 0, false },
		{ "7", 6, 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 value = 0;

		CHECK_EQ(rows[i].fits,
			 settings_number(rows[i].text, "n", rows[i].max, &value, NULL) == OK, "%s",
			 rows[i].text);
		CHECK_EQ(rows[i].value, value, "%s", rows[i].text);
	}
}

TEST(option_words_set_settings_and_the_last_counts)
{
	struct settings settings = { 0 };

	CHECK_EQ(OK,
		 settings_parse(&settings,
				"  --release 6.12\t--features=NO_RUN_TO_PARITY --hz 100 --hz 300 ",
				NULL));
	CHECK_STR("6.12", settings_value(&settings, SETTINGS_RELEASE));
	CHECK_STR("NO_RUN_TO_PARITY", settings_value(&settings, SETTINGS_FEATURES));
	CHECK_STR("300", settings_value(&settings, SETTINGS_HZ));
	CHECK_STR("4", settings_value(&settings, SETTINGS_MACHINE), "the default");
	settings_fini(&settings);
}

TEST(a_copy_is_its_own)
{
	struct settings a = { 0 }, b = { 0 };

	settings_set(&a, SETTINGS_HZ, "100");
	settings_copy(&b, &a);
	settings_set(&a, SETTINGS_HZ, "1000");
	CHECK_STR("100", settings_value(&b, SETTINGS_HZ));
	settings_fini(&a);
	settings_fini(&b);
}

TEST(a_bad_option_word_is_named)
{
	static const struct {
		const char *words, *named;
	} rows[] = {
		{ "--speed 3", "'--speed'" },       { "hz 100", "'hz'" },
		{ "--hz", "--hz needs a value" },   { "--hz --seed 1", "--hz needs a value" },
		{ "--hz= --seed 1", "--hz needs" }, { "--", "'--'" },
		{ "--json", "'--json'" },           { "=", "'='" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct settings settings = { 0 };
		struct err err = ERR_NONE;

		CHECK_EQ(ERR_USAGE, settings_parse(&settings, rows[i].words, &err), "%s",
			 rows[i].words);
		CHECK(strstr(err.what, rows[i].named), "%s: %s", rows[i].words, err.what);
		settings_fini(&settings);
	}
}

TEST(features_change_the_releases_defaults)
{
	const struct policy_release *release;
	struct policy_features features;

	CHECK_EQ(OK, settings_release("6.12", &release, NULL));
	CHECK_EQ(OK, settings_features("", release, &features, NULL));
	CHECK(policy_feature(&features, POLICY_RUN_TO_PARITY));
	CHECK(!policy_feature(&features, POLICY_NEXT_BUDDY));
	CHECK_EQ(OK, settings_features("NO_RUN_TO_PARITY,NEXT_BUDDY", release, &features, NULL));
	CHECK(!policy_feature(&features, POLICY_RUN_TO_PARITY));
	CHECK(policy_feature(&features, POLICY_NEXT_BUDDY));
	CHECK(policy_feature(&features, POLICY_PLACE_LAG), "the others stay");
}

TEST(a_feature_the_release_does_not_know_is_named_with_it)
{
	static const char *const lists[] = { "WARP", "NO_WARP", "NEXT_BUDDY,WARP", "NO_",
					     "next_buddy" };
	const struct policy_release none = { .name = "0.0" };
	const struct policy_release *release;
	struct policy_features features;
	struct err err = ERR_NONE;

	CHECK_EQ(OK, settings_release("6.12", &release, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		CHECK_EQ(ERR_USAGE, settings_features(lists[i], release, &features, &err), "%s",
			 lists[i]);
		CHECK(strstr(err.what, "6.12"), "%s", err.what);
	}
	CHECK_EQ(ERR_USAGE, settings_features("NO_PLACE_LAG", &none, &features, &err),
		 "known to us, not to the release");
	CHECK(strstr(err.what, "0.0") && strstr(err.what, "PLACE_LAG"), "%s", err.what);
	CHECK_EQ(ERR_USAGE, settings_release("6.1x", &release, &err));
	CHECK(strstr(err.what, "6.12"), "says what there is: %s", err.what);
}

/* The setting, else the workload's own, else 60 s. */
TEST(the_duration_is_that_of_the_setting_then_of_the_file)
{
	const struct workload with = { .duration_ns = 7000000000 }, without = { 0 };
	const struct {
		const char *given;
		const struct workload *workload;
		u64 s;
	} rows[] = { { "3s", &with, 3 }, { NULL, &with, 7 }, { NULL, &without, 60 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct settings settings = { 0 };
		struct settings_setup setup;

		if (rows[i].given)
			settings_set(&settings, SETTINGS_DURATION, rows[i].given);
		CHECK_EQ(OK, settings_setup(&settings, rows[i].workload, &setup, NULL));
		CHECK_EQ(rows[i].s * 1000000000, setup.sim.duration_ns);
		CHECK_EQ(4, setup.machine.nr_cpus);
		CHECK_EQ(250, setup.sim.hz);
		CHECK_EQ(1, setup.sim.seed);
		settings_setup_fini(&setup);
		settings_fini(&settings);
	}
}

TEST(a_setup_that_cannot_be_names_the_setting)
{
	static const struct {
		enum settings_id id;
		const char *value, *named;
	} rows[] = {
		{ SETTINGS_RELEASE, "2.4", "--release" },
		{ SETTINGS_HZ, "99", "--hz" },
		{ SETTINGS_DURATION, "1", "--duration" },
		{ SETTINGS_SEED, "x", "--seed" },
		{ SETTINGS_FEATURES, "X", "--features" },
		{ SETTINGS_MACHINE, "no-such", "no-such" },
		{ SETTINGS_GOVERNOR, "ondemand", "--governor: 'ondemand'" },
		{ SETTINGS_CGROUP_MODE, "fair", "--cgroup-mode: 'fair'" },
		{ SETTINGS_CGROUP_MODE, "up", "--cgroup-mode: release 6.12 has none" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct settings settings = { 0 };
		struct settings_setup setup;
		struct err err = ERR_NONE;
		char line[1024];

		settings_set(&settings, rows[i].id, rows[i].value);
		CHECK_EQ(ERR_USAGE, settings_setup(&settings, NULL, &setup, &err), "%s",
			 rows[i].value);
		err_print(&err, line, sizeof(line));
		CHECK(strstr(line, rows[i].named), "%s", line);
		settings_setup_fini(&setup);
		settings_fini(&settings);
	}
}

TEST(governor_and_cgroup_mode_reach_the_simulation)
{
	struct settings settings = { 0 };
	struct settings_setup setup;
	struct err err = ERR_NONE;

	CHECK_EQ(OK, settings_setup(&settings, NULL, &setup, &err));
	CHECK_EQ(MACHINE_GOVERNOR_PERFORMANCE, setup.sim.governor);
	CHECK_EQ(POLICY_CGROUP_CONCUR, setup.sim.cgroup_mode);
	settings_setup_fini(&setup);
	CHECK_EQ(OK, settings_parse(&settings,
				    "--release 7.3 --governor schedutil --cgroup-mode max", &err));
	CHECK_EQ(OK, settings_setup(&settings, NULL, &setup, &err));
	CHECK_EQ(MACHINE_GOVERNOR_SCHEDUTIL, setup.sim.governor);
	CHECK_EQ(POLICY_CGROUP_MAX, setup.sim.cgroup_mode);
	settings_setup_fini(&setup);
	settings_fini(&settings);
}
