/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder: scheduler events of an instance of tracefs that is ours alone, read out as
 * raw pages of the ring after the run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "truth/capture.h"
#include "truth/exec.h"

#define TRACEFS       "/sys/kernel/tracing"
#define CLOCK         "mono"
#define MAX_TEXT      (4u << 20)
#define PAGES_A_CHUNK 64u

static const char *const systems_events[][2] = {
	{ "sched", "sched_switch" },       { "sched", "sched_waking" },
	{ "sched", "sched_wakeup" },       { "sched", "sched_wakeup_new" },
	{ "sched", "sched_migrate_task" }, { "sched", "sched_stat_runtime" },
	{ "sched", "sched_process_fork" }, { "sched", "sched_process_exec" },
	{ "sched", "sched_process_exit" }, { "power", "cpu_idle" },
	{ "power", "cpu_frequency" },      { "ftrace", "print" },
};

bool exec_fault(struct exec_fault *fault, const char *fmt, ...)
{
	const char *reason = strerror(errno);
	va_list args;
	int len;

	if (fault->text[0])
		return false;
	va_start(args, fmt);
	len = vsnprintf(fault->text, sizeof(fault->text), fmt, args);
	va_end(args);
	if (len >= 0 && len < (int)sizeof(fault->text))
		snprintf(fault->text + len, sizeof(fault->text) - (size_t)len, ": %s", reason);
	return false;
}

bool exec_write_file(const char *path, const char *text, struct exec_fault *fault)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);
	bool good = fd >= 0 && write(fd, text, len) == (ssize_t)len;

	if (!good)
		exec_fault(fault, "\"%s\" to %s", text, path);
	if (fd >= 0)
		close(fd);
	return good;
}

char *exec_read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t room = 0;
	ssize_t got = 1;

	*len = 0;
	while (fd >= 0 && got > 0 && *len < MAX_TEXT) {
		if (room - *len < 4096)
			text = mem_resize(text, room += 16384, 1);
		got = read(fd, text + *len, room - *len - 1);
		*len += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[*len] = '\0';
	return text;
}

bool exec_send(int out, u32 kind, u32 cpu, const void *bytes, size_t size, struct exec_fault *fault)
{
	struct capture_head head = { kind, cpu, size };
	const u8 *parts[] = { (const u8 *)&head, bytes };
	size_t sizes[] = { sizeof(head), size };

	for (u32 i = 0; i < 2; i++) {
		while (sizes[i]) {
			ssize_t put = write(out, parts[i], sizes[i]);

			if (put < 0 && errno == EINTR)
				continue;
			if (put <= 0)
				return exec_fault(fault, "the recording could not be sent");
			parts[i] += put;
			sizes[i] -= (size_t)put;
		}
	}
	return true;
}

static bool set(const struct exec_recorder *recorder, const char *file, const char *text,
		struct exec_fault *fault)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", recorder->instance, file);
	return exec_write_file(path, text, fault);
}

/* cpu_frequency and the like may not exist; sched_switch must. */
static bool enable_events(const struct exec_recorder *recorder, struct exec_fault *fault)
{
	for (u32 i = 0; i < ARRAY_SIZE(systems_events); i++) {
		struct exec_fault ignored = { "" };
		char file[100];

		if (!strcmp(systems_events[i][0], "ftrace"))
			continue;
		snprintf(file, sizeof(file), "events/%s/%s/enable", systems_events[i][0],
			 systems_events[i][1]);
		if (!set(recorder, file, "1", i ? &ignored : fault) && !i)
			return false;
	}
	return true;
}

bool exec_record_open(struct exec_recorder *recorder, u32 buffer_kib, struct exec_fault *fault)
{
	char text[300];

	*recorder =
		(struct exec_recorder){ .nr_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF), .on = -1 };
	snprintf(recorder->instance, sizeof(recorder->instance), TRACEFS "/instances/fairground-%d",
		 (int)getpid());
	if (mkdir(recorder->instance, 0700)) {
		exec_fault(fault, "an instance of tracefs at %s", recorder->instance);
		recorder->instance[0] = '\0';
		return false;
	}
	snprintf(text, sizeof(text), "%u", buffer_kib);
	if (!set(recorder, "tracing_on", "0", fault) ||
	    !set(recorder, "trace_clock", CLOCK, fault) ||
	    !set(recorder, "buffer_size_kb", text, fault) || !enable_events(recorder, fault))
		return false;
	snprintf(text, sizeof(text), "%s/tracing_on", recorder->instance);
	recorder->on = open(text, O_WRONLY | O_CLOEXEC);
	return recorder->on >= 0 || exec_fault(fault, "%s", text);
}

void exec_record_switch(struct exec_recorder *recorder, bool on)
{
	if (pwrite(recorder->on, on ? "1" : "0", 1, 0) != 1)
		return; /* an empty recording tells */
}

static bool send_file(int out, u32 kind, u32 cpu, const char *path, struct exec_fault *fault)
{
	size_t len;
	char *text = exec_read_file(path, &len);
	bool good = !text || exec_send(out, kind, cpu, text, len, fault);

	free(text);
	return good;
}

/* Formats are named by their system; an event the kernel lacks has none. */
static bool send_formats(int out, struct exec_fault *fault)
{
	bool good = true;

	for (u32 i = 0; i < ARRAY_SIZE(systems_events) && good; i++) {
		const char *system = systems_events[i][0];
		char path[200], *text, *chunk;
		size_t len, head = strlen(system) + 1;

		snprintf(path, sizeof(path), TRACEFS "/events/%s/%s/format", system,
			 systems_events[i][1]);
		text = exec_read_file(path, &len);
		if (!text)
			continue;
		chunk = mem_zalloc(head + len);
		memcpy(chunk, system, head);
		memcpy(chunk + head, text, len);
		good = exec_send(out, CAPTURE_FORMAT, 0, chunk, head + len, fault);
		free(chunk);
		free(text);
	}
	return good;
}

static bool send_uname(int out, struct exec_fault *fault)
{
	struct utsname name;
	char text[sizeof(name)];

	uname(&name);
	snprintf(text, sizeof(text), "%s %s %s %s", name.sysname, name.nodename, name.release,
		 name.machine);
	return exec_send(out, CAPTURE_UNAME, 0, text, strlen(text), fault);
}

static bool send_pages(const struct exec_recorder *recorder, u32 cpu, int out,
		       struct exec_fault *fault)
{
	u8 *pages = mem_zalloc(PAGES_A_CHUNK * CAPTURE_PAGE);
	bool good = true, more = true;
	char path[400];
	int fd;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", recorder->instance, cpu);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	while (fd >= 0 && good && more) {
		size_t len = 0;

		while (len < PAGES_A_CHUNK * CAPTURE_PAGE && more) {
			more = read(fd, pages + len, CAPTURE_PAGE) == (ssize_t)CAPTURE_PAGE;
			len += more ? CAPTURE_PAGE : 0;
		}
		good = !len || exec_send(out, CAPTURE_PAGES, cpu, pages, len, fault);
	}
	if (fd >= 0)
		close(fd);
	free(pages);
	return good;
}

static bool send_cpu(const struct exec_recorder *recorder, u32 cpu, int out,
		     struct exec_fault *fault)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", recorder->instance, cpu);
	return send_file(out, CAPTURE_STATS, cpu, path, fault) &&
	       send_pages(recorder, cpu, out, fault);
}

bool exec_record_send(struct exec_recorder *recorder, int out, struct exec_fault *fault)
{
	bool good =
		send_uname(out, fault) &&
		exec_send(out, CAPTURE_CLOCK, 0, CLOCK, strlen(CLOCK), fault) &&
		send_file(out, CAPTURE_HEADER_PAGE, 0, TRACEFS "/events/header_page", fault) &&
		send_file(out, CAPTURE_HEADER_EVENT, 0, TRACEFS "/events/header_event", fault) &&
		send_formats(out, fault) &&
		send_file(out, CAPTURE_CMDLINES, 0, TRACEFS "/saved_cmdlines", fault);

	for (u32 cpu = 0; cpu < recorder->nr_cpus && good; cpu++)
		good = send_cpu(recorder, cpu, out, fault);
	return good;
}

void exec_record_close(struct exec_recorder *recorder)
{
	if (recorder->on >= 0)
		close(recorder->on);
	if (recorder->instance[0])
		rmdir(recorder->instance);
}
