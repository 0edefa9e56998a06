/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * worst - the longest waits, and who ran meanwhile on the CPUs the thread waited for.
 *
 * Runs are remembered per CPU in a ring of WORST_RING; what a wait reaches back
 * beyond it is said to be not known, never taken for nobody.  Unreliable waits go
 * to a list of their own, with the reason.
 */
#ifndef ANALYSIS_WORST_H
#define ANALYSIS_WORST_H

#include "analysis/track.h"

#define WORST_RING        2048
#define WORST_ANTAGONISTS 8
#define WORST_NAME        64
#define WORST_DOUBTFUL    16 /* how many unreliable waits are listed */

struct worst_antagonist {
	char name[WORST_NAME];
	s32 tid;
	u64 ns;
};

struct worst_wait {
	char name[WORST_NAME];
	struct event_task task;
	u64 start_ns, end_ns;
	enum track_kind kind;
	enum track_trust trust;
	enum track_doubt doubt;
	s32 cpu;
	u32 migrations;
	struct event_task waker; /* of a preemption: who came instead */
	char waker_name[WORST_NAME];
	u32 nr_antagonists; /* listed: those that ran longest */
	struct worst_antagonist antagonists[WORST_ANTAGONISTS];
	u64 others_ns; /* by threads not listed */
	u64 idle_ns;   /* its CPU was idle meanwhile */
	u64 unseen_ns; /* of the wait, nobody is known to have run */
};

struct worst_list {
	u32 nr, room;
	struct worst_wait *at; /* longest first; of equals the earlier */
};

struct worst_ring;
struct worst {
	struct track *threads;
	struct worst_list longest, doubtful;
	struct worst_ring *rings; /* by CPU; NULL if none is asked for */
	u32 nr_rings;
};

/* @nr 0: only the doubtful ones. */
void worst_init(struct worst *worst, struct track *threads, u32 nr);
void worst_fini(struct worst *worst);
/* A wait that the filter keeps. */
void worst_wait(struct worst *worst, const struct track_wait *wait);
void worst_run(struct worst *worst, const struct track_run *run);
void worst_idle(struct worst *worst, const struct track_idle *idle);

#endif
