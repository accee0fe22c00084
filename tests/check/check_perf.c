/* SPDX-License-Identifier: MIT */
/* ipmu-check's use of the kernel's uncore drivers: which folders of /sys are boxes of a driver,
 * which type, event and CPU are requested, and which sum is returned. /sys and the system call are
 * the test's own. */
#include "component/check/check.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define DEVICES "/sys/bus/event_source/devices/"

static char root[] = "/tmp/check_perf.XXXXXX";
static int opened;
static struct { uint32_t type; uint64_t config; int cpu; } asked[8];

FILE *__real_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__wrap_opendir(const char *path);
long __wrap_syscall(long number, struct perf_event_attr *attr, int pid, int cpu, int group,
		    unsigned long flags);

static const char *redirect(const char *path, char *text, size_t bytes)
{
	size_t length = strlen(DEVICES);

	if (strncmp(path, DEVICES, length))
		return path;
	snprintf(text, bytes, "%s/%s", root, path + length);
	return text;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	char text[512];

	return __real_fopen(redirect(path, text, sizeof(text)), mode);
}

DIR *__wrap_opendir(const char *path)
{
	char text[512];

	return __real_opendir(redirect(path, text, sizeof(text)));
}

/* Each box has counted 1000, and the type of its driver. */
long __wrap_syscall(long number, struct perf_event_attr *attr, int pid, int cpu, int group,
		    unsigned long flags)
{
	uint64_t count = 1000 + attr->type;
	int fd = memfd_create("count", 0);

	assert_int_equal(number, SYS_perf_event_open);
	assert_int_equal(pid, -1);
	assert_int_equal(group, -1);
	assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
	asked[opened].type = attr->type;
	asked[opened].config = attr->config;
	asked[opened++].cpu = cpu;
	assert_int_equal(write(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = strchr(path + sizeof(root), '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	f = __real_fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* As Linux shows a client: two slices, a memory controller, and one more with events of its own. */
static int make_devices(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	file("uncore_cbox_0/type", "20\n");
	file("uncore_cbox_0/cpumask", "3\n");
	file("uncore_cbox_1/type", "21\n");
	file("uncore_cbox_1/cpumask", "3\n");
	file("uncore_cbox_other/type", "22\n");
	file("uncore_imc/type", "30\n");
	file("uncore_imc/cpumask", "0\n");
	file("uncore_imc/events/data_reads", "event=0x01\n");
	file("uncore_imc_free_running_0/type", "31\n");
	file("uncore_imc_free_running_0/events/data_read", "event=0xff,umask=0x20\n");
	return 0;
}

static int remove_devices(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void every_box_by_the_select(void **state)
{
	int fds[8], n;

	(void)state;
	opened = 0;
	/* 334060-001 Table 2-7: event in bits 7 to 0, unit mask in 15 to 8, EN in bit 22. */
	n = perf_open("uncore_cbox", 0x401834, fds, 8);
	assert_int_equal(n, 2);
	assert_int_equal(asked[0].type + asked[1].type, 20 + 21);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(asked[i].config, 0x1834);
		assert_int_equal(asked[i].cpu, 3);
	}
	assert_int_equal((int)perf_close(fds, n), 1020 + 1021);
}

static void an_event_by_its_name(void **state)
{
	int fds[8], n;

	(void)state;
	opened = 0;
	n = perf_open("uncore_imc/data_reads", 0xDEAD, fds, 8);
	assert_int_equal(n, 1);
	assert_int_equal(asked[0].type, 30);
	assert_int_equal(asked[0].config, 1);
	assert_int_equal((int)perf_close(fds, n), 1030);

	opened = 0;
	n = perf_open("uncore_imc_free_running_0/data_read", 0, fds, 8);
	assert_int_equal(n, 1);
	assert_int_equal(asked[0].config, 0x20FF);
	perf_close(fds, n);
}

static void what_is_not_there(void **state)
{
	int fds[8];

	(void)state;
	opened = 0;
	assert_int_equal(perf_open("uncore_arb", 0x181, fds, 8), 0);
	assert_int_equal(perf_open("uncore_imc/data_writes", 0, fds, 8), 0);
	assert_int_equal(opened, 0);
	assert_true(perf_close(fds, 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_box_by_the_select),
		cmocka_unit_test(an_event_by_its_name),
		cmocka_unit_test(what_is_not_there),
	};

	return cmocka_run_group_tests(tests, make_devices, remove_devices);
}
