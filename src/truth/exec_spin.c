/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that takes the same time whenever it is done: counted loops, measured once.
 *
 * The body is long, so that an emulated CPU, which pays for each loop, gets through it fast.
 */
#include <errno.h>
#include <time.h>

#include "truth/exec.h"

#define NS_PER_S      1000000000ull
#define ROUNDS        32
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

/* The fastest round is the one that nothing disturbed. */
u64 exec_spin_calibrate(void)
{
	u64 loops = rough_loops(), best = ~0ull;

	for (u32 i = 0; i < ROUNDS; i++) {
		u64 took = round_ns(loops);

		if (took < best)
			best = took;
	}
	return best ? loops * 1000000 / best : loops;
}
