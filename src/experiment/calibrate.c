/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "input/workload_file.h"

#define LENGTH(us, times) ((u64)(us) * (times)*1000)
#define LONGEST_NS        2000000 /* a sleep of an experiment, not one before or after it */

/*
 * The experiments, each at its time in us.  'p' is what is measured; then a task sleeps beyond
 * the run, since an exit has costs of its own.
 */
static const struct experiment {
	const char *name, *attributes, *delay, *events;
	u32 cpu;
} near[] = {
	/* ticks beside a task that is alone */
	{ "cal-tick", "", "0", "\"loop\" : 50, \"run\" : 10000" },
	/* two that share the CPU: a tick switches them */
	{ "cal-share", "\"instance\" : 2,", "1000000", "\"loop\" : 50, \"run\" : 10000" },
	/* a timer's interrupts of one task; who wakes there waits for a tick */
	{ "cal-busy", "", "2500000", "\"loop\" : 120, \"run\" : 10000" },
	{ "cal-batch", "\"policy\" : \"SCHED_BATCH\",", "2500000",
	  "\"loop\" : 100, \"run\" : 1000, \"sleep\" : 7000" },
	/* wakeups by another task */
	{ "cal-post", "", "4500000", "\"loop\" : 1000, \"run\" : 400, \"sem_post\" : \"s\"" },
	{ "cal-wait", "", "4500000", "\"loop\" : 1000, \"sem_wait\" : \"s\", \"run\" : 200" },
	/* wakeups out of idle */
	{ "cal-sleep", "", "5500000", "\"loop\" : 500, \"run\" : 300, \"sleep\" : 1000" },
	/* births, and ends of those that were born */
	{ "cal-fork", "", "6500000",
	  "\"loop\" : 200, \"run\" : 200, \"fork\" : \"cal-child\","
	  "\"timer\" : { \"ref\" : \"unique\", \"period\" : 2000 }" },
	/* sleeps that end on time, for those of cal-sleep */
	{ "cal-exact", "\"policy\" : \"SCHED_FIFO\", \"priority\" : 1,", "7500000",
	  "\"loop\" : 500, \"run\" : 300, \"sleep\" : 1000" },
}, far[] = {
	/* wakeups on another CPU, taken from who runs there; lazy preemption would keep a fair one waiting */
	{ "cal-hog", "", "200000", "\"loop\" : 70, \"run\" : 10000", 1 },
	{ "cal-poke", "", "300000", "\"loop\" : 500, \"run\" : 1000, \"sem_post\" : \"h\"" },
	{ "cal-hit", "\"policy\" : \"SCHED_FIFO\", \"priority\" : 1,", "300000",
	  "\"loop\" : 500, \"sem_wait\" : \"h\", \"run\" : 100", 1 },
	/* neither CPU idles: in a guest whose CPUs take turns the other one would be faster then */
	{ "cal-load0", "\"policy\" : \"SCHED_IDLE\",", "0", "\"loop\" : -1, \"run\" : 10000" },
	{ "cal-load1", "\"policy\" : \"SCHED_IDLE\",", "0", "\"loop\" : -1, \"run\" : 10000", 1 },
};
static const char child[] =
	"\"cal-child\" : { \"instance\" : 0, \"cpus\" : [ 0 ], \"loop\" : 1, \"run\" : 500 }";

static char *with(char *text, const struct experiment *experiment)
{
	char *longer =
		mem_printf("%s\"%s\" : { %s \"cpus\" : [ %u ], \"delay\" : %s, \"phases\" : {"
			   " \"p\" : { %s }, \"q\" : { \"sleep\" : 60000000 } } }, ",
			   text, experiment->name, experiment->attributes, experiment->cpu,
			   experiment->delay, experiment->events);

	free(text);
	return longer;
}

static const struct {
	const struct experiment *at;
	u32 nr;
	u64 duration_ns;
} parts[CALIBRATE_NR_PARTS] = {
	[CALIBRATE_NEAR] = { near, ARRAY_SIZE(near), 8500000000 },
	[CALIBRATE_FAR] = { far, ARRAY_SIZE(far), 1500000000 },
};

static char *text_of(enum calibrate_part part)
{
	char *text = mem_strdup("{ \"tasks\" : { "), *longer;

	for (u32 i = 0; i < parts[part].nr; i++)
		text = with(text, &parts[part].at[i]);
	longer = mem_printf("%s%s } }", text, child);
	free(text);
	return longer;
}

struct workload *calibrate_workload(enum calibrate_part part)
{
	struct workload *workload = NULL;
	char *text = text_of(part);
	enum err_code code = input_workload_text("calibrate", text, strlen(text), &workload, NULL);

	assert(code == OK);
	(void)code;
	free(text);
	return workload;
}

u64 calibrate_duration_ns(enum calibrate_part part)
{
	return parts[part].duration_ns;
}

/* ---- sleeps and runs ---- */

static void on_sleep(void *self, const struct track_sleep *sleep)
{
	static const char *const names[CALIBRATE_NR_SLEEPS] = {
		[CALIBRATE_FAIR] = "cal-sleep", [CALIBRATE_EXACT] = "cal-exact"
	};
	struct calibrate *calibrate = self;
	u64 length_ns = sleep->end_ns - sleep->start_ns;
	const struct analysis *seen = calibrate->parts[CALIBRATE_NEAR];
	const char *name = track_name(seen->threads, sleep->thread);

	for (u32 i = 0; i < CALIBRATE_NR_SLEEPS && length_ns < LONGEST_NS; i++) {
		if (strcmp(name, names[i]))
			continue;
		calibrate->sleeps[i].count++;
		calibrate->sleeps[i].sum_ns += length_ns;
	}
}

static void on_run(void *self, const struct track_run *run)
{
	struct calibrate *calibrate = self;
	const struct analysis *seen = calibrate->parts[CALIBRATE_NEAR];
	const char *name = track_name(seen->threads, run->thread);

	if (run->prev_state == EVENT_STATE_SLEEP && !strcmp(name, "cal-wait"))
		*vec_add(&calibrate->waits) = run->end_ns - run->start_ns;
}

/* ---- picks ---- */

/* Who leaves a CPU is accounted for as the scheduler begins; an idle task is not. */
static enum err_code on_event(void *self, const struct event *event)
{
	struct calibrate *calibrate = self;

	if (event->kind != EVENT_RUNTIME && event->kind != EVENT_SWITCH)
		return OK;
	if (event->kind == EVENT_SWITCH && calibrate->accounted_ns) {
		calibrate->picks.count++;
		calibrate->picks.sum_ns += event->time_ns - calibrate->accounted_ns;
	}
	calibrate->accounted_ns = event->kind == EVENT_RUNTIME ? event->time_ns : 0;
	return OK;
}

struct event_sink calibrate_watch(struct calibrate *calibrate, enum calibrate_part part,
				  struct analysis *analysis)
{
	calibrate->parts[part] = analysis;
	if (part != CALIBRATE_NEAR)
		return analysis_sink(analysis);
	analysis->on_run = on_run;
	analysis->on_sleep = on_sleep;
	analysis->on_self = calibrate;
	events_tee_add(&calibrate->tee, analysis_sink(analysis));
	events_tee_add(&calibrate->tee,
		       (struct event_sink){ .self = calibrate, .on_event = on_event });
	return events_tee_sink(&calibrate->tee);
}

void calibrate_fini(struct calibrate *calibrate)
{
	vec_free(&calibrate->waits);
}

static const struct latency_row *row_of(const struct analysis *analysis, const char *name)
{
	vec_for_each(row, &analysis->latency.rows)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* The experiments' tasks whose times are used; those of two CPUs last. */
enum row {
	TICK,
	SHARE,
	BUSY,
	BATCH,
	POST,
	WAIT,
	SLEEP,
	FORK,
	CHILD,
	EXACT,
	NR_NEAR_ROWS,
	HOG = NR_NEAR_ROWS,
	HIT,
	NR_ROWS
};

static const struct {
	const char *name;
	u64 work_ns;
} rows[NR_ROWS] = {
	[TICK] = { "cal-tick", LENGTH(10000, 50) },  [SHARE] = { "cal-share", LENGTH(10000, 100) },
	[BUSY] = { "cal-busy", LENGTH(10000, 120) }, [BATCH] = { "cal-batch", LENGTH(1000, 100) },
	[POST] = { "cal-post", LENGTH(400, 1000) },  [WAIT] = { "cal-wait", LENGTH(200, 1000) },
	[SLEEP] = { "cal-sleep", LENGTH(300, 500) }, [FORK] = { "cal-fork", LENGTH(200, 200) },
	[CHILD] = { "cal-child", LENGTH(500, 200) }, [EXACT] = { "cal-exact", LENGTH(300, 500) },
	[HOG] = { "cal-hog", LENGTH(10000, 70) },    [HIT] = { "cal-hit", LENGTH(100, 500) },
};

#define NR_CHILDREN 200

/* What a task ran beyond its work, ns in all, less what the ticks in it took. */
struct beyond {
	const struct latency_row *row;
	s64 ns;
};

static s64 ticks_in(const struct latency_row *row, u32 hz)
{
	return (s64)(latency_runtime_ns(row) * hz / 1000000000);
}

static void take_beyond(struct beyond *beyond, u32 nr, u32 hz, s64 tick_ns)
{
	for (u32 i = 0; i < nr; i++)
		beyond[i].ns = (s64)(latency_runtime_ns(beyond[i].row) - rows[i].work_ns) -
			       ticks_in(beyond[i].row, hz) * tick_ns;
	/* it begins with a tick and is over before the next: all are in what runs beside it */
	beyond[BATCH].ns += ticks_in(beyond[BATCH].row, hz) * tick_ns;
	beyond[BUSY].ns -= ticks_in(beyond[BATCH].row, hz) * tick_ns;
}

static s64 times(const struct beyond *beyond)
{
	return (s64)beyond->row->switches;
}

static u32 cost(s64 ns)
{
	return ns < 0 ? 0 : (u32)ns;
}

static s64 larger(s64 a, s64 b)
{
	return a > b ? a : b;
}

/*
 * A task that sleeps and is picked by a tick is charged a switch and a call; the one beside
 * it, the other switch and the interrupt with its wakeup.  A post and a wait are two switches,
 * two calls and a wakeup; who wakes from idle is charged a switch, a call and the wakeup.  The
 * two do not agree on the wakeup, since no two calls cost the same: the middle of them.
 */
static void solve(const struct beyond *of, s64 tick_ns, s64 pick_ns, struct machine_costs *costs)
{
	s64 change = of[SHARE].ns / times(&of[SHARE]);
	s64 call = larger(of[BATCH].ns / times(&of[BATCH]) - change, 0);
	s64 irq = (of[BUSY].ns - times(&of[BUSY]) * change) / times(&of[BATCH]);
	s64 post = (of[POST].ns + of[WAIT].ns) / times(&of[WAIT]) - 2 * change - 2 * call;
	s64 idle = of[SLEEP].ns / times(&of[SLEEP]) - change - call;
	s64 wakeup = larger((larger(post, 0) + larger(idle, 0)) / 2, 0);
	s64 born = of[FORK].ns / times(&of[FORK]) - change - call;

	costs->tick_ns = cost(tick_ns);
	costs->pick_ns = cost(pick_ns < change ? pick_ns : change);
	costs->switch_ns = cost(change - costs->pick_ns);
	costs->syscall_ns = cost(call);
	costs->wakeup_ns = cost(wakeup);
	costs->timer_ns = cost(irq - wakeup);
	costs->idle_exit_ns = cost(idle - wakeup);
	costs->fork_ns = cost(born - wakeup);
	costs->thread_ns = cost(of[CHILD].ns / NR_CHILDREN - change);
}

/*
 * Who is taken from a CPU by another one is charged the interrupt and, with who comes, two
 * switches and a call.  Who comes waits for the interrupt to arrive and to be over, and for
 * the pick.
 */
static void solve_far(const struct beyond *of, struct machine_costs *costs)
{
	s64 round = (of[HOG].ns + of[HIT].ns) / times(&of[HIT]);
	const struct hist *delays = &of[HIT].row->waits[TRACK_WAKEUP];
	s64 delay = (s64)latency_mean_ns(delays->sum, delays->count);

	s64 change = (s64)costs->pick_ns + costs->switch_ns;

	costs->ipi_ns = cost(round - 2 * change - costs->syscall_ns);
	costs->ipi_latency_ns = cost(delay - costs->ipi_ns - costs->pick_ns);
}

static s64 mean_sleep(const struct calibrate *calibrate, enum calibrate_sleep which)
{
	return (s64)latency_mean_ns(calibrate->sleeps[which].sum_ns,
				    calibrate->sleeps[which].count);
}

static int by_length(const void *left, const void *right)
{
	const u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/*
 * A run of cal-wait is a switch, the same work, a call and a pick; few have a tick.  Of the sums
 * of three costs that waver by w, half lie in 1.41 w.
 */
static u32 waver(const struct calibrate *calibrate)
{
	size_t nr = calibrate->waits.nr;
	u64 *of = calibrate->waits.at;

	if (!nr)
		return 0;
	qsort(of, nr, sizeof(*of), by_length);
	return (u32)((of[nr * 3 / 4] - of[nr / 4]) * 100 / 141);
}

/* Those of the part, from the @from-th on. */
static enum err_code take_rows(const struct calibrate *calibrate, enum calibrate_part part,
			       struct beyond *of, u32 from, u32 to, struct err *err)
{
	for (u32 i = from; i < to; i++) {
		of[i].row = row_of(calibrate->parts[part], rows[i].name);
		if (!of[i].row || !of[i].row->switches)
			return err_set(err, ERR_FORMAT, NULL,
				       "the calibration's task %s did not run", rows[i].name);
	}
	return OK;
}

enum err_code calibrate_costs(const struct calibrate *calibrate, u32 hz,
			      struct machine_costs *costs, struct err *err)
{
	bool far_too = calibrate->parts[CALIBRATE_FAR];
	u32 nr = far_too ? NR_ROWS : NR_NEAR_ROWS;
	struct beyond of[NR_ROWS];
	s64 tick_ns;

	if (take_rows(calibrate, CALIBRATE_NEAR, of, 0, NR_NEAR_ROWS, err) ||
	    (far_too && take_rows(calibrate, CALIBRATE_FAR, of, NR_NEAR_ROWS, NR_ROWS, err)))
		return err->code;
	take_beyond(of, nr, hz, 0);
	tick_ns = of[TICK].ns / larger(ticks_in(of[TICK].row, hz), 1);
	take_beyond(of, nr, hz, tick_ns);
	*costs = machine_default_costs;
	solve(of, tick_ns, (s64)latency_mean_ns(calibrate->picks.sum_ns, calibrate->picks.count),
	      costs);
	costs->timer_slack_ns = cost(mean_sleep(calibrate, CALIBRATE_FAIR) -
				     mean_sleep(calibrate, CALIBRATE_EXACT));
	costs->waver_ns = waver(calibrate);
	if (far_too)
		solve_far(of, costs);
	return OK;
}
