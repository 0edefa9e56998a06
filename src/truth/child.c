/* SPDX-License-Identifier: GPL-2.0-only */
#include "truth/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define POLL_NS 20000000

extern char **environ;

static void redirect(posix_spawn_file_actions_t *actions, int from, int to)
{
	if (from < 0)
		posix_spawn_file_actions_addopen(actions, to, "/dev/null", O_RDWR, 0);
	else
		posix_spawn_file_actions_adddup2(actions, from, to);
}

/* Signals that we ignore would stay ignored there. */
static int spawn(const struct child *child, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t signals;
	int refused;

	posix_spawn_file_actions_init(&actions);
	redirect(&actions, child->in, STDIN_FILENO);
	redirect(&actions, child->out, STDOUT_FILENO);
	redirect(&actions, child->err, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &signals);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	refused = posix_spawnp(pid, child->argv[0], &actions, &attr, (char *const *)child->argv,
			       environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return refused;
}

/* Its status as waitpid gives it; -1: it took too long and is killed. */
static int wait_for(pid_t pid, u64 limit_ns)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	u64 waited_ns = 0;
	int status;

	while (limit_ns && !waitpid(pid, &status, WNOHANG)) {
		nanosleep(&pause, NULL);
		waited_ns += POLL_NS;
		if (waited_ns > limit_ns) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
	}
	if (!limit_ns)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	return status;
}

enum err_code child_run(const struct child *child, struct err *err)
{
	const char *name = child->argv[0];
	int status;
	pid_t pid;

	errno = spawn(child, &pid);
	if (errno == ENOENT && child->package)
		return err_set(err, ERR_ABSENT, NULL, "%s is not here; install %s", name,
			       child->package);
	if (errno)
		return err_set(err, ERR_ABSENT, name, "%s", strerror(errno));
	status = wait_for(pid, child->limit_ns);
	if (status == -1)
		return err_set(err, ERR_IO, NULL, "%s took more than %llu s", name,
			       child->limit_ns / 1000000000);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_IO, NULL, "%s was ended by signal %d", name,
			       WTERMSIG(status));
	if (WEXITSTATUS(status))
		return err_set(err, ERR_IO, NULL, "%s failed with status %d", name,
			       WEXITSTATUS(status));
	return OK;
}

static char *whole_text(FILE *file)
{
	char *text;
	long size;

	fseek(file, 0, SEEK_END);
	size = ftell(file);
	text = mem_zalloc((size_t)size + 1);
	rewind(file);
	text[fread(text, 1, (size_t)size, file)] = '\0';
	return text;
}

enum err_code child_output(const char *const *argv, const char *package, char **text,
			   struct err *err)
{
	FILE *out = tmpfile();
	struct child child = { .argv = argv, .package = package, .in = -1, .err = -1 };
	enum err_code code;

	*text = NULL;
	if (!out)
		return err_set(err, ERR_IO, NULL, "a temporary file: %s", strerror(errno));
	child.out = child.err = fileno(out);
	code = child_run(&child, err);
	*text = whole_text(out);
	fclose(out);
	return code;
}
