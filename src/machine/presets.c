/* SPDX-License-Identifier: GPL-2.0-only */
/* Machines by name: `list machines`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "machine/machine.h"

/*
 * Round numbers of the order that x86 servers show: `perf bench sched pipe` on one CPU is
 * two switches, two wakeups and four system calls a round, 4 to 6 us on bare metal.  (A
 * small virtual machine on an AMD EPYC, Linux 6.18, took 23 us of CPU time a round.)
 * System calls and births are left out: switch_ns has what belongs to most of them.
 * timer_slack_ns is the kernel's default (include/linux/init_task.h).  `calibrate`
 * replaces them with the numbers of a machine at hand.
 */
const struct machine_costs machine_default_costs = {
	.switch_ns = 1000,
	.wakeup_ns = 700,
	.tick_ns = 1000,
	.timer_ns = 700,
	.ipi_ns = 500,
	.ipi_latency_ns = 1500,
	.idle_exit_ns = 1000,
	.balance_cpu_ns = 50,
	.stopper_ns = 5000,
	.timer_slack_ns = 50000,
};

void machine_flat(struct machine *machine, u32 nr_cpus)
{
	*machine = (struct machine){ .nr_cpus = nr_cpus,
				     .nr_kinds = 1,
				     .costs = machine_default_costs,
				     .rate_limit_us = MACHINE_RATE_LIMIT_US };
	snprintf(machine->name, sizeof(machine->name), "%u", nr_cpus);
	machine->cpus = NEW_ARRAY(struct machine_cpu, nr_cpus);
	machine->kinds = NEW_ARRAY(struct machine_kind, 1);
	for (u32 cpu = 0; cpu < nr_cpus; cpu++) {
		machine->cpus[cpu].core = cpu;
		machine->cpus[cpu].capacity = MACHINE_FULL_CAPACITY;
	}
}

static void build_1(struct machine *machine)
{
	machine_flat(machine, 1);
}

static void build_2(struct machine *machine)
{
	machine_flat(machine, 2);
}

static void build_4(struct machine *machine)
{
	machine_flat(machine, 4);
}

static void build_8(struct machine *machine)
{
	machine_flat(machine, 8);
}

/* Siblings are numbered as x86 firmware does: all first threads, then all second ones. */
static void build_smt(struct machine *machine)
{
	machine_flat(machine, 8);
	machine->smt = true;
	for (u32 cpu = 0; cpu < 8; cpu++)
		machine->cpus[cpu].core = machine->cpus[cpu].freq_domain = cpu % 4;
}

static void build_2_socket(struct machine *machine)
{
	machine_flat(machine, 16);
	for (u32 cpu = 0; cpu < 16; cpu++) {
		struct machine_cpu *at = &machine->cpus[cpu];

		at->cluster = at->llc = at->package = at->node = cpu / 8;
		at->freq_domain = cpu;
	}
}

static void build_soc18(struct machine *machine)
{
	machine_flat(machine, 18);
	for (u32 cpu = 0; cpu < 18; cpu++) {
		struct machine_cpu *at = &machine->cpus[cpu];

		at->cluster = at->llc = at->freq_domain = (cpu + 2) / 4;
	}
}

/*
 * Both Junos: CPUs 1 and 2 are big, each kind has its L2, clock and cluster.
 * Idle states: entry + exit latency of the device tree, as
 * drivers/cpuidle/dt_idle_states.c adds them.
 */
static void build_juno(struct machine *machine, const struct machine_kind *little,
		       const struct machine_kind *big)
{
	machine_flat(machine, 6);
	machine->kinds = mem_resize(machine->kinds, 2, sizeof(*machine->kinds));
	machine->nr_kinds = 2;
	machine->kinds[0] = *little;
	machine->kinds[1] = *big;
	machine->idle = MACHINE_IDLE_MENU;
	for (u32 cpu = 0; cpu < 6; cpu++) {
		struct machine_cpu *at = &machine->cpus[cpu];
		const struct machine_kind *kind;

		at->kind = at->cluster = at->llc = at->freq_domain = cpu == 1 || cpu == 2;
		kind = &machine->kinds[at->kind];
		at->capacity = kind->opps[kind->nr_opps - 1].capacity;
	}
}

#define JUNO_IDLE_STATES                               \
	.nr_idle_states = 2, .idle_states = {          \
		{ "cpu-sleep", 300 + 1200, 2000 },     \
		{ "cluster-sleep", 400 + 1200, 2500 }, \
	}

/* Energy table of the EAS era, Cortex-A53 and A57. */
static void build_juno_r0(struct machine *machine)
{
	static const struct machine_kind little = {
		.name = "Cortex-A53",
		.nr_opps = 5,
		.opps = { { 450000, 235, 33 },
			  { 575000, 302, 46 },
			  { 700000, 368, 61 },
			  { 775000, 406, 76 },
			  { 850000, 446, 93 } },
		JUNO_IDLE_STATES,
	};
	static const struct machine_kind big = {
		.name = "Cortex-A57",
		.nr_opps = 5,
		.opps = { { 450000, 417, 168 },
			  { 625000, 579, 251 },
			  { 800000, 744, 359 },
			  { 950000, 883, 479 },
			  { 1100000, 1024, 616 } },
		JUNO_IDLE_STATES,
	};

	build_juno(machine, &little, &big);
}

/*
 * Mainline device tree, Cortex-A53 and A72: 485 and 1024 dmips per MHz.  Power is
 * coefficient (140, 450 uW per MHz and V^2) * MHz * V^2; 0.8, 0.9 and 1 V are our guess.
 */
static void build_juno_r2(struct machine *machine)
{
	static const struct machine_kind little = {
		.name = "Cortex-A53",
		.nr_opps = 3,
		.opps = { { 450000, 181, 40 }, { 800000, 323, 91 }, { 950000, 383, 133 } },
		JUNO_IDLE_STATES,
	};
	static const struct machine_kind big = {
		.name = "Cortex-A72",
		.nr_opps = 3,
		.opps = { { 600000, 512, 173 }, { 1000000, 853, 365 }, { 1200000, 1024, 540 } },
		JUNO_IDLE_STATES,
	};

	build_juno(machine, &little, &big);
}

const struct machine_preset machine_presets[] = {
	{ "1", "one CPU", build_1 },
	{ "2", "2 equal CPUs under one last-level cache", build_2 },
	{ "4", "4 equal CPUs under one last-level cache", build_4 },
	{ "8", "8 equal CPUs under one last-level cache", build_8 },
	{ "smt", "8 CPUs: 4 cores of 2 threads under one last-level cache", build_smt },
	{ "2-socket", "2 packages of 8 CPUs, each a node with its cache", build_2_socket },
	{ "juno-r0", "Arm Juno r0: 4 Cortex-A53 (446), 2 Cortex-A57 (1024)", build_juno_r0 },
	{ "juno-r2", "Arm Juno r2: 4 Cortex-A53 (383), 2 Cortex-A72 (1024)", build_juno_r2 },
	{ "soc18", "18 equal CPUs in clusters of 2, 4, 4, 4, 4 with a cache each", build_soc18 },
};
const u32 machine_nr_presets = ARRAY_SIZE(machine_presets);

static enum err_code no_such(const char *name, struct err *err)
{
	char known[256] = "";
	size_t len = 0;

	for (u32 i = 0; i < machine_nr_presets; i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s, ",
					machine_presets[i].name);
	return err_set(err, ERR_USAGE, NULL,
		       "no machine \"%.64s\"; expected one of: %sor a number of CPUs up to %d",
		       name, known, MACHINE_MAX_CPUS);
}

enum err_code machine_named(struct machine *machine, const char *name, struct err *err)
{
	char *end;
	unsigned long nr;

	for (u32 i = 0; i < machine_nr_presets; i++) {
		if (strcmp(name, machine_presets[i].name))
			continue;
		machine_presets[i].build(machine);
		snprintf(machine->name, sizeof(machine->name), "%s", name);
		return OK;
	}
	if (*name < '0' || *name > '9')
		return no_such(name, err);
	nr = strtoul(name, &end, 10);
	if (*end || !nr || nr > MACHINE_MAX_CPUS)
		return no_such(name, err);
	machine_flat(machine, (u32)nr);
	return OK;
}
