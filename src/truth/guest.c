/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest: QEMU, our executor as its /init, the capture through a virtio-serial port.
 *
 * With one CPU QEMU counts instructions: each takes 2 ns of virtual time, idle time passes
 * at once, and timings repeat however busy this machine is.  With more, KVM is tried first,
 * which may be there and yet fail.  Else one thread runs the CPUs in turns of some us, and
 * instructions are counted as well: as long as no CPU idles each has the same share of them,
 * so that work takes the same time whenever it is done.  An idle CPU gives its share to the
 * others, whose work then takes less.  QEMU is fair in this since 8.1; an older one runs a
 * thread for each CPU, by the wall clock.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "truth/capture.h"
#include "truth/child.h"
#include "truth/cpio.h"
#include "truth/files.h"
#include "truth/truth.h"

#define QEMU        "qemu-system-x86_64"
#define PACKAGE     "qemu-system-x86"
#define KVM         "/dev/kvm"
#define BASE_MIB    256u
#define BOOT_NS     180000000000ull /* given to boot and to send, on a busy machine */
#define SLOWNESS    20u             /* how much slower than the wall clock a guest may be */
#define MAX_MODULES 32u
/* Timings by the TSC alone; neither self-tests of ciphers nor DAMON's thread beside the workload. */
#define APPEND                                                                           \
	"console=ttyS0 tsc=reliable nokaslr panic=-1 quiet rdinit=/init no_timer_check " \
	"cryptomgr.notests random.trust_bootloader=on damon_stat.enabled=N"

enum how {
	HOW_VIRTUAL,
	HOW_TURNS,
	HOW_KVM,
	HOW_EMULATED,
};

#define ICOUNT(shift) "shift=" shift ",sleep=off,align=off"
#define TURN_US       "20"

/*
 * @turns: a filter for packets that never come, whose timer ends QEMU's turns: they last from
 * one timer to the next.  Whoever's turn was the last then loses one: a CPU more, which the
 * kernel leaves alone (nr_cpus).
 */
static const struct {
	const char *accel, *icount, *turns, *clock;
} hows[] = {
	[HOW_VIRTUAL] = { "tcg,thread=single", ICOUNT("1"), NULL, "virtual" },
	[HOW_TURNS] = { "tcg,thread=single", ICOUNT("0"),
			"filter-buffer,id=turns,netdev=none,interval=" TURN_US,
			"virtual, CPUs in turns: work takes less beside an idle CPU" },
	[HOW_KVM] = { "kvm", NULL, NULL, "wall, by KVM: trust as many CPUs as are idle here" },
	[HOW_EMULATED] = { "tcg,thread=multi", NULL, NULL,
			   "wall, emulated without KVM: trust as many CPUs as are idle here" },
};

/* Who gets the runs. */
struct taker {
	truth_take *take;
	void *self;
	enum how how;
	u32 taken;
};

struct parts {
	FILE *initramfs, *capture, *console;
	char *executor;
};

static enum err_code add_file(struct cpio *cpio, const char *name, const char *path,
			      struct err *err)
{
	struct files_map map;
	enum err_code code = files_map(path, &map, err);

	if (code == OK)
		cpio_file(cpio, name, 0755, map.bytes, map.size);
	files_unmap(&map);
	return code;
}

static enum err_code add_modules(struct cpio *cpio, const char *folder, struct err *err)
{
	enum err_code code = OK;

	for (u32 i = 0; folder && i < MAX_MODULES && code == OK; i++) {
		char *path = mem_printf("%s/%u.ko", folder, i), name[32];

		snprintf(name, sizeof(name), "modules/%u.ko", i);
		if (access(path, F_OK)) {
			free(path);
			break;
		}
		code = add_file(cpio, name, path, err);
		free(path);
	}
	return code;
}

static enum err_code make_initramfs(const struct truth_guest *guest, const struct program *program,
				    const struct parts *parts, struct err *err)
{
	static const char *const folders[] = { "dev", "proc", "sys", "modules" };
	struct cpio cpio = { .to = parts->initramfs };
	struct program_bytes bytes = { 0 };
	enum err_code code;

	for (u32 i = 0; i < ARRAY_SIZE(folders); i++)
		cpio_folder(&cpio, folders[i]);
	cpio_device(&cpio, "dev/console", 5, 1);
	program_write(program, &bytes);
	cpio_file(&cpio, "program", 0644, bytes.bytes.at, bytes.bytes.nr);
	vec_free(&bytes.bytes);
	code = add_file(&cpio, "init", parts->executor, err);
	if (code == OK)
		code = add_modules(&cpio, guest->kernel.modules, err);
	cpio_end(&cpio);
	if (fflush(cpio.to) || ferror(cpio.to))
		code = err_set(err, ERR_IO, NULL, "the initramfs could not be written");
	return code;
}

/* What our /init said last, else the last line of the console: the kernel's own reason. */
static enum err_code blame_console(const struct parts *parts, struct err *err)
{
	static const char ours[] = "fairground-exec: ";
	char tail[4097], *line, *at;
	long size;
	size_t len;

	fseek(parts->console, 0, SEEK_END);
	size = ftell(parts->console);
	fseek(parts->console, size > 4096 ? size - 4096 : 0, SEEK_SET);
	len = fread(tail, 1, 4096, parts->console);
	while (len && (tail[len - 1] == '\n' || tail[len - 1] == '\r'))
		len--;
	tail[len] = '\0';
	line = strrchr(tail, '\n');
	line = line ? line + 1 : tail;
	at = strstr(tail, ours);
	if (at) {
		line = at + strlen(ours);
		line[strcspn(line, "\r\n")] = '\0';
	}
	return err_set(err, ERR_IO, NULL, "the guest ended without a recording; it said last: %s",
		       line);
}

static enum err_code boot(const struct truth_guest *guest, enum how how,
			  const struct program *program, const struct parts *parts, struct err *err)
{
	char initramfs[32], capture[32], console[32], memory[16], cpus[16], chardev[64], serial[64];
	char append[sizeof(APPEND) + 32];
	const char *const argv[] = {
		QEMU,
		"-nodefaults",
		"-no-user-config",
		"-no-reboot",
		"-display",
		"none",
		"-machine",
		"pc",
		"-m",
		memory,
		"-smp",
		cpus,
		"-kernel",
		guest->kernel.image,
		"-initrd",
		initramfs,
		"-append",
		append,
		"-chardev",
		chardev,
		"-device",
		"virtio-serial-pci",
		"-device",
		"virtserialport,chardev=capture,nr=1",
		"-serial",
		serial,
		"-accel",
		hows[how].accel,
		hows[how].icount ? "-icount" : NULL,
		hows[how].icount,
		"-rtc",
		"clock=vm",
		hows[how].turns ? "-netdev" : NULL,
		"hubport,id=none,hubid=0",
		"-object",
		hows[how].turns,
		NULL,
	};
	struct child child = { .argv = argv, .package = PACKAGE, .in = -1, .out = -1 };

	files_path_of(parts->initramfs, initramfs);
	files_path_of(parts->capture, capture);
	files_path_of(parts->console, console);
	snprintf(memory, sizeof(memory), "%u",
		 BASE_MIB + guest->nr_cpus * (program->buffer_kib / 1024 + 16));
	snprintf(cpus, sizeof(cpus), "%u", guest->nr_cpus + !!hows[how].turns);
	snprintf(append, sizeof(append), "%s nr_cpus=%u", APPEND, guest->nr_cpus);
	snprintf(chardev, sizeof(chardev), "file,id=capture,path=%s", capture);
	snprintf(serial, sizeof(serial), "file:%s", console);
	child.err = fileno(parts->console);
	child.limit_ns = program->duration_ns
				 ? BOOT_NS + SLOWNESS * program->duration_ns * (program->runs + 1)
				 : 0;
	return child_run(&child, err);
}

/* One run after the other to who wants them. */
static enum err_code take_run(const u8 *bytes, u64 size, struct taker *taker, struct err *err)
{
	struct truth_told told = { .hz = capture_hz(bytes, size),
				   .clock = hows[taker->how].clock,
				   .turns = taker->how == HOW_TURNS };
	FILE *trace = NULL;
	enum err_code code = files_temporary(&trace, err);

	if (code == OK)
		code = capture_to_trace_dat(bytes, size, trace, err);
	if (code == OK)
		code = taker->take(taker->self, trace, &told, err);
	taker->taken += code == OK;
	if (trace)
		fclose(trace);
	return code;
}

static enum err_code take_runs(const struct parts *parts, struct taker *taker, struct err *err)
{
	struct files_map map;
	enum err_code code = files_map_fd(fileno(parts->capture), "capture", &map, err);
	u64 len;

	if (code == OK && !map.size)
		code = blame_console(parts, err);
	for (u64 at = 0; at < map.size && code == OK; at += len) {
		len = capture_length(map.bytes + at, map.size - at);
		code = take_run(map.bytes + at, len, taker, err);
	}
	files_unmap(&map);
	return code;
}

static enum err_code open_parts(struct parts *parts, struct err *err)
{
	enum err_code code = files_executor(&parts->executor, err);

	if (code == OK)
		code = files_temporary(&parts->initramfs, err);
	if (code == OK)
		code = files_temporary(&parts->capture, err);
	if (code == OK)
		code = files_temporary(&parts->console, err);
	return code;
}

static void close_parts(struct parts *parts)
{
	FILE *files[] = { parts->initramfs, parts->capture, parts->console };

	for (u32 i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i])
			fclose(files[i]);
	free(parts->executor);
}

static enum err_code boot_as(const struct truth_guest *guest, enum how how,
			     const struct program *program, const struct parts *parts,
			     struct taker *taker, struct err *err)
{
	enum err_code code = boot(guest, how, program, parts, err);

	taker->how = how;
	return code == OK ? take_runs(parts, taker, err) : code;
}

/* Nothing that a failed try has left behind is taken for the next one's. */
static enum err_code empty(const struct parts *parts, struct err *err)
{
	FILE *files[] = { parts->capture, parts->console };

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		rewind(files[i]);
		if (ftruncate(fileno(files[i]), 0))
			return err_set(err, ERR_IO, NULL, "a temporary file: %s", strerror(errno));
	}
	return OK;
}

/*
 * Whether the CPUs of a guest get equal turns: two do in QEMU 8.1 and later.  Of four in 10.0
 * one took 445 ms for what took another 642.
 */
static bool turns_are_fair(u32 nr_cpus)
{
	static const char *const argv[] = { QEMU, "--version", NULL };
	unsigned int major = 0, minor = 0;
	struct err err = ERR_NONE;
	char *text = NULL;

	if (nr_cpus != 2)
		return false;
	if (child_output(argv, PACKAGE, &text, &err) != OK ||
	    sscanf(text, "QEMU emulator version %u.%u", &major, &minor) != 2)
		major = 0;
	free(text);
	return major > 8 || (major == 8 && minor >= 1);
}

static enum err_code run_guest(const struct truth_guest *guest, const struct program *program,
			       const struct parts *parts, struct taker *taker, struct err *err)
{
	enum err_code code = ERR_ABSENT;

	if (guest->nr_cpus == 1)
		return boot_as(guest, HOW_VIRTUAL, program, parts, taker, err);
	if (!access(KVM, R_OK | W_OK))
		code = boot_as(guest, HOW_KVM, program, parts, taker, err);
	if (code == OK || taker->taken)
		return code;
	code = empty(parts, err);
	if (code != OK)
		return code;
	return boot_as(guest, turns_are_fair(guest->nr_cpus) ? HOW_TURNS : HOW_EMULATED, program,
		       parts, taker, err);
}

enum err_code truth_guest_runs(const struct truth_guest *guest, const struct program *program,
			       truth_take *take, void *self, struct err *err)
{
	struct taker taker = { .take = take, .self = self };
	struct parts parts = { 0 };
	enum err_code code = open_parts(&parts, err);

	if (code == OK)
		code = make_initramfs(guest, program, &parts, err);
	if (code == OK)
		code = run_guest(guest, program, &parts, &taker, err);
	close_parts(&parts);
	return code;
}

struct copy {
	FILE *to;
	struct truth_told *told;
};

static enum err_code copy_trace(void *self, FILE *trace, const struct truth_told *told,
				struct err *err)
{
	struct copy *copy = self;
	char block[65536];
	size_t got;

	*copy->told = *told;
	rewind(trace);
	while ((got = fread(block, 1, sizeof(block), trace)))
		if (fwrite(block, 1, got, copy->to) != got)
			break;
	if (fflush(copy->to) || ferror(copy->to))
		return err_set(err, ERR_IO, NULL, "the trace could not be written");
	return OK;
}

enum err_code truth_guest(const struct truth_guest *guest, const struct program *program, FILE *to,
			  struct truth_told *told, struct err *err)
{
	struct copy copy = { to, told };

	assert(program->runs <= 1);
	*told = (struct truth_told){ 0 };
	return truth_guest_runs(guest, program, copy_trace, &copy, err);
}
