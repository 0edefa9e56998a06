/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/recording.h"

#include <stdio.h>
#include <unistd.h>

#include "test.h"

#define TASK                                                                      \
	"{ \"name\": \"a\", \"cpu_pct\": [8.70012, 9], \"switches\": [640, 641]," \
	"  \"wakeup_ns\": [[100, 2, 400, 1], [5000, 7]] }"
#define HEAD                                                                       \
	"\"kernel\": \"6.12\", \"version\": \"6.12.118\", \"features\": \"NO_X\"," \
	"\"clock\": \"virtual\", \"workload\": \"w.json\", \"hash\": \"0123\","    \
	"\"hz\": 250, \"cpus\": 1, \"runs\": 2, \"duration_ns\": 4000000000, \"seed\": 3"

static enum err_code read_text(const char *text, struct recording *out, struct err *err)
{
	return recording_read_text("r", text, strlen(text), out, err);
}

static void check_read(const struct recording *recording)
{
	const struct recording_task *task = &recording->tasks.at[0];
	struct hist_step step = { 0 };

	CHECK_STR("6.12", recording->kernel);
	CHECK_STR("6.12.118", recording->version);
	CHECK_STR("NO_X", recording->features);
	CHECK_STR("virtual", recording->clock);
	CHECK_STR("w.json", recording->workload);
	CHECK_STR("0123", recording->hash);
	CHECK_EQ(250, recording->hz);
	CHECK_EQ(1, recording->nr_cpus);
	CHECK_EQ(2, recording->runs);
	CHECK_EQ(4000000000ull, recording->duration_ns);
	CHECK_EQ(3, recording->seed);
	CHECK_EQ(1, recording->tasks.nr);
	CHECK_STR("a", task->name);
	CHECK_EQ(2, task->metrics.nr);
	CHECK_STR("cpu_pct", task->metrics.at[0].name);
	CHECK_EQ(8700120, task->metrics.at[0].values.at[0]);
	CHECK_EQ(641000000, task->metrics.at[1].values.at[1]);
	CHECK_EQ(3, task->wakeup[0].count);
	CHECK(hist_next(&task->wakeup[1], &step));
	CHECK_EQ(7, step.count);
}

TEST(a_recording_is_read)
{
	struct recording recording;
	struct err err = ERR_NONE;

	CHECK_EQ(OK,
		 read_text("{ \"recording\": 1, " HEAD ", \"tasks\": [" TASK "] }", &recording,
			   &err),
		 "%s", err.what);
	check_read(&recording);
	recording_fini(&recording);
}

TEST(a_recording_comes_back_from_a_file)
{
	char path[] = "/tmp/recording-XXXXXX";
	struct recording recording, again;
	struct err err = ERR_NONE;
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	CHECK_EQ(OK, read_text("{ \"recording\": 1, " HEAD ", \"tasks\": [" TASK "] }", &recording,
			       &err));
	CHECK_EQ(OK, recording_write(&recording, path, &err), "%s", err.what);
	CHECK_EQ(OK, recording_read(path, &again, &err), "%s", err.what);
	check_read(&again);
	recording_fini(&recording);
	recording_fini(&again);
	unlink(path);
}

TEST(a_recording_that_cannot_be_written_says_so)
{
	struct recording recording;
	struct err err = ERR_NONE;

	CHECK_EQ(OK, read_text("{ \"recording\": 1, " HEAD ", \"tasks\": [" TASK "] }", &recording,
			       &err));
	CHECK_EQ(ERR_IO, recording_write(&recording, "/nowhere/x", &err));
	CHECK_STR("/nowhere/x", err.file);
	recording_fini(&recording);
}

TEST(what_is_no_recording_is_refused_with_the_reason)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{ "[]", "expected an object { }" },
		{ "{ \"recording\": 2, " HEAD ", \"tasks\": [] }",
		  "\"recording\": expected a whole number from 1 to 1" },
		{ "{ " HEAD ", \"tasks\": [] }", "expected \"recording\" here" },
		{ "{ \"recording\": 1, " HEAD " }", "expected \"tasks\" here" },
		{ "{ \"recording\": 1, " HEAD ", \"tasks\": [ { } ] }", "expected \"name\" here" },
		{ "{ \"recording\": 1, " HEAD ", \"tasks\": [ { \"name\": \"a\", \"x\": [1] } ] }",
		  "\"x\": expected 2 values" },
		{ "{ \"recording\": 1, " HEAD
		  ", \"tasks\": [ { \"name\": \"a\", \"x\": [1, -1] } ] }",
		  "expected a number from 0" },
		{ "{ \"recording\": 1, " HEAD
		  ", \"tasks\": [ { \"name\": \"a\", \"wakeup_ns\": [[1, 1]] } ] }",
		  "expected 2 lists" },
		{ "{ \"recording\": 1, " HEAD
		  ", \"tasks\": [ { \"name\": \"a\", \"wakeup_ns\": [[1], []] } ] }",
		  "expected a delay in ns and how often it was" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct recording recording;
		struct err err = ERR_NONE;

		CHECK_EQ(ERR_FORMAT, read_text(rows[i].text, &recording, &err), "%s", rows[i].text);
		CHECK_STR(rows[i].what, err.what);
		recording_fini(&recording);
	}
}

/* FNV-1a of 64 bits: of nothing its offset, of "a" as its authors' table has it. */
TEST(files_are_told_apart_by_their_bytes)
{
	char path[] = "/tmp/recording-XXXXXX", *hash;
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	CHECK_EQ(OK, recording_hash(path, &hash, NULL));
	CHECK_STR("cbf29ce484222325", hash);
	free(hash);
	CHECK_EQ(1, write(fd, "a", 1));
	close(fd);
	CHECK_EQ(OK, recording_hash(path, &hash, NULL));
	CHECK_STR("af63dc4c8601ec8c", hash);
	free(hash);
	unlink(path);
	CHECK_EQ(ERR_IO, recording_hash(path, &hash, NULL));
	CHECK(!hash);
}
