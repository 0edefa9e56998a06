/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * release - what differs between kernels, as data.
 *
 * A row of releases.def is one exact kernel.  Code asks the row, never a version.
 */
#ifndef POLICY_RELEASE_H
#define POLICY_RELEASE_H

#include "policy/idle.h"
#include "policy/select.h"

enum policy_feature {
#define POLICY_FEATURE(id, what) POLICY_##id,
#include "policy/features.def"
	POLICY_NR_FEATURES
};

struct policy_features {
	u64 on[(POLICY_NR_FEATURES + 63) / 64]; /* bit per feature */
};

static inline bool policy_feature(const struct policy_features *features, u32 feature)
{
	return features->on[feature / 64] >> (feature % 64) & 1;
}

static inline void policy_feature_set(struct policy_features *features, u32 feature, bool on)
{
	u64 bit = 1ULL << (feature % 64);

	if (on)
		features->on[feature / 64] |= bit;
	else
		features->on[feature / 64] &= ~bit;
}

/* How the fair class keeps its runnable entities. */
enum policy_queue {
	POLICY_QUEUE_CFS,          /* vruntime tree: 6.1 */
	POLICY_QUEUE_EEVDF_NESTED, /* one EEVDF queue per group and CPU: 6.6 to 6.18 */
	POLICY_QUEUE_EEVDF_FLAT,   /* one queue per CPU, hierarchical weights: 7.3 */
	POLICY_NR_QUEUES
};

/* What quotas of groups take off, and how what was taken off comes back. */
enum policy_throttle {
	POLICY_THROTTLE_DIRECT, /* a whole queue; the CPU of the timer puts all back: 6.1 */
	POLICY_THROTTLE_IPI,    /* a whole queue; each CPU puts its own back: 6.6 to 6.17 */
	POLICY_THROTTLE_PICK,   /* each task that is picked, on its return to user mode: 6.18 */
	POLICY_THROTTLE_TASK,   /* that, and the running one as soon as it used too much: 7.3 */
};

/* Are tasks throttled one by one, while their queue stays? */
static inline bool policy_throttles_tasks(enum policy_throttle throttle)
{
	return throttle == POLICY_THROTTLE_PICK || throttle == POLICY_THROTTLE_TASK;
}

/* How load is tracked, and what of it is read: bits of policy_release.load. */
enum policy_load_rule {
	POLICY_LOAD_TG_RATE = 1 << 0,     /* a group's sum moves at most once a ms */
	POLICY_LOAD_TG_RUNNABLE = 1 << 1, /* it has one of runnable time, too */
	POLICY_LOAD_NEW_COARSE = 1 << 2,  /* a new task's utilisation goes by its weight */
	POLICY_LOAD_EST_ONE = 1 << 3,     /* the estimate of utilisation is one value, not two */
	POLICY_LOAD_EST_BOUND = 1 << 4,   /* and not made where a CPU was too small */
	POLICY_LOAD_KEEP_EMPTY = 1 << 5,  /* a group without a task keeps its weight */
	POLICY_LOAD_WIDE = 1 << 6,        /* sums are not cut to 32 bits */
	POLICY_LOAD_BOOST = 1 << 7,       /* who waits counts for frequency and energy */
	POLICY_LOAD_BIGGEST = 1 << 8,     /* nothing is misfit on the biggest CPU it may use */
};

/* Until when the running entity is protected, in the queue kinds that have it. */
enum policy_protect {
	POLICY_PROTECT_DEADLINE, /* until its request is renewed: 6.6 to 6.16 */
	POLICY_PROTECT_SLICE,    /* for the shortest slice of the queue: 6.17, 6.18 */
	POLICY_PROTECT_PARITY,   /* to where it stops being owed service: 7.3 */
};

/* What a wakeup has to do with protection. */
enum policy_preempt {
	POLICY_PREEMPT_PICKED,    /* nothing: who is picked preempts: 6.6 to 6.11 */
	POLICY_PREEMPT_UNPROTECT, /* a shorter slice may end it, then as picked: 6.12 to 6.16 */
	POLICY_PREEMPT_PAST,      /* a shorter slice is picked as if there were none: from 6.17 */
};

/* What a task that yields gives up. */
enum policy_yields {
	POLICY_YIELDS_TURN, /* its deadline is a slice later: 6.6 */
	POLICY_YIELDS_REST, /* it stands as if its request were used up, if it is eligible */
};

/* How a queued entity takes a new weight. */
enum policy_reweights {
	POLICY_REWEIGHTS_IN_PLACE, /* lag and rest of the request are scaled: 6.6 to 6.12, 7.3 */
	POLICY_REWEIGHTS_PLACED,   /* it leaves, and is placed anew with them: 6.13 to 6.18 */
};

/* How schedutil adds up what a CPU needs. */
enum policy_sugov {
	POLICY_SUGOV_SUM,    /* bandwidth of deadline tasks too, then the headroom: 6.1, 6.6 */
	POLICY_SUGOV_BOUNDS, /* headroom for what is used; what is needed is a bound: 6.12 on */
};

/*
 * The forms of a rule that one queue kind has in several releases.  What differs without
 * being seen is not here: V comes out the same whatever point it is counted from, and the
 * tree's order (by vruntime before 6.8) only decides between equal deadlines.
 */
struct policy_rules {
	enum policy_protect protect;
	enum policy_preempt preempt;
	enum policy_yields yields;
	enum policy_reweights reweights;
	enum policy_feature heed_buddy; /* the feature by which a pick heeds the next buddy */
	enum policy_sugov sugov;
	bool pressure_average; /* a limited clock is felt bit by bit, as a running average: to 6.9 */
	bool lazy; /* fair tasks give way when their CPU next returns to user mode: preempt=lazy */
};

/* Which generation of rules balances load: a row of policy_balance_rules. */
enum policy_balancer {
	POLICY_BALANCER_PLAIN, /* 6.1 */
	POLICY_BALANCER_SMT,   /* knows cores from threads: 6.6 to 6.18 */
	POLICY_BALANCER_CACHE, /* 7.3 */
	POLICY_NR_BALANCERS
};

/* Which generation of governors chooses idle states: a row of policy_idle_rules. */
enum policy_governors {
	POLICY_GOVERNORS_TIMER,   /* the next timer is always looked up: 6.1 */
	POLICY_GOVERNORS_SPARING, /* only where it can matter: 6.6, 6.12 */
	POLICY_GOVERNORS_TICK,    /* and what the tick ends is told from the rest: 6.18, 7.3 */
	POLICY_NR_GOVERNORS
};

enum policy_verified {
	POLICY_VERIFIED_SOURCE, /* of that package */
	POLICY_VERIFIED_FAIR,   /* kernel/sched/fair.c was read, of no package */
	POLICY_VERIFIED_IMAGE,
	POLICY_UNVERIFIED
};

struct policy_release {
	const char *name;    /* "6.12" */
	const char *package; /* the exact kernel it stands for */
	enum policy_queue queue;
	enum policy_verified verified;
	struct policy_features known, on; /* which features exist, and which are on by default */
	u32 base_slice_ns;     /* normalised: before the factor of CPUs; CFS: minimal granularity */
	u32 rt_runtime_ns;     /* of realtime tasks, per second and CPU; 0: not bounded so */
	u32 server_runtime_ns; /* of the fair server, per second and CPU; 0: it has none */
	bool server_stops_idle; /* after a period of idle time alone */
	bool uclamp;            /* it is built with CONFIG_UCLAMP_TASK */
	u32 dl_limit_ns;        /* of deadline tasks and servers, per second and CPU */
	enum policy_throttle throttle;
	bool rebuild_unthrottles; /* new domains forgive what is throttled, on all CPUs */
	enum policy_balancer balancer;
	enum policy_governors governors;
	u32 load; /* enum policy_load_rule */
	struct policy_rules rules;
};

/* The features that our rules read today; switching another would change nothing. */
extern const struct policy_features policy_simulated;
extern const struct policy_release policy_releases[];
extern const struct policy_balance_rules policy_balance_rules[POLICY_NR_BALANCERS];
/* The same generations choose CPUs. */
extern const struct policy_select_rules policy_select_rules[POLICY_NR_BALANCERS];
extern const struct policy_idle_rules policy_idle_rules[POLICY_NR_GOVERNORS];
extern const u32 policy_nr_releases;
/* By its name, as "6.12"; NULL if there is none. */
const struct policy_release *policy_release_find(const char *name);
/* Not a kernel's: a rule to try out, wherever the queue kind allows. */
bool policy_laboratory(enum policy_feature feature);
/* Can it be switched there?  The release has it, or it is a laboratory feature that fits. */
bool policy_knows(const struct policy_release *release, enum policy_feature feature);

#endif
