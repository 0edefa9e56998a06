/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fairground-exec - runs the program on standard input and writes a capture to standard
 * output; as process 1, that of /program, and to the port of the guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth/capture.h"
#include "truth/exec.h"

#define FEATURES     "/sys/kernel/debug/sched/features"
#define OLD_FEATURES "/sys/kernel/debug/sched_features"
#define LEAD_NS      2000000 /* the recording is on so long before the start */

/* What is looked at before the executor is what it is. */
struct calm {
	u64 loops_per_ms;
	int slack_ns; /* of timers */
};

static bool set_features(const char *list, struct exec_fault *fault)
{
	const char *file = access(FEATURES, F_OK) ? OLD_FEATURES : FEATURES;
	char *words = mem_strdup(list ? list : ""), *rest = words, *word;
	bool good = true;

	while (good && (word = strsep(&rest, ",")))
		good = !*word || exec_write_file(file, word, fault);
	free(words);
	return good;
}

/* Above every task of the workload, so that begin and end of the recording are on time. */
static void become_urgent(void)
{
	const struct sched_param param = { .sched_priority = 99 };

	sched_setscheduler(0, SCHED_FIFO, &param);
}

static void stay_ordinary(void)
{
	const struct sched_param param = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &param);
}

/* A child of a realtime task inherits its timer slack, which is none. */
static void take_slack(int slack_ns)
{
	if (slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, slack_ns);
}

static bool read_report(int from, u64 until_ns, struct exec_report *report)
{
	struct pollfd ready = { .fd = from, .events = POLLIN };
	u64 now_ns = exec_now_ns();
	const struct timespec left = { .tv_sec = (time_t)((until_ns - now_ns) / 1000000000),
				       .tv_nsec = (long)((until_ns - now_ns) % 1000000000) };

	if (until_ns && (until_ns <= now_ns || ppoll(&ready, 1, &left, NULL) <= 0))
		return false;
	return read(from, report, sizeof(*report)) == sizeof(*report);
}

/* From the start to the end of the workload, or of its time. */
static bool watch(struct exec_recorder *recorder, const struct program *program, int from,
		  struct exec_fault *fault)
{
	struct exec_report begin, later;

	if (!read_report(from, 0, &begin)) {
		errno = ECHILD;
		return exec_fault(fault, "the workload did not start");
	}
	if (!begin.start_ns) {
		*fault = begin.fault;
		return false;
	}
	exec_sleep_until(begin.start_ns - LEAD_NS);
	exec_record_switch(recorder, true);
	if (read_report(from, program->duration_ns ? begin.start_ns + program->duration_ns : 0,
			&later))
		*fault = later.fault;
	exec_record_switch(recorder, false);
	return !fault->text[0];
}

static int open_marker(const struct exec_recorder *recorder)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/trace_marker", recorder->instance);
	return open(path, O_WRONLY | O_CLOEXEC);
}

/* The workload is a process of its own: it can be ended whatever its threads do. */
static bool run(struct exec_recorder *recorder, const struct program *program,
		const struct calm *calm, struct exec_fault *fault)
{
	int ends[2], marker = open_marker(recorder);
	bool good;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return exec_fault(fault, "a pipe");
	pid = fork();
	if (pid < 0)
		return exec_fault(fault, "a process for the workload");
	if (!pid) {
		stay_ordinary();
		take_slack(calm->slack_ns);
		close(ends[0]);
		exec_workload(program, calm->loops_per_ms, marker, ends[1]);
		close(ends[1]);
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	good = watch(recorder, program, ends[0], fault);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(marker);
	return good;
}

static bool record(const struct program *program, int out, bool guest, struct exec_fault *fault)
{
	struct exec_recorder recorder;
	struct calm calm = { .slack_ns = prctl(PR_GET_TIMERSLACK) };
	u64 tick_ns = exec_tick_ns();
	bool good;

	become_urgent();
	calm.loops_per_ms = exec_spin_calibrate(guest);
	good = exec_record_open(&recorder, program->buffer_kib, fault) &&
	       set_features(program->features, fault) &&
	       exec_send(out, CAPTURE_LOOPS, 0, &calm.loops_per_ms, sizeof(calm.loops_per_ms),
			 fault) &&
	       exec_send(out, CAPTURE_TICK, 0, &tick_ns, sizeof(tick_ns), fault) &&
	       run(&recorder, program, &calm, fault);
	stay_ordinary();
	good = good && exec_record_send(&recorder, out, fault);
	exec_record_close(&recorder);
	return good;
}

/* Run by run, each with an END of its own but the last one's, which is main()'s. */
static bool record_all(struct program *program, int out, bool guest, struct exec_fault *fault)
{
	bool good = true;

	for (u32 i = 0; good && (!i || i < program->runs); i++, program->seed++) {
		if (i)
			good = exec_send(out, CAPTURE_END, 0, NULL, 0, fault);
		good = good && record(program, out, guest, fault);
		if (guest)
			exec_cgroups_remove(program->workload);
	}
	return good;
}

static bool execute(const char *path, int out, bool guest, struct exec_fault *fault)
{
	struct err err = ERR_NONE;
	struct program program;
	size_t len;
	char *bytes = exec_read_file(path, &len);
	bool good;

	if (!bytes)
		return exec_fault(fault, "%s", path);
	good = program_read(&program, (const u8 *)bytes, len, &err) == OK;
	if (good)
		good = record_all(&program, out, guest, fault);
	else
		err_print(&err, fault->text, sizeof(fault->text));
	program_fini(&program);
	free(bytes);
	return good;
}

int main(void)
{
	struct exec_fault fault = { "" };
	bool guest = getpid() == 1, good;
	int out = guest ? exec_init_guest(&fault) : STDOUT_FILENO;

	good = out >= 0 && execute(guest ? "/program" : "/dev/stdin", out, guest, &fault);
	if (!good && out >= 0)
		exec_send(out, CAPTURE_FAULT, 0, fault.text, strlen(fault.text), &fault);
	else if (!good)
		dprintf(STDERR_FILENO, "fairground-exec: %s\n", fault.text);
	if (out >= 0)
		exec_send(out, CAPTURE_END, 0, NULL, 0, &fault);
	if (guest)
		exec_power_off();
	return !good;
}
