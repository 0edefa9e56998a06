/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick - one CPU's fair queue with N runnable tasks, turned by hand.
 *
 *	pick RELEASE N TURNS PICKS
 *
 * A turn charges the running task for a tick, picks PICKS times (all but the first change
 * nothing, so two numbers of picks tell what one costs) and switches to who was picked.  Prints
 * the nanoseconds of a turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/internal.h"

#define TICK_NS 1000000

struct bench {
	u32 nr, turns, picks;
	bool done;
	u64 elapsed_ns;
};

static u64 clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static void turn(struct sim_cpu *cpu, u32 picks)
{
	const struct sim_class *fair = cpu->fair;
	struct sim_task *prev = cpu->curr, *next = NULL;

	cpu->clock_ns += TICK_NS;
	while (picks--)
		next = fair->pick(cpu);
	if (next == prev)
		return;
	if (fair->switch_to) {
		fair->switch_to(cpu, prev, next);
	} else {
		fair->put_prev(cpu, prev);
		fair->set_next(cpu, next);
	}
	cpu->curr = next;
}

/* Once all are there and one runs.  Turning emits events: they come by here, too. */
static void probe(void *self, const struct sim *sim, const struct event *event)
{
	struct bench *bench = self;
	struct sim_cpu *cpu = &sim->cpus[0];

	(void)event;
	if (bench->done || cpu->root.h_nr_queued < bench->nr || cpu->curr == cpu->idle)
		return;
	bench->done = true;
	for (u32 i = 0; i < 2 * bench->nr; i++) /* until everybody has run */
		turn(cpu, 1);
	bench->elapsed_ns = clock_ns();
	for (u32 i = 0; i < bench->turns; i++)
		turn(cpu, bench->picks);
	bench->elapsed_ns = clock_ns() - bench->elapsed_ns;
}

static enum err_code stop_when_done(void *self, const struct event *event)
{
	(void)event;
	return ((struct bench *)self)->done ? ERR_STOP : OK;
}

/* @nr hogs of five nice values. */
static struct workload *hogs(u32 nr)
{
	struct workload *workload = workload_new();

	workload->name = mem_strdup("hogs");
	for (u32 i = 0; i < 5; i++) {
		struct workload_task *task = vec_add(&workload->tasks);

		task->name = mem_strdup("hog");
		task->instances = (nr + i) / 5;
		task->loop = WORKLOAD_FOREVER;
		task->attr = WORKLOAD_ATTR_KEEP;
		task->attr.policy = EVENT_POLICY_NORMAL;
		task->attr.nice = (s32)i - 2;
		*vec_add(&task->events) =
			(struct workload_event){ .op = WORKLOAD_OP_RUN,
						 .object = WORKLOAD_NO_OBJECT,
						 .mutex = WORKLOAD_NO_OBJECT,
						 .amount = { .shape = WORKLOAD_CONST,
							     .a = 1000000000 } };
		*vec_add(&task->phases) = (struct workload_phase){ .nr_events = 1,
								   .loop = 1,
								   .attr = WORKLOAD_ATTR_KEEP };
	}
	return workload;
}

static int run(const struct policy_release *release, struct bench *bench)
{
	struct machine machine = { 0 };
	struct workload *workload = hogs(bench->nr);
	struct sim_setup setup = { .machine = &machine,
				   .workload = workload,
				   .release = release,
				   .features = release->on,
				   .hz = 1000,
				   .duration_ns = 1000000000,
				   .seed = 1,
				   .probe = probe,
				   .probe_self = bench };
	struct err err = ERR_NONE;
	enum err_code code;

	machine_flat(&machine, 1);
	code = sim_run(&setup, (struct event_sink){ .self = bench, .on_event = stop_when_done },
		       &err);
	if (code == OK && bench->done)
		printf("%.1f\n", (double)bench->elapsed_ns / bench->turns);
	workload_free(workload);
	machine_fini(&machine);
	return code == OK && bench->done ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct policy_release *release = argc == 5 ? policy_release_find(argv[1]) : NULL;
	struct bench bench = { 0 };

	if (release) {
		bench.nr = (u32)strtoul(argv[2], NULL, 0);
		bench.turns = (u32)strtoul(argv[3], NULL, 0);
		bench.picks = (u32)strtoul(argv[4], NULL, 0);
	}
	if (bench.nr < 2 || !bench.turns || !bench.picks) {
		fprintf(stderr, "usage: pick RELEASE N TURNS PICKS\n");
		return 2;
	}
	return run(release, &bench);
}
