/* SPDX-License-Identifier: GPL-2.0-only */
/* document - a report as one JSON document. */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Prints and frees it. */
void document_print(cJSON *root, FILE *to);

#endif
