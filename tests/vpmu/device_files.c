// SPDX-License-Identifier: MIT
/* Opens, reads and writes the machine's device files in every way that libc and the kernel have. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CHECK(c) ((c) ? 0 : printf("line %d: %s (errno %d)\n", __LINE__, #c, errno))
#define CONFIG "/sys/bus/pci/devices/0000:00:00.0/config"
#define CBO_CONFIG 0x396	/* 5 on this machine */
#define CTR 0x706
#define BAR 0x48		/* 0xfed10001 */

static uint64_t v, w;
static struct iovec two[2] = { { &v, 8 }, { &w, 8 } };
static void forget(void) { v = w = 0xAA; }

static void vectors(int msr, int config)
{
	forget();
	CHECK(preadv(msr, two, 1, CBO_CONFIG) == 8 && v == 5);
	forget();
	CHECK(preadv(msr, two, 2, CBO_CONFIG) == 16 && v == 5 && w == 5);
	forget();
	CHECK(preadv2(msr, two, 1, CBO_CONFIG, 0) == 8 && v == 5);
	CHECK(preadv(msr, two, 1, 0x740) == -1 && errno == EIO);	/* no such register */
	CHECK(preadv(msr, two, 1, -1) == -1 && errno == EINVAL);
	v = 77;
	CHECK(pwritev(msr, two, 1, CTR) == 8);
	forget();
	CHECK(lseek(msr, CTR, SEEK_SET) == CTR && readv(msr, two, 1) == 8 && v == 77);
	v = 78;
	CHECK(writev(msr, two, 1) == 8 && read(msr, &w, 8) == 8 && w == 78);
	v = 79;
	CHECK(pwritev2(msr, two, 1, -1, 0) == 8 && preadv2(msr, two + 1, 1, -1, 0) == 8 && w == 79);
	forget();
	CHECK(preadv(config, two, 2, BAR) == 16 && v == 0xfed10001 && w == 0);
	CHECK(lseek(config, BAR, SEEK_SET) == BAR && readv(config, two, 1) == 8 && v == 0xfed10001);
	CHECK(lseek(config, 0, SEEK_CUR) == BAR + 8);
}

static void streams(int fed)
{
	FILE *f = fopen("/dev/cpu/0/msr", "r+");
	char none;
	int fd = open("/dev/cpu/1/msr", O_RDONLY);

	/* Each read of a buffer would be 512 reads of a register, from another place. */
	setvbuf(f, &none, _IONBF, 0);
	forget();
	CHECK(f && fseek(f, CBO_CONFIG, SEEK_SET) == 0 && fread(&v, 8, 1, f) == 1 && v == 5);
	v = 123;
	CHECK(fseek(f, CTR, SEEK_SET) == 0 && fwrite(&v, 8, 1, f) == 1 && fflush(f) == 0);
	forget();
	CHECK(fseek(f, CTR, SEEK_SET) == 0 && fread(&v, 8, 1, f) == 1 && v == 123);
	CHECK(fseek(f, 0x740, SEEK_SET) == 0 && fread(&v, 8, 1, f) == 0 && ferror(f));
	CHECK(fclose(f) == 0);
	forget();
	f = fdopen(fd, "r");
	setvbuf(f, &none, _IONBF, 0);
	CHECK(f && fseek(f, CTR, SEEK_SET) == 0 && fread(&v, 8, 1, f) == 1 && v == 123);
	CHECK(fclose(f) == 0 && pread(fd, &v, 8, CTR) == -1 && errno == EBADF);
	f = fopen64(CONFIG, "rb");
	forget();
	CHECK(f && fseek(f, BAR, SEEK_SET) == 0 && fread(&v, 1, 8, f) == 8 && v == 0xfed10001);
	CHECK(fclose(f) == 0);
	CHECK(!fopen("/dev/cpu/99/msr", "r") && errno == ENXIO);
	f = freopen("/dev/cpu/0/msr", "r", fopen("/dev/null", "r"));
	CHECK(fed ? f != NULL : !f && errno == ENOTSUP);
}

static void other_paths(int msr)
{
	char path[64];
	int root = open("/", O_RDONLY | O_DIRECTORY), bus = open("/sys/bus/pci", O_RDONLY), fd;

	CHECK(chdir("/") == 0);
	forget();
	CHECK(pread(open("//dev/./cpu/0/msr", O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	forget();
	CHECK(pread(open("/tmp/../dev/cpu/0/msr", O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	forget();
	CHECK(pread(open("dev/cpu/0/msr", O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	forget();
	CHECK(pread(openat(root, "dev/cpu/0/msr", O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	CHECK(chdir("/dev") == 0);
	forget();
	CHECK(pread(open("cpu/0/msr", O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	/* Folders of the machine. chdir has one argument: the next register may hold anything. */
	CHECK(syscall(SYS_chdir, "/sys/devices/system/cpu/cpu3", 1L) == 0);
	CHECK(access("topology", X_OK) == 0);
	CHECK(syscall(SYS_chdir, "/dev/cpu", 1L) == 0);
	forget();
	CHECK(pread(open("0/msr", O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	if (getenv("CONFIG_LINK")) {
		forget();
		CHECK(pread(open(getenv("CONFIG_LINK"), O_RDONLY), &v, 8, BAR) == 8 &&
		      v == 0xfed10001);
	}
	if (bus >= 0) {
		forget();
		fd = openat(bus, "devices/0000:00:00.0/config", O_RDONLY);
		CHECK(pread(fd, &v, 8, BAR) == 8 && v == 0xfed10001);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", msr);
	forget();
	CHECK(pread(open(path, O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	snprintf(path, sizeof(path), "/dev/fd/%d", msr);
	forget();
	CHECK(pread(open(path, O_RDONLY), &v, 8, CBO_CONFIG) == 8 && v == 5);
	forget();
	CHECK(pread(dup(msr), &v, 8, CBO_CONFIG) == 8 && v == 5);
}

static void by_number(void)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/dev/cpu/0/msr", O_RDWR, 0), copy;
	struct stat st;

	forget();
	CHECK(fd >= 0 && syscall(SYS_pread64, fd, &v, 8L, (long)CBO_CONFIG) == 8 && v == 5);
	v = 55;
	CHECK(syscall(SYS_pwrite64, fd, &v, 8L, (long)CTR) == 8);
	copy = syscall(SYS_dup, fd);
	forget();
	CHECK(syscall(SYS_preadv, copy, two, 1L, (long)CTR, 0L) == 8 && v == 55);
	v = 56;
	CHECK(syscall(SYS_pwritev2, copy, two, 1L, (long)CTR, 0L, 0L) == 8);
	CHECK(pread((int)fd, &w, 8, CTR) == 8 && w == 56);
	CHECK(syscall(SYS_fcntl, fd, F_DUPFD, 100L, 0L) >= 100);
	CHECK(syscall(SYS_fstat, copy, &st) == 0 && S_ISCHR(st.st_mode));
	CHECK(syscall(SYS_close, copy) == 0 && syscall(SYS_close, fd) == 0);
	CHECK(syscall(SYS_open, "/dev/cpu/99/msr", O_RDWR) == -1 && errno == ENXIO);
	CHECK(syscall(SYS_getpid) == getpid());
	CHECK(syscall(SYS_read, -1, &v, 8L) == -1 && errno == EBADF);
}

static void modes(void)
{
	int r = open("/dev/cpu/0/msr", O_RDONLY), w1 = open("/dev/cpu/0/msr", O_WRONLY);
	struct stat st;

	CHECK(stat(CONFIG, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 256);
	CHECK((fcntl(r, F_GETFL) & O_ACCMODE) == O_RDONLY);
	CHECK((fcntl(w1, F_GETFL) & O_ACCMODE) == O_WRONLY);
	CHECK((fcntl(dup(r), F_GETFL) & O_ACCMODE) == O_RDONLY);
	CHECK(pwrite(r, &v, 8, CTR) == -1 && errno == EBADF);
	CHECK(pread(w1, &v, 8, CTR) == -1 && errno == EBADF);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, r, 0) == MAP_FAILED && errno == ENODEV);
}

/* Instructions of the program's own. */
static long own(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long answer;

	__asm__ volatile("syscall" : "=a"(answer) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return answer;
}

static void instructions(int msr, int config, int fed)
{
	static const char path[] = CONFIG;
	struct open_how how = { 0 };

	forget();
	if (!fed) {		/* nothing comes, and the host's registers least */
		CHECK(own(SYS_pread64, msr, (long)&v, 8, CBO_CONFIG) == 0 && v == 0xAA);
		return;
	}
	CHECK(own(SYS_pread64, msr, (long)&v, 8, CBO_CONFIG) == 8 && v == 5);
	v = 77;
	CHECK(own(SYS_pwrite64, msr, (long)&v, 8, CTR) == 8);
	CHECK(own(SYS_lseek, msr, CTR, SEEK_SET, 0) == CTR);
	CHECK(own(SYS_read, msr, (long)&w, 8, 0) == 8 && w == 77);
	CHECK(own(SYS_pread64, config, (long)&v, 8, BAR) == 8 && v == 0xfed10001);
	CHECK(own(SYS_open, (long)path, O_RDONLY, 0, 0) >= 0);
	how.flags = O_RDONLY;
	config = (int)own(SYS_openat2, AT_FDCWD, (long)path, (long)&how, sizeof(how));
	CHECK(own(SYS_pread64, config, (long)&v, 8, BAR) == 8 && v == 0xfed10001);
}

int main(int argc, char **argv)
{
	int msr = open("/dev/cpu/0/msr", O_RDWR), config = open(CONFIG, O_RDONLY);

	(void)argv;
	vectors(msr, config);
	streams(argc > 1);
	other_paths(msr);
	by_number();
	modes();
	instructions(msr, config, argc > 1);
	puts("done");
	return 0;
}
