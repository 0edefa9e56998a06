/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpio - an initramfs.
 *
 * Format: the kernel's Documentation/driver-api/early-userspace/buffer-format.rst, "newc".
 */
#ifndef TRUTH_CPIO_H
#define TRUTH_CPIO_H

#include <stdio.h>

#include "policy/int.h"

struct cpio {
	FILE *to;
	u32 inode;
};

/* @path without a leading '/'.  Faults of writing stay in ferror(to). */
void cpio_folder(struct cpio *cpio, const char *path);
void cpio_file(struct cpio *cpio, const char *path, u32 permissions, const void *bytes,
	       size_t size);
void cpio_device(struct cpio *cpio, const char *path, u32 major, u32 minor);
void cpio_end(struct cpio *cpio);

#endif
