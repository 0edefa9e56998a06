/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/table.h"

#include <stdlib.h>

#include "test.h"

TEST(columns_are_as_wide_as_their_widest_cell)
{
	struct table table = { .columns = 2 };
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	table_cell(&table, "Task");
	table_cell(&table, "ms");
	table_cell(&table, "%s", "a long one");
	table_cell(&table, "%d", 1);
	table_cell(&table, "b");
	table_cell(&table, "%d", 1234);
	table_print(&table, to, "<", ">");
	fclose(to);
	CHECK_STR("<Task          ms>\na long one     1\nb           1234\n", text);
	table_fini(&table);
	free(text);
}
