/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine/machine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* CPUs that share the inner thing share the outer one too. */
static const struct {
	const char *inner, *outer;
	size_t inner_at, outer_at;
} nesting[] = {
#define INSIDE(inner, outer)                                         \
	{                                                            \
#inner, #outer, offsetof(struct machine_cpu, inner), \
			offsetof(struct machine_cpu, outer)          \
	}
	INSIDE(core, cluster),  INSIDE(core, node),        INSIDE(core, kind),
	INSIDE(core, capacity), INSIDE(core, freq_domain), INSIDE(cluster, llc),
	INSIDE(llc, package),   INSIDE(freq_domain, kind),
#undef INSIDE
};

static u32 field(const struct machine_cpu *cpu, size_t at)
{
	return *(const u32 *)((const char *)cpu + at);
}

static enum err_code check_nesting(const struct machine *machine, const char *file, size_t row,
				   struct err *err)
{
	u32 *first = NEW_ARRAY(u32, MACHINE_MAX_CPUS); /* CPU + 1 that had the inner id first */
	enum err_code code = OK;

	for (u32 cpu = 0; cpu < machine->nr_cpus && !code; cpu++) {
		u32 id = field(&machine->cpus[cpu], nesting[row].inner_at), other = first[id];

		if (!other)
			first[id] = cpu + 1;
		else if (field(&machine->cpus[cpu], nesting[row].outer_at) !=
			 field(&machine->cpus[other - 1], nesting[row].outer_at))
			code = err_set(err, ERR_FORMAT, file,
				       "CPU %u: expected the %s of CPU %u, with which it shares "
				       "%s %u",
				       cpu, nesting[row].outer, other - 1, nesting[row].inner, id);
	}
	free(first);
	return code;
}

static bool ids_are_small(const struct machine_cpu *cpu)
{
	return cpu->core < MACHINE_MAX_CPUS && cpu->cluster < MACHINE_MAX_CPUS &&
	       cpu->llc < MACHINE_MAX_CPUS && cpu->package < MACHINE_MAX_CPUS &&
	       cpu->node < MACHINE_MAX_CPUS && cpu->freq_domain < MACHINE_MAX_CPUS;
}

static enum err_code check_cpu(const struct machine *machine, u32 number, const char *file,
			       struct err *err)
{
	const struct machine_cpu *cpu = &machine->cpus[number];
	const struct machine_kind *kind;

	if (!ids_are_small(cpu))
		return err_set(err, ERR_FORMAT, file, "CPU %u: expected ids below %d", number,
			       MACHINE_MAX_CPUS);
	if (cpu->kind >= machine->nr_kinds)
		return err_set(err, ERR_FORMAT, file, "CPU %u: expected a kind below %u, found %u",
			       number, machine->nr_kinds, cpu->kind);
	if (!cpu->capacity || cpu->capacity > MACHINE_FULL_CAPACITY)
		return err_set(err, ERR_FORMAT, file,
			       "CPU %u: expected a capacity from 1 to 1024, found %u", number,
			       cpu->capacity);
	kind = &machine->kinds[cpu->kind];
	if (kind->nr_opps && kind->opps[kind->nr_opps - 1].capacity != cpu->capacity)
		return err_set(err, ERR_FORMAT, file,
			       "CPU %u: expected capacity %u, its kind's at the highest frequency, "
			       "found %u",
			       number, kind->opps[kind->nr_opps - 1].capacity, cpu->capacity);
	return OK;
}

static enum err_code check_kind(const struct machine_kind *kind, const char *file, struct err *err)
{
	const struct machine_opp *opp = kind->opps;
	const struct machine_idle_state *state = kind->idle_states;

	if (kind->nr_opps > MACHINE_MAX_OPPS || kind->nr_idle_states > MACHINE_MAX_IDLE_STATES)
		return err_set(err, ERR_FORMAT, file,
			       "kind %s: expected at most %d opps and %d idle states", kind->name,
			       MACHINE_MAX_OPPS, MACHINE_MAX_IDLE_STATES);
	for (u32 i = 0; i < kind->nr_opps; i++)
		if (!opp[i].khz || !opp[i].capacity ||
		    (i && (opp[i].khz <= opp[i - 1].khz || opp[i].capacity <= opp[i - 1].capacity)))
			return err_set(err, ERR_FORMAT, file,
				       "kind %s: expected opps of rising khz and capacity, not 0",
				       kind->name);
	for (u32 i = 1; i < kind->nr_idle_states; i++)
		if (state[i].target_residency_us < state[i - 1].target_residency_us)
			return err_set(
				err, ERR_FORMAT, file,
				"kind %s: expected idle states of rising target_residency_us",
				kind->name);
	return OK;
}

static enum err_code check_whole(const struct machine *machine, const char *file, struct err *err)
{
	u32 *threads = NEW_ARRAY(u32, MACHINE_MAX_CPUS), biggest = 0;
	bool smt = false;

	for (u32 cpu = 0; cpu < machine->nr_cpus; cpu++) {
		smt |= ++threads[machine->cpus[cpu].core] > 1;
		if (machine->cpus[cpu].capacity > biggest)
			biggest = machine->cpus[cpu].capacity;
	}
	free(threads);
	if (biggest != MACHINE_FULL_CAPACITY)
		return err_set(err, ERR_FORMAT, file,
			       "expected capacity 1024 for the biggest CPU, found %u", biggest);
	if (smt != machine->smt)
		return err_set(err, ERR_FORMAT, file, "expected smt to be %s, as cores are shared",
			       smt ? "true" : "false");
	return OK;
}

enum err_code machine_validate(const struct machine *machine, const char *file, struct err *err)
{
	enum err_code code = OK;

	if (!machine->nr_cpus || machine->nr_cpus > MACHINE_MAX_CPUS)
		return err_set(err, ERR_FORMAT, file, "expected 1 to %d CPUs, found %u",
			       MACHINE_MAX_CPUS, machine->nr_cpus);
	if (!machine->nr_kinds)
		return err_set(err, ERR_FORMAT, file, "expected at least one kind of CPU");
	for (u32 kind = 0; kind < machine->nr_kinds && !code; kind++)
		code = check_kind(&machine->kinds[kind], file, err);
	for (u32 cpu = 0; cpu < machine->nr_cpus && !code; cpu++)
		code = check_cpu(machine, cpu, file, err);
	for (size_t row = 0; row < ARRAY_SIZE(nesting) && !code; row++)
		code = check_nesting(machine, file, row, err);
	return code ? code : check_whole(machine, file, err);
}

enum machine_governor machine_governor_named(const char *name)
{
	static const char *const names[MACHINE_NR_GOVERNORS] = {
		[MACHINE_GOVERNOR_PERFORMANCE] = "performance",
		[MACHINE_GOVERNOR_POWERSAVE] = "powersave",
		[MACHINE_GOVERNOR_SCHEDUTIL] = "schedutil",
	};
	u32 governor = 0;

	while (governor < MACHINE_NR_GOVERNORS && strcmp(names[governor], name))
		governor++;
	return (enum machine_governor)governor;
}

void machine_fini(struct machine *machine)
{
	free(machine->cpus);
	free(machine->kinds);
	*machine = (struct machine){ 0 };
}
