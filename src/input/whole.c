/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

static enum err_code read_all(int fd, size_t max, struct whole *whole, struct err *err)
{
	VEC(char) all = { 0 };
	ssize_t got;

	do {
		vec_reserve(&all, all.nr + 65536);
		got = read(fd, all.at + all.nr, all.room - all.nr);
		if (got > 0)
			all.nr += (size_t)got;
	} while ((got > 0 && all.nr <= max) || (got < 0 && errno == EINTR));
	if (got < 0)
		err_set(err, ERR_IO, whole->name, "cannot read: %s", strerror(errno));
	else if (all.nr > max)
		err_set(err, ERR_FORMAT, whole->name, "expected at most %zu bytes", max);
	*vec_add(&all) = '\0';
	whole->text = all.at;
	whole->len = all.nr - 1;
	return got < 0 ? ERR_IO : whole->len > max ? ERR_FORMAT : OK;
}

enum err_code whole_open(struct whole *whole, const char *path, size_t max, struct err *err)
{
	bool piped = !strcmp(path, "-");
	int fd = piped ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	enum err_code code;

	*whole = (struct whole){ .name = piped ? "standard input" : path };
	if (fd < 0)
		return err_set(err, ERR_IO, path, "cannot open: %s", strerror(errno));
	code = read_all(fd, max, whole, err);
	if (!piped)
		close(fd);
	if (code)
		whole_close(whole);
	return code;
}

void whole_close(struct whole *whole)
{
	free(whole->text);
	whole->text = NULL;
}
