#!/bin/bash
# SPDX-License-Identifier: MIT
# The machine with msr-safe's devices, by that module's documentation; device files with an owner;
# and the tally of what a program has left. Run natively. VPMU: the vpmu binary; CC: a compiler.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
cc=${CC:-cc}
needs rdmsr wrmsr "$cc"
export VPMU_TALLY=$scratch/tally	# registers are left changed on purpose

cat >"$scratch/probe.c" <<'C'
#define _GNU_SOURCE
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
		{ .cpu = 0, .msr = 0x700, .msrdata = 0xFF34 }, { .cpu = 7, .isrdmsr = 1, .msr = 0x700 },
		{ .cpu = 1, .isrdmsr = 1, .msr = 0x396 },
	};
	struct msr_batch_op mixed[] = {
		{ .cpu = 0, .msr = 0x700, .msrdata = 0x11 }, { .cpu = 0, .isrdmsr = 1, .msr = 0x3B0 },
		{ .cpu = 0, .msr = 0x396, .msrdata = 1 }, { .cpu = 8, .isrdmsr = 1, .msr = 0x396 },
	};
	struct msr_batch_op absent[] = {
		{ .cpu = 0, .isrdmsr = 1, .msr = 0x740 }, { .cpu = 0, .msr = 0x700, .msrdata = 0x22 },
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
	CHECK(batch(fd, absent, 2) == -1 && errno == EIO && absent[0].err == -EIO && !absent[1].err);
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
C
"$cc" -std=c11 -O1 "$scratch/probe.c" -o "$scratch/probe" || exit 1
cat >"$scratch/list" <<'L'
# a remark
0x396 0x0 # "MSR_UNC_CBO_CONFIG"
0x00000700 0x00000000000000FF
0x740 0xFF
L
is "msr-safe's devices" done "$("$VPMU" run --no-feed --msr-safe="$scratch/list" -- "$scratch/probe" 2>/dev/null </dev/null)"
is "an empty list allows nothing" 1 \
	"$("$VPMU" run --no-feed --msr-safe -- sh -c 'head -c 8 /dev/cpu/0/msr_safe 2>&1' | grep -c 'denied')"
is "they are listed" "cpuid msr msr_safe msr_batch" "$("$VPMU" run --no-feed --msr-safe -- \
	sh -c 'echo $(ls /dev/cpu/0) $(ls /dev/cpu | grep batch)')"
is "without the module they are not" "cpuid msr" "$("$VPMU" run --no-feed -- \
	sh -c 'echo $(ls /dev/cpu/0) $(ls /dev/cpu | grep batch)')"
for wrong in 0x396 '0x396 z' "$(printf '0x396 0\n0x396 1')"; do
	echo "$wrong" >"$scratch/wrong"
	"$VPMU" run --no-feed --msr-safe="$scratch/wrong" -- true 2>"$scratch/err"
	is "a wrong list" "125 1" "$? $(grep -c "$scratch/wrong" "$scratch/err")"
done
"$VPMU" run --no-feed --msr-safe=/nowhere -- true 2>"$scratch/err"
is "no list" 125 $?

# ---- owners
is "mode and owner" "660 12 34" "$("$VPMU" run --no-feed --devices 0660:12:34 -- stat -c '%a %u %g' /dev/cpu/0/msr)"
for wrong in x 0999 0660: 0660:1:2:3 01000 0660:4294967296 0660:0:4294967296; do
	"$VPMU" run --no-feed --devices $wrong -- true 2>"$scratch/err"
	is "--devices $wrong" "125 1" "$? $(grep -c -e '--devices 0660:0:1000' "$scratch/err")"
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	user() {	# user UID GID MODE COMMAND...
		setpriv --reuid="$1" --regid="$2" --clear-groups "${@:3}" 2>&1
	}
	export -f user
	open_to_users bin/vpmu "${STAGE_LIB#"$STAGE"/}/ipmu/libvpmu_native.so" || exit 1
	owned() { "$scratch/stage/bin/vpmu" run --no-feed --devices "$1" -- bash -c "$2" 2>/dev/null; }
	is "the owner" 5 "$(owned 0400:12:34 'user 12 99 rdmsr 0x396')"
	is "the owner may not write" 1 "$(owned 0400:12:34 'user 12 99 wrmsr 0x700 0' | grep -c denied)"
	is "the group" 5 "$(owned 0040:12:34 'user 13 34 rdmsr 0x396')"
	is "the others" 5 "$(owned 0004:12:34 'user 13 99 rdmsr 0x396')"
	is "neither" 1 "$(owned 0660:12:34 'user 13 99 rdmsr 0x396' | grep -c denied)"
	is "root" 5 "$(owned 0000:12:34 'rdmsr 0x396')"
	is "configuration space" "64 256" "$(owned 0660 \
		'user 13 99 cat /sys/bus/pci/devices/0000:00:00.0/config | wc -c
		 cat /sys/bus/pci/devices/0000:00:00.0/config | wc -c' | xargs)"
fi

# ---- the tally
tally() {	# tally COMMAND [OPTION...]: violations and changed registers
	: >"$VPMU_TALLY"
	"$VPMU" run --no-feed "${@:2}" -- sh -c "$1" >/dev/null 2>&1
	awk -F '\t' '{ l = $2 " " $3 " " $4 " " NR } END { print l }' "$VPMU_TALLY"
}
is "nothing done" "skl-4c8t 0 0 1" "$(tally true)"
is "read only" "skl-4c8t 0 0 1" "$(tally 'rdmsr 0x706')"
is "written" "skl-4c8t 0 2 1" "$(tally 'wrmsr 0x706 5; wrmsr 0xe01 0x20000000')"
is "put back" "skl-4c8t 0 0 1" "$(tally 'wrmsr 0x706 5; wrmsr 0x706 7' --set MSR_UNC_CBO_0_PERFCTR0=7)"
is "a reserved bit" "skl-4c8t 1 0 1" "$(tally 'wrmsr 0x394 0x1; wrmsr 0x394 0')"
is "per CPU" "knc-4c16t 0 2 1" "$(tally 'wrmsr -p 1 0x28 3; wrmsr -p 2 0x28 3' -m knc-4c16t)"
# A machine that is kept: the last line tells.
: >"$VPMU_TALLY"
for value in 5 0; do
	"$VPMU" run --no-feed -s "$scratch/kept" -m skl-4c8t -- wrmsr 0x706 $value
done
is "a kept machine" "1 0 1" "$(awk -F '\t' '{ c = c $4 " "; id[$1] } END { for (i in id) n++; print c n }' \
	"$VPMU_TALLY")"
finish
