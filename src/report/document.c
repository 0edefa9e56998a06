/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/document.h"

void document_print(cJSON *root, FILE *to)
{
	char *text = cJSON_Print(root);

	cJSON_Delete(root);
	if (text)
		fprintf(to, "%s\n", text);
	cJSON_free(text);
}
