#!/bin/bash
# SPDX-License-Identifier: MIT
# What `vpmu run` fixes, as a program sees it: random numbers, addresses, memory. Limits follow from
# getrandom(2), random(4) and the options' description.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT VPMU_SEED VPMU_RANDOM VPMU_TIME OMPI_COMM_WORLD_RANK PMI_RANK

cat >random.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long draw(void)
{
	unsigned long n = 0;

	return syscall(SYS_getrandom, &n, sizeof(n), 0) == sizeof(n) ? n : 0;
}

static long fails(void *to, size_t bytes, unsigned flags)
{
	return syscall(SYS_getrandom, to, bytes, flags) < 0 ? errno : 0;
}

static void drawn(const char *path)
{
	unsigned long a = 0, b = 0;
	struct iovec two[] = { { &a, 8 }, { &b, 8 } };
	int fd = open(path, O_RDWR);

	printf("%zd ", readv(fd, two, 2));
	printf("%016lx\n%016lx\n", a, b);
	printf("%zd\n", write(fd, "x", 1));
	close(fd);
}

static void children(char *self)
{
	for (int i = 0; i < 3; i++) {
		fflush(stdout);
		if (!fork()) {
			printf("%016lx\n", draw());
			fflush(stdout);
			if (i == 2)
				execl(self, self, "one", (char *)NULL);
			_exit(0);
		}
		wait(NULL);
	}
	printf("%016lx\n", draw());
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct sysinfo info;
	unsigned long n;

	if (!strcmp(how, "memory")) {
		sysinfo(&info);
		printf("%lu %lu\n", info.totalram / info.mem_unit / 1024, info.freeram / info.mem_unit / 1024);
	} else if (!strcmp(how, "one")) {
		memcpy(&n, (void *)getauxval(AT_RANDOM), sizeof(n));
		printf("%016lx\n%016lx\n", n, draw());
	} else if (!strcmp(how, "errors")) {
		printf("%ld %ld ", fails(&n, 8, 8), fails(&n, 8, 2 | 4));
		printf("%ld %ld\n", fails(NULL, 8, 0), fails(&n, 0, 0));
	} else if (!strcmp(how, "devices")) {
		drawn("/dev/urandom");
		drawn("/dev/random");
	} else if (!strcmp(how, "addresses")) {
		char *lowest = sbrk(0);

		printf("%p %p %p %p\n", (void *)argv, (void *)main, lowest, malloc(1 << 20));
	} else {
		children(argv[0]);
	}
	return 0;
}
C
"${CC:-cc}" -O1 -o random random.c || exit 1
run() { "$vpmu" run "$@" 2>&1; }
different() {	# different WHAT TEXT: all of its words of 16 digits
	is "$1: none twice" '' "$(grep -oE '\b[0-9a-f]{16}\b' <<<"$2" | sort | uniq -d)"
	is "$1: there are some" yes "$(grep -qE '\b[0-9a-f]{16}\b' <<<"$2" && echo yes)"
}

one=$(run ./random one)
different 'one process' "$one"
is 'the same again' "$one" "$(run ./random one)"
is 'seed 0 is the default' "$one" "$(run --seed 0 ./random one)"
family=$(run ./random)
different 'a family' "$family"
is 'a family again' "$family" "$(run ./random)"
different 'seeds' "$one $(run --seed 1 ./random one) $(VPMU_SEED=2 run ./random one)"
is 'the option before the variable' "$one" "$(VPMU_SEED=2 run --seed 0 ./random one)"
different 'ranks' "$one $(OMPI_COMM_WORLD_RANK=1 run ./random one) $(PMI_RANK=2 run ./random one)"
different 'the host' "$one $(run --random host ./random one) $(VPMU_RANDOM=host run ./random one)"
different 'executed by a shell' "$(run sh -c './random one; ./random one')"
is 'errors' '22 22 14 0' "$(run ./random errors)"
devices=$(run ./random devices)
different 'devices' "$devices"
is 'devices: bytes' '16 1 16 1' "$(cut -d' ' -f1 <<<"$devices" | grep -v ................ | paste -sd ' ')"
is 'devices again' "$devices" "$(run ./random devices)"

addresses=$(run ./random addresses)
is 'addresses again' "$addresses" "$(HOME=/another/home run ./random addresses)"
moved=$(run --seed 7 ./random addresses)
is 'a seed moves each address' 4 "$(paste -d' ' <(tr ' ' '\n' <<<"$addresses") <(tr ' ' '\n' <<<"$moved") | awk '$1 != $2' | wc -l)"
read -r -a before <<<"$addresses"
read -r -a after <<<"$moved"
is 'the program moves by pages' 0 $(((after[1] - before[1]) % 4096))
is 'the heap moves by pages' 0 $(((after[2] - before[2]) % 4096))
is 'the stack moves by 16 bytes' 0 $(((after[0] - before[0]) % 16))

for machine in skl-4c8t nhmex-2p16c32t; do
	is "memory of $machine" "$(run -m $machine sh -c 'cat /sys/devices/system/node/node*/meminfo' |
		awk '/MemTotal/ { total += $4 } /MemFree/ { free += $4 } END { printf "%.0f %.0f", total, free }')" \
		"$(run -m $machine ./random memory)"
done

is 'a bad seed' 125 "$(run --seed x true >/dev/null; echo $?)"
is 'a bad word' 125 "$(run --random no true >/dev/null; echo $?)"
is 'the program does not see the variables' '' "$(VPMU_SEED=1 VPMU_TIME=host run env | grep -E '^VPMU_(SEED|TIME)')"
finish
