/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tep_fields - from a tracepoint's raw bytes to an intake item, by the names in the
 * trace's own format texts.  Shared by trace.dat and perf.data.
 *
 * A reader adds every format text it finds, then hands each raw payload (it begins
 * with the common fields) to tep_fields_decode().  Offsets and sizes are resolved
 * once per event; fields that a release lacks stay as event.h says for "not told".
 *
 * Texts are not trusted: libtraceevent gets only lines that we have checked, and
 * never a print format, whose parser damaged text can bring down.
 */
#ifndef INPUT_TEP_FIELDS_H
#define INPUT_TEP_FIELDS_H

#include "events/intake.h"

struct tep_fields;

/* @long_size: of the recorded kernel, 4 or 8 bytes. */
struct tep_fields *tep_fields_new(bool big_endian, u32 long_size);
void tep_fields_free(struct tep_fields *fields);

/*
 * Adds the content of events/@system/NAME/format.  @text needs no NUL.  Events that
 * no kind wants are kept by name only.  False: it is no such text, or an event of
 * ours lacks a field that it cannot do without.  The same id again replaces.
 */
bool tep_fields_add(struct tep_fields *fields, const char *system, const char *text, size_t len);

/*
 * The kind an event id decodes to (ftrace's print: EVENT_MARK), or EVENT_NR_KINDS.
 */
u32 tep_fields_kind(const struct tep_fields *fields, u32 id);
/* "sched:sched_switch", or NULL if no format has this id. */
const char *tep_fields_name(const struct tep_fields *fields, u32 id);
/* The largest id of an added format, plus 1. */
u32 tep_fields_nr_ids(const struct tep_fields *fields);
/* The event id a raw record begins with; -1 if it is shorter than that. */
s64 tep_fields_id(const struct tep_fields *fields, const u8 *raw, size_t len);

enum tep_decoded {
	TEP_DECODED,
	TEP_OTHER,   /* an event that no kind wants: skip it */
	TEP_DAMAGED, /* of a known kind, but too short or with impossible values: unparsed */
};

/*
 * Fills all of @item from @len bytes at @raw, recorded on @cpu at @time_ns.  The idle
 * task comes as tid 0.  Where a kind has room for it (wakeups, MIGRATE, RUNTIME),
 * other is the thread that ran where the event was recorded (common_pid): of WAKING
 * the waker, of WAKEUP perhaps not, as that may be raised on the target CPU.
 * A mark's name lives as long as @fields.
 */
enum tep_decoded tep_fields_decode(struct tep_fields *fields, const u8 *raw, size_t len, s32 cpu,
				   u64 time_ns, struct intake_item *item);

#endif
