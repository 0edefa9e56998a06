/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intake - from what a reader decoded to a stream: order, identity, names.
 *
 * Every reader of foreign traces pushes here, in the order of its file.  The
 * intake sorts by time within a bounded window, gives a generation to each tid
 * (a fork of a known tid, or any use after its exit, is a new thread), tells names
 * by EVENT_NAME when they first appear or change, counts what does not fit, and
 * feeds the sink.  Memory is bounded by the window and the threads alive.
 *
 * Identity is worked out after sorting, in time order.  Per CPU the intake knows
 * who runs, so that it counts switches whose prev is not the running thread, and
 * marks the first event of a CPU after a loss.
 */
#ifndef EVENTS_INTAKE_H
#define EVENTS_INTAKE_H

#include "events/event.h"

struct events_intake;

#define INTAKE_COMM 16 /* TASK_COMM_LEN: 15 bytes and a NUL */

/*
 * One decoded record.  event.task.tid and event.other.tid are set, gen is ignored;
 * time_ns is on the source's own clock; seq is ignored.  comm and other_comm are
 * the names the record itself carried, zero-padded; has_* says whether it did (an
 * empty name is a name).  pid and other_pid are their processes, 0 where the record
 * does not say.  What event points to is copied.
 */
struct intake_item {
	struct event event;
	char comm[INTAKE_COMM], other_comm[INTAKE_COMM];
	s32 pid, other_pid;
	bool has_comm, has_other_comm;
};

enum intake_order {
	INTAKE_BY_CPU, /* each CPU's records come in order, CPUs are mixed: perf.data */
	INTAKE_GLOBAL, /* all records come in order: text, merged readers */
};

/*
 * An inversion is a record earlier than the latest before it: of its CPU or of all, as
 * the order says.  EVENT_FREQ is never one, for its CPU need not be the one that
 * recorded it.
 *
 * @window: how many records may wait to be sorted; 0 takes the default of the order.
 * @header is copied; origin_ns is set by the first event that leaves the window.
 */
#define INTAKE_WINDOW_BY_CPU (1u << 20) /* two of perf's rounds with all buffers full */
#define INTAKE_WINDOW_GLOBAL (1u << 14)

struct events_intake *events_intake_new(const struct event_header *header, enum intake_order order,
					u32 window, struct event_sink sink);
void events_intake_free(struct events_intake *intake);

/*
 * Every CPU's records come from a buffer of its own, in order, and there are no more than
 * @nr buffers: once as many CPUs have spoken, what all have passed may leave at once, which
 * keeps the memory that waits small.  Records that an interrupt put before an earlier one
 * are still sorted (INTAKE_STEP_NS); a step back beyond that ends the trust.
 */
#define INTAKE_STEP_NS 10000000ULL
void events_intake_trust_buffers(struct events_intake *intake, size_t nr);

/*
 * Any code but OK is the sink's and ends the stream: nothing more is fed.  A CPU
 * number that no machine has makes the record unparsed.
 */
enum err_code events_intake_push(struct events_intake *intake, const struct intake_item *item);
/* Nothing earlier than @until_ns will come: what waits up to there may leave (perf's rounds). */
enum err_code events_intake_flush(struct events_intake *intake, u64 until_ns);
/*
 * A name told outside of an event (perf's COMM record), at its time.  @pid 0: not known.
 * The thread appears in the stream only once an event speaks of it.
 */
enum err_code events_intake_name(struct events_intake *intake, u64 time_ns, s32 tid, s32 pid,
				 const char *comm);
/*
 * The same from a cache that may be stale (the prefix of a text line, saved cmdlines):
 * taken only for a thread that has no name yet.
 */
enum err_code events_intake_hint(struct events_intake *intake, u64 time_ns, s32 tid, s32 pid,
				 const char *comm);
/* Counts the reader keeps itself: truncated, unparsed, lost that has no place in time. */
struct event_quality *events_intake_quality(struct events_intake *intake);
/*
 * Feeds what still waits, then on_end.  A stream without events begins and ends, too;
 * a sink that said ERR_STOP gets on_end, one that failed does not: its code comes back.
 */
enum err_code events_intake_end(struct events_intake *intake);

#endif
