/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * marker - marks that a run wrote into the kernel's trace through trace_marker.
 *
 *	fairground: WHAT begin|end ID NAME
 *
 * WHAT is section, chain or request, ID a decimal number, NAME the rest of the line
 * (it may be missing, and may hold blanks).
 */
#ifndef INPUT_MARKER_H
#define INPUT_MARKER_H

#include "base/map.h"
#include "events/event.h"

#define MARKER_PREFIX "fairground: "

/*
 * Fills kind and mark of @event from @len bytes of a marker's text; false if it is not
 * one of ours.  mark.name is kept in @names.
 */
bool marker_decode(const char *text, size_t len, struct names *names, struct event *event);
/* The text of a mark, without a newline; the other direction. */
int marker_encode(const struct event *event, char *buf, size_t size);

#endif
