/* SPDX-License-Identifier: GPL-2.0-only */
/* What a workload file must not say: each with the line and the words that help. */
#include "input/workload_file.h"
#include "test.h"

static void refuses(const char *text, u64 line, const char *said)
{
	struct workload *workload = NULL;
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_FORMAT, input_workload_text("f", text, strlen(text), &workload, &err), "%s",
		 text);
	CHECK(!workload);
	CHECK(strstr(err.what, said), "%s: %s", text, err.what);
	CHECK_STR("f", err.file);
	CHECK_EQ(line, err.at, "%s: %s", text, err.what);
}

/* The content of a task, on line 2. */
static void refuses_task(const char *inside, const char *said)
{
	char *text = mem_printf("{\"tasks\": {\"a\": {\n%s\n}}}", inside);

	refuses(text, 2, said);
	free(text);
}

TEST(documents_that_are_none_are_refused)
{
	refuses("[1]", 1, "expected an object");
	refuses("{\"global\": {\"duration\": 1}}", 1, "fragment");
	refuses("{\"tasks\": {}}", 1, "at least one task");
	refuses("{\"tasks\": [1]}", 1, "expected an object");
	refuses("{\"tasks\": {\"a\": 5}}", 1, "\"a\": expected an object");
	refuses("{\"tasks\": {\"a\": {\"run\": 1}},\n\"x\": 1}", 2, "unknown key \"x\"");
	refuses("{\"tasks\": {\"a\": {\"run\": 1}},\n\"tasks\": {}}", 2, "given twice");
	refuses("{\"tasks\": {\"a\": {\"run\": 1}}", 1, "expected , or }");
}

TEST(global_keys_are_checked)
{
	static const struct {
		const char *inside, *said;
	} rows[] = {
		{ "\"nonsense\": 1",
		  "unknown key \"nonsense\" in \"global\"; expected one of: duration" },
		{ "\"duration\": \"long\"", "\"duration\": expected a whole number from -1" },
		{ "\"default_policy\": \"SCHED_FAIR\"", "expected SCHED_OTHER" },
		{ "\"calibration\": true", "CPU<number>" },
		{ "\"pi_enabled\": true", "no priority inheritance" },
		{ "\"lock_pages\": 1", "expected true or false" },
		{ "\"duration\": 1, \"duration\": 2", "\"duration\" is given twice" },
		{ "\"fairground\": {\"clients\": {}}", "\"clients\": not yet" },
		{ "\"fairground\": {\"interrupts\": {\"a\": {\"cpu\": 0, \"period\": 5}}}",
		  "\"a\": expected \"duration\" in it" },
		{ "\"fairground\": {\"interrupts\": {\"a\": {\"period\": 5, \"duration\": 1}}}",
		  "\"a\": expected \"cpu\" in it" },
		{ "\"fairground\": {\"interrupts\": {\"a\": {\"cpu\": 0, \"period\": 0.9, "
		  "\"duration\": 1}}}",
		  "expected 1 us and more" },
		{ "\"fairground\": {\"nonsense\": {}}", "unknown key \"nonsense\"" },
		{ "\"fairground\": {\"costs\": {\"mem\": 1}}", "unknown cost \"mem\"" },
		{ "\"fairground\": {\"costs\": {\"mem_ns_per_kib\": -1}}", "from 0 to 1000000" },
		{ "\"fairground\": {\"cgroups\": {\"a\": {}}}", "path like \"/a/b\"" },
		{ "\"fairground\": {\"cgroups\": {\"/\": {}}}", "the root has no settings" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.weight\": 0}}}",
		  "from 1 to 10000" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.shares\": 1}}}",
		  "unknown key \"cpu.shares\"" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.max\": \"500\"}}}",
		  "QUOTA of 1000" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.max\": \"-5000\"}}}",
		  "QUOTA PERIOD" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.max\": \"5000 10\"}}}",
		  "QUOTA PERIOD" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.max\": \"max foo\"}}}",
		  "QUOTA PERIOD" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.max.burst\": 5}}}",
		  "at most the quota" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.identity\": 32}}}",
		  "from 0 to 31" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.identity\": 3}}}",
		  "underclass (1) and highclass (2), not both" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.bvt_warp_ns\": 3}}}",
		  "from -2 to 2" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpu.identity\": 2, "
		  "\"cpu.bvt_warp_ns\": 1}}}",
		  "\"cpu.identity\" or \"cpu.bvt_warp_ns\"" },
		{ "\"fairground\": {\"changes\": {}}", "\"changes\": expected an array" },
		{ "\"fairground\": {\"changes\": [5]}", "expected an object" },
		{ "\"fairground\": {\"changes\": [{\"offline\": 1}]}", "expected \"at_us\"" },
		{ "\"fairground\": {\"changes\": [{\"at_us\": 1}]}",
		  "expected one of \"offline\"" },
		{ "\"fairground\": {\"changes\": [{\"at_us\": 1, \"offline\": 1, \"online\": 1}]}",
		  "expected one of \"offline\"" },
		{ "\"fairground\": {\"changes\": [{\"at_us\": 1, \"cgroup\": \"/a\"}]}",
		  "with \"cpuset.cpus\"" },
		{ "\"fairground\": {\"changes\": [{\"at_us\": 1, \"cgroup\": \"/\", \"cpuset.cpus\": "
		  "\"0\"}]}",
		  "the root has all CPUs" },
		{ "\"fairground\": {\"changes\": [{\"at_us\": 1, \"offline\": 4096}]}",
		  "from 0 to 4095" },
		{ "\"fairground\": {\"changes\": [{\"at_us\": 2, \"offline\": 1}, {\"at_us\": 1, "
		  "\"online\": 1}]}",
		  "in the order of their times" },
		{ "\"fairground\": {\"changes\": [{\"at_us\": 1, \"offline\": 1, \"x\": 1}]}",
		  "unknown key \"x\"" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpuset.cpus\": \"3-1\"}}}",
		  "\"0-3,5\"" },
		{ "\"fairground\": {\"cgroups\": {\"/a\": {\"cpuset.cpus\": \"4096\"}}}",
		  "\"0-3,5\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = mem_printf("{\"tasks\": {\"a\": {\"run\": 1}}, \"global\": {\n%s}}",
					rows[i].inside);

		refuses(text, 2, rows[i].said);
		free(text);
	}
}

TEST(tasks_and_phases_are_checked)
{
	refuses("{\"tasks\": {\n\"a\": {\"loop\": 1}}}", 2, "\"a\": expected at least one event");
	refuses("{\"tasks\": {\"a\": {\n\"phases\": {}}}}", 2, "at least one phase");
	refuses("{\"tasks\": {\"a\": {\"phases\": {\n\"p\": {}}}}}", 2,
		"\"p\": expected at least one event");
	refuses_task("\"comment\": \"x\", \"run\": 1", "unknown key \"comment\" in task \"a\"");
	refuses_task("\"phases\": {\"p\": {\"run\": 1, \"instance\": 2}}",
		     "unknown key \"instance\"");
	refuses_task("\"phases\": {\"p\": {\"run\": 1}}, \"run\": 1",
		     "event \"run\" beside \"phases\"");
	refuses_task(
		"\"phases\": {\"p\": {\"run\": 1}}, \"fairground\": {\"begin\": {\"chain\": \"c\"}}",
		"beside \"phases\"");
	refuses_task("\"fairground\": {\"comm\": \"a-name-of-16-byt\"}, \"run\": 1",
		     "\"comm\": expected 1 to 15 bytes");
	refuses_task("\"fairground\": {\"comm\": \"\"}, \"run\": 1", "1 to 15 bytes");
	refuses_task("\"fairground\": {\"process\": \"\"}, \"run\": 1",
		     "\"process\": expected a name");
	refuses_task("\"fairground\": {\"process\": \"x\"}, \"run\": 1,"
		     "\"fairground1\": {\"process\": \"y\"}",
		     "\"process\": expected once");
	refuses_task("\"phases\": {\"p\": {\"fairground\": {\"process\": \"x\"}, \"run\": 1}}",
		     "unknown key \"process\"");
	refuses_task("\"phases\": {\"p\": {\"fairground\": {\"comm\": \"x\"}, \"run\": 1}}",
		     "unknown key \"comm\"");
	refuses_task(
		"\"fairground\": {\"comm\": \"x\"}, \"run\": 1, \"fairground1\": {\"comm\": \"y\"}",
		"\"comm\": expected once");
	refuses_task("\"loop\": 0, \"run\": 1", "\"loop\": expected -1 (for ever) or 1 and more");
	refuses_task("\"loop\": 1, \"loop\": 2, \"run\": 1", "\"loop\" is given twice");
	refuses_task("\"instance\": -1, \"run\": 1",
		     "\"instance\": expected a whole number from 0 to 65536");
	refuses_task("\"delay\": 0.5, \"run\": 1", "\"delay\": expected a whole number");
	refuses("{\"tasks\": {\"a\": {\"instance\": 60000, \"run\": 1},\n\"b\": {\"instance\": 6000, \"run\": 1}}}",
		2, "at most 65536 threads");
}

TEST(obsolete_grammar_is_refused_by_name)
{
	refuses_task("\"exec\": 5",
		     "\"exec\" is obsolete rt-app grammar; expected today's: write \"run\"");
	refuses_task("\"run\": 1, \"period\": 5", "\"period\" is obsolete");
	refuses_task("\"run\": 1, \"deadline\": 5", "write \"dl-deadline\"");
	refuses_task("\"lock_order\": [\"a\"]", "\"lock_order\" is obsolete");
	refuses_task("\"run\": 1, \"resources\": {}", "\"resources\" is obsolete");
	refuses_task("\"run\": 1, \"sleep\": false", "\"sleep\" as true or false is obsolete");
	refuses("{\"tasks\": {\"a\": {\"run\": 1}}, \"resources\": {\n\"t\": {\"type\": \"signal\", \"target\": \"w\"}}}",
		2, "has a \"target\": obsolete");
	refuses("{\"tasks\": {\"a\": {\"run\": 1}}, \"resources\": {\n\"t\": {\"type\": \"run\"}}}",
		2, "resource type \"run\": expected mutex");
	refuses("{\"tasks\": {\"a\": {\"run\": 1}}, \"resources\": {\n\"t\": {}}}", 2,
		"expected a \"type\"");
}

TEST(attributes_are_checked)
{
	static const struct {
		const char *inside, *said;
	} rows[] = {
		{ "\"policy\": \"FIFO\"", "policy \"FIFO\": expected SCHED_OTHER" },
		{ "\"policy\": 1", "\"policy\": expected a string" },
		{ "\"priority\": 20", "\"priority\": expected a whole number from -20 to 19" },
		{ "\"policy\": \"SCHED_RR\", \"priority\": 0", "from 1 to 99" },
		{ "\"policy\": \"SCHED_IDLE\", \"dl-runtime\": 5",
		  "\"dl-runtime\" means nothing with SCHED_IDLE" },
		{ "\"policy\": \"SCHED_FIFO\", \"dl-runtime\": 5",
		  "means nothing with SCHED_FIFO" },
		{ "\"dl-period\": 5", "\"dl-period\" means nothing with SCHED_OTHER" },
		{ "\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 5, \"dl-deadline\": 4",
		  "dl-runtime <= dl-deadline" },
		{ "\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 0", "0 < dl-runtime" },
		{ "\"util_min\": 1025", "from -1 to 1024" },
		{ "\"util_min\": 600, \"util_max\": 500", "util_min <= util_max" },
		{ "\"cpus\": 3", "\"cpus\": expected an array" },
		{ "\"cpus\": []", "at least one CPU" },
		{ "\"cpus\": [-1]", "expected a whole number from 0 to 4095" },
		{ "\"cpus\": [\"0\"]", "expected a whole number from 0 to 4095" },
		{ "\"taskgroup\": \"a\"", "path like \"/a/b\"" },
		{ "\"taskgroup\": \"/a/../b\"", "path like \"/a/b\"" },
		{ "\"taskgroup\": \"/a//b\"", "path like \"/a/b\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *inside = mem_printf("%s, \"run\": 1", rows[i].inside);

		refuses_task(inside, rows[i].said);
		free(inside);
	}
	refuses("{\"tasks\": {\n\"a\": {\"policy\": \"SCHED_DEADLINE\", \"run\": 1}}}", 2,
		"\"dl-runtime\"");
	refuses("{\"tasks\": {\"a\": {\"taskgroup\": \"/g\", \"phases\": {\"p\": {\"run\": 1},\n"
		"\"q\": {\"policy\": \"SCHED_FIFO\", \"run\": 1}}}}}",
		2, "in a taskgroup, found SCHED_FIFO");
}

TEST(events_are_checked)
{
	static const struct {
		const char *inside, *said;
	} rows[] = {
		{ "\"run\"", "\"run\": expected a whole number from 0 to 2147483647" },
		{ "\"run\": \"5\"", "\"run\": expected a whole number" },
		{ "\"run\": -1", "\"run\": expected a whole number" },
		{ "\"run\": 2147483648", "\"run\": expected a whole number" },
		{ "\"run\": {}", "expected a number, or { \"fairground\"" },
		{ "\"lock\": 5", "\"lock\": expected a string" },
		{ "\"resume\"", "\"resume\": expected a string" },
		{ "\"wait\": {\"ref\": \"c\"}", "\"wait\": expected \"mutex\" in it" },
		{ "\"sync\": {\"mutex\": \"c\"}", "\"sync\": expected \"ref\" in it" },
		{ "\"wait\": \"c\"", "\"wait\": expected an object" },
		{ "\"timer\": {\"ref\": \"t\"}", "\"timer\": expected \"period\" in it" },
		{ "\"timer\": {\"ref\": \"t\", \"period\": 1, \"mode\": \"x\"}",
		  "expected relative, absolute or skip" },
		{ "\"timer\": {\"ref\": \"t\", \"period\": 1, \"phase\": 1}",
		  "unknown key \"phase\" in a timer" },
		{ "\"timer\": 5", "\"timer\": expected an object" },
		{ "\"fork\": \"nobody\"",
		  "\"fork\": expected the name of a task, found \"nobody\"" },
		{ "\"yield\": 5", "\"yield\": expected a string" },
		{ "\"mem\": 5", "\"mem\": expected its cost" },
		{ "\"iorun\": 5", "\"iorun_ns_per_kib\"" },
		{ "\"memrun\": {\"type\": \"chase\", \"size\": 1, \"count\": 1}",
		  "\"chase_ns_per_hop\"" },
		{ "\"memrun\": {\"type\": \"x\", \"size\": 1, \"count\": 1}",
		  "expected read, write or chase" },
		{ "\"memrun\": {\"type\": \"read\"}", "expected \"count\" in it" },
		{ "\"memrun\": {}", "expected \"type\" in it" },
		{ "\"memrun\": 5", "\"memrun\": expected an object" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		refuses_task(rows[i].inside, rows[i].said);
	refuses("{\"tasks\": {\"a\": {\"instance\": 0, \"barrier\": \"b\"}}}", 0,
		"forked tasks only");
}

TEST(extensions_are_checked)
{
	static const struct {
		const char *inside, *said;
	} rows[] = {
		{ "\"run\": {\"fairground\": 5}", "expected an object" },
		{ "\"run\": {\"fairground\": {}}", "expected one distribution" },
		{ "\"run\": {\"fairground\": {\"pareto\": {}}}",
		  "unknown distribution \"pareto\"" },
		{ "\"run\": {\"fairground\": {\"uniform\": {\"low_us\": 5}}}",
		  "\"uniform\": expected \"high_us\" in it" },
		{ "\"run\": {\"fairground\": {\"uniform\": {\"low_us\": 5, \"high_us\": 4}}}",
		  "low_us <= high_us" },
		{ "\"run\": {\"fairground\": {\"lognormal\": {\"median_us\": 5, \"sigma\": 4}}}",
		  "from 0 to 3" },
		{ "\"run\": {\"fairground\": {\"exponential\": {\"mean\": 5}}}",
		  "unknown key \"mean\" in exponential" },
		{ "\"run\": {\"fairground\": {\"choice\": []}}", "expected 1 to 1024 values" },
		{ "\"run\": {\"fairground\": {\"choice\": [{}]}}", "expected \"value_us\"" },
		{ "\"run\": {\"fairground\": {\"choice\": {}}}", "expected an array" },
		{ "\"run\": 1, \"fairground\": {\"middle\": {}}", "unknown key \"middle\"" },
		{ "\"run\": 1, \"fairground\": {\"begin\": {\"thing\": \"x\"}}",
		  "unknown key \"thing\" in a mark" },
		{ "\"run\": 1, \"fairground\": {\"begin\": {\"chain\": 5}}",
		  "\"chain\": expected a string" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		refuses_task(rows[i].inside, rows[i].said);
}

TEST(a_missing_file_is_an_io_error)
{
	struct workload *workload;
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_IO, input_workload("/nonexistent/x.json", &workload, &err));
	CHECK_STR("/nonexistent/x.json", err.file);
}
