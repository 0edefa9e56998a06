/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/tunables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "experiment/settings.h"

struct row {
	const char *name;
	size_t at;
	u32 least, most;
};

/* -1 is the kernel's word for "always hot". */
static const struct row whole[] = {
	{ "migration_cost_ns", offsetof(struct sim_tunables, migration_cost_ns), 0,
	  SIM_ALWAYS_HOT - 1 },
	{ "nr_migrate", offsetof(struct sim_tunables, nr_migrate), 0, 1000000 },
	{ "llc_aggr_tolerance", offsetof(struct sim_tunables, cache.aggr_tolerance), 0, 100 },
	{ "llc_epoch_period", offsetof(struct sim_tunables, cache.epoch_period), 1, 1000 },
	{ "llc_epoch_affinity_timeout", offsetof(struct sim_tunables, cache.epoch_affinity_timeout),
	  0, 1000000 },
	{ "llc_imb_pct", offsetof(struct sim_tunables, cache.imb_pct), 0, 1000 },
	{ "llc_overaggr_pct", offsetof(struct sim_tunables, cache.overaggr_pct), 0, 1000 },
};

static const struct row of_level[] = {
	{ "busy_factor", offsetof(struct machine_domain_knobs, busy_factor), 1, 1000 },
	{ "imbalance_pct", offsetof(struct machine_domain_knobs, imbalance_pct), 100, 1000 },
	{ "min_interval", offsetof(struct machine_domain_knobs, min_interval_ms), 1, 1000000 },
	{ "max_interval", offsetof(struct machine_domain_knobs, max_interval_ms), 1, 1000000 },
};

static const struct row *row_named(const struct row *rows, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static struct machine_domain_knobs *level_named(struct sim_tunables *out, const char *name,
						size_t len)
{
	for (u32 level = 0; level < MACHINE_NR_LEVELS; level++) {
		const char *known = machine_level_name((enum machine_level)level);

		if (strlen(known) == len && !memcmp(known, name, len))
			return &out->domains[level];
	}
	return NULL;
}

static enum err_code take(const struct row *row, void *into, const char *word, const char *value,
			  struct err *err)
{
	u64 number;
	enum err_code code = settings_number(value, "--tunables", row->most, &number, err);

	if (code == OK && number < row->least)
		code = err_set(err, ERR_USAGE, NULL, "--tunables: '%s': expected %u to %u", word,
			       row->least, row->most);
	if (code == OK)
		*(u32 *)((char *)into + row->at) = (u32)number;
	return code;
}

/* @word: "NAME=VALUE", with the = at @value[-1]. */
static enum err_code parse_word(const char *word, size_t name_len, const char *value,
				struct sim_tunables *out, struct err *err)
{
	char *name = mem_strndup(word, name_len), *dot = strchr(name, '.');
	const struct row *row;
	void *into = out;

	if (dot) {
		into = level_named(out, name, (size_t)(dot - name));
		row = into ? row_named(of_level, ARRAY_SIZE(of_level), dot + 1) : NULL;
	} else {
		row = row_named(whole, ARRAY_SIZE(whole), name);
	}
	free(name);
	if (!row)
		return err_set(
			err, ERR_USAGE, NULL,
			"--tunables: '%s': expected migration_cost_ns, nr_migrate, "
			"llc_aggr_tolerance, llc_epoch_period, llc_epoch_affinity_timeout, "
			"llc_imb_pct, llc_overaggr_pct, or busy_factor, imbalance_pct, min_interval or max_interval of SMT, "
			"CLS, MC, PKG or NUMA, as MC.busy_factor=4",
			word);
	if (row == &whole[0] && !strcmp(value, "-1")) {
		out->migration_cost_ns = SIM_ALWAYS_HOT;
		return OK;
	}
	return take(row, into, word, value, err);
}

static enum err_code check_intervals(const struct sim_tunables *out, struct err *err)
{
	for (u32 level = 0; level < MACHINE_NR_LEVELS; level++) {
		const struct machine_domain_knobs *knobs = &out->domains[level];

		if (knobs->max_interval_ms && knobs->max_interval_ms < knobs->min_interval_ms)
			return err_set(err, ERR_USAGE, NULL,
				       "--tunables: expected %s.max_interval to be at least "
				       "min_interval, %u",
				       machine_level_name((enum machine_level)level),
				       knobs->min_interval_ms);
	}
	return OK;
}

enum err_code tunables_parse(const char *text, struct sim_tunables *out, struct err *err)
{
	enum err_code code = OK;

	while (*text && code == OK) {
		size_t len = strcspn(text, ","), name_len = strcspn(text, "=,");
		char *word = mem_strndup(text, len);

		if (name_len == len)
			code = err_set(err, ERR_USAGE, NULL,
				       "--tunables: '%s': expected NAME=VALUE, as nr_migrate=8",
				       word);
		else
			code = parse_word(word, name_len, word + name_len + 1, out, err);
		free(word);
		text += len + (text[len] == ',');
	}
	return code == OK ? check_intervals(out, err) : code;
}
