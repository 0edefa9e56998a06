/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * truth - the same workload on real kernels: this machine's, or one in a guest.
 *
 * Both run our executor (exec.h) and give a trace.dat.
 */
#ifndef TRUTH_TRUTH_H
#define TRUTH_TRUTH_H

#include <stdio.h>

#include "truth/program.h"

/* What a guest boots. */
struct truth_kernel {
	char *image;   /* bzImage */
	char *modules; /* folder of 0.ko, 1.ko, ...; NULL: what is needed is built in */
};

struct truth_guest {
	struct truth_kernel kernel;
	u32 nr_cpus;
};

/* What a run tells beside its trace. */
struct truth_told {
	u32 hz;            /* of the kernel; 0: it does not tell */
	const char *clock; /* whose time it was, for reports */
	bool turns;        /* virtual, of CPUs in turns: exact only as long as none idles */
};

/*
 * Runs @program on this machine and writes its trace.dat to @to.  ERR_ABSENT: the right or
 * the kernel feature that is missing.
 */
enum err_code truth_exec(const struct program *program, FILE *to, struct truth_told *told,
			 struct err *err);
/*
 * The same in a guest under QEMU.  With one CPU it is emulated, its time is virtual and does
 * not depend on this machine's load.  With more it is the wall clock's by KVM where that
 * works, else virtual too, with CPUs that take turns, or the wall clock's (guest.c).
 */
enum err_code truth_guest(const struct truth_guest *guest, const struct program *program, FILE *to,
			  struct truth_told *told, struct err *err);

/*
 * The same for each of @program's runs, all in one guest; @take gets them one by one.  What it
 * answers other than OK ends it.
 */
typedef enum err_code truth_take(void *self, FILE *trace, const struct truth_told *told,
				 struct err *err);
enum err_code truth_guest_runs(const struct truth_guest *guest, const struct program *program,
			       truth_take *take, void *self, struct err *err);

/*
 * The kernel called @name: a release that was fetched ("6.12"), or an image's path.
 * ERR_ABSENT says how to get it.  truth_kernel_fini() in either case.
 */
enum err_code truth_kernel_find(const char *name, struct truth_kernel *kernel, struct err *err);
void truth_kernel_fini(struct truth_kernel *kernel);
/*
 * Downloads a release's kernel from this machine's Debian mirror into the cache; nothing is
 * installed.  @told gets its version, which the caller frees.
 */
enum err_code truth_kernel_fetch(const char *release, char **told, struct err *err);

/* KiB of ring for each CPU that hold a run of @duration_ns. */
u32 truth_buffer_kib(u64 duration_ns);

#endif
