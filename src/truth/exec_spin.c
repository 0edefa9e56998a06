/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that takes the same time whenever it is done: counted loops, measured once.
 *
 * The body is long, so that an emulated CPU, which pays for each loop, gets through it fast.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "truth/exec.h"

#define NS_PER_S      1000000000ull
#define ROUNDS        32
#define SHARED_ROUNDS 256
#define ROUND_GOAL_NS 1000000 /* shorter than a tick: most rounds are undisturbed */

u64 exec_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NS_PER_S + (u64)now.tv_nsec;
}

u64 exec_tick_ns(void)
{
	struct timespec tick = { 0 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (u64)tick.tv_nsec;
}

void exec_sleep_until(u64 time_ns)
{
	const struct timespec until = { .tv_sec = (time_t)(time_ns / NS_PER_S),
					.tv_nsec = (long)(time_ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

#if defined(__x86_64__) || defined(__i386__)
void exec_spin(u64 loops)
{
	if (loops)
		__asm__ volatile("1:\n\t.fill 62, 1, 0x90\n\tdec %0\n\tjnz 1b"
				 : "+r"(loops)
				 :
				 : "cc");
}
#else
void exec_spin(u64 loops)
{
	for (; loops; loops--)
		for (u32 i = 0; i < 16; i++)
			__asm__ volatile("" : "+r"(i));
}
#endif

static u64 round_ns(u64 loops)
{
	u64 begin = exec_now_ns();

	exec_spin(loops);
	return exec_now_ns() - begin;
}

static u64 rough_loops(void)
{
	u64 loops = 64;

	while (round_ns(loops) < ROUND_GOAL_NS / 2)
		loops *= 2;
	return loops;
}

static int shorter(const void *left, const void *right)
{
	const u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* The fastest of ROUNDS, which nothing disturbed. */
static u64 measure(void)
{
	u64 loops = rough_loops(), took_ns[ROUNDS];

	for (u32 i = 0; i < ROUNDS; i++)
		took_ns[i] = round_ns(loops);
	qsort(took_ns, ROUNDS, sizeof(*took_ns), shorter);
	return took_ns[0] ? loops * 1000000 / took_ns[0] : loops;
}

/* The time of the last tick. */
static u64 last_tick_ns(void)
{
	struct timespec tick = { 0 };

	clock_gettime(CLOCK_MONOTONIC_COARSE, &tick);
	return (u64)tick.tv_sec * NS_PER_S + (u64)tick.tv_nsec;
}

/*
 * Of CPUs that are all busy and may take turns: a turn more or less falsifies each round, but not
 * the mean of those that no tick disturbed.
 */
static u64 measure_shared(void)
{
	u64 loops = 2 * rough_loops(), rounds = 0, took_ns = 0;

	for (u32 i = 0; i < SHARED_ROUNDS; i++) {
		u64 tick_ns = last_tick_ns(), round = round_ns(loops);

		if (last_tick_ns() != tick_ns)
			continue;
		took_ns += round;
		rounds++;
	}
	return took_ns ? rounds * loops * 1000000 / took_ns : measure();
}

struct beside {
	pthread_t thread;
	atomic_bool *over;
};

static void *keep_busy(void *arg)
{
	const struct beside *beside = arg;

	while (!*beside->over)
		exec_spin(64);
	return NULL;
}

static cpu_set_t only(u32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return set;
}

/* On @cpu from its birth: it could not leave a CPU that its maker keeps. */
static bool start_beside(struct beside *beside, u32 cpu)
{
	const cpu_set_t set = only(cpu);
	pthread_attr_t attr;
	bool started;

	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	started = !pthread_create(&beside->thread, &attr, keep_busy, beside);
	pthread_attr_destroy(&attr);
	return started;
}

static bool stay_on(u32 cpu, cpu_set_t *before)
{
	const cpu_set_t set = only(cpu);

	return !sched_getaffinity(0, sizeof(*before), before) &&
	       !sched_setaffinity(0, sizeof(set), &set);
}

u64 exec_spin_calibrate(bool all_busy)
{
	u32 nr = all_busy ? (u32)sysconf(_SC_NPROCESSORS_ONLN) : 1, started = 0;
	struct beside beside[CPU_SETSIZE];
	atomic_bool over = false;
	cpu_set_t before;
	u64 loops_per_ms;

	if (nr < 2 || nr > CPU_SETSIZE || !stay_on(0, &before))
		return measure();
	for (; started < nr - 1; started++) {
		beside[started].over = &over;
		if (!start_beside(&beside[started], started + 1))
			break;
	}
	loops_per_ms = measure_shared();
	over = true;
	for (u32 i = 0; i < started; i++)
		pthread_join(beside[i].thread, NULL);
	sched_setaffinity(0, sizeof(before), &before);
	return loops_per_ms;
}
