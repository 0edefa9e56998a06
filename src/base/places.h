/* SPDX-License-Identifier: GPL-2.0-only */
/* places - where the files are that come with the program. */
#ifndef BASE_PLACES_H
#define BASE_PLACES_H

#include "policy/int.h"

/*
 * The @nth folder that may hold files of one kind ("workloads", "machines"): beside the
 * build folder, or where they are installed.  NULL: there are no more.  The caller frees it.
 */
char *places_folder(const char *kind, u32 nth);
/* "KIND/NAME.json" in the first of these folders that has it; NULL.  The caller frees it. */
char *places_find(const char *kind, const char *name);

#endif
