// SPDX-License-Identifier: MIT
/* Uses the machine's device files, folders, window and CPUs by libc, and prints how many checks it
 * made. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static int n, emulated;
#define CHECK(c) (n++, (c) ? 0 : printf("line %d: %s (errno %d)\n", __LINE__, #c, errno))

static void msr(void)
{
	uint64_t v[2] = { 0, 0 };
	uint32_t half;
	int fd = open("/dev/cpu/3/msr", O_RDWR), ro = open64("/dev/cpu/0/msr", O_RDONLY), copy;
	struct stat st;

	CHECK(fd >= 0 && ro >= 0);
	CHECK(pread(fd, v, 8, 0x396) == 8 && v[0] == 5);
	CHECK(pread(fd, v, 16, 0x396) == 16 && v[1] == 5);
	CHECK(lseek(fd, 0x396, SEEK_SET) == 0x396);
	v[0] = 0;
	CHECK(read(fd, v, 8) == 8 && v[0] == 5);
	v[0] = 0;
	CHECK(read(fd, v, 8) == 8 && v[0] == 5);	/* the offset stays */
	CHECK(pread(fd, &half, 4, 0x396) == -1 && errno == EINVAL);
	CHECK(pread(fd, v, 8, 0x1000) == -1 && errno == EIO);
	v[0] = 77;
	CHECK(pwrite(ro, v, 8, 0x706) == -1 && errno == EBADF);
	CHECK(pwrite(fd, v, 8, 0x706) == 8);
	copy = dup(ro);
	CHECK(copy >= 0 && pread(copy, v, 8, 0x706) == 8 && v[0] == 77);
	close(ro);
	v[0] = 0;
	CHECK(pread(copy, v, 8, 0x706) == 8 && v[0] == 77);
	CHECK(pread(ro, v, 8, 0x706) == -1 && errno == EBADF);
	copy = fcntl(fd, F_DUPFD, 100);
	CHECK(copy >= 100 && pread(copy, v, 8, 0x706) == 8 && v[0] == 77);
	CHECK(dup2(fd, 50) == 50 && pread(50, v, 8, 0x396) == 8 && v[0] == 5);
	CHECK(close_range(50, 50, 0) == 0);
	CHECK(open("/proc/self/exe", O_RDONLY) >= 0);
	CHECK(dup2(open("/proc/self/exe", O_RDONLY), 50) == 50);
	CHECK(pread(50, &half, 4, 0) == 4 && !memcmp(&half, "\177ELF", 4));
	CHECK(fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && minor(st.st_rdev) == 3);
	CHECK(stat("/dev/cpu/7/msr", &st) == 0 && S_ISCHR(st.st_mode));
	CHECK(stat("/dev/cpu/8/msr", &st) == -1 && errno == ENOENT);
	CHECK(stat("/dev/cpu", &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(access("/dev/cpu/0/msr", R_OK | W_OK) == 0);
	CHECK(access("/dev/cpu/0/cpuid", R_OK) == 0);
	CHECK(open("/dev/cpu/8/msr", O_RDONLY) == -1 && errno == ENXIO);
	CHECK(open("/dev/cpu/0/msr_safe", O_RDONLY) == -1 && errno == ENOENT);
	if (fork() == 0)
		_exit(pread(fd, v, 8, 0x396) == 8 && v[0] == 5 ? 0 : 1);
	int status;
	wait(&status);
	CHECK(status == 0);
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return atoi((*b)->d_name) - atoi((*a)->d_name);		/* downwards */
}

static int numbered(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void listing(void)
{
	struct dirent **list, *e;
	DIR *d = opendir("/dev/cpu");
	int seen = 0;

	CHECK(d != NULL);
	while ((e = readdir(d)))
		seen |= numbered(e) << atoi(e->d_name);
	CHECK(seen == 0xff && closedir(d) == 0);
	CHECK(scandir("/dev/cpu", &list, numbered, by_number) == 8 &&
	      !strcmp(list[0]->d_name, "7") && list[0]->d_type == DT_DIR);
	d = opendir("/dev/cpu/3");
	seen = 0;
	while (d && (e = readdir(d)))
		seen += !strcmp(e->d_name, "msr") && e->d_type == (emulated ? DT_CHR : DT_REG);
	CHECK(seen == 1);
	closedir(d);
	CHECK(opendir("/dev/cpu/8") == NULL && errno == ENOENT);
	CHECK(opendir("/dev/cpu/0/msr") == NULL && errno == ENOTDIR);
	CHECK(opendir("/dev/cpu/0/nothing") == NULL && errno == ENOENT);
	d = opendir("/");
	CHECK(d && readdir(d) && closedir(d) == 0);
}

static void imc(void)
{
	int fd = open("/sys/bus/pci/devices/0000:00:00.0/config", O_RDONLY), mem;
	uint64_t bar = 0;
	uint16_t vendor = 0;
	volatile uint32_t *p;

	CHECK(fd >= 0 && read(fd, &vendor, 2) == 2 && vendor == 0x8086);
	CHECK(lseek(fd, 0, SEEK_CUR) == 2);
	CHECK(pread(fd, &bar, 8, 0x48) == 8 && (bar & 1));
	bar &= 0x7fffff8000;
	mem = open("/dev/mem", O_RDONLY);
	CHECK(mem >= 0);
	p = mmap(NULL, 0x6000, PROT_READ, MAP_SHARED, mem, (off_t)bar);
	bool still = !getenv("VPMU_FEED");	/* else they run */
	CHECK(p != MAP_FAILED);
	CHECK(!still || (p[0x5044 / 4] == 0x1234 && p[0x5050 / 4] == 0xfffffff0));
	CHECK(p[0x5040 / 4] == 0 && p[0x5048 / 4] == 0);
	CHECK(munmap((void *)p, 0x6000) == 0);
	p = mmap(NULL, 0x1000, PROT_READ, MAP_SHARED, mem, (off_t)(bar + 0x5000));
	CHECK(p != MAP_FAILED && (!still || p[0x44 / 4] == 0x1234));
	CHECK(mmap(NULL, 0x1000, PROT_READ, MAP_SHARED, mem, 0) == MAP_FAILED && errno == EPERM);
	CHECK(mmap(NULL, 0x1000, PROT_READ, MAP_SHARED, mem, (off_t)(bar + 0x8000)) == MAP_FAILED);
	CHECK(mmap(NULL, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED, mem, (off_t)bar) ==
	      MAP_FAILED && errno == EPERM);
}

static void *bound(void *cpu)
{
	cpu_set_t set;

	pthread_getaffinity_np(pthread_self(), sizeof(set), &set);
	CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET(*(size_t *)cpu, &set));
	CHECK(sched_getcpu() == (int)*(size_t *)cpu);
	return NULL;
}

static void cpus(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	cpu_set_t set;
	unsigned int cpu, node;
	size_t six = 6, two = 2;

	CHECK(get_nprocs() == 8 && sysconf(_SC_NPROCESSORS_ONLN) == 8);
	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 8);
	CPU_ZERO(&set);
	CPU_SET(6, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0 && sched_getcpu() == 6);
	CHECK(getcpu(&cpu, &node) == 0 && cpu == 6 && node == 0);
	pthread_create(&thread, NULL, bound, &six);	/* inherits */
	pthread_join(thread, NULL);
	CPU_ZERO(&set);
	CPU_SET(2, &set);
	pthread_attr_init(&attributes);
	CHECK(pthread_create(&thread, &attributes, bound, &six) == 0);	/* they name no CPUs */
	pthread_join(thread, NULL);
	pthread_attr_setaffinity_np(&attributes, sizeof(set), &set);
	CHECK(pthread_create(&thread, &attributes, bound, &two) == 0);
	pthread_join(thread, NULL);
	CPU_ZERO(&set);		/* what the attributes say, they say for the next one, too */
	CHECK(pthread_attr_getaffinity_np(&attributes, sizeof(set), &set) == 0);
	CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET(2, &set));
	CHECK(pthread_create(&thread, &attributes, bound, &two) == 0);
	pthread_join(thread, NULL);
	CPU_ZERO(&set);
	CPU_SET(8, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == -1 && errno == EINVAL);
}

int main(void)
{
	emulated = getenv("VPMU_FEED") != NULL;
	msr();
	listing();
	imc();
	cpus();
	printf("%d\n", n);
	return 0;
}
