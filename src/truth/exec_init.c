/* SPDX-License-Identifier: GPL-2.0-only */
/* What /init of a guest has to do before there is a system, and to end it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "truth/exec.h"

#define PORT       "/dev/vport0p1"
#define PORT_TRIES 1000
#define SETTLE_NS  3000000000ull /* until what boots in the background is done */
#define MAX_MODULE 32

static const struct {
	const char *type, *at;
	bool needed;
} mounts[] = {
	{ "devtmpfs", "/dev", true },
	{ "proc", "/proc", true },
	{ "sysfs", "/sys", true },
	{ "tracefs", "/sys/kernel/tracing", true },
	{ "debugfs", "/sys/kernel/debug", false },
	{ "cgroup2", "/sys/fs/cgroup", false },
};

static bool mount_all(struct exec_fault *fault)
{
	for (u32 i = 0; i < ARRAY_SIZE(mounts); i++) {
		mkdir(mounts[i].at, 0755);
		if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL) &&
		    errno != EBUSY && mounts[i].needed)
			return exec_fault(fault, "mount of %s", mounts[i].type);
	}
	return true;
}

/* /modules/0.ko, 1.ko, ... in the order that they need each other. */
static bool load_modules(struct exec_fault *fault)
{
	for (u32 i = 0; i < MAX_MODULE; i++) {
		char path[40];
		int fd;

		snprintf(path, sizeof(path), "/modules/%u.ko", i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return true;
		if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
			return exec_fault(fault, "module %s", path);
		close(fd);
	}
	return true;
}

static int open_port(struct exec_fault *fault)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int fd = -1;

	for (u32 i = 0; i < PORT_TRIES && fd < 0; i++) {
		fd = open(PORT, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			nanosleep(&pause, NULL);
	}
	if (fd < 0)
		exec_fault(fault, "%s, the port for the recording", PORT);
	return fd;
}

int exec_init_guest(struct exec_fault *fault)
{
	if (!mount_all(fault) || !load_modules(fault))
		return -1;
	exec_sleep_until(exec_now_ns() + SETTLE_NS);
	return open_port(fault);
}

void exec_power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
