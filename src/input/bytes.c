/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/bytes.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define PIPE_CHUNK (256u << 10)
#define DROP_STEP  (16u << 20) /* a mapped file gives pages back in steps of this */

static const u8 nothing[1];

static enum err_code map_file(struct bytes *bytes, u64 size, struct err *err)
{
	void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, bytes->fd, 0);

	if (map == MAP_FAILED)
		return err_set(err, ERR_IO, bytes->path, "cannot map it: %s", strerror(errno));
	madvise(map, (size_t)size, MADV_SEQUENTIAL);
	bytes->map = map;
	bytes->size = size;
	bytes->ended = true;
	return OK;
}

enum err_code bytes_open(struct bytes *bytes, const char *path, struct err *err)
{
	bool standard = !strcmp(path, "-");
	struct stat stat;
	enum err_code code = OK;

	*bytes = (struct bytes){ .path = standard ? "standard input" : path };
	bytes->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			     : open(path, O_RDONLY | O_CLOEXEC);
	if (bytes->fd < 0 || fstat(bytes->fd, &stat))
		code = err_set(err, ERR_IO, bytes->path, "cannot open it: %s", strerror(errno));
	else if (S_ISDIR(stat.st_mode))
		code = err_set(err, ERR_IO, bytes->path, "is a directory, expected a file");
	else if (S_ISREG(stat.st_mode) && stat.st_size > 0)
		/* Files of size 0 may be tracefs': they are read like a pipe. */
		code = map_file(bytes, (u64)stat.st_size, err);
	if (code != OK)
		bytes_close(bytes);
	return code;
}

void bytes_buffer(struct bytes *bytes, const char *path, const void *data, size_t size)
{
	*bytes = (struct bytes){
		.path = path,
		.map = size ? data : nothing,
		.size = size,
		.ended = true,
		.fd = -1,
	};
}

void bytes_close(struct bytes *bytes)
{
	if (bytes->map && bytes->fd >= 0 && bytes->size)
		munmap((void *)(uintptr_t)bytes->map, (size_t)bytes->size);
	if (bytes->fd >= 0)
		close(bytes->fd);
	free(bytes->buf);
	*bytes = (struct bytes){ .path = bytes->path, .fd = -1 };
}

/* One read() more; a read error ends the pipe like its end does. */
static void fill_once(struct bytes *bytes)
{
	ssize_t got;

	if (bytes->room - bytes->filled < PIPE_CHUNK) {
		bytes->room = bytes->room * 2 > PIPE_CHUNK * 2 ? bytes->room * 2 : PIPE_CHUNK * 2;
		bytes->buf = mem_resize(bytes->buf, bytes->room, 1);
	}
	do
		got = read(bytes->fd, bytes->buf + bytes->filled, bytes->room - bytes->filled);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		bytes->ended = true;
		return;
	}
	bytes->filled += (size_t)got;
	bytes->size += (u64)got;
}

size_t bytes_left(struct bytes *bytes, u64 offset, size_t want)
{
	u64 left;

	assert(bytes->map || offset >= bytes->base);
	while (!bytes->map && !bytes->ended &&
	       (bytes->size < offset || bytes->size - offset < want))
		fill_once(bytes);
	if (offset >= bytes->size)
		return 0;
	left = bytes->size - offset;
	return left < want ? (size_t)left : want;
}

const u8 *bytes_at(struct bytes *bytes, u64 offset, size_t len)
{
	if (bytes->map)
		return offset <= bytes->size && len <= bytes->size - offset ? bytes->map + offset
									    : NULL;
	if (bytes_left(bytes, offset, len) < len || offset > bytes->size)
		return NULL;
	return len ? bytes->buf + (offset - bytes->base) : nothing;
}

const u8 *bytes_chunk(struct bytes *bytes, u64 offset, size_t want, size_t *got)
{
	ssize_t copied;

	*got = bytes_left(bytes, offset, want);
	if (!*got)
		return nothing;
	if (bytes->map && bytes->fd >= 0) {
		if (bytes->room < *got) {
			bytes->buf = mem_resize(bytes->buf, *got, 1);
			bytes->room = *got;
		}
		copied = pread(bytes->fd, bytes->buf, *got, (off_t)offset);
		if (copied > 0) {
			*got = (size_t)copied;
			return bytes->buf;
		}
	}
	return bytes_at(bytes, offset, *got);
}

/* Nobody needs the pages again, so that a long file does not stay in memory. */
static void drop_pages(struct bytes *bytes, u64 offset)
{
	u64 until = offset - offset % DROP_STEP;

	if (bytes->fd < 0 || until <= bytes->dropped || until > bytes->size)
		return;
	madvise((u8 *)(uintptr_t)bytes->map + bytes->dropped, (size_t)(until - bytes->dropped),
		MADV_DONTNEED);
	bytes->dropped = until;
}

void bytes_forget(struct bytes *bytes, u64 offset)
{
	if (bytes->map) {
		drop_pages(bytes, offset);
		return;
	}
	/* What lies between is read and thrown away, a chunk at a time. */
	while (bytes->size < offset && !bytes->ended) {
		bytes->filled = 0;
		bytes->base = bytes->size;
		fill_once(bytes);
	}
	if (offset > bytes->size)
		offset = bytes->size;
	if (offset <= bytes->base)
		return;
	/* Moving what stays costs a copy: only worth it once most is gone. */
	if (offset - bytes->base < bytes->filled / 2 && bytes->size - offset)
		return;
	bytes->filled = (size_t)(bytes->size - offset);
	memmove(bytes->buf, bytes->buf + (offset - bytes->base), bytes->filled);
	bytes->base = offset;
}

static bool write_all(int fd, const u8 *data, size_t size)
{
	while (size) {
		ssize_t put = write(fd, data, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		data += put;
		size -= (size_t)put;
	}
	return true;
}

/* The rest of a pipe goes through a small buffer, not through bytes.buf. */
static bool spool(struct bytes *bytes, int to)
{
	if (bytes->map)
		return write_all(to, bytes->map, (size_t)bytes->size);
	assert(!bytes->base);
	while (write_all(to, bytes->buf, bytes->filled)) {
		if (bytes->ended)
			return true;
		bytes->filled = 0;
		fill_once(bytes);
	}
	return false;
}

enum err_code bytes_fd(struct bytes *bytes, int *fd, struct err *err)
{
	struct bytes spooled = { .path = bytes->path, .ended = true };
	enum err_code code = OK;

	if (bytes->map && bytes->fd >= 0) {
		*fd = bytes->fd;
		return OK;
	}
	spooled.fd = memfd_create("trace", MFD_CLOEXEC);
	if (spooled.fd < 0 || !spool(bytes, spooled.fd))
		code = err_set(err, ERR_IO, bytes->path, "cannot keep it in memory: %s",
			       strerror(errno));
	else if (bytes->size)
		code = map_file(&spooled, bytes->size, err);
	else
		spooled.map = nothing;
	if (code != OK) {
		bytes_close(&spooled);
		return code;
	}
	bytes_close(bytes);
	*bytes = spooled;
	lseek(bytes->fd, 0, SEEK_SET);
	*fd = bytes->fd;
	return OK;
}
