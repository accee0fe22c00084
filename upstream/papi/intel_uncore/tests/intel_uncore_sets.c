/* SPDX-License-Identifier: MIT */
/* Event sets: what fits into the counters, what does not, and who may count. A process that was
 * killed while it counted leaves registers behind, which the next one restores. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uncore_test.h"

#define CBO "intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP"
#define ARB "intel_uncore:::skl_unc_arb.UNC_ARB_TRK"
#define CLOCK "intel_uncore:::skl_unc_clk.UNC_CLOCK:SOCKET"

static void check_fit(void)
{
	int set = uncore_test_set(CBO ":ANY_MESI");

	CHECK(PAPI_add_named_event(set, CBO ":READ_I:box=0"), PAPI_OK);
	CHECK(PAPI_add_named_event(set, CBO ":ANY_I:box=0"), PAPI_ECNFLCT);
	CHECK(PAPI_add_named_event(set, CLOCK), PAPI_OK);
	/* Counter 0 alone counts occupancies: the requests, added before, move to counter 1. */
	CHECK(PAPI_add_named_event(set, ARB "_REQUESTS:ALL"), PAPI_OK);
	CHECK(PAPI_add_named_event(set, ARB "_OCCUPANCY:ALL"), PAPI_OK);
	CHECK(PAPI_add_named_event(set, ARB "_REQUESTS:WRITES"), PAPI_ECNFLCT);
	uncore_test_destroy(set);
}

static void check_names(void)
{
	static const char *const wrong[] = { CBO ":READ_I:box=99", CBO ":READ_I:c=32",
		CBO ":READ_I:x", CBO ":NONE", CBO, CLOCK ":e", CLOCK ":box=0" };
	int code;

	CHECK(PAPI_event_name_to_code(CBO ":READ_I:c=2:e:i:box=0", &code), PAPI_OK);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (PAPI_event_name_to_code(wrong[i], &code) == PAPI_OK)
			test_fail(__FILE__, __LINE__, wrong[i], code);
}

static void check_reset(void)
{
	int set = uncore_test_set(CLOCK);
	long long before, after;

	CHECK(PAPI_start(set), PAPI_OK);
	for (volatile int i = 0; i < 1000000; i++)
		;
	CHECK(PAPI_read(set, &before), PAPI_OK);
	CHECK(PAPI_reset(set), PAPI_OK);
	CHECK(PAPI_stop(set, &after), PAPI_OK);
	if (before <= 0 || after <= 0 || after >= before)
		test_fail(__FILE__, __LINE__, "PAPI_reset", (int) after);
	uncore_test_destroy(set);
}

/* Another process, which counts until it is killed. */
static pid_t start_other(char **argv)
{
	int ready[2];
	char byte;
	pid_t other;

	CHECK(pipe(ready), 0);
	other = fork();
	if (other == 0) {
		dup2(ready[1], 3);
		execl(argv[0], argv[0], "count", (char *) NULL);
		_exit(1);
	}
	close(ready[1]);
	CHECK((int) read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return other;
}

static void count_until_killed(void)
{
	CHECK(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	CHECK(PAPI_start(uncore_test_set(CBO ":ANY_MESI")), PAPI_OK);
	CHECK((int) write(3, "", 1), 1);
	pause();
}

#define REGISTERS 3

/* The control of all counters, and a select and a counter that the other process programs. */
static void read_registers(uint64_t values[REGISTERS])
{
	static const off_t addresses[REGISTERS] = { 0xE01, 0x700, 0x706 };
	int fd = open("/dev/cpu/0/msr_safe", O_RDONLY);

	if (fd < 0)
		fd = open("/dev/cpu/0/msr", O_RDONLY);
	for (int i = 0; i < REGISTERS; i++)
		if (pread(fd, &values[i], sizeof(values[i]), addresses[i]) != sizeof(values[i]))
			test_fail(__FILE__, __LINE__, "registers cannot be read", i);
	close(fd);
}

static void check_processes(char **argv)
{
	uint64_t before[REGISTERS], killed[REGISTERS], after[REGISTERS];
	int set = uncore_test_set(CLOCK);
	long long count;
	pid_t other;

	read_registers(before);
	other = start_other(argv);
	CHECK(PAPI_start(set), PAPI_ECNFLCT);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	read_registers(killed);
	CHECK(PAPI_start(set), PAPI_OK);
	CHECK(PAPI_stop(set, &count), PAPI_OK);
	read_registers(after);
	if (killed[0] == before[0] || killed[1] == before[1])
		test_fail(__FILE__, __LINE__, "the killed process has not counted", 0);
	if (memcmp(after, before, sizeof(after)) != 0)
		test_fail(__FILE__, __LINE__, "registers are not restored", 0);
	uncore_test_destroy(set);
}

int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == 'c') {
		count_until_killed();
		return 0;
	}
	uncore_test_begin(argc, argv);
	check_fit();
	check_names();
	check_reset();
	check_processes(argv);
	test_pass(__FILE__);
}
