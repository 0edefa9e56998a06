/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * err - what the world got wrong: where, and what was expected instead.
 *
 * Our own mistakes are assertions; only faults of the outside travel here.
 * One line is made of it by err_print(): "file: at byte N: expected ...".
 * Running out of memory is neither: base/mem.h ends the program.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

#include "policy/int.h"

enum err_code {
	OK = 0,
	ERR_STOP,   /* a sink has seen enough: not a fault */
	ERR_USAGE,  /* the command line or a setting asks for what does not exist */
	ERR_FORMAT, /* bad input: bytes that are not what they should be */
	ERR_IO,     /* the system refused to read or write */
	ERR_ABSENT, /* something needed is not on this machine */
};

enum err_place {
	ERR_NOWHERE, /* the file as a whole */
	ERR_BYTE,
	ERR_LINE,
};

struct err {
	enum err_code code;
	enum err_place place;
	u64 at; /* byte offset or line number (from 1), as place says */
	char file[256];
	char what[512];
};

#define ERR_NONE                           \
	{                                  \
		OK, ERR_NOWHERE, 0, "", "" \
	}

/*
 * Fills @err and returns @code, so that a reader can say
 * "return err_byte(err, ERR_FORMAT, path, offset, "expected the magic");".
 * @file may be NULL.  A NULL @err only returns the code.
 */
enum err_code err_set(struct err *err, enum err_code code, const char *file, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
enum err_code err_byte(struct err *err, enum err_code code, const char *file, u64 offset,
		       const char *fmt, ...) __attribute__((format(printf, 5, 6)));
enum err_code err_line(struct err *err, enum err_code code, const char *file, u64 line,
		       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The fault as one line without a newline; control bytes of names and paths are shown as \xNN. */
void err_print(const struct err *err, char *buf, size_t size);

#endif
