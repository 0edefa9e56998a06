/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tool_rtapp_count FILE... - one JSON line per file: what the reader found.
 *
 *	{"file": NAME, "tasks": [{"name": N, "phases": [{"name": P, "events": COUNT}]}]}
 *	{"file": NAME, "refused": MESSAGE}
 *
 * tests/rtapp_count.py prints the same from its own reading.  Marks are ours and are
 * not counted.
 */
#include <stdio.h>
#include <string.h>

#include "input/workload_file.h"

static void print_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned char)*text);
		else if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

static u32 count_events(const struct workload_task *task, const struct workload_phase *phase)
{
	u32 nr = 0;

	for (u32 i = 0; i < phase->nr_events; i++)
		nr += task->events.at[phase->first_event + i].op != WORKLOAD_OP_MARK;
	return nr;
}

static void print_task(const struct workload_task *task)
{
	printf("{\"name\": ");
	print_text(task->name);
	printf(", \"phases\": [");
	vec_for_each(phase, &task->phases) {
		printf("%s{\"name\": ", phase == task->phases.at ? "" : ", ");
		print_text(phase->name);
		printf(", \"events\": %u}", count_events(task, phase));
	}
	printf("]}");
}

static void print_file(const char *path)
{
	struct workload *workload;
	struct err err = ERR_NONE;
	char message[1024];

	printf("{\"file\": ");
	print_text(path);
	if (input_workload(path, &workload, &err)) {
		err_print(&err, message, sizeof(message));
		printf(", \"refused\": ");
		print_text(message);
		puts("}");
		return;
	}
	printf(", \"tasks\": [");
	vec_for_each(task, &workload->tasks) {
		printf("%s", task == workload->tasks.at ? "" : ", ");
		print_task(task);
	}
	puts("]}");
	workload_free(workload);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		print_file(argv[i]);
	return 0;
}
