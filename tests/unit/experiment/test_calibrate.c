/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/calibrate.h"

#include "test.h"

static struct analysis *empty(struct calibrate *calibrate, enum calibrate_part part)
{
	const struct analysis_options options = { .filter = FILTER_NONE };
	struct analysis *analysis = analysis_new(&options);

	calibrate_watch(calibrate, part, analysis);
	return analysis;
}

static void row(struct analysis *analysis, const char *name, u64 runtime_ns, u64 switches)
{
	struct latency_row *row = vec_add(&analysis->latency.rows);

	row->name = mem_strdup(name);
	row->charged_ns = runtime_ns;
	row->switches = switches;
}

static void near_rows(struct analysis *analysis)
{
	row(analysis, "cal-tick", 500300000, 1);
	row(analysis, "cal-share", 1010000000, 1000);
	row(analysis, "cal-batch", 101500000, 100);
	row(analysis, "cal-busy", 1210000000, 100);
	row(analysis, "cal-post", 430000000, 1000);
	row(analysis, "cal-wait", 210000000, 1000);
	row(analysis, "cal-sleep", 165000000, 500);
	row(analysis, "cal-fork", 52000000, 200);
	row(analysis, "cal-child", 110000000, 200);
	row(analysis, "cal-exact", 155000000, 500);
}

/*
 * At 100 HZ.  500.3 ms beside 500 of work have 50 ticks: 6 us each.
 * Sharing: 10 ms beyond, less 101 ticks, for 1000 switches: 9394 ns.
 * Asleep until a tick: 1.5 ms beyond for 100 times a switch and a call of 5606.
 * Beside it: 10 ms beyond, less 121 + 10 ticks and 100 switches: 100 interrupts of 82746.
 * Posts: 40 ms beyond in both, less 64 ticks: 39616 a round, less two switches and two calls 9616.
 * Out of idle: 15 ms beyond, less 16 ticks, 500 times: 29808, less switch and call 14808.
 * A wakeup is the middle of these, 12212, and the timer the rest of the interrupt.
 * Births: 12 ms beyond, less 5 ticks, 200 times 59850, less switch, call and wakeup.
 * Children: 10 ms beyond, less 11 ticks, 200 times 49670, less a switch.
 * Of a switch, 5 us are the pick, as in the middle of four.
 * A fair task's sleeps are 50 us longer than a realtime one's.
 */
TEST(costs_are_what_is_left_of_the_work)
{
	struct calibrate calibrate = { 0 };
	struct analysis *analysis = empty(&calibrate, CALIBRATE_NEAR);
	struct machine_costs costs;

	near_rows(analysis);
	calibrate.sleeps[CALIBRATE_FAIR].count = calibrate.sleeps[CALIBRATE_EXACT].count = 500;
	calibrate.sleeps[CALIBRATE_FAIR].sum_ns = 500 * 1047000;
	calibrate.sleeps[CALIBRATE_EXACT].sum_ns = 500 * 997000;
	calibrate.picks.count = 4;
	calibrate.picks.sum_ns = 20000;
	CHECK_EQ(OK, calibrate_costs(&calibrate, 100, &costs, NULL));
	CHECK_EQ(6000, costs.tick_ns);
	CHECK_EQ(5000, costs.pick_ns);
	CHECK_EQ(4394, costs.switch_ns);
	CHECK_EQ(5606, costs.syscall_ns);
	CHECK_EQ(12212, costs.wakeup_ns);
	CHECK_EQ(82746 - 12212, costs.timer_ns);
	CHECK_EQ(14808 - 12212, costs.idle_exit_ns);
	CHECK_EQ(59850 - 9394 - 5606 - 12212, costs.fork_ns);
	CHECK_EQ(49670 - 9394, costs.thread_ns);
	CHECK_EQ(50000, costs.timer_slack_ns);
	CHECK_EQ(machine_default_costs.ipi_ns, costs.ipi_ns);
	CHECK_EQ(machine_default_costs.ipi_latency_ns, costs.ipi_latency_ns);
	analysis_free(analysis);
}

/*
 * Beside the costs above.  On CPU 1: 714 and 60 ms for 700 and 50 of work, less 71 and 6 ticks
 * of 6 us, 500 times 47076: less two switches of 9394 and a call of 5606, 22682 an interrupt.
 * Who is woken there waits 30 us, the last 22682 ns for the interrupt to be over.
 */
TEST(interrupts_between_cpus_are_what_is_left_on_the_other_one)
{
	struct calibrate calibrate = { 0 };
	struct analysis *near = empty(&calibrate, CALIBRATE_NEAR);
	struct analysis *far = empty(&calibrate, CALIBRATE_FAR);
	struct machine_costs costs;

	near_rows(near);
	row(far, "cal-hog", 714000000, 500);
	row(far, "cal-hit", 60000000, 500);
	hist_add_many(&far->latency.rows.at[1].waits[TRACK_WAKEUP], 30000, 500);
	CHECK_EQ(OK, calibrate_costs(&calibrate, 100, &costs, NULL));
	CHECK_EQ(22682, costs.ipi_ns);
	CHECK_EQ(30000 - 22682, costs.ipi_latency_ns);
	analysis_free(near);
	analysis_free(far);
}

static void told(struct analysis *analysis, struct event event)
{
	struct event_sink sink = analysis_sink(analysis);

	CHECK_EQ(OK, sink.on_event(sink.self, &event));
}

/* Accounted for at 100 and again at 140 who came at 50: 8 us later it is off. */
TEST(a_pick_lasts_from_the_last_accounting_to_the_switch)
{
	static const struct {
		u16 kind;
		u64 time_us;
	} all[] = {
		{ EVENT_SWITCH, 50 },  { EVENT_RUNTIME, 100 }, { EVENT_RUNTIME, 140 },
		{ EVENT_SWITCH, 148 }, { EVENT_SWITCH, 190 },
	};
	const struct event_header header = { .nr_cpus = 1,
					     .sees = EVENT_BIT(SWITCH) | EVENT_BIT(RUNTIME) };
	const struct analysis_options options = { .filter = FILTER_NONE };
	struct calibrate calibrate = { 0 };
	struct analysis *analysis = analysis_new(&options);
	struct event_sink sink = calibrate_watch(&calibrate, CALIBRATE_NEAR, analysis);

	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		const struct event event = { .kind = all[i].kind,
					     .time_ns = all[i].time_us * 1000,
					     .task = { .tid = 7 },
					     .other = { .tid = 8 } };

		CHECK_EQ(OK, sink.on_event(sink.self, &event));
	}
	CHECK_EQ(1, calibrate.picks.count);
	CHECK_EQ(8000, calibrate.picks.sum_ns);
	analysis_free(analysis);
}

/* Each is one of cal-wait, from 1 ms on, that ends by a sleep. */
static void told_runs(struct analysis *analysis, const u64 *lengths_ns, u32 nr)
{
	const struct event_task task = { .tid = 7 }, idle = { 0 };
	u64 now_ns = 1000000;

	told(analysis, (struct event){ .kind = EVENT_NAME,
				       .cpu = -1,
				       .task = task,
				       .name = { .pid = -1, .text = "cal-wait", .len = 8 } });
	for (u32 i = 0; i < nr; i++) {
		told(analysis, (struct event){ .kind = EVENT_SWITCH,
					       .time_ns = now_ns,
					       .task = idle,
					       .other = task });
		now_ns += lengths_ns[i];
		told(analysis, (struct event){ .kind = EVENT_SWITCH,
					       .time_ns = now_ns,
					       .task = task,
					       .other = idle,
					       .switch_ = { .prev_state = EVENT_STATE_SLEEP } });
		now_ns += 1000000;
	}
}

/*
 * Eleven runs, two with a tick: the third shortest, 209.9 us, and the ninth, 210.484, part the
 * quarters.  584 ns of 1.41 times 414.
 */
TEST(costs_waver_by_what_lies_between_the_quartiles_of_equal_runs)
{
	static const u64 lengths_ns[] = { 210000, 210484, 209800, 210100, 216000, 209900,
					  210200, 209700, 210050, 217000, 210300 };
	struct calibrate calibrate = { 0 };
	struct analysis *analysis = empty(&calibrate, CALIBRATE_NEAR);
	struct event_sink sink = analysis_sink(analysis);
	const struct event_header header = {
		.nr_cpus = 1, .sees = EVENT_BIT(SWITCH) | EVENT_BIT(WAKEUP) | EVENT_BIT(NAME)
	};
	struct machine_costs costs;

	near_rows(analysis);
	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	told_runs(analysis, lengths_ns, ARRAY_SIZE(lengths_ns));
	CHECK_EQ(OK, calibrate_costs(&calibrate, 100, &costs, NULL));
	CHECK_EQ(414, costs.waver_ns);
	calibrate_fini(&calibrate);
	analysis_free(analysis);
}

/* Asleep from 1 to 2.05 ms, and from 3 to 8: only the first is a sleep of the experiment. */
TEST(sleeps_of_an_experiment_are_counted_and_others_are_not)
{
	static const u64 times_ns[][2] = { { 1000000, 2050000 }, { 3000000, 8000000 } };
	struct calibrate calibrate = { 0 };
	struct analysis *analysis = empty(&calibrate, CALIBRATE_NEAR);
	struct event_sink sink = analysis_sink(analysis);
	const struct event_header header = {
		.nr_cpus = 1, .sees = EVENT_BIT(SWITCH) | EVENT_BIT(WAKEUP) | EVENT_BIT(NAME)
	};
	const struct event_task task = { .tid = 7 }, idle = { 0 };

	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	told(analysis, (struct event){ .kind = EVENT_NAME,
				       .cpu = -1,
				       .task = task,
				       .name = { .pid = -1, .text = "cal-exact", .len = 9 } });
	told(analysis,
	     (struct event){
		     .kind = EVENT_SWITCH, .time_ns = 500000, .task = idle, .other = task });
	for (u32 i = 0; i < ARRAY_SIZE(times_ns); i++) {
		told(analysis, (struct event){ .kind = EVENT_SWITCH,
					       .time_ns = times_ns[i][0],
					       .task = task,
					       .other = idle,
					       .switch_ = { .prev_state = EVENT_STATE_SLEEP } });
		told(analysis, (struct event){ .kind = EVENT_WAKEUP,
					       .time_ns = times_ns[i][1],
					       .task = task });
		told(analysis, (struct event){ .kind = EVENT_SWITCH,
					       .time_ns = times_ns[i][1] + 1000,
					       .task = idle,
					       .other = task });
	}
	CHECK_EQ(1, calibrate.sleeps[CALIBRATE_EXACT].count);
	CHECK_EQ(1050000, calibrate.sleeps[CALIBRATE_EXACT].sum_ns);
	CHECK_EQ(0, calibrate.sleeps[CALIBRATE_FAIR].count);
	analysis_free(analysis);
}

TEST(an_experiment_that_did_not_run_is_named)
{
	struct calibrate calibrate = { 0 };
	struct analysis *analysis = empty(&calibrate, CALIBRATE_NEAR);
	struct machine_costs costs;
	struct err err = ERR_NONE;

	row(analysis, "cal-tick", 500300000, 1);
	CHECK_EQ(ERR_FORMAT, calibrate_costs(&calibrate, 250, &costs, &err));
	CHECK_STR("the calibration's task cal-share did not run", err.what);
	analysis_free(analysis);
}

/* Each CPU has one of its own that never sleeps beneath the experiments between them. */
TEST(the_experiments_are_workloads)
{
	struct workload *near = calibrate_workload(CALIBRATE_NEAR);
	struct workload *far = calibrate_workload(CALIBRATE_FAR);

	CHECK_EQ(10, near->tasks.nr);
	CHECK_EQ(6, far->tasks.nr);
	workload_free(near);
	workload_free(far);
}
