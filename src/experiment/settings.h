/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings - what a simulation is run under, as the user writes it.
 *
 * Each setting has a name, the same on the command line, in a string of option words
 * ("--release 6.12 --features NO_PREEMPT_SHORT") and in reports.  Defaults never
 * depend on the host.
 */
#ifndef EXPERIMENT_SETTINGS_H
#define EXPERIMENT_SETTINGS_H

#include "base/err.h"
#include "sim/sim.h"

enum settings_id {
#define SETTING(id, name, argument, value, what) SETTINGS_##id,
#include "experiment/settings.def"
	SETTINGS_NR
};

struct settings_info {
	const char *name, *argument, *value, *what; /* value: the default as text */
};
extern const struct settings_info settings_infos[SETTINGS_NR];

struct settings {
	char *values[SETTINGS_NR]; /* NULL: the default */
};

void settings_fini(struct settings *settings);
void settings_copy(struct settings *to, const struct settings *from);
const char *settings_value(const struct settings *settings, enum settings_id id);
/* The last one given counts.  What the value means is checked by settings_setup(). */
void settings_set(struct settings *settings, enum settings_id id, const char *value);
/* Option words, parted by blanks: "--name value" or "--name=value".  ERR_USAGE names a bad one. */
enum err_code settings_parse(struct settings *settings, const char *words, struct err *err);

/* What settings mean for one workload: a setup that owns its machine. */
struct settings_setup {
	struct sim_setup sim;
	struct machine machine;
	char duration[32]; /* as it is used, for reports */
};

/*
 * ERR_USAGE with the setting and what was expected: an unknown release, a feature that
 * the release does not know, a machine that is neither preset nor number nor file.
 * @workload stays the caller's.  settings_setup_fini() in either case.
 */
enum err_code settings_setup(const struct settings *settings, const struct workload *workload,
			     struct settings_setup *out, struct err *err);
void settings_setup_fini(struct settings_setup *setup);

/* The row of a release by its name; ERR_USAGE lists those there are. */
enum err_code settings_release(const char *name, const struct policy_release **out,
			       struct err *err);
/* "A,NO_B" on top of @release's defaults. */
enum err_code settings_features(const char *list, const struct policy_release *release,
				struct policy_features *out, struct err *err);
/* "60s", "2m", "500ms", "20us", "100ns", "1.5s"; 1 ns to 10^6 s.  @what names it in the error. */
enum err_code settings_duration(const char *text, const char *what, u64 *ns, struct err *err);
/* A number without sign, up to @max. */
enum err_code settings_number(const char *text, const char *what, u64 max, u64 *out,
			      struct err *err);

#endif
