/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/program.h"

#include <stdlib.h>

#include "input/workload_file.h"
#include "test.h"

/* Something of everything that a program carries. */
static const char text[] =
	"{ 'global' : { 'duration' : 3, 'fairground' : { 'cgroups' : { '/a' : { 'cpu.weight' : 50,"
	" 'cpu.max' : '2000 10000' } } } },"
	" 'tasks' : {"
	"  'one' : { 'instance' : 2, 'delay' : 7, 'cpus' : [ 0, 3 ], 'taskgroup' : '/a', 'priority' : 5,"
	"   'dl-runtime' : 2000, 'loop' : 9, 'run' : { 'fairground' : { 'choice' : ["
	"     { 'value_us' : 10, 'weight' : 3 }, { 'value_us' : 20 } ] } },"
	"   'timer' : { 'ref' : 'unique', 'period' : 1000, 'mode' : 'absolute' }, 'fork' : 'two',"
	"   'fairground' : { 'begin' : { 'chain' : 'frame' } } },"
	"  'two' : { 'instance' : 0, 'phases' : { 'p' : { 'loop' : 2, 'lock' : 'm', 'unlock' : 'm',"
	"    'yield' : '' }, 'q' : { 'priority' : -3, 'sleep' : 5 } } } } }";

static struct workload *read_workload(void)
{
	struct workload *workload = NULL;
	struct err err = ERR_NONE;
	char *copy = mem_strdup(text);

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	CHECK_EQ(OK, input_workload_text("w", copy, strlen(copy), &workload, &err), "%s", err.what);
	free(copy);
	return workload;
}

static struct program_bytes written(void)
{
	struct program program = { .duration_ns = 11, .seed = 12, .runs = 14, .buffer_kib = 13 };
	struct program_bytes out = { 0 };

	program.features = mem_strdup("NO_X,Y");
	program.workload = read_workload();
	program_write(&program, &out);
	program_fini(&program);
	return out;
}

TEST(a_program_comes_back_as_it_was)
{
	struct program_bytes out = written(), again = { 0 };
	struct program program;
	struct err err = ERR_NONE;

	CHECK_EQ(OK, program_read(&program, out.bytes.at, out.bytes.nr, &err), "%s", err.what);
	program_write(&program, &again);
	CHECK_EQ(out.bytes.nr, again.bytes.nr);
	CHECK(!memcmp(out.bytes.at, again.bytes.at, out.bytes.nr));
	program_fini(&program);
	vec_free(&out.bytes);
	vec_free(&again.bytes);
}

TEST(a_program_carries_what_the_file_says)
{
	struct program_bytes out = written();
	struct program program;
	const struct workload_task *one;

	CHECK_EQ(OK, program_read(&program, out.bytes.at, out.bytes.nr, NULL));
	one = &program.workload->tasks.at[0];
	CHECK_EQ(11, program.duration_ns);
	CHECK_EQ(12, program.seed);
	CHECK_EQ(13, program.buffer_kib);
	CHECK_EQ(14, program.runs);
	CHECK_STR("NO_X,Y", program.features);
	CHECK_STR("one", one->name);
	CHECK_EQ(2, one->instances);
	CHECK_EQ(7000, one->delay_ns);
	CHECK_EQ(9, one->phases.at[0].loop);
	CHECK_EQ(5, one->attr.nice);
	CHECK_EQ(2000000, one->attr.slice_ns);
	CHECK_EQ(2, one->attr.cpus->nr);
	CHECK_EQ(3, one->attr.cpus->at[1]);
	CHECK_EQ(WORKLOAD_OP_RUN, one->events.at[0].op);
	CHECK_EQ(2, one->events.at[0].amount.nr_choices);
	CHECK_EQ(20000, program.workload->choices.at[1].value);
	CHECK_EQ(WORKLOAD_TIMER_ABSOLUTE, one->events.at[1].mode);
	CHECK_EQ(1, one->events.at[2].target);
	CHECK_STR("frame", one->events.at[3].mark);
	CHECK_EQ(50, program.workload->cgroups.at[0].weight);
	CHECK_EQ(-3, program.workload->tasks.at[1].phases.at[1].attr.nice);
	program_fini(&program);
	vec_free(&out.bytes);
}

TEST(a_cut_program_is_refused_wherever_it_is_cut)
{
	struct program_bytes out = written();

	for (size_t size = 0; size < out.bytes.nr; size++) {
		struct program program;
		u8 *cut = mem_zalloc(size);

		memcpy(cut, out.bytes.at, size);
		CHECK_EQ(ERR_FORMAT, program_read(&program, cut, size, NULL), "%zu bytes", size);
		program_fini(&program);
		free(cut);
	}
	vec_free(&out.bytes);
}

TEST(a_program_of_another_build_is_refused)
{
	struct program_bytes out = written();
	struct program program;
	struct err err = ERR_NONE;

	out.bytes.at[0] ^= 1;
	CHECK_EQ(ERR_FORMAT, program_read(&program, out.bytes.at, out.bytes.nr, &err));
	CHECK(strstr(err.what, "same build"), "%s", err.what);
	program_fini(&program);
	vec_free(&out.bytes);
}
