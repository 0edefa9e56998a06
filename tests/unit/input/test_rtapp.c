/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workload files against rt-app's grammar: doc/tutorial.txt and
 * src/rt-app_parse_config.c, src/rt-app.c.
 */
#include "events/event.h"
#include "input/workload_file.h"
#include "doc_block.h"

static struct workload *read_text(const char *text)
{
	struct workload *workload = NULL;
	struct err err = ERR_NONE;

	CHECK(!input_workload_text("f", text, strlen(text), &workload, &err), "%s: line %llu: %s",
	      text, err.at, err.what);
	return workload;
}

/* One task "a" with what @inside says. */
static struct workload *read_task(const char *inside)
{
	char *text = mem_printf("{\"tasks\": {\"a\": {%s}}}", inside);
	struct workload *workload = read_text(text);

	free(text);
	return workload;
}

static const struct workload_event *event_at(const struct workload *workload, u32 i)
{
	CHECK(i < workload->tasks.at[0].events.nr);
	return &workload->tasks.at[0].events.at[i];
}

static const struct workload_object *object_of(const struct workload *workload, u32 index)
{
	CHECK(index < workload->objects.nr);
	return &workload->objects.at[index];
}

/* Defaults of a task: rt-app's get_int_value_from(..., default). */
TEST(a_task_has_rt_apps_defaults)
{
	struct workload *workload = read_task("\"run\": 10");
	const struct workload_task *task = workload->tasks.at;

	CHECK_STR("a", task->name);
	CHECK_EQ(1, task->instances);
	CHECK_EQ(0, task->delay_ns);
	CHECK_EQ(WORKLOAD_FOREVER, task->loop);
	CHECK_EQ(1, task->phases.nr);
	CHECK_EQ(1, task->phases.at[0].loop);
	CHECK_EQ(EVENT_POLICY_NORMAL, task->attr.policy);
	CHECK_EQ(0, task->attr.nice);
	CHECK_EQ(0, task->attr.slice_ns);
	CHECK_EQ(-1, task->attr.cgroup);
	CHECK_EQ(-1, task->attr.util_min);
	CHECK(!task->attr.cpus);
	CHECK_EQ(0, workload->duration_ns);
	workload_free(workload);
}

TEST(every_event_is_read_in_file_order)
{
	static const struct {
		const char *text;
		enum workload_op op;
		u64 ns;
	} rows[] = {
		{ "\"run\": 1", WORKLOAD_OP_RUN, 1000 },
		{ "\"run0\": 2", WORKLOAD_OP_RUN, 2000 },
		{ "\"run_a\": 3", WORKLOAD_OP_RUN, 3000 },
		{ "\"run\": 4", WORKLOAD_OP_RUN, 4000 },
		{ "\"runtime\": 5", WORKLOAD_OP_RUNTIME, 5000 },
		{ "\"runtime7\": 6", WORKLOAD_OP_RUNTIME, 6000 },
		{ "\"sleep\": 2147483647", WORKLOAD_OP_SLEEP, 2147483647000 },
		{ "\"execve\"", WORKLOAD_OP_EXECVE, 0 },
		{ "\"iowait\": 7", WORKLOAD_OP_IOWAIT, 7000 },
		{ "\"timer1\": {\"ref\": \"t\", \"period\": 8}", WORKLOAD_OP_TIMER, 8000 },
		{ "\"lock\": \"m\"", WORKLOAD_OP_LOCK, 0 },
		{ "\"unlock\": \"m\"", WORKLOAD_OP_UNLOCK, 0 },
		{ "\"wait\": {\"ref\": \"c\", \"mutex\": \"m\"}", WORKLOAD_OP_WAIT, 0 },
		{ "\"signal\": \"c\"", WORKLOAD_OP_SIGNAL, 0 },
		{ "\"broad\": \"c\"", WORKLOAD_OP_BROAD, 0 },
		{ "\"broadcast\": \"c\"", WORKLOAD_OP_BROAD, 0 },
		{ "\"sync\": {\"ref\": \"c\", \"mutex\": \"m\"}", WORKLOAD_OP_SYNC, 0 },
		{ "\"barrier\": \"b\"", WORKLOAD_OP_BARRIER, 0 },
		{ "\"suspend\"", WORKLOAD_OP_SUSPEND, 0 },
		{ "\"resume\": \"a\"", WORKLOAD_OP_RESUME, 0 },
		{ "\"yield\"", WORKLOAD_OP_YIELD, 0 },
		{ "\"yield\": \"\"", WORKLOAD_OP_YIELD, 0 },
		{ "\"fork\": \"a\"", WORKLOAD_OP_FORK, 0 },
		{ "\"sem_post\": \"s\"", WORKLOAD_OP_SEM_POST, 0 },
		{ "\"sem_wait\": \"s\"", WORKLOAD_OP_SEM_WAIT, 0 },
	};
	char inside[2000] = "";
	struct workload *workload;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		strcat(strcat(inside, i ? ", " : ""), rows[i].text);
	workload = read_task(inside);
	CHECK_EQ(ARRAY_SIZE(rows), workload->tasks.at[0].events.nr);
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(rows[i].op, event_at(workload, i)->op, "%s", rows[i].text);
		CHECK_EQ(rows[i].ns, event_at(workload, i)->amount.a, "%s", rows[i].text);
		CHECK_EQ(i, event_at(workload, i)->site);
	}
	workload_free(workload);
}

TEST(objects_are_shared_by_name_and_kind)
{
	struct workload *workload =
		read_task("\"lock\": \"x\", \"wait\": {\"ref\": \"x\", \"mutex\": \"x\"},"
			  "\"signal\": \"x\", \"unlock\": \"x\", \"sem_post\": \"x\","
			  "\"sem_wait\": \"x\", \"barrier\": \"x\"");
	u32 mutex = event_at(workload, 0)->object, cond = event_at(workload, 1)->object;

	CHECK_EQ(4, workload->objects.nr);
	CHECK_EQ(WORKLOAD_OBJECT_MUTEX, object_of(workload, mutex)->kind);
	CHECK_EQ(WORKLOAD_NO_OBJECT, event_at(workload, 0)->mutex);
	CHECK_EQ(WORKLOAD_OBJECT_COND, object_of(workload, cond)->kind);
	CHECK_EQ(mutex, event_at(workload, 1)->mutex);
	CHECK_EQ(cond, event_at(workload, 2)->object);
	CHECK_EQ(mutex, event_at(workload, 3)->object);
	CHECK_EQ(event_at(workload, 4)->object, event_at(workload, 5)->object);
	CHECK_EQ(WORKLOAD_OBJECT_SEM, object_of(workload, event_at(workload, 4)->object)->kind);
	CHECK_EQ(0, object_of(workload, event_at(workload, 4)->object)->count);
	CHECK_STR("x", object_of(workload, cond)->name);
	workload_free(workload);
}

/* A bare suspend waits on its task's name (workgen), a named one on that. */
TEST(suspend_and_resume_meet_by_name)
{
	struct workload *workload = read_text(
		"{\"tasks\": {\"a\": {\"suspend\", \"suspend\": \"b\", \"suspend\": \"\"},"
		"\"b\": {\"resume\": \"a\", \"resume\": \"b\", \"suspend\"}}}");
	const struct workload_event *a = workload->tasks.at[0].events.at;
	const struct workload_event *b = workload->tasks.at[1].events.at;

	CHECK_EQ(a[0].object, b[0].object);
	CHECK_EQ(a[0].mutex, b[0].mutex);
	CHECK_EQ(a[1].object, b[1].object);
	CHECK_EQ(a[2].object, a[0].object);
	CHECK_EQ(b[2].object, b[1].object);
	CHECK_STR("a", object_of(workload, a[0].object)->name);
	CHECK_EQ(WORKLOAD_OBJECT_MUTEX, object_of(workload, a[0].mutex)->kind);
	workload_free(workload);
}

TEST(unique_timers_are_each_threads_own)
{
	struct workload *workload = read_text(
		"{\"tasks\": {\"a\": {\"timer\": {\"ref\": \"unique\", \"period\": 1},"
		"\"timer\": {\"ref\": \"uniqueB\", \"period\": 2}, \"timer\": {\"ref\": \"unique\", \"period\": 3},"
		"\"timer\": {\"ref\": \"tick\", \"period\": 4}},"
		"\"b\": {\"timer\": {\"ref\": \"unique\", \"period\": 1},"
		"\"timer\": {\"ref\": \"tick\", \"period\": 5}, \"timer\": {\"period\": 6}}}}");
	const struct workload_event *a = workload->tasks.at[0].events.at;
	const struct workload_event *b = workload->tasks.at[1].events.at;

	CHECK(object_of(workload, a[0].object)->per_thread);
	CHECK_EQ(a[0].object, a[2].object);
	CHECK(a[0].object != a[1].object);
	CHECK(a[0].object != b[0].object);
	CHECK_EQ(a[3].object, b[1].object);
	CHECK(!object_of(workload, a[3].object)->per_thread);
	CHECK_STR("unknown", object_of(workload, b[2].object)->name);
	CHECK_EQ(5000, b[1].amount.a);
	workload_free(workload);
}

/* rt-app keeps the mode with the timer: parse_task_event_data() sets res.timer.relative = 0. */
TEST(one_absolute_use_makes_a_timer_absolute)
{
	struct workload *workload = read_task(
		"\"timer\": {\"ref\": \"t\", \"period\": 1}, \"timer\": {\"ref\": \"u\", \"period\": 1},"
		"\"timer\": {\"ref\": \"t\", \"period\": 1, \"mode\": \"absolute\"},"
		"\"timer\": {\"ref\": \"u\", \"period\": 1, \"mode\": \"relative\"}");

	CHECK_EQ(WORKLOAD_TIMER_ABSOLUTE, event_at(workload, 0)->mode);
	CHECK_EQ(WORKLOAD_TIMER_RELATIVE, event_at(workload, 1)->mode);
	CHECK_EQ(WORKLOAD_TIMER_ABSOLUTE, event_at(workload, 2)->mode);
	CHECK_EQ(WORKLOAD_TIMER_RELATIVE, event_at(workload, 3)->mode);
	workload_free(workload);
}

TEST(one_use_that_skips_makes_a_timer_skip)
{
	struct workload *workload =
		read_task("\"timer\": {\"ref\": \"t\", \"period\": 1, \"mode\": \"skip\"},"
			  "\"timer\": {\"ref\": \"t\", \"period\": 1, \"mode\": \"absolute\"}");

	CHECK_EQ(WORKLOAD_TIMER_SKIP, event_at(workload, 0)->mode);
	CHECK_EQ(WORKLOAD_TIMER_SKIP, event_at(workload, 1)->mode);
	workload_free(workload);
}

/* Three instances that name it once and one that names it twice: 3 + 2. */
TEST(a_barrier_waits_for_every_reference_of_every_instance)
{
	struct workload *workload = read_text(
		"{\"tasks\": {\"a\": {\"instance\": 3, \"barrier\": \"b\"},"
		"\"c\": {\"barrier1\": \"b\", \"barrier2\": \"b\"}, \"d\": {\"instance\": 0, \"barrier\": \"b\"}}}");

	CHECK_EQ(1, workload->objects.nr);
	CHECK_EQ(5, workload->objects.at[0].count);
	workload_free(workload);
}

TEST(a_fork_finds_its_task_wherever_it_stands)
{
	struct workload *workload = read_text(
		"{\"tasks\": {\"a\": {\"fork\": \"c\", \"fork1\": \"b\"}, \"b\": {\"run\": 1},"
		"\"c\": {\"instance\": 0, \"run\": 1}}}");

	CHECK_EQ(2, event_at(workload, 0)->target);
	CHECK_EQ(1, event_at(workload, 1)->target);
	CHECK_EQ(0, workload->tasks.at[2].instances);
	workload_free(workload);
}

/* rt-app: "loop" beside events is the phase's and the task ends; with "phases" it is the task's. */
TEST(loop_belongs_to_what_it_stands_in)
{
	static const struct {
		const char *inside;
		s64 task, phase;
	} rows[] = {
		{ "\"run\": 1", -1, 1 },
		{ "\"run\": 1, \"loop\": -1", 1, -1 },
		{ "\"loop\": 5, \"run\": 1", 1, 5 },
		{ "\"phases\": {\"p\": {\"run\": 1}}", -1, 1 },
		{ "\"phases\": {\"p\": {\"run\": 1, \"loop\": 3}}, \"loop\": 2", 2, 3 },
		{ "\"phases\": {\"p\": {\"run\": 1, \"loop\": -1}}", -1, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload *workload = read_task(rows[i].inside);

		CHECK_EQ(rows[i].task, workload->tasks.at[0].loop, "%s", rows[i].inside);
		CHECK_EQ(rows[i].phase, workload->tasks.at[0].phases.at[0].loop, "%s",
			 rows[i].inside);
		workload_free(workload);
	}
}

TEST(phases_keep_their_order_and_their_repeated_names)
{
	struct workload *workload = read_task("\"phases\": {\"p\": {\"run\": 1, \"sleep\": 2},"
					      "\"q\": {\"run\": 3}, \"p\": {\"run\": 4}}");
	const struct workload_phase *phases = workload->tasks.at[0].phases.at;

	CHECK_EQ(3, workload->tasks.at[0].phases.nr);
	CHECK_STR("p", phases[0].name);
	CHECK_STR("p", phases[2].name);
	CHECK_EQ(0, phases[0].first_event);
	CHECK_EQ(2, phases[0].nr_events);
	CHECK_EQ(3, phases[2].first_event);
	CHECK_EQ(4000, event_at(workload, 3)->amount.a);
	workload_free(workload);
}

TEST(attributes_follow_the_policy)
{
	static const struct {
		const char *inside;
		s32 policy, nice, rt_prio;
		u64 slice_ns;
	} rows[] = {
		{ "\"priority\": -19", EVENT_POLICY_NORMAL, -19, 0, 0 },
		{ "\"policy\": \"SCHED_BATCH\", \"priority\": 5", EVENT_POLICY_BATCH, 5, 0, 0 },
		{ "\"policy\": \"SCHED_IDLE\"", EVENT_POLICY_IDLE, 0, 0, 0 },
		{ "\"policy\": \"SCHED_FIFO\"", EVENT_POLICY_FIFO, WORKLOAD_NICE_KEEP, 10, 0 },
		{ "\"policy\": \"SCHED_RR\", \"priority\": 99", EVENT_POLICY_RR, WORKLOAD_NICE_KEEP,
		  99, 0 },
		{ "\"dl-runtime\": 3000", EVENT_POLICY_NORMAL, 0, 0, 3000000 },
		{ "\"policy\": \"SCHED_BATCH\", \"dl-runtime\": 1", EVENT_POLICY_BATCH, 0, 0,
		  1000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *inside = mem_printf("%s, \"run\": 1", rows[i].inside);
		struct workload *workload = read_task(inside);
		const struct workload_attr *attr = &workload->tasks.at[0].attr;

		CHECK_EQ(rows[i].policy, attr->policy, "%s", rows[i].inside);
		CHECK_EQ(rows[i].nice, attr->nice, "%s", rows[i].inside);
		CHECK_EQ(rows[i].rt_prio, attr->rt_prio, "%s", rows[i].inside);
		CHECK_EQ(rows[i].slice_ns, attr->slice_ns, "%s", rows[i].inside);
		workload_free(workload);
		free(inside);
	}
}

TEST(deadline_parameters_default_to_each_other)
{
	struct workload *workload =
		read_task("\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 2, \"run\": 1,"
			  "\"dl-period\": 10");
	const struct workload_attr *attr = &workload->tasks.at[0].attr;

	CHECK_EQ(2000, attr->dl_runtime_ns);
	CHECK_EQ(10000, attr->dl_period_ns);
	CHECK_EQ(10000, attr->dl_deadline_ns);
	workload_free(workload);
	workload = read_task("\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 2, \"run\": 1");
	CHECK_EQ(2000, workload->tasks.at[0].attr.dl_period_ns);
	CHECK_EQ(2000, workload->tasks.at[0].attr.dl_deadline_ns);
	workload_free(workload);
}

/* "global" stands last and still decides. */
TEST(global_sets_duration_and_default_policy)
{
	struct workload *workload = read_text(
		"{\"tasks\": {\"a\": {\"run\": 1}, \"b\": {\"policy\": \"SCHED_OTHER\", \"run\": 1}},"
		"\"global\": {\"duration\": 6, \"default_policy\": \"SCHED_FIFO\"}}");

	CHECK_EQ(6000000000, workload->duration_ns);
	CHECK_EQ(EVENT_POLICY_FIFO, workload->tasks.at[0].attr.policy);
	CHECK_EQ(10, workload->tasks.at[0].attr.rt_prio);
	CHECK_EQ(EVENT_POLICY_NORMAL, workload->tasks.at[1].attr.policy);
	workload_free(workload);
}

TEST(what_is_left_out_is_noted_with_the_reason)
{
	struct workload *workload = read_text(
		"{\"global\": {\"duration\": -1, \"calibration\": \"CPU0\", \"pi_enabled\": false, \"lock_pages\": true,"
		"\"logdir\": \"./\", \"log_basename\": \"x\", \"log_size\": 2, \"ftrace\": \"main\", \"gnuplot\": true,"
		"\"frag\": 1, \"io_device\": \"/dev/null\", \"mem_buffer_size\": 4, \"cumulative_slack\": false},"
		"\n\"resources\": {\"m\": {\"type\": \"mutex\"}},"
		"\n\"tasks\": {\"a\": {\"nodes_membind\": [0], \"run\": 1}}}");

	CHECK_EQ(2, workload->notes.nr);
	CHECK_STR("line 1: \"calibration\" left out: a run of 1 us is 1 us of the biggest CPU, by "
		  "definition",
		  workload->notes.at[0]);
	CHECK_STR("line 3: \"nodes_membind\" left out: where memory lies is not modelled",
		  workload->notes.at[1]);
	workload_free(workload);
}

TEST(phases_change_only_what_they_name)
{
	struct workload *workload = read_task(
		"\"priority\": 5, \"util_min\": 10, \"util_max\": 900, \"phases\": {\"p\": {\"run\": 1},"
		"\"q\": {\"run\": 1, \"priority\": -3}, \"r\": {\"policy\": \"SCHED_FIFO\", \"run\": 1},"
		"\"s\": {\"run\": 1, \"priority\": 7, \"util_max\": 512}}");
	const struct workload_phase *phases = workload->tasks.at[0].phases.at;

	CHECK_EQ(10, workload->tasks.at[0].attr.util_min);
	CHECK_EQ(900, workload->tasks.at[0].attr.util_max);
	CHECK_EQ(-1, phases[0].attr.policy);
	CHECK_EQ(WORKLOAD_NICE_KEEP, phases[0].attr.nice);
	CHECK_EQ(-3, phases[1].attr.nice);
	CHECK_EQ(-1, phases[1].attr.policy);
	CHECK_EQ(EVENT_POLICY_FIFO, phases[2].attr.policy);
	CHECK_EQ(10, phases[2].attr.rt_prio);
	CHECK_EQ(7, phases[3].attr.rt_prio, "the policy in force is FIFO");
	CHECK_EQ(-1, phases[3].attr.util_min);
	CHECK_EQ(512, phases[3].attr.util_max);
	workload_free(workload);
}

/* rt-app's set_thread_affinity(): the phase's CPUs, else the task's, else all. */
TEST(a_phase_without_cpus_goes_back_to_the_tasks)
{
	struct workload *workload =
		read_task("\"cpus\": [5, 2, 5], \"phases\": {\"p\": {\"cpus\": [0], \"run\": 1},"
			  "\"q\": {\"run\": 1}}");
	const struct workload_task *task = workload->tasks.at;

	CHECK_EQ(2, task->attr.cpus->nr);
	CHECK_EQ(2, task->attr.cpus->at[0]);
	CHECK_EQ(5, task->attr.cpus->at[1]);
	CHECK_EQ(1, task->phases.at[0].attr.cpus->nr);
	CHECK(task->phases.at[1].attr.cpus == task->attr.cpus);
	workload_free(workload);
	workload =
		read_task("\"phases\": {\"p\": {\"cpus\": [0], \"run\": 1}, \"q\": {\"run\": 1}}");
	CHECK_EQ(0, workload->tasks.at[0].phases.at[1].attr.cpus->nr, "all CPUs");
	workload_free(workload);
}

TEST(taskgroups_are_made_with_their_parents)
{
	struct workload *workload = read_task(
		"\"taskgroup\": \"\", \"phases\": {\"p\": {\"taskgroup\": \"/a/b\", \"run\": 1},"
		"\"q\": {\"run\": 1}, \"r\": {\"taskgroup\": \"/\", \"run\": 1},"
		"\"s\": {\"taskgroup\": \"/a\", \"run\": 1}}");
	const struct workload_phase *phases = workload->tasks.at[0].phases.at;

	CHECK_EQ(2, workload->cgroups.nr);
	CHECK_STR("/a", workload->cgroups.at[0].path);
	CHECK_EQ(-1, workload->cgroups.at[0].parent);
	CHECK_STR("/a/b", workload->cgroups.at[1].path);
	CHECK_EQ(0, workload->cgroups.at[1].parent);
	CHECK_EQ(100, workload->cgroups.at[1].weight);
	CHECK_EQ(-1, workload->tasks.at[0].attr.cgroup);
	CHECK_EQ(1, phases[0].attr.cgroup);
	CHECK_EQ(-1, phases[1].attr.cgroup);
	CHECK_EQ(WORKLOAD_CGROUP_ROOT, phases[2].attr.cgroup);
	CHECK_EQ(0, phases[3].attr.cgroup);
	workload_free(workload);
}

/* workgen's numbers: the second "a" becomes "a1", the next free one after that "a3". */
TEST(a_repeated_task_gets_a_number)
{
	struct workload *workload = read_text(
		"{\"tasks\": {\"a\": {\"run\": 1}, \"a2\": {\"run\": 1}, \"a\": {\"suspend\"},"
		"\"a\": {\"run\": 1}}}");

	CHECK_EQ(4, workload->tasks.nr);
	CHECK_STR("a1", workload->tasks.at[2].name);
	CHECK_STR("a3", workload->tasks.at[3].name);
	CHECK_STR("a", object_of(workload, workload->tasks.at[2].events.at[0].object)->name);
	workload_free(workload);
}

TEST(the_documented_example_is_read)
{
	char *text = test_block("docs/workloads.md", "```json\n");
	struct workload *workload = read_text(text);

	CHECK_EQ(2, workload->tasks.nr);
	CHECK_STR("control", workload->tasks.at[0].name);
	CHECK_EQ(4, workload->tasks.at[1].instances);
	workload_free(workload);
	free(text);
}

TEST(pipes_stand_among_the_events)
{
	struct workload *workload = read_text(
		"{\"tasks\": {\"a\": {\"run\": 1, \"fairground\": {\"pipe_write\": \"p\"}, \"run1\": 2},"
		"\"b\": {\"fairground\": {\"pipe_read\": \"p\"}, \"run\": 1,"
		"\"fairground1\": {\"pipe_write\": \"q\"}}}}");
	const struct workload_event *a = workload->tasks.at[0].events.at,
				    *b = workload->tasks.at[1].events.at;

	CHECK_EQ(WORKLOAD_OP_PIPE_WRITE, a[1].op);
	CHECK_EQ(WORKLOAD_OP_PIPE_READ, b[0].op);
	CHECK_EQ(a[1].object, b[0].object);
	CHECK_EQ(WORKLOAD_OP_PIPE_WRITE, b[2].op);
	CHECK(b[2].object != b[0].object);
	CHECK_EQ(WORKLOAD_OBJECT_PIPE, workload->objects.at[b[0].object].kind);
	workload_free(workload);
}
