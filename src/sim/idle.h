/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle - a CPU whose idle states a governor chooses.
 */
#ifndef SIM_IDLE_H
#define SIM_IDLE_H

#include "policy/haltpoll.h"
#include "policy/menu.h"
#include "policy/teo.h"

struct sim_idle;

/* Kernel: struct cpuidle_governor. */
struct sim_governor {
	struct policy_idle_choice (*select)(struct sim_idle *idle,
					    const struct policy_idle_entry *entry);
	void (*reflect)(struct sim_idle *idle, const struct policy_idle_sleep *sleep);
};

/* One generation of teo. */
struct sim_teo {
	void (*select)(struct policy_teo *teo, const struct policy_idle_states *states,
		       const struct policy_idle_entry *entry, struct policy_idle_choice *out);
	void (*update)(struct policy_teo *teo, const struct policy_idle_states *states,
		       const struct policy_idle_sleep *sleep);
};

struct sim_idle {
	const struct sim_governor *governor;
	const struct sim_teo *teo_form;
	const struct policy_idle_rules *rules;
	struct policy_idle_states states;
	u32 state; /* entered at since_ns */
	u64 since_ns;
	u64 awake_ns; /* something has ended it, and it will be awake then; 0: it sleeps */
	u64 poll_ns;  /* how long a polling state polls */
	union {
		struct policy_menu menu;
		struct policy_teo teo;
		struct policy_haltpoll haltpoll;
	};
};

#endif
