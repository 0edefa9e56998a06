/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay - runs a fuzz target without a fuzzer: its corpus, cut and changed at random.
 *
 *	replay_TARGET [-n CHANGES] FILE|FOLDER...
 *
 * Linked with one fuzz_*.c.  Each file is given whole, cut at 32 places, and with CHANGES
 * (default 100) random changes, which depend on their number alone: what fails once fails
 * again.  Prints TAP: one claim per file.  Not a test's verdict but the sanitizers' is what
 * counts; when one ends the program, the input is named on stderr.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"

#define NR_CUTS 32
/* Larger files are recordings: changed less often, so that the time stays bounded. */
#define SMALL (64 << 10)
#define GROW  64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct paths {
	VEC(char *) of;
};

static char running[512];

static void tell(int signal)
{
	ssize_t done = write(STDERR_FILENO, running, strlen(running));

	(void)done;
	_exit(128 + signal);
}

/* The target gets a block of just that size, so that reading past it is seen. */
static void give(const char *path, const char *how, u64 number, const u8 *data, size_t size)
{
	u8 *copy = mem_zalloc(size ? size : 1);

	snprintf(running, sizeof(running), "# input: %s, %s %llu\n", path, how, number);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static u64 dice(u64 *state, u64 below)
{
	*state = rng_combine(*state, 1);
	return below ? *state % below : 0;
}

/* One change of @data, which has room for GROW bytes more.  Returns the new size. */
static size_t change(u8 *data, size_t size, u64 *state)
{
	static const u64 extremes[] = {
		0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, ~0ULL >> 1, ~0ULL,
	};
	size_t at = dice(state, size), len = 1 + dice(state, GROW - 1);

	switch (dice(state, 5)) {
	case 0:
		data[at] ^= (u8)(1 << dice(state, 8));
		return size;
	case 1:
		data[at] = (u8)dice(state, 256);
		return size;
	case 2: /* a number that is the largest or smallest of its kind */
		len = (size_t)1 << dice(state, 4);
		if (at + len <= size)
			memcpy(data + at, &extremes[dice(state, ARRAY_SIZE(extremes))], len);
		return size;
	case 3: /* bytes twice */
		memmove(data + at + len, data + at, size - at);
		return size + len;
	default: /* bytes gone */
		len = len < size - at ? len : size - at;
		memmove(data + at, data + at + len, size - at - len);
		return size - len;
	}
}

static void give_changed(const char *path, const u8 *data, size_t size, u64 number)
{
	u64 state = number;
	u64 nr = 1 + dice(&state, 4);
	u8 *copy = mem_zalloc(size + nr * GROW);

	memcpy(copy, data, size);
	while (nr-- && size)
		size = change(copy, size, &state);
	give(path, "change", number, copy, size);
	free(copy);
}

static u8 *read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct stat stat;
	u8 *data;

	if (!file || fstat(fileno(file), &stat)) {
		perror(path);
		exit(1);
	}
	data = mem_zalloc((size_t)stat.st_size + 1);
	*size = fread(data, 1, (size_t)stat.st_size, file);
	fclose(file);
	return data;
}

static void replay(const char *path, u64 changes)
{
	size_t size;
	u8 *data = read_whole(path, &size);

	if (size > SMALL)
		changes = changes * SMALL / size;
	give(path, "whole", 0, data, size);
	for (u64 cut = 0; cut < NR_CUTS && size; cut++)
		give(path, "cut", cut, data, size * cut / NR_CUTS);
	for (u64 number = 0; number < changes; number++)
		give_changed(path, data, size, number);
	free(data);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files of a folder, one level deep. */
static void collect(struct paths *paths, const char *path)
{
	struct dirent *entry;
	DIR *folder = opendir(path);

	if (!folder) {
		*vec_add(&paths->of) = mem_strdup(path);
		return;
	}
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			*vec_add(&paths->of) = mem_printf("%s/%s", path, entry->d_name);
	closedir(folder);
}

int main(int argc, char **argv)
{
	struct paths paths = { 0 };
	u64 changes = 100;
	int option;

	while ((option = getopt(argc, argv, "n:")) == 'n')
		changes = strtoull(optarg, NULL, 10);
	for (int i = optind; i < argc; i++)
		collect(&paths, argv[i]);
	if (option != -1 || !paths.of.nr) {
		fprintf(stderr, "usage: %s [-n CHANGES] FILE|FOLDER...\n", argv[0]);
		return 2;
	}
	qsort(paths.of.at, paths.of.nr, sizeof(*paths.of.at), by_name);
	signal(SIGABRT, tell);
	signal(SIGSEGV, tell);
	signal(SIGALRM, tell);
	printf("1..%zu\n", paths.of.nr);
	for (size_t i = 0; i < paths.of.nr; i++) {
		const char *slash = strrchr(paths.of.at[i], '/');

		alarm(60); /* a hang is a failure, too */
		replay(paths.of.at[i], changes);
		printf("ok %zu - %s\n", i + 1, slash ? slash + 1 : paths.of.at[i]);
		fflush(stdout);
		free(paths.of.at[i]);
	}
	vec_free(&paths.of);
	return 0;
}
