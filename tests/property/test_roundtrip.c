/* SPDX-License-Identifier: GPL-2.0-only */
/* A simulation written as text and read back is the same stream. */
#include <unistd.h>

#include "events/dump.h"
#include "events/ftrace_writer.h"
#include "gen.h"
#include "input/input.h"

/* What is compared: all that a stream carries, by its hash. */
struct streams {
	struct events_hash wrote, read;
};

static void simulate(u64 seed, struct event_sink sink, struct events_hash *hash)
{
	struct gen gen = { .seed = seed, .max_cpus = 4, .max_tasks = 6, .nice = 20, .costs = true };
	struct events_tee tee = { 0 };
	struct lab lab;

	gen_lab(&gen, &lab);
	lab.setup.duration_ns = 30 * MS;
	events_tee_add(&tee, events_hash_sink(hash));
	events_tee_add(&tee, sink);
	CHECK_EQ(OK, sim_run(&lab.setup, events_tee_sink(&tee), &lab.err), "seed %llu", seed);
	lab_fini(&lab);
}

/* The file is unlinked at the end; its name is unique. */
static FILE *open_text(char *path)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	return fdopen(fd, "w");
}

static void read_back(const char *path, u64 seed, struct events_hash *hash)
{
	const struct input_options options = { 0 };
	struct err err = ERR_NONE;
	char text[1024] = "";

	if (input_trace(path, &options, events_hash_sink(hash), &err) != OK)
		err_print(&err, text, sizeof(text));
	CHECK_STR("", text, "seed %llu", seed);
}

static void dump_and_read(u64 seed, struct streams *streams)
{
	char path[] = "/tmp/roundtrip-dump-XXXXXX";
	struct events_dump dump = { .to = open_text(path) };

	simulate(seed, events_dump_sink(&dump), &streams->wrote);
	CHECK_EQ(0, fclose(dump.to));
	read_back(path, seed, &streams->read);
	unlink(path);
}

static void ftrace_and_read(u64 seed, struct streams *streams)
{
	char path[] = "/tmp/roundtrip-ftrace-XXXXXX";
	FILE *to = open_text(path);
	struct events_ftrace *ftrace = events_ftrace_new(to);

	simulate(seed, events_ftrace_sink(ftrace), &streams->wrote);
	events_ftrace_free(ftrace);
	CHECK_EQ(0, fclose(to));
	read_back(path, seed, &streams->read);
	unlink(path);
}

static void each_seed(void (*go)(u64 seed, struct streams *streams))
{
	const char *nr = getenv("FAIRGROUND_WORKLOADS");

	for (u64 seed = 1; seed <= (nr ? strtoull(nr, NULL, 0) : 200) / 5; seed++) {
		struct streams streams = { 0 };

		go(seed, &streams);
		CHECK_EQ(streams.wrote.events, streams.read.events, "seed %llu", seed);
		CHECK_EQ(streams.wrote.hash, streams.read.hash, "seed %llu", seed);
		CHECK(streams.read.events > 10, "seed %llu", seed);
	}
}

TEST(a_dump_read_back_is_the_same_stream)
{
	each_seed(dump_and_read);
}

TEST(ftrace_text_read_back_is_the_same_stream)
{
	each_seed(ftrace_and_read);
}
