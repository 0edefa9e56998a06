/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/table.h"

#include <stdarg.h>

void table_cell(struct table *table, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = mem_strdup("?");
	va_end(args);
	*vec_add(&table->cells) = text;
}

static int width_of(const struct table *table, u32 column)
{
	size_t width = 0;

	for (size_t i = column; i < table->cells.nr; i += table->columns)
		if (strlen(table->cells.at[i]) > width)
			width = strlen(table->cells.at[i]);
	return (int)width;
}

void table_print(const struct table *table, FILE *to, const char *bold, const char *plain)
{
	int *widths = NEW_ARRAY(int, table->columns);

	for (u32 c = 0; c < table->columns; c++)
		widths[c] = width_of(table, c);
	for (size_t i = 0; i < table->cells.nr; i++) {
		u32 c = (u32)(i % table->columns);
		bool last = c + 1 == table->columns;

		if (!c && !i)
			fputs(bold, to);
		if (!c)
			fprintf(to, "%-*s", widths[c], table->cells.at[i]);
		else
			fprintf(to, "  %*s", widths[c], table->cells.at[i]);
		if (last && i < table->columns)
			fputs(plain, to);
		if (last)
			fputc('\n', to);
	}
	free(widths);
}

void table_fini(struct table *table)
{
	vec_for_each(cell, &table->cells)
		free(*cell);
	vec_free(&table->cells);
}
