#!/bin/bash
# SPDX-License-Identifier: MIT
# A device of registers that a program opens by a path that tells nothing: a bind mount, a node of its
# own, a link, a chroot, a descriptor from outside. By its number it is the machine's, or it cannot be
# opened or read. And what truncate() says of devices.
set -u
[ "$(id -u)" = 0 ] || { echo 'only root can mount and make device nodes'; exit 77; }
if [ -z "${NUMBERS_APART-}" ]; then
	why=$(unshare --mount --propagation private true 2>&1) || { echo "$why (a chroot?)"; exit 77; }
	NUMBERS_APART=1 unshare --mount --propagation private "$0" "$@"
	exit
fi
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
cat >"$scratch/ways.c" <<'C'
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned int expected;

/* The machine's CPUID, or an error. */
static void cpuid(const char *how, int fd)
{
	unsigned int r[4] = { 0 };
	ssize_t n = fd < 0 ? -1 : pread(fd, r, sizeof(r), 1);

	printf("%s: %s\n", how, n < 0 ? "error" : n == 16 && r[0] == expected ? "virtual" : "WRONG");
}

/* Physical memory cannot be read on the machine. */
static void mem(const char *how, int fd)
{
	char byte;
	ssize_t n = fd < 0 ? -1 : pread(fd, &byte, 1, 0);

	printf("%s: %s\n", how, n < 0 ? errno == EPERM ? "virtual" : "error" : "WRONG");
}

static int beneath(const char *folder, const char *path)
{
	struct open_how how = { .flags = O_RDONLY, .resolve = RESOLVE_BENEATH };

	return (int)syscall(SYS_openat2, open(folder, O_PATH | O_DIRECTORY), path, &how, sizeof(how));
}

static void in_jail(void)
{
	if (chroot("jail"))
		perror("chroot");
	cpuid("chroot, absolute", open("/dev/cpu/0/cpuid", O_RDWR));
	mem("chroot, absolute, mem", open("/dev/mem", O_RDWR));
	if (chdir("/"))
		perror("chdir");
	cpuid("chroot, relative", open("dev/cpu/0/cpuid", O_RDWR));
	cpuid("chroot, dotted", open("./dev/cpu/0/cpuid", O_RDWR));
	mem("chroot, relative, mem", open("dev/mem", O_RDWR));
}

int main(int argc, char **argv)
{
	char path[64];
	int fd, ok;

	if (argc < 2)
		return 2;
	expected = (unsigned int)strtoul(argv[1], NULL, 16);
	setvbuf(stdout, NULL, _IONBF, 0);
	cpuid("absolute", open("/dev/cpu/0/cpuid", O_RDWR));
	mem("absolute, mem", open("/dev/mem", O_RDWR));
	cpuid("inherited", 9);
	mem("inherited, mem", 8);
	cpuid("bind mount", open("jail/dev/cpu/0/cpuid", O_RDWR));
	mem("bind mount, mem", open("jail/dev/mem", O_RDWR));
	cpuid("openat2", beneath("jail", "dev/cpu/0/cpuid"));
	cpuid("link to the bind mount", open("link/cpu/0/cpuid", O_RDWR));
	cpuid("its own node", open("node", O_RDWR));
	cpuid("its own node, to write", open("node", O_WRONLY | O_CREAT | O_TRUNC, 0600));
	mem("its own node, mem", open("node.mem", O_RDWR));
	cpuid("a node of no such CPU", open("node.far", O_RDWR));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", open("node", O_PATH));
	cpuid("/proc/self/fd", open(path, O_RDWR));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", open("node.mem", O_PATH));
	mem("/proc/self/fd, mem", open(path, O_RDWR));
	ok = chdir("jail/dev/cpu");
	cpuid("from within the bind mount", ok ? -1 : open("0/cpuid", O_RDWR));
	ok = ok || chdir("../../..");
	fflush(stdout);
	if (!fork()) {
		in_jail();
		_exit(0);
	}
	wait(NULL);
	/* truncate(2), ftruncate(2): EINVAL for what is no regular file. */
	fd = open("/dev/cpu/0/msr", O_RDWR);
	printf("truncate %d, ", truncate("/dev/cpu/0/msr", 100) ? errno : 0);
	printf("ftruncate %d\n", ftruncate(fd, 100) ? errno : 0);
	return ok;
}
C
"${CC:-cc}" -std=c11 -D_GNU_SOURCE -o "$scratch/ways" "$scratch/ways.c" || exit 1
cd "$scratch" || exit 1
mkdir -p jail/dev && mount --rbind /dev jail/dev 2>out || { echo "nothing can be mounted here: $(cat out)"; exit 77; }
trap 'umount -l "$scratch/jail/dev"; rm -rf "$scratch"' EXIT
ln -s jail/dev link
mknod node c 203 0 && mknod node.far c 203 1000 && mknod node.mem c 1 1 || { echo 'no device nodes here'; exit 77; }

opens() { : 2>/dev/null <"$1"; }
cpuid=/dev/null mem=/dev/null
if opens node; then cpuid=node; else echo 'not tried: cpuid by its number, which this host has no driver for'; fi
if opens node.mem; then mem=node.mem; else echo 'not tried: mem by its number, which this host does not have'; none=', mem'; fi
try() {		# try WHAT OPTION...
	local what=$1 eax
	shift
	eax=$("$vpmu" run "$@" -m skl-1c2t dd if=/dev/cpu/0/cpuid bs=16 count=1 iflag=skip_bytes skip=1 \
		status=none </dev/null | od -An -tx4 | awk '{ print $1 }')
	# 325462-039 Table 35-1: 06_5EH. A native program has the host's CPUID.
	[ "$1" = --no-feed ] || is "$what: the signature" 000506e0 "${eax%?}0"
	"$vpmu" run "$@" -m skl-1c2t ./ways "$eax" 9<"$cpuid" 8<"$mem" >out 2>&1 </dev/null
	is "$what: the ways that were tried" 20 "$(grep -c '^[^:]*: [a-zA-Z]*$' out)"
	is "$what: by its path" 2 "$(grep -c '^absolute.*: virtual$' out)"
	is "$what: the host's" '' "$(grep WRONG out | grep -v "^inherited${none:-,}: ")"
	[ $mem = /dev/null ] || is "$what: mem by its number" 4 \
		"$(grep -Ec '^(inherited|bind mount|its own node|/proc/self/fd), mem: virtual$' out)"
	[ $cpuid = /dev/null ] || is "$what: cpuid by its number" 8 "$(grep -Ec \
		'^(inherited|bind mount|openat2|link.*|its own node|/proc/self/fd|from.*|absolute): virtual$' out)"
	is "$what: truncate" 'truncate 22, ftruncate 22' "$(grep truncate out)"
}
try native --no-feed
! command -v qemu-x86_64 >/dev/null || try emulated --time=model
finish
