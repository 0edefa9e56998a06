/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sums - what balancing and forks see of CPUs and of groups of them.
 *
 * A pass over 512 CPUs would look at each of them, although only some changed since the one
 * before.  So whoever changes a CPU calls sim_changed(), and who reads sums first calls
 * sim_sums_update(), which brings those CPUs up to date and nothing else.  The sums are at any
 * time what adding up would give.
 */
#ifndef SIM_SUMS_H
#define SIM_SUMS_H

#include "policy/int.h"

struct machine_domain;
struct sim;
struct sim_cpu;

/* Of one CPU, or of several. */
struct sim_sums {
	u32 crowded;              /* CPUs that have two tasks and more */
	u32 reduced;              /* CPUs that other classes and interrupts take part of */
	u32 idle;                 /* CPUs */
	u32 nr_running;           /* tasks of all classes */
	u32 queued, h_runnable;   /* fair ones, with those that are delayed and without */
	u64 load, util, runnable; /* averages */
};

struct sim_all_sums {
	bool overlap; /* a CPU is in two groups of a domain: nothing may be read */
	/* the first one, see sim_changed(); the others follow in sim_cpu.changed_next */
	struct sim_cpu *changed;
};

/* When the domains have been built, and before they are built anew. */
void sim_sums_init(struct sim *sim);
void sim_sums_fini(struct sim *sim);
/* A CPU's own, which are those of its group in the lowest domain; NULL: it has none. */
struct sim_sums *sim_cpu_sums(const struct sim_cpu *cpu);
/* Those CPUs that changed are looked at.  Then the rest is for reading. */
void sim_sums_update(struct sim *sim);

#endif
