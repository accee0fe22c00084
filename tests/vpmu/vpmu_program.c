/* SPDX-License-Identifier: MIT */
/* Kinds of executable files, by execve(2) and elf(5), and the command line that runs each under the
 * emulator. */
#include "vpmu_machine.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "machine/program.h"

#define LIBRARY "/lib/native.so"

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
	expect_words("#!/bin/sh -e -u \t\n", "/bin/sh", "-e -u");
}

static void an_interpreter_must_be_a_program(void **state)
{
	char line[sizeof(path) + 8];

	(void)state;
	assert_int_equal(load_text("#!/no/such/interpreter\n"), EACCES);
	assert_int_equal(load_text("#!/\n"), EACCES);
	assert_int_equal(load_text("#!/bin/sh\r\n"), EACCES);
	snprintf(line, sizeof(line), "#!%s\n", path);
	assert_int_equal(load_text(line), ELOOP);
}

/* As Linux has it since 5.10: five scripts in front of a program, and not six. */
static void a_script_can_interpret_a_script(void **state)
{
	char names[VPMU_SCRIPTS_MAX][sizeof(path) + 2], line[sizeof(names[0]) + 16];
	int rc[2], words = 0;

	(void)state;
	for (int i = 0; i < VPMU_SCRIPTS_MAX; i++) {
		snprintf(line, sizeof(line), "#!%s -%d\n", i ? names[i - 1] : "/bin/sh", i);
		assert_int_equal(load_text(line), 0);
		snprintf(names[i], sizeof(names[i]), "%s.%d", path, i);
		assert_int_equal(rename(path, names[i]), 0);
	}
	rc[0] = vpmu_program_load(names[VPMU_SCRIPTS_MAX - 1], &program);
	if (!rc[0])
		words = program.word_count;
	snprintf(line, sizeof(line), "#!%s\n", names[VPMU_SCRIPTS_MAX - 1]);
	rc[1] = load_text(line);
	for (int i = 0; i < VPMU_SCRIPTS_MAX; i++)
		unlink(names[i]);
	assert_int_equal(rc[0], 0);
	assert_int_equal(rc[1], ELOOP);
	assert_int_equal(words, 2 * VPMU_SCRIPTS_MAX);
}

static void words_of_the_last_script_come_first(void **state)
{
	char inner[sizeof(path) + 2], line[sizeof(inner) + 16];

	(void)state;
	assert_int_equal(load_text("#!/bin/sh -e\n"), 0);
	snprintf(inner, sizeof(inner), "%s.0", path);
	assert_int_equal(rename(path, inner), 0);
	snprintf(line, sizeof(line), "#!%s x y\n", inner);
	assert_int_equal(load_text(line), 0);
	unlink(inner);
	assert_int_equal(program.word_count, 4);
	assert_string_equal(program.words[0], "/bin/sh");
	assert_string_equal(program.words[1], "-e");
	assert_string_equal(program.words[2], inner);
	assert_string_equal(program.words[3], "x y");
	assert_string_equal(vpmu_program_file(&program), "/bin/sh");
}

/* ---- programs ---- */

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment[2];
	char loader[16];
};

static struct image image(void)
{
	return (struct image){
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			    .e_machine = EM_X86_64, .e_phnum = 2,
			    .e_phoff = offsetof(struct image, segment) },
		.segment = { { .p_type = PT_LOAD }, { .p_type = PT_NOTE } },
	};
}

static enum vpmu_program_kind kind_of(struct image i)
{
	assert_int_equal(load(&i, sizeof(i), 0700), 0);
	assert_int_equal(program.word_count, 0);
	return program.kind;
}

static void a_loader_must_be_there(void **state)
{
	struct image i = image();

	(void)state;
	assert_int_equal(kind_of(i), VPMU_PROGRAM);	/* statically linked */
	i.segment[1] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_filesz = sizeof("/bin/sh"),
				     .p_offset = offsetof(struct image, loader) };
	strcpy(i.loader, "/bin/sh");
	assert_int_equal(kind_of(i), VPMU_PROGRAM);
	strcpy(i.loader, "/no/one");
	assert_int_equal(load(&i, sizeof(i), 0700), ENOENT);
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
	assert_int_equal(load_text("#! \n/bin/sh"), ENOEXEC);
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
	char preload[VPMU_PRELOAD_BYTES];

	vpmu_preload(preload, LIBRARY, others);
	assert_string_equal(preload, variable);
}

static void the_library_is_preloaded_once_and_first(void **state)
{
	(void)state;
	expect_preload(NULL, "LD_PRELOAD=" LIBRARY);
	expect_preload("", "LD_PRELOAD=" LIBRARY);
	expect_preload("/lib/a.so", "LD_PRELOAD=" LIBRARY ":/lib/a.so");
	expect_preload("/lib/a.so /lib/b.so", "LD_PRELOAD=" LIBRARY ":/lib/a.so /lib/b.so");
	expect_preload("/lib/a.so:" LIBRARY, "LD_PRELOAD=/lib/a.so:" LIBRARY);
	expect_preload(LIBRARY " /lib/a.so", "LD_PRELOAD=" LIBRARY " /lib/a.so");
	expect_preload(LIBRARY ".1", "LD_PRELOAD=" LIBRARY ":" LIBRARY ".1");
	expect_preload("/usr" LIBRARY, "LD_PRELOAD=" LIBRARY ":/usr" LIBRARY);
}

static void expect_list(const char *const *words, const char *const *expected)
{
	for (; *expected; words++, expected++) {
		assert_non_null(*words);
		assert_string_equal(*words, *expected);
	}
	assert_null(*words);
}

static struct vpmu_emulator emulator(const char *tool, bool host_random)
{
	const struct vpmu_fixed fixed = { .seed = 3, .stream = 5, .host_random = host_random };
	struct vpmu_machine m = { .qemu_cpu = "core2duo", .brand = "VirtualPMU x" };
	struct vpmu_emulator e = { .qemu = "/bin/qemu" };

	vpmu_emulator_fill(&e, &m, "/lib/feed.so", "/dev/shm/s", tool, &fixed);
	return e;
}

#define EMULATOR "/bin/qemu", "-cpu", "core2duo,model-id=VirtualPMU x", "-plugin", \
		 "file=/lib/feed.so,segment=/dev/shm/s,seed=3,stream=5," \
		 "random=host,time=host"

static void a_program_keeps_its_arguments(void **state)
{
	struct vpmu_program p = { .path = "/bin/true" };
	char name[] = "name", x[] = "x", y[] = "-y";
	char *argv[] = { name, x, y, NULL }, *none[] = { NULL };
	const char *words[VPMU_EMULATOR_WORDS + 3];
	struct vpmu_emulator e = emulator(NULL, true);

	(void)state;
	vpmu_emulator_words(&e, &p, argv, words);
	expect_list(words, (const char *[]){ EMULATOR, "-0", "name", "/bin/true", "x", "-y",
					     NULL });
	vpmu_emulator_words(&e, &p, none, words);
	expect_list(words, (const char *[]){ EMULATOR, "-0", "", "/bin/true", NULL });
}

/* As execve(2) says: interpreter, its argument, the script's path, the arguments from argv[1]. */
static void a_script_is_an_argument_of_its_interpreter(void **state)
{
	char name[] = "name", x[] = "x", *argv[] = { name, x, NULL };
	const char *words[VPMU_EMULATOR_WORDS + 2];
	struct vpmu_emulator e = emulator("/bin/vpmu", false);

	(void)state;
	assert_int_equal(load_text("#!/bin/sh -e -u\n"), 0);
	vpmu_emulator_words(&e, &program, argv, words);
	expect_list(words + 5, (const char *[]){ "-seed", "5",
		"/bin/sh", "-e -u", path, "x", NULL });
	assert_string_equal(words[4], "file=/lib/feed.so,segment=/dev/shm/s,seed=3,"
				      "stream=5,random=fixed,time=host,tool=/bin/vpmu");
}

static void what_the_emulator_heeds_is_hidden(void **state)
{
	static const char *const heeded[] = {
		"LD_PRELOAD=x", "LD_LIBRARY_PATH=", "GLIBC_TUNABLES=x", "MALLOC_ARENA_MAX=1",
		"QEMU_CPU=max", "VPMU_PROGRAM_A=1",
	};
	static const char *const others[] = { "PATH=/bin", "LDFLAGS=", "VPMU_SEGMENT=/x",
					      "HOME=LD_", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(heeded) / sizeof(heeded[0]); i++)
		assert_true(vpmu_emulator_heeds(heeded[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(vpmu_emulator_heeds(others[i]));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_script_has_an_interpreter_and_one_argument),
		T(an_interpreter_must_be_a_program),
		T(a_script_can_interpret_a_script),
		T(words_of_the_last_script_come_first),
		T(a_loader_must_be_there),
		T(programs_for_other_processors_are_foreign),
		T(a_file_of_another_user_gives_rights),
		T(what_is_no_program_is_refused),
		T(a_name_is_no_option_of_the_emulator),
		T(the_library_is_preloaded_once_and_first),
		T(a_program_keeps_its_arguments),
		T(a_script_is_an_argument_of_its_interpreter),
		T(what_the_emulator_heeds_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
