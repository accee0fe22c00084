#!/bin/bash
# SPDX-License-Identifier: MIT
# Native programs (--no-feed): msr-tools and small programs on the machine's device files.
# VPMU: the vpmu binary; CC: a compiler.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
cc=${CC:-cc}
needs rdmsr wrmsr "$cc"
export VPMU_TALLY=$scratch/tally	# rules are broken and registers left changed on purpose

has() { case $3 in *"$2"*) ok ;; *) bad "$1: '$2' is not in '$3'" ;; esac; }
on() { "$VPMU" run --no-feed -m skl-4c8t -- "$@"; }

is "CBO_CONFIG" 5 "$(on rdmsr -p 0 0x396)"
is "CBO_CONFIG of two slices" 3 "$(on true; "$VPMU" run --no-feed -m skl-2c2t -- rdmsr 0x396)"
is "a write is read back from another CPU" 408f34 \
	"$(on sh -c 'wrmsr -p 2 0x700 0x408f34; rdmsr -p 7 0x700' 2>&1)"
is "counters are 44 bits" fffffffffff "$(on sh -c 'wrmsr 0x706 0xfffffffffff; rdmsr 0x706' 2>&1)"
is "DEBUGCTL is per CPU" "2000 0" \
	"$(on sh -c 'wrmsr -p 1 0x1d9 0x2000; echo $(rdmsr -p 1 0x1d9) $(rdmsr -p 0 0x1d9)')"
is "all CPUs" "5 5 5 5 5 5 5 5" "$(on sh -c 'echo $(rdmsr -a 0x396 | sed "s/.*: //")' 2>/dev/null)"

out=$(on rdmsr -p 8 0x396 2>&1); is "no CPU 8: status" 2 $?
has "no CPU 8" "No CPU 8" "$out"
out=$(on rdmsr 0x740 2>&1); is "a fifth slice: status" 4 $?
has "a fifth slice" "cannot read MSR 0x00000740" "$out"
has "a fifth slice is a violation" "MSR 0x740" "$out"
out=$(on wrmsr 0x396 4 2>&1); is "read-only: status" 4 $?
has "read-only is a violation" "read-only" "$out"
out=$(on wrmsr 0x394 0x400001 2>&1); is "reserved bit: taken" 0 $?
has "reserved bit is a violation" "0x1 is reserved" "$out"
out=$(on wrmsr 0x3b2 0x400183 2>&1); has "undriven event is named" "does not drive" "$out"
is "nothing to say when all is well" "" "$(on wrmsr 0xe01 0x20000000 2>&1)"

cat >"$scratch/probe.c" <<'C'
#define _GNU_SOURCE
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
	CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET(*(int *)cpu, &set));
	CHECK(sched_getcpu() == *(int *)cpu);
	return NULL;
}

static void cpus(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	cpu_set_t set;
	unsigned int cpu, node;
	int six = 6, two = 2;

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
C
number=$(grep -o 'CHECK(' "$scratch/probe.c" | wc -l)
number=$((number - 1 + 3 * 2))	# without the macro; bound() runs four times
set_imc="--set DRAM_IA_REQUESTS=0x1234 --set DRAM_DATA_READS=0xfffffff0"
for flags in "-O0" "-O2 -D_FORTIFY_SOURCE=2" "-O2 -D_FILE_OFFSET_BITS=64"; do
	# shellcheck disable=SC2086
	if $cc -w $flags "$scratch/probe.c" -o "$scratch/probe" -lpthread; then
		is "probe built with $flags" "$number" \
			"$("$VPMU" run --no-feed -m skl-4c8t --cpus 0-7 $set_imc -- "$scratch/probe" 2>/dev/null)"
	else
		bad "cannot build the probe with $flags"
	fi
done
if command -v qemu-x86_64 >/dev/null && [ -z "${VPMU_NO_QEMU:-}" ]; then
	# shellcheck disable=SC2086
	is "probe under the execution feed" "$number" \
		"$("$VPMU" run -m skl-4c8t --cpus 0-7 $set_imc -- "$scratch/probe" 2>/dev/null)"
fi

# A library that is unloaded waits for a thread of its own, as the component does for its guard.
cat >"$scratch/waits.c" <<'C'
#include <pthread.h>
static void *nothing(void *p) { return p; }
__attribute__((destructor)) static void leave(void)
{
	pthread_t t;
	if (!pthread_create(&t, 0, nothing, 0))
		pthread_join(t, 0);
}
C
cat >"$scratch/unloads.c" <<'C'
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	alarm(1500);
	return argc != 2 || !library || dlclose(library);
}
C
if $cc -w -shared -fPIC "$scratch/waits.c" -o "$scratch/waits.so" -lpthread &&
	$cc -w "$scratch/unloads.c" -o "$scratch/unloads" -ldl; then
	on "$scratch/unloads" "$scratch/waits.so"
	is "a library that waits for a thread is unloaded" 0 $?
else
	bad "cannot build a library that waits for a thread"
fi
is "no machine: the host's CPUs" "$(getconf _NPROCESSORS_ONLN)" \
	"$(LD_PRELOAD=$(dirname "$VPMU")/libvpmu_native.so getconf _NPROCESSORS_ONLN 2>/dev/null)"

finish
