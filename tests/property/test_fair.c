/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every release promises to any workload on one CPU: who waits gets to run within a bound
 * that is derived here, and hogs share by their weights.
 *
 * FAIRGROUND_SEED runs one seed alone; FAIRGROUND_WORKLOADS says how many.
 */
#include "gen.h"
#include "sim/internal.h"

static const char *const releases[] = { "6.1", "6.6", "6.12", "6.18", "7.3" };

static u64 number(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* Weights of nice 1 and -1, which gen.h draws here. */
#define LEAST 820
#define MOST  1277

struct waits {
	u64 since_ns[64]; /* when each thread last ran or slept, by tid */
	u64 bound_ns, longest_ns;
};

static void check_waits(void *self, const struct sim *sim, const struct event *event)
{
	struct waits *waits = self;

	(void)event;
	for (size_t i = 0; i < sim->tasks.nr; i++) {
		const struct sim_task *task = sim->tasks.at[i];
		u64 *since_ns = &waits->since_ns[(task->id.tid - FIRST) % 64];

		if (task->cpu->curr == task || task->state != SIM_RUNNABLE || !task->on_rq)
			*since_ns = sim->now_ns;
		else if (sim->now_ns - *since_ns > waits->longest_ns)
			waits->longest_ns = sim->now_ns - *since_ns;
	}
	CHECK(waits->longest_ns <= waits->bound_ns, "release %s seed %llu: %llu of %llu ns",
	      sim->setup->release->name, sim->setup->seed, waits->longest_ns, waits->bound_ns);
}

/*
 * How long one of @nr threads may wait in an EEVDF queue, lags measured in service, ns * weight
 * / weight.  With s the slice, t the tick:
 *
 *	over	A thread is picked with a lag of 0 at the least.  It is accounted for within a
 *		tick and gives way then if its request is used up, at latest at the next tick
 *		where preemption is lazy: no more than over = s + 2 t too much.  Yielding may
 *		cost it another s.
 *	carry	Who leaves takes along a lag of at most carry = 2 s + t, either way, and brings
 *		it back, which moves the lags of all others by as much in sum.
 *
 * The lags of who is queued add up to 0.  So what one is owed at any time is what others had
 * too much: at most nr * (over + carry).  Where it began to wait it was owed at least
 * -(over + s + carry).  While it waits its lag grows by its part, weight / sum of weights, of
 * the time; it loses what others bring along, nr * carry, beyond what they took away before.
 * So the time is at most the sum of these over its part.
 *
 * PLACE_LAG must be on: else who sleeps is forgiven, as often as it sleeps.
 */
static u64 eevdf_bound(u32 nr, u64 tick_ns, u64 slice_ns)
{
	u64 over_ns = slice_ns + 2 * tick_ns, carry_ns = 2 * slice_ns + tick_ns;
	u64 lag_ns = nr * (over_ns + carry_ns) + over_ns + slice_ns + carry_ns + nr * carry_ns;

	return lag_ns * nr * MOST / LEAST;
}

/*
 * The same for CFS.  Who is picked is at most a wakeup granularity g ahead of the leftmost, a
 * buddy or instead of one that yielded, and runs for its slice, at most a period p, and up to a
 * tick t beyond.  So who begins to wait is at most ahead = g + p + t past min_vruntime, and no
 * other gets further than ahead past that one.  Sleepers come back at most a latency l before
 * min_vruntime, which never goes back.  So each of the others gets at most 2 ahead + l, in
 * virtual time of the heaviest against that of the lightest.
 */
static u64 cfs_bound(u32 nr, u64 tick_ns)
{
	struct policy_cfs of;
	u64 ahead_ns;

	policy_cfs_constants(1, 750000, &of);
	ahead_ns = of.wakeup_granularity_ns + policy_sched_period(&of, nr) + tick_ns;
	return nr * (2 * ahead_ns + of.latency_ns) * MOST / LEAST * MOST / LEAST;
}

static u32 nr_threads(const struct lab *lab)
{
	u32 nr = 0;

	for (size_t i = 0; i < lab->workload->tasks.nr; i++)
		nr += lab->workload->tasks.at[i].instances;
	return nr;
}

static void run_waits(u64 seed, const char *release, struct waits *longest)
{
	struct gen gen = { .seed = seed,
			   .max_cpus = 1,
			   .max_tasks = 3,
			   .nice = 1,
			   .flat = true,
			   .release = release };
	struct waits waits = { 0 };
	struct lab lab;
	u64 tick_ns;

	gen_lab(&gen, &lab);
	tick_ns = S / lab.setup.hz + 1;
	if (policy_knows(lab.setup.release, POLICY_PLACE_LAG))
		lab_feature(&lab, POLICY_PLACE_LAG, true);
	waits.bound_ns =
		lab.setup.release->queue == POLICY_QUEUE_CFS
			? cfs_bound(nr_threads(&lab), tick_ns)
			: eevdf_bound(nr_threads(&lab), tick_ns, lab.setup.release->base_slice_ns);
	lab.setup.duration_ns = 4 * S;
	lab.setup.probe = check_waits;
	lab.setup.probe_self = &waits;
	CHECK_EQ(OK, lab_run(&lab), "seed %llu", seed);
	if (waits.longest_ns > longest->longest_ns)
		*longest = waits;
	lab_fini(&lab);
}

TEST(who_waits_gets_to_run)
{
	u64 alone = number("FAIRGROUND_SEED", 0), nr = number("FAIRGROUND_WORKLOADS", 200) / 10;

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		struct waits longest = { 0 };

		for (u64 seed = alone ? alone : 1; seed <= (alone ? alone : nr); seed++)
			run_waits(seed, releases[i], &longest);
		printf("# %s: longest wait %llu us of %llu\n", releases[i],
		       longest.longest_ns / 1000, longest.bound_ns / 1000);
		CHECK(longest.longest_ns > 4 * MS);
	}
}

/*
 * The same where nobody sleeps nor yields, which can be told closer.  r is the most that one
 * weight can be of another.
 *
 * EEVDF: i stops with a lag of -L at the least; it was picked with one of 0, and ran its request
 * s and what a tick t saw too late: L = s + t.  Its deadline is then s beyond it.  Whoever is
 * picked while it waits is eligible when i is not, and so behind it, or has an earlier
 * deadline; it goes no further past i's deadline than (r - 1) s + t.  Lags add up to 0, so the
 * others are owed L in sum when i begins to wait.  In service of a thread of i's weight they
 * get to i's deadline by L + s each.
 */
static u64 hogs_eevdf_bound(u64 nr, u64 tick_ns, u64 slice_ns)
{
	u64 lag_ns = slice_ns + tick_ns;
	u64 past_ns = slice_ns * MOST / LEAST - slice_ns + tick_ns;

	return (nr - 1) * ((lag_ns + slice_ns) * MOST / LEAST + past_ns) + lag_ns;
}

/*
 * CFS: i was picked as the leftmost, and ran its slice of the period and up to a tick: it is that
 * far ahead of each other one at most, or a period when it was born.  Who catches up with it
 * goes a slice and a tick past it.
 */
static u64 hogs_cfs_bound(u64 nr, u64 tick_ns)
{
	struct policy_cfs of;
	u64 period_ns, turn_ns, ahead_ns;

	policy_cfs_constants(1, 750000, &of);
	period_ns = policy_sched_period(&of, (u32)nr);
	turn_ns = period_ns * MOST / LEAST / nr + tick_ns;
	ahead_ns = turn_ns > period_ns ? turn_ns : period_ns;
	return (nr - 1) * (ahead_ns * MOST / LEAST + turn_ns);
}

static void run_hogs_wait(u64 seed, const char *release, struct waits *longest)
{
	static const u32 hz[] = { 100, 250, 300, 1000 };
	struct gen gen = { .seed = seed, .nice = 1 };
	u32 nr = 2 + gen_below(&gen, 5);
	struct waits waits = { 0 };
	struct lab lab;
	u64 tick_ns;

	lab_init(&lab, 1, hz[gen_below(&gen, ARRAY_SIZE(hz))]);
	lab_release(&lab, release);
	lab.setup.seed = seed;
	gen_features(&gen, &lab);
	for (u32 i = 0; i < nr; i++) {
		struct workload_task *task = lab_task(&lab, "hog", 1, 1);

		task->attr.nice = gen_nice(&gen);
		lab_runs(task, 10 * S);
	}
	tick_ns = S / lab.setup.hz + 1;
	waits.bound_ns = lab.setup.release->queue == POLICY_QUEUE_CFS
				 ? hogs_cfs_bound(nr, tick_ns)
				 : hogs_eevdf_bound(nr, tick_ns, lab.setup.release->base_slice_ns);
	lab.setup.duration_ns = 2 * S;
	lab.setup.probe = check_waits;
	lab.setup.probe_self = &waits;
	CHECK_EQ(OK, lab_run(&lab), "seed %llu", seed);
	if (waits.longest_ns > longest->longest_ns)
		*longest = waits;
	lab_fini(&lab);
}

/* The bound is no more than a few times what happens. */
TEST(hogs_wait_no_longer_than_their_lags_tell)
{
	u64 alone = number("FAIRGROUND_SEED", 0), nr = number("FAIRGROUND_WORKLOADS", 200) / 4;

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		struct waits longest = { 0 };

		for (u64 seed = alone ? alone : 1; seed <= (alone ? alone : nr); seed++)
			run_hogs_wait(seed, releases[i], &longest);
		printf("# %s: longest wait %llu us of %llu\n", releases[i],
		       longest.longest_ns / 1000, longest.bound_ns / 1000);
		CHECK(alone || longest.longest_ns * 4 > longest.bound_ns, "release %s",
		      releases[i]);
	}
}

#define HOGS_NS (60 * S)

static enum err_code add_runtime(void *self, const struct event *event)
{
	if (event->kind == EVENT_RUNTIME)
		((u64 *)self)[event->task.tid - FIRST] += event->runtime.runtime_ns;
	return OK;
}

/*
 * Two to four hogs of nice -3..3 (weights 526..1991) for a minute.  The lightest has at least
 * 526 of 6499, 4.9 s, and nobody is further from his share than a slice and two ticks of 10 ms:
 * 0.5 %.
 */
static void run_hogs(u64 seed, const char *release)
{
	static const u32 hz[] = { 100, 250, 300, 1000 };
	struct gen gen = { .seed = seed, .nice = 3 };
	u32 nr = 2 + gen_below(&gen, 3);
	u64 used_ns[4] = { 0 }, weights[4], sum = 0;
	struct lab lab;

	lab_init(&lab, 1, hz[gen_below(&gen, ARRAY_SIZE(hz))]);
	lab_release(&lab, release);
	for (u32 i = 0; i < nr; i++) {
		struct workload_task *task = lab_task(&lab, "hog", 1, 1);
		struct policy_weight weight;

		task->attr.nice = gen_nice(&gen);
		lab_runs(task, HOGS_NS);
		policy_weight_of_nice(task->attr.nice, &weight);
		weights[i] = weight.weight;
		sum += weight.weight;
	}
	lab.setup.duration_ns = HOGS_NS;
	CHECK_EQ(OK, sim_run(&lab.setup,
			     (struct event_sink){ .self = used_ns, .on_event = add_runtime },
			     &lab.err));
	for (u32 i = 0; i < nr; i++) {
		s64 want_ns = (s64)(HOGS_NS / sum * weights[i]),
		    apart_ns = (s64)used_ns[i] - want_ns;

		CHECK((apart_ns < 0 ? -apart_ns : apart_ns) * 100 < want_ns,
		      "release %s seed %llu: hog %u had %llu of %lld ns", release, seed, i,
		      used_ns[i], want_ns);
	}
	lab_fini(&lab);
}

TEST(nice_values_share_within_one_percent)
{
	u64 alone = number("FAIRGROUND_SEED", 0), nr = number("FAIRGROUND_WORKLOADS", 200) / 20;

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++)
		for (u64 seed = alone ? alone : 1; seed <= (alone ? alone : nr); seed++)
			run_hogs(seed, releases[i]);
}
