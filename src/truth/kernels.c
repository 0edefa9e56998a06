/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernels to boot: images of the user's own, and Debian's, fetched once into the cache.
 *
 * The mirror and the keyring are those this machine is configured with; apt works in a root
 * of its own, so that nothing of the machine changes.
 */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "truth/child.h"
#include "truth/truth.h"

#define KEYRING "/usr/share/keyrings/debian-archive-keyring.gpg"
#define META    "linux-image-cloud-amd64"

static const struct {
	const char *release, *suite;
	bool security; /* the suite has one of security updates */
} releases[] = {
	{ "6.1", "bookworm", true },
	{ "6.12", "trixie", true },
	{ "7.3", "trixie-backports", false },
};

/* What a virtio-serial port needs, in the order of loading; what is missing is built in. */
static const char *const modules[] = {
	"virtio_ring",           "virtio",     "virtio_pci_legacy_dev",
	"virtio_pci_modern_dev", "virtio_pci", "virtio_console",
};

static char *cache(const char *below)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && *xdg)
		return mem_printf("%s/fairground/%s", xdg, below);
	return mem_printf("%s/.cache/fairground/%s", home && *home ? home : "/tmp", below);
}

static char *kernel_folder(const char *release)
{
	char *kernels = cache("kernels"), *folder = mem_printf("%s/%s", kernels, release);

	free(kernels);
	return folder;
}

/* With its parents. */
static enum err_code make_folder(char *path, struct err *err)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	if (mkdir(path, 0755) && errno != EEXIST)
		return err_set(err, ERR_IO, path, "%s", strerror(errno));
	return OK;
}

void truth_kernel_fini(struct truth_kernel *kernel)
{
	free(kernel->image);
	free(kernel->modules);
	*kernel = (struct truth_kernel){ NULL, NULL };
}

static bool is_known(const char *release)
{
	for (u32 i = 0; i < ARRAY_SIZE(releases); i++)
		if (!strcmp(releases[i].release, release))
			return true;
	return false;
}

enum err_code truth_kernel_find(const char *name, struct truth_kernel *kernel, struct err *err)
{
	*kernel = (struct truth_kernel){ NULL, NULL };
	if (!is_known(name)) {
		kernel->image = mem_strdup(name);
		if (!access(name, R_OK))
			return OK;
		return err_set(err, ERR_USAGE, NULL,
			       "kernel '%s' is no image that can be read, and no release: "
			       "expected a path, 6.1, 6.12 or 7.3",
			       name);
	}
	kernel->modules = kernel_folder(name);
	kernel->image = mem_printf("%s/vmlinuz", kernel->modules);
	if (!access(kernel->image, R_OK))
		return OK;
	return err_set(err, ERR_ABSENT, NULL,
		       "kernel %s is not here; fairground guest --fetch %s gets it", name, name);
}

/* Everything of one download. */
struct fetch {
	char *folder; /* of the download, removed at the end */
	char *target; /* where the kernel goes */
	char *mirror, *security, *keyring;
	char *version; /* "6.12.118+deb13-cloud-amd64" */
	char *options[8];
};

/* One row of `apt-get indextargets`: URI|suite|keyring. */
static void take_source(struct fetch *fetch, char *row)
{
	char *uri = strsep(&row, "|"), *suite = strsep(&row, "|");
	size_t len = suite ? strlen(suite) : 0;
	bool security = len > 9 && !strcmp(suite + len - 9, "-security");
	char **mirror = security ? &fetch->security : &fetch->mirror;

	if (!suite || *mirror || (!security && strchr(suite, '-')))
		return;
	*mirror = mem_strdup(uri);
	if (row && *row == '/' && !fetch->keyring)
		fetch->keyring = mem_strdup(row);
}

/* The origin is known only where lists were downloaded before. */
static enum err_code find_mirror(struct fetch *fetch, struct err *err)
{
	static const char *const filters[] = { "Origin: Debian", NULL };
	enum err_code code = OK;

	for (u32 i = 0; i < ARRAY_SIZE(filters) && !fetch->mirror && code == OK; i++) {
		const char *const argv[] = { "apt-get",
					     "indextargets",
					     "--format",
					     "$(REPO_URI)|$(RELEASE)|$(SIGNED_BY)",
					     "Created-By: Packages",
					     filters[i],
					     NULL };
		char *text, *rest, *row;

		code = child_output(argv, "apt", &text, err);
		for (rest = text; code == OK && (row = strsep(&rest, "\n"));)
			take_source(fetch, row);
		free(text);
	}
	if (code == OK && !fetch->mirror)
		code = err_set(err, ERR_ABSENT, NULL,
			       "apt has no mirror of Debian configured on this machine");
	if (!fetch->keyring && !access(KEYRING, R_OK))
		fetch->keyring = mem_strdup(KEYRING);
	return code;
}

static void put_source(const struct fetch *fetch, FILE *to, const char *mirror, const char *suite,
		       const char *suffix)
{
	fprintf(to, "deb [arch=amd64%s%s] %s %s%s main\n", fetch->keyring ? " signed-by=" : "",
		fetch->keyring ? fetch->keyring : "", mirror, suite, suffix);
}

static enum err_code write_sources(const struct fetch *fetch, u32 row, struct err *err)
{
	char *path = mem_printf("%s/sources.list", fetch->folder);
	FILE *to = fopen(path, "we");
	enum err_code code = OK;

	if (to) {
		put_source(fetch, to, fetch->mirror, releases[row].suite, "");
		if (releases[row].security && fetch->security)
			put_source(fetch, to, fetch->security, releases[row].suite, "-security");
	}
	if (!to || fclose(to))
		code = err_set(err, ERR_IO, path, "%s", strerror(errno));
	free(path);
	return code;
}

/* apt in a root of its own: lists, archives, sources and state lie in our folder. */
static void make_options(struct fetch *fetch)
{
	const char *folder = fetch->folder;

	fetch->options[0] = mem_printf("-oDir::Etc::sourcelist=%s/sources.list", folder);
	fetch->options[1] = mem_strdup("-oDir::Etc::sourceparts=/dev/null");
	fetch->options[2] = mem_printf("-oDir::State=%s", folder);
	fetch->options[3] = mem_printf("-oDir::State::status=%s/status", folder);
	fetch->options[4] = mem_printf("-oDir::Cache=%s", folder);
	fetch->options[5] = mem_strdup("-oAPT::Architecture=amd64");
	fetch->options[6] = mem_strdup("-oAPT::Sandbox::User=root");
	fetch->options[7] = mem_strdup("-oAcquire::Languages=none");
}

/* @words end with NULL; what the tool says is the reason of a failure. */
static enum err_code apt(const struct fetch *fetch, const char *tool, const char *const *words,
			 char **text, struct err *err)
{
	const char *argv[32] = { "sh", "-c", "cd \"$0\" && exec \"$@\"", fetch->folder, tool };
	char *said = NULL, *last;
	enum err_code code;
	u32 nr = 5;

	for (u32 i = 0; i < ARRAY_SIZE(fetch->options); i++)
		argv[nr++] = fetch->options[i];
	for (u32 i = 0; words[i] && nr < ARRAY_SIZE(argv) - 1; i++)
		argv[nr++] = words[i];
	code = child_output(argv, NULL, &said, err);
	if (code != OK && said && *said) {
		said[strcspn(said, "\n") < 400 ? strcspn(said, "\n") : 400] = '\0';
		last = said;
		code = err_set(err, code, NULL, "%s: %s", tool, last);
	}
	if (text && code == OK)
		*text = said;
	else
		free(said);
	return code;
}

/* The package of packages depends on the real one, which has the version in its name. */
static enum err_code find_version(struct fetch *fetch, struct err *err)
{
	static const char prefix[] = "linux-image-";
	const char *const words[] = { "show", "--no-all-versions", META, NULL };
	char *text, *line, *at;
	enum err_code code = apt(fetch, "apt-cache", words, &text, err);

	if (code != OK)
		return code;
	line = strstr(text, "\nDepends:");
	at = line ? strstr(line, prefix) : NULL;
	if (at) {
		at += strlen(prefix);
		fetch->version = mem_strndup(at, strcspn(at, " ,\n"));
	} else {
		code = err_set(err, ERR_FORMAT, META, "expected a dependency on a kernel");
	}
	free(text);
	return code;
}

/* From 7.3 on the image and the modules are packages of their own. */
static enum err_code download(struct fetch *fetch, struct err *err)
{
	static const char *const kinds[] = { "image", "binary", "modules" };
	enum err_code code = OK;

	for (u32 i = 0; i < ARRAY_SIZE(kinds) && code == OK; i++) {
		char *package = mem_printf("linux-%s-%s", kinds[i], fetch->version);
		const char *const show[] = { "show", package, NULL };
		const char *const get[] = { "download", package, NULL };

		if (apt(fetch, "apt-cache", show, NULL, NULL) == OK)
			code = apt(fetch, "apt-get", get, NULL, err);
		free(package);
	}
	return code;
}

static enum err_code unpack(const struct fetch *fetch, struct err *err)
{
	const char *const argv[] = { "sh", "-c",
				     "for deb in \"$0\"/*.deb; do dpkg-deb -x \"$deb\" \"$0/root\" "
				     "|| exit 1; done",
				     fetch->folder, NULL };
	char *text;
	enum err_code code = child_output(argv, NULL, &text, err);

	free(text);
	return code;
}

/* The first file below @folder called @name, or @name and what may follow it; NULL: none. */
static char *find_file(char *folder, const char *name, const char *other)
{
	char *const folders[] = { folder, NULL };
	FTS *fts = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	char *found = NULL;
	FTSENT *at;

	while (fts && !found && (at = fts_read(fts)))
		if (at->fts_info == FTS_F &&
		    (!strcmp(at->fts_name, name) || !strcmp(at->fts_name, other)))
			found = mem_strdup(at->fts_path);
	if (fts)
		fts_close(fts);
	return found;
}

static enum err_code move(const char *from, const char *to, struct err *err)
{
	return rename(from, to) ? err_set(err, ERR_IO, to, "%s", strerror(errno)) : OK;
}

static enum err_code keep_image(const struct fetch *fetch, char *root, struct err *err)
{
	char *versioned = mem_printf("vmlinuz-%s", fetch->version);
	char *image = find_file(root, versioned, "vmlinuz");
	char *to = mem_printf("%s/vmlinuz", fetch->target);
	enum err_code code =
		image ? move(image, to, err)
		      : err_set(err, ERR_FORMAT, fetch->version, "expected a vmlinuz in it");

	free(to);
	free(image);
	free(versioned);
	return code;
}

/* Compressed ones are uncompressed here: not every kernel can. */
static enum err_code keep_module(const char *from, const char *to, struct err *err)
{
	const char *const argv[] = { "sh", "-c", "xz -dc \"$0\" >\"$1\"", from, to, NULL };
	size_t len = strlen(from);
	enum err_code code;
	char *text;

	if (len < 3 || strcmp(from + len - 3, ".xz"))
		return move(from, to, err);
	code = child_output(argv, NULL, &text, err);
	free(text);
	return code;
}

static enum err_code keep_modules(const struct fetch *fetch, char *root, struct err *err)
{
	enum err_code code = OK;
	u32 nr = 0;

	for (u32 i = 0; i < ARRAY_SIZE(modules) && code == OK; i++) {
		char *plain = mem_printf("%s.ko", modules[i]);
		char *packed = mem_printf("%s.ko.xz", modules[i]);
		char *from = find_file(root, plain, packed);
		char *to = mem_printf("%s/%u.ko", fetch->target, nr);

		if (from) {
			code = keep_module(from, to, err);
			nr++;
		}
		free(plain);
		free(packed);
		free(from);
		free(to);
	}
	return code;
}

static enum err_code keep(const struct fetch *fetch, struct err *err)
{
	char *root = mem_printf("%s/root", fetch->folder);
	enum err_code code = make_folder(fetch->target, err);

	if (code == OK)
		code = keep_modules(fetch, root, err);
	if (code == OK) /* last: a kernel with an image is whole */
		code = keep_image(fetch, root, err);
	free(root);
	return code;
}

static enum err_code prepare(struct fetch *fetch, u32 row, struct err *err)
{
	char *status = mem_printf("%s/status", fetch->folder), *lists;
	enum err_code code = make_folder(fetch->folder, err);
	FILE *empty = code == OK ? fopen(status, "we") : NULL;

	if (empty)
		fclose(empty);
	free(status);
	lists = mem_printf("%s/lists/partial", fetch->folder);
	if (code == OK)
		code = make_folder(lists, err);
	free(lists);
	if (code == OK)
		code = find_mirror(fetch, err);
	if (code == OK)
		code = write_sources(fetch, row, err);
	make_options(fetch);
	return code;
}

static void fetch_fini(struct fetch *fetch)
{
	const char *const argv[] = { "rm", "-rf", fetch->folder, NULL };
	char *text;

	child_output(argv, NULL, &text, NULL);
	free(text);
	for (u32 i = 0; i < ARRAY_SIZE(fetch->options); i++)
		free(fetch->options[i]);
	free(fetch->folder);
	free(fetch->target);
	free(fetch->mirror);
	free(fetch->security);
	free(fetch->keyring);
	free(fetch->version);
}

static enum err_code fetch_row(u32 row, char **told, struct err *err)
{
	static const char *const update[] = { "update", NULL };
	struct fetch fetch = { .folder = cache("fetch"),
			       .target = kernel_folder(releases[row].release) };
	enum err_code code = prepare(&fetch, row, err);

	if (code == OK)
		code = apt(&fetch, "apt-get", update, NULL, err);
	if (code == OK)
		code = find_version(&fetch, err);
	if (code == OK)
		code = download(&fetch, err);
	if (code == OK)
		code = unpack(&fetch, err);
	if (code == OK)
		code = keep(&fetch, err);
	if (code == OK)
		*told = mem_strdup(fetch.version);
	fetch_fini(&fetch);
	return code;
}

enum err_code truth_kernel_fetch(const char *release, char **told, struct err *err)
{
	*told = NULL;
	for (u32 i = 0; i < ARRAY_SIZE(releases); i++)
		if (!strcmp(releases[i].release, release))
			return fetch_row(i, told, err);
	return err_set(err, ERR_USAGE, NULL, "--fetch: '%s' is not one of 6.1, 6.12 and 7.3",
		       release);
}
