/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine - CPUs, what they share, how fast they are and what things cost.
 *
 * Data only.  Presets are in presets.c; JSON and hwloc come in through input/.
 * Ids of cores, clusters, caches, packages and nodes are small numbers, unique on
 * the machine; CPUs with the same id share the thing.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "base/err.h"

#define MACHINE_MAX_CPUS      4096
#define MACHINE_FULL_CAPACITY 1024 /* the biggest CPU at its highest frequency */

enum machine_idle {             /* how idle CPUs decide on their tick (kernel/sched/idle.c) */
	MACHINE_IDLE_NO_DRIVER, /* stops it once one tick has hit the idle loop */
	MACHINE_IDLE_MENU,
	MACHINE_IDLE_TEO,
	MACHINE_IDLE_HALTPOLL,
	MACHINE_NR_IDLE,
};

enum machine_governor {               /* who chooses among the operating points */
	MACHINE_GOVERNOR_PERFORMANCE, /* always the highest */
	MACHINE_GOVERNOR_POWERSAVE,   /* always the lowest */
	MACHINE_GOVERNOR_SCHEDUTIL,   /* by utilisation */
	MACHINE_NR_GOVERNORS
};

#define MACHINE_RATE_LIMIT_US 1000 /* of schedutil.  Kernel: where no latency is known */

struct machine_opp {
	u32 khz;
	u32 capacity; /* of a CPU at this point, 1024 = the biggest CPU at its highest */
	u32 power_mw; /* one CPU, fully busy; 0: not known */
};

struct machine_idle_state {
	char name[24];
	u32 exit_latency_us, target_residency_us; /* as cpuidle has them: entry included */
	u32 power_mw;
	bool power_known; /* a state may take next to nothing: 0 is a power */
};

#define MACHINE_MAX_OPPS        16
#define MACHINE_MAX_IDLE_STATES 8

/* CPUs of one kind share a row: frequency points and idle states. */
struct machine_kind {
	char name[24];
	u32 nr_opps, nr_idle_states;
	struct machine_opp opps[MACHINE_MAX_OPPS]; /* rising; none: one fixed speed */
	struct machine_idle_state idle_states[MACHINE_MAX_IDLE_STATES];
};

struct machine_cpu {
	u32 core, cluster, llc, package, node;
	u32 freq_domain; /* CPUs that change frequency together */
	u32 kind;        /* index of machine.kinds */
	u32 capacity;    /* at the highest frequency, 1..1024 */
	u32 priority; /* packing fills CPUs of higher priority first, as turbo's favoured cores */
};

/*
 * What the kernel's own work takes, ns of CPU time.  Each comes from `calibrate` or
 * from the source named in presets.c.
 */
struct machine_costs {
	u32 pick_ns;   /* from the last accounting of who runs until the switch is seen */
	u32 switch_ns; /* the context switch, from there on */
	u32 wakeup_ns; /* one wakeup, at the waker (timer: at the interrupted CPU) */
	u32 tick_ns;
	u32 timer_ns;       /* one timer interrupt, the wakeup not included */
	u32 ipi_ns;         /* at the receiver */
	u32 ipi_latency_ns; /* from sending until the receiver acts */
	u32 idle_exit_ns;   /* from the interrupt until the idle task calls the scheduler */
	u32 balance_cpu_ns; /* each CPU looked at by a balancing pass */
	u32 stopper_ns;
	u32 syscall_ns;     /* a call that waits or wakes, its wakeups and switches not included */
	u32 fork_ns;        /* at the parent */
	u32 thread_ns;      /* a thread's way to what it does and its end, at itself */
	u32 timer_slack_ns; /* fair tasks' sleeps end this much late unless a tick falls in */
	u32 waver_ns; /* so much more or less any of the CPU's own costs may be; 0: all are exact */
};

extern const struct machine_costs machine_default_costs;

struct machine {
	char name[64];
	u32 nr_cpus, nr_kinds;
	struct machine_cpu *cpus;
	struct machine_kind *kinds;
	struct machine_costs costs;
	enum machine_idle idle;
	enum machine_governor governor;
	u32 rate_limit_us; /* between two changes of a frequency, by schedutil */
	bool smt;          /* some core has more than one CPU */
};

/* One row of `list machines`. */
struct machine_preset {
	const char *name, *what;
	void (*build)(struct machine *machine);
};
extern const struct machine_preset machine_presets[];
extern const u32 machine_nr_presets;

/* @nr_cpus equal CPUs of capacity 1024 and default costs under one last-level cache, one package, one node. */
void machine_flat(struct machine *machine, u32 nr_cpus);
/*
 * A preset by name, or a plain number N (1..MACHINE_MAX_CPUS) for machine_flat().
 * ERR_USAGE naming what exists if @name is neither.
 */
enum err_code machine_named(struct machine *machine, const char *name, struct err *err);
/*
 * Are ids, capacities and tables consistent?  ERR_FORMAT says which CPU or kind is not.
 * A core lies in one cluster and node, a cluster under one cache, a cache in one package;
 * a core and a frequency domain are of one kind; some CPU has capacity 1024.
 */
enum err_code machine_validate(const struct machine *machine, const char *file, struct err *err);
/* "schedutil"; MACHINE_NR_GOVERNORS if there is none of that name. */
enum machine_governor machine_governor_named(const char *name);
void machine_fini(struct machine *machine);

#endif
