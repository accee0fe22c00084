/* SPDX-License-Identifier: MIT */
/* What a file is that is to be executed, as execve(2) and elf(5) have it, and the command line that
 * runs it under the emulator. */
#include "vpmu_machine.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "machine/program.h"

#define SHIM "/lib/shim.so"

static char directory[64], path[96];
static struct vpmu_program program;

static int setup(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/vpmu-test-XXXXXX");
	snprintf(path, sizeof(path), "%s/file", mkdtemp(directory));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

static int load(const void *bytes, size_t count, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return vpmu_program_load(path, &program);
}

static int load_text(const char *text)
{
	return load(text, strlen(text), 0700);
}

/* ---- scripts ---- */

static void expect_words(const char *text, const char *interpreter, const char *argument)
{
	assert_int_equal(load_text(text), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM);
	assert_int_equal(program.word_count, argument ? 2 : 1);
	assert_string_equal(program.words[0], interpreter);
	if (argument)
		assert_string_equal(program.words[1], argument);
}

static void a_script_has_an_interpreter_and_one_argument(void **state)
{
	(void)state;
	expect_words("#!/bin/sh\necho\n", "/bin/sh", NULL);
	expect_words("#! \t/bin/sh\n", "/bin/sh", NULL);
	expect_words("#!/bin/sh", "/bin/sh", NULL);
	expect_words("#!/bin/sh  \n", "/bin/sh", NULL);
	expect_words("#!/bin/sh -e\n", "/bin/sh", "-e");
	expect_words("#!/bin/sh \t-e -u x\n-v", "/bin/sh", "-e -u x");
}

static void an_interpreter_must_be_a_program(void **state)
{
	char line[sizeof(path) + 8];

	(void)state;
	assert_int_equal(load_text("#!/no/such/interpreter\n"), EACCES);
	assert_int_equal(load_text("#!/\n"), EACCES);
	snprintf(line, sizeof(line), "#!%s\n", path);
	assert_int_equal(load_text(line), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM_FOREIGN);
}

/* ---- programs ---- */

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment[2];
	Elf64_Dyn entry[2];
};

/* One that asks for a loader. */
static struct image image(void)
{
	return (struct image){
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			    .e_machine = EM_X86_64, .e_phnum = 2,
			    .e_phoff = offsetof(struct image, segment) },
		.segment = { { .p_type = PT_LOAD }, { .p_type = PT_INTERP } },
		.entry = { { .d_tag = DT_NEEDED }, { .d_tag = DT_NULL } },
	};
}

static struct image dynamic_image(Elf64_Sxword tag)
{
	struct image i = image();

	i.segment[1].p_type = PT_DYNAMIC;
	i.segment[1].p_offset = offsetof(struct image, entry);
	i.segment[1].p_filesz = sizeof(i.entry);
	i.entry[1].d_tag = tag;
	return i;
}

static enum vpmu_program_kind kind_of(struct image i)
{
	assert_int_equal(load(&i, sizeof(i), 0700), 0);
	assert_int_equal(program.word_count, 0);
	return program.kind;
}

static void a_program_with_a_loader_can_preload(void **state)
{
	struct image statically = image();

	(void)state;
	assert_int_equal(kind_of(image()), VPMU_PROGRAM);
	assert_int_equal(kind_of(dynamic_image(DT_SONAME)), VPMU_PROGRAM);	/* the loader */
	assert_int_equal(kind_of(dynamic_image(DT_NULL)), VPMU_PROGRAM_STATIC);	/* static PIE */
	statically.segment[1].p_type = PT_NOTE;
	assert_int_equal(kind_of(statically), VPMU_PROGRAM_STATIC);
	statically = image();
	statically.header.e_phnum = 1;
	assert_int_equal(kind_of(statically), VPMU_PROGRAM_STATIC);
}

static void programs_for_other_processors_are_foreign(void **state)
{
	struct image i = image();

	(void)state;
	i.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(kind_of(i), VPMU_PROGRAM_FOREIGN);
	i = image();
	i.header.e_machine = EM_AARCH64;
	assert_int_equal(kind_of(i), VPMU_PROGRAM_FOREIGN);
	i = image();
	assert_int_equal(load(&i, sizeof(i.header) - 1, 0700), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM_FOREIGN);
}

/* Only root can give a file away. */
static void a_file_of_another_user_gives_rights(void **state)
{
	struct image i = image();

	(void)state;
	if (geteuid()) {
		print_message("not root: no file of another user\n");
		skip();
	}
	assert_int_equal(load(&i, sizeof(i), 0700), 0);
	assert_int_equal(chown(path, 1, 1), 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(vpmu_program_load(path, &program), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(vpmu_program_load(path, &program), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM_PRIVILEGED);
	assert_int_equal(chmod(path, 02755), 0);
	assert_int_equal(vpmu_program_load(path, &program), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM_PRIVILEGED);
	assert_int_equal(chmod(path, 02745), 0);	/* mandatory locking, no rights */
	assert_int_equal(vpmu_program_load(path, &program), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chmod(path, 06755), 0);
	assert_int_equal(vpmu_program_load(path, &program), 0);
	assert_int_equal(program.kind, VPMU_PROGRAM);
}

static void what_is_no_program_is_refused(void **state)
{
	char long_path[PATH_MAX + 1];

	(void)state;
	assert_int_equal(load_text("neither\n"), ENOEXEC);
	assert_int_equal(load_text(""), ENOEXEC);
	assert_int_equal(load_text("#!"), ENOEXEC);
	assert_int_equal(load("#!/bin/sh\n", 10, 0600), EACCES);
	assert_int_equal(vpmu_program_load(directory, &program), EACCES);
	assert_int_equal(vpmu_program_load("/no/such/file", &program), ENOENT);
	memset(long_path, 'x', PATH_MAX);
	long_path[PATH_MAX] = '\0';
	assert_int_equal(vpmu_program_load(long_path, &program), ENAMETOOLONG);
}

static void a_name_is_no_option_of_the_emulator(void **state)
{
	(void)state;
	assert_int_equal(load_text("#!/bin/sh\n"), 0);
	assert_string_equal(program.path, path);
	assert_int_equal(vpmu_program_load("-version", &program), ENOENT);
	assert_string_equal(program.path, "./-version");
}

/* ---- the command line ---- */

static void expect_preload(const char *others, const char *variable)
{
	struct vpmu_emulator e;

	vpmu_emulator_preload(&e, SHIM, others);
	assert_string_equal(e.preload, variable);
}

static void the_shim_is_preloaded_once_and_first(void **state)
{
	(void)state;
	expect_preload(NULL, "LD_PRELOAD=" SHIM);
	expect_preload("", "LD_PRELOAD=" SHIM);
	expect_preload("/lib/a.so", "LD_PRELOAD=" SHIM ":/lib/a.so");
	expect_preload("/lib/a.so /lib/b.so", "LD_PRELOAD=" SHIM ":/lib/a.so:/lib/b.so");
	expect_preload("/lib/a.so:" SHIM, "LD_PRELOAD=/lib/a.so:" SHIM);
	expect_preload(SHIM " /lib/a.so", "LD_PRELOAD=" SHIM ":/lib/a.so");
	expect_preload(SHIM ".1", "LD_PRELOAD=" SHIM ":" SHIM ".1");
	expect_preload("/usr" SHIM, "LD_PRELOAD=" SHIM ":/usr" SHIM);
}

static void expect_list(const char *const *words, const char *const *expected)
{
	for (; *expected; words++, expected++) {
		assert_non_null(*words);
		assert_string_equal(*words, *expected);
	}
	assert_null(*words);
}

static struct vpmu_emulator emulator(bool leaves)
{
	struct vpmu_machine m = { .qemu_cpu = "core2duo", .brand = "VirtualPMU x" };
	struct vpmu_emulator e = { .qemu = "/bin/qemu", .preload = "LD_PRELOAD=" SHIM };

	vpmu_emulator_fill(&e, &m, "/lib/feed.so", "/dev/shm/s", leaves);
	return e;
}

#define EMULATOR "/bin/qemu", "-cpu", "core2duo,model-id=VirtualPMU x", "-E", "LD_PRELOAD=" SHIM, \
		 "-plugin", "file=/lib/feed.so,segment=/dev/shm/s,keep=on"

static void a_program_keeps_its_arguments(void **state)
{
	struct vpmu_program p = { .path = "/bin/true" };
	const char *const settings[] = { "A=1", "B=2", NULL };
	char name[] = "name", x[] = "x", y[] = "-y";
	char *argv[] = { name, x, y, NULL }, *none[] = { NULL };
	const char *words[VPMU_EMULATOR_WORDS + 2 * 2 + 3];
	struct vpmu_emulator e = emulator(false);

	(void)state;
	vpmu_emulator_words(&e, &p, settings, argv, words);
	expect_list(words, (const char *[]){ EMULATOR, "-E", "A=1", "-E", "B=2", "-0", "name",
					     "/bin/true", "x", "-y", NULL });
	vpmu_emulator_words(&e, &p, NULL, none, words);
	expect_list(words, (const char *[]){ EMULATOR, "-0", "/bin/true", "/bin/true", NULL });
}

/* As execve(2) says: interpreter, its argument, the script's path, the arguments from argv[1]. */
static void a_script_is_an_argument_of_its_interpreter(void **state)
{
	char name[] = "name", x[] = "x", *argv[] = { name, x, NULL };
	const char *words[VPMU_EMULATOR_WORDS + 2];
	struct vpmu_emulator e = emulator(false);

	(void)state;
	assert_int_equal(load_text("#!/bin/sh -e -u\n"), 0);
	vpmu_emulator_words(&e, &program, NULL, argv, words);
	expect_list(words, (const char *[]){ EMULATOR, "/bin/sh", "-e -u", path, "x", NULL });
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_script_has_an_interpreter_and_one_argument),
		T(an_interpreter_must_be_a_program),
		T(a_program_with_a_loader_can_preload),
		T(programs_for_other_processors_are_foreign),
		T(a_file_of_another_user_gives_rights),
		T(what_is_no_program_is_refused),
		T(a_name_is_no_option_of_the_emulator),
		T(the_shim_is_preloaded_once_and_first),
		T(a_program_keeps_its_arguments),
		T(a_script_is_an_argument_of_its_interpreter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
