/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine/machine.h"

#include <stdlib.h>
#include <stdio.h>

#include "base/mem.h"

void machine_flat(struct machine *machine, u32 nr_cpus)
{
	*machine = (struct machine){ .nr_cpus = nr_cpus, .nr_kinds = 1 };
	snprintf(machine->name, sizeof(machine->name), "%u", nr_cpus);
	machine->cpus = NEW_ARRAY(struct machine_cpu, nr_cpus);
	machine->kinds = NEW_ARRAY(struct machine_kind, 1);
	for (u32 cpu = 0; cpu < nr_cpus; cpu++) {
		machine->cpus[cpu].core = cpu;
		machine->cpus[cpu].capacity = 1024;
	}
}

void machine_fini(struct machine *machine)
{
	free(machine->cpus);
	free(machine->kinds);
	*machine = (struct machine){ 0 };
}
