/* SPDX-License-Identifier: GPL-2.0-only */
/* Costs and kinds of CPU of a machine file. */
#include "input/machine_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_COST_NS 1000000000u
#define MAX_KINDS   64

#define COST(name)                                                          \
	{                                                                   \
#name, offsetof(struct machine_costs, name), 0, MAX_COST_NS \
	}
static const struct machine_number cost_numbers[] = {
	COST(pick_ns),        COST(switch_ns),  COST(wakeup_ns),      COST(tick_ns),
	COST(timer_ns),       COST(ipi_ns),     COST(ipi_latency_ns), COST(idle_exit_ns),
	COST(balance_cpu_ns), COST(stopper_ns), COST(timer_slack_ns), COST(syscall_ns),
	COST(fork_ns),        COST(thread_ns),  COST(waver_ns),
};
static const struct json_key cost_keys[] = {
	{ "pick_ns", NULL },        { "switch_ns", NULL },      { "wakeup_ns", NULL },
	{ "tick_ns", NULL },        { "timer_ns", NULL },       { "ipi_ns", NULL },
	{ "ipi_latency_ns", NULL }, { "idle_exit_ns", NULL },   { "balance_cpu_ns", NULL },
	{ "stopper_ns", NULL },     { "timer_slack_ns", NULL }, { "syscall_ns", NULL },
	{ "fork_ns", NULL },        { "thread_ns", NULL },      { "waver_ns", NULL },
};

enum err_code machine_read_costs(void *self, const cJSON *item, struct err *err)
{
	struct machine_reader *reader = self;
	enum err_code code = json_each(reader->json, item, "\"costs\"", cost_keys,
				       ARRAY_SIZE(cost_keys), NULL, reader, err);

	return code ? code
		    : machine_read_numbers(reader, item, cost_numbers, ARRAY_SIZE(cost_numbers),
					   &reader->machine->costs, err);
}

/* Kinds */

static const struct machine_number opp_numbers[] = {
	{ "khz", offsetof(struct machine_opp, khz), 1, 100000000 },
	{ "capacity", offsetof(struct machine_opp, capacity), 1, MACHINE_FULL_CAPACITY },
	{ "power_mw", offsetof(struct machine_opp, power_mw), 0, 10000000 },
};
static const struct json_key opp_keys[] = {
	{ "khz", NULL },
	{ "capacity", NULL },
	{ "power_mw", NULL },
};

static enum err_code read_opp(struct machine_reader *reader, const cJSON *item,
			      struct machine_kind *kind, struct err *err)
{
	enum err_code code;

	if (kind->nr_opps == MACHINE_MAX_OPPS)
		return json_fault(reader->json, item, err, "expected at most %d opps",
				  MACHINE_MAX_OPPS);
	if ((code = json_each(reader->json, item, "an opp", opp_keys, ARRAY_SIZE(opp_keys), NULL,
			      reader, err)) ||
	    (code = machine_need(reader, item, "khz", err)) ||
	    (code = machine_need(reader, item, "capacity", err)))
		return code;
	return machine_read_numbers(reader, item, opp_numbers, ARRAY_SIZE(opp_numbers),
				    &kind->opps[kind->nr_opps++], err);
}

#define IDLE(name)                                                            \
	{                                                                     \
#name, offsetof(struct machine_idle_state, name), 0, 10000000 \
	}
static const struct machine_number idle_numbers[] = {
	IDLE(exit_latency_us),
	IDLE(target_residency_us),
	IDLE(power_mw),
};
static const struct json_key idle_keys[] = {
	{ "name", NULL },
	{ "exit_latency_us", NULL },
	{ "target_residency_us", NULL },
	{ "power_mw", NULL },
};

static enum err_code read_idle_state(struct machine_reader *reader, const cJSON *item,
				     struct machine_kind *kind, struct err *err)
{
	struct machine_idle_state *state;
	enum err_code code;

	if (kind->nr_idle_states == MACHINE_MAX_IDLE_STATES)
		return json_fault(reader->json, item, err, "expected at most %d idle states",
				  MACHINE_MAX_IDLE_STATES);
	if ((code = json_each(reader->json, item, "an idle state", idle_keys, ARRAY_SIZE(idle_keys),
			      NULL, reader, err)) ||
	    (code = machine_need(reader, item, "name", err)) ||
	    (code = machine_need(reader, item, "exit_latency_us", err)) ||
	    (code = machine_need(reader, item, "target_residency_us", err)))
		return code;
	state = &kind->idle_states[kind->nr_idle_states++];
	state->power_known = json_get(item, "power_mw");
	if ((code = machine_read_name(reader, json_get(item, "name"), state->name,
				      sizeof(state->name), err)))
		return code;
	return machine_read_numbers(reader, item, idle_numbers, ARRAY_SIZE(idle_numbers), state,
				    err);
}

static enum err_code read_list(struct machine_reader *reader, const cJSON *list,
			       struct machine_kind *kind,
			       enum err_code (*read)(struct machine_reader *, const cJSON *,
						     struct machine_kind *, struct err *),
			       struct err *err)
{
	enum err_code code = list ? json_array(reader->json, list, err) : OK;

	for (const cJSON *item = list ? list->child : NULL; item && !code; item = item->next)
		code = read(reader, item, kind, err);
	return code;
}

static enum err_code read_kind(struct machine_reader *reader, const cJSON *item, struct err *err)
{
	static const struct json_key keys[] = {
		{ "name", NULL },
		{ "opps", NULL },
		{ "idle_states", NULL },
	};
	struct machine *machine = reader->machine;
	struct machine_kind *kind;
	enum err_code code;

	if (machine->nr_kinds == MAX_KINDS)
		return json_fault(reader->json, item, err, "expected at most %d kinds", MAX_KINDS);
	if ((code = json_each(reader->json, item, "a kind", keys, ARRAY_SIZE(keys), NULL, reader,
			      err)) ||
	    (code = machine_need(reader, item, "name", err)))
		return code;
	machine->kinds = mem_resize(machine->kinds, machine->nr_kinds + 1, sizeof(*kind));
	kind = &machine->kinds[machine->nr_kinds++];
	*kind = (struct machine_kind){ 0 };
	if ((code = machine_read_name(reader, json_get(item, "name"), kind->name,
				      sizeof(kind->name), err)) ||
	    (code = read_list(reader, json_get(item, "opps"), kind, read_opp, err)))
		return code;
	return read_list(reader, json_get(item, "idle_states"), kind, read_idle_state, err);
}

enum err_code machine_read_kinds(struct machine_reader *reader, const cJSON *list, struct err *err)
{
	struct machine *machine = reader->machine;
	enum err_code code = list ? json_array(reader->json, list, err) : OK;

	for (const cJSON *item = list ? list->child : NULL; item && !code; item = item->next)
		code = read_kind(reader, item, err);
	if (!code && !machine->nr_kinds) { /* one, of fixed speed */
		machine->kinds = NEW(struct machine_kind);
		machine->nr_kinds = 1;
	}
	return code;
}
