/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/cpio.h"

#include <string.h>

#define S_FILE      0100000
#define S_FOLDER    0040000
#define S_CHARACTER 0020000

struct entry {
	const char *path;
	u32 mode, major, minor;
	const void *bytes;
	size_t size;
};

static void pad(struct cpio *cpio, size_t size)
{
	fwrite("\0\0\0", 1, -size % 4, cpio->to);
}

/* Thirteen numbers of eight hexadecimal digits after the magic; head and name end on 4. */
static void put(struct cpio *cpio, const struct entry *entry)
{
	u32 name = (u32)strlen(entry->path) + 1;
	const u32 numbers[] = {
		++cpio->inode, entry->mode,  0,    0, 1, 0, (u32)entry->size, 0, 0,
		entry->major,  entry->minor, name, 0,
	};

	fputs("070701", cpio->to);
	for (u32 i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fprintf(cpio->to, "%08x", numbers[i]);
	fwrite(entry->path, 1, name, cpio->to);
	pad(cpio, 110 + name);
	if (entry->size)
		fwrite(entry->bytes, 1, entry->size, cpio->to);
	pad(cpio, entry->size);
}

void cpio_folder(struct cpio *cpio, const char *path)
{
	put(cpio, &(struct entry){ .path = path, .mode = S_FOLDER | 0755 });
}

void cpio_file(struct cpio *cpio, const char *path, u32 permissions, const void *bytes, size_t size)
{
	put(cpio, &(struct entry){ path, S_FILE | permissions, 0, 0, bytes, size });
}

void cpio_device(struct cpio *cpio, const char *path, u32 major, u32 minor)
{
	put(cpio, &(struct entry){ path, S_CHARACTER | 0600, major, minor, NULL, 0 });
}

void cpio_end(struct cpio *cpio)
{
	put(cpio, &(struct entry){ .path = "TRAILER!!!" });
}
