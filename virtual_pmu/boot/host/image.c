/* SPDX-License-Identifier: MIT */
/* The first file system of a booted machine, made anew for each boot: it is small. The format is
 * that of cpio's "newc" archives (the kernel's Documentation, early-userspace/buffer-format).
 * vpmu_boot_image() writes the first process and its modules to a file without a name. Modules have
 * names in the order of loading, each behind those that it depends on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../wire.h"
#include "host.h"

/* Those that the first process needs, then those that measure. Where one is part of the kernel
 * itself there is no file. */
static const char *const wanted[] = {
	"virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay", "msr", "intel_uncore",
};

#define MODULES_MAX 64

struct image {
	FILE *out;
	const char *folder;		/* of the modules */
	char *order;			/* its modules.order: a path in every line */
	char *loaded[MODULES_MAX];	/* names, in the order of loading */
	unsigned int count, depth;	/* depth: modules that wait for those they depend on */
};

/* ---- the archive ---- */

static void pad(FILE *out)
{
	while (ftell(out) % 4)
		fputc(0, out);
}

static void archive_put(FILE *out, const char *name, unsigned int mode, unsigned int device_minor,
			const void *data, size_t bytes)
{
	static unsigned int inode;

	fprintf(out, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", ++inode, mode,
		0u, 0u, 1u, 0u, (unsigned int)bytes, 0u, 0u, device_minor ? 5u : 0u, device_minor,
		(unsigned int)strlen(name) + 1, 0u);
	fwrite(name, 1, strlen(name) + 1, out);
	pad(out);
	if (bytes)
		fwrite(data, 1, bytes, out);
	pad(out);
}

static char *image_read_file(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data = NULL;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		data = malloc((size_t)st.st_size + 1);
	if (data && read(fd, data, (size_t)st.st_size) == st.st_size) {
		*bytes = (size_t)st.st_size;
		data[st.st_size] = '\0';
	} else {
		free(data);
		data = NULL;
	}
	if (fd >= 0)
		close(fd);
	return data;
}

/* ---- modules ---- */

/* Names have '-' in files where the kernel has '_'. */
static bool same_name(const char *a, const char *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if ((a[i] == '-' ? '_' : a[i]) != (b[i] == '-' ? '_' : b[i]))
			return false;
	return !b[bytes];
}

/* The line of modules.order that ends in /NAME.ko. */
static bool find_module(const struct image *image, const char *name, char *out, size_t bytes)
{
	for (const char *line = image->order; *line; line += strcspn(line, "\n"),
	     line += *line == '\n') {
		int length = (int)strcspn(line, "\n");
		const char *slash = memrchr(line, '/', (size_t)length);
		const char *base = slash ? slash + 1 : line;
		const char *dot = memchr(base, '.', (size_t)(line + length - base));

		if (dot && same_name(base, name, (size_t)(dot - base)))
			return snprintf(out, bytes, "%s/%.*s", image->folder, length, line) <
			       (int)bytes;
	}
	return false;
}

static int add_module(struct image *image, const char *name);

/* The module lists what it needs: "depends=a,b" stands in it as a text. */
static int add_depended(struct image *image, const char *data, size_t bytes)
{
	static const char key[] = "\0depends=";
	const char *at = memmem(data, bytes, key, sizeof(key) - 1);
	char *list = at ? strdup(at + sizeof(key) - 1) : NULL, *rest = list, *name;
	int rc = 0;

	while (!rc && (name = strsep(&rest, ",")))
		if (*name)
			rc = add_module(image, name);
	free(list);
	return rc;
}

static bool is_loaded(const struct image *image, const char *name)
{
	for (unsigned int i = 0; i < image->count; i++)
		if (same_name(image->loaded[i], name, strlen(image->loaded[i])))
			return true;
	return false;
}

static int add_module(struct image *image, const char *name)
{
	char path[PATH_MAX], inside[96];
	size_t bytes;
	char *data;
	int rc;

	if (is_loaded(image, name) || !find_module(image, name, path, sizeof(path)))
		return 0;
	if (image->depth + image->count >= MODULES_MAX) {
		vpmu_complain("%s: cannot load this module: with those that it depends on there "
			      "are more than %d, or they depend on each other", path, MODULES_MAX);
		return -1;
	}
	data = image_read_file(path, &bytes);
	if (!data) {
		vpmu_complain("%s: cannot read this module: %s", path, strerror(errno));
		return -1;
	}
	image->depth++;
	rc = add_depended(image, data, bytes);
	image->depth--;
	if (!rc) {
		snprintf(inside, sizeof(inside), "%s/%02u-%.64s.ko", &VPMU_MODULES_FOLDER[1],
			 image->count, name);
		archive_put(image->out, inside, S_IFREG | 0644, 0, data, bytes);
		image->loaded[image->count++] = strdup(name);
	}
	free(data);
	return rc;
}

static int add_modules(struct image *image)
{
	char path[PATH_MAX];
	size_t bytes;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/modules.order", image->folder);
	image->order = image_read_file(path, &bytes);
	if (!image->order) {
		vpmu_complain("%s: %s: not a folder of a kernel's modules, as "
			      "/lib/modules/VERSION is", path, strerror(errno));
		return -1;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && !rc; i++)
		rc = add_module(image, wanted[i]);
	for (unsigned int i = 0; i < image->count; i++)
		free(image->loaded[i]);
	free(image->order);
	return rc;
}

static int add_all(struct image *image, const char *init)
{
	static const char *const folders[] = { "dev", "modules" };
	size_t bytes;
	char *data = image_read_file(init, &bytes);
	int rc;

	if (!data) {
		vpmu_complain("%s: %s", init, strerror(errno));
		return -1;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		archive_put(image->out, folders[i], S_IFDIR | 0755, 0, NULL, 0);
	archive_put(image->out, "dev/console", S_IFCHR | 0600, 1, NULL, 0);
	archive_put(image->out, "init", S_IFREG | 0755, 0, data, bytes);
	free(data);
	rc = add_modules(image);
	archive_put(image->out, "TRAILER!!!", 0, 0, NULL, 0);
	return rc;
}

int vpmu_boot_image(const char *init, const char *modules)
{
	struct image image = { .folder = modules };
	int fd = memfd_create("vpmu-boot", 0), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int rc = -1;

	image.out = copy < 0 ? NULL : fdopen(copy, "w");
	if (image.out) {
		rc = add_all(&image, init);
		if (fclose(image.out))
			rc = -1;
	} else {
		vpmu_complain("cannot make the first file system: %s", strerror(errno));
	}
	if (rc && fd >= 0)
		close(fd);
	return rc ? -1 : fd;
}
