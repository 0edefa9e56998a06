/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/calibrate.h"

#include <string.h>

#include "input/workload_file.h"

#define LENGTH(us, times) ((u64)(us) * (times)*1000)

/*
 * Ticks beside a task that is alone; two that yield to each other; a timer's wakeups over a
 * task that never sleeps; wakeups by another task; wakeups out of idle.  Every task ends in
 * a sleep beyond the run: an exit has costs of its own.
 */
static const char text[] =
	"{ \"tasks\" : {"
	" \"cal-tick\" : { \"cpus\" : [ 0 ], \"phases\" : {"
	"  \"p\" : { \"loop\" : 50, \"run\" : 10000 }, \"q\" : { \"sleep\" : 60000000 } } },"
	" \"cal-yield\" : { \"instance\" : 2, \"delay\" : 1000000, \"cpus\" : [ 0 ], \"phases\" : {"
	"  \"p\" : { \"loop\" : 1000, \"run\" : 300, \"yield\" : \"\" },"
	"  \"q\" : { \"sleep\" : 60000000 } } },"
	" \"cal-hog\" : { \"policy\" : \"SCHED_IDLE\", \"delay\" : 2000000, \"cpus\" : [ 0 ],"
	"  \"phases\" : { \"p\" : { \"loop\" : 60, \"run\" : 10000 }, \"q\" : { \"sleep\" : 60000000 } } },"
	" \"cal-timer\" : { \"delay\" : 2000000, \"cpus\" : [ 0 ], \"phases\" : {"
	"  \"p\" : { \"loop\" : 400, \"run\" : 100,"
	"   \"timer\" : { \"ref\" : \"unique\", \"period\" : 1300 } },"
	"  \"q\" : { \"sleep\" : 60000000 } } },"
	" \"cal-post\" : { \"delay\" : 3000000, \"cpus\" : [ 0 ], \"phases\" : {"
	"  \"p\" : { \"loop\" : 1000, \"run\" : 400, \"sem_post\" : \"s\" },"
	"  \"q\" : { \"sleep\" : 60000000 } } },"
	" \"cal-wait\" : { \"delay\" : 3000000, \"cpus\" : [ 0 ], \"phases\" : {"
	"  \"p\" : { \"loop\" : 1000, \"sem_wait\" : \"s\", \"run\" : 200 },"
	"  \"q\" : { \"sleep\" : 60000000 } } },"
	" \"cal-sleep\" : { \"delay\" : 4000000, \"cpus\" : [ 0 ], \"phases\" : {"
	"  \"p\" : { \"loop\" : 500, \"run\" : 300, \"sleep\" : 1000 },"
	"  \"q\" : { \"sleep\" : 60000000 } } } } }";

struct workload *calibrate_workload(void)
{
	struct workload *workload = NULL;
	enum err_code code =
		input_workload_text("calibrate", text, sizeof(text) - 1, &workload, NULL);

	assert(code == OK);
	(void)code;
	return workload;
}

static const struct latency_row *row_of(const struct analysis *analysis, const char *name)
{
	vec_for_each(row, &analysis->latency.rows)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* What the tasks of an experiment ran beyond their @work_ns, less what its ticks took. */
static s64 beyond_ns(const struct latency_row *one, const struct latency_row *other, u64 work_ns,
		     u32 hz, s64 tick_ns)
{
	u64 ran_ns = latency_runtime_ns(one) + (other ? latency_runtime_ns(other) : 0);

	return (s64)(ran_ns - work_ns) - (s64)(ran_ns * hz / 1000000000) * tick_ns;
}

static s64 without_switches(s64 ns, const struct latency_row *one, const struct latency_row *other,
			    s64 switch_ns)
{
	return ns - (s64)(one->switches + other->switches) * switch_ns;
}

static u32 cost(s64 ns)
{
	return ns < 0 ? 0 : (u32)ns;
}

enum err_code calibrate_costs(const struct analysis *analysis, u32 hz, struct machine_costs *costs,
			      struct err *err)
{
	static const char *const names[] = { "cal-tick", "cal-yield", "cal-hog",  "cal-timer",
					     "cal-post", "cal-wait",  "cal-sleep" };
	const struct latency_row *rows[ARRAY_SIZE(names)];
	s64 tick, yield, wakeup, both;

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		rows[i] = row_of(analysis, names[i]);
		if (!rows[i] || !rows[i]->wakeup.count)
			return err_set(err, ERR_FORMAT, NULL,
				       "the calibration's task %s did not run", names[i]);
	}
	tick = beyond_ns(rows[0], NULL, LENGTH(10000, 50), hz, 0) /
	       (s64)(latency_runtime_ns(rows[0]) * hz / 1000000000);
	yield = beyond_ns(rows[1], NULL, LENGTH(300, 2000), hz, tick) / 2000;
	wakeup = beyond_ns(rows[4], rows[5], LENGTH(400, 1000) + LENGTH(200, 1000), hz, tick);
	wakeup = without_switches(wakeup, rows[4], rows[5], yield) / (s64)rows[5]->wakeup.count;
	both = beyond_ns(rows[2], rows[3], LENGTH(10000, 60) + LENGTH(100, 400), hz, tick);
	both = without_switches(both, rows[2], rows[3], yield) / (s64)rows[3]->wakeup.count;
	*costs = machine_default_costs;
	costs->tick_ns = cost(tick);
	costs->switch_ns = cost(yield);
	costs->wakeup_ns = cost(wakeup < both ? wakeup : both);
	costs->timer_ns = cost(both - wakeup);
	costs->idle_exit_ns = cost((s64)hist_percentile(&rows[6]->wakeup, 500) - both);
	return OK;
}
