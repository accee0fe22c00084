#!/bin/bash
# SPDX-License-Identifier: MIT
# Extended attributes, by all twelve calls: those of a file answer as they do natively, and the
# machine's own files have none and take none. `ls -l` and `tar --xattrs` print no error.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}" tar

cat >"$scratch/attributes.c" <<'C'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#define SAY(call) (errno = 0, answer = (call), printf("%s: %ld %s\n", #call, answer, answer < 0 ? strerror(errno) : ""))

int main(int argc, char **argv)
{
	const char *f = argv[argc - 1];
	int fd = open(f, O_RDONLY);
	char to[256];
	long answer;

	SAY(setxattr(f, "user.a", "xyz", 3, 0));
	SAY(setxattr(f, "user.a", "xyz", 3, XATTR_CREATE));
	SAY(lsetxattr(f, "user.b", "12", 2, 0));
	SAY(fsetxattr(fd, "user.c", "", 0, 0));
	SAY(getxattr(f, "user.a", to, sizeof(to)));
	SAY(getxattr(f, "user.a", NULL, 0));
	SAY(getxattr(f, "user.a", to, 1));
	SAY(lgetxattr(f, "user.b", to, sizeof(to)));
	SAY(fgetxattr(fd, "user.c", to, sizeof(to)));
	SAY(getxattr(f, "user.none", to, sizeof(to)));
	SAY(listxattr(f, to, sizeof(to)));
	SAY(llistxattr(f, NULL, 0));
	SAY(flistxattr(fd, to, sizeof(to)));
	SAY(removexattr(f, "user.a"));
	SAY(lremovexattr(f, "user.b"));
	SAY(fremovexattr(fd, "user.c"));
	SAY(listxattr(f, to, sizeof(to)));
	SAY(getxattr("/no/such/file", "user.a", to, sizeof(to)));
	SAY(getxattr((char *)1, "user.a", to, sizeof(to)));
	return 0;
}
C
${CC:-cc} -O1 -w "$scratch/attributes.c" -o "$scratch/attributes" || exit 1
touch "$scratch/file"
"$scratch/attributes" "$scratch/file" >"$scratch/native" 2>&1
"$vpmu" run -m skl-4c8t "$scratch/attributes" "$scratch/file" >"$scratch/out" 2>&1
cmp -s "$scratch/native" "$scratch/out"
verdict 'a file of the host' $?

for file in /proc/cpuinfo /dev/cpu/0/msr /sys/devices/system/cpu/online; do
	"$vpmu" run -m skl-4c8t "$scratch/attributes" $file >"$scratch/out" 2>&1
	is "$file: what gets or sets one succeeds" '' "$(grep -E '(get|set|remove)xattr.*: [0-9]' "$scratch/out")"
	is "$file: names" '0 0 0 0' "$(sed -n 's/.*listxattr.*: //p' "$scratch/out" | paste -sd' ' | tr -s ' ' |
		sed 's/ $//')"
done

"$vpmu" run -m skl-4c8t ls -l "$scratch/file" /bin /proc/cpuinfo /dev/cpu/0/msr /sys/devices/system/cpu \
	>/dev/null 2>"$scratch/out"
is 'ls -l' "0 " "$? $(cat "$scratch/out")"
"$vpmu" run -m skl-4c8t tar --xattrs -C "$scratch" -cf /dev/null file 2>"$scratch/out"
is 'tar --xattrs' "0 " "$? $(cat "$scratch/out")"
finish
