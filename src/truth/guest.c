/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest: QEMU without hardware help, our executor as its /init, the capture through a
 * virtio-serial port.
 *
 * With one CPU QEMU counts instructions: each takes 2 ns of virtual time, idle time passes
 * at once, and timings repeat however busy this machine is.  With more CPUs the clock is
 * the wall's.
 */
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
#define BASE_MIB    256u
#define BOOT_NS     180000000000ull /* given to boot and to send, on a busy machine */
#define SLOWNESS    20u             /* how much slower than the wall clock a guest may be */
#define MAX_MODULES 32u
/* Timings by the TSC alone, and no self-tests of ciphers beside the workload. */
#define APPEND                                                                           \
	"console=ttyS0 tsc=reliable nokaslr panic=-1 quiet rdinit=/init no_timer_check " \
	"cryptomgr.notests random.trust_bootloader=on"

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

static enum err_code boot(const struct truth_guest *guest, const struct program *program,
			  const struct parts *parts, struct err *err)
{
	char initramfs[32], capture[32], console[32], memory[16], cpus[16], chardev[64], serial[64];
	bool one = guest->nr_cpus == 1;
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
		APPEND,
		"-chardev",
		chardev,
		"-device",
		"virtio-serial-pci",
		"-device",
		"virtserialport,chardev=capture,nr=1",
		"-serial",
		serial,
		"-accel",
		one ? "tcg,thread=single" : "tcg,thread=multi",
		one ? "-icount" : NULL,
		"shift=1,sleep=off,align=off",
		"-rtc",
		"clock=vm",
		NULL,
	};
	struct child child = { .argv = argv, .package = PACKAGE, .in = -1, .out = -1 };

	files_path_of(parts->initramfs, initramfs);
	files_path_of(parts->capture, capture);
	files_path_of(parts->console, console);
	snprintf(memory, sizeof(memory), "%u",
		 BASE_MIB + guest->nr_cpus * (program->buffer_kib / 1024 + 16));
	snprintf(cpus, sizeof(cpus), "%u", guest->nr_cpus);
	snprintf(chardev, sizeof(chardev), "file,id=capture,path=%s", capture);
	snprintf(serial, sizeof(serial), "file:%s", console);
	child.err = fileno(parts->console);
	child.limit_ns = program->duration_ns ? BOOT_NS + SLOWNESS * program->duration_ns : 0;
	return child_run(&child, err);
}

static enum err_code convert(const struct parts *parts, FILE *to, struct err *err)
{
	struct files_map map;
	enum err_code code = files_map_fd(fileno(parts->capture), "capture", &map, err);

	if (code == OK && !map.size)
		code = blame_console(parts, err);
	else if (code == OK)
		code = capture_to_trace_dat(map.bytes, map.size, to, err);
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

enum err_code truth_guest(const struct truth_guest *guest, const struct program *program, FILE *to,
			  struct err *err)
{
	struct parts parts = { 0 };
	enum err_code code = open_parts(&parts, err);

	if (code == OK)
		code = make_initramfs(guest, program, &parts, err);
	if (code == OK)
		code = boot(guest, program, &parts, err);
	if (code == OK)
		code = convert(&parts, to, err);
	close_parts(&parts);
	return code;
}
