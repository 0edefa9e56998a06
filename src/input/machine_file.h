/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine_file - a machine by name, from a file, or this one.
 *
 * docs/machines.md has the JSON; an XML file is hwloc's (`lstopo file.xml`).
 */
#ifndef INPUT_MACHINE_FILE_H
#define INPUT_MACHINE_FILE_H

#include <stddef.h>

#include "base/err.h"
#include "machine/machine.h"

/*
 * @name_or_file is a preset, a number of CPUs, "this" for the machine we run on, a file
 * ("-": standard input) whose content tells JSON from XML, or the name of a file of
 * machines/ that comes with the program.  ERR_USAGE if it is none of
 * them, ERR_IO, or ERR_FORMAT with what was expected.  machine_fini() what comes out.
 */
enum err_code input_machine(const char *name_or_file, struct machine *out, struct err *err);
/* The same from the text of a file; @name is for messages. */
enum err_code input_machine_text(const char *name, const char *text, size_t len,
				 struct machine *out, struct err *err);

/* hwloc_xml.c: @text NULL is this machine. */
enum err_code input_machine_hwloc(const char *name, const char *text, size_t len,
				  struct machine *out, struct err *err);

#endif
