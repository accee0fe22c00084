/* SPDX-License-Identifier: MIT */
/* The folder of a kernel's modules that `vpmu boot` reads. Up to a NUL the input is modules.order;
 * the rest stands in every module, and says there what the module depends on. The result is an
 * archive with each module once, numbered in the order of loading. */
#include "complaints.h"
#include "fuzz_file.h"
#include "boot/host/host.h"

#include <sys/mman.h>
#include <sys/stat.h>

/* Modules that are there: some of those that a machine needs, one that none needs, and one in a
 * folder whose name has a dot. */
static const char *const modules[] = {
	"msr.ko", "9p.ko", "virtio-pci.ko", "a.ko", "f.d/overlay.ko",
};
#define MODULES (sizeof(modules) / sizeof(modules[0]))

static char folder[] = "/tmp/fuzz-modules-XXXXXX";
static struct fuzz_file order, module;

static void name_in(char out[256], const char *name)
{
	snprintf(out, 256, "%s/%s", folder, name);
}

static void take_down(void)
{
	char path[256];

	name_in(path, "modules.order");
	(void)unlink(path);
	for (size_t i = 0; i < MODULES; i++) {
		name_in(path, modules[i]);
		(void)unlink(path);
	}
	name_in(path, "f.d");
	(void)rmdir(path);
	(void)rmdir(folder);
}

static void set_up(void)
{
	char path[256];

	REQUIRE(mkdtemp(folder));
	atexit(take_down);
	name_in(path, "f.d");
	REQUIRE(mkdir(path, 0700) == 0);
	fuzz_file_write(&order, "", 0);
	fuzz_file_write(&module, "", 0);
	name_in(path, "modules.order");
	REQUIRE(symlink(order.path, path) == 0);
	for (size_t i = 0; i < MODULES; i++) {
		name_in(path, modules[i]);
		REQUIRE(symlink(module.path, path) == 0);
	}
}

/* ---- the result: cpio's "newc" format ---- */

static size_t field(const char *head, int n)
{
	char text[9] = "";

	memcpy(text, head + 6 + 8 * n, 8);
	return strtoul(text, NULL, 16);
}

static size_t up_to_4(size_t n) { return (n + 3) & ~(size_t)3; }

/* modules/NN-NAME.ko, NN: how many there were before. */
static void check_module(const char *name, unsigned count)
{
	char number[8];

	snprintf(number, sizeof(number), "%02u-", count);
	REQUIRE(!strncmp(name + strlen("modules/"), number, strlen(number)));
	REQUIRE(strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".ko"));
}

static void check_archive(const char *archive, size_t bytes)
{
	static const char *names[128];
	unsigned count = 0;
	size_t at = 0;

	for (;;) {
		const char *head = archive + at, *name = head + 110;
		size_t data, length;

		REQUIRE(at + 110 < bytes && !strncmp(head, "070701", 6));
		length = field(head, 11);
		data = up_to_4(at + 110 + length);
		REQUIRE(data <= bytes && length && !name[length - 1] && strlen(name) == length - 1);
		at = up_to_4(data + field(head, 6));
		REQUIRE(at <= bytes);
		if (!strcmp(name, "TRAILER!!!"))
			break;
		if (strncmp(name, "modules/", 8))
			continue;
		check_module(name, count);
		for (unsigned i = 0; i < count; i++)
			REQUIRE(strcmp(strchr(names[i], '-'), strchr(name, '-')));
		names[count++] = name;
		REQUIRE(count < 128);
	}
	REQUIRE(at == bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t length = nul ? (size_t)(nul - data) : size;
	int before = complaints, fd;
	struct stat st;
	void *archive;

	if (!order.path[0])
		set_up();
	fuzz_file_write(&order, data, length);
	fuzz_file_write(&module, data + length, size - length);
	fd = vpmu_boot_image(module.path, folder);
	REQUIRE((fd < 0) == (complaints > before));
	if (fd < 0)
		return 0;
	REQUIRE(fstat(fd, &st) == 0);
	archive = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	REQUIRE(archive != MAP_FAILED);
	check_archive(archive, (size_t)st.st_size);
	munmap(archive, (size_t)st.st_size);
	close(fd);
	return 0;
}
