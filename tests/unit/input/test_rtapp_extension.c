/* SPDX-License-Identifier: GPL-2.0-only */
/* The "fairground" key: docs/workloads.md. */
#include "base/mem.h"
#include "input/workload_file.h"
#include "test.h"

static struct workload *read_parts(const char *global, const char *inside)
{
	char *text = mem_printf("{\"tasks\": {\"a\": {%s}}, \"global\": {\"fairground\": {%s}}}",
				inside, global);
	struct workload *workload = NULL;
	struct err err = ERR_NONE;

	CHECK(!input_workload_text("f", text, strlen(text), &workload, &err), "%s: %s", text,
	      err.what);
	free(text);
	return workload;
}

TEST(distributions_come_with_their_parameters)
{
	static const struct {
		const char *text;
		enum workload_shape shape;
		u64 a, b;
	} rows[] = {
		{ "\"constant\": {\"value_us\": 1.5}", WORKLOAD_CONST, 1500, 0 },
		{ "\"uniform\": {\"low_us\": 1, \"high_us\": 2}", WORKLOAD_UNIFORM, 1000, 2000 },
		{ "\"normal\": {\"mean_us\": 10, \"deviation_us\": 0.001}", WORKLOAD_NORMAL, 10000,
		  1 },
		{ "\"exponential\": {\"mean_us\": 300}", WORKLOAD_EXPONENTIAL, 300000, 0 },
		{ "\"lognormal\": {\"median_us\": 800, \"sigma\": 0.5}", WORKLOAD_LOGNORMAL, 800000,
		  500 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *inside = mem_printf("\"sleep\": {\"fairground\": {%s}}", rows[i].text);
		struct workload *workload = read_parts("", inside);
		const struct workload_amount *amount = &workload->tasks.at[0].events.at[0].amount;

		CHECK_EQ(rows[i].shape, amount->shape, "%s", rows[i].text);
		CHECK_EQ(rows[i].a, amount->a, "%s", rows[i].text);
		CHECK_EQ(rows[i].b, amount->b, "%s", rows[i].text);
		workload_free(workload);
		free(inside);
	}
}

TEST(choices_come_with_their_weights)
{
	struct workload *workload = read_parts(
		"",
		"\"run\": {\"fairground\": {\"choice\": [{\"value_us\": 9}]}}, \"runtime\": {\"fairground\":"
		"{\"choice\": [{\"value_us\": 1, \"weight\": 9}, {\"value_us\": 100}]}}");
	const struct workload_amount *amount = &workload->tasks.at[0].events.at[1].amount;

	CHECK_EQ(WORKLOAD_CHOICE, amount->shape);
	CHECK_EQ(1, amount->first_choice);
	CHECK_EQ(2, amount->nr_choices);
	CHECK_EQ(1000, workload->choices.at[1].value);
	CHECK_EQ(9, workload->choices.at[1].weight);
	CHECK_EQ(100000, workload->choices.at[2].value);
	CHECK_EQ(1, workload->choices.at[2].weight);
	workload_free(workload);
}

TEST(a_timers_period_can_be_drawn)
{
	struct workload *workload = read_parts(
		"",
		"\"timer\": {\"ref\": \"unique\", \"period\": 7, \"fairground\": {\"exponential\": {\"mean_us\": 5}}}");
	const struct workload_event *event = workload->tasks.at[0].events.at;

	CHECK_EQ(WORKLOAD_EXPONENTIAL, event->amount.shape);
	CHECK_EQ(5000, event->amount.a);
	workload_free(workload);
}

/* 2048 bytes at 10.5 ns per KiB are 21 ns; inner levels win and end with their object. */
TEST(costs_hold_for_their_level_and_inside)
{
	struct workload *workload = read_parts(
		"\"costs\": {\"mem_ns_per_kib\": 10.5, \"iorun_ns_per_kib\": 1, \"read_ns_per_kib\": 3,"
		"\"write_ns_per_kib\": 4, \"chase_ns_per_hop\": 80}",
		"\"phases\": {\"p\": {\"mem\": 2048, \"iorun\": 1048576, \"fairground\": {\"costs\": {\"mem_ns_per_kib\": 100}},"
		"\"memrun\": {\"type\": \"chase\", \"size\": 65536, \"stride\": 64, \"count\": 1000},"
		"\"memrun\": {\"type\": \"read\", \"size\": 65536, \"count\": 1024},"
		"\"memrun\": {\"type\": \"write\", \"size\": 65536, \"count\": 2048, \"ref\": \"x\"}},"
		"\"q\": {\"mem\": 2048, \"mem\": 2147483647}}");
	static const u64 want[] = { 200, 1024, 80000, 3, 8, 21, 22020096 - 1 };

	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		CHECK_EQ(want[i], workload->tasks.at[0].events.at[i].amount.a, "event %u", i);
	workload_free(workload);
}

TEST(memory_work_can_be_given_outright)
{
	struct workload *workload = read_parts(
		"",
		"\"mem\": {\"fairground\": {\"constant\": {\"value_us\": 3}}},"
		"\"memrun\": {\"type\": \"chase\", \"size\": 1, \"count\": 1, \"fairground\": {\"exponential\": {\"mean_us\": 2}}}");

	CHECK_EQ(3000, workload->tasks.at[0].events.at[0].amount.a);
	CHECK_EQ(WORKLOAD_EXPONENTIAL, workload->tasks.at[0].events.at[1].amount.shape);
	workload_free(workload);
}

TEST(groups_are_set_up_in_the_kernels_words)
{
	struct workload *workload = read_parts(
		"\"cgroups\": {\"/web\": {\"cpu.weight\": 300, \"cpu.max\": \"50000 20000\", \"cpu.max.burst\": 10000,"
		"\"cpuset.cpus\": \"0-2,5\"}, \"/web/batch\": {\"cpu.idle\": 1, \"cpu.max\": \"max\"},"
		"\"/x\": {\"cpu.max\": \"30000\", \"cpu.idle\": 0}}",
		"\"run\": 1, \"taskgroup\": \"/web/batch\"");
	const struct workload_cgroup *groups = workload->cgroups.at;

	CHECK_EQ(3, workload->cgroups.nr);
	CHECK_EQ(300, groups[0].weight);
	CHECK_EQ(50000000, groups[0].quota_ns);
	CHECK_EQ(20000000, groups[0].period_ns);
	CHECK_EQ(10000000, groups[0].burst_ns);
	CHECK_EQ(4, groups[0].cpus->nr);
	CHECK_EQ(5, groups[0].cpus->at[3]);
	CHECK_EQ(0, groups[1].weight, "idle");
	CHECK_EQ(0, groups[1].quota_ns);
	CHECK_EQ(0, groups[1].parent);
	CHECK_EQ(100, groups[2].weight);
	CHECK_EQ(30000000, groups[2].quota_ns);
	CHECK_EQ(100000000, groups[2].period_ns, "the kernel's default");
	CHECK_EQ(1, workload->tasks.at[0].attr.cgroup);
	workload_free(workload);
}

/* The values that Alibaba's kernels give to the older file. */
TEST(groups_have_identities)
{
	struct workload *workload =
		read_parts("\"cgroups\": {\"/a\": {\"cpu.identity\": 10}, \"/b\": {}, "
			   "\"/c\": {\"cpu.bvt_warp_ns\": 2}, \"/d\": {\"cpu.bvt_warp_ns\": 1}, "
			   "\"/e\": {\"cpu.bvt_warp_ns\": 0}, \"/f\": {\"cpu.bvt_warp_ns\": -1}, "
			   "\"/g\": {\"cpu.bvt_warp_ns\": -2}}",
			   "\"run\": 1");
	static const u32 want[] = { 10, 0, 22, 18, 0, 9, 9 };

	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		CHECK_EQ(want[i], workload->cgroups.at[i].identity, "%zu", i);
	workload_free(workload);
}

TEST(changes_of_the_machine_come_in_order)
{
	struct workload *workload = read_parts(
		"\"cgroups\": {\"/web\": {}}, \"changes\": [{\"at_us\": 500, \"offline\": 3},"
		"{\"at_us\": 500, \"cgroup\": \"/web\", \"cpuset.cpus\": \"0-1\"},"
		"{\"at_us\": 900000, \"online\": 3}]",
		"\"run\": 1");
	const struct workload_change *changes = workload->changes.at;

	CHECK_EQ(3, workload->changes.nr);
	CHECK_EQ(WORKLOAD_CPU_OFFLINE, changes[0].what);
	CHECK_EQ(500000, changes[0].time_ns);
	CHECK_EQ(3, changes[0].cpu);
	CHECK_EQ(WORKLOAD_CPUSET, changes[1].what);
	CHECK_EQ(0, changes[1].cgroup);
	CHECK_EQ(2, changes[1].cpus->nr);
	CHECK_EQ(WORKLOAD_CPU_ONLINE, changes[2].what);
	CHECK_EQ(900000000, changes[2].time_ns);
	workload_free(workload);
}

TEST(tasks_can_share_what_their_threads_are_called)
{
	struct workload *workload =
		read_parts("", "\"fairground\": {\"comm\": \"shared\"}, \"run\": 1");

	CHECK_STR("a", workload->tasks.at[0].name);
	CHECK_STR("shared", workload_comm(&workload->tasks.at[0]));
	workload_free(workload);
	workload = read_parts("", "\"run\": 1");
	CHECK_STR("a", workload_comm(&workload->tasks.at[0]));
	workload_free(workload);
}

TEST(tasks_can_be_of_processes_of_their_own)
{
	struct workload *workload =
		read_parts("", "\"fairground\": {\"process\": \"p\"}, \"run\": 1");
	const struct workload_task *task = workload->tasks.at;
	struct workload_task other = { .process = mem_strdup("p") }, none = { 0 };

	CHECK_STR("p", task->process);
	CHECK(workload_one_process(task, &other), "of one name");
	CHECK(!workload_one_process(task, &none), "and of none");
	CHECK(workload_one_process(&none, &none), "of none");
	other.process[0] = 'q';
	CHECK(!workload_one_process(task, &other), "of two names");
	free(other.process);
	workload_free(workload);
}

TEST(marks_stand_where_their_key_stands)
{
	struct workload *workload = read_parts(
		"",
		"\"fairground\": {\"begin\": {\"chain\": \"frame\"}}, \"run\": 1,"
		"\"fairground1\": {\"end\": {\"section\": \"s\"}, \"begin\": {\"section\": \"t\", \"request\": \"r\"}},"
		"\"run\": 2, \"fairground\": {\"end\": {\"chain\": \"frame\"}}");
	static const struct {
		enum workload_op op;
		u32 target, mode;
		const char *mark;
	} want[] = {
		{ WORKLOAD_OP_MARK, WORKLOAD_MARK_CHAIN, 1, "frame" },
		{ WORKLOAD_OP_RUN, 0, 0, NULL },
		{ WORKLOAD_OP_MARK, WORKLOAD_MARK_SECTION, 0, "s" },
		{ WORKLOAD_OP_MARK, WORKLOAD_MARK_SECTION, 1, "t" },
		{ WORKLOAD_OP_MARK, WORKLOAD_MARK_REQUEST, 1, "r" },
		{ WORKLOAD_OP_RUN, 0, 0, NULL },
		{ WORKLOAD_OP_MARK, WORKLOAD_MARK_CHAIN, 0, "frame" },
	};

	CHECK_EQ(ARRAY_SIZE(want), workload->tasks.at[0].events.nr);
	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		const struct workload_event *event = &workload->tasks.at[0].events.at[i];

		CHECK_EQ(want[i].op, event->op, "event %u", i);
		CHECK_EQ(want[i].target, event->target, "event %u", i);
		CHECK_EQ(want[i].mode, event->mode, "event %u", i);
		CHECK(!want[i].mark || !strcmp(want[i].mark, event->mark), "event %u", i);
	}
	workload_free(workload);
}

TEST(interrupts_have_a_cpu_a_period_and_a_duration)
{
	struct workload *workload = read_parts(
		"\"interrupts\": {\"disk\": {\"cpu\": 2, \"period\": 1000, \"duration\": 25.5}, "
		"\"nic\": {\"cpu\": 0, \"duration\": 3, \"period\": "
		"{\"fairground\": {\"exponential\": {\"mean_us\": 200}}}}}",
		"\"run\": 1");
	const struct workload_interrupt *at = workload->interrupts.at;

	CHECK_EQ(2, workload->interrupts.nr);
	CHECK_STR("disk", at[0].name);
	CHECK_EQ(2, at[0].cpu);
	CHECK_EQ(WORKLOAD_CONST, at[0].period.shape);
	CHECK_EQ(1000000, at[0].period.a);
	CHECK_EQ(25500, at[0].duration.a);
	CHECK_EQ(WORKLOAD_EXPONENTIAL, at[1].period.shape);
	CHECK_EQ(200000, at[1].period.a);
	workload_free(workload);
}

TEST(clocks_are_limited_by_changes)
{
	struct workload *workload = read_parts(
		"\"changes\": [{\"at_us\": 5, \"limit\": 2, \"max_khz\": 600000}]", "\"run\": 1");

	CHECK_EQ(WORKLOAD_LIMIT, workload->changes.at[0].what);
	CHECK_EQ(2, workload->changes.at[0].cpu);
	CHECK_EQ(600000, workload->changes.at[0].khz);
	workload_free(workload);
	workload =
		read_parts("\"changes\": [{\"at_us\": 5, \"hardware_limit\": 1, \"max_khz\": 7}]",
			   "\"run\": 1");
	CHECK_EQ(WORKLOAD_HARDWARE_LIMIT, workload->changes.at[0].what);
	CHECK_EQ(1, workload->changes.at[0].cpu);
	CHECK_EQ(7, workload->changes.at[0].khz);
	workload_free(workload);
}
