/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/bytes.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static u8 pattern(u64 offset)
{
	return (u8)(offset * 7 + (offset >> 8));
}

static void write_pattern(int fd, u64 size)
{
	u8 chunk[4096];

	for (u64 at = 0; at < size;) {
		size_t len = size - at < sizeof(chunk) ? (size_t)(size - at) : sizeof(chunk);

		for (size_t i = 0; i < len; i++)
			chunk[i] = pattern(at + i);
		if (write(fd, chunk, len) != (ssize_t)len)
			_exit(1);
		at += len;
	}
}

/* A child writes @size bytes of the pattern into standard input of this process. */
struct feeder {
	pid_t pid;
	int saved;
};

static struct feeder feed(u64 size)
{
	struct feeder feeder;
	int ends[2];

	CHECK_EQ(0, pipe(ends));
	feeder.pid = fork();
	if (!feeder.pid) {
		close(ends[0]);
		write_pattern(ends[1], size);
		_exit(0);
	}
	close(ends[1]);
	feeder.saved = dup(STDIN_FILENO);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	return feeder;
}

static void feed_end(struct feeder feeder)
{
	dup2(feeder.saved, STDIN_FILENO);
	close(feeder.saved);
	waitpid(feeder.pid, NULL, 0);
}

TEST(a_buffer_has_bounds)
{
	struct bytes bytes;

	bytes_buffer(&bytes, "buffer", "abcdef", 6);
	CHECK(!memcmp(bytes_at(&bytes, 2, 4), "cdef", 4));
	CHECK(bytes_at(&bytes, 6, 0));
	CHECK(!bytes_at(&bytes, 2, 5));
	CHECK(!bytes_at(&bytes, 7, 0));
	CHECK(!bytes_at(&bytes, U64_MAX, 2), "the sum would wrap");
	CHECK(!bytes_at(&bytes, 2, SIZE_MAX));
	CHECK_EQ(4, bytes_left(&bytes, 2, 100));
	CHECK_EQ(0, bytes_left(&bytes, 60, 100));
	bytes_close(&bytes);
}

TEST(an_empty_buffer_is_a_file_without_bytes)
{
	struct bytes bytes;

	bytes_buffer(&bytes, "buffer", NULL, 0);
	CHECK_EQ(0, bytes_left(&bytes, 0, 10));
	CHECK(!bytes_at(&bytes, 0, 1));
	bytes_close(&bytes);
}

TEST(what_cannot_be_opened_says_why)
{
	struct bytes bytes;
	struct err err = ERR_NONE;

	CHECK_EQ(ERR_IO, bytes_open(&bytes, "/nowhere/trace.dat", &err));
	CHECK_STR("cannot open it: No such file or directory", err.what);
	CHECK_STR("/nowhere/trace.dat", err.file);
	CHECK_EQ(ERR_IO, bytes_open(&bytes, "/", &err));
	CHECK_STR("is a directory, expected a file", err.what);
}

TEST(a_file_is_mapped_and_stays_readable_behind)
{
	char path[] = "/tmp/bytes-XXXXXX";
	const u64 size = 40u << 20;
	struct err err = ERR_NONE;
	struct bytes bytes;
	int fd = mkstemp(path), same;
	const u8 *chunk;
	size_t got;

	write_pattern(fd, size);
	close(fd);
	CHECK_EQ(OK, bytes_open(&bytes, path, &err));
	CHECK_EQ(size, bytes.size);
	bytes_forget(&bytes, size - 1);
	CHECK_EQ(32u << 20, bytes.dropped, "whole steps of 16 MiB");
	CHECK_EQ(pattern(12345), *bytes_at(&bytes, 12345, 1));
	CHECK_EQ(pattern(size - 1), *bytes_at(&bytes, size - 1, 1));
	chunk = bytes_chunk(&bytes, size - 1000, 5000, &got);
	CHECK_EQ(1000, got, "what is left");
	for (u64 i = 0; i < got; i++)
		CHECK_EQ(pattern(size - 1000 + i), chunk[i]);
	bytes_chunk(&bytes, size, 1, &got);
	CHECK_EQ(0, got);
	CHECK_EQ(OK, bytes_fd(&bytes, &same, &err));
	CHECK_EQ(bytes.fd, same);
	bytes_close(&bytes);
	unlink(path);
}

/* 3 MiB through a pipe, 5000 bytes at a time: never more than a chunk is held. */
TEST(a_pipe_is_read_in_constant_memory)
{
	const u64 size = 3u << 20;
	struct feeder feeder = feed(size);
	struct err err = ERR_NONE;
	struct bytes bytes;
	u64 at = 0;

	CHECK_EQ(OK, bytes_open(&bytes, "-", &err));
	CHECK_STR("standard input", bytes.path);
	CHECK(!bytes.map);
	for (;;) {
		size_t left = bytes_left(&bytes, at, 5000);
		const u8 *data = bytes_at(&bytes, at, left);

		if (!left)
			break;
		for (size_t i = 0; i < left; i++)
			CHECK_EQ(pattern(at + i), data[i], "byte %llu", at + i);
		at += left;
		bytes_forget(&bytes, at);
	}
	CHECK_EQ(size, at);
	CHECK(bytes.ended);
	CHECK(bytes.room <= 1u << 20, "%zu bytes held", bytes.room);
	CHECK(!bytes_at(&bytes, at, 1));
	bytes_close(&bytes);
	feed_end(feeder);
}

TEST(a_pipe_skips_what_is_forgotten_unread)
{
	const u64 size = 2u << 20;
	struct feeder feeder = feed(size);
	struct err err = ERR_NONE;
	struct bytes bytes;

	CHECK_EQ(OK, bytes_open(&bytes, "-", &err));
	CHECK_EQ(pattern(3), *bytes_at(&bytes, 3, 1));
	bytes_forget(&bytes, size - 10);
	CHECK_EQ(pattern(size - 10), *bytes_at(&bytes, size - 10, 1));
	CHECK_EQ(10, bytes_left(&bytes, size - 10, 100));
	CHECK(bytes.room <= 1u << 20);
	bytes_forget(&bytes, 10 * size);
	CHECK_EQ(0, bytes_left(&bytes, 10 * size, 1));
	bytes_close(&bytes);
	feed_end(feeder);
}

TEST(a_pipe_is_spooled_for_libraries)
{
	const u64 size = 1000000;
	struct feeder feeder = feed(size);
	struct err err = ERR_NONE;
	struct bytes bytes;
	u8 last;
	int fd;

	CHECK_EQ(OK, bytes_open(&bytes, "-", &err));
	CHECK_EQ(pattern(100), *bytes_at(&bytes, 100, 1));
	CHECK_EQ(OK, bytes_fd(&bytes, &fd, &err));
	CHECK_EQ(1, pread(fd, &last, 1, (off_t)size - 1));
	CHECK_EQ(pattern(size - 1), last);
	CHECK_EQ(size, bytes.size);
	CHECK_EQ(pattern(5000), *bytes_at(&bytes, 5000, 1), "it is a mapped file now");
	bytes_close(&bytes);
	feed_end(feeder);
}

TEST(a_buffer_is_spooled_for_libraries)
{
	struct bytes bytes;
	struct err err = ERR_NONE;
	char copy[6];
	int fd;

	bytes_buffer(&bytes, "buffer", "abcdef", 6);
	CHECK_EQ(OK, bytes_fd(&bytes, &fd, &err));
	CHECK_EQ(6, read(fd, copy, 6));
	CHECK(!memcmp(copy, bytes_at(&bytes, 0, 6), 6));
	bytes_close(&bytes);
}

TEST(loads_follow_the_byte_order)
{
	static const u8 at[] = { 0x12, 0x34, 0x56, 0x78 };

	CHECK_EQ(0x78563412, bytes_load(at, 4, false));
	CHECK_EQ(0x12345678, bytes_load(at, 4, true));
	CHECK_EQ(0x1234, bytes_load(at, 2, true));
}
