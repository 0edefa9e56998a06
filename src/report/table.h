/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table - columns as wide as what is in them.  The first column is left-aligned,
 * all others right; the first row is the head.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdio.h>

#include "base/vec.h"
#include "policy/int.h"

struct table {
	u32 columns;
	VEC(char *) cells;
};

/* Fills the next cell; rows follow each other without a mark. */
void table_cell(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* @bold, @plain: what goes around the head; "" for nothing. */
void table_print(const struct table *table, FILE *to, const char *bold, const char *plain);
void table_fini(struct table *table);

#endif
