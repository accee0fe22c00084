// SPDX-License-Identifier: MIT
/* Reads and writes registers by msr-safe's devices, one at a time and in batches. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the module's README has them. */
struct msr_batch_op { uint16_t cpu, isrdmsr; int32_t err; uint32_t msr; uint64_t msrdata, wmask; };
struct msr_batch_array { uint32_t numops, version; struct msr_batch_op *ops; };
#define X86_IOC_MSR_BATCH 0xC01063A2ul

#define CHECK(c) ((c) ? 0 : printf("line %d: %s (errno %d)\n", __LINE__, #c, errno))

static void one_register(void)
{
	uint64_t v[2] = { 0, 0 };
	int fd = open("/dev/cpu/3/msr_safe", O_RDWR);
	struct stat st;

	CHECK(open("/dev/cpu/3/msr", O_RDONLY) == -1 && errno == EACCES);
	CHECK(access("/dev/cpu/3/msr", R_OK) == -1 && errno == EACCES);
	CHECK(open("/dev/cpu/8/msr_safe", O_RDWR) == -1 && errno == ENXIO);
	CHECK(fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode));
	CHECK(pread(fd, v, 8, 0x396) == 8 && v[0] == 5);
	CHECK(pread(fd, v, 16, 0x396) == -1 && errno == EINVAL);	/* one register only */
	CHECK(pread(fd, v, 8, 0x3B0) == -1 && errno == EACCES);		/* not listed */
	CHECK(pwrite(fd, v, 8, 0x396) == -1 && errno == EACCES);	/* read-only by its mask */
	v[0] = 0xFFFFFFFF;
	CHECK(pwrite(fd, v, 8, 0x700) == 8);				/* mask 0xFF */
	CHECK(pread(fd, v, 8, 0x700) == 8 && v[0] == 0xFF);
	v[0] = 0x3400;
	CHECK(pwrite(fd, v, 8, 0x700) == 8);	/* bits beyond the mask stay as they are: 0 */
	CHECK(pread(fd, v, 8, 0x700) == 8 && v[0] == 0);
}

static int batch(int fd, struct msr_batch_op *ops, uint32_t n)
{
	struct msr_batch_array a = { n, 0x010800, ops };

	return ioctl(fd, X86_IOC_MSR_BATCH, &a);
}

static void together(void)
{
	int fd = open("/dev/cpu/msr_batch", O_RDONLY), blind = open("/dev/cpu/msr_batch", O_WRONLY);
	struct msr_batch_op good[] = {
		{ .cpu = 0, .msr = 0x700, .msrdata = 0xFF34 },
		{ .cpu = 7, .isrdmsr = 1, .msr = 0x700 },
		{ .cpu = 1, .isrdmsr = 1, .msr = 0x396 },
	};
	struct msr_batch_op mixed[] = {
		{ .cpu = 0, .msr = 0x700, .msrdata = 0x11 },
		{ .cpu = 0, .isrdmsr = 1, .msr = 0x3B0 },
		{ .cpu = 0, .msr = 0x396, .msrdata = 1 },
		{ .cpu = 8, .isrdmsr = 1, .msr = 0x396 },
	};
	struct msr_batch_op absent[] = {
		{ .cpu = 0, .isrdmsr = 1, .msr = 0x740 },
		{ .cpu = 0, .msr = 0x700, .msrdata = 0x22 },
	};
	char buf[8];

	CHECK(fd >= 0 && batch(fd, good, 3) == 0);
	CHECK(good[0].wmask == 0xFF && good[1].msrdata == 0x34 && good[2].msrdata == 5);
	/* any refused by the list or for its CPU: none is executed, each has its own error */
	CHECK(batch(fd, mixed, 4) == -1 && errno == ENXIO);
	CHECK(mixed[0].err == 0 && mixed[1].err == -EACCES && mixed[2].err == -EROFS &&
	      mixed[3].err == -ENXIO);
	CHECK(batch(fd, good + 1, 1) == 0 && good[1].msrdata == 0x34);
	/* a register that faults is found out by executing: the others are executed */
	CHECK(batch(fd, absent, 2) == -1 && errno == EIO && absent[0].err == -EIO &&
	      !absent[1].err);
	CHECK(batch(fd, good + 1, 1) == 0 && good[1].msrdata == 0x22);
	CHECK(batch(fd, good, 0) == -1 && errno == EINVAL);
	CHECK(ioctl(fd, 0x5401, buf) == -1 && errno == ENOTTY);
	CHECK(batch(blind, good, 1) == -1 && errno == EBADF);
	CHECK(read(fd, buf, 8) == -1 && errno == EINVAL);
	CHECK(ioctl(0, X86_IOC_MSR_BATCH, buf) == -1 && errno == ENOTTY);	/* not ours */
}

int main(void)
{
	one_register();
	together();
	puts("done");
	return 0;
}
