/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/cpio.h"

#include <stdlib.h>

#include "test.h"

/* Thirteen fields: inode, mode, uid, gid, links, time, size, device 2, rdev 2, name, check. */
TEST(an_archive_is_as_the_format_says)
{
	static const char want[] = "070701"
				   "00000001" /* inode */
				   "000081a4" /* mode: 0100644 */
				   "00000000"
				   "00000000"
				   "00000001"
				   "00000000"
				   "00000005" /* size */
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000003" /* name with its NUL */
				   "00000000"
				   "ab\0"
				   "\0\0\0" /* head and name: 113 bytes, to 116 */
				   "hello\0\0\0"
				   "070701"
				   "00000002"
				   "00002180" /* mode: 020600 */
				   "00000000"
				   "00000000"
				   "00000001"
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000005"
				   "00000001"
				   "00000004"
				   "00000000"
				   "con\0"
				   "\0\0"
				   "070701"
				   "00000003"
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000001"
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000000"
				   "00000000"
				   "0000000b"
				   "00000000"
				   "TRAILER!!!\0"
				   "\0\0\0";
	char *out = NULL;
	size_t size;
	struct cpio cpio = { .to = open_memstream(&out, &size) };

	cpio_file(&cpio, "ab", 0644, "hello", 5);
	cpio_device(&cpio, "con", 5, 1);
	cpio_end(&cpio);
	fclose(cpio.to);
	CHECK_EQ(sizeof(want) - 1, size);
	for (size_t i = 0; i < size; i++)
		CHECK_EQ(want[i], out[i], "byte %zu", i);
	free(out);
}
