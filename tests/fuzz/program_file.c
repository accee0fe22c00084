/* SPDX-License-Identifier: MIT */
/* Heads of the files that `vpmu run` executes, scripts and ELF. Up to a NUL the input is a #! line
 * of a script, or empty; the rest is a program's file, which the line "#!SELF" names. */
#include "fuzz.h"
#include "machine/program.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static char folder[] = "/dev/shm/fuzz-program-XXXXXX";

static int outside = -1;	/* the working folder, which libFuzzer needs */

static void take_down(void)
{
	REQUIRE(chdir(folder) == 0);
	(void)unlink("script");
	(void)unlink("SELF");
	(void)rmdir(folder);
}

static void put(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

/* Words are texts of the lines, none empty; the command line has all of them, then the program. */
static void check_words(const struct vpmu_program *p, const char *path)
{
	static struct vpmu_emulator e = { .qemu = "qemu", .cpu = "cpu", .plugin = "plugin" };
	char name[8], one[] = "one";
	char *const argv[] = { name, one, NULL };
	const char *out[VPMU_EMULATOR_WORDS + 4];
	int n = 0;

	snprintf(name, sizeof(name), "%s", path);
	REQUIRE(p->word_count >= 0 && p->word_count <= 2 * VPMU_SCRIPTS_MAX);
	for (int i = 0; i < p->word_count; i++)
		REQUIRE(p->words[i] && p->words[i][0] && strlen(p->words[i]) < sizeof(p->lines[0]));
	vpmu_emulator_words(&e, p, argv, out);
	while (out[n])
		n++;
	REQUIRE(n < VPMU_EMULATOR_WORDS + 4);
	REQUIRE(!strcmp(out[n - 1], "one") && !strcmp(out[n - 2], path));
	for (int i = 0; i < p->word_count; i++)
		REQUIRE(out[n - 2 - p->word_count + i] == p->words[i]);
}

static void check(const char *path)
{
	static struct vpmu_program p;
	int rc = vpmu_program_load(path, &p);

	REQUIRE(rc == 0 || rc == ENOEXEC || rc == ELOOP || rc == EACCES || rc == ENOENT ||
		rc == ENAMETOOLONG || rc == ENOTDIR);
	if (rc)
		return;
	REQUIRE((p.kind == VPMU_PROGRAM_SANITIZED) == (p.sanitizer != NULL));
	check_words(&p, path);
	REQUIRE(vpmu_program_is(&p, path) && !vpmu_program_is(&p, "no such name"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t line = nul ? (size_t)(nul - data) : 0, skip = nul ? line + 1 : 0;

	if (outside < 0) {
		outside = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		REQUIRE(outside >= 0 && mkdtemp(folder));
		atexit(take_down);
	}
	REQUIRE(chdir(folder) == 0);
	put("SELF", data + skip, size - skip);
	check("SELF");
	if (line) {
		put("script", data, line);
		check("script");
	}
	REQUIRE(fchdir(outside) == 0);
	return 0;
}
