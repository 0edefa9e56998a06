/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "experiment/tunables.h"
#include "input/machine_file.h"
#include "policy/flat.h"

#define DEFAULT_DURATION_NS 60000000000ULL
#define MAX_DURATION_NS     1000000000000000ULL

const struct settings_info settings_infos[SETTINGS_NR] = {
#define SETTING(id, name, argument, value, what) { name, argument, value, what },
#include "experiment/settings.def"
};

static const char *const feature_names[POLICY_NR_FEATURES] = {
#define POLICY_FEATURE(id, what) #id,
#include "policy/features.def"
};

void settings_fini(struct settings *settings)
{
	for (u32 i = 0; i < SETTINGS_NR; i++)
		free(settings->values[i]);
	*settings = (struct settings){ 0 };
}

void settings_copy(struct settings *to, const struct settings *from)
{
	for (u32 i = 0; i < SETTINGS_NR; i++)
		to->values[i] = from->values[i] ? mem_strdup(from->values[i]) : NULL;
}

const char *settings_value(const struct settings *settings, enum settings_id id)
{
	return settings->values[id] ? settings->values[id] : settings_infos[id].value;
}

void settings_set(struct settings *settings, enum settings_id id, const char *value)
{
	char *copy = mem_strdup(value);

	free(settings->values[id]);
	settings->values[id] = copy;
}

/* ---- option words ---- */

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\n");
}

static size_t word_len(const char *at)
{
	return strcspn(at, " \t\n");
}

static s64 setting_named(const char *name, size_t len)
{
	for (u32 i = 0; i < SETTINGS_NR; i++)
		if (strlen(settings_infos[i].name) == len &&
		    !memcmp(settings_infos[i].name, name, len))
			return i;
	return -1;
}

/* One setting at @at; moves it behind. */
static enum err_code parse_one(struct settings *settings, const char **at, struct err *err)
{
	const char *word = *at;
	size_t len = word_len(word), name_len = strcspn(word, "= \t\n");
	s64 id = len > 2 && !memcmp(word, "--", 2) ? setting_named(word + 2, name_len - 2) : -1;
	const char *value = word + name_len + 1;
	char *copy;

	if (id < 0)
		return err_set(
			err, ERR_USAGE, NULL,
			"'%.*s' is no setting: expected --machine, "
			"--release, --features, --hz, --duration, --seed, --tunables, --governor or --cgroup-mode",
			(int)(len < 64 ? len : 64), word);
	if (word[name_len] != '=')
		value = skip_blanks(word + name_len);
	if (!word_len(value) || (word[name_len] != '=' && !strncmp(value, "--", 2)))
		return err_set(err, ERR_USAGE, NULL, "--%s needs a value (%s)",
			       settings_infos[id].name, settings_infos[id].argument);
	copy = mem_strndup(value, word_len(value));
	settings_set(settings, (enum settings_id)id, copy);
	free(copy);
	*at = value + word_len(value);
	return OK;
}

enum err_code settings_parse(struct settings *settings, const char *words, struct err *err)
{
	enum err_code code = OK;

	for (words = skip_blanks(words); *words && code == OK; words = skip_blanks(words))
		code = parse_one(settings, &words, err);
	return code;
}

/* ---- values ---- */

enum err_code settings_number(const char *text, const char *what, u64 max, u64 *out,
			      struct err *err)
{
	u64 value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		u64 digit = (u64)(*at - '0');

		if (digit > max || value > (max - digit) / 10)
			return err_set(err, ERR_USAGE, NULL, "%s: '%s' is too large, at most %llu",
				       what, text, max);
		value = value * 10 + digit;
	}
	if (*at || at == text)
		return err_set(err, ERR_USAGE, NULL, "%s: '%s' is not a number", what, text);
	*out = value;
	return OK;
}

static const struct {
	const char *name;
	u64 ns;
} units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 },
};

/* Digits behind the point, in parts of @unit_ns; what is below 1 ns is dropped. */
static u64 fraction_ns(const char *digits, size_t len, u64 unit_ns)
{
	u64 ns = 0, part_ns = unit_ns;

	for (size_t i = 0; i < len && i < 11; i++) {
		part_ns /= 10;
		ns += (u64)(digits[i] - '0') * part_ns;
	}
	return ns;
}

enum err_code settings_duration(const char *text, const char *what, u64 *ns, struct err *err)
{
	size_t whole = strspn(text, "0123456789");
	size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	const char *unit = text + whole + (part ? part + 1 : 0);
	u64 count = 0;

	for (size_t i = 0; i < whole && count <= MAX_DURATION_NS; i++)
		count = count * 10 + (u64)(text[i] - '0');
	for (size_t i = 0; whole && i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name))
			continue;
		if (count > MAX_DURATION_NS / units[i].ns)
			return err_set(err, ERR_USAGE, NULL, "%s: '%s' is too long, at most 10^6 s",
				       what, text);
		*ns = count * units[i].ns + fraction_ns(text + whole + 1, part, units[i].ns);
		if (*ns)
			return OK;
	}
	return err_set(err, ERR_USAGE, NULL,
		       "%s: '%s' is not a time: expected a number above 0 and ns, us, ms, s or m, "
		       "as in 60s",
		       what, text);
}

enum err_code settings_release(const char *name, const struct policy_release **out, struct err *err)
{
	char known[256] = "";
	size_t used = 0;

	*out = policy_release_find(name);
	if (*out)
		return OK;
	for (u32 i = 0; i < policy_nr_releases; i++) {
		if (used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 i ? ", " : "", policy_releases[i].name);
	}
	return err_set(err, ERR_USAGE, NULL, "--release: '%s' is not known: there is %s", name,
		       known);
}

static enum err_code feature_word(const char *word, size_t len,
				  const struct policy_release *release, struct policy_features *out,
				  struct err *err)
{
	bool on = len < 3 || memcmp(word, "NO_", 3);
	const char *name = on ? word : word + 3;
	size_t name_len = on ? len : len - 3;

	for (u32 i = 0; i < POLICY_NR_FEATURES; i++) {
		if (strlen(feature_names[i]) != name_len ||
		    memcmp(feature_names[i], name, name_len))
			continue;
		if (!policy_knows(release, i))
			return err_set(err, ERR_USAGE, NULL,
				       "--features: release %s has no feature %s", release->name,
				       feature_names[i]);
		if (!policy_feature(&policy_simulated, i))
			return err_set(err, ERR_USAGE, NULL,
				       "--features: %s of release %s is not simulated yet: "
				       "expected one that 'fairground list features' does not mark",
				       feature_names[i], release->name);
		policy_feature_set(out, i, on);
		return OK;
	}
	return err_set(err, ERR_USAGE, NULL,
		       "--features: release %s has no feature '%.*s'; see: "
		       "fairground list features",
		       release->name, (int)(len < 64 ? len : 64), word);
}

enum err_code settings_features(const char *list, const struct policy_release *release,
				struct policy_features *out, struct err *err)
{
	enum err_code code = OK;

	*out = release->on;
	while (*list && code == OK) {
		size_t len = strcspn(list, ",");

		code = feature_word(list, len, release, out, err);
		list += len;
		if (*list)
			list++;
	}
	return code;
}

static enum err_code setup_hz(const char *text, u32 *hz, struct err *err)
{
	static const u64 known[] = { 100, 250, 300, 1000 };
	u64 value = 0;

	if (settings_number(text, "--hz", 100000, &value, err))
		return ERR_USAGE;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i] == value) {
			*hz = (u32)value;
			return OK;
		}
	}
	return err_set(err, ERR_USAGE, NULL, "--hz: '%s' is none of 100, 250, 300, 1000", text);
}

static enum err_code setup_duration(const struct settings *settings,
				    const struct workload *workload, struct settings_setup *out,
				    struct err *err)
{
	const char *text = settings_value(settings, SETTINGS_DURATION);
	u64 *ns = &out->sim.duration_ns;

	if (*text && settings_duration(text, "--duration", ns, err))
		return ERR_USAGE;
	if (!*text)
		*ns = workload && workload->duration_ns ? workload->duration_ns
							: DEFAULT_DURATION_NS;
	snprintf(out->duration, sizeof(out->duration), "%.9gs", (double)*ns / 1e9);
	return OK;
}

static enum err_code setup_governor(const char *text, struct sim_setup *sim, struct err *err)
{
	sim->governor = *text ? machine_governor_named(text) : sim->machine->governor;
	if (sim->governor < MACHINE_NR_GOVERNORS)
		return OK;
	return err_set(err, ERR_USAGE, NULL,
		       "--governor: '%s' is none of performance, powersave, schedutil", text);
}

static enum err_code setup_cgroup_mode(const char *text, struct sim_setup *sim, struct err *err)
{
	static const char *const names[POLICY_NR_CGROUP_MODES] = {
		[POLICY_CGROUP_CONCUR] = "concur", [POLICY_CGROUP_UP] = "up",
		[POLICY_CGROUP_SMP] = "smp",       [POLICY_CGROUP_MAX] = "max",
		[POLICY_CGROUP_TASKS] = "tasks",
	};

	for (u32 mode = 0; mode < POLICY_NR_CGROUP_MODES; mode++) {
		if (strcmp(names[mode], text))
			continue;
		sim->cgroup_mode = mode;
		if (!mode || (sim->release->load & POLICY_LOAD_TG_RUNNABLE))
			return OK;
		return err_set(err, ERR_USAGE, NULL, "--cgroup-mode: release %s has none",
			       sim->release->name);
	}
	return err_set(err, ERR_USAGE, NULL,
		       "--cgroup-mode: '%s' is none of concur, up, smp, max, tasks", text);
}

enum err_code settings_setup(const struct settings *settings, const struct workload *workload,
			     struct settings_setup *out, struct err *err)
{
	struct sim_setup *sim = &out->sim;
	enum err_code code;

	*out = (struct settings_setup){
		.sim = { .machine = &out->machine, .workload = workload, .tunables = SIM_TUNABLES }
	};
	code = settings_release(settings_value(settings, SETTINGS_RELEASE), &sim->release, err);
	if (code == OK)
		code = settings_features(settings_value(settings, SETTINGS_FEATURES), sim->release,
					 &sim->features, err);
	if (code == OK)
		code = tunables_parse(settings_value(settings, SETTINGS_TUNABLES), &sim->tunables,
				      err);
	if (code == OK)
		code = setup_hz(settings_value(settings, SETTINGS_HZ), &sim->hz, err);
	if (code == OK)
		code = setup_duration(settings, workload, out, err);
	if (code == OK)
		code = settings_number(settings_value(settings, SETTINGS_SEED), "--seed", U64_MAX,
				       &sim->seed, err);
	if (code == OK)
		code = input_machine(settings_value(settings, SETTINGS_MACHINE), &out->machine,
				     err);
	if (code == OK)
		code = setup_governor(settings_value(settings, SETTINGS_GOVERNOR), sim, err);
	if (code == OK)
		code = setup_cgroup_mode(settings_value(settings, SETTINGS_CGROUP_MODE), sim, err);
	return code;
}

void settings_setup_fini(struct settings_setup *setup)
{
	machine_fini(&setup->machine);
}
