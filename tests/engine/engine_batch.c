/* SPDX-License-Identifier: MIT */
/* The queue for msr-safe's batch device, by itself: what is executed when the device takes it, when
 * it refuses it, and when it is another device; and the sentence for a register that is in use. The
 * C library's calls are replaced in this program, the registers are an array. */
#include "access/batch.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

enum { BATCH_FD = 1100 };

static uint64_t registers[0x1000];
static int answer;		/* errno of every batch; 0: it is executed */
static uint32_t refused;	/* the device refuses a batch with a write of it */
static uint32_t failing;	/* a write of it by itself fails */
static int batches, singles;

static int refuse(int error)
{
	errno = error;
	return -1;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/dev/cpu/msr_batch") == 0)
		return BATCH_FD;
	return strncmp(path, "/dev/cpu/", 9) ? __real_open(path, flags) : refuse(ENOENT);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	return fd == BATCH_FD ? 0 : __real_close(fd);
}

struct array { uint32_t count, version; struct ipmu_batch_op *ops; };

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	struct array *a = argument;

	assert_int_equal(fd, BATCH_FD);
	assert_int_equal(request, 0xC01063A2);
	batches++;
	if (answer)
		return refuse(answer);
	for (uint32_t i = 0; i < a->count; i++)
		a->ops[i].err = !a->ops[i].is_read && a->ops[i].msr == refused ? -EACCES : 0;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->ops[i].err)
			return refuse(EACCES);
	for (uint32_t i = 0; i < a->count; i++)
		if (a->ops[i].is_read)
			a->ops[i].data = registers[a->ops[i].msr];
		else
			registers[a->ops[i].msr] = a->ops[i].data;
	return 0;
}

static int write_one(struct ipmu_regs *p, uint32_t addr, uint64_t value)
{
	(void)p;
	singles++;
	if (addr == failing || addr == refused)
		return -EIO;
	registers[addr] = value;
	return 0;
}

/* ---- */

static const uint32_t addresses[] = { 0x700, 0x701, 0x710, 0x711 };
static struct ipmu_regs regs;
static struct ipmu_batch *batch;

static int setup(void **state)
{
	(void)state;
	memset(registers, 0, sizeof(registers));
	regs = (struct ipmu_regs){ .registers = ipmu_skl_client_uncore.registers, .msr = -1 };
	refused = failing = 0;
	answer = batches = singles = 0;
	batch = ipmu_batch_open(write_one);
	return batch ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	ipmu_batch_close(batch);
	return 0;
}

/* 1, 2, 3, 4 into the four registers. */
static int write_four(enum ipmu_batch_refused policy)
{
	ipmu_batch_begin(batch, policy);
	for (uint32_t i = 0; i < 4; i++) {
		int rc = ipmu_batch_queueing(batch) ?
			 ipmu_batch_write(batch, &regs, addresses[i], i + 1, NULL) :
			 write_one(&regs, addresses[i], i + 1);

		assert_int_equal(rc, 0);
	}
	return ipmu_batch_end(batch);
}

/* The registers of `written` (bit by bit) have got their values, the others none. */
static void written(unsigned which)
{
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(registers[addresses[i]], which >> i & 1 ? i + 1 : 0);
}

static void a_queue_is_one_batch(void **state)
{
	(void)state;
	assert_int_equal(write_four(IPMU_BATCH_FAIL), 0);
	written(0xF);
	assert_int_equal(batches, 1);
	assert_int_equal(singles, 0);
}

static void a_refused_batch_writes_nothing(void **state)
{
	(void)state;
	refused = 0x710;
	assert_int_equal(write_four(IPMU_BATCH_FAIL), -EACCES);
	written(0);
	assert_int_equal(singles, 0);
	assert_int_equal(regs.failure.addr, 0x710);
}

/* As the restoring of registers needs it: a write that fails does not stop the others. */
static void or_as_much_as_it_can(void **state)
{
	(void)state;
	refused = 0x701;
	assert_int_equal(write_four(IPMU_BATCH_GO_ON), -EIO);
	written(0xD);
	assert_int_equal(singles, 4);
}

/* Another device of that name: one by one from then on, up to the first that fails, or all. */
static void another_device_is_asked_once(void **state)
{
	(void)state;
	answer = ENOTTY;
	failing = 0x701;
	assert_int_equal(write_four(IPMU_BATCH_FAIL), -EIO);
	written(0x1);
	assert_int_equal(singles, 2);
	failing = 0;
	assert_int_equal(write_four(IPMU_BATCH_GO_ON), 0);
	written(0xF);
	assert_int_equal(batches, 1);
}

static void another_device_and_a_failure(void **state)
{
	(void)state;
	answer = EINVAL;
	failing = 0x700;
	assert_int_equal(write_four(IPMU_BATCH_GO_ON), -EIO);
	written(0xE);
}

/* Too little memory now is no other device. */
static void no_memory_is_a_matter_of_the_moment(void **state)
{
	(void)state;
	answer = ENOMEM;
	assert_int_equal(write_four(IPMU_BATCH_FAIL), 0);
	written(0xF);
	answer = 0;
	assert_int_equal(write_four(IPMU_BATCH_FAIL), 0);
	assert_int_equal(batches, 2);
}

/* An operation's error from before the call is not taken for its result. */
static void old_errors_are_not_results(void **state)
{
	struct ipmu_batch_op ops[2] = { { .msr = 0x700, .err = -EIO }, { .msr = 0x701, .err = 7 } };

	(void)state;
	registers[0x700] = 11;
	registers[0x701] = 12;
	assert_true(ipmu_batch_read(batch, ops, 2));
	assert_int_equal(ops[0].err | ops[1].err, 0);
	assert_int_equal(ops[0].data, 11);
	assert_int_equal(ops[1].data, 12);
	answer = ENOTTY;
	ops[0].err = ops[1].err = -EIO;
	assert_false(ipmu_batch_read(batch, ops, 2));
}

static void a_register_in_use_is_named(void **state)
{
	static const struct { int box, ctr; uint32_t addr; const char *says; } cases[] = {
		{ 2, 0, 0x720, "MSR_UNC_CBO_2_PERFEVTSEL0 (0x720) is 0x400034: somebody else" },
		{ 0, 1, 0x701, "MSR_UNC_CBO_0_PERFEVTSEL1 (0x701) is 0x400034: somebody else" },
		{ 3, 1, 0x731, "MSR_UNC_CBO_3_PERFEVTSEL1 (0x731) is 0x400034: somebody else" },
	};
	char why[IPMU_WHY_MAX];
	int box, ctr;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ipmu_reg *reg = ipmu_reg_at(regs.registers, cases[i].addr, &box, &ctr);

		assert_int_equal(box, cases[i].box);
		assert_int_equal(ctr, cases[i].ctr);
		assert_int_equal(ipmu_access_busy(&regs, reg, box, ctr, 0x400034, why), -EBUSY);
		if (!strstr(why, cases[i].says))
			fail_msg("'%s' does not say '%s'", why, cases[i].says);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_queue_is_one_batch),
		CASE(a_refused_batch_writes_nothing),
		CASE(or_as_much_as_it_can),
		CASE(another_device_is_asked_once),
		CASE(another_device_and_a_failure),
		CASE(no_memory_is_a_matter_of_the_moment),
		CASE(old_errors_are_not_results),
		CASE(a_register_in_use_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
