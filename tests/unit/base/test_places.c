/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/places.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(folders_are_looked_for_beside_the_program_and_where_it_is_installed)
{
	char *beside = places_folder("machines", 0), *installed = places_folder("machines", 1);

	CHECK(!strcmp(beside + strlen(beside) - strlen("/../machines"), "/../machines"), "%s",
	      beside);
	CHECK(strstr(installed, "/../share/fairground/machines"), "%s", installed);
	CHECK(!places_folder("machines", 2));
	free(beside);
	free(installed);
}

TEST(what_is_not_there_is_not_found)
{
	CHECK(!places_find("machines", "none of these"));
	CHECK(!places_find("machines", "../machines/emulated"), "a name is no path");
}
