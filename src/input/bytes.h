/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bytes - a file, a pipe or a buffer as bytes with bounds.
 *
 * A regular file is mapped; a pipe is read as it goes, so that a reader which only
 * moves forward works on both in constant memory.
 */
#ifndef INPUT_BYTES_H
#define INPUT_BYTES_H

#include <stddef.h>

#include "base/err.h"

struct bytes {
	const char *path; /* for messages; "-" reads as "standard input" */
	const u8 *map;    /* the whole file, or NULL for a pipe */
	u64 size;         /* of the file; of a pipe: what has been seen so far */
	bool ended;       /* pipe: nothing follows size */
	int fd;           /* -1 for a buffer */
	u8 *buf;          /* pipe: bytes [base, base + filled); mapped: of bytes_chunk() */
	u64 base;
	size_t filled, room;
	u64 dropped; /* mapped: pages before this were given back */
};

/* "-" is standard input (mapped if it is a regular file).  ERR_IO with the reason. */
enum err_code bytes_open(struct bytes *bytes, const char *path, struct err *err);
/* A buffer that the caller keeps: fuzz targets and unit tests. */
void bytes_buffer(struct bytes *bytes, const char *path, const void *data, size_t size);
void bytes_close(struct bytes *bytes);

/*
 * @len bytes at @offset, or NULL if the file ends before.  The pointer holds until
 * the next call.  On a pipe, offsets before the last bytes_forget() are gone (assertion).
 */
const u8 *bytes_at(struct bytes *bytes, u64 offset, size_t len);
/* How many bytes there are from @offset, at most @want; reads a pipe as needed. */
size_t bytes_left(struct bytes *bytes, u64 offset, size_t want);
/*
 * At most @want bytes from @offset, at least one unless the file ends: *@got.  For a
 * reader that goes through a file once: a mapped one is copied into a small buffer that
 * stays in the cache, which is cheaper than a page fault for every few pages.  The
 * pointer holds until the next call.
 */
const u8 *bytes_chunk(struct bytes *bytes, u64 offset, size_t want, size_t *got);
/* A pipe may drop what lies before @offset. */
void bytes_forget(struct bytes *bytes, u64 offset);
/* A pipe spooled whole into an anonymous file, for libraries that want a descriptor; else the fd. */
enum err_code bytes_fd(struct bytes *bytes, int *fd, struct err *err);

/* Unaligned loads, in the file's byte order. */
static inline u64 bytes_load(const u8 *at, u32 size, bool big_endian)
{
	u64 value = 0;

	for (u32 i = 0; i < size; i++)
		value |= (u64)at[big_endian ? size - 1 - i : i] << (8 * i);
	return value;
}

#endif
